"""The benchmark: how it measures, what it says of what cannot be measured, and its tables."""

from __future__ import annotations

import ast
import itertools
import json
import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from king_env.batch_env import BatchEnv
from scripts.benchmarking import measurements
from scripts.benchmarking.command_line import main
from scripts.benchmarking.comparisons import OURS_FOR, comparisons
from scripts.benchmarking.engine import random_player
from scripts.benchmarking.measurements import (
    NAMES,
    NUM_CORES,
    ROOM_OF,
    ROOMS,
    Outcome,
    Results,
    UnknownNameError,
    check_names,
    measure,
    measure_all,
)
from scripts.benchmarking.measuring import (
    BYTES,
    DECISIONS_PER_SECOND,
    SECONDS,
    SHARE,
    STEPS_PER_SECOND,
    TIMES,
    Figure,
    Sample,
    rate,
)
from scripts.benchmarking.own_process import ProcessDiedError, in_own_process
from scripts.benchmarking.replay import BatchEnvReplay, CompiledReplay, Recording, plies_to_record, record_play
from scripts.benchmarking.report import report_json, report_markdown
from scripts.benchmarking.tables import seconds_text, tables, three_digits, with_prefix, with_unit

ROOT = Path(__file__).resolve().parents[2]
COMMAND = ["scripts/benchmark.py"]

SAMPLES = (
    Sample("random_games/deals/1", "random single deals", STEPS_PER_SECOND, 19e6, 1),
    Sample("batch_steps/1024", "step, observation and mask", STEPS_PER_SECOND, 15.26e6, 1024),
    Sample("raw_env/list", "`raw_env()`", STEPS_PER_SECOND, 400e3),
    Sample("start_up/cold", "first step", SECONDS, 9.0),
    Sample("memory/record", "a record", BYTES, 352),
    Sample("rlcard_bridge", "RLCard bridge", STEPS_PER_SECOND, 20e3),
    Sample("openspiel_hearts/compiled", "OpenSpiel hearts in C++", STEPS_PER_SECOND, 5e6),
    Sample("growth/games/4", "step", STEPS_PER_SECOND, 2e6, 4),
    Sample("growth/games/16", "step", STEPS_PER_SECOND, 3e6, 16),
    Sample("growth/deals/16", "deals", SECONDS, 80e-6, 16),
    Sample("growth/deals/64", "deals", SECONDS, 320e-6, 64),
    Sample("random_games/deals/1", "random single deals", STEPS_PER_SECOND, 21e6, 1),
    Sample("random_games/deals/1", "random single deals", STEPS_PER_SECOND, 20e6, 1),
)


@pytest.fixture
def results() -> Results:
    return Results(
        list(SAMPLES),
        not_measured={"openspiel_spades": "pyspiel is not installed"},
        errors={"ppo": "Traceback\n  line\nValueError: no\n"},
    )


# Measuring


def test_the_median_counts() -> None:
    assert Figure("key", "what", SECONDS, (3.0, 1.0, 9.0, 2.0, 100.0)).median == 3.0


def test_the_spread_is_a_part_of_the_median() -> None:
    assert Figure("key", "what", SECONDS, (2.0, 1.0, 4.0)).spread == 1.5


def test_a_rate_is_by_cpu_time_without_preparing_and_without_the_first_time(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = itertools.count()  # a second passes between two looks
    monkeypatch.setattr(time, "process_time", lambda: float(next(clock)))
    played: list[int] = []

    def prepare() -> None:
        next(clock)

    def play() -> int:
        played.append(10)
        return 10

    assert rate(play, prepare, seconds=3.0) == 10.0
    assert len(played) == 1 + 3


def test_sleeping_takes_no_cpu_time() -> None:
    def play() -> int:
        time.sleep(0.02)
        return 1

    assert rate(play, seconds=0.0) > 1 / 0.02


def test_the_samples_of_a_thing_make_one_figure(results: Results) -> None:
    figures = results.figures
    assert figures["random_games/deals/1"].samples == (19e6, 21e6, 20e6)
    assert list(figures)[:2] == ["random_games/deals/1", "batch_steps/1024"]


# The list of measurements


def test_an_unknown_name_is_refused_with_the_known_ones(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--only", "raw_env", "openspeil"]) == 2
    printed = capsys.readouterr()
    assert "openspeil" in printed.err and all(name in printed.err for name in NAMES)
    assert printed.out == ""
    with pytest.raises(UnknownNameError):
        check_names(["engine"])


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--repeats", "4"], "at least 5"),
        (["--json", "."], "--json"),
        (["--plot", "/dev/null/x.png"], "--plot"),
        (["--only", "memory", "--plot", "x.png"], "growth_by_games"),
    ],
)
def test_bad_arguments_get_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert message in printed.err and printed.err.count("\n") == 1
    assert printed.out == ""


@pytest.mark.parametrize("room", ROOMS)
def test_each_measurement_is_a_function_of_its_room(room: str) -> None:
    source = ROOT / "scripts" / "benchmarking" / f"{room.replace('.', '/')}.py"
    nodes = ast.parse(source.read_text("utf-8")).body  # its peer need not be here
    assert set(ROOMS[room]) <= {node.name for node in nodes if isinstance(node, ast.FunctionDef)}


def test_the_number_of_cores_is_of_known_measurements() -> None:
    assert NUM_CORES.keys() <= ROOM_OF.keys()


@pytest.mark.parametrize(
    ("name", "package"),
    [
        ("openspiel_hearts", "pyspiel"),
        ("rlcard_bridge", "rlcard"),
        ("maskable_ppo", "sb3_contrib"),
    ],
)
def test_a_missing_peer_is_named_as_not_measured(name: str, package: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, package, None)
    monkeypatch.delitem(sys.modules, f"scripts.benchmarking.{ROOM_OF[name]}", raising=False)
    assert measure(name) == Outcome(not_measured=f"{package} is not installed; extra `bench` brings it")


def test_a_room_of_ours_that_is_missing_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(ROOM_OF, "raw_env", "no_such_room")
    error = measure("raw_env").error
    assert error is not None and "no_such_room" in error


def test_a_failure_is_not_repeated_and_does_not_stop_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    outcomes = {"ppo": Outcome(error="no"), "raw_env": Outcome(not_measured="why"), "memory": Outcome(SAMPLES[4:5])}
    measured: list[str] = []

    def measure_one(name: str) -> Outcome:
        measured.append(name)
        return outcomes[name]

    monkeypatch.setattr(measurements, "measure_apart", measure_one)
    results = measure_all(["ppo", "raw_env", "memory"] * 2, lambda name: None)
    assert measured == ["ppo", "raw_env", "memory", "memory"]
    assert (results.errors, results.not_measured) == ({"ppo": "no"}, {"raw_env": "why"})
    assert results.figures["memory/record"].samples == (352, 352)


def test_an_interrupt_keeps_what_was_measured(monkeypatch: pytest.MonkeyPatch) -> None:
    def measure_one(name: str) -> Outcome:
        if name == "ppo":
            raise KeyboardInterrupt
        return Outcome(SAMPLES[4:5])

    monkeypatch.setattr(measurements, "measure_apart", measure_one)
    results = measure_all(["memory", "ppo", "raw_env"], lambda name: None)
    assert results.samples == list(SAMPLES[4:5]) and results.is_interrupted


def test_a_process_that_dies_says_with_what() -> None:
    with pytest.raises(ProcessDiedError, match="exit status 7"):
        in_own_process(os._exit, (7,), num_cores=1)


def test_what_a_new_process_imports_first_is_light() -> None:
    heavy = "{'king_env', 'matplotlib', 'numba', 'numpy', 'torch'}"
    code = f"import sys, scripts.benchmarking.command_line; sys.exit(len({heavy} & sys.modules.keys()))"
    assert subprocess.run([sys.executable, "-c", code], cwd=ROOT, check=False).returncode == 0


# What is printed


def test_the_tables_hold_each_figure_where_it_belongs(results: Results) -> None:
    rows = {table.title: table.rows for table in tables(results.figures)}
    assert [list(title_rows) for title_rows in rows.values()] == [
        [
            ("random single deals", "1", "20.0"),
            ("step, observation and mask", "1,024", "15.3"),
            ("`raw_env()`", "1", "0.400"),
        ],
        [
            ("OpenSpiel hearts in C++", "5.00 M", "random single deals", "20.0 M", "4.00×"),
            ("RLCard bridge", "20.0 k", "`raw_env()`", "400 k", "20.0×"),
        ],
        [("first step", "9.00 s"), ("a record", "352 bytes")],
        [("4", "2.00"), ("16", "3.00")],
        [("16", "80.0 µs", "5.00 µs"), ("64", "320 µs", "5.00 µs")],
    ]


def test_a_ratio_says_how_many_times_as_fast_ours_is(results: Results) -> None:
    assert {pair.peer.key: pair.ratio for pair in comparisons(results.figures)} == {
        "openspiel_hearts/compiled": 4.0,
        "rlcard_bridge": 20.0,
    }


def test_markdown_has_a_rule_and_as_many_cells_in_each_row(results: Results) -> None:
    text = report_markdown(results, 5, COMMAND)
    assert "python scripts/benchmark.py" in text
    assert "| first step | 9.00 s |" in text
    assert "- Not measured: openspiel_spades: pyspiel is not installed" in text
    assert "- Failed: ppo: ValueError: no" in text
    for table in (piece for piece in text.split("\n\n") if piece.startswith("|")):
        assert len({line.count("|") for line in table.splitlines()}) == 1


def test_json_holds_every_sample_and_what_it_was_measured_on(results: Results) -> None:
    content: dict[str, Any] = json.loads(json.dumps(report_json(results, 5, COMMAND)))
    assert content["command"] == COMMAND and content["repeats"] == 5
    assert {"processor", "cores", "system", "python"} == content["machine"].keys()
    assert {"numpy", "numba", "open_spiel", "rlcard", "pettingzoo", "sb3-contrib"} <= content["versions"].keys()
    by_key = {figure["key"]: figure for figure in content["figures"]}
    assert by_key["random_games/deals/1"] == {
        "key": "random_games/deals/1",
        "what": "random single deals",
        "unit": STEPS_PER_SECOND,
        "samples": [19e6, 21e6, 20e6],
        "size": 1,
        "median": 20e6,
    }
    assert {"peer": "rlcard_bridge", "ours": "raw_env/list", "ratio": 20.0} in content["comparisons"]
    assert content["not_measured"] == {"openspiel_spades": "pyspiel is not installed"}
    assert list(content["failed"]) == ["ppo"]


def test_a_failure_is_told_by_name_and_by_the_exit_status(
    results: Results, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("scripts.benchmarking.command_line.measure_all", lambda order, announce: results)
    path = tmp_path / "new" / "benchmark.json"
    assert main(["--json", str(path)]) == 1
    printed = capsys.readouterr()
    assert "Failed: ppo: ValueError: no" in printed.out
    assert "ppo failed:\nTraceback" in printed.err
    assert json.loads(path.read_text("utf-8"))["command"] == ["scripts/benchmark.py", "--json", str(path)]


def test_ctrl_c_prints_what_there_is(
    results: Results, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    results.is_interrupted = True
    monkeypatch.setattr("scripts.benchmarking.command_line.measure_all", lambda order, announce: results)
    assert main(["--markdown"]) == 130
    printed = capsys.readouterr().out
    assert "| first step | 9.00 s |" in printed and "Interrupted" in printed


def test_growth_is_drawn(results: Results, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("scripts.benchmarking.command_line.measure_all", lambda order, announce: results)
    path = tmp_path / "growth.png"
    main(["--plot", str(path)])
    assert path.read_bytes().startswith(b"\x89PNG")


def test_numbers_have_three_digits_and_no_exponent() -> None:
    assert [three_digits(number) for number in (0.01234, 1.0, 15.26, 352.4, 12345.6)] == [
        "0.0123",
        "1.00",
        "15.3",
        "352",
        "12,346",
    ]


def test_units_are_chosen_to_be_read() -> None:
    assert [with_prefix(rate) for rate in (950.0, 41_200.0, 5.5e6)] == ["950", "41.2 k", "5.50 M"]
    assert [seconds_text(seconds) for seconds in (27.0, 0.73, 4.2e-6, 5e-10)] == [
        "27.0 s",
        "730 ms",
        "4.20 µs",
        "0.500 ns",
    ]
    assert with_unit(1.914, TIMES) == "1.91×"
    assert with_unit(0.94, SHARE) == "0.9 %"
    assert with_unit(13_890.0, DECISIONS_PER_SECOND) == "13.9 k decisions/s"


def test_no_peer_is_compared_with_a_peer() -> None:
    assert not set(OURS_FOR.values()) & OURS_FOR.keys()


# The engine


@pytest.fixture(scope="module")
def recording() -> Recording:
    return record_play(num_games=3, num_plies=80)


def test_recorded_actions_are_legal(recording: Recording) -> None:
    env = BatchEnv(recording.num_games)
    env.restore(recording.state)
    for actions in recording.actions:
        _, masks, _ = env.observe()
        assert masks[np.arange(recording.num_games), actions].all()
        env.step(actions)


def test_both_replays_play_what_was_recorded(recording: Recording) -> None:
    env = BatchEnv(recording.num_games)
    env.restore(recording.state)
    for actions in recording.actions:
        env.step(actions)
    for replay in (CompiledReplay(recording), BatchEnvReplay(recording)):
        for _ in range(2):
            replay.restart()
            assert replay.play() == recording.actions.size
            assert np.array_equal(replay.games, env.games)


def test_a_recording_is_long_enough_to_be_timed_and_short_enough_to_be_kept() -> None:
    assert [plies_to_record(num_games) for num_games in (1, 64, 65536)] == [65536, 8192, 16]


def test_batch_steps_are_measured(recording: Recording) -> None:
    replay = CompiledReplay(recording)
    assert rate(replay.play, replay.restart, seconds=0.001) > 0


def test_random_games_are_counted_by_their_actions() -> None:
    play = random_player(num_games=2, kinds=np.array([0], dtype=np.int64), repeats=3)  # no tricks: all 52 cards
    assert play() == 2 * 3 * 52


def test_a_peer_measured_alone_is_in_the_table_all_the_same() -> None:
    alone = Figure("rlcard_bridge", "RLCard bridge", STEPS_PER_SECOND, (20e3,) * 5)
    (table,) = tables({alone.key: alone})
    assert table.rows == (("RLCard bridge", "20.0 k", "not measured", "", ""),)
