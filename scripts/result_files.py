"""Files that a program writes its result to: tried before the work begins, and written whole or not at all."""

from __future__ import annotations

import json
import os
from pathlib import Path
from typing import Any


def check_writable(option: str, path: Path | None) -> None:
    """Find out before the work, and not after it, that its result cannot be written."""
    if path is None:
        return
    if path.is_dir():
        raise ValueError(f"{option}: {path} is a folder; give a file")
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        unfinished(path).touch()
        unfinished(path).unlink()
    except OSError as error:
        raise ValueError(cannot_write(option, path, error)) from None


def cannot_write(option: str, path: Path, error: OSError) -> str:
    return f"{option}: cannot write {path}: {error.strerror}"


def unfinished(path: Path) -> Path:
    """Where a file stands until it is whole."""
    return path.with_name(path.name + ".part")


def write_json(path: Path, content: dict[str, Any]) -> None:
    """Write plain values, whole or not at all."""
    write_text(path, json.dumps(content, indent=2, ensure_ascii=False) + "\n")


def write_text(path: Path, text: str) -> None:
    """Write the file whole or not at all."""
    unfinished(path).write_text(text, encoding="utf-8")
    os.replace(unfinished(path), path)
