"""The command `replay`: checks the games of a file by playing them once more, and shows what is in it."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from king_env.column import write_column
from king_env.engine.contracts import NUM_DEALS
from king_env.engine.seats import NUM_SEATS
from king_env.game import Game
from king_env.history import deal_numbered, deals_played
from king_env.notation import action_text
from king_env.pbn import HEADER, pbn_of_deal
from king_env.records import CutRecordError, RecordError, read_lines
from king_env.render import render_table, shows_colour

SUMMARY = "check a file of games by playing them once more, and show what is in it"
DESCRIPTION = """
Plays every game of the file once more. A game with an illegal action, wrong scores or rules that do not exist is
refused with its line, its action and the reason; a last line that was cut off is left out and reported. Prints how
many games there are, of which rule sets, and what each player made. The exit status is 1 if a game was refused.
"""

ALL_WELL, REFUSED, CANNOT_READ = 0, 1, 2


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="one game a line, as evaluate.py --record and env(record=…) write it")
    what = parser.add_mutually_exclusive_group()
    what.add_argument("--list", action="store_true", help="a line for each game besides: rules, deals, scores, players")
    what.add_argument("--show", type=int, metavar="LINE", help="write out the game in this line, trick by trick")
    what.add_argument("--tables", type=int, metavar="LINE", help="show the table before each action of this game")
    what.add_argument("--pbn", type=int, metavar="LINE", help="the deals of this game as PBN, for bridge programs")
    parser.add_argument(
        "--deal", type=int, choices=range(1, NUM_DEALS + 1), metavar="N", help="only this deal of the game, 1 to 10"
    )


def run(options: argparse.Namespace) -> int:
    """Do what was asked for, and return the exit status."""
    line = next((number for number in (options.show, options.tables, options.pbn) if number is not None), None)
    if options.deal is not None and line is None:
        return _fail(CANNOT_READ, "--deal: says which deal of a game, so give --show, --tables or --pbn with its line")
    try:
        if line is None:
            return check_file(options.file, options.list)
        game = game_of_line(options.file, line)
        if options.show is not None:
            print(write_column(game, options.deal))
        elif options.tables is not None:
            print_tables(game, options.deal)
        else:
            print("\n".join([HEADER, *(pbn_of_deal(game, number) for number in _deal_numbers(game, options.deal))]))
    except BrokenPipeError:
        raise
    except OSError as error:
        return _fail(CANNOT_READ, f"cannot read {options.file}: {error.strerror}")
    except ValueError as error:
        return _fail(REFUSED, f"{options.file}: {error}")
    return ALL_WELL


# So many lines are refused with their reason; a file that holds no games at all would fill the screen.
REFUSALS_TOLD = 20


@dataclass
class Standing:
    """What a player made in the games that were played to their end."""

    games: int = 0
    points: int = 0


@dataclass
class Totals:
    """What a file holds."""

    games: Counter[str] = field(default_factory=Counter)
    """By rule set."""
    deals: int = 0
    unfinished: int = 0
    refused: int = 0
    cut_off: int = 0
    standings: dict[str, Standing] = field(default_factory=dict)
    """By player."""

    def add(self, game: Game) -> None:
        """Count a game."""
        self.games[rules_name(game)] += 1
        self.deals += len(game.scores_by_deal)
        if not game.is_over:
            self.unfinished += 1
            return
        for player, points in zip(players(game), game.scores, strict=True):
            standing = self.standings.setdefault(player, Standing())
            standing.games += 1
            standing.points += points

    def __str__(self) -> str:
        return "\n".join(self._lines())

    def _lines(self) -> Iterator[str]:
        yield f"{_count(self.games.total(), 'game')}, {_count(self.deals, 'deal')}, every action legal"
        for name, games in self.games.most_common():
            yield f"  {name:<24}{games:>8}"
        for what, number in (("not finished", self.unfinished), ("refused", self.refused), ("cut off", self.cut_off)):
            if number:
                yield f"{what:<26}{number:>8}"
        if self.standings:
            yield ""
            yield f"{'player':<26}{'games':>8}{'points a game':>16}"
        for player, standing in sorted(self.standings.items()):
            yield f"{player:<26}{standing.games:>8}{standing.points / standing.games:>+16.1f}"


def check_file(path: Path, list_games: bool) -> int:
    """Play every game of a file, one at a time, and print what there is; games that are refused as they come."""
    totals = Totals()
    for line in read_lines(path):
        try:
            game = line.game()
        except CutRecordError as error:
            totals.cut_off += 1
            print(f"{path}: {error}", file=sys.stderr)
        except RecordError as error:
            totals.refused += 1
            if totals.refused <= REFUSALS_TOLD:
                print(f"{path}: {error}", file=sys.stderr)
        else:
            totals.add(game)
            if list_games:
                print(f"{line.number:>6}  {describe(game)}")
    if totals.refused > REFUSALS_TOLD:
        more = totals.refused - REFUSALS_TOLD
        print(f"{path}: {_count(more, 'more line')} refused; --show LINE tells why one is", file=sys.stderr)
    print(totals)
    return REFUSED if totals.refused else ALL_WELL


def describe(game: Game) -> str:
    """A game in one line."""
    scores = "".join(f"{points:>7}" for points in game.scores)
    state = "" if game.is_over else "  not finished"
    return f"{rules_name(game):<20}{len(game.scores_by_deal):>3} deals{scores}  {', '.join(players(game))}{state}"


def rules_name(game: Game) -> str:
    return game.ruleset.name or "rules of the house"


def players(game: Game) -> list[str]:
    """Who sat where, by name if the record names them."""
    return game.players or [f"seat {seat}" for seat in range(NUM_SEATS)]


def game_of_line(path: Path, number: int) -> Game:
    """The game in this line of a file. Raises `RecordError` if there is none or it is refused."""
    for line in read_lines(path):
        if line.number == number:
            return line.game()
    raise RecordError(f"line {number}: there is no game in it")


def print_tables(game: Game, deal_number: int | None) -> None:
    """The table before each action of a game, or of one deal of it, and at its end."""
    numbers = _deal_numbers(game, deal_number)
    in_colour = shows_colour(sys.stdout)
    again = Game(game.ruleset, list(game.deals), game.first_dealer, game.first_deal, game.num_deals)
    for action in game.actions:
        if again.deal_number in numbers:
            print(render_table(again.record[0], in_colour=in_colour))
            print(f"\nSeat {again.turn}: {action_text(action)}\n")
        again.play(action)
    if again.deal_number in numbers:
        print(render_table(again.record[0], in_colour=in_colour))


def _deal_numbers(game: Game, only: int | None) -> list[int]:
    deals = deals_played(game)
    return [deal.number for deal in (deals if only is None else [deal_numbered(deals, only)])]


def _count(number: int, thing: str) -> str:
    return f"{number:,} {thing}{'' if number == 1 else 's'}"


def _fail(status: int, reason: str) -> int:
    print(f"king_env replay: {reason}", file=sys.stderr)
    return status
