"""Means and intervals over blocks, worked by hand and against tables of Student's t."""

from __future__ import annotations

import math

import pytest

from king_env.evaluation.statistics import Estimate, estimate_mean, probability_within, student_t


@pytest.mark.parametrize(
    ("degrees", "t"),
    [
        (1, 12.706),
        (2, 4.303),
        (3, 3.182),
        (4, 2.776),
        (9, 2.262),
        (10, 2.228),
        (29, 2.045),
        (30, 2.042),
        (100, 1.984),
        (120, 1.980),
    ],
)
def test_t_is_what_the_tables_of_students_distribution_say(degrees: int, t: float) -> None:
    assert student_t(degrees) == pytest.approx(t, abs=5e-4)


def test_t_of_very_many_blocks_is_that_of_the_normal_distribution() -> None:
    assert student_t(10_000_000) == pytest.approx(1.96, abs=1e-3)


def test_half_of_a_cauchy_lies_within_one() -> None:
    assert probability_within(1.0, degrees=1) == pytest.approx(0.5)


def test_three_blocks_by_hand() -> None:
    # Means of the blocks 10, 20, 60: mean 30, standard deviation √700, so ± 4.303 · √700 / √3.
    estimate = estimate_mean([40, 80, 240], [4, 4, 4])
    assert estimate.mean == 30
    assert estimate.half_width == pytest.approx(4.302653 * math.sqrt(700 / 3), rel=1e-6)
    assert estimate.count == 12


def test_blocks_with_different_numbers_of_deals_by_hand() -> None:
    # 10 in 1 deal, 50 in 3: mean 15. The blocks lie −5 and +5 about it: variance 2/1 · 50 / 4² = 6.25.
    estimate = estimate_mean([10, 50], [1, 3])
    assert estimate.mean == 15
    assert estimate.half_width == pytest.approx(12.7062 * 2.5, rel=1e-5)


def test_a_block_without_such_a_deal_adds_to_neither_side() -> None:
    assert estimate_mean([10, 0, 20], [1, 0, 2]).mean == 10


def test_equal_blocks_leave_no_doubt() -> None:
    assert estimate_mean([5, 5, 5], [1, 1, 1]).interval == (5.0, 5.0)


def test_one_block_has_no_interval() -> None:
    estimate = estimate_mean([7], [1])
    assert estimate.mean == 7 and math.isnan(estimate.half_width)
    assert estimate.to_dict() == {"mean": 7.0, "half_width": None, "interval": None, "count": 1}


def test_nothing_counted_has_no_mean() -> None:
    assert estimate_mean([0, 0], [0, 0]).to_dict() == {"mean": None, "half_width": None, "interval": None, "count": 0}


def test_an_interval_lies_about_its_mean() -> None:
    assert Estimate(10.0, 2.5, 4).interval == (7.5, 12.5)
