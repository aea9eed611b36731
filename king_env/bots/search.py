"""Bots that search: `search`, and `cheating-search`, which sees all hands and so shows what searching can bring."""

from __future__ import annotations

import math
import os
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import ClassVar, TypeVar

import numpy as np

from king_env.bots.compiled import NO_ACTION
from king_env.bots.compiled_bot import check_views, only_action, why_none_acts
from king_env.bots.searching import (
    NOTHING_FITS,
    SEARCH_DTYPE,
    Search,
    begin_searches,
    drop_worse_half,
    end_searches,
    num_rounds,
    search_worlds,
    write_mean_gains,
)
from king_env.bots.thoughts import Thought
from king_env.chance import STREAM_WORDS
from king_env.engine.actions import NUM_ACTIONS, Action
from king_env.engine.batch import hide_hands
from king_env.engine.cards import ALL_CARDS
from king_env.engine.information import DEALS_DTYPE
from king_env.engine.state import GameRecords, new_records
from king_env.ruleset import whole_number

Found = TypeVar("Found")  # by a search

DEFAULT_WORLDS = 100
WORLDS_A_LOOK = 5  # at the clock
SECONDS_A_MS = 1e-3
# So many views of a batch are searched by a thread before it takes the next ones.
VIEWS_A_PART = 8


class Decisions:
    """Several decisions while they are searched, in compiled code."""

    def __init__(self, views: GameRecords) -> None:
        num_views = len(views)
        self.views = views
        self.actions = np.empty(num_views, dtype=np.int64)
        self._searches = np.zeros(num_views, dtype=SEARCH_DTYPE)
        self._deals = np.zeros(num_views, dtype=DEALS_DTYPE)
        self._streams = np.zeros((num_views, STREAM_WORDS), dtype=np.uint64)
        self._scratch = new_records(2)
        begin_searches(self.views, self._searches, self._deals, self._streams, self.actions)

    def search(self, worlds: int, *, in_rounds: bool) -> None:
        """Play the choices out in so many more worlds, those that fall behind in fewer if it is done in rounds."""
        search_worlds(self.views, worlds, self._searches, self._deals, self._streams, self._scratch, in_rounds)

    def search_for(self, seconds: float) -> None:
        """Search the only decision for so long, each round as long as any other."""
        search = self._searches[0]
        begin, rounds = time.perf_counter(), num_rounds(int(search["num_choices"]))
        for number in range(rounds):
            if number > 0:
                drop_worse_half(search)
            while search["num_choices"] > 1 and not search["is_exact"]:
                self.search(WORLDS_A_LOOK, in_rounds=False)
                if time.perf_counter() - begin > seconds * (number + 1) / rounds:
                    break

    def search_all_for(self, seconds: float) -> None:
        """Search every choice of the only decision in the same worlds for so long."""
        begin, search = time.perf_counter(), self._searches[0]
        while search["num_choices"] > 1 and not search["is_exact"]:
            self.search(WORLDS_A_LOOK, in_rounds=False)
            if time.perf_counter() - begin > seconds:
                break

    def thoughts(self) -> list[Thought]:
        """What each choice gains in the mean; nothing where there was none, or nothing to search."""
        return [_gains_of(search) if search["num_worlds"] else Thought() for search in self._searches]

    def mean_gains(self) -> np.ndarray:
        """What each action gains in the mean on what the heuristic would do, in points: float32[N, NUM_ACTIONS].

        0 where it is not legal, no longer in question, or nothing was searched.
        """
        gains = np.zeros((len(self.views), NUM_ACTIONS), dtype=np.float32)
        write_mean_gains(self._searches, gains)
        return gains

    def answers(self) -> np.ndarray:
        """The best actions as far as the search has got (int64[N])."""
        end_searches(self._searches, self.actions)
        return self.actions


@dataclass(frozen=True)
class SearchBot:
    """Plays each legal action out in worlds that the seat cannot tell from the true one, and takes the best.

    It draws no random numbers from outside: the same position gets the same answer, unless it is given time.
    """

    version: ClassVar[int] = 1

    worlds: int | None = None
    """In how many worlds; 100 unless a time is given."""
    ms: float | None = None
    """Instead: how long a decision may take. How many worlds that is depends on the machine, so games do not repeat."""
    threads: int | None = None
    """How many views are searched at a time; as many as there are processors. The answers do not depend on it."""

    def __post_init__(self) -> None:
        if self.ms is None:
            worlds = DEFAULT_WORLDS if self.worlds is None else self.worlds
            object.__setattr__(self, "worlds", whole_number("worlds", worlds, 1))
        elif self.worlds is not None:
            raise ValueError("ms: is given instead of worlds, not with it")
        else:
            object.__setattr__(self, "ms", _checked_time(self.ms))
        check_threads(self.threads)

    @property
    def name(self) -> str:
        """The bot's name with the option that differs from it."""
        if self.ms is not None:
            return f"search:ms={self.ms:g}"
        return "search" if self.worlds == DEFAULT_WORLDS else f"search:worlds={self.worlds}"

    def act(self, view: GameRecords, rng: np.random.Generator) -> Action:
        return only_action(self.act_batch(view, rng))

    def act_batch(self, views: GameRecords, rng: np.random.Generator) -> np.ndarray:
        views = as_seen(views)
        if self.ms is not None:
            return answers_in_parts(self._search, views, 1, self.threads)
        return answers_in_unlike(self._search, views, VIEWS_A_PART, self.threads)

    def explain(self, views: GameRecords) -> list[Thought]:
        """What each action gains over what the heuristic would do, all searched in the same worlds to the end.

        So this tells apart better than the search that answers, which looks no further at what falls behind.
        """
        views = as_seen(views)
        thoughts: list[Thought] = []
        for part in in_order(self._think, views, 1 if self.ms is not None else VIEWS_A_PART, self.threads):
            thoughts += part
        return thoughts

    def _think(self, views: GameRecords) -> list[Thought]:
        decisions = Decisions(views)
        if self.ms is not None:
            decisions.search_all_for(self.ms * SECONDS_A_MS)
        else:
            assert self.worlds is not None, "one of the two is given"
            decisions.search(self.worlds, in_rounds=False)
        return decisions.thoughts()

    def _search(self, views: GameRecords) -> np.ndarray:
        decisions = Decisions(views)
        if self.ms is not None:
            decisions.search_for(self.ms * SECONDS_A_MS)
        else:
            assert self.worlds is not None, "one of the two is given"
            decisions.search(self.worlds, in_rounds=True)
        return decisions.answers()


@dataclass(frozen=True)
class CheatingSearchBot:
    """Plays each legal action out with the cards as they truly lie, and takes the best: it must be handed whole games.

    That is as far as playing out with the heuristic can go against the heuristic.
    """

    version: ClassVar[int] = 1
    name: ClassVar[str] = "cheating-search"
    sees_all_hands: ClassVar[bool] = True

    threads: int | None = None
    """How many games are searched at a time; as many as there are processors."""

    def __post_init__(self) -> None:
        check_threads(self.threads)

    def act(self, view: GameRecords, rng: np.random.Generator) -> Action:
        return only_action(self.act_batch(view, rng))

    def act_batch(self, views: GameRecords, rng: np.random.Generator) -> np.ndarray:
        check_all_hands(views, self.name)
        return answers_in_unlike(_search_games, views, VIEWS_A_PART, self.threads)


def as_seen(views: GameRecords) -> GameRecords:
    """Copies of what the seats to act see: a whole game is searched like the view of it."""
    check_views(views)
    views = views.copy()
    hide_hands(views, views["turn"].astype(np.int64))
    return views


def _search_games(games: GameRecords) -> np.ndarray:
    """With no card hidden a single world is possible: the true one."""
    decisions = Decisions(games)
    decisions.search(1, in_rounds=False)
    return decisions.answers()


def check_all_hands(games: GameRecords, bot: str) -> None:
    """Refuse what is no array of whole games."""
    check_views(games)
    if ((games["hands"] | games["played"]).sum(axis=1) != ALL_CARDS).any():
        raise ValueError(f"views: {bot} needs games that show all four hands")


def answers_in_parts(
    search: Callable[[GameRecords], np.ndarray], views: GameRecords, views_a_part: int, threads: int | None
) -> np.ndarray:
    """The actions in all views, several parts of them searched at a time; ValueError where there is none."""
    answers = in_order(search, views, views_a_part, threads)
    return _checked_answers(views, np.concatenate([np.zeros(0, dtype=np.int64), *answers]))


def answers_in_unlike(
    search: Callable[[GameRecords], np.ndarray], views: GameRecords, views_a_part: int, threads: int | None
) -> np.ndarray:
    """The actions in all views, where like views get like answers: so each is searched once.

    In duplicate games every seat sees the same until somebody plays otherwise.
    """
    _, firsts, places = np.unique(_as_bytes(views), return_index=True, return_inverse=True)
    return answers_in_parts(search, views[firsts], views_a_part, threads)[places]


def _as_bytes(views: GameRecords) -> np.ndarray:
    """Each view as one item that can be compared."""
    return np.ascontiguousarray(views).view(np.dtype((np.void, views.dtype.itemsize)))


def in_order(
    search: Callable[[GameRecords], Found], views: GameRecords, views_a_part: int, threads: int | None
) -> list[Found]:
    """What is found in each part of the views, several of them searched at a time."""
    parts = [views[first : first + views_a_part] for first in range(0, len(views), views_a_part)]
    num_threads = min(threads or os.cpu_count() or 1, len(parts))
    if num_threads <= 1:
        return [search(part) for part in parts]
    with ThreadPoolExecutor(num_threads) as pool:
        return list(pool.map(search, parts))


def _gains_of(search: Search) -> Thought:
    num_worlds, choices = int(search["num_worlds"]), slice(0, int(search["num_choices"]))
    actions = search["actions"][choices].tolist()
    gains = search["gains"][choices] / num_worlds
    variances = np.maximum(0.0, search["squares"][choices] / num_worlds - gains**2)
    errors = np.zeros_like(gains) if search["is_exact"] else np.sqrt(variances / num_worlds)
    return Thought(
        gains=dict(zip(actions, gains.tolist(), strict=True)), errors=dict(zip(actions, errors.tolist(), strict=True))
    )


def _checked_answers(views: GameRecords, actions: np.ndarray) -> np.ndarray:
    if (actions == NO_ACTION).any():
        raise ValueError(why_none_acts(views[np.flatnonzero(actions == NO_ACTION)[0]]))
    if (actions == NOTHING_FITS).any():
        raise ValueError("views: no deal of the hidden cards agrees with what a view shows")
    return actions


def _checked_time(ms: object) -> float:
    if isinstance(ms, bool) or not isinstance(ms, (int, float)) or not 0 < ms < math.inf:
        raise ValueError(f"ms: must be a positive number of milliseconds, not {ms!r}")
    return float(ms)


def check_threads(threads: int | None) -> None:
    """Refuse a number of threads that is none."""
    if threads is not None:
        whole_number("threads", threads, 1)
