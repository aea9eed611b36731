"""What the parts of a recipe are worth: variants of one config, each trained from several seeds, as a table.

python scripts/ablate.py configs/ablations/warm_start.toml --seeds 3 --processes 2
"""

from __future__ import annotations

import argparse
import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from tqdm import tqdm

from baselines.ppo.config import ConfigError, PPOConfig, check_opponents, read_toml
from baselines.ppo.run_folder import RUNS, config_file, last_checkpoint
from baselines.ppo.score import FINAL_RESULTS, pairings
from king_env.evaluation.reports import Table, markdown, print_tables
from king_env.exit_statuses import DONE, FAILED, INTERRUPTED, REFUSED
from scripts.result_files import write_text

BASE = "base"
DEFAULT_SEEDS, DEFAULT_PROCESSES = 3, 1
TRAIN = Path(__file__).with_name("train.py")


class AblationError(ValueError):
    """A study that cannot be meant, or a run that failed: says why in one line."""


@dataclass(frozen=True)
class Run:
    """One variant, trained from one seed."""

    variant: str
    seed: int
    config: PPOConfig
    folder: Path

    @property
    def is_done(self) -> bool:
        """Whether it was trained and measured to the end."""
        return (self.folder / FINAL_RESULTS).exists() and len(self.results()) == len(list(pairings(self.config)))

    def results(self) -> list[dict[str, Any]]:
        """A match against three of each opponent."""
        results: list[dict[str, Any]] = json.loads((self.folder / FINAL_RESULTS).read_text("utf-8"))
        return results

    def command(self) -> list[str]:
        """What begins it, or goes on with it."""
        begun = last_checkpoint(self.folder).exists()
        how = ["--resume", str(self.folder)] if begun else [str(self.recipe_file), "--run-dir", str(self.folder)]
        return [sys.executable, str(TRAIN), *how]

    @property
    def recipe_file(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.toml")

    @property
    def log_file(self) -> Path:
        return self.folder.with_name(f"{self.folder.name}.log")

    def points(self) -> list[float]:
        """Points a game against three of each opponent."""
        return [match["bots"][0]["points"]["game"]["mean"] for match in self.results()]


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="ablate",
        description="Train variants of one config from several seeds each, and say what each makes of the points. What "
        "has been trained is kept and not trained again.",
        allow_abbrev=False,
    )
    parser.add_argument("study", type=Path, help="a file such as configs/ablations/warm_start.toml")
    parser.add_argument("--seeds", type=int, default=DEFAULT_SEEDS, help=f"1 … this many ({DEFAULT_SEEDS})")
    parser.add_argument("--processes", type=int, default=DEFAULT_PROCESSES, help="runs at a time, one thread each (1)")
    parser.add_argument("--run-dir", type=Path, help="folder of all runs (runs/ablations/<study>)")
    parser.add_argument("--markdown", action="store_true", help="print Markdown")
    options = parser.parse_args(arguments)
    for name in ("seeds", "processes"):
        if getattr(options, name) < 1:
            parser.error(f"--{name}: must be at least 1")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table; 2 when the study was refused, 1 when a run failed, INTERRUPTED when Ctrl-C came first."""
    options = parse_arguments(arguments)
    folder: Path = options.run_dir or RUNS / "ablations" / options.study.stem
    try:
        runs = runs_of(options.study, options.seeds, folder)
        check_kept(runs)
    except ConfigError as error:
        print(f"ablate: {error}", file=sys.stderr)
        return REFUSED
    try:
        train_all(runs, options.processes)
    except (AblationError, OSError) as error:
        print(f"ablate: {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        print("ablate: stopped; the same command goes on", file=sys.stderr)
        return INTERRUPTED
    table = points_table(runs)
    if options.markdown:
        print(markdown(table))
    else:
        print_tables(
            f"{options.study}, {options.seeds} seeds a variant; {runs[0].config.final_blocks:,} blocks", [table], []
        )
    return DONE


def runs_of(study: Path, num_seeds: int, folder: Path) -> list[Run]:
    """All runs of a study, seed after seed: so there is something to see of each variant early."""
    content = read_toml(study)
    unknown = set(content) - {BASE, "variants"}
    if unknown or BASE not in content or not content.get("variants"):
        raise ConfigError(f"{study}: must have the tables [base] and [variants.NAME], and nothing else")
    changes: dict[str, Mapping[str, Any]] = {BASE: {}, **content["variants"]}
    runs = []
    for seed in range(1, num_seeds + 1):
        for variant, change in changes.items():
            try:
                config = PPOConfig.from_dict({**content[BASE], **change, "seed": seed})
                check_opponents(config)
            except ConfigError as error:
                raise ConfigError(f"{study}: {variant}: {error}") from None
            runs.append(Run(variant, seed, config, folder / f"{slug(variant)}-{seed}"))
    return runs


def check_kept(runs: Sequence[Run]) -> None:
    """Refuse what was trained by other configs, which would be shown as if it were of these; ConfigError says so."""
    for run in runs:
        if last_checkpoint(run.folder).exists():
            kept = PPOConfig.from_dict(read_toml(config_file(run.folder)))
            if kept != run.config:
                raise ConfigError(
                    f"{run.folder} was trained by another config, of an older study perhaps: "
                    "move that folder away, or choose another --run-dir"
                )


def slug(name: str) -> str:
    """A name for a folder."""
    return re.sub(r"[^a-z0-9]+", "-", name.lower()).strip("-")


def train_all(runs: Sequence[Run], num_processes: int) -> None:
    """Train what is not done yet, so many at a time."""
    missing = [run for run in runs if not run.is_done]
    with ThreadPoolExecutor(num_processes) as pool, tqdm(total=len(missing), desc="runs", disable=None) as bar:
        tasks = [pool.submit(train, run) for run in missing]
        try:
            for task in tasks:
                task.result()
                bar.update()
        except BaseException:
            pool.shutdown(cancel_futures=True)  # those under way were stopped by the same Ctrl-C, or end by themselves
            raise


def train(run: Run) -> None:
    """One run, in a process of its own."""
    run.folder.parent.mkdir(parents=True, exist_ok=True)
    if run.folder.exists() and not last_checkpoint(run.folder).exists():
        shutil.rmtree(run.folder)  # it was ended before there was anything to go on from
    write_text(run.recipe_file, run.config.to_toml())
    with run.log_file.open("a", encoding="utf-8") as log:
        status = subprocess.run(run.command(), stdout=log, stderr=subprocess.STDOUT, check=False).returncode
    if status == INTERRUPTED:
        raise KeyboardInterrupt
    if status:
        raise AblationError(f"{run.variant}, seed {run.seed}: the run failed; {run.log_file} says why")


def points_table(runs: Sequence[Run]) -> Table:
    """Points of each variant: the mean over seeds, with the lowest and the highest, and what the base makes more."""
    matches = [pairing.name for pairing in pairings(runs[0].config)]
    of_variants: dict[str, list[list[float]]] = {}
    for run in runs:
        of_variants.setdefault(run.variant, []).append(run.points())
    means = {variant: np.mean(points, axis=0) for variant, points in of_variants.items()}
    rows = []
    for variant, points in of_variants.items():
        row = [variant]
        for number, made in enumerate(np.transpose(points)):
            row.append(f"{made.mean():+.1f} ({made.min():+.1f} … {made.max():+.1f})")
            row.append("" if variant == BASE else f"{means[variant][number] - means[BASE][number]:+.1f}")
        rows.append(tuple(row))
    header = ["variant"]
    for match in matches:
        header += [match, f"to {BASE}"]
    return Table(
        "Points a game against three of each: the mean over seeds (lowest … highest)", tuple(header), tuple(rows)
    )


if __name__ == "__main__":
    sys.exit(main())
