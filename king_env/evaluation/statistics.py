"""Means and their 95 % intervals over blocks of duplicate deals.

A block is what is independent of every other: the same cards played in all seatings. So the interval of any mean is
taken over blocks, never over single deals, by Student's t with (number of blocks − 1) degrees of freedom.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
import numpy.typing as npt

CONFIDENCE = 0.95
INTERVAL_METHOD = "95 % Student t over blocks"

# Beyond this many degrees of freedom t differs from the normal distribution by less than a thousandth.
MOST_DEGREES = 10_000
HIGHEST_T = 1e6
BISECTIONS = 80


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval: ``mean ± half_width``."""

    mean: float
    """NaN if nothing was counted."""
    half_width: float
    """Half the 95 % interval; NaN from fewer than two blocks."""
    count: int
    """How many deals (or games) of this bot the mean is over, each seat it sat in counted."""

    @property
    def interval(self) -> tuple[float, float]:
        """The lower and the upper end."""
        return self.mean - self.half_width, self.mean + self.half_width

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, which knows no NaN: what cannot be said is None."""
        known = math.isfinite(self.half_width)
        return {
            "mean": self.mean if math.isfinite(self.mean) else None,
            "half_width": self.half_width if known else None,
            "interval": list(self.interval) if known else None,
            "count": self.count,
        }


def estimate_mean(totals: npt.ArrayLike, counts: npt.ArrayLike) -> Estimate:
    """The mean Σ totals / Σ counts of blocks that total so many points in so many deals each.

    Where every block has as many deals this is the mean of the blocks' means, with the usual t interval. Where they
    differ, as for deals that were skipped, it is the ratio estimator, whose variance comes from what each block's
    total lies above or below the mean of its deals.
    """
    points = np.asarray(totals, dtype=np.float64)
    deals = np.asarray(counts, dtype=np.float64)
    num_blocks, count = len(points), deals.sum()
    if count == 0:
        return Estimate(math.nan, math.nan, 0)
    mean = points.sum() / count
    if num_blocks < 2:
        return Estimate(float(mean), math.nan, int(count))
    residuals = points - mean * deals
    variance = num_blocks / (num_blocks - 1) * (residuals**2).sum() / count**2
    half_width = student_t(num_blocks - 1) * math.sqrt(variance)
    return Estimate(float(mean), half_width, int(count))


@dataclass(frozen=True)
class BlockSums:
    """All that `estimate_mean` needs to know of any number of blocks, in whole numbers, so that blocks can be added."""

    num_blocks: int = 0
    points: int = 0
    """Of all blocks together; so too the others."""
    deals: int = 0
    points_squared: int = 0
    deals_squared: int = 0
    points_times_deals: int = 0

    def plus(self, totals: npt.NDArray[np.int64], counts: npt.NDArray[np.int64]) -> BlockSums:
        """These blocks and more, that total so many points in so many deals each."""
        return BlockSums(
            self.num_blocks + len(totals),
            self.points + int(totals.sum()),
            self.deals + int(counts.sum()),
            self.points_squared + int((totals**2).sum()),
            self.deals_squared + int((counts**2).sum()),
            self.points_times_deals + int((totals * counts).sum()),
        )

    def estimate(self) -> Estimate:
        """What `estimate_mean` says of these blocks."""
        if self.deals == 0:
            return Estimate(math.nan, math.nan, 0)
        mean = self.points / self.deals
        if self.num_blocks < 2:
            return Estimate(mean, math.nan, self.deals)
        residuals = self.points_squared - 2 * mean * self.points_times_deals + mean**2 * self.deals_squared
        variance = self.num_blocks / (self.num_blocks - 1) * max(0.0, residuals) / self.deals**2
        return Estimate(mean, student_t(self.num_blocks - 1) * math.sqrt(variance), self.deals)


@lru_cache(maxsize=1024)
def student_t(degrees: int) -> float:
    """The t that 95 % of Student's distribution lies within, on either side of 0."""
    degrees = min(degrees, MOST_DEGREES)
    low, high = 0.0, HIGHEST_T
    for _ in range(BISECTIONS):
        middle = (low + high) / 2
        if probability_within(middle, degrees) < CONFIDENCE:
            low = middle
        else:
            high = middle
    return high


def probability_within(t: float, degrees: int) -> float:
    """P(|T| < t) for Student's T: the finite series in the angle whose tangent is t / √degrees."""
    angle = math.atan(t / math.sqrt(degrees))
    cosine_squared = math.cos(angle) ** 2
    if degrees % 2 == 0:
        orders = np.arange(1, degrees // 2)
        ratios = (2 * orders - 1) / (2 * orders)
        return math.sin(angle) * _series(ratios, cosine_squared)
    if degrees == 1:
        return 2 / math.pi * angle
    orders = np.arange(1, (degrees - 1) // 2)
    ratios = 2 * orders / (2 * orders + 1)
    return 2 / math.pi * (angle + math.sin(angle) * math.cos(angle) * _series(ratios, cosine_squared))


def _series(ratios: npt.NDArray[np.float64], factor: float) -> float:
    """1 + r₁f + r₁r₂f² + …"""
    return float(1 + np.cumprod(ratios * factor).sum())
