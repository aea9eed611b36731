"""PettingZoo's own tests of an env."""

from __future__ import annotations

import functools
import warnings
from collections.abc import Callable
from typing import Any

import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, parallel_seed_test, render_test, seed_test
from pettingzoo.test.state_test import state_test

from king_env import king_v0
from king_env.aec_env import OBSERVATION_FORMATS, CheckedKingEnv, KingAECEnv

# What `api_test` says of every env whose name it does not know, if its observations are dicts; and of the mask of an
# agent that is done and has nothing to do.
UNAVOIDABLE = (
    "Observation space for each agent probably should be gymnasium.spaces.box or gymnasium.spaces.discrete",
    "Observation is not a NumPy array",
    "Action mask numpy array is all zeros (no legal actions).",
)
BOTH = [king_v0.env, king_v0.raw_env]


@pytest.mark.parametrize("observation_format", OBSERVATION_FORMATS)
@pytest.mark.parametrize("make", BOTH)
def test_the_api_test_passes(make: Callable[..., KingAECEnv], observation_format: str) -> None:
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        api_test(make(observation_format=observation_format), num_cycles=1000)
    complaints = {str(warning.message) for warning in caught}
    assert complaints <= (set(UNAVOIDABLE) if observation_format == "dict" else set())


@pytest.mark.parametrize("observation_format", OBSERVATION_FORMATS)
@pytest.mark.parametrize("make", BOTH)
def test_the_seed_test_passes(make: Callable[..., KingAECEnv], observation_format: str) -> None:
    if make is king_v0.raw_env and observation_format == "flat" and not hasattr(pettingzoo, "register"):
        pytest.skip("PettingZoo's seed test looks for no masks in infos before 1.27, and plays what is illegal")
    seed_test(functools.partial(make, observation_format=observation_format), num_cycles=200)


def test_the_parallel_tests_pass() -> None:
    parallel_seed_test(king_v0.parallel_env)
    parallel_api_test(king_v0.parallel_env(), num_cycles=1000)


def test_the_state_test_passes() -> None:
    state_test(king_v0.env(), king_v0.parallel_env())


def test_the_render_test_passes() -> None:
    render_test(king_v0.env)
    render_test(king_v0.raw_env)


needs_registry = pytest.mark.skipif(not hasattr(pettingzoo, "register"), reason="PettingZoo has a registry from 1.27")


@needs_registry
def test_pettingzoo_makes_king_by_name() -> None:
    env: Any = pettingzoo.make("aec", "king/king-v0", episode="deal")
    assert isinstance(env, CheckedKingEnv)
    assert env.episode == "deal"


@needs_registry
def test_pettingzoo_makes_the_parallel_king_by_name() -> None:
    env = pettingzoo.make("parallel", "king/king-v0")
    env.reset(seed=1)
    assert env.agents == ["player_0", "player_1", "player_2", "player_3"]
