"""Rules 3: owner and declarer, playing up and playing down."""

from __future__ import annotations

import pytest

from king_env.game import Game
from tests.engine.table import (
    bids,
    calls,
    carousel,
    field,
    legal,
    positive,
    say,
    scores,
    take_tricks,
    taker,
)


@pytest.mark.parametrize("dealer", range(4))
def test_the_dealer_is_the_owner(dealer: int) -> None:
    game = positive(owner=dealer)
    assert game.turn == dealer
    assert calls(game) >= {"auction", "up C", "down"}


def test_the_owner_is_the_declarer_unless_the_right_is_sold() -> None:
    assert field(say(positive(owner=2), "2 up C"), "declarer") == 2
    assert field(say(positive(owner=2), "2 auction, 3 bid 2, 0 pass, 1 pass, 2 refuse, 2 up C"), "declarer") == 2


def test_the_buyer_is_the_declarer_after_a_sale() -> None:
    game = say(positive(owner=2), "2 auction, 3 pass, 0 bid 2, 1 pass, 2 accept")
    assert game.turn == 0
    assert field(say(game, "0 up C"), "declarer") == 0


def test_up_pays_25_a_trick() -> None:
    game = take_tricks(say(positive(deal=carousel()), "0 up NT"), 4, 1, 6, 2)
    assert scores(game) == [100, 25, 150, 50]


def test_up_pays_325_in_all() -> None:
    game = take_tricks(say(positive(deal=carousel()), "0 up NT"), 13)
    assert scores(game) == [325, 0, 0, 0]


def test_up_with_a_trump_suit() -> None:
    assert taker("AC 2S 3C 4C", trump="S") == 1


def test_up_with_no_trump() -> None:
    assert taker("AC 2S 3C 4C", trump="NT") == 0


@pytest.mark.parametrize("trump", ["C", "D", "H", "S", "NT"])
def test_up_pays_the_same_whatever_is_trump(trump: str) -> None:
    game = say(positive(), f"0 up {trump}")
    while not game.is_over:
        game.play(game.legal()[0])
    assert scores(game) == [25 * tricks for tricks in field(game, "tricks")]


def test_down_starts_everybody_with_325() -> None:
    assert scores(say(positive(), "0 down")) == [325, 325, 325, 325]


def test_down_costs_75_a_trick() -> None:
    game = say(positive(deal=carousel()), "0 down")
    take_tricks(game, 1)
    assert scores(game) == [250, 325, 325, 325]
    take_tricks(game, 3)
    assert scores(game) == [25, 325, 325, 325]


def test_down_pays_325_in_all() -> None:
    game = take_tricks(say(positive(deal=carousel()), "0 down"), 4, 1, 6, 2)
    assert scores(game) == [25, 250, -125, 175]
    assert sum(scores(game)) == 325


def test_down_knows_no_trump() -> None:
    for other in "DHS":
        assert taker(f"3C 2C A{other} K{other}", "down") == 0


def test_a_seat_can_end_a_down_deal_as_low_as_minus_650() -> None:
    game = take_tricks(say(positive(deal=carousel()), "0 down"), 13)
    assert scores(game) == [-650, 325, 325, 325]


def test_hearts_and_the_king_of_hearts_are_free_in_positive_deals() -> None:
    for contract in ("up", "down"):
        assert legal("KH 3H 2C", contract=contract) == "KH 3H 2C"


def test_a_turn_with_one_legal_action_is_taken_all_the_same() -> None:
    """A lone `pass` after the highest bid, and the last card."""
    game = say(positive(), "0 auction, 1 bid 8")
    assert game.turn == 2
    assert calls(game) == {"pass"}
    game = take_tricks(say(positive(deal=carousel()), "0 up NT"), 12)
    assert not game.is_over
    assert game.legal() == ["2H"]


def test_no_auction_is_cut_short_at_its_cap() -> None:
    game = say(positive(), "0 auction, 1 bid 8, 2 pass, 3 pass")
    assert calls(game) == {"accept", "refuse"}
    game = say(positive("brazilian_auction"), "1 bid 13, 2 pass, 3 pass, 0 accept, 1 pass, 2 pass, 3 pass")
    assert game.turn == 1
    assert game.phase == "declaring"


def test_after_a_sale_at_nulls_play_starts_at_once() -> None:
    game = say(positive(), "0 auction, 1 pass, 2 nulls 2, 3 pass, 0 accept")
    assert game.phase == "playing"
    assert game.contract == "down"


def test_after_an_ultimatum_that_all_passed_play_starts_at_once() -> None:
    game = say(positive(), "0 eight or nulls, 1 pass, 2 pass, 3 pass")
    assert game.phase == "playing"
    assert game.contract == "down"


def test_every_positive_deal_is_chosen_anew() -> None:
    """Nothing of a deal that was sold carries over to the next: neither the bid, nor who bought or passed."""
    game = Game("portuguese", deals=[carousel(0), carousel(1)], dealer=0, first_deal=6, num_deals=2)
    openings = calls(game)
    take_tricks(say(game, "0 auction, 1 pass, 2 bid 5, 3 pass, 0 accept, 2 up NT"), 13)
    assert calls(game) == openings
    say(game, "1 auction")
    for seat in (2, 3, 0):
        assert game.turn == seat
        assert calls(game) == bids("pass, bid 1-8, nulls 1-2")
        game.play("pass")
    assert calls(game) == {"refuse", "skip"}


def test_a_deal_after_a_sale_settles_nothing_by_itself() -> None:
    game = Game("portuguese", deals=[carousel(0), carousel(1)], dealer=0, first_deal=6, num_deals=2)
    take_tricks(say(game, "0 auction, 1 pass, 2 bid 5, 3 pass, 0 accept, 2 up NT"), 5, 1, 6, 1)
    take_tricks(say(game, "1 up NT"), 5, 1, 6, 1)
    assert game.scores_by_deal == [[250, 25, 25, 25], [25, 125, 25, 150]]
