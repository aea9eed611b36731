"""A game as text for a terminal: the table with the hands, the trick, the calls and the score sheet."""

from __future__ import annotations

import os
import re
import textwrap
from collections.abc import Sequence
from typing import NamedTuple, TextIO

import numpy as np

from king_env.engine import batch
from king_env.engine.actions import FIRST_UP, Action
from king_env.engine.cards import (
    ALL_CARDS,
    CLUBS,
    DIAMONDS,
    HEARTS,
    NUM_RANKS,
    NUM_SUITS,
    RANK_LETTERS,
    SPADES,
    SUIT_LETTERS,
    Card,
    Cards,
    Suit,
)
from king_env.engine.contracts import CONTRACT_NAMES, NO_TRUMP, NUM_DEALS, NUM_NEGATIVES, NUM_TRICKS, UNIT_POINTS, UP
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import (
    BIDDING,
    DECIDING,
    DECLARING,
    OPENING,
    OVER,
    PLAYING,
    TO_DEAL,
    ULTIMATUM,
    GameRecord,
)
from king_env.notation import action_text

SUIT_SYMBOLS = "♣♦♥♠"
_SUITS_SHOWN = (SPADES, HEARTS, DIAMONDS, CLUBS)

# How a terminal shows what belongs to each suit, C D H S: in the four colours that keep suits apart, spades in bold.
_SUIT_STYLES = ("32", "33", "31", "1")
_BOLD = "1"
_ONE_CARD, _ONE_SUIT = f"[{RANK_LETTERS}][{SUIT_SYMBOLS}]", f"[{SUIT_SYMBOLS}](?: [{RANK_LETTERS}]+)?"
_CARDS_OF_A_SUIT = re.compile(f"{_ONE_CARD}|{_ONE_SUIT}")
_SEAT_TO_ACT = re.compile(r"▸ Seat \d")

_WIDTH = 78
_COLUMN = _WIDTH // 3
_UNITS = {  # what each contract counts
    "no_tricks": "a trick",
    "no_hearts": "a heart",
    "no_queens": "a queen",
    "no_kings_jacks": "a king or jack",
    "no_king_of_hearts": "for the K♥",
    "no_last_two": "for tricks 12 and 13",
    "up": "a trick",
    "down": "a trick",
}
_TASKS = {
    TO_DEAL: "the cards are to be dealt",
    OPENING: "seat {} is to open",
    ULTIMATUM: "seat {} is to answer the ultimatum",
    BIDDING: "seat {} is to bid",
    DECIDING: "seat {} is to decide",
    DECLARING: "seat {} is to declare",
    PLAYING: "seat {} is to play",
    OVER: "the game is over",
}


class ScoreSheet(NamedTuple):
    """The two columns of each seat, deals 1-6 and deals 7-10, and the balance that is their sum (Rules 4)."""

    negative: tuple[int, ...]
    positive: tuple[int, ...]
    balance: tuple[int, ...]

    def __str__(self) -> str:
        return "\n".join(
            [
                _score_line("", [f"Seat {seat}" for seat in range(NUM_SEATS)]),
                _score_line("Deals 1-6", self.negative),
                _score_line("Deals 7-10", self.positive),
                _score_line("Balance", self.balance),
            ]
        )


def score_sheet(record: GameRecord) -> ScoreSheet:
    """The score sheet of one game so far, the present deal included."""
    still_negative = record["deal"] < NUM_NEGATIVES
    balance = [int(points) for points in record["scores"]]
    negative = balance if still_negative else [int(points) for points in record["negative_scores"]]
    positive = [total - part for total, part in zip(balance, negative, strict=True)]
    return ScoreSheet(tuple(negative), tuple(positive), tuple(balance))


def render_table(record: GameRecord, viewer: Seat | None = None, in_colour: bool = False) -> str:
    """One game (an element of an array of records) as text; with a viewer only what that seat may know, sitting below.

    The left neighbour sits at the left, so play goes round clockwise. In colour: as `shows_colour` says of a terminal.
    """
    below = 0 if viewer is None else viewer
    left, above, right = ((below + place) % NUM_SEATS for place in range(1, NUM_SEATS))
    hands = [_hand_block(record, seat, viewer) for seat in range(NUM_SEATS)]
    lines = [
        _headline(record),
        "",
        *_row([""], hands[above], [""]),
        "",
        *_row(hands[left], _trick_block(record, below), hands[right]),
        "",
        *_row([""], hands[below], [""]),
        "",
        *_calls_lines(record),
        *_last_trick_lines(record),
        *_score_lines(record),
    ]
    table = "\n".join(line.rstrip() for line in lines)
    return _coloured(table) if in_colour else table


def shows_colour(stream: TextIO) -> bool:
    """Whether what is printed there should be in colour: on a terminal that has it, unless `NO_COLOR` is set."""
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    if os.name == "nt" and not {"WT_SESSION", "TERM", "ANSICON"} & os.environ.keys():
        return False  # an old console of Windows would print the codes
    return stream.isatty()


def _coloured(table: str) -> str:
    """The same table with its cards in the colours of their suits, and the seat to act in bold."""
    in_suits = _CARDS_OF_A_SUIT.sub(lambda cards: _styled(cards[0], _style_of_suit(cards[0])), table)
    return _SEAT_TO_ACT.sub(lambda seat: _styled(seat[0], _BOLD), in_suits)


def _style_of_suit(cards: str) -> str:
    return next(style for symbol, style in zip(SUIT_SYMBOLS, _SUIT_STYLES, strict=True) if symbol in cards)


def _styled(text: str, style: str) -> str:
    return f"\033[{style}m{text}\033[0m"


def calls_by_seat(record: GameRecord) -> list[tuple[Seat, Action]]:
    """The calls of this deal and who made each. A record keeps the calls alone, so they are made once more."""
    replay = np.array([record])
    batch.start_deals(replay, np.zeros((1, NUM_SEATS), dtype=np.int64))
    calls = []
    for call in record["calls"][: record["num_calls"]]:
        calls.append((int(replay["turn"][0]), int(call)))
        batch.step_games(replay, np.array([call], dtype=np.int64))
    return calls


def card_symbol(card: Card) -> str:
    """A card with the symbol of its suit: `Q♥`."""
    return RANK_LETTERS[card % NUM_RANKS] + SUIT_SYMBOLS[card // NUM_RANKS]


def deal_title(record: GameRecord) -> str:
    """Which deal is on: `Deal 3 of 10`."""
    ends_early = record["last_deal"] < NUM_DEALS - 1  # such as a single deal, which is not one of ten
    return f"Deal {record['deal'] + 1}" + ("" if ends_early else f" of {NUM_DEALS}")


def sale_text(record: GameRecord) -> str:
    """To whom the right to choose was sold; empty if it was not."""
    return f"sold to seat {record['declarer']} at {action_text(record['best_bid'])}" if record["is_sold"] else ""


def task_text(record: GameRecord) -> str:
    """Who is to do what: `seat 2 is to bid`."""
    return _TASKS[int(record["phase"])].format(record["turn"])


def pay_text(record: GameRecord) -> str:
    """What the contract pays (Rules 2, 3); nothing where none is chosen."""
    unit = _UNITS.get(CONTRACT_NAMES[record["contract"]])
    return f"{signed(int(UNIT_POINTS[record['contract']]))} {unit}" if unit else ""


def words_of_action(action: Action) -> str:
    """The text of an action with the symbol of a suit instead of its letter: `up ♥`."""
    text = action_text(action)
    if FIRST_UP <= action < FIRST_UP + NUM_SUITS:
        return text[:-1] + SUIT_SYMBOLS[SUIT_LETTERS.index(text[-1])]
    return text


def signed(points: int) -> str:
    """Points with their sign, as players say them: `+25`, `-20`, `0`."""
    return f"{points:+d}" if points else "0"


def playable_cards(record: GameRecord, seat: Seat) -> Cards:
    """The cards to be shown bright: what the seat to act may play; everything of a hand that is not to act."""
    if record["turn"] != seat or record["phase"] != PLAYING:
        return ALL_CARDS
    cards, calls = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
    batch.legal_words(np.array([record]), cards, calls)
    return int(cards[0])


def declaration_sign(record: GameRecord) -> str:
    """What the declarer chose: the symbol of a trump suit, `N` for no trump, `0` for nulls, which is down."""
    if record["contract"] != UP:
        return "0"
    return "N" if record["trump"] == NO_TRUMP else SUIT_SYMBOLS[record["trump"]]


def _headline(record: GameRecord) -> str:
    parts = (deal_title(record), contract_text(record), sale_text(record), task_text(record))
    return " · ".join(part for part in parts if part)


def contract_text(record: GameRecord) -> str:
    """What is played: `no hearts`, `up, ♥ trump`, `skipped` …"""
    if record["is_skipped"]:
        return "skipped"
    name = CONTRACT_NAMES[record["contract"]].replace("_", " ")
    if record["contract"] != UP:
        return name
    return f"{name}, no trump" if record["trump"] == NO_TRUMP else f"{name}, {SUIT_SYMBOLS[record['trump']]} trump"


def _hand_block(record: GameRecord, seat: Seat, viewer: Seat | None) -> list[str]:
    """Five lines: the seat, and its cards suit by suit, or how many they are where they are hidden."""
    to_act = record["turn"] == seat and record["phase"] not in (TO_DEAL, OVER)
    roles = [role for role, is_so in (("you", viewer == seat), ("dealer", record["dealer"] == seat)) if is_so]
    name = f"{'▸' if to_act else ' '} Seat {seat}{' (' + ', '.join(roles) + ')' if roles else ''}"
    if viewer is None or viewer == seat:
        return [name, *(f"  {_suit_line(int(record['hands'][seat]), suit)}" for suit in _SUITS_SHOWN)]
    held = NUM_TRICKS - int(record["played"][seat]).bit_count()
    return [name, f"  {held} card{'' if held == 1 else 's'}", *[""] * (NUM_SUITS - 1)]


def _suit_line(hand: int, suit: Suit) -> str:
    ranks = reversed(range(NUM_RANKS))
    held = "".join(RANK_LETTERS[rank] for rank in ranks if hand >> (NUM_RANKS * suit + rank) & 1)
    return f"{SUIT_SYMBOLS[suit]} {held or '-'}"


def plays_of_trick(record: GameRecord, trick: int) -> list[tuple[Seat, Card]]:
    """Who played what to a trick, in order."""
    first = NUM_SEATS * trick
    cards = [int(card) for card in record["plays"][first : min(first + NUM_SEATS, record["num_plays"])]]
    return [(_who_played(record, card), card) for card in cards]


def _who_played(record: GameRecord, card: Card) -> Seat:
    return next(seat for seat in range(NUM_SEATS) if int(record["played"][seat]) >> card & 1)


def _trick_block(record: GameRecord, below: Seat) -> list[str]:
    """Five lines: the cards on the table, each before the seat that played it."""
    on_table = dict(plays_of_trick(record, int(record["num_plays"]) // NUM_SEATS))
    cards = [card_symbol(on_table[seat]) if seat in on_table else "  " for seat in round_from(below)]
    own, left, above, right = cards
    return ["", f"      {above}", f"  {left}      {right}", f"      {own}", ""]


def round_from(seat: Seat) -> list[Seat]:
    """The four seats, going left."""
    return [(seat + place) % NUM_SEATS for place in range(NUM_SEATS)]


def _row(left: Sequence[str], middle: Sequence[str], right: Sequence[str]) -> list[str]:
    """Blocks of lines side by side."""
    height = max(len(left), len(middle), len(right))
    columns = [[*block, *[""] * (height - len(block))] for block in (left, middle, right)]
    return ["".join(f"{line:<{_COLUMN}}" for line in lines) for lines in zip(*columns, strict=True)]


def _calls_lines(record: GameRecord) -> list[str]:
    """What has been said in this deal, with the seat before each call."""
    if record["num_calls"] == 0 or record["phase"] == TO_DEAL:
        return []
    # A call is not parted from its seat at the end of a line.
    calls = [f"{seat}: {action_text(call)}".replace(" ", "\u00a0") for seat, call in calls_by_seat(record)]
    lines = textwrap.wrap("Calls:  " + ", ".join(calls), _WIDTH, subsequent_indent=" " * len("Calls:  "))
    return [*(line.replace("\u00a0", " ") for line in lines), ""]


def _last_trick_lines(record: GameRecord) -> list[str]:
    """The trick before the present one, and who took it."""
    trick = int(record["num_plays"]) // NUM_SEATS - 1
    if trick < 0:
        return []
    plays = plays_of_trick(record, trick)
    cards = " ".join(card_symbol(card) for _, card in plays)
    return [f"Trick {trick + 1}: {cards}, led by seat {plays[0][0]}, taken by seat {taker_of(record, trick)}", ""]


def taker_of(record: GameRecord, trick: int) -> Seat:
    """Who took a trick: the leader of the next, or who is to lead it."""
    following = plays_of_trick(record, trick + 1)
    return following[0][0] if following else int(record["leader"])


def _score_lines(record: GameRecord) -> list[str]:
    """The score sheet, and below it what this deal has brought so far."""
    return [
        *str(score_sheet(record)).splitlines(),
        _score_line("This deal", record["deal_scores"]),
        _score_line("Tricks", record["tricks"]),
    ]


def _score_line(title: str, values: Sequence[object]) -> str:
    return f"{title:<12}" + "".join(f"{value!s:>10}" for value in values)
