"""Rules 6: the traces that every implementation must reproduce, branch by branch."""

from __future__ import annotations

import pytest

from tests.engine.table import bids, calls, field, legal, may_say, positive, say

UPS = {"up C", "up D", "up H", "up S", "up NT"}


# 1


def test_trace_1_seat_1_holds_bid_4_by_a_match() -> None:
    game = say(positive(), "0 auction, 1 bid 2, 2 nulls 1, 3 bid 4, 1 bid 4, 2 pass, 3 pass")
    assert (field(game, "holder"), game.turn, game.phase) == (1, 0, "deciding")
    game = say(game, "0 accept")
    assert (game.turn, game.phase) == (1, "declaring")
    assert calls(game) == UPS


def test_trace_1_when_seat_2_passed_it_could_have_raised_but_not_matched() -> None:
    game = say(positive(), "0 auction, 1 bid 2, 2 nulls 1, 3 bid 4, 1 bid 4")
    assert game.turn == 2
    assert calls(game) == bids("pass, bid 5-8, nulls 2")


# 2


def test_trace_2_after_bid_3_nulls_1_is_illegal_for_everyone() -> None:
    assert not may_say(say(positive(), "0 auction, 1 bid 3"), "2 nulls 1")
    assert not may_say(say(positive(), "0 auction, 1 bid 3, 2 pass"), "3 nulls 1")
    assert not may_say(say(positive(), "0 auction, 1 bid 1, 2 pass, 3 bid 3"), "1 nulls 1")


def test_trace_2_after_nulls_1_bid_3_is_illegal_for_everyone() -> None:
    assert not may_say(say(positive(), "0 auction, 1 nulls 1"), "2 bid 3")
    assert not may_say(say(positive(), "0 auction, 1 nulls 1, 2 pass"), "3 bid 3")
    assert not may_say(say(positive(), "0 auction, 1 bid 1, 2 pass, 3 nulls 1"), "1 bid 3")


def test_trace_2_by_default_nulls_3_is_illegal() -> None:
    assert not may_say(say(positive(), "0 auction"), "1 nulls 3")


def test_trace_2_a_seat_that_passed_is_not_asked_again() -> None:
    game = say(positive(), "0 auction, 1 bid 1, 2 pass, 3 bid 2, 1 bid 3, 3 bid 4, 1 pass")
    assert (game.turn, game.phase) == (0, "deciding")


# 3


@pytest.mark.parametrize(("bid", "open_to_skip"), [("bid 3", True), ("nulls 1", True), ("bid 4", False)])
def test_trace_3_portuguese_skip(bid: str, open_to_skip: bool) -> None:
    assert may_say(say(positive(), f"0 auction, 1 {bid}, 2 pass, 3 pass"), "0 skip") == open_to_skip


@pytest.mark.parametrize(("bid", "open_to_skip"), [("pass", True), ("bid 1", True), ("bid 2", False)])
def test_trace_3_brazilian_skip(bid: str, open_to_skip: bool) -> None:
    assert may_say(say(positive("brazilian_auction"), f"1 {bid}, 2 pass, 3 pass"), "0 skip") == open_to_skip


# 4


def test_trace_4_hearts_contract_on_lead() -> None:
    assert legal("5H 2C", contract="no_hearts") == "2C"
    assert legal("5H 9H", contract="no_hearts") == "5H 9H"


def test_trace_4_queens_contract_on_lead() -> None:
    assert legal("5H 2C", contract="no_queens") == "5H 2C"


def test_trace_4_king_of_hearts_contract() -> None:
    assert legal("KH 3H 4C", led="H", contract="no_king_of_hearts") == "KH"
    assert legal("KH 2H 3D", led="C", contract="no_king_of_hearts") == "KH"
    assert legal("KH 4C", led="C", contract="no_king_of_hearts") == "4C"
    assert legal("KH 3H", contract="no_king_of_hearts") == "KH"


def test_trace_4_up_with_spades_trump_and_no_clubs() -> None:
    assert legal("AS 2S 5D 9H", led="C", contract="up", trump="S") == "AS 2S 5D 9H"


# 5


def test_trace_5_brazilian_refusal_at_the_cap() -> None:
    game = say(positive("brazilian_auction"), "1 bid 13")
    for call in ("2 pass", "3 pass"):
        assert calls(game) == {"pass"}
        say(game, call)
    say(game, "0 refuse")
    for call in ("1 pass", "2 pass", "3 pass"):
        assert calls(game) == {"pass"}
        say(game, call)
    assert (game.turn, game.phase) == (0, "declaring")


# 6


def test_trace_6_a_raise_after_the_match_asks_the_owner() -> None:
    game = say(positive("brazilian_auction"), "1 pass, 2 bid 2, 3 pass, 0 accept, 1 bid 2, 2 bid 3, 3 pass")
    assert (game.turn, game.phase) == (0, "deciding")
    assert (field(game, "holder"), calls(game)) == (2, {"accept", "refuse"})


def test_trace_6_passes_after_the_match_lead_to_a_further_round_and_a_sale() -> None:
    game = say(positive("brazilian_auction"), "1 pass, 2 bid 2, 3 pass, 0 accept, 1 bid 2, 2 pass, 3 pass")
    assert (game.turn, game.phase) == (1, "bidding")
    say(game, "1 pass, 2 pass, 3 pass")
    assert (game.turn, game.phase) == (1, "declaring")
    assert field(game, "is_sold") == 1
    assert field(game, "best_bid") == 54  # bid 2


# 7


def test_trace_7_a_sale_at_nulls_is_led_at_once() -> None:
    game = say(positive(), "0 auction, 1 pass, 2 nulls 1, 3 pass, 0 accept")
    assert (game.turn, game.phase, game.contract) == (0, "playing", "down")
    assert "down" not in calls(game)
    assert len(calls(game)) == 13
