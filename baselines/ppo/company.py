"""Who sits at the tables with the learner: itself in all four seats, or in three of them the heuristic, a past self, or
a bot that stays as it is.

Whoever only ever meets itself forgets how to play against others. The learner learns from its own seats alone.
"""

from __future__ import annotations

import bisect
import itertools
from collections.abc import Mapping
from typing import Any

import numpy as np
from torch import Tensor

from baselines.ppo.network import PolicyValueNetwork
from king_env.engine.seats import NUM_SEATS

LEARNER, HEURISTIC, PAST_SELF, FROZEN = range(4)

# Past selves that are kept; when there is no room, any but the latest makes way.
MOST_PAST_SELVES = 20
# Multiples of this, without their whole part, lie as evenly as can be between 0 and 1: so every kind of deal gets its
# share of each company.
GOLDEN = 0.5 * (5.0**0.5 - 1.0)


def seat_company(num_games: int, heuristic_share: float, past_share: float, frozen_share: float = 0.0) -> np.ndarray:
    """Who plays each seat, int64[num_games, NUM_SEATS]: at these shares of the tables one seat learns, in turns."""
    shares = {HEURISTIC: heuristic_share, PAST_SELF: past_share, FROZEN: frozen_share}
    company, ends = list(shares), list(itertools.accumulate(shares.values()))
    seats = np.full((num_games, NUM_SEATS), LEARNER, dtype=np.int64)
    for game in range(num_games):
        place = (game + 0.5) * GOLDEN % 1.0
        if place < ends[-1]:
            seats[game] = company[bisect.bisect_right(ends, place)]
            seats[game, game % NUM_SEATS] = LEARNER
    return seats


class PastSelves:
    """What the learner's network was like before, and a network that is one of these for the time being."""

    def __init__(self, network: PolicyValueNetwork) -> None:
        """network: a network of the learner's shape, to be overwritten."""
        self.network = network
        self._weights: list[dict[str, Tensor]] = []

    def __len__(self) -> int:
        """How many are remembered."""
        return len(self._weights)

    def remember(self, network: PolicyValueNetwork, rng: np.random.Generator) -> None:
        """Keep the learner's network as it is now."""
        self._weights.append({name: tensor.detach().clone() for name, tensor in network.state_dict().items()})
        if len(self) > MOST_PAST_SELVES:
            del self._weights[int(rng.integers(len(self) - 1))]

    def draw(self, rng: np.random.Generator) -> None:
        """Let any of them sit at the tables."""
        self.network.load_state_dict(self._weights[int(rng.integers(len(self)))])

    def state(self) -> list[dict[str, Tensor]]:
        """The weights of all."""
        return self._weights

    def restore(self, state: list[Mapping[str, Any]]) -> None:
        """Go on from what `state` gave."""
        self._weights = [dict(weights) for weights in state]
