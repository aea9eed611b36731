"""Adding up deal sheets: points by block, kind of bot and column, and how positive deals went.

Everything is added up in whole numbers, so that what cancels is exactly 0.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from king_env.engine.contracts import DOWN, NEGATIVE_NAMES, NUM_DEALS, NUM_POSITIVES, UNDECIDED, UP
from king_env.evaluation.deal_sheets import (
    DECLARED,
    REFUSED,
    SKIPPED,
    SOLD,
    ULTIMATUM_BID,
    ULTIMATUM_PASSED,
    DealSheets,
)

Numbers = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

# What a bot's points are averaged over: whole games, and deals by contract; a positive deal counts twice over, as
# positive and as up, down or skipped.
COLUMNS = ("game", *NEGATIVE_NAMES, "positive", "up", "down", "skipped")

# How a positive deal can go: what came about at the choosing, and how it was played.
FATES = {
    "declared up": (DECLARED, UP),
    "declared down": (DECLARED, DOWN),
    "refused, then up": (REFUSED, UP),
    "refused, then down": (REFUSED, DOWN),
    "sold up": (SOLD, UP),
    "sold at nulls": (SOLD, DOWN),
    "eight or nulls: eight": (ULTIMATUM_BID, UP),
    "eight or nulls: nulls": (ULTIMATUM_PASSED, DOWN),
    "skipped": (SKIPPED, UNDECIDED),
}
PURCHASES = {"up": UP, "nulls": DOWN}

# What is added up of the positive deals that went one way.
MEASURES = ("count", "points", "bid_points", "price")


@dataclass(frozen=True)
class Tally:
    """What blocks of a match add up to."""

    points: Numbers
    """[num_blocks, num_kinds, len(COLUMNS)]: sums over all seatings and the seats of a kind."""
    counts: Numbers
    """The same shape: how many games or deals of that kind these are."""
    owners: Numbers
    """[num_kinds, len(FATES), len(MEASURES)]: positive deals by the kind of the owner, with the owner's points."""
    buyers: Numbers
    """[num_kinds, len(PURCHASES), len(MEASURES)]: deals bought by the kind of the buyer, with the buyer's points."""


def join_tallies(tallies: list[Tally]) -> Tally:
    """The tally of several chunks of blocks, in their order."""
    return Tally(
        points=np.concatenate([tally.points for tally in tallies]),
        counts=np.concatenate([tally.counts for tally in tallies]),
        owners=np.sum([tally.owners for tally in tallies], axis=0),
        buyers=np.sum([tally.buyers for tally in tallies], axis=0),
    )


def tally_sheets(sheets: DealSheets, seatings: Numbers, num_kinds: int) -> Tally:
    """Add up the sheets [num_blocks, num_seatings, num_deals] of blocks played in these seatings [num_seatings, 4]."""
    by_kind = [_blocks_of_kind(sheets, seatings == kind) for kind in range(num_kinds)]
    return Tally(
        points=np.stack([points for points, _ in by_kind], axis=1),
        counts=np.stack([counts for _, counts in by_kind], axis=1),
        owners=_tally_owners(sheets, seatings, num_kinds),
        buyers=_tally_buyers(sheets, seatings, num_kinds),
    )


def game_weights(num_deals: int) -> Numbers:
    """How often each deal of a block counts in a game: once, but one positive deal alone stands for all four."""
    weights = np.ones(num_deals, dtype=np.int64)
    if num_deals < NUM_DEALS:
        weights[-1] = NUM_POSITIVES
    return weights


def _blocks_of_kind(sheets: DealSheets, sits: Flags) -> tuple[Numbers, Numbers]:
    """Points and counts [num_blocks, len(COLUMNS)] of the kind that sits where `sits` [num_seatings, 4] says."""
    num_blocks, _, num_deals = sheets.shape
    seats = sits.sum(axis=1)[None, :, None]  # of the kind, by seating
    points = (sheets["points"].astype(np.int64) * sits[None, :, None, :]).sum(axis=3)
    totals = [(points * game_weights(num_deals)).sum(axis=(1, 2))]
    counts = [np.full(num_blocks, sits.sum(), dtype=np.int64)]
    for chosen in _columns_by_contract(sheets["contract"]):
        totals.append((points * chosen).sum(axis=(1, 2)))
        counts.append((seats * chosen).sum(axis=(1, 2)))
    return np.stack(totals, axis=1), np.stack(counts, axis=1)


def _columns_by_contract(contracts: npt.NDArray[np.uint8]) -> list[Flags]:
    """Which deals belong to each column but the first, which is whole games."""
    negatives = [contracts == contract for contract in range(len(NEGATIVE_NAMES))]
    return [*negatives, contracts >= UP, contracts == UP, contracts == DOWN, contracts == UNDECIDED]


def _tally_owners(sheets: DealSheets, seatings: Numbers, num_kinds: int) -> Numbers:
    tally = np.zeros((num_kinds, len(FATES), len(MEASURES)), dtype=np.int64)
    kinds = _kind_in_seat(seatings, sheets["owner"])
    points = _points_of_seat(sheets, sheets["owner"])
    for fate, (outcome, contract) in enumerate(FATES.values()):
        went_so = (sheets["outcome"] == outcome) & (sheets["contract"] == contract)
        for kind in range(num_kinds):
            tally[kind, fate] = _add_up(sheets, points, went_so & (kinds == kind))
    return tally


def _tally_buyers(sheets: DealSheets, seatings: Numbers, num_kinds: int) -> Numbers:
    tally = np.zeros((num_kinds, len(PURCHASES), len(MEASURES)), dtype=np.int64)
    kinds = _kind_in_seat(seatings, sheets["declarer"])
    points = _points_of_seat(sheets, sheets["declarer"])
    for purchase, contract in enumerate(PURCHASES.values()):
        bought_so = (sheets["bid_points"] > 0) & (sheets["contract"] == contract)
        for kind in range(num_kinds):
            tally[kind, purchase] = _add_up(sheets, points, bought_so & (kinds == kind))
    return tally


def _kind_in_seat(seatings: Numbers, seats: npt.NDArray[np.uint8]) -> Numbers:
    """The kind that sits in each of these seats [num_blocks, num_seatings, num_deals]."""
    seating_numbers = np.arange(len(seatings))[None, :, None]
    return seatings[seating_numbers, seats]


def _points_of_seat(sheets: DealSheets, seats: npt.NDArray[np.uint8]) -> npt.NDArray[np.int16]:
    points: npt.NDArray[np.int16] = np.take_along_axis(sheets["points"], seats[..., None].astype(np.int64), axis=-1)
    return points[..., 0]


def _add_up(sheets: DealSheets, points: npt.NDArray[np.int16], chosen: Flags) -> Numbers:
    """The MEASURES of the chosen deals."""
    sums = [points[chosen], sheets["bid_points"][chosen], sheets["price"][chosen]]
    return np.array([chosen.sum(), *(column.sum(dtype=np.int64) for column in sums)])
