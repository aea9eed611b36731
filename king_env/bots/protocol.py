"""What a bot is, for whoever writes one."""

from __future__ import annotations

from typing import Protocol, runtime_checkable

import numpy as np

from king_env.engine.actions import Action
from king_env.engine.state import GameRecords

CHEATING = "cheating"  # in the name of every bot that sees all hands


@runtime_checkable
class Bot(Protocol):
    """A player. It is handed views, game records in which the hands of the other seats are empty, never a game.

    A bot that has an attribute `sees_all_hands` which is true is handed whole games instead. It must have "cheating" in
    its name, and plays only where that is allowed. One that can say what it thinks has `explain`, too
    (`king_env.bots.thoughts`).
    """

    @property
    def name(self) -> str:
        """What makes this bot again: `king_env.bots.make(name)`."""
        ...

    @property
    def version(self) -> int:
        """Changes whenever the bot plays differently, so that figures against it stay comparable."""
        ...

    def act(self, view: GameRecords, rng: np.random.Generator) -> Action:
        """The action of the seat to act in one view (GAME_DTYPE[1]); a deterministic bot ignores `rng`."""
        ...

    def act_batch(self, views: GameRecords, rng: np.random.Generator) -> np.ndarray:
        """The actions (int64[N]) in N views, as `act` would give for one after the other."""
        ...


def sees_all_hands(bot: Bot) -> bool:
    """Whether a bot is to be handed whole games, because it says so and is named for it."""
    return bool(getattr(bot, "sees_all_hands", False)) and CHEATING in bot.name
