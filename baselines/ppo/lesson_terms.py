"""The loss of the warm start: what the policy gains on the heuristic, over all legal actions, and its entropy.

As in `loss_terms.py` the CPU looks at legal actions only, in compiled passes.
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
    list_legal,
    part_of,
    weigh_legal,
)
from baselines.ppo.network import PolicyValueNetwork, entropy, legal_log_probs
from king_env.bots.pretrained.suits import ROW
from king_env.engine.kernel import entry_point

# Each a mean over the decisions.
LESSON_TERMS = ("gain", "entropy")
GAIN, ENTROPY = range(len(LESSON_TERMS))


@dataclass(frozen=True)
class LessonBatch:
    """Some decisions that were played out, on the device that learns."""

    shown: Tensor | Ones  # int8[K, SHOWN_SIZE]; on the CPU their ones
    advice: Tensor  # int64[K]
    masks: Tensor  # int8[K, NUM_ACTIONS]
    gains: Tensor  # float32[K, NUM_ACTIONS], in units of reward, 0 where an action is not legal


def lesson_terms(network: PolicyValueNetwork, batch: LessonBatch) -> Tensor:
    """LESSON_TERMS, float32[2]."""
    features = network.trunk(batch.shown)
    if not is_compiled(features):
        logits, _ = network.judge(features, batch.advice)
        return dense_lesson_terms(logits, batch)
    weight, bias, *_ = network.heads
    terms: Tensor = LegalLessonTerms.apply(features, weight, bias, network.heads, network.places, batch)  # type: ignore[no-untyped-call]
    return terms


def dense_lesson_terms(logits: Tensor, batch: LessonBatch) -> Tensor:
    """`lesson_terms` as torch computes them on any device; logits: float[K, num_actions]."""
    log_probs = legal_log_probs(logits.float(), batch.masks)
    gain = (log_probs.softmax(dim=-1) * batch.gains).sum(dim=1).mean()
    return torch.stack([gain, entropy(log_probs).mean()])


class LegalLessonTerms(torch.autograd.Function):
    """`lesson_terms` on the CPU."""

    @staticmethod
    def forward(
        ctx: Any,
        features: Tensor,
        policy_weight: Tensor,
        policy_bias: Tensor,
        heads: tuple[Tensor, Tensor, Tensor, Tensor],
        places: np.ndarray,
        batch: LessonBatch,
    ) -> Tensor:
        """LESSON_TERMS; what the gradient needs is kept."""
        ctx.features, ctx.head = features.detach().numpy(), arrays_of_heads(*heads)[:2]
        ctx.choices = batch.masks.numpy(), batch.advice.numpy(), batch.gains.numpy(), places
        ctx.logits = np.empty((len(features), places.shape[1]), dtype=np.float32)
        ctx.weighed = np.empty((3, len(features)), dtype=np.float64)
        terms = np.zeros(len(LESSON_TERMS), dtype=np.float64)
        weigh_lessons(ctx.features, ctx.head, ctx.choices, ctx.logits, ctx.weighed, terms)
        return torch.from_numpy(terms).float()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of the features and of the policy's head."""
        of_features, of_head = np.empty_like(ctx.features), tuple(np.zeros_like(part) for part in ctx.head)
        of_terms = gradients[0].double().numpy()
        add_lesson_gradients(
            ctx.features, ctx.head, ctx.choices, ctx.logits, ctx.weighed, of_terms, of_features, of_head
        )
        return torch.from_numpy(of_features), *map(torch.from_numpy, of_head), None, None, None


@entry_point
def weigh_lessons(
    features: np.ndarray,  # float32[K, size]
    head: Arrays,  # weight and bias of the policy's
    choices: Arrays,  # masks, advice and gains of the batch; places of the network
    logits: np.ndarray,  # float32[K, num_actions], written where an action is legal
    weighed: np.ndarray,  # float64[3, K], written: log of the sum of exp(logit), entropy, gain
    terms: np.ndarray,  # float64[2], zeros; written
) -> None:
    """`dense_lesson_terms`, decision by decision, and what `add_lesson_gradients` needs."""
    weight, bias = head
    masks, advice, gains, places = choices
    log_totals, entropies, gains_of_policy = weighed
    legal = np.empty(masks.shape[1] + 1, dtype=np.int64)
    for row in range(len(features)):
        log_total, entropy_of_choice, num_legal = weigh_legal(
            features[row], weight, bias, places, masks[row], advice[row], legal, logits[row]
        )
        gain = 0.0
        for number in range(num_legal):
            action = legal[number]
            gain += math.exp(logits[row, action] - log_total) * gains[row, action]
        log_totals[row], entropies[row], gains_of_policy[row] = log_total, entropy_of_choice, gain
        terms[GAIN] += gain / len(features)
        terms[ENTROPY] += entropy_of_choice / len(features)


@entry_point
def add_lesson_gradients(
    features: np.ndarray,
    head: Arrays,
    choices: Arrays,
    logits: np.ndarray,
    weighed: np.ndarray,
    of_terms: np.ndarray,  # float64[2]
    of_features: np.ndarray,  # float32[K, size], written
    of_head: Arrays,  # of the shapes of `head`, added to
) -> None:
    """The gradients that come of gain and entropy."""
    weight, _ = head
    masks, _, gains, places = choices
    of_weight, of_bias = of_head
    log_totals, entropies, gains_of_policy = weighed
    by_gain, by_entropy = of_terms[GAIN] / len(features), of_terms[ENTROPY] / len(features)
    legal = np.empty(masks.shape[1] + 1, dtype=np.int64)
    for row in range(len(features)):
        of_feature, feature = of_features[row], features[row]
        for column in range(len(of_feature)):
            of_feature[column] = 0.0
        for number in range(list_legal(masks[row], legal)):
            action = legal[number]
            log_prob = logits[row, action] - log_totals[row]
            of_logit = math.exp(log_prob) * (
                by_gain * (gains[row, action] - gains_of_policy[row]) - by_entropy * (log_prob + entropies[row])
            )
            head_row = places[ROW, action]
            add_multiple(part_of(of_feature, places, action, weight), of_logit, weight[head_row])
            add_multiple(of_weight[head_row], of_logit, part_of(feature, places, action, weight))
            of_bias[head_row] += of_logit
