"""The whole picture of one game as it stands."""

from __future__ import annotations

from king_env.engine.seats import Seat
from king_env.engine.state import GameRecord
from king_env.picture.canvas import Picture, background, finished
from king_env.picture.panel import draw_panel
from king_env.picture.table import draw_hands_and_trick


def draw_table(record: GameRecord, viewer: Seat | None = None) -> Picture:
    """One game (an element of an array of records) as uint8[800, 1200, 3].

    With a viewer it shows only what that seat may know, and that seat sits below; without, all hands, seat 0 below.
    The left neighbour sits at the left, so play goes round clockwise.
    """
    image = background().copy()
    draw_hands_and_trick(image, record, viewer)
    draw_panel(image, record)
    return finished(image)
