"""The network chooses among legal actions only, as `torch.distributions` would."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch.distributions import Categorical

from baselines.ppo.binary_linear import BinaryLinear, Ones, ones_of
from baselines.ppo.network import (
    EmptyMaskError,
    check_masks,
    entropy,
    flat_network,
    legal_log_probs,
    sample,
)
from king_env.bots.pretrained.advice import NO_ADVICE


@pytest.fixture
def logits_and_masks() -> tuple[torch.Tensor, torch.Tensor]:
    torch.manual_seed(0)
    masks = (torch.rand(200, 81) < 0.2).to(torch.int8)
    masks[:, 7] = 1
    masks[0] = 0
    masks[0, 3] = 1  # a single legal action
    return torch.randn(200, 81) * 3, masks


def test_log_probs_and_entropy_are_those_of_a_categorical_over_the_legal_actions(
    logits_and_masks: tuple[torch.Tensor, torch.Tensor],
) -> None:
    logits, masks = logits_and_masks
    log_probs = legal_log_probs(logits, masks)
    for row in range(len(logits)):
        legal = masks[row].nonzero()[:, 0]
        reference = Categorical(logits=logits[row, legal])
        torch.testing.assert_close(log_probs[row, legal], reference.logits, atol=1e-5, rtol=1e-5)
        torch.testing.assert_close(entropy(log_probs)[row], reference.entropy(), atol=1e-5, rtol=1e-5)


def test_the_gradient_of_the_entropy_is_that_of_the_categorical(
    logits_and_masks: tuple[torch.Tensor, torch.Tensor],
) -> None:
    logits, masks = logits_and_masks
    logits.requires_grad_()
    (gradient,) = torch.autograd.grad(entropy(legal_log_probs(logits, masks)).sum(), logits)
    reference = Categorical(logits=logits.masked_fill(masks == 0, -1e9)).entropy().sum()
    (expected,) = torch.autograd.grad(reference, logits)
    assert gradient.isfinite().all()
    torch.testing.assert_close(gradient, expected, atol=1e-5, rtol=1e-4)


def draws_for(log_probs: torch.Tensor, generator: torch.Generator) -> torch.Tensor:
    return torch.rand(len(log_probs), dtype=torch.float64, generator=generator)


def test_an_illegal_action_has_probability_zero_and_is_never_drawn(
    logits_and_masks: tuple[torch.Tensor, torch.Tensor],
) -> None:
    logits, masks = logits_and_masks
    log_probs = legal_log_probs(logits, masks)
    assert (log_probs.exp()[masks == 0] == 0).all()
    generator = torch.Generator().manual_seed(1)
    for _ in range(50):
        assert masks.gather(1, sample(log_probs, draws_for(log_probs, generator))[:, None]).all()


def test_actions_are_drawn_by_their_probability() -> None:
    log_probs = torch.tensor([0.5, 0.3, 0.2]).log().expand(100_000, 3)
    drawn = sample(log_probs, draws_for(log_probs, torch.Generator().manual_seed(2)))
    shares = torch.bincount(drawn, minlength=3) / len(drawn)
    torch.testing.assert_close(shares, torch.tensor([0.5, 0.3, 0.2]), atol=0.01, rtol=0.0)


def test_an_empty_mask_is_refused() -> None:
    masks = torch.ones(3, 81, dtype=torch.int8)
    masks[1] = 0
    with pytest.raises(EmptyMaskError, match="row 1"):
        check_masks(masks)


def test_a_fresh_policy_is_nearly_uniform() -> None:
    torch.manual_seed(0)
    network = flat_network(896, 81, (64, 64))
    logits, values = network((torch.rand(10, 896) < 0.1).to(torch.int8), torch.full((10,), NO_ADVICE))
    assert logits.shape == (10, 81) and values.shape == (10,)
    assert logits.abs().max() < 0.1


def test_ones_are_found_row_by_row() -> None:
    observations = np.zeros((3, 64), dtype=np.int8)
    observations[0, [0, 7, 8, 63]] = 1
    observations[2, [15, 16]] = 1
    ones, offsets = ones_of(observations)
    assert ones.tolist() == [0, 7, 8, 63, 15, 16]
    assert offsets.tolist() == [0, 4, 4, 6]


def test_ones_of_some_observations_are_those_found_in_them() -> None:
    torch.manual_seed(0)
    observations = (torch.rand(20, 128) < 0.2).to(torch.int8)
    observations[3] = 0
    rows = torch.tensor([7, 3, 0, 19])
    some, expected = Ones.of(observations).index_select(0, rows), Ones.of(observations[rows])
    assert len(some) == 4
    assert (some.entries == expected.entries).all() and (some.offsets == expected.offsets).all()


def test_the_sum_of_rows_is_the_matrix_product_with_its_gradient() -> None:
    torch.manual_seed(0)
    layer = BinaryLinear(128, 32, gain=1.0)
    observations = (torch.rand(20, 128) < 0.2).to(torch.int8)
    weights_of_loss = torch.randn(20, 32)
    product = observations.float() @ layer.weight + layer.bias
    assert torch.equal(layer(observations), layer(Ones.of(observations)))
    output = layer(observations)
    torch.testing.assert_close(output, product)
    gradients = torch.autograd.grad((output * weights_of_loss).sum(), [layer.weight, layer.bias])
    expected = torch.autograd.grad((product * weights_of_loss).sum(), [layer.weight, layer.bias])
    torch.testing.assert_close(gradients, expected)
