"""How unseen cards are likely to lie: tables that card players carry in their heads.

Each unseen card of a suit is taken to be with each of the `n` seats that may hold the suit equally often, whatever the
others do. That is not quite how cards are dealt, but close, and simple enough to look up.
"""

from __future__ import annotations

from math import comb

import numpy as np

from king_env.bots.heuristic.counting import NUM_OTHERS
from king_env.engine.cards import NUM_RANKS
from king_env.engine.seats import NUM_SEATS


def _lacks_all(holders: int, some: int, cards: int) -> float:
    """The chance that `some` named seats among `holders` have none of so many cards."""
    return ((holders - some) / holders) ** cards


def _nobody_forced_above(later: int, holders: int, lower: int, higher: int) -> float:
    """The chance that no seat of `later` has a higher card but no lower one: by inclusion and exclusion."""
    chance = 0.0
    for forced in range(later + 1):
        no_lower = _lacks_all(holders, forced, lower)
        each_has_higher = sum((-1) ** i * comb(forced, i) * _lacks_all(holders, i, higher) for i in range(forced + 1))
        chance += (-1) ** forced * comb(later, forced) * no_lower * each_has_higher
    return chance


def _stays_on_top_of_duckers() -> np.ndarray:
    table = np.ones((NUM_SEATS, NUM_SEATS, NUM_RANKS, NUM_RANKS))
    for holders in range(1, NUM_SEATS):
        for later in range(holders + 1):
            for lower in range(NUM_RANKS):
                for higher in range(NUM_RANKS):
                    table[later, holders, lower, higher] = _nobody_forced_above(later, holders, lower, higher)
    return table


def _lacks_suit() -> np.ndarray:
    table = np.ones((NUM_SEATS, NUM_SEATS, NUM_RANKS + 1))
    for holders in range(1, NUM_SEATS):
        for some in range(holders + 1):
            for cards in range(NUM_RANKS + 1):
                table[some, holders, cards] = _lacks_all(holders, some, cards)
    return table


def _all_follow() -> np.ndarray:
    """By cards unseen and rounds: each of three seats has at least so many of the cards."""
    table = np.zeros((NUM_RANKS + 1, NUM_RANKS + 1))
    for cards in range(NUM_RANKS + 1):
        for rounds in range(NUM_RANKS + 1):
            for first in range(rounds, cards + 1):
                for second in range(rounds, cards - first - rounds + 1):
                    ways = comb(cards, first) * comb(cards - first, second)
                    table[cards, rounds] += ways / NUM_OTHERS**cards
    return table


# [later, holders, lower, higher]: seats that duck when they can leave a card on top.
STAYS_ON_TOP = _stays_on_top_of_duckers()
# [some, holders, cards]: none of `some` seats has any of the cards.
LACK_ALL = _lacks_suit()
# [cards, rounds]: three others all follow to so many rounds.
ALL_FOLLOW = _all_follow()
