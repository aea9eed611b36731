"""The PettingZoo AEC env: one game at a time, four agents, one agent acting at a time.

`KingAECEnv` is the raw env. `CheckedKingEnv` refuses misuse as PettingZoo's own wrappers do, at a tenth of their cost.
"""

from __future__ import annotations

import copy
import math
import sys
from collections import OrderedDict
from collections.abc import Callable, Collection, Mapping
from typing import Any, NoReturn

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.env import AECIterable, AECIterator
from pettingzoo.utils.env_logger import EnvLogger

from king_env.chance import Stream, new_stream
from king_env.engine import batch
from king_env.engine.actions import NUM_ACTIONS, Action
from king_env.engine.cards import CARD_BIT, NUM_CARDS
from king_env.engine.observation import OBSERVATION_SIZE
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import GameRecords, new_records
from king_env.episode import (
    REWARDS,
    OptionError,
    check_dealer,
    check_deals,
    check_option,
    check_seed,
    deal_kinds,
    num_deals,
)
from king_env.game import Game, IllegalActionError, redrawn_deals
from king_env.records import RecordPath, append_games, check_appendable
from king_env.refusals import why_illegal
from king_env.render import render_table, shows_colour
from king_env.ruleset import RuleSet, make_ruleset
from king_env.turns import (
    DEAL_OVER,
    DESK_DTYPE,
    DRAWN,
    ILLEGAL,
    REWARDED,
    begin_episode,
    observe_mask,
    observe_seat,
    take_action,
)
from king_env.worlds import sample_hidden, stream_of

AgentID = str
Bits = npt.NDArray[np.int8]


AGENTS: tuple[AgentID, ...] = tuple(f"player_{seat}" for seat in range(NUM_SEATS))
SEAT_OF_AGENT = {agent: seat for seat, agent in enumerate(AGENTS)}
PLAYER_0, PLAYER_1, PLAYER_2, PLAYER_3 = AGENTS
NO_REWARDS = dict.fromkeys(AGENTS, 0.0)
NO_ACTION: Action = -1
INT8 = np.dtype(np.int8)  # every turn makes arrays of it, and finding it by its class would take as long as that

OBSERVATION_FORMATS = ("dict", "flat")
RENDER_MODES = ("human", "ansi", "rgb_array")
RESET_OPTIONS = ("deals", "dealer")
# PettingZoo's own checks pass this key to `reset` to see that it takes options at all.
CHECKERS_OPTION = "options"
# What `reset` sets, and nobody may read before.
SET_BY_RESET = ("rewards", "terminations", "truncations", "infos", "agent_selection", "num_agents", "agents")
# An illegal action costs as much as taking everything in all six negative deals, under "placement" as the last place.
ILLEGAL_REWARDS = {"points": -1300.0, "deal": -1300.0, "placement": -1.0}

# The global state: what player_0 sees, the hands that it does not see, and what the seat to act may do.
STATE_HANDS_AT = OBSERVATION_SIZE
STATE_MASK_AT = STATE_HANDS_AT + (NUM_SEATS - 1) * NUM_CARDS
STATE_SIZE = STATE_MASK_AT + NUM_ACTIONS


class KingAECEnv(AECEnv[AgentID, Any, Any]):  # type: ignore[misc]  # PettingZoo has no types
    """King for PettingZoo, without checks of the order of calls. `king_v0` is its reference page."""

    metadata: dict[str, Any] = {
        "name": "king_v0",
        "render_modes": list(RENDER_MODES),
        "is_parallelizable": False,
        "render_fps": 1,
    }

    def __init__(
        self,
        ruleset: RuleSet | str | Mapping[str, Any] = "portuguese",
        episode: str = "game",
        contracts: Collection[str] | None = None,
        reward: str = "points",
        observation_format: str = "dict",
        illegal_reward: float | None = None,
        render_mode: str | None = None,
        record: RecordPath | None = None,
    ) -> None:
        super().__init__()
        check_option("reward", reward, REWARDS)
        check_option("observation_format", observation_format, OBSERVATION_FORMATS)
        if render_mode is not None:
            check_option("render_mode", render_mode, RENDER_MODES)
        if render_mode == "rgb_array":
            picture_drawer()  # says at once what is missing
        self.ruleset = make_ruleset(ruleset)
        self.episode = episode
        self.reward = reward
        self.observation_format = observation_format
        self.illegal_reward = penalty(reward, illegal_reward)
        self.render_mode = render_mode
        self._games_file = None if record is None else check_appendable(record)
        self._is_recorded = False
        self.possible_agents = list(AGENTS)
        self.observation_spaces = {agent: space_of_observations(observation_format) for agent in AGENTS}
        self.action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in AGENTS}
        self.state_space = spaces.Box(0, 1, (STATE_SIZE,), np.int8)
        self._masks_in_infos = observation_format == "flat"
        self._kinds = deal_kinds(episode, contracts)
        self._num_deals = num_deals(episode)
        self._unplayed = new_records(1)
        self.ruleset.write_to(self._unplayed)
        self._stream: Stream | None = None

    # What PettingZoo asks for

    def observation_space(self, agent: AgentID) -> spaces.Space[Any]:
        """The same space object for an agent at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: AgentID) -> spaces.Space[Any]:
        """The same space object for an agent at every call."""
        return self.action_spaces[agent]

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """Begin an episode; without a seed the random numbers go on where they are.

        Options, for this episode alone: `deals`, a list of as many deals as the episode has, each PBN text or an int
        array [4, 13] of cards; `dealer`, the seat that deals first.
        """
        dealer, given = parse_reset_options(options, self._num_deals)
        if seed is not None or self._stream is None:
            self._stream = new_stream(check_seed(seed))
        self._deals = np.empty((self._num_deals, NUM_SEATS), dtype=np.int64) if given is None else given
        self._clear_desk(self._unplayed)
        begin_episode(self._games, self._stream, self._kinds, dealer, given is not None, self._deals)
        self._first_dealer, self._first_deal = int(self._games["dealer"][0]), int(self._games["deal"][0])
        self._actions: list[Action] = []
        self._scores_by_deal: list[list[int]] = []
        self._game: Game | None = None
        self._is_recorded = self._games_file is not None
        self._is_paid = False  # by the last action
        self._foreseen_by: AgentID | None = None
        self._foreseen: Any = None
        self.agents = list(AGENTS)
        self.rewards = dict.fromkeys(AGENTS, 0.0)
        self._cumulative_rewards = dict.fromkeys(AGENTS, 0.0)
        self.terminations = dict.fromkeys(AGENTS, False)
        self.truncations = dict.fromkeys(AGENTS, False)
        self.infos: dict[AgentID, dict[str, Any]] = {agent: {} for agent in AGENTS}
        self._skip_agent_selection: AgentID | None = None
        self.agent_selection = self._agent_to_act()
        if self._masks_in_infos:
            for agent in AGENTS:
                self._renew_info(agent)
        self._show_people()

    def step(self, action: Any) -> None:
        """Take the action of the agent to act; an illegal one raises `IllegalActionError` and changes nothing."""
        agent = self.agent_selection
        if self.terminations[agent] or self.truncations[agent]:
            self._was_dead_step(action)
            return
        if not self._act(agent, action):
            if not self._is_action(agent, action):
                raise IllegalActionError(f"{action!r} is no action: they are whole numbers 0 … {NUM_ACTIONS - 1}")
            raise IllegalActionError(why_illegal(self._games[0], int(action)))

    def observe(self, agent: AgentID) -> Any:
        """What an agent knows, in fresh arrays; for every agent at any time, also when the episode is over.

        A dict of `observation` (int8[OBSERVATION_SIZE]) and `action_mask` (int8[NUM_ACTIONS]); under `flat` the first.
        """
        if agent == self._foreseen_by:
            self._foreseen_by = None  # whoever asks again gets arrays of its own
            return self._foreseen
        observation, mask = np.empty(OBSERVATION_SIZE, INT8), np.empty(NUM_ACTIONS, INT8)
        observe_seat(self._desk, _seat(agent), observation, mask)
        return observation if self._masks_in_infos else {"observation": observation, "action_mask": mask}

    def last(self, observe: bool = True) -> tuple[Any, float, bool, bool, dict[str, Any]]:
        """What the agent to act needs: observation, rewards since it acted, terminated, truncated, info."""
        agent = self.agent_selection
        if observe and agent == self._foreseen_by:  # as it is at almost every turn
            self._foreseen_by = None
            observation = self._foreseen
        else:
            observation = self.observe(agent) if observe else None
        return (
            observation,
            self._cumulative_rewards[agent],
            self.terminations[agent],
            self.truncations[agent],
            self.infos[agent],
        )

    def state(self) -> Bits:
        """The global view: player_0's observation, the hands of the others, the mask of the agent to act."""
        state = np.empty(STATE_SIZE, np.int8)
        observation, hands, mask = np.split(state, (STATE_HANDS_AT, STATE_MASK_AT))
        observe_seat(self._desk, 0, observation, mask)
        hands[:] = (self._games["hands"][0, 1:, np.newaxis] & CARD_BIT != 0).reshape(-1)
        observe_mask(self._desk, int(self._games["turn"][0]), mask)
        return state

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """The table: printed under `human`, returned as text under `ansi`, as uint8[800, 1200, 3] under `rgb_array`.

        As text it is what the agent to act sees; the picture, which is for people who watch, shows all hands, seat 0
        below. A notebook shows the array as the picture that it is.
        """
        if self.render_mode is None:
            gymnasium.logger.warn("render() shows nothing without a render_mode, which is given when an env is made")
            return None
        if self.render_mode == "rgb_array":
            return self._picture()
        self._show_people()
        return self._table() if self.render_mode == "ansi" else None

    def close(self) -> None:
        """Nothing is held open."""

    # What King adds

    @property
    def game(self) -> Game:
        """The game being played, every hand open: it follows the env. Play by `step`, not in it."""
        self._check_reset()
        self._foreseen_by = None  # should somebody lay the cards otherwise
        if self._game is None:
            self._game = Game(self.ruleset, list(self._deals), self._first_dealer, self._first_deal, self._num_deals)
            self._game.record = self._games
            self._game.actions = self._actions
            self._game.scores_by_deal = self._scores_by_deal
        return self._game

    def view(self, agent: AgentID) -> GameRecords:
        """What a bot in this agent's place may be handed: a copy of the game's record without the other hands."""
        self._check_reset()
        view = self._games.copy()
        batch.hide_hands(view, np.array([_seat(agent)], dtype=np.int64))
        return view

    def determinize(self, agent: AgentID, seed: int | None = None) -> KingAECEnv:
        """An env of its own that this agent cannot tell from this one, for a search of yours.

        The cards that the agent does not see are drawn uniformly from all that is possible, and the deals to come anew.
        """
        self._check_reset()
        rng = np.random.default_rng(check_seed(seed))
        world = copy.deepcopy(self)
        world._game, world._foreseen_by = None, None
        world._games_file = None  # nobody has played there
        sample_hidden(self.view(agent), rng, world._games)
        world._deals = redrawn_deals(self._deals, len(self._scores_by_deal), world._games, rng)
        world._stream = stream_of(rng)
        if self._masks_in_infos and self.agents:
            world._renew_info(self.agent_selection)
        return world

    def _check_reset(self) -> None:
        if self._stream is None:
            raise RuntimeError("there is no game yet: call reset() first")

    def _clear_desk(self, games: GameRecords) -> None:
        """Put a game (one record) where the compiled code plays it; `_games` is the record there."""
        desk = np.zeros(1, DESK_DTYPE)
        desk["game"] = games
        desk["reward_kind"] = REWARDS.index(self.reward)
        self._desk = desk.view(np.int64)
        self._games: GameRecords = desk["game"]
        self._step_rewards = desk["rewards"][0]

    def __getstate__(self) -> dict[str, Any]:
        """All but the desk, of which the parts would come apart."""
        return {name: value for name, value in self.__dict__.items() if name not in ("_desk", "_step_rewards")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        if self._stream is not None:
            self._clear_desk(self._games)
            if self._game is not None:
                self._game.record = self._games

    def __copy__(self) -> KingAECEnv:
        """A copy plays on by itself, so it shares nothing."""
        return copy.deepcopy(self)

    def __deepcopy__(self, memo: dict[int, Any]) -> KingAECEnv:
        """As any copy, but the game that is on is for the original to record: copies try things out."""
        twin: KingAECEnv = object.__new__(type(self))
        memo[id(self)] = twin
        twin.__setstate__(copy.deepcopy(self.__getstate__(), memo))
        twin._is_recorded = False
        return twin

    def _is_action(self, agent: AgentID, action: Any) -> bool:
        """Whether it is in the action space, legal now or not."""
        return bool(self.action_spaces[agent].contains(action))

    def _act(self, agent: AgentID, action: Any) -> bool:
        """Play an action if it is one and legal, and say whether it was."""
        if type(action) is not int:
            action = int(action) if self._is_action(agent, action) else NO_ACTION
        elif not 0 <= action < NUM_ACTIONS:
            return False
        observation, mask = np.empty(OBSERVATION_SIZE, INT8), np.empty(NUM_ACTIONS, INT8)
        outcome = take_action(self._desk, action, observation, mask)
        if outcome == ILLEGAL:
            return False
        self._actions.append(action)
        self._cumulative_rewards[agent] = 0.0  # what it had been told of before is settled
        if not 0 <= outcome < REWARDED:
            self._pay()
        elif self._is_paid:
            self.rewards = NO_REWARDS.copy()
            self._is_paid = False
        if outcome >= 0:
            self.agent_selection = turn = AGENTS[outcome & 3]
            if self._game is None:
                self._foreseen_by = turn
                self._foreseen = (
                    observation if self._masks_in_infos else {"observation": observation, "action_mask": mask}
                )
        else:
            self._foreseen_by = None
            self._end_deal(outcome)
        if self._masks_in_infos:
            self.infos[agent] = {"action_mask": np.zeros(NUM_ACTIONS, np.int8)}
            self._renew_info(self.agent_selection)
        if self.render_mode is not None:
            self._show_people()
        return True

    def _end_deal(self, outcome: int) -> None:
        """Note what the deal brought, and deal the next or end the episode."""
        self._scores_by_deal.append(self._games["deal_scores"][0].tolist())
        if outcome == DEAL_OVER:
            deal = len(self._scores_by_deal)
            batch.start_deals(self._games, self._deals[deal : deal + 1])
            self.agent_selection = self._agent_to_act()
        else:
            self.terminations = dict.fromkeys(self.agents, True)
            self._deads_step_first()
            if self._is_recorded:
                self._write_down()

    def _write_down(self) -> None:
        """Add the game, which is over, to the file of games."""
        assert self._games_file is not None, "only a game with a file is recorded"
        append_games(self._games_file, [self.game.to_record()])

    def _table(self) -> str:
        """The table as the agent to act sees it, the hands of the others hidden."""
        return render_table(self._games[0], int(self._games["turn"][0]), shows_colour(sys.stdout))

    def _picture(self) -> npt.NDArray[np.uint8]:
        """The table from above, all hands open."""
        return picture_drawer()(self._games[0])

    def _show_people(self) -> None:
        if self.render_mode == "human":
            print(self._table())

    def _agent_to_act(self) -> AgentID:
        return AGENTS[self._games["turn"][0]]

    def _pay(self) -> None:
        """Enter the rewards of this step."""
        reward_0, reward_1, reward_2, reward_3 = self._step_rewards.tolist()
        self.rewards = {PLAYER_0: reward_0, PLAYER_1: reward_1, PLAYER_2: reward_2, PLAYER_3: reward_3}
        self._is_paid = True
        since_acted = self._cumulative_rewards
        since_acted[PLAYER_0] += reward_0
        since_acted[PLAYER_1] += reward_1
        since_acted[PLAYER_2] += reward_2
        since_acted[PLAYER_3] += reward_3

    def _renew_info(self, agent: AgentID) -> None:
        """Put the agent's action mask into its info (`flat` format)."""
        mask = np.empty(NUM_ACTIONS, np.int8)
        observe_mask(self._desk, SEAT_OF_AGENT[agent], mask)
        self.infos[agent] = {"action_mask": mask}

    def _clear_rewards(self) -> None:
        """As PettingZoo's, but rewards stay floats."""
        self.rewards = dict.fromkeys(self.rewards, 0.0)


class CheckedKingEnv(KingAECEnv):
    """King with the checks of PettingZoo's OrderEnforcing, AssertOutOfBounds and TerminateIllegal wrappers.

    An illegal action ends the episode: it costs its agent `illegal_reward`, and the others nothing.
    """

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._is_reset = False
        self._has_moved = False  # since `agent_iter` last named an agent

    @property
    def num_agents(self) -> int:
        """How many agents are still in the episode."""
        if not self._is_reset:
            raise AttributeError("num_agents cannot be accessed before reset")
        return len(self.agents)

    def reset(self, seed: int | None = None, options: Mapping[str, Any] | None = None) -> None:
        """As `KingAECEnv.reset`."""
        super().reset(seed, options)
        self._is_reset = True
        self._has_moved = True

    def step(self, action: Any) -> None:
        """Take the action of the agent to act, None for one that is done; an illegal action ends the episode."""
        if not self._is_reset:
            EnvLogger.error_step_before_reset()
        self._has_moved = True
        if not self.agents:
            EnvLogger.warn_step_after_terminated_truncated()
            return
        agent = self.agent_selection
        is_done = self.terminations[agent] or self.truncations[agent]
        if is_done:
            if action is not None:
                self._check_is_action(agent, action)
            self._was_dead_step(action)
        elif not self._act(agent, action):
            self._check_is_action(agent, action)
            self._end_on_illegal_action(agent)

    def observe(self, agent: AgentID) -> Any:
        """As `KingAECEnv.observe`."""
        if not self._is_reset:
            EnvLogger.error_observe_before_reset()
        return KingAECEnv.observe(self, agent)  # every turn comes here, and super() would take its time

    def state(self) -> Bits:
        """As `KingAECEnv.state`."""
        if not self._is_reset:
            EnvLogger.error_state_before_reset()
        return super().state()

    def render(self) -> str | npt.NDArray[np.uint8] | None:
        """As `KingAECEnv.render`."""
        if not self._is_reset:
            EnvLogger.error_render_before_reset()
        return super().render()

    def agent_iter(self, max_iter: int = 2**63) -> AECIterable[AgentID, Any, Any]:
        """The agent to act, again and again; refuses to go on without a step between."""
        if not self._is_reset:
            EnvLogger.error_agent_iter_before_reset()
        return OrderedIterable(self, max_iter)

    def _check_is_action(self, agent: AgentID, action: Any) -> None:
        if not self._is_action(agent, action):
            raise AssertionError("action is not in action space")

    def _end_on_illegal_action(self, agent: AgentID) -> None:
        """End the episode for all; only the agent pays, whatever it had been told of before."""
        EnvLogger.warn_on_illegal_move()
        self._cumulative_rewards[agent] = 0.0
        self.terminations = dict.fromkeys(self.agents, True)
        self.truncations = dict.fromkeys(self.agents, True)
        self.rewards = dict.fromkeys(self.agents, 0.0)
        self.rewards[agent] = self.illegal_reward
        self._accumulate_rewards()
        self._deads_step_first()


class SetByReset:
    """Stands in the class for an attribute that `reset` gives its envs, and refuses whoever asks before.

    A method `__getattr__` would refuse as well, but make looking up any attribute slow.
    """

    def __init__(self, name: str) -> None:
        self.name = name

    def __get__(self, env: object, owner: type | None = None) -> NoReturn:
        raise AttributeError(f"{self.name} cannot be accessed before reset")


# Each of them is found in the class only as long as an env has none of its own.
for _name in set(SET_BY_RESET) - set(vars(CheckedKingEnv)):
    setattr(CheckedKingEnv, _name, SetByReset(_name))


class OrderedIterable(AECIterable[AgentID, Any, Any]):  # type: ignore[misc]
    """What `CheckedKingEnv.agent_iter` gives; the stock one asks for the stock wrapper."""

    def __iter__(self) -> OrderedIterator:
        return OrderedIterator(self.env, self.max_iter)


class OrderedIterator(AECIterator[AgentID, Any, Any]):  # type: ignore[misc]
    """Names the agent to act, provided that the env has moved since the last one."""

    env: CheckedKingEnv

    def __next__(self) -> AgentID:
        env = self.env
        if not env.agents or self.iters_til_term <= 0:
            raise StopIteration
        self.iters_til_term -= 1
        if not env._has_moved:
            raise AssertionError("need to call step() or reset() in a loop over `agent_iter`")
        env._has_moved = False
        return env.agent_selection


def space_of_observations(observation_format: str) -> spaces.Space[Any]:
    """A fresh space; seeds of one agent's do not touch another's."""
    observation = spaces.Box(0, 1, (OBSERVATION_SIZE,), np.int8)
    if observation_format == "flat":
        return observation
    mask = spaces.Box(0, 1, (NUM_ACTIONS,), np.int8)
    return spaces.Dict(OrderedDict(observation=observation, action_mask=mask))  # a plain dict would be sorted


def picture_drawer() -> Callable[..., npt.NDArray[np.uint8]]:
    """`draw_table`, loaded only where it is wanted: it needs an extra."""
    from king_env.picture import draw_table

    return draw_table


def _seat(agent: AgentID) -> Seat:
    try:
        return SEAT_OF_AGENT[agent]
    except KeyError:
        raise OptionError(f"unknown agent {agent!r}; known: {', '.join(AGENTS)}") from None


def penalty(reward: str, illegal_reward: Any) -> float:
    """What an illegal action costs its agent; None: as usual where rewards are of this kind."""
    if illegal_reward is None:
        return ILLEGAL_REWARDS[reward]
    try:
        number = float(illegal_reward)
    except (TypeError, ValueError):
        number = math.nan
    if not math.isfinite(number):
        raise OptionError(f"illegal_reward: must be a number or None, not {illegal_reward!r}")
    return number


def parse_reset_options(
    options: Mapping[str, Any] | None, num_deals: int, known: Collection[str] = RESET_OPTIONS
) -> tuple[Seat, npt.NDArray[np.int64] | None]:
    """The dealer (or DRAWN) and the deals (or None) that `reset` was given; known: what it may be given."""
    if not options:
        return DRAWN, None
    for key in options:
        if key not in known and key != CHECKERS_OPTION:
            raise OptionError(f"unknown option of reset {key!r}; known: {', '.join(known)}")
    dealer, deals = options.get("dealer"), options.get("deals")
    return DRAWN if dealer is None else check_dealer(dealer), None if deals is None else check_deals(deals, num_deals)
