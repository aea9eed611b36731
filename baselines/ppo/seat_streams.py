"""The decisions of every seat in order of time, and how they hang together.

A seat's next decision comes several actions of others later. Whatever the seat is paid meanwhile belongs to its *open*
decision: the last it made. A decision is closed by the seat's next one, or by the end of its deal. What is still open
when a rollout ends is carried to the front of the next one, so nothing is lost at the edge.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from king_env.bots.pretrained.advice import SHOWN_SIZE
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.kernel import entry_point
from king_env.engine.seats import NUM_SEATS

NO_DECISION = -1
# What follows a decision: the row of the seat's next one, or one of these.
STREAM_ENDS = -1
STILL_OPEN = -2


class SeatStreams:
    """Rows of decisions; `successors[row]` is the row of the same seat's next decision and always greater."""

    def __init__(self, num_games: int, num_steps: int) -> None:
        capacity = num_games * (num_steps + NUM_SEATS)
        self.size = 0
        self.shown = np.zeros((capacity, SHOWN_SIZE), dtype=np.int8)
        self.advice = np.zeros(capacity, dtype=np.int64)
        self.masks = np.zeros((capacity, NUM_ACTIONS), dtype=np.int8)
        self.actions = np.zeros(capacity, dtype=np.int64)
        self.log_probs = np.zeros(capacity, dtype=np.float32)
        self.values = np.zeros(capacity, dtype=np.float32)
        self.rewards = np.zeros(capacity, dtype=np.float32)
        self.successors = np.zeros(capacity, dtype=np.int64)
        self.open_rows = np.full((num_games, NUM_SEATS), NO_DECISION, dtype=np.int64)

    def add(
        self,
        games: np.ndarray,  # int64[K], each game once
        seats: np.ndarray,  # int64[K]
        shown: np.ndarray,  # int8[K, SHOWN_SIZE]
        advice: np.ndarray,  # int64[K]
        masks: np.ndarray,  # int8[K, NUM_ACTIONS]
        actions: np.ndarray,  # int64[K]
        log_probs: np.ndarray,  # float32[K]
        values: np.ndarray,  # float32[K]
        foreseen: np.ndarray,  # float32[K], what is paid in the end if nothing out of the ordinary happens
    ) -> None:
        """Write down one decision in each of these games; it closes the seat's open one.

        From one decision to the next a seat is paid what falls and what is foreseen by then, less what was before. So
        all that it is paid adds up to what it makes more than was foreseen at the first.
        """
        rows = slice(self.size, self.size + len(games))
        self.shown[rows] = shown
        self.advice[rows] = advice
        self.masks[rows] = masks
        self.actions[rows] = actions
        self.log_probs[rows] = log_probs
        self.values[rows] = values
        self.rewards[rows] = -foreseen
        self.successors[rows] = STILL_OPEN
        numbers = np.arange(rows.start, rows.stop)
        closed = self.open_rows[games, seats]
        exists = closed != NO_DECISION
        self.successors[closed[exists]] = numbers[exists]
        self.rewards[closed[exists]] += foreseen[exists]
        self.open_rows[games, seats] = numbers
        self.size = rows.stop

    def pay(self, rewards: np.ndarray) -> None:
        """Give each seat's rewards (float32[num_games, NUM_SEATS]) to its open decision; with none they are lost."""
        pay_open(self.open_rows, rewards, self.rewards)

    def end(self, games: np.ndarray) -> None:
        """Close every open decision of these games (bool[num_games]): nothing later concerns it."""
        end_open(self.open_rows, games, self.successors)

    def closed_rows(self) -> np.ndarray:
        """The decisions (int64[K]) whose consequences are known up to the seat's next one: those to learn from."""
        return np.flatnonzero(self.successors[: self.size] != STILL_OPEN)

    def carry_open(self) -> None:
        """Begin the next rollout: forget closed decisions, move open ones to the front."""
        is_open = self.open_rows != NO_DECISION
        # In order of time, so that no row is overwritten before it has moved.
        rows = np.sort(self.open_rows[is_open])
        renumbered = np.searchsorted(rows, self.open_rows[is_open])
        for column in self._columns():
            column[: len(rows)] = column[rows]
        self.open_rows[is_open] = renumbered
        self.size = len(rows)

    def advantages(self, gamma: float, gae_lambda: float) -> np.ndarray:
        """Generalised advantage estimates (float32[size]) along each seat's own decisions."""
        return stream_advantages(
            self.rewards[: self.size], self.values[: self.size], self.successors[: self.size], gamma, gae_lambda
        )

    def state(self) -> dict[str, Any]:
        """All that the next rollout needs: the open decisions. Moves them to the front."""
        self.carry_open()
        names = ("shown", "advice", "masks", "actions", "log_probs", "values", "rewards")
        return {"open_rows": self.open_rows.copy(), **{name: getattr(self, name)[: self.size].copy() for name in names}}

    def restore(self, state: dict[str, Any]) -> None:
        """Go on from what `state` gave."""
        self.open_rows[:] = state["open_rows"]
        self.size = len(state["actions"])
        self.successors[: self.size] = STILL_OPEN
        for name in ("shown", "advice", "masks", "actions", "log_probs", "values", "rewards"):
            getattr(self, name)[: self.size] = state[name]

    def _columns(self) -> tuple[np.ndarray, ...]:
        return (
            self.shown,
            self.advice,
            self.masks,
            self.actions,
            self.log_probs,
            self.values,
            self.rewards,
            self.successors,
        )


@entry_point
def pay_open(open_rows: np.ndarray, paid: np.ndarray, rewards: np.ndarray) -> None:
    """`SeatStreams.pay`; paid: float32[num_games, NUM_SEATS], rewards: those of all decisions, added to."""
    for game in range(len(open_rows)):
        for seat in range(NUM_SEATS):
            if open_rows[game, seat] != NO_DECISION:
                rewards[open_rows[game, seat]] += paid[game, seat]


@entry_point
def end_open(open_rows: np.ndarray, games: np.ndarray, successors: np.ndarray) -> None:
    """`SeatStreams.end`; open rows and successors are overwritten."""
    for game in range(len(open_rows)):
        if games[game]:
            for seat in range(NUM_SEATS):
                if open_rows[game, seat] != NO_DECISION:
                    successors[open_rows[game, seat]] = STREAM_ENDS
                open_rows[game, seat] = NO_DECISION


@entry_point
def stream_advantages(
    rewards: np.ndarray, values: np.ndarray, successors: np.ndarray, gamma: float, gae_lambda: float
) -> np.ndarray:
    """GAE from the last row to the first: a row's successor stands behind it, so its estimate is known by then."""
    advantages = np.zeros_like(values)
    for row in range(len(rewards) - 1, -1, -1):
        successor = successors[row]
        if successor == STILL_OPEN:
            continue  # not learned from yet; what leads to it trusts its value alone
        next_value, next_advantage = 0.0, 0.0
        if successor != STREAM_ENDS:
            next_value, next_advantage = values[successor], advantages[successor]
        surprise = rewards[row] + gamma * next_value - values[row]
        advantages[row] = surprise + gamma * gae_lambda * next_advantage
    return advantages
