"""What is said in positive deals, worked by hand."""

from __future__ import annotations

import numpy as np
import pytest

from king_env.engine.actions import FIRST_CALL
from king_env.engine.state import new_records
from king_env.evaluation import play_match
from king_env.evaluation.calls import SITUATIONS, STRENGTHS, CallTally, strengths, tally_calls, tricks_promised
from king_env.evaluation.deal_sheets import DEAL_SHEET_DTYPE
from king_env.evaluation.playing import act_in_games
from king_env.game import Game
from king_env.notation import parse_action, parse_cards
from king_env.ruleset import make_ruleset

# Spades for seat 0, hearts for seat 1, diamonds for seat 2, clubs for seat 3.
ONE_SUIT_EACH = "0:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
SEATS_AS_KINDS = np.array([[0, 1, 2, 3]])


def tally_of(*calls: str, rules: str = "portuguese", owner: int = 0) -> CallTally:
    """Of one deal that is played on with the first legal card each time; each seat is a kind of its own."""
    game = Game(rules, deals=[ONE_SUIT_EACH], dealer=owner, first_deal=6, num_deals=1)
    records, ended = game.record.copy(), new_records(1).reshape(1, 1)
    sheets = np.zeros((1, 1), dtype=DEAL_SHEET_DTYPE)
    actions = [parse_action(call) for call in calls]
    while not game.is_over:
        action = actions.pop(0) if actions else game.legal_ids()[0]
        game.play(action)
        act_in_games(records, np.array([0]), np.array([action]), sheets, ended)
    return tally_calls(make_ruleset(rules), ended, sheets, SEATS_AS_KINDS, num_blocks=1, num_kinds=4)


def said(tally: CallTally, situation: str) -> dict[tuple[int, str], int]:
    """The points in deals where this was said, by seat and call."""
    counts, points = (table[0, :, SITUATIONS.index(situation)] for table in (tally.counts, tally.points))
    assert counts.max(initial=0) <= 1
    texts = {parse_action(text) - FIRST_CALL: text for text in ALL_CALLS}
    return {(int(seat), texts[int(call)]): int(points[seat, call]) for seat, call in np.argwhere(counts)}


ALL_CALLS = ["pass", *(f"bid {n}" for n in range(1, 14)), "nulls 1", "nulls 2", "accept", "refuse", "skip", "auction"]
ALL_CALLS += ["eight or nulls", *(f"up {trump}" for trump in ("C", "D", "H", "S", "NT")), "down"]


def test_a_sale_with_every_situation() -> None:
    tally = tally_of("auction", "bid 1", "nulls 1", "bid 4", "pass", "pass", "accept", "up C")
    assert said(tally, "opening") == {(0, "auction"): 100}
    # A seat that passes after it has bid is counted by its bid.
    assert said(tally, "bidding") == {(1, "bid 1"): 0, (2, "nulls 1"): 0, (3, "bid 4"): 225}
    assert said(tally, "deciding") == {(0, "accept"): 100}
    assert said(tally, "declaring") == {(3, "up C"): 225}
    assert said(tally, "ultimatum") == {}


def test_the_owner_may_sit_anywhere() -> None:
    assert said(tally_of("up D", owner=2), "opening") == {(2, "up D"): 325}
    assert said(tally_of("eight or nulls", "pass", "pass", "bid 8", "up H", owner=2), "ultimatum") == {
        (3, "pass"): 0,
        (0, "pass"): 0,
        (1, "bid 8"): 125,
    }


def test_later_rounds_of_a_brazilian_auction_count_by_the_last_bid_and_the_last_answer() -> None:
    calls = ["pass", "bid 2", "pass", "accept", "bid 2", "bid 3", "pass", "refuse", "pass", "pass", "pass", "up S"]
    tally = tally_of(*calls, rules="brazilian_auction")
    assert said(tally, "bidding") == {(1, "bid 2"): 0, (2, "bid 3"): 0, (3, "pass"): 0}
    assert said(tally, "deciding") == {(0, "refuse"): 325}


def test_hands_are_counted_by_the_tricks_they_promise() -> None:
    tally = tally_of("up S")
    (place,) = np.argwhere(tally.hands)
    assert STRENGTHS[place[2]] == "8+"


@pytest.mark.parametrize(
    ("hand", "tricks"),
    [
        # four trumps with the ace; ace, guarded king, queen of three aside
        ("AS 5S 4S 3S AH 4H 3H KD 3D 2D QC 3C 2C", 4 * 0.88 + 0.98 + 0.99 + 0.77 + 0.36 - 2.03),
        # six trumps with king and queen, a singleton king, a void
        ("KH QH 9H 8H 7H 6H KS 8C 7C 6C 5C 4C 3C", 6 * 0.88 + 0.81 + 0.54 + 0.385 + 0.77 - 2.03),
    ],
)
def test_what_a_hand_promises(hand: str, tricks: float) -> None:
    cards = np.array([parse_cards(hand)])
    assert tricks_promised(cards) == pytest.approx([tricks])
    assert strengths(cards).tolist() == [int(tricks)]


def test_a_match_tallies_every_positive_deal_and_changes_nothing() -> None:
    bots = ["heuristic", "random", "random", "random"]
    tallied, silent = (play_match(bots, 3, 5, tally_calls=tally, progress=False) for tally in (True, False))
    assert silent.calls is None and tallied.calls is not None
    assert np.array_equal(tallied.tally.points, silent.tally.points)
    opened = tallied.calls.counts[:, :, SITUATIONS.index("opening")].sum(axis=(0, 2))
    assert opened.tolist() == [3 * 4, 3 * 4 * 3]  # four positive deals a game, one owned by each seat
    assert tallied.calls.hands.sum() == tallied.calls.counts.sum()
