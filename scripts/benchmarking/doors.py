"""The ways into King from Python: the PettingZoo envs, the Gymnasium env, and `BatchEnv`."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np

from king_env import king_v0
from king_env.bots.compiled import choose_all
from king_env.chance import new_streams
from scripts.benchmarking.measuring import STEPS_PER_SECOND, TIMES, NotMeasuredError, Sample, rate
from scripts.benchmarking.replay import (
    SEED,
    UNIFORM,
    BatchEnvReplay,
    CompiledReplay,
    plies_to_record,
    record_play,
)

GYMNASIUM_ID = "King-v0"
BATCH_GAMES = 4096


def raw_env() -> Iterator[Sample]:
    """The PettingZoo env without checks of the order of calls."""
    env, choose = king_v0.raw_env(), engine_chooser()
    yield from agent_iter_figures("raw_env", env)
    yield Sample(
        "raw_env/unseen",
        "`raw_env()`, `step` only: the engine chooses, nobody observes",
        STEPS_PER_SECOND,
        rate(lambda: play_unseen(env, choose)),
    )


def checked_env() -> Iterator[Sample]:
    """The PettingZoo env with all checks."""
    yield from agent_iter_figures("env", king_v0.env())


def agent_iter_figures(name: str, env: Any) -> Iterator[Sample]:
    """PettingZoo's loop, observation and mask included, with the cheapest choice of its user and the engine's."""
    yield Sample(
        f"{name}/mask",
        f"`{name}()`, `agent_iter` and `last`: `random.choice` from the mask",
        STEPS_PER_SECOND,
        rate(lambda: play_by_mask(env)),
    )
    choose = engine_chooser()
    yield Sample(
        f"{name}/engine",
        f"`{name}()`, `agent_iter` and `last`: the engine chooses",
        STEPS_PER_SECOND,
        rate(lambda: play_by_engine(env, choose)),
    )


def play_by_mask(env: Any) -> int:
    """An episode of a PettingZoo env, each action from the mask; returns how many there were."""
    num_actions = 0
    env.reset()
    for _ in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.step(None)
        else:
            env.step(random.choice(np.flatnonzero(observation["action_mask"])))
            num_actions += 1
    return num_actions


def engine_chooser() -> Callable[[np.ndarray], int]:
    """Chooses any legal action straight from a game's record."""
    streams = new_streams(SEED, 1, purpose="bots")
    actions = np.empty(1, dtype=np.int64)

    def choose(records: np.ndarray) -> int:
        choose_all(UNIFORM, records, streams, actions)
        return actions.item()

    return choose


def play_by_engine(env: Any, choose: Callable[[np.ndarray], int]) -> int:
    """An episode of King under `agent_iter`, all of it observed; returns how many actions there were."""
    num_actions = 0
    env.reset()
    records = env.unwrapped.game.record
    for _ in env.agent_iter():
        _, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.step(None)
        else:
            env.step(choose(records))
            num_actions += 1
    return num_actions


def play_unseen(env: Any, choose: Callable[[np.ndarray], int]) -> int:
    """An episode of King that nobody observes; returns how many actions there were."""
    num_actions = 0
    env.reset()
    records = env.unwrapped.game.record
    while not env.terminations[env.agent_selection]:
        env.step(choose(records))
        num_actions += 1
    return num_actions


def gymnasium_env() -> Iterator[Sample]:
    """The Gymnasium env, one seat among bots."""
    if GYMNASIUM_ID not in gymnasium.registry:
        raise NotMeasuredError(f"king_env registers no {GYMNASIUM_ID} with Gymnasium")
    env = gymnasium.make(GYMNASIUM_ID)
    yield Sample(
        "gymnasium_env/mask",
        f"`{GYMNASIUM_ID}`, own actions: `random.choice` from the mask",
        STEPS_PER_SECOND,
        rate(lambda: play_seat(env)),
    )


def play_seat(env: gymnasium.Env[Any, Any]) -> int:
    """An episode of a single seat; returns how many actions it took itself."""
    num_actions, is_over = 0, False
    action_masks = env.get_wrapper_attr("action_masks")
    env.reset()
    while not is_over:
        *_, terminated, truncated, _ = env.step(random.choice(np.flatnonzero(action_masks())))
        is_over = terminated or truncated
        num_actions += 1
    return num_actions


def batch_env() -> Iterator[Sample]:
    """What Python adds to the compiled call."""
    recording = record_play(BATCH_GAMES, plies_to_record(BATCH_GAMES))
    compiled, through_python = CompiledReplay(recording), BatchEnvReplay(recording)
    of_compiled = rate(compiled.play, compiled.restart)
    of_python = rate(through_python.play, through_python.restart)
    yield Sample(
        "batch_env/step_all", "`step_all`, the compiled call alone", STEPS_PER_SECOND, of_compiled, BATCH_GAMES
    )
    yield Sample(
        "batch_env/step_observe",
        "`BatchEnv.step_observe` into the caller's buffers",
        STEPS_PER_SECOND,
        of_python,
        BATCH_GAMES,
    )
    yield Sample(
        "batch_env/share",
        f"`BatchEnv.step_observe` takes the time of `step_all` ({BATCH_GAMES:,} games)",
        TIMES,
        of_compiled / of_python,
    )
