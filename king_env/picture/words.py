"""Lines of text with signs of suits among the letters."""

from __future__ import annotations

import re

from PIL import Image, ImageDraw

from king_env.card_design import Colour, Point
from king_env.picture.canvas import WIDTH, lettering, paste
from king_env.picture.cards import suit_sign
from king_env.render import SUIT_SYMBOLS

_PIECES = re.compile(f"[{SUIT_SYMBOLS}]| |[^ {SUIT_SYMBOLS}]+")
_BLANK = 0.34  # its width, in sizes of the lettering: the typeface's own is hardly seen


def draw_words(
    image: Image.Image, at: Point, words: str, size: int, ink: Colour, room: float = WIDTH, from_left: bool = False
) -> None:
    """Draw text with its middle at a point, or from there to the right; smaller if there is too little room for it.

    Symbols of suits, which the typeface has not, are drawn as their signs, and in the colour of the ink: in their own
    some would not be seen on the panel, which is dark.
    """
    pieces = _PIECES.findall(words)
    while sum(_width(piece, size) for piece in pieces) > room:
        size -= 1
    x = at[0] if from_left else at[0] - sum(_width(piece, size) for piece in pieces) / 2
    for piece in pieces:
        if piece in SUIT_SYMBOLS:
            paste(image, suit_sign(SUIT_SYMBOLS.index(piece), size, ink), (x, at[1] - size / 2))
        else:
            ImageDraw.Draw(image).text((x, at[1]), piece, ink, lettering(size), "lm")
        x += _width(piece, size)


def _width(piece: str, size: int) -> float:
    if piece in SUIT_SYMBOLS:
        return size
    return _BLANK * size if piece == " " else float(lettering(size).getlength(piece))
