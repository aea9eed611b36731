"""The recipe as a whole: it learns, it can be stopped and resumed, and forced moves are not learned from."""

from __future__ import annotations

import csv
import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from baselines.ppo import ppo
from baselines.ppo.checkpoint import read_checkpoint, write_checkpoint
from baselines.ppo.config import KINDS, PPOConfig
from baselines.ppo.network import EmptyMaskError
from baselines.ppo.run_folder import Log, last_checkpoint
from king_env.evaluation import play_match

ROOT = Path(__file__).parents[2]
TINY = """
num_games = 14
num_steps = 16
hidden_sizes = [16]
minibatch_size = 64
eval_blocks = 1
final_blocks = 2
opponents = ["random"]
total_decisions = 1000
"""


def tiny(**options: Any) -> PPOConfig:
    defaults: dict[str, Any] = {"num_games": 14, "num_steps": 16, "hidden_sizes": (16,), "minibatch_size": 64}
    return PPOConfig(**{**defaults, **options})


@pytest.fixture
def config_file(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(TINY, "utf-8")
    return path


def weights(learner: ppo.Learner) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in learner.network.parameters()])


def test_forced_moves_are_not_learned_from() -> None:
    config = tiny(num_steps=52)
    learner = ppo.new_learner(config)
    ppo.collect(learner, config, ppo.TimeSpent())
    rows = learner.streams.masks[: learner.streams.size].sum(axis=1)
    assert rows.min() > 1
    assert learner.streams.size < config.num_games * config.num_steps  # the last card of every seat is forced


def test_every_point_of_a_negative_deal_reaches_a_decision() -> None:
    """Whole deals in one rollout: what the decisions earned is what the seats scored from their first decision on."""
    config = tiny(num_steps=52, contract_weights={"positive": 0})
    learner = ppo.new_learner(config)
    ppo.collect(learner, config, ppo.TimeSpent())
    streams = learner.streams
    assert (streams.successors[: streams.size] != -2).all()
    assert streams.rewards[: streams.size].sum() == pytest.approx(0.0, abs=0.2 * config.num_games)


def test_a_decision_without_legal_actions_is_an_error() -> None:
    config = tiny()
    learner = ppo.new_learner(config)
    learner.tables.masks[3] = 0
    with pytest.raises(EmptyMaskError, match="table 3"):
        ppo.collect(learner, config, ppo.TimeSpent())


def test_an_update_makes_what_paid_more_likely() -> None:
    config = tiny(entropy_coef=0.0, value_coef=0.0, learning_rate=1e-2)
    learner = ppo.new_learner(config)
    ppo.collect(learner, config, ppo.TimeSpent())
    batch, _ = ppo.make_batch(learner.streams, config)
    rows = torch.arange(len(batch.actions))
    before = ppo.losses(learner.network, batch, rows, config)
    ppo.update(learner.network, learner.optimizer, batch, learner.shuffler, 0.0, config)
    after = ppo.losses(learner.network, batch, rows, config)
    assert before["policy_loss"].item() == pytest.approx(0.0, abs=1e-5)
    assert after["policy_loss"] < before["policy_loss"]


def test_advantages_and_old_probabilities_are_of_the_collected_actions() -> None:
    """Before any step the policy has not moved: every ratio is 1."""
    config = tiny()
    learner = ppo.new_learner(config)
    ppo.collect(learner, config, ppo.TimeSpent())
    batch, _ = ppo.make_batch(learner.streams, config)
    parts = ppo.losses(learner.network, batch, torch.arange(len(batch.actions)), config)
    assert parts["approx_kl"].item() == pytest.approx(0.0, abs=1e-6)
    assert batch.advantages.mean().item() == pytest.approx(0.0, abs=1e-5)


def test_rates_follow_decisions_or_minutes_whichever_is_further() -> None:
    config = tiny(total_decisions=100, max_minutes=10.0)
    assert ppo.progress(ppo.Counters(decisions=30, minutes=1.0), config) == pytest.approx(0.3)
    assert ppo.progress(ppo.Counters(decisions=30, minutes=8.0), config) == pytest.approx(0.8)
    assert ppo.progress(ppo.Counters(decisions=300), config) == 1.0


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"episode": "game", "rulesets": ("portuguese", "brazilian_auction", "brazilian_trump")},
        {"episode": "game", "horizon": "game", "reward": "placement", "gae_lambda": 0.9},
        {"reward": "deal", "bf16": "on"},
    ],
    ids=["deals", "games of three rule sets", "placement", "bf16"],
)
def test_every_way_of_playing_can_be_learned_from(options: dict[str, Any]) -> None:
    config = tiny(**options)
    learner = ppo.new_learner(config)
    for _ in range(3):
        row = ppo.iterate(learner, config)
        assert np.isfinite(list(row.values())).all()
    assert list(row) == list(ppo.METRICS)


def test_a_resumed_run_ends_with_the_same_weights(tmp_path: Path) -> None:
    config = tiny(ignored_sections=("totals",))
    whole = ppo.new_learner(config)
    for _ in range(6):
        ppo.iterate(whole, config)
    first = ppo.new_learner(config)
    for _ in range(3):
        ppo.iterate(first, config)
    write_checkpoint(ppo.training_state(first, config), tmp_path / "last.pt")
    second = ppo.resume_learner(read_checkpoint(tmp_path / "last.pt"), config)
    for _ in range(3):
        ppo.iterate(second, config)
    assert torch.equal(weights(second), weights(whole))
    assert second.counters.decisions == whole.counters.decisions


def test_a_run_leaves_all_that_it_should(config_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    folder = tmp_path / "run"
    assert ppo.main([str(config_file), "--run-dir", str(folder), "--set", "eval_minutes=1e-6"]) == 0
    for name in ("config.toml", "versions.json", "training.csv", "scores.csv", "last.pt", "learning_curves.png"):
        assert (folder / name).stat().st_size > 0
    assert list((folder / "tensorboard").iterdir())
    assert list((folder / "snapshots").glob("*.pt"))
    assert "no tricks" in (folder / "final.md").read_text("utf-8")
    assert "Against three random" in capsys.readouterr().out
    result = play_match([str(folder / "last.pt"), "random", "random", "random"], 1, 1, progress=False)
    assert result.num_blocks == 1


def test_a_folder_that_holds_a_run_is_refused(
    config_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "config.toml").touch()
    assert ppo.main([str(config_file), "--run-dir", str(tmp_path)]) == 2
    assert f"go on with it by --resume {tmp_path}" in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--set", "num_gams=3"], "did you mean 'num_games'?"),
        (["--set", "device=tpu9"], "device: 'tpu9' is not available"),
    ],
)
def test_a_slip_on_the_command_line_is_one_line(
    arguments: list[str], message: str, config_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ppo.main([str(config_file), "--run-dir", str(tmp_path / "run"), *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1


def test_a_resumed_run_may_change_only_its_length(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ppo.main(["--resume", str(tmp_path), "--set", "learning_rate=1"]) == 2
    assert "a resumed run may change only total_decisions, max_minutes" in capsys.readouterr().err
    assert ppo.main(["--resume", str(tmp_path)]) == 2
    assert "no checkpoint" in capsys.readouterr().err


@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT for another process")
def test_ctrl_c_leaves_a_run_that_goes_on(config_file: Path, tmp_path: Path) -> None:
    folder = tmp_path / "run"
    command = [sys.executable, "scripts/train.py", str(config_file), "--run-dir", str(folder)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    endless = [*command, "--set", "total_decisions=1000000000"]
    with subprocess.Popen(endless, cwd=ROOT, env=environment, stdout=subprocess.PIPE, text=True) as process:
        while not (folder / "training.csv").exists():
            assert process.poll() is None
            time.sleep(0.05)
        process.send_signal(signal.SIGINT)
        output, _ = process.communicate(timeout=60)
    assert process.returncode == 130
    assert f"--resume {folder}" in output
    decisions = read_checkpoint(last_checkpoint(folder))["counters"]["decisions"]
    with (folder / "training.csv").open() as file:
        assert int(list(csv.DictReader(file))[-1]["decisions"]) == decisions  # the last iteration was saved
    assert ppo.main(["--resume", str(folder), "--set", f"total_decisions={decisions + 500}"]) == 0
    assert read_checkpoint(last_checkpoint(folder))["counters"]["decisions"] >= decisions + 500


def test_rows_that_a_checkpoint_does_not_know_are_dropped(tmp_path: Path) -> None:
    log = Log(tmp_path)
    for decisions in (10, 20, 30):
        log.write("training", decisions, {"entropy": 1.0})
    log.close()
    log = Log(tmp_path, decisions=20)
    log.write("training", 40, {"entropy": 0.5})
    log.close()
    assert (tmp_path / "training.csv").read_text("utf-8").split() == ["decisions,entropy", "10,1", "20,1", "40,0.5"]


def test_a_small_network_soon_beats_random() -> None:
    """Some seconds of self-play in one contract."""
    config = tiny(
        num_games=64,
        num_steps=52,
        hidden_sizes=(64,),
        minibatch_size=256,
        contract_weights={kind: int(kind == "no_last_two") for kind in KINDS},
        learning_rate=2e-3,
        total_decisions=25_000,
        bf16="off",
    )
    learner = ppo.new_learner(config)
    while ppo.progress(learner.counters, config) < 1.0:
        ppo.iterate(learner, config)
    bot = ppo.playing_copy(learner.network, config)
    result = play_match([bot, "random", "random", "random"], 60, 7, episode="deal", progress=False)
    points = {name: result.points(name, "no_last_two") for name in result.labels}
    assert points[bot.name].interval[0] > points["random"].interval[1] + 10
