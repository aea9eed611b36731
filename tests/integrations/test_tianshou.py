"""The recipe for Tianshou: its vector env loses no reward and no mask, and a short run in self-play plays better."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from baselines.playing import ObservingBot
from baselines.tianshou.masked_ppo import POINTS_A_UNIT, KingVectorEnv, main, new_algorithm, policy_of, train
from king_env.engine.observation import OBSERVATION_SIZE
from tests.integrations.playing import first_legal, learned_points, random_legal, score_in

NUM_ENVS = 8


def test_the_return_of_an_episode_is_the_score_of_the_seat() -> None:
    envs, rng = KingVectorEnv(NUM_ENVS, first_legal), np.random.default_rng(1)
    envs.seed(1)
    seen, _ = envs.reset()
    returns, num_episodes = np.zeros(NUM_ENVS), 0
    while num_episodes < 10:
        seen, rewards, terminations, _, _ = envs.step(random_legal(seen[:, OBSERVATION_SIZE:], rng))
        returns += rewards * POINTS_A_UNIT
        ended = np.flatnonzero(terminations)
        for env in ended:
            assert returns[env] == pytest.approx(score_in(seen[env, :OBSERVATION_SIZE]))
        if len(ended):
            returns[ended] = 0.0
            seen[ended], _ = envs.reset(ended)
            num_episodes += len(ended)


def test_a_reset_of_some_leaves_the_others_where_they_are() -> None:
    some, none = KingVectorEnv(NUM_ENVS, first_legal), KingVectorEnv(NUM_ENVS, first_legal)
    for envs in (some, none):
        envs.seed(2)
        seen, _ = envs.reset()
    seen[[5, 2]], _ = some.reset(np.array([5, 2]))
    actions = first_legal(seen[:, :OBSERVATION_SIZE], seen[:, OBSERVATION_SIZE:])
    same = (some.step(actions)[0] == none.step(actions)[0]).all(axis=1)
    assert same.tolist() == [env not in (5, 2) for env in range(NUM_ENVS)]


def test_only_legal_actions_are_played() -> None:
    torch.manual_seed(1)
    envs = KingVectorEnv(NUM_ENVS, first_legal)
    seen, _ = envs.reset()
    observations, masks = seen[:, :OBSERVATION_SIZE], seen[:, OBSERVATION_SIZE:]
    algorithm = new_algorithm()
    for samples in (True, False):
        actions = policy_of(algorithm, samples)(observations, masks)
        assert masks[np.arange(NUM_ENVS), actions].all()


@pytest.mark.slow
def test_a_short_run_plays_better_than_random() -> None:
    torch.manual_seed(1)
    np.random.seed(1)
    algorithm = new_algorithm()
    train(algorithm, num_envs=64, seed=1, num_decisions=150_000)
    assert learned_points(ObservingBot(policy_of(algorithm, samples=False), "tianshou")) > 0


def test_the_command_trains_keeps_loads_and_measures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = str(tmp_path / "policy.pt")
    assert main(["--decisions", "512", "--num-envs", "8", "--blocks", "2", "--save", kept]) == 0
    trained = capsys.readouterr().out.splitlines()[-2:]
    assert main(["--blocks", "2", "--load", kept]) == 0
    assert capsys.readouterr().out.splitlines() == trained
