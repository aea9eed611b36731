"""Who sits where: the seatings in which the same deals are played, so that luck of the cards cancels.

Bots that are alike are one kind. Two kinds A, B, B, B have four distinct seatings; four kinds have 24, or four
balanced ones.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import permutations

from king_env.engine.seats import NUM_SEATS

Kind = int  # an index into the bots that differ
Seating = tuple[Kind, ...]  # the kind in each of the four seats

SEATING_CHOICES = ("all", "balanced")

# Each of four bots sits once in each seat, and has each of the others as its left neighbour at least once.
BALANCED_SQUARE = ((0, 1, 2, 3), (1, 3, 0, 2), (2, 0, 3, 1), (3, 2, 1, 0))


def distinct_seatings(kinds: Sequence[Kind], choice: str = "all") -> list[Seating]:
    """All distinct seatings of four bots of these kinds, or the balanced four (fewer if those are the same)."""
    bots = tuple(sorted(kinds))
    if choice == "all":
        return sorted(set(permutations(bots)))
    seatings = [tuple(bots[place] for place in row) for row in BALANCED_SQUARE]
    return list(dict.fromkeys(seatings))


def check_four(bots: Sequence[object]) -> None:
    """Refuse anything but a bot for each seat."""
    if isinstance(bots, str) or len(bots) != NUM_SEATS:
        given = repr(bots) if isinstance(bots, str) else len(bots)
        raise ValueError(f"bots: a match is between four bots, one a seat, not {given}")
