"""Tables that a page colours by their figures: what is said with which hands, and who beats whom."""

from __future__ import annotations

import math
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from king_env.engine.actions import FIRST_CALL, FIRST_UP, NUM_CALLS
from king_env.engine.cards import NUM_SUITS
from king_env.evaluation.calls import SITUATIONS, STRENGTHS, CallTally, Numbers
from king_env.evaluation.panel import Panel
from king_env.evaluation.reports import NOTHING, Table, estimate_text, points_text
from king_env.evaluation.statistics import Estimate, estimate_mean
from king_env.notation import action_text

SITUATION_TITLES = {
    "opening": "The owner opens",
    "ultimatum": "Eight or nulls: the others answer",
    "bidding": "The others bid: each seat's highest bid",
    "deciding": "The owner answers",
    "declaring": "The declarer declares",
}

# Calls that are one column: which suit is trump tells nothing of the hand.
A_SUIT = "up in a suit"
UP_IN_A_SUIT = range(FIRST_UP, FIRST_UP + NUM_SUITS)

FEWEST_BLOCKS = 10


@dataclass(frozen=True)
class HeatCell:
    """One figure, and how warm it is: from −1 (a loss) over 0 (colourless) to 1."""

    text: str
    heat: float = 0.0


@dataclass(frozen=True)
class HeatMap:
    """A table of figures."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, tuple[HeatCell, ...]], ...]


def said_in(tally: CallTally, situation: int) -> dict[str, list[int]]:
    """What anybody said in a situation, in the order of the actions: by its name, which calls those are."""
    columns: dict[str, list[int]] = {}
    for call in range(NUM_CALLS):
        if tally.counts[:, :, situation, call].any():
            action = FIRST_CALL + call
            columns.setdefault(A_SUIT if action in UP_IN_A_SUIT else action_text(action), []).append(call)
    return columns


def situations_met(tally: CallTally) -> Iterator[tuple[int, str]]:
    """Those in which anybody had anything to say: which they are, and what they are called."""
    for situation, name in enumerate(SITUATIONS):
        if tally.counts[:, :, situation].any():
            yield situation, SITUATION_TITLES[name]


def calls_table(tally: CallTally, situation: int, labels: tuple[str, ...]) -> Table:
    """How often each bot says what, of a hundred times, and its points in those deals."""
    header, rows = [""], []
    for label in labels:
        header += [f"{label}: %", "points"]
    for name, calls in said_in(tally, situation).items():
        row = [name]
        for kind in range(len(labels)):
            counts = tally.counts[:, kind, situation]
            said = counts[:, calls].sum(axis=1)
            points = _estimate(tally.points[:, kind, situation][:, calls].sum(axis=1), said)
            row += [_percent(int(said.sum()), int(counts.sum())), estimate_text(points)]
        rows.append(tuple(row))
    return Table("What they say, and their points in those deals", tuple(header), tuple(rows))


def hands_map(tally: CallTally, situation: int, kind: int, label: str) -> HeatMap:
    """What one bot says with hands of each strength, of a hundred of them."""
    columns = said_in(tally, situation)
    rows = []
    for strength, name in enumerate(STRENGTHS):
        counts = tally.hands[kind, situation, strength]
        if total := int(counts.sum()):
            cells = [_share_cell(int(counts[calls].sum()), total) for calls in columns.values()]
            rows.append((name, (HeatCell(f"{total:,}"), *cells)))
    return HeatMap(label, ("tricks", "hands", *columns), tuple(rows))


def panel_map(panel: Panel, episode: str) -> HeatMap:
    """Points a game of the row's bot alone against three of the column's; the warmest are the farthest from 0."""
    bots = panel.plan.bots
    points = [[_points_of(panel, lone, trio, episode) for trio in bots] for lone in bots]
    most = max((abs(cell.mean) for row in points for cell in row if cell.count), default=0.0)
    rows = [(lone, tuple(_points_cell(cell, most) for cell in row)) for lone, row in zip(bots, points, strict=True)]
    return HeatMap("Points a game, alone against three", ("alone \\ three of", *bots), tuple(rows))


def _estimate(totals: Numbers, counts: Numbers) -> Estimate:
    """The mean with its interval; without one where too few blocks have such a deal to tell how they spread."""
    points = estimate_mean(totals, counts)
    if np.count_nonzero(counts) < FEWEST_BLOCKS:
        return Estimate(points.mean, math.nan, points.count)
    return points


def _points_of(panel: Panel, lone: str, trio: str, episode: str) -> Estimate:
    return Estimate(0.0, 0.0, 1) if lone == trio else panel.cell(lone, trio, episode).points()


def _points_cell(points: Estimate, most: float) -> HeatCell:
    if not points.count:
        return HeatCell(NOTHING)
    # Square roots, so that a lead of a few points is seen beside one of hundreds.
    heat = math.copysign(math.sqrt(abs(points.mean) / most), points.mean) if most else 0.0
    return HeatCell(points_text(points.mean), heat)


def _share_cell(count: int, total: int) -> HeatCell:
    return HeatCell(_percent(count, total) if count else "", count / total)


def _percent(count: int, total: int) -> str:
    return f"{100 * count / total:.0f}" if total else NOTHING
