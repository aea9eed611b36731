"""Playouts: a deal is finished by the heuristic in all four seats, to see what an action is worth."""

from __future__ import annotations

from king_env.bots.heuristic import heuristic_action
from king_env.engine.actions import Action
from king_env.engine.kernel import kernel
from king_env.engine.state import OVER, TO_DEAL, GameRecord, GameRecords
from king_env.engine.step import step


@kernel
def play_out(game: GameRecord) -> None:
    """Let the heuristic finish the deal in all four seats."""
    while game["phase"] != TO_DEAL and game["phase"] != OVER:
        step(game, heuristic_action(game))


@kernel
def play_out_after(game: GameRecord, action: Action, finished: GameRecords) -> None:
    """Write to ``finished[0]`` how the deal ends if the seat to act does this; the game stays as it is."""
    finished[0] = game
    step(finished[0], action)
    play_out(finished[0])
