"""The cards: suits as shapes, faces with corner indices, backs; each drawn once and kept."""

from __future__ import annotations

import functools
from collections.abc import Sequence

from PIL import Image, ImageDraw, ImageEnhance

from king_env.card_design import BACK, BACK_LINES, EDGE, HALF_OUTLINES, PAPER, SHADE, SIGNS, SUIT_COLOURS, Colour, Point
from king_env.engine.cards import NUM_RANKS, RANK_LETTERS, Card, Suit
from king_env.picture.canvas import FINENESS, GOLD, lettering, smoothed

CardSize = tuple[int, int]
LARGE: CardSize = (84, 118)
LITTLE: CardSize = (58, 82)

_POINTS_A_CURVE = 16


@functools.cache
def suit_sign(suit: Suit, size: int, colour: Colour | None = None) -> Image.Image:
    """The sign of a suit in a square of this size, in its own colour or another."""
    fine = size * FINENESS
    shape = Image.new("L", (fine, fine))
    ImageDraw.Draw(shape).polygon([(x * fine, y * fine) for x, y in _outline(suit)], fill=255)
    sign = Image.new("RGBA", (size, size), (colour or SUIT_COLOURS[suit]) + (0,))
    sign.putalpha(smoothed(shape, (size, size)))
    return sign


def _outline(suit: Suit) -> list[Point]:
    start, curves = HALF_OUTLINES[suit]
    half = [start]
    for first, second, end in curves:
        half += _curve(half[-1], first, second, end)
    return [*half, *((1 - x, y) for x, y in reversed(half))]


def _curve(start: Point, first: Point, second: Point, end: Point) -> list[Point]:
    """Points along a Bézier curve, without its start."""
    points = []
    for step in range(1, _POINTS_A_CURVE + 1):
        t = step / _POINTS_A_CURVE
        weights = ((1 - t) ** 3, 3 * t * (1 - t) ** 2, 3 * t * t * (1 - t), t**3)
        x, y = (
            sum(weight * point[axis] for weight, point in zip(weights, (start, first, second, end), strict=True))
            for axis in (0, 1)
        )
        points.append((x, y))
    return points


@functools.cache
def card_face(card: Card, size: CardSize, is_shaded: bool = False) -> Image.Image:
    """A card face up; shaded if it may not be played."""
    if is_shaded:
        return _shaded(card_face(card, size))
    width, height = size[0] * FINENESS, size[1] * FINENESS
    face = _blank(size, PAPER)
    _draw_middle(face, card)
    index = _corner_index(card, height)
    margin = height // 32
    face.alpha_composite(index, (margin, margin))
    upside_down = index.rotate(180)
    face.alpha_composite(upside_down, (width - index.width - margin, height - index.height - margin))
    return smoothed(face, size)


@functools.cache
def card_back(size: CardSize) -> Image.Image:
    """A card face down."""
    width, height = size[0] * FINENESS, size[1] * FINENESS
    back = _blank(size, PAPER)
    draw = ImageDraw.Draw(back)
    margin = width // 14
    draw.rounded_rectangle((margin, margin, width - margin, height - margin), margin, fill=BACK)
    pattern = Image.new("RGBA", (width, height))
    lines = ImageDraw.Draw(pattern)
    for offset in range(-height, width, width // 6):
        lines.line((offset, 0, offset + height, height), BACK_LINES, FINENESS)
        lines.line((offset + height, 0, offset, height), BACK_LINES, FINENESS)
    inside = (2 * margin, 2 * margin, width - 2 * margin, height - 2 * margin)
    back.alpha_composite(pattern.crop(inside), inside[:2])
    return smoothed(back, size)


@functools.cache
def card_frame(size: CardSize) -> Image.Image:
    """A golden frame that fits round a card: three pixels wider on each side."""
    outer = (size[0] + 6, size[1] + 6)
    frame = Image.new("RGBA", (outer[0] * FINENESS, outer[1] * FINENESS))
    ImageDraw.Draw(frame).rounded_rectangle(
        (0, 0, frame.width - 1, frame.height - 1), _radius(size) + 3 * FINENESS, outline=GOLD, width=4 * FINENESS
    )
    return smoothed(frame, outer)


def _radius(size: CardSize) -> int:
    return size[0] * FINENESS // 11


def _blank(size: CardSize, colour: Colour) -> Image.Image:
    card = Image.new("RGBA", (size[0] * FINENESS, size[1] * FINENESS))
    box = (0, 0, card.width - 1, card.height - 1)
    ImageDraw.Draw(card).rounded_rectangle(box, _radius(size), fill=colour, outline=EDGE, width=FINENESS)
    return card


def _shaded(face: Image.Image) -> Image.Image:
    darker = ImageEnhance.Brightness(face).enhance(SHADE)
    darker.putalpha(face.getchannel("A"))
    return darker


def _corner_index(card: Card, height: int) -> Image.Image:
    """The rank and below it the suit, as they stand in the corner of a card of this (fine) height."""
    rank, suit = RANK_LETTERS[card % NUM_RANKS], card // NUM_RANKS
    rank_height, sign_size = height * 20 // 100, height * 15 // 100
    text, letters = (
        ("10", lettering(rank_height * 8 // 10)) if rank == "T" else (rank, lettering(rank_height * 11 // 10))
    )
    stroke = rank_height // 26
    index = Image.new("RGBA", (height * 22 // 100, rank_height + sign_size))
    middle = index.width * 45 // 100
    ink = SUIT_COLOURS[suit]
    ImageDraw.Draw(index).text((middle, rank_height * 45 // 100), text, ink, letters, "mm", stroke_width=stroke)
    index.alpha_composite(suit_sign(suit, sign_size), (middle - sign_size // 2, rank_height * 95 // 100))
    return index


def _draw_middle(face: Image.Image, card: Card) -> None:
    """As many signs as a number card says, one large one on an ace, a letter in a frame on the others."""
    rank, suit = RANK_LETTERS[card % NUM_RANKS], card // NUM_RANKS
    width, height = face.size
    if rank in SIGNS:
        _draw_signs(face, suit, SIGNS[rank])
    elif rank == "A":
        _put_sign(face, suit, height * 34 // 100, (width / 2, height / 2))
    else:
        box = (width * 30 // 100, height * 14 // 100, width * 70 // 100, height * 86 // 100)
        ImageDraw.Draw(face).rounded_rectangle(
            box, width // 20, fill=(*_tint(suit), 255), outline=SUIT_COLOURS[suit], width=FINENESS
        )
        letters = lettering(height * 36 // 100)
        ImageDraw.Draw(face).text(
            (width / 2, height * 37 / 100), rank, SUIT_COLOURS[suit], letters, "mm", stroke_width=height // 150
        )
        _put_sign(face, suit, height * 22 // 100, (width / 2, height * 69 / 100))


def _tint(suit: Suit) -> Colour:
    """The paper with a touch of the suit's colour."""
    red, green, blue = ((9 * paper + ink) // 10 for paper, ink in zip(PAPER, SUIT_COLOURS[suit], strict=True))
    return red, green, blue


def _draw_signs(face: Image.Image, suit: Suit, places: Sequence[Point]) -> None:
    width, height = face.size
    for x, y in places:
        at = (width * (0.41 + 0.18 * x), height * (0.17 + 0.66 * y))
        _put_sign(face, suit, height * 11 // 100, at, is_upside_down=y > 0.5)


def _put_sign(face: Image.Image, suit: Suit, size: int, middle: Point, is_upside_down: bool = False) -> None:
    sign = suit_sign(suit, size)
    at = (round(middle[0] - size / 2), round(middle[1] - size / 2))
    face.alpha_composite(sign.rotate(180) if is_upside_down else sign, at)
