"""RLCard's bridge, whose states always hold an observation and the legal actions."""

from __future__ import annotations

import random
from collections.abc import Iterator
from typing import Any

import rlcard

from scripts.benchmarking.measuring import STEPS_PER_SECOND, Sample, rate


def rlcard_bridge() -> Iterator[Sample]:
    """Auction and card play."""
    env = rlcard.make("bridge")
    yield Sample("rlcard_bridge", "RLCard bridge, Python loop with tensors", STEPS_PER_SECOND, rate(lambda: play(env)))


def play(env: Any) -> int:
    """A deal of uniformly random play; returns how many actions it took."""
    num_actions = 0
    state, _ = env.reset()
    while not env.is_over():
        state, _ = env.step(random.choice(list(state["legal_actions"])))
        num_actions += 1
    return num_actions
