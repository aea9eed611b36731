"""Rules 3.3: the Brazilian auction in rounds, the level the owner is asked about, and matching "pela mão"."""

from __future__ import annotations

import pytest

from king_env.game import Game
from tests.engine.table import bids, calls, field, may_say, positive, say, scores

UP_SUITS = {"up C", "up D", "up H", "up S"}


def auction(calls_made: str = "", owner: int = 0) -> Game:
    """A Brazilian auction after these calls."""
    game = positive("brazilian_auction", owner=owner)
    return say(game, calls_made) if calls_made else game


# What is bid for


def test_the_deal_is_played_up_only() -> None:
    assert calls(auction("1 pass, 2 pass, 3 pass, 0 refuse")) == UP_SUITS


def test_a_trump_suit_must_be_named() -> None:
    game = auction("1 bid 1, 2 pass, 3 pass, 0 accept, 1 pass, 2 pass, 3 pass")
    assert calls(game) == UP_SUITS


@pytest.mark.parametrize("owner", range(4))
def test_the_auction_always_takes_place(owner: int) -> None:
    game = auction(owner=owner)
    assert game.phase == "bidding"
    assert game.turn == (owner + 1) % 4


def test_bids_are_1_to_13_tricks() -> None:
    assert calls(auction()) == bids("pass, bid 1-13")


# A round


@pytest.mark.parametrize("owner", range(4))
def test_in_a_round_each_of_the_three_others_speaks_once_from_the_dealers_left(owner: int) -> None:
    game = auction(owner=owner)
    speakers = []
    for bid in ("bid 1", "bid 2", "bid 3"):
        speakers.append(game.turn)
        game.play(bid)
    assert speakers == [(owner + 1) % 4, (owner + 2) % 4, (owner + 3) % 4]
    assert (game.turn, game.phase) == (owner, "deciding")


def test_each_says_pass_or_a_higher_bid() -> None:
    assert calls(auction("1 bid 4")) == bids("pass, bid 5-13")


def test_the_holder_speaks_too_and_may_raise_himself() -> None:
    game = auction("1 bid 2, 2 pass, 3 pass, 0 accept")
    assert game.turn == 1
    game = say(game, "1 bid 3, 2 pass, 3 pass")
    assert (field(game, "holder"), game.phase) == (1, "deciding")


def test_the_holder_may_not_match_himself() -> None:
    assert calls(auction("1 bid 2, 2 pass, 3 pass, 0 accept")) == bids("pass, bid 3-13")


def test_the_pass_of_the_holder_keeps_his_bid() -> None:
    game = auction("1 bid 2, 2 pass, 3 pass, 0 accept, 1 pass, 2 pass, 3 pass")
    assert (game.turn, game.phase) == (1, "declaring")


def test_passing_never_excludes() -> None:
    game = auction("1 pass, 2 pass, 3 bid 1, 0 accept, 1 pass, 2 bid 2, 3 pass, 0 accept")
    assert game.turn == 1
    assert may_say(game, "1 bid 3")


def test_three_passes_are_asked_for_even_at_13() -> None:
    game = auction("1 bid 13, 2 pass, 3 pass, 0 accept")
    for seat in (1, 2, 3):
        assert game.turn == seat
        assert calls(game) == {"pass"}
        game.play("pass")
    assert (game.turn, game.phase) == (1, "declaring")


# The owner is asked


def test_after_a_round_that_raised_the_owner_is_asked() -> None:
    assert auction("1 bid 2, 2 pass, 3 pass").phase == "deciding"
    assert auction("1 bid 2, 2 pass, 3 pass, 0 accept, 1 pass, 2 bid 3, 3 pass").phase == "deciding"
    assert auction("1 bid 2, 2 pass, 3 pass, 0 refuse, 1 pass, 2 pass, 3 bid 3").phase == "deciding"


def test_the_owner_is_asked_once_a_round_about_the_level_reached() -> None:
    game = auction("1 bid 2, 2 bid 3, 3 bid 5")
    assert game.turn == 0
    assert (field(game, "holder"), calls(game)) == (3, {"accept", "refuse"})


def test_the_owner_may_skip_at_a_level_of_exactly_1() -> None:
    assert calls(auction("1 bid 1, 2 pass, 3 pass")) == {"accept", "refuse", "skip"}


@pytest.mark.parametrize("tricks", [2, 3, 13])
def test_the_owner_may_not_skip_above_1(tricks: int) -> None:
    assert calls(auction(f"1 bid {tricks}, 2 pass, 3 pass")) == {"accept", "refuse"}


def test_a_skip_at_1_ends_the_deal_with_4_3_3_3() -> None:
    game = auction("3 pass, 0 bid 1, 1 pass, 2 skip", owner=2)
    assert game.is_over
    assert scores(game) == [75, 75, 100, 75]


# Accepted


def test_accepting_opens_another_round_from_the_owners_left() -> None:
    game = auction("1 pass, 2 bid 2, 3 pass, 0 accept")
    assert (game.turn, game.phase) == (1, "bidding")


def test_a_seat_earlier_than_the_holder_may_match_an_accepted_level() -> None:
    assert calls(auction("1 pass, 2 bid 2, 3 pass, 0 accept")) == bids("pass, bid 2-13")
    assert calls(auction("1 pass, 2 pass, 3 bid 2, 0 accept, 1 pass")) == bids("pass, bid 2-13")


def test_a_seat_later_than_the_holder_must_raise_an_accepted_level() -> None:
    assert calls(auction("1 bid 2, 2 pass, 3 pass, 0 accept, 1 pass")) == bids("pass, bid 3-13")
    assert calls(auction("1 pass, 2 bid 2, 3 pass, 0 accept, 1 pass, 2 pass")) == bids("pass, bid 3-13")


def test_anyone_may_raise_an_accepted_level() -> None:
    accepted = "1 pass, 2 bid 2, 3 pass, 0 accept"
    assert may_say(auction(accepted), "1 bid 3")
    assert may_say(auction(f"{accepted}, 1 pass"), "2 bid 3")
    assert may_say(auction(f"{accepted}, 1 pass, 2 pass"), "3 bid 3")


def test_a_level_not_yet_answered_may_not_be_matched() -> None:
    """In the first round nothing is accepted: 2 may raise the 2 of seat 1, nobody matches."""
    assert calls(auction("1 bid 2")) == bids("pass, bid 3-13")
    assert calls(auction("1 bid 2, 2 bid 3")) == bids("pass, bid 4-13")


def test_a_match_takes_the_bid() -> None:
    game = auction("1 pass, 2 bid 2, 3 pass, 0 accept, 1 bid 2, 2 pass, 3 pass, 1 pass, 2 pass, 3 pass")
    assert (game.turn, game.phase) == (1, "declaring")


def test_a_match_may_be_matched_by_a_seat_earlier_still() -> None:
    game = auction("1 pass, 2 pass, 3 bid 4, 0 accept, 1 pass, 2 bid 4, 3 pass")
    assert game.turn == 1
    assert may_say(game, "1 bid 4")
    game = say(game, "1 bid 4, 2 pass, 3 pass, 1 pass, 2 pass, 3 pass")
    assert (game.turn, game.phase) == (1, "declaring")


def test_who_was_matched_may_raise_in_the_same_round() -> None:
    game = auction("1 pass, 2 bid 2, 3 pass, 0 accept, 1 bid 2")
    assert calls(game) == bids("pass, bid 3-13")
    assert game.turn == 2


def test_a_raise_cancels_the_acceptance_for_the_rest_of_the_round() -> None:
    """Seat 3 stands at an accepted 2, which seat 2 might match; once seat 1 has said 3, it may not, nor match 3."""
    assert may_say(auction("1 pass, 2 pass, 3 bid 2, 0 accept, 1 pass"), "2 bid 2")
    game = auction("1 pass, 2 pass, 3 bid 2, 0 accept, 1 bid 3")
    assert calls(game) == bids("pass, bid 4-13")


def test_a_raise_that_was_cancelled_is_matched_only_after_the_owner_has_accepted_it() -> None:
    game = auction("1 pass, 2 bid 2, 3 pass, 0 accept, 1 pass, 2 pass, 3 bid 3")
    assert game.phase == "deciding"
    assert may_say(say(game, "0 accept"), "1 bid 3")


def test_after_a_raise_the_accepted_lower_level_is_not_sold() -> None:
    game = auction("1 bid 2, 2 pass, 3 pass, 0 accept, 1 pass, 2 bid 3, 3 pass, 0 refuse, 1 pass, 2 pass, 3 pass")
    assert (game.turn, game.phase) == (0, "declaring")


# Refused


def test_after_a_refusal_only_higher_bids_may_be_made() -> None:
    game = auction("1 pass, 2 pass, 3 bid 3, 0 refuse")
    for seat in (1, 2, 3):
        assert game.turn == seat
        assert calls(game) == bids("pass, bid 4-13")
        game.play("pass")


def test_a_refused_level_may_be_raised_and_then_accepted() -> None:
    game = auction("1 bid 2, 2 pass, 3 pass, 0 refuse, 1 bid 3, 2 pass, 3 pass, 0 accept, 1 pass, 2 pass, 3 pass")
    assert (game.turn, game.phase) == (1, "declaring")


# Rounds that only matched


def test_a_round_that_only_matched_leads_straight_to_another() -> None:
    game = auction("1 pass, 2 bid 2, 3 pass, 0 accept, 1 bid 2, 2 pass, 3 pass")
    assert (game.turn, game.phase) == (1, "bidding")


def test_the_owner_is_not_asked_again_about_a_matched_level() -> None:
    game = auction("1 pass, 2 pass, 3 bid 2, 0 accept, 1 pass, 2 bid 2, 3 pass, 1 bid 2, 2 pass, 3 pass")
    assert (game.turn, game.phase) == (1, "bidding")


def test_after_a_match_the_level_still_stands_accepted() -> None:
    """Matched by seat 2, it may be matched by seat 1 in the next round, and is sold if nobody calls."""
    game = auction("1 pass, 2 pass, 3 bid 2, 0 accept, 1 pass, 2 bid 2, 3 pass")
    assert calls(game) == bids("pass, bid 2-13")
    game = say(game, "1 pass, 2 pass, 3 pass")
    assert (game.turn, game.phase) == (2, "declaring")


def test_a_round_that_matched_and_then_raised_asks_the_owner() -> None:
    game = auction("1 pass, 2 bid 2, 3 pass, 0 accept, 1 bid 2, 2 pass, 3 bid 3")
    assert (game.turn, game.phase) == (0, "deciding")


# The end


def test_a_later_round_without_a_call_sells_an_accepted_level() -> None:
    game = auction("1 pass, 2 pass, 3 bid 4, 0 accept, 1 pass, 2 pass, 3 pass")
    assert (game.turn, game.phase) == (3, "declaring")


def test_a_later_round_without_a_call_leaves_a_refused_level_to_the_owner() -> None:
    game = auction("1 pass, 2 pass, 3 bid 4, 0 refuse, 1 pass, 2 pass, 3 pass")
    assert (game.turn, game.phase) == (0, "declaring")
    assert calls(game) == UP_SUITS


def test_without_a_bid_in_the_first_round_the_owner_refuses_or_skips() -> None:
    assert calls(auction("1 pass, 2 pass, 3 pass")) == {"refuse", "skip"}


def test_without_a_bid_refuse_means_that_the_owner_plays() -> None:
    game = auction("1 pass, 2 pass, 3 pass, 0 refuse")
    assert (game.turn, game.phase) == (0, "declaring")


def test_without_a_bid_skip_ends_the_deal_with_4_3_3_3() -> None:
    assert scores(auction("1 pass, 2 pass, 3 pass, 0 skip")) == [100, 75, 75, 75]


@pytest.mark.parametrize(("suit", "number"), [("C", 0), ("D", 1), ("H", 2), ("S", 3)])
def test_only_after_the_sale_is_the_trump_named(suit: str, number: int) -> None:
    game = auction("1 bid 2, 2 pass, 3 pass, 0 accept, 1 pass, 2 pass, 3 pass")
    assert game.contract == "positive"
    game = say(game, f"1 up {suit}")
    assert (game.contract, field(game, "trump"), field(game, "declarer")) == ("up", number, 1)


def test_the_example() -> None:
    """A deals; B passes, C bids 2, D bids 3; A accepts; B says 3 "pela mão" and the auction goes on."""
    game = auction("1 pass, 2 bid 2, 3 bid 3, 0 accept, 1 bid 3")
    assert (game.turn, game.phase) == (2, "bidding")


def test_the_example_refused() -> None:
    """Had A refused 3, B, C and D could only bid 4 or more."""
    game = auction("1 pass, 2 bid 2, 3 bid 3, 0 refuse")
    for seat in (1, 2, 3):
        assert game.turn == seat
        assert calls(game) == bids("pass, bid 4-13")
        game.play("pass")


def test_the_longest_auction_fits_the_record() -> None:
    """At each of 13 levels: raised by the last speaker, accepted, matched by the second, matched by the first.

    That is ten calls a level, then three passes and the naming of the trump: 134. No level can hold more, since
    each round at one level must give the bid to an earlier seat.
    """
    game = auction()
    for level in range(1, 14):
        say(game, f"1 pass, 2 pass, 3 bid {level}, 0 accept")
        say(game, f"1 pass, 2 bid {level}, 3 pass, 1 bid {level}, 2 pass, 3 pass")
    say(game, "1 pass, 2 pass, 3 pass, 1 up C")
    assert field(game, "num_calls") == 134
    assert len(field(game, "calls")) >= 134
