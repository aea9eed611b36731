"""The command `view`: writes the games of a file as one page for a browser, to step through them."""

from __future__ import annotations

import argparse
import os
import re
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from king_env.bots.registry import make
from king_env.records import CutRecordError, RecordError, RecordLine, read_lines
from king_env.web.page import data_block, joined_script, joined_styles, page_parts
from king_env.web.replays import Judge, disagreements, replay_of

try:
    from tqdm import tqdm
except ImportError:  # the bar comes with the extra `evaluate`
    tqdm = None

SUMMARY = "write games as a page for a browser, to step through them"
DESCRIPTION = """
Writes one HTML file that needs no network: the table move by move, all hands or those that one seat sees, the calls,
the score sheet, and what players thought if the file says it (evaluate.py --record-thoughts). Without --games it takes
the first 50 games. A game with an illegal action, wrong scores or rules that do not exist is refused with its line, its
action and the reason, and left out; the exit status is then 1.
"""

ALL_WELL, REFUSED, CANNOT_DO = 0, 1, 2

GAMES_A_PAGE = 50  # unless others are asked for: more make a page that is slow to open
PAGE_ENDING = ".html"
MEGABYTE = 1_000_000

_RANGES = re.compile(r"[1-9]\d*(-[1-9]\d*)?(,[1-9]\d*(-[1-9]\d*)?)*")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("file", type=Path, help="one game a line, as evaluate.py --record and env(record=…) write it")
    parser.add_argument(
        "--games",
        type=lines_asked_for,
        metavar="LINES",
        help="which, by their lines: 7, 1-20, 3,8-10 (the first 50 games)",
    )
    parser.add_argument(
        "--output",
        type=Path,
        metavar="PAGE",
        help="the page to write (the file's name with .html instead of its ending)",
    )
    parser.add_argument(
        "--judge",
        metavar="BOT",
        help="have a bot say where it disagrees with the move made, and by how many points: search, search:worlds=20",
    )


def lines_asked_for(text: str) -> list[range]:
    """The lines that `1-20,35` names."""
    if not _RANGES.fullmatch(text):
        raise argparse.ArgumentTypeError(f"must name lines as 7, 1-20 or 3,8-10 do, from 1, not {text!r}")
    ends = [[int(end) for end in part.split("-")] for part in text.split(",")]
    return [range(part[0], part[-1] + 1) for part in ends]


def run(options: argparse.Namespace) -> int:
    """Write the page, and return the exit status."""
    path: Path = options.file
    page: Path = options.output or path.with_suffix(PAGE_ENDING)
    try:
        judge = None if options.judge is None else Judge(make(options.judge))
    except (ValueError, ImportError, OSError) as error:
        return _fail(f"--judge: {error}")
    try:
        lines, num_games = chosen_lines(path, options.games)
        is_same = page.exists() and page.samefile(path)
    except OSError as error:
        return _fail(f"cannot read {path}: {error.strerror}")
    if is_same:
        return _fail(f"--output: {page} is the file of the games")
    if not lines:
        return _fail(f"{path}: there is no game in {'it' if options.games is None else 'the lines asked for'}")
    try:
        return write_page(path, page, lines, num_games, judge)
    except OSError as error:
        return _fail(f"cannot write {page}: {error.strerror}")


def chosen_lines(path: Path, asked: list[range] | None) -> tuple[list[RecordLine], int]:
    """The lines to show, and how many games there are in the file."""
    lines, num_games = [], 0
    for line in read_lines(path):
        num_games += 1
        if num_games <= GAMES_A_PAGE if asked is None else any(line.number in part for part in asked):
            lines.append(line)
    return lines, num_games


@dataclass
class Written:
    """What has gone into a page."""

    games: int = 0
    refused: int = 0
    disagreements: int = 0


def write_page(path: Path, page: Path, lines: list[RecordLine], num_games: int, judge: Judge | None) -> int:
    """Write the page of these games, and say what is in it; the file is at every moment the old page or the new one."""
    written = Written()
    unfinished = page.with_name(page.name + ".tmp")
    script = joined_script("view")
    styles = joined_styles("page.css", "table.css", "panel.css", "layout.css", "decision.css", "view.css")
    before, after = page_parts("view.html", f"King: {_printable(path.name)}", script, styles)
    try:
        with unfinished.open("w", encoding="utf-8", newline="\n") as file:
            file.write(before)
            about = {"file": _printable(path.name), "judge": judge and judge.name}
            file.write(data_block("about", about))
            file.writelines(_blocks(path, lines, judge, written))
            file.write(after)
        if written.games:
            os.replace(unfinished, page)
    finally:
        unfinished.unlink(missing_ok=True)
    if not written.games:
        return REFUSED
    print(_report(page, written, num_games, len(lines), judge))
    return REFUSED if written.refused else ALL_WELL


def _blocks(path: Path, lines: list[RecordLine], judge: Judge | None, written: Written) -> Iterator[str]:
    """The games as blocks of data; those that are refused are reported and left out."""
    for line in lines if tqdm is None else tqdm(lines, unit=" games", disable=None, leave=False):
        try:
            replay = replay_of(line.game(), line.number, judge)
        except CutRecordError as error:
            print(f"{path}: {error}", file=sys.stderr)
        except ValueError as error:
            written.refused += 1
            reason = str(error) if isinstance(error, RecordError) else f"line {line.number}: {error}"
            print(f"{path}: {reason}", file=sys.stderr)
        else:
            written.games += 1
            written.disagreements += disagreements(replay)
            yield data_block("game", replay)


def _report(page: Path, written: Written, num_games: int, num_chosen: int, judge: Judge | None) -> str:
    games = f"{written.games} game{'' if written.games == 1 else 's'}"
    parts = [f"{page}: {games}, {page.stat().st_size / MEGABYTE:.1f} MB"]
    if judge is not None:
        parts.append(f"{judge.name} disagrees with {written.disagreements} moves")
    if num_chosen < num_games:
        parts.append(f"the file has {num_games:,}; --games chooses others")
    return "; ".join(parts)


def _printable(name: str) -> str:
    """A file's name as text that can be written, whatever its bytes are."""
    return name.encode("utf-8", "replace").decode()


def _fail(reason: str) -> int:
    print(f"king_env view: {reason}", file=sys.stderr)
    return CANNOT_DO
