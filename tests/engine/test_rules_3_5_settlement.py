"""Rules 3.5: what a buyer pays the owner. The rows of the table, each played out card by card."""

from __future__ import annotations

import dataclasses

import pytest

from king_env.game import Game
from king_env.ruleset import PORTUGUESE, RuleSet
from tests.engine.table import carousel, positive, say, scores, take_tricks

OWNER, BUYER = 0, 2
FULL = dataclasses.replace(PORTUGUESE, settlement="full")

# bid, tricks of seats 0 to 3, what owner and buyer end with
TABLE = [
    pytest.param("bid 4", (2, 1, 6, 4), 150, 50, id="bid 4: buyer 6 tricks, owner 2"),
    pytest.param("bid 6", (3, 1, 4, 5), 175, 0, id="bid 6: buyer 4 tricks, owner 3"),
    pytest.param("nulls 2", (3, 4, 2, 4), 250, 25, id="nulls 2: buyer 2 tricks, owner 3"),
    pytest.param("nulls 2", (3, 5, 3, 2), 200, 0, id="nulls 2: buyer 3 tricks, owner 3"),
    pytest.param("nulls 2", (1, 4, 5, 3), 250, -50, id="nulls 2: buyer 5 tricks, owner 1"),
]
FULL_TABLE = [
    pytest.param("bid 4", (2, 1, 6, 4), 150, 50, id="enough"),
    pytest.param("bid 6", (3, 1, 4, 5), 75 + 150, 100 - 150, id="bid 6, not enough"),
    pytest.param("nulls 2", (3, 5, 3, 2), 100 + 150, 100 - 150, id="nulls 2, not enough"),
    pytest.param("nulls 2", (1, 4, 5, 3), 250 + 150, -50 - 150, id="nulls 2, below zero already"),
]


def sold(bid: str, rules: RuleSet = PORTUGUESE) -> Game:
    """A carousel deal sold by seat 0 to seat 2; a buyer at `bid n` names no trump."""
    game = say(positive(rules, deal=carousel()), f"0 auction, 1 pass, 2 {bid}, 3 pass, 0 accept")
    return say(game, "2 up NT") if bid.startswith("bid") else game


@pytest.mark.parametrize(("bid", "tricks", "owner", "buyer"), TABLE)
def test_the_table_row_by_row(bid: str, tricks: tuple[int, ...], owner: int, buyer: int) -> None:
    game = take_tricks(sold(bid), *tricks)
    assert (scores(game)[OWNER], scores(game)[BUYER]) == (owner, buyer)


@pytest.mark.parametrize(("bid", "tricks", "owner", "buyer"), FULL_TABLE)
def test_full_pays_always_the_whole_bid(bid: str, tricks: tuple[int, ...], owner: int, buyer: int) -> None:
    game = take_tricks(sold(bid, FULL), *tricks)
    assert (scores(game)[OWNER], scores(game)[BUYER]) == (owner, buyer)


@pytest.mark.parametrize("rules", [PORTUGUESE, FULL])
@pytest.mark.parametrize(("bid", "tricks", "owner", "buyer"), TABLE)
def test_a_sale_leaves_the_total_of_the_deal_as_it_is(
    rules: RuleSet, bid: str, tricks: tuple[int, ...], owner: int, buyer: int
) -> None:
    assert sum(scores(take_tricks(sold(bid, rules), *tricks))) == 325


def test_only_owner_and_buyer_settle() -> None:
    game = take_tricks(sold("bid 4"), 2, 1, 6, 4)
    assert (scores(game)[1], scores(game)[3]) == (25, 100)


def test_the_buyer_pays_at_the_end_of_the_deal() -> None:
    game = take_tricks(sold("bid 4"), 2, 1, 6, 3)
    assert scores(game) == [50, 25, 150, 75]
    while not game.is_over:
        game.play(game.legal()[0])
    assert scores(game)[BUYER] <= 175 - 100


def test_a_buyer_who_makes_exactly_the_bid_is_left_with_nothing() -> None:
    assert scores(take_tricks(sold("bid 4"), 2, 1, 4, 6)) == [150, 25, 0, 150]


def test_a_buyer_who_made_nothing_pays_nothing() -> None:
    game = take_tricks(sold("bid 8"), 13)
    assert scores(game) == [325, 0, 0, 0]


def test_a_buyer_at_nulls_who_made_nothing_or_less_pays_nothing() -> None:
    """Thirteen tricks to the buyer, 325 - 975; the owner keeps the 325 of no trick."""
    game = take_tricks(sold_to_the_left("nulls 1"), 0, 13)
    assert scores(game) == [325, -650, 325, 325]


def sold_to_the_left(bid: str) -> Game:
    game = say(positive(deal=carousel()), f"0 auction, 1 {bid}, 2 pass, 3 pass, 0 accept")
    return say(game, "1 up NT") if bid.startswith("bid") else game


def test_what_the_buyer_made_is_of_this_deal_alone() -> None:
    """The buyer comes in with 100 points from a skip, makes 75 and owes 200: 75 are paid, not 175."""
    game = Game(PORTUGUESE, deals=[carousel(0), carousel(1)], dealer=0, first_deal=6, num_deals=2)
    say(game, "0 auction, 1 pass, 2 pass, 3 pass, 0 skip")
    say(game, "1 auction, 2 pass, 3 pass, 0 bid 8, 1 accept, 0 up NT")
    take_tricks(game, 5, 2, 3, 3)
    assert list(game.scores) == [100 + 75 - 75, 75 + 125 + 75, 75 + 50, 75 + 75]


def test_nothing_is_settled_when_the_owner_plays() -> None:
    game = take_tricks(say(positive(deal=carousel()), "0 up NT"), 2, 1, 6, 4)
    assert scores(game) == [50, 25, 150, 100]


def test_the_brazilian_sale_is_settled_alike() -> None:
    """The buyer of 5 at hearts takes what the cards give; what was made and the bid say what is paid."""
    game = positive("brazilian_auction")
    say(game, "1 bid 5, 2 pass, 3 pass, 0 accept, 1 pass, 2 pass, 3 pass, 1 up H")
    while not game.is_over:
        game.play(game.legal()[0])
    tricks = [int(n) for n in game.record["tricks"][0]]
    paid = min(125, 25 * tricks[1])
    assert scores(game) == [25 * tricks[0] + paid, 25 * tricks[1] - paid, 25 * tricks[2], 25 * tricks[3]]
