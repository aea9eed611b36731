"""The command line: tables, JSON, and one clear line for what makes no sense."""

from __future__ import annotations

import errno
import json
import sys
from pathlib import Path
from typing import Any

import pytest

from scripts.evaluate import main, split_bots

MATCH = ["--bots", "heuristic,random,random,random", "--blocks", "2", "--seed", "5"]


def test_the_tables_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(MATCH) == 0
    printed = capsys.readouterr()
    assert "heuristic" in printed.out and "whole game" in printed.out
    assert printed.err == ""


def test_markdown_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new" / "match.json"
    assert main([*MATCH, "--markdown", "--json", str(path), "--episode", "deal", "--ruleset", "brazilian_trump"]) == 0
    assert "| whole game |" in capsys.readouterr().out
    content = json.loads(path.read_text("utf-8"))
    assert content["command"][:3] == ["evaluate.py", "--bots", "heuristic,random,random,random"]
    assert (content["episode"], content["ruleset"]["name"]) == ("deal", "brazilian_trump")
    assert list(path.parent.iterdir()) == [path]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--bots", "random,random"], "four bots"),
        (["--bots", "heuristc,random,random,random"], "heuristc"),
        (["--bots", "no/such/file.pt,random,random,random"], "no/such/file.pt"),
        (["--bots", "cheating-search,random,random,random"], "--allow-cheating"),
        (["--bots", "random,random,random,random", "--blocks", "0"], "num_blocks"),
        (["--bots", "random,random,random,random", "--seed", "-3"], "seed"),
        (["--bots", "random,random,random,random", "--json", "."], "json"),
        (
            ["--bots", "random,random,random,random", "--json", "/dev/null/x.json"],
            "--json: cannot write /dev/null/x.json",
        ),
        (["--bots", "random,random,random,random", "--json", "/proc/x.json"], "--json: cannot write /proc/x.json"),
    ],
)
def test_bad_arguments_get_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert message in printed.err and printed.err.count("\n") == 1
    assert printed.out == ""


def test_a_result_that_cannot_be_written_has_been_printed(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path, content: Any) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("scripts.evaluate.write_json", fail)
    assert main([*MATCH, "--json", str(tmp_path / "match.json")]) == 1
    printed = capsys.readouterr()
    assert "whole game" in printed.out
    assert printed.err.endswith("match.json: No space left on device\n") and printed.err.count("\n") == 1


@pytest.mark.parametrize("arguments", [[*MATCH, "--ruleset", "french"], [*MATCH, "--blocks", "many"], []])
def test_unknown_choices_are_refused_by_the_parser(arguments: list[str], capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as refused:
        main(arguments)
    assert refused.value.code == 2
    assert "evaluate: error: " in capsys.readouterr().err


def test_a_cluster_needs_ray(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)
    assert main([*MATCH, "--ray", "local"]) == 2
    assert capsys.readouterr().err == "evaluate: ray: playing on a cluster needs Ray: pip install 'king-env[ray]'\n"


def test_threads_are_of_no_use_on_a_cluster(capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*MATCH, "--ray", "local", "--threads", "2"]) == 2
    message = "evaluate: num_threads: is of no use with ray, where each worker plays in one thread\n"
    assert capsys.readouterr().err == message


def test_commas_part_bots_and_the_options_of_a_bot() -> None:
    text = "heuristic:cards=random,bidding=random,random,runs/lr=3/last.pt,random"
    assert split_bots(text) == ["heuristic:cards=random,bidding=random", "random", "runs/lr=3/last.pt", "random"]
