"""Bots as kernels, so that whole games and batches of games are played in compiled code.

A compiled bot is a number, its code: how it plays the cards, how it chooses the way a positive deal is played, and how
it bids, two bits each. So one bot may think of its cards but bid at random, and what each of the three is worth can be
measured by itself.
"""

from __future__ import annotations

import numpy as np

from king_env.bots.heuristic import heuristic_call, heuristic_card
from king_env.bots.random_bot import random_call, random_card, uniform_call
from king_env.chance import Stream, Streams
from king_env.engine.actions import FIRST_CALL, Action
from king_env.engine.information import hide
from king_env.engine.kernel import entry_point, kernel, lowest_bit
from king_env.engine.play import legal_cards
from king_env.engine.state import (
    BIDDING,
    DECIDING,
    DECLARING,
    OPENING,
    OVER,
    PHASE_NAMES,
    PLAYING,
    TO_DEAL,
    ULTIMATUM,
    GameRecord,
    GameRecords,
)
from king_env.engine.step import legal_actions, legal_calls

BotCode = int

# How something is done.
MANNER_NAMES = ("uniform", "random", "heuristic")
RANDOM, HEURISTIC = MANNER_NAMES.index("random"), MANNER_NAMES.index("heuristic")

# What is done: playing cards; opening and declaring a positive deal; bidding, answering an ultimatum, and selling.
CARDS, CHOOSING, BIDDING_PART = range(3)
PART_NAMES = ("cards", "choosing", "bidding")

PART_OF_PHASE = np.zeros(len(PHASE_NAMES), dtype=np.int64)
PART_OF_PHASE[PLAYING] = CARDS
PART_OF_PHASE[[OPENING, DECLARING]] = CHOOSING
PART_OF_PHASE[[ULTIMATUM, BIDDING, DECIDING]] = BIDDING_PART

NO_ACTION: Action = -1
IN_PYTHON: BotCode = -1  # of a bot that is no compiled one

MANNERS = 4  # codes have room for one more manner
PLACE_OF_PART = np.array([MANNERS**part for part in range(len(PART_NAMES))], dtype=np.int64)


def bot_code(cards: str, choosing: str, bidding: str) -> BotCode:
    """The code of the bot that does the three parts in these manners: `uniform`, `random` or `heuristic`."""
    manners = [MANNER_NAMES.index(name) for name in (cards, choosing, bidding)]
    return sum(manner * int(place) for manner, place in zip(manners, PLACE_OF_PART, strict=True))


@kernel
def manner_of(code: BotCode, part: int) -> int:
    return (int(code) // PLACE_OF_PART[part]) % MANNERS


@kernel
def choose(code: BotCode, view: GameRecord, stream: Stream) -> Action:
    """What the bot of this code does; random ones draw from the stream, `heuristic` leaves it as it is."""
    manner = manner_of(code, PART_OF_PHASE[view["phase"]])
    if view["phase"] == PLAYING:
        return heuristic_card(view) if manner == HEURISTIC else random_card(legal_cards(view), stream)
    if manner == HEURISTIC:
        return heuristic_call(view)
    return random_call(view, stream) if manner == RANDOM else uniform_call(legal_calls(view), stream)


@kernel
def only_legal_action(game: GameRecord) -> Action:
    """The action that a seat must take because there is no other, or NO_ACTION where there is a choice."""
    cards, calls = legal_actions(game)
    actions = cards | calls  # one of the two is empty
    if actions & (actions - 1) != 0:
        return NO_ACTION
    return lowest_bit(cards) if cards != 0 else FIRST_CALL + lowest_bit(calls)


@kernel
def view_of_turn(game: GameRecord, scratch: GameRecords) -> GameRecord:
    """What the seat to act may know, written to the one record of `scratch`."""
    scratch[0] = game
    hide(scratch[0], game["turn"])
    return scratch[0]


@kernel
def can_act(view: GameRecord) -> bool:
    """Whether somebody is to act, and this is the view of that seat: those of the others show none of its cards."""
    return view["phase"] != TO_DEAL and view["phase"] != OVER and view["hands"][view["turn"]] != 0


@entry_point
def choose_all(code: BotCode, views: GameRecords, streams: Streams, actions: np.ndarray) -> None:
    """The bot's action in each of N games (int64[N], written; NO_ACTION without one), each with its own stream."""
    for i in range(len(views)):
        actions[i] = choose(code, views[i], streams[i]) if can_act(views[i]) else NO_ACTION
