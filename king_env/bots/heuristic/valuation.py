"""What a hand of 13 cards is worth in a positive deal: tricks with each trump, tricks when nobody wants any."""

from __future__ import annotations

from king_env.engine.actions import DECLARE_DOWN, FIRST_UP, Action
from king_env.engine.cards import ACE, CARD_BIT, CARDS_OF_SUIT, FIRST_CARD_OF_SUIT, KING, NUM_SUITS, QUEEN, Cards, Suit
from king_env.engine.contracts import DOWN_START, NO_TRUMP, NULLS_POINTS, UP_POINTS
from king_env.engine.kernel import kernel, popcount
from king_env.engine.state import GameRecord


@kernel
def holds(hand: Cards, suit: Suit, rank: int) -> bool:
    return hand & CARD_BIT[FIRST_CARD_OF_SUIT[suit] + rank] != 0


@kernel
def side_tricks(hand: Cards, suit: Suit) -> float:
    """Tricks that the honours of a side suit should take, and its shortness by ruffing."""
    length = popcount(hand & CARDS_OF_SUIT[suit])
    tricks = 0.99 * holds(hand, suit, ACE)
    if length >= 2:
        tricks += 0.77 * holds(hand, suit, KING)
    if length >= 3:
        tricks += 0.36 * holds(hand, suit, QUEEN)
    return tricks


@kernel
def shortness_tricks(hand: Cards, suit: Suit) -> float:
    length = popcount(hand & CARDS_OF_SUIT[suit])
    if length == 0:
        return 0.77
    return 0.385 if length == 1 else 0.0


@kernel
def tricks_with_trump(hand: Cards, trump: Suit) -> float:
    """Tricks to expect as declarer with this trump suit."""
    length = popcount(hand & CARDS_OF_SUIT[trump])
    tricks = -2.03 + 0.88 * length
    tricks += 0.98 * holds(hand, trump, ACE) + 0.81 * holds(hand, trump, KING) + 0.54 * holds(hand, trump, QUEEN)
    for suit in range(NUM_SUITS):
        if suit != trump:
            tricks += side_tricks(hand, suit) + shortness_tricks(hand, suit)
    return tricks


@kernel
def tricks_without_trump(hand: Cards) -> float:
    tricks = 0.0
    for suit in range(NUM_SUITS):
        tricks += side_tricks(hand, suit) * (1.0 + 0.15 * max(0, popcount(hand & CARDS_OF_SUIT[suit]) - 3))
    return tricks


@kernel
def tricks_when_down(hand: Cards) -> float:
    """Tricks to expect when everybody ducks: high cards with too few low ones beneath them."""
    tricks = 0.0
    for suit in range(NUM_SUITS):
        first = FIRST_CARD_OF_SUIT[suit]
        lower = 0
        for rank in range(13):
            if hand & CARD_BIT[first + rank] != 0:
                tricks += max(0.0, (rank - 2.0 - 3.0 * lower) / 12.0)
                lower += 1
    return tricks


@kernel
def best_trump(view: GameRecord, hand: Cards) -> tuple[Suit, float]:
    """The trump, or none where that is played, with which the hand should take most tricks."""
    best, most = 0, -1.0
    for suit in range(NUM_SUITS):
        tricks = tricks_with_trump(hand, suit)
        if tricks > most:
            best, most = suit, tricks
    if view["no_trump"]:
        tricks = tricks_without_trump(hand)
        if tricks > most:
            best, most = NO_TRUMP, tricks
    return best, most


@kernel
def up_value(view: GameRecord) -> float:
    """Points to expect from declaring up with the best trump."""
    trump, tricks = best_trump(view, view["hands"][view["turn"]])
    return UP_POINTS * tricks


@kernel
def down_value(view: GameRecord) -> float:
    """Points to expect from a down deal."""
    return DOWN_START - NULLS_POINTS * tricks_when_down(view["hands"][view["turn"]])


@kernel
def may_go_down(view: GameRecord) -> bool:
    return view["down"] != 0 and view["is_sold"] == 0


@kernel
def best_declaration(view: GameRecord) -> Action:
    """Up with the best trump, or down where that is open and worth more."""
    trump, tricks = best_trump(view, view["hands"][view["turn"]])
    if may_go_down(view) and down_value(view) > UP_POINTS * tricks:
        return DECLARE_DOWN
    return FIRST_UP + trump
