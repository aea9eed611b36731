"""What Python calls: the engine over arrays of records, one call for any number of games (a single game is N = 1)."""

from __future__ import annotations

import numpy as np

from king_env.engine.actions import FIRST_CALL, NUM_ACTIONS
from king_env.engine.dealing import start_game
from king_env.engine.information import hide
from king_env.engine.kernel import WORD_BITS, entry_point, kernel, spread_bits
from king_env.engine.observation import OBSERVATION_SIZE, write_observation
from king_env.engine.state import GameRecord, GameRecords
from king_env.engine.step import legal_actions, start_deal, step

# The second word of a mask overlaps the first, so that both are written whole: 81 entries are not two words.
SECOND_WORD_AT = NUM_ACTIONS - WORD_BITS


@kernel
def write_mask(game: GameRecord, out: np.ndarray, start: int) -> None:
    """Write the action mask of the seat to act to ``out[start : start + 81]`` (int8)."""
    cards, calls = legal_actions(game)
    first = np.int64(cards) | np.int64(calls) << np.int64(FIRST_CALL)
    second = np.int64(cards) >> np.int64(SECOND_WORD_AT) | np.int64(calls) << np.int64(FIRST_CALL - SECOND_WORD_AT)
    spread_bits(first, out, start)
    spread_bits(second, out, start + SECOND_WORD_AT)


@entry_point
def start_games(games: GameRecords, dealers: np.ndarray, first_deals: np.ndarray, last_deals: np.ndarray) -> None:
    """Begin games by the rules in their records; dealers, first and last deals: int64[N]."""
    for i in range(len(games)):
        start_game(games[i], dealers[i], first_deals[i], last_deals[i])


@entry_point
def start_deals(games: GameRecords, hands: np.ndarray) -> None:
    """Deal the next cards of each game; hands: int64[N, 4], a set of cards a seat."""
    for i in range(len(games)):
        start_deal(games[i], hands[i])


@entry_point
def step_games(games: GameRecords, actions: np.ndarray) -> None:
    """One legal action a game; actions: int64[N]."""
    for i in range(len(games)):
        step(games[i], actions[i])


@entry_point
def legal_words(games: GameRecords, cards: np.ndarray, calls: np.ndarray) -> None:
    """The legal actions of each game as a set of cards and a set of calls; both int64[N], written."""
    for i in range(len(games)):
        cards[i], calls[i] = legal_actions(games[i])


@entry_point
def legal_masks(games: GameRecords, masks: np.ndarray) -> None:
    """The action mask of whoever is to act in each game; masks: int8[N, 81], written."""
    flat = masks.reshape(-1)
    for i in range(len(games)):
        write_mask(games[i], flat, i * NUM_ACTIONS)


@entry_point
def observe(games: GameRecords, viewers: np.ndarray, observations: np.ndarray) -> None:
    """What a seat of each game may know; viewers: int64[N], observations: int8[N, OBSERVATION_SIZE], written."""
    flat = observations.reshape(-1)
    for i in range(len(games)):
        write_observation(games[i], viewers[i], flat, i * OBSERVATION_SIZE)


@entry_point
def hide_hands(games: GameRecords, seats: np.ndarray) -> None:
    """Turn copies of games into the views of one seat each; seats: int64[N]."""
    for i in range(len(games)):
        hide(games[i], seats[i])
