"""Card play in the six negative deals and in down deals: whoever takes, pays.

Each legal card is weighed by two thoughts: what it is likely to cost in this trick, and how glad one would be to be rid
of it. The card for which relief exceeds cost by most is played. So a seat that can duck throws its most dangerous loser,
one that must win as the last plays its highest card, and a lead is a low card of a suit in which others hold higher.
"""

from __future__ import annotations

import numpy as np

from king_env.bots.heuristic.chances import LACK_ALL, STAYS_ON_TOP
from king_env.bots.heuristic.counting import may_hold, num_holders, num_later, num_later_holders
from king_env.engine.cards import (
    CARD_BIT,
    CARDS_OF_SUIT,
    HIGHER_IN_SUIT,
    LOWER_IN_SUIT,
    NUM_SUITS,
    Card,
    Cards,
    Suit,
)
from king_env.engine.contracts import (
    NO_KING_OF_HEARTS,
    NUM_TRICKS,
    PAYING_CARDS,
    TRICK_UNITS,
    UNIT_POINTS,
    Contract,
)
from king_env.engine.kernel import highest_bit, kernel, lowest_bit, popcount
from king_env.engine.play import is_winning
from king_env.engine.state import GameRecord, is_leading, trick_number

# By contract: tricks, hearts, queens, kings and jacks, K♥, last two, (up), down, (undecided).
# How far one lower card of the same suit in hand lowers the danger of a card.
COVER = np.array([0.7, 0.7, 0.7, 0.7, 0.7, 0.7, 0.0, 0.7, 0.0])
# What it costs to be on lead, in points.
LEAD_BURDEN = np.array([2.0, 2.0, 2.0, 2.0, 2.0, 0.0, 0.0, 8.0, 0.0])
# How much dearer than the average of the tricks to come one is that a high card takes.
DEARER = np.array([1.0, 1.5, 1.5, 1.5, 1.5, 1.0, 0.0, 1.0, 0.0])
# The chance that a card above a penalty card that is still out will catch it.
CATCHES = np.array([0.0, 0.0, 0.5, 0.4, 0.5, 0.0, 0.0, 0.0, 0.0])
# A penalty card in hand, once it takes a trick, counts so much of its points.
OWN_PENALTY = np.array([0.0, 1.0, 1.0, 1.0, 0.0, 0.0, 0.0, 0.0, 0.0])

# How much of the cost of the tricks to come one that takes a trick is likely to pay without a card to get off lead with.
STUCK = np.array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5, 0.0, 0.5, 0.0])
# What it is worth to keep the card one would get off lead with, as a share of the same.
KEEP_EXIT = np.array([0.1, 0.1, 0.1, 0.1, 0.1, 0.1, 0.0, 0.1, 0.0])

NOT_YET = -1.0e9


@kernel
def points_of_cards(contract: Contract, cards: Cards) -> float:
    """What these cards cost whoever takes them, as a positive number."""
    return float(-UNIT_POINTS[contract] * popcount(cards & PAYING_CARDS[contract]))


@kernel
def average_cost(view: GameRecord, unseen: Cards) -> float:
    """What one of the tricks to come costs on average, this one included."""
    contract = view["contract"]
    now = trick_number(view)
    to_come = unseen | view["hands"][view["turn"]] | view["trick_cards"]
    units = popcount(to_come & PAYING_CARDS[contract])
    for trick in range(now, NUM_TRICKS):
        units += TRICK_UNITS[contract, trick]
    return float(-UNIT_POINTS[contract] * units) / (NUM_TRICKS - now)


@kernel
def may_hold_king_of_hearts(view: GameRecord, seat: int) -> bool:
    """Who has failed to follow without dropping a forced K♥ does not have it."""
    return view["voids"][seat] == 0


@kernel
def cost_of_dumps(view: GameRecord, suit: Suit, unseen: Cards) -> float:
    """What seats still to play are likely to throw on a trick of this suit because they cannot follow."""
    contract = view["contract"]
    elsewhere = popcount(unseen & PAYING_CARDS[contract] & ~CARDS_OF_SUIT[suit])
    if elsewhere == 0:
        return 0.0
    left = popcount(unseen & CARDS_OF_SUIT[suit])
    holders = num_holders(view, suit)
    has_one = 1.0 - LACK_ALL[1, 3, elsewhere]
    cannot_follow = 0.0
    for place in range(1, num_later(view) + 1):
        seat = (int(view["turn"]) + place) & 3
        if contract == NO_KING_OF_HEARTS and not may_hold_king_of_hearts(view, seat):
            continue
        cannot_follow += LACK_ALL[1, holders, left] if may_hold(view, seat, suit) else 1.0
    return float(-UNIT_POINTS[contract] * has_one * cannot_follow)


@kernel
def cost_of_trick(view: GameRecord, suit: Suit, unseen: Cards) -> float:
    """What this trick costs its winner, but for the cards of the suit led that are still to come."""
    contract = view["contract"]
    own = -UNIT_POINTS[contract] * TRICK_UNITS[contract, trick_number(view)]
    return (
        own + points_of_cards(contract, view["trick_cards"]) + cost_of_dumps(view, suit, unseen) + LEAD_BURDEN[contract]
    )


@kernel
def cost_of_catches(view: GameRecord, card: Card, later: int, holders: int, unseen: Cards) -> float:
    """What seats that follow are likely to throw under this card."""
    contract = view["contract"]
    below = popcount(unseen & LOWER_IN_SUIT[card] & PAYING_CARDS[contract])
    if below == 0 or later == 0:
        return 0.0
    return -UNIT_POINTS[contract] * later * (1.0 - LACK_ALL[1, holders, below])


@kernel
def danger(view: GameRecord, card: Card, covers: int, holders: int, unseen: Cards, average: float) -> float:
    """What a card is likely to cost if it is kept: it may take a trick, the more likely the fewer are under it."""
    contract = view["contract"]
    lower = unseen & LOWER_IN_SUIT[card]
    takes = STAYS_ON_TOP[holders, holders, popcount(lower), popcount(unseen & HIGHER_IN_SUIT[card])]
    cost = DEARER[contract] * average + OWN_PENALTY[contract] * points_of_cards(contract, CARD_BIT[card])
    cost += CATCHES[contract] * points_of_cards(contract, lower)
    return takes * cost * COVER[contract] ** covers


@kernel
def takes_if_led(view: GameRecord, card: Card, holders: int, unseen: Cards) -> float:
    """The chance that a card takes the trick if it is led and everybody ducks who can."""
    return STAYS_ON_TOP[
        holders, holders, popcount(unseen & LOWER_IN_SUIT[card]), popcount(unseen & HIGHER_IN_SUIT[card])
    ]


@kernel
def best_exits(view: GameRecord, unseen: Cards) -> tuple[Card, float, float]:
    """The card that gets its holder off lead most surely, the chance that it fails, and that the next best one fails."""
    exit_card, fails, next_fails = -1, 1.0, 1.0
    hand = view["hands"][view["turn"]]
    for suit in range(NUM_SUITS):
        cards = hand & CARDS_OF_SUIT[suit]
        if cards != 0:
            holders = num_holders(view, suit)
            low = lowest_bit(cards)
            chance = takes_if_led(view, low, holders, unseen)
            if chance < fails or exit_card < 0:
                exit_card, fails, next_fails = low, chance, fails
            elif chance < next_fails:
                next_fails = chance
            cards &= cards - 1
            if cards != 0:
                chance = takes_if_led(view, lowest_bit(cards), holders, unseen)
                next_fails = min(next_fails, chance)
    return exit_card, fails, next_fails


@kernel
def avoiding_card(view: GameRecord, legal: Cards, unseen: Cards) -> Card:
    """The card to play where tricks or cards cost points."""
    contract = view["contract"]
    average = average_cost(view, unseen)
    future = average * (NUM_TRICKS - 1 - trick_number(view))
    exit_card, fails, next_fails = best_exits(view, unseen)
    leading = is_leading(view)
    best, best_score = -1, NOT_YET
    for suit in range(NUM_SUITS):
        cards = legal & CARDS_OF_SUIT[suit]
        if cards == 0:
            continue
        holders = num_holders(view, suit)
        later = num_later_holders(view, suit)
        follows = leading or suit == view["led_suit"]
        trick_cost = cost_of_trick(view, suit, unseen) if follows else 0.0
        uncovered = 0.0
        while cards != 0:
            card = highest_bit(cards)
            cards ^= CARD_BIT[card]
            own_danger = danger(view, card, popcount(cards), holders, unseen, average)
            score = own_danger - uncovered
            uncovered += own_danger * (1.0 / COVER[contract] - 1.0)
            stuck = future
            if card == exit_card:
                score -= KEEP_EXIT[contract] * future * (next_fails - fails)
                stuck *= next_fails
            else:
                stuck *= fails
            if follows and (leading or is_winning(view, card)):
                takes = STAYS_ON_TOP[
                    later, holders, popcount(unseen & LOWER_IN_SUIT[card]), popcount(unseen & HIGHER_IN_SUIT[card])
                ]
                cost = trick_cost + points_of_cards(contract, CARD_BIT[card])
                score -= takes * (
                    cost + cost_of_catches(view, card, later, holders, unseen) + STUCK[contract] * stuck
                )
            if score > best_score:
                best, best_score = card, score
    return best
