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
from king_env.engine.state import OVER, TO_DEAL, GameRecord, GameRecords, new_records
from king_env.engine.step import is_among, legal_actions, start_deal, step
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
from king_env.turns import reward_of

RuleSetLike = RuleSet | str | Mapping[str, Any]
Observations = npt.NDArray[np.int8]  # [num_games, OBSERVATION_SIZE]
Masks = npt.NDArray[np.int8]  # [num_games, NUM_ACTIONS]
Seats = npt.NDArray[np.int64]  # [num_games]
Rewards = npt.NDArray[np.float32]  # [num_games, NUM_SEATS]
Flags = npt.NDArray[np.bool_]  # [num_games]
Transition = tuple[Observations, Masks, Seats, Rewards, Flags]
Table = Any  # one element of an array of TABLE_DTYPE
Tables = np.ndarray  # TABLE_DTYPE[num_games]
StepArguments = tuple[GameRecords, Tables, np.ndarray, int, np.ndarray, np.ndarray]  # of `step_all`, from games to given

ALL_LEGAL = -1

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
        ("legal_cards", np.int64),  # what the seat to act may do
        ("legal_calls", np.int64),
        ("next_given", np.int64),  # which of the given deals is next
        ("final_scores", np.int64, (NUM_SEATS,)),  # of the game that ended last
        ("deal_ended", np.bool_),  # with the last step
    ],
    align=True,
)
# The arrays that change from step to step.
STATE = ("games", "_tables", "_given")


@kernel
def first_illegal(tables: Tables, actions: np.ndarray) -> int:
    """The first game whose action is illegal, or ALL_LEGAL."""
    for i in range(len(tables)):
        if not is_among(actions[i], tables[i]["legal_cards"], tables[i]["legal_calls"]):
            return i
    return ALL_LEGAL


@kernel
def note_legal_actions(game: GameRecord, table: Table) -> None:
    """Keep what the seat to act may do: its mask is made of it, and its action held against it."""
    table["legal_cards"], table["legal_calls"] = legal_actions(game)


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
        note_legal_actions(games[i], tables[i])


@kernel
def end_game(game: GameRecord, table: Table, kinds: np.ndarray) -> None:
    """Keep the scores, and begin anew."""
    for seat in range(NUM_SEATS):
        table["final_scores"][seat] = game["scores"][seat]
    begin_game(game, table["stream"], kinds)


@kernel
def observe_one(
    game: GameRecord, table: Table, i: int, observations: np.ndarray, masks: np.ndarray, seats: np.ndarray
) -> None:
    """What the seat to act in game i knows and may do, into flat observations and masks."""
    seat = int(game["turn"])
    seats[i] = seat
    write_observation(game, seat, observations, i * OBSERVATION_SIZE)
    write_mask(table["legal_cards"], table["legal_calls"], masks, i * NUM_ACTIONS)


@entry_point
def step_all(
    games: GameRecords,
    tables: Tables,
    actions: np.ndarray,
    reward_kind: int,
    kinds: np.ndarray,
    given: np.ndarray,
    rewards: np.ndarray,
    ended: np.ndarray,
    observations: np.ndarray,
    masks: np.ndarray,
    seats: np.ndarray,
) -> int:
    """One action a game, and what follows by itself: the next deal, or a new game.

    Then what the seat to act knows and may do, unless `seats` is empty. Nothing is done if one action is illegal:
    returns its game, else ALL_LEGAL.
    """
    illegal = first_illegal(tables, actions)
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
            rewards[i, seat] = reward_of(game, seat, reward_kind, before[seat], deal_ended)
        if deal_ended:
            if game_ended:
                end_game(game, table, kinds)
            deal_next(game, table, given[i])
        note_legal_actions(game, table)
        if len(seats) > 0:
            observe_one(game, table, i, flat_observations, flat_masks, seats)
    return ALL_LEGAL


@entry_point
def observe_all(
    games: GameRecords, tables: Tables, observations: np.ndarray, masks: np.ndarray, seats: np.ndarray
) -> None:
    """What the seat to act in each game knows and may do."""
    flat_observations = observations.reshape(-1)
    flat_masks = masks.reshape(-1)
    for i in range(len(games)):
        observe_one(games[i], tables[i], i, flat_observations, flat_masks, seats)


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
        self.games: GameRecords = new_records(num_games)
        for i, rules in enumerate(self.rulesets):
            rules.write_to(self.games[i])
        self._tables: Tables = np.zeros(num_games, dtype=TABLE_DTYPE)
        self._kinds = deal_kinds(episode, contracts)
        self._reward_kind = REWARDS.index(reward)
        self._given = np.zeros((num_games, 0, NUM_SEATS), dtype=np.int64)
        self._is_reset = False

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
        begin_all(self.games, self._tables, self._kinds)
        if given_dealers is not None:
            self.games["dealer"] = given_dealers
        self._given = given
        self._tables["next_given"] = 0
        self._tables["deal_ended"] = False
        self._is_reset = True
        deal_all(self.games, self._tables, self._given)

    def observe(self) -> tuple[Observations, Masks, Seats]:
        """The observation and action mask of the seat to act in each game, and which seat that is; fresh arrays."""
        self._check_reset()
        observations, masks, seats, _, _ = self.buffers()
        observe_all(self.games, self._tables, observations, masks, seats)
        return observations, masks, seats

    def step(self, actions: npt.ArrayLike) -> tuple[Rewards, Flags]:
        """One action a game (ints[num_games]); rewards of all four seats, and which games ended and were dealt anew."""
        rewards = np.empty((self.num_games, NUM_SEATS), dtype=np.float32)
        ended = np.empty(self.num_games, dtype=np.bool_)
        chosen = self._check_actions(actions)
        self._refuse_illegal(step_all(*self._what_steps(chosen), rewards, ended, *NOTHING_OBSERVED), chosen)
        return rewards, ended

    def step_observe(self, actions: npt.ArrayLike, out: Transition) -> None:
        """`step` and then `observe` in one compiled call, into the caller's `buffers()`.

        out: observations int8[num_games, OBSERVATION_SIZE], masks int8[num_games, NUM_ACTIONS], seats int64[num_games],
        rewards float32[num_games, 4], ended bool[num_games], or slices of larger arrays; each C-contiguous.
        """
        observations, masks, seats, rewards, ended = self._check_buffers(out)
        chosen = self._check_actions(actions)
        illegal = step_all(*self._what_steps(chosen), rewards, ended, observations, masks, seats)
        self._refuse_illegal(illegal, chosen)

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
        for name in STATE:
            setattr(self, name, state[name].copy())
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

    def _what_steps(self, actions: npt.NDArray[np.int64]) -> StepArguments:
        """The first arguments of `step_all`."""
        return self.games, self._tables, actions, self._reward_kind, self._kinds, self._given

    def _refuse_illegal(self, game: int, actions: npt.NDArray[np.int64]) -> None:
        if game != ALL_LEGAL:
            raise IllegalActionError(f"game {game}: {_why_refused(self.games[game], int(actions[game]))}")

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
