"""What PPO's loss and its log say of a policy: the terms that depend on how probable actions are.

Of 81 actions some five are legal, so on the CPU a compiled pass over the minibatch looks at these alone, and another
one writes the gradient; as tensors over all actions the same takes several times as long.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import torch
from torch import Tensor

from baselines.ppo.network import entropy, legal_log_probs
from king_env.engine.kernel import entry_point, kernel

# Each a mean over the decisions.
TERMS = ("policy_loss", "entropy", "approx_kl", "clip_fraction")
POLICY_LOSS, ENTROPY, APPROX_KL, CLIP_FRACTION = range(len(TERMS))
# Of each decision: log of the sum of exp(logit), entropy, gradient of the policy loss by the chosen log-probability.
LOG_TOTAL, ENTROPY_OF_CHOICE, OF_CHOSEN = range(3)
NUM_WEIGHED = 3


def policy_terms(
    logits: Tensor,  # float32[B, num_actions]
    masks: Tensor,  # int8[B, num_actions]
    actions: Tensor,  # int64[B], the legal actions that were chosen
    log_probs: Tensor,  # float32[B], of the policy that chose them
    advantages: Tensor,  # float32[B]
    clip_coef: float,
) -> Tensor:
    """TERMS, float32[4]; only the first two have a gradient."""
    if logits.device.type != "cpu":
        return dense_policy_terms(logits, masks, actions, log_probs, advantages, clip_coef)
    terms: Tensor = LegalTerms.apply(  # type: ignore[no-untyped-call]
        logits, masks, actions, log_probs, advantages, clip_coef
    )
    return terms


def dense_policy_terms(
    logits: Tensor, masks: Tensor, actions: Tensor, log_probs: Tensor, advantages: Tensor, clip_coef: float
) -> Tensor:
    """`policy_terms` as torch computes them on any device."""
    new_log_probs = legal_log_probs(logits, masks)
    moved = new_log_probs.gather(1, actions[:, None])[:, 0] - log_probs
    ratios = moved.exp()
    clipped = ratios.clamp(1.0 - clip_coef, 1.0 + clip_coef)
    return torch.stack(
        [
            -torch.minimum(ratios * advantages, clipped * advantages).mean(),
            entropy(new_log_probs).mean(),
            (ratios - 1.0 - moved).detach().mean(),
            (ratios != clipped).float().mean(),
        ]
    )


class LegalTerms(torch.autograd.Function):
    """`policy_terms` on the CPU."""

    @staticmethod
    def forward(
        ctx: Any,
        logits: Tensor,
        masks: Tensor,
        actions: Tensor,
        log_probs: Tensor,
        advantages: Tensor,
        clip_coef: float,
    ) -> Tensor:
        """TERMS; what the gradient needs is kept."""
        terms = np.zeros(len(TERMS), dtype=np.float64)
        weighed = np.empty((NUM_WEIGHED, len(logits)), dtype=np.float32)
        choices = logits.detach().numpy(), masks.numpy(), actions.numpy()
        weigh_choices(*choices, log_probs.numpy(), advantages.numpy(), clip_coef, weighed, terms)
        ctx.choices, ctx.weighed = choices, weighed
        return torch.from_numpy(terms).float()

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor | None, ...]:
        """The gradient of the logits alone."""
        logits, masks, actions = ctx.choices
        of_policy_loss, of_entropy, _, _ = gradients[0].tolist()
        of_logits = np.zeros(logits.shape, dtype=np.float32)
        add_gradients(logits, masks, actions, ctx.weighed, of_policy_loss, of_entropy, of_logits)
        return torch.from_numpy(of_logits), None, None, None, None, None


@kernel
def list_legal(mask: np.ndarray, legal: np.ndarray) -> int:
    """Write the legal actions to the front of `legal`, one longer than the mask; returns how many they are."""
    num_legal = 0
    for action in range(len(mask)):
        legal[num_legal] = action  # rather than a branch, which would be guessed wrong
        num_legal += mask[action]
    return num_legal


@entry_point
def weigh_choices(
    logits: np.ndarray,
    masks: np.ndarray,
    actions: np.ndarray,
    log_probs: np.ndarray,
    advantages: np.ndarray,
    clip_coef: float,
    weighed: np.ndarray,  # float32[NUM_WEIGHED, B], written
    terms: np.ndarray,  # float64[4], zeros; written
) -> None:
    """`dense_policy_terms`, decision by decision, and what `add_gradients` needs."""
    log_totals, entropies, of_chosen = weighed[LOG_TOTAL], weighed[ENTROPY_OF_CHOICE], weighed[OF_CHOSEN]
    num_decisions = len(logits)
    legal = np.empty(masks.shape[1] + 1, dtype=np.int64)
    for row in range(num_decisions):
        num_legal = list_legal(masks[row], legal)
        highest = logits[row, actions[row]]
        for number in range(num_legal):
            highest = max(highest, logits[row, legal[number]])
        total, weighted = 0.0, 0.0
        for number in range(num_legal):
            below = logits[row, legal[number]] - highest
            weight = math.exp(below)
            total += weight
            weighted += weight * below
        log_totals[row] = highest + math.log(total)
        entropies[row] = math.log(total) - weighted / total

        moved = logits[row, actions[row]] - log_totals[row] - log_probs[row]
        ratio = math.exp(moved)
        clipped = min(max(ratio, 1.0 - clip_coef), 1.0 + clip_coef)
        gain, clipped_gain = ratio * advantages[row], clipped * advantages[row]
        is_stopped = ratio != clipped and clipped_gain < gain
        of_chosen[row] = 0.0 if is_stopped else -gain / num_decisions

        terms[POLICY_LOSS] -= min(gain, clipped_gain) / num_decisions
        terms[ENTROPY] += entropies[row] / num_decisions
        terms[APPROX_KL] += (ratio - 1.0 - moved) / num_decisions
        terms[CLIP_FRACTION] += (ratio != clipped) / num_decisions


@entry_point
def add_gradients(
    logits: np.ndarray,
    masks: np.ndarray,
    actions: np.ndarray,
    weighed: np.ndarray,
    of_policy_loss: float,
    of_entropy: float,
    of_logits: np.ndarray,
) -> None:
    """Add to the gradient of the logits, float32[B, num_actions], what comes of the first two terms."""
    log_totals, entropies, of_chosen = weighed[LOG_TOTAL], weighed[ENTROPY_OF_CHOICE], weighed[OF_CHOSEN]
    legal = np.empty(masks.shape[1] + 1, dtype=np.int64)
    for row in range(len(logits)):
        by_chosen, by_entropy = of_policy_loss * of_chosen[row], of_entropy / len(logits)
        for number in range(list_legal(masks[row], legal)):
            action = legal[number]
            log_prob = logits[row, action] - log_totals[row]
            of_logits[row, action] -= math.exp(log_prob) * (by_chosen + by_entropy * (log_prob + entropies[row]))
        of_logits[row, actions[row]] += by_chosen
