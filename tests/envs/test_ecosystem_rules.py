"""What training libraries take for granted of an AEC env, each learned from one that fails without it."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from king_env import king_v0
from king_env.aec_env import AGENTS, OBSERVATION_FORMATS
from king_env.engine.actions import NUM_ACTIONS
from king_env.episode import OptionError
from king_env.ruleset import RULESETS
from tests.envs.playing import all_observations, is_over, mask_of, plain, play, random_chooser

PLIES_APART = 23  # looking everywhere is slow, so look at every so many actions


# Masks, observations and infos


def test_masks_are_int8_and_what_samplers_take() -> None:
    env = king_v0.env()
    env.reset(seed=1)
    mask = env.observe(env.agent_selection)["action_mask"]
    assert mask.dtype == np.int8
    assert mask.shape == (NUM_ACTIONS,)
    assert mask[env.action_space(env.agent_selection).sample(mask)]


def test_the_keys_of_an_observation_come_in_order() -> None:
    env = king_v0.env()
    env.reset(seed=1)
    assert list(env.observe("player_0")) == ["observation", "action_mask"]
    space: Any = env.observation_space("player_0")
    assert list(space) == ["observation", "action_mask"]


def test_only_the_agent_to_act_has_anything_in_its_mask() -> None:
    env = king_v0.env()
    env.reset(seed=2)
    choose = random_chooser(2)
    while not is_over(env):
        for agent in AGENTS:
            assert env.observe(agent)["action_mask"].any() == (agent == env.agent_selection)
        play(env, choose, 1)
    assert not any(env.observe(agent)["action_mask"].any() for agent in AGENTS)


def test_infos_are_empty_unless_the_mask_is_in_them() -> None:
    env = king_v0.env()
    env.reset(seed=3)
    while not is_over(env):
        assert env.infos == {agent: {} for agent in AGENTS}
        play(env, random_chooser(3), PLIES_APART)


def test_flat_infos_have_one_key_of_one_shape_from_reset_to_the_end() -> None:
    flat, shown = king_v0.env(observation_format="flat"), king_v0.env()
    choose = random_chooser(4)
    for env in (flat, shown):
        env.reset(seed=4)
    for _ in range(2000):
        for agent in AGENTS:
            assert list(flat.infos[agent]) == ["action_mask"]
            np.testing.assert_array_equal(flat.infos[agent]["action_mask"], shown.observe(agent)["action_mask"])
            np.testing.assert_array_equal(flat.observe(agent), shown.observe(agent)["observation"])
        if is_over(flat):
            break
        action = choose(mask_of(flat))
        flat.step(action)
        shown.step(action)
    assert is_over(flat)


@pytest.mark.parametrize("observation_format", OBSERVATION_FORMATS)
@pytest.mark.parametrize("ruleset", RULESETS)
def test_observations_lie_in_their_space(ruleset: str, observation_format: str) -> None:
    env = king_v0.env(ruleset=ruleset, observation_format=observation_format)
    env.reset(seed=5)
    choose = random_chooser(5)
    while not is_over(env):
        for agent in AGENTS:
            assert env.observation_space(agent).contains(env.observe(agent))
        assert env.state_space.contains(env.state())
        play(env, choose, PLIES_APART)


def test_observe_changes_nothing() -> None:
    asked, unasked = king_v0.env(), king_v0.env()
    choose = random_chooser(6)
    for env in (asked, unasked):
        env.reset(seed=6)
    while not is_over(asked):
        for agent in AGENTS:
            asked.observe(agent)
        asked.state()
        asked.unwrapped.view("player_2")
        action = choose(mask_of(unasked))
        asked.step(action)
        unasked.step(action)
        assert asked.game.record.tobytes() == unasked.game.record.tobytes()


@pytest.mark.parametrize("observation_format", OBSERVATION_FORMATS)
def test_arrays_are_fresh_at_every_call(observation_format: str) -> None:
    env = king_v0.env(observation_format=observation_format)
    env.reset(seed=7)
    choose = random_chooser(7)
    for _ in range(50):
        before = all_observations(env), plain(env.infos), plain(env.state())
        kept = [env.observe(agent) for agent in AGENTS], dict(env.infos), env.state()
        agent = env.agent_selection
        for shown in (env.observe(agent), env.state()):
            for array in shown.values() if isinstance(shown, dict) else [shown]:
                array[:] = 7  # what a caller does to an array is no matter to the next
        assert (all_observations(env), plain(env.infos), plain(env.state())) == before
        play(env, choose, 1)
        assert ([plain(shown) for shown in kept[0]], plain(kept[1]), plain(kept[2])) == before


def test_every_agent_may_be_observed_after_the_end() -> None:
    env = king_v0.env(episode="deal")
    env.reset(seed=8)
    play(env, random_chooser(8))
    at_the_end = all_observations(env)
    while env.agents:
        env.step(None)
        assert all_observations(env) == at_the_end


def test_an_unknown_agent_is_refused() -> None:
    env = king_v0.env()
    env.reset(seed=1)
    with pytest.raises(OptionError, match="unknown agent 'player_4'; known: player_0"):
        env.observe("player_4")


# Types


def test_terminations_are_bools_and_rewards_are_floats() -> None:
    env = king_v0.env()
    env.reset(seed=9)
    choose = random_chooser(9)
    while env.agents:
        for agent in env.agents:
            assert type(env.terminations[agent]) is bool
            assert type(env.truncations[agent]) is bool
            assert type(env.rewards[agent]) is float
        assert type(env.last(observe=False)[1]) is float
        env.step(None if is_over(env) else choose(mask_of(env)))


@pytest.mark.parametrize("as_type", [int, np.int32, np.int64, np.uint8, np.array])
def test_every_kind_of_whole_number_is_an_action(as_type: type) -> None:
    for env in (king_v0.env(), king_v0.raw_env()):
        env.reset(seed=10)
        action = as_type(int(np.flatnonzero(mask_of(env))[0]))
        env.step(action)
        assert env.game.actions == [int(action)]


def test_spaces_are_the_same_objects_at_every_call() -> None:
    env = king_v0.env()
    for agent in AGENTS:
        assert env.observation_space(agent) is env.observation_space(agent)
        assert env.action_space(agent) is env.action_space(agent)


def test_attributes_are_plain_dicts() -> None:
    env = king_v0.env()
    env.reset(seed=1)
    play(env, random_chooser(1), 40)
    for attribute in (env.rewards, env.terminations, env.truncations, env.infos, env._cumulative_rewards):
        assert type(attribute) is dict
        assert list(attribute) == list(AGENTS)


def test_metadata_says_what_tools_ask_for() -> None:
    metadata = king_v0.env().metadata
    assert metadata["name"] == "king_v0"
    assert metadata["render_modes"] == ["human", "ansi", "rgb_array"]
    assert metadata["is_parallelizable"] is False
    assert metadata["render_fps"] > 0
    assert str(king_v0.env()) == "king_v0"


# The parallel env


def test_the_parallel_env_writes_nothing_into_the_aec_env() -> None:
    env = king_v0.parallel_env()
    shown, _ = env.reset(seed=11)
    choose = random_chooser(11)
    while env.agents:
        agent = env.unwrapped.agent_selection
        shown, rewards, terminations, _, infos = env.step({agent: choose(shown[agent]["action_mask"])})
        assert set(rewards) == set(shown) == set(infos) == set(AGENTS)
        assert all(info == {} for info in env.unwrapped.infos.values())
    assert all(terminations.values())


def test_the_parallel_env_plays_the_same_game() -> None:
    parallel, single = king_v0.parallel_env(), king_v0.env()
    shown, _ = parallel.reset(seed=12)
    single.reset(seed=12)
    choose = random_chooser(12)
    totals = dict.fromkeys(AGENTS, 0.0)
    while parallel.agents:
        agent = single.agent_selection
        action = choose(shown[agent]["action_mask"])
        shown, rewards, *_ = parallel.step({agent: action})
        single.step(action)
        assert plain(shown) == {other: plain(single.observe(other)) for other in shown}
        for other, reward in rewards.items():
            totals[other] += reward
    assert list(totals.values()) == single.game.scores
