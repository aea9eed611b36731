"""What each contract pays and forbids, as tables: no scoring rule is a branch (Rules 2 and 3)."""

from __future__ import annotations

import numpy as np

from king_env.engine.cards import (
    CARDS_OF_SUIT,
    HEARTS,
    JACK,
    KING,
    KING_OF_HEARTS,
    NUM_CARDS,
    NUM_SUITS,
    QUEEN,
    Cards,
    cards_of_rank,
)

Contract = int

NUM_TRICKS = 13
NUM_NEGATIVES = 6
NUM_POSITIVES = 4
NUM_DEALS = NUM_NEGATIVES + NUM_POSITIVES

NO_TRICKS, NO_HEARTS, NO_QUEENS, NO_KINGS_JACKS, NO_KING_OF_HEARTS, NO_LAST_TWO, UP, DOWN, UNDECIDED = range(9)
NUM_CONTRACTS = 9
NEGATIVE_NAMES = ("no_tricks", "no_hearts", "no_queens", "no_kings_jacks", "no_king_of_hearts", "no_last_two")
CONTRACT_BIT = np.array([1 << contract for contract in range(NUM_CONTRACTS)], dtype=np.int64)  # in a set of contracts
POSITIVE = "positive"  # the kind of deal in which the contract is still to be chosen
CONTRACT_NAMES = (*NEGATIVE_NAMES, "up", "down", POSITIVE)

NO_TRUMP = NUM_SUITS  # a trump that no card has: an up deal without trump, and every other contract
TRUMP_CARDS = np.array([*CARDS_OF_SUIT, 0], dtype=np.int64)

UP_POINTS = 25  # what a trick up is worth, and so a bid of one
NULLS_POINTS = 75  # what a trick costs when playing down, and so a bid of one null
DOWN_START = 325  # what everybody starts a down deal with
SKIP_OWNER_POINTS, SKIP_OTHER_POINTS = 100, 75  # 4-3-3-3

# Points of the trick itself, by its number in the deal.
TRICK_POINTS = np.zeros((NUM_CONTRACTS, NUM_TRICKS), dtype=np.int64)
TRICK_POINTS[NO_TRICKS] = -20
TRICK_POINTS[NO_LAST_TWO, -2:] = -90
TRICK_POINTS[UP] = UP_POINTS
TRICK_POINTS[DOWN] = -NULLS_POINTS

_CARD_PAYS: dict[Contract, tuple[int, Cards]] = {
    NO_HEARTS: (-20, int(CARDS_OF_SUIT[HEARTS])),
    NO_QUEENS: (-50, cards_of_rank(QUEEN)),
    NO_KINGS_JACKS: (-30, cards_of_rank(KING, JACK)),
    NO_KING_OF_HEARTS: (-160, 1 << KING_OF_HEARTS),
}

# Points of a card for whoever takes it, and the set of cards that pay at all.
CARD_POINTS = np.zeros((NUM_CONTRACTS, NUM_CARDS), dtype=np.int64)
PAYING_CARDS = np.zeros(NUM_CONTRACTS, dtype=np.int64)
for _contract, (_points, _cards) in _CARD_PAYS.items():
    PAYING_CARDS[_contract] = _cards
    CARD_POINTS[_contract, [card for card in range(NUM_CARDS) if _cards >> card & 1]] = _points

# What a seat scores before the first trick.
START_POINTS = np.zeros(NUM_CONTRACTS, dtype=np.int64)
START_POINTS[DOWN] = DOWN_START

# What the four scores of a deal add up to.
TOTAL_POINTS = 4 * START_POINTS + TRICK_POINTS.sum(axis=1) + CARD_POINTS.sum(axis=1)

# A unit is what a contract counts: a trick, or one of its paying cards.
UNIT_POINTS = np.array([-20, -20, -50, -30, -160, -90, UP_POINTS, -NULLS_POINTS, 1], dtype=np.int64)
TRICK_UNITS = TRICK_POINTS // UNIT_POINTS[:, None]

# The cards that may not be led while holding any other.
NOT_LED = np.zeros(NUM_CONTRACTS, dtype=np.int64)
NOT_LED[[NO_HEARTS, NO_KING_OF_HEARTS]] = CARDS_OF_SUIT[HEARTS]

# The card that must be played when it may be; which of these situations force it is an option of the rule set.
FORCED_CARD = np.zeros(NUM_CONTRACTS, dtype=np.int64)
FORCED_CARD[NO_KING_OF_HEARTS] = 1 << KING_OF_HEARTS
LEADING, FOLLOWING, VOID = range(3)
FORCED_NAMES = ("always", "following", "when_void", "never")
IS_FORCED = np.array([[1, 1, 1], [0, 1, 1], [0, 0, 1], [0, 0, 0]], dtype=np.uint8)  # option × situation
