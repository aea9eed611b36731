"""The 52 cards as numbers, and sets of cards as 52-bit masks (Rules 5).

A card is ``13 * suit + rank``; suits are C D H S, ranks 2 … A. Bit `card` of a mask stands for that card.
"""

from __future__ import annotations

import numpy as np

from king_env.engine.kernel import kernel

Card = int
Cards = int  # a set of cards, one bit a card
Suit = int

NUM_SUITS = 4
NUM_RANKS = 13
NUM_CARDS = NUM_SUITS * NUM_RANKS
CLUBS, DIAMONDS, HEARTS, SPADES = range(NUM_SUITS)
JACK, QUEEN, KING, ACE = range(9, 13)
SUIT_LETTERS = "CDHS"
RANK_LETTERS = "23456789TJQKA"

KING_OF_HEARTS: Card = NUM_RANKS * HEARTS + KING
ALL_CARDS: Cards = (1 << NUM_CARDS) - 1
ONE_SUIT: Cards = (1 << NUM_RANKS) - 1

# Look-up tables rather than shifts: shifting a narrow int overflows when kernels run as plain Python.
CARD_BIT = np.array([1 << card for card in range(NUM_CARDS)], dtype=np.int64)
SUIT_OF = np.array([card // NUM_RANKS for card in range(NUM_CARDS)], dtype=np.int64)
RANK_OF = np.array([card % NUM_RANKS for card in range(NUM_CARDS)], dtype=np.int64)
SUIT_BIT = np.array([1 << suit for suit in range(NUM_SUITS)], dtype=np.int64)  # a suit in a set of suits
FIRST_CARD_OF_SUIT = np.array([NUM_RANKS * suit for suit in range(NUM_SUITS)], dtype=np.int64)
CARDS_OF_SUIT = np.array([ONE_SUIT << (NUM_RANKS * suit) for suit in range(NUM_SUITS)], dtype=np.int64)
CARDS_OF_ITS_SUIT = CARDS_OF_SUIT[SUIT_OF]  # all cards of the same suit, itself included
HIGHER_IN_SUIT = np.array(
    [sum(1 << c for c in range(card + 1, NUM_RANKS * (card // NUM_RANKS + 1))) for card in range(NUM_CARDS)],
    dtype=np.int64,
)
LOWER_IN_SUIT = np.array(
    [sum(1 << c for c in range(NUM_RANKS * (card // NUM_RANKS), card)) for card in range(NUM_CARDS)],
    dtype=np.int64,
)


def cards_of_rank(*ranks: int) -> Cards:
    """All four cards of each of these ranks."""
    return sum(1 << (NUM_RANKS * suit + rank) for suit in range(NUM_SUITS) for rank in ranks)


@kernel
def has_card(cards: Cards, card: Card) -> bool:
    return cards & CARD_BIT[card] != 0
