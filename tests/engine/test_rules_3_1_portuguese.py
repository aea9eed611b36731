"""Rules 3.1: the Portuguese owner chooses at once, opens the auction, or sets the ultimatum."""

from __future__ import annotations

import pytest

from tests.engine.table import (
    calls,
    carousel,
    field,
    positive,
    say,
    scores,
    take_tricks,
)

TRUMPS = ("C", "D", "H", "S", "NT")


def test_the_owner_does_one_of_three_things() -> None:
    choosing_at_once = {"up C", "up D", "up H", "up S", "up NT", "down"}
    assert calls(positive()) == choosing_at_once | {"auction", "eight or nulls"}


@pytest.mark.parametrize(("number", "trump"), list(enumerate(TRUMPS)))
def test_the_owner_may_choose_up_at_once(number: int, trump: str) -> None:
    game = say(positive(owner=3), f"3 up {trump}")
    assert game.phase == "playing"
    assert (game.contract, field(game, "trump")) == ("up", number)
    assert game.turn == 3


def test_the_owner_may_choose_down_at_once() -> None:
    game = say(positive(owner=3), "3 down")
    assert game.phase == "playing"
    assert game.contract == "down"
    assert game.turn == 3


@pytest.mark.parametrize("owner", range(4))
def test_the_owner_may_open_the_auction(owner: int) -> None:
    game = say(positive(owner=owner), f"{owner} auction")
    assert game.phase == "bidding"
    assert game.turn == (owner + 1) % 4


@pytest.mark.parametrize("owner", range(4))
def test_the_ultimatum_goes_round_from_the_owners_left(owner: int) -> None:
    game = say(positive(owner=owner), f"{owner} eight or nulls")
    asked = []
    for _ in range(3):
        asked.append(game.turn)
        game.play("pass")
    assert asked == [(owner + 1) % 4, (owner + 2) % 4, (owner + 3) % 4]


def test_each_other_seat_answers_the_ultimatum_with_bid_8_or_pass() -> None:
    game = say(positive(), "0 eight or nulls")
    for seat in (1, 2, 3):
        assert game.turn == seat
        assert calls(game) == {"bid 8", "pass"}
        game.play("pass")


@pytest.mark.parametrize(("answers", "buyer"), [("1 bid 8", 1), ("1 pass, 2 bid 8", 2), ("1 pass, 2 pass, 3 bid 8", 3)])
def test_the_first_bid_8_buys_at_once_without_accept(answers: str, buyer: int) -> None:
    game = say(positive(), f"0 eight or nulls, {answers}")
    assert game.phase == "declaring"
    assert game.turn == buyer


def test_the_seats_after_the_first_bid_8_are_not_asked() -> None:
    game = say(positive(), "0 eight or nulls, 1 bid 8, 1 up H")
    assert game.phase == "playing"
    assert game.turn == 0


def test_the_buyer_of_an_ultimatum_declares_up() -> None:
    game = say(positive(), "0 eight or nulls, 1 pass, 2 bid 8")
    assert calls(game) == {"up C", "up D", "up H", "up S", "up NT"}


def test_the_buyer_of_an_ultimatum_pays_at_8_up() -> None:
    game = say(positive(deal=carousel()), "0 eight or nulls, 1 pass, 2 bid 8, 2 up NT")
    take_tricks(game, 1, 1, 9, 2)
    assert scores(game) == [25 + 200, 25, 225 - 200, 50]


def test_if_all_pass_the_ultimatum_the_deal_is_played_down() -> None:
    game = say(positive(owner=1), "1 eight or nulls, 2 pass, 3 pass, 0 pass")
    assert game.contract == "down"
    assert field(game, "declarer") == 1
    assert game.turn == 1


def test_if_all_pass_the_ultimatum_nothing_is_paid() -> None:
    game = say(positive(deal=carousel()), "0 eight or nulls, 1 pass, 2 pass, 3 pass")
    take_tricks(game, 3, 2, 4, 4)
    assert scores(game) == [100, 175, 25, 25]


def test_the_ultimatum_is_not_said_after_an_auction() -> None:
    after_bids = say(positive(), "0 auction, 1 bid 4, 2 pass, 3 pass")
    assert "eight or nulls" not in calls(after_bids)
    assert "eight or nulls" not in calls(say(after_bids, "0 refuse"))
    nobody_bid = say(positive(), "0 auction, 1 pass, 2 pass, 3 pass, 0 refuse")
    assert "eight or nulls" not in calls(nobody_bid)
