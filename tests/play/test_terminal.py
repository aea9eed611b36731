"""`python -m king_env play --terminal`: a game in a terminal, from its first card to its end."""

from __future__ import annotations

import builtins
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from king_env.__main__ import main
from king_env.game import Game
from king_env.play.saves import SavedGames
from king_env.play.seated import SeatedGame
from king_env.records import read_lines

Person = Callable[[str], str]


def play(folder: Path, *arguments: str) -> int:
    return main(["play", "--terminal", "--games", str(folder), "--hints", "heuristic,search:worlds=2", *arguments])


def game_in(folder: Path) -> SeatedGame:
    saved = SavedGames(folder)
    return saved.load(saved.names()[0]).seated()


@pytest.fixture
def types(monkeypatch: pytest.MonkeyPatch) -> Callable[..., None]:
    """Have the person type these lines, and then nothing more."""

    def say(*lines: str) -> None:
        left: Iterator[str] = iter(lines)

        def answer(prompt: str = "") -> str:
            print(prompt, end="")
            try:
                return next(left)
            except StopIteration:
                raise EOFError from None

        monkeypatch.setattr(builtins, "input", answer)

    return say


def first_legal(folder: Path) -> Person:
    """A person who does the first thing that is allowed."""
    return lambda prompt: game_in(folder).game.legal()[0]


def test_a_game_is_played_to_its_end(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """From deal 6 on, so that there is a deal of each kind and every seat opens once."""
    seated = SeatedGame(Game(first_deal=5, seed=3), 1, ["heuristic", "you", "heuristic", "random"])
    SavedGames(tmp_path).begin(seated, "terminal")
    monkeypatch.setattr(builtins, "input", first_legal(tmp_path))
    assert play(tmp_path, "--resume") == 0
    out = capsys.readouterr().out
    game = game_in(tmp_path).game
    assert game.is_over and str(game.score_sheet) in out
    assert "You are seat 1; seat 0: heuristic, seat 2: heuristic, seat 3: random." in out
    assert out.count("is over: seat 0") == 5 and "The game is over." in out
    assert f"{game.placings[1]}. seat 1, you: " in out


def test_one_game_after_another(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Games of a single deal, of which the person plays two."""
    answers = iter(["y", "n"])

    def answer(prompt: str) -> str:
        return next(answers) if prompt.startswith("Play again?") else game_in(tmp_path).game.legal()[0]

    def begin(*_: object) -> SeatedGame:
        return SeatedGame(Game(num_deals=1, seed=3), 0, ["you", *["heuristic"] * 3])

    monkeypatch.setattr(builtins, "input", answer)
    monkeypatch.setattr(SeatedGame, "begin", begin)
    assert play(tmp_path) == 0
    saved = SavedGames(tmp_path)
    assert [saved.load(name).seated().game.is_over for name in saved.names()] == [True, True]


def test_commands(tmp_path: Path, types: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    record = tmp_path / "kept.jsonl"
    types(
        "help",
        "legal",
        "hint",
        "hint search:worlds=2",
        "hint nobody",
        "table",
        f"record {record}",
        "record",
        "",
        "quit",
    )
    assert play(tmp_path / "games", "--seed", "3") == 0
    out = capsys.readouterr().out
    legal = game_in(tmp_path / "games").game.legal()
    assert ", ".join(legal) in out and "heuristic would do this: " in out
    assert "search:worlds=2 would do this: " in out and "points beside the best: " in out
    assert "hint: must be one of heuristic, search:worlds=2" in out and "what a bot would do in your place" in out
    assert "record: no deal is over yet" in out and "record: needs the name of a file" in out and not record.exists()
    assert out.count("Balance") == 2


def test_a_refused_card_is_explained(
    tmp_path: Path, types: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    types("bid 3", "XX", "quit")
    assert play(tmp_path, "--seed", "3") == 0
    out = capsys.readouterr().out
    assert "Not allowed: bid 3: seat 0 is to play a card (Rules 1)" in out and "Not allowed: no action 'XX'" in out


def test_a_game_that_was_left_goes_on(
    tmp_path: Path, types: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    types()
    assert play(tmp_path, "--seed", "3") == 0
    left = game_in(tmp_path)
    card = left.game.legal()[0]
    assert f"To go on: --terminal --resume {SavedGames(tmp_path).names()[0][:8]}" in capsys.readouterr().out
    types(card)
    assert play(tmp_path, "--resume") == 0
    assert len(game_in(tmp_path).game.actions) > len(left.game.actions)
    types()
    assert play(tmp_path, "--resume", SavedGames(tmp_path).names()[0][:6]) == 0
    assert len(SavedGames(tmp_path).names()) == 1


def test_the_record_of_deals_that_are_over(tmp_path: Path, types: Callable[..., None]) -> None:
    saved = SavedGames(tmp_path / "games")
    seated = SeatedGame.begin("portuguese", 0, ["heuristic"] * 3, seed=3)
    for _ in range(60):
        seated.play(seated.game.legal_ids()[0])
    saved.begin(seated, "terminal")
    types(f"record {tmp_path / 'kept.jsonl'}", f"record {tmp_path / 'no' / 'kept.jsonl'}")
    assert play(tmp_path / "games", "--resume") == 0
    (line,) = read_lines(tmp_path / "kept.jsonl")
    assert len(line.game().scores_by_deal) == 1


def test_an_auction_in_words(tmp_path: Path, types: Callable[..., None], capsys: pytest.CaptureFixture[str]) -> None:
    saved = SavedGames(tmp_path)
    saved.begin(SeatedGame(Game(dealer=0, first_deal=6, seed=2), 0, ["you", *["heuristic"] * 3]), "terminal")
    types("accept", "up h")
    assert play(tmp_path, "--resume") == 0
    out = capsys.readouterr().out
    assert "You are to open> " in out and "You: up ♥" in out
    assert "Not allowed: accept: seat 0 owns the deal and is to open it (Rules 3.1)" in out


@pytest.mark.parametrize(
    ("resume", "reason"),
    [((), "there is no game to go on with in"), (("ab",), "no saved game has a name that begins with 'ab'")],
)
def test_nothing_to_go_on_with(
    resume: tuple[str, ...], reason: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert play(tmp_path, "--resume", *resume) == 2
    assert reason in (said := capsys.readouterr().err) and said.count("\n") == 1


def test_a_spoilt_game_is_refused(
    tmp_path: Path, types: Callable[..., None], capsys: pytest.CaptureFixture[str]
) -> None:
    types()
    play(tmp_path)
    (path,) = tmp_path.iterdir()
    path.write_text(path.read_text("utf-8").replace("heuristic", "random"), "utf-8")
    assert play(tmp_path, "--resume") == 2
    assert "was altered after it was saved" in capsys.readouterr().err
