"""Saved games: a folder with a file for each, written anew at every move, whole or not at all.

A file is a game record (`king_env.records`), so `replay` and `view` read it. Its `meta` says besides which seat the
person has, to whom the game belongs, and a digest of all that, by which a file that was altered is known.
"""

from __future__ import annotations

import hashlib
import json
import os
import re
import secrets
import sys
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from king_env.play.seated import META_KEY, SeatedGame
from king_env.records import CutRecordError, RecordError, RecordLine

ENDING = ".jsonl"
UNFINISHED = ".tmp"
MOST_GAMES = 1000  # in one folder
LARGEST_FILE = 1_000_000  # bytes; a game takes about 10,000

_NAME = re.compile(r"[0-9a-f]{32}")
_NAME_BYTES = 16  # from which names are drawn, so that nobody can guess one
_OWNER, _DIGEST = "owner", "digest"


class SaveError(ValueError):
    """A saved game that is not there, was cut or altered, or cannot be written; its message says which, and why."""


@dataclass(frozen=True)
class SavedGame:
    """What a file says, whole and unaltered, but not yet played once more."""

    name: str
    owner: str
    record: dict[str, Any]

    def seated(self) -> SeatedGame:
        """The game. Raises `SaveError` with the action and the reason if it cannot be played."""
        try:
            return SeatedGame.from_save(self.record)
        except (ValueError, TypeError) as error:
            raise SaveError(f"saved game {self.name}: {error}") from None


class SavedGames:
    """The folder of them."""

    def __init__(self, folder: Path) -> None:
        """The folder is made if it is not there. Raises `SaveError` if nothing can be written to it."""
        self.folder = folder
        try:
            folder.mkdir(parents=True, exist_ok=True, mode=0o700)  # the files hold everybody's cards
            tempfile.TemporaryFile(dir=folder).close()
        except OSError as error:
            raise SaveError(f"cannot write to {folder}: {error.strerror}") from None

    def begin(self, seated: SeatedGame, owner: str) -> str:
        """Save a new game, and return the name that it has from now on."""
        if len(self.names()) >= MOST_GAMES:
            raise SaveError(f"there is no room for another game: {MOST_GAMES} are saved already")
        name = secrets.token_hex(_NAME_BYTES)
        self.save(name, seated, owner)
        return name

    def save(self, name: str, seated: SeatedGame, owner: str) -> None:
        """Write a game: its file holds at every moment the game before the move or after it."""
        record = seated.to_save()
        record["meta"][META_KEY][_OWNER] = owner
        record["meta"][META_KEY][_DIGEST] = _digest(record)
        try:
            _replace(self._path(name), json.dumps(record, ensure_ascii=False, separators=(",", ":")) + "\n")
        except OSError as error:
            raise SaveError(f"saved game {name}: cannot be written: {error.strerror}") from None

    def load(self, name: str) -> SavedGame:
        """What was saved under this name. Raises `SaveError` if there is nothing, or it was cut or altered."""
        try:
            with self._path(name).open("rb") as file:
                content = file.read(LARGEST_FILE + 1)
        except OSError:
            raise SaveError(f"saved game {name}: is not there") from None
        if len(content) > LARGEST_FILE:
            raise SaveError(f"saved game {name}: is larger than any game of King")
        record = _record_in(name, content)
        play = record["meta"][META_KEY]
        return SavedGame(name, play[_OWNER], record)

    def names(self) -> list[str]:
        """The games saved here, the last first."""
        times: dict[str, float] = {}
        for path in self.folder.glob(f"*{ENDING}"):
            if _NAME.fullmatch(path.stem):
                times[path.stem] = path.stat().st_mtime
        return sorted(times, key=lambda name: -times[name])

    def __contains__(self, name: str) -> bool:
        return bool(_NAME.fullmatch(name)) and self._path(name).exists()

    def _path(self, name: str) -> Path:
        if not _NAME.fullmatch(name):
            raise SaveError(f"no saved game has the name {name!r:.60}")
        return self.folder / f"{name}{ENDING}"


def _replace(path: Path, text: str) -> None:
    """Write a file anew. What is left of a write that was broken off is written over by the next."""
    unfinished = path.with_suffix(UNFINISHED)
    with open(unfinished, "w", encoding="utf-8", newline="\n", opener=_open_for_one) as file:
        file.write(text)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)


def _open_for_one(path: str, flags: int) -> int:
    """Nobody else on the machine may look into everybody's cards."""
    return os.open(path, flags, 0o600)


def default_folder() -> Path:
    """Where the system keeps what programs keep for a person."""
    home = Path.home()
    if sys.platform == "darwin":
        base = home / "Library" / "Application Support"
    else:
        usual = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_DATA_HOME")
        base = Path(usual) if usual else home / ".local" / "share"
    return base / "king_env" / "games"


def _record_in(name: str, content: bytes) -> dict[str, Any]:
    """The record that a file holds, once it is known to be as it was written."""
    try:
        record = RecordLine(1, content, is_whole=content.endswith(b"\n")).record()
    except CutRecordError:
        raise SaveError(f"saved game {name}: is cut off before its end") from None
    except RecordError as error:
        raise SaveError(f"saved game {name}: {error}") from None
    meta = record.get("meta") if isinstance(record, dict) else None
    play = meta.get(META_KEY) if isinstance(meta, dict) else None
    if not isinstance(play, dict) or not isinstance(play.get(_OWNER), str) or not isinstance(play.get(_DIGEST), str):
        raise SaveError(f"saved game {name}: is no game that was saved while it was played")
    if play[_DIGEST] != _digest(record):
        raise SaveError(f"saved game {name}: was altered after it was saved")
    return record


def _digest(record: Mapping[str, Any]) -> str:
    """Of everything in a record but the digest itself."""
    meta = record["meta"]
    play = {key: value for key, value in meta[META_KEY].items() if key != _DIGEST}
    whole = {**record, "meta": {**meta, META_KEY: play}}
    return hashlib.sha256(json.dumps(whole, sort_keys=True).encode()).hexdigest()
