"""A linear layer for observations of zeros and ones.

Fewer than a tenth of an observation's entries are 1, so on the CPU the layer adds up the weights of those alone, and
its gradient the other way round: for each entry the gradients of the observations that have it. torch's own gradient
of such sums is slow, so it is written here. Where the ones are is found but once for observations that are learned
from several times.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn import functional

from king_env.engine.kernel import entry_point, kernel, lowest_bit, popcount

ENTRIES_A_WORD = 8  # an int8 each
WORDS_A_GROUP = 4
ENTRIES_A_GROUP = ENTRIES_A_WORD * WORDS_A_GROUP


@dataclass(frozen=True)
class Ones:
    """Observations of 0 and 1 by their ones."""

    entries: np.ndarray  # int32[sum of ones], the entries that are 1, observation after observation
    offsets: np.ndarray  # int32[B + 1], where each observation's begin, with the end of all

    @classmethod
    def of(cls, observations: Tensor) -> Ones:
        """Those of int8[B, num_entries], on the CPU."""
        return cls(*ones_of(observations.numpy()))

    def __len__(self) -> int:
        """The number of observations."""
        return len(self.offsets) - 1

    def index_select(self, dim: int, rows: Tensor) -> Ones:
        """These observations (int64[K]) alone; `dim` is 0, as of a tensor of observations."""
        if dim != 0:
            raise ValueError(f"dim: observations can be selected along 0, not {dim}")
        return Ones(*ones_of_rows(self.entries, self.offsets, rows.numpy()))


class BinaryLinear(nn.Module):
    """``bias + observations @ weight`` for int8 observations of 0 and 1; weight: float[num_entries, width]."""

    def __init__(self, num_entries: int, width: int, gain: float) -> None:
        super().__init__()
        self.weight = nn.Parameter(nn.init.orthogonal_(torch.empty(num_entries, width), gain))
        self.bias = nn.Parameter(torch.zeros(width))

    def forward(self, observations: Tensor | Ones) -> Tensor:
        """Float[B, width] from int8[B, num_entries], or, on the CPU, from their ones."""
        if isinstance(observations, Tensor) and observations.device.type != "cpu":
            return functional.linear(observations.to(self.weight.dtype), self.weight.t(), self.bias)
        ones = observations if isinstance(observations, Ones) else Ones.of(observations)
        total: Tensor = SumOfRows.apply(self.weight, ones)  # type: ignore[no-untyped-call]
        return total.add_(self.bias)


class SumOfRows(torch.autograd.Function):
    """For each observation the sum of the weight's rows at its ones; the gradient adds up in the same rows."""

    @staticmethod
    def forward(ctx: Any, weight: Tensor, ones: Ones) -> Tensor:
        """Float[B, width]."""
        ctx.ones, ctx.weight_shape = ones, weight.shape
        rows, offsets = torch.from_numpy(ones.entries), torch.from_numpy(ones.offsets)
        return functional.embedding_bag(rows, weight.detach(), offsets, mode="sum", include_last_offset=True)

    @staticmethod
    def backward(ctx: Any, *gradients: Tensor) -> tuple[Tensor, None]:
        """The gradient of the weight; observations have none."""
        (of_sums,) = gradients
        of_weight = torch.empty(ctx.weight_shape)
        add_to_rows(of_weight.numpy(), ctx.ones.entries, ctx.ones.offsets, of_sums.contiguous().numpy())
        return of_weight, None


def ones_of(observations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The entries that are 1, row after row (int32), and where each row's begin, with the end of all (int32[B + 1])."""
    if observations.shape[1] % ENTRIES_A_GROUP:
        raise ValueError(f"observations: their size must be a multiple of {ENTRIES_A_GROUP}")
    return ones_of_words(np.ascontiguousarray(observations).view(np.int64))


@entry_point
def ones_of_words(words: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """`ones_of`, a group of entries at a time, as the bits of one number: they are found without a look at zeros."""
    num_rows, num_words = words.shape
    groups = np.zeros((num_rows, num_words // WORDS_A_GROUP), dtype=np.int64)
    offsets = np.zeros(num_rows + 1, dtype=np.int32)
    for row in range(num_rows):
        count = 0
        for place in range(num_words):
            groups[row, place // WORDS_A_GROUP] |= (
                bits_of_word(words[row, place]) << place % WORDS_A_GROUP * ENTRIES_A_WORD
            )
            count += popcount(words[row, place])
        offsets[row + 1] = offsets[row] + count
    ones = np.empty(offsets[num_rows], dtype=np.int32)
    found = 0
    for row in range(num_rows):
        for place in range(groups.shape[1]):
            bits = groups[row, place]
            while bits:
                ones[found] = ENTRIES_A_GROUP * place + lowest_bit(bits)
                bits &= bits - 1
                found += 1
    return ones, offsets


@kernel
def bits_of_word(word: int) -> int:
    """Eight bytes of 0 or 1 as eight bits, the first byte's lowest: pairs move together, then fours, then all."""
    word |= word >> 7
    word |= word >> 14
    word |= word >> 28
    return word & 0xFF


@entry_point
def ones_of_rows(ones: np.ndarray, offsets: np.ndarray, rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Of what `ones_of` gave that of some observations, int64[K]."""
    offsets_of_rows = np.zeros(len(rows) + 1, dtype=np.int32)
    for number in range(len(rows)):
        num_ones = offsets[rows[number] + 1] - offsets[rows[number]]
        offsets_of_rows[number + 1] = offsets_of_rows[number] + num_ones
    chosen = np.empty(offsets_of_rows[len(rows)], dtype=np.int32)
    for number in range(len(rows)):
        source, target = offsets[rows[number]], offsets_of_rows[number]
        for place in range(offsets_of_rows[number + 1] - target):
            chosen[target + place] = ones[source + place]
    return chosen, offsets_of_rows


@entry_point
def add_to_rows(weight: np.ndarray, ones: np.ndarray, offsets: np.ndarray, sums: np.ndarray) -> None:
    """Row i of `sums` (float32[B, width]), added up in each row of `weight` that observation i has a one at; written.

    Row by row of the weight, several observations at once: it is far larger than what is added, and written only once.
    """
    owners, starts = owners_of_ones(ones, offsets, len(weight))
    for entry in range(len(weight)):
        row, place, end = weight[entry], starts[entry], starts[entry + 1]
        for column in range(len(row)):
            row[column] = 0.0
        while place + 4 <= end:
            first, second = sums[owners[place]], sums[owners[place + 1]]
            third, fourth = sums[owners[place + 2]], sums[owners[place + 3]]
            for column in range(len(row)):
                row[column] += (first[column] + second[column]) + (third[column] + fourth[column])
            place += 4
        while place < end:
            first = sums[owners[place]]
            for column in range(len(row)):
                row[column] += first[column]
            place += 1


@kernel
def owners_of_ones(ones: np.ndarray, offsets: np.ndarray, num_entries: int) -> tuple[np.ndarray, np.ndarray]:
    """The observations with a one at each entry, entry after entry (int32), and where each entry's begin, with the end.

    Takes what `ones_of` gave.
    """
    starts = np.zeros(num_entries + 1, dtype=np.int32)
    for entry in ones:
        starts[entry + 1] += 1
    for entry in range(num_entries):
        starts[entry + 1] += starts[entry]
    owners = np.empty(len(ones), dtype=np.int32)
    ends = starts[:-1].copy()
    for observation in range(len(offsets) - 1):
        for place in range(offsets[observation], offsets[observation + 1]):
            owners[ends[ones[place]]] = observation
            ends[ones[place]] += 1
    return owners, starts
