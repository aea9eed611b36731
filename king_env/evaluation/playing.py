"""Whole games in compiled code: played on until a bot written in Python is to act, or to their end.

Every kernel is handed games and streams of its own, so that games can be divided among threads without changing what
happens in any of them.
"""

from __future__ import annotations

import numpy as np

from king_env.bots.compiled import choose
from king_env.chance import Stream, Streams, random_below, shuffle_deal
from king_env.engine.actions import FIRST_CALL, NUM_CALLS, Action
from king_env.engine.cards import NUM_CARDS
from king_env.engine.dealing import start_game
from king_env.engine.information import hide
from king_env.engine.kernel import entry_point, kernel, lowest_bit
from king_env.engine.seats import NUM_SEATS, Seat, left_of
from king_env.engine.state import OVER, TO_DEAL, GameRecord, GameRecords
from king_env.engine.step import legal_actions, start_deal, step
from king_env.evaluation.deal_sheets import DealSheets, fill_sheet

IN_PYTHON = -1  # the code of a bot that is no compiled one
NOBODY = -1  # to be asked: the game is over
NO_ACTION: Action = -1


@entry_point
def draw_deals(streams: Streams, dealers: np.ndarray, deals: np.ndarray) -> None:
    """Draw for each block its games: first the dealer, then the deals in order, from the block's own stream.

    dealers: int64[num_blocks, games_a_block]; deals: int64[num_blocks, games_a_block, deals_a_game, 4].
    """
    for block in range(len(streams)):
        for game in range(dealers.shape[1]):
            dealers[block, game] = random_below(streams[block], NUM_SEATS)
            for deal in range(deals.shape[2]):
                shuffle_deal(streams[block], deals[block, game, deal])


@entry_point
def start_games(games: GameRecords, dealers: np.ndarray, first_deals: np.ndarray, deals_a_game: int) -> None:
    """Begin each game with its dealer at its first deal (int64[num_games] each)."""
    for i in range(len(games)):
        start_game(games[i], dealers[i], first_deals[i], first_deals[i] + deals_a_game - 1)


@kernel
def place_of_deal(game: GameRecord, deals_a_game: int) -> int:
    """Which of a game's deals is on: 0 … deals_a_game − 1, also where the game began later than at the first of ten."""
    return deals_a_game - 1 - (int(game["last_deal"]) - int(game["deal"]))


@kernel
def act(game: GameRecord, action: Action, sheets: DealSheets) -> None:
    """Take an action, and fill the sheet of the deal if that ended it (sheets: one a deal of this game)."""
    place = place_of_deal(game, len(sheets))
    owner = int(game["dealer"])
    step(game, action)
    if game["phase"] == OVER or game["phase"] == TO_DEAL:
        fill_sheet(game, owner, sheets[place])


@kernel
def first_legal_action(game: GameRecord) -> Action:
    """The legal action with the lowest number."""
    cards, calls = legal_actions(game)
    return lowest_bit(cards) if cards != 0 else FIRST_CALL + lowest_bit(calls)


@kernel
def only_legal_action(game: GameRecord) -> Action:
    """The action that a seat must take because there is no other, or NO_ACTION where there is a choice."""
    cards, calls = legal_actions(game)
    actions = cards | calls  # one of the two is empty
    return first_legal_action(game) if actions & (actions - 1) == 0 else NO_ACTION


@kernel
def is_legal(game: GameRecord, action: Action) -> bool:
    """Whether the seat to act may take this action, which may be any number."""
    cards, calls = legal_actions(game)
    if action < 0:
        return False
    if action < NUM_CARDS:
        return (cards >> action) & 1 != 0
    return action < FIRST_CALL + NUM_CALLS and (calls >> (action - FIRST_CALL)) & 1 != 0


@kernel
def play_on(
    game: GameRecord,
    deals: np.ndarray,
    sheets: DealSheets,
    seating: np.ndarray,
    codes: np.ndarray,
    stream: Stream,
    decisions: np.ndarray,
    view: GameRecord,
) -> int:
    """Play a game on until a bot of Python is to be asked, and say which kind; NOBODY at the end of the game.

    No bot is asked where only one action is legal. Compiled bots are handed the view of their seat, like any other.
    """
    while game["phase"] != OVER:
        if game["phase"] == TO_DEAL:
            start_deal(game, deals[place_of_deal(game, len(deals))])
            continue
        action = only_legal_action(game)
        if action == NO_ACTION:
            kind = int(seating[game["turn"]])
            if codes[kind] == IN_PYTHON:
                return kind
            hide(game, game["turn"], view)
            action = choose(codes[kind], view, stream)
            decisions[kind] += 1
        act(game, action, sheets)
    return NOBODY


@entry_point
def play_games(
    games: GameRecords,
    deals: np.ndarray,
    sheets: DealSheets,
    seatings: np.ndarray,
    codes: np.ndarray,
    streams: Streams,
    decisions: np.ndarray,
    asked: np.ndarray,
    scratch: GameRecords,
) -> None:
    """Play every game on until a bot of Python is to be asked, or to its end.

    Each set of deals is played in all seatings, one after the other in `games`.
    deals: int64[num_sets, deals_a_game, 4]; sheets: [num_games, deals_a_game]; seatings: int64[num_seatings, 4], the
    kind in each seat; codes: int64[num_kinds], which compiled bot a kind is, or IN_PYTHON; streams: one a game;
    decisions: int64[num_games, num_kinds], counted up; asked: int64[num_games], the kind to be asked, or NOBODY.
    """
    for i in range(len(games)):
        asked[i] = play_on(
            games[i],
            deals[i // len(seatings)],
            sheets[i],
            seatings[i % len(seatings)],
            codes,
            streams[i],
            decisions[i],
            scratch[0],
        )


@entry_point
def hidden_views(games: GameRecords, which: np.ndarray, views: GameRecords) -> None:
    """What the seat to act may know in each of these games (which: int64[n]; views: [n])."""
    for i in range(len(which)):
        game = games[which[i]]
        hide(game, game["turn"], views[i])


@entry_point
def find_legal(games: GameRecords, which: np.ndarray, actions: np.ndarray, legal: np.ndarray) -> None:
    """Mark the actions (int64[n]) that are legal in these games (legal: bool[n])."""
    for i in range(len(which)):
        legal[i] = is_legal(games[which[i]], actions[i])


@entry_point
def first_legal_actions(games: GameRecords, which: np.ndarray, actions: np.ndarray) -> None:
    """The legal action with the lowest number in each of these games (actions: int64[n])."""
    for i in range(len(which)):
        actions[i] = first_legal_action(games[which[i]])


@entry_point
def act_in_games(games: GameRecords, which: np.ndarray, actions: np.ndarray, sheets: DealSheets) -> None:
    """Take these legal actions (int64[n]) in these games (which: int64[n])."""
    for i in range(len(which)):
        act(games[which[i]], actions[i], sheets[which[i]])
