"""BatchEnv: many games at once for self-play, every seat a learner, a finished game dealt anew by itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from king_env.chance import STREAM_WORDS, Streams, begin_game, new_stream, new_streams, shuffle_deal
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.batch import write_mask
from king_env.engine.kernel import entry_point, kernel, scratch_words
from king_env.engine.observation import OBSERVATION_SIZE, write_observation
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import GAME_DTYPE, OVER, TO_DEAL, GameRecord, GameRecords, new_records, seat_to_act
from king_env.engine.step import start_deal, step
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
from king_env.game import IllegalActionError
from king_env.refusals import why_illegal
from king_env.ruleset import RuleSet, make_ruleset, whole_number
from king_env.turns import is_legal, reward_of

RuleSetLike = RuleSet | str | Mapping[str, Any]
Observations = npt.NDArray[np.int8]  # [num_games, OBSERVATION_SIZE]
Masks = npt.NDArray[np.int8]  # [num_games, NUM_ACTIONS]
Seats = npt.NDArray[np.int64]  # [num_games]
Rewards = npt.NDArray[np.float32]  # [num_games, NUM_SEATS]
Flags = npt.NDArray[np.bool_]  # [num_games]
Transition = tuple[Observations, Masks, Seats, Rewards, Flags]
Table = Any  # one element of an array of TABLE_DTYPE
Tables = np.ndarray  # TABLE_DTYPE[num_games]

ALL_LEGAL = -1
INT64 = np.dtype(np.int64)

# What `step_observe` writes: name, shape of one game's share, dtype.
BUFFERS: tuple[tuple[str, tuple[int, ...], Any], ...] = (
    ("observations", (OBSERVATION_SIZE,), np.int8),
    ("masks", (NUM_ACTIONS,), np.int8),
    ("seats", (), np.int64),
    ("rewards", (NUM_SEATS,), np.float32),
    ("ended", (), np.bool_),
)
# Observations, masks and seats for a step after which nobody looks.
NOTHING_OBSERVED = (
    np.zeros((0, OBSERVATION_SIZE), dtype=np.int8),
    np.zeros((0, NUM_ACTIONS), dtype=np.int8),
    np.zeros(0, dtype=np.int64),
)
# What there is to a game at its table besides its record.
TABLE_DTYPE = np.dtype(
    [
        ("stream", np.uint64, (STREAM_WORDS,)),  # the random numbers to come
        ("next_given", np.int64),  # which of the given deals is next
        ("final_scores", np.int64, (NUM_SEATS,)),  # of the game that ended last
        ("reward_kind", np.int64),
        ("deal_ended", np.bool_),  # with the last step
    ],
    align=True,
)
# The arrays that change from step to step.
STATE = ("games", "_tables", "_given")


@kernel
def first_illegal(games: GameRecords, actions: np.ndarray) -> int:
    """The first game whose action is illegal, or ALL_LEGAL."""
    for i in range(len(games)):
        if not is_legal(games[i], actions[i]):
            return i
    return ALL_LEGAL


@kernel
def deal_next(game: GameRecord, table: Table, given: np.ndarray) -> None:
    """Deal the next given cards (int64[deals, 4]), or draw some once those are used up."""
    hands = scratch_words(NUM_SEATS)
    if table["next_given"] < len(given):
        for seat in range(NUM_SEATS):
            hands[seat] = given[table["next_given"], seat]
        table["next_given"] += 1
    else:
        shuffle_deal(table["stream"], hands)
    start_deal(game, hands)


@entry_point
def begin_all(games: GameRecords, tables: Tables, kinds: np.ndarray) -> None:
    """Draw the dealer of each game, and which deal it is if it has one only."""
    for i in range(len(games)):
        begin_game(games[i], tables[i]["stream"], kinds)


@entry_point
def deal_all(games: GameRecords, tables: Tables, given: np.ndarray) -> None:
    """The first deal of each game; given: int64[N, deals, 4]."""
    for i in range(len(games)):
        deal_next(games[i], tables[i], given[i])


@kernel
def end_game(game: GameRecord, table: Table, kinds: np.ndarray) -> None:
    """Keep the scores, and begin anew."""
    for seat in range(NUM_SEATS):
        table["final_scores"][seat] = game["scores"][seat]
    begin_game(game, table["stream"], kinds)


@kernel
def observe_one(game: GameRecord, i: int, observations: np.ndarray, masks: np.ndarray, seats: np.ndarray) -> None:
    """What the seat to act in game i knows and may do, into flat observations and masks."""
    seat = seat_to_act(game)
    seats[i] = seat
    write_observation(game, seat, observations, i * OBSERVATION_SIZE)
    write_mask(game, masks, i * NUM_ACTIONS)


@entry_point
def step_all(
    game_words: np.ndarray,
    table_words: np.ndarray,
    kinds: np.ndarray,
    given: np.ndarray,
    actions: np.ndarray,
    rewards: np.ndarray,
    ended: np.ndarray,
    observations: np.ndarray,
    masks: np.ndarray,
    seats: np.ndarray,
) -> int:
    """One action a game, and what follows by itself: the next deal, or a new game.

    Then what the seat to act knows and may do, unless `seats` is empty. Nothing is done if one action is illegal:
    returns its game, else ALL_LEGAL. Games and tables come as the plain numbers that they are in memory (int64, flat),
    which Python hands over in less time than records.
    """
    games = game_words.view(GAME_DTYPE)
    tables = table_words.view(TABLE_DTYPE)
    illegal = first_illegal(games, actions)
    if illegal != ALL_LEGAL:
        return illegal
    before = scratch_words(NUM_SEATS)
    flat_observations = observations.reshape(-1)
    flat_masks = masks.reshape(-1)
    for i in range(len(games)):
        game, table = games[i], tables[i]
        for seat in range(NUM_SEATS):
            before[seat] = game["scores"][seat]
        step(game, actions[i])
        game_ended = game["phase"] == OVER
        deal_ended = game_ended or game["phase"] == TO_DEAL
        ended[i] = game_ended
        table["deal_ended"] = deal_ended
        for seat in range(NUM_SEATS):
            rewards[i, seat] = reward_of(game, seat, table["reward_kind"], before[seat], deal_ended)
        if deal_ended:
            if game_ended:
                end_game(game, table, kinds)
            deal_next(game, table, given[i])
        if len(seats) > 0:
            observe_one(game, i, flat_observations, flat_masks, seats)
    return ALL_LEGAL


@entry_point
def observe_all(games: GameRecords, observations: np.ndarray, masks: np.ndarray, seats: np.ndarray) -> None:
    """What the seat to act in each game knows and may do."""
    flat_observations = observations.reshape(-1)
    flat_masks = masks.reshape(-1)
    for i in range(len(games)):
        observe_one(games[i], i, flat_observations, flat_masks, seats)


class BatchEnv:
    """`num_games` games at once; whoever is to act in a game is the learner whose observation it gives.

    Options are those of `king_v0.env`: `ruleset` (one for all, or a list of one a game), `episode`, `contracts` and
    `reward`. Game i depends on nothing but its own seed and actions. An illegal action in any game raises
    `IllegalActionError`, and no game has moved.

    After each `step`: `deal_ended` (bool[num_games]) says where a deal was just scored, and `final_scores`
    (int64[num_games, 4]) holds the scores of the games that just ended; both are overwritten by the next step.
    """

    def __init__(
        self,
        num_games: int,
        ruleset: RuleSetLike | Sequence[RuleSetLike] = "portuguese",
        episode: str = "game",
        contracts: Collection[str] | None = None,
        reward: str = "points",
    ) -> None:
        check_option("reward", reward, REWARDS)
        self.num_games = num_games = whole_number("num_games", num_games, 1, error=OptionError)
        self.rulesets = _one_a_game(ruleset, num_games)
        self.episode = episode
        self.reward = reward
        self._games: GameRecords = new_records(num_games)
        for i, rules in enumerate(self.rulesets):
            rules.write_to(self._games[i])
        self._tables: Tables = np.zeros(num_games, dtype=TABLE_DTYPE)
        self._kinds = deal_kinds(episode, contracts)
        self._tables["reward_kind"] = REWARDS.index(reward)
        self._given = np.zeros((num_games, 0, NUM_SEATS), dtype=np.int64)
        self._is_reset = False
        self._checked_buffers: Transition | None = None
        self._prepare_steps()

    @property
    def games(self) -> GameRecords:
        """The records of the games, which may be copied and assigned like any others."""
        return self._games

    @property
    def deal_ended(self) -> Flags:
        """Where the last step ended a deal: bool[num_games]."""
        return self._tables["deal_ended"]

    @property
    def final_scores(self) -> npt.NDArray[np.int64]:
        """The scores of the game that ended last at each table: int64[num_games, 4]."""
        return self._tables["final_scores"]

    def reset(
        self,
        seed: int | Sequence[int] | None = None,
        deals: Sequence[Sequence[Any]] | None = None,
        dealers: Sequence[int] | None = None,
    ) -> None:
        """Begin all games anew, from one seed for all or one a game; without a seed the streams go on.

        `deals` (a list a game of as many deals as an episode has, each as `notation.parse_deal` takes it) and
        `dealers` fix the first game of each; later ones are drawn.
        """
        # All is checked first, so that a refused reset leaves the games as they were.
        streams = self._new_streams(seed)
        given = self._parse_deals(deals)
        given_dealers = None if dealers is None else self._parse_dealers(dealers)
        self._tables["stream"] = streams
        begin_all(self._games, self._tables, self._kinds)
        if given_dealers is not None:
            self._games["dealer"] = given_dealers
        self._given = given
        self._tables["next_given"] = 0
        self._tables["deal_ended"] = False
        self._is_reset = True
        deal_all(self._games, self._tables, self._given)

    def observe(self) -> tuple[Observations, Masks, Seats]:
        """The observation and action mask of the seat to act in each game, and which seat that is; fresh arrays."""
        self._check_reset()
        observations, masks, seats, _, _ = self.buffers()
        observe_all(self._games, observations, masks, seats)
        return observations, masks, seats

    def step(self, actions: npt.ArrayLike) -> tuple[Rewards, Flags]:
        """One action a game (ints[num_games]); rewards of all four seats, and which games ended and were dealt anew."""
        rewards = np.empty((self.num_games, NUM_SEATS), dtype=np.float32)
        ended = np.empty(self.num_games, dtype=np.bool_)
        self._step(actions, rewards, ended, *NOTHING_OBSERVED)
        return rewards, ended

    def step_observe(self, actions: npt.ArrayLike, out: Transition) -> None:
        """`step` and then `observe` in one compiled call, into the caller's `buffers()`.

        out: observations int8[num_games, OBSERVATION_SIZE], masks int8[num_games, NUM_ACTIONS], seats int64[num_games],
        rewards float32[num_games, 4], ended bool[num_games], or slices of larger arrays; each C-contiguous.
        """
        if out is None or out is not self._checked_buffers:
            self._check_buffers(out)
            self._checked_buffers = out if type(out) is tuple else None  # a list may be given other arrays
        observations, masks, seats, rewards, ended = out
        self._step(actions, rewards, ended, observations, masks, seats)

    def buffers(self) -> Transition:
        """Arrays of the right shapes and dtypes for `step_observe`."""
        observations, masks, seats, rewards, ended = (
            np.zeros((self.num_games, *shape), dtype=dtype) for _, shape, dtype in BUFFERS
        )
        return observations, masks, seats, rewards, ended

    def state(self) -> dict[str, npt.NDArray[Any]]:
        """All that changes from step to step, as copies: games, random streams, given deals and flags."""
        return {name: getattr(self, name).copy() for name in STATE}

    def restore(self, state: Mapping[str, npt.NDArray[Any]]) -> None:
        """Go on from what `state` gave, in an env made with the same options."""
        for name in STATE:
            own = getattr(self, name)
            if name != "_given" and (state[name].shape, state[name].dtype) != (own.shape, own.dtype):
                raise OptionError(f"state: {name} is of another env: {state[name].shape}, not {own.shape}")
        self._games[:], self._tables[:], self._given = state["games"], state["_tables"], state["_given"].copy()
        self._tables["reward_kind"] = REWARDS.index(self.reward)  # an option of this env, not a state
        self._is_reset = True

    def _new_streams(self, seed: int | Sequence[int] | None) -> Streams:
        if seed is None and self._is_reset:
            return self._tables["stream"]
        if isinstance(seed, (list, tuple, np.ndarray)):
            if len(seed) != self.num_games:
                raise OptionError(f"seed: must be one seed, or one for each of {self.num_games} games, not {len(seed)}")
            return np.stack([new_stream(check_seed(one)) for one in seed])
        return new_streams(check_seed(seed), self.num_games)

    def _parse_deals(self, deals: Sequence[Sequence[Any]] | None) -> npt.NDArray[np.int64]:
        if deals is None:
            return np.zeros((self.num_games, 0, NUM_SEATS), dtype=np.int64)
        self._check_one_a_game("deals", deals)
        return np.stack([_in_game(i, check_deals, of_game, num_deals(self.episode)) for i, of_game in enumerate(deals)])

    def _parse_dealers(self, dealers: Sequence[int]) -> list[Seat]:
        self._check_one_a_game("dealers", dealers)
        return [_in_game(i, check_dealer, dealer) for i, dealer in enumerate(dealers)]

    def _check_one_a_game(self, option: str, given: Any) -> None:
        if not isinstance(given, (list, tuple, np.ndarray)) or len(given) != self.num_games:
            raise OptionError(f"{option}: must be a list of one for each of {self.num_games} games, not {given!r:.40}")

    def _check_actions(self, actions: npt.ArrayLike) -> npt.NDArray[np.int64]:
        self._check_reset()
        if type(actions) is np.ndarray and actions.shape == self._one_a_game and actions.dtype is INT64:
            return np.ascontiguousarray(actions)
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_games,) or not np.issubdtype(chosen.dtype, np.integer):
            raise OptionError(
                f"actions: must be whole numbers, one for each of {self.num_games} games, "
                f"not {chosen.dtype} of shape {chosen.shape}"
            )
        return np.ascontiguousarray(chosen, dtype=np.int64)

    def _check_buffers(self, out: Transition) -> Transition:
        """Compiled code trusts its arrays, so whatever does not fit is refused here."""
        if len(out) != len(BUFFERS):
            raise OptionError(f"out: must be the {len(BUFFERS)} arrays of buffers(), not {len(out)}")
        for array, (name, shape, dtype) in zip(out, BUFFERS, strict=True):
            wanted = (self.num_games, *shape)
            if not isinstance(array, np.ndarray) or array.shape != wanted or array.dtype != dtype:
                given = f"{array.dtype}{list(array.shape)}" if isinstance(array, np.ndarray) else f"{array!r:.40}"
                raise OptionError(f"out: {name} must be {np.dtype(dtype)}{list(wanted)}, not {given}")
            if not array.flags.c_contiguous or not array.flags.writeable:
                raise OptionError(f"out: {name} must be C-contiguous and writeable")
        return out

    def _prepare_steps(self) -> None:
        """What every step needs, and would take its time to find out."""
        self._game_words, self._table_words = self._games.view(np.int64), self._tables.view(np.int64)
        self._one_a_game = (self.num_games,)
        self._checked_buffers = None

    def __getstate__(self) -> dict[str, Any]:
        """All but second looks at the same memory, which a copy must have at its own."""
        prepared = ("_game_words", "_table_words", "_checked_buffers")
        return {name: value for name, value in self.__dict__.items() if name not in prepared}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare_steps()

    def _step(self, actions: npt.ArrayLike, *out: npt.NDArray[Any]) -> None:
        """`step_all` with these buffers, in its order; an illegal action is refused."""
        chosen = self._check_actions(actions)
        illegal = step_all(self._game_words, self._table_words, self._kinds, self._given, chosen, *out)
        if illegal != ALL_LEGAL:
            reason = _why_refused(self._games[illegal], int(chosen[illegal]))
            raise IllegalActionError(f"game {illegal}: {reason}")

    def _check_reset(self) -> None:
        if not self._is_reset:
            raise RuntimeError("BatchEnv: call reset() first")


def _in_game(number: int, check: Callable[..., Any], *given: Any) -> Any:
    """What a check gives back; a refusal says which game it is about."""
    try:
        return check(*given)
    except OptionError as error:
        raise OptionError(f"game {number}: {error}") from None


def _why_refused(game: GameRecord, action: int) -> str:
    if not 0 <= action < NUM_ACTIONS:
        return f"{action} is no action: they are 0 … {NUM_ACTIONS - 1}"
    return why_illegal(game, action)


def _one_a_game(ruleset: RuleSetLike | Sequence[RuleSetLike], num_games: int) -> tuple[RuleSet, ...]:
    if not isinstance(ruleset, (list, tuple)):
        return (make_ruleset(ruleset),) * num_games  # type: ignore[arg-type]  # which refuses what is none
    if len(ruleset) != num_games:
        raise OptionError(f"ruleset: must be one, or one for each of {num_games} games, not {len(ruleset)}")
    return tuple(make_ruleset(one) for one in ruleset)
