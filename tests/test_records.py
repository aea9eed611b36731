"""Files of games: what is written is read again, whatever happened to its writer, and no false game is let through."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from king_env.game import Game
from king_env.records import CutRecordError, RecordError, append_games, check_appendable, read_lines
from tests.golden.column import FILES
from tests.golden.games import PLAYERS, RECORDS, golden_game

APPENDING = """
import sys
from king_env.game import Game
from king_env.records import append_games
game = Game(seed=int(sys.argv[2]))
for number in range(40):
    append_games(sys.argv[1], [game.to_record(meta={"number": number, "padding": "x" * 20_000})])
"""


def one_deal(*actions: str) -> Game:
    game = Game(deals=["0:AKQ2.432.5432.32 JT9.AKQ.876.AKQJ 876.JT98.AKQ.T98 543.765.JT9.7654"], num_deals=1)
    for action in actions:
        game.play(action)
    return game


def games_of(path: Path) -> list[Game]:
    return [line.game() for line in read_lines(path)]


def refusal(path: Path) -> str:
    with pytest.raises(RecordError) as refused:
        games_of(path)
    return str(refused.value)


def write_lines(path: Path, *records: Any, end: str = "\n") -> None:
    lines = [record if isinstance(record, str) else json.dumps(record) for record in records]
    path.write_text("\n".join(lines) + end, "utf-8")


# Games written once are games for good


def test_the_golden_games_of_a_file_are_those_of_the_columns() -> None:
    """A file of this version: if this fails, files that people keep can no longer be read."""
    lines = list(read_lines(RECORDS))
    assert len(lines) == len(FILES)
    for line, path in zip(lines, FILES, strict=True):
        game = line.game()
        assert game.is_over and game.players == PLAYERS and game.meta["title"] == path.stem
        assert game.to_record(meta={}) == golden_game(path).to_record()


def test_the_golden_games_are_written_as_they_stand_there(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    append_games(path, [game.to_record() for game in games_of(RECORDS)])
    assert path.read_bytes() == RECORDS.read_bytes()


def test_what_is_read_is_what_was_written(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    games = [one_deal(), one_deal("AS", "JS"), Game({"max_nulls": 4}, seed=1, first_deal=6)]
    for game in games:
        append_games(path, [game.to_record(meta={"who": "Zoë ♥"})])
    assert [game.to_record() for game in games_of(path)] == [game.to_record(meta={"who": "Zoë ♥"}) for game in games]
    assert path.read_text("utf-8").count("\n") == 3


def test_blank_lines_are_passed_over_and_counted(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write_lines(path, "", one_deal().to_record(), "  ", one_deal().to_record())
    assert [line.number for line in read_lines(path)] == [2, 4]


def test_a_file_of_nothing_holds_no_games(tmp_path: Path) -> None:
    path = check_appendable(tmp_path / "new" / "games.jsonl")
    assert games_of(path) == []
    append_games(path, [])
    assert path.read_bytes() == b""


def test_a_path_is_kept_though_the_folder_changes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert check_appendable("games.jsonl") == tmp_path / "games.jsonl"


def test_a_file_that_cannot_be_written_is_an_error_at_once(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match=r"^record: cannot write .*: Is a directory$"):
        check_appendable(tmp_path)


def test_processes_that_write_at_the_same_time_break_no_line(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    arguments = [sys.executable, "-c", APPENDING, str(path)]
    writers = [subprocess.Popen([*arguments, str(seed)], cwd=Path(__file__).parent.parent) for seed in range(3)]
    assert [writer.wait() for writer in writers] == [0, 0, 0]
    numbers = sorted(line.record()["meta"]["number"] for line in read_lines(path))
    assert numbers == sorted(3 * list(range(40)))


# Cut off


def test_a_last_line_that_was_cut_off_is_told_from_a_false_one(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    append_games(path, [one_deal().to_record(), one_deal("AS").to_record()])
    whole = path.read_bytes()
    first_line = whole.index(b"\n") + 1
    for end in range(first_line + 1, len(whole) - 1, 7):
        path.write_bytes(whole[:end])
        first, last = read_lines(path)
        assert first.game().actions == []
        with pytest.raises(CutRecordError, match=r"^line 2: cut off before its end"):
            last.game()


def test_a_last_line_without_its_end_may_be_whole(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write_lines(path, one_deal("AS").to_record(), end="")
    assert len(games_of(path)) == 1
    append_games(path, [one_deal().to_record()])
    assert len(games_of(path)) == 2


def test_who_goes_on_after_a_cut_line_loses_no_game(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    append_games(path, [one_deal().to_record()])
    path.write_bytes(path.read_bytes()[:-9])
    append_games(path, [one_deal("AS").to_record()])
    cut, last = read_lines(path)
    assert last.game().to_record()["actions"] == ["AS"]
    with pytest.raises(RecordError, match=r"^line 1: no JSON: "):
        cut.game()


def test_a_cut_sign_of_two_bytes(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes('{"meta": "é'.encode()[:-1])
    with pytest.raises(CutRecordError):
        games_of(path)


# Refused


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"actions": ["AS", "AH"]}, "line 2: action 2 of the game record: AH: must follow spades (Rules 1)"),
        ({"actions": ["AS", None]}, "line 2: action 2 of the game record: no action None"),
        (
            {"scores": [0, 0, 0, 20]},
            "line 2: game record: its scores are [0, 0, 0, 20], but its actions make [0, 0, 0, 0]",
        ),
        ({"ruleset": "whist"}, "line 2: unknown rule set 'whist'; known: portuguese, "),
        ({"ruleset": {"max_bids": 3}}, "line 2: unknown option of a rule set 'max_bids'"),
        ({"ruleset": {"max_bid": None}}, "line 2: max_bid: must be a whole number"),
        ({"ruleset": None}, "line 2: rule set: must be one of"),
        ({"dealer": 4}, "line 2: dealer: must be a whole number from 0 to 3"),
        ({"deals": ["0:AKQ"]}, "line 2: deal 1 of 1: malformed deal"),
        ({"deals": [[1, 2]]}, "line 2: deal 1 of 1: malformed deal"),
        ({"deals": [None]}, "line 2: deal 1 of 1: malformed deal"),
        ({"deals": [{}]}, "line 2: deal 1 of 1: malformed deal"),
        ({"first_deal": 11}, "line 2: first_deal: must be a whole number"),
        ({"winner": 3}, "line 2: game record: unknown key 'winner'"),
        ({"meta": 3}, "line 2: game record: meta must be a dict"),
    ],
)
def test_a_false_game_is_refused_with_its_line_and_the_reason(
    changes: dict[str, Any], reason: str, tmp_path: Path
) -> None:
    path = tmp_path / "games.jsonl"
    write_lines(path, one_deal().to_record(), one_deal("AS").to_record() | changes)
    assert refusal(path).startswith(reason)


@pytest.mark.parametrize(
    ("line", "reason"),
    [
        ("nonsense", "line 1: no JSON: Expecting value at character 1"),
        ("[" * 100_000, "line 1: no JSON: "),
        ("[1, 2]", "line 1: game record: must be a dict, not [1, 2]"),
        ("null", "line 1: game record: must be a dict, not None"),
        ("9" * 5000, "line 1: no JSON: "),
    ],
)
def test_what_is_no_game_at_all_is_refused(line: str, reason: str, tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    write_lines(path, line)
    assert refusal(path).startswith(reason)


def test_bytes_that_are_no_text_are_refused(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    path.write_bytes(b'{"meta": "\xff"}\n')
    assert refusal(path).startswith("line 1: no JSON: ")
