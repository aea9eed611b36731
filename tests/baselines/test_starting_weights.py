"""A run may begin with what a policy has learned already: it then plays as that policy does, or is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from baselines.ppo import ppo
from baselines.ppo.checkpoint import new_network, policy_checkpoint, write_checkpoint
from baselines.ppo.config import PPOConfig
from baselines.ppo.export import exported, policy_of_checkpoint
from baselines.ppo.network import PolicyValueNetwork
from baselines.ppo.policy_bot import POINTS_TO_COME
from baselines.ppo.starting_weights import StartError, take_weights
from king_env.bots.pretrained import Policy, write_policy
from tests.bots.policies import POINTS_A_UNIT, small_policy

WIDTH = 8
SPREAD = dict(zip(PPOConfig().reward_spread, POINTS_A_UNIT, strict=True))


def config_of(**options: Any) -> PPOConfig:
    defaults: dict[str, Any] = {
        "network": "suits",
        "hidden_sizes": (WIDTH,),
        "is_advised": True,
        "reward_spread": SPREAD,
        "num_games": 14,
        "num_steps": 13,
    }
    return PPOConfig(**{**defaults, **options})


def trained_policy(unit: str = POINTS_TO_COME) -> Policy:
    policy = small_policy(width=WIDTH)
    return Policy(policy.weights, {**policy.about, "unit": unit})


@pytest.fixture
def policy_file(tmp_path: Path) -> Path:
    path = tmp_path / "small.npz"
    write_policy(trained_policy(), path)
    return path


def begun(source: Path, config: PPOConfig) -> PolicyValueNetwork:
    network = new_network(config)
    take_weights(network, str(source), config)
    return network


def test_it_begins_as_the_policy_of_a_file(policy_file: Path) -> None:
    config = config_of()
    own, expected = exported(begun(policy_file, config), config).weights, trained_policy().weights
    for name in expected._fields:
        np.testing.assert_array_equal(getattr(own, name), getattr(expected, name), err_msg=name)


def test_it_begins_as_a_checkpoint(tmp_path: Path) -> None:
    path, config = tmp_path / "last.pt", config_of()
    before = new_network(config)
    write_checkpoint(policy_checkpoint(before, config, {"decisions": 1}), path)
    after = begun(path, config)
    for name, weights in before.state_dict().items():
        assert torch.equal(weights, after.state_dict()[name]), name
    assert policy_of_checkpoint(path).fingerprint == exported(after, config).fingerprint


@pytest.mark.parametrize("options", [{"removes_luck": True}, {"reward_spread": {}}], ids=["unit", "spread"])
def test_a_value_that_counts_something_else_begins_at_0(options: dict[str, Any], policy_file: Path) -> None:
    network = begun(policy_file, config_of(**options))
    assert not network.value_head.weight.any() and not network.value_head.bias.any()
    np.testing.assert_array_equal(network.policy_head.weight.detach().numpy(), trained_policy().weights.policy)


def test_a_value_that_nobody_trained_begins_at_0(tmp_path: Path) -> None:
    write_policy(trained_policy(unit=""), tmp_path / "x.npz")
    assert not begun(tmp_path / "x.npz", config_of()).value_head.weight.any()
    config = config_of()
    write_checkpoint(policy_checkpoint(new_network(config), config, {"decisions": 0}), tmp_path / "x.pt")
    assert not begun(tmp_path / "x.pt", config).value_head.weight.any()


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"hidden_sizes": (16,)}, r'needs network = "suits", hidden_sizes = \[8\] and is_advised = true, not network'),
        ({"network": "flat"}, r'not network = "flat", hidden_sizes = \[8\] and is_advised = true'),
        ({"is_advised": False}, r"and is_advised = false"),
        ({"ignored_sections": ("trick",)}, "looks at sections that ignored_sections leaves out here"),
    ],
)
def test_a_policy_that_does_not_fit_is_refused(options: dict[str, Any], reason: str, policy_file: Path) -> None:
    with pytest.raises(StartError, match=f"^start_from: .*{reason}") as refused:
        begun(policy_file, config_of(**options))
    assert "\n" not in str(refused.value)


@pytest.mark.parametrize(
    ("key", "value"), [("network", "flat"), ("hidden_sizes", (16,)), ("ignored_sections", ("trick",))]
)
def test_a_checkpoint_of_another_kind_is_refused(key: str, value: Any, tmp_path: Path) -> None:
    path, config = tmp_path / "last.pt", config_of()
    write_checkpoint(policy_checkpoint(new_network(config), config, {"decisions": 1}), path)
    with pytest.raises(StartError, match=f"^start_from: .*last.pt was trained with {key} = .*; here it is "):
        begun(path, config_of(**{key: value}))


@pytest.mark.parametrize("name", ["gone.npz", "gone.pt", "pretraned"])
def test_what_is_not_there_is_refused(
    name: str, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "tiny.toml").write_text(f'start_from = "{name}"\nnum_games = 7', "utf-8")
    assert ppo.main(["tiny.toml", "--run-dir", "run"]) == 2
    error = capsys.readouterr().err
    assert error.startswith("start_from: no ") and name in error and error.count("\n") == 1
    assert not (tmp_path / "run").exists()


def test_a_run_starts_from_it(policy_file: Path, tmp_path: Path) -> None:
    config = config_of(start_from=str(policy_file))
    learner = ppo.begin(config, tmp_path / "run")
    assert exported(learner.network, config).fingerprint == small_policy(width=WIDTH).fingerprint
