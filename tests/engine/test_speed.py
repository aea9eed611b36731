"""A guard against slow creep: how long our compiled code takes, as a multiple of a fixed piece of work in this process.

The limits are some three times what was measured, so that no busy machine trips them, and a fraction of what one loop
over the bits of an observation would cost.
"""

from __future__ import annotations

import time
from collections.abc import Callable

import numpy as np
import pytest

from king_env.batch_env import BatchEnv
from king_env.bots.random_games import play_random_games
from king_env.chance import new_streams
from king_env.engine.kernel import JIT_ENABLED, entry_point
from king_env.engine.state import new_records
from king_env.episode import deal_kinds
from king_env.ruleset import PORTUGUESE

pytestmark = pytest.mark.skipif(not JIT_ENABLED, reason="plain Python is slow")

UNITS_OF_WORK = 200_000
NUM_GAMES = 1024
NUM_PLIES = 30
TRIES = 7


@entry_point
def fixed_work(table: np.ndarray, units: int) -> int:
    """Shifts, multiplications and look-ups, as the engine is made of."""
    shifted, multiplied = np.uint64(1), np.uint64(2)
    total = 0
    for i in range(units):
        shifted ^= shifted << np.uint64(13)
        shifted ^= shifted >> np.uint64(7)
        shifted ^= shifted << np.uint64(17)
        multiplied = multiplied * np.uint64(6364136223846793005) + shifted
        total += table[shifted & np.uint64(1023)] + table[multiplied >> np.uint64(54)]
        table[i & 1023] = total & 255
    return total


def seconds(work: Callable[[], object]) -> float:
    """The least CPU time of several tries."""
    times = []
    for _ in range(TRIES):
        started = time.process_time()
        work()
        times.append(time.process_time() - started)
    return min(times)


@pytest.fixture(scope="module")
def unit() -> float:
    """Seconds of one unit of the fixed work."""
    table = np.arange(1024)
    fixed_work(table, 1)
    return seconds(lambda: fixed_work(table, UNITS_OF_WORK)) / UNITS_OF_WORK


def test_random_play_takes_a_few_units_of_fixed_work_an_action(unit: float) -> None:
    games, streams, whole_games = new_records(1), new_streams(1, 1), deal_kinds("game", None)
    PORTUGUESE.write_to(games)
    play_random_games(games, streams, whole_games, 1)
    num_actions = 0

    def play() -> None:
        nonlocal num_actions
        num_actions = play_random_games(games, streams, whole_games, 100)

    assert seconds(play) / num_actions < 25 * unit


def test_a_step_with_observation_and_mask_takes_some_dozens(unit: float) -> None:
    env = BatchEnv(NUM_GAMES)
    env.reset(seed=1)
    out = env.buffers()
    actions = np.empty((NUM_PLIES, NUM_GAMES), dtype=np.int64)
    beginning = env.state()
    masks = env.observe()[1]
    for of_ply in actions:  # chosen beforehand, as choosing is not what is measured
        of_ply[:] = masks.argmax(axis=1)
        env.step_observe(of_ply, out)
        masks = out[1]

    def play() -> None:
        env.restore(beginning)
        for of_ply in actions:
            env.step_observe(of_ply, out)

    assert seconds(play) / actions.size < 100 * unit
