"""`pretrained`: the policy that comes with King, and any other that was written to a file, without torch."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from king_env.bots.compiled_bot import check_views, only_action, why_none_acts
from king_env.bots.pretrained.forward import judge
from king_env.bots.pretrained.policy_file import Policy, read_policy
from king_env.bots.thoughts import Thought
from king_env.engine.actions import Action
from king_env.engine.contracts import UP
from king_env.engine.state import OVER, TO_DEAL, GameRecords

SHIPPED = Path(__file__).with_name("pretrained.npz")
CHUNK = 1024  # views answered at once, so that a large batch needs little memory


class PretrainedBot:
    """Plays the most probable action of a policy, or draws one by its probability."""

    def __init__(self, file: str | os.PathLike[str] | None = None, sample: int = 0) -> None:
        """The shipped policy, or that of a file; sample=1 draws its actions."""
        if sample not in (0, 1):
            raise ValueError(f"sample: must be 0 or 1, not {sample!r}")
        self.policy: Policy = read_policy(path_of(file))
        self._sample = bool(sample)
        self.name = name_of(file, self._sample)
        self.version = self.policy.fingerprint

    def act(self, view: GameRecords, rng: np.random.Generator) -> Action:
        """The action of the seat to act in one view (GAME_DTYPE[1])."""
        return only_action(self.act_batch(view, rng))

    def act_batch(self, views: GameRecords, rng: np.random.Generator) -> np.ndarray:
        """The actions (int64[N]) of the seats to act in N views."""
        answers = [self._answer(logits, rng) for _, logits, _ in self._judged(views)]
        return np.concatenate([np.zeros(0, dtype=np.int64), *answers])

    def explain(self, views: GameRecords) -> list[Thought]:
        """The probabilities of all legal actions in each of N views, and the value if the policy has learned one."""
        thoughts: list[Thought] = []
        points_a_unit, unit = np.array(self.policy.about["points_a_unit"]), str(self.policy.about.get("unit", ""))
        for chunk, logits, values in self._judged(views):
            points = values * points_a_unit[np.minimum(chunk["contract"], UP)]
            for row, value in zip(_probabilities(logits), points, strict=True):
                likely = {int(action): float(row[action]) for action in np.flatnonzero(row)}
                thoughts.append(Thought(likely, float(value), unit) if unit else Thought(likely))
        return thoughts

    def _answer(self, logits: np.ndarray, rng: np.random.Generator) -> np.ndarray:
        if not self._sample:
            return np.asarray(logits.argmax(axis=1))
        cumulative = _probabilities(logits).cumsum(axis=1)
        return np.asarray((cumulative <= rng.random((len(logits), 1)) * cumulative[:, -1:]).sum(axis=1))

    def _judged(self, views: GameRecords) -> Iterator[tuple[GameRecords, np.ndarray, np.ndarray]]:
        """Of each chunk the views, the logits and the values."""
        check_views(views)
        check_can_act(views)
        for start in range(0, len(views), CHUNK):
            chunk = views[start : start + CHUNK]
            yield chunk, *judge(self.policy.weights, chunk)


def path_of(file: str | os.PathLike[str] | None) -> Path:
    """Where a policy lies: that which was asked for, or the shipped one."""
    if file is not None and not isinstance(file, str | os.PathLike):
        raise ValueError(f"file: must be a path, not {file!r}")
    return SHIPPED if file is None else Path(file)


def name_of(file: str | os.PathLike[str] | None, sample: bool) -> str:
    """The name that makes the same bot again."""
    path = None if file is None else Path(file).as_posix()
    if not sample:
        return path or "pretrained"
    return f"pretrained:file={path},sample=1" if path else "pretrained:sample=1"


def check_can_act(views: GameRecords) -> None:
    """Refuse views in which nobody is to act, or another seat than the one that sees its cards."""
    hands_to_act = views["hands"][np.arange(len(views)), views["turn"]]
    unable = np.isin(views["phase"], (TO_DEAL, OVER)) | (hands_to_act == 0)
    if unable.any():
        raise ValueError(why_none_acts(views[unable.argmax()]))


def _probabilities(logits: np.ndarray) -> np.ndarray:
    weights = np.exp((logits - logits.max(axis=1, keepdims=True)).astype(np.float64))
    return np.asarray(weights / weights.sum(axis=1, keepdims=True))
