"""How one deal of a match went, as a record a deal: who scored what, and how a positive deal came about."""

from __future__ import annotations

import numpy as np

from king_env.engine.actions import BID_POINTS, EIGHT_OR_NULLS, REFUSE
from king_env.engine.contracts import START_POINTS, UNIT_POINTS, UP
from king_env.engine.kernel import kernel
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import GameRecord

DealSheet = np.void  # one element of an array of DEAL_SHEET_DTYPE
DealSheets = np.ndarray  # DEAL_SHEET_DTYPE[...]

# How a positive deal came to be played as it was (Rules 3.1 to 3.4).
NEGATIVE_DEAL, DECLARED, REFUSED, SOLD, ULTIMATUM_BID, ULTIMATUM_PASSED, SKIPPED = range(7)
OUTCOME_NAMES = ("negative", "declared", "refused", "sold", "ultimatum_bid", "ultimatum_passed", "skipped")

DEAL_SHEET_DTYPE = np.dtype(
    [
        ("points", np.int16, (NUM_SEATS,)),
        ("bid_points", np.int16),  # what the bid was worth at which it was sold; 0: not sold
        ("price", np.int16),  # what the buyer paid
        ("contract", np.uint8),  # UNDECIDED if it was skipped
        ("outcome", np.uint8),
        ("owner", np.uint8),
        ("declarer", np.uint8),
    ],
    align=True,
)


@kernel
def was_refused(game: GameRecord) -> bool:
    """Whether the owner said `refuse` in this deal and so played it himself (Rules 3.2, 3.3)."""
    for i in range(game["num_calls"]):
        if game["calls"][i] == REFUSE:
            return True
    return False


@kernel
def outcome_of(game: GameRecord) -> int:
    """How the deal just finished came about."""
    if game["contract"] < UP:
        return NEGATIVE_DEAL
    if game["is_skipped"]:
        return SKIPPED
    if game["calls"][0] == EIGHT_OR_NULLS:
        return ULTIMATUM_BID if game["is_sold"] else ULTIMATUM_PASSED
    if game["is_sold"]:
        return SOLD
    return REFUSED if was_refused(game) else DECLARED


@kernel
def points_made(game: GameRecord, seat: Seat) -> int:
    """What a seat made in the deal just finished, before any price was paid."""
    contract = game["contract"]
    return START_POINTS[contract] + game["units"][seat] * UNIT_POINTS[contract]


@kernel
def fill_sheet(game: GameRecord, owner: Seat, sheet: DealSheet) -> None:
    """Write down how the deal just finished went; the dealer has moved on by now, so its owner is told."""
    declarer = int(game["declarer"])
    for seat in range(NUM_SEATS):
        sheet["points"][seat] = game["deal_scores"][seat]
    sheet["contract"] = game["contract"]
    sheet["outcome"] = outcome_of(game)
    sheet["owner"] = owner
    sheet["declarer"] = declarer
    if game["is_sold"]:
        sheet["bid_points"] = BID_POINTS[game["best_bid"]]
        sheet["price"] = points_made(game, declarer) - game["deal_scores"][declarer]
