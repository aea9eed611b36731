"""What a seat can count: who is still to play, and who may hold a suit."""

from __future__ import annotations

from king_env.engine.cards import SUIT_BIT, Suit
from king_env.engine.kernel import kernel
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import GameRecord

NUM_OTHERS = NUM_SEATS - 1


@kernel
def seat_to_the_left(view: GameRecord, places: int) -> Seat:
    """The seat so many places to the left of the one to act."""
    return (int(view["turn"]) + places) % NUM_SEATS


@kernel
def num_later(view: GameRecord) -> int:
    """How many seats play to this trick after the one to act."""
    return NUM_OTHERS - int(view["num_plays"]) % NUM_SEATS


@kernel
def may_hold(view: GameRecord, seat: Seat, suit: Suit) -> bool:
    """Whether a seat has not yet shown that it is out of this suit."""
    return view["voids"][seat] & SUIT_BIT[suit] == 0


@kernel
def num_holders(view: GameRecord, suit: Suit, seats: int) -> int:
    """How many of the next so many seats to the left may still hold this suit."""
    holders = 0
    for places in range(1, seats + 1):
        holders += may_hold(view, seat_to_the_left(view, places), suit)
    return holders
