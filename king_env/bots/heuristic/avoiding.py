"""Card play in the six negative deals and in down deals: whoever takes, pays.

Each legal card is weighed by a handful of thoughts: what it is likely to cost in this trick and by having to lead to
the next, what it would cost later if it were kept, and what becomes of the hand without it. So a seat that can duck
throws its most dangerous loser, one that must win as the last plays its highest card, and a lead is a low card of a
suit in which others hold higher.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from king_env.bots.heuristic.chances import LACK_ALL, STAYS_ON_TOP
from king_env.bots.heuristic.counting import NUM_OTHERS, may_hold, num_holders, num_later, seat_to_the_left
from king_env.engine.cards import (
    ACE,
    CARD_BIT,
    CARDS_OF_SUIT,
    HIGHER_IN_SUIT,
    KING_OF_HEARTS,
    LOWER_IN_SUIT,
    NUM_SUITS,
    RANK_OF,
    Card,
    Cards,
    Suit,
    has_card,
)
from king_env.engine.contracts import (
    IS_FORCED,
    NO_KING_OF_HEARTS,
    NUM_TRICKS,
    PAYING_CARDS,
    TRICK_UNITS,
    UNIT_POINTS,
    Contract,
)
from king_env.engine.contracts import VOID as VOID_IN_SUIT
from king_env.engine.kernel import highest_bit, kernel, lowest_bit, popcount
from king_env.engine.play import is_winning
from king_env.engine.seats import Seat
from king_env.engine.state import GameRecord, is_leading, trick_number

# How much each thought weighs, by contract. They were fitted, thought by thought and contract by contract, to what
# becomes of each legal card when deals are played out in many likely ways; a negative weight corrects a neighbour.
#           tricks, hearts, queens, kings and jacks, K♥, last two, (up), down
PAY_NOW = np.array([1.00, 1.00, 1.00, 1.00, 1.00, 1.00, 0.0, 1.00])  # the trick and what lies on it, if the card takes
DUMPED = np.array([0.0, 1.23, 1.52, 1.73, 1.42, 0.0, 0.0, 0.0])  # what others may still throw on it
CAUGHT = np.array([0.0, 1.68, 0.96, 1.10, 0.88, 0.0, 0.0, 0.0])  # what others may still play under the card
LEAD_NEXT = np.array([0.64, 0.38, 0.68, 0.43, 1.20, 0.37, 0.0, 0.63])  # having to lead to the next trick
LEAD_ON = np.array([-0.03, -0.10, -0.02, -0.02, -0.08, -0.09, 0.0, -0.03])  # the same, for each trick to come
STUCK_NEXT = np.array([1.49, 0.72, 1.08, 1.17, 1.87, 0.42, 0.0, 0.99])  # having no exit, a card to get off lead with
STUCK_ON = np.array([0.16, 0.02, -0.15, -0.01, 0.19, 0.02, 0.0, 0.0])  # the same, for each trick to come
KEPT_BARE = np.array([1.82, 0.94, 1.38, 1.19, 1.28, 0.53, 0.0, 1.80])  # keeping a bare card that may take
KEPT_COVERED_ONCE = np.array([0.97, 0.63, 0.75, 0.70, 1.07, 0.35, 0.0, 1.18])  # the same, with one card beneath it
KEPT_COVERED = np.array([0.54, 0.31, 0.21, 0.25, 0.79, 0.13, 0.0, 0.69])  # the same, with more
KEPT_LAST = np.array([-1.75, -0.96, -1.46, -0.94, -1.16, -0.58, 0.0, -1.82])  # the same, the fewer of its suit are out
KEPT_PENALTY_BARE = np.array([0.0, 0.05, 0.28, 0.34, 0.61, 0.0, 0.0, 0.0])  # keeping a penalty card that may take, bare
KEPT_PENALTY_COVERED = np.array([0.0, -0.13, 0.35, 0.38, 0.31, 0.0, 0.0, 0.0])  # the same, covered
KEPT_CATCHER = np.array([0.0, -0.01, 0.18, 0.12, -0.08, 0.0, 0.0, 0.0])  # keeping a card above penalty cards
HIGH = np.array([0.49, 0.47, 0.48, 0.50, 0.81, 0.60, 0.0, 0.41])  # keeping a high card at all
PENALTY = np.array([0.0, -0.15, 0.07, 0.01, 0.03, 0.0, 0.0, 0.0])  # keeping a penalty card at all
UNCOVER = np.array([0.44, 0.10, 1.02, 0.64, 0.36, 0.11, 0.0, 0.35])  # playing what covers a card that may take
UNCOVER_PENALTY = np.array([0.0, 0.64, -0.06, 0.14, 0.18, 0.0, 0.0, 0.0])  # playing what covers a penalty card
KEEP_EXIT_NEXT = np.array([-0.45, -0.46, -1.10, -1.35, -1.23, -0.17, 0.0, -0.44])  # spending the best exit
KEEP_EXIT_ON = np.array([0.14, 0.12, 0.41, 0.33, 0.13, 0.07, 0.0, 0.09])  # the same, for each trick to come
VOID = np.array([0.18, 0.23, 0.36, 0.38, 0.36, 0.17, 0.0, 0.23])  # being without a suit from now on
VOID_WITH_KING = np.array([0.0, 0.0, 0.0, 0.0, 0.13, 0.0, 0.0, 0.0])  # the same, with K♥ in hand

NO_CARD: Card = -1
NOT_YET = -1.0e9


class Outlook(NamedTuple):
    """What the seat to act has worked out before it weighs its cards."""

    unseen: Cards
    average: float  # what one of the tricks to come costs on average, this one included
    tricks_left: int  # after this one
    exit_card: Card  # the card that would get its holder off lead most surely
    exit_fails: float  # the chance that it does not
    next_exit_fails: float  # that the next best card does not


class SuitOutlook(NamedTuple):
    """What the seat to act has worked out about one suit."""

    holders: int  # how many of the others may hold it
    later: int  # how many of those still to play to this trick may
    out: int  # how many of its cards are unseen
    dumps: float  # what a trick of this suit is likely to cost by cards of other suits still thrown on it


@kernel
def cost_of_cards(contract: Contract, cards: Cards) -> float:
    """What these cards cost whoever takes them, as a positive number."""
    return float(-UNIT_POINTS[contract] * popcount(cards & PAYING_CARDS[contract]))


@kernel
def cost_of_trick_itself(contract: Contract, trick: int) -> float:
    """What the trick of this number costs, as a positive number, whatever its cards."""
    return float(-UNIT_POINTS[contract] * TRICK_UNITS[contract, trick])


@kernel
def average_cost(view: GameRecord, unseen: Cards) -> float:
    """What one of the tricks to come costs on average, this one included."""
    contract = view["contract"]
    now = trick_number(view)
    cost = cost_of_cards(contract, unseen | view["hands"][view["turn"]] | view["trick_cards"])
    for trick in range(now, NUM_TRICKS):
        cost += cost_of_trick_itself(contract, trick)
    return cost / (NUM_TRICKS - now)


@kernel
def takes(card: Card, later: int, holders: int, unseen: Cards) -> float:
    """The chance that a card stays on top of the trick if everybody ducks who can."""
    lower, higher = popcount(unseen & LOWER_IN_SUIT[card]), popcount(unseen & HIGHER_IN_SUIT[card])
    return float(STAYS_ON_TOP[later, holders, lower, higher])


@kernel
def may_dump(view: GameRecord, seat: Seat) -> bool:
    """Whether a seat may hold a penalty card of another suit: who failed to follow without a forced K♥ has it not."""
    if view["contract"] != NO_KING_OF_HEARTS or view["voids"][seat] == 0:
        return True
    return IS_FORCED[view["king_of_hearts_forced"], VOID_IN_SUIT] == 0


@kernel
def cost_of_dumps(view: GameRecord, suit: Suit, holders: int, unseen: Cards) -> float:
    """What seats still to play are likely to throw on a trick of this suit because they cannot follow."""
    contract = view["contract"]
    elsewhere = popcount(unseen & PAYING_CARDS[contract] & ~CARDS_OF_SUIT[suit])
    cannot_follow = LACK_ALL[1, holders, popcount(unseen & CARDS_OF_SUIT[suit])]
    dumpers = 0.0
    for place in range(1, num_later(view) + 1):
        seat = seat_to_the_left(view, place)
        if may_dump(view, seat):
            dumpers += cannot_follow if may_hold(view, seat, suit) else 1.0
    return float(-UNIT_POINTS[contract] * (1.0 - LACK_ALL[1, NUM_OTHERS, elsewhere]) * dumpers)


@kernel
def cost_of_catches(contract: Contract, card: Card, suit: SuitOutlook, unseen: Cards) -> float:
    """What seats that follow are likely to throw under this card."""
    below = popcount(unseen & LOWER_IN_SUIT[card] & PAYING_CARDS[contract])
    return float(-UNIT_POINTS[contract] * suit.later * (1.0 - LACK_ALL[1, suit.holders, below]))


@kernel
def outlook(view: GameRecord, unseen: Cards) -> Outlook:
    """Look over the hand for the cards that would get it off lead, and over what is still to be paid."""
    hand = view["hands"][view["turn"]]
    exit_card, fails, next_fails = NO_CARD, 1.0, 1.0
    for suit in range(NUM_SUITS):
        cards = hand & CARDS_OF_SUIT[suit]
        if cards == 0:
            continue
        holders = num_holders(view, suit, NUM_OTHERS)
        lowest = lowest_bit(cards)
        chance = takes(lowest, holders, holders, unseen)
        if chance < fails or exit_card == NO_CARD:
            exit_card, fails, next_fails = lowest, chance, fails
        else:
            next_fails = min(next_fails, chance)
        second_lowest = cards ^ CARD_BIT[lowest]
        if second_lowest != 0:
            next_fails = min(next_fails, takes(lowest_bit(second_lowest), holders, holders, unseen))
    average = average_cost(view, unseen)
    return Outlook(unseen, average, NUM_TRICKS - 1 - trick_number(view), exit_card, fails, next_fails)


@kernel
def suit_outlook(view: GameRecord, suit: Suit, unseen: Cards) -> SuitOutlook:
    """Count a suit."""
    holders = num_holders(view, suit, NUM_OTHERS)
    dumps = cost_of_dumps(view, suit, holders, unseen)
    return SuitOutlook(holders, num_holders(view, suit, num_later(view)), popcount(unseen & CARDS_OF_SUIT[suit]), dumps)


@kernel
def may_take(view: GameRecord, card: Card, suit: Suit) -> bool:
    """Whether a card would be on top of the trick as it stands."""
    return is_leading(view) or (suit == view["led_suit"] and is_winning(view, card))


@kernel
def cost_now(view: GameRecord, card: Card, suit: SuitOutlook, look: Outlook) -> float:
    """What the card costs if it takes this trick: the trick, what is thrown on it, and having to lead to the next."""
    contract = view["contract"]
    certain = cost_of_cards(contract, view["trick_cards"] | CARD_BIT[card])
    certain += cost_of_trick_itself(contract, trick_number(view))
    stuck = look.next_exit_fails if card == look.exit_card else look.exit_fails
    cost = PAY_NOW[contract] * certain + DUMPED[contract] * suit.dumps
    cost += CAUGHT[contract] * cost_of_catches(contract, card, suit, look.unseen)
    cost += (LEAD_NEXT[contract] + LEAD_ON[contract] * look.tricks_left) * look.average
    cost += (STUCK_NEXT[contract] + STUCK_ON[contract] * look.tricks_left) * look.average * stuck
    return cost


@kernel
def cost_if_kept(contract: Contract, card: Card, covers: int, suit: SuitOutlook, look: Outlook) -> float:
    """What a card may cost later, the more likely the fewer cards of its suit are beneath it in hand."""
    own = cost_of_cards(contract, CARD_BIT[card])
    cost = KEPT_LAST[contract] * look.average / (1.0 + suit.out)
    if covers == 0:
        cost += KEPT_BARE[contract] * look.average + KEPT_PENALTY_BARE[contract] * own
    else:
        kept = KEPT_COVERED_ONCE[contract] if covers == 1 else KEPT_COVERED[contract]
        cost += kept * look.average + KEPT_PENALTY_COVERED[contract] * own
    cost += KEPT_CATCHER[contract] * cost_of_cards(contract, look.unseen & LOWER_IN_SUIT[card])
    likely = takes(card, suit.holders, suit.holders, look.unseen) * cost
    return likely + HIGH[contract] * look.average * RANK_OF[card] / ACE + PENALTY[contract] * own


@kernel
def cost_of_uncovering(contract: Contract, card: Card, covers: int, suit: SuitOutlook, look: Outlook) -> float:
    """How much more dangerous a card becomes when one of those beneath it is gone."""
    if covers == 0:
        return 0.0
    cost = UNCOVER[contract] * look.average + UNCOVER_PENALTY[contract] * cost_of_cards(contract, CARD_BIT[card])
    return takes(card, suit.holders, suit.holders, look.unseen) * cost / covers


@kernel
def worth_of_exit(contract: Contract, look: Outlook) -> float:
    """What it is worth to keep the card that gets off lead, over the next best one."""
    worth = KEEP_EXIT_NEXT[contract] + KEEP_EXIT_ON[contract] * look.tricks_left
    return worth * look.average * (look.next_exit_fails - look.exit_fails)


@kernel
def worth_of_void(view: GameRecord, look: Outlook) -> float:
    """What it is worth to be without a suit; with K♥ in hand, it falls on somebody else's trick then."""
    contract = view["contract"]
    worth = VOID[contract]
    if contract == NO_KING_OF_HEARTS and has_card(view["hands"][view["turn"]], KING_OF_HEARTS):
        worth += VOID_WITH_KING[contract]
    return worth * look.average


@kernel
def best_of_suit(view: GameRecord, cards: Cards, suit: Suit, look: Outlook) -> tuple[Card, float]:
    """The card among these of one suit that is best played, and how good that is; from the highest down."""
    contract = view["contract"]
    count = suit_outlook(view, suit, look.unseen)
    best, best_score, uncovered = NO_CARD, NOT_YET, 0.0
    rest = cards
    while rest != 0:
        card = highest_bit(rest)
        rest ^= CARD_BIT[card]
        covers = popcount(rest)
        score = cost_if_kept(contract, card, covers, count, look) - uncovered
        uncovered += cost_of_uncovering(contract, card, covers, count, look)
        if may_take(view, card, suit):
            score -= takes(card, count.later, count.holders, look.unseen) * cost_now(view, card, count, look)
        if card == look.exit_card:
            score -= worth_of_exit(contract, look)
        if cards == CARD_BIT[card]:
            score += worth_of_void(view, look)
        if score > best_score:
            best, best_score = card, score
    return best, best_score


@kernel
def avoiding_card(view: GameRecord, legal: Cards, unseen: Cards) -> Card:
    """The card to play where tricks or cards cost points."""
    look = outlook(view, unseen)
    best, best_score = NO_CARD, NOT_YET
    for suit in range(NUM_SUITS):
        cards = legal & CARDS_OF_SUIT[suit]
        if cards != 0:
            card, score = best_of_suit(view, cards, suit, look)
            if score > best_score:
                best, best_score = card, score
    return best
