"""A warm start: before it plays itself, the network learns what would have been better than what the heuristic did.

At many decisions of some games each legal action is played out to the end of the deal, with the heuristic in all four
seats, in several worlds: ways in which the hidden cards may lie for all that the seat can tell. What the policy would
gain on the heuristic by that is raised, as by PPO, but over all actions at once instead of the one that was done, and
so often as pays: a lesson takes ten times as long to take as to learn from. That is one improvement on the heuristic,
and self-play starts from there.

The games go on as the policy itself would play them, so that it learns from positions that it will meet.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch

from baselines.ppo.binary_linear import Ones
from baselines.ppo.lesson_terms import LessonBatch
from baselines.ppo.tables import Tables
from king_env.bots.pretrained.advice import SHOWN_SIZE
from king_env.bots.search import Decisions
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.batch import hide_hands
from king_env.engine.state import GameRecords

# So often a random action is done, that the network may also learn from positions it never reaches.
EXPLORATION = 0.1
# Of the decisions of a game so many are lessons: neighbours teach much the same.
LESSON_SHARE = 0.5
NUM_THREADS = min(4, os.cpu_count() or 1)
DECISIONS_A_PART = 64  # that a thread searches before it takes the next ones

Decide = Callable[[np.ndarray, np.ndarray, np.ndarray], np.ndarray]  # shown, masks and advice → actions


@dataclass(frozen=True)
class Lessons:
    """Decisions that were played out, packed: zeros and ones as bits."""

    shown: np.ndarray  # uint8[B, SHOWN_SIZE / 8]
    masks: np.ndarray  # uint8[B, NUM_ACTIONS / 8, rounded up]
    advice: np.ndarray  # int8[B], what the heuristic does
    gains: np.ndarray  # float16[B, NUM_ACTIONS], what each action gains on that in the mean, in units of reward

    @classmethod
    def empty(cls, size: int) -> Lessons:
        """Room for so many."""
        return cls(
            np.zeros((size, SHOWN_SIZE // 8), dtype=np.uint8),
            np.zeros((size, -(-NUM_ACTIONS // 8)), dtype=np.uint8),
            np.zeros(size, dtype=np.int8),
            np.zeros((size, NUM_ACTIONS), dtype=np.float16),
        )

    @classmethod
    def packed(cls, shown: np.ndarray, masks: np.ndarray, advice: np.ndarray, gains: np.ndarray) -> Lessons:
        """Those of int8[B, SHOWN_SIZE], int8[B, NUM_ACTIONS], int64[B] and float32[B, NUM_ACTIONS]."""
        return cls(
            np.packbits(shown.view(np.uint8), axis=1),
            np.packbits(masks.view(np.uint8), axis=1),
            advice.astype(np.int8),
            gains.astype(np.float16),
        )

    @classmethod
    def of_all(cls, parts: Sequence[Lessons]) -> Lessons:
        """All of them, one after another."""
        columns = zip(*(lessons.columns for lessons in [cls.empty(0), *parts]), strict=True)
        return cls(*(np.concatenate(column) for column in columns))

    def __len__(self) -> int:
        """The number of decisions."""
        return len(self.advice)

    @property
    def columns(self) -> tuple[np.ndarray, ...]:
        """All four."""
        return self.shown, self.masks, self.advice, self.gains


class LessonBook:
    """All lessons of a run, in memory and, so that a stopped run can go on, in files of its folder."""

    def __init__(self, capacity: int) -> None:
        self._lessons = Lessons.empty(capacity)
        self._size = 0
        self._saved = 0

    def __len__(self) -> int:
        """How many lessons are in it."""
        return self._size

    def add(self, lessons: Lessons) -> int:
        """Write lessons down as long as there is room; says how many those were."""
        added = min(len(lessons), len(self._lessons) - self._size)
        for column, more in zip(self._lessons.columns, lessons.columns, strict=True):
            column[self._size : self._size + added] = more[:added]
        self._size += added
        return added

    def look_up(self, rows: np.ndarray, device: torch.device) -> LessonBatch:
        """Some lessons (int64[K])."""
        shown, masks, advice, gains = (column[rows] for column in self._lessons.columns)
        unpacked = torch.from_numpy(np.unpackbits(shown, axis=1).view(np.int8))
        legal = np.ascontiguousarray(np.unpackbits(masks, axis=1, count=NUM_ACTIONS).view(np.int8))
        return LessonBatch(
            shown=Ones.of(unpacked) if device.type == "cpu" else unpacked.to(device),
            advice=torch.from_numpy(advice.astype(np.int64)).to(device),
            masks=torch.from_numpy(legal).to(device),
            gains=torch.from_numpy(gains.astype(np.float32)).to(device),
        )

    def save(self, folder: Path) -> None:
        """Write what is not in the folder yet to a file of its own there, whole or not at all."""
        if self._saved == self._size:
            return
        folder.mkdir(exist_ok=True)
        path = folder / f"{self._size:010d}.npz"
        unfinished = path.with_suffix(".tmp")
        with unfinished.open("wb") as file:
            np.savez(file, *(column[self._saved : self._size] for column in self._lessons.columns))
            file.flush()
            os.fsync(file.fileno())
        os.replace(unfinished, path)
        self._saved = self._size

    def load(self, folder: Path, size: int) -> None:
        """Read the first so many lessons again; ValueError if they are not all there.

        What was saved after them is removed, for it will be taken again.
        """
        for path in sorted(folder.glob("*.npz")):
            if int(path.stem) > size:
                path.unlink()
                continue
            with np.load(path) as file:
                self.add(Lessons(*(file[name] for name in file.files)))
        if self._size != size:
            raise ValueError(f"{folder} holds {self._size} of the {size} lessons that were learned from")
        self._saved = size


def take_lessons(tables: Tables, num_steps: int, worlds: int, decide: Decide, rng: np.random.Generator) -> Lessons:
    """Let `decide` play `num_steps` actions at every table, and search decisions on the way in so many worlds."""
    taken: list[Lessons] = []
    for _ in range(num_steps):
        actions = tables.masks.argmax(axis=1)  # right where only one is legal
        rows = np.flatnonzero(tables.masks.sum(axis=1) > 1)
        if len(rows):
            tables.ask_heuristic()
            shown = tables.shown(rows)
            masks, advice = tables.masks[rows], tables.advice[rows]
            actions[rows] = decide(shown, masks, advice)
            chosen = np.flatnonzero(rng.random(len(rows)) < LESSON_SHARE)
            gains = gains_in_worlds(tables, rows[chosen], worlds)
            taken.append(Lessons.packed(shown[chosen], masks[chosen], advice[chosen], gains))
        explores = rng.random(len(actions)) < EXPLORATION
        random_actions = (tables.masks * rng.random(tables.masks.shape)).argmax(axis=1)
        tables.step(np.where(explores, random_actions, actions))
    return Lessons.of_all(taken)


def gains_in_worlds(tables: Tables, rows: np.ndarray, worlds: int) -> np.ndarray:
    """What each action gains on the heuristic's at some tables (int64[K]), in units of reward.

    float32[K, NUM_ACTIONS], the mean over so many worlds; 0 where it is not legal.
    """
    views, scales = tables.views(rows)
    hide_hands(views, views["turn"].astype(np.int64))
    parts = np.array_split(np.arange(len(rows)), -(-len(rows) // DECISIONS_A_PART) or 1)
    with ThreadPoolExecutor(NUM_THREADS) as threads:
        found = list(threads.map(lambda part: gains_of(views[part], worlds), parts))
    return np.asarray(np.concatenate(found) * scales[:, None])


def gains_of(views: GameRecords, worlds: int) -> np.ndarray:
    """The same of some views, in points (float32[K, NUM_ACTIONS])."""
    decisions = Decisions(views)
    decisions.search(worlds, in_rounds=False)
    return decisions.mean_gains()
