"""What a hand of 13 cards is worth in a positive deal: tricks with each trump, tricks if nobody wants any.

The figures were fitted to what hands took in deals played out by this bot.
"""

from __future__ import annotations

from king_env.bots.heuristic.chances import STAYS_ON_TOP
from king_env.bots.heuristic.counting import NUM_OTHERS
from king_env.engine.actions import DECLARE_DOWN, FIRST_UP, Action
from king_env.engine.cards import (
    ACE,
    ALL_CARDS,
    CARD_BIT,
    CARDS_OF_SUIT,
    FIRST_CARD_OF_SUIT,
    HIGHER_IN_SUIT,
    JACK,
    KING,
    LOWER_IN_SUIT,
    NUM_SUITS,
    QUEEN,
    Cards,
    Suit,
)
from king_env.engine.contracts import DOWN_START, NO_TRUMP, NULLS_POINTS, UP_POINTS
from king_env.engine.kernel import kernel, lowest_bit, popcount
from king_env.engine.state import GameRecord


@kernel
def holds(hand: Cards, suit: Suit, rank: int) -> bool:
    return hand & CARD_BIT[FIRST_CARD_OF_SUIT[suit] + rank] != 0


@kernel
def length_of(hand: Cards, suit: Suit) -> int:
    return popcount(hand & CARDS_OF_SUIT[suit])


@kernel
def trump_suit_tricks(hand: Cards, trump: Suit) -> float:
    """Tricks to expect of the trump suit: by length first, then by honours."""
    tricks = 0.67 * length_of(hand, trump) - 1.65
    tricks += 0.96 * holds(hand, trump, ACE) + 0.86 * holds(hand, trump, KING)
    return tricks + 0.58 * holds(hand, trump, QUEEN) + 0.39 * holds(hand, trump, JACK)


@kernel
def side_suit_tricks(hand: Cards, suit: Suit) -> float:
    """Tricks to expect of a side suit with a trump: aces, guarded honours, and ruffs where it is short."""
    length = length_of(hand, suit)
    if length == 0:
        return 1.47
    tricks = 1.06 * holds(hand, suit, ACE)
    if length == 1:
        return tricks + 0.87
    tricks += 0.67 * holds(hand, suit, KING)
    return tricks + (0.31 if length == 2 else 0.21 * holds(hand, suit, QUEEN))


@kernel
def tricks_with_trump(hand: Cards, trump: Suit) -> float:
    """Tricks to expect as declarer with this trump suit."""
    tricks = trump_suit_tricks(hand, trump)
    for suit in range(NUM_SUITS):
        if suit != trump:
            tricks += side_suit_tricks(hand, suit)
    return tricks


@kernel
def tricks_without_trump(hand: Cards) -> float:
    """Tricks to expect with no trump: honours with their guards, and the long cards of a suit."""
    tricks = 0.28
    for suit in range(NUM_SUITS):
        length = length_of(hand, suit)
        tricks += 1.16 * holds(hand, suit, ACE) + 0.66 * max(0, length - 4)
        if length >= 2:
            tricks += 0.88 * holds(hand, suit, KING)
        if length >= 3:
            tricks += 1.02 * holds(hand, suit, QUEEN)
        if length >= 4:
            tricks += 0.47 * holds(hand, suit, JACK)
    return tricks


@kernel
def tricks_as_bystander(hand: Cards) -> float:
    """Tricks to expect when somebody else names the trump: little but high cards."""
    tricks = 0.9
    for suit in range(NUM_SUITS):
        tricks += 1.02 * holds(hand, suit, ACE) + 0.6 * holds(hand, suit, KING)
        tricks += 0.18 * holds(hand, suit, QUEEN) + 0.1 * holds(hand, suit, JACK)
    return tricks


@kernel
def tricks_when_down(hand: Cards) -> float:
    """Tricks to expect when everybody ducks: cards that stay on top, the lowest of a suit most of all."""
    tricks = -1.55
    unseen = ALL_CARDS & ~hand
    for suit in range(NUM_SUITS):
        rest = hand & CARDS_OF_SUIT[suit]
        weight = 1.2  # of the lowest card; those above it may be discarded before they must be played
        while rest != 0:
            card = lowest_bit(rest)
            rest ^= CARD_BIT[card]
            lower, higher = popcount(unseen & LOWER_IN_SUIT[card]), popcount(unseen & HIGHER_IN_SUIT[card])
            tricks += weight * STAYS_ON_TOP[NUM_OTHERS, NUM_OTHERS, lower, higher]
            weight = max(0.2, weight - 0.3)
    return max(0.0, tricks)


@kernel
def best_trump(view: GameRecord, hand: Cards) -> tuple[Suit, float]:
    """The trump, or none where that is played, with which the hand should take most tricks, and how many."""
    best, most = 0, tricks_with_trump(hand, 0)
    for suit in range(1, NUM_SUITS):
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
    """Points to expect from declaring up."""
    _, tricks = best_trump(view, view["hands"][view["turn"]])
    return UP_POINTS * tricks


@kernel
def down_value(view: GameRecord) -> float:
    """Points to expect from declaring down."""
    return DOWN_START - NULLS_POINTS * tricks_when_down(view["hands"][view["turn"]])


@kernel
def best_declaration(view: GameRecord) -> Action:
    """Up with the best trump, or down where that is open and worth more."""
    trump, tricks = best_trump(view, view["hands"][view["turn"]])
    may_go_down = view["down"] != 0 and view["is_sold"] == 0
    if may_go_down and down_value(view) > UP_POINTS * tricks:
        return DECLARE_DOWN
    return FIRST_UP + trump
