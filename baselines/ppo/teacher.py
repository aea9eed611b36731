"""A warm start: before it plays itself, the network learns what each action is worth when the heuristic plays on.

At every decision of some games each legal action is played out to the end of the deal, with the cards as they truly lie
and the heuristic in all four seats. What that brings is regressed on what the seat may know, so the network averages
over the deals that it cannot tell apart: it learns one improvement on the heuristic, which self-play then starts from.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from baselines.ppo.network import PolicyValueNetwork
from baselines.ppo.tables import Tables
from king_env.bots.heuristic.actions import heuristic_action
from king_env.engine.actions import CALL_BIT, FIRST_CALL, NUM_ACTIONS, Action
from king_env.engine.cards import CARD_BIT
from king_env.engine.kernel import entry_point, kernel
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import OVER, TO_DEAL, GameRecord, GameRecords, new_records
from king_env.engine.step import legal_actions, step

# How much more probable an action becomes for each unit of reward that it is worth more.
LOGITS_PER_REWARD = 6.0
# So often a random action is done, that the network may also learn from positions the heuristic never reaches.
EXPLORATION = 0.1
NUM_THREADS = min(4, os.cpu_count() or 1)


@dataclass(frozen=True)
class Lessons:
    """Decisions with what each action is worth, in units of reward."""

    observations: np.ndarray  # int8[B, OBSERVATION_SIZE]
    masks: np.ndarray  # int8[B, NUM_ACTIONS]
    action_values: np.ndarray  # float32[B, NUM_ACTIONS], of legal actions
    values: np.ndarray  # float32[B], of the heuristic's action


@kernel
def play_out(game: GameRecord) -> None:
    """Let the heuristic finish the deal in all four seats."""
    while game["phase"] != TO_DEAL and game["phase"] != OVER:
        step(game, heuristic_action(game))


@kernel
def centred_score(game: GameRecord, seat: Seat) -> float:
    """A seat's score less the mean of all four, in this deal."""
    total = 0
    for other in range(NUM_SEATS):
        total += game["deal_scores"][other]
    return game["deal_scores"][seat] - total / NUM_SEATS


@kernel
def is_in(action: Action, cards: int, calls: int) -> bool:
    if action < FIRST_CALL:
        return cards & CARD_BIT[action] != 0
    return calls & CALL_BIT[action - FIRST_CALL] != 0


@entry_point
def play_out_all(
    games: GameRecords, scales: np.ndarray, copies: GameRecords, action_values: np.ndarray, choices: np.ndarray
) -> None:
    """What each legal action brings its seat until the deal's end, and what the heuristic would do.

    scales: float32[N], reward a point; copies: one record of scratch; action_values: float32[N, NUM_ACTIONS] and
    choices: int64[N] are written.
    """
    copy = copies[0]
    for i in range(len(games)):
        seat = int(games[i]["turn"])
        cards, calls = legal_actions(games[i])
        before = centred_score(games[i], seat)
        choices[i] = heuristic_action(games[i])
        for action in range(NUM_ACTIONS):
            action_values[i, action] = 0.0
            if is_in(action, cards, calls):
                copies[0] = games[i]
                step(copy, action)
                play_out(copy)
                action_values[i, action] = scales[i] * (centred_score(copy, seat) - before)


def play_out_tables(tables: Tables, action_values: np.ndarray, choices: np.ndarray) -> None:
    """`play_out_all` at every table, the tables shared out among the cores."""
    calls = []
    for part, games, scales in tables.parts():
        for some in np.array_split(np.arange(part.start, part.stop), NUM_THREADS):
            if len(some):
                rows = slice(some[0], some[-1] + 1)
                of_part = slice(rows.start - part.start, rows.stop - part.start)
                calls.append((games[of_part], scales[of_part], new_records(1), action_values[rows], choices[rows]))
    with ThreadPoolExecutor(NUM_THREADS) as threads:
        list(threads.map(lambda call: play_out_all(*call), calls))


def take_lessons(tables: Tables, num_steps: int, rng: np.random.Generator) -> Lessons:
    """Play `num_steps` actions at every table, mostly the heuristic's, and play out each decision on the way."""
    num_games = len(tables.seats)
    action_values = np.zeros((num_games, NUM_ACTIONS), dtype=np.float32)
    choices = np.zeros(num_games, dtype=np.int64)
    taken = []
    for _ in range(num_steps):
        play_out_tables(tables, action_values, choices)
        rows = np.flatnonzero(tables.masks.sum(axis=1) > 1)
        values = action_values[rows, choices[rows]]
        taken.append((tables.observations[rows], tables.masks[rows], action_values[rows], values))
        explores = rng.random(num_games) < EXPLORATION
        random_actions = (tables.masks * rng.random(tables.masks.shape)).argmax(axis=1)
        tables.step(np.where(explores, random_actions, choices))
    return Lessons(*(np.concatenate(column) for column in zip(*taken, strict=True)))


def lesson_loss(network: PolicyValueNetwork, lessons: Lessons, rows: np.ndarray, device: torch.device) -> Tensor:
    """Squared error of the actions' values, which the policy head foretells as logits, and of the value head.

    Only how the actions of a decision differ is asked of the policy head: the luck of the cards, which moves all their
    values alike and is most of the noise, cancels.
    """
    logits, values = network(torch.from_numpy(lessons.observations[rows]).to(device))
    legal = torch.from_numpy(lessons.masks[rows]).to(device) != 0
    errors = logits / LOGITS_PER_REWARD - torch.from_numpy(lessons.action_values[rows]).to(device)
    num_legal = legal.sum(dim=1, keepdim=True)
    mean_error = (errors * legal).sum(dim=1, keepdim=True) / num_legal
    of_actions = ((errors - mean_error).square() * legal).sum(dim=1) / num_legal.squeeze(1)
    of_values = (values - torch.from_numpy(lessons.values[rows]).to(device)).square()
    return of_actions.mean() + of_values.mean()
