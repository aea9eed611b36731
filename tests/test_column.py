"""Games written out as in a newspaper column, against columns that were checked by hand."""

from __future__ import annotations

from pathlib import Path

import pytest

from king_env.column import write_column
from king_env.game import Game
from tests.golden.column import FILES
from tests.golden.games import WHOLE_GAMES, golden_game, golden_lines


@pytest.mark.parametrize("path", FILES, ids=lambda path: path.stem)
def test_a_golden_game_is_written_as_it_stands_there(path: Path) -> None:
    written = write_column(golden_game(path)).splitlines()
    assert [line for line in written if line and not line.startswith("#")] == golden_lines(path)


def test_one_deal_of_a_game() -> None:
    game = golden_game(WHOLE_GAMES[-1])
    (deal,) = (part for part in write_column(game).split("\n\n") if part.startswith("deal    9\n"))
    assert write_column(game, 9) == f"rules   portuguese\n\n{deal}"
    with pytest.raises(ValueError, match="deal 3: this game has deals 7 to 7"):
        write_column(Game(first_deal=6, num_deals=1, seed=1), 3)


def test_a_game_in_progress_is_written_as_far_as_it_has_come() -> None:
    game = Game(seed=1, first_deal=6, dealer=0)
    for action in ("auction", "bid 2", "pass", "pass", "accept"):
        game.play(action)
    lines = write_column(game).splitlines()
    assert lines[-2:] == ["call    0 accept", "sold    1 at bid 2"]
    assert not any(line.startswith(("play", "pays", "scores")) for line in lines)
    game.play("up NT")
    game.play(game.legal()[0])
    lines = write_column(game, 7).splitlines()
    assert lines[-3] == "play    up NT by 1"
    assert lines[-1].startswith("trick    1    ") and lines[-1].count("-") == 3


def test_rules_of_the_house_are_written_in_full() -> None:
    assert write_column(Game({"max_nulls": 4}, seed=1)).startswith('rules   {"negatives": ["no_tricks", ')


def test_writing_a_game_out_leaves_it_as_it_was() -> None:
    game = golden_game(WHOLE_GAMES[0])
    before = (game.record.copy(), list(game.actions))
    write_column(game)
    assert (game.record == before[0]).all() and game.actions == before[1]
