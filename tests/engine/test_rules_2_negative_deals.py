"""Rules 2: what the six negative deals pay, their order, the ban on leading hearts, and the forced K♥."""

from __future__ import annotations

import pytest

from king_env.game import Game
from tests.engine.table import (
    calls,
    carousel,
    legal,
    new_deal,
    pays,
    position,
    scores,
    take_tricks,
)

NEGATIVES = ("no_tricks", "no_hearts", "no_queens", "no_kings_jacks", "no_king_of_hearts", "no_last_two")
HEARTS_MAY_BE_LED = ("no_tricks", "no_queens", "no_kings_jacks", "no_last_two")
HEARTS_MAY_NOT_BE_LED = ("no_hearts", "no_king_of_hearts")


# What they pay


def test_no_tricks_pays_minus_20_a_trick() -> None:
    game = take_tricks(new_deal("no_tricks", deal=carousel()), 2, 7, 1, 3)
    assert scores(game) == [-40, -140, -20, -60]


def test_no_tricks_costs_260_in_all() -> None:
    assert scores(take_tricks(new_deal("no_tricks", deal=carousel()), 13)) == [-260, 0, 0, 0]


def test_no_hearts_pays_minus_20_a_heart() -> None:
    assert pays("AC 2C 3H 3C", "no_hearts") == -20
    assert pays("AC 2H 3H AH", "no_hearts") == -60
    assert pays("AH KH QH 2H", "no_hearts") == -80
    assert pays("AC KC QC JC", "no_hearts") == 0


def test_no_hearts_costs_260_in_all() -> None:
    assert scores(take_tricks(new_deal("no_hearts", deal=carousel()), 13)) == [-260, 0, 0, 0]


def test_no_queens_pays_minus_50_a_queen_of_any_suit() -> None:
    for suit in "CDHS":
        spare = "3C" if suit != "C" else "3D"
        assert pays(f"A{suit} Q{suit} 2{suit} {spare}", "no_queens") == -50
    assert pays("QC QD QH QS", "no_queens") == -200
    assert pays("AH KH JH TH", "no_queens") == 0


def test_no_queens_costs_200_in_all() -> None:
    assert scores(take_tricks(new_deal("no_queens", deal=carousel()), 13)) == [-200, 0, 0, 0]


def test_no_kings_jacks_pays_minus_30_a_king_or_jack_of_any_suit() -> None:
    for suit in "CDHS":
        spare = "3C" if suit != "C" else "3D"
        assert pays(f"A{suit} K{suit} 2{suit} {spare}", "no_kings_jacks") == -30
        assert pays(f"A{suit} J{suit} 2{suit} {spare}", "no_kings_jacks") == -30
    assert pays("KC KD JH JC", "no_kings_jacks") == -120
    assert pays("AH QH TH 9H", "no_kings_jacks") == 0


def test_no_kings_jacks_costs_240_in_all() -> None:
    assert scores(take_tricks(new_deal("no_kings_jacks", deal=carousel()), 13)) == [-240, 0, 0, 0]


def test_no_king_of_hearts_pays_minus_160_to_whoever_takes_it() -> None:
    assert pays("AH KH 2H 3H", "no_king_of_hearts") == -160
    assert pays("2C KH AD AS", "no_king_of_hearts") == -160
    assert pays("KH QH 2H 3H", "no_king_of_hearts") == -160


def test_no_king_of_hearts_pays_nothing_for_other_kings_or_hearts() -> None:
    assert pays("AH QH KC KD", "no_king_of_hearts") == 0
    assert pays("KS QH JH TH", "no_king_of_hearts") == 0


def test_no_king_of_hearts_costs_160_in_all() -> None:
    assert scores(take_tricks(new_deal("no_king_of_hearts", deal=carousel()), 13)) == [-160, 0, 0, 0]


def test_no_last_two_pays_minus_90_for_trick_twelve_and_for_trick_thirteen() -> None:
    game = take_tricks(new_deal("no_last_two", deal=carousel()), 5, 6)
    assert scores(game) == [0, 0, 0, 0]
    game = take_tricks(new_deal("no_last_two", deal=carousel()), 5, 6, 1, 1)
    assert scores(game) == [0, 0, -90, -90]


def test_no_last_two_costs_180_who_takes_both() -> None:
    game = new_deal("no_last_two", deal=carousel())
    take_tricks(game, 11)
    assert scores(game) == [0, 0, 0, 0]
    take_tricks(game, 1)
    assert scores(game) == [-90, 0, 0, 0]
    take_tricks(game, 1)
    assert scores(game) == [-180, 0, 0, 0]


def test_cards_pay_the_seat_that_takes_them_and_not_the_seat_that_played_them() -> None:
    game = position({0: "2C", 1: "QC", 2: "AC", 3: "QD"}, "no_queens")
    for card in ("2C", "QC", "AC", "QD"):
        game.play(card)
    assert scores(game) == [0, 0, -100, 0]


# Their order


def order_of(ruleset: str) -> list[str]:
    return [Game(ruleset, deals=[carousel()], first_deal=n, num_deals=1).contract for n in range(6)]


def test_the_portuguese_order_is_that_of_the_table() -> None:
    assert order_of("portuguese") == list(NEGATIVES)


@pytest.mark.parametrize("ruleset", ["brazilian_auction", "brazilian_trump"])
def test_the_brazilian_order_has_kings_and_jacks_third_and_queens_fourth(ruleset: str) -> None:
    assert order_of(ruleset) == [
        "no_tricks",
        "no_hearts",
        "no_kings_jacks",
        "no_queens",
        "no_king_of_hearts",
        "no_last_two",
    ]


# Leading hearts


@pytest.mark.parametrize("contract", HEARTS_MAY_NOT_BE_LED)
def test_hearts_may_not_be_led_while_holding_any_other_suit(contract: str) -> None:
    assert legal("5H 2C", contract=contract) == "2C"
    assert legal("AH 5H 2C 9D QS", contract=contract) == "2C 9D QS"


@pytest.mark.parametrize("contract", HEARTS_MAY_BE_LED)
def test_the_ban_on_leading_hearts_holds_in_those_two_contracts_only(contract: str) -> None:
    assert legal("5H 2C", contract=contract) == "5H 2C"


@pytest.mark.parametrize("contract", ["up", "down"])
def test_hearts_may_be_led_in_the_positive_deals(contract: str) -> None:
    assert legal("5H 2C", contract=contract) == "5H 2C"


@pytest.mark.parametrize("contract", HEARTS_MAY_NOT_BE_LED)
def test_a_hand_of_hearts_only_may_lead_any(contract: str) -> None:
    assert legal("5H 9H AH", contract=contract) == "5H 9H AH"


@pytest.mark.parametrize("contract", HEARTS_MAY_NOT_BE_LED)
def test_there_is_no_breaking_of_hearts(contract: str) -> None:
    """A heart has been discarded, and still none may be led from a hand with another suit."""
    game = position({0: "2C 3C 5H", 1: "AC 4D 8H", 2: "6H 5D 6D", 3: "7C 7D 8D"}, contract)
    for card in ("2C", "AC", "6H", "7C"):
        game.play(card)
    assert game.turn == 1
    assert calls(game) == {"4D"}


@pytest.mark.parametrize("contract", HEARTS_MAY_NOT_BE_LED)
def test_hearts_may_be_discarded_at_any_time(contract: str) -> None:
    assert legal("5H 2D AH", led="C", contract=contract) == "5H 2D AH"


# K♥ forced


def test_the_king_of_hearts_falls_when_hearts_are_led() -> None:
    assert legal("KH 4C", led="H", contract="no_king_of_hearts") == "KH"


def test_the_king_of_hearts_falls_also_if_the_holder_has_other_hearts() -> None:
    assert legal("KH 3H AH 4C", led="H", contract="no_king_of_hearts") == "KH"


def test_the_king_of_hearts_falls_when_its_holder_cannot_follow() -> None:
    assert legal("KH 2H 3D AS", led="C", contract="no_king_of_hearts") == "KH"


def test_the_king_of_hearts_stays_while_its_holder_can_follow() -> None:
    assert legal("KH 4C 9C", led="C", contract="no_king_of_hearts") == "4C 9C"


def test_the_king_of_hearts_falls_when_its_holder_must_lead_from_hearts_alone() -> None:
    assert legal("KH 3H AH", contract="no_king_of_hearts") == "KH"


def test_the_king_of_hearts_may_not_be_led_while_its_holder_has_another_suit() -> None:
    assert legal("KH 3H 4C", contract="no_king_of_hearts") == "4C"


def test_the_king_of_hearts_is_forced_in_its_own_contract_only() -> None:
    for contract in (*NEGATIVES, "up", "down"):
        if contract != "no_king_of_hearts":
            assert legal("KH 3H", led="H", contract=contract) == "KH 3H"
            assert legal("KH 3D", led="C", contract=contract) == "KH 3D"


def test_who_has_no_king_of_hearts_plays_as_ever() -> None:
    assert legal("QH 3H", led="H", contract="no_king_of_hearts") == "QH 3H"
    assert legal("QH KC 3D", led="S", contract="no_king_of_hearts") == "QH KC 3D"
