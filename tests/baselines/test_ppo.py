"""The recipe as a whole: it learns, it can be stopped and resumed, and forced actions are not learned from."""

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
from matplotlib.axes import Axes

from baselines.ppo import learning_curves, ppo, score
from baselines.ppo.binary_linear import add_to_rows, ones_of_words
from baselines.ppo.checkpoint import read_checkpoint, write_checkpoint
from baselines.ppo.clipped_adam import adam_step
from baselines.ppo.config import PPOConfig
from baselines.ppo.legal_choices import draw_legal
from baselines.ppo.lesson_terms import add_lesson_gradients
from baselines.ppo.loss_terms import TERMS, add_gradients
from baselines.ppo.network import EmptyMaskError, legal_log_probs
from baselines.ppo.run_folder import Log, last_checkpoint
from baselines.ppo.seat_streams import stream_advantages
from king_env.bots.searching import search_worlds
from king_env.engine.contracts import NEGATIVE_NAMES
from king_env.engine.kernel import JIT_ENABLED
from king_env.episode import KIND_NAMES
from king_env.evaluation import MatchInterrupted, MatchResult, play_match

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


def test_forced_actions_are_not_learned_from() -> None:
    config = tiny(num_steps=52)
    learner = ppo.new_learner(config)
    ppo.collect(learner, config, ppo.TimeSpent())
    rows = learner.streams.masks[: learner.streams.size].sum(axis=1)
    assert rows.min() > 1
    assert learner.streams.size < config.num_games * config.num_steps  # the last card of every seat is forced


def test_every_point_of_a_negative_deal_reaches_a_decision_of_its_seat(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whole deals in one rollout: what a seat's decisions earned is what it scored, centred and in spreads."""
    config = tiny(num_games=60, num_steps=52, contract_weights={"positive": 0})
    learner = ppo.new_learner(config)
    streams, envs = learner.streams, learner.tables.envs
    whose: list[tuple[np.ndarray, np.ndarray]] = []
    decides_in_first_trick = np.zeros((config.num_games, 4), dtype=bool)  # so before anybody is paid
    add = streams.add

    def note(games: np.ndarray, seats: np.ndarray, *decision: np.ndarray) -> None:
        whose.append((games, seats))
        num_plays = np.concatenate([env.games["num_plays"] for env in envs])
        decides_in_first_trick[games, seats] |= num_plays[games] < 4
        add(games, seats, *decision)

    monkeypatch.setattr(streams, "add", note)
    ppo.collect(learner, config, ppo.TimeSpent())
    games, seats = (np.concatenate(column) for column in zip(*whose, strict=True))
    earned = np.zeros((config.num_games, 4))
    np.add.at(earned, (games, seats), streams.rewards[: streams.size])
    scores = np.concatenate([env.final_scores for env in envs])
    spreads = np.repeat([config.reward_spread[kind] for kind in NEGATIVE_NAMES], 10)[:, None]
    scored = (scores - scores.mean(axis=1, keepdims=True)) / spreads
    assert (scores.sum(axis=1) < 0).all()
    assert decides_in_first_trick.mean() > 0.8
    assert earned[decides_in_first_trick] == pytest.approx(scored[decides_in_first_trick], abs=1e-4)


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
    ppo.set_learning_rate(learner.optimizer, config.learning_rate)
    ppo.update(learner, batch, 0.0, config)
    with torch.inference_mode(), ppo.precision(config):
        logits, _ = learner.network(batch.shown, batch.advice)
    log_probs = legal_log_probs(logits.float(), batch.masks)[rows, batch.actions]
    moved = log_probs - batch.log_probs
    paid, cost = batch.advantages > 0.5, batch.advantages < -0.5
    assert moved[paid].mean() > 0.02
    assert moved[cost].mean() < -0.02


def test_without_a_weight_no_value_is_learned() -> None:
    config = tiny(value_coef=0.0)
    learner = ppo.new_learner(config)
    before = weights(learner)
    ppo.iterate(learner, config)
    assert not torch.equal(weights(learner), before)
    assert not learner.network.value_head.weight.any() and not learner.network.value_head.bias.any()
    assert not learner.streams.values.any()


def test_advantages_and_old_probabilities_are_of_the_collected_actions() -> None:
    """Before any step the policy has not moved: every ratio is 1."""
    config = tiny()
    learner = ppo.new_learner(config)
    ppo.collect(learner, config, ppo.TimeSpent())
    batch, _ = ppo.make_batch(learner.streams, config)
    terms = ppo.losses(learner.network, batch, torch.arange(len(batch.actions)), config)
    assert terms[TERMS.index("approx_kl")].item() == pytest.approx(0.0, abs=1e-6)
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
    second = ppo.resume_learner(read_checkpoint(tmp_path / "last.pt"), config, tmp_path / "last.pt")
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
        (["--set", "seed=-1"], "seed: must be at least 0"),
        (["--set", 'opponents=["heuristik"]'], "did you mean 'heuristic'?"),
    ],
)
def test_a_slip_on_the_command_line_is_one_line(
    arguments: list[str], message: str, config_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert ppo.main([str(config_file), "--run-dir", str(tmp_path / "run"), *arguments]) == 2
    error = capsys.readouterr().err
    assert message in error
    assert error.count("\n") == 1
    assert not (tmp_path / "run").exists()  # so the next try may use the folder


def test_a_resumed_run_may_change_only_its_length(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert ppo.main(["--resume", str(tmp_path), "--set", "learning_rate=1"]) == 2
    assert "a resumed run may change only total_decisions, max_minutes" in capsys.readouterr().err
    assert ppo.main(["--resume", str(tmp_path)]) == 2
    assert "no checkpoint" in capsys.readouterr().err


def stopped_run(config_file: Path, folder: Path) -> dict[str, Any]:
    """A run that was stopped after an update; returns its last checkpoint."""
    learner, config, _ = ppo.start(ppo.parse_arguments([str(config_file), "--run-dir", str(folder)]))
    ppo.iterate(learner, config)
    write_checkpoint(ppo.training_state(learner, config), last_checkpoint(folder))
    return read_checkpoint(last_checkpoint(folder))


def test_a_run_is_not_resumed_under_another_config(
    config_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    stopped_run(config_file, folder)
    text = (folder / "config.toml").read_text("utf-8")
    (folder / "config.toml").write_text(text.replace("gamma = 1.0", "gamma = 0.5"), "utf-8")
    assert ppo.main(["--resume", str(folder)]) == 2
    error = capsys.readouterr().err
    assert "gamma is 0.5, but the run was trained with 1.0" in error
    assert error.count("\n") == 1


@pytest.mark.parametrize("part", ["tables", "streams", "shuffler"])
def test_a_training_state_of_another_version_is_refused(
    part: str, config_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    folder = tmp_path / "run"
    checkpoint = stopped_run(config_file, folder)
    checkpoint["training"][part] = torch.zeros(5, dtype=torch.uint8)
    write_checkpoint(checkpoint, last_checkpoint(folder))
    assert ppo.main(["--resume", str(folder)]) == 2
    error = capsys.readouterr().err
    assert "holds a training state that this version cannot go on from" in error
    assert error.count("\n") == 1


def test_what_is_kept_for_a_resumed_run_is_tensors_and_plain_values() -> None:
    """No bytes that somebody would have to unpickle."""
    config = tiny()

    def check(value: Any) -> None:
        if isinstance(value, dict):
            value = [*value.keys(), *value.values()]
        if isinstance(value, list | tuple):
            for item in value:
                check(item)
        else:
            assert value is None or isinstance(value, int | float | str | torch.Tensor), type(value)

    check(ppo.training_state(ppo.new_learner(config), config))


def test_compiling_beforehand_changes_nothing() -> None:
    """All kernels are ready after it, and the run that follows is the one it would have been."""
    config = tiny(is_advised=True, played_out_decisions=100, played_out_worlds=1)
    kernels = (
        search_worlds,
        add_lesson_gradients,
        stream_advantages,
        ones_of_words,
        add_to_rows,
        draw_legal,
        add_gradients,
        adam_step,
    )
    ppo.compile_kernels(config)
    ready = [len(getattr(kernel, "signatures", ())) for kernel in kernels]
    assert JIT_ENABLED == all(ready)
    learner = ppo.new_learner(config)
    ppo.compile_kernels(config)
    other = ppo.new_learner(config)
    for either in (learner, other):
        ppo.teach(either, config)
        ppo.iterate(either, config)
    assert torch.equal(weights(learner), weights(other))
    assert ready == [len(getattr(kernel, "signatures", ())) for kernel in kernels]


def test_ctrl_c_drops_a_measurement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is not waited for: the run is saved, and the measurement is still to be made."""
    config = tiny(eval_minutes=1e-6)
    learner = ppo.new_learner(config)
    (tmp_path / "snapshots").mkdir()

    def stopped(*_: object) -> dict[str, float]:
        signal.raise_signal(signal.SIGINT)
        raise AssertionError("the measurement went on")

    monkeypatch.setattr(score, "score_row", stopped)
    assert not ppo.train(learner, config, tmp_path)
    assert learner.counters.iterations == 1
    assert not (tmp_path / "scores.csv").exists()
    kept = read_checkpoint(last_checkpoint(tmp_path))["counters"]
    assert kept["iterations"] == 1 and kept["next_score"] < kept["minutes"]


def test_ctrl_c_in_the_final_tables_keeps_what_was_played(
    config_file: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(bots: Any, num_blocks: int, *arguments: Any, **options: Any) -> MatchResult:
        raise MatchInterrupted(play_match(bots, 1, *arguments, **options))

    monkeypatch.setattr(score, "play_match", interrupted)
    folder = tmp_path / "run"
    arguments = [str(config_file), "--run-dir", str(folder), "--set", "eval_minutes=100"]
    assert ppo.main(arguments) == 130
    output = capsys.readouterr().out
    last = last_checkpoint(folder)
    assert f"the run itself is complete: {last}" in output
    assert f"--bots {last},random,random,random --blocks 2 --seed 1 --ruleset portuguese" in output
    assert "no tricks" in (folder / "final.md").read_text("utf-8")
    assert "Against three random" in output


def test_the_curves_are_drawn_with_the_end_of_the_warm_start(tmp_path: Path) -> None:
    log = Log(tmp_path)
    for kind, decisions, row in (
        ("teacher", 2_000_000, {"gain": 0.1}),
        ("training", 3_000_000, {"entropy": 1.0, "explained_variance": 0.1, "decisions_per_second": 5.0}),
        ("scores", 3_000_000, {"minutes": 1.0, "random": 50.0, "± random": 5.0}),
    ):
        log.write(kind, decisions, row)
    log.close()
    marked: list[float] = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Axes, "axvline", lambda _, x, **style: marked.append(x))
        assert learning_curves.draw(tmp_path).stat().st_size > 0
    assert marked == [2.0] * 4


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


def test_a_cpu_computes_in_float32_whatever_it_can() -> None:
    """A run must not depend on which CPU it is on; what is compiled knows float32 alone."""
    for bf16, is_half in [("auto", False), ("off", False), ("on", True)]:
        with ppo.precision(tiny(bf16=bf16)):
            assert torch.is_autocast_enabled("cpu") == is_half


def test_a_small_network_soon_beats_random() -> None:
    """Some seconds of self-play in one contract."""
    config = tiny(
        num_games=64,
        num_steps=52,
        hidden_sizes=(64,),
        minibatch_size=256,
        contract_weights={kind: int(kind == "no_last_two") for kind in KIND_NAMES},
        learning_rate=2e-3,
        total_decisions=25_000,
    )
    learner = ppo.new_learner(config)
    while ppo.progress(learner.counters, config) < 1.0:
        ppo.iterate(learner, config)
    bot = ppo.playing_copy(learner, config)
    result = play_match([bot, "random", "random", "random"], 60, 7, episode="deal", progress=False)
    points = {name: result.points(name, "no_last_two") for name in result.labels}
    assert points[bot.name].interval[0] > points["random"].interval[1] + 10
