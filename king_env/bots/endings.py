"""Endings: the last tricks of a deal, solved exactly for four seats that see all hands and play for themselves.

Each seat plays the card after which it makes the most points in this deal, knowing that the others do the same
(max^n; a sale is settled first, Rules 3.5). Where several cards are equally good for it, it plays the one with the
lowest number: clubs before diamonds, hearts and spades, in a suit the lowest (Rules 5). So every position has one
solution, whatever order the cards are tried in and whatever has been remembered. It tells what happens if all play
like that, not what a seat can be sure of: a seat to whom nothing matters may ruin another by its choice.

>>> from king_env import Game
>>> from king_env.bots import solve_ending
>>> game = Game(seed=1)
>>> for _ in range(32):
...     game.play(game.legal()[0])
>>> card, points = solve_ending(game)  # of the last five tricks, and what each seat then makes in this deal
>>> int(points.sum())
-260

What keeps it quick, and changes no solution:

- a card is not tried if the next lower card still in play is in the same hand and pays as much: the two take and lose
  the same tricks, and the lower one would be preferred;
- what must be played is played at once, and nothing is tried when nothing that pays is left;
- a seat stops trying when it makes as much as there is to make: later cards are no better, and have higher numbers;
- what a position still brings is remembered when a trick is over, and found again by the order of the cards left.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from king_env.engine.actions import Action
from king_env.engine.cards import (
    ALL_CARDS,
    CARD_BIT,
    CARDS_OF_SUIT,
    LOWER_IN_SUIT,
    NUM_SUITS,
    Card,
    Cards,
    has_card,
)
from king_env.engine.contracts import NUM_CONTRACTS, NUM_TRICKS, PAYING_CARDS, TRICK_POINTS
from king_env.engine.kernel import entry_point, highest_bit, kernel, lowest_bit, popcount
from king_env.engine.play import legal_cards
from king_env.engine.scoring import is_decided
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import (
    GAME_DTYPE,
    PHASE_NAMES,
    PLAYING,
    GameRecord,
    GameRecords,
    best_points,
    is_leading,
    new_records,
    owner,
    seat_to_act,
    trick_number,
)
from king_env.engine.step import step
from king_env.game import Game
from king_env.ruleset import whole_number

MOST_TRICKS = 7  # of an ending; so long a one has no more positions than two words can tell apart
MOST_TURNS = NUM_SEATS * MOST_TRICKS

DEFAULT_PLACES = 1 << 16  # for positions that are remembered

NO_CARD: Card = -1

# What is still to be made in each contract from trick `[contract, number]` on, if it is something to win: where tricks
# cost points, the most that a seat can make is nothing.
MOST_TO_COME = np.array(
    [
        [max(0, int(TRICK_POINTS[contract, trick:].sum())) for trick in range(NUM_TRICKS + 1)]
        for contract in range(NUM_CONTRACTS)
    ],
    dtype=np.int64,
)

# One turn while it is thought about.
TURN_DTYPE = np.dtype(
    [
        ("choices", np.int64),  # the cards to try yet
        ("card", np.int64),  # the card that is being tried
        ("best_card", np.int64),  # the best so far; NO_CARD before the first
        ("points", np.int64, (NUM_SEATS,)),  # what each seat makes in this deal after it
        ("most", np.int64),  # more than this the seat cannot make
    ],
    align=True,
)
Turn = Any  # one element of an array of TURN_DTYPE
Turns = np.ndarray  # TURN_DTYPE[MOST_TURNS + 1]

# A position that has been solved. A place holds one at a time, the latest.
KNOWN_DTYPE = np.dtype(
    [
        ("ending", np.int64),  # the number of the ending it belongs to; 0: none is known here
        ("owners", np.int64),  # which position it is, in two words (see `position_words`)
        ("suits", np.int64),
        ("gains", np.int16, (NUM_SEATS,)),  # what each seat still makes from there
    ],
    align=True,
)
Known = Any  # one element of an array of KNOWN_DTYPE
Table = np.ndarray  # KNOWN_DTYPE[places], a power of two

# Shorter endings are as quickly solved as found.
FEWEST_TRICKS_KNOWN = 2

# To spread positions over the table: halves of words are multiplied by odd numbers and the upper bits taken.
HALF_BITS = 28
HALF_WORD = (1 << HALF_BITS) - 1
SPREAD = (0x9E37_79B1, 0x85EB_CA77, 0xC2B2_AE3D, 0x27D4_EB2F)
SPREAD_BITS = 30

BITS_A_SEAT = 2
BITS_A_NUMBER = 4  # 0 … 13


# What there is to try


@kernel
def cards_held(game: GameRecord) -> Cards:
    """All cards that are still in a hand."""
    return game["hands"][0] | game["hands"][1] | game["hands"][2] | game["hands"][3]


@kernel
def cards_to_compare(game: GameRecord) -> Cards:
    """The cards that may still take a trick from each other: those in hands, and the one that is winning."""
    return cards_held(game) | (0 if is_leading(game) else CARD_BIT[game["winning_card"]])


@kernel
def choices_that_differ(game: GameRecord) -> Cards:
    """The legal cards, but of a run of equal ones the lowest alone.

    Two are equal if they pay alike and no other card in play lies between them.
    """
    in_play = cards_to_compare(game)
    hand = game["hands"][game["turn"]]
    paying = PAYING_CARDS[game["contract"]]
    choices = legal_cards(game)
    left = choices
    while left != 0:
        card = lowest_bit(left)
        lower = LOWER_IN_SUIT[card] & in_play
        if lower != 0:
            next_lower = highest_bit(lower)
            if has_card(hand, next_lower) and has_card(paying, next_lower) == has_card(paying, card):
                choices ^= CARD_BIT[card]
        left &= left - 1
    return choices


@kernel
def is_open(game: GameRecord) -> bool:
    """Whether the deal is on, and something that pays is left in a hand or on the table."""
    if game["phase"] != PLAYING:
        return False
    return not is_decided(game) or PAYING_CARDS[game["contract"]] & game["trick_cards"] != 0


@kernel
def play_on(game: GameRecord, card: Card) -> Cards:
    """Play a card and all that must follow, and say what the next seat with a choice may try: none at the end."""
    choices = CARD_BIT[card]
    while choices != 0 and choices & (choices - 1) == 0:
        step(game, lowest_bit(choices))
        choices = choices_that_differ(game) if is_open(game) else 0
    return choices


@kernel
def most_to_make(game: GameRecord, seat: Seat) -> int:
    """More than this a seat cannot make in this deal: all that is to be won, and for an owner the full price.

    What a buyer pays is left out, so that a buyer seldom makes so much; then all its cards are tried.
    """
    most = game["deal_scores"][seat] + MOST_TO_COME[game["contract"], trick_number(game)]
    if game["is_sold"] != 0 and seat == owner(game):
        most += best_points(game)
    return int(most)


# Positions that have been solved


@kernel
def is_remembered(game: GameRecord) -> bool:
    """Whether this is a position of the kind that is remembered: a trick is over, and some are to come."""
    return is_leading(game) and trick_number(game) <= NUM_TRICKS - FEWEST_TRICKS_KNOWN


@kernel
def holder_of(game: GameRecord, card_bit: Cards) -> Seat:
    """Who holds a card that is in a hand."""
    if game["hands"][0] & card_bit != 0:
        return 0
    if game["hands"][1] & card_bit != 0:
        return 1
    return 2 if game["hands"][2] & card_bit != 0 else 3


@kernel
def position_words(game: GameRecord) -> tuple[int, int]:
    """All that the rest of a deal depends on when a trick is over, as two words.

    First who holds the cards, suit by suit from the lowest up: which cards are gone does not matter, only the order of
    those that are left. Then how many are left of each suit and which of them pay, who leads, and what a buyer, whose
    price may depend on it, has made. The contract, the price and the rules are the same in all of an ending.
    """
    owners, suits = 0, 0
    for suit in range(NUM_SUITS):
        left = cards_held(game) & CARDS_OF_SUIT[suit]
        suits = suits << BITS_A_NUMBER | popcount(left)
        while left != 0:
            card_bit = left & -left
            owners = owners << BITS_A_SEAT | holder_of(game, card_bit)
            suits = suits << 1 | (PAYING_CARDS[game["contract"]] & card_bit != 0)
            left ^= card_bit
    made = int(game["units"][game["declarer"]]) if game["is_sold"] != 0 else 0
    suits = (suits << BITS_A_SEAT | int(game["leader"])) << BITS_A_NUMBER | made
    return owners, suits


@kernel
def place_in(table: Table, owners: int, suits: int) -> int:
    """Where a position is kept; the products and their sum stay within a word."""
    mixed = (owners & HALF_WORD) * SPREAD[0] + (owners >> HALF_BITS) * SPREAD[1]
    mixed += (suits & HALF_WORD) * SPREAD[2] + (suits >> HALF_BITS) * SPREAD[3]
    return (mixed >> SPREAD_BITS) & (len(table) - 1)


@kernel
def remember(table: Table, ending: int, game: GameRecord, turn: Turn) -> None:
    """Keep what each seat still makes from this position, the beginning of a trick."""
    owners, suits = position_words(game)
    known = table[place_in(table, owners, suits)]
    known["ending"] = ending
    known["owners"] = owners
    known["suits"] = suits
    for seat in range(NUM_SEATS):
        known["gains"][seat] = turn["points"][seat] - game["deal_scores"][seat]


@kernel
def recall(table: Table, ending: int, game: GameRecord, turn: Turn) -> bool:
    """Write what each seat makes in the deal to ``turn["points"]`` if this position has been solved in this ending."""
    owners, suits = position_words(game)
    known = table[place_in(table, owners, suits)]
    if known["ending"] != ending or known["owners"] != owners or known["suits"] != suits:
        return False
    for seat in range(NUM_SEATS):
        turn["points"][seat] = game["deal_scores"][seat] + known["gains"][seat]
    return True


# Thinking


@kernel
def begin_turn(game: GameRecord, choices: Cards, turn: Turn) -> None:
    turn["choices"] = choices
    turn["best_card"] = NO_CARD
    turn["most"] = most_to_make(game, game["turn"])


@kernel
def weigh(turn: Turn, seat: Seat, points: np.ndarray) -> None:
    """Note what all seats make (int64[4]) after the card tried if it is better for this one than those before."""
    if turn["best_card"] != NO_CARD and points[seat] <= turn["points"][seat]:
        return
    turn["best_card"] = turn["card"]
    for each in range(NUM_SEATS):
        turn["points"][each] = points[each]
    if points[seat] >= turn["most"]:
        turn["choices"] = 0


@kernel
def try_lowest_choice(games: GameRecords, turns: Turns, depth: int) -> None:
    """Let the seat whose turn is ``turns[depth]`` play the lowest card not yet tried, in a copy: ``games[depth + 1]``.

    The next turn is then ``turns[depth + 1]``; it has no choices if the deal is over, and its points are those made.
    """
    turn, after = turns[depth], turns[depth + 1]
    turn["card"] = lowest_bit(turn["choices"])
    turn["choices"] &= turn["choices"] - 1
    games[depth + 1] = games[depth]
    choices = play_on(games[depth + 1], turn["card"])
    begin_turn(games[depth + 1], choices, after)
    if choices == 0:
        for seat in range(NUM_SEATS):
            after["points"][seat] = games[depth + 1]["deal_scores"][seat]


@kernel
def is_solved(table: Table, ending: int, game: GameRecord, turn: Turn) -> bool:
    """Whether the points of a turn just reached stand already: the deal is over, or the position is known."""
    if turn["choices"] == 0:
        return True
    return is_remembered(game) and recall(table, ending, game, turn)


@kernel
def solve(games: GameRecords, turns: Turns, table: Table, ending: int) -> None:
    """Solve the ending that begins with ``games[0]``, a seat's turn: ``turns[0]`` holds its best card and the points.

    games: room for MOST_TURNS + 1 records; ending: its number, which nothing in the table has.
    """
    depth = 0
    begin_turn(games[0], choices_that_differ(games[0]), turns[0])
    while turns[0]["choices"] != 0 or depth > 0:
        if turns[depth]["choices"] != 0:
            try_lowest_choice(games, turns, depth)
            depth += 1
            if not is_solved(table, ending, games[depth], turns[depth]):
                continue
        elif is_remembered(games[depth]):
            remember(table, ending, games[depth], turns[depth])
        depth -= 1
        weigh(turns[depth], seat_to_act(games[depth]), turns[depth + 1]["points"])


# What Python calls


@entry_point
def solve_all(
    positions: GameRecords, games: GameRecords, turns: Turns, table: Table, cards: np.ndarray, points: np.ndarray
) -> None:
    """Solve N endings with an empty table; cards: int64[N] and points: int64[N, 4] are written.

    games: room for MOST_TURNS + 1 records, turns: TURN_DTYPE[MOST_TURNS + 1].
    """
    for i in range(len(positions)):
        games[0] = positions[i]
        solve(games, turns, table, i + 1)
        cards[i] = turns[0]["best_card"]
        points[i] = turns[0]["points"]


def solve_endings(games: GameRecords, places: int = DEFAULT_PLACES) -> tuple[np.ndarray, np.ndarray]:
    """The solutions of N endings: the best card of each seat to act (int64[N]), and all points (int64[N, 4]).

    games: GAME_DTYPE[N], whole games in each of which a card is to be played and at most seven tricks are to come. The
    points are those of the deal when it is over, what has been made before included.
    places: for positions that are remembered, a power of two; no solution depends on it, but where there are too few
    of them long endings take longer.

    Raises ValueError for games that hide cards, in which no card is to be played, or that are too far from their end.
    """
    if not isinstance(games, np.ndarray) or games.dtype != GAME_DTYPE or games.ndim != 1:
        raise ValueError("games: must be an array GAME_DTYPE[N], as `Game.record` is")
    for game in games:
        _check_ending(game)
    whole_number("places", places, 1)
    if places & (places - 1) != 0:
        raise ValueError(f"places: must be a power of two, not {places}")
    cards = np.empty(len(games), dtype=np.int64)
    points = np.empty((len(games), NUM_SEATS), dtype=np.int64)
    turns, table = np.zeros(MOST_TURNS + 1, dtype=TURN_DTYPE), np.zeros(places, dtype=KNOWN_DTYPE)
    solve_all(games, new_records(MOST_TURNS + 1), turns, table, cards, points)
    return cards, points


def solve_ending(game: Game | GameRecords) -> tuple[Action, np.ndarray]:
    """The solution of one ending, a `Game` or GAME_DTYPE[1]: the best card of the seat to act, and the points int64[4].

    See `solve_endings`, which raises ValueError as this does.
    """
    record = game.record if isinstance(game, Game) else game
    if np.shape(record) != (1,):
        raise ValueError("game: must be a Game or one game record, GAME_DTYPE[1]; solve_endings takes any number")
    cards, points = solve_endings(record)
    return int(cards[0]), points[0]


def _check_ending(game: GameRecord) -> None:
    """Refuse what is no ending with all hands known."""
    if game["phase"] != PLAYING:
        raise ValueError(f"games: no card is to be played, the phase is {PHASE_NAMES[game['phase']]}")
    if (game["hands"] | game["played"]).sum() != ALL_CARDS:
        raise ValueError("games: all four hands must be known, and this is the view of a seat")
    tricks_left = NUM_TRICKS - trick_number(game)
    if tricks_left > MOST_TRICKS:
        raise ValueError(f"games: {tricks_left} tricks are to come, and at most {MOST_TRICKS} can be solved")
