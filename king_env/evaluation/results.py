"""What a match came to: points by bot and contract with their intervals, the market, speed, faults."""

from __future__ import annotations

import importlib.metadata
import platform
from collections.abc import Collection
from dataclasses import dataclass
from typing import Any

import numba
import numpy as np
import numpy.typing as npt

from king_env.aec_env import KingAECEnv
from king_env.evaluation.calls import CallTally
from king_env.evaluation.entrants import Entrant
from king_env.evaluation.faults import Fault
from king_env.evaluation.statistics import INTERVAL_METHOD, Estimate, estimate_mean
from king_env.evaluation.tallies import COLUMNS, FATES, MEASURES, PURCHASES, Numbers, Tally
from king_env.ruleset import RuleSet, unknown_text

ENV_VERSION = str(KingAECEnv.metadata["name"])
MATCH_FORMAT = "king-match-1"
NANOSECONDS = 1e9


@dataclass(frozen=True)
class Market:
    """How some positive deals went that are alike in whose they were and what became of them."""

    count: int
    points: float
    """The mean of what the owner, or buyer, scored in them; NaN without any."""
    bid_points: float
    """The mean worth of the bids they were sold at."""
    price: float
    """The mean of what was paid, which `capped` settlement keeps at or below the bid."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON; None where there is no mean."""
        if self.count == 0:
            return {"count": 0, "points": None, "bid_points": None, "price": None}
        return {"count": self.count, "points": self.points, "bid_points": self.bid_points, "price": self.price}


@dataclass(frozen=True)
class MatchResult:
    """The result of `play_match`."""

    entrants: tuple[Entrant, ...]
    seatings: tuple[tuple[str, ...], ...]
    """The labels in seats 0 … 3, for each seating that every block was played in."""
    ruleset: RuleSet
    episode: str
    seed: int
    num_blocks: int
    """How many blocks were played to their end."""
    num_blocks_asked: int
    """How many were asked for."""
    tally: Tally
    decisions: Numbers
    """int64[num_kinds]: how often each bot had a choice."""
    seconds: npt.NDArray[np.float64]
    """float64[num_kinds]: what these took: the clock's time of a bot in Python; the processor's time of a compiled
    bot, rules included and divided evenly among the compiled bots."""
    num_faults: Numbers
    """int64[num_kinds]: how often each bot's answer was replaced."""
    faults: tuple[Fault, ...]
    """The first of them in full."""
    wall_seconds: float
    cpu_seconds: float
    calls: CallTally | None = None
    """What was said in positive deals, if that was tallied."""

    @property
    def labels(self) -> tuple[str, ...]:
        """The names of the bots, one a kind."""
        return tuple(entrant.label for entrant in self.entrants)

    @property
    def is_complete(self) -> bool:
        """Whether all the blocks asked for were played."""
        return self.num_blocks == self.num_blocks_asked

    def points(self, label: str, column: str = "game") -> Estimate:
        """The mean points of a bot, per game or per deal of one contract (`COLUMNS`), with the 95 % interval."""
        place = (slice(None), self._kind(label), _place("column", column, COLUMNS))
        return estimate_mean(self.tally.points[place], self.tally.counts[place])

    def as_owner(self, label: str, fate: str) -> Market:
        """How the positive deals that a bot owned went where they went this way (`FATES`)."""
        return _market(self.tally.owners[self._kind(label), _place("fate", fate, FATES)])

    def as_buyer(self, label: str, purchase: str) -> Market:
        """How the deals went that a bot bought (`PURCHASES`: up, nulls)."""
        return _market(self.tally.buyers[self._kind(label), _place("purchase", purchase, PURCHASES)])

    def ns_per_decision(self, label: str) -> float:
        """How long a bot took over a decision in nanoseconds; NaN if it had none."""
        kind = self._kind(label)
        return NANOSECONDS * float(self.seconds[kind]) / int(self.decisions[kind]) if self.decisions[kind] else np.nan

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON.

        `format`, `env`, `ruleset` (name and options), `episode`, `seed`, `num_blocks` and `num_blocks_asked`,
        `is_complete`, `seatings`, `interval` (how it was computed), `bots`: one entry a kind with `points` by column
        (mean, half_width, interval, count), `as_owner` and `as_buyer` (the market), `decisions`, `ns_per_decision`,
        `num_faults`; `faults`, `wall_seconds`, `cpu_seconds`, `versions`.
        """
        return {
            "format": MATCH_FORMAT,
            "env": ENV_VERSION,
            "ruleset": {"name": self.ruleset.name, "options": self.ruleset.to_dict()},
            "episode": self.episode,
            "seed": self.seed,
            "num_blocks": self.num_blocks,
            "num_blocks_asked": self.num_blocks_asked,
            "is_complete": self.is_complete,
            "seatings": [list(seating) for seating in self.seatings],
            "interval": INTERVAL_METHOD,
            "bots": [self._bot_dict(entrant) for entrant in self.entrants],
            "faults": [fault.to_dict() for fault in self.faults],
            "wall_seconds": self.wall_seconds,
            "cpu_seconds": self.cpu_seconds,
            "versions": versions(),
        }

    def _bot_dict(self, entrant: Entrant) -> dict[str, Any]:
        label, kind = entrant.label, self._kind(entrant.label)
        speed = self.ns_per_decision(label)
        return {
            "label": label,
            "choice": entrant.choice,
            "version": entrant.version,
            "points": {column: self.points(label, column).to_dict() for column in COLUMNS},
            "as_owner": {fate: self.as_owner(label, fate).to_dict() for fate in FATES},
            "as_buyer": {purchase: self.as_buyer(label, purchase).to_dict() for purchase in PURCHASES},
            "decisions": int(self.decisions[kind]),
            "ns_per_decision": speed if np.isfinite(speed) else None,
            "num_faults": int(self.num_faults[kind]),
        }

    def _kind(self, label: str) -> int:
        return _place("bot", label, self.labels)


def _place(kind: str, name: str, known: Collection[str]) -> int:
    """Which of the known names it is."""
    if name not in known:
        raise ValueError(unknown_text(kind, name, known))
    return list(known).index(name)


def versions() -> dict[str, str]:
    """What the match was played with."""
    return {
        "king_env": _king_env_version(),
        "python": platform.python_version(),
        "numpy": np.__version__,
        "numba": numba.__version__,
        "platform": platform.platform(),
    }


def _king_env_version() -> str:
    try:
        return importlib.metadata.version("king-env")
    except importlib.metadata.PackageNotFoundError:
        return "not installed"


def _market(measures: Numbers) -> Market:
    values = dict(zip(MEASURES, measures.tolist(), strict=True))
    count = values["count"]
    if count == 0:
        return Market(0, np.nan, np.nan, np.nan)
    return Market(count, values["points"] / count, values["bid_points"] / count, values["price"] / count)
