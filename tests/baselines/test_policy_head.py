"""The head of the policy is a linear layer, and its gradient is that of one, wherever the outputs' gradient is 0."""

from __future__ import annotations

import pytest
import torch
from torch.nn import functional

from baselines.ppo.policy_head import PolicyHead


@pytest.mark.parametrize("share_used", [0.0, 0.06, 1.0])
def test_the_gradient_is_that_of_a_linear_layer(share_used: float) -> None:
    torch.manual_seed(0)
    head = PolicyHead(32, 81)
    features = torch.randn(50, 32, requires_grad=True)
    of_logits = torch.randn(50, 81) * (torch.rand(50, 81) < share_used)
    inputs = [features, head.weight, head.bias]
    logits, expected_logits = head(features), functional.linear(features, head.weight, head.bias)
    torch.testing.assert_close(logits, expected_logits)
    gradients = torch.autograd.grad(logits, inputs, of_logits)
    torch.testing.assert_close(gradients, torch.autograd.grad(expected_logits, inputs, of_logits))


def test_in_bfloat16_it_is_a_plain_linear_layer() -> None:
    head = PolicyHead(32, 81)
    with torch.autocast("cpu", dtype=torch.bfloat16):
        assert head(torch.randn(5, 32)).dtype == torch.bfloat16
