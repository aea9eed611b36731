"""`python -m king_env play`: what it refuses, each in a line."""

from __future__ import annotations

import socket
import sys
from pathlib import Path

import pytest

from king_env.__main__ import main


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["--against", "serch"], "--against: unknown bot 'serch'"),
        (["--against", "heuristic,random"], "2 bots: name one, or 3 from the left neighbour on"),
        (["--against", "cheating-search"], "'cheating-search' sees all hands, which nobody at this table may"),
        (["--hints", "cheating-search"], "'cheating-search' sees all hands, which nobody at this table may"),
        (["--port", "8000"], "--host and --port are for the page, not for --terminal"),
    ],
)
def test_what_cannot_be_done_gets_one_line(
    arguments: list[str], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["play", "--terminal", "--games", str(tmp_path), *arguments]) == 2
    assert reason in (said := capsys.readouterr().err) and said.count("\n") == 1


def test_resume_is_for_the_terminal(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["play", "--resume", "--games", str(tmp_path)]) == 2
    assert "--resume: goes with --terminal" in capsys.readouterr().err


@pytest.mark.parametrize(("option", "value"), [("--seed", "-1"), ("--seed", "x"), ("--port", "70000"), ("--seat", "4")])
def test_numbers_that_are_none(option: str, value: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main(["play", f"{option}={value}"])
    assert f"argument {option}: " in capsys.readouterr().err


def test_a_port_that_is_taken(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["play", "--games", str(tmp_path), "--port", str(port)]) == 2
    assert f"cannot serve at 127.0.0.1, port {port}: " in capsys.readouterr().err


def test_without_its_extra_the_page_says_what_to_install(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "waitress", None)
    monkeypatch.delitem(sys.modules, "king_env.play.server", raising=False)
    assert main(["play", "--games", str(tmp_path)]) == 2
    said = capsys.readouterr().err
    assert said == "king_env play: the page needs waitress: pip install 'king-env[play]'; --terminal does not\n"
