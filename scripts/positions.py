"""Show positions in which a bot plays better than the heuristic: python scripts/positions.py --bot pretrained.

Games of four heuristics are played, of seeds kept for that. Where the bot would do otherwise, a search says what that
gains; of each kind of deal the case that gains most for sure is searched again in many worlds and shown, with the cards
as the seat sees them.
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from tqdm import tqdm

from king_env import Game, action_text, bots
from king_env.bots.registry import BotError
from king_env.bots.search import SearchBot
from king_env.engine.actions import Action
from king_env.engine.contracts import UP
from king_env.engine.state import GameRecords
from king_env.episode import KIND_NAMES
from king_env.exit_statuses import DONE, REFUSED
from king_env.render import render_table

FIRST_SEED = 900_000
DEFAULT_GAMES, DEFAULT_SHOWN = 40, 3
FEW_WORLDS, MANY_WORLDS = 50, 4000
SURE = 2.0  # standard errors


@dataclass(frozen=True)
class Case:
    """A position, what the heuristic and the bot do in it, and what the bot gains by that."""

    seed: int
    view: GameRecords  # GAME_DTYPE[1]
    usual: Action
    other: Action
    gain: float
    error: float

    @property
    def kind(self) -> str:
        """The kind of deal."""
        return KIND_NAMES[min(int(self.view["contract"][0]), UP)]

    @property
    def sure_gain(self) -> float:
        """What it gains at least, most likely."""
        return self.gain - SURE * self.error


def searched(seed: int, view: GameRecords, usual: Action, other: Action, worlds: int) -> Case:
    """The case with its gain as so many worlds have it."""
    (thought,) = SearchBot(worlds=worlds).explain(view)
    gains, errors = thought.gains or {}, thought.errors or {}
    return Case(seed, view, usual, other, gains.get(other, 0.0), errors.get(other, math.inf))


def cases(bot: bots.Bot, seed: int) -> Iterator[Case]:
    """All decisions of one game of four heuristics in which the bot would do otherwise."""
    game, heuristic, rng = Game(seed=seed), bots.make("heuristic"), np.random.default_rng(seed)
    while game.turn is not None:
        view = game.view(game.turn)
        usual = heuristic.act(view, rng)
        other = bot.act(view, rng)
        if other != usual:
            yield searched(seed, view.copy(), usual, other, FEW_WORLDS)
        game.play(usual)


def best_cases(bot: bots.Bot, num_games: int) -> list[Case]:
    """The surest gain of each kind of deal, searched again; the greatest first."""
    best: dict[str, Case] = {}
    for seed in tqdm(range(FIRST_SEED, FIRST_SEED + num_games), desc="games", disable=None):
        for case in cases(bot, seed):
            if case.kind not in best or case.sure_gain > best[case.kind].sure_gain:
                best[case.kind] = case
    again = [searched(case.seed, case.view, case.usual, case.other, MANY_WORLDS) for case in best.values()]
    return sorted(again, key=lambda case: case.sure_gain, reverse=True)


def told(case: Case, name: str) -> str:
    """A case as text."""
    seat = int(case.view["turn"][0])
    return (
        f"{render_table(case.view[0], viewer=seat)}\n"
        f"seat {seat}: heuristic {action_text(case.usual)}, {name} {action_text(case.other)}: "
        f"{case.gain:+.1f} ± {SURE * case.error:.1f} points in {MANY_WORLDS:,} worlds (game of seed {case.seed})\n"
    )


def main(arguments: list[str] | None = None) -> int:
    """Print the cases; 2 if there is no such bot."""
    parser = argparse.ArgumentParser(prog="scripts/positions.py", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--bot", default="pretrained", help="a bot's name, or the path of a policy (pretrained)")
    parser.add_argument("--games", type=int, default=DEFAULT_GAMES, help=f"games to look through ({DEFAULT_GAMES})")
    parser.add_argument("--show", type=int, default=DEFAULT_SHOWN, help=f"cases to show ({DEFAULT_SHOWN})")
    parsed = parser.parse_args(arguments)
    try:
        bot = bots.make(parsed.bot)
    except BotError as error:
        print(error, file=sys.stderr)
        return REFUSED
    for case in best_cases(bot, parsed.games)[: parsed.show]:
        print(told(case, bot.name))
    return DONE


if __name__ == "__main__":
    sys.exit(main())
