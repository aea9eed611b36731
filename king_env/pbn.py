"""Deals as PBN 2.1, the notation of bridge programs: so that they can show a deal of King and step through its play.

Seats 0 to 3 sit North, East, South, West. What bridge has no word for stands where such programs pass over it: in the
tags `King…`, and in a commentary. What must be said in the terms of bridge is said so:

* `Contract` names the trump or NT, which decides who takes each trick. Its level means nothing and is always 1;
* `Declarer` is who chose how the deal is played, in a negative deal the dealer; `Result` the tricks he took;
* there is no `Auction`, because King's calls are not those of bridge; they stand in the commentary.
"""

from __future__ import annotations

import textwrap
from collections.abc import Iterator

from king_env.engine.contracts import NUM_TRICKS, POSITIVE
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.game import Game
from king_env.history import DealHistory, Trick, deal_numbered, deals_played
from king_env.notation import action_text, card_text, deal_text

HEADER = "% PBN 2.1"
SEATS = "NESW"
SEAT_NAMES = ("North", "East", "South", "West")
UNKNOWN = "?"

_LINE_WIDTH = 100  # the standard allows 255


def pbn_of_deal(game: Game, number: int) -> str:
    """Deal `number` (1 … 10) of a game, played or in progress. Raises ValueError if the game has not come to it."""
    return "\n".join(_lines(game, deal_numbered(deals_played(game), number))) + "\n"


def _lines(game: Game, deal: DealHistory) -> Iterator[str]:
    """The fifteen tags that the standard asks for in its order, then King's own in the order of their names."""
    yield _tag("Event", "King")
    yield _tag("Site", UNKNOWN)
    yield _tag("Date", "????.??.??")
    yield _tag("Board", deal.number)
    names = game.players or [UNKNOWN] * NUM_SEATS
    for seat in (3, 0, 1, 2):
        yield _tag(SEAT_NAMES[seat], names[seat])
    yield _tag("Dealer", SEATS[deal.dealer])
    yield _tag("Vulnerable", "None")
    yield _tag("Deal", _deal(deal))
    yield _tag("Scoring", "King")
    yield _tag("Declarer", SEATS[deal.declarer] if _is_chosen(deal) else _nobody(deal))
    yield _tag("Contract", _contract(deal))
    yield _tag("Result", int(deal.record["tricks"][deal.declarer]) if _is_played(deal) else _nobody(deal))
    yield _tag("KingContract", "skipped" if deal.is_skipped else deal.contract)
    yield _tag("KingRules", game.ruleset.name or "rules of the house")
    yield _tag("KingScores", " ".join(f"{SEATS[seat]} {points}" for seat, points in enumerate(deal.scores)))
    yield from _commentary(deal)
    if deal.tricks:
        yield from _play_section(deal.tricks)


def _tag(name: str, value: object) -> str:
    """A pair of name and value, on one line; what would end the value early is marked by a backslash."""
    text = " ".join(str(value).split()).replace("\\", "\\\\").replace('"', '\\"')
    return f'[{name} "{text}"]'


def _deal(deal: DealHistory) -> str:
    return f"{SEATS[0]}:{deal_text(deal.hands).partition(':')[2]}"


def _is_chosen(deal: DealHistory) -> bool:
    return deal.contract != POSITIVE


def _is_played(deal: DealHistory) -> bool:
    """Whether it has been played to its end."""
    return deal.is_over and not deal.is_skipped


def _nobody(deal: DealHistory) -> str:
    """Who or what there is not, because the deal was passed out; or what is not known yet."""
    return "" if deal.is_skipped else UNKNOWN


def _contract(deal: DealHistory) -> str:
    """What a bridge program must take for the contract: of it only the denomination decides anything."""
    if deal.is_skipped:
        return "Pass"
    return f"1{deal.trump or 'NT'}" if _is_chosen(deal) else UNKNOWN


def _commentary(deal: DealHistory) -> Iterator[str]:
    """What was said, and at what the deal was sold."""
    sentences = []
    if deal.calls:
        calls = ", ".join(f"{SEATS[seat]} {action_text(call)}" for seat, call in deal.calls)
        sentences.append(f"The calls of King: {calls}.")
    if deal.bid is not None:
        sold = f"Sold to {SEAT_NAMES[deal.declarer]} at {action_text(deal.bid)}"
        sentences.append(f"{sold}, who paid {deal.price}." if deal.is_over else f"{sold}.")
    if sentences:
        yield from textwrap.wrap("{" + " ".join(sentences) + "}", _LINE_WIDTH)


def _play_section(tricks: list[Trick]) -> Iterator[str]:
    """A line a trick; a column a seat, the first for who led first, as the standard wants them."""
    first = tricks[0].leader
    yield _tag("Play", SEATS[first])
    for trick in tricks:
        yield " ".join(_card(trick, (first + place) % NUM_SEATS) for place in range(NUM_SEATS))
    if len(tricks) < NUM_TRICKS or tricks[-1].taker is None:
        yield "*"


def _card(trick: Trick, seat: Seat) -> str:
    card = trick.card_of(seat)
    return "-" if card is None else card_text(card)[::-1]
