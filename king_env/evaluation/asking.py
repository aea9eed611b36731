"""Asking a bot written in Python for its actions, and saying what is wrong with its answers.

A bot that raises, answers an illegal action or overruns the time limit spoils nobody's match: each such answer becomes
a complaint here, and the match decides what to do about it.
"""

from __future__ import annotations

import operator
import time
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from king_env.bots import Bot
from king_env.engine.actions import NUM_ACTIONS, Action
from king_env.engine.batch import hide_hands, legal_masks
from king_env.engine.state import GameRecords
from king_env.notation import action_text

Actions = npt.NDArray[np.int64]
Row = int  # one of the positions that a bot is asked about at once

NO_ANSWER: Action = -1
MILLISECONDS = 1000.0
FAULTS = (Exception, SystemExit)  # nobody's bot ends the match for all; Ctrl-C does


@dataclass(frozen=True)
class Positions:
    """Positions in which one bot is to act."""

    views: GameRecords
    """What the seat to act may know, in each; for a bot that sees all hands the whole game."""
    masks: npt.NDArray[np.int8]
    """int8[n, 81]: what it may do."""

    @classmethod
    def of_games(cls, games: GameRecords, which: npt.NDArray[np.int64], *, all_hands: bool = False) -> Positions:
        """The positions of some of these games, which stay as they are; all_hands: nothing is hidden."""
        views: GameRecords = games[which]
        masks = np.empty((len(views), NUM_ACTIONS), dtype=np.int8)
        legal_masks(views, masks)
        if not all_hands:
            hide_hands(views, views["turn"].astype(np.int64))
        return cls(views, masks)

    def __len__(self) -> int:
        return len(self.views)

    def first_legal(self, row: Row) -> Action:
        """The legal action with the lowest number."""
        return int(self.masks[row].argmax())

    def legal_text(self, row: Row) -> str:
        """The legal actions as text."""
        return ", ".join(action_text(int(action)) for action in np.flatnonzero(self.masks[row]))


@dataclass
class Answers:
    """What a bot answered to several positions."""

    actions: Actions
    """int64[n]; NO_ANSWER where it gave none."""
    complaints: dict[Row, str] = field(default_factory=dict)
    """What is wrong with an answer, by position."""
    seconds: float = 0.0
    """How long the bot took, by the clock on the wall."""


def ask_bot(bot: Bot, positions: Positions, rng: np.random.Generator, time_limit_ms: float | None) -> Answers:
    """A bot's actions in these positions: all at once, or one by one where each decision has a time limit."""
    if time_limit_ms is None:
        answers = _ask_at_once(bot, positions, rng)
    else:
        answers = _ask_one_by_one(bot, positions, rng, time_limit_ms)
    _complain_of_illegal(answers, positions)
    return answers


def _ask_at_once(bot: Bot, positions: Positions, rng: np.random.Generator) -> Answers:
    start = time.perf_counter()
    try:
        actions = _as_actions(bot.act_batch(positions.views.copy(), rng), len(positions))
    except FAULTS as error:
        return _find_the_fault(bot, positions, rng, error)
    return Answers(actions, seconds=time.perf_counter() - start)


def _find_the_fault(bot: Bot, positions: Positions, rng: np.random.Generator, error: BaseException) -> Answers:
    """After `act_batch` failed ask about each position alone, so that the fault has a position."""
    answers = _ask_one_by_one(bot, positions, rng, None)
    if not answers.complaints:
        answers.complaints[0] = f"{_raised(error)} (act_batch with {len(positions)} views; act with each alone did not)"
    return answers


def _ask_one_by_one(bot: Bot, positions: Positions, rng: np.random.Generator, time_limit_ms: float | None) -> Answers:
    answers = Answers(np.full(len(positions), NO_ANSWER))
    for row in range(len(positions)):
        view = positions.views[row : row + 1].copy()
        start = time.perf_counter()
        try:
            answers.actions[row] = _as_action(bot.act(view, rng))
        except FAULTS as error:
            answers.complaints[row] = _raised(error)
        seconds = time.perf_counter() - start
        answers.seconds += seconds
        if time_limit_ms is not None and seconds * MILLISECONDS > time_limit_ms:
            answers.complaints[row] = f"took {seconds * MILLISECONDS:.1f} ms, over the limit of {time_limit_ms:g} ms"
    return answers


def _complain_of_illegal(answers: Answers, positions: Positions) -> None:
    """Of two complaints about one answer the first stands."""
    actions = answers.actions
    known = (actions >= 0) & (actions < NUM_ACTIONS)
    legal = known & (positions.masks[np.arange(len(actions)), np.where(known, actions, 0)] != 0)
    for row in np.flatnonzero(~legal):
        answer = action_text(int(actions[row])) if known[row] else str(actions[row])
        reason = f"answered {answer}, which is not legal; legal are {positions.legal_text(int(row))}"
        answers.complaints.setdefault(int(row), reason)


def _as_actions(answer: Any, expected: int) -> Actions:
    actions = np.asarray(answer)
    if actions.shape != (expected,) or actions.dtype.kind not in "iu":
        raise TypeError(
            f"an answer of {actions.dtype} with shape {list(actions.shape)} "
            f"is not a whole number for each of {expected} views"
        )
    return actions.astype(np.int64)


def _as_action(answer: Any) -> Action:
    """A whole number, also as a NumPy scalar or an array of one."""
    only = np.asarray(answer).reshape(-1)
    if len(only) != 1:
        raise TypeError(f"an answer of {len(only)} numbers is not one action")
    return operator.index(only[0])


def _raised(error: BaseException) -> str:
    return f"raised {type(error).__name__}: {error}"
