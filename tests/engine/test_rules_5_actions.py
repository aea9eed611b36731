"""Rules 5: the 81 actions and their text, seats, and deals as text."""

from __future__ import annotations

import pytest

from king_env.game import Game, IllegalActionError
from king_env.notation import action_text, parse_action, parse_deal
from tests.engine.table import SOME_DEAL, new_deal, positive, say

# The table of Rules 5, written out.
TABLE = (
    "2C 3C 4C 5C 6C 7C 8C 9C TC JC QC KC AC 2D 3D 4D 5D 6D 7D 8D 9D TD JD QD KD AD "
    "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH 2S 3S 4S 5S 6S 7S 8S 9S TS JS QS KS AS"
).split() + [
    "pass",
    *["bid 1", "bid 2", "bid 3", "bid 4", "bid 5", "bid 6", "bid 7", "bid 8", "bid 9", "bid 10", "bid 11", "bid 12"],
    "bid 13",
    *["nulls 1", "nulls 2", "nulls 3", "nulls 4"],
    *["accept", "refuse", "skip"],
    *["auction", "eight or nulls"],
    *["up C", "up D", "up H", "up S", "up NT"],
    "down",
]


def test_there_are_81_actions() -> None:
    assert [action_text(action) for action in range(81)] == TABLE


def test_every_text_is_read_back() -> None:
    assert [parse_action(text) for text in TABLE] == list(range(81))


@pytest.mark.parametrize(
    ("text", "action"),
    [
        ("2C", 0),
        ("AC", 12),
        ("2D", 13),
        ("QH", 36),
        ("KH", 37),
        ("AS", 51),
        ("pass", 52),
        ("bid 1", 53),
        ("bid 8", 60),
        ("bid 13", 65),
        ("nulls 1", 66),
        ("nulls 4", 69),
        ("accept", 70),
        ("refuse", 71),
        ("skip", 72),
        ("auction", 73),
        ("eight or nulls", 74),
        ("up C", 75),
        ("up NT", 79),
        ("down", 80),
    ],
)
def test_the_ids_of_the_table(text: str, action: int) -> None:
    assert parse_action(text) == action


def test_a_card_is_13_times_its_suit_plus_its_rank() -> None:
    for suit, suit_letter in enumerate("CDHS"):
        for rank, rank_letter in enumerate("23456789TJQKA"):
            assert parse_action(rank_letter + suit_letter) == 13 * suit + rank


def test_a_game_takes_texts_and_ids_alike() -> None:
    by_text, by_id = positive(), positive()
    for text in ("auction", "bid 2", "pass", "pass", "accept", "up H", "AS"):
        by_text.play(text)
        by_id.play(TABLE.index(text))
    assert by_text.record.tobytes() == by_id.record.tobytes()


def test_legal_texts_and_ids_are_the_same_actions() -> None:
    game = positive()
    assert [TABLE[action] for action in game.legal_ids()] == game.legal()


@pytest.mark.parametrize("action", [-1, 81, 1000, "1H", "bid 14", "nulls 5", "up", ""])
def test_what_is_no_action_is_refused(action: str | int) -> None:
    game = positive()
    before = game.record.tobytes()
    with pytest.raises(IllegalActionError):
        game.play(action)
    assert game.record.tobytes() == before


def test_seat_plus_one_is_the_left_neighbour() -> None:
    game = new_deal("no_tricks", dealer=3)
    turns = []
    for _ in range(4):
        turns.append(game.turn)
        game.play(game.legal()[0])
    assert turns == [3, 0, 1, 2]


def test_a_deal_is_written_with_the_first_seat_then_going_left() -> None:
    from_seat_0 = parse_deal("0:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432")
    from_seat_2 = parse_deal("2:..AKQJT98765432. ...AKQJT98765432 AKQJT98765432... .AKQJT98765432..")
    assert from_seat_0.tolist() == from_seat_2.tolist()


def test_each_hand_is_written_spades_hearts_diamonds_clubs() -> None:
    game = Game("portuguese", deals=[SOME_DEAL], dealer=0, num_deals=1)
    assert game.hand(0).split() == "AS KS QS 2S JH 9H 3H TD 8D 5D 7C 6C 4C".split()
    assert game.hand(3).split() == "JS 4S 6H 5H 4H 2H JD 9D 3D 2D QC 8C 3C".split()


def test_calls_that_no_rule_set_in_force_knows_are_refused() -> None:
    game = say(positive(), "0 auction")
    for text in ("bid 9", "nulls 3", "accept", "up C", "AS"):
        with pytest.raises(IllegalActionError):
            game.play(text)
