"""An exported policy plays without torch what its checkpoint plays with it, and what cannot be exported is refused."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch
from torch import nn

from baselines.ppo import export
from baselines.ppo.checkpoint import new_network, policy_checkpoint, write_checkpoint
from baselines.ppo.config import PPOConfig
from baselines.ppo.network import PolicyValueNetwork
from baselines.ppo.policy_bot import POINTS_TO_COME, load
from king_env.bots import make
from king_env.bots.pretrained import PretrainedBot, read_policy
from king_env.engine.state import BIDDING, DECIDING, GameRecords
from king_env.ruleset import RULESETS
from tests.bots.positions import hidden, positions

CONFIG = PPOConfig(network="suits", hidden_sizes=(16,), is_advised=True, ignored_sections=("totals", "totals_ladder"))
COUNTERS = {"decisions": 5}


def network_of(config: PPOConfig) -> PolicyValueNetwork:
    """A network that has an opinion: a fresh one finds all actions much alike."""
    torch.manual_seed(0)
    network = new_network(config)
    for parameter in network.parameters():
        nn.init.normal_(parameter, std=0.15)
    return network


def checkpoint_of(config: PPOConfig, folder: Path) -> Path:
    path = folder / "policy.pt"
    write_checkpoint(policy_checkpoint(network_of(config), config, COUNTERS), path)
    return path


@pytest.fixture(scope="module")
def views() -> GameRecords:
    """What the seats to act know in whole games of all rule sets, auctions included."""
    games = positions(list(RULESETS.values()), make("random"), np.random.default_rng(1), 2 * len(RULESETS))
    return hidden(np.concatenate([acting.copy() for acting in games]))


@pytest.mark.parametrize(
    "ignored",
    [("totals", "totals_ladder"), (), ("trick", "trump", "voids", "deal_number")],
    ids=["two", "none", "four"],
)
def test_it_plays_and_thinks_as_its_checkpoint_does(
    ignored: tuple[str, ...], views: GameRecords, tmp_path: Path
) -> None:
    config = PPOConfig(network="suits", hidden_sizes=(16,), is_advised=True, ignored_sections=ignored)
    checkpoint, out = checkpoint_of(config, tmp_path), tmp_path / "policy.npz"
    assert export.main([str(checkpoint), "--out", str(out)]) == 0
    with_torch, without = load(str(checkpoint)), PretrainedBot(out)
    rng = np.random.default_rng(0)
    assert len(views) > 2000 and {BIDDING, DECIDING} <= set(views["phase"])
    np.testing.assert_array_equal(without.act_batch(views, rng), with_torch.act_batch(views, rng))
    some = views[::5]
    for own, expected in zip(without.explain(some), with_torch.explain(some), strict=True):
        assert own.probabilities == pytest.approx(expected.probabilities, abs=1e-5)
        assert own.value == pytest.approx(expected.value, rel=1e-4, abs=1e-3)
        assert own.unit == expected.unit == POINTS_TO_COME


def test_the_file_says_where_the_policy_comes_from(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    panel, out = tmp_path / "panel.json", tmp_path / "policy.npz"
    panel.write_text('{"strength": 12.5}', "utf-8")
    arguments = [str(checkpoint_of(CONFIG, tmp_path)), "--panel", str(panel), "--out", str(out)]
    assert export.main(arguments) == 0
    policy = read_policy(out)
    assert PPOConfig.from_dict(policy.about["config"]) == CONFIG
    assert policy.about["counters"] == COUNTERS and policy.about["panel"] == {"strength": 12.5}
    assert "torch" in policy.about["versions"] and isinstance(policy.about["commit"], str)
    assert f"version {policy.fingerprint}" in capsys.readouterr().out
    assert export.main(arguments) == 0
    assert read_policy(out).fingerprint == policy.fingerprint


def test_outside_a_repository_the_commit_is_not_known(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_git(*_: object, **__: object) -> None:
        raise FileNotFoundError("git")

    monkeypatch.setattr(subprocess, "run", no_git)
    assert export.commit() == ""


def refusal(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> str:
    assert export.main(arguments) == 2
    error = capsys.readouterr().err
    assert error.count("\n") == 1
    return error


@pytest.mark.parametrize(
    "options",
    [{"network": "flat"}, {"is_advised": False}, {"horizon": "game"}],
    ids=["flat", "not advised", "whole games"],
)
def test_only_an_advised_policy_of_suits_and_deals_can_be_exported(
    options: dict[str, Any], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    config = PPOConfig.from_dict({**CONFIG.to_dict(), **options})
    out = tmp_path / "policy.npz"
    error = refusal([str(checkpoint_of(config, tmp_path)), "--out", str(out)], capsys)
    assert 'only a policy with network = "suits" and is_advised = true' in error
    assert not out.exists()


def test_what_is_not_there_is_refused_in_one_line(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    out = str(tmp_path / "policy.npz")
    assert "no checkpoint" in refusal([str(tmp_path / "gone.pt"), "--out", out], capsys)
    checkpoint = str(checkpoint_of(CONFIG, tmp_path))
    panel = tmp_path / "panel.json"
    assert f"cannot read {panel}" in refusal([checkpoint, "--panel", str(panel), "--out", out], capsys)
    panel.write_text("strong", "utf-8")
    assert f"{panel} is not JSON" in refusal([checkpoint, "--panel", str(panel), "--out", out], capsys)
    panel.write_text(json.dumps("strong"), "utf-8")
    assert "gone" in refusal([checkpoint, "--panel", str(panel), "--out", str(tmp_path / "gone" / "x.npz")], capsys)
