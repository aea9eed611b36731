"""Positions in which an experienced player would not think twice."""

from __future__ import annotations

import pytest

from king_env.bots import make
from tests.bots.positions import chosen, table

HEURISTIC = make("heuristic")


def plays(contract: str, hand: str, *, on: str = "", out: str = "", trump: str = "", voids: str = "") -> str:
    return chosen(HEURISTIC, table(contract, hand, on, out, trump, voids))


# Not no_last_two, in which this trick, the seventh, costs nothing: see the high cards that go early.
@pytest.mark.parametrize(
    ("contract", "on"),
    [
        ("no_tricks", "9D QD 4D"),
        ("no_hearts", "9D QD KH"),
        ("no_queens", "9D QD 4D"),
        ("no_kings_jacks", "9D JD 4D"),
        ("no_king_of_hearts", "9D QD KH"),
        ("down", "9D QD 4D"),
    ],
)
def test_the_last_to_play_ducks_with_the_highest_loser(contract: str, on: str) -> None:
    assert plays(contract, "AD TD 3D KS 2C 9C 8H", on=on) == "TD"


@pytest.mark.parametrize("contract", ["no_tricks", "down"])
def test_who_must_take_as_the_last_takes_with_the_highest(contract: str) -> None:
    assert plays(contract, "AD TD KS 2C 9C 8H", on="5D 6D 4D") == "AD"


def test_a_trick_without_penalties_is_where_a_high_card_goes() -> None:
    assert plays("no_queens", "AS 2S 5D 3D 4C 6C 7H", on="9S TS 8S") == "AS"


def test_who_must_take_as_the_last_keeps_the_queen_back() -> None:
    assert plays("no_queens", "QS KS 5D 3D 4C 6C", on="9S TS 8S") == "KS"


def test_a_queen_goes_under_a_king() -> None:
    assert plays("no_queens", "QS 2S 5D 3D 4C", on="9S KS 8S") == "QS"


def test_a_jack_goes_under_a_queen_and_a_king_under_an_ace() -> None:
    assert plays("no_kings_jacks", "JS 2S 5D 3D 4C", on="9S QS 8S") == "JS"
    assert plays("no_kings_jacks", "KS 2S 5D 3D 4C", on="9S AS 8S") == "KS"


def test_the_ace_is_not_played_where_a_queen_may_still_fall_under_it() -> None:
    assert plays("no_queens", "AS 4S 3S 9D 5D 3D TC 6C 4C TH 8H 7H 2H", on="9S") == "4S"


def test_the_void_throw_the_penalty_card() -> None:
    assert plays("no_hearts", "AH 3D 4D 5C 7C", on="9S") == "AH"
    assert plays("no_queens", "QH 3D 4D 5C 7C", on="9S") == "QH"


def test_the_ace_of_hearts_goes_before_it_catches_the_king() -> None:
    assert plays("no_king_of_hearts", "AH 3D 4D 5C 7C 2D", on="9S") == "AH"


@pytest.mark.parametrize("contract", ["no_tricks", "no_queens", "down"])
def test_a_lead_is_low_where_others_hold_higher(contract: str) -> None:
    assert plays(contract, "2C AD KD 4D", out="3C 9C KC 5D 9D JD 7S 8S QS 5H 8H KH") == "2C"


def test_a_low_card_that_nothing_can_beat_any_more_is_not_led() -> None:
    assert plays("no_tricks", "5C 4D", out="2C 3C KD QD JD TD") == "4D"


def test_whoever_holds_the_lead_gets_off_it_with_the_one_card_that_loses() -> None:
    assert plays("no_last_two", "4H 2H", out="3H 5S 6S 4S 2S 3S") == "2H"
    assert plays("no_hearts", "KC TC 4C 2C 5H", out="3C AD TD 9D 5D 2D AH KH QH JH 9H 8H 7H 6H 4H") == "2C"


def test_high_cards_go_early_where_only_the_last_two_tricks_pay() -> None:
    assert plays("no_last_two", "AS 2S KD 3D 4C 6C 7H 8H 9H JH", on="9S TS 8S") == "AS"
    assert plays("no_last_two", "AS 2S KD 3D 4C 6C 7H 8H 9H JH", on="9S") == "AS"


def test_the_last_to_play_takes_as_cheaply_as_possible_up() -> None:
    assert plays("up", "AD QD TD 3D KS 2C", on="5D 9D 4D", trump="H") == "TD"


def test_who_cannot_take_gives_away_the_least() -> None:
    assert plays("up", "QD TD 3D KS 2C", on="5D AD 4D", trump="H") == "3D"


def test_a_low_trump_is_enough_to_ruff() -> None:
    assert plays("up", "AH 2H 5C KS", on="5D 9D 4D", trump="H") == "2H"


def test_who_is_overruffed_keeps_the_trump() -> None:
    assert plays("up", "3H 5C 4C KS", on="5D 9D TH", trump="H") == "4C"


def test_a_trick_is_taken_with_a_sure_master() -> None:
    assert plays("up", "AD 3D 5C 6C KS 2S", on="5D", trump="H") == "AD"


def test_trumps_are_drawn_when_long() -> None:
    out = "9H 8H 7H 2D 3D 4D 5D 6D 2C 3C 4C 5C 6C 7C 2S 3S 4S 5S 6S 7S 8S"
    assert plays("up", "AH KH QH JH AD KD QD", trump="H", out=out).endswith("H")


def test_no_trump_is_led_when_nobody_else_has_any() -> None:
    assert plays("up", "AH KH AD", out="2D 3D 4D 5C 6C 7C 8C 9S TS", trump="H") == "AD"


def test_masters_are_cashed_without_a_trump() -> None:
    assert plays("up", "AS KS QS 2D 3C", out="5S 4S 9D 8D 7D 6D 9C 8C 7C 6C 9H 8H 7H 6H 5H") in ("AS", "KS", "QS")


def test_a_discard_is_no_trump_and_no_master() -> None:
    assert plays("up", "AC 2C 3H", on="5D KD TH", trump="H") == "2C"
