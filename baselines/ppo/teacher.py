"""A warm start: before it plays itself, the network learns from the heuristic, and then what to do better.

It begins by imitating: at every decision of some games, what would the heuristic do? Once it plays much like that, it
is also told what each legal action is worth: the action is played out to the end of the deal, with the cards as they
truly lie and the heuristic in all four seats. What that brings is regressed on what the seat may know, so the network
averages over the deals that it cannot tell apart. At the end the two are added up: the probability of an action is
that of the heuristic's doing it, raised by what it is foretold to gain. That is one improvement on the heuristic, and
self-play starts from there.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import numpy as np
import torch
from torch import Tensor, nn

from baselines.ppo.network import PolicyValueNetwork, legal_log_probs
from baselines.ppo.tables import Tables
from king_env.bots.heuristic.actions import heuristic_action
from king_env.bots.playouts import play_out_after
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.kernel import entry_point, kernel
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import GameRecord, GameRecords, new_records
from king_env.engine.step import is_among, legal_actions

# How much more probable an action becomes for each unit of reward that it is foretold to gain.
LOGITS_PER_REWARD = 8.0
# So often a random action is done, that the network may also learn from positions the heuristic never reaches.
EXPLORATION = 0.1
NUM_THREADS = min(4, os.cpu_count() or 1)


@dataclass(frozen=True)
class Lessons:
    """Decisions, what the heuristic does in them, and, if they were played out, what each action is worth."""

    observations: np.ndarray  # int8[B, OBSERVATION_SIZE]
    masks: np.ndarray  # int8[B, NUM_ACTIONS]
    choices: np.ndarray  # int64[B]
    action_values: np.ndarray | None  # float32[B, NUM_ACTIONS], of legal actions, in units of reward


@kernel
def centred_score(game: GameRecord, seat: Seat) -> float:
    """A seat's score less the mean of all four, in this deal."""
    total = 0
    for other in range(NUM_SEATS):
        total += game["deal_scores"][other]
    return game["deal_scores"][seat] - total / NUM_SEATS


@entry_point
def choose_all(games: GameRecords, choices: np.ndarray) -> None:
    """What the heuristic would do in each game; choices: int64[N], written."""
    for i in range(len(games)):
        choices[i] = heuristic_action(games[i])


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


def take_lessons(tables: Tables, num_steps: int, rng: np.random.Generator, *, plays_out: bool) -> Lessons:
    """Play `num_steps` actions at every table, mostly the heuristic's, and note each decision on the way."""
    num_games = len(tables.seats)
    action_values = np.zeros((num_games, NUM_ACTIONS), dtype=np.float32)
    choices = np.zeros(num_games, dtype=np.int64)
    taken: list[tuple[np.ndarray, ...]] = []
    for _ in range(num_steps):
        for part, games, _ in tables.parts():
            choose_all(games, choices[part])
        if plays_out:
            play_out_tables(tables, action_values)
        rows = np.flatnonzero(tables.masks.sum(axis=1) > 1)
        values = (action_values[rows],) if plays_out else ()
        taken.append((tables.observations[rows], tables.masks[rows], choices[rows], *values))
        explores = rng.random(num_games) < EXPLORATION
        random_actions = (tables.masks * rng.random(tables.masks.shape)).argmax(axis=1)
        tables.step(np.where(explores, random_actions, choices))
    observations, masks, chosen, *played_out = (np.concatenate(column) for column in zip(*taken, strict=True))
    return Lessons(observations, masks, chosen, played_out[0] if plays_out else None)


def new_gains_head(network: PolicyValueNetwork) -> nn.Linear:
    """A second head beside the policy's, which foretells how the actions of a decision differ in worth; at first 0."""
    head = nn.Linear(network.policy_head.in_features, network.policy_head.out_features)
    nn.init.zeros_(head.weight)
    nn.init.zeros_(head.bias)
    return head


def lesson_loss(
    network: PolicyValueNetwork, gains_head: nn.Linear, lessons: Lessons, rows: np.ndarray, device: torch.device
) -> Tensor:
    """How improbable the heuristic's actions are; for decisions played out also the error of gains and value."""
    features = network.trunk(torch.from_numpy(lessons.observations[rows]).to(device))
    masks = torch.from_numpy(lessons.masks[rows]).to(device)
    choices = torch.from_numpy(lessons.choices[rows]).to(device)[:, None]
    imitation = -legal_log_probs(network.policy_head(features), masks).gather(1, choices).mean()
    if lessons.action_values is None:
        return imitation
    worth = torch.from_numpy(lessons.action_values[rows]).to(device)
    value_error = network.value_head(features) - worth.gather(1, choices)
    return imitation + gains_error(gains_head(features), worth, masks != 0) + 0.5 * value_error.square().mean()


def gains_error(gains: Tensor, worth: Tensor, legal: Tensor) -> Tensor:
    """Squared error of how the legal actions of each decision differ in worth; all float or bool [B, NUM_ACTIONS].

    The luck of the cards, which moves all of them alike and is most of the noise, cancels.
    """
    errors = (gains - worth) * legal
    num_legal = legal.sum(dim=1, keepdim=True)
    apart = (errors - errors.sum(dim=1, keepdim=True) / num_legal) * legal
    return (apart.square().sum(dim=1, keepdim=True) / num_legal).mean()


@torch.no_grad()
def add_gains(network: PolicyValueNetwork, gains_head: nn.Linear) -> None:
    """Make what an action is foretold to gain part of the policy, and the head empty."""
    for head, gains in zip(network.policy_head.parameters(), gains_head.parameters(), strict=True):
        head.add_(gains, alpha=LOGITS_PER_REWARD)
        gains.zero_()
