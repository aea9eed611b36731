"""What a seat can count: the cards still out, and who may hold them."""

from __future__ import annotations

from king_env.engine.cards import ALL_CARDS, SUIT_BIT, Cards, Suit
from king_env.engine.kernel import kernel
from king_env.engine.seats import NUM_SEATS
from king_env.engine.state import GameRecord


@kernel
def unseen_cards(view: GameRecord) -> Cards:
    """The cards neither in hand nor played: the three others hold them."""
    played = view["played"]
    gone = played[0] | played[1] | played[2] | played[3]
    return int(ALL_CARDS & ~(view["hands"][view["turn"]] | gone))


@kernel
def num_later(view: GameRecord) -> int:
    """How many seats play to this trick after the one to act."""
    return 3 - (int(view["num_plays"]) & 3)


@kernel
def may_hold(view: GameRecord, seat: int, suit: Suit) -> bool:
    return view["voids"][seat] & SUIT_BIT[suit] == 0


@kernel
def num_holders(view: GameRecord, suit: Suit) -> int:
    """How many of the others may still hold this suit."""
    holders = 0
    for place in range(1, NUM_SEATS):
        holders += may_hold(view, (int(view["turn"]) + place) & 3, suit)
    return holders


@kernel
def num_later_holders(view: GameRecord, suit: Suit) -> int:
    """How many of those still to play to this trick may hold this suit."""
    holders = 0
    for place in range(1, num_later(view) + 1):
        holders += may_hold(view, (int(view["turn"]) + place) & 3, suit)
    return holders
