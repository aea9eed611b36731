"""What a bot loses at the auction as tables for people: on a terminal, and as Markdown."""

from __future__ import annotations

import math

from king_env.evaluation.auction import INTERVAL, AuctionResult
from king_env.evaluation.reports import NOTHING, Table, markdown, print_tables
from king_env.evaluation.results import ENV_VERSION
from king_env.evaluation.statistics import Estimate
from king_env.notation import action_text

# What is decided in each situation, in a player's words.
DECISION_TEXTS = {
    "opening": "opening",
    "ultimatum": "eight or nulls",
    "bidding": "bid or pass",
    "deciding": "sale",
    "declaring": "declaration",
}
EXCHANGES_SHOWN = 10

NOTES = (
    "Each call by itself: what is said before and afterwards stays the bot's, and the field is four of it. A loss is "
    "measured in worlds that the search has not seen, so it may come out below 0 where the search was misled; `as "
    "dealt`, in the true deals alone, says the same less exactly.",
)


def auction_head(result: AuctionResult) -> str:
    """What was measured, in a line or two that make the figures reproducible."""
    rules = result.ruleset.name or "house rules"
    line = (
        f"{ENV_VERSION}, {rules}: {result.entrant.label} in {result.num_deals:,} positive deals; each call searched in "
        f"{result.worlds:,} worlds, played out by {result.playouts.label}; seed {result.seed}; "
        f"{result.wall_seconds:.1f} s"
    )
    if result.is_complete:
        return line
    return f"STOPPED EARLY: {result.num_deals:,} of {result.num_deals_asked:,} deals were measured.\n{line}"


def auction_tables(result: AuctionResult) -> list[Table]:
    """The tables that report a measurement: the loss by kind of decision, and the dearest calls."""
    return [losses_table(result), exchanges_table(result)]


def losses_table(result: AuctionResult) -> Table:
    """Loss and disagreement, in all and by kind of decision."""
    rows = [_losses_row(result, "all calls", None)]
    rows += [_losses_row(result, f"… {DECISION_TEXTS[name]}", name) for name in result.situations]
    rows.append(("… as dealt", loss_text(result.loss_as_dealt()), *[""] * 4))
    return Table(
        f"Points that a seat loses in a positive deal by its calls ({INTERVAL})",
        ("decision", "loss", "decisions", "a deal", "% otherwise", "worlds"),
        tuple(rows),
    )


def _losses_row(result: AuctionResult, title: str, situation: str | None) -> tuple[str, ...]:
    decisions, worlds = result.num_decisions(situation), result.worlds_measured(situation)
    return (
        title,
        loss_text(result.loss(situation)),
        f"{decisions:,}",
        f"{decisions / result.num_deals:.2f}",
        f"{100 * result.num_mistakes(situation) / decisions:.1f}" if decisions else NOTHING,
        NOTHING if math.isnan(worlds) else f"{worlds:.0f}",
    )


def exchanges_table(result: AuctionResult) -> Table:
    """Which calls lost most, and what the reference would have said."""
    rows = tuple(
        (
            DECISION_TEXTS[exchange.situation],
            action_text(exchange.said),
            action_text(exchange.better),
            f"{exchange.count:,}",
            _minus(f"{exchange.loss:.2f}"),
        )
        for exchange in result.exchanges()[:EXCHANGES_SHOWN]
    )
    return Table(
        "What lost most", ("decision", "bot", "reference", "times", "loss a positive deal"), rows, num_text_columns=3
    )


def loss_text(loss: Estimate) -> str:
    """A loss with its interval, to a hundredth: `1.23 ± 0.45`."""
    half_width = "?" if math.isnan(loss.half_width) else f"{loss.half_width:.2f}"
    return _minus(f"{loss.mean:.2f} ± {half_width}")


def _minus(text: str) -> str:
    return text.replace("-", "−")


def auction_markdown(result: AuctionResult) -> str:
    """The whole report as Markdown."""
    return "\n\n".join([auction_head(result), *(markdown(table) for table in auction_tables(result)), *NOTES])


def print_auction(result: AuctionResult) -> None:
    """Print the report on the terminal."""
    print_tables(auction_head(result), auction_tables(result), NOTES)
