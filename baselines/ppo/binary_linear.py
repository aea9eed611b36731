"""A linear layer for observations of zeros and ones.

Fewer than a tenth of an observation's entries are 1, so on the CPU the layer adds up the weights of those alone, which
takes a quarter of the time of a matrix product. torch's own gradient of such a sum is slow, so it is written here.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from king_env.engine.kernel import entry_point, lowest_bit, popcount

ENTRIES_A_WORD = 8  # an int8 each
BITS_A_BYTE = 8


class BinaryLinear(nn.Module):
    """``bias + observations @ weight`` for int8 observations of 0 and 1; weight: float[num_entries, width]."""

    def __init__(self, num_entries: int, width: int, gain: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(nn.init.orthogonal_(torch.empty(num_entries, width), gain))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, observations: Tensor) -> Tensor:
        """Float[B, width] from int8[B, num_entries]."""
        if observations.device.type != "cpu":
            return functional.linear(observations.to(self.weight.dtype), self.weight.t(), self.bias)
        ones, offsets = ones_of(observations.numpy())
        rows = torch.from_numpy(ones), torch.from_numpy(offsets)
        total: Tensor = SumOfRows.apply(self.weight, *rows)  # type: ignore[no-untyped-call]
        return total + self.bias


class SumOfRows(torch.autograd.Function):
    """For each observation the sum of the weight's rows at its ones; the gradient adds up in the same rows."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, ones: Tensor, offsets: Tensor) -> Tensor:
        """Float[B, width]; observation i has the ones from offsets[i] up to offsets[i + 1]."""
        ctx.save_for_backward(ones, offsets)
        ctx.weight_shape = weight.shape
        return functional.embedding_bag(ones, weight, offsets, mode="sum", include_last_offset=True)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None, None]:
        """The gradient of the weight; indices have none."""
        (of_sums,) = gradients
        ones, offsets = ctx.saved_tensors
        of_weight = torch.zeros(ctx.weight_shape, dtype=of_sums.dtype)
        add_to_rows(of_weight.numpy(), ones.numpy(), offsets.numpy(), of_sums.contiguous().numpy())
        return of_weight, None, None


def ones_of(observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The entries that are 1, row after row (int32), and where each row's begin, with the end of all (int32[B + 1])."""
    if observations.shape[1] % ENTRIES_A_WORD:
        raise ValueError(f"observations: their size must be a multiple of {ENTRIES_A_WORD}")
    return ones_of_words(np.ascontiguousarray(observations).view(np.int64))


@entry_point
def ones_of_words(words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`ones_of`, eight entries at a time: most words are 0."""
    num_rows, num_words = words.shape
    offsets = np.zeros(num_rows + 1, dtype=np.int32)
    for row in range(num_rows):
        count = 0
        for place in range(num_words):
            count += popcount(words[row, place])
        offsets[row + 1] = offsets[row] + count
    ones = np.empty(offsets[num_rows], dtype=np.int32)
    found = 0
    for row in range(num_rows):
        for place in range(num_words):
            word = words[row, place]
            while word:
                ones[found] = ENTRIES_A_WORD * place + lowest_bit(word) // BITS_A_BYTE
                word &= word - 1
                found += 1
    return ones, offsets


@entry_point
def add_to_rows(weight: np.ndarray, ones: np.ndarray, offsets: np.ndarray, sums: np.ndarray) -> None:
    """Add row i of `sums` (float[B, width]) to each row of `weight` that observation i has a one at."""
    for observation in range(len(sums)):
        added = sums[observation]
        for place in range(offsets[observation], offsets[observation + 1]):
            row = weight[ones[place]]
            for column in range(len(added)):
                row[column] += added[column]
