"""Files of game records: one game a line, as JSON (`Game.to_record`), written line by line and read line by line.

A line is added to a file whole and in one piece, and nothing stays open in between. So games of many runs may go to one
file, of any length, and what has been written stays whatever happens to its writer. Several processes may write at the
same time where the system adds each piece at the file's end: local files of Linux and macOS, not shares, not Windows.

>>> from king_env.records import append_games, read_lines
>>> append_games("games.jsonl", [game.to_record()])
>>> games = [line.game() for line in read_lines("games.jsonl")]
"""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from king_env.game import Game

RecordPath = str | os.PathLike[str]

_LINE_END = b"\n"


class RecordError(ValueError):
    """A line that is no record of a game of King, or a file that cannot be written; its message says where and why."""


class CutRecordError(RecordError):
    """The last line of a file stops in the middle: its writer was stopped there."""


@dataclass(frozen=True)
class RecordLine:
    """One line of a file of game records, not yet looked at."""

    number: int
    """From 1, blank lines counted."""
    content: bytes
    is_whole: bool
    """Whether it has a line's end; without one it may have been cut off."""

    def record(self) -> dict[str, Any]:
        """What the line says, as JSON. Raises `CutRecordError` if it is cut off, `RecordError` if it is no JSON."""
        try:
            record: dict[str, Any] = json.loads(self.content)
        except (ValueError, RecursionError) as error:  # bytes that are no text are a ValueError, too
            if not self.is_whole:
                raise CutRecordError(f"line {self.number}: cut off before its end, so it is left out") from None
            where = f"{error.msg} at character {error.pos + 1}" if isinstance(error, json.JSONDecodeError) else error
            raise RecordError(f"line {self.number}: no JSON: {where}") from None
        return record

    def game(self) -> Game:
        """The game, replayed. Raises `RecordError` with the line, the action and the reason if it cannot be."""
        record = self.record()
        try:
            return Game.from_record(record)
        except (ValueError, TypeError) as error:
            raise RecordError(f"line {self.number}: {error}") from None


def read_lines(path: RecordPath) -> Iterator[RecordLine]:
    """The lines of a file, one at a time, without the blank ones."""
    with open(path, "rb") as file:
        for number, content in enumerate(file, start=1):
            if content.strip():
                yield RecordLine(number, content, is_whole=content.endswith(_LINE_END))


def check_appendable(path: RecordPath) -> Path:
    """The absolute path of a file that games can be added to; it is there afterwards, with its folder."""
    absolute = Path(path).absolute()
    try:
        absolute.parent.mkdir(parents=True, exist_ok=True)
        absolute.open("ab").close()
    except OSError as error:
        raise RecordError(f"record: cannot write {path}: {error.strerror}") from None
    return absolute


def append_games(path: RecordPath, records: Iterable[Mapping[str, Any]]) -> None:
    """Add games to the end of a file, each in one piece.

    A line there that was cut off is ended first, so that it spoils no other.
    """
    lines = [_line_of(record) for record in records]
    # Without a buffer each `write` is one request to the system, which adds it at the end that the file then has.
    with open(path, "ab+", buffering=0) as file:
        if _ends_in_mid_line(file):
            file.write(_LINE_END)
        for line in lines:
            while line:  # what did not go in at once, because the disk is full, is tried again and fails
                line = line[file.write(line) :]


def _line_of(record: Mapping[str, Any]) -> bytes:
    return json.dumps(record, ensure_ascii=False, separators=(",", ":")).encode() + _LINE_END


def _ends_in_mid_line(file: Any) -> bool:
    if file.seek(0, os.SEEK_END) == 0:
        return False
    file.seek(-1, os.SEEK_END)
    return bool(file.read(1) != _LINE_END)
