"""`python -m king_env view`: which games go into the page, what it refuses, and that the page is one file."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from king_env.__main__ import main
from king_env.game import Game
from king_env.notation import action_text
from king_env.records import append_games
from king_env.web.page import joined_script, static_text
from tests.golden.games import RECORDS, WHOLE_GAMES, golden_game

FIRST_LINE = RECORDS.read_text("utf-8").splitlines()[0]


def view(*arguments: object) -> int:
    return main(["view", *map(str, arguments)])


def games_in(page: Path) -> list[dict[str, Any]]:
    blocks = re.findall(r'<script type="application/json" class="game">(.*?)</script>', page.read_text("utf-8"))
    return [json.loads(block) for block in blocks]


def file_of(folder: Path, *lines: str, end: str = "\n") -> Path:
    path = folder / "games.jsonl"
    path.write_text("\n".join(lines) + end, "utf-8")
    return path


def test_a_page_lies_beside_its_file(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file_of(tmp_path, FIRST_LINE)
    assert view(path) == 0
    assert capsys.readouterr().out == f"{tmp_path / 'games.html'}: 1 game, 0.1 MB\n"
    assert [game["line"] for game in games_in(tmp_path / "games.html")] == [1]
    assert sorted(file.name for file in tmp_path.iterdir()) == ["games.html", "games.jsonl"]


def test_some_games_can_be_chosen_by_their_lines(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    page = tmp_path / "page.html"
    assert view(RECORDS, "--output", page, "--games", "3,5-7") == 0
    assert [game["line"] for game in games_in(page)] == [3, 5, 6, 7]
    assert capsys.readouterr().out.endswith("; the file has 37; --games chooses others\n")


def test_of_many_games_the_first_fifty_are_taken_and_it_is_said(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert view(file_of(tmp_path, *[FIRST_LINE] * 60)) == 0
    assert len(games_in(tmp_path / "games.html")) == 50
    assert "50 games, " in (said := capsys.readouterr().out) and "the file has 60; --games chooses others" in said


def test_false_games_are_refused_and_the_others_shown(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    illegal = FIRST_LINE.replace('"actions":["', '"actions":["2S","', 1)
    thoughtless = FIRST_LINE.replace('"meta":{', '"meta":{"thoughts":[1],', 1)
    assert view(file_of(tmp_path, illegal, FIRST_LINE, thoughtless, FIRST_LINE[:80], end="")) == 1
    errors = capsys.readouterr().err.splitlines()
    assert "line 1: action 1 of the game record: 2S: " in errors[0]
    assert "line 3: thoughts: must be a list with an entry for each of the 4 actions" in errors[1]
    assert "line 4: cut off" in errors[2]
    assert [game["line"] for game in games_in(tmp_path / "games.html")] == [2]


def test_no_page_is_written_without_a_game(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert view(file_of(tmp_path, "nonsense")) == 1
    assert view(file_of(tmp_path, "", end="")) == 2
    assert view(RECORDS, "--games", "99", "--output", tmp_path / "games.html") == 2
    errors = capsys.readouterr().err.splitlines()
    assert "no JSON" in errors[0] and errors[1].endswith("there is no game in it")
    assert errors[2].endswith("there is no game in the lines asked for")
    assert not (tmp_path / "games.html").exists()


def test_the_file_of_the_games_is_not_overwritten(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = file_of(tmp_path, FIRST_LINE).rename(tmp_path / "games.html")
    assert view(path) == 2
    assert "is the file of the games" in capsys.readouterr().err
    assert path.read_text("utf-8") == f"{FIRST_LINE}\n"


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        (["none.jsonl"], "cannot read none.jsonl: No such file or directory"),
        ([RECORDS, "--output", RECORDS / "page.html"], f"cannot write {RECORDS / 'page.html'}: Not a directory"),
        ([RECORDS, "--judge", "heuristic"], "--judge: heuristic does not say what actions gain; search "),
        ([RECORDS, "--judge", "serch"], "--judge: unknown bot 'serch'"),
    ],
)
def test_what_cannot_be_done_gets_one_line(
    arguments: list[object], reason: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert view(*arguments) == 2
    assert reason in (said := capsys.readouterr().err) and said.count("\n") == 1


@pytest.mark.parametrize("games", ["", "0", "1-", "x", "1,,2"])
def test_lines_that_are_none(games: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        view(RECORDS, "--games", games)
    assert "must name lines as 7, 1-20 or 3,8-10 do" in capsys.readouterr().err


def test_a_judge_is_asked_wherever_there_is_a_choice(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    game = golden_game(WHOLE_GAMES[-1])
    append_games(tmp_path / "games.jsonl", [game.to_record()])
    assert view(tmp_path / "games.jsonl", "--judge", "search:worlds=1,threads=1") == 0
    steps = [step for deal in games_in(tmp_path / "games.html")[0]["deals"] for step in deal["steps"]]
    again = Game(game.ruleset, list(game.deals), game.first_dealer)
    for step, action in zip(steps, game.actions, strict=True):
        legal = again.legal()
        assert step["action"] == action_text(action) and step["seat"] == again.turn
        assert ("judged" in step) == (len(legal) > 1)
        if "judged" in step:
            assert set(step["judged"]["gains"]) == set(legal)
            gains = step["judged"]["gains"]
            assert gains[step["judged"]["best"]] == max(gains.values())
            assert step["judged"]["loses"] == pytest.approx(max(gains.values()) - gains[step["action"]], abs=0.06)
        again.play(action)
    num_disagreements = sum(step.get("judged", {}).get("disagrees", False) for step in steps)
    assert f"search:worlds=1 disagrees with {num_disagreements} moves" in capsys.readouterr().out


def test_a_game_in_progress_can_be_viewed(tmp_path: Path) -> None:
    game = Game(seed=1)
    game.play(game.legal()[0])
    append_games(tmp_path / "games.jsonl", [game.to_record(), Game("brazilian_trump", seed=2).to_record()])
    assert view(tmp_path / "games.jsonl") == 0
    begun, not_begun = games_in(tmp_path / "games.html")
    assert len(begun["deals"][0]["steps"]) == 1 and not begun["is_over"]
    assert not_begun["deals"][0]["steps"] == []


# The file


def test_the_page_points_to_nothing_outside_it(tmp_path: Path) -> None:
    assert view(file_of(tmp_path, FIRST_LINE)) == 0
    text = (tmp_path / "games.html").read_text("utf-8")
    addresses = set(re.findall(r"https?://[^\s\"']+", text))
    assert addresses == {"http://www.w3.org/2000/svg"}  # the name of SVG, which nobody fetches
    assert not re.search(r"\b(src|import|@import|url)\b\s*[=(]\s*[\"']?(?!#inside)[\w./]", text)
    assert "\nimport " not in text and "\nexport " not in text and "{{ " not in text


def test_modules_are_joined_after_what_they_import() -> None:
    joined = joined_script("view")
    names = re.findall(r"^const (\w+)Module = ", joined, flags=re.MULTILINE)
    assert len(names) == len(set(names)) and names[-1] == "view"
    for name in names:
        for imported in re.findall(r'from "\./(\w+)\.js"', static_text(f"{name}.js")):
            assert names.index(imported) < names.index(name)
