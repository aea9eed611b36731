"""Work that several threads do side by side: compiled code and torch leave Python's lock while they compute."""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

import torch
from torch import Tensor, nn

from baselines.ppo.clipped_adam import ClippedAdam

Part = TypeVar("Part")
Result = TypeVar("Result")


class Threads:
    """So many threads, or with one just the caller's; results do not depend on which is done first."""

    def __init__(self, number: int) -> None:
        self.number = number
        # Whatever torch divides further would only be in the way.
        self._pool = (
            ThreadPoolExecutor(number, initializer=torch.set_num_threads, initargs=(1,)) if number > 1 else None
        )

    def map(self, work: Callable[[Part], Result], parts: Sequence[Part]) -> list[Result]:
        """What comes of each part, in their order."""
        return list(map(work, parts) if self._pool is None else self._pool.map(work, parts))


def parts_of(size: int, number: int) -> list[slice]:
    """So many rows in so many parts, as even as can be."""
    ends = [size * part // number for part in range(1, number + 1)]
    return [slice(start, end) for start, end in itertools.pairwise([0, *ends])]


def step_side_by_side(
    threads: Threads,
    terms_of: Callable[[Tensor], Tensor],
    rows: Tensor,
    weights: Tensor,
    optimizer: ClippedAdam,
    max_grad_norm: float,
) -> Tensor:
    """One gradient step on a minibatch, of which each thread takes a part.

    terms_of: the terms of the loss, each a mean, of some of the rows (int64[K]); weights: what each counts in it.
    Returns the terms of the whole minibatch and the length of the gradient, float32[terms + 1].
    """
    (group,) = optimizer.param_groups
    parameters: list[nn.Parameter] = group["params"]

    def gradients_of(part: Tensor) -> tuple[Tensor, tuple[Tensor | None, ...]]:
        terms = terms_of(part) * (len(part) / len(rows))
        return terms.detach(), torch.autograd.grad(torch.dot(terms, weights), parameters, allow_unused=True)

    parts = [part for part in rows.tensor_split(threads.number) if len(part)]
    terms, gradients = zip(*threads.map(gradients_of, parts), strict=True)
    for parameter, of_parts in zip(parameters, zip(*gradients, strict=True), strict=True):
        known = [gradient for gradient in of_parts if gradient is not None]
        parameter.grad = functools.reduce(torch.add, known) if known else None
    grad_norm = optimizer.step_clipped(max_grad_norm)
    return torch.cat([torch.stack(terms).sum(dim=0), grad_norm[None]])
