"""A game written out as in a newspaper column: deal by deal the hands, the calls, the tricks and the scores.

    deal    7                       which of the ten it is
    dealer  0
    hands   0:AKQ.T92.… … … …       the four hands in PBN, spades.hearts.diamonds.clubs
    call    1 bid 2                 each call in order: the seat and what it says
    sold    2 at bid 4              if the deal was sold: the buyer and the bid
    play    up S by 2               the contract and, in a positive deal, who chose it; or `not played`
    trick   1  AC>  3C  QC  5C   0   25 0 0 0
                                    the cards of seats 0 to 3 (`>` marks the lead), who takes them, the scores so far
    pays    2 to 0: 100             if the deal was sold
    scores  150 25 50 100           of the deal

After the last of several deals stands the score sheet.
"""

from __future__ import annotations

import json
from collections.abc import Iterator

from king_env.engine.contracts import POSITIVE
from king_env.engine.seats import NUM_SEATS
from king_env.game import Game
from king_env.history import DealHistory, Trick, deal_numbered, deals_played
from king_env.notation import action_text, card_text, deal_text

_TRICK_HEADING = "#           seat 0  seat 1  seat 2  seat 3   taken by   scores"
_SHEET_HEADING = "#              seat 0 seat 1 seat 2 seat 3"


def write_column(game: Game, deal_number: int | None = None) -> str:
    """A game as text, finished or not; or only deal `deal_number` (1 … 10) of it. Raises ValueError if it has none."""
    deals = deals_played(game)
    if deal_number is not None:
        deals = [deal_numbered(deals, deal_number)]
    lines = [f"rules   {game.ruleset.name or json.dumps(game.ruleset.to_dict())}"]
    for deal in deals:
        lines += ["", *_deal_lines(deal)]
    if len(deals) > 1:
        lines += ["", *_sheet_lines(game)]
    return "\n".join(lines)


def _deal_lines(deal: DealHistory) -> Iterator[str]:
    yield f"deal    {deal.number}"
    yield f"dealer  {deal.dealer}"
    yield f"hands   {deal_text(deal.hands)}"
    for seat, call in deal.calls:
        yield f"call    {seat} {action_text(call)}"
    if deal.bid is not None:
        yield f"sold    {deal.declarer} at {action_text(deal.bid)}"
    if deal.is_skipped or deal.contract != POSITIVE:
        yield f"play    {_what_is_played(deal)}"
    if deal.tricks:
        yield _TRICK_HEADING
    for number, trick in enumerate(deal.tricks, start=1):
        yield _trick_line(number, trick)
    if deal.bid is not None and deal.is_over:
        yield f"pays    {deal.declarer} to {deal.dealer}: {deal.price}"
    if deal.is_over:
        yield f"scores  {' '.join(map(str, deal.scores))}"


def _what_is_played(deal: DealHistory) -> str:
    if deal.is_skipped:
        return "not played"
    if not deal.calls:
        return deal.contract
    return " ".join([deal.contract, *([deal.trump] if deal.trump else []), "by", str(deal.declarer)])


def _trick_line(number: int, trick: Trick) -> str:
    cards = [trick.card_of(seat) for seat in range(NUM_SEATS)]
    texts = ["-" if card is None else card_text(card) for card in cards]
    texts[trick.leader] += ">"
    line = f"trick   {number:>2}    " + "     ".join(f"{text:<3}" for text in texts)
    if trick.taker is None:
        return line.rstrip()
    return f"{line}{trick.taker:>10}{trick.scores[0]:>11}" + "".join(f"{points:>6}" for points in trick.scores[1:])


def _sheet_lines(game: Game) -> Iterator[str]:
    sheet = game.score_sheet
    yield _SHEET_HEADING
    for title, points in zip(("deals 1-6", "deals 7-10", "balance"), sheet, strict=True):
        yield f"{title:<14}" + "".join(f"{of_seat:>7}" for of_seat in points)
