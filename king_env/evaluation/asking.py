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

from king_env.bots import Bot
from king_env.bots.asking import Actions, Positions, Row, as_actions
from king_env.bots.thoughts import Explains, Thought
from king_env.engine.actions import Action

NO_ANSWER: Action = -1
MILLISECONDS = 1000.0
FAULTS = (Exception, SystemExit)  # nobody's bot ends the match for all; Ctrl-C does


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
    for row, reason in positions.why_refused(answers.actions).items():
        answers.complaints.setdefault(row, reason)  # of two complaints about one answer the first stands
    return answers


def _ask_at_once(bot: Bot, positions: Positions, rng: np.random.Generator) -> Answers:
    start = time.perf_counter()
    try:
        actions = as_actions(bot.act_batch(positions.views.copy(), rng), len(positions))
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


def ask_thoughts(bot: Explains, positions: Positions) -> tuple[list[Thought], str]:
    """What a bot thinks in these positions, one thought each; or none, and what is wrong with its answer."""
    try:
        thoughts = list(bot.explain(positions.views.copy()))
    except FAULTS as error:
        return [], f"{_raised(error)} (explain with {len(positions)} views)"
    if len(thoughts) != len(positions) or not all(isinstance(thought, Thought) for thought in thoughts):
        return [], f"explained {len(positions)} views by what is not {len(positions)} thoughts"
    return thoughts, ""


def _as_action(answer: Any) -> Action:
    """A whole number, also as a NumPy scalar or an array of one."""
    only = np.asarray(answer).reshape(-1)
    if len(only) != 1:
        raise TypeError(f"an answer of {len(only)} numbers is not one action")
    return operator.index(only[0])


def _raised(error: BaseException) -> str:
    return f"raised {type(error).__name__}: {error}"
