"""What an action of an episode brings: whether it is legal, and what it pays each seat."""

from __future__ import annotations

import numpy as np

from king_env.engine.actions import CALL_BIT, FIRST_CALL, NUM_ACTIONS, Action
from king_env.engine.cards import CARD_BIT
from king_env.engine.kernel import kernel
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import OVER, GameRecord
from king_env.engine.step import legal_actions
from king_env.episode import REWARDS

REWARD_POINTS, REWARD_DEAL, REWARD_PLACEMENT = range(len(REWARDS))
# Placement rewards from first to last place; seats that share places share their sum.
PLACEMENT_REWARDS = np.array([1.0, 1.0 / 3.0, -1.0 / 3.0, -1.0], dtype=np.float64)


@kernel
def is_legal(game: GameRecord, action: Action) -> bool:
    """Whether the seat to act may do this."""
    cards, calls = legal_actions(game)
    if action < 0 or action >= NUM_ACTIONS:
        return False
    if action < FIRST_CALL:
        return cards & CARD_BIT[action] != 0
    return calls & CALL_BIT[action - FIRST_CALL] != 0


@kernel
def placement_reward(scores: np.ndarray, seat: Seat) -> float:
    """The mean reward of the places that a seat shares with those of equal score (Rules 4)."""
    ahead, level = 0, 0
    for other in range(NUM_SEATS):
        if scores[other] > scores[seat]:
            ahead += 1
        elif scores[other] == scores[seat]:
            level += 1
    total = 0.0
    for place in range(ahead, ahead + level):
        total += PLACEMENT_REWARDS[place]
    return total / level


@kernel
def write_rewards(game: GameRecord, kind: int, before: np.ndarray, deal_ended: bool, out: np.ndarray) -> None:
    """What the action just done brought each seat; before: its score until then, out: float[4]."""
    for seat in range(NUM_SEATS):
        out[seat] = 0.0
        if kind == REWARD_POINTS:
            out[seat] = game["scores"][seat] - before[seat]
        elif kind == REWARD_DEAL and deal_ended:
            out[seat] = game["deal_scores"][seat]
        elif kind == REWARD_PLACEMENT and game["phase"] == OVER:
            out[seat] = placement_reward(game["scores"], seat)
