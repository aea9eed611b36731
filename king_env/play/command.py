"""The command `play`: a whole game against bots, in a page or in the terminal."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from king_env.bots import Bot, BotError, make
from king_env.engine.seats import NUM_SEATS
from king_env.play.company import Company, bot_texts, opponents_of
from king_env.play.saves import SavedGames, SaveError, default_folder
from king_env.play.terminal import TerminalTable
from king_env.ruleset import RULESETS

SUMMARY = "play a game against bots, in a page or in the terminal"
DESCRIPTION = """
Serves a page to this machine alone, until Ctrl-C, where a person plays whole games against bots: the cards and calls
that the rules allow are offered, and what they forbid is explained with its paragraph of docs/rules.md; a bot gives
hints on request. With --terminal the game is played there. It is saved at every move; the page shows the games that a
browser began and goes on with them, and so does --terminal --resume.
"""

ALL_WELL, CANNOT_DO = 0, 2

LATEST = "latest"
LOOPBACK = "127.0.0.1"
DEFAULT_PORT = 8357
HIGHEST_PORT = 65_535


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--against",
        default="heuristic",
        metavar="BOTS",
        help="the bots to play against: one, or three from your left on: heuristic,search,random (heuristic)",
    )
    parser.add_argument(
        "--hints", default="search,heuristic", metavar="BOTS", help="the bots to ask for hints (search,heuristic)"
    )
    parser.add_argument("--ruleset", choices=RULESETS, default="portuguese", help="(portuguese)")
    parser.add_argument("--seat", type=int, choices=range(NUM_SEATS), default=0, help="where you sit (0)")
    parser.add_argument("--seed", type=_seed, metavar="N", help="play the cards of this seed, in every game")
    usual = str(default_folder()).replace("%", "%%")  # which argparse would take for a place to fill
    parser.add_argument("--games", type=Path, metavar="DIR", help=f"where games are saved ({usual})")
    parser.add_argument("--terminal", action="store_true", help="play here instead of in a page")
    parser.add_argument(
        "--resume",
        nargs="?",
        const=LATEST,
        metavar="GAME",
        help="with --terminal: go on with this saved game, or with the latest that is not over",
    )
    parser.add_argument("--host", metavar="ADDRESS", help=f"serve the page at this address ({LOOPBACK})")
    parser.add_argument(
        "--port", type=_port, metavar="N", help=f"and at this port ({DEFAULT_PORT}; 0: one that is free)"
    )


def run(options: argparse.Namespace) -> int:
    """Play, and return the exit status."""
    reason = _contradiction(options)
    if reason:
        return _fail(reason)
    try:
        opponents = opponents_of(_bots("--against", options.against))
        advisers = _bots("--hints", options.hints)
        company = Company([*opponents, *advisers])
        saved = SavedGames(options.games or default_folder())
    except (ValueError, ImportError, OSError) as error:
        return _fail(str(error))
    names = [bot.name for bot in opponents]
    hints = list(dict.fromkeys(bot.name for bot in advisers))
    if options.terminal:
        _get_ready(company)
        return _in_terminal(options, TerminalTable(saved, company, names, hints, options.seed))
    return _in_page(options, saved, company, names, hints)


def _in_terminal(options: argparse.Namespace, table: TerminalTable) -> int:
    try:
        if options.resume is None:
            table.play_new(options.ruleset, options.seat)
        else:
            table.resume(None if options.resume == LATEST else options.resume)
    except SaveError as error:
        return _fail(str(error))
    return ALL_WELL


def _in_page(
    options: argparse.Namespace, saved: SavedGames, company: Company, opponents: list[str], hints: list[str]
) -> int:
    try:
        from king_env.play.server import Offer, PlayApp, address_of, listen, serve
    except ImportError as error:
        return _fail(f"the page needs {error.name}: pip install 'king-env[play]'; --terminal does not")
    host = options.host or LOOPBACK
    port = DEFAULT_PORT if options.port is None else options.port
    try:
        listening = listen(host, port)
    except OSError as error:
        return _fail(f"cannot serve at {host}, port {port}: {error.strerror}; --port names another")
    with listening:
        for name in saved.names():
            _warn_of_unreadable(saved, name)
        _get_ready(company)
        offer = Offer(tuple(opponents), tuple(hints), options.ruleset, options.seat, options.seed)
        app = PlayApp(saved, company, offer, host, listening.getsockname()[1])
        print(f"Play at {address_of(listening)}; Ctrl-C ends it. Games are saved in {saved.folder}.", flush=True)
        serve(app, listening)
    return ALL_WELL


def _get_ready(company: Company) -> None:
    """The first time on a machine this takes a minute, as what is compiled is kept from then on."""
    print("Getting the bots ready …", flush=True)
    company.get_ready()


def _contradiction(options: argparse.Namespace) -> str:
    """What options say against each other; empty if nothing."""
    if options.resume is not None and not options.terminal:
        return "--resume: goes with --terminal; the page shows the games that can be gone on with"
    if options.terminal and (options.host is not None or options.port is not None):
        return "--host and --port are for the page, not for --terminal"
    return ""


def _bots(option: str, text: str) -> list[Bot]:
    try:
        return [make(one) for one in bot_texts(text)]
    except (ValueError, ImportError, OSError) as error:
        raise BotError(f"{option}: {error}") from None


def _warn_of_unreadable(saved: SavedGames, name: str) -> None:
    try:
        saved.load(name).seated()
    except SaveError as error:
        print(f"king_env play: {error}", file=sys.stderr)


def _seed(text: str) -> int:
    if not text.isdecimal():
        raise argparse.ArgumentTypeError(f"must be a whole number of at least 0, not {text!r}")
    return int(text)


def _port(text: str) -> int:
    if not text.isdecimal() or int(text) > HIGHEST_PORT:
        raise argparse.ArgumentTypeError(f"must be a whole number from 0 to {HIGHEST_PORT}, not {text!r}")
    return int(text)


def _fail(reason: str) -> int:
    print(f"king_env play: {reason}", file=sys.stderr)
    return CANNOT_DO
