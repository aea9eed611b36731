"""The command line that says what the parts of a recipe are worth: its runs, its table, and one line for a slip."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from baselines.ppo.checkpoint import new_network, policy_checkpoint, write_checkpoint
from baselines.ppo.config import PPOConfig
from baselines.ppo.run_folder import make_run_folder
from king_env.exit_statuses import FAILED, INTERRUPTED, REFUSED
from scripts import ablate
from scripts.ablate import BASE, Run, main, points_table, runs_of

STUDIES = sorted((Path(__file__).parents[2] / "configs" / "ablations").glob("*.toml"))
# What self_play.toml begins with: a run of the other study.
WARM_START = Path("runs", "ablations", "warm_start", "base-1", "last.pt")
TINY = """
[base]
network = "suits"
is_advised = true
hidden_sizes = [8]
played_out_decisions = 500
played_out_worlds = 1
total_decisions = 0
num_games = 14
num_steps = 16
final_blocks = 2
opponents = ["heuristic"]

[variants."Flat, told nothing"]
network = "flat"
"""


@pytest.fixture
def study(tmp_path: Path) -> Path:
    path = tmp_path / "tiny.toml"
    path.write_text(TINY, "utf-8")
    return path


def runs_that_made(tmp_path: Path, points: dict[str, list[float]]) -> list[Run]:
    """Finished runs, one a seed, with these points against three of the heuristic."""
    runs = []
    for variant, of_seeds in points.items():
        for seed, made in enumerate(of_seeds, start=1):
            run = Run(variant, seed, PPOConfig(opponents=("heuristic",)), tmp_path / f"{variant}-{seed}")
            run.folder.mkdir()
            result = [{"bots": [{"points": {"game": {"mean": made}}}]}]
            (run.folder / "final.json").write_text(json.dumps(result), "utf-8")
            runs.append(run)
    return runs


@pytest.mark.parametrize("path", STUDIES, ids=lambda path: path.stem)
def test_the_studies_can_be_run(path: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    WARM_START.parent.mkdir(parents=True)
    config = PPOConfig(network="suits", is_advised=True, hidden_sizes=(8,))
    write_checkpoint(policy_checkpoint(new_network(config), config, {}), WARM_START)
    runs = runs_of(path, 3, Path("runs"))
    assert len(runs) % 3 == 0 and len({run.folder for run in runs}) == len(runs)
    assert {run.config.opponents for run in runs} == {runs[0].config.opponents}
    assert len({run.config.to_toml() for run in runs}) == len(runs), "a variant changes nothing"


def test_a_study_without_what_it_begins_with_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(tmp_path)
    (path,) = [path for path in STUDIES if path.stem == "self_play"]
    assert main([str(path)]) == REFUSED
    assert f"no checkpoint {WARM_START.as_posix()}" in capsys.readouterr().err


def test_variants_are_trained_once(study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Also where one was ended before it had a checkpoint."""
    folder = tmp_path / "runs"
    make_run_folder(folder / "base-1", PPOConfig())
    arguments = [str(study), "--seeds", "1", "--processes", "2", "--run-dir", str(folder)]
    assert main(arguments) == 0
    assert "Flat, told nothing" in capsys.readouterr().out
    trained = {path: path.stat().st_mtime_ns for path in folder.glob("*/last.pt")}
    assert {path.parent.name for path in trained} == {"base-1", "flat-told-nothing-1"}
    assert main([*arguments, "--markdown"]) == 0
    assert "| Flat, told nothing |" in capsys.readouterr().out
    assert trained == {path: path.stat().st_mtime_ns for path in folder.glob("*/last.pt")}


def test_what_was_trained_by_another_config_is_refused(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """A study that was changed must not show old figures as its own."""
    arguments = [str(study), "--seeds", "1", "--run-dir", str(tmp_path / "runs")]
    assert main(arguments) == 0
    study.write_text(TINY.replace("hidden_sizes = [8]", "hidden_sizes = [16]"), "utf-8")
    capsys.readouterr()
    assert main(arguments) == REFUSED
    said = capsys.readouterr().err
    assert "base-1 was trained by another config" in said and "another --run-dir" in said


def test_the_table_compares_means_over_seeds(tmp_path: Path) -> None:
    table = points_table(runs_that_made(tmp_path, {BASE: [10.0, 20.0], "worse": [1.0, 5.0]}))
    assert table.header == ("variant", "heuristic", f"to {BASE}")
    assert table.rows == ((BASE, "+15.0 (+10.0 … +20.0)", ""), ("worse", "+3.0 (+1.0 … +5.0)", "-12.0"))


def test_a_measurement_that_was_interrupted_is_not_done(tmp_path: Path) -> None:
    (run,) = runs_that_made(tmp_path, {BASE: [1.0]})
    assert run.is_done
    config = PPOConfig(opponents=("heuristic", "random"))
    assert not Run(BASE, 1, config, run.folder).is_done


@pytest.mark.parametrize(
    ("status", "exit_status", "said"),
    [(3, 1, "ablate: base, seed 1: the run failed; "), (INTERRUPTED, INTERRUPTED, "the same command goes on")],
)
def test_a_run_that_ends_otherwise(
    status: int,
    exit_status: int,
    said: str,
    study: Path,
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    (tmp_path / "train.py").write_text(f"raise SystemExit({status})", "utf-8")
    monkeypatch.setattr(ablate, "TRAIN", tmp_path / "train.py")
    assert main([str(study), "--run-dir", str(tmp_path / "runs")]) == exit_status
    assert said in capsys.readouterr().err


def test_a_folder_that_cannot_be_made_is_one_line(
    study: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "file").touch()
    assert main([str(study), "--run-dir", str(tmp_path / "file" / "runs")]) == FAILED
    assert capsys.readouterr().err.startswith("ablate: ")


@pytest.mark.parametrize(
    ("old", "new", "said"),
    [
        ("[base]", "[bass]", "must have the tables"),
        ("[variants.", "[variants2.", "must have the tables"),
        ('network = "flat"', 'net = "flat"', "Flat, told nothing: unknown key 'net'"),
        ("hidden_sizes = [8]", "hidden_sizes = [0]", "base: hidden_sizes: must be at least 1"),
        ('["heuristic"]', '["nobody"]', "base: opponents: unknown bot 'nobody'"),
    ],
)
def test_a_study_that_cannot_be_meant_is_refused(
    old: str, new: str, said: str, study: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    study.write_text(TINY.replace(old, new), "utf-8")
    assert main([str(study)]) == 2
    assert f"ablate: {study}: " in (error := capsys.readouterr().err) and said in error
