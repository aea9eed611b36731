"""What a run leaves behind: its config, versions, logs, checkpoints and curves, all in one folder."""

from __future__ import annotations

import csv
import datetime
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from torch.utils.tensorboard import SummaryWriter

from baselines.ppo.checkpoint import versions, write_checkpoint
from baselines.ppo.config import PPOConfig

RUNS = Path("runs")


class RunError(ValueError):
    """A run folder that cannot be used as asked: says why in one line."""


def choose_run_folder(name: str, folder: Path | None = None) -> Path:
    """Where a new run goes: `runs/<name>-<time>` unless a folder is given, which must not hold a run yet."""
    if folder is None:
        return RUNS / f"{name}-{datetime.datetime.now():%Y%m%d-%H%M%S}"
    if config_file(folder).exists():
        raise RunError(f"{folder} holds a run already; go on with it by --resume {folder}")
    return folder


def make_run_folder(folder: Path, config: PPOConfig) -> None:
    """Make the folder of a new run and write down what it is."""
    try:
        (folder / "snapshots").mkdir(parents=True, exist_ok=True)
        config_file(folder).write_text(config.to_toml(), "utf-8")
        (folder / "versions.json").write_text(json.dumps(versions(), indent=2) + "\n", "utf-8")
    except OSError as error:
        raise RunError(f"cannot make the run folder {folder}: {error.strerror}") from None


def config_file(folder: Path) -> Path:
    """All that was set."""
    return folder / "config.toml"


def last_checkpoint(folder: Path) -> Path:
    """The checkpoint that `--resume` goes on from."""
    return folder / "last.pt"


def lessons_folder(folder: Path) -> Path:
    """Where the lessons of the warm start lie until it is over."""
    return folder / "lessons"


def write_snapshot(checkpoint: dict[str, Any], folder: Path, decisions: int) -> None:
    """Keep a policy as it is now, by how much it had learned from."""
    write_checkpoint(checkpoint, folder / "snapshots" / f"policy-{decisions:010d}.pt")


def snapshots_in(folder: Path) -> list[Path]:
    """The policies that were kept, the youngest last."""
    found = sorted((folder / "snapshots").glob("policy-*.pt"))
    if not found:
        raise RunError(f"{folder} holds no snapshots of a run")
    return found


class Log:
    """Rows of numbers, to a CSV file each kind and to TensorBoard; the first column counts decisions."""

    def __init__(self, folder: Path, decisions: int = 0) -> None:
        """Go on from a checkpoint: what was logged after `decisions` is forgotten, for it will be done again."""
        self._folder = folder
        self._decisions = decisions
        self._kept: set[str] = set()
        purge = {"purge_step": decisions + 1} if decisions else {}
        self._writer = SummaryWriter(str(folder / "tensorboard"), **purge)

    def write(self, kind: str, decisions: int, row: Mapping[str, float]) -> None:
        """Append one row to `<kind>.csv`."""
        path = self._folder / f"{kind}.csv"
        if kind not in self._kept:
            keep_rows(path, self._decisions)
            self._kept.add(kind)
        is_new = not path.exists()
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if is_new:
                writer.writerow(["decisions", *row])
            writer.writerow([decisions, *(f"{value:.6g}" for value in row.values())])
        for name, value in row.items():
            self._writer.add_scalar(f"{kind}/{name}", value, decisions)

    def close(self) -> None:
        """Flush what TensorBoard has not written yet."""
        self._writer.close()


def keep_rows(path: Path, decisions: int) -> None:
    """Drop the rows of a CSV log that count more decisions than these."""
    if not path.exists():
        return
    header, *rows = path.read_text("utf-8").splitlines(keepends=True)
    kept = [row for row in rows if int(row.split(",", 1)[0]) <= decisions]
    path.write_text("".join([header, *kept]), "utf-8")


def read_log(folder: Path, kind: str) -> dict[str, list[float]]:
    """The columns of a CSV log; empty if nothing was logged."""
    path = folder / f"{kind}.csv"
    if not path.exists():
        return {}
    with path.open(newline="", encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    return {name: [float(row[name]) for row in rows] for name in rows[0]} if rows else {}
