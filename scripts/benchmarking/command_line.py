"""The command line of the benchmark."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from tqdm import tqdm

from scripts.benchmarking.measurements import NAMES, ROOMS, Results, check_names, measure_all
from scripts.benchmarking.measuring import MIN_REPEATS
from scripts.benchmarking.report import print_report, report_json, report_markdown
from scripts.result_files import check_writable, write_json

# As in king_env.exit_statuses, which would bring the whole engine: a new process is to import little.
DONE, FAILED, REFUSED, INTERRUPTED = 0, 1, 2, 130


def parse_arguments(arguments: list[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="benchmark",
        description="How fast King is on this machine, beside what else is installed (extra `bench`).",
        epilog=f"Measurements: {', '.join(NAMES)}.",
        allow_abbrev=False,
    )
    parser.add_argument("--only", nargs="+", metavar="NAME", default=list(NAMES), help="measure these alone (all)")
    parser.add_argument(
        "--repeats", type=int, default=MIN_REPEATS, help=f"how often, {MIN_REPEATS} or more; the median counts (5)"
    )
    parser.add_argument("--json", type=Path, help="a file to write all figures to")
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    parser.add_argument("--plot", type=Path, metavar="PNG", help="a file to draw how cost grows into")
    return parser.parse_args(arguments)


def main(arguments: list[str] | None = None) -> int:
    options = parse_arguments(arguments)
    try:
        check_options(options)
    except ValueError as error:
        print(f"benchmark: {error}", file=sys.stderr)
        return REFUSED
    command = ["scripts/benchmark.py", *(sys.argv[1:] if arguments is None else arguments)]
    results = measure_with_bar(list(dict.fromkeys(options.only)), options.repeats)
    if options.markdown:
        print(report_markdown(results, options.repeats, command))
    else:
        print_report(results, options.repeats, command)
    for name, traceback in results.errors.items():
        print(f"\n{name} failed:\n{traceback}", file=sys.stderr)
    try:
        write_files(options, results, command)
    except OSError as error:
        print(f"benchmark: cannot write {error.filename}: {error.strerror}", file=sys.stderr)
        return FAILED
    if results.is_interrupted:
        return INTERRUPTED
    return FAILED if results.errors else DONE


def check_options(options: argparse.Namespace) -> None:
    """Refuse what makes no sense before anything is measured."""
    check_names(options.only)
    if options.repeats < MIN_REPEATS:
        raise ValueError(f"--repeats: must be at least {MIN_REPEATS}, not {options.repeats}")
    if options.plot is not None and not set(ROOMS["growth"]) & set(options.only):
        raise ValueError(f"--plot: draws what --only leaves out: {', '.join(ROOMS['growth'])}")
    check_writable("--json", options.json)
    check_writable("--plot", options.plot)


def measure_with_bar(names: list[str], repeats: int) -> Results:
    """Measure everything once, then once again, and so on, and show how far it is.

    A machine has its slow minutes. In rounds they fall on a few samples of many figures, which medians leave out.
    """
    with tqdm(names * repeats, unit="measurement", disable=None) as bar:
        return measure_all(bar, bar.set_description)


def write_files(options: argparse.Namespace, results: Results, command: list[str]) -> None:
    """The files that were asked for."""
    if options.json is not None:
        write_json(options.json, report_json(results, options.repeats, command))
    if options.plot is not None:
        # Not above: the processes that measure import this module, and are to be without matplotlib.
        from scripts.benchmarking.plot import draw_growth

        draw_growth(results.figures, options.plot)
