"""`cheating-best-response`: sees all hands and knows how the other three reply, and so shows what there is to gain."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from king_env.bots.compiled_bot import only_action
from king_env.bots.foreseeing import FORK_DTYPE, SCRATCH_RECORDS, foresee_all
from king_env.bots.search import VIEWS_A_PART, answers_in_unlike, check_all_hands, check_threads
from king_env.bots.searching import SEARCH_DTYPE
from king_env.chance import STREAM_WORDS
from king_env.engine.actions import Action
from king_env.engine.information import DEALS_DTYPE
from king_env.engine.state import GameRecords, new_records
from king_env.ruleset import whole_number

DEFAULT_DEPTH = 4


@dataclass(frozen=True)
class CheatingBestResponseBot:
    """Looks as far as its next few decisions, with the cards as they truly lie and the replies that the others make.

    What it foresees comes true where the others are what it takes them for: three `heuristic`, or with `worlds` three
    `search` of so many worlds. Against others it only sees all hands.
    """

    version: ClassVar[int] = 1
    sees_all_hands: ClassVar[bool] = True

    depth: int = DEFAULT_DEPTH
    """At how many of its own decisions it tries all that it may do; after them it plays as `heuristic`."""
    worlds: int = 0
    """In how many worlds the others search; 0: they play as `heuristic`."""
    threads: int | None = None
    """How many games are searched at a time; as many as there are processors."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "depth", whole_number("depth", self.depth, 1))
        object.__setattr__(self, "worlds", whole_number("worlds", self.worlds, 0))
        check_threads(self.threads)

    @property
    def name(self) -> str:
        """The bot's name with those options that differ from it."""
        options = [f"depth={self.depth}"] if self.depth != DEFAULT_DEPTH else []
        options += [f"worlds={self.worlds}"] if self.worlds else []
        return ":".join(["cheating-best-response", ",".join(options)] if options else ["cheating-best-response"])

    def act(self, view: GameRecords, rng: np.random.Generator) -> Action:
        return only_action(self.act_batch(view, rng))

    def act_batch(self, views: GameRecords, rng: np.random.Generator) -> np.ndarray:
        check_all_hands(views, self.name)
        return answers_in_unlike(self._foresee, views, VIEWS_A_PART, self.threads)

    def _foresee(self, games: GameRecords) -> np.ndarray:
        actions, _ = foreseen(games, self.depth, self.worlds)
        return actions


def foreseen(games: GameRecords, depth: int, worlds: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """The best actions in N whole games (int64[N]), and what the seats to act then make in these deals (int64[N])."""
    actions, points = np.empty(len(games), dtype=np.int64), np.zeros(len(games), dtype=np.int64)
    foresee_all(
        games,
        new_records(depth + 1),
        np.zeros(depth, dtype=FORK_DTYPE),
        worlds,
        np.zeros(1, dtype=SEARCH_DTYPE),
        np.zeros(1, dtype=DEALS_DTYPE),
        np.zeros((1, STREAM_WORDS), dtype=np.uint64),
        new_records(SCRATCH_RECORDS),
        actions,
        points,
    )
    return actions, points
