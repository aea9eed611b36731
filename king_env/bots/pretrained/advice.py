"""Advice: what the heuristic would do, which a network may be told beside the observation.

A fresh network that is advised does mostly as it is told. So it begins as a player, and learns where to do better.
"""

from __future__ import annotations

import numpy as np

from king_env.bots.heuristic.actions import heuristic_action
from king_env.engine.kernel import entry_point
from king_env.engine.observation import OBSERVATION_SIZE
from king_env.engine.state import GameRecords

# An entry for each action, and some that stay empty: `binary_linear` takes entries in groups.
ADVICE_SIZE = 96
# What a network is shown: the observation, then the advice.
SHOWN_SIZE = OBSERVATION_SIZE + ADVICE_SIZE
NO_ADVICE = -1
# How much is added to the logit of what is advised: a fresh network thinks it the best of all.
ADVICE_LOGIT = 2.0


@entry_point
def advise(games: GameRecords, advice: np.ndarray) -> None:
    """What the heuristic would do in each game, of which it reads what the seat to act may know: int64[N], written."""
    for i in range(len(games)):
        advice[i] = heuristic_action(games[i])


@entry_point
def show(observations: np.ndarray, advice: np.ndarray, rows: np.ndarray, shown: np.ndarray) -> None:
    """Write what a network is shown of some decisions: int8[K, SHOWN_SIZE].

    observations: int8[N, OBSERVATION_SIZE], advice: int64[N], rows: int64[K].
    """
    for number in range(len(rows)):
        row = rows[number]
        shown[number, :OBSERVATION_SIZE] = observations[row]
        shown[number, OBSERVATION_SIZE:] = 0
        if advice[row] != NO_ADVICE:
            shown[number, OBSERVATION_SIZE + advice[row]] = 1
