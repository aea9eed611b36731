"""The measuring itself: by CPU time, several times over, of which the median counts."""

from __future__ import annotations

import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

STEPS_PER_SECOND = "steps/s"
DECISIONS_PER_SECOND = "decisions/s"
DRAWS_PER_SECOND = "draws/s"
SECONDS = "s"
BYTES = "bytes"
TIMES = "×"
SHARE = "%"

MIN_REPEATS = 5
SECONDS_A_SAMPLE = 0.3


@dataclass(frozen=True)
class Sample:
    """One thing measured once."""

    key: str  # by which comparisons and plots find it
    what: str
    unit: str
    value: float
    size: int | None = None  # games side by side, or deals in a row


@dataclass(frozen=True)
class Figure:
    """One thing measured as often as there are samples."""

    key: str
    what: str
    unit: str
    samples: tuple[float, ...]
    size: int | None = None

    @property
    def median(self) -> float:
        """What counts."""
        return statistics.median(self.samples)

    @property
    def spread(self) -> float:
        """By what part of the median the samples differ at most."""
        return (max(self.samples) - min(self.samples)) / self.median if self.median else 0.0


class NotMeasuredError(Exception):
    """What cannot be measured here, for a reason that is nobody's fault."""


def nothing() -> None:
    """What is to be done before playing, where there is nothing to do."""


def rate(play: Callable[[], int], prepare: Callable[[], None] = nothing, seconds: float = SECONDS_A_SAMPLE) -> float:
    """Steps per second of CPU time: `play` says how many it took, and is called until so many seconds are spent.

    `prepare`, called before each, takes no time, nor does a first call of both, for whatever comes but once.
    """
    prepare()
    play()
    steps, spent = 0, 0.0
    while steps == 0 or spent < seconds:
        prepare()
        started = time.process_time()
        steps += play()
        spent += time.process_time() - started
    return steps / spent
