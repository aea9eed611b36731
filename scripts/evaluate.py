"""Play a match between four bots on duplicate deals, or a panel of bots: tables, JSON, a page for people.

python scripts/evaluate.py --bots heuristic,random,random,random --blocks 500 --seed 1 --report match.html
python scripts/evaluate.py --panel --bots runs/standard/last.pt --json panel.json
"""

from __future__ import annotations

import argparse
import functools
import importlib
import re
import sys
from collections.abc import Sequence
from pathlib import Path

from king_env.episode import EPISODES
from king_env.evaluation import (
    MatchFaultError,
    MatchInterrupted,
    MatchLostError,
    MatchNotRecordedError,
    MatchResult,
    play_match,
    print_report,
    report_markdown,
)
from king_env.evaluation.chunks import BotFaultError
from king_env.evaluation.faults import ON_ERROR_CHOICES
from king_env.evaluation.on_ray import ClusterError
from king_env.evaluation.panel import (
    DEFAULT_BLOCKS,
    DEFAULT_MINUTES,
    DEFAULT_WITHIN,
    PANEL_BOTS,
    PANEL_EPISODES,
    Match,
    Panel,
    PanelPlan,
)
from king_env.evaluation.panel_reports import ending_text, panel_markdown, print_panel
from king_env.evaluation.seatings import SEATING_CHOICES
from king_env.exit_statuses import DONE, FAILED, INTERRUPTED, REFUSED
from king_env.ruleset import RULESETS, make_ruleset
from scripts.result_files import cannot_write, check_writable, write_json, write_text

try:
    from tqdm import tqdm
except ImportError:  # the bar comes with the extra `evaluate`
    tqdm = None


DEFAULT_MATCH_BLOCKS = 500
FOR_PANELS_ALONE = ("within", "minutes")
FOR_MATCHES_ALONE = ("seatings", "on_error", "time_limit_ms", "threads", "record", "record_thoughts")

BOT_OPTION = re.compile(r"\w+=[^:/]*")  # as it stands after a comma


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="evaluate",
        description="A match between four bots on duplicate deals, or a panel of bots, with 95 % intervals.",
        epilog="A bot is a name (heuristic, search, search:worlds=20, random, uniform), a checkpoint's path, or "
        "package.module:factory.",
        allow_abbrev=False,
    )
    parser.add_argument("--bots", help="four bots parted by commas; the same twice is one kind. Or more for a panel")
    parser.add_argument(
        "--panel",
        nargs="?",
        const=",".join(PANEL_BOTS),
        help=f"play each of these bots alone against three of each, on deals kept for that ({', '.join(PANEL_BOTS)})",
    )
    parser.add_argument(
        "--blocks",
        type=int,
        help=f"blocks of deals, each played in all seatings (500; a panel: at most, {DEFAULT_BLOCKS})",
    )
    parser.add_argument("--within", type=float, help=f"a panel: points a game to know each within ({DEFAULT_WITHIN:g})")
    parser.add_argument("--minutes", type=float, help=f"a panel: for one match at most ({DEFAULT_MINUTES:g})")
    parser.add_argument("--seed", type=int, default=1, help="of the deals and of the bots' random numbers (1)")
    parser.add_argument("--ruleset", default="portuguese", choices=list(RULESETS), help="the rules (portuguese)")
    parser.add_argument(
        "--episode", choices=EPISODES, help="whole games, or single deals of each contract (game; a panel: both)"
    )
    parser.add_argument("--seatings", choices=SEATING_CHOICES, help="all that differ, or four balanced ones (all)")
    parser.add_argument("--on-error", choices=ON_ERROR_CHOICES, help="what follows when a bot is at fault (stop)")
    parser.add_argument("--time-limit-ms", type=float, help="for each decision of a bot (none)")
    parser.add_argument("--threads", type=int, help="for compiled bots (as many as there are processors)")
    parser.add_argument(
        "--ray",
        metavar="ADDRESS",
        help="play on a Ray cluster: HOST:PORT of its head node, `auto` for the one that this machine is part of, "
        "`local` for this machine's cores (none)",
    )
    parser.add_argument("--allow-cheating", action="store_true", help="let bots play that see all hands")
    parser.add_argument("--json", type=Path, help="a file to write the result to; a panel goes on with what it holds")
    parser.add_argument("--report", type=Path, help="a file to write a page for people to: plots, tables, the calls")
    parser.add_argument("--record", type=Path, help="a file to add every game to, a line of JSON a game")
    parser.add_argument(
        "--record-thoughts",
        action="store_const",
        const=True,
        help="with --record: also what policies and searches think at each decision, for `python -m king_env view`",
    )
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    parser.add_argument("--no-progress", action="store_true", help="draw no progress bar")
    options = parser.parse_args(arguments)
    if options.panel is None and options.bots is None:
        parser.error("give --bots, or --panel")
    for option in FOR_MATCHES_ALONE if options.panel is not None else FOR_PANELS_ALONE:
        if getattr(options, option) is not None:
            parser.error(
                f"--{option.replace('_', '-')}: is for {'panels' if options.panel is None else 'matches'} alone"
            )
    return options


def main(arguments: list[str] | None = None) -> int:
    options = parse_arguments(arguments)
    command = [Path(__file__).name, *(sys.argv[1:] if arguments is None else arguments)]
    if options.panel is not None:
        return play_panel(options, command)
    try:
        check_outputs(options)
        result, status = play(options)
    except (ValueError, OSError, ImportError) as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:  # before the first deal
        print("evaluate: interrupted", file=sys.stderr)
        return INTERRUPTED
    if result is None:
        return status
    show(result, options.markdown)
    if options.json is not None:
        try:
            write_json(options.json, result.to_dict() | {"command": command})
        except OSError as error:
            print(f"evaluate: {cannot_write('--json', options.json, error)}", file=sys.stderr)
            status = FAILED
    return write_report(options.report, result, command, status)


def check_outputs(options: argparse.Namespace) -> None:
    """Find out before the first deal that something cannot be written; ValueError or ImportError says what."""
    check_writable("--json", options.json)
    check_writable("--report", options.report)
    if options.report is not None:
        try:
            importlib.import_module("scripts.reporting.pages")
        except ImportError as error:
            raise ImportError(f"--report: {error}; extra `report` brings what it needs") from None


def write_report(path: Path | None, played: MatchResult | Panel, command: Sequence[str], status: int) -> int:
    """Write the page of what was played, if it is wanted; the exit status, given the one so far."""
    if path is None:
        return status
    from scripts.reporting.pages import match_page, panel_page  # with the plots, which only reports need

    page = panel_page(played, command) if isinstance(played, Panel) else match_page(played, command)
    try:
        write_text(path, page)
    except OSError as error:
        print(f"evaluate: {cannot_write('--report', path, error)}", file=sys.stderr)
        return FAILED
    return status


def play_panel(options: argparse.Namespace, command: Sequence[str]) -> int:
    """Play a panel, or what is missing of it, and print it; the exit status."""
    try:
        check_outputs(options)
        panel = Panel(panel_plan(options), options.json)
    except (ValueError, OSError, ImportError) as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return REFUSED
    status = DONE
    try:
        if options.no_progress:
            panel.play(options.json, ray=options.ray)
        else:
            tell = functools.partial(report_ending, panel)
            panel.play(options.json, tell, progress=True, ray=options.ray)
    except BotFaultError as error:
        print(f"evaluate: the panel stopped at a fault: {error}", file=sys.stderr)
        status = FAILED
    except (ImportError, ValueError) as error:  # no Ray here, or a bot that cannot be sent to others
        print(f"evaluate: {error}", file=sys.stderr)
        return REFUSED
    except ClusterError as error:
        print(f"evaluate: {error}", file=sys.stderr)
        status = FAILED
    except OSError as error:
        print(f"evaluate: {cannot_write('--json', options.json, error)}", file=sys.stderr)
        status = FAILED
    except KeyboardInterrupt:
        print("evaluate: interrupted", file=sys.stderr)
        status = INTERRUPTED
    if options.markdown:
        print(panel_markdown(panel))
    else:
        print_panel(panel)
    return write_report(options.report, panel, command, status)


def panel_plan(options: argparse.Namespace) -> PanelPlan:
    """What the panel is to say: the bots of the panel and those given besides."""
    bots = [*split_bots(options.panel), *(split_bots(options.bots) if options.bots else [])]
    return PanelPlan(
        bots=tuple(dict.fromkeys(bots)),
        ruleset=make_ruleset(options.ruleset),
        episodes=(options.episode,) if options.episode else PANEL_EPISODES,
        seed=options.seed,
        within=DEFAULT_WITHIN if options.within is None else options.within,
        most_blocks=DEFAULT_BLOCKS if options.blocks is None else options.blocks,
        most_minutes=DEFAULT_MINUTES if options.minutes is None else options.minutes,
        allow_cheating=options.allow_cheating,
    )


def report_ending(panel: Panel, match: Match) -> None:
    """A line on a match that has ended, above the bar if there is one."""
    text = ending_text(panel, match)
    if tqdm is None:
        print(f"evaluate: {text}", file=sys.stderr)
    else:
        tqdm.write(f"evaluate: {text}", file=sys.stderr)


def split_bots(text: str) -> list[str]:
    """The bots between the commas, save those within a bot's options: `heuristic:cards=random,bidding=random`."""
    bots: list[str] = []
    for piece in text.split(","):
        if bots and BOT_OPTION.fullmatch(piece):
            bots[-1] += f",{piece}"
        else:
            bots.append(piece)
    return bots


def play(options: argparse.Namespace) -> tuple[MatchResult | None, int]:
    """The result of what was played, if anything, and the exit status."""
    try:
        result = play_match(
            split_bots(options.bots),
            DEFAULT_MATCH_BLOCKS if options.blocks is None else options.blocks,
            options.seed,
            options.ruleset,
            episode=options.episode or "game",
            seatings=options.seatings or "all",
            on_error=options.on_error or "stop",
            time_limit_ms=options.time_limit_ms,
            num_threads=options.threads,
            allow_cheating=options.allow_cheating,
            progress=not options.no_progress,
            record=options.record,
            record_thoughts=options.record_thoughts or False,
            tally_calls=options.report is not None,
            ray=options.ray,
        )
    except MatchFaultError as error:
        print(f"evaluate: the match stopped at a fault: {error}", file=sys.stderr)
        return error.result, FAILED
    except MatchNotRecordedError as error:
        print(f"evaluate: --{error}", file=sys.stderr)
        return error.result, FAILED
    except MatchLostError as error:
        print(f"evaluate: {error}", file=sys.stderr)
        return error.result, FAILED
    except MatchInterrupted as error:
        print("evaluate: interrupted", file=sys.stderr)
        return error.result, INTERRUPTED
    return result, DONE


def show(result: MatchResult, as_markdown: bool) -> None:
    if as_markdown:
        print(report_markdown(result))
    else:
        print_report(result)


if __name__ == "__main__":
    sys.exit(main())
