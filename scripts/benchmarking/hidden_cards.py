"""Hidden cards: counting the deals that a view leaves possible, and drawing from them."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from king_env import Game, bots, sample_hidden
from king_env.engine.state import GameRecords
from king_env.worlds import count_all, new_deals
from scripts.benchmarking.measuring import DRAWS_PER_SECOND, SECONDS, Sample, rate
from scripts.benchmarking.replay import SEED

CARDS_PLAYED = {0: "before the first card", 20: "after five tricks", 36: "after nine tricks"}
WORLDS_A_CALL = 8192
COUNTS_A_CALL = 512


def worlds() -> Iterator[Sample]:
    """Views of one deal that the heuristic plays, as the play goes on."""
    for num_cards, when in CARDS_PLAYED.items():
        view = view_after(num_cards)
        drawn, rng = np.repeat(view, WORLDS_A_CALL), np.random.default_rng(SEED)
        yield Sample(
            f"worlds/draw/{num_cards}",
            f"deals of the hidden cards, drawn from one view {when}",
            DRAWS_PER_SECOND,
            rate(partial(draw, view, rng, drawn)),
        )
        yield Sample(
            f"worlds/count/{num_cards}",
            f"counting all deals that a view leaves possible, once before any is drawn, {when}",
            SECONDS,
            1.0 / rate(partial(count, view)),
        )


def view_after(num_cards: int) -> GameRecords:
    """What the seat to act sees once so many cards have been played."""
    game, heuristic, rng = Game(seed=SEED), bots.make("heuristic"), np.random.default_rng(SEED)
    for _ in range(num_cards):
        game.play(heuristic.act(view_of_turn(game), rng))
    return view_of_turn(game)


def view_of_turn(game: Game) -> GameRecords:
    """What the seat to act sees."""
    assert game.turn is not None, "the game has only begun"
    return game.view(game.turn)


def draw(view: GameRecords, rng: np.random.Generator, worlds: GameRecords) -> int:
    """Fill all worlds from one view; returns how many they are."""
    sample_hidden(view, rng, worlds)
    return len(worlds)


def count(view: GameRecords) -> int:
    """Count the deals of one view many times over; returns how often."""
    views = np.repeat(view, COUNTS_A_CALL)
    count_all(views, new_deals(), np.empty(COUNTS_A_CALL, dtype=np.int64))
    return COUNTS_A_CALL
