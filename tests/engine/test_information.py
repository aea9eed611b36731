"""A view holds what a seat may know and nothing else."""

from __future__ import annotations

import numpy as np

from king_env.engine import batch
from king_env.ruleset import PORTUGUESE
from tests.engine.test_observation import random_games


def test_a_view_lacks_the_other_hands_and_nothing_else() -> None:
    for ply, games in enumerate(random_games(PORTUGUESE, seed=6)):
        seats = np.full(len(games), ply % 4)
        views = games.copy()
        batch.hide_hands(views, seats)
        for seat in range(4):
            if seat == ply % 4:
                np.testing.assert_array_equal(views["hands"][:, seat], games["hands"][:, seat])
            else:
                assert not views["hands"][:, seat].any()
        views["hands"] = games["hands"]
        assert views.tobytes() == games.tobytes()
