"""The compiled terms of PPO's loss are those that torch computes over all actions, with the same gradient."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from baselines.ppo.loss_terms import TERMS, Batch, dense_loss_terms, loss_terms
from baselines.ppo.network import PolicyValueNetwork, legal_log_probs
from king_env.bots.pretrained.advice import NO_ADVICE
from king_env.bots.pretrained.suits import NUM_PARTS, PLACES

CLIP_COEF = 0.2
WIDTH = 32
ONE_PART = np.stack([np.zeros(81, dtype=np.int64), np.arange(81)])
FLAT, SUITS = (ONE_PART, 1), (PLACES, NUM_PARTS)
both = pytest.mark.parametrize(("places", "num_parts"), [FLAT, SUITS], ids=["flat", "suits"])


class Decisions:
    """Features of decisions, two heads, and a batch of which every other decision is learned from, last first."""

    def __init__(
        self, moved: float, places: np.ndarray = ONE_PART, num_parts: int = 1, num_decisions: int = 600
    ) -> None:
        """`moved`: the ratios differ from 1 by about as much."""
        torch.manual_seed(0)
        self.rows = torch.arange(num_decisions - 1, -1, -2)
        self.features = torch.randn(len(self.rows), num_parts * WIDTH).requires_grad_()
        self.network = PolicyValueNetwork(nn.Identity(), WIDTH, places)
        nn.init.normal_(self.network.policy_head.weight, std=0.5)
        masks = (torch.rand(num_decisions, 81) < 0.05).to(torch.int8)
        masks[:, 7] = 1
        masks[1] = 0
        masks[1, 80] = 1  # a single legal action
        actions = (torch.rand(num_decisions, 81) * masks).argmax(dim=1)
        log_probs = torch.zeros(num_decisions)
        advice = (torch.rand(num_decisions, 81) * masks).argmax(dim=1)
        advice[::3] = NO_ADVICE
        logits, _ = self.network.judge(self.features, advice[self.rows])
        now = legal_log_probs(logits, masks[self.rows]).detach()
        log_probs[self.rows] = now.gather(1, actions[self.rows][:, None])[:, 0]
        log_probs += moved * torch.randn(num_decisions)
        self.batch = Batch(
            torch.empty(0), advice, masks, actions, log_probs, torch.randn(num_decisions), torch.randn(num_decisions)
        )

    @property
    def inputs(self) -> list[Tensor]:
        """All that has a gradient."""
        return [self.features, *self.network.parameters()]

    def terms(self) -> Tensor:
        """As they are compiled."""
        return loss_terms(self.features, self.network, self.batch, self.rows, CLIP_COEF)

    def dense_terms(self) -> Tensor:
        """As torch has them."""
        logits, values = self.network.judge(self.features, self.batch.advice[self.rows])
        return dense_loss_terms(logits, values, self.batch, self.rows, CLIP_COEF)


@both
@pytest.mark.parametrize("moved", [0.0, 0.1, 0.5])
def test_terms_are_those_of_torch(moved: float, places: np.ndarray, num_parts: int) -> None:
    decisions = Decisions(moved, places, num_parts)
    torch.testing.assert_close(decisions.terms(), decisions.dense_terms(), atol=1e-6, rtol=1e-5)


@both
@pytest.mark.parametrize("moved", [0.1, 0.5])
@pytest.mark.parametrize("term", ["policy_loss", "entropy", "value_loss"])
def test_the_gradient_of_each_term_is_that_of_autograd(
    term: str, moved: float, places: np.ndarray, num_parts: int
) -> None:
    decisions = Decisions(moved, places, num_parts)
    number = TERMS.index(term)
    gradients = torch.autograd.grad(decisions.terms()[number], decisions.inputs)
    expected = torch.autograd.grad(decisions.dense_terms()[number], decisions.inputs, materialize_grads=True)
    for gradient, of_torch in zip(gradients, expected, strict=True):
        torch.testing.assert_close(gradient, of_torch, atol=1e-6, rtol=1e-4)


def test_in_bfloat16_the_terms_are_those_of_torch() -> None:
    decisions = Decisions(0.1)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        terms, expected = decisions.terms(), decisions.dense_terms()
    assert torch.equal(terms, expected)


def test_what_is_only_logged_has_no_gradient() -> None:
    decisions = Decisions(0.3)
    logged = decisions.terms()[[TERMS.index("approx_kl"), TERMS.index("clip_fraction")]]
    for gradient in torch.autograd.grad(logged.sum(), decisions.inputs):
        assert not gradient.any()


@pytest.mark.parametrize(
    ("ratio", "advantage", "is_pushed"), [(1.3, 1.0, False), (1.3, -1.0, True), (0.7, 1.0, True), (0.7, -1.0, False)]
)
def test_a_ratio_is_pushed_on_only_towards_the_clip_range(ratio: float, advantage: float, is_pushed: bool) -> None:
    """Two legal actions alike, so each has probability 1/2; illegal ones have no gradient."""
    decisions = Decisions(0.0)
    for parameter in decisions.network.policy_head.parameters():
        nn.init.zeros_(parameter)
    masks = torch.zeros((1, 81), dtype=torch.int8)
    masks[0, [4, 9]] = 1
    decisions.batch = replace(
        decisions.batch,
        masks=masks,
        advice=torch.tensor([NO_ADVICE]),
        actions=torch.tensor([4]),
        log_probs=torch.tensor([0.5 / ratio]).log(),
        advantages=torch.tensor([advantage]),
    )
    decisions.rows = torch.tensor([0])
    decisions.features = torch.ones((1, WIDTH), requires_grad=True)
    (gradient,) = torch.autograd.grad(decisions.terms()[TERMS.index("policy_loss")], decisions.network.policy_head.bias)
    assert bool(gradient.any()) == is_pushed
    expected = torch.zeros(81)
    if is_pushed:
        expected[4], expected[9] = -0.5 * ratio * advantage, 0.5 * ratio * advantage
    torch.testing.assert_close(gradient, expected)
