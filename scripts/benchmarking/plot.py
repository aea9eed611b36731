"""How cost grows, drawn: speed by the games side by side, and time by the deals of one call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import matplotlib

matplotlib.use("Agg")

from matplotlib.axes import Axes
from matplotlib.figure import Figure as Page
from matplotlib.ticker import EngFormatter, FuncFormatter

from scripts.benchmarking.measuring import Figure
from scripts.benchmarking.tables import GROWTH_BY_DEALS, GROWTH_BY_GAMES, grown, seconds_text

PANEL_INCHES = (5.0, 3.8)
DOTS_AN_INCH = 150
BLUE, GREY = "#1f5fa8", "#8a8a8a"
ROOM_ABOVE = 1.25


def draw_growth(figures: Mapping[str, Figure], path: Path) -> None:
    """The curves that were measured, into a PNG; without any there is no file."""
    curves = ((draw_games, grown(figures, GROWTH_BY_GAMES)), (draw_deals, grown(figures, GROWTH_BY_DEALS)))
    measured = [(draw, points) for draw, points in curves if points]
    if not measured:
        return
    page = Page(figsize=(PANEL_INCHES[0] * len(measured), PANEL_INCHES[1]), layout="constrained")
    (panels,) = page.subplots(1, len(measured), squeeze=False)
    for axes, (draw, points) in zip(panels, measured, strict=True):
        draw(axes, points)
    page.savefig(path, dpi=DOTS_AN_INCH, format="png")


def draw_games(axes: Axes, points: Sequence[Figure]) -> None:
    """Speed: it rises until calling from Python costs nothing any more."""
    prepare(axes, "Step, observation and mask, one call a ply", "games side by side", "steps/s")
    draw_curve(axes, points)
    axes.set_ylim(0, ROOM_ABOVE * max(max(point.samples) for point in points))
    axes.yaxis.set_major_formatter(EngFormatter())


def draw_deals(axes: Axes, points: Sequence[Figure]) -> None:
    """Time: a straight line, for every deal costs the same."""
    prepare(axes, "Random deals in one call", "deals", "CPU time of the call")
    sizes = [point.size or 1 for point in points]
    a_deal = points[-1].median / sizes[-1]
    axes.set_yscale("log")
    axes.plot(sizes, [a_deal * size for size in sizes], color=GREY, linewidth=1, linestyle="--")
    axes.annotate(
        f"{seconds_text(a_deal)} a deal",
        (sizes[len(sizes) // 2], a_deal * sizes[len(sizes) // 2]),
        xytext=(12, -14),
        textcoords="offset points",
        color=GREY,
    )
    draw_curve(axes, points)
    axes.yaxis.set_major_formatter(EngFormatter("s"))
    axes.minorticks_off()


def prepare(axes: Axes, title: str, x_label: str, y_label: str) -> None:
    """What both have in common."""
    axes.set_title(title, loc="left", fontsize=11)
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    axes.set_xscale("log", base=4)
    axes.xaxis.set_major_formatter(FuncFormatter(lambda size, _: f"{size:,.0f}"))
    axes.tick_params(axis="x", labelsize=8)
    axes.minorticks_off()
    axes.grid(color="#e4e4e4", linewidth=0.8)
    axes.set_axisbelow(True)
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)


def draw_curve(axes: Axes, points: Sequence[Figure]) -> None:
    """The medians, with the lowest and highest sample of each."""
    medians = [point.median for point in points]
    below = [point.median - min(point.samples) for point in points]
    above = [max(point.samples) - point.median for point in points]
    sizes = [point.size or 1 for point in points]
    axes.errorbar(sizes, medians, yerr=(below, above), color=BLUE, marker="o", markersize=4, linewidth=1.6, capsize=2)
