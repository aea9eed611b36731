"""The recipe for TorchRL: its env meets its specs and loses no reward, and a short run in self-play plays better."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch
from torchrl.envs import PettingZooWrapper
from torchrl.envs.utils import check_env_specs

from baselines.playing import ObservingBot
from baselines.torchrl.masked_ppo import POINTS_A_UNIT, KingEnv, main, new_actor, policy_of, train
from king_env import king_v0
from tests.integrations.playing import first_legal, learned_points, random_legal, score_in

NUM_ENVS = 8


def test_it_meets_its_specs() -> None:
    check_env_specs(KingEnv(NUM_ENVS, first_legal), seed=1)


def test_king_v0_meets_the_specs_of_the_wrapper_of_pettingzoo() -> None:
    env = PettingZooWrapper(king_v0.env(), use_mask=True, categorical_actions=True)
    check_env_specs(env, seed=1)


def test_the_return_of_an_episode_is_the_score_of_the_seat() -> None:
    env, rng = KingEnv(NUM_ENVS, first_legal), np.random.default_rng(1)
    env.set_seed(1)
    now = env.reset()
    returns, num_episodes = torch.zeros(NUM_ENVS), 0
    while num_episodes < 10:
        now["action"] = torch.from_numpy(random_legal(now["action_mask"].numpy().astype(np.int8), rng))
        step, after = env.step_and_maybe_reset(now)
        came = step["next"]
        returns += came["reward"].squeeze(-1) * POINTS_A_UNIT
        for number in came["done"].squeeze(-1).nonzero().squeeze(-1).tolist():
            assert returns[number].item() == pytest.approx(score_in(came["observation"][number].numpy()), abs=0.01)
            returns[number] = 0.0
            num_episodes += 1
        now = after


def test_only_legal_actions_are_played() -> None:
    env = KingEnv(NUM_ENVS, first_legal)
    now = env.reset()
    masks = now["action_mask"].numpy().astype(np.int8)
    actor = new_actor()
    for samples in (True, False):
        actions = policy_of(actor, samples)(now["observation"].numpy(), masks)
        assert masks[np.arange(NUM_ENVS), actions].all()


@pytest.mark.slow
def test_a_short_run_plays_better_than_random() -> None:
    torch.manual_seed(1)
    actor = new_actor()
    train(actor, num_envs=64, seed=1, num_decisions=150_000)
    assert learned_points(ObservingBot(policy_of(actor, samples=False), "torchrl")) > 0


def test_the_command_trains_keeps_loads_and_measures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = str(tmp_path / "policy.pt")
    assert main(["--decisions", "512", "--num-envs", "8", "--blocks", "2", "--save", kept]) == 0
    trained = capsys.readouterr().out.splitlines()[-2:]
    assert main(["--blocks", "2", "--load", kept]) == 0
    assert capsys.readouterr().out.splitlines() == trained
