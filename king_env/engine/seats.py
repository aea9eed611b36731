"""The four seats round the table; play goes to the left, and seat + 1 is the left neighbour (Rules 5)."""

from __future__ import annotations

import numpy as np

from king_env.engine.kernel import kernel

Seat = int

NUM_SEATS = 4
SEAT_BIT = np.array([1 << seat for seat in range(NUM_SEATS)], dtype=np.int64)
ALL_SEATS = (1 << NUM_SEATS) - 1


@kernel
def left_of(seat: Seat) -> Seat:
    return (int(seat) + 1) & 3


@kernel
def steps_left(of: Seat, to: Seat) -> int:
    """How many places to the left of seat `of` seat `to` sits: 0 … 3."""
    return (int(to) - int(of)) & 3
