"""What a report draws: strength by contract, and how a policy learned, as SVG that takes its colours from the page."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import matplotlib

matplotlib.use("Agg")

from cycler import cycler
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from king_env.engine.contracts import CONTRACT_NAMES, NEGATIVE_NAMES, TOTAL_POINTS, UP
from king_env.engine.seats import NUM_SEATS
from king_env.evaluation import MatchResult

# A page is light or dark as its reader likes, so what is drawn in these colours becomes the page's own.
INK, QUIET, LINE = "#010101", "#020202", "#030303"
BOTS = ("#040401", "#040402", "#040403", "#040404")
COLOURS = {INK: "var(--ink)", QUIET: "var(--quiet)", LINE: "var(--line)"}
COLOURS |= {colour: f"var(--bot-{number})" for number, colour in enumerate(BOTS)}
MARKERS = ("o", "s", "^", "D")  # bots differ by shape too; the page's legend has the same

# Narrow enough for a phone, whose reader need not zoom in.
WIDTH = 4.4
STYLE: dict[Any, Any] = {
    "axes.edgecolor": LINE,
    "axes.facecolor": "none",
    "axes.grid": True,
    "axes.grid.axis": "x",
    "axes.axisbelow": True,
    "axes.labelcolor": QUIET,
    "axes.prop_cycle": cycler(color=BOTS),
    "axes.titlelocation": "left",
    "axes.titlesize": 10,
    "axes.spines.top": False,
    "axes.spines.right": False,
    "font.size": 9,
    "grid.color": LINE,
    "grid.linewidth": 0.6,
    "legend.edgecolor": "none",
    "legend.facecolor": "none",
    "legend.fontsize": 8,
    "lines.linewidth": 1.4,
    "svg.fonttype": "none",
    "svg.hashsalt": "king",
    "text.color": INK,
    "xtick.color": QUIET,
    "ytick.color": QUIET,
    "ytick.labelcolor": INK,
}

GAME_INCHES, INCHES_A_CONTRACT, INCHES_A_BOT = 0.75, 0.16, 0.13
SPREAD = 0.6  # of a row, that its bots share
CURVES_INCHES = (WIDTH, 8.8)
ROOM = 1.12  # beside the farthest whisker

FAIR_NEGATIVES = {name: TOTAL_POINTS[number] / NUM_SEATS for number, name in enumerate(NEGATIVE_NAMES)}
# Up, down or skipped, the four scores of a positive deal add up to the same.
FAIR = FAIR_NEGATIVES | {"positive": TOTAL_POINTS[UP] / NUM_SEATS}
assert TOTAL_POINTS[UP] == TOTAL_POINTS[CONTRACT_NAMES.index("down")]


def strength_svg(result: MatchResult) -> str:
    """Dots and whiskers: what each bot makes beyond a fair quarter, in whole games and in deals of each contract."""
    return svg_of("strength", lambda: _draw_strength(result))


def curves_svg(name: str, folder: Path) -> str:
    """The learning curves of a run, one under the other; name: unlike those of other drawings of the page."""
    from baselines.ppo.learning_curves import draw_panels  # needs torch, as whoever has a run has

    def draw() -> Figure:
        figure = Figure(figsize=CURVES_INCHES, layout="constrained")
        draw_panels(figure.subplots(4, 1).flat, folder)
        return figure

    return svg_of(name, draw)


def svg_of(name: str, draw: Callable[[], Figure]) -> str:
    """A drawing as an element of the page, as wide as there is room."""
    with matplotlib.rc_context(STYLE):
        file = io.StringIO()
        draw().savefig(file, format="svg", transparent=True, metadata={"Date": None, "Creator": None})
    text = file.getvalue()
    text = re.sub(r"<metadata>.*?</metadata>", "", text[text.index("<svg") :], flags=re.DOTALL)
    text = re.sub(r'(<svg[^>]*?) width="[^"]*"', r"\1", re.sub(r'(<svg[^>]*?) height="[^"]*"', r"\1", text, count=1))
    text = re.sub(r'( id="|url\(#|href="#)', rf"\g<1>{name}-", text)
    return re.sub("|".join(COLOURS), lambda colour: COLOURS[colour[0]], text)


def _draw_strength(result: MatchResult) -> Figure:
    contracts = [name for name in FAIR if any(result.points(label, name).count for label in result.labels)]
    rows = len(contracts) * (INCHES_A_CONTRACT + INCHES_A_BOT * len(result.labels))
    figure = Figure(figsize=(WIDTH, 2 * GAME_INCHES + rows), layout="constrained")
    of_games, of_deals = figure.subplots(2, 1, height_ratios=(GAME_INCHES, rows))
    _draw_rows(of_games, result, {"game": 0.0})
    of_games.set_title("points a game")
    _draw_rows(of_deals, result, {name: FAIR[name] for name in contracts})
    of_deals.set_title("points a deal beyond a fair quarter")
    return figure


def _draw_rows(axes: Axes, result: MatchResult, fair: dict[str, float]) -> None:
    """A row for each of these columns; fair: what the seats would make there on average."""
    axes.axvline(0.0, color=QUIET, linewidth=0.9)
    farthest = 1.0
    for kind, label in enumerate(result.labels):
        offset = SPREAD * ((kind + 0.5) / len(result.labels) - 0.5)
        for row, (column, quarter) in enumerate(fair.items()):
            points = result.points(label, column)
            if not points.count:
                continue
            half_width = 0.0 if math.isnan(points.half_width) else points.half_width
            beyond = points.mean - quarter
            axes.errorbar(
                beyond,
                row + offset,
                xerr=half_width,
                color=BOTS[kind],
                marker=MARKERS[kind],
                markersize=4.5,
                capsize=2.5,
                linewidth=1.2,
            )
            farthest = max(farthest, abs(beyond) + half_width)
    axes.set_xlim(-ROOM * farthest, ROOM * farthest)
    axes.set_ylim(len(fair) - 0.5, -0.5)
    names = ["whole game" if column == "game" else column.replace("_", " ") for column in fair]
    axes.set_yticks(range(len(fair)), names)
    axes.tick_params(axis="y", length=0)
