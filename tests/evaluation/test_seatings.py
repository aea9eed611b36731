"""Who sits where in a block."""

from __future__ import annotations

from collections import Counter

import pytest

from king_env.evaluation.seatings import distinct_seatings

A, B, C, D = range(4)


@pytest.mark.parametrize(
    ("kinds", "number"),
    [((A, A, A, A), 1), ((A, B, B, B), 4), ((A, A, B, B), 6), ((A, A, B, C), 12), ((A, B, C, D), 24)],
)
def test_all_seatings_that_differ_are_played(kinds: tuple[int, ...], number: int) -> None:
    seatings = distinct_seatings(kinds)
    assert len(seatings) == len(set(seatings)) == number
    assert all(sorted(seating) == sorted(kinds) for seating in seatings)


def test_one_against_three_sits_once_in_each_seat() -> None:
    assert distinct_seatings([A, B, B, B]) == [(A, B, B, B), (B, A, B, B), (B, B, A, B), (B, B, B, A)]


def test_the_order_in_which_bots_are_named_does_not_matter() -> None:
    assert distinct_seatings([B, B, A, B]) == distinct_seatings([A, B, B, B])


def test_four_balanced_seatings_put_each_bot_once_in_each_seat() -> None:
    seatings = distinct_seatings([A, B, C, D], "balanced")
    assert len(seatings) == 4
    for seat in range(4):
        assert {seating[seat] for seating in seatings} == {A, B, C, D}


def test_in_balanced_seatings_every_bot_sits_left_of_every_other() -> None:
    seatings = distinct_seatings([A, B, C, D], "balanced")
    neighbours = Counter((seating[seat], seating[(seat + 1) % 4]) for seating in seatings for seat in range(4))
    assert len(neighbours) == 12


@pytest.mark.parametrize("kinds", [(A, B, B, B), (A, A, B, B), (A, A, B, C)])
def test_balanced_seatings_of_fewer_kinds_use_each_seat_evenly(kinds: tuple[int, ...]) -> None:
    seatings = distinct_seatings(kinds, "balanced")
    for seat in range(4):
        assert Counter(seating[seat] for seating in seatings) == Counter(kinds)


def test_four_of_a_kind_have_one_balanced_seating() -> None:
    assert distinct_seatings([A, A, A, A], "balanced") == [(A, A, A, A)]
