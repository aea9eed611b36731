"""A match or a panel as one HTML file that needs nothing else: no network, no scripts."""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import jinja2
from markupsafe import Markup, escape

from king_env.evaluation import MatchResult
from king_env.evaluation.panel import Panel
from king_env.evaluation.panel_reports import EPISODE_TEXTS, NOTES, panel_head, panel_tables
from king_env.evaluation.reports import headline, market_table, points_table, speed_table
from king_env.web.page import static_text
from scripts.reporting.heat_maps import calls_table, hands_map, panel_map, situations_met
from scripts.reporting.plots import curves_svg, strength_svg

FOLDER = Path(__file__).parent
CHECKPOINT_ENDING = ".pt"
LOGS = ("scores.csv", "training.csv")


def match_page(result: MatchResult, command: Sequence[str]) -> str:
    """The report of a match; command: what played it. The match must have tallied the calls."""
    tally = result.calls
    assert tally is not None, "a match that is reported tallies the calls"
    situations = [
        {
            "title": title,
            "table": calls_table(tally, situation, result.labels),
            "maps": [hands_map(tally, situation, kind, label) for kind, label in enumerate(result.labels)],
        }
        for situation, title in situations_met(tally)
    ]
    return _page(
        "match.html",
        title=" · ".join(result.labels),
        head=headline(result).splitlines(),
        command=command,
        labels=result.labels,
        strength=strength_svg(result),
        points=points_table(result),
        market=market_table(result),
        speed=speed_table(result),
        faults=[str(fault) for fault in result.faults],
        situations=situations,
        runs=[
            {"label": entrant.label, "folder": folder.as_posix(), "svg": curves_svg(f"curves-{kind}", folder)}
            for kind, entrant in enumerate(result.entrants)
            if (folder := run_folder_of(entrant.choice)) is not None
        ],
    )


def panel_page(panel: Panel, command: Sequence[str]) -> str:
    """The report of a panel."""
    return _page(
        "panel.html",
        title="Panel",
        head=panel_head(panel).splitlines(),
        command=command,
        maps=[(EPISODE_TEXTS[episode], panel_map(panel, episode)) for episode in panel.plan.episodes],
        tables=panel_tables(panel),
        notes=NOTES,
    )


def run_folder_of(choice: str) -> Path | None:
    """The folder of the run that a checkpoint is of, if the run's logs lie there; snapshots lie a folder deeper."""
    if not choice.endswith(CHECKPOINT_ENDING):
        return None
    for folder in list(Path(choice).absolute().parents)[:2]:
        if any((folder / log).exists() for log in LOGS):
            return folder
    return None


def breakable(name: str) -> Markup:
    """A name that may be a long path, which may be broken after a slash and its like where it is a cell's."""
    return Markup(re.sub(r"(?<=[/:,=])", "<wbr>", str(escape(name))))


def _page(template: str, command: Sequence[str], **values: Any) -> str:
    # Names of bots may be paths or anything else: all text is escaped, save the drawings and the style sheets.
    loader = jinja2.FileSystemLoader(FOLDER)
    templates = jinja2.Environment(
        loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True, lstrip_blocks=True
    )
    templates.filters["breakable"] = breakable
    styles = static_text("page.css") + (FOLDER / "report.css").read_text("utf-8")
    return templates.get_template(template).render(styles=styles, command=shlex.join(command), **values)
