"""A view holds what a seat may know and nothing else."""

from __future__ import annotations

import numpy as np

from king_env.engine import batch
from king_env.engine.information import DEALS_DTYPE, count_deals_of, lay_out_deal
from king_env.engine.kernel import entry_point
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


@entry_point
def lay_out_all(view: np.ndarray, deals: np.ndarray, worlds: np.ndarray) -> None:
    for number in range(len(worlds)):
        worlds[number] = view[0]
        lay_out_deal(deals[0], number, worlds[number])


@entry_point
def count(view: np.ndarray, deals: np.ndarray) -> int:
    return count_deals_of(view[0], deals[0])


def test_each_number_is_another_deal_and_each_deal_has_one() -> None:
    num_views = 0
    for ply, games in enumerate(random_games(PORTUGUESE, seed=7)):
        if ply % 45 != 44 or games["num_plays"][0] < 40:
            continue
        num_views += 1
        view = games[:1].copy()
        batch.hide_hands(view, np.array([ply % 4]))
        deals = np.zeros(1, dtype=DEALS_DTYPE)
        worlds = np.repeat(view, min(count(view, deals), 500))
        lay_out_all(view, deals, worlds)
        assert len({hands.tobytes() for hands in worlds["hands"]}) == len(worlds)
        held = [int(hand).bit_count() for hand in games["hands"][0]]
        for world in worlds:
            assert [int(hand).bit_count() for hand in world["hands"]] == held
    assert num_views > 0
