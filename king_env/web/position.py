"""A game as it stands, as plain values for JSON: all that the table of a page draws, with nothing left to work out."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from king_env.engine.actions import FIRST_UP
from king_env.engine.contracts import DOWN, NUM_TRICKS, UP
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import OVER, PHASE_NAMES, PLAYING, TO_DEAL, GameRecord
from king_env.notation import action_text, card_text, cards_text
from king_env.render import (
    calls_by_seat,
    contract_text,
    deal_title,
    declaration_sign,
    pay_text,
    playable_cards,
    plays_of_trick,
    sale_text,
    score_sheet,
    taker_of,
    task_text,
    words_of_action,
)

Plain = dict[str, Any]


@dataclass(frozen=True)
class SheetRow:
    """A line of the score sheet: one deal."""

    deal: int
    """Which of the ten, from 1."""
    title: str
    """What was played."""
    points: tuple[int, ...]
    """By seat."""


def row_of(record: GameRecord) -> SheetRow:
    """The line of the deal that is on or has just ended, as far as it has come."""
    return SheetRow(int(record["deal"]) + 1, _row_title(record), tuple(record["deal_scores"].tolist()))


def _row_title(record: GameRecord) -> str:
    """The contract, short enough for its line: `up ♥`."""
    return words_of_action(FIRST_UP + int(record["trump"])) if record["contract"] == UP else contract_text(record)


def table_position(record: GameRecord, viewer: Seat | None = None, earlier: Iterable[SheetRow] = ()) -> Plain:
    """One game (an element of an array of records) as it stands; with a viewer only what that seat may know.

    earlier: the deals before this one. Where a deal has just ended, its record must still bear its number and its
    dealer, not those of the next (`as_it_ended`). Seats are keys "0" … "3", and what is not there has no key.
    """
    phase = int(record["phase"])
    position: Plain = {
        "deal": int(record["deal"]) + 1,
        "title": deal_title(record),
        "contract": contract_text(record),
        "terms": sale_text(record) or pay_text(record),
        "phase": PHASE_NAMES[phase],
        "task": "the deal is over" if phase == TO_DEAL else task_text(record),
        "seats": {str(seat): _seat(record, seat, viewer) for seat in range(NUM_SEATS)},
        "calls": {str(number): [seat, action_text(call)] for number, (seat, call) in enumerate(calls_by_seat(record))},
        "sheet": _sheet(record, earlier),
    }
    if phase not in (TO_DEAL, OVER):
        position["turn"] = int(record["turn"])
    if phase == PLAYING and viewer in (None, record["turn"]):
        position["playable"] = cards_text(
            playable_cards(record, int(record["turn"])) & int(record["hands"][record["turn"]])
        )
    if record["best_bid"] and not record["num_plays"]:
        position["best"] = [int(record["holder"]), action_text(int(record["best_bid"]))]
    return position | _tricks(record) | (_result(record) if phase == OVER else {})


def as_it_ended(record: GameRecord, before: GameRecord) -> GameRecord:
    """The record after the last action of a deal with the number and the dealer it had before that action."""
    ended = record.copy()
    ended["deal"], ended["dealer"] = before["deal"], before["dealer"]
    return ended


def _seat(record: GameRecord, seat: Seat, viewer: Seat | None) -> Plain:
    plain: Plain = {
        "held": NUM_TRICKS - int(record["played"][seat]).bit_count(),
        "tricks": int(record["tricks"][seat]),
        "points": int(record["deal_scores"][seat]),
        "signs": _signs(record, seat),
    }
    if viewer is None or viewer == seat:
        plain["hand"] = cards_text(int(record["hands"][seat]))
    if record["last_calls"][seat]:
        plain["said"] = action_text(int(record["last_calls"][seat]))
    return plain


def _signs(record: GameRecord, seat: Seat) -> str:
    """What the seat is: `D` for the dealer, and what it chose if it declared."""
    declared = record["declarer"] == seat and record["contract"] in (UP, DOWN)
    return ("D" if record["dealer"] == seat else "") + (declaration_sign(record) if declared else "")


def _tricks(record: GameRecord) -> Plain:
    """The trick on the table, which stays there until the next is led, and the one before it.

    When the game is over the last trick makes room for the result.
    """
    if record["num_plays"] == 0:
        return {}
    trick = (int(record["num_plays"]) - 1) // NUM_SEATS
    if record["phase"] == OVER:
        return {"last_trick": _trick(record, trick)}
    tricks = {"trick": _trick(record, trick)}
    return tricks | {"last_trick": _trick(record, trick - 1)} if trick else tricks


def _trick(record: GameRecord, trick: int) -> Plain:
    plays = plays_of_trick(record, trick)
    is_complete = len(plays) == NUM_SEATS
    return {
        "number": trick + 1,
        "plays": {str(number): [seat, card_text(card)] for number, (seat, card) in enumerate(plays)},
        "taker": taker_of(record, trick) if is_complete else int(record["winning_seat"]),
        "is_complete": is_complete,
    }


def _sheet(record: GameRecord, earlier: Iterable[SheetRow]) -> Plain:
    """The score sheet: a line a deal, and the sums (Rules 4)."""
    sheet = score_sheet(record)
    rows = [*earlier, row_of(record)]
    return {
        "rows": {str(row.deal): [row.title, *row.points] for row in rows},
        "last": int(record["last_deal"]) + 1,
        "negative": list(sheet.negative),
        "positive": list(sheet.positive),
        "balance": list(sheet.balance),
    }


def _result(record: GameRecord) -> Plain:
    """The seats in the order of their scores: place, seat, score; equal scores share the place (Rules 4)."""
    scores: Sequence[int] = record["scores"].tolist()
    in_order = sorted(range(NUM_SEATS), key=lambda seat: -scores[seat])
    return {"result": [[1 + sum(other > scores[seat] for other in scores), seat, scores[seat]] for seat in in_order]}
