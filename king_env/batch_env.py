"""BatchEnv: many games at once for self-play, every seat a learner, a finished game dealt anew by itself."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from king_env.chance import STREAM_WORDS, Stream, begin_game, begin_games, new_stream, new_streams, shuffle_deal
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.batch import write_mask
from king_env.engine.kernel import entry_point, kernel
from king_env.engine.observation import OBSERVATION_SIZE, OBSERVATION_WORDS, write_observation
from king_env.engine.seats import NUM_SEATS
from king_env.engine.state import OVER, TO_DEAL, GameRecord, GameRecords, new_records
from king_env.engine.step import start_deal, step
from king_env.episode import REWARDS, OptionError, check_option, deal_kinds, num_deals
from king_env.game import IllegalActionError
from king_env.notation import parse_deal
from king_env.refusals import why_illegal
from king_env.ruleset import RuleSet, make_ruleset
from king_env.turns import is_legal, write_rewards

RuleSetLike = RuleSet | str | Mapping[str, Any]
Observations = npt.NDArray[np.int8]  # [num_games, OBSERVATION_SIZE]
Masks = npt.NDArray[np.int8]  # [num_games, NUM_ACTIONS]
Seats = npt.NDArray[np.int64]  # [num_games]
Rewards = npt.NDArray[np.float32]  # [num_games, NUM_SEATS]
Flags = npt.NDArray[np.bool_]  # [num_games]
Transition = tuple[Observations, Masks, Seats, Rewards, Flags]

ALL_LEGAL = -1


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


@entry_point
def step_all(
    games: GameRecords,
    actions: np.ndarray,
    reward_kind: int,
    kinds: np.ndarray,
    streams: np.ndarray,
    given: np.ndarray,
    next_given: np.ndarray,
    rewards: np.ndarray,
    ended: np.ndarray,
    deal_ended: np.ndarray,
    final_scores: np.ndarray,
) -> int:
    """One action a game, and what follows by itself: the next deal, or a new game. Nothing is done if one is illegal.

    Returns the first game whose action is illegal, or ALL_LEGAL.
    """
    illegal = first_illegal(games, actions)
    if illegal != ALL_LEGAL:
        return illegal
    before = np.zeros(NUM_SEATS, dtype=np.int64)
    hands = np.zeros(NUM_SEATS, dtype=np.int64)
    for i in range(len(games)):
        game = games[i]
        for seat in range(NUM_SEATS):
            before[seat] = game["scores"][seat]
        step(game, actions[i])
        ended[i] = game["phase"] == OVER
        deal_ended[i] = ended[i] or game["phase"] == TO_DEAL
        write_rewards(game, reward_kind, before, deal_ended[i], rewards[i])
        if ended[i]:
            for seat in range(NUM_SEATS):
                final_scores[i, seat] = game["scores"][seat]
            begin_game(game, streams[i], kinds)
        if deal_ended[i]:
            next_given[i] = deal_next(game, streams[i], given[i], next_given[i], hands)
    return ALL_LEGAL


@entry_point
def observe_all(games: GameRecords, observations: np.ndarray, masks: np.ndarray, seats: np.ndarray) -> None:
    """What the seat to act in each game knows and may do."""
    flat_observations = observations.reshape(-1)
    flat_masks = masks.reshape(-1)
    words = np.zeros(OBSERVATION_WORDS, dtype=np.int64)
    for i in range(len(games)):
        seat = int(games[i]["turn"])
        seats[i] = seat
        write_observation(games[i], seat, words, flat_observations, i * OBSERVATION_SIZE)
        write_mask(games[i], flat_masks, i * NUM_ACTIONS)


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
        if num_games < 1:
            raise OptionError(f"num_games: must be at least 1, not {num_games}")
        check_option("reward", reward, REWARDS)
        self.num_games = num_games
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
        self._seed(seed)
        begin_games(self.games, self._streams, self._kinds)
        if dealers is not None:
            self.games["dealer"] = _check_dealers(dealers, self.num_games)
        self._given = self._parse_deals(deals)
        self._next_given[:] = 0
        self.deal_ended[:] = False
        self._is_reset = True
        deal_all(self.games, self._streams, self._given, self._next_given)

    def observe(self) -> tuple[Observations, Masks, Seats]:
        """The observation and action mask of the seat to act in each game, and which seat that is; fresh arrays."""
        observations = np.empty((self.num_games, OBSERVATION_SIZE), dtype=np.int8)
        masks = np.empty((self.num_games, NUM_ACTIONS), dtype=np.int8)
        seats = np.empty(self.num_games, dtype=np.int64)
        self._observe_into(observations, masks, seats)
        return observations, masks, seats

    def step(self, actions: npt.ArrayLike) -> tuple[Rewards, Flags]:
        """One action a game (ints[num_games]); rewards of all four seats, and which games ended and were dealt anew."""
        rewards = np.empty((self.num_games, NUM_SEATS), dtype=np.float32)
        ended = np.empty(self.num_games, dtype=np.bool_)
        self._step_into(actions, rewards, ended)
        return rewards, ended

    def step_observe(self, actions: npt.ArrayLike, out: Transition) -> None:
        """`step` and then `observe`, into the caller's buffers (observations, masks, seats, rewards, ended)."""
        observations, masks, seats, rewards, ended = out
        self._step_into(actions, rewards, ended)
        self._observe_into(observations, masks, seats)

    def buffers(self) -> Transition:
        """Arrays of the right shapes and dtypes for `step_observe`."""
        return (
            np.zeros((self.num_games, OBSERVATION_SIZE), dtype=np.int8),
            np.zeros((self.num_games, NUM_ACTIONS), dtype=np.int8),
            np.zeros(self.num_games, dtype=np.int64),
            np.zeros((self.num_games, NUM_SEATS), dtype=np.float32),
            np.zeros(self.num_games, dtype=np.bool_),
        )

    def _seed(self, seed: int | Sequence[int] | None) -> None:
        if seed is None and self._is_reset:
            return
        if seed is None or isinstance(seed, (int, np.integer)):
            self._streams[:] = new_streams(seed, self.num_games)
        elif len(seed) == self.num_games:
            self._streams[:] = [new_stream(one) for one in seed]
        else:
            raise OptionError(f"seed: must be one seed, or one for each of {self.num_games} games, not {len(seed)}")

    def _parse_deals(self, deals: Sequence[Sequence[Any]] | None) -> npt.NDArray[np.int64]:
        if deals is None:
            return np.zeros((self.num_games, 0, NUM_SEATS), dtype=np.int64)
        wanted = num_deals(self.episode)
        if len(deals) != self.num_games or any(len(game) != wanted for game in deals):
            raise OptionError(f"deals: must be {wanted} a game for each of {self.num_games} games")
        return np.array([[parse_deal(deal) for deal in game] for game in deals], dtype=np.int64)

    def _step_into(self, actions: npt.ArrayLike, rewards: Rewards, ended: Flags) -> None:
        self._check_reset()
        chosen = np.asarray(actions)
        if chosen.shape != (self.num_games,) or not np.issubdtype(chosen.dtype, np.integer):
            raise OptionError(
                f"actions: must be whole numbers, one for each of {self.num_games} games, "
                f"not {chosen.dtype} of shape {chosen.shape}"
            )
        illegal = step_all(
            self.games,
            np.ascontiguousarray(chosen, dtype=np.int64),
            self._reward_kind,
            self._kinds,
            self._streams,
            self._given,
            self._next_given,
            rewards,
            ended,
            self.deal_ended,
            self.final_scores,
        )
        if illegal != ALL_LEGAL:
            action = int(chosen[illegal])
            reason = _why_refused(self.games[illegal], action)
            raise IllegalActionError(f"game {illegal}: {reason}")

    def _observe_into(self, observations: Observations, masks: Masks, seats: Seats) -> None:
        self._check_reset()
        observe_all(self.games, observations, masks, seats)

    def _check_reset(self) -> None:
        if not self._is_reset:
            raise RuntimeError("BatchEnv: call reset() first")


def _why_refused(game: GameRecord, action: int) -> str:
    if not 0 <= action < NUM_ACTIONS:
        return f"{action} is no action: they are 0 … {NUM_ACTIONS - 1}"
    return why_illegal(game, action)


def _one_a_game(ruleset: RuleSetLike | Sequence[RuleSetLike], num_games: int) -> tuple[RuleSet, ...]:
    if isinstance(ruleset, (RuleSet, str, Mapping)):
        return (make_ruleset(ruleset),) * num_games
    if len(ruleset) != num_games:
        raise OptionError(f"ruleset: must be one, or one for each of {num_games} games, not {len(ruleset)}")
    return tuple(make_ruleset(one) for one in ruleset)


def _check_dealers(dealers: Sequence[int], num_games: int) -> npt.NDArray[np.int64]:
    chosen = np.asarray(dealers)
    whole = np.issubdtype(chosen.dtype, np.integer)
    if chosen.shape != (num_games,) or not whole or chosen.min() < 0 or chosen.max() >= NUM_SEATS:
        raise OptionError(f"dealers: must be a seat 0 … 3 for each of {num_games} games, not {dealers!r}")
    return chosen.astype(np.int64)
