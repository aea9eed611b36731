"""The loss of the warm start: what the policy gains on the heuristic, over all legal actions, its entropy, and how far
its logits are from saying what each action gains.

By the gain alone an action that has become improbable has no gradient any more: where it is right after all, in a rare
position that looks like others, nothing brings it back. Its misjudgement does, and tells of all actions alike.

As in `loss_terms.py` the CPU looks at legal actions only, in compiled passes.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

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
LESSON_TERMS = ("gain", "entropy", "misjudgement")
GAIN, ENTROPY, MISJUDGEMENT = range(len(LESSON_TERMS))
# Of each decision: log of the sum of exp(logit), entropy, gain, and the mean over legal actions of the logit less what
# the gain of the action wants it to be.
NUM_WEIGHED = 4


@dataclass(frozen=True)
class LessonBatch:
    """Some decisions that were played out, on the device that learns."""

    shown: Tensor | Ones  # int8[K, SHOWN_SIZE]; on the CPU their ones
    advice: Tensor  # int64[K]
    masks: Tensor  # int8[K, NUM_ACTIONS]
    gains: Tensor  # float32[K, NUM_ACTIONS], in units of reward, 0 where an action is not legal


def lesson_terms(network: PolicyValueNetwork, batch: LessonBatch, gain_a_logit: float) -> Tensor:
    """LESSON_TERMS, float32[3]; so much gain, in units of reward, is to raise a logit by 1."""
    features = network.trunk(batch.shown)
    if not is_compiled(features):
        logits, _ = network.judge(features, batch.advice)
        return dense_lesson_terms(logits, batch, gain_a_logit)
    weight, bias, *_ = network.heads
    told = network.heads, network.places, batch, gain_a_logit
    terms: Tensor = LegalLessonTerms.apply(features, weight, bias, *told)  # type: ignore[no-untyped-call]
    return terms


def dense_lesson_terms(logits: Tensor, batch: LessonBatch, gain_a_logit: float) -> Tensor:
    """`lesson_terms` as torch computes them on any device; logits: float[K, num_actions]."""
    log_probs = legal_log_probs(logits.float(), batch.masks)
    gain = (log_probs.softmax(dim=-1) * batch.gains).sum(dim=1).mean()
    return torch.stack([gain, entropy(log_probs).mean(), misjudgement(log_probs, batch, gain_a_logit).mean()])


def misjudgement(log_probs: Tensor, batch: LessonBatch, gain_a_logit: float) -> Tensor:
    """How far each row's logits are from what gains want them to be: Huber's loss, its mean over legal actions.

    Logits are known up to a constant, so what is common to all legal actions of a row does not count.
    """
    legal = batch.masks.to(log_probs.dtype)
    num_legal = legal.sum(dim=1)
    off = (log_probs - batch.gains / gain_a_logit) * legal
    off = (off - (off.sum(dim=1) / num_legal)[:, None]) * legal
    return functional.huber_loss(off, torch.zeros_like(off), reduction="none").sum(dim=1) / num_legal


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
        gain_a_logit: float,
    ) -> Tensor:
        """LESSON_TERMS; what the gradient needs is kept."""
        ctx.features, ctx.head = features.detach().numpy(), arrays_of_heads(*heads)[:2]
        ctx.choices = batch.masks.numpy(), batch.advice.numpy(), batch.gains.numpy(), places
        ctx.logits = np.empty((len(features), places.shape[1]), dtype=np.float32)
        ctx.weighed = np.empty((NUM_WEIGHED, len(features)), dtype=np.float64)
        ctx.gain_a_logit = gain_a_logit
        terms = np.zeros(len(LESSON_TERMS), dtype=np.float64)
        weigh_lessons(ctx.features, ctx.head, ctx.choices, ctx.gain_a_logit, ctx.logits, ctx.weighed, terms)
        return torch.from_numpy(terms).float()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """The gradients of the features and of the policy's head."""
        of_features, of_head = np.empty_like(ctx.features), tuple(np.zeros_like(part) for part in ctx.head)
        of_terms = gradients[0].double().numpy()
        told = ctx.choices, ctx.gain_a_logit, ctx.logits, ctx.weighed
        add_lesson_gradients(ctx.features, ctx.head, *told, of_terms, of_features, of_head)
        return torch.from_numpy(of_features), *map(torch.from_numpy, of_head), None, None, None, None


@entry_point
def weigh_lessons(
    features: np.ndarray,  # float32[K, size]
    head: Arrays,  # weight and bias of the policy's
    choices: Arrays,  # masks, advice and gains of the batch; places of the network
    gain_a_logit: float,
    logits: np.ndarray,  # float32[K, num_actions], written where an action is legal
    weighed: np.ndarray,  # float64[NUM_WEIGHED, K], written
    terms: np.ndarray,  # float64[3], zeros; written
) -> None:
    """`dense_lesson_terms`, decision by decision, and what `add_lesson_gradients` needs."""
    weight, bias = head
    masks, advice, gains, places = choices
    log_totals, entropies, gains_of_policy, mean_offs = weighed
    legal = np.empty(masks.shape[1] + 1, dtype=np.int64)
    for row in range(len(features)):
        log_total, entropy_of_choice, num_legal = weigh_legal(
            features[row], weight, bias, places, masks[row], advice[row], legal, logits[row]
        )
        gain, mean_off = 0.0, 0.0
        for number in range(num_legal):
            action = legal[number]
            gain += math.exp(logits[row, action] - log_total) * gains[row, action]
            mean_off += (logits[row, action] - gains[row, action] / gain_a_logit) / num_legal
        log_totals[row], entropies[row], gains_of_policy[row] = log_total, entropy_of_choice, gain
        mean_offs[row] = mean_off
        terms[GAIN] += gain / len(features)
        terms[ENTROPY] += entropy_of_choice / len(features)
        for number in range(num_legal):
            action = legal[number]
            off = abs(logits[row, action] - gains[row, action] / gain_a_logit - mean_off)
            terms[MISJUDGEMENT] += (0.5 * off * off if off < 1.0 else off - 0.5) / (num_legal * len(features))


@entry_point
def add_lesson_gradients(
    features: np.ndarray,
    head: Arrays,
    choices: Arrays,
    gain_a_logit: float,
    logits: np.ndarray,
    weighed: np.ndarray,
    of_terms: np.ndarray,  # float64[3]
    of_features: np.ndarray,  # float32[K, size], written
    of_head: Arrays,  # of the shapes of `head`, added to
) -> None:
    """The gradients that come of all terms."""
    weight, _ = head
    masks, _, gains, places = choices
    of_weight, of_bias = of_head
    log_totals, entropies, gains_of_policy, mean_offs = weighed
    by_gain, by_entropy = of_terms[GAIN] / len(features), of_terms[ENTROPY] / len(features)
    by_misjudgement = of_terms[MISJUDGEMENT] / len(features)
    pulls = np.empty(masks.shape[1], dtype=np.float64)  # of the misjudgement at each logit
    legal = np.empty(masks.shape[1] + 1, dtype=np.int64)
    for row in range(len(features)):
        of_feature, feature = of_features[row], features[row]
        for column in range(len(of_feature)):
            of_feature[column] = 0.0
        num_legal, mean_pull = list_legal(masks[row], legal), 0.0
        for number in range(num_legal):
            action = legal[number]
            off = logits[row, action] - gains[row, action] / gain_a_logit - mean_offs[row]
            pulls[action] = min(max(off, -1.0), 1.0)
            mean_pull += pulls[action] / num_legal
        for number in range(num_legal):
            action = legal[number]
            log_prob = logits[row, action] - log_totals[row]
            of_logit = math.exp(log_prob) * (
                by_gain * (gains[row, action] - gains_of_policy[row]) - by_entropy * (log_prob + entropies[row])
            )
            of_logit += by_misjudgement / num_legal * (pulls[action] - mean_pull)
            head_row = places[ROW, action]
            add_multiple(part_of(of_feature, places, action, weight), of_logit, weight[head_row])
            add_multiple(of_weight[head_row], of_logit, part_of(feature, places, action, weight))
            of_bias[head_row] += of_logit
