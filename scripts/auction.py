"""Measure what a bot loses at the auction, against a search of each of its calls: tables, JSON.

python scripts/auction.py --bot pretrained --ruleset portuguese --deals 400 --json auction.json
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from king_env.evaluation.auction import (
    DEFAULT_WORLDS,
    AuctionFaultError,
    AuctionInterrupted,
    AuctionResult,
    measure_auction,
)
from king_env.evaluation.auction_reports import auction_markdown, print_auction
from king_env.exit_statuses import DONE, FAILED, INTERRUPTED, REFUSED
from king_env.ruleset import RULESETS
from scripts.result_files import cannot_write, check_writable, write_json

DEFAULT_DEALS = 200


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="auction",
        description="What a bot loses by its calls in positive deals, against a search of each call, with 95 %% "
        "intervals.",
        epilog="A bot is a name (pretrained, heuristic, random), the path of a policy, or package.module:factory.",
        allow_abbrev=False,
    )
    parser.add_argument("--bot", default="pretrained", help="the bot that is measured, in all four seats (pretrained)")
    parser.add_argument("--ruleset", default="portuguese", choices=list(RULESETS), help="the rules (portuguese)")
    parser.add_argument("--deals", type=int, default=DEFAULT_DEALS, help=f"positive deals ({DEFAULT_DEALS})")
    parser.add_argument("--seed", type=int, default=1, help="of the deals and of all random numbers (1)")
    parser.add_argument(
        "--worlds",
        type=int,
        default=DEFAULT_WORLDS,
        help=f"in how many each decision is searched, and in how many others measured ({DEFAULT_WORLDS})",
    )
    parser.add_argument("--playouts", help="the bot with which the search plays out (the bot that is measured)")
    parser.add_argument("--json", type=Path, help="a file to write the result to")
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    parser.add_argument("--no-progress", action="store_true", help="draw no progress bar")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    """Measure and print; the exit status."""
    options = parse_arguments(arguments)
    command = [Path(__file__).name, *(sys.argv[1:] if arguments is None else arguments)]
    try:
        check_writable("--json", options.json)
        result, status = measure(options)
    except (ValueError, ImportError) as error:
        print(f"auction: {error}", file=sys.stderr)
        return REFUSED
    if result is None:
        return status
    if options.markdown:
        print(auction_markdown(result))
    else:
        print_auction(result)
    if options.json is not None:
        try:
            write_json(options.json, result.to_dict() | {"command": command})
        except OSError as error:
            print(f"auction: {cannot_write('--json', options.json, error)}", file=sys.stderr)
            return FAILED
    return status


def measure(options: argparse.Namespace) -> tuple[AuctionResult | None, int]:
    """The result of what was measured, if anything, and the exit status."""
    try:
        result = measure_auction(
            options.bot,
            options.deals,
            options.seed,
            options.ruleset,
            worlds=options.worlds,
            playouts=options.playouts,
            progress=not options.no_progress,
        )
    except AuctionFaultError as error:
        print(f"auction: stopped at a fault: {error}", file=sys.stderr)
        return error.result, FAILED
    except AuctionInterrupted as error:
        print("auction: interrupted", file=sys.stderr)
        return error.result, INTERRUPTED
    except KeyboardInterrupt:  # before the first deal
        print("auction: interrupted", file=sys.stderr)
        return None, INTERRUPTED
    return result, DONE


if __name__ == "__main__":
    sys.exit(main())
