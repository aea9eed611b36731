"""Rules 7: every value of every option has its effect, and contradictions are refused."""

from __future__ import annotations

import dataclasses
import itertools

import pytest

from king_env.game import Game, IllegalActionError
from king_env.ruleset import BRAZILIAN_AUCTION, BRAZILIAN_TRUMP, PORTUGUESE, RuleSet, RuleSetError, make_ruleset
from tests.engine.table import (
    bids,
    calls,
    carousel,
    legal,
    new_deal,
    position,
    positive,
    say,
    scores,
    take_tricks,
)

SUITS = {"up C", "up D", "up H", "up S"}


def house(base: RuleSet = PORTUGUESE, **options: object) -> RuleSet:
    """A rule set that differs in these options."""
    return dataclasses.replace(base, **options)  # type: ignore[arg-type]


# The table of the three rule sets


def test_the_portuguese_column() -> None:
    assert PORTUGUESE == RuleSet(
        negatives=("no_tricks", "no_hearts", "no_queens", "no_kings_jacks", "no_king_of_hearts", "no_last_two"),
        first_lead="dealer",
        king_of_hearts_forced="always",
        stop_when_decided=False,
        auction="owner_opens",
        max_bid=8,
        max_nulls=2,
        no_trump=True,
        down=True,
        ultimatum=True,
        skip_limit=75,
        settlement="capped",
    )


def test_the_brazilian_auction_column() -> None:
    assert BRAZILIAN_AUCTION == RuleSet(
        negatives=("no_tricks", "no_hearts", "no_kings_jacks", "no_queens", "no_king_of_hearts", "no_last_two"),
        first_lead="dealer",
        king_of_hearts_forced="always",
        stop_when_decided=False,
        auction="always",
        max_bid=13,
        max_nulls=0,
        no_trump=False,
        down=False,
        ultimatum=False,
        skip_limit=25,
        settlement="capped",
    )


def test_the_brazilian_trump_column() -> None:
    assert BRAZILIAN_TRUMP == RuleSet(
        negatives=("no_tricks", "no_hearts", "no_kings_jacks", "no_queens", "no_king_of_hearts", "no_last_two"),
        first_lead="dealer",
        king_of_hearts_forced="always",
        stop_when_decided=False,
        auction="none",
        max_bid=0,
        max_nulls=0,
        no_trump=False,
        down=False,
        ultimatum=False,
        skip_limit=None,
        settlement=None,
    )


# negatives


@pytest.mark.parametrize("order", list(itertools.permutations(PORTUGUESE.negatives))[::89])
def test_negatives_are_played_in_the_order_given(order: tuple[str, ...]) -> None:
    rules = house(negatives=order)
    played = [Game(rules, deals=[carousel()], first_deal=n, num_deals=1).contract for n in range(6)]
    assert tuple(played) == order


# first_lead


@pytest.mark.parametrize(("option", "leader"), [("dealer", 2), ("declarer", 0), ("left_of_dealer", 3)])
def test_first_lead_after_a_sale(option: str, leader: int) -> None:
    """Seat 2 deals, seat 0 buys."""
    rules = house(first_lead=option)
    up = say(positive(rules, owner=2), "2 auction, 3 pass, 0 bid 2, 1 pass, 2 accept, 0 up C")
    down = say(positive(rules, owner=2), "2 auction, 3 pass, 0 nulls 2, 1 pass, 2 accept")
    assert (up.turn, down.turn) == (leader, leader)


@pytest.mark.parametrize(("option", "leader"), [("dealer", 2), ("declarer", 2), ("left_of_dealer", 3)])
def test_first_lead_when_the_owner_plays(option: str, leader: int) -> None:
    assert say(positive(house(first_lead=option), owner=2), "2 up C").turn == leader


@pytest.mark.parametrize(("option", "leader"), [("dealer", 2), ("declarer", 2), ("left_of_dealer", 3)])
def test_first_lead_holds_in_the_negative_deals_too(option: str, leader: int) -> None:
    for contract in PORTUGUESE.negatives:
        assert new_deal(contract, house(first_lead=option), dealer=2).turn == leader


def test_the_brazilian_buyer_leads_where_the_declarer_does() -> None:
    game = positive(house(BRAZILIAN_AUCTION, first_lead="declarer"))
    assert say(game, "1 bid 1, 2 pass, 3 pass, 0 accept, 1 pass, 2 pass, 3 pass, 1 up C").turn == 1


# king_of_hearts_forced

ON_LEAD, FOLLOWING, VOID = ("KH 3H", None), ("KH 3H 4C", "H"), ("KH 2H 3D", "C")


@pytest.mark.parametrize(
    ("option", "on_lead", "following", "void"),
    [
        ("always", "KH", "KH", "KH"),
        ("following", "KH 3H", "KH", "KH"),
        ("when_void", "KH 3H", "KH 3H", "KH"),
        ("never", "KH 3H", "KH 3H", "KH 2H 3D"),
    ],
)
def test_king_of_hearts_forced(option: str, on_lead: str, following: str, void: str) -> None:
    rules = house(king_of_hearts_forced=option)
    allowed = [
        legal(hand, led=led, contract="no_king_of_hearts", rules=rules) for hand, led in (ON_LEAD, FOLLOWING, VOID)
    ]
    assert allowed == [on_lead, following, void]


@pytest.mark.parametrize("option", ["always", "following", "when_void", "never"])
def test_the_ban_on_leading_hearts_holds_however_the_king_is_forced(option: str) -> None:
    rules = house(king_of_hearts_forced=option)
    assert legal("KH 3H 4C", contract="no_king_of_hearts", rules=rules) == "4C"


# stop_when_decided

STOPPING = house(stop_when_decided=True)


@pytest.mark.parametrize(
    ("contract", "last_penalty"),
    [("no_hearts", "2H"), ("no_queens", "QH"), ("no_kings_jacks", "JH"), ("no_king_of_hearts", "KH")],
)
def test_the_deal_ends_after_the_trick_with_the_last_card_that_pays(contract: str, last_penalty: str) -> None:
    hands = {0: "5C 6C 7C", 1: f"{last_penalty} 3D 4D", 2: "5D 6D 7D", 3: "5S 6S 7S"}
    game = position(hands, contract, rules=STOPPING)
    for card in ("7C", last_penalty, "5D"):
        game.play(card)
        assert not game.is_over
    game.play("5S")
    assert game.is_over


@pytest.mark.parametrize("contract", ["no_hearts", "no_queens", "no_kings_jacks", "no_king_of_hearts"])
def test_the_deal_goes_on_while_a_card_that_pays_is_in_a_hand(contract: str) -> None:
    game = position({0: "5C 6C 7C", 1: "2D 3D 4D", 2: "KH QH 4C", 3: "5S 6S 7S"}, contract, rules=STOPPING)
    for card in ("7C", "2D", "4C", "5S"):
        game.play(card)
    assert not game.is_over


@pytest.mark.parametrize("contract", ["no_hearts", "no_queens", "no_kings_jacks", "no_king_of_hearts"])
def test_by_default_the_deal_goes_on_though_decided(contract: str) -> None:
    game = position({0: "5C 6C 7C", 1: "2D 3D 4D", 2: "5D 6D 7D", 3: "5S 6S 7S"}, contract)
    for card in ("7C", "2D", "5D", "5S"):
        game.play(card)
    assert not game.is_over


def test_it_stops_only_the_four_contracts_on_cards() -> None:
    for contract in ("no_tricks", "no_last_two", "up", "down"):
        game = position({0: "5C 6C 7C", 1: "2D 3D 4D", 2: "5D 6D 7D", 3: "5S 6S 7S"}, contract, rules=STOPPING)
        for card in ("7C", "2D", "5D", "5S"):
            game.play(card)
        assert not game.is_over


def test_a_deal_that_stopped_has_paid_its_whole_total() -> None:
    game = take_tricks(new_deal("no_king_of_hearts", STOPPING, deal=carousel()), 1)
    assert game.is_over
    assert scores(game) == [-160, 0, 0, 0]


def test_after_a_stop_the_next_deal_is_dealt_from_the_left() -> None:
    game = Game(STOPPING, deals=[carousel(0), carousel(1)], dealer=0, first_deal=4, num_deals=2)
    take_tricks(game, 1)
    assert (game.deal_number, game.contract, game.dealer, game.turn) == (6, "no_last_two", 1, 1)


# auction


def test_auction_owner_opens() -> None:
    assert positive(house()).phase == "opening"


def test_auction_always() -> None:
    assert positive(house(BRAZILIAN_AUCTION)).phase == "bidding"


def test_auction_none() -> None:
    assert positive(house(BRAZILIAN_TRUMP)).phase == "declaring"


def test_nulls_may_be_sold_in_a_brazilian_auction_of_the_house() -> None:
    rules = house(BRAZILIAN_AUCTION, max_nulls=2, down=True)
    game = say(
        positive(rules), "1 bid 2, 2 nulls 1, 3 pass, 0 accept, 1 nulls 1, 2 pass, 3 pass, 1 pass, 2 pass, 3 pass"
    )
    assert (game.phase, game.contract, game.turn) == ("playing", "down", 0)


# max_bid and max_nulls


@pytest.mark.parametrize("max_bid", range(1, 14))
def test_max_bid(max_bid: int) -> None:
    rules = house(max_bid=max_bid, ultimatum=False)
    assert calls(say(positive(rules), "0 auction")) == bids(f"pass, bid 1-{max_bid}, nulls 1-2")


def test_max_bid_0_leaves_bids_of_nulls() -> None:
    rules = house(max_bid=0, ultimatum=False)
    assert calls(say(positive(rules), "0 auction")) == bids("pass, nulls 1-2")


@pytest.mark.parametrize("max_bid", [1, 5, 13])
def test_max_bid_of_a_brazilian_auction(max_bid: int) -> None:
    assert calls(positive(house(BRAZILIAN_AUCTION, max_bid=max_bid))) == bids(f"pass, bid 1-{max_bid}")


@pytest.mark.parametrize("max_nulls", range(1, 5))
def test_max_nulls(max_nulls: int) -> None:
    rules = house(max_nulls=max_nulls)
    assert calls(say(positive(rules), "0 auction")) == bids(f"pass, bid 1-8, nulls 1-{max_nulls}")


def test_max_nulls_0() -> None:
    assert calls(say(positive(house(max_nulls=0)), "0 auction")) == bids("pass, bid 1-8")


def test_nulls_may_go_past_the_cap_of_8_up() -> None:
    game = say(positive(house(max_nulls=4)), "0 auction, 1 bid 8")
    assert calls(game) == bids("pass, nulls 3-4")


# no_trump, down, ultimatum


def test_no_trump_on() -> None:
    assert calls(positive(house(no_trump=True))) >= {"up NT"}
    assert "up NT" in calls(say(positive(house(no_trump=True)), "0 eight or nulls, 1 bid 8"))


def test_no_trump_off() -> None:
    rules = house(no_trump=False)
    assert calls(positive(rules)) == SUITS | {"down", "auction", "eight or nulls"}
    assert calls(say(positive(rules), "0 auction, 1 bid 2, 2 pass, 3 pass, 0 accept")) == SUITS
    assert calls(say(positive(rules), "0 auction, 1 bid 2, 2 pass, 3 pass, 0 refuse")) == SUITS | {"down"}


def test_down_on() -> None:
    assert "down" in calls(positive(house(down=True)))
    assert calls(positive(house(BRAZILIAN_TRUMP, down=True))) == SUITS | {"down"}


def test_down_off() -> None:
    rules = house(down=False, max_nulls=0, ultimatum=False)
    assert calls(positive(rules)) == SUITS | {"up NT", "auction"}
    assert calls(say(positive(rules), "0 auction, 1 pass, 2 pass, 3 pass, 0 refuse")) == SUITS | {"up NT"}


def test_ultimatum_on() -> None:
    assert "eight or nulls" in calls(positive(house(ultimatum=True)))


def test_ultimatum_off() -> None:
    game = positive(house(ultimatum=False))
    assert calls(game) == SUITS | {"up NT", "down", "auction"}
    with pytest.raises(IllegalActionError):
        game.play("eight or nulls")


# skip_limit


@pytest.mark.parametrize(
    ("limit", "highest_bid_skipped"), [(0, 0), (25, 1), (50, 2), (75, 3), (100, 4), (125, 5), (200, 8), (325, 8)]
)
def test_skip_limit(limit: int, highest_bid_skipped: int) -> None:
    for tricks in range(9):
        bid = f"1 bid {tricks}" if tricks else "1 pass"
        game = say(positive(house(skip_limit=limit)), f"0 auction, {bid}, 2 pass, 3 pass")
        assert ("skip" in calls(game)) == (tricks <= highest_bid_skipped)


def test_skip_limit_counts_nulls_by_their_points() -> None:
    for limit, open_to_skip in ((125, False), (150, True)):
        game = say(positive(house(skip_limit=limit)), "0 auction, 1 nulls 2, 2 pass, 3 pass")
        assert ("skip" in calls(game)) == open_to_skip


def test_skip_limit_none_never_skips() -> None:
    rules = house(skip_limit=None)
    assert calls(say(positive(rules), "0 auction, 1 pass, 2 pass, 3 pass")) == {"refuse"}
    assert calls(say(positive(rules), "0 auction, 1 bid 1, 2 pass, 3 pass")) == {"accept", "refuse"}


@pytest.mark.parametrize(("limit", "skippable"), [(None, False), (25, False), (50, True)])
def test_skip_limit_of_a_brazilian_auction(limit: int | None, skippable: bool) -> None:
    game = say(positive(house(BRAZILIAN_AUCTION, skip_limit=limit)), "1 bid 2, 2 pass, 3 pass")
    assert ("skip" in calls(game)) == skippable


# settlement


@pytest.mark.parametrize(("settlement", "owner", "buyer"), [("capped", 175, 0), ("full", 225, -50)])
def test_settlement(settlement: str, owner: int, buyer: int) -> None:
    """Six up: the buyer makes 100, the owner 75."""
    game = say(positive(house(settlement=settlement), deal=carousel()), "0 auction, 1 pass, 2 bid 6, 3 pass")
    take_tricks(say(game, "0 accept, 2 up NT"), 3, 1, 4, 5)
    assert (scores(game)[0], scores(game)[2]) == (owner, buyer)


def test_settlement_of_an_ultimatum() -> None:
    """Eight up: the buyer makes 125; `full` takes the whole 200."""
    for settlement, owner, buyer in (("capped", 50 + 125, 0), ("full", 50 + 200, 125 - 200)):
        game = say(positive(house(settlement=settlement), deal=carousel()), "0 eight or nulls, 1 bid 8, 1 up NT")
        take_tricks(game, 2, 5, 3, 3)
        assert scores(game) == [owner, buyer, 75, 75]


# Contradictions


@pytest.mark.parametrize(
    ("base", "options", "reason"),
    [
        (PORTUGUESE, {"down": False, "ultimatum": False}, "down"),
        (PORTUGUESE, {"max_bid": 7}, "ultimatum"),
        (PORTUGUESE, {"down": False, "max_nulls": 0}, "ultimatum"),
        (BRAZILIAN_AUCTION, {"ultimatum": True, "down": True}, "ultimatum"),
        (BRAZILIAN_AUCTION, {"max_bid": 0}, "bids"),
        (BRAZILIAN_TRUMP, {"max_bid": 1}, "auction"),
        (BRAZILIAN_TRUMP, {"max_nulls": 1, "down": True}, "auction"),
        (BRAZILIAN_TRUMP, {"skip_limit": 25}, "skip_limit"),
        (BRAZILIAN_TRUMP, {"settlement": "full"}, "settlement"),
        (PORTUGUESE, {"settlement": None}, "settlement"),
    ],
)
def test_contradictions_are_refused_with_the_reason(base: RuleSet, options: dict[str, object], reason: str) -> None:
    with pytest.raises(RuleSetError, match=reason):
        house(base, **options)


@pytest.mark.parametrize(
    "options",
    [
        {"negatives": ("no_tricks",)},
        {"negatives": ("no_tricks",) * 6},
        {"first_lead": "buyer"},
        {"king_of_hearts_forced": "sometimes"},
        {"auction": "often"},
        {"max_bid": 14},
        {"max_bid": -1},
        {"max_nulls": 5},
        {"settlement": "half"},
        {"skip_limit": 30},
        {"stop_when_decided": 2},
    ],
)
def test_values_outside_the_table_are_refused(options: dict[str, object]) -> None:
    with pytest.raises(RuleSetError, match=next(iter(options))):
        house(PORTUGUESE, **options)


def test_an_unknown_rule_set_is_refused() -> None:
    with pytest.raises(RuleSetError, match="spanish"):
        make_ruleset("spanish")
