"""The course of a run as a picture."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path

import matplotlib

matplotlib.use("Agg")  # runs often have no screen

from matplotlib import pyplot  # noqa: E402 - the backend must be chosen first
from matplotlib.axes import Axes  # noqa: E402

from baselines.ppo.run_folder import read_log
from baselines.ppo.score import half_width_of
from king_env.evaluation import Estimate

MILLION = 1e6
FIGURE_INCHES, CURVE_INCHES = (11.0, 7.0), (8.0, 4.5)
DOTS_PER_INCH = 120
BAND_OPACITY = 0.2
THIN = 0.8  # a line that is no curve, in points
DECISIONS_AXIS = "decisions learned from (millions)"

# A metric of the warm start and one of self-play that share a panel, and what the panel is called.
PANELS = {
    "entropy (nats)": ("entropy", "entropy"),
    "gain in lessons, then what the value foresees": ("gain", "explained_variance"),
    "decisions per second": ("decisions_per_second", "decisions_per_second"),
}


def draw(folder: Path) -> Path:
    """Draw `learning_curves.png` from the logs of a run."""
    figure, axes = pyplot.subplots(2, 2, figsize=FIGURE_INCHES, layout="constrained")
    draw_panels(axes.flat, folder)
    path = folder / "learning_curves.png"
    figure.savefig(path, dpi=DOTS_PER_INCH)
    pyplot.close(figure)
    return path


def draw_panels(axes: Iterable[Axes], folder: Path) -> None:
    """Draw the scores and each of PANELS, one in each of these."""
    scores_panel, *panels = axes
    logs = read_log(folder, "teacher"), read_log(folder, "training")
    warm_start = logs[0].get("decisions", []) if logs[1] else []
    draw_scores(scores_panel, read_log(folder, "scores"), warm_start)
    for panel, (title, metrics) in zip(panels, PANELS.items(), strict=True):
        for log, metric in zip(logs, metrics, strict=True):
            if metric in log:
                panel.plot(millions(log["decisions"]), log[metric])
        mark_end_of(warm_start, panel)
        panel.set_title(title)
        panel.set_xlabel(DECISIONS_AXIS)


def draw_scores(panel: Axes, scores: dict[str, list[float]], warm_start: list[float]) -> None:
    """Points against each opponent, with the 95 % interval as a band."""
    decisions = millions(scores.get("decisions", []))
    for match in [name for name in scores if half_width_of(name) in scores]:
        points, half_widths = scores[match], scores[half_width_of(match)]
        panel.plot(decisions, points, label=f"against three {match}")
        low = [mean - half for mean, half in zip(points, half_widths, strict=True)]
        high = [mean + half for mean, half in zip(points, half_widths, strict=True)]
        panel.fill_between(decisions, low, high, alpha=BAND_OPACITY)
    panel.axhline(0.0, color="grey", linewidth=THIN)
    mark_end_of(warm_start, panel)
    panel.set_title("points a game")
    panel.set_xlabel(DECISIONS_AXIS)
    if panel.get_legend_handles_labels()[0]:
        panel.legend()


def mark_end_of(warm_start: list[float], panel: Axes) -> None:
    """A vertical line where self-play took over, if there was a warm start."""
    if warm_start:
        panel.axvline(warm_start[-1] / MILLION, color="grey", linestyle="--", linewidth=THIN, label="end of warm start")


@dataclass(frozen=True)
class Curve:
    """Points a game against three of a bot, after so many minutes of training."""

    against: str
    minutes: Sequence[float]
    points: Sequence[Estimate]


def draw_curves(curves: Iterable[Curve], end_of_warm_start: float, path: Path) -> None:
    """Draw points over training time, with the 95 % intervals as bars; 0 minutes: there was no warm start."""
    figure, panel = pyplot.subplots(figsize=CURVE_INCHES, layout="constrained")
    for curve in curves:
        means, half_widths = zip(*((points.mean, points.half_width) for points in curve.points), strict=True)
        panel.errorbar(curve.minutes, means, half_widths, label=f"against three {curve.against}", marker="o", capsize=3)
    panel.axhline(0.0, color="grey", linewidth=THIN)
    if end_of_warm_start:
        panel.axvline(end_of_warm_start, color="grey", linestyle="--", linewidth=THIN, label="end of warm start")
    panel.set(xlabel="minutes of training", ylabel="points a game")
    panel.legend()
    figure.savefig(path, dpi=DOTS_PER_INCH)
    pyplot.close(figure)


def millions(numbers: list[float]) -> list[float]:
    """For an axis that can be read."""
    return [number / MILLION for number in numbers]
