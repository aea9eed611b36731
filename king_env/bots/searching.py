"""Search: what each legal action is worth, by playing it out in worlds that the seat cannot tell from the true one.

All actions are played out in the same worlds, so that the luck of the cards, which moves all of them alike, cancels.
The worlds come from random numbers that begin with what the seat has seen of the deal: the same position is searched
in the same worlds whenever it comes up, in every duplicate and on every machine.
"""

from __future__ import annotations

import math

import numpy as np

from king_env.bots.compiled import NO_ACTION, can_act
from king_env.bots.heuristic import heuristic_action
from king_env.bots.playouts import play_out_after
from king_env.chance import Stream, Streams, random_word
from king_env.engine.actions import FIRST_CALL, NUM_CALLS, Action
from king_env.engine.contracts import NUM_TRICKS
from king_env.engine.information import Deals, count_deals_of, lay_out_deal, num_deals
from king_env.engine.kernel import entry_point, kernel, lowest_bit
from king_env.engine.state import GameRecord, GameRecords
from king_env.engine.step import legal_actions
from king_env.worlds import draw_world

MAX_CHOICES = max(NUM_TRICKS, NUM_CALLS)

# One decision while it is searched.
SEARCH_DTYPE = np.dtype(
    [
        ("num_choices", np.int64),  # those still in question; one: nothing is left to search
        ("actions", np.int64, (MAX_CHOICES,)),  # what they are, first what the heuristic would do
        # How much more than that first one each has made for the seat, in all worlds together, and these gains squared.
        ("gains", np.int64, (MAX_CHOICES,)),
        ("squares", np.int64, (MAX_CHOICES,)),
        ("num_worlds", np.int64),  # in which they have been played out
        ("is_exact", np.int64),  # 1: these are all the worlds there are
    ],
    align=True,
)
Search = GameRecord  # one element of an array of SEARCH_DTYPE
Searches = np.ndarray  # SEARCH_DTYPE[N]

NOTHING_FITS: Action = -2  # no deal of the hidden cards agrees with what a view shows

# The heuristic's choice stands unless another gains so many times the error of that gain: the best of many choices is
# often one that was merely lucky.
CAUTION = 1.0

# Where the random numbers of a position begin (any words that are not all zero), and how many are thrown away once
# the position has been stirred in.
FIRST_WORDS = np.array(
    [0x243F6A8885A308D3, 0x13198A2E03707344, 0xA4093822299F31D0, 0x082EFA98EC4E6C89], dtype=np.uint64
)
THROWN_AWAY = 16


@kernel
def stir_in(stream: Stream, word: int) -> None:
    """Let all later random numbers depend on a word."""
    stream[0] ^= np.uint64(word)
    random_word(stream)


@kernel
def begin_stream(view: GameRecord, stream: Stream) -> None:
    """Begin random numbers that depend on what the seat to act has seen of this deal, and on nothing else."""
    for number in range(len(FIRST_WORDS)):
        stream[number] = FIRST_WORDS[number]
    stir_in(stream, view["hands"][view["turn"]])
    stir_in(stream, view["turn"])
    stir_in(stream, view["dealer"])
    stir_in(stream, view["contract"])
    stir_in(stream, view["trump"])
    for call in range(view["num_calls"]):
        stir_in(stream, view["calls"][call])
    for play in range(view["num_plays"]):
        stir_in(stream, view["plays"][play])
    for _ in range(THROWN_AWAY):
        random_word(stream)


# What may be done


@kernel
def add_choice(search: Search, action: Action) -> None:
    choice = search["num_choices"]
    search["actions"][choice] = action
    search["gains"][choice] = 0
    search["squares"][choice] = 0
    search["num_choices"] += 1


@kernel
def list_choices(view: GameRecord, search: Search) -> None:
    """Begin a decision: note what the heuristic would do, and then what else may be done."""
    search["num_choices"] = 0
    search["num_worlds"] = 0
    search["is_exact"] = 0
    usual = heuristic_action(view)
    add_choice(search, usual)
    cards, calls = legal_actions(view)
    lowest = 0 if cards != 0 else FIRST_CALL
    left = cards | calls  # one of the two is empty
    while left != 0:
        action = lowest + lowest_bit(left)
        if action != usual:
            add_choice(search, action)
        left &= left - 1


# What it is worth


@kernel
def play_out_choices(world: GameRecords, search: Search, finished: GameRecords) -> None:
    """Play every choice out in one world, and add up what each gains; finished: one record of scratch."""
    seat = int(world[0]["turn"])
    usual = 0
    for choice in range(search["num_choices"]):
        play_out_after(world[0], search["actions"][choice], finished)
        made = int(finished[0]["deal_scores"][seat])
        if choice == 0:
            usual = made
        search["gains"][choice] += made - usual
        search["squares"][choice] += (made - usual) ** 2
    search["num_worlds"] += 1


@kernel
def next_world(view: GameRecord, search: Search, deals: Deals, stream: Stream, world: GameRecords) -> None:
    """Write a world to ``world[0]``: the next of all where each is searched once, otherwise any."""
    if search["is_exact"]:
        world[0] = view
        lay_out_deal(deals, int(search["num_worlds"]), world[0])
    else:
        draw_world(view, deals, stream, world)


@kernel
def sure_gain(search: Search, choice: int) -> float:
    """What a choice gains in the mean, less what may well be luck."""
    num_worlds = search["num_worlds"]
    gain = search["gains"][choice] / num_worlds
    if search["is_exact"]:
        return gain
    variance = search["squares"][choice] / num_worlds - gain * gain
    return gain - CAUTION * math.sqrt(max(0.0, variance) / num_worlds)


@kernel
def best_choice(search: Search) -> Action:
    """The action that gains most; what the heuristic would do unless another surely gains."""
    best, most = 0, 0.0
    for choice in range(1, search["num_choices"]):
        gain = sure_gain(search, choice)
        if gain > most:
            best, most = choice, gain
    return int(search["actions"][best])


# Fewer choices, more worlds


@kernel
def num_kept(num_choices: int) -> int:
    """How many choices stay when the worse half is dropped: what the heuristic would do always does."""
    return 1 + num_choices // 2


@kernel
def num_rounds(num_choices: int) -> int:
    """In how many rounds of search the choices come down to two."""
    rounds = 1
    while num_choices > num_kept(num_choices):
        num_choices = num_kept(num_choices)
        rounds += 1
    return rounds


@kernel
def swap(values: np.ndarray, left: int, right: int) -> None:
    kept = values[left]
    values[left] = values[right]
    values[right] = kept


@kernel
def drop_worse_half(search: Search) -> None:
    """Search no further what gains least; the first choice stays."""
    kept = num_kept(search["num_choices"])
    for place in range(1, kept):
        best = place
        for choice in range(place + 1, search["num_choices"]):
            if search["gains"][choice] > search["gains"][best]:
                best = choice
        swap(search["actions"], place, best)
        swap(search["gains"], place, best)
        swap(search["squares"], place, best)
    search["num_choices"] = kept


@kernel
def search_in_rounds(
    view: GameRecord, rounds: int, playouts: int, search: Search, deals: Deals, stream: Stream, scratch: GameRecords
) -> None:
    """Divide so many playouts among the rounds, and before each but the first drop the worse half of the choices."""
    world, finished = scratch[:1], scratch[1:2]
    for number in range(rounds):
        if number > 0:
            drop_worse_half(search)
        for _ in range(max(1, playouts // (rounds * search["num_choices"]))):
            next_world(view, search, deals, stream, world)
            play_out_choices(world, search, finished)


# What Python calls


@entry_point
def begin_searches(
    views: GameRecords, searches: Searches, deals: np.ndarray, streams: Streams, actions: np.ndarray
) -> None:
    """Prepare a search of each of N views; where none is needed or possible, write down what comes of it.

    searches: SEARCH_DTYPE[N], deals: DEALS_DTYPE[N], streams: uint64[N, 4] and actions: int64[N] are written. An action
    is NO_ACTION where nobody is to act, NOTHING_FITS where no world is possible, and the first choice otherwise.
    """
    for i in range(len(views)):
        searches[i]["num_choices"] = 1
        actions[i] = NO_ACTION
        if can_act(views[i]):
            list_choices(views[i], searches[i])
            actions[i] = searches[i]["actions"][0]
        if searches[i]["num_choices"] > 1:
            begin_stream(views[i], streams[i])
            if count_deals_of(views[i], deals[i]) == 0:
                searches[i]["num_choices"] = 1
                actions[i] = NOTHING_FITS


@entry_point
def search_worlds(
    views: GameRecords,
    worlds: int,
    searches: Searches,
    deals: np.ndarray,
    streams: Streams,
    scratch: GameRecords,
    in_rounds: bool,
) -> None:
    """Search so many more worlds of each view, or all its worlds if they are no more.

    in_rounds: as many playouts, but each round drops the worse half of the choices. scratch: two records.
    """
    for i in range(len(views)):
        search = searches[i]
        if search["num_choices"] == 1 or search["is_exact"]:
            continue
        search["is_exact"] = 1 if search["num_worlds"] == 0 and num_deals(deals[i]) <= worlds else 0
        rounds = num_rounds(search["num_choices"]) if in_rounds and not search["is_exact"] else 1
        playouts = min(worlds, num_deals(deals[i])) * search["num_choices"]
        search_in_rounds(views[i], rounds, playouts, search, deals[i], streams[i], scratch)


@entry_point
def end_searches(searches: Searches, actions: np.ndarray) -> None:
    """Write down the best action of each view that was searched."""
    for i in range(len(searches)):
        if searches[i]["num_choices"] > 1:
            actions[i] = best_choice(searches[i])


@entry_point
def write_mean_gains(searches: Searches, gains: np.ndarray) -> None:
    """What each choice still in question gains in the mean: gains float32[N, NUM_ACTIONS], written there alone."""
    for i in range(len(searches)):
        for choice in range(searches[i]["num_choices"]):
            if searches[i]["num_worlds"] > 0:
                gains[i, searches[i]["actions"][choice]] = searches[i]["gains"][choice] / searches[i]["num_worlds"]
