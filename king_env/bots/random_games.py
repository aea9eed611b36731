"""Whole games of uniformly random play in compiled code: what the engine costs with nothing around it."""

from __future__ import annotations

import numpy as np

from king_env.bots.random_bot import random_card, uniform_call
from king_env.chance import Stream, Streams, begin_game, shuffle_deal
from king_env.engine.kernel import entry_point, kernel
from king_env.engine.seats import NUM_SEATS
from king_env.engine.state import OVER, TO_DEAL, GameRecord, GameRecords
from king_env.engine.step import legal_actions, start_deal, step


@kernel
def act_at_random(game: GameRecord, stream: Stream) -> None:
    """Any legal action, each equally likely."""
    cards, calls = legal_actions(game)
    step(game, random_card(cards, stream) if cards != 0 else uniform_call(calls, stream))


@kernel
def play_random_game(game: GameRecord, stream: Stream, kinds: np.ndarray, hands: np.ndarray) -> int:
    """A game from its first deal to its end, and how many actions it took; hands: int64[4], scratch."""
    num_actions = 0
    begin_game(game, stream, kinds)
    while game["phase"] != OVER:
        if game["phase"] == TO_DEAL:
            shuffle_deal(stream, hands)
            start_deal(game, hands)
        act_at_random(game, stream)
        num_actions += 1
    return num_actions


@entry_point
def play_random_games(games: GameRecords, streams: Streams, kinds: np.ndarray, repeats: int) -> int:
    """Play `repeats` random games, one after another, in each record, by its rules; returns how many actions they took.

    streams: uint64[N, 4], one a record; kinds: int64, empty for whole games, else the single deals that are drawn from.
    """
    num_actions = 0
    hands = np.zeros(NUM_SEATS, dtype=np.int64)
    for i in range(len(games)):
        for _ in range(repeats):
            num_actions += play_random_game(games[i], streams[i], kinds, hands)
    return num_actions
