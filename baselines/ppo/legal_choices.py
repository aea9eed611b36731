"""The two heads of the network on the CPU, where of 81 actions only the legal ones, some five, are looked at."""

from __future__ import annotations

import math

import numpy as np
import torch
from torch import Tensor

from king_env.bots.pretrained.advice import ADVICE_LOGIT
from king_env.bots.pretrained.forward import product
from king_env.bots.pretrained.suits import PART, ROW
from king_env.engine.actions import Action
from king_env.engine.kernel import entry_point, kernel

Arrays = tuple[np.ndarray, ...]


def is_compiled(features: Tensor) -> bool:
    """Whether the heads of these features are computed here: on the CPU, in float32."""
    return features.device.type == "cpu" and features.dtype == torch.float32 and not torch.is_autocast_enabled("cpu")


def choose_legal(
    features: Tensor,  # float32[B, size]
    heads: tuple[Tensor, Tensor, Tensor, Tensor],  # weight and bias of the policy's, and of the value's
    places: np.ndarray,  # int64[2, num_actions]: PART and ROW of each action
    masks: np.ndarray,  # int8[B, num_actions]
    advice: np.ndarray,  # int64[B]
    draws: Tensor,  # float64[B], each in [0, 1)
) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Actions drawn by their probability (int64[B]), their log-probabilities and the values (float32[B])."""
    actions = np.empty(len(features), dtype=np.int64)
    log_probs, values = np.empty(len(features), dtype=np.float32), np.empty(len(features), dtype=np.float32)
    draw_legal(
        features.numpy(), arrays_of_heads(*heads), places, masks, advice, draws.numpy(), actions, log_probs, values
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
    heads: Arrays,
    places: np.ndarray,  # int64[2, num_actions]
    masks: np.ndarray,
    advice: np.ndarray,
    draws: np.ndarray,
    actions: np.ndarray,
    log_probs: np.ndarray,
    values: np.ndarray,
) -> None:
    """`choose_legal`; actions, log-probabilities and values are written."""
    policy_weight, policy_bias, value_weight, value_bias = heads
    logits = np.empty(masks.shape[1], dtype=np.float32)
    legal = np.empty(masks.shape[1] + 1, dtype=np.int64)
    for row in range(len(features)):
        log_total, _, num_legal = weigh_legal(
            features[row], policy_weight, policy_bias, places, masks[row], advice[row], legal, logits
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
        values[row] = product(last_part(features[row], value_weight), value_weight) + value_bias[0]


@kernel
def part_of(features: np.ndarray, places: np.ndarray, action: Action, weight: np.ndarray) -> np.ndarray:
    """The part of the features that an action's logit depends on (float32[width])."""
    width = weight.shape[1]
    first = places[PART, action] * width
    return features[first : first + width]


@kernel
def last_part(features: np.ndarray, weight: np.ndarray) -> np.ndarray:
    """The part of the features that the value depends on (float32[width]): that of all together."""
    return features[len(features) - len(weight) :]


@kernel
def weigh_legal(
    features: np.ndarray,
    policy_weight: np.ndarray,
    policy_bias: np.ndarray,
    places: np.ndarray,
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
        row = places[ROW, action]
        logits[action] = (
            product(part_of(features, places, action, policy_weight), policy_weight[row]) + policy_bias[row]
        )
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


@kernel
def add_multiple(target: np.ndarray, factor: float, added: np.ndarray) -> None:
    """Add to a vector of float32 so many times another."""
    factor_as_added = np.float32(factor)  # in double precision half as many are added at once
    for column in range(len(target)):
        target[column] += factor_as_added * added[column]
