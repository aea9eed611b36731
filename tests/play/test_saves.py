"""Saved games: whole or not at all, and refused if they were cut or altered."""

from __future__ import annotations

import json
import os
import stat
import sys
from pathlib import Path
from typing import Any

import pytest

from king_env.__main__ import main
from king_env.play import saves
from king_env.play.saves import SavedGames, SaveError, default_folder
from king_env.play.seated import SeatedGame

OWNER = "a" * 64


@pytest.fixture
def saved(tmp_path: Path) -> SavedGames:
    return SavedGames(tmp_path / "games")


def some_game(moves: int = 3) -> SeatedGame:
    seated = SeatedGame.begin("portuguese", 1, ["heuristic", "random", "search"], seed=4)
    for _ in range(moves):
        seated.play(seated.game.legal_ids()[0])
    return seated


def file_of(saved: SavedGames, name: str) -> Path:
    return saved.folder / f"{name}.jsonl"


def test_a_game_is_read_as_it_was_written(saved: SavedGames) -> None:
    seated = some_game()
    name = saved.begin(seated, OWNER)
    loaded = saved.load(name)
    assert loaded.owner == OWNER and loaded.seated().to_save() == seated.to_save()
    assert name in saved and saved.names() == [name]


def test_a_move_takes_the_place_of_the_game_before_it(saved: SavedGames) -> None:
    seated = some_game()
    name = saved.begin(seated, OWNER)
    seated.play(seated.game.legal_ids()[0])
    saved.save(name, seated, OWNER)
    assert len(saved.load(name).seated().game.actions) == 4
    assert [path.name for path in saved.folder.iterdir()] == [f"{name}.jsonl"]


def test_names_cannot_be_guessed_and_the_last_comes_first(saved: SavedGames) -> None:
    names = [saved.begin(some_game(), OWNER) for _ in range(3)]
    for time, name in enumerate(names):
        os.utime(file_of(saved, name), (time, time))
    assert saved.names() == names[::-1] and all(len(name) == 32 for name in names)


@pytest.mark.skipif(os.name == "nt", reason="files of Windows have no such bits")
def test_nobody_else_on_the_machine_may_read_them(saved: SavedGames) -> None:
    path = file_of(saved, saved.begin(some_game(), OWNER))
    assert stat.S_IMODE(path.stat().st_mode) == 0o600 and stat.S_IMODE(saved.folder.stat().st_mode) == 0o700


def test_a_write_that_fails_leaves_the_game_as_it_was(saved: SavedGames, monkeypatch: pytest.MonkeyPatch) -> None:
    seated = some_game()
    name = saved.begin(seated, OWNER)

    def full(*_: Any) -> None:
        raise OSError(28, "No space left on device")

    seated.play(seated.game.legal_ids()[0])
    with monkeypatch.context() as broken:
        broken.setattr(os, "fsync", full)
        with pytest.raises(SaveError, match=f"^saved game {name}: cannot be written: No space left on device$"):
            saved.save(name, seated, OWNER)
    assert len(saved.load(name).seated().game.actions) == 3 and saved.names() == [name]
    saved.save(name, seated, OWNER)
    assert len(list(saved.folder.iterdir())) == 1


def altered(text: str, **changes: Any) -> str:
    return json.dumps(json.loads(text) | changes) + "\n"


def without_owner(text: str) -> str:
    record = json.loads(text)
    record["meta"] = {"players": record["meta"]["players"]}
    return json.dumps(record) + "\n"


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda text: text[:200], "is cut off before its end"),
        (lambda text: "", "is cut off before its end"),
        (lambda text: text.replace('"dealer":', '"dealer" '), "line 1: no JSON: Expecting ':' delimiter"),
        (lambda text: text.replace("random", "search"), "was altered after it was saved"),
        (lambda text: altered(text, dealer=2), "was altered after it was saved"),
        (lambda text: altered(text, scores=[0, 0, 0, 0]), "was altered after it was saved"),
        (without_owner, "is no game that was saved while it was played"),
        (lambda text: "[1]\n", "is no game that was saved while it was played"),
        (lambda text: '{"meta": 3}\n', "is no game that was saved while it was played"),
        (lambda text: "x" * 1_100_000, "is larger than any game of King"),
    ],
)
def test_what_was_cut_or_altered_is_refused(spoil: Any, reason: str, saved: SavedGames) -> None:
    name = saved.begin(some_game(5), OWNER)
    path = file_of(saved, name)
    path.write_text(spoil(path.read_text("utf-8")), "utf-8")
    with pytest.raises(SaveError, match=f"^saved game {name}: {reason}"):
        saved.load(name)


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (lambda record: record["actions"].insert(0, "2C"), "action 1 of the game record: 2C: seat"),
        (lambda record: record.update(scores=[1, 2, 3, 4]), "game record: its scores are"),
        (lambda record: record.update(ruleset="whist"), "unknown rule set 'whist'"),
        (lambda record: record["meta"]["play"].update(seat=4), "seat: must be a whole number from 0 to 3, not 4"),
        (lambda record: record["meta"]["play"].update(seed="x"), "seed: must be a whole number of at least 0"),
        (lambda record: record["meta"].update(players=["a", "b", "c", "d"]), "players: must be four, 'you' in seat 1"),
    ],
)
def test_who_alters_the_digest_too_still_cannot_play_what_is_no_game(
    change: Any, reason: str, saved: SavedGames, monkeypatch: pytest.MonkeyPatch
) -> None:
    seated = some_game(5)
    record = seated.to_save()
    change(record)
    monkeypatch.setattr(seated, "to_save", lambda: record)
    name = saved.begin(seated, OWNER)
    with pytest.raises(SaveError, match=f"^saved game {name}: {reason}"):
        saved.load(name).seated()


@pytest.mark.parametrize("name", ["", "../x", "x" * 32, "0" * 31, "0" * 33, "/etc/passwd", "0" * 32 + "\n"])
def test_a_name_is_never_a_path(name: str, saved: SavedGames) -> None:
    assert name not in saved
    with pytest.raises(SaveError, match="^no saved game has the name"):
        saved.load(name)


def test_a_game_that_is_not_there(saved: SavedGames) -> None:
    with pytest.raises(SaveError, match="is not there$"):
        saved.load("0" * 32)


def test_a_folder_holds_so_many_games(saved: SavedGames, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(saves, "MOST_GAMES", 2)
    saved.begin(some_game(), OWNER)
    saved.begin(some_game(), OWNER)
    with pytest.raises(SaveError, match="^there is no room for another game: 2 are saved already$"):
        saved.begin(some_game(), OWNER)


def test_a_folder_that_cannot_be_written(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(SaveError, match="^cannot write to .*file.games: "):
        SavedGames(tmp_path / "file" / "games")


def test_saved_games_are_game_records(saved: SavedGames, capsys: pytest.CaptureFixture[str]) -> None:
    name = saved.begin(some_game(60), OWNER)
    assert main(["replay", str(file_of(saved, name)), "--list"]) == 0
    assert "heuristic" in capsys.readouterr().out


def test_the_usual_folder_is_the_users(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.delenv("LOCALAPPDATA", raising=False)
    monkeypatch.setenv("XDG_DATA_HOME", str(tmp_path))
    monkeypatch.setattr(sys, "platform", "linux")
    assert default_folder() == tmp_path / "king_env" / "games"
    monkeypatch.setattr(sys, "platform", "darwin")
    assert default_folder().relative_to(Path.home()).parts == ("Library", "Application Support", "king_env", "games")
