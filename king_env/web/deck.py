"""The cards as SVG: a sprite of all of them, drawn from the same design as those of pictures.

A page that holds `deck_sprite()` shows a card by `<use href="#card-QH"/>`, its back by `#card-back`, a suit, in the
colour of the text around it, by `#suit-H`.
"""

from __future__ import annotations

from collections.abc import Iterator

from king_env.card_design import BACK, BACK_LINES, EDGE, HALF_OUTLINES, PAPER, SIGNS, SUIT_COLOURS, Colour, Point
from king_env.engine.cards import NUM_CARDS, NUM_RANKS, RANK_LETTERS, SUIT_LETTERS, Card, Suit
from king_env.notation import card_text

WIDTH, HEIGHT = 84, 118
CORNER = WIDTH / 11
_BOX = f'viewBox="0 0 {WIDTH} {HEIGHT}"'


def deck_sprite() -> str:
    """An `<svg>` that shows nothing itself."""
    symbols = [*map(_suit, range(len(SUIT_LETTERS))), *map(_face, range(NUM_CARDS)), _back()]
    return f'<svg class="deck" width="0" height="0" aria-hidden="true">{"".join(symbols)}</svg>'


def colour_text(colour: Colour) -> str:
    """A colour as CSS writes it."""
    return "#" + "".join(f"{part:02x}" for part in colour)


def _suit(suit: Suit) -> str:
    path = f'<path d="{_outline(suit)}" fill="currentColor"/>'
    return f'<symbol id="suit-{SUIT_LETTERS[suit]}" viewBox="0 0 1 1">{path}</symbol>'


def _outline(suit: Suit) -> str:
    """The left half of a suit from top to bottom, and back up along its mirror image."""
    start, curves = HALF_OUTLINES[suit]
    ends = [start, *(end for _, _, end in curves)]
    down = [_curve(first, second, end) for first, second, end in curves]
    up = [
        _curve(_mirrored(second), _mirrored(first), _mirrored(ends[number]))
        for number, (first, second, _) in reversed(list(enumerate(curves)))
    ]
    across = f"L{_point(_mirrored(ends[-1]))}"
    return f"M{_point(start)}{''.join(down)}{across}{''.join(up)}Z"


def _mirrored(point: Point) -> Point:
    return 1 - point[0], point[1]


def _curve(first: Point, second: Point, end: Point) -> str:
    return f"C{_point(first)} {_point(second)} {_point(end)}"


def _point(point: Point) -> str:
    return " ".join(f"{value:.4g}" for value in point)


def _face(card: Card) -> str:
    suit = card // NUM_RANKS
    index = "".join(_corner_index(card))
    upside_down = f'<g transform="rotate(180 {WIDTH / 2:g} {HEIGHT / 2:g})">{index}</g>'
    paper = _rounded(0.5, 0.5, WIDTH - 1, HEIGHT - 1, CORNER, fill=PAPER, stroke=EDGE)
    inside = f'<g color="{colour_text(SUIT_COLOURS[suit])}">{index}{upside_down}{"".join(_middle(card))}</g>'
    return f'<symbol id="card-{card_text(card)}" {_BOX}>{paper}{inside}</symbol>'


def _corner_index(card: Card) -> Iterator[str]:
    """The rank, and below it the suit."""
    rank = RANK_LETTERS[card % NUM_RANKS]
    x = 15
    yield _letter("10", x, 15.5, 21) if rank == "T" else _letter(rank, x, 15.5, 25)
    yield _sign(card // NUM_RANKS, x, 36.5, 18)


def _middle(card: Card) -> Iterator[str]:
    """As many signs as a number card says, one large one on an ace, a letter in a frame on the others."""
    rank, suit = RANK_LETTERS[card % NUM_RANKS], card // NUM_RANKS
    if rank in SIGNS:
        for x, y in SIGNS[rank]:
            yield _sign(suit, WIDTH * (0.41 + 0.18 * x), HEIGHT * (0.17 + 0.66 * y), 13, is_upside_down=y > 0.5)
    elif rank == "A":
        yield _sign(suit, WIDTH / 2, HEIGHT / 2, 40)
    else:
        left, top = WIDTH * 0.32, HEIGHT * 0.14
        ink = SUIT_COLOURS[suit]
        yield _rounded(left, top, WIDTH - 2 * left, HEIGHT - 2 * top, 4, fill=_tint(ink), stroke=ink)
        yield _letter(rank, WIDTH / 2, HEIGHT * 0.37, 38)
        yield _sign(suit, WIDTH / 2, HEIGHT * 0.69, 25)


def _tint(ink: Colour) -> Colour:
    """The paper with a touch of the suit's colour."""
    red, green, blue = ((9 * paper + part) // 10 for paper, part in zip(PAPER, ink, strict=True))
    return red, green, blue


def _back() -> str:
    margin = WIDTH / 14
    paper = _rounded(0.5, 0.5, WIDTH - 1, HEIGHT - 1, CORNER, fill=PAPER, stroke=EDGE)
    inside = _rounded(margin, margin, WIDTH - 2 * margin, HEIGHT - 2 * margin, margin, fill=BACK, stroke=BACK)
    lines = "".join(
        f"M{offset} {HEIGHT}L{offset + HEIGHT} 0M{offset} 0L{offset + HEIGHT} {HEIGHT}"
        for offset in range(-HEIGHT, WIDTH, WIDTH // 6)
    )
    clip = f'<clipPath id="inside-back"><rect x="{2 * margin}" y="{2 * margin}" {_size(4 * margin)}/></clipPath>'
    pattern = f'<path d="{lines}" stroke="{colour_text(BACK_LINES)}" clip-path="url(#inside-back)"/>'
    return f'<symbol id="card-back" {_BOX}>{clip}{paper}{inside}{pattern}</symbol>'


def _size(less: float) -> str:
    return f'width="{WIDTH - less:g}" height="{HEIGHT - less:g}"'


def _rounded(x: float, y: float, width: float, height: float, radius: float, *, fill: Colour, stroke: Colour) -> str:
    return (
        f'<rect x="{x:.4g}" y="{y:.4g}" width="{width:.4g}" height="{height:.4g}" rx="{radius:.4g}" '
        f'fill="{colour_text(fill)}" stroke="{colour_text(stroke)}"/>'
    )


def _letter(text: str, x: float, y: float, size: float) -> str:
    return (
        f'<text x="{x:.4g}" y="{y:.4g}" font-size="{size:.4g}" font-weight="600" fill="currentColor" '
        f'text-anchor="middle" dominant-baseline="central">{text}</text>'
    )


def _sign(suit: Suit, x: float, y: float, size: float, is_upside_down: bool = False) -> str:
    turn = f' transform="rotate(180 {x:.4g} {y:.4g})"' if is_upside_down else ""
    place = f'x="{x - size / 2:.4g}" y="{y - size / 2:.4g}" width="{size:.4g}" height="{size:.4g}"'
    return f'<use href="#suit-{SUIT_LETTERS[suit]}" {place}{turn}/>'
