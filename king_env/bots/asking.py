"""Asking a bot for its actions in many positions at once, and saying which of its answers are none."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from king_env.engine.actions import NUM_ACTIONS, Action
from king_env.engine.batch import hide_hands, legal_masks
from king_env.engine.state import GameRecords
from king_env.notation import action_text

Actions = npt.NDArray[np.int64]
Row = int  # one of the positions that a bot is asked about at once


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

    def why_refused(self, actions: Actions) -> dict[Row, str]:
        """What is wrong with those of these answers (int64[n]) that are not legal."""
        known = (actions >= 0) & (actions < NUM_ACTIONS)
        legal = known & (self.masks[np.arange(len(actions)), np.where(known, actions, 0)] != 0)
        reasons = {}
        for row in np.flatnonzero(~legal).tolist():
            answer = action_text(int(actions[row])) if known[row] else str(actions[row])
            reasons[row] = f"answered {answer}, which is not legal; legal are {self.legal_text(row)}"
        return reasons


def as_actions(answer: Any, expected: int) -> Actions:
    """The answer of `act_batch` as int64[expected]; one that is no whole number for each view raises TypeError."""
    actions = np.asarray(answer)
    if actions.shape != (expected,) or actions.dtype.kind not in "iu":
        raise TypeError(
            f"an answer of {actions.dtype} with shape {list(actions.shape)} "
            f"is not a whole number for each of {expected} views"
        )
    return actions.astype(np.int64)
