"""Cards, actions and deals as text, and text as cards, actions and deals (Rules 5)."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from king_env.engine.actions import FIRST_CALL, MAX_BID, MAX_NULLS, NUM_ACTIONS, Action
from king_env.engine.cards import (
    ALL_CARDS,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    RANK_LETTERS,
    SUIT_LETTERS,
    Card,
    Cards,
    Suit,
)
from king_env.engine.contracts import NUM_TRICKS
from king_env.engine.seats import NUM_SEATS, Seat

CARDS_A_HAND = NUM_TRICKS
TRUMP_TEXTS = (*SUIT_LETTERS, "NT")
CARD_TEXTS = tuple(rank + suit for suit in SUIT_LETTERS for rank in RANK_LETTERS)
ACTION_TEXTS = (
    *CARD_TEXTS,
    "pass",
    *(f"bid {tricks}" for tricks in range(1, MAX_BID + 1)),
    *(f"nulls {nulls}" for nulls in range(1, MAX_NULLS + 1)),
    "accept",
    "refuse",
    "skip",
    "auction",
    "eight or nulls",
    *(f"up {trump}" for trump in TRUMP_TEXTS),
    "down",
)
_ACTION_OF_TEXT = {text.lower(): action for action, text in enumerate(ACTION_TEXTS)}
_PBN_SUITS = "SHDC"  # the order of suits in a hand
_NAMED_CARDS = 4  # of the doubled or missing cards of a malformed deal


class NotationError(ValueError):
    """Text or numbers that are no card, action or deal."""


def action_text(action: SupportsIndex) -> str:
    """The text of an action: `QH`, `pass`, `bid 3`, `up NT` …"""
    number = _number("action", action)
    if not 0 <= number < NUM_ACTIONS:
        raise NotationError(f"no action {number}: actions are 0 … {NUM_ACTIONS - 1}")
    return ACTION_TEXTS[number]


def parse_action(text: str) -> Action:
    """The action of a text; capitals and extra blanks do not matter."""
    action = _ACTION_OF_TEXT.get(_plain(text))
    if action is None:
        calls = (
            f"pass, bid 1 … bid {MAX_BID}, nulls 1 … nulls {MAX_NULLS}, accept, refuse, skip, auction, eight or nulls, "
            f"up {'|'.join(TRUMP_TEXTS)}, down"
        )
        raise NotationError(f"no action {text!r}: an action is a card such as QH, or one of {calls}")
    return action


def card_text(card: SupportsIndex) -> str:
    """The text of a card: `QH`, `TS`."""
    number = _number("card", card)
    if not 0 <= number < NUM_CARDS:
        raise NotationError(f"no card {number}: cards are 0 … {NUM_CARDS - 1}")
    return CARD_TEXTS[number]


def parse_card(text: str) -> Card:
    """The card of a text such as `QH`."""
    card = _ACTION_OF_TEXT.get(_plain(text), FIRST_CALL)
    if card >= FIRST_CALL:
        raise NotationError(f"no card {text!r}: a card is a rank of {RANK_LETTERS} and a suit of {SUIT_LETTERS}")
    return card


def cards_text(cards: SupportsIndex) -> str:
    """A set of cards as text, spades first and each suit from the top: `AS QH 3H`."""
    return " ".join(CARD_TEXTS[card] for card in reversed(_cards_in(_set_of_cards(cards))))


def parse_cards(text: str) -> Cards:
    """The set of cards of a text such as `QH 3S`, in any order."""
    cards = 0
    for word in text.split():
        card = parse_card(word)
        if cards >> card & 1:
            raise NotationError(f"{CARD_TEXTS[card]} is there twice in {text!r}")
        cards |= 1 << card
    return cards


def deal_text(hands: Sequence[SupportsIndex] | npt.NDArray[np.int64], first_seat: Seat = 0) -> str:
    """Four hands as PBN text that begins with the hand of `first_seat`; hands that have been played from, too."""
    first = _number("seat", first_seat)
    if not 0 <= first < NUM_SEATS:
        raise NotationError(f"no seat {first}: seats are 0 … {NUM_SEATS - 1}")
    order = [(first + place) % NUM_SEATS for place in range(NUM_SEATS)]
    return f"{first}:" + " ".join(_hand_text(_set_of_cards(hands[seat])) for seat in order)


def parse_deal(deal: str | npt.ArrayLike) -> npt.NDArray[np.int64]:
    """The hands of seats 0 … 3 as int64[4] masks, from PBN text, from cards int[4, 13] or from such masks."""
    hands = _hands_of_text(deal) if isinstance(deal, str) else _hands_of_array(deal)
    _check_deal(hands)
    return np.array([sum(1 << card for card in hand) for hand in hands], dtype=np.int64)


def _plain(text: str) -> str:
    if not isinstance(text, str):
        raise NotationError(f"{text!r} is no text")
    return " ".join(text.lower().split())


def _number(kind: str, value: Any) -> int:
    """The whole number that `value` is; numpy's count, True does not."""
    if isinstance(value, (bool, np.bool_)):
        raise NotationError(f"no {kind} {value!r}: must be a whole number")
    try:
        return operator.index(value)
    except TypeError:
        raise NotationError(f"no {kind} {value!r}: must be a whole number") from None


def _set_of_cards(cards: Any) -> Cards:
    number = _number("set of cards", cards)
    if not 0 <= number <= ALL_CARDS:
        raise NotationError(f"no set of cards {number}: a bit for each of the {NUM_CARDS} cards, and no other")
    return number


def _cards_in(cards: Cards) -> list[Card]:
    return [card for card in range(NUM_CARDS) if cards >> card & 1]


def _hand_text(hand: Cards) -> str:
    return ".".join(_ranks_text(hand, SUIT_LETTERS.index(letter)) for letter in _PBN_SUITS)


def _ranks_text(hand: Cards, suit: Suit) -> str:
    ranks = reversed(range(NUM_RANKS))
    return "".join(RANK_LETTERS[rank] for rank in ranks if hand >> (NUM_RANKS * suit + rank) & 1)


def _hands_of_text(text: str) -> list[list[Card]]:
    """The cards as written, seat 0 first."""
    first, colon, rest = text.strip().partition(":")
    if not colon or first not in {str(seat) for seat in range(NUM_SEATS)}:
        raise NotationError(f"malformed deal {text!r}: must begin with the seat of the first hand, 0: 1: 2: or 3:")
    hands = [_hand_of_text(hand) for hand in rest.split()]
    if len(hands) != NUM_SEATS:
        raise NotationError(f"malformed deal: {len(hands)} hands instead of 4 parted by blanks")
    return [hands[(seat - int(first)) % NUM_SEATS] for seat in range(NUM_SEATS)]


def _hand_of_text(text: str) -> list[Card]:
    suits = text.upper().split(".")
    if len(suits) != NUM_SUITS:
        raise NotationError(f"malformed deal: hand {text!r} must be spades.hearts.diamonds.clubs")
    cards = []
    for letter, ranks in zip(_PBN_SUITS, suits, strict=True):
        for rank in ranks:
            if rank not in RANK_LETTERS:
                raise NotationError(f"malformed deal: no rank {rank!r} in hand {text!r}; ranks are {RANK_LETTERS}")
            cards.append(parse_card(rank + letter))
    return cards


def _hands_of_array(deal: npt.ArrayLike) -> list[list[Card]]:
    try:
        array = np.asarray(deal)
    except ValueError:  # rows of different lengths
        array = np.empty(0)
    if array.dtype.kind not in "iu" or array.shape not in {(NUM_SEATS, CARDS_A_HAND), (NUM_SEATS,)}:
        raise NotationError(
            "malformed deal: must be PBN text such as '0:AKQ.T92.…', an int array [4, 13] of cards, or 4 sets of cards"
        )
    if array.ndim == 1:
        return [_cards_in(_set_of_cards(hand)) for hand in array]
    for card in array.flat:
        card_text(card)
    return [[int(card) for card in hand] for hand in array]


def _check_deal(hands: list[list[Card]]) -> None:
    """Refuse hands that are not 13 cards each and every card once."""
    dealt = [card for hand in hands for card in hand]
    doubled = [card for card in range(NUM_CARDS) if dealt.count(card) > 1]
    missing = [card for card in range(NUM_CARDS) if card not in dealt]
    faults = [
        f"seat {seat} holds {len(hand)} cards instead of {CARDS_A_HAND}"
        for seat, hand in enumerate(hands)
        if len(hand) != CARDS_A_HAND
    ]
    if doubled:
        faults.append(f"dealt twice: {_some_cards(doubled)}")
    if missing:
        faults.append(f"missing: {_some_cards(missing)}")
    if faults:
        raise NotationError("malformed deal: " + "; ".join(faults))


def _some_cards(cards: Iterable[Card]) -> str:
    texts = [CARD_TEXTS[card] for card in cards]
    return " ".join(texts[:_NAMED_CARDS]) + (" …" if len(texts) > _NAMED_CARDS else "")
