"""The heuristic of a version plays the same for ever, for figures against it to stay comparable."""

from __future__ import annotations

import hashlib
import random
from collections.abc import Iterator

import numpy as np
import pytest

from king_env.bots import make
from king_env.bots.heuristic import HEURISTIC_VERSION
from king_env.engine.kernel import JIT_ENABLED
from king_env.game import Game
from king_env.ruleset import RULESETS, RuleSet

HEURISTIC = make("heuristic")

PINNED_VERSION = 1
# What it plays in so many positions, as a digest.
PINNED = {
    "portuguese": "dba3aa0da3791a91",
    "brazilian_auction": "ee082ae1dc886c62",
    "brazilian_trump": "54da5743fcd92db2",
    "house": "6c7a3fd7335797d6",
}
HOUSE = RuleSet(
    negatives=("no_last_two", "no_king_of_hearts", "no_kings_jacks", "no_queens", "no_hearts", "no_tricks"),
    first_lead="left_of_dealer",
    king_of_hearts_forced="when_void",
    stop_when_decided=True,
    max_bid=13,
    max_nulls=4,
    skip_limit=100,
    settlement="full",
)
SEEDS = range(5)
STRAYS = 0.2  # how often another action is played than the heuristic's, so that it meets positions not of its making


def actions(ruleset: RuleSet, seed: int) -> Iterator[int]:
    """What the heuristic would play in each position of a game; all that is drawn is the same on every machine."""
    game, luck = Game(ruleset, seed=seed), random.Random(seed)
    ignored = np.random.default_rng(0)
    while game.turn is not None:
        action = HEURISTIC.act(game.view(game.turn), ignored)
        yield action
        legal = game.legal_ids()
        game.play(legal[int(luck.random() * len(legal))] if luck.random() < STRAYS else action)


@pytest.mark.skipif(not JIT_ENABLED, reason="thousands of positions are too many for plain Python")
@pytest.mark.parametrize("name", PINNED)
def test_the_heuristic_plays_what_its_version_has_always_played(name: str) -> None:
    ruleset = RULESETS.get(name, HOUSE)
    played = [action for seed in SEEDS for action in actions(ruleset, seed)]
    assert len(played) > 2000
    digest = hashlib.sha256(bytes(played)).hexdigest()[:16]
    assert (HEURISTIC_VERSION, digest) == (PINNED_VERSION, PINNED[name]), (
        f"the heuristic plays otherwise under {name} than version {PINNED_VERSION} did: undo that, "
        "or raise HEURISTIC_VERSION and pin the new version and its digests here"
    )
