"""Matches that record: every game, in order, as it was played; and nothing else about the match changes."""

from __future__ import annotations

import errno
import json
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from king_env import bots
from king_env.bots.registry import BotChoice
from king_env.bots.thoughts import Explains, Thought, thoughts_in
from king_env.engine import batch
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.contracts import NEGATIVE_NAMES
from king_env.evaluation import MatchFaultError, MatchNotRecordedError, play_match
from king_env.evaluation.matches import BLOCKS_A_CHUNK
from king_env.game import Game
from king_env.records import RecordError, append_games, read_lines
from king_env.ruleset import RULESETS
from scripts.evaluate import main

FOUR = ["heuristic", "random", "random", "random"]


class Plain:
    """The heuristic without its code, so that it is asked in Python; it fails when it has been asked so often."""

    name = "plain"
    version = 1

    def __init__(self, fails_after: float = float("inf")) -> None:
        self.bot = bots.make("heuristic")
        self.asked = 0
        self.fails_after = fails_after

    def act(self, view: npt.NDArray[Any], rng: np.random.Generator) -> int:
        return int(self.act_batch(view, rng)[0])

    def act_batch(self, views: npt.NDArray[Any], rng: np.random.Generator) -> npt.NDArray[np.int64]:
        self.asked += len(views)
        actions: npt.NDArray[np.int64] = np.asarray(self.bot.act_batch(views, rng))
        if self.asked > self.fails_after:
            masks = np.empty((len(views), NUM_ACTIONS), dtype=np.int8)
            batch.legal_masks(views, masks)
            return masks.argmin(axis=1)
        return actions


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.jsonl"


def games_in(path: Path) -> list[Game]:
    return [line.game() for line in read_lines(path)]


def points_of(game: Game, player: str) -> int:
    assert game.players is not None
    return game.scores[game.players.index(player)]


@pytest.mark.parametrize("ruleset", RULESETS)
@pytest.mark.parametrize("episode", ["game", "deal"])
def test_every_game_is_recorded_as_it_was_played(ruleset: str, episode: str, path: Path) -> None:
    result = play_match(FOUR, 3, 5, ruleset, episode=episode, record=path)
    games = games_in(path)
    assert len(games) == 3 * 4 * (1 if episode == "game" else 7)
    assert all(game.is_over and game.ruleset == RULESETS[ruleset] for game in games)
    # The points of the match are those of the games: replaying them found the same scores.
    for column in ("game",) if episode == "game" else NEGATIVE_NAMES:
        points = [points_of(game, "heuristic") for game in games if column in ("game", game.contract)]
        assert np.mean(points) == pytest.approx(result.points("heuristic", column).mean)


def test_a_line_says_who_played_where_and_in_which_block(path: Path) -> None:
    play_match(FOUR, 2, 5, record=path)
    metas = [game.meta for game in games_in(path)]
    assert [meta["block"] for meta in metas] == [0] * 4 + [1] * 4
    assert {meta["seed"] for meta in metas} == {5}
    seats = [meta["players"].index("heuristic") for meta in metas]
    assert seats[:4] == seats[4:] == [0, 1, 2, 3]


def test_the_same_cards_are_played_in_every_seating(path: Path) -> None:
    play_match(FOUR, 2, 5, record=path)
    deals = [tuple(game.to_record()["deals"]) for game in games_in(path)]
    assert len(set(deals[:4])) == len(set(deals[4:])) == 1
    assert deals[0] != deals[4]


@pytest.mark.parametrize("others", [["random"] * 3, [Plain(), "random", "uniform"]])
def test_recording_changes_nothing(others: list[Any], path: Path) -> None:
    recorded = play_match(["heuristic", *others], 3, 7, record=path)
    silent = play_match(["heuristic", *others], 3, 7)
    assert np.array_equal(recorded.tally.points, silent.tally.points)
    assert recorded.decisions.tolist() == silent.decisions.tolist()


def test_a_bot_of_python_is_recorded_like_the_compiled_one(path: Path, tmp_path: Path) -> None:
    play_match(["heuristic"] * 4, 2, 3, record=path)
    play_match([Plain()] * 4, 2, 3, record=tmp_path / "plain.jsonl")
    plain = (tmp_path / "plain.jsonl").read_text("utf-8")
    assert plain.replace('"plain', '"heuristic') == path.read_text("utf-8").replace('"plain', '"heuristic')


def test_the_lines_do_not_depend_on_the_threads(path: Path, tmp_path: Path) -> None:
    num_blocks = 2 * BLOCKS_A_CHUNK + 3
    for threads, file in ((1, path), (3, tmp_path / "three.jsonl")):
        play_match(["random"] * 4, num_blocks, 3, episode="deal", num_threads=threads, record=file)
    assert path.read_bytes() == (tmp_path / "three.jsonl").read_bytes()
    assert path.read_bytes().count(b"\n") == 7 * num_blocks


def test_a_match_that_stops_keeps_the_chunks_that_were_finished(path: Path) -> None:
    counting = Plain()
    play_match([counting, "random", "random", "random"], BLOCKS_A_CHUNK, 1, episode="deal")
    with pytest.raises(MatchFaultError) as stopped:
        failing = Plain(fails_after=counting.asked + 5)
        play_match([failing, "random", "random", "random"], 2 * BLOCKS_A_CHUNK, 1, episode="deal", record=path)
    assert stopped.value.result is not None and stopped.value.result.num_blocks == BLOCKS_A_CHUNK
    assert len(list(read_lines(path))) == BLOCKS_A_CHUNK * 4 * 7


def test_a_full_disk_loses_no_result(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("king_env.evaluation.matches.append_games", fail)
    with pytest.raises(MatchNotRecordedError, match=r"^record: cannot write .*: No space left on device$") as stopped:
        play_match(FOUR, 2, 5, record=path)
    assert stopped.value.result is not None and stopped.value.result.num_blocks == 2


def test_a_file_that_cannot_be_written_is_refused_before_the_match(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="^record: cannot write"):
        play_match(FOUR, 2, 5, record=tmp_path)


# The command line


def test_evaluate_records(path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--bots", ",".join(FOUR), "--blocks", "2", "--record", str(path)]
    assert main(arguments) == 0
    assert main(arguments) == 0
    assert "whole game" in capsys.readouterr().out
    games = games_in(path)
    assert len(games) == 16  # the second match is added to the first
    assert games[0].to_record() == games[8].to_record()


def test_evaluate_refuses_a_file_it_cannot_write(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--bots", ",".join(FOUR), "--blocks", "2", "--record", str(tmp_path)]) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith("evaluate: record: cannot write ") and printed.err.count("\n") == 1


def test_evaluate_prints_the_result_that_it_cannot_record(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(path: Path, records: Iterable[Mapping[str, Any]]) -> None:
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr("king_env.evaluation.matches.append_games", fail)
    assert main(["--bots", ",".join(FOUR), "--blocks", "2", "--record", str(path)]) == 1
    printed = capsys.readouterr()
    assert "whole game" in printed.out
    assert printed.err == f"evaluate: --record: cannot write {path}: No space left on device\n"


def test_lines_are_json_of_the_known_keys(path: Path) -> None:
    play_match(["random"] * 4, 1, 1, episode="deal", record=path)
    append_games(path, [])
    lines = [json.loads(line) for line in path.read_text("utf-8").splitlines()]
    keys = {"ruleset", "dealer", "deals", "actions", "scores", "meta"}
    assert all(set(line) - {"first_deal"} == keys for line in lines)


# What bots think


def test_thoughts_are_recorded_with_the_actions_they_are_about(path: Path) -> None:
    play_match(["search:worlds=2", "heuristic", "heuristic", "heuristic"], 1, 5, record=path, record_thoughts=True)
    searcher = bots.make("search:worlds=2")
    assert isinstance(searcher, Explains)
    for game in games_in(path):
        assert game.players is not None
        seat = game.players.index("search:worlds=2")
        again = Game(game.ruleset, list(game.deals), game.first_dealer)
        for action, thought in zip(game.actions, thoughts_in(game.meta, len(game.actions)), strict=True):
            assert (thought is not None) == (again.turn == seat and len(again.legal()) > 1)
            if thought is not None and len(again.actions) % 7 == 0:  # a few of them
                (fresh,) = searcher.explain(again.view(seat))
                assert thought.to_dict() == fresh.to_dict()
            again.play(action)


def test_thoughts_change_nothing_else(path: Path, tmp_path: Path) -> None:
    four = ["search:worlds=2", "heuristic", "random", "random"]
    play_match(four, 1, 5, episode="deal", record=path, record_thoughts=True)
    play_match(four, 1, 5, episode="deal", record=tmp_path / "silent.jsonl")
    for thoughtful, silent in zip(games_in(path), games_in(tmp_path / "silent.jsonl"), strict=True):
        thoughts = thoughtful.meta.pop("thoughts")
        assert thoughtful.to_record() == silent.to_record()
        assert len(thoughts) == len(silent.actions)


class Confused(Plain):
    """Plays well, but cannot say why."""

    def explain(self, views: npt.NDArray[Any]) -> list[Thought]:
        raise ZeroDivisionError("no idea")


class Curt(Plain):
    """Says too little."""

    def explain(self, views: npt.NDArray[Any]) -> list[Thought]:
        return [Thought()] * (len(views) - 1)


@pytest.mark.parametrize(
    ("bot", "reason"),
    [
        (Confused(), r"plain raised ZeroDivisionError: no idea \(explain with \d+ views\)"),
        (Curt(), r"plain explained \d+ views by what is not \d+ thoughts"),
    ],
)
def test_a_bot_that_cannot_explain_is_at_fault(bot: Plain, reason: str, path: Path) -> None:
    four: list[BotChoice] = [bot, "random", "random", "random"]
    with pytest.raises(MatchFaultError, match=reason):
        play_match(four, 1, 1, episode="deal", record=path, record_thoughts=True)
    result = play_match(four, 1, 1, episode="deal", record=path, record_thoughts=True, on_error="first_legal")
    assert result.is_complete and result.num_faults[0] > 0
    assert all(set(game.meta["thoughts"]) <= {None} for game in games_in(path))


def test_thoughts_need_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--bots", ",".join(FOUR), "--blocks", "1", "--record-thoughts", "--no-progress"]) == 2
    assert "record_thoughts: thoughts go with the games, so give record" in capsys.readouterr().err
