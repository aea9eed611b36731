"""How strong a run was while it trained: its snapshots against three of each of some bots, as a table and a picture.

python scripts/curve.py runs/release --against heuristic,search:worlds=20 --blocks 200
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tqdm import tqdm

from baselines.ppo.checkpoint import CheckpointError, read_checkpoint
from baselines.ppo.learning_curves import Curve, draw_curves
from baselines.ppo.run_folder import RunError, snapshots_in
from king_env import bots
from king_env.episode import EPISODES
from king_env.evaluation import play_match
from king_env.evaluation.reports import Table, blocks_text, estimate_text, print_tables
from king_env.evaluation.statistics import INTERVAL_METHOD, Estimate
from king_env.exit_statuses import DONE, INTERRUPTED, REFUSED
from king_env.ruleset import RULESETS
from scripts.result_files import check_writable, write_json

DEFAULT_AGAINST, DEFAULT_BLOCKS = "heuristic,search:worlds=20", 100


@dataclass(frozen=True)
class Task:
    """A snapshot in one seat against three of a bot."""

    snapshot: Path
    minutes: float  # of training until then
    against: str

    def facts(self, options: argparse.Namespace) -> dict[str, Any]:
        """What sets its measurement apart from others in the file."""
        return {
            "snapshot": self.snapshot.name,
            "against": self.against,
            "ruleset": options.ruleset,
            "episode": options.episode,
            "seed": options.seed,
            "blocks": options.blocks,
        }


class Measured:
    """What has been measured: a file that is whole at every moment, and may hold measurements of other options, too."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.rows: list[dict[str, Any]] = json.loads(path.read_text("utf-8"))["matches"] if path.exists() else []

    def find(self, facts: dict[str, Any]) -> Estimate | None:
        for row in self.rows:
            if facts.items() <= row.items():
                return Estimate(row["points"], row["half_width"], row["count"])
        return None

    def add(self, facts: dict[str, Any], minutes: float, points: Estimate) -> None:
        found = {"points": points.mean, "half_width": points.half_width, "count": points.count}
        self.rows.append(facts | {"minutes": minutes} | found)
        write_json(self.path, {"matches": self.rows})


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(
        prog="curve",
        description="Play the snapshots of a training run against three of each of some bots, and draw their points "
        "over the training time. What has been measured is kept in the run's folder and not played again.",
        allow_abbrev=False,
    )
    parser.add_argument("run", type=Path, help="the folder of a run")
    parser.add_argument("--against", default=DEFAULT_AGAINST, help=f"bots, parted by commas ({DEFAULT_AGAINST})")
    parser.add_argument("--blocks", type=int, default=DEFAULT_BLOCKS, help=f"of deals, each ({DEFAULT_BLOCKS})")
    parser.add_argument("--seed", type=int, default=1, help="of the deals (1)")
    parser.add_argument("--ruleset", default="portuguese", choices=list(RULESETS), help="the rules (portuguese)")
    parser.add_argument("--episode", default="deal", choices=EPISODES, help="single deals of each contract, or games")
    parser.add_argument("--threads", type=int, help="for compiled bots (as many as there are processors)")
    parser.add_argument("--picture", type=Path, help="where the picture goes (curve.png in the run's folder)")
    options = parser.parse_args(arguments)
    if options.blocks < 2:
        parser.error("--blocks: must be at least 2, or there is no interval")
    return options


def main(arguments: Sequence[str] | None = None) -> int:
    """Print the table and draw the picture; 2 when something was refused, INTERRUPTED when Ctrl-C came first."""
    options = parse_arguments(arguments)
    against = options.against.split(",")
    try:
        check_writable("--picture", options.picture)
        tasks, end_of_warm_start = tasks_of(options.run, against)
        points = measure(tasks, Measured(options.run / "curve.json"), options)
    except (CheckpointError, RunError, ValueError) as error:
        print(f"curve: {error}", file=sys.stderr)
        return REFUSED
    except KeyboardInterrupt:
        print("curve: interrupted; the same command goes on", file=sys.stderr)
        return INTERRUPTED
    curves = [curve_against(name, points) for name in against]
    print_tables(headline(options), [points_table(curves)], [])
    picture = options.picture or options.run / "curve.png"
    draw_curves(curves, end_of_warm_start, picture)
    print(picture)
    return DONE


def tasks_of(run: Path, against: Sequence[str]) -> tuple[list[Task], float]:
    """What is to be played, the first snapshot first, and the minutes that the warm start took, 0 while it goes on."""
    for name in against:
        bots.make(name)  # or it is refused before anything is played
    tasks, end_of_warm_start = [], 0.0
    for snapshot in snapshots_in(run):
        counters = read_checkpoint(snapshot)["counters"]
        if counters["minutes"] > counters["minutes_taught"]:  # or it was still under way
            end_of_warm_start = float(counters["minutes_taught"])
        tasks += [Task(snapshot, float(counters["minutes"]), name) for name in against]
    return tasks, end_of_warm_start


def measure(tasks: Sequence[Task], measured: Measured, options: argparse.Namespace) -> dict[Task, Estimate]:
    """The points a game of each; played are those that have not been."""
    points: dict[Task, Estimate] = {}
    for task in tqdm(tasks, desc="matches", disable=None):
        facts = task.facts(options)
        known = measured.find(facts)
        if known is None:
            known = play(task, options)
            measured.add(facts, task.minutes, known)
        points[task] = known
    return points


def play(task: Task, options: argparse.Namespace) -> Estimate:
    four: list[str | bots.Bot] = [bots.make(str(task.snapshot)), *[task.against] * 3]
    result = play_match(
        four,
        options.blocks,
        options.seed,
        options.ruleset,
        episode=options.episode,
        num_threads=options.threads,
        progress=False,
    )
    return result.points(result.labels[0])


def curve_against(name: str, points: dict[Task, Estimate]) -> Curve:
    found = {task.minutes: estimate for task, estimate in points.items() if task.against == name}
    return Curve(name, list(found), list(found.values()))


def headline(options: argparse.Namespace) -> str:
    return f"{options.run}, {options.ruleset}: {blocks_text(options.blocks, options.episode)}; seed {options.seed}"


def points_table(curves: Sequence[Curve]) -> Table:
    """Points a game, a row a snapshot."""
    rows = [
        (f"{minutes:.1f}", *(estimate_text(curve.points[number]) for curve in curves))
        for number, minutes in enumerate(curves[0].minutes)
    ]
    return Table(
        f"Points a game of a snapshot in one seat against three of a bot ({INTERVAL_METHOD})",
        ("minutes of training", *(curve.against for curve in curves)),
        tuple(rows),
    )


if __name__ == "__main__":
    sys.exit(main())
