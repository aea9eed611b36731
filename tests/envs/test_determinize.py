"""Envs for a search: the agent cannot tell them from its own, and nothing in them betrays what it does not see."""

from __future__ import annotations

import random

import numpy as np
import pytest

from king_env import king_v0
from king_env.aec_env import KingAECEnv


@pytest.mark.parametrize("observation_format", ["dict", "flat"])
def test_the_agent_sees_the_same_and_the_env_goes_on_by_itself(observation_format: str) -> None:
    env = king_v0.env(observation_format=observation_format)
    env.reset(seed=2)
    rng = random.Random(1)
    for turn in range(150):
        mask = env.infos[env.agent_selection].get("action_mask")
        seen = env.observe(env.agent_selection)
        mask = seen["action_mask"] if mask is None else mask
        if turn % 10 == 0:
            for agent in env.agents:
                world = env.unwrapped.determinize(agent, seed=turn)
                for ours, theirs in zip(parts(env.observe(agent)), parts(world.observe(agent)), strict=True):
                    np.testing.assert_array_equal(ours, theirs)
                assert world.agent_selection == env.agent_selection
                play_on(world, rng)
        env.step(int(rng.choice(np.flatnonzero(mask))))
    assert env.agents


def test_a_world_depends_on_its_seed_alone() -> None:
    env = king_v0.env()
    env.reset(seed=3)
    first, again, other = (env.unwrapped.determinize("player_2", seed=seed) for seed in (1, 1, 2))
    assert first.game.record.tobytes() == again.game.record.tobytes()
    assert first.game.record.tobytes() != other.game.record.tobytes()
    assert (first.game.deals[1:] != env.game.deals[1:]).any()


def test_it_needs_a_game() -> None:
    with pytest.raises(RuntimeError, match="call reset"):
        king_v0.raw_env().determinize("player_0")


def parts(seen: object) -> list[np.ndarray]:
    return list(seen.values()) if isinstance(seen, dict) else [np.asarray(seen)]


def play_on(env: KingAECEnv, rng: random.Random) -> None:
    """Some legal actions: the masks of a world are of its own cards."""
    for _ in range(30):
        seen = env.observe(env.agent_selection)
        mask = seen["action_mask"] if isinstance(seen, dict) else env.infos[env.agent_selection]["action_mask"]
        env.step(int(rng.choice(np.flatnonzero(mask))))
        if env.terminations[env.agent_selection]:
            return
    assert not any(env.truncations.values())
