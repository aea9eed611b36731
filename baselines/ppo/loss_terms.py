"""PPO's loss and what its log says of an update: terms of how probable actions are, and of the value.

Of 81 actions some five are legal. On the CPU compiled passes over the minibatch therefore compute the logits of these
alone, and the gradient of both heads with them; as tensors over all actions the same takes several times as long. Each
line of `dense_loss_terms` has its counterpart there.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor

from baselines.ppo.binary_linear import Ones
from baselines.ppo.legal_choices import (
    Arrays,
    add_multiple,
    arrays_of_heads,
    is_compiled,
    last_part,
    list_legal,
    part_of,
    weigh_legal,
)
from baselines.ppo.network import PolicyValueNetwork, entropy, legal_log_probs
from king_env.bots.pretrained.forward import product
from king_env.bots.pretrained.suits import ROW
from king_env.engine.kernel import entry_point

# Each a mean over the decisions.
TERMS = ("policy_loss", "entropy", "approx_kl", "clip_fraction", "value_loss")
POLICY_LOSS, ENTROPY, APPROX_KL, CLIP_FRACTION, VALUE_LOSS = range(len(TERMS))
# Of each decision: log of the sum of exp(logit), entropy, gradient of the policy loss by the chosen log-probability,
# and how far the value is above the return.
LOG_TOTAL, ENTROPY_OF_CHOICE, OF_CHOSEN, VALUE_ERROR = range(4)
NUM_WEIGHED = 4


@dataclass(frozen=True)
class Batch:
    """The closed decisions of a rollout, on the device that learns."""

    shown: Tensor | Ones  # int8[B, SHOWN_SIZE]; on the CPU their ones
    advice: Tensor  # int64[B]
    masks: Tensor  # int8[B, NUM_ACTIONS]
    actions: Tensor  # int64[B]
    log_probs: Tensor  # float32[B]
    advantages: Tensor  # float32[B], with mean 0 and deviation 1
    returns: Tensor  # float32[B]


def loss_terms(
    features: Tensor,  # float[K, size], of the decisions in `rows`
    network: PolicyValueNetwork,
    batch: Batch,
    rows: Tensor,  # int64[K]
    clip_coef: float,
) -> Tensor:
    """TERMS, float32[5], of some decisions of a batch; those that are only logged have no gradient."""
    if not is_compiled(features):
        logits, values = network.judge(features, batch.advice[rows])
        return dense_loss_terms(logits, values, batch, rows, clip_coef)
    terms: Tensor = LegalTerms.apply(features, *network.heads, network.places, batch, rows, clip_coef)  # type: ignore[no-untyped-call]
    return terms


def dense_loss_terms(logits: Tensor, values: Tensor, batch: Batch, rows: Tensor, clip_coef: float) -> Tensor:
    """`loss_terms` as torch computes them on any device; logits: float[K, num_actions], values: float[K]."""
    new_log_probs = legal_log_probs(logits.float(), batch.masks.index_select(0, rows))
    moved = new_log_probs.gather(1, batch.actions[rows][:, None])[:, 0] - batch.log_probs[rows]
    ratios = moved.exp()
    clipped = ratios.clamp(1.0 - clip_coef, 1.0 + clip_coef)
    advantages = batch.advantages[rows]
    value_errors = values.float() - batch.returns[rows]
    return torch.stack(
        [
            -torch.minimum(ratios * advantages, clipped * advantages).mean(),
            entropy(new_log_probs).mean(),
            (ratios - 1.0 - moved).detach().mean(),
            (ratios != clipped).float().mean(),
            0.5 * value_errors.square().mean(),
        ]
    )


class LegalTerms(torch.autograd.Function):
    """`loss_terms` on the CPU."""

    @staticmethod
    def forward(
        ctx: Any,
        features: Tensor,
        policy_weight: Tensor,
        policy_bias: Tensor,
        value_weight: Tensor,
        value_bias: Tensor,
        places: np.ndarray,
        batch: Batch,
        rows: Tensor,
        clip_coef: float,
    ) -> Tensor:
        """TERMS; what the gradient needs is kept."""
        ctx.features = features.detach().numpy()
        ctx.heads = arrays_of_heads(policy_weight, policy_bias, value_weight, value_bias)
        ctx.choices = rows.numpy(), batch.masks.numpy(), batch.actions.numpy(), batch.advice.numpy(), places
        ctx.logits = np.empty((len(rows), places.shape[1]), dtype=np.float32)
        ctx.weighed = np.empty((NUM_WEIGHED, len(rows)), dtype=np.float32)
        terms = np.zeros(len(TERMS), dtype=np.float64)
        weigh_choices(
            ctx.features,
            ctx.heads,
            ctx.choices,
            (batch.log_probs.numpy(), batch.advantages.numpy(), batch.returns.numpy()),
            clip_coef,
            ctx.logits,
            ctx.weighed,
            terms,
        )
        return torch.from_numpy(terms).float()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of the features and of both heads."""
        of_features, of_heads = np.empty_like(ctx.features), tuple(np.zeros_like(part) for part in ctx.heads)
        of_terms = gradients[0].double().numpy()
        add_gradients(ctx.features, ctx.heads, ctx.choices, ctx.logits, ctx.weighed, of_terms, of_features, of_heads)
        of_policy_weight, of_policy_bias, of_value_weight, of_value_bias = map(torch.from_numpy, of_heads)
        of_inputs = (
            torch.from_numpy(of_features),
            of_policy_weight,
            of_policy_bias,
            of_value_weight[None],
            of_value_bias,
        )
        return *of_inputs, None, None, None, None


@entry_point
def weigh_choices(
    features: np.ndarray,  # float32[K, size]
    heads: Arrays,  # what `arrays_of_heads` gave
    choices: Arrays,  # rows, and of the batch the masks, actions and advice; places of the network
    told: Arrays,  # of the batch the log-probabilities, advantages and returns
    clip_coef: float,
    logits: np.ndarray,  # float32[K, num_actions], written where an action is legal
    weighed: np.ndarray,  # float32[NUM_WEIGHED, K], written
    terms: np.ndarray,  # float64[5], zeros; written
) -> None:
    """`dense_loss_terms`, decision by decision, and what `add_gradients` needs."""
    policy_weight, policy_bias, value_weight, value_bias = heads
    rows, masks, actions, advice, places = choices
    log_probs, advantages, returns = told
    log_totals, entropies, of_chosen, value_errors = weighed
    num_decisions = len(rows)
    legal = np.empty(masks.shape[1] + 1, dtype=np.int64)
    for number in range(num_decisions):
        row = rows[number]
        log_total, entropy_of_choice, _ = weigh_legal(
            features[number], policy_weight, policy_bias, places, masks[row], advice[row], legal, logits[number]
        )
        log_totals[number], entropies[number] = log_total, entropy_of_choice

        moved = logits[number, actions[row]] - log_totals[number] - log_probs[row]
        ratio = math.exp(moved)
        clipped = min(max(ratio, 1.0 - clip_coef), 1.0 + clip_coef)
        gain, clipped_gain = ratio * advantages[row], clipped * advantages[row]
        is_stopped = ratio != clipped and clipped_gain < gain
        of_chosen[number] = 0.0 if is_stopped else -gain / num_decisions
        value_errors[number] = (
            product(last_part(features[number], value_weight), value_weight) + value_bias[0] - returns[row]
        )

        terms[POLICY_LOSS] -= min(gain, clipped_gain) / num_decisions
        terms[ENTROPY] += entropy_of_choice / num_decisions
        terms[APPROX_KL] += (ratio - 1.0 - moved) / num_decisions
        terms[CLIP_FRACTION] += (ratio != clipped) / num_decisions
        terms[VALUE_LOSS] += 0.5 * value_errors[number] ** 2 / num_decisions


@entry_point
def add_gradients(
    features: np.ndarray,
    heads: Arrays,
    choices: Arrays,
    logits: np.ndarray,
    weighed: np.ndarray,
    of_terms: np.ndarray,  # float64[5]
    of_features: np.ndarray,  # float32[K, size], written
    of_heads: Arrays,  # of the shapes of `heads`, added to
) -> None:
    """The gradients that come of policy loss, entropy and value loss."""
    policy_weight, _, value_weight, _ = heads
    rows, masks, actions, _, places = choices
    of_policy_weight, of_policy_bias, of_value_weight, of_value_bias = of_heads
    log_totals, entropies, of_chosen, value_errors = weighed
    by_entropy = of_terms[ENTROPY] / len(rows)
    legal = np.empty(masks.shape[1] + 1, dtype=np.int64)
    for number in range(len(rows)):
        of_feature, feature, row = of_features[number], features[number], rows[number]
        of_value = of_terms[VALUE_LOSS] / len(rows) * value_errors[number]
        for column in range(len(of_feature)):
            of_feature[column] = 0.0
        add_multiple(last_part(of_feature, value_weight), of_value, value_weight)
        add_multiple(of_value_weight, of_value, last_part(feature, value_weight))
        of_value_bias[0] += of_value

        by_chosen = of_terms[POLICY_LOSS] * of_chosen[number]
        for place in range(list_legal(masks[row], legal)):
            action = legal[place]
            log_prob = logits[number, action] - log_totals[number]
            of_logit = -math.exp(log_prob) * (by_chosen + by_entropy * (log_prob + entropies[number]))
            if action == actions[row]:
                of_logit += by_chosen
            head_row = places[ROW, action]
            add_multiple(part_of(of_feature, places, action, policy_weight), of_logit, policy_weight[head_row])
            add_multiple(of_policy_weight[head_row], of_logit, part_of(feature, places, action, policy_weight))
            of_policy_bias[head_row] += of_logit
