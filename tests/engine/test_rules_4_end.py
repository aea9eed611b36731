"""Rules 4: the end of a game and the score sheet with its two columns a seat."""

from __future__ import annotations

from king_env.game import Game
from tests.engine.table import carousel, positive, say, take_tricks


def whole_game() -> Game:
    """Ten carousels: the dealer takes all tricks of the negative deals, and the positive ones go four ways.

    By seat, the negative deals: 0 deals numbers 1 and 5, 1 deals 2 and 6, 2 deals 3, 3 deals 4; the positive ones
    belong to 2, 3, 0, 1.
    """
    game = Game("portuguese", deals=[carousel(n % 4) for n in range(10)], dealer=0)
    for _ in range(6):
        take_tricks(game, 13)
    say(game, "2 auction, 3 pass, 0 pass, 1 pass, 2 skip")
    say(game, "3 up NT")
    take_tricks(game, 10, 1, 1, 1)
    say(game, "0 down")
    take_tricks(game, 13)
    say(game, "1 up NT")
    take_tricks(game, 4, 3, 3, 3)
    return game


def test_after_ten_deals_the_game_is_over() -> None:
    game = whole_game()
    assert game.is_over
    assert game.turn is None
    assert game.legal() == []


def test_the_highest_total_wins() -> None:
    game = whole_game()
    assert list(game.scores) == [-895, 85, 325, 485]
    assert game.placings == [4, 3, 2, 1]


def test_equal_totals_share_the_place() -> None:
    game = say(positive(owner=2), "2 auction, 3 pass, 0 pass, 1 pass, 2 skip")
    assert game.placings == [2, 2, 1, 2]


def test_the_negative_column_is_the_sum_of_deals_1_to_6() -> None:
    """By the table of Rules 2: 260 and 160 to seat 0, 260 and 180 to seat 1, 200 to seat 2, 240 to seat 3."""
    assert whole_game().score_sheet.negative == (-420, -440, -200, -240)


def test_the_positive_column_is_the_sum_of_deals_7_to_10() -> None:
    skipped = (75, 75, 100, 75)
    up = (25, 25, 25, 250)
    down = (-650, 325, 325, 325)
    last = (75, 100, 75, 75)
    columns = tuple(sum(column) for column in zip(skipped, up, down, last, strict=True))
    assert whole_game().score_sheet.positive == columns == (-475, 525, 525, 725)


def test_a_bad_down_deal_makes_the_positive_column_negative() -> None:
    assert whole_game().score_sheet.positive[0] == -475


def test_the_balance_is_the_sum_of_both_columns() -> None:
    sheet = whole_game().score_sheet
    assert sheet.balance == (-895, 85, 325, 485)


def test_the_score_sheet_of_an_unfinished_game_counts_the_deal_being_played() -> None:
    game = Game("portuguese", deals=[carousel(n % 4) for n in range(10)], dealer=0)
    take_tricks(game, 3, 1)
    assert game.score_sheet.negative == (-60, -20, 0, 0)
    assert game.score_sheet.positive == (0, 0, 0, 0)
