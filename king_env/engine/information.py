"""The one door to hidden information: what a seat may be handed of a game, and all the deals that it cannot tell apart.

The cards that a view does not show can lie in as many ways as `count_deals_of` says. These are numbered, and
`lay_out_deal` gives the hidden seats the cards of one of them, so a number drawn uniformly is a deal drawn uniformly.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from king_env.engine.cards import (
    ALL_CARDS,
    CARDS_OF_SUIT,
    HIGHER_IN_SUIT,
    KING_OF_HEARTS,
    NUM_SUITS,
    SUIT_BIT,
    SUIT_OF,
    Card,
    Cards,
    has_card,
)
from king_env.engine.contracts import FOLLOWING, FORCED_CARD, IS_FORCED, LEADING, NOT_LED, NUM_TRICKS, VOID
from king_env.engine.kernel import kernel, popcount, scratch_words
from king_env.engine.play import first_leader
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import GameRecord

# Within a kind every card is as possible in a hand as any other: the four suits, and the K♥ by itself.
NUM_KINDS = NUM_SUITS + 1
THE_KING_OF_HEARTS = NUM_SUITS
CARDS_OF_KIND = np.array(
    [*(int(cards) & ~(1 << KING_OF_HEARTS) for cards in CARDS_OF_SUIT), 1 << KING_OF_HEARTS], dtype=np.int64
)

# A view shows one hand at least.
MAX_HIDDEN = NUM_SEATS - 1
HAND_SIZES = NUM_TRICKS + 1  # 0 … 13

# All the deals that a view leaves possible.
DEALS_DTYPE = np.dtype(
    [
        (
            "seats",
            np.int64,
            (MAX_HIDDEN,),
        ),  # whose cards are hidden; where they are fewer than three, the rest get none
        ("places", np.int64, (MAX_HIDDEN,)),  # how many cards each of them holds
        ("kinds", np.int64, (NUM_KINDS,)),  # the hidden cards of each kind
        ("may_hold", np.int64, (MAX_HIDDEN,)),  # the kinds that each of them may hold, a bit a kind
        # In how many ways the cards of this kind and the later ones can be dealt while the first hidden seat has room
        # for so many cards and the second for so many; the third has room for the rest.
        ("ways", np.int64, (NUM_KINDS + 1, HAND_SIZES, HAND_SIZES)),
    ],
    align=True,
)
Deals = Any  # one element of an array of DEALS_DTYPE

# Of so many things, so many: in how many ways they can be chosen.
CHOICES = np.array([[math.comb(n, k) for k in range(HAND_SIZES)] for n in range(HAND_SIZES)], dtype=np.int64)
KIND_BIT = np.array([1 << kind for kind in range(NUM_KINDS)], dtype=np.int64)


@kernel
def hide(game: GameRecord, seat: Seat) -> None:
    """Turn a copy of a game into the view of one seat: the other hands become empty, all else was seen by everybody."""
    for other in range(NUM_SEATS):
        if other != seat:
            game["hands"][other] = 0


# What the play has proved


@kernel
def would_be_forced(view: GameRecord, situation: int, led: Card, card: Card) -> bool:
    """Whether a seat that played this card would have had to play the K♥ instead, had it held it (Rules 2).

    Whoever leads a heart had nothing else, so could have led the K♥; whoever followed could have followed with it if
    hearts were led; and whoever was void could have discarded it.
    """
    if not IS_FORCED[view["king_of_hearts_forced"], situation]:
        return False
    if situation == VOID:
        return True
    suit = SUIT_OF[card] if situation == LEADING else SUIT_OF[led]
    return suit == SUIT_OF[KING_OF_HEARTS]


@kernel
def rule_out_by_play(view: GameRecord, situation: int, led: Card, card: Card) -> Cards:
    """The cards that a seat cannot hold because it played this one."""
    contract = view["contract"]
    ruled_out = 0
    if situation == LEADING and has_card(NOT_LED[contract], card):
        ruled_out |= ALL_CARDS & ~NOT_LED[contract]  # it is led from a hand of nothing else (Rules 2)
    if FORCED_CARD[contract] != 0 and would_be_forced(view, situation, led, card):
        ruled_out |= FORCED_CARD[contract]
    return ruled_out


@kernel
def rule_out_by_tricks(view: GameRecord, ruled_out: np.ndarray) -> None:
    """Go through the tricks of a contract with rules of its own about what may be played, and note what they prove."""
    leader = first_leader(view)
    for first in range(0, int(view["num_plays"]), NUM_SEATS):
        led = int(view["plays"][first])
        best, winner = led, leader
        for turn in range(min(NUM_SEATS, int(view["num_plays"]) - first)):
            seat = (leader + turn) & 3
            card = int(view["plays"][first + turn])
            situation = LEADING
            if turn > 0:
                situation = FOLLOWING if SUIT_OF[card] == SUIT_OF[led] else VOID
                if has_card(HIGHER_IN_SUIT[best], card):  # such contracts have no trump
                    best, winner = card, seat
            ruled_out[seat] |= rule_out_by_play(view, situation, led, card)
        leader = winner


@kernel
def cards_ruled_out(view: GameRecord, ruled_out: np.ndarray) -> None:
    """What each seat is proved not to hold (int64[4], sets of cards): suits it is void in, and what follows from rules.

    Nothing else is proved: any deal without these cards could have been played as this one was.
    """
    for seat in range(NUM_SEATS):
        ruled_out[seat] = 0
        for suit in range(NUM_SUITS):
            if view["voids"][seat] & SUIT_BIT[suit] != 0:
                ruled_out[seat] |= CARDS_OF_SUIT[suit]
    if NOT_LED[view["contract"]] != 0 or FORCED_CARD[view["contract"]] != 0:
        rule_out_by_tricks(view, ruled_out)


# How the hidden cards may lie


@kernel
def places_to_fill(view: GameRecord, seat: Seat) -> int:
    """How many cards a seat holds that the view does not show."""
    return NUM_TRICKS - popcount(view["played"][seat]) - popcount(view["hands"][seat])


@kernel
def hidden_cards(view: GameRecord) -> Cards:
    """All cards that the view shows neither in a hand nor as played."""
    shown = 0
    for seat in range(NUM_SEATS):
        shown |= view["hands"][seat] | view["played"][seat]
    return ALL_CARDS & ~shown


@kernel
def kinds_allowed(ruled_out: Cards) -> int:
    """The kinds of cards that a seat may hold, a bit a kind."""
    allowed = 0
    for kind in range(NUM_KINDS):
        if CARDS_OF_KIND[kind] & ruled_out == 0:
            allowed |= KIND_BIT[kind]
    return allowed


@kernel
def note_hidden(view: GameRecord, deals: Deals) -> None:
    """Write down whose cards are hidden, how many and which they are, and what each seat may hold of them."""
    ruled_out = scratch_words(NUM_SEATS)
    cards_ruled_out(view, ruled_out)
    found = 0
    for seat in range(NUM_SEATS):
        if places_to_fill(view, seat) > 0 and found < MAX_HIDDEN:
            deals["seats"][found] = seat
            deals["places"][found] = places_to_fill(view, seat)
            deals["may_hold"][found] = kinds_allowed(ruled_out[seat])
            found += 1
    for missing in range(found, MAX_HIDDEN):
        deals["seats"][missing] = 0
        deals["places"][missing] = 0
        deals["may_hold"][missing] = 0
    for kind in range(NUM_KINDS):
        deals["kinds"][kind] = hidden_cards(view) & CARDS_OF_KIND[kind]


@kernel
def most_taken(deals: Deals, hidden: int, kind: int, places: int) -> int:
    """How many cards of a kind a hidden seat with so many places can take at most."""
    return places if deals["may_hold"][hidden] & KIND_BIT[kind] != 0 else 0


@kernel
def ways_to_split(deals: Deals, kind: int, first: int, second: int, to_first: int, to_second: int) -> int:
    """In how many ways this kind and the later ones can be dealt if so many of this kind go to the first two seats.

    first, second: the places they have.
    """
    size = popcount(deals["kinds"][kind])
    to_two = CHOICES[size, to_first] * CHOICES[size - to_first, to_second]
    return int(to_two * deals["ways"][kind + 1, first - to_first, second - to_second])


@kernel
def fewest_to_second(deals: Deals, kind: int, rest: int, third: int) -> int:
    """How many of the rest of a kind the second hidden seat must take because the third has no place for them."""
    return max(0, rest - most_taken(deals, 2, kind, third))


@kernel
def count_from(deals: Deals, kind: int, first: int, second: int, third: int) -> int:
    """In how many ways the cards of this kind and the later ones can be dealt to seats with so many places."""
    size = popcount(deals["kinds"][kind])
    total = 0
    for to_first in range(min(size, most_taken(deals, 0, kind, first)) + 1):
        rest = size - to_first
        for to_second in range(
            fewest_to_second(deals, kind, rest, third), min(rest, most_taken(deals, 1, kind, second)) + 1
        ):
            total += ways_to_split(deals, kind, first, second, to_first, to_second)
    return total


@kernel
def count_deals_of(view: GameRecord, deals: Deals) -> int:
    """Find all deals that a view (of one seat, the other three hidden) leaves possible, and say how many they are.

    At most 39! / (13!)³, which a word holds.
    """
    note_hidden(view, deals)
    for kind in range(NUM_KINDS + 1):
        for first in range(HAND_SIZES):
            for second in range(HAND_SIZES):
                deals["ways"][kind, first, second] = 0
    deals["ways"][NUM_KINDS, 0, 0] = 1
    left = 0
    for kind in range(NUM_KINDS - 1, -1, -1):
        left += popcount(deals["kinds"][kind])
        for first in range(min(deals["places"][0], left) + 1):
            for second in range(min(deals["places"][1], left - first) + 1):
                third = left - first - second
                if third <= deals["places"][2]:
                    deals["ways"][kind, first, second] = count_from(deals, kind, first, second, third)
    return num_deals(deals)


@kernel
def num_deals(deals: Deals) -> int:
    """How many there are, once they have been counted."""
    return int(deals["ways"][0, deals["places"][0], deals["places"][1]])


@kernel
def nth_subset(cards: Cards, size: int, number: int) -> Cards:
    """Subset `number` of all that have so many of these cards."""
    chosen, left = 0, popcount(cards)
    while size > 0:
        left -= 1
        with_lowest = CHOICES[left, size - 1]
        if number < with_lowest:
            chosen |= cards & -cards
            size -= 1
        else:
            number -= with_lowest
        cards &= cards - 1
    return chosen


@kernel
def lay_out_deal(deals: Deals, number: int, game: GameRecord) -> None:
    """Give the hidden seats of a game, a copy of the view, their cards in deal `number`: 0 … num_deals − 1."""
    first, second, third = deals["places"][0], deals["places"][1], deals["places"][2]
    for kind in range(NUM_KINDS):
        cards = deals["kinds"][kind]
        size = popcount(cards)
        to_first, to_second, number = nth_split(deals, kind, first, second, third, number)
        later = deals["ways"][kind + 1, first - to_first, second - to_second]
        split, number = number // later, number % later
        rest_splits = CHOICES[size - to_first, to_second]
        of_first = nth_subset(cards, to_first, split // rest_splits)
        of_second = nth_subset(cards ^ of_first, to_second, split % rest_splits)
        game["hands"][deals["seats"][0]] |= of_first
        game["hands"][deals["seats"][1]] |= of_second
        game["hands"][deals["seats"][2]] |= cards ^ of_first ^ of_second
        first -= to_first
        second -= to_second
        third -= size - to_first - to_second


@kernel
def nth_split(deals: Deals, kind: int, first: int, second: int, third: int, number: int) -> tuple[int, int, int]:
    """How many cards of a kind the first two hidden seats get in a deal, and its number among those with as many."""
    size = popcount(deals["kinds"][kind])
    for to_first in range(min(size, most_taken(deals, 0, kind, first)) + 1):
        rest = size - to_first
        for to_second in range(
            fewest_to_second(deals, kind, rest, third), min(rest, most_taken(deals, 1, kind, second)) + 1
        ):
            ways = ways_to_split(deals, kind, first, second, to_first, to_second)
            if number < ways:
                return to_first, to_second, number
            number -= ways
    return 0, 0, 0  # not reached
