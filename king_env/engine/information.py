"""The one door to hidden information: what a seat may be handed of a game."""

from __future__ import annotations

from king_env.engine.kernel import kernel
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import GameRecord


@kernel
def hide(game: GameRecord, seat: Seat) -> None:
    """Turn a copy of a game into the view of one seat: the other hands become empty, all else was seen by everybody."""
    for other in range(NUM_SEATS):
        if other != seat:
            game["hands"][other] = 0
