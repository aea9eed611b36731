"""All four agents in one dict: nothing is lost, whoever acts, and PettingZoo's test finds nothing wrong with it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from pettingzoo.test import parallel_api_test, parallel_seed_test

from king_env import king_v0
from king_env.aec_env import AGENTS
from king_env.episode import OptionError
from king_env.integrations.parallel import TurnsInParallel, parallel_env


def play_through(env: TurnsInParallel, seed: int) -> tuple[dict[str, float], int]:
    """Sums of the rewards of an episode at random, and how many steps it had."""
    rng = np.random.default_rng(seed)
    _, infos = env.reset(seed=seed)
    sums, steps = dict.fromkeys(AGENTS, 0.0), 0
    while env.agents:
        actions = {agent: rng.choice(np.flatnonzero(infos[agent]["action_mask"])) for agent in AGENTS}
        _, rewards, _, _, infos = env.step(actions)
        for agent in AGENTS:
            sums[agent] += rewards[agent]
        steps += 1
    return sums, steps


@pytest.mark.parametrize("episode", ["game", "deal"])
@pytest.mark.parametrize("seed", range(3))
def test_rewards_add_up_to_the_scores(seed: int, episode: str) -> None:
    env = parallel_env(episode=episode)
    sums, _ = play_through(env, seed)
    assert [*sums.values()] == env.aec_env.game.scores


def test_only_who_is_to_act_sees_anything_and_is_bound_by_a_mask() -> None:
    env = parallel_env()
    observations, infos = env.reset(seed=1)
    for _ in range(60):
        acting = env.agent_to_act
        for agent in AGENTS:
            assert observations[agent].dtype == np.float32
            assert np.isnan(observations[agent]).all() == (agent != acting)
            assert infos[agent]["action_mask"].all() == (agent != acting)
        assert env.observation_space(acting).contains(observations[acting])
        action = int(np.flatnonzero(infos[acting]["action_mask"])[-1])
        observations, _, _, _, infos = env.step({acting: action})


def test_what_it_shows_is_what_king_v0_shows() -> None:
    env, aec = parallel_env(inactive="observed"), king_v0.env()
    observations, infos = env.reset(seed=2)
    aec.reset(seed=2)
    while env.agents:
        acting = aec.agent_selection
        assert env.agent_to_act == acting
        for agent in AGENTS:
            np.testing.assert_array_equal(observations[agent], aec.observe(agent)["observation"])
        np.testing.assert_array_equal(infos[acting]["action_mask"], aec.observe(acting)["action_mask"])
        action = int(np.flatnonzero(infos[acting]["action_mask"])[0])
        observations, rewards, terminations, truncations, infos = env.step(dict.fromkeys(AGENTS, action))
        aec.step(action)
        assert (rewards, terminations, truncations) == (aec.rewards, aec.terminations, aec.truncations)


def test_an_illegal_action_ends_the_episode_for_all() -> None:
    env = parallel_env(illegal_reward=-7.0)
    _, infos = env.reset(seed=3)
    agent = env.agent_to_act
    illegal = int(np.flatnonzero(infos[agent]["action_mask"] == 0)[0])
    _, rewards, terminations, _, _ = env.step({agent: illegal})
    assert rewards == {other: -7.0 if other == agent else 0.0 for other in AGENTS}
    assert all(terminations.values())
    assert env.agents == []


@pytest.mark.filterwarnings("ignore")
def test_pettingzoo_finds_nothing_wrong_with_it() -> None:
    parallel_api_test(parallel_env(inactive="observed"), num_cycles=300)
    parallel_seed_test(lambda: parallel_env(inactive="observed"))


@pytest.mark.parametrize(
    ("use", "reason"),
    [
        (lambda: parallel_env(inactive="zero"), "inactive: must be one of nan, observed, not 'zero'"),
        (lambda: parallel_env(observation_format="dict"), "observation_format: here observations are always arrays"),
    ],
)
def test_wrong_options_are_refused(use: Any, reason: str) -> None:
    with pytest.raises(OptionError, match=reason):
        use()


def test_misuse_is_refused() -> None:
    env = parallel_env()
    with pytest.raises(RuntimeError, match="call reset"):
        env.step({})
    env.reset(seed=4)
    with pytest.raises(ValueError, match="is to act, but there are actions of nobody only"):
        env.step({})
