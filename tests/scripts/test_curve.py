"""The command line that draws how strong a run was while it trained."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from baselines.ppo.checkpoint import new_network, policy_checkpoint
from baselines.ppo.config import PPOConfig
from baselines.ppo.ppo import Counters
from baselines.ppo.run_folder import make_run_folder, snapshots_in, write_snapshot
from king_env.evaluation import play_match
from king_env.exit_statuses import INTERRUPTED
from scripts import curve
from scripts.curve import main, tasks_of

QUICK = ["--blocks", "2", "--threads", "1", "--against", "heuristic,random"]


@pytest.fixture
def run(tmp_path: Path) -> Path:
    """The folder of a run with two snapshots."""
    config = PPOConfig(network="suits", hidden_sizes=(8,), is_advised=True)
    folder = tmp_path / "run"
    make_run_folder(folder, config)
    for minutes in (10.0, 20.0):
        counters = {"minutes": minutes, "minutes_taught": min(minutes, 15.0)}
        write_snapshot(policy_checkpoint(new_network(config), config, counters), folder, int(minutes))
    return folder


def test_counters_of_a_run_hold_what_is_read() -> None:
    assert {"minutes", "minutes_taught"} <= set(vars(Counters()))


def test_the_warm_start_ends_where_self_play_begins(run: Path) -> None:
    assert tasks_of(run, ["random"])[1] == 15.0
    snapshots_in(run)[-1].unlink()
    assert tasks_of(run, ["random"])[1] == 0.0


def test_snapshots_are_measured_once(
    run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert main([str(run), *QUICK]) == 0
    printed = capsys.readouterr().out
    assert "10.0" in printed and "20.0" in printed and "heuristic" in printed
    assert (run / "curve.png").stat().st_size > 0
    matches: list[dict[str, Any]] = json.loads((run / "curve.json").read_text("utf-8"))["matches"]
    assert [match["against"] for match in matches] == ["heuristic", "random"] * 2
    assert [match["minutes"] for match in matches] == [10.0, 10.0, 20.0, 20.0]

    def refuse(*arguments: Any, **options: Any) -> None:
        raise AssertionError("it was played before")

    monkeypatch.setattr(curve, "play_match", refuse)
    assert main([str(run), *QUICK, "--picture", str(run / "other.png")]) == 0
    assert capsys.readouterr().out.splitlines()[:-1] == printed.splitlines()[:-1]
    with pytest.raises(AssertionError, match="played before"):
        main([str(run), *QUICK, "--seed", "2"])


def test_ctrl_c_keeps_what_was_measured(
    run: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    played: list[Any] = []

    def stop_at_the_third(*arguments: Any, **options: Any) -> Any:
        played.append(arguments)
        if len(played) == 3:
            raise KeyboardInterrupt
        return play_match(*arguments, **options)

    monkeypatch.setattr(curve, "play_match", stop_at_the_third)
    assert main([str(run), *QUICK]) == INTERRUPTED
    assert "the same command goes on" in capsys.readouterr().err
    assert main([str(run), *QUICK]) == 0
    assert len(played) == 5


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (["nowhere"], "curve: nowhere holds no snapshots of a run"),
        (["nowhere", "--against", "heuristic,nobody"], "curve: unknown bot 'nobody'"),
        (["nowhere", "--picture", "/"], "curve: --picture: / is a folder; give a file"),
        (["nowhere", "--blocks", "1"], "--blocks: must be at least 2"),
    ],
)
def test_a_slip_is_one_line(arguments: list[str], said: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        raise SystemExit(main(arguments))
    assert stopped.value.code == 2
    assert said in capsys.readouterr().err
