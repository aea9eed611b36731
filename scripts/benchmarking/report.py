"""What was measured, for people and for programs."""

from __future__ import annotations

import dataclasses
import shlex
import statistics
from collections.abc import Sequence
from typing import Any

import rich.table
from rich.console import Console

from scripts.benchmarking.comparisons import comparisons
from scripts.benchmarking.machine import PEER_PACKAGES, machine, versions
from scripts.benchmarking.measurements import Results
from scripts.benchmarking.measuring import SECONDS_A_SAMPLE
from scripts.benchmarking.tables import Column, Table, tables

WIDTH = 150  # of tables that are written into a file instead of a terminal


def print_report(results: Results, repeats: int, command: Sequence[str]) -> None:
    """The tables on a terminal."""
    console = Console()
    if not console.is_terminal:
        console = Console(width=WIDTH)
    for line in heading(repeats, command):
        console.print(line, highlight=False, markup=False)
    for table in tables(results.figures):
        console.print(f"\n{table.title}:", highlight=False, markup=False)
        console.print(rich_table(table))
    for line in remarks(results):
        console.print(line, highlight=False, markup=False)


def rich_table(table: Table) -> rich.table.Table:
    """A table as the terminal draws it."""
    drawn = rich.table.Table()
    for column in table.columns:
        drawn.add_column(column.head, justify="right" if column.holds_numbers else "left", no_wrap=column.holds_numbers)
    for row in table.rows:
        drawn.add_row(*(cell.replace("`", "") for cell in row))
    return drawn


def report_markdown(results: Results, repeats: int, command: Sequence[str]) -> str:
    """The same for a page."""
    pieces = [
        " ".join(heading(repeats, command)[:-1]),
        f"```sh\n{heading(repeats, command)[-1]}\n```",
        *(f"{table.title}:\n\n{markdown_table(table)}" for table in tables(results.figures)),
        "\n".join(f"- {line}" for line in remarks(results)),
    ]
    return "\n\n".join(pieces)


def markdown_table(table: Table) -> str:
    """A table in Markdown."""
    rule = [markdown_rule(column) for column in table.columns]
    rows = ([column.head for column in table.columns], rule, *table.rows)
    return "\n".join(f"| {' | '.join(row)} |" for row in rows)


def markdown_rule(column: Column) -> str:
    return "---:" if column.holds_numbers else "---"


def heading(repeats: int, command: Sequence[str]) -> list[str]:
    """What it was measured on, how, and with which command."""
    here, installed = machine(), versions()
    peers = ", ".join(f"{package} {installed[package]}" for package in PEER_PACKAGES if installed[package])
    return [
        f"{here['processor']}, one of {here['cores']} cores; {here['system']}, Python {here['python']}, "
        f"numba {installed['numba']}, numpy {installed['numpy']}.",
        f"Beside {peers}." if peers else "No peers are installed.",
        f"By CPU time, the median of {repeats} rounds, each thing in a process of its own.",
        shlex.join(["python", *command]),
    ]


def remarks(results: Results) -> list[str]:
    """What the tables do not hold: what is missing from them, and why, and how far they can be relied on."""
    lines = [f"Not measured: {name}: {reason}" for name, reason in results.not_measured.items()]
    lines += [f"Failed: {name}: {error.strip().splitlines()[-1]}" for name, error in results.errors.items()]
    spreads = {figure.key: figure.spread for figure in results.figures.values()}
    if spreads:
        widest = max(spreads, key=spreads.__getitem__)
        lines.append(
            f"The samples of a figure differ by {statistics.median(spreads.values()):.0%} of its median, typically; "
            f"by {spreads[widest]:.0%} at most ({widest})."
        )
    if results.is_interrupted:
        lines.append("Interrupted: what was to come is missing.")
    return lines


def report_json(results: Results, repeats: int, command: Sequence[str]) -> dict[str, Any]:
    """All that is known, every sample included."""
    return {
        "command": list(command),
        "machine": machine(),
        "versions": versions(),
        "repeats": repeats,
        "seconds_a_sample": SECONDS_A_SAMPLE,
        "figures": [{**dataclasses.asdict(figure), "median": figure.median} for figure in results.figures.values()],
        "comparisons": [
            {"peer": pair.peer.key, "ours": pair.ours.key, "ratio": pair.ratio} for pair in comparisons(results.figures)
        ],
        "not_measured": results.not_measured,
        "failed": results.errors,
        "interrupted": results.is_interrupted,
    }
