"""`King-v0` many times at once: a native Gymnasium vector env, its bots stepped in compiled code.

>>> import gymnasium
>>> import king_env
>>> envs = gymnasium.make_vec("King-v0", num_envs=4096, opponents="heuristic")
>>> observations, infos = envs.reset(seed=1)
>>> bot = king_env.bots.make("random")
>>> actions = bot.act_batch(envs.unwrapped.views(), envs.np_random)
>>> observations, rewards, terminations, truncations, infos = envs.step(actions)

**By default an episode that is over begins anew with the next step** (`AutoresetMode.NEXT_STEP`, as Gymnasium's own
vector envs do): that step ignores the action of this env, its reward is 0, and it is no transition to learn from.

Options are those of the single env (`help(king_env.seat_env)`), and

* `autoreset_mode="NextStep"`: or `"SameStep"`: an episode that is over begins anew at once; its last observation is in
  `infos["final_obs"]`, its last info in `infos["final_info"]`. Or `"Disabled"`: `reset` is to be called with
  `options={"reset_mask": ...}`. A member of `gymnasium.vector.AutoresetMode` will do as well; it stands in
  `metadata["autoreset_mode"]`.
* `render_mode=None` or `"ansi"`: `render()` returns a text for each env.

Env i is what the single env is after `reset(seed=seed + i)`, step for step, whatever the mode; a list of seeds gives
one to each. Only bots written in Python that draw random numbers play otherwise than there: they are asked about all
games that wait for them at once, and all draw from `np_random`.

`reset(options={"reset_mask": bool[num_envs]})` resets these envs alone and leaves the others where they are. The other
options, `deals` and `dealer`, hold for all envs that are reset.

Arrays are fresh at every call. `envs.unwrapped.action_masks()` (int8[num_envs, 81]) are the masks by themselves,
`seats` the learners' seats (int64[num_envs]), `views()` what bots in their places may be handed (GAME_DTYPE[num_envs]).
A copied or pickled env plays on identically.
"""

from __future__ import annotations

import copy
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from gymnasium.vector import AutoresetMode, VectorEnv
from gymnasium.vector.utils import batch_space

from king_env.aec_env import INT8, OBSERVATION_FORMATS, RESET_OPTIONS, parse_reset_options, space_of_observations
from king_env.bots.compiled import NO_ACTION
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.observation import OBSERVATION_SIZE
from king_env.engine.seats import Seat
from king_env.engine.state import GameRecords
from king_env.episode import OptionError, check_option, check_seed
from king_env.game import IllegalActionError
from king_env.opponents import OpponentChoice
from king_env.render import render_table
from king_env.ruleset import RuleSet, whole_number
from king_env.seat_games import Bits, Flags, Numbers, Rewards, SeatGames

__all__ = ["SeatVectorEnv"]

RENDER_MODES = ("ansi",)
RESET_MASK = "reset_mask"
AUTORESET_MODES = tuple(mode.value for mode in AutoresetMode)


class SeatVectorEnv(VectorEnv[Any, Any, Any]):
    """`num_envs` learners, each among three bots. The module `king_env.seat_vector_env` is its reference page."""

    metadata: dict[str, Any] = {"render_modes": list(RENDER_MODES), "render_fps": 1}

    def __init__(
        self,
        num_envs: int = 1,
        opponents: OpponentChoice = "heuristic",
        seat: Seat | str | None = None,
        ruleset: RuleSet | str | Mapping[str, Any] = "portuguese",
        episode: str = "game",
        contracts: Collection[str] | None = None,
        reward: str = "points",
        observation_format: str = "dict",
        illegal_reward: float | None = None,
        render_mode: str | None = None,
        autoreset_mode: AutoresetMode | str = AutoresetMode.NEXT_STEP,
    ) -> None:
        check_option("observation_format", observation_format, OBSERVATION_FORMATS)
        if render_mode is not None:
            check_option("render_mode", render_mode, RENDER_MODES)
        self.num_envs = whole_number("num_envs", num_envs, 1, error=OptionError)
        self.render_mode = render_mode
        self._mode = _autoreset_mode(autoreset_mode)
        self.metadata = {**type(self).metadata, "autoreset_mode": self._mode}
        self.single_action_space = spaces.Discrete(NUM_ACTIONS)
        self.single_observation_space = space_of_observations(observation_format)
        self.action_space = batch_space(self.single_action_space, self.num_envs)
        self.observation_space = batch_space(self.single_observation_space, self.num_envs)
        self._is_flat = observation_format == "flat"
        self._games = SeatGames(
            self.num_envs, opponents, seat, ruleset, episode, contracts, reward, illegal_reward, can_replay=False
        )
        self._all = np.arange(self.num_envs)
        self._no_actions = np.full(self.num_envs, NO_ACTION, dtype=np.int64)
        self._is_reset = False

    # What Gymnasium asks for

    def reset(
        self, *, seed: int | Sequence[int | None] | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[Any, dict[str, Any]]:
        """Begin episodes in all envs, or those of `options["reset_mask"]`; without a seed the random numbers go on.

        seed: one, from which env i has seed + i, or one for each env, None where it goes on.
        """
        which = self._envs_to_reset(options)
        dealer, deals = parse_reset_options(options, self._games.num_deals, (*RESET_OPTIONS, RESET_MASK))
        seeds = self._seeds(seed)
        self._games.reset(which, None if seeds is None else [seeds[env] for env in which], dealer, deals)
        self._play(which, self._no_actions, *self._new_arrays())
        return self._shown()

    def step(self, actions: npt.ArrayLike) -> tuple[Any, Rewards, Flags, Flags, dict[str, Any]]:
        """Take an action of each learner (ints[num_envs]), and play to its next turn or the end of the episode.

        Returns observations, rewards (float64), terminations (bool), truncations (none) and infos.
        """
        chosen = self._checked_actions(actions)
        observations, masks, rewards, ended = self._new_arrays()
        self._play(self._all, chosen, observations, masks, rewards, ended)
        infos: dict[str, Any] = {}
        if self._mode is AutoresetMode.SAME_STEP and ended.any():
            which = np.flatnonzero(ended)
            infos = self._final_infos(ended, which, observations, masks)
            _, _, no_rewards, not_ended = self._new_arrays()
            self._play(which, self._no_actions, observations, masks, no_rewards, not_ended)
        shown, info_of_masks = self._as_shown(observations, masks)
        return shown, rewards, ended, np.zeros(self.num_envs, dtype=np.bool_), {**infos, **info_of_masks}

    def render(self) -> tuple[str, ...] | None:
        """The tables as the learners see them, under `ansi`."""
        self._check_reset()
        if self.render_mode is None:
            gymnasium.logger.warn("render() shows nothing without a render_mode, which is given when an env is made")
            return None
        views, seats = self._games.views(), self._games.seats.tolist()
        return tuple(render_table(view, seat) for view, seat in zip(views, seats, strict=True))

    # What King adds

    def action_masks(self) -> Bits:
        """What each learner may do (int8[num_envs, 81]), as in the observations."""
        self._check_reset()
        observations, masks, _, _ = self._new_arrays()
        self._games.show(observations.reshape(-1), masks.reshape(-1))
        return masks

    @property
    def seats(self) -> Numbers:
        """The learners' seats in these episodes: int64[num_envs]."""
        self._check_reset()
        return self._games.seats.copy()

    def views(self) -> GameRecords:
        """What bots in the learners' places may be handed (GAME_DTYPE[num_envs])."""
        self._check_reset()
        return self._games.views()

    def __copy__(self) -> SeatVectorEnv:
        """A copy plays on by itself, so it shares nothing."""
        return copy.deepcopy(self)

    def _new_arrays(self) -> tuple[Bits, Bits, Rewards, Flags]:
        observations = np.empty((self.num_envs, OBSERVATION_SIZE), INT8)
        masks = np.empty((self.num_envs, NUM_ACTIONS), INT8)
        return observations, masks, np.empty(self.num_envs), np.empty(self.num_envs, dtype=np.bool_)

    def _play(
        self, which: Numbers, actions: Numbers, observations: Bits, masks: Bits, rewards: Rewards, ended: Flags
    ) -> None:
        self._is_reset = False  # should an opponent fail
        flat = observations.reshape(-1), masks.reshape(-1)
        self._games.play(which, actions, self.np_random, *flat, rewards, ended)
        self._is_reset = True

    def _shown(self) -> tuple[Any, dict[str, Any]]:
        """What all learners see now."""
        observations, masks, _, _ = self._new_arrays()
        self._games.show(observations.reshape(-1), masks.reshape(-1))
        return self._as_shown(observations, masks)

    def _as_shown(self, observations: Bits, masks: Bits) -> tuple[Any, dict[str, Any]]:
        """Observations and infos in the format asked for."""
        if self._is_flat:
            return observations, {"action_mask": masks, "_action_mask": np.ones(self.num_envs, dtype=np.bool_)}
        return {"observation": observations, "action_mask": masks}, {}

    def _final_infos(self, ended: Flags, which: Numbers, observations: Bits, masks: Bits) -> dict[str, Any]:
        """The last observations and infos of the episodes that are over, as Gymnasium's own vector envs give them."""
        final_obs = np.full(self.num_envs, None, dtype=object)
        final_info: dict[str, Any] = {}
        if self._is_flat:
            final_masks = np.zeros_like(masks)
            final_masks[which] = masks[which]
            final_info = {"action_mask": final_masks, "_action_mask": ended.copy()}
        for env in which:
            observation, mask = observations[env].copy(), masks[env].copy()
            final_obs[env] = observation if self._is_flat else {"observation": observation, "action_mask": mask}
        return {
            "final_obs": final_obs,
            "_final_obs": ended.copy(),
            "final_info": final_info,
            "_final_info": ended.copy(),
        }

    def _envs_to_reset(self, options: Mapping[str, Any] | None) -> Numbers:
        mask = None if options is None else options.get(RESET_MASK)
        if mask is None:
            return self._all
        if not isinstance(mask, np.ndarray) or mask.shape != (self.num_envs,) or mask.dtype != np.bool_:
            given = f"{mask.dtype}{list(mask.shape)}" if isinstance(mask, np.ndarray) else f"{mask!r:.40}"
            raise OptionError(f"{RESET_MASK}: must be an array bool[{self.num_envs}], not {given}")
        if not mask.any():
            raise OptionError(f"{RESET_MASK}: must be true for at least one env")
        if not mask.all():
            self._check_reset()
        return np.flatnonzero(mask)

    def _seeds(self, seed: int | Sequence[int | None] | None) -> Sequence[int | None] | None:
        """One for each env, and those of `np_random`, from which bots of Python draw."""
        if isinstance(seed, (list, tuple, np.ndarray)):
            if len(seed) != self.num_envs:
                raise OptionError(f"seed: must be one seed, or one for each of {self.num_envs} envs, not {len(seed)}")
            seeds = [check_seed(one) for one in seed]
            known = [one for one in seeds if one is not None]
            if known:
                self.np_random = np.random.default_rng(known)
            return seeds
        first = check_seed(seed)
        super().reset(seed=first)
        return None if first is None else range(first, first + self.num_envs)

    def _checked_actions(self, actions: npt.ArrayLike) -> Numbers:
        self._check_reset()
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_envs,) or chosen.dtype.kind not in "iu":
            raise OptionError(
                f"actions: must be whole numbers, one for each of {self.num_envs} envs, "
                f"not {chosen.dtype} of shape {list(chosen.shape)}"
            )
        chosen = np.ascontiguousarray(chosen, dtype=np.int64)
        if (chosen.view(np.uint64) >= NUM_ACTIONS).any():  # unsigned, a negative number is a very large one
            self._refuse_no_actions(chosen)
        if self._mode is AutoresetMode.DISABLED and self._games.are_over.any():
            env = int(self._games.are_over.argmax())
            raise gymnasium.error.ResetNeeded(f"env {env}: the episode is over: reset it with {RESET_MASK}")
        return chosen

    def _refuse_no_actions(self, chosen: Numbers) -> None:
        """Some of these are no actions; whose episode is over may be given anything."""
        no_actions = ((chosen < 0) | (chosen >= NUM_ACTIONS)) & ~self._games.are_over
        if no_actions.any():
            env = int(no_actions.argmax())
            raise IllegalActionError(f"env {env}: {chosen[env]} is no action: they are 0 … {NUM_ACTIONS - 1}")

    def _check_reset(self) -> None:
        if not self._is_reset:
            raise gymnasium.error.ResetNeeded(
                "there are no games yet, or an opponent failed: call reset() for all envs"
            )


def _autoreset_mode(mode: AutoresetMode | str) -> AutoresetMode:
    if isinstance(mode, AutoresetMode):
        return mode
    check_option("autoreset_mode", mode, AUTORESET_MODES)
    return AutoresetMode(mode)
