"""What `king_v0` does is pinned: rules, rewards, observations and masks of fixed seeds, as hashes in `tests/golden`.

If one of these tests fails, figures measured before and after can no longer be compared. A change of behaviour that is
meant needs a new version of the env (`king_v1`) and a line in its version history. Before the first release, or for a
new version, write the hashes anew with

    python -m tests.envs.test_pinned_behaviour
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from king_env import action_text, king_v0
from king_env.aec_env import AGENTS, KingAECEnv
from king_env.engine.actions import NUM_ACTIONS
from king_env.ruleset import RULESETS, RuleSet
from tests.envs.playing import is_over, mask_of

PINNED = Path(__file__).parent.parent / "golden" / "king_v0.json"
SEEDS = range(4)
HOUSE_RULES = RuleSet(
    negatives=("no_last_two", "no_king_of_hearts", "no_kings_jacks", "no_queens", "no_hearts", "no_tricks"),
    first_lead="declarer",
    king_of_hearts_forced="following",
    stop_when_decided=True,
    max_bid=13,
    max_nulls=4,
    no_trump=False,
    ultimatum=False,
    skip_limit=150,
    settlement="full",
)
CASES: dict[str, dict[str, Any]] = {
    **{name: {"ruleset": name} for name in RULESETS},
    "house rules": {"ruleset": HOUSE_RULES},
    "single deals": {"episode": "deal", "observation_format": "flat"},
    "rewards by deal": {"reward": "deal"},
    "rewards by place": {"reward": "placement"},
}


class Picker:
    """Picks legal actions by plain arithmetic, so that no library's random numbers are pinned along."""

    def __init__(self, seed: int) -> None:
        self.state = seed

    def __call__(self, mask: np.ndarray) -> int:
        self.state = (self.state * 6364136223846793005 + 1442695040888963407) % 2**64
        legal = np.flatnonzero(mask)
        return int(legal[(self.state >> 33) % len(legal)])


def all_that_happens(env: KingAECEnv, seed: int) -> Iterator[bytes]:
    """Everything that comes out of one episode, and the beginning of the next."""
    env.reset(seed=seed)
    pick = Picker(seed)
    while not is_over(env):
        yield from all_that_is_shown(env)
        action = pick(mask_of(env))
        env.step(action)
        yield repr((action, list(env.rewards.values()))).encode()
    yield from all_that_is_shown(env)
    env.reset()
    yield from all_that_is_shown(env)


def all_that_is_shown(env: KingAECEnv) -> Iterator[bytes]:
    yield repr((env.agent_selection, env.terminations, env.truncations, env.game.scores)).encode()
    yield mask_of(env).tobytes()
    yield env.state().tobytes()
    for agent in AGENTS:
        shown = env.observe(agent)
        yield (shown if isinstance(shown, np.ndarray) else shown["observation"]).tobytes()


def behaviour(case: str) -> str:
    """The hash of one case."""
    env = king_v0.raw_env(**CASES[case])
    digest = hashlib.sha256(json.dumps([action_text(action) for action in range(NUM_ACTIONS)]).encode())
    digest.update(json.dumps(env.ruleset.to_dict()).encode())
    for seed in SEEDS:
        for piece in all_that_happens(env, seed):
            digest.update(piece)
    return digest.hexdigest()


def test_the_hashes_are_those_of_this_version() -> None:
    pinned = json.loads(PINNED.read_text())
    assert pinned["version"] == king_v0.env().metadata["name"]
    assert set(pinned["hashes"]) == set(CASES)


@pytest.mark.parametrize("case", CASES)
def test_behaviour_is_as_pinned(case: str) -> None:
    assert behaviour(case) == json.loads(PINNED.read_text())["hashes"][case]


def write_pinned() -> None:
    """Pin what the env does now."""
    pinned = {"version": king_v0.env().metadata["name"], "hashes": {case: behaviour(case) for case in CASES}}
    PINNED.write_text(json.dumps(pinned, indent=2) + "\n")


if __name__ == "__main__":
    write_pinned()
