"""The tables of contracts say what Rules 2 and 3 say."""

from __future__ import annotations

import pytest

from king_env.engine.contracts import (
    CARD_POINTS,
    CONTRACT_NAMES,
    FORCED_CARD,
    NOT_LED,
    PAYING_CARDS,
    TOTAL_POINTS,
    TRICK_POINTS,
    TRICK_UNITS,
    UNIT_POINTS,
)
from king_env.notation import parse_cards
from tests.engine.table import PACK

HEARTS = "2H 3H 4H 5H 6H 7H 8H 9H TH JH QH KH AH"
KINGS_AND_JACKS = "KC KD KH KS JC JD JH JS"


def row(contract: str) -> int:
    return CONTRACT_NAMES.index(contract)


@pytest.mark.parametrize(
    ("contract", "total"),
    [
        ("no_tricks", -260),
        ("no_hearts", -260),
        ("no_queens", -200),
        ("no_kings_jacks", -240),
        ("no_king_of_hearts", -160),
        ("no_last_two", -180),
        ("up", 325),
        ("down", 325),
    ],
)
def test_totals(contract: str, total: int) -> None:
    assert TOTAL_POINTS[row(contract)] == total


def test_the_six_negative_and_four_positive_deals_cancel_out() -> None:
    assert sum(TOTAL_POINTS[:6]) + 4 * 325 == 0


@pytest.mark.parametrize(
    ("contract", "points"),
    [
        ("no_tricks", [-20] * 13),
        ("no_hearts", [0] * 13),
        ("no_queens", [0] * 13),
        ("no_kings_jacks", [0] * 13),
        ("no_king_of_hearts", [0] * 13),
        ("no_last_two", [0] * 11 + [-90, -90]),
        ("up", [25] * 13),
        ("down", [-75] * 13),
    ],
)
def test_what_a_trick_pays_by_its_number(contract: str, points: list[int]) -> None:
    assert TRICK_POINTS[row(contract)].tolist() == points


@pytest.mark.parametrize(
    ("contract", "cards", "points"),
    [
        ("no_tricks", "", 0),
        ("no_hearts", HEARTS, -20),
        ("no_queens", "QC QD QH QS", -50),
        ("no_kings_jacks", KINGS_AND_JACKS, -30),
        ("no_king_of_hearts", "KH", -160),
        ("no_last_two", "", 0),
        ("up", "", 0),
        ("down", "", 0),
    ],
)
def test_what_a_card_pays(contract: str, cards: str, points: int) -> None:
    paying = cards.split()
    assert CARD_POINTS[row(contract)].tolist() == [points if card in paying else 0 for card in PACK]
    assert PAYING_CARDS[row(contract)] == parse_cards(cards)


@pytest.mark.parametrize("contract", CONTRACT_NAMES[:8])
def test_every_trick_and_card_pays_whole_units(contract: str) -> None:
    number = row(contract)
    assert (TRICK_UNITS[number] * UNIT_POINTS[number]).tolist() == TRICK_POINTS[number].tolist()
    assert all(points % UNIT_POINTS[number] == 0 for points in CARD_POINTS[number])


def test_hearts_are_not_led_in_two_contracts() -> None:
    hearts = parse_cards(HEARTS)
    banned = [NOT_LED[row(contract)] for contract in CONTRACT_NAMES]
    assert banned == [0, hearts, 0, 0, hearts, 0, 0, 0, 0]


def test_the_king_of_hearts_is_forced_in_one_contract() -> None:
    forced = [FORCED_CARD[row(contract)] for contract in CONTRACT_NAMES]
    assert forced == [0, 0, 0, 0, parse_cards("KH"), 0, 0, 0, 0]
