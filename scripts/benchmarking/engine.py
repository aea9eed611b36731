"""The engine: random games in compiled code, batches of steps, two threads, memory."""

from __future__ import annotations

import time
import tracemalloc
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numpy as np
import numpy.typing as npt

from king_env.batch_env import BatchEnv
from king_env.bots.random_games import play_random_games
from king_env.chance import Streams, new_streams
from king_env.engine.state import GAME_DTYPE, GameRecords, new_records
from king_env.episode import deal_kinds
from king_env.ruleset import PORTUGUESE
from scripts.benchmarking.measuring import (
    BYTES,
    SECONDS,
    STEPS_PER_SECOND,
    TIMES,
    NotMeasuredError,
    Sample,
    rate,
)
from scripts.benchmarking.own_process import cores
from scripts.benchmarking.replay import SEED, CompiledReplay, plies_to_record, record_play

NUMBERS_OF_GAMES = (1, 64, 1024, 8192)
# Deals that one compiled call plays at least.
DEALS_A_CALL = 8192
DEALS_A_GAME = 10
NUM_THREADS = 2
GAMES_A_THREAD = 8192
REMEMBERED_GAMES = 4096


def random_games() -> Iterator[Sample]:
    """Uniformly random play, deals included, with nothing around it."""
    for num_games in NUMBERS_OF_GAMES:
        games = max(1, DEALS_A_CALL // DEALS_A_GAME // num_games)
        yield Sample(
            f"random_games/whole/{num_games}",
            "random whole games, dealt and played in one compiled call",
            STEPS_PER_SECOND,
            rate(random_player(num_games, deal_kinds("game", None), games)),
            num_games,
        )
    for num_games in NUMBERS_OF_GAMES:
        deals = max(1, DEALS_A_CALL // num_games)
        yield Sample(
            f"random_games/deals/{num_games}",
            "random single deals, dealt and played in one compiled call",
            STEPS_PER_SECOND,
            rate(random_player(num_games, deal_kinds("deal", None), deals)),
            num_games,
        )


def random_player(num_games: int, kinds: npt.NDArray[np.int64], repeats: int) -> Callable[[], int]:
    """Plays so many random games in each of so many records, and returns how many actions they took."""
    games, streams = fresh_games(num_games)
    return lambda: play_random_games(games, streams, kinds, repeats)


def fresh_games(num_games: int) -> tuple[GameRecords, Streams]:
    """Records with the Portuguese rules, and a stream for each."""
    games = new_records(num_games)
    PORTUGUESE.write_to(games)
    return games, new_streams(SEED, num_games)


def batch_steps() -> Iterator[Sample]:
    """Recorded actions: step, observation and mask in one compiled call a ply."""
    for num_games in NUMBERS_OF_GAMES:
        steps_per_second = step_all_rate(num_games, plies_to_record(num_games))
        yield Sample(
            f"batch_steps/{num_games}",
            "step, observation and mask of each game, one compiled call a ply",
            STEPS_PER_SECOND,
            steps_per_second,
            num_games,
        )
        if num_games == 1:
            yield Sample(
                "batch_steps/call", "one call of `step_all`, of one game, from Python", SECONDS, 1.0 / steps_per_second
            )


def step_all_rate(num_games: int, num_plies: int) -> float:
    """Steps per second of `step_all`, observation and mask included."""
    replay = CompiledReplay(record_play(num_games, num_plies))
    return rate(replay.play, replay.restart)


def two_cores() -> Iterator[Sample]:
    """Equal work on one thread and on two, by the clock: compiled calls release the GIL."""
    if len(cores()) < NUM_THREADS:
        raise NotMeasuredError("there is only one core")
    kinds = deal_kinds("game", None)
    players = [random_player(1, kinds, GAMES_A_THREAD) for _ in range(NUM_THREADS)]
    alone = random_player(1, kinds, GAMES_A_THREAD * NUM_THREADS)
    with ThreadPoolExecutor(NUM_THREADS) as pool:
        seconds_of(lambda: on_threads(pool, players))  # whatever comes but once
        gain = seconds_of(alone) / seconds_of(lambda: on_threads(pool, players))
    yield Sample("two_cores", "whole random games on two threads instead of one, by the clock", TIMES, gain)


def on_threads(pool: ThreadPoolExecutor, players: list[Callable[[], int]]) -> None:
    """All players at once."""
    for playing in [pool.submit(player) for player in players]:
        playing.result()


def seconds_of(work: Callable[[], Any]) -> float:
    """How long it takes by the clock."""
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


def memory() -> Iterator[Sample]:
    """What a game takes; the same every time."""
    yield Sample("memory/record", "a game's record", BYTES, GAME_DTYPE.itemsize)
    started_batch()  # loads compiled code, which is not the games'
    env, of_env = with_bytes(started_batch)
    _, of_buffers = with_bytes(env.buffers)
    yield Sample("memory/batch_env", "a game of a `BatchEnv`, all told", BYTES, of_env / REMEMBERED_GAMES)
    yield Sample("memory/buffers", "its share of `step_observe`'s buffers", BYTES, of_buffers / REMEMBERED_GAMES)


def started_batch() -> BatchEnv:
    """Games at their first action."""
    env = BatchEnv(REMEMBERED_GAMES)
    env.reset(seed=SEED)
    return env


def with_bytes(make: Callable[[], Any]) -> tuple[Any, int]:
    """What is made, and the memory that it holds then."""
    tracemalloc.start()
    made = make()
    held, _ = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    return made, held
