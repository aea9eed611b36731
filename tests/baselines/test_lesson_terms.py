"""The compiled terms of the warm start are those that torch computes over all actions, with the same gradient."""

from __future__ import annotations

import math

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from baselines.ppo.lesson_terms import LESSON_TERMS, LessonBatch, dense_lesson_terms, lesson_terms
from baselines.ppo.network import PolicyValueNetwork
from king_env.bots.pretrained.advice import NO_ADVICE
from king_env.bots.pretrained.suits import NUM_PARTS, PLACES

WIDTH, GAIN_A_LOGIT = 32, 0.5
ONE_PART = np.stack([np.zeros(81, dtype=np.int64), np.arange(81)])
FLAT, SUITS = (ONE_PART, 1), (PLACES, NUM_PARTS)
both = pytest.mark.parametrize(("places", "num_parts"), [FLAT, SUITS], ids=["flat", "suits"])


class Decisions:
    """Decisions of which the features are shown as they are: two heads, and what each legal action gains."""

    def __init__(self, places: np.ndarray, num_parts: int, num_decisions: int = 300) -> None:
        torch.manual_seed(0)
        self.network = PolicyValueNetwork(nn.Identity(), WIDTH, places)
        nn.init.normal_(self.network.policy_head.weight, std=0.5)
        masks = (torch.rand(num_decisions, 81) < 0.05).to(torch.int8)
        masks[:, 7] = 1
        masks[1] = 0
        masks[1, 80] = 1  # a single legal action
        advice = (torch.rand(num_decisions, 81) * masks).argmax(dim=1)
        advice[::3] = NO_ADVICE
        self.features = torch.randn(num_decisions, num_parts * WIDTH).requires_grad_()
        self.batch = LessonBatch(self.features, advice, masks, torch.randn(num_decisions, 81) * masks)

    @property
    def inputs(self) -> list[Tensor]:
        """All that has a gradient: the value is not learned from lessons."""
        return [self.features, *self.network.policy_head.parameters()]

    def terms(self) -> Tensor:
        """As they are compiled."""
        return lesson_terms(self.network, self.batch, GAIN_A_LOGIT)

    def dense_terms(self) -> Tensor:
        """As torch has them."""
        logits, _ = self.network.judge(self.features, self.batch.advice)
        return dense_lesson_terms(logits, self.batch, GAIN_A_LOGIT)


@both
def test_terms_are_those_of_torch(places: np.ndarray, num_parts: int) -> None:
    decisions = Decisions(places, num_parts)
    torch.testing.assert_close(decisions.terms(), decisions.dense_terms(), atol=1e-6, rtol=1e-5)


@both
@pytest.mark.parametrize("term", LESSON_TERMS)
def test_the_gradient_of_each_term_is_that_of_autograd(term: str, places: np.ndarray, num_parts: int) -> None:
    decisions = Decisions(places, num_parts)
    number = LESSON_TERMS.index(term)
    gradients = torch.autograd.grad(decisions.terms()[number], decisions.inputs)
    expected = torch.autograd.grad(decisions.dense_terms()[number], decisions.inputs)
    for gradient, of_torch in zip(gradients, expected, strict=True):
        assert gradient.any()
        torch.testing.assert_close(gradient, of_torch, atol=1e-6, rtol=1e-4)


def test_the_value_is_not_touched() -> None:
    decisions = Decisions(*FLAT)
    decisions.terms().sum().backward()
    assert all(parameter.grad is None for parameter in decisions.network.value_head.parameters())


def test_in_bfloat16_the_terms_are_those_of_torch() -> None:
    decisions = Decisions(*FLAT)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        terms, expected = decisions.terms(), decisions.dense_terms()
    assert torch.equal(terms, expected)


def one_decision(logit: float) -> Decisions:
    """Action 4, of this logit, gains 2; action 9, which is what the heuristic does, 0, and its logit is 0."""
    decisions = Decisions(*FLAT)
    for parameter in decisions.network.policy_head.parameters():
        nn.init.zeros_(parameter)
    with torch.no_grad():
        decisions.network.policy_head.bias[4] = logit
    masks, gains = torch.zeros((1, 81), dtype=torch.int8), torch.zeros((1, 81))
    masks[0, [4, 9]], gains[0, 4] = 1, 2.0
    features = torch.ones((1, WIDTH), requires_grad=True)
    decisions.batch = LessonBatch(features, torch.tensor([NO_ADVICE]), masks, gains)
    return decisions


def gradient_by_logits(decisions: Decisions, term: str) -> list[float]:
    """Of a term, by the logits of the two actions: the biases are added to them."""
    (of_bias,) = torch.autograd.grad(decisions.terms()[LESSON_TERMS.index(term)], decisions.network.policy_head.bias)
    assert of_bias.count_nonzero() <= 2
    return of_bias[[4, 9]].tolist()


def test_a_decision_worked_out_by_hand() -> None:
    """Both actions are as probable.

    So half of the time 2 are gained, which is 1, and the entropy is log 2. Each logit moves the gain by its
    probability times what its action gains more than that: 1/2 · (2 − 1) and 1/2 · (0 − 1). As half a point is to
    raise a logit by 1, the two logits should be 4 apart: each is off by 2, and Huber's loss of that is 3/2.
    """
    decisions = one_decision(0.0)
    gain, entropy, misjudgement = decisions.terms().tolist()
    assert (gain, entropy) == (pytest.approx(1.0), pytest.approx(math.log(2.0)))
    assert misjudgement == pytest.approx(1.5)
    assert gradient_by_logits(decisions, "gain") == [0.5, -0.5]
    assert gradient_by_logits(decisions, "misjudgement") == pytest.approx([-0.5, 0.5])


def test_what_is_ruled_out_is_brought_back_by_its_misjudgement_alone() -> None:
    """The better action's logit is 60 below the other's: by gain and entropy nothing moves it any more."""
    decisions = one_decision(-60.0)
    for term in ("gain", "entropy"):
        assert gradient_by_logits(decisions, term) == pytest.approx([0.0, 0.0], abs=1e-20)
    assert gradient_by_logits(decisions, "misjudgement") == pytest.approx([-0.5, 0.5])


def test_logits_that_say_what_actions_gain_are_not_misjudged() -> None:
    decisions = one_decision(2.0 / GAIN_A_LOGIT)
    assert decisions.terms()[LESSON_TERMS.index("misjudgement")].item() == pytest.approx(0.0, abs=1e-6)
    assert gradient_by_logits(decisions, "misjudgement") == pytest.approx([0.0, 0.0], abs=1e-6)
