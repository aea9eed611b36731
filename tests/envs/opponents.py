"""Bots written in Python to play against, and what a learner does against any."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from king_env.bots import Bot
from king_env.engine import batch
from king_env.engine.actions import NUM_ACTIONS
from tests.envs.playing import Chooser

Views = npt.NDArray[Any]


class LastLegal:
    """Takes the last legal action."""

    name = "last"
    version = 1

    def __repr__(self) -> str:
        return self.name  # also in the names of tests, which every run must give alike

    def act(self, view: Views, rng: np.random.Generator) -> int:
        return int(self.act_batch(view, rng)[0])

    def act_batch(self, views: Views, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        return NUM_ACTIONS - 1 - legal_masks(views)[:, ::-1].argmax(axis=1)


class Watcher(LastLegal):
    """Keeps what it is handed."""

    name = "watcher"

    def __init__(self) -> None:
        self.handed: list[Views] = []

    def act_batch(self, views: Views, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        self.handed.append(views.copy())
        return super().act_batch(views, rng)


class AnyLegal(LastLegal):
    """Draws its actions from the random numbers it is handed."""

    name = "any"

    def act_batch(self, views: Views, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        return (legal_masks(views) * rng.random((len(views), NUM_ACTIONS))).argmax(axis=1)


class Raises(LastLegal):
    """Raises when it is asked."""

    name = "raises"

    def act_batch(self, views: Views, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        raise KeyError("no idea")


class Answers(LastLegal):
    """Gives the same answer whatever it is asked."""

    name = "answers"

    def __init__(self, answer: Any) -> None:
        self.answer = answer

    def act_batch(self, views: Views, rng: np.random.Generator) -> Any:
        return self.answer


class SeesAll(LastLegal):
    """Wants to be handed whole games."""

    name = "cheating-last"
    sees_all_hands = True


def legal_masks(views: Views) -> npt.NDArray[np.int8]:
    masks = np.zeros((len(views), NUM_ACTIONS), dtype=np.int8)
    batch.legal_masks(views, masks)
    return masks


def choose_for_all(choose: Chooser, masks: npt.NDArray[np.int8], illegal: npt.NDArray[np.bool_]) -> Views:
    """An action for each learner: legal, or an illegal one where it is to be; where all are allowed, any."""
    actions = np.zeros(len(masks), dtype=np.int64)
    for i, mask in enumerate(masks):
        actions[i] = choose(1 - mask if illegal[i] and not mask.all() else mask)
    return actions


MIXTURE: dict[str | Bot, float] = {"heuristic": 2, "random": 1.5, "uniform": 0, "heuristic:bidding=random": 1}
