"""Cards, actions and deals as text (Rules 5)."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from king_env.notation import (
    NotationError,
    action_text,
    card_text,
    cards_text,
    deal_text,
    parse_action,
    parse_card,
    parse_cards,
    parse_deal,
)

ONE_SUIT_EACH = "0:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
MIXED = "0:AKQ2.432.5432.32 JT9.AKQ.876.AKQJ 876.JT98.AKQ.T98 543.765.JT9.7654"


@pytest.mark.parametrize(
    ("action", "text"),
    [
        (0, "2C"),
        (12, "AC"),
        (13, "2D"),
        (36, "QH"),
        (51, "AS"),
        (52, "pass"),
        (53, "bid 1"),
        (65, "bid 13"),
        (66, "nulls 1"),
        (69, "nulls 4"),
        (70, "accept"),
        (71, "refuse"),
        (72, "skip"),
        (73, "auction"),
        (74, "eight or nulls"),
        (75, "up C"),
        (78, "up S"),
        (79, "up NT"),
        (80, "down"),
    ],
)
def test_the_numbers_of_the_actions_are_those_of_rules_5(action: int, text: str) -> None:
    assert action_text(action) == text
    assert parse_action(text) == action


def test_each_of_the_81_actions_has_its_own_text() -> None:
    texts = [action_text(action) for action in range(81)]
    assert len(set(texts)) == 81
    assert [parse_action(text) for text in texts] == list(range(81))


@pytest.mark.parametrize("text", ["qh", " QH ", "Qh"])
def test_capitals_and_blanks_do_not_matter(text: str) -> None:
    assert parse_action(text) == 36
    assert parse_action("  Eight  or NULLS") == 74


@pytest.mark.parametrize("number", [np.int64(36), np.int32(36), np.array(36)])
def test_numpy_numbers_are_actions_too(number: Any) -> None:
    assert action_text(number) == "QH"


@pytest.mark.parametrize("text", ["", "bid", "bid 0", "bid 14", "nulls 5", "up", "10H", "1H", "QX", "eight"])
def test_a_text_that_is_no_action_is_told_what_is(text: str) -> None:
    with pytest.raises(NotationError, match="no action .* a card such as QH, or one of pass, bid 1 … bid 13, nulls 1"):
        parse_action(text)


@pytest.mark.parametrize("number", [-1, 81, 1000])
def test_an_action_out_of_range_is_told_the_range(number: int) -> None:
    with pytest.raises(NotationError, match=f"no action {number}: actions are 0 … 80"):
        action_text(number)


@pytest.mark.parametrize("nonsense", [1.0, None, True, "QH"])
def test_what_is_no_whole_number_is_no_action(nonsense: Any) -> None:
    with pytest.raises(NotationError, match="must be a whole number"):
        action_text(nonsense)


def test_a_number_is_not_a_text() -> None:
    with pytest.raises(NotationError, match="36 is no text"):
        parse_action(36)  # type: ignore[arg-type]


def test_cards_are_the_first_52_actions() -> None:
    assert [card_text(card) for card in range(52)] == [action_text(card) for card in range(52)]
    assert parse_card("KH") == 37
    with pytest.raises(NotationError, match="no card 52: cards are 0 … 51"):
        card_text(52)
    with pytest.raises(NotationError, match="no card 'pass': a card is a rank of 23456789TJQKA and a suit of CDHS"):
        parse_card("pass")


def test_a_set_of_cards_is_written_from_the_spades_down() -> None:
    assert cards_text(parse_cards("3H QH 2C AS")) == "AS QH 3H 2C"
    assert cards_text(parse_cards("")) == ""
    assert parse_cards("2C 3C") == 0b11


def test_a_set_holds_a_card_once() -> None:
    with pytest.raises(NotationError, match="QH is there twice in 'QH 3S QH'"):
        parse_cards("QH 3S QH")


@pytest.mark.parametrize("cards", [-1, 1 << 52])
def test_a_set_of_cards_has_no_other_bits(cards: int) -> None:
    with pytest.raises(NotationError, match="no set of cards"):
        cards_text(cards)


@pytest.mark.parametrize("text", [ONE_SUIT_EACH, MIXED])
def test_a_deal_survives_its_text(text: str) -> None:
    assert deal_text(parse_deal(text)) == text


def test_a_hand_is_spades_hearts_diamonds_clubs() -> None:
    hands = parse_deal(MIXED)
    assert cards_text(hands[0]) == "AS KS QS 2S 4H 3H 2H 5D 4D 3D 2D 3C 2C"


@pytest.mark.parametrize("first", [0, 1, 2, 3])
def test_a_deal_may_begin_with_any_seat(first: int) -> None:
    hands = parse_deal(MIXED)
    text = deal_text(hands, first_seat=first)
    assert text.startswith(f"{first}:")
    assert parse_deal(text).tolist() == hands.tolist()


@pytest.mark.parametrize(
    ("first", "reason"),
    [(9, "no seat 9: seats are 0 … 3"), (-1, "no seat -1"), ("0", "no seat '0'"), (True, "no seat")],
)
def test_a_deal_begins_with_no_other_seat(first: Any, reason: str) -> None:
    with pytest.raises(NotationError, match=reason):
        deal_text(parse_deal(MIXED), first_seat=first)


def test_the_first_hand_of_the_text_is_the_seat_before_the_colon() -> None:
    hands = parse_deal(ONE_SUIT_EACH.replace("0:", "3:"))
    assert cards_text(hands[3]).split()[0] == "AS"
    assert cards_text(hands[0]).split()[0] == "AH"


def test_a_deal_may_be_an_array_of_cards_or_of_sets_of_cards() -> None:
    hands = parse_deal(MIXED)
    cards = [[card for card in range(52) if hand >> card & 1] for hand in hands.tolist()]
    assert parse_deal(cards).tolist() == hands.tolist()
    assert parse_deal(np.array(cards, dtype=np.int8)).tolist() == hands.tolist()
    assert parse_deal(hands).tolist() == hands.tolist()
    assert parse_deal(hands).dtype == np.int64


def test_hands_in_mid_play_can_be_written_too() -> None:
    assert deal_text([parse_cards("AS 2C"), parse_cards("3H"), 0, 0]) == "0:A...2 .3.. ... ..."


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("AKQJ", "must begin with the seat of the first hand, 0: 1: 2: or 3:"),
        ("N:" + MIXED[2:], "must begin with the seat of the first hand"),
        ("4:" + MIXED[2:], "must begin with the seat of the first hand"),
        (MIXED + " ...", "5 hands instead of 4"),
        (MIXED.replace("543.765.JT9.7654", "543.765.JT97654"), r"hand '543.765.JT97654' must be spades\.hearts"),
        (MIXED.replace("AKQ2.", "AKQ1."), "no rank '1' in hand 'AKQ1.432.5432.32'"),
        (MIXED.replace("AKQ2.", "AKQ."), "seat 0 holds 12 cards instead of 13; missing: 2S"),
        (MIXED.replace("AKQ2.", "AKQJ."), "malformed deal: dealt twice: JS; missing: 2S"),
        (MIXED.replace("AKQ2.", "AKQQ."), "malformed deal: dealt twice: QS; missing: 2S"),
        (MIXED.replace("AKQ2.", "AKQ32."), "seat 0 holds 14 cards instead of 13; dealt twice: 3S"),
    ],
)
def test_a_malformed_deal_is_refused_in_one_line(text: str, reason: str) -> None:
    with pytest.raises(NotationError, match=reason) as refusal:
        parse_deal(text)
    assert "\n" not in str(refusal.value)


@pytest.mark.parametrize(
    "deal",
    [[[1, 2], [3]], np.zeros((4, 13)), np.zeros((3, 13), dtype=int), None, 7, [1.5] * 4, ["AS", "KS", "QS", "JS"]],
)
def test_what_cannot_be_a_deal_is_told_the_three_forms(deal: Any) -> None:
    with pytest.raises(
        NotationError, match=r"PBN text such as .*, an int array \[4, 13\] of cards, or 4 sets of cards"
    ):
        parse_deal(deal)


def test_a_deal_of_numbers_that_are_no_cards_is_refused() -> None:
    with pytest.raises(NotationError, match="no card 52"):
        parse_deal(np.arange(1, 53).reshape(4, 13))
    with pytest.raises(NotationError, match="no set of cards"):
        parse_deal([-1, 0, 0, 0])
