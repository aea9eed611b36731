"""Golden games as games of King."""

from __future__ import annotations

from pathlib import Path

from king_env.game import Game
from tests.golden import column

RECORDS = Path(__file__).parent / "games.jsonl"
WHOLE_GAMES = sorted(column.FOLDER.glob("game_*.txt"))
PLAYERS = ["Ana", "Bruno", "Clara", "Duarte"]


def golden_game(path: Path) -> Game:
    """The game of a file, played."""
    written = column.read(path)
    game = Game(
        written.rules,
        deals=[deal.hands for deal in written.deals],
        dealer=written.deals[0].dealer,
        first_deal=written.deals[0].number - 1,
        num_deals=len(written.deals),
    )
    for deal in written.deals:
        for _, call in deal.calls:
            game.play(call)
        for trick in deal.tricks:
            for _, card in trick.in_order():
                game.play(card)
    return game


def golden_lines(path: Path) -> list[str]:
    """The lines of a file that tell what happened, without its title, its notes and empty lines."""
    lines = [line.rstrip() for line in path.read_text("utf-8").splitlines()]
    return [line for line in lines if line and not line.startswith(("title", "#"))]
