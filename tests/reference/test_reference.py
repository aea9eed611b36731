"""The reference against the rule text: every trace of Rules 6, the settlement table of Rules 3.5, the totals."""

from __future__ import annotations

import random

import pytest

from tests.reference.driving import Driver, deal_cards, longest_auction, random_rules
from tests.reference.rules import (
    ACTION_ID,
    ACTIONS,
    BRAZILIAN_AUCTION,
    BRAZILIAN_TRUMP,
    NAMED_RULES,
    PORTUGUESE,
    UPS,
    ReferenceGame,
    Rules,
    legal_cards,
    winner_of,
)

DECK = list(range(52))
ANY_HANDS = [DECK[seat::4] for seat in range(4)]
SUITS_UP = set(UPS[:4])


def positive_deal(rules: Rules, owner: int = 0, hands: list[list[int]] = ANY_HANDS) -> ReferenceGame:
    return ReferenceGame(rules, [hands], dealer=owner, first_deal=6)


def say(game: ReferenceGame, calls: str) -> ReferenceGame:
    """Calls such as `1 bid 2, 2 pass`: each seat named must be the one to act."""
    for call in calls.split(", "):
        seat, text = int(call[0]), call[2:]
        assert game.turn == seat, f"seat {game.turn} is to act, not {call}"
        game.play(ACTION_ID[text])
    return game


def open_to(game: ReferenceGame) -> set[str]:
    return {ACTIONS[action] for action in game.legal()}


def test_the_texts_of_the_actions_have_the_numbers_of_the_table() -> None:
    named = {"2C": 0, "AC": 12, "2D": 13, "AS": 51, "pass": 52, "bid 1": 53, "bid 13": 65, "nulls 1": 66, "nulls 4": 69}
    named |= {"accept": 70, "refuse": 71, "skip": 72, "auction": 73, "eight or nulls": 74, "up C": 75, "up NT": 79}
    assert len(ACTIONS) == 81
    assert {text: ACTION_ID[text] for text in named} == named
    assert ACTION_ID["down"] == 80


# --- Rules 6: the traces ---------------------------------------------------------------------------------------------


def test_trace_1_an_earlier_seat_matches_and_buys() -> None:
    game = say(positive_deal(PORTUGUESE), "0 auction, 1 bid 2, 2 nulls 1, 3 bid 4, 1 bid 4")
    assert open_to(game) == {"pass", "bid 5", "bid 6", "bid 7", "bid 8", "nulls 2"}
    say(game, "2 pass, 3 pass")
    assert (game.holder, game.best_bid) == (1, "bid 4")
    say(game, "0 accept")
    assert game.turn == 1
    assert open_to(game) == set(UPS)


def test_trace_2_bids_are_compared_by_points() -> None:
    after_three = say(positive_deal(PORTUGUESE), "0 auction, 1 bid 3")
    assert "nulls 1" not in open_to(after_three)
    assert open_to(after_three) == {"pass", "bid 4", "bid 5", "bid 6", "bid 7", "bid 8", "nulls 2"}
    after_nulls = say(positive_deal(PORTUGUESE), "0 auction, 1 nulls 1")
    assert "bid 3" not in open_to(after_nulls)
    say(after_nulls, "2 bid 4, 3 bid 5")
    assert "nulls 1" not in open_to(after_nulls)


def test_trace_2_whoever_passed_is_not_asked_again() -> None:
    game = say(positive_deal(PORTUGUESE), "0 auction, 1 pass, 2 bid 1, 3 bid 2, 2 bid 2, 3 bid 3")
    assert game.turn == 2


def test_trace_3_when_the_deal_may_be_skipped() -> None:
    def may_skip(rules: Rules, calls: str) -> bool:
        return "skip" in open_to(say(positive_deal(rules), calls))

    assert may_skip(PORTUGUESE, "0 auction, 1 pass, 2 pass, 3 pass")
    assert may_skip(PORTUGUESE, "0 auction, 1 bid 3, 2 pass, 3 pass")
    assert may_skip(PORTUGUESE, "0 auction, 1 nulls 1, 2 pass, 3 pass")
    assert not may_skip(PORTUGUESE, "0 auction, 1 bid 4, 2 pass, 3 pass")
    assert may_skip(BRAZILIAN_AUCTION, "1 pass, 2 pass, 3 pass")
    assert may_skip(BRAZILIAN_AUCTION, "1 pass, 2 bid 1, 3 pass")
    assert not may_skip(BRAZILIAN_AUCTION, "1 pass, 2 bid 2, 3 pass")


@pytest.mark.parametrize(
    ("contract", "led", "hand", "legal"),
    [
        ("no_hearts", None, "5H 2C", "2C"),
        ("no_hearts", None, "5H 9H", "5H 9H"),
        ("no_queens", None, "5H 2C", "5H 2C"),
        ("no_king_of_hearts", "H", "KH 3H 4C", "KH"),
        ("no_king_of_hearts", "C", "KH 2H 3D", "KH"),
        ("no_king_of_hearts", "C", "KH 4C", "4C"),
        ("no_king_of_hearts", None, "KH 3H", "KH"),
        ("up", "C", "2D AS 3H", "2D AS 3H"),
    ],
)
def test_trace_4_legal_cards(contract: str, led: str | None, hand: str, legal: str) -> None:
    assert legal_cards(hand.split(), led, contract) == legal.split()


def test_trace_5_a_refused_thirteen_leaves_only_passes() -> None:
    game = say(positive_deal(BRAZILIAN_AUCTION), "1 bid 13, 2 pass, 3 pass, 0 refuse")
    for seat in (1, 2, 3):
        assert open_to(game) == {"pass"}
        say(game, f"{seat} pass")
    assert game.turn == 0
    assert open_to(game) == SUITS_UP


def test_trace_6_a_raise_after_a_match_is_asked_about_anew() -> None:
    matched = "1 pass, 2 bid 2, 3 pass, 0 accept, 1 bid 2"
    raised = say(positive_deal(BRAZILIAN_AUCTION), f"{matched}, 2 bid 3, 3 pass")
    assert (raised.turn, raised.best_bid) == (0, "bid 3")
    assert open_to(raised) == {"accept", "refuse"}
    sold = say(positive_deal(BRAZILIAN_AUCTION), f"{matched}, 2 pass, 3 pass, 1 pass, 2 pass, 3 pass")
    assert (sold.turn, sold.declarer, sold.best_bid) == (1, 1, "bid 2")
    assert open_to(sold) == SUITS_UP


def test_trace_7_a_sale_at_nulls_is_played_down_at_once() -> None:
    game = say(positive_deal(PORTUGUESE), "0 auction, 1 pass, 2 nulls 1, 3 pass, 0 accept")
    assert (game.phase, game.turn, game.contract, game.declarer) == ("playing", 0, "down", 2)
    assert game.deal_scores == [325] * 4


def test_the_example_of_the_brazilian_auction() -> None:
    accepted = say(positive_deal(BRAZILIAN_AUCTION), "1 pass, 2 bid 2, 3 bid 3, 0 accept")
    assert "bid 3" in open_to(accepted)
    refused = say(positive_deal(BRAZILIAN_AUCTION), "1 pass, 2 bid 2, 3 bid 3, 0 refuse")
    assert open_to(refused) == {"pass", *(f"bid {n}" for n in range(4, 14))}


def test_without_an_auction_the_owner_names_a_trump_suit() -> None:
    assert open_to(positive_deal(BRAZILIAN_TRUMP)) == SUITS_UP


# --- Rules 3.1: the ultimatum -----------------------------------------------------------------------------------------


def test_the_first_to_say_eight_buys_at_once() -> None:
    game = say(positive_deal(PORTUGUESE), "0 eight or nulls, 1 pass, 2 bid 8")
    assert game.turn == 2
    assert open_to(game) == set(UPS)


def test_an_ultimatum_that_all_pass_is_played_down() -> None:
    game = say(positive_deal(PORTUGUESE), "0 eight or nulls, 1 pass, 2 pass, 3 pass")
    assert (game.phase, game.contract, game.turn) == ("playing", "down", 0)


def test_after_a_refusal_there_is_no_ultimatum() -> None:
    game = say(positive_deal(PORTUGUESE), "0 auction, 1 bid 1, 2 pass, 3 pass, 0 refuse")
    assert open_to(game) == {*UPS, "down"}


def test_a_skipped_deal_scores_four_three_three_three() -> None:
    game = say(positive_deal(PORTUGUESE, owner=2), "2 auction, 3 pass, 0 pass, 1 pass, 2 skip")
    assert game.over
    assert game.scores == [75, 75, 100, 75]


# --- Rules 3.5: the settlement ----------------------------------------------------------------------------------------

OWNER, BUYER = 0, 2


def deal_that_came_to(rules: Rules, bid: str, buyer_tricks: int, owner_tricks: int) -> ReferenceGame:
    """Random deals until one ends with these tricks."""
    rng = random.Random(1)
    while True:
        game = positive_deal(rules, OWNER, deal_cards(rng))
        say(game, f"0 auction, 1 pass, 2 {bid}, 3 pass, 0 accept")
        if game.phase == "declaring":
            say(game, "2 up NT")
        while not game.over:
            game.play(rng.choice(game.legal()))
        tricks = game.deal.tricks_taken
        if (tricks[BUYER], tricks[OWNER]) == (buyer_tricks, owner_tricks):
            return game


SETTLEMENT_TABLE = [
    # bid, tricks of the buyer and the owner, what the owner and the buyer end with
    ("bid 4", 6, 2, 150, 50),
    ("bid 6", 4, 3, 175, 0),
    ("nulls 2", 2, 3, 250, 25),
    ("nulls 2", 3, 3, 200, 0),
    ("nulls 2", 5, 1, 250, -50),
]


@pytest.mark.parametrize(("bid", "buyer_tricks", "owner_tricks", "owner_ends", "buyer_ends"), SETTLEMENT_TABLE)
def test_a_buyer_pays_what_he_made_at_most(
    bid: str, buyer_tricks: int, owner_tricks: int, owner_ends: int, buyer_ends: int
) -> None:
    game = deal_that_came_to(PORTUGUESE, bid, buyer_tricks, owner_tricks)
    assert (game.scores[OWNER], game.scores[BUYER]) == (owner_ends, buyer_ends)
    assert sum(game.scores) == 325


def test_a_buyer_pays_the_whole_bid_where_the_house_says_so() -> None:
    game = deal_that_came_to({**PORTUGUESE, "settlement": "full"}, "bid 6", buyer_tricks=4, owner_tricks=3)
    assert (game.scores[OWNER], game.scores[BUYER]) == (75 + 150, 100 - 150)


# --- Rules 1 and 2 ----------------------------------------------------------------------------------------------------


def test_the_highest_trump_takes_the_trick_else_the_highest_of_the_suit_led() -> None:
    trick = [(2, "TC"), (3, "2S"), (0, "AC"), (1, "3S")]
    assert winner_of(trick, "S") == 1
    assert winner_of(trick, "NT") == 0
    assert winner_of(trick, None) == 0
    assert winner_of(trick, "D") == 0


@pytest.mark.parametrize(
    ("forced", "leading", "following", "void"),
    [
        ("always", "KH", "KH", "KH"),
        ("following", "KH 3H", "KH", "KH"),
        ("when_void", "KH 3H", "KH 3H", "KH"),
        ("never", "KH 3H", "KH 3H", "KH 3H"),
    ],
)
def test_when_the_king_of_hearts_is_forced(forced: str, leading: str, following: str, void: str) -> None:
    hand = ["KH", "3H"]
    assert legal_cards(hand, None, "no_king_of_hearts", forced) == leading.split()
    assert legal_cards(hand, "H", "no_king_of_hearts", forced) == following.split()
    assert legal_cards(hand, "S", "no_king_of_hearts", forced) == void.split()


TOTALS = {
    **{"no_tricks": -260, "no_hearts": -260, "no_queens": -200, "no_kings_jacks": -240},
    **{"no_king_of_hearts": -160, "no_last_two": -180},
}


@pytest.mark.parametrize("rules", NAMED_RULES.values(), ids=NAMED_RULES)
def test_the_scores_of_a_deal_add_up_to_its_total_and_those_of_a_game_to_nothing(rules: Rules) -> None:
    totals = [TOTALS[contract] for contract in rules["negatives"]] + [325] * 4
    for seed in range(20):
        game = played_out(rules, random.Random(seed))
        assert [sum(scores) for scores in game.finished] == totals
        assert sum(game.scores) == 0


def test_any_options_together_make_a_game() -> None:
    for seed in range(50):
        rng = random.Random(seed)
        game = played_out(random_rules(rng), rng)
        assert sum(game.scores) == 0


def test_a_deal_that_is_decided_may_be_stopped() -> None:
    game = played_out({**PORTUGUESE, "stop_when_decided": True}, random.Random(1), first_deal=4, num_deals=1)
    assert game.over
    assert game.deal.num_tricks < 13
    assert sum(game.scores) == -160


def played_out(rules: Rules, rng: random.Random, first_deal: int = 0, num_deals: int = 10) -> ReferenceGame:
    deals = [deal_cards(rng) for _ in range(num_deals)]
    game = ReferenceGame(rules, deals, dealer=rng.randrange(4), first_deal=first_deal)
    driver = Driver(rng)
    while not game.over:
        game.play(driver.choose(game))
    return game


# --- Rules 3: how long an auction can be ------------------------------------------------------------------------------


def test_how_long_an_auction_can_be() -> None:
    assert len(longest_auction(PORTUGUESE)) == 20
    assert len(longest_auction(BRAZILIAN_AUCTION)) == 134
    assert longest_auction(BRAZILIAN_TRUMP) == ["up C"]
