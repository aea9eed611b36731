"""`King-v0`: one seat of a game of King, the three others played by bots, as a Gymnasium env.

>>> import gymnasium
>>> import king_env
>>> env = gymnasium.make("King-v0", opponents="heuristic", seat=0)
>>> observation, info = env.reset(seed=1)
>>> action = env.action_space.sample(observation["action_mask"])
>>> observation, reward, terminated, truncated, info = env.step(action)

| | |
|---|---|
| Actions | `Discrete({num_actions})`; `king_env.action_text` and `king_env.parse_action` translate |
| Observation | a dict of `observation`, int8[{observation_size}], and `action_mask`, int8[{num_actions}], all 0 or 1 |
| Reward | what the learner's action and all that followed up to its next turn brought it |
| Episode | a game of ten deals, or a single deal; it is never truncated |

What the entries of an observation mean is told by `help(king_env.king_v0)`; they are relative to the learner's seat, so
one policy serves all seats. `env.unwrapped.action_masks()` is the mask by itself, where sb3-contrib looks for it.

### Options
* `opponents="heuristic"`: who sits in the other seats. A bot's name as `king_env.bots.make` takes it, or a bot itself
  (`king_env.bots.Bot`). A dict of bots and weights, `{{"heuristic": 3, "random": 1}}`: for every episode each opponent
  is drawn from it by itself. A list of three of these: for the learner's left neighbour, the seat opposite, and its
  right neighbour. A bot that sees all hands is refused. One that raises or answers what is illegal ends in a
  `king_env.opponents.OpponentError`, which names it; then `reset`.
* `seat=None`: the learner's seat is drawn for every episode. `0` … `3`: it stays there. `"rotating"`: it is drawn for
  the first episode after a seed, and moves one to the left with each later one.
* `ruleset`, `episode`, `contracts`, `reward`, `observation_format`, `illegal_reward`, `render_mode`: as those of
  `king_v0.env`. Under `observation_format="flat"` the observation is the Box alone, and `info["action_mask"]` the mask,
  from `reset` on; otherwise infos are empty. `"human"` prints the table whenever the learner is to act.
  Under all of them it is shown as the learner sees it.

`reset(options={{"deals": [...], "dealer": 0}})`: as that of `king_v0.env`. The same seed gives the same cards as there,
whoever plays, and the same seats and opponents, whatever is played. Bots written in Python draw from `env.np_random`.

### Rewards
Under `"points"` and `"deal"` the rewards of an episode add up to the score of the learner's seat, under `"placement"`
to what its place pays. What the opponents do before the learner's first turn is told with its first step.

### Illegal actions
An illegal action neither raises nor truncates: it ends the episode, and `illegal_reward` ({illegal_points:g}, under
`"placement"` {illegal_placement:g}) is added to the reward. What is no action at all raises `IllegalActionError`.

Once an episode is over its mask allows everything: nothing comes of it, but a policy that is asked all the same, or a
value that is maximized over the mask, needs something allowed.

### What `env.unwrapped` has besides
`seat`, the learner's; `players`, who sits where, by name; `view()`, what a bot in the learner's place may be handed;
`game`, a `king_env.Game` of its own that stands as this one does, every hand open. A copied or pickled env plays on
identically.
"""

from __future__ import annotations

import copy
import sys
from collections.abc import Collection, Mapping
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces

from king_env.aec_env import (
    ILLEGAL_REWARDS,
    INT8,
    OBSERVATION_FORMATS,
    RENDER_MODES,
    parse_reset_options,
    picture_drawer,
    space_of_observations,
)
from king_env.bots.compiled import NO_ACTION
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.observation import OBSERVATION_SIZE
from king_env.engine.seats import Seat
from king_env.engine.state import GameRecords
from king_env.episode import check_option, check_seed
from king_env.game import Game, IllegalActionError
from king_env.opponents import OpponentChoice
from king_env.render import render_table, shows_colour
from king_env.ruleset import RuleSet
from king_env.seat_games import SeatGames

__all__ = ["SeatEnv"]

ONLY_GAME = np.zeros(1, dtype=np.int64)


class SeatEnv(gymnasium.Env[Any, Any]):
    """One learner among three bots. The module `king_env.seat_env` is its reference page."""

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}

    def __init__(
        self,
        opponents: OpponentChoice = "heuristic",
        seat: Seat | str | None = None,
        ruleset: RuleSet | str | Mapping[str, Any] = "portuguese",
        episode: str = "game",
        contracts: Collection[str] | None = None,
        reward: str = "points",
        observation_format: str = "dict",
        illegal_reward: float | None = None,
        render_mode: str | None = None,
    ) -> None:
        check_option("observation_format", observation_format, OBSERVATION_FORMATS)
        if render_mode is not None:
            check_option("render_mode", render_mode, RENDER_MODES)
        if render_mode == "rgb_array":
            picture_drawer()  # says at once what is missing
        self.metadata = dict(type(self).metadata)  # its own, for Gymnasium's vector envs may write into it
        self.render_mode = render_mode
        self.action_space = spaces.Discrete(NUM_ACTIONS)
        self.observation_space = space_of_observations(observation_format)
        self._is_flat = observation_format == "flat"
        self._games = SeatGames(
            1, opponents, seat, ruleset, episode, contracts, reward, illegal_reward, can_replay=True
        )
        self._actions = np.empty(1, dtype=np.int64)
        self._rewards, self._ended = np.zeros(1), np.zeros(1, dtype=np.bool_)
        self._is_over = True
        self._has_begun = False

    # What Gymnasium asks for

    def reset(self, *, seed: int | None = None, options: dict[str, Any] | None = None) -> tuple[Any, dict[str, Any]]:
        """Begin an episode, and play to the learner's first turn; without a seed the random numbers go on."""
        dealer, deals = parse_reset_options(options, self._games.num_deals)
        seed = check_seed(seed)
        super().reset(seed=seed)
        self._games.reset(ONLY_GAME, [seed], dealer, deals)
        self._has_begun = True
        return self._play(NO_ACTION)

    def step(self, action: Any) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """Take the learner's action, and play to its next turn or the end; an illegal one ends the episode."""
        if self._is_over:
            raise gymnasium.error.ResetNeeded(self._why_reset())
        if type(action) is not int or not 0 <= action < NUM_ACTIONS:
            if not self.action_space.contains(action):
                raise IllegalActionError(f"{action!r} is no action: they are whole numbers 0 … {NUM_ACTIONS - 1}")
            action = int(action)
        observation, info = self._play(action)
        return observation, self._rewards.item(), self._is_over, False, info

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """The table as the learner sees it.

        Printed under `human`, returned as text under `ansi`, as uint8[800, 1200, 3] under `rgb_array`.
        """
        self._check_begun()
        if self.render_mode is None:
            gymnasium.logger.warn("render() shows nothing without a render_mode, which is given when an env is made")
            return None
        if self.render_mode == "rgb_array":
            return picture_drawer()(self._games.views()[0], self.seat)
        self._show_people()
        return self._table() if self.render_mode == "ansi" else None

    # What King adds

    def action_masks(self) -> npt.NDArray[np.int8]:
        """What the learner may do (int8[81]), as in the observation."""
        self._check_begun()
        observation, mask = np.empty(OBSERVATION_SIZE, INT8), np.empty(NUM_ACTIONS, INT8)
        self._games.show(observation, mask)
        return mask

    @property
    def seat(self) -> Seat:
        """The learner's seat in this episode."""
        self._check_begun()
        return int(self._games.seats[0])

    @property
    def players(self) -> list[str]:
        """The names of the bots in seats 0 … 3 in this episode, and `learner`."""
        self._check_begun()
        return self._games.players(0)

    @property
    def game(self) -> Game:
        """The game as it stands, every hand open: one of its own, in which you may play on."""
        self._check_begun()
        return self._games.replay(0)

    def view(self) -> GameRecords:
        """What a bot in the learner's place may be handed (GAME_DTYPE[1])."""
        self._check_begun()
        return self._games.views()

    def __copy__(self) -> SeatEnv:
        """A copy plays on by itself, so it shares nothing."""
        return copy.deepcopy(self)

    def _play(self, action: int) -> tuple[Any, dict[str, Any]]:
        """Give the game what it waits for; what the learner sees then, and the info."""
        self._is_over = True  # should an opponent fail
        self._actions[0] = action
        observation, mask = np.empty(OBSERVATION_SIZE, INT8), np.empty(NUM_ACTIONS, INT8)
        self._games.play(ONLY_GAME, self._actions, self.np_random, observation, mask, self._rewards, self._ended)
        self._is_over = self._ended.item()
        if self.render_mode is not None:
            self._show_people()
        if self._is_flat:
            return observation, {"action_mask": mask}
        return {"observation": observation, "action_mask": mask}, {}

    def _check_begun(self) -> None:
        if not self._has_begun:
            raise gymnasium.error.ResetNeeded(self._why_reset())

    def _why_reset(self) -> str:
        return "the episode is over: call reset()" if self._has_begun else "there is no game yet: call reset() first"

    def _table(self) -> str:
        return render_table(self._games.views()[0], self.seat, shows_colour(sys.stdout))

    def _show_people(self) -> None:
        if self.render_mode == "human":
            print(self._table())


if __doc__:  # Python's option -OO takes it away
    __doc__ = __doc__.format(
        num_actions=NUM_ACTIONS,
        observation_size=OBSERVATION_SIZE,
        illegal_points=ILLEGAL_REWARDS["points"],
        illegal_placement=ILLEGAL_REWARDS["placement"],
    )
