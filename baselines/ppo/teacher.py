"""A warm start: before it plays itself, the network learns what would have been better than what the heuristic did.

At every decision of some games each legal action is played out to the end of the deal, with the cards as they truly lie
and the heuristic in all four seats. What the policy would gain on the heuristic by that is raised, as by PPO, but over
all actions at once instead of the one that was done. Since the policy knows only what the seat may know, what it learns
is an average over the deals that it cannot tell apart. That is one improvement on the heuristic, and self-play starts
from there.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor

from baselines.ppo.advice import advise
from baselines.ppo.network import PolicyValueNetwork, entropy, legal_log_probs
from baselines.ppo.tables import Tables
from king_env.bots.playouts import play_out_after
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.kernel import entry_point, kernel
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import GameRecord, GameRecords, new_records
from king_env.engine.step import is_among, legal_actions

# So often a random action is done, that the network may also learn from positions the heuristic never reaches.
EXPLORATION = 0.1
NUM_THREADS = min(4, os.cpu_count() or 1)


@dataclass(frozen=True)
class Lessons:
    """Decisions, what the heuristic does in them, and what each action is worth."""

    shown: np.ndarray  # int8[B, SHOWN_SIZE]
    advice: np.ndarray  # int64[B]
    masks: np.ndarray  # int8[B, NUM_ACTIONS]
    choices: np.ndarray  # int64[B]
    action_values: np.ndarray  # float32[B, NUM_ACTIONS], of legal actions, in units of reward


@kernel
def centred_score(game: GameRecord, seat: Seat) -> float:
    """A seat's score less the mean of all four, in this deal."""
    total = 0
    for other in range(NUM_SEATS):
        total += game["deal_scores"][other]
    return game["deal_scores"][seat] - total / NUM_SEATS


@entry_point
def play_out_all(games: GameRecords, scales: np.ndarray, copies: GameRecords, action_values: np.ndarray) -> None:
    """What each legal action brings its seat until the deal's end.

    scales: float32[N], reward a point; copies: one record of scratch; action_values: float32[N, NUM_ACTIONS], written.
    """
    for i in range(len(games)):
        seat = int(games[i]["turn"])
        cards, calls = legal_actions(games[i])
        before = centred_score(games[i], seat)
        for action in range(NUM_ACTIONS):
            action_values[i, action] = 0.0
            if is_among(action, cards, calls):
                play_out_after(games[i], action, copies)
                action_values[i, action] = scales[i] * (centred_score(copies[0], seat) - before)


def play_out_tables(tables: Tables, action_values: np.ndarray) -> None:
    """`play_out_all` at every table, the tables shared out among the cores."""
    calls = []
    for part, games, scales in tables.parts():
        for some in np.array_split(np.arange(part.start, part.stop), NUM_THREADS):
            if len(some):
                rows = slice(some[0], some[-1] + 1)
                of_part = slice(rows.start - part.start, rows.stop - part.start)
                calls.append((games[of_part], scales[of_part], new_records(1), action_values[rows]))
    with ThreadPoolExecutor(NUM_THREADS) as threads:
        list(threads.map(lambda call: play_out_all(*call), calls))


def take_lessons(tables: Tables, num_steps: int, rng: np.random.Generator) -> Lessons:
    """Play `num_steps` actions at every table, mostly the heuristic's, and note each decision on the way."""
    num_games = len(tables.seats)
    action_values = np.zeros((num_games, NUM_ACTIONS), dtype=np.float32)
    choices = np.zeros(num_games, dtype=np.int64)
    taken: list[tuple[np.ndarray, ...]] = []
    for _ in range(num_steps):
        for part, games, _ in tables.parts():
            advise(games, choices[part])
        play_out_tables(tables, action_values)
        rows = np.flatnonzero(tables.masks.sum(axis=1) > 1)
        shown = tables.shown(rows)
        taken.append((shown, tables.advice[rows], tables.masks[rows], choices[rows], action_values[rows]))
        explores = rng.random(num_games) < EXPLORATION
        random_actions = (tables.masks * rng.random(tables.masks.shape)).argmax(axis=1)
        tables.step(np.where(explores, random_actions, choices))
    return Lessons(*(np.concatenate(column) for column in zip(*taken, strict=True)))


def lesson_terms(
    network: PolicyValueNetwork, lessons: Lessons, rows: np.ndarray, device: torch.device
) -> tuple[Tensor, Tensor, Tensor]:
    """Of some decisions the mean gain of the policy on the heuristic, its entropy, and the loss of the value."""
    shown, advice, masks, choices, worth = (
        torch.from_numpy(column[rows]).to(device)
        for column in (lessons.shown, lessons.advice, lessons.masks, lessons.choices, lessons.action_values)
    )
    logits, values = network(shown, advice)
    log_probs = legal_log_probs(logits, masks)
    worth_of_choice = worth.gather(1, choices[:, None])
    # Compared with the heuristic's, the luck of the cards, which moves all actions alike, cancels.
    gains = (worth - worth_of_choice) * masks
    value_loss = 0.5 * (values - worth_of_choice[:, 0]).square().mean()
    return (log_probs.softmax(dim=-1) * gains).sum(dim=1).mean(), entropy(log_probs).mean(), value_loss
