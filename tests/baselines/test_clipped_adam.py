"""The compiled step is that of torch's clipping and Adam, and can be taken up from Adam's state."""

from __future__ import annotations

import copy

import pytest
import torch
from torch import nn
from torch.nn.utils import clip_grad_norm_

from baselines.ppo.clipped_adam import EPS, ClippedAdam

SHAPES = [(64, 16), (16,), (1, 16), (1,)]


def parameters() -> list[nn.Parameter]:
    torch.manual_seed(0)
    return [nn.Parameter(torch.randn(shape)) for shape in SHAPES]


@pytest.mark.parametrize("size", [1e-3, 10.0])
def test_steps_are_those_of_torch(size: float) -> None:
    own, theirs = parameters(), parameters()
    unused = nn.Parameter(torch.ones(3))
    optimizer, adam = ClippedAdam([*own, unused]), torch.optim.Adam(theirs, lr=1e-2, eps=EPS)
    optimizer.param_groups[0]["lr"] = 1e-2
    for _ in range(20):
        for one, other in zip(own, theirs, strict=True):
            one.grad = size * torch.randn_like(one)
            other.grad = one.grad.clone()
        norm = optimizer.step_clipped(0.5)
        torch.testing.assert_close(norm, clip_grad_norm_(theirs, 0.5))
        adam.step()
        assert all(parameter.grad is None for parameter in own)
    for one, other in zip(own, theirs, strict=True):
        torch.testing.assert_close(one, other, atol=1e-6, rtol=1e-5)
    assert unused.tolist() == [1.0, 1.0, 1.0]


def test_a_state_of_adam_can_be_gone_on_from() -> None:
    own, theirs = parameters(), parameters()
    adam, optimizer = torch.optim.Adam(theirs, eps=EPS, fused=True), ClippedAdam(own)
    for other in theirs:
        other.grad = torch.ones_like(other)
    adam.step()
    for one, other in zip(own, theirs, strict=True):
        one.data.copy_(other)
    optimizer.load_state_dict(copy.deepcopy(adam.state_dict()))
    for one, other in zip(own, theirs, strict=True):
        one.grad, other.grad = torch.ones_like(one), torch.ones_like(other)
    adam.step()
    optimizer.step_clipped(1e9)
    for one, other in zip(own, theirs, strict=True):
        torch.testing.assert_close(one, other, atol=1e-6, rtol=1e-5)
    assert optimizer.state[own[0]]["step"] == 2
