"""The panel at the right: what is played, who is to act, the score sheet, the calls and the last trick."""

from __future__ import annotations

from collections.abc import Sequence

from PIL import Image, ImageDraw

from king_env.card_design import Colour
from king_env.engine.seats import NUM_SEATS
from king_env.engine.state import TO_DEAL, GameRecord
from king_env.picture.canvas import (
    DARK,
    GOLD,
    PALE,
    SMALL,
    TABLE_WIDTH,
    TEXT,
    TITLE,
    WHITE,
    WIDTH,
    lettering,
    paste,
    rounded_box,
)
from king_env.picture.cards import LITTLE, card_face, card_frame
from king_env.picture.words import draw_words
from king_env.render import (
    calls_by_seat,
    contract_text,
    deal_title,
    pay_text,
    plays_of_trick,
    sale_text,
    score_sheet,
    taker_of,
    task_text,
    words_of_action,
)

LEFT, RIGHT = TABLE_WIDTH + 20, WIDTH - 16
ROOM = RIGHT - LEFT
TITLE_LINE, CONTRACT_LINE, SALE_LINE, TASK_LINE = 32, 70, 102, 144
SHEET_TOP, CALLS_TOP, TRICK_TOP = 194, 390, 654
ROW = 27
POINTS_COLUMN = 54  # how wide the points of a seat may be
CALL_COLUMNS = [LEFT + ROOM * (2 * seat + 1) / (2 * NUM_SEATS) for seat in range(NUM_SEATS)]
CALL_ROWS = 8


def draw_panel(image: Image.Image, record: GameRecord) -> None:
    """All of it; what is known to every seat."""
    _draw_heading(image, record)
    _draw_score_sheet(image, record)
    if record["num_calls"] and record["phase"] != TO_DEAL:  # then the dealer is the next one already
        _draw_calls(image, record)
    _draw_last_trick(image, record)


def _draw_heading(image: Image.Image, record: GameRecord) -> None:
    draw_words(image, (LEFT, TITLE_LINE), deal_title(record), TEXT, PALE, ROOM, from_left=True)
    draw_words(image, (LEFT, CONTRACT_LINE), contract_text(record), TITLE, WHITE, ROOM, from_left=True)
    draw_words(image, (LEFT, SALE_LINE), sale_text(record) or pay_text(record), TEXT, PALE, ROOM, from_left=True)
    task = task_text(record)
    paste(image, rounded_box((ROOM, 36), 8, GOLD), (LEFT, TASK_LINE - 18))
    draw_words(image, (LEFT + ROOM / 2, TASK_LINE), task[0].upper() + task[1:], TEXT, DARK, ROOM - 16)


def _draw_score_sheet(image: Image.Image, record: GameRecord) -> None:
    """The two columns and the balance of each seat (Rules 4), and what this deal has brought."""
    sheet = score_sheet(record)
    _draw_heads(image, SHEET_TOP)
    rows: Sequence[tuple[str, Sequence[int], Colour]] = (
        ("Deals 1-6", sheet.negative, WHITE),
        ("Deals 7-10", sheet.positive, WHITE),
        ("Balance", sheet.balance, GOLD),
        ("This deal", record["deal_scores"].tolist(), PALE),
        ("Tricks", record["tricks"].tolist(), PALE),
    )
    for number, (title, points, ink) in enumerate(rows, start=1):
        _draw_row(image, SHEET_TOP + ROW * number, title, [str(of_seat) for of_seat in points], ink)


def _draw_heads(image: Image.Image, line: float) -> None:
    _draw_row(image, line, "Seat", [str(seat) for seat in range(NUM_SEATS)], PALE)
    ImageDraw.Draw(image).line((LEFT, line + 13, RIGHT, line + 13), PALE)


def _draw_row(image: Image.Image, line: float, title: str, cells: Sequence[str], ink: Colour) -> None:
    draw = ImageDraw.Draw(image)
    draw.text((LEFT, line), title, ink, lettering(SMALL), "lm")
    for seat, cell in enumerate(cells):
        draw.text((RIGHT - POINTS_COLUMN * (NUM_SEATS - 1 - seat), line), cell, ink, lettering(SMALL + 1), "rm")


def _draw_calls(image: Image.Image, record: GameRecord) -> None:
    """The calls of this deal, a column a seat, a row a round; of a long auction the end."""
    draw = ImageDraw.Draw(image)
    for seat, x in enumerate(CALL_COLUMNS):
        draw.text((x, CALLS_TOP), f"Seat {seat}", PALE, lettering(SMALL), "mm")
    draw.line((LEFT, CALLS_TOP + 13, RIGHT, CALLS_TOP + 13), PALE)
    row, cells, last_seat = 0, [], -1
    for seat, call in calls_by_seat(record):
        if seat <= last_seat:
            row += 1
        cells.append((row, seat, words_of_action(call)))
        last_seat = seat
    for of_row, seat, words in cells:
        line = of_row - max(0, row + 1 - CALL_ROWS)
        if line >= 0:
            at = (CALL_COLUMNS[seat], CALLS_TOP + ROW * (line + 1))
            draw_words(image, at, words, SMALL, WHITE, ROOM / NUM_SEATS - 4)


def _draw_last_trick(image: Image.Image, record: GameRecord) -> None:
    """The trick before the present one, in the order of play, with who played what; the card that took it is framed."""
    trick = int(record["num_plays"]) // NUM_SEATS - 1
    if trick < 0:
        return
    draw = ImageDraw.Draw(image)
    taker = taker_of(record, trick)
    draw.text((LEFT, TRICK_TOP), f"Trick {trick + 1}, taken by seat {taker}", PALE, lettering(SMALL), "lm")
    step = (ROOM - LITTLE[0]) / (NUM_SEATS - 1)
    for number, (seat, card) in enumerate(plays_of_trick(record, trick)):
        left, top = LEFT + step * number, TRICK_TOP + 20
        paste(image, card_face(card, LITTLE), (left, top))
        if seat == taker:
            paste(image, card_frame(LITTLE), (left - 3, top - 3))
        ink = GOLD if seat == taker else PALE
        draw.text((left + LITTLE[0] / 2, top + LITTLE[1] + 14), f"Seat {seat}", ink, lettering(SMALL), "mm")
