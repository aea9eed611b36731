"""What the cards look like wherever they are drawn, in pictures and in pages: colours, and suits as shapes."""

from __future__ import annotations

from king_env.engine.cards import CLUBS, DIAMONDS, HEARTS, SPADES, Suit

Colour = tuple[int, int, int]  # red, green, blue
Point = tuple[float, float]

# The four colours that keep suits apart: C D H S.
SUIT_COLOURS: tuple[Colour, ...] = ((21, 110, 54), (214, 104, 0), (200, 16, 46), (24, 28, 46))
PAPER: Colour = (253, 252, 247)
EDGE: Colour = (120, 120, 112)
BACK: Colour = (38, 62, 122)
BACK_LINES: Colour = (128, 152, 212)
SHADE = 0.58  # how bright a card is that may not be played

# The outline of a suit in a square of side 1: from a point along Bézier curves, each two handles and an end. The left
# half of it, from the middle of the top to the middle of the bottom; the right half is its mirror image.
HALF_OUTLINES: dict[Suit, tuple[Point, tuple[tuple[Point, Point, Point], ...]]] = {
    HEARTS: (
        (0.5, 0.26),
        (
            ((0.46, 0.12), (0.38, 0.05), (0.27, 0.05)),
            ((0.13, 0.05), (0.04, 0.16), (0.04, 0.31)),
            ((0.04, 0.56), (0.38, 0.75), (0.5, 0.97)),
        ),
    ),
    DIAMONDS: ((0.5, 0.02), (((0.4, 0.2), (0.27, 0.38), (0.13, 0.5)), ((0.27, 0.62), (0.4, 0.8), (0.5, 0.98)))),
    SPADES: (
        (0.5, 0.03),
        (
            ((0.38, 0.25), (0.05, 0.42), (0.05, 0.63)),
            ((0.05, 0.76), (0.14, 0.84), (0.26, 0.84)),
            ((0.36, 0.84), (0.43, 0.79), (0.47, 0.72)),
            ((0.47, 0.85), (0.42, 0.92), (0.33, 0.97)),
            ((0.4, 0.97), (0.45, 0.97), (0.5, 0.97)),
        ),
    ),
    CLUBS: (
        (0.5, 0.04),
        (
            ((0.38, 0.04), (0.28, 0.13), (0.28, 0.25)),
            ((0.28, 0.33), (0.32, 0.38), (0.37, 0.43)),
            ((0.33, 0.4), (0.29, 0.39), (0.25, 0.39)),
            ((0.13, 0.39), (0.03, 0.49), (0.03, 0.61)),
            ((0.03, 0.74), (0.13, 0.83), (0.25, 0.83)),
            ((0.36, 0.83), (0.43, 0.77), (0.47, 0.69)),
            ((0.47, 0.84), (0.42, 0.92), (0.33, 0.97)),
            ((0.4, 0.97), (0.45, 0.97), (0.5, 0.97)),
        ),
    ),
}

# Where the signs of a number card stand, in a field of 1 × 1.
_LEFT, _MIDDLE, _RIGHT = 0.0, 0.5, 1.0
_BOTH = (_LEFT, _RIGHT)
_THIRDS = (0.0, 1 / 3, 2 / 3, 1.0)
SIGNS: dict[str, list[Point]] = {
    "2": [(_MIDDLE, 0), (_MIDDLE, 1)],
    "3": [(_MIDDLE, 0), (_MIDDLE, 0.5), (_MIDDLE, 1)],
    "4": [(x, y) for x in _BOTH for y in (0, 1)],
    "5": [*((x, y) for x in _BOTH for y in (0, 1)), (_MIDDLE, 0.5)],
    "6": [(x, y) for x in _BOTH for y in (0, 0.5, 1)],
    "7": [*((x, y) for x in _BOTH for y in (0, 0.5, 1)), (_MIDDLE, 0.25)],
    "8": [*((x, y) for x in _BOTH for y in (0, 0.5, 1)), (_MIDDLE, 0.25), (_MIDDLE, 0.75)],
    "9": [*((x, y) for x in _BOTH for y in _THIRDS), (_MIDDLE, 0.5)],
    "T": [*((x, y) for x in _BOTH for y in _THIRDS), (_MIDDLE, 1 / 6), (_MIDDLE, 5 / 6)],
}
