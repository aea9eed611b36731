"""A panel as tables for people: the matrix both ways, strength and ceilings, and points by contract."""

from __future__ import annotations

import math

from king_env.engine.contracts import NEGATIVE_NAMES
from king_env.evaluation.panel import (
    HEURISTIC,
    SETTLED,
    WEAKEST,
    YARDSTICK,
    Match,
    Panel,
    best_response_to,
    knows_replies,
)
from king_env.evaluation.reports import NOTHING, Table, estimate_text, markdown, print_tables
from king_env.evaluation.results import ENV_VERSION
from king_env.evaluation.statistics import INTERVAL_METHOD, Estimate

EPISODE_TEXTS = {"deal": "the ten deals of a game as single deals", "game": "whole games"}
HUNDRED = 100
NUM_OTHERS = 3
NO_POINTS = Estimate(0.0, 0.0, 1)  # what a bot makes against three of itself, which needs no games

NOTES = (
    f"Intervals: {INTERVAL_METHOD}. * settled early: its sign is sure, its mean may lie a little too far from 0.",
    "A ceiling sees all hands. Where the replies are known it is a best response as far as it looks ahead, so the true "
    f"ceiling is not lower; where they are taken for {HEURISTIC}'s it may be far higher.",
)


def panel_head(panel: Panel) -> str:
    """What was played, in a line that makes the figures reproducible."""
    plan = panel.plan
    rules = plan.ruleset.name or "house rules"
    head = f"{ENV_VERSION}, {rules}: panel on the panel's own deals, seed {plan.seed}, within {plan.within:g} points"
    left = len(panel.unfinished)
    return (
        head if not left else f"UNFINISHED: {left} of {len(panel.matches)} cells are not played to their end.\n{head}"
    )


def panel_tables(panel: Panel) -> list[Table]:
    """All tables of a panel."""
    tables: list[Table] = []
    for episode in panel.plan.episodes:
        tables += [one_against_three(panel, episode), three_against_one(panel, episode)]
        tables += [strength_table(panel, episode), ceilings_table(panel, episode), shares_table(panel, episode)]
    if "deal" in panel.plan.episodes:
        tables += [contracts_table(panel, trio) for trio in panel.plan.bots]
    return tables


def one_against_three(panel: Panel, episode: str) -> Table:
    """Points a game of the bot of the row, alone against three of the bot of the column."""
    bots = panel.plan.bots
    rows = [(lone, *(_points_text(panel, lone, trio, episode) for trio in bots)) for lone in bots]
    title = f"One against three: points a game of the row's bot alone ({EPISODE_TEXTS[episode]})"
    return Table(title, ("alone \\ three of", *bots), tuple(rows))


def three_against_one(panel: Panel, episode: str) -> Table:
    """Points a game of each of three of the row's bot, against one of the column's: a third of what that one loses."""
    bots = panel.plan.bots
    rows = [
        (trio, *(_points_text(panel, lone, trio, episode, share=-1 / NUM_OTHERS) for lone in bots)) for trio in bots
    ]
    title = f"Three against one: points a game of each of the row's three bots ({EPISODE_TEXTS[episode]})"
    return Table(title, ("three \\ one of", *bots), tuple(rows))


def strength_table(panel: Panel, episode: str) -> Table:
    """Each bot alone against three heuristic, on the scale from random to cheating-search."""
    low, high = (_points(panel, bot, HEURISTIC, episode) for bot in (WEAKEST, YARDSTICK))
    rows = []
    for bot in dict.fromkeys([*panel.plan.bots, YARDSTICK, best_response_to(HEURISTIC)]):
        strength = share_of_way(_points(panel, bot, HEURISTIC, episode), low, high)
        rows.append((bot, _points_text(panel, bot, HEURISTIC, episode), _percent_text(strength)))
    title = f"Strength: alone against three {HEURISTIC} ({EPISODE_TEXTS[episode]})"
    return Table(title, ("bot", "points a game", f"{WEAKEST} 0, {YARDSTICK} 100"), tuple(rows))


def shares_table(panel: Panel, episode: str) -> Table:
    """How far each bot has come from what heuristic makes in a field to that field's ceiling, in hundredths."""
    fields = panel.plan.bots
    lows = [_points(panel, HEURISTIC, trio, episode) for trio in fields]
    highs = [_points(panel, best_response_to(trio), trio, episode) for trio in fields]
    rows = []
    for lone in fields:
        made = [_points(panel, lone, trio, episode) for trio in fields]
        shares = [share_of_way(*ends) for ends in zip(made, lows, highs, strict=True)]
        rows.append((lone, *(_percent_text(share) for share in shares)))
    title = f"% of the way from {HEURISTIC} to the ceiling of the field ({EPISODE_TEXTS[episode]})"
    return Table(title, ("alone \\ three of", *fields), tuple(rows))


def ceilings_table(panel: Panel, episode: str) -> Table:
    """What a bot that sees all hands makes alone against three of each."""
    rows = []
    for trio in panel.plan.bots:
        ceiling = best_response_to(trio)
        known = "known" if knows_replies(trio) else f"taken for {HEURISTIC}'s: a lower bound"
        rows.append((trio, ceiling, known, _points_text(panel, ceiling, trio, episode)))
    title = f"Ceiling of each field ({EPISODE_TEXTS[episode]})"
    return Table(
        title, ("three of", "best response", "their replies", "points a game"), tuple(rows), num_text_columns=3
    )


def contracts_table(panel: Panel, trio: str) -> Table:
    """Points a deal of each contract, alone against three of one bot; a column a bot."""
    lones = list(dict.fromkeys([*panel.plan.bots, best_response_to(trio)]))
    columns = [(name.replace("_", " "), name) for name in NEGATIVE_NAMES]
    columns += [("positive", "positive"), ("… up", "up"), ("… down", "down")]
    rows = [(title, *(_points_text(panel, lone, trio, "deal", column) for lone in lones)) for title, column in columns]
    return Table(f"Points a deal, alone against three {trio}", ("", *lones), tuple(rows))


def share_of_way(points: Estimate, low: Estimate, high: Estimate) -> Estimate:
    """How far from low to high points lie, in hundredths of the way; those of different bots are measured apart."""
    if points in (low, high):
        return Estimate(0.0 if points == low else float(HUNDRED), 0.0, points.count)
    way = high.mean - low.mean
    if not abs(way) > math.hypot(low.half_width, high.half_width):  # nor if there is no telling which lies higher
        return Estimate(math.nan, math.nan, 0)
    share = (points.mean - low.mean) / way
    half_widths = (points.half_width, (1 - share) * low.half_width, share * high.half_width)
    return Estimate(HUNDRED * share, HUNDRED * math.hypot(*half_widths) / abs(way), points.count)


def ending_text(panel: Panel, match: Match) -> str:
    """What a match has come to, and why it ended."""
    cell = panel.cell(match.lone, match.trio, match.episode)
    points = estimate_text(cell.points())
    return f"{match.text}: {points} points a game, {cell.num_blocks} blocks ({cell.why_ended(panel.plan)})"


def panel_markdown(panel: Panel) -> str:
    """The whole panel as Markdown."""
    return "\n\n".join([panel_head(panel), *(markdown(table) for table in panel_tables(panel)), *NOTES])


def print_panel(panel: Panel) -> None:
    """Print the panel on the terminal."""
    print_tables(panel_head(panel), panel_tables(panel), NOTES)


def _points(panel: Panel, lone: str, trio: str, episode: str) -> Estimate:
    return NO_POINTS if lone == trio else panel.cell(lone, trio, episode).points()


def _points_text(panel: Panel, lone: str, trio: str, episode: str, column: str = "game", share: float = 1.0) -> str:
    if lone == trio:
        return "0"
    cell = panel.cell(lone, trio, episode)
    points = cell.points(column)
    if points.count == 0:
        return NOTHING
    mark = "*" if cell.why_ended(panel.plan) == SETTLED else ""
    return estimate_text(Estimate(share * points.mean, abs(share) * points.half_width, points.count)) + mark


def _percent_text(share: Estimate) -> str:
    return NOTHING if share.count == 0 else f"{share.mean:.0f} ± {share.half_width:.0f}"
