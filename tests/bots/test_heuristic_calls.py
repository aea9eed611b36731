"""Hands whose worth every player sees, and auctions in which the bot must keep its head."""

from __future__ import annotations

import numpy as np
import pytest

from king_env.bots import make
from king_env.bots.heuristic.valuation import down_value, up_value
from king_env.engine.actions import BID_POINTS, FIRST_NULLS, PASS
from king_env.engine.cards import ALL_CARDS
from king_env.engine.state import BIDDING
from king_env.game import Game
from king_env.notation import action_text, parse_deal
from king_env.ruleset import RuleSet
from tests.bots.positions import MANY, all_rulesets, positions

HEURISTIC = make("heuristic")
RNG = np.random.default_rng(0)

# PBN: spades.hearts.diamonds.clubs
SOLID_HEARTS = "AK.AKQJT98.A2.32"
LOW_CARDS = "432.432.432.5432"
WORTHLESS_UP_AND_DOWN = "JT9.JT9.JT98.JT9"


def game_with(hand: str, seat: int, ruleset: RuleSet | str = "portuguese") -> Game:
    """A positive deal of owner 0 in which `seat` holds this hand, and the others the rest in order."""
    mask = next(int(held) for held in parse_deal(f"0:{hand} {_rest(hand)}"))
    rest = [card for card in range(52) if not mask >> card & 1]
    hands = [sum(1 << card for card in rest[i::3]) for i in range(3)]
    hands.insert(seat, mask)
    assert sum(hands) == ALL_CARDS
    return Game(ruleset, deals=[np.array(hands, dtype=np.int64)], dealer=0, first_deal=6, num_deals=1)


def _rest(hand: str) -> str:
    """Three more hands, so that the text is a whole deal."""
    ranks = "AKQJT98765432"
    left = [
        suit + rank for suit, held in zip("SHDC", hand.split("."), strict=True) for rank in ranks if rank not in held
    ]
    texts = []
    for cards in (left[0:13], left[13:26], left[26:39]):
        texts.append(".".join("".join(card[1] for card in cards if card[0] == suit) for suit in "SHDC"))
    return " ".join(texts)


def call(game: Game) -> str:
    return action_text(HEURISTIC.act(game.record, RNG))


def test_a_strong_suit_is_named_trump() -> None:
    assert call(game_with(SOLID_HEARTS, 0, "brazilian_trump")) == "up H"


def test_an_owner_with_a_hand_beyond_price_chooses_at_once() -> None:
    assert call(game_with("2.AKQJT98765.2.2", 0)) == "up H"
    assert call(game_with(LOW_CARDS, 0)) == "down"


def test_an_owner_with_little_opens_the_auction_and_skips_when_nobody_bids() -> None:
    game = game_with(WORTHLESS_UP_AND_DOWN, 0)
    assert call(game) == "auction"
    for action in ("auction", "pass", "pass", "pass"):
        game.play(action)
    assert call(game) == "skip"


def test_a_good_price_is_accepted_with_little_and_refused_with_much() -> None:
    for hand, answer in ((WORTHLESS_UP_AND_DOWN, "accept"), ("AK.AKQJT987.A2.3", "refuse")):
        game = game_with(hand, 0)
        for action in ("auction", "bid 4", "pass", "pass"):
            game.play(action)
        assert call(game) == answer


@pytest.mark.parametrize("ruleset", ["portuguese", "brazilian_auction"])
def test_a_bidder_bids_on_strength_and_passes_without(ruleset: str) -> None:
    for hand, bids in ((SOLID_HEARTS, True), (WORTHLESS_UP_AND_DOWN, False)):
        game = game_with(hand, 1, ruleset)
        if ruleset == "portuguese":
            game.play("auction")
        assert call(game).startswith("bid") == bids


def test_low_cards_bid_nulls() -> None:
    game = game_with(LOW_CARDS, 1)
    game.play("auction")
    assert call(game).startswith("nulls")


def test_the_same_price_is_matched_rather_than_raised() -> None:
    game = game_with(SOLID_HEARTS, 1)
    for action in ("auction", "bid 1", "bid 2", "pass"):
        game.play(action)
    assert call(game) == "bid 2"


def test_a_brazilian_holder_does_not_bid_against_himself() -> None:
    game = game_with(SOLID_HEARTS, 1, "brazilian_auction")
    for action in ("bid 2", "pass", "pass", "accept"):
        game.play(action)
    assert call(game) == "pass"


def test_a_brazilian_holder_raises_what_the_owner_refused() -> None:
    game = game_with(SOLID_HEARTS, 1, "brazilian_auction")
    for action in ("bid 2", "pass", "pass", "refuse"):
        game.play(action)
    assert call(game) == "bid 3"


def test_who_fears_nulls_buys_at_eight_where_a_capped_price_costs_nothing() -> None:
    for settlement, answer in (("capped", "bid 8"), ("full", "pass")):
        game = game_with("AKQ.AKJ.AKJ.AKJT", 1, RuleSet(settlement=settlement))
        game.play("eight or nulls")
        assert call(game) in ("bid 8", answer)


def test_no_bid_is_for_more_points_than_the_hand_is_worth() -> None:
    rng = np.random.default_rng(1)
    num_bids = 0
    for acting in positions(all_rulesets(rng, 5), HEURISTIC, rng, MANY):
        bidding = acting[acting["phase"] == BIDDING]
        for view, action in zip(bidding, HEURISTIC.act_batch(bidding, rng), strict=True):
            if action != PASS:
                worth = down_value(view) if action >= FIRST_NULLS else up_value(view)
                assert BID_POINTS[action] <= worth, action_text(action)
                num_bids += 1
    assert num_bids > 0
