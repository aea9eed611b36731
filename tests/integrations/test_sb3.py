"""The recipe for Stable-Baselines3: its bridge loses no reward and no mask, and a learner learns and plays by it."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sb3_contrib import MaskablePPO
from sb3_contrib.common.maskable.utils import get_action_masks, is_masking_supported

from baselines.playing import ObservingBot
from baselines.sb3.maskable_ppo import KingVecEnv, bot_of, main, new_model
from king_env.evaluation import play_match
from tests.integrations.playing import random_legal, score_in

NUM_ENVS = 8


@pytest.mark.parametrize("episode", ["game", "deal"])
def test_the_return_of_an_episode_is_the_score_of_the_seat(episode: str) -> None:
    envs, rng = KingVecEnv(NUM_ENVS, opponents="random", episode=episode), np.random.default_rng(1)
    envs.seed(1)
    envs.reset()
    returns, num_episodes = np.zeros(NUM_ENVS), 0
    while num_episodes < 10:
        envs.step_async(random_legal(envs.action_masks(), rng))
        _, rewards, dones, infos = envs.step_wait()
        returns += rewards
        for env in np.flatnonzero(dones):
            assert returns[env] == score_in(infos[env]["terminal_observation"])
            returns[env] = 0.0
            num_episodes += 1


def test_sb3_contrib_finds_the_masks() -> None:
    envs = KingVecEnv(NUM_ENVS)
    observations = envs.reset()
    assert is_masking_supported(envs)
    masks = get_action_masks(envs)
    assert masks.shape == (NUM_ENVS, 81)
    for observation, mask in zip(observations, masks, strict=True):
        held = observation[:52]
        assert (mask[:52] <= held).all()


def test_the_same_seed_deals_the_same_games() -> None:
    one, other = KingVecEnv(NUM_ENVS), KingVecEnv(NUM_ENVS)
    one.seed(3)
    other.seed(3)
    np.testing.assert_array_equal(one.reset(), other.reset())


def test_a_model_learns_is_kept_and_plays(tmp_path: Path) -> None:
    model = new_model(num_envs=NUM_ENVS, seed=1)
    before = [weights.clone() for weights in model.policy.parameters()]
    model.learn(2 * 64 * NUM_ENVS)
    assert any((old != new).any() for old, new in zip(before, model.policy.parameters(), strict=True))
    model.save(tmp_path / "model.zip")
    points = [points_of(bot_of(each)) for each in (model, MaskablePPO.load(tmp_path / "model.zip", device="cpu"))]
    assert points[0] == points[1]


def points_of(bot: ObservingBot) -> float:
    """A game's points among three `random`, on one block of deals."""
    return float(play_match([bot, "random", "random", "random"], 1, 1, progress=False).points(bot.name).mean)


def test_the_command_trains_and_measures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--decisions", "512", "--num-envs", "8", "--blocks", "2"]) == 0
    assert "sb3 among three heuristic: " in capsys.readouterr().out
