"""`python -m king_env replay`: what it lets through, what it refuses, and what it shows."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from king_env.__main__ import main
from king_env.column import write_column
from king_env.game import Game
from king_env.pbn import HEADER, pbn_of_deal
from king_env.records import append_games
from king_env.render import render_table
from king_env.replay import REFUSALS_TOLD
from tests.golden.column import FILES
from tests.golden.games import PLAYERS, RECORDS, WHOLE_GAMES, golden_game

LINE_OF_PORTUGUESE = 1 + [path.stem for path in FILES].index("game_portuguese")
FIRST_LINE = RECORDS.read_text("utf-8").splitlines()[0]


def replay(*arguments: object) -> int:
    return main(["replay", *map(str, arguments)])


def file_of(folder: Path, *lines: str, end: str = "\n") -> Path:
    path = folder / "games.jsonl"
    path.write_text("\n".join(lines) + end, "utf-8")
    return path


def test_a_file_of_good_games_is_summed_up(capsys: pytest.CaptureFixture[str]) -> None:
    assert replay(RECORDS) == 0
    printed = capsys.readouterr()
    assert printed.err == ""
    lines = printed.out.splitlines()
    assert lines[0] == "37 games, 64 deals, every action legal"
    assert lines[1].split() == ["portuguese", "25"]
    games = [golden_game(path) for path in FILES]
    for seat, player in enumerate(PLAYERS):
        mean = sum(game.scores[seat] for game in games) / len(games)
        assert f"{player:<26}      37{mean:>+16.1f}" in lines


def test_every_game_can_be_listed(capsys: pytest.CaptureFixture[str]) -> None:
    assert replay(RECORDS, "--list") == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[LINE_OF_PORTUGUESE - 1].split() == [
        str(LINE_OF_PORTUGUESE),
        *"portuguese 10 deals -140 -100 140 100 Ana, Bruno, Clara, Duarte".split(),
    ]


def test_false_games_are_refused_and_the_others_counted(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    illegal = FIRST_LINE.replace('"actions":["', '"actions":["2S","', 1)
    wrong = FIRST_LINE.replace('"scores":[', '"scores":[1', 1)
    unknown = FIRST_LINE.replace("brazilian_auction", "belgian_auction")
    path = file_of(tmp_path, FIRST_LINE, illegal, wrong, unknown, "nonsense", FIRST_LINE, FIRST_LINE[:80], end="")
    assert replay(path) == 1
    printed = capsys.readouterr()
    errors = printed.err.splitlines()
    assert [error.removeprefix(f"{path}: ").split(":")[0] for error in errors] == [f"line {n}" for n in (2, 3, 4, 5, 7)]
    assert "action 1 of the game record: 2S: " in errors[0]
    assert "its scores are [1" in errors[1]
    assert "unknown rule set 'belgian_auction' (did you mean 'brazilian_auction'?)" in errors[2]
    assert "no JSON" in errors[3] and "cut off" in errors[4]
    assert printed.out.startswith("2 games, 2 deals, every action legal\n")
    assert ["refused", "4"] in [line.split() for line in printed.out.splitlines()]


def test_a_file_without_games_does_not_fill_the_screen(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file_of(tmp_path, *["nonsense"] * (REFUSALS_TOLD + 3), FIRST_LINE)
    assert replay(path) == 1
    printed = capsys.readouterr()
    errors = printed.err.splitlines()
    assert len(errors) == REFUSALS_TOLD + 1
    assert errors[-1] == f"{path}: 3 more lines refused; --show LINE tells why one is"
    assert printed.out.startswith("1 game, 1 deal, every action legal\n")


def test_a_cut_last_line_is_reported_and_no_fault(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file_of(tmp_path, FIRST_LINE, FIRST_LINE[:100], end="")
    assert replay(path) == 0
    printed = capsys.readouterr()
    assert printed.err == f"{path}: line 2: cut off before its end, so it is left out\n"
    assert "cut off                          1" in printed.out


def test_games_in_progress_and_players_without_names(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "games.jsonl"
    append_games(path, [Game({"max_nulls": 4}, seed=1).to_record()])
    assert replay(path, "--list") == 0
    printed = capsys.readouterr().out
    assert "rules of the house" in printed and "seat 0, seat 1, seat 2, seat 3  not finished" in printed
    assert "not finished                     1" in printed and "points a game" not in printed


def test_an_empty_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay(file_of(tmp_path, "", end="")) == 0
    assert capsys.readouterr().out == "0 games, 0 deals, every action legal\n"


# One game


def test_a_game_is_written_out(capsys: pytest.CaptureFixture[str]) -> None:
    game = golden_game(WHOLE_GAMES[-1])
    assert replay(RECORDS, "--show", LINE_OF_PORTUGUESE) == 0
    assert capsys.readouterr().out == write_column(game) + "\n"
    assert replay(RECORDS, "--show", LINE_OF_PORTUGUESE, "--deal", 8) == 0
    assert capsys.readouterr().out == write_column(game, 8) + "\n"


def test_the_table_is_shown_before_each_action(capsys: pytest.CaptureFixture[str]) -> None:
    assert replay(RECORDS, "--tables", LINE_OF_PORTUGUESE, "--deal", 3) == 0
    shown = capsys.readouterr().out
    assert shown.count("Deal 3 of 10 · ") == 52 and "Deal 4 of 10" not in shown
    game = Game.from_record(golden_game(WHOLE_GAMES[-1]).to_record() | {"actions": [], "scores": [0, 0, 0, 0]})
    actions = golden_game(WHOLE_GAMES[-1]).to_record()["actions"]
    for action in actions[:104]:
        game.play(action)
    first = f"{render_table(game.record[0])}\n\nSeat {game.turn}: {actions[104]}\n"
    assert shown.startswith(first)


def test_the_last_table_is_that_of_the_end(capsys: pytest.CaptureFixture[str]) -> None:
    assert replay(RECORDS, "--tables", 1) == 0
    assert "the game is over" in capsys.readouterr().out


def test_deals_as_pbn(capsys: pytest.CaptureFixture[str]) -> None:
    game = golden_game(WHOLE_GAMES[-1])
    game.meta["players"] = PLAYERS
    assert replay(RECORDS, "--pbn", LINE_OF_PORTUGUESE, "--deal", 8) == 0
    assert capsys.readouterr().out == f"{HEADER}\n{pbn_of_deal(game, 8)}\n"
    assert replay(RECORDS, "--pbn", LINE_OF_PORTUGUESE) == 0
    assert capsys.readouterr().out.count("[Board ") == 10


@pytest.mark.parametrize(
    ("arguments", "status", "reason"),
    [
        (["--show", 99], 1, "line 99: there is no game in it"),
        (["--pbn", 1, "--deal", 2], 1, "deal 2: this game has deals 9 to 9"),
        (["--deal", 2], 2, "--deal: says which deal of a game"),
    ],
)
def test_what_is_not_there_gets_one_line(
    arguments: list[object], status: int, reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert replay(RECORDS, *arguments) == status
    printed = capsys.readouterr()
    assert printed.out == "" and reason in printed.err and printed.err.count("\n") == 1


def test_a_file_that_is_not_there(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert replay(tmp_path / "none.jsonl") == 2
    assert capsys.readouterr().err.endswith("none.jsonl: No such file or directory\n")


def test_a_false_game_is_not_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file_of(tmp_path, FIRST_LINE.replace('"actions":["', '"actions":["2S","', 1))
    assert replay(path, "--show", 1) == 1
    assert "line 1: action 1 of the game record: 2S" in capsys.readouterr().err


# The program


def run_program(*arguments: object, **options: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", "king_env", *map(str, arguments)]
    environment = os.environ | options
    return subprocess.run(command, capture_output=True, text=True, env=environment, cwd=Path(__file__).parent.parent)


def test_the_program_runs_and_has_help() -> None:
    assert run_program("replay", RECORDS).stdout.startswith("37 games, ")
    assert "replay" in run_program("--help").stdout
    assert run_program().returncode == 2


def test_a_terminal_without_the_signs_of_suits_shows_others() -> None:
    shown = run_program("replay", RECORDS, "--tables", 1, PYTHONIOENCODING="ascii")
    assert shown.returncode == 0 and "? AK" in shown.stdout


def test_nobody_reading_is_no_error() -> None:
    command = f"{sys.executable} -m king_env replay {RECORDS} --tables {LINE_OF_PORTUGUESE} | head -1"
    shown = subprocess.run(command, shell=True, capture_output=True, text=True, cwd=Path(__file__).parent.parent)
    assert shown.stdout.startswith("Deal 1 of 10") and shown.stderr == ""
