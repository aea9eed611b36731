"""Rules 3.2: bids, speaking order, preference, the owner's decision, and what the kind of the bid binds to."""

from __future__ import annotations

import pytest

from king_env.ruleset import PORTUGUESE
from tests.engine.table import (
    bids,
    calls,
    carousel,
    field,
    may_say,
    positive,
    say,
    scores,
    take_tricks,
)

UPS = {"up C", "up D", "up H", "up S", "up NT"}


# Bids


def test_the_first_speaker_may_bid_all_there_is() -> None:
    assert calls(say(positive(), "0 auction")) == bids("pass, bid 1-8, nulls 1-2")


def test_a_bid_of_tricks_is_worth_25_points_each() -> None:
    game = say(positive(deal=carousel()), "0 auction, 1 pass, 2 bid 3, 3 pass, 0 accept, 2 up NT")
    assert scores(take_tricks(game, 1, 1, 8, 3)) == [25 + 75, 25, 200 - 75, 75]


def test_a_bid_of_nulls_is_worth_75_points_each() -> None:
    game = say(positive(deal=carousel()), "0 auction, 1 pass, 2 nulls 1, 3 pass, 0 accept")
    assert scores(take_tricks(game, 4, 4, 1, 4)) == [25 + 75, 25, 250 - 75, 25]


def test_bids_are_compared_by_points() -> None:
    """One null, 75, lies between two up, 50, and four up, 100; two nulls, 150, between five up and seven up."""
    assert calls(say(positive(), "0 auction, 1 bid 2")) == bids("pass, bid 3-8, nulls 1-2")
    assert calls(say(positive(), "0 auction, 1 nulls 1")) == bids("pass, bid 4-8, nulls 2")
    assert calls(say(positive(), "0 auction, 1 bid 5")) == bids("pass, bid 6-8, nulls 2")
    assert calls(say(positive(), "0 auction, 1 nulls 2")) == bids("pass, bid 7-8")


def test_the_cap_is_8_up() -> None:
    assert "bid 9" not in calls(say(positive(), "0 auction"))
    assert calls(say(positive(), "0 auction, 1 bid 7")) == bids("pass, bid 8")
    assert calls(say(positive(), "0 auction, 1 bid 8")) == {"pass"}


def test_nulls_go_to_2() -> None:
    assert may_say(say(positive(), "0 auction"), "1 nulls 2")
    assert not may_say(say(positive(), "0 auction"), "1 nulls 3")


def test_a_bid_must_be_worth_strictly_more_than_the_best() -> None:
    game = say(positive(), "0 auction, 1 bid 4")
    assert not may_say(game, "2 bid 4")
    assert not may_say(game, "2 bid 3")
    assert may_say(game, "2 bid 5")


def test_one_null_does_not_beat_three_up() -> None:
    assert not may_say(say(positive(), "0 auction, 1 bid 3"), "2 nulls 1")


def test_three_up_does_not_beat_one_null() -> None:
    assert not may_say(say(positive(), "0 auction, 1 nulls 1"), "2 bid 3")


def test_two_nulls_and_six_up_do_not_beat_each_other() -> None:
    assert not may_say(say(positive(), "0 auction, 1 bid 6"), "2 nulls 2")
    assert not may_say(say(positive(), "0 auction, 1 nulls 2"), "2 bid 6")


# Who speaks


@pytest.mark.parametrize("owner", range(4))
def test_speaking_starts_at_the_owners_left(owner: int) -> None:
    game = say(positive(owner=owner), f"{owner} auction")
    speakers = []
    for _ in range(3):
        speakers.append(game.turn)
        game.play("pass")
    assert speakers == [(owner + 1) % 4, (owner + 2) % 4, (owner + 3) % 4]
    assert game.turn == owner
    assert game.phase == "deciding"


def test_speakers_still_in_take_turns_round_the_table() -> None:
    say(positive(), "0 auction, 1 bid 1, 2 bid 2, 3 bid 3, 1 bid 4, 2 bid 5, 3 bid 6, 1 bid 7, 2 bid 8, 3 pass, 1 pass")


def test_the_owner_does_not_bid() -> None:
    game = say(positive(owner=2), "2 auction, 3 bid 1, 0 bid 2, 1 bid 3")
    assert game.turn == 3


def test_the_holder_of_the_best_bid_is_passed_over() -> None:
    """Seat 2 holds when seats 3 and 1 have passed the turn on; seat 1 raises, and then it is 2's turn again."""
    game = say(positive(), "0 auction, 1 bid 1, 2 bid 2, 3 pass, 1 bid 3")
    assert game.turn == 2
    game = say(positive(), "0 auction, 1 pass, 2 bid 2, 3 bid 3, 2 pass")
    assert game.phase == "deciding"


def test_a_pass_is_final() -> None:
    game = say(positive(), "0 auction, 1 pass, 2 bid 1, 3 bid 2, 2 bid 3, 3 bid 4")
    assert game.turn == 2
    game = say(game, "2 pass")
    assert game.turn == 0
    assert game.phase == "deciding"


# Preference


def test_a_seat_that_stands_earlier_may_match() -> None:
    game = say(positive(), "0 auction, 1 bid 2, 2 bid 3, 3 pass")
    assert may_say(game, "1 bid 3")
    game = say(positive(), "0 auction, 1 pass, 2 bid 2, 3 bid 3")
    assert may_say(game, "2 bid 3")
    game = say(positive(), "0 auction, 1 bid 2, 2 pass, 3 bid 3")
    assert may_say(game, "1 bid 3")


def test_who_matches_becomes_the_holder() -> None:
    game = say(positive(), "0 auction, 1 bid 2, 2 pass, 3 bid 3, 1 bid 3, 3 pass, 0 accept")
    assert game.turn == 1


def test_the_seat_that_was_matched_speaks_again() -> None:
    game = say(positive(), "0 auction, 1 bid 2, 2 bid 3, 3 pass, 1 bid 3")
    assert game.turn == 2
    assert calls(game) == bids("pass, bid 4-8, nulls 2")


def test_matching_is_open_again_at_every_new_level() -> None:
    game = say(positive(), "0 auction, 1 bid 1, 2 bid 2, 3 bid 3, 1 bid 4, 2 pass, 3 bid 5, 1 bid 5, 3 pass")
    assert game.phase == "deciding"
    game = say(positive(), "0 auction, 1 bid 1, 2 bid 2, 3 bid 3, 1 bid 3, 2 bid 4, 3 bid 5, 1 pass, 2 bid 5, 3 pass")
    assert (field(game, "holder"), game.phase) == (2, "deciding")


def test_a_seat_that_stands_later_must_raise() -> None:
    game = say(positive(), "0 auction, 1 bid 3")
    assert not may_say(game, "2 bid 3")
    game = say(game, "2 pass")
    assert not may_say(game, "3 bid 3")
    game = say(positive(), "0 auction, 1 pass, 2 bid 3")
    assert not may_say(game, "3 bid 3")


def test_the_fixed_order_starts_at_the_owners_left_whatever_the_seat_numbers() -> None:
    """With owner 2 the order is 3, 0, 1: seat 3 may match seat 0, seat 0 may not match seat 3."""
    game = say(positive(owner=2), "2 auction, 3 bid 1, 0 bid 2, 1 pass")
    assert may_say(game, "3 bid 2")
    game = say(positive(owner=2), "2 auction, 3 bid 2")
    assert not may_say(game, "0 bid 2")


def test_a_match_is_the_same_kind_not_merely_equal() -> None:
    three_up = say(positive(), "0 auction, 1 bid 1, 2 bid 3, 3 pass")
    assert calls(three_up) == bids("pass, bid 3-8, nulls 2")
    one_null = say(positive(), "0 auction, 1 bid 1, 2 nulls 1, 3 pass")
    assert calls(one_null) == bids("pass, nulls 1-2, bid 4-8")


def test_a_match_is_the_same_number() -> None:
    game = say(positive(), "0 auction, 1 bid 2, 2 bid 5, 3 pass")
    assert calls(game) == bids("pass, bid 5-8, nulls 2")


def test_who_has_passed_may_not_match() -> None:
    game = say(positive(), "0 auction, 1 pass, 2 bid 1, 3 bid 2")
    assert game.turn == 2


def test_the_highest_bid_may_be_matched() -> None:
    game = say(positive(), "0 auction, 1 bid 1, 2 bid 8, 3 pass")
    assert calls(game) == {"pass", "bid 8"}


# The end of the auction


def test_it_ends_when_nobody_but_the_holder_is_left_in() -> None:
    game = say(positive(), "0 auction, 1 bid 2, 2 pass, 3 pass")
    assert (game.turn, game.phase) == (0, "deciding")
    game = say(positive(), "0 auction, 1 pass, 2 pass, 3 bid 1")
    assert (game.turn, game.phase) == (0, "deciding")


def test_it_goes_on_while_another_is_in() -> None:
    game = say(positive(), "0 auction, 1 bid 2, 2 bid 3, 3 pass")
    assert (game.turn, game.phase) == (1, "bidding")


def test_it_ends_when_all_have_passed() -> None:
    game = say(positive(), "0 auction, 1 pass, 2 pass, 3 pass")
    assert (game.turn, game.phase) == (0, "deciding")


def test_a_last_speaker_who_has_not_bid_yet_still_gets_a_turn() -> None:
    game = say(positive(), "0 auction, 1 pass, 2 pass")
    assert game.turn == 3
    assert calls(game) == bids("pass, bid 1-8, nulls 1-2")


# The owner's decision


def test_the_owner_may_accept_only_if_there_is_a_bid() -> None:
    assert "accept" in calls(say(positive(), "0 auction, 1 bid 1, 2 pass, 3 pass"))
    assert "accept" not in calls(say(positive(), "0 auction, 1 pass, 2 pass, 3 pass"))


def test_accept_sells_to_the_holder() -> None:
    game = say(positive(), "0 auction, 1 bid 2, 2 bid 4, 3 pass, 1 pass, 0 accept")
    assert (game.turn, game.phase) == (2, "declaring")


def test_the_owner_may_refuse_any_bid() -> None:
    for bid in ("bid 1", "bid 8", "nulls 1", "nulls 2"):
        assert "refuse" in calls(say(positive(), f"0 auction, 1 {bid}, 2 pass, 3 pass"))


def test_the_owner_may_refuse_also_when_nobody_bid() -> None:
    game = say(positive(), "0 auction, 1 pass, 2 pass, 3 pass, 0 refuse")
    assert (game.turn, game.phase) == (0, "declaring")


@pytest.mark.parametrize("bidding", ["1 pass", "1 bid 6", "1 nulls 2"])
def test_after_refusing_the_owner_declares_freely(bidding: str) -> None:
    game = say(positive(), f"0 auction, {bidding}, 2 pass, 3 pass, 0 refuse")
    assert calls(game) == UPS | {"down"}


def test_after_refusing_nothing_is_paid() -> None:
    game = say(positive(deal=carousel()), "0 auction, 1 bid 6, 2 pass, 3 pass, 0 refuse, 0 up NT")
    assert scores(take_tricks(game, 1, 6, 3, 3)) == [25, 150, 75, 75]


@pytest.mark.parametrize("bid", ["pass", "bid 1", "bid 2", "bid 3", "nulls 1"])
def test_skip_is_open_without_a_bid_or_at_75_points_at_most(bid: str) -> None:
    assert "skip" in calls(say(positive(), f"0 auction, 1 {bid}, 2 pass, 3 pass"))


@pytest.mark.parametrize("bid", ["bid 4", "bid 5", "bid 8", "nulls 2"])
def test_skip_is_closed_above_75_points(bid: str) -> None:
    assert calls(say(positive(), f"0 auction, 1 {bid}, 2 pass, 3 pass")) == {"accept", "refuse"}


@pytest.mark.parametrize("owner", range(4))
def test_a_skipped_deal_scores_owner_100_and_the_others_75(owner: int) -> None:
    left, opposite, right = ((owner + n) % 4 for n in (1, 2, 3))
    game = say(positive(owner=owner), f"{owner} auction, {left} bid 2, {opposite} pass, {right} pass, {owner} skip")
    assert scores(game) == [100 if seat == owner else 75 for seat in range(4)]


def test_a_skipped_deal_is_not_played() -> None:
    assert say(positive(), "0 auction, 1 pass, 2 pass, 3 pass, 0 skip").is_over


# The kind of the bid binds


@pytest.mark.parametrize("tricks", range(1, 9))
def test_who_bought_with_a_bid_plays_up(tricks: int) -> None:
    game = say(positive(), f"0 auction, 1 bid {tricks}, 2 pass, 3 pass, 0 accept")
    assert game.turn == 1
    assert calls(game) == UPS


@pytest.mark.parametrize("nulls", [1, 2])
def test_who_bought_with_nulls_plays_down(nulls: int) -> None:
    game = say(positive(), f"0 auction, 1 pass, 2 nulls {nulls}, 3 pass, 0 accept")
    assert game.contract == "down"
    assert field(game, "declarer") == 2


def test_the_trump_is_named_only_after_the_sale() -> None:
    game = say(positive(), "0 auction, 1 bid 4, 2 pass, 3 pass, 0 accept")
    assert game.contract == "positive"
    game = say(game, "1 up D")
    assert (game.contract, field(game, "trump")) == ("up", 1)


def test_the_portuguese_rules_are_the_defaults() -> None:
    assert (PORTUGUESE.max_bid, PORTUGUESE.max_nulls, PORTUGUESE.skip_limit) == (8, 2, 75)
