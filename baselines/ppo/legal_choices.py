"""The two heads of the network on the CPU, where of 81 actions only the legal ones, some five, are looked at."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor, nn

from baselines.ppo.advice import ADVICE_LOGIT
from king_env.engine.actions import Action
from king_env.engine.kernel import any_order_kernel, entry_point, kernel


def is_compiled(features: Tensor) -> bool:
    """Whether the heads of these features are computed here: on the CPU, in float32."""
    return features.device.type == "cpu" and features.dtype == torch.float32 and not torch.is_autocast_enabled("cpu")


def choose_legal(
    features: Tensor,  # float32[B, width]
    policy_head: nn.Linear,
    value_head: nn.Linear,
    masks: np.ndarray,  # int8[B, num_actions]
    advice: np.ndarray,  # int64[B]
    generator: torch.Generator,
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Actions drawn by their probability (int64[B]), their log-probabilities and the values (float32[B])."""
    draws = torch.rand(len(features), dtype=torch.float64, generator=generator)
    actions = np.empty(len(features), dtype=np.int64)
    log_probs, values = np.empty(len(features), dtype=np.float32), np.empty(len(features), dtype=np.float32)
    policy_weight, policy_bias, value_weight, value_bias = arrays_of_heads(
        policy_head.weight, policy_head.bias, value_head.weight, value_head.bias
    )
    draw_legal(
        features.numpy(),
        policy_weight,
        policy_bias,
        value_weight,
        value_bias,
        masks,
        advice,
        draws.numpy(),
        actions,
        log_probs,
        values,
    )
    return actions, log_probs, values


def arrays_of_heads(
    policy_weight: Tensor, policy_bias: Tensor, value_weight: Tensor, value_bias: Tensor
) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """The weights as what is compiled takes them: those of the value are a vector."""
    of_policy = policy_weight.detach().numpy(), policy_bias.detach().numpy()
    return *of_policy, value_weight.detach().numpy()[0], value_bias.detach().numpy()


@entry_point
def draw_legal(
    features: np.ndarray,
    policy_weight: np.ndarray,
    policy_bias: np.ndarray,
    value_weight: np.ndarray,  # float32[width]
    value_bias: np.ndarray,
    masks: np.ndarray,
    advice: np.ndarray,
    draws: np.ndarray,
    actions: np.ndarray,
    log_probs: np.ndarray,
    values: np.ndarray,
) -> None:
    """`choose_legal`; actions, log-probabilities and values are written."""
    logits = np.empty(masks.shape[1], dtype=np.float32)
    legal = np.empty(masks.shape[1] + 1, dtype=np.int64)
    for row in range(len(features)):
        log_total, _, num_legal = weigh_legal(
            features[row], policy_weight, policy_bias, masks[row], advice[row], legal, logits
        )
        so_far = 0.0
        for number in range(num_legal):
            log_prob = logits[legal[number]] - log_total
            probability = math.exp(log_prob)
            so_far += probability
            if probability > 0.0:
                actions[row], log_probs[row] = legal[number], log_prob
            if so_far > draws[row]:
                break
        values[row] = dot(features[row], value_weight) + value_bias[0]


@kernel
def weigh_legal(
    features: np.ndarray,
    policy_weight: np.ndarray,
    policy_bias: np.ndarray,
    mask: np.ndarray,
    advised: Action,
    legal: np.ndarray,
    logits: np.ndarray,
) -> tuple[float, float, int]:
    """List the legal actions of one decision and write their logits.

    Returns the log of the sum of exp(logit), the entropy, and how many are legal.
    """
    num_legal = list_legal(mask, legal)
    highest = -math.inf
    for number in range(num_legal):
        action = legal[number]
        logits[action] = dot(features, policy_weight[action]) + policy_bias[action]
        if action == advised:
            logits[action] += ADVICE_LOGIT
        highest = max(highest, logits[action])
    total, weighted = 0.0, 0.0
    for number in range(num_legal):
        below = logits[legal[number]] - highest
        weight = math.exp(below)
        total += weight
        weighted += weight * below
    return highest + math.log(total), math.log(total) - weighted / total, num_legal


@kernel
def list_legal(mask: np.ndarray, legal: np.ndarray) -> int:
    """Write the legal actions to the front of `legal`, one longer than the mask; returns how many they are."""
    num_legal = 0
    for action in range(len(mask)):
        legal[num_legal] = action  # rather than a branch, which would be guessed wrong
        num_legal += mask[action]
    return num_legal


@any_order_kernel
def dot(left: np.ndarray, right: np.ndarray) -> float:
    """The scalar product of two vectors of float32."""
    total = np.float32(0.0)
    for column in range(len(left)):
        total += left[column] * right[column]
    return float(total)


@kernel
def add_multiple(target: np.ndarray, factor: float, added: np.ndarray) -> None:
    """Add to a vector of float32 so many times another."""
    factor_as_added = np.float32(factor)  # in double precision half as many are added at once
    for column in range(len(target)):
        target[column] += factor_as_added * added[column]
