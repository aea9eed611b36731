"""What is written down of a deal, and what it adds up to, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from king_env.engine.contracts import CONTRACT_NAMES, DOWN, UNDECIDED, UP
from king_env.engine.state import new_records
from king_env.evaluation.deal_sheets import (
    DEAL_SHEET_DTYPE,
    DECLARED,
    NEGATIVE_DEAL,
    OUTCOME_NAMES,
    REFUSED,
    SKIPPED,
    SOLD,
    ULTIMATUM_BID,
    ULTIMATUM_PASSED,
    DealSheets,
)
from king_env.evaluation.playing import act_in_games
from king_env.evaluation.tallies import COLUMNS, FATES, MEASURES, tally_sheets
from king_env.game import Game

# Spades for seat 0, hearts for seat 1, diamonds for seat 2, clubs for seat 3.
ONE_SUIT_EACH = "0:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
ONLY_GAME = np.array([0])
NOT_KEPT = new_records(0).reshape(1, 0)


def sheet_of(*calls: str, deal: int = 6, rules: str = "portuguese") -> np.void:
    """The sheet of one deal with seat 0 as its owner, after these calls and the first legal card each time."""
    game = Game(rules, deals=[ONE_SUIT_EACH], dealer=0, first_deal=deal, num_deals=1)
    records = game.record.copy()
    sheets: DealSheets = np.zeros((1, 1), dtype=DEAL_SHEET_DTYPE)
    for call in calls:
        act_in_games(records, ONLY_GAME, np.array([_action(game, call)]), sheets, NOT_KEPT)
        game.play(call)
    while not game.is_over:
        card = game.legal_ids()[0]
        act_in_games(records, ONLY_GAME, np.array([card]), sheets, NOT_KEPT)
        game.play(card)
    assert list(sheets[0, 0]["points"]) == list(game.hand_scores)
    return sheets[0, 0]


def _action(game: Game, call: str) -> int:
    return game.legal_ids()[game.legal().index(call)]


def test_a_negative_deal_has_no_market() -> None:
    sheet = sheet_of(deal=0)
    assert sheet["outcome"] == NEGATIVE_DEAL and CONTRACT_NAMES[sheet["contract"]] == "no_tricks"
    assert list(sheet["points"]) == [-260, 0, 0, 0]


@pytest.mark.parametrize(
    ("calls", "outcome", "contract"),
    [
        (["up NT"], DECLARED, UP),
        (["down"], DECLARED, DOWN),
        (["auction", "bid 1", "pass", "pass", "refuse", "up S"], REFUSED, UP),
        (["auction", "pass", "pass", "pass", "refuse", "down"], REFUSED, DOWN),
        (["auction", "bid 4", "pass", "pass", "accept", "up H"], SOLD, UP),
        (["auction", "nulls 2", "pass", "pass", "accept"], SOLD, DOWN),
        (["eight or nulls", "pass", "bid 8", "up D"], ULTIMATUM_BID, UP),
        (["eight or nulls", "pass", "pass", "pass"], ULTIMATUM_PASSED, DOWN),
        (["auction", "pass", "pass", "pass", "skip"], SKIPPED, UNDECIDED),
    ],
)
def test_how_a_positive_deal_came_about(calls: list[str], outcome: int, contract: int) -> None:
    sheet = sheet_of(*calls)
    assert OUTCOME_NAMES[sheet["outcome"]] == OUTCOME_NAMES[outcome]
    assert sheet["contract"] == contract
    assert sheet["owner"] == 0
    assert sheet["bid_points"] == {SOLD: 100 if contract == UP else 150, ULTIMATUM_BID: 200}.get(outcome, 0)


def test_the_price_is_the_bid_if_the_buyer_made_it() -> None:
    # Seat 0 leads a spade and seat 1 ruffs with a heart: it makes all 13 tricks.
    sheet = sheet_of("auction", "bid 4", "pass", "pass", "accept", "up H")
    assert (sheet["declarer"], sheet["bid_points"], sheet["price"]) == (1, 100, 100)
    assert list(sheet["points"]) == [100, 225, 0, 0]


def test_the_price_is_what_the_buyer_made_if_that_is_less() -> None:
    # Without a trump the owner's spades take everything, and the buyer has nothing to pay with.
    sheet = sheet_of("auction", "bid 4", "pass", "pass", "accept", "up NT")
    assert (sheet["bid_points"], sheet["price"]) == (100, 0)
    assert list(sheet["points"]) == [325, 0, 0, 0]


def test_a_brazilian_deal_sold_after_a_refusal_counts_as_sold() -> None:
    calls = ["bid 1", "pass", "pass", "refuse", "bid 2", "pass", "pass", "accept", "pass", "pass", "pass", "up H"]
    sheet = sheet_of(*calls, rules="brazilian_auction")
    assert (sheet["outcome"], sheet["price"]) == (SOLD, 50)


def hand_made_sheets() -> DealSheets:
    """One block of a negative and a positive deal in two seatings: no tricks, then sold up by seat 0 to seat 1."""
    sheets: DealSheets = np.zeros((1, 2, 2), dtype=DEAL_SHEET_DTYPE)
    sheets["points"][0, 0] = [[-260, 0, 0, 0], [100, 225, 0, 0]]
    sheets["points"][0, 1] = [[-20, -40, -80, -120], [75, 100, 50, 100]]
    for seating in range(2):
        sheets["contract"][0, seating] = [0, UP]
        sheets["outcome"][0, seating] = [NEGATIVE_DEAL, SOLD]
        sheets["declarer"][0, seating] = [0, 1]
        sheets["bid_points"][0, seating] = [0, 100]
        sheets["price"][0, seating] = [0, 100 if seating == 0 else 50]
    return sheets


def test_points_are_added_up_by_kind_and_contract() -> None:
    # Kind 0 sits in seat 0 and then in seat 1; a positive deal alone stands for the four of a game.
    tally = tally_sheets(hand_made_sheets(), np.array([[0, 1, 1, 1], [1, 0, 1, 1]]), num_kinds=2)
    points = dict(zip(COLUMNS, tally.points[0].T.tolist(), strict=True))
    counts = dict(zip(COLUMNS, tally.counts[0].T.tolist(), strict=True))
    assert points["no_tricks"] == [-260 - 40, 0 - 220]
    assert points["positive"] == points["up"] == [100 + 100, 225 + 225]
    assert points["game"] == [-300 + 4 * 200, -220 + 4 * 450]
    assert points["down"] == points["skipped"] == points["no_queens"] == [0, 0]
    assert counts["game"] == counts["no_tricks"] == counts["up"] == [2, 6]
    assert counts["down"] == [0, 0]


def test_sales_are_added_up_by_owner_and_by_buyer() -> None:
    tally = tally_sheets(hand_made_sheets(), np.array([[0, 1, 1, 1], [1, 0, 1, 1]]), num_kinds=2)
    sold_up = list(FATES).index("sold up")
    assert MEASURES == ("count", "points", "bid_points", "price")
    assert tally.owners[:, sold_up].tolist() == [[1, 100, 100, 100], [1, 75, 100, 50]]
    assert tally.buyers[:, 0].tolist() == [[1, 100, 100, 50], [1, 225, 100, 100]]
    assert tally.owners.sum() - tally.owners[:, sold_up].sum() == 0
