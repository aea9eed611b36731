"""`King-v0` held against the checker of Stable-Baselines3, of which no release runs on the oldest Gymnasium."""

from __future__ import annotations

import gymnasium
import pytest
from stable_baselines3.common.env_checker import check_env

import king_env  # registers King-v0
from king_env.aec_env import OBSERVATION_FORMATS


@pytest.mark.parametrize("observation_format", OBSERVATION_FORMATS)
def test_the_checker_of_stable_baselines_is_content(observation_format: str) -> None:
    check_env(gymnasium.make(king_env.GYMNASIUM_ID, observation_format=observation_format).unwrapped)
