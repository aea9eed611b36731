"""Draw the pictures of the README anew: python scripts/pictures.py."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from PIL import Image

from king_env import Game, bots
from king_env.picture import draw_table

DOCS = Path(__file__).resolve().parent.parent / "docs"
SEED = 5
POSITIVE_DEAL, CARDS_PLAYED = 6, 23  # in the midst of the first positive deal


def game_under_way() -> Game:
    """A game of four heuristics in the midst of a trick."""
    game, heuristic, rng = Game(seed=SEED), bots.make("heuristic"), np.random.default_rng(SEED)
    while len(game.scores_by_deal) < POSITIVE_DEAL or game.record["num_plays"][0] < CARDS_PLAYED:
        assert game.turn is not None, "the game has deals to come"
        game.play(heuristic.act(game.view(game.turn), rng))
    return game


def main() -> int:
    """Write docs/table.png."""
    Image.fromarray(np.asarray(draw_table(game_under_way().record[0]))).save(DOCS / "table.png", optimize=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
