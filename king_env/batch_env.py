"""BatchEnv: many games at once for self-play, every seat a learner, a finished game dealt anew by itself."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from king_env.chance import (
    STREAM_WORDS,
    Stream,
    Streams,
    begin_game,
    begin_games,
    new_stream,
    new_streams,
    shuffle_deal,
)
from king_env.engine.actions import NUM_ACTIONS, Action
from king_env.engine.batch import write_mask
from king_env.engine.kernel import entry_point, kernel
from king_env.engine.observation import OBSERVATION_SIZE, OBSERVATION_WORDS, write_observation
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import OVER, TO_DEAL, GameRecord, GameRecords, new_records
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
from king_env.turns import is_legal, write_rewards

RuleSetLike = RuleSet | str | Mapping[str, Any]
Observations = npt.NDArray[np.int8]  # [num_games, OBSERVATION_SIZE]
Masks = npt.NDArray[np.int8]  # [num_games, NUM_ACTIONS]
Seats = npt.NDArray[np.int64]  # [num_games]
Rewards = npt.NDArray[np.float32]  # [num_games, NUM_SEATS]
Flags = npt.NDArray[np.bool_]  # [num_games]
Transition = tuple[Observations, Masks, Seats, Rewards, Flags]
# Of `step_all`, from games to final_scores.
StepArguments = tuple[
    GameRecords, np.ndarray, int, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray, np.ndarray
]

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
# The arrays that change from step to step.
STATE = ("games", "deal_ended", "final_scores", "_streams", "_given", "_next_given")


@kernel
def first_illegal(games: GameRecords, actions: np.ndarray) -> int:
    """The first game whose action is illegal, or ALL_LEGAL."""
    for i in range(len(games)):
        if not is_legal(games[i], actions[i]):
            return i
    return ALL_LEGAL


@kernel
def deal_next(game: GameRecord, stream: Stream, given: np.ndarray, next_given: int, hands: np.ndarray) -> int:
    """Deal the next given cards, or draw some once those are used up; returns which given deal comes next."""
    if next_given < len(given):
        start_deal(game, given[next_given])
        return next_given + 1
    shuffle_deal(stream, hands)
    start_deal(game, hands)
    return next_given


@entry_point
def deal_all(games: GameRecords, streams: np.ndarray, given: np.ndarray, next_given: np.ndarray) -> None:
    """The first deal of each game; given: int64[N, deals, 4], next_given: int64[N]."""
    hands = np.zeros(NUM_SEATS, dtype=np.int64)
    for i in range(len(games)):
        next_given[i] = deal_next(games[i], streams[i], given[i], next_given[i], hands)


@kernel
def step_one(
    game: GameRecord,
    action: Action,
    reward_kind: int,
    kinds: np.ndarray,
    stream: Stream,
    given: np.ndarray,
    next_given: int,
    rewards: np.ndarray,
    final_scores: np.ndarray,
    before: np.ndarray,
    hands: np.ndarray,
) -> tuple[bool, bool, int]:
    """A legal action, and what follows by itself: the next deal, or a new game; before and hands are scratch.

    Returns whether the game ended, whether a deal ended, and which given deal comes next.
    """
    for seat in range(NUM_SEATS):
        before[seat] = game["scores"][seat]
    step(game, action)
    ended = game["phase"] == OVER
    deal_ended = ended or game["phase"] == TO_DEAL
    write_rewards(game, reward_kind, before, deal_ended, rewards)
    if ended:
        for seat in range(NUM_SEATS):
            final_scores[seat] = game["scores"][seat]
        begin_game(game, stream, kinds)
    if deal_ended:
        next_given = deal_next(game, stream, given, next_given, hands)
    return ended, deal_ended, next_given


@kernel
def observe_one(
    game: GameRecord, i: int, observations: np.ndarray, masks: np.ndarray, seats: np.ndarray, words: np.ndarray
) -> None:
    """What the seat to act in game i knows and may do, into flat observations and masks; words is scratch."""
    seat = int(game["turn"])
    seats[i] = seat
    write_observation(game, seat, words, observations, i * OBSERVATION_SIZE)
    write_mask(game, masks, i * NUM_ACTIONS)


@entry_point
def step_all(
    games: GameRecords,
    actions: np.ndarray,
    reward_kind: int,
    kinds: np.ndarray,
    streams: np.ndarray,
    given: np.ndarray,
    next_given: np.ndarray,
    deal_ended: np.ndarray,
    final_scores: np.ndarray,
    rewards: np.ndarray,
    ended: np.ndarray,
    observations: np.ndarray,
    masks: np.ndarray,
    seats: np.ndarray,
) -> int:
    """`step_one` in every game, and then what the seat to act in it knows and may do, unless `seats` is empty.

    Nothing is done if one action is illegal: returns its game, else ALL_LEGAL.
    """
    illegal = first_illegal(games, actions)
    if illegal != ALL_LEGAL:
        return illegal
    before = np.zeros(NUM_SEATS, dtype=np.int64)
    hands = np.zeros(NUM_SEATS, dtype=np.int64)
    words = np.zeros(OBSERVATION_WORDS, dtype=np.int64)
    flat_observations = observations.reshape(-1)
    flat_masks = masks.reshape(-1)
    for i in range(len(games)):
        ended[i], deal_ended[i], next_given[i] = step_one(
            games[i],
            actions[i],
            reward_kind,
            kinds,
            streams[i],
            given[i],
            next_given[i],
            rewards[i],
            final_scores[i],
            before,
            hands,
        )
        if len(seats) > 0:
            observe_one(games[i], i, flat_observations, flat_masks, seats, words)
    return ALL_LEGAL


@entry_point
def observe_all(games: GameRecords, observations: np.ndarray, masks: np.ndarray, seats: np.ndarray) -> None:
    """What the seat to act in each game knows and may do."""
    flat_observations = observations.reshape(-1)
    flat_masks = masks.reshape(-1)
    words = np.zeros(OBSERVATION_WORDS, dtype=np.int64)
    for i in range(len(games)):
        observe_one(games[i], i, flat_observations, flat_masks, seats, words)


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
        self.deal_ended: Flags = np.zeros(num_games, dtype=np.bool_)
        self.final_scores = np.zeros((num_games, NUM_SEATS), dtype=np.int64)
        self._kinds = deal_kinds(episode, contracts)
        self._reward_kind = REWARDS.index(reward)
        self._streams = np.zeros((num_games, STREAM_WORDS), dtype=np.uint64)
        self._given = np.zeros((num_games, 0, NUM_SEATS), dtype=np.int64)
        self._next_given = np.zeros(num_games, dtype=np.int64)
        self._is_reset = False

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
        self._streams[:] = streams
        begin_games(self.games, self._streams, self._kinds)
        if given_dealers is not None:
            self.games["dealer"] = given_dealers
        self._given = given
        self._next_given[:] = 0
        self.deal_ended[:] = False
        self._is_reset = True
        deal_all(self.games, self._streams, self._given, self._next_given)

    def observe(self) -> tuple[Observations, Masks, Seats]:
        """The observation and action mask of the seat to act in each game, and which seat that is; fresh arrays."""
        self._check_reset()
        observations, masks, seats, _, _ = self.buffers()
        observe_all(self.games, observations, masks, seats)
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
            return self._streams
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
        return (
            self.games,
            actions,
            self._reward_kind,
            self._kinds,
            self._streams,
            self._given,
            self._next_given,
            self.deal_ended,
            self.final_scores,
        )

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
