"""The last layer of the policy, whose gradient is 0 for every illegal action: for all but some five of 81."""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from baselines.ppo.legal_choices import add_multiple, is_compiled
from king_env.engine.kernel import entry_point


class PolicyHead(nn.Linear):
    """A linear layer that on the CPU, in float32, is only differentiated where the gradient of its outputs is not 0."""

    def forward(self, features: Tensor) -> Tensor:
        """Logits float[B, out_features] of float[B, in_features]."""
        if not is_compiled(features):
            return super().forward(features)
        logits: Tensor = LinearOfFew.apply(features, self.weight, self.bias)  # type: ignore[no-untyped-call]
        return logits


class LinearOfFew(torch.autograd.Function):
    """`functional.linear` for gradients that are mostly 0."""

    @staticmethod
    def forward(ctx: Any, features: Tensor, weight: Tensor, bias: Tensor) -> Tensor:
        """Float32[B, outputs]."""
        ctx.save_for_backward(features, weight)
        return functional.linear(features, weight, bias)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, Tensor, Tensor]:
        """The gradients of features, weight and bias."""
        features, weight = (tensor.detach().numpy() for tensor in ctx.saved_tensors)
        of_outputs = gradients[0].contiguous().numpy()
        of_features, of_weight = np.zeros_like(features), np.zeros_like(weight)
        add_products(features, weight, of_outputs, of_features, of_weight)
        return torch.from_numpy(of_features), torch.from_numpy(of_weight), gradients[0].sum(dim=0)


@entry_point
def add_products(
    features: np.ndarray, weight: np.ndarray, of_outputs: np.ndarray, of_features: np.ndarray, of_weight: np.ndarray
) -> None:
    """Add the gradients of features, float32[B, inputs], and weight, float32[outputs, inputs]."""
    used = np.empty(len(weight) + 1, dtype=np.int64)
    for row in range(len(features)):
        num_used = 0
        for output in range(len(weight)):
            used[num_used] = output  # rather than a branch, which would be guessed wrong
            num_used += of_outputs[row, output] != 0.0
        for number in range(num_used):
            output = used[number]
            factor = of_outputs[row, output]
            add_multiple(of_features[row], factor, weight[output])
            add_multiple(of_weight[output], factor, features[row])
