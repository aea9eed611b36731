"""Whole games in compiled code: played on until a bot written in Python is to act, or to their end.

Every kernel is handed games and streams of its own, so that games can be divided among threads without changing what
happens in any of them.
"""

from __future__ import annotations

import numpy as np

from king_env.bots.compiled import IN_PYTHON, NO_ACTION, choose, only_legal_action, view_of_turn
from king_env.chance import Stream, Streams, begin_game, random_word, shuffle_deal
from king_env.engine.actions import Action
from king_env.engine.kernel import entry_point, kernel
from king_env.engine.state import OVER, TO_DEAL, GameRecord, GameRecords
from king_env.engine.step import start_deal, step
from king_env.evaluation.deal_sheets import DealSheets, fill_sheet
from king_env.turns import place_of_deal

NOBODY = -1  # to be asked: the game is over


@entry_point
def draw_games(streams: Streams, kinds: np.ndarray, games: GameRecords, deals: np.ndarray) -> None:
    """Begin the games of each block and draw their deals, in the order of every environment (`king_env.chance`).

    kinds: int64[n], which kind each of a block's single deals is of, or empty where a block is one whole game;
    games: [num_blocks, n or 1], with their rules; deals: int64[num_blocks, n or 1, deals_a_game, 4], written.
    """
    for block in range(len(streams)):
        stream = streams[block]
        for number in range(games.shape[1]):
            begin_game(games[block, number], stream, kinds[number : number + 1])
            for deal in range(deals.shape[2]):
                shuffle_deal(stream, deals[block, number, deal])


@entry_point
def split_streams(streams: Streams, of_games: np.ndarray) -> None:
    """Give each game of a block a stream of its own, drawn from the block's (of_games: uint64[num_blocks, n, 4])."""
    for block in range(len(streams)):
        for game in range(of_games.shape[1]):
            for word in range(of_games.shape[2]):
                of_games[block, game, word] = random_word(streams[block])


@kernel
def act(game: GameRecord, action: Action, sheets: DealSheets, ended: GameRecords) -> None:
    """Take an action, and fill the sheet of the deal if that ended it (sheets: one a deal of this game).

    ended: one record a deal of this game, to keep what each deal ended as; or none, and nothing is kept.
    """
    place = place_of_deal(game, len(sheets))
    owner = int(game["dealer"])
    step(game, action)
    if game["phase"] == OVER or game["phase"] == TO_DEAL:
        fill_sheet(game, owner, sheets[place])
        if len(ended) > 0:
            ended[place] = game


@kernel
def play_on(
    game: GameRecord,
    deals: np.ndarray,
    sheets: DealSheets,
    seating: np.ndarray,
    codes: np.ndarray,
    stream: Stream,
    decisions: np.ndarray,
    ended: GameRecords,
    scratch: GameRecords,
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
            action = choose(codes[kind], view_of_turn(game, scratch), stream)
            decisions[kind] += 1
        act(game, action, sheets, ended)
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
    ended: GameRecords,
    scratch: GameRecords,
) -> None:
    """Play every game on until a bot of Python is to be asked, or to its end.

    Each set of deals is played in all seatings, one after the other in `games`.
    deals: int64[num_sets, deals_a_game, 4]; sheets: [num_games, deals_a_game]; seatings: int64[num_seatings, 4], the
    kind in each seat; codes: int64[num_kinds], which compiled bot a kind is, or IN_PYTHON; streams: one a game;
    decisions: int64[num_games, num_kinds], counted up; asked: int64[num_games], the kind to be asked, or NOBODY;
    ended: [num_games, deals_a_game], each deal as it ended; or [num_games, 0].
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
            ended[i],
            scratch,
        )


@entry_point
def act_in_games(
    games: GameRecords, which: np.ndarray, actions: np.ndarray, sheets: DealSheets, ended: GameRecords
) -> None:
    """Take these legal actions (int64[n]) in these games (which: int64[n]); sheets, ended: as in `play_games`."""
    for i in range(len(which)):
        act(games[which[i]], actions[i], sheets[which[i]], ended[which[i]])
