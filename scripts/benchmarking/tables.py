"""The figures in tables: ours by the number of games, ours beside others', how cost grows, and all the rest."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from scripts.benchmarking.comparisons import OURS_FOR, Comparison, comparisons
from scripts.benchmarking.measuring import (
    BYTES,
    DECISIONS_PER_SECOND,
    DRAWS_PER_SECOND,
    SECONDS,
    SHARE,
    STEPS_PER_SECOND,
    TIMES,
    Figure,
)

MILLION = 1e6
GROWTH_BY_GAMES, GROWTH_BY_DEALS = "growth/games/", "growth/deals/"
PREFIXES = ((1e6, " M"), (1e3, " k"), (1.0, ""))
PARTS_OF_A_SECOND = ((1.0, " s"), (1e-3, " ms"), (1e-6, " µs"), (1e-9, " ns"))


@dataclass(frozen=True)
class Column:
    """The head of a column, and whether it holds numbers, which stand to the right."""

    head: str
    holds_numbers: bool = False


@dataclass(frozen=True)
class Table:
    """Texts in rows."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]


def tables(figures: Mapping[str, Figure]) -> list[Table]:
    """All tables that have something in them."""
    made = (ours_table, peers_table, rest_table, games_table, deals_table)
    return [table for table in (make(figures) for make in made) if table.rows]


def ours_table(figures: Mapping[str, Figure]) -> Table:
    return Table(
        "King",
        (Column("what"), Column("games", True), Column("M steps/s", True)),
        tuple(
            (figure.what, "1" if figure.size is None else f"{figure.size:,}", three_digits(figure.median / MILLION))
            for figure in figures.values()
            if is_ours(figure) and figure.unit == STEPS_PER_SECOND
        ),
    )


def peers_table(figures: Mapping[str, Figure]) -> Table:
    paired = {pair.peer.key: pair for pair in comparisons(figures)}
    return Table(
        "King beside others, per second",
        (
            Column("other"),
            Column("theirs", True),
            Column("King, on the work most like it"),
            Column("ours", True),
            Column("ratio", True),
        ),
        tuple(peer_row(figures[peer], paired.get(peer)) for peer in OURS_FOR if peer in figures),
    )


def peer_row(peer: Figure, pair: Comparison | None) -> tuple[str, ...]:
    """A peer, beside ours if that was measured, too."""
    theirs = (peer.what, with_prefix(peer.median))
    if pair is None:
        return (*theirs, "not measured", "", "")
    return (*theirs, pair.ours.what, with_prefix(pair.ours.median), f"{three_digits(pair.ratio)}×")


def rest_table(figures: Mapping[str, Figure]) -> Table:
    return Table(
        "Hidden cards, memory, start-up, threads, training",
        (Column("what"), Column("", True)),
        tuple(
            (figure.what, with_unit(figure.median, figure.unit))
            for figure in figures.values()
            if is_ours(figure) and figure.unit != STEPS_PER_SECOND
        ),
    )


def games_table(figures: Mapping[str, Figure]) -> Table:
    return Table(
        "How speed grows with the games side by side (step, observation and mask)",
        (Column("games", True), Column("M steps/s", True)),
        tuple(
            (f"{figure.size:,}", three_digits(figure.median / MILLION)) for figure in grown(figures, GROWTH_BY_GAMES)
        ),
    )


def deals_table(figures: Mapping[str, Figure]) -> Table:
    return Table(
        "How time grows with the random deals that one call plays",
        (Column("deals", True), Column("a call", True), Column("a deal", True)),
        tuple(
            (f"{figure.size:,}", seconds_text(figure.median), seconds_text(figure.median / (figure.size or 1)))
            for figure in grown(figures, GROWTH_BY_DEALS)
        ),
    )


def is_ours(figure: Figure) -> bool:
    """Whether it says how King does as such, and is neither a peer's nor a point of a curve."""
    return figure.key not in OURS_FOR and not figure.key.startswith((GROWTH_BY_GAMES, GROWTH_BY_DEALS))


def grown(figures: Mapping[str, Figure], prefix: str) -> list[Figure]:
    """The points of a curve."""
    return [figure for key, figure in figures.items() if key.startswith(prefix)]


def three_digits(number: float) -> str:
    """Rounded to three digits, none of them in an exponent."""
    if abs(number) >= 100:
        return f"{number:,.0f}"
    return f"{number:#.3g}".rstrip(".")


def with_prefix(rate: float) -> str:
    """A number a second, in thousands or millions where it is large."""
    return scaled(rate, PREFIXES)


def seconds_text(seconds: float) -> str:
    """In the largest part of a second that gives at least one."""
    return scaled(seconds, PARTS_OF_A_SECOND)


def scaled(number: float, scales: tuple[tuple[float, str], ...]) -> str:
    """A number on the first of the scales, largest first, that makes it one or more, or else on the last."""
    size, name = next((scale for scale in scales if number >= scale[0]), scales[-1])
    return f"{three_digits(number / size)}{name}"


def with_unit(number: float, unit: str) -> str:
    """A figure by itself."""
    texts: dict[str, Callable[[float], str]] = {
        SECONDS: seconds_text,
        BYTES: lambda bytes_held: f"{bytes_held:,.0f} bytes",
        TIMES: lambda times: f"{times:.2f}×",
        SHARE: lambda share: f"{share:.1f} %",
        DECISIONS_PER_SECOND: lambda rate: f"{with_prefix(rate)} decisions/s",
        DRAWS_PER_SECOND: lambda rate: f"{with_prefix(rate)} a second",
    }
    return texts[unit](number)
