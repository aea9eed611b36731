"""The result of a match as tables for people: on a terminal, and as Markdown."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from king_env.engine.contracts import NEGATIVE_NAMES
from king_env.evaluation.results import ENV_VERSION, Market, MatchResult
from king_env.evaluation.statistics import INTERVAL_METHOD, Estimate
from king_env.evaluation.tallies import FATES, PURCHASES

try:
    import rich.box
    import rich.console
    import rich.table
    import rich.text

    HAS_RICH = True
except ImportError:  # fine tables come with the extra `evaluate`
    HAS_RICH = False

MICROSECOND, MILLISECOND = 1e3, 1e6  # in nanoseconds
NOTHING = "–"
# What a block is, by the episode that is played.
DEALS_OF_BLOCKS = {"game": "games of ten deals", "deal": "single deals, one of each contract"}


@dataclass(frozen=True)
class Table:
    """A table of texts; the first `num_text_columns` are words, the others numbers."""

    title: str
    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    num_text_columns: int = 1


def blocks_text(num_blocks: int, episode: str) -> str:
    """So many blocks, and of what."""
    return f"{num_blocks:,} blocks ({DEALS_OF_BLOCKS[episode]})"


def report_tables(result: MatchResult) -> list[Table]:
    """The tables that report a match: points, how positive deals went, speed and faults."""
    return [points_table(result), market_table(result), speed_table(result)]


def headline(result: MatchResult) -> str:
    """What was played, in a line or two that make the figures reproducible."""
    rules = result.ruleset.name or "house rules"
    seatings = len(result.seatings)
    line = (
        f"{ENV_VERSION}, {rules}: {blocks_text(result.num_blocks, result.episode)}, each in {seatings} "
        f"seating{'' if seatings == 1 else 's'}; seed {result.seed}; {result.wall_seconds:.1f} s"
    )
    if result.is_complete:
        return line
    return f"STOPPED EARLY: {result.num_blocks:,} of {result.num_blocks_asked:,} blocks were played.\n{line}"


def points_table(result: MatchResult) -> Table:
    """Mean points per game and per deal of each contract, with intervals; a column a bot."""
    rows = [("whole game", "game")]
    rows += [(name.replace("_", " "), name) for name in NEGATIVE_NAMES]
    rows += [("positive", "positive"), ("… up", "up"), ("… down", "down"), ("… skipped", "skipped")]
    return Table(
        f"Points per game and per deal ({INTERVAL_METHOD})",
        ("", *result.labels),
        tuple((title, *_estimates(result, column)) for title, column in rows),
    )


def market_table(result: MatchResult) -> Table:
    """How positive deals went: for each bot those that it owned, and those that it bought."""
    rows: list[tuple[str, ...]] = []
    for label in result.labels:
        owned = {fate: result.as_owner(label, fate) for fate in FATES}
        bought = {f"bought {purchase}": result.as_buyer(label, purchase) for purchase in PURCHASES}
        num_owned = sum(market.count for market in owned.values())
        rows += [_market_row(label, fate, market, num_owned) for fate, market in owned.items() if market.count]
        rows += [_market_row(label, name, market, num_owned) for name, market in bought.items() if market.count]
    return Table(
        "Positive deals by owner, and by buyer (counts also per 100 deals owned; mean points, bid and price paid)",
        ("bot", "deal", "count", "%", "points", "bid", "price"),
        tuple(rows),
        num_text_columns=2,
    )


def speed_table(result: MatchResult) -> Table:
    """How often each bot had a choice, how long it took, and how often it was at fault."""
    rows = []
    for kind, entrant in enumerate(result.entrants):
        speed = duration_text(result.ns_per_decision(entrant.label))
        decisions, faults = f"{result.decisions[kind]:,}", f"{result.num_faults[kind]:,}"
        rows.append((entrant.label, str(entrant.version), decisions, speed, faults))
    return Table(
        "Decisions (compiled bots: processor time, rules included)",
        ("bot", "version", "decisions", "time a decision", "faults"),
        tuple(rows),
        num_text_columns=2,
    )


def _estimates(result: MatchResult, column: str) -> list[str]:
    return [estimate_text(result.points(label, column)) for label in result.labels]


def _market_row(label: str, deal: str, market: Market, num_owned: int) -> tuple[str, ...]:
    share = f"{100 * market.count / num_owned:.1f}" if num_owned else NOTHING
    is_sale = market.bid_points > 0
    return (
        label,
        deal,
        f"{market.count:,}",
        share,
        points_text(market.points),
        f"{market.bid_points:.1f}" if is_sale else NOTHING,
        f"{market.price:.1f}" if is_sale else NOTHING,
    )


def points_text(points: float) -> str:
    """Points with their sign, to a tenth: `+12.3`, `−4.0`."""
    if math.isnan(points):
        return NOTHING
    text = f"{points:+.1f}"
    return "0.0" if text in ("+0.0", "-0.0") else text.replace("-", "−")


def estimate_text(estimate: Estimate) -> str:
    """A mean with its interval: `+12.3 ± 4.5`."""
    if estimate.count == 0:
        return NOTHING
    half_width = "?" if math.isnan(estimate.half_width) else f"{estimate.half_width:.1f}"
    return f"{points_text(estimate.mean)} ± {half_width}"


def duration_text(nanoseconds: float) -> str:
    """A duration in the unit that suits it."""
    if math.isnan(nanoseconds):
        return NOTHING
    if nanoseconds < MICROSECOND:
        return f"{nanoseconds:.0f} ns"
    if nanoseconds < MILLISECOND:
        return f"{nanoseconds / MICROSECOND:.1f} µs"
    return f"{nanoseconds / MILLISECOND:.2f} ms"


def markdown(table: Table) -> str:
    """A table as Markdown, its title above it."""
    rules = ["---" if column < table.num_text_columns else "---:" for column in range(len(table.header))]
    lines = [_markdown_row(table.header), _markdown_row(rules), *(_markdown_row(row) for row in table.rows)]
    return f"**{table.title}**\n\n" + "\n".join(lines)


def _markdown_row(cells: tuple[str, ...] | list[str]) -> str:
    return "| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |"


def plain_text(table: Table) -> str:
    """A table in columns of letters, which any terminal shows."""
    lines = [table.header, *table.rows]
    widths = [max(len(line[column]) for line in lines) for column in range(len(table.header))]
    return "\n".join([table.title, *(_plain_row(line, widths, table.num_text_columns) for line in lines)])


def _plain_row(cells: tuple[str, ...], widths: list[int], num_text_columns: int) -> str:
    words = [f"{cell:<{width}}" for cell, width in zip(cells, widths, strict=True)][:num_text_columns]
    numbers = [f"{cell:>{width}}" for cell, width in zip(cells, widths, strict=True)][num_text_columns:]
    return "  ".join([*words, *numbers]).rstrip()


def report_markdown(result: MatchResult) -> str:
    """The whole report as Markdown."""
    faults = [f"```text\n{fault}\n```" for fault in _faults(result)]
    return "\n\n".join([headline(result), *(markdown(table) for table in report_tables(result)), *faults])


def report_text(result: MatchResult) -> str:
    """The whole report as plain text."""
    return "\n\n".join([headline(result), *(plain_text(table) for table in report_tables(result)), *_faults(result)])


def print_report(result: MatchResult) -> None:
    """Print the report on the terminal, with rich's tables if it is installed."""
    print_tables(headline(result), report_tables(result), _faults(result))


def print_tables(head: str, tables: Sequence[Table], notes: Sequence[str]) -> None:
    """Print a head, tables and notes on the terminal, with rich's tables if it is installed."""
    if not HAS_RICH:
        print("\n\n".join([head, *(plain_text(table) for table in tables), *notes]))
        return
    console = rich.console.Console()
    console.print(head, highlight=False, markup=False)
    for table in tables:
        console.print()
        console.print(table.title, style="bold", highlight=False, markup=False)
        console.print(_rich_table(table))
    for note in notes:
        console.print(note, highlight=False, markup=False)


def _faults(result: MatchResult) -> list[str]:
    return [f"FAULT: {fault}" for fault in result.faults]


def _rich_table(table: Table) -> rich.table.Table:
    drawn = rich.table.Table(box=rich.box.SIMPLE_HEAD)
    for column, name in enumerate(table.header):
        is_words = column < table.num_text_columns
        drawn.add_column(
            rich.text.Text(name), justify="left" if is_words else "right", no_wrap=not is_words, overflow="fold"
        )
    for row in table.rows:
        drawn.add_row(*(rich.text.Text(cell) for cell in row))
    return drawn
