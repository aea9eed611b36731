"""Foreseeing a deal: all hands are seen and the other seats' replies are known, so each line of play has one outcome.

The seat to act tries all that it may do at its next few decisions, and from there on plays as the heuristic does. The
other seats reply as `heuristic`, or as `search` in so many worlds: neither draws random numbers from outside, so what
is foreseen against them comes true, and what a seat has foreseen once it can never lose by looking again.

A line is given up as soon as what it can still make is no more than another has made already. So no outcome changes.
"""

from __future__ import annotations

import numpy as np

from king_env.bots.compiled import NO_ACTION, can_act, only_legal_action, view_of_turn
from king_env.bots.endings import most_to_make
from king_env.bots.heuristic import heuristic_action
from king_env.bots.searching import begin_searches, end_searches, search_worlds
from king_env.chance import Streams
from king_env.engine.actions import FIRST_CALL, Action
from king_env.engine.cards import CARD_BIT
from king_env.engine.kernel import entry_point, kernel, lowest_bit
from king_env.engine.seats import Seat
from king_env.engine.state import OVER, PLAYING, TO_DEAL, GameRecord, GameRecords
from king_env.engine.step import legal_actions, step

# A decision of the seat that looks ahead, and which actions it has not tried there yet.
FORK_DTYPE = np.dtype(
    [
        ("usual", np.int64),  # what the heuristic would do, which is tried first; NO_ACTION afterwards
        ("others", np.int64),  # what else may be done, a set of cards or of calls
        ("lowest", np.int64),  # the action that is number 0 of that set
    ],
    align=True,
)
Fork = GameRecord  # one element of an array of FORK_DTYPE
Forks = np.ndarray  # FORK_DTYPE[depth]

# No deal makes so much or so little.
NO_LIMIT = 10_000

SCRATCH_RECORDS = 3  # that a reply needs: the view of the seat, a world, and how it ends


# What there is to try


@entry_point
def usual_action(games: GameRecords) -> Action:
    """What the heuristic does in ``games[0]``.

    Like others here it is compiled as a function of its own, once for all that call it, or compiling takes minutes.
    """
    return heuristic_action(games[0])


@entry_point
def begin_fork(games: GameRecords, fork: Fork) -> None:
    game = games[0]
    usual = usual_action(games)
    cards, calls = legal_actions(game)
    fork["usual"] = usual
    fork["lowest"] = 0 if cards != 0 else FIRST_CALL
    fork["others"] = (cards | calls) ^ CARD_BIT[usual - fork["lowest"]]


@kernel
def next_action(fork: Fork) -> Action:
    """What is to be tried next, which is crossed off; NO_ACTION when all has been tried."""
    action = int(fork["usual"])
    fork["usual"] = NO_ACTION
    if action == NO_ACTION and fork["others"] != 0:
        action = fork["lowest"] + lowest_bit(fork["others"])
        fork["others"] &= fork["others"] - 1
    return action


# What comes of it


@kernel
def is_deal_on(game: GameRecord) -> bool:
    return game["phase"] != TO_DEAL and game["phase"] != OVER


@entry_point
def within_reach(game: GameRecord, seat: Seat) -> int:
    """What a seat makes in this deal if it is over, and otherwise more than it can make."""
    if game["phase"] == PLAYING:
        return most_to_make(game, seat)
    return NO_LIMIT if is_deal_on(game) else int(game["deal_scores"][seat])


@entry_point
def searched_action(
    games: GameRecords, worlds: int, searches: np.ndarray, deals: np.ndarray, streams: Streams, scratch: GameRecords
) -> Action:
    """What the seat to act in ``games[0]`` does if it plays as `search` in so many worlds."""
    view, answer = scratch[:1], np.empty(1, dtype=np.int64)
    view_of_turn(games[0], view)
    begin_searches(view, searches, deals, streams, answer)
    in_rounds = worlds > 0  # which is so; for a plain True the search would be compiled a second time
    search_worlds(view, worlds, searches, deals, streams, scratch[1:], in_rounds)
    end_searches(searches, answer)
    return int(answer[0])


@kernel
def reply(
    games: GameRecords,
    seat: Seat,
    worlds: int,
    searches: np.ndarray,
    deals: np.ndarray,
    streams: Streams,
    scratch: GameRecords,
) -> Action:
    """What is done where nothing is tried: the seat that looks ahead plays as the heuristic, the others as they do."""
    if worlds == 0 or games[0]["turn"] == seat:
        return usual_action(games)
    return searched_action(games, worlds, searches, deals, streams, scratch)


@entry_point
def play_on(
    games: GameRecords,
    action: Action,
    seat: Seat,
    to_the_end: bool,
    most: int,
    worlds: int,
    searches: np.ndarray,
    deals: np.ndarray,
    streams: Streams,
    scratch: GameRecords,
) -> None:
    """Do this in ``games[0]``, and play until the seat has a choice or the deal is over.

    to_the_end: only until the deal is over. In any case no further than the seat can still make more than `most`.
    """
    game = games[0]
    while action != NO_ACTION:
        step(game, action)
        if not is_deal_on(game) or within_reach(game, seat) <= most:
            return
        action = only_legal_action(game)
        if action == NO_ACTION and (to_the_end or game["turn"] != seat):
            action = reply(games, seat, worlds, searches, deals, streams, scratch)


@kernel
def foresee(
    games: GameRecords,
    forks: Forks,
    worlds: int,
    searches: np.ndarray,
    deals: np.ndarray,
    streams: Streams,
    scratch: GameRecords,
) -> tuple[Action, int]:
    """The action that brings the seat to act in ``games[0]`` most, and what it then makes in this deal.

    It tries all that it may do at as many decisions as there are forks. games: one record more than these.
    """
    seat = int(games[0]["turn"])
    best, most, tried = NO_ACTION, -NO_LIMIT, NO_ACTION
    begin_fork(games, forks[0])
    depth = 0
    while depth >= 0:
        action = next_action(forks[depth])
        if action == NO_ACTION:
            depth -= 1
            continue
        if depth == 0:
            tried = action
        after = games[depth + 1 : depth + 2]
        after[0] = games[depth]
        is_last = depth + 1 == len(forks)
        play_on(after, action, seat, is_last, most, worlds, searches, deals, streams, scratch)
        if within_reach(after[0], seat) <= most:
            continue
        if is_deal_on(after[0]):
            depth += 1
            begin_fork(after, forks[depth])
        else:
            best, most = tried, int(after[0]["deal_scores"][seat])
    return best, most


@entry_point
def foresee_all(
    positions: GameRecords,
    games: GameRecords,
    forks: Forks,
    worlds: int,
    searches: np.ndarray,
    deals: np.ndarray,
    streams: Streams,
    scratch: GameRecords,
    actions: np.ndarray,
    points: np.ndarray,
) -> None:
    """The best action in each of N whole games, and what is foreseen after it; NO_ACTION where nobody is to act.

    worlds: in how many the other seats search; 0: they play as the heuristic. forks: as many as the decisions at which
    all is tried; games: one more; searches: SEARCH_DTYPE[1]; deals: DEALS_DTYPE[1]; streams: uint64[1, 4]; scratch:
    SCRATCH_RECORDS; actions and points: int64[N], written.
    """
    for i in range(len(positions)):
        actions[i] = NO_ACTION
        if can_act(positions[i]):
            games[0] = positions[i]
            actions[i], points[i] = foresee(games, forks, worlds, searches, deals, streams, scratch)
