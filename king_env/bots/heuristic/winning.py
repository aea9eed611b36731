"""Card play in up deals: whoever takes, gains.

Every trick is worth the same, so each card is weighed by what it is likely to take now, and what it makes of its suit
if it is led, against what it would take later.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from king_env.bots.heuristic.chances import ALL_FOLLOW, LACK_ALL
from king_env.bots.heuristic.counting import NUM_OTHERS, may_hold, num_later, seat_to_the_left
from king_env.engine.cards import (
    ACE,
    CARD_BIT,
    CARDS_OF_SUIT,
    HIGHER_IN_SUIT,
    NUM_RANKS,
    NUM_SUITS,
    QUEEN,
    RANK_OF,
    SUIT_OF,
    Card,
    Cards,
    Suit,
)
from king_env.engine.contracts import NO_TRUMP
from king_env.engine.kernel import highest_bit, kernel, popcount
from king_env.engine.play import is_winning
from king_env.engine.state import GameRecord, is_leading

# How much each thought weighs, with a trump suit and without one, in tricks. They were fitted like those of `avoiding`.
#           with, without
LOW = np.array([0.45, 0.57])  # a high rank, where nothing else tells two cards apart
TAKE = np.array([1.00, 1.00])  # taking this trick
KEEP_TRUMP = np.array([0.13, 0.0])  # keeping a trump
KEEP_SURE_TRUMP = np.array([0.0, 0.0])  # when the others have none left
KEEP_TRUMP_MASTER = np.array([0.25, 0.0])  # when it is the highest out
KEEP_TRUMP_GUARDED = np.array([0.29, 0.0])  # when it is the second highest, and guarded
KEEP_LAST_TRUMP = np.array([0.0, 0.0])  # when it is one's last
KEEP_MASTER = np.array([0.10, 0.24])  # keeping the highest card of a side suit
KEEP_MASTER_SAFE = np.array([0.36, 0.24])  # the same, as far as nobody ruffs it
KEEP_SECOND = np.array([0.19, 0.11])  # keeping the second highest, guarded
KEEP_SECOND_SAFE = np.array([0.24, 0.11])  # the same, as far as nobody ruffs it
KEEP_THIRD = np.array([0.07, 0.04])  # keeping the third highest, guarded twice
KEEP_THIRD_SAFE = np.array([0.15, 0.04])  # the same, as far as nobody ruffs it
KEEP_UNGUARDED = np.array([0.05, 0.03])  # keeping an honour that will fall
KEEP_LONG = np.array([0.0, -0.29])  # keeping a card of a suit that the others run out of
UNGUARD = np.array([0.12, 0.10])  # playing an honour's last guard
DRAW = np.array([-0.22, 0.0])  # leading trumps
DRAW_LONG = np.array([0.36, 0.0])  # the same, for four more of one's own than are out
DRAW_NONE = np.array([1.27, 0.0])  # leading a trump when nobody else has any
LEAD_LONG = np.array([0.35, -0.25])  # leading from four cards, to make the rest good
LEAD_SINGLETON = np.array([-1.64, -0.71])  # leading a singleton
LEAD_SEQUENCE = np.array([0.18, 0.42])  # leading the top of two neighbours
LEAD_UNDER_MASTER = np.array([-0.83, -0.73])  # leading low from the highest card
LEAD_FROM_HONOUR = np.array([0.34, 0.37])  # leading low from an honour that can be beaten
VOID_TO_RUFF = np.array([0.19, 0.0])  # throwing the last card of a side suit

NO_CARD: Card = -1
NOT_YET = -1.0e9
LONG = 4  # cards of a suit


class Trumps(NamedTuple):
    """What the seat to act has counted of the trump suit; with no trump there are none."""

    own: int
    out: int


class Holding(NamedTuple):
    """How a card stands in its suit."""

    higher: int  # unseen cards of its suit that beat it
    guards: int  # own cards beneath it
    length: int  # own cards of its suit
    out: int  # unseen cards of its suit


@kernel
def kind_of_deal(view: GameRecord) -> int:
    """0 with a trump suit, 1 without."""
    return 1 if view["trump"] == NO_TRUMP else 0


@kernel
def count_trumps(view: GameRecord, unseen: Cards) -> Trumps:
    if view["trump"] == NO_TRUMP:
        return Trumps(0, 0)
    trumps = CARDS_OF_SUIT[view["trump"]]
    return Trumps(popcount(view["hands"][view["turn"]] & trumps), popcount(unseen & trumps))


@kernel
def chance_of_ruff(view: GameRecord, seat: int, led: Suit, trumps: int, cannot_follow: float) -> float:
    """The chance that a seat cannot follow and holds one of these trumps."""
    if view["trump"] == NO_TRUMP or led == view["trump"] or not may_hold(view, seat, view["trump"]):
        return 0.0
    return (cannot_follow if may_hold(view, seat, led) else 1.0) * (1.0 - LACK_ALL[1, NUM_OTHERS, trumps])


@kernel
def takes(view: GameRecord, card: Card, unseen: Cards) -> float:
    """The chance that nobody still to play beats this card, which is on top so far."""
    suit = SUIT_OF[card]
    led = suit if is_leading(view) else view["led_suit"]
    higher = popcount(unseen & HIGHER_IN_SUIT[card])
    beating_trumps = higher if suit == view["trump"] else count_trumps(view, unseen).out
    cannot_follow = LACK_ALL[1, NUM_OTHERS, popcount(unseen & CARDS_OF_SUIT[led])]
    chance = 1.0
    for places in range(1, num_later(view) + 1):
        seat = seat_to_the_left(view, places)
        if suit == led and may_hold(view, seat, suit):
            chance *= LACK_ALL[1, NUM_OTHERS, higher]
        chance *= 1.0 - chance_of_ruff(view, seat, led, beating_trumps, cannot_follow)
    return chance


@kernel
def worth_of_trump(kind: int, card: Holding, trumps: Trumps) -> float:
    """What a trump takes later: high ones by rank, and any by ruffing or when the others have none left."""
    worth = KEEP_TRUMP[kind]
    if trumps.out == 0:
        worth += KEEP_SURE_TRUMP[kind]
    elif card.higher == 0:
        worth += KEEP_TRUMP_MASTER[kind]
    elif card.higher == 1 and card.guards >= 1:
        worth += KEEP_TRUMP_GUARDED[kind]
    if trumps.own == 1:
        worth += KEEP_LAST_TRUMP[kind]
    return worth


@kernel
def worth_of_honour(kind: int, card: Holding, trumps: Trumps) -> float:
    """What a card of a side suit takes later: masters, and guarded honours, unless they are ruffed."""
    safe = ALL_FOLLOW[card.out, min(card.higher + 1, NUM_RANKS)] if trumps.out else 1.0
    if card.higher == 0:
        return KEEP_MASTER[kind] + KEEP_MASTER_SAFE[kind] * safe
    if card.higher == 1 and card.guards >= 1:
        return KEEP_SECOND[kind] + KEEP_SECOND_SAFE[kind] * safe
    if card.higher == 2 and card.guards >= 2:
        return KEEP_THIRD[kind] + KEEP_THIRD_SAFE[kind] * safe
    return KEEP_UNGUARDED[kind] if card.higher <= 2 else 0.0


@kernel
def worth_of_length(kind: int, card: Holding, trumps: Trumps) -> float:
    """What a small card takes later because the others will have run out of its suit."""
    return KEEP_LONG[kind] * max(0, card.length - (card.out + 2) // NUM_OTHERS) if trumps.out == 0 else 0.0


@kernel
def worth_of_drawing(kind: int, trumps: Trumps) -> float:
    """What leading a trump does: the longer one's own trumps against those out, the more; none are out, nothing."""
    if trumps.out == 0:
        return -DRAW_NONE[kind]
    return DRAW[kind] + DRAW_LONG[kind] * (trumps.own - trumps.out) / LONG


@kernel
def worth_of_leading_low(
    kind: int, view: GameRecord, lead: Card, card: Holding, trumps: Trumps, unseen: Cards
) -> float:
    """What leading a side card that can be beaten does for the rest of its suit."""
    held = view["hands"][view["turn"]] & CARDS_OF_SUIT[SUIT_OF[lead]]
    worth = LEAD_LONG[kind] * card.length / LONG
    if card.length == 1:
        return worth + LEAD_SINGLETON[kind]
    if card.guards > 0 and held & CARD_BIT[lead - 1] != 0:
        worth += LEAD_SEQUENCE[kind]
    top = highest_bit(held)
    if top != lead:
        if popcount(unseen & HIGHER_IN_SUIT[top]) == 0:
            worth += LEAD_UNDER_MASTER[kind]
        elif RANK_OF[top] >= QUEEN:
            worth += LEAD_FROM_HONOUR[kind]
    return worth


@kernel
def score_of_card(view: GameRecord, played: Card, card: Holding, trumps: Trumps, unseen: Cards) -> float:
    """What a card takes now, and makes of its suit if it is led, less what it would take later."""
    kind = kind_of_deal(view)
    leading = is_leading(view)
    is_trump = SUIT_OF[played] == view["trump"]
    score = -LOW[kind] * RANK_OF[played] / ACE - worth_of_length(kind, card, trumps)
    score -= worth_of_trump(kind, card, trumps) if is_trump else worth_of_honour(kind, card, trumps)
    if leading or is_winning(view, played):
        score += TAKE[kind] * takes(view, played, unseen)
    if leading:
        if is_trump:
            score += worth_of_drawing(kind, trumps)
        elif card.higher > 0:
            score += worth_of_leading_low(kind, view, played, card, trumps, unseen)
    elif card.length == 1 and trumps.own > 0 and not is_trump:
        score += VOID_TO_RUFF[kind]
    return score


@kernel
def needs_all_guards(card: Holding) -> bool:
    """Whether an honour is worth less if one of the cards beneath it goes."""
    return card.guards == card.higher and 1 <= card.higher <= 2


@kernel
def winning_card(view: GameRecord, legal: Cards, unseen: Cards) -> Card:
    """The card to play where tricks are worth points; each suit from its highest card down."""
    trumps = count_trumps(view, unseen)
    best, best_score = NO_CARD, NOT_YET
    for suit in range(NUM_SUITS):
        rest = legal & CARDS_OF_SUIT[suit]
        length, out = popcount(rest), popcount(unseen & CARDS_OF_SUIT[suit])
        guarding = 0.0
        while rest != 0:
            card = highest_bit(rest)
            rest ^= CARD_BIT[card]
            holding = Holding(popcount(unseen & HIGHER_IN_SUIT[card]), popcount(rest), length, out)
            score = score_of_card(view, card, holding, trumps, unseen) - guarding * UNGUARD[kind_of_deal(view)]
            if needs_all_guards(holding):
                guarding = 1.0
            if score > best_score:
                best, best_score = card, score
    return best
