"""The green table: four hands, a plate for each seat, and in the middle the trick, the calls or the result."""

from __future__ import annotations

from PIL import Image, ImageDraw

from king_env.card_design import Point
from king_env.engine.cards import NUM_CARDS, NUM_RANKS, Card, Cards
from king_env.engine.contracts import DOWN, NUM_TRICKS, UP
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import OVER, PLAYING, TO_DEAL, GameRecord
from king_env.picture.canvas import (
    DARK,
    GOLD,
    HEIGHT,
    PALE,
    PLATE,
    SMALL,
    TABLE_WIDTH,
    TEXT,
    TITLE,
    WHITE,
    lettering,
    paste,
    rounded_box,
)
from king_env.picture.cards import LARGE, LITTLE, CardSize, card_back, card_face, card_frame, suit_sign
from king_env.picture.words import draw_words
from king_env.render import (
    SUIT_SYMBOLS,
    declaration_sign,
    playable_cards,
    plays_of_trick,
    round_from,
    signed,
    taker_of,
    words_of_action,
)

# Where things are, for the seats below, left, above and right.
BELOW, LEFT, ABOVE, RIGHT = range(NUM_SEATS)
MIDDLE: Point = (TABLE_WIDTH / 2, 386)
PLATES: tuple[Point, ...] = ((TABLE_WIDTH / 2, 640), (152, 262), (TABLE_WIDTH / 2, 122), (TABLE_WIDTH - 152, 262))
PLATE_SIZE = (268, 34)
ON_TABLE: tuple[Point, ...] = ((TABLE_WIDTH / 2, 492), (338, 386), (TABLE_WIDTH / 2, 280), (TABLE_WIDTH - 338, 386))
SAID: tuple[Point, ...] = ((TABLE_WIDTH / 2, 470), (316, 386), (TABLE_WIDTH / 2, 302), (TABLE_WIDTH - 316, 386))
CALL_SIZE = (136, 40)
LARGE_ROW_TOP = HEIGHT - 18 - LARGE[1]
LITTLE_ROW_TOP = 18
BLOCK_TOP = 288
BLOCK_WIDTH = 240
BLOCK_LEFTS = {LEFT: 18, RIGHT: TABLE_WIDTH - 18 - BLOCK_WIDTH}
LARGE_STEP, LITTLE_STEP, BLOCK_STEP, BACK_STEP, SUIT_STEP = 59, 42, 26, 13, 54

_SORTED = sorted(range(NUM_CARDS), key=lambda card: (-(card // NUM_RANKS), -(card % NUM_RANKS)))  # spades first


def draw_hands_and_trick(image: Image.Image, record: GameRecord, viewer: Seat | None) -> None:
    """All that lies and stands on the table."""
    below = 0 if viewer is None else viewer
    for place, seat in enumerate(round_from(below)):
        if viewer is None or viewer == seat:
            _draw_open_hand(image, place, int(record["hands"][seat]), playable_cards(record, seat))
        else:
            _draw_hidden_hand(image, place, NUM_TRICKS - int(record["played"][seat]).bit_count())
        _draw_plate(image, PLATES[place], record, seat)
    if record["phase"] == OVER:
        _draw_result(image, record)
    elif record["phase"] == PLAYING:
        _draw_trick(image, record, below)
    else:
        _draw_calls(image, record, below)


# Hands


def _draw_open_hand(image: Image.Image, place: int, hand: Cards, playable: Cards) -> None:
    cards = [card for card in _SORTED if hand >> card & 1]
    if place == BELOW:
        _draw_row(image, cards, playable, LARGE, LARGE_ROW_TOP, LARGE_STEP)
    elif place == ABOVE:
        _draw_row(image, cards, playable, LITTLE, LITTLE_ROW_TOP, LITTLE_STEP)
    else:
        _draw_block(image, cards, playable, place)


def _draw_row(image: Image.Image, cards: list[Card], playable: Cards, size: CardSize, top: int, step: int) -> None:
    """A hand in one row, in the middle of the table's side."""
    left = (TABLE_WIDTH - size[0] - step * (len(cards) - 1)) / 2
    for number, card in enumerate(cards):
        paste(image, card_face(card, size, is_shaded=not playable >> card & 1), (left + step * number, top))


def _draw_block(image: Image.Image, cards: list[Card], playable: Cards, place: int) -> None:
    """A hand at the side of the table, a row a suit, so that every card shows its corner."""
    suits = [[card for card in cards if card // NUM_RANKS == suit] for suit in sorted({c // NUM_RANKS for c in cards})]
    for row, of_suit in enumerate(reversed(suits)):
        step = min(BLOCK_STEP, (BLOCK_WIDTH - LITTLE[0]) / max(1, len(of_suit) - 1))
        width = LITTLE[0] + step * (len(of_suit) - 1)
        left = BLOCK_LEFTS[place] + (BLOCK_WIDTH - width if place == RIGHT else 0)
        for number, card in enumerate(of_suit):
            face = card_face(card, LITTLE, is_shaded=not playable >> card & 1)
            paste(image, face, (left + step * number, BLOCK_TOP + SUIT_STEP * row))


def _draw_hidden_hand(image: Image.Image, place: int, held: int) -> None:
    """So many cards face down."""
    width = LITTLE[0] + BACK_STEP * (held - 1)
    if place == ABOVE:
        left, top = (TABLE_WIDTH - width) / 2, LITTLE_ROW_TOP
    else:
        left, top = BLOCK_LEFTS[place] + (BLOCK_WIDTH - width) / 2, BLOCK_TOP + 8
    for number in range(held):
        paste(image, card_back(LITTLE), (left + BACK_STEP * number, top))


# Plates


def _draw_plate(image: Image.Image, middle: Point, record: GameRecord, seat: Seat) -> None:
    """Who sits there, what the seat is and has; golden if it is to act."""
    is_to_act = record["turn"] == seat and record["phase"] not in (TO_DEAL, OVER)
    ink = DARK if is_to_act else WHITE
    left, top = middle[0] - PLATE_SIZE[0] / 2, middle[1] - PLATE_SIZE[1] / 2
    paste(image, rounded_box(PLATE_SIZE, PLATE_SIZE[1] // 2, GOLD if is_to_act else PLATE), (left, top))
    draw = ImageDraw.Draw(image)
    draw.text((left + 16, middle[1]), f"Seat {seat}", ink, lettering(TEXT), "lm")
    won = int(record["tricks"][seat])
    taken = f"{won} trick{'' if won == 1 else 's'}   {signed(int(record['deal_scores'][seat]))}"
    draw.text((left + PLATE_SIZE[0] - 16, middle[1]), taken, ink, lettering(SMALL), "rm")
    discs = left + 90
    if record["dealer"] == seat:
        _draw_disc(image, (discs, middle[1]), "D")
        discs += 27
    if record["declarer"] == seat and record["contract"] in (UP, DOWN):
        _draw_disc(image, (discs, middle[1]), declaration_sign(record))


def _draw_disc(image: Image.Image, middle: Point, sign: str) -> None:
    """A small white disc with a letter or the sign of a suit."""
    paste(image, rounded_box((24, 24), 12, WHITE, DARK), (middle[0] - 12, middle[1] - 12))
    if sign in SUIT_SYMBOLS:
        paste(image, suit_sign(SUIT_SYMBOLS.index(sign), 14), (middle[0] - 7, middle[1] - 7))
    else:
        ImageDraw.Draw(image).text(middle, sign, DARK, lettering(SMALL), "mm")


# The middle


def _draw_trick(image: Image.Image, record: GameRecord, below: Seat) -> None:
    """The cards on the table before those who played them, the one that takes the trick so far in a golden frame.

    A trick that is complete stays there, shaded, until the next is led.
    """
    if record["num_plays"] == 0:
        ImageDraw.Draw(image).text(MIDDLE, "Trick 1", PALE, lettering(TITLE), "mm")
        return
    trick = (int(record["num_plays"]) - 1) // NUM_SEATS
    plays = plays_of_trick(record, trick)
    is_complete = len(plays) == NUM_SEATS
    winner = taker_of(record, trick) if is_complete else int(record["winning_seat"])
    for seat, card in plays:
        x, y = ON_TABLE[(seat - below) % NUM_SEATS]
        left, top = x - LARGE[0] / 2, y - LARGE[1] / 2
        paste(image, card_face(card, LARGE, is_shaded=is_complete), (left, top))
        if seat == winner:
            paste(image, card_frame(LARGE), (left - 3, top - 3))


def _draw_calls(image: Image.Image, record: GameRecord, below: Seat) -> None:
    """What each seat said last, before it; in the middle the best bid."""
    for place, seat in enumerate(round_from(below)):
        if record["last_calls"][seat]:
            x, y = SAID[place]
            left, top = x - CALL_SIZE[0] / 2, y - CALL_SIZE[1] / 2
            paste(image, rounded_box(CALL_SIZE, CALL_SIZE[1] // 2, WHITE), (left, top))
            words = words_of_action(int(record["last_calls"][seat]))
            draw_words(image, (x, y), words, TEXT + 3, DARK, CALL_SIZE[0] - 20)
    if record["best_bid"]:
        x, y = MIDDLE
        draw = ImageDraw.Draw(image)
        draw.text((x, y - 26), "best bid", PALE, lettering(SMALL), "mm")
        draw_words(image, (x, y), words_of_action(int(record["best_bid"])), TITLE, GOLD)
        draw_words(image, (x, y + 26), f"seat {record['holder']}", SMALL, PALE)


def _draw_result(image: Image.Image, record: GameRecord) -> None:
    """The seats in the order of their scores; the first is golden."""
    x, y = MIDDLE
    paste(image, rounded_box((300, 206), 16, PLATE, GOLD), (x - 150, y - 103))
    draw = ImageDraw.Draw(image)
    draw.text((x, y - 74), "The game is over", WHITE, lettering(TITLE - 2), "mm")
    scores = [int(points) for points in record["scores"]]
    for row, seat in enumerate(sorted(range(NUM_SEATS), key=lambda seat: -scores[seat])):
        place = 1 + sum(other > scores[seat] for other in scores)
        ink = GOLD if place == 1 else WHITE
        line = y - 34 + 32 * row
        draw.text((x - 110, line), f"{place}.", ink, lettering(TEXT), "lm")
        draw.text((x - 70, line), f"Seat {seat}", ink, lettering(TEXT), "lm")
        draw.text((x + 110, line), signed(scores[seat]), ink, lettering(TEXT), "rm")
