"""Random games recorded and played again, so that choosing the actions is no part of what is measured."""

from __future__ import annotations

import copy
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt

from king_env.batch_env import BatchEnv, step_all
from king_env.bots.compiled import bot_code, choose_all
from king_env.chance import new_streams
from king_env.engine.seats import NUM_SEATS
from king_env.engine.state import GameRecords
from king_env.episode import deal_kinds

UNIFORM = bot_code("uniform", "uniform", "uniform")
SEED = 1
# More than a game: by then the games side by side are at different places, as they are in training.
PLIES_BEFORE = 600
RECORDED_ACTIONS = 2**19
FEWEST_PLIES, MOST_PLIES = 16, 2**16
# The same of a learner among bots: it takes a quarter of the actions.
DECISIONS_BEFORE = PLIES_BEFORE // NUM_SEATS
RECORDED_DECISIONS = 2**15
FEWEST_STEPS, MOST_STEPS = 8, 2**12


@dataclass(frozen=True)
class Recording:
    """Games in mid-play, and what is played in them from there."""

    state: Mapping[str, npt.NDArray[Any]]  # of `BatchEnv`
    actions: npt.NDArray[np.int64]  # [num_plies, num_games]

    @property
    def num_games(self) -> int:
        """Games side by side."""
        return self.actions.shape[1]


def plies_to_record(num_games: int) -> int:
    """So many that playing them again takes its time, whatever the number of games."""
    return min(max(RECORDED_ACTIONS // num_games, FEWEST_PLIES), MOST_PLIES)


def record_play(num_games: int, num_plies: int) -> Recording:
    """Play uniformly random actions in whole games, and write them down."""
    env = BatchEnv(num_games)
    env.reset(seed=SEED)
    streams = new_streams(SEED, num_games, purpose="bots")
    play_at_random(env, streams, np.empty((PLIES_BEFORE, num_games), dtype=np.int64))
    state = env.state()
    actions = np.empty((num_plies, num_games), dtype=np.int64)
    play_at_random(env, streams, actions)
    return Recording(state, actions)


def play_at_random(env: BatchEnv, streams: npt.NDArray[np.uint64], actions: npt.NDArray[np.int64]) -> None:
    """One ply after another; actions: int64[num_plies, num_games], written."""
    for of_ply in actions:
        choose_all(UNIFORM, env.games, streams, of_ply)
        env.step(of_ply)


class CompiledReplay:
    """A recording played again by `step_all` alone, which writes observations and masks, too."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        observations, masks, seats, rewards, ended = BatchEnv(recording.num_games).buffers()
        self._out = (rewards, ended, observations, masks, seats)
        self._kinds = deal_kinds("game", None)
        self.restart()

    @property
    def games(self) -> GameRecords:
        """The games as they stand."""
        return self._games

    def restart(self) -> None:
        """Go back to where the recording begins."""
        self._games, self._tables, self._given = (array.copy() for array in self._recording.state.values())

    def play(self) -> int:
        """Play it all, one call a ply; returns how many actions that were."""
        played = (self._games.view(np.int64), self._tables.view(np.int64), self._kinds, self._given)
        for actions in self._recording.actions:
            step_all(*played, actions, *self._out)
        return self._recording.actions.size


class BatchEnvReplay:
    """A recording played again by `BatchEnv.step_observe` into buffers of its caller."""

    def __init__(self, recording: Recording) -> None:
        self._recording = recording
        self._env = BatchEnv(recording.num_games)
        self._out = self._env.buffers()
        self.restart()

    @property
    def games(self) -> GameRecords:
        """The games as they stand."""
        return self._env.games

    def restart(self) -> None:
        """Go back to where the recording begins."""
        self._env.restore(self._recording.state)

    def play(self) -> int:
        """Play it all, one call a ply; returns how many actions that were."""
        env, out = self._env, self._out
        for actions in self._recording.actions:
            env.step_observe(actions, out)
        return self._recording.actions.size


class SeatReplay:
    """Learners among bots in a vector env, whose uniformly random actions are taken again."""

    def __init__(self, env_id: str, num_envs: int, opponents: str) -> None:
        self._before = gymnasium.make_vec(env_id, num_envs=num_envs, opponents=opponents)
        rng = np.random.default_rng(SEED)
        shown, _ = self._before.reset(seed=SEED)
        for _ in range(DECISIONS_BEFORE):
            shown, *_ = self._before.step(uniform_choices(shown["action_mask"], rng))
        num_steps = min(max(RECORDED_DECISIONS // num_envs, FEWEST_STEPS), MOST_STEPS)
        self._actions = np.empty((num_steps, num_envs), dtype=np.int64)
        self.restart()
        for of_step in self._actions:
            of_step[:] = uniform_choices(shown["action_mask"], rng)
            shown, *_ = self._envs.step(of_step)

    def restart(self) -> None:
        """Go back to where the recording begins."""
        self._envs = copy.deepcopy(self._before)

    def play(self) -> int:
        """Take all actions; returns how many there were."""
        for of_step in self._actions:
            self._envs.step(of_step)
        return self._actions.size


def uniform_choices(masks: npt.NDArray[np.int8], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """Any action that a mask allows, each equally likely (int64[N])."""
    chosen: npt.NDArray[np.int64] = (masks * (1.0 - rng.random(masks.shape))).argmax(axis=1)
    return chosen
