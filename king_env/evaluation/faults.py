"""A bot at fault: what it did, and where, so that whoever wrote it can put it right."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from typing import Any

from king_env.engine.actions import Action
from king_env.engine.state import GameRecord
from king_env.notation import action_text, deal_text
from king_env.render import render_table

ON_ERROR_CHOICES = ("stop", "first_legal")


@dataclass(frozen=True)
class Fault:
    """One answer of a bot that was none."""

    bot: str
    """The label of the bot."""
    reason: str
    """What it did: raised, answered an illegal action, took too long."""
    block: int
    seating: tuple[str, ...]
    """The labels of the bots in seats 0 … 3."""
    seat: int
    """Whose turn it was."""
    deal: int
    """Which of the ten deals was on, from 1."""
    view: str
    """What the bot was to act upon, as text."""
    record: dict[str, Any]
    """The deal up to there: dealer, cards (PBN) and actions."""

    def __str__(self) -> str:
        """The report for a terminal."""
        return (
            f"{self.bot} {self.reason} (block {self.block}, deal {self.deal}, seat {self.seat} of "
            f"{', '.join(self.seating)})\n{self.view}"
        )

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON."""
        return dataclasses.asdict(self) | {"seating": list(self.seating)}


def describe_fault(
    game: GameRecord, view: GameRecord, bot: str, reason: str, block: int, seating: tuple[str, ...]
) -> Fault:
    """The fault of a bot in this game, whose turn it is."""
    seat = int(game["turn"])
    return Fault(
        bot=bot,
        reason=reason,
        block=block,
        seating=seating,
        seat=seat,
        deal=int(game["deal"]) + 1,
        view=render_table(view, viewer=seat),
        record=_record_of_deal(game),
    )


def actions_of_deal(game: GameRecord) -> list[Action]:
    """All that has been done in the deal that is on, or has just ended: first the calls, then the cards."""
    return [*game["calls"][: game["num_calls"]].tolist(), *game["plays"][: game["num_plays"]].tolist()]


def _record_of_deal(game: GameRecord) -> dict[str, Any]:
    return {
        "dealer": int(game["dealer"]),
        "deal": deal_text(game["hands"] | game["played"]),
        "actions": [action_text(action) for action in actions_of_deal(game)],
    }
