"""The compiled terms of PPO's loss are those that torch computes over all actions, with the same gradient."""

from __future__ import annotations

import pytest
import torch

from baselines.ppo.network import legal_log_probs
from baselines.ppo.policy_terms import TERMS, dense_policy_terms, policy_terms

CLIP_COEF = 0.2
Choices = tuple[torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor, torch.Tensor]


def choices(moved: float, num_decisions: int = 300) -> Choices:
    """Logits, masks, actions, old log-probabilities and advantages; ratios differ from 1 by about `moved`."""
    torch.manual_seed(0)
    masks = (torch.rand(num_decisions, 81) < 0.05).to(torch.int8)
    masks[:, 7] = 1
    masks[0] = 0
    masks[0, 80] = 1  # a single legal action
    logits = torch.randn(num_decisions, 81) * 3
    actions = (torch.rand(num_decisions, 81) * masks).argmax(dim=1)
    old = legal_log_probs(logits, masks).gather(1, actions[:, None])[:, 0] + moved * torch.randn(num_decisions)
    return logits.requires_grad_(), masks, actions, old, torch.randn(num_decisions)


@pytest.mark.parametrize("moved", [0.0, 0.1, 0.5])
def test_terms_are_those_of_torch(moved: float) -> None:
    given = choices(moved)
    terms, expected = policy_terms(*given, CLIP_COEF), dense_policy_terms(*given, CLIP_COEF)
    torch.testing.assert_close(terms, expected, atol=1e-6, rtol=1e-5)


@pytest.mark.parametrize("moved", [0.1, 0.5])
@pytest.mark.parametrize("term", TERMS[:2])
def test_the_gradient_of_each_term_is_that_of_autograd(term: str, moved: float) -> None:
    given = choices(moved)
    number = TERMS.index(term)
    (gradient,) = torch.autograd.grad(policy_terms(*given, CLIP_COEF)[number], given[0])
    (expected,) = torch.autograd.grad(dense_policy_terms(*given, CLIP_COEF)[number], given[0])
    torch.testing.assert_close(gradient, expected, atol=1e-7, rtol=1e-4)


def test_an_illegal_action_has_no_gradient() -> None:
    logits, masks, *_ = given = choices(0.3)
    terms = policy_terms(*given, CLIP_COEF)
    (gradient,) = torch.autograd.grad(terms[0] - 0.1 * terms[1], logits)
    assert not gradient[masks == 0].any()
    assert gradient[masks != 0].any()


def test_what_is_only_logged_has_no_gradient() -> None:
    given = choices(0.3)
    (gradient,) = torch.autograd.grad(policy_terms(*given, CLIP_COEF)[2:].sum(), given[0])
    assert not gradient.any()


@pytest.mark.parametrize(
    ("ratio", "advantage", "is_pushed"), [(1.3, 1.0, False), (1.3, -1.0, True), (0.7, 1.0, True), (0.7, -1.0, False)]
)
def test_a_ratio_is_pushed_on_only_towards_the_clip_range(ratio: float, advantage: float, is_pushed: bool) -> None:
    """Two legal actions alike, so each has probability 1/2."""
    logits = torch.zeros((1, 81), requires_grad=True)
    masks = torch.zeros((1, 81), dtype=torch.int8)
    masks[0, [4, 9]] = 1
    old = torch.tensor([0.5 / ratio]).log()
    terms = policy_terms(logits, masks, torch.tensor([4]), old, torch.tensor([advantage]), CLIP_COEF)
    (gradient,) = torch.autograd.grad(terms[0], logits)
    assert bool(gradient.any()) == is_pushed
    if is_pushed:
        assert gradient[0, [4, 9]].tolist() == pytest.approx([-0.5 * ratio * advantage, 0.5 * ratio * advantage])
