"""The ways into King from Python: the PettingZoo envs, the Gymnasium env, and `BatchEnv`."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any

import gymnasium
import numpy as np

from king_env import GYMNASIUM_ID, king_v0
from king_env.bots.compiled import choose_all
from king_env.chance import new_streams
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.cards import NUM_CARDS
from king_env.engine.observation import OBSERVATION_SIZE
from king_env.turns import take_action
from scripts.benchmarking.measuring import STEPS_PER_SECOND, TIMES, Sample, rate
from scripts.benchmarking.replay import (
    SEED,
    UNIFORM,
    BatchEnvReplay,
    CompiledReplay,
    SeatReplay,
    plies_to_record,
    record_play,
)

OPPONENT = "heuristic"
VECTOR_SIZES = (1, 64, 4096)
BATCH_GAMES = 4096
ACTIONS_A_DEAL = NUM_CARDS  # of a negative deal, such as a game begins with


def raw_env() -> Iterator[Sample]:
    """The PettingZoo env without checks of the order of calls."""
    env = king_v0.raw_env()
    yield from agent_iter_figures("raw_env", env)
    yield Sample(
        "raw_env/bare",
        "`raw_env()`, `observe` and `step` alone: `random.choice` from the mask as a list",
        STEPS_PER_SECOND,
        rate(lambda: play_bare(env)),
    )


def checked_env() -> Iterator[Sample]:
    """The PettingZoo env with all checks."""
    yield from agent_iter_figures("env", king_v0.env())


def agent_iter_figures(name: str, env: Any) -> Iterator[Sample]:
    """PettingZoo's loop, observation and mask included, with the engine's choice and two of its user."""
    actions = game_of_the_engine(env)
    yield Sample(
        f"{name}/engine",
        f"`{name}()`, `agent_iter` and `last`: actions that the engine chose",
        STEPS_PER_SECOND,
        rate(lambda: play_again(env, actions)),
    )
    yield Sample(
        f"{name}/list",
        f"`{name}()`, `agent_iter` and `last`: `random.choice` from the mask as a list",
        STEPS_PER_SECOND,
        rate(lambda: play_by_mask(env, choose_from_list)),
    )
    yield Sample(
        f"{name}/mask",
        f"`{name}()`, `agent_iter` and `last`: `random.choice` from `flatnonzero` of the mask",
        STEPS_PER_SECOND,
        rate(lambda: play_by_mask(env, choose_from_array)),
    )


def choose_from_list(mask: np.ndarray) -> int:
    """The quickest way to choose in Python."""
    return random.choice(mask.nonzero()[0].tolist())


def choose_from_array(mask: np.ndarray) -> int:
    """The way that is written first."""
    return random.choice(np.flatnonzero(mask))


def play_by_mask(env: Any, choose: Callable[[np.ndarray], int]) -> int:
    """An episode of a PettingZoo env, each action from the mask; returns how many there were."""
    num_actions = 0
    env.reset()
    for _ in env.agent_iter():
        observation, _, termination, truncation, _ = env.last()
        if termination or truncation:
            env.step(None)
        else:
            env.step(choose(observation["action_mask"]))
            num_actions += 1
    return num_actions


def play_bare(env: Any) -> int:
    """An episode without more calls than it takes; returns how many actions there were."""
    num_actions = 0
    env.reset()
    while not env.terminations[env.agent_selection]:
        env.step(choose_from_list(env.observe(env.agent_selection)["action_mask"]))
        num_actions += 1
    return num_actions


def game_of_the_engine(env: Any) -> list[int]:
    """The actions of a whole game of random play, chosen in compiled code beforehand."""
    streams = new_streams(SEED, 1, purpose="bots")
    chosen = np.empty(1, dtype=np.int64)
    actions = []
    env.reset(seed=SEED)
    while not env.terminations[env.agent_selection]:
        choose_all(UNIFORM, env.unwrapped.game.record, streams, chosen)
        actions.append(chosen.item())
        env.step(actions[-1])
    return actions


def play_again(env: Any, actions: list[int]) -> int:
    """The episode of these actions under `agent_iter`, all of it observed; returns how many there were."""
    remaining = iter(actions)
    env.reset(seed=SEED)
    for _ in env.agent_iter():
        _, _, termination, truncation, _ = env.last()
        env.step(None if termination or truncation else next(remaining))
    return len(actions)


def one_call() -> Iterator[Sample]:
    """A turn of one game in one compiled call: what `raw_env` makes of each step."""
    env = king_v0.raw_env()
    actions = game_of_the_engine(env)
    env.reset(seed=SEED)
    desk = env._desk
    observation, mask = np.empty(OBSERVATION_SIZE, np.int8), np.empty(NUM_ACTIONS, np.int8)
    first_deal = actions[:ACTIONS_A_DEAL]
    before = desk.copy()

    def play() -> int:
        desk[:] = before
        for action in first_deal:
            take_action(desk, action, observation, mask)
        return len(first_deal)

    yield Sample(
        "one_call", "step, observation and mask of one game in one call from Python", STEPS_PER_SECOND, rate(play)
    )


def gymnasium_env() -> Iterator[Sample]:
    """The Gymnasium env, one seat among bots: a step is a decision of the learner's and all that the bots do then."""
    env = gymnasium.make(GYMNASIUM_ID, opponents=OPPONENT)
    yield Sample(
        "gymnasium_env/list",
        f"`{GYMNASIUM_ID}` against `{OPPONENT}`, own actions alone: `random.choice` from the mask as a list",
        STEPS_PER_SECOND,
        rate(lambda: play_seat(env)),
    )
    for num_envs in VECTOR_SIZES:
        replay = SeatReplay(GYMNASIUM_ID, num_envs, OPPONENT)
        yield Sample(
            f"gymnasium_env/vector/{num_envs}",
            f"`make_vec`: `{GYMNASIUM_ID}` against `{OPPONENT}`, own actions alone",
            STEPS_PER_SECOND,
            rate(replay.play, replay.restart),
            num_envs,
        )


def play_seat(env: gymnasium.Env[Any, Any]) -> int:
    """An episode of a single seat; returns how many actions it took itself."""
    num_actions, is_over = 0, False
    observation, _ = env.reset()
    while not is_over:
        observation, _, is_over, _, _ = env.step(choose_from_list(observation["action_mask"]))
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
