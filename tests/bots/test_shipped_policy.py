"""The policy that comes with King: its file says what it is, it is small, and it is as honest as it is strong."""

from __future__ import annotations

from typing import Any

import pytest

from king_env.bots.pretrained import read_policy
from king_env.bots.pretrained.pretrained_bot import SHIPPED

LARGEST_BYTES = 2_000_000
# No honest agent has come nearer to one that sees all hands: whoever does has seen what it must not, until explained.
SUSPICIOUS_SHARE = 0.65


@pytest.fixture(scope="module")
def about() -> dict[str, Any]:
    return dict(read_policy(SHIPPED).about)


def test_it_is_small_and_says_how_it_was_made(about: dict[str, Any]) -> None:
    assert SHIPPED.stat().st_size <= LARGEST_BYTES
    assert about["commit"] and about["versions"]["numpy"]
    assert set(about["config"]["rulesets"]) == {"portuguese", "brazilian_auction", "brazilian_trump"}
    assert about["counters"]["taught"] >= 0.99 * about["config"]["played_out_decisions"]


def test_no_agent_of_the_panel_is_suspiciously_near_the_ceiling(about: dict[str, Any]) -> None:
    """A leak of hidden cards would show in this: `cheating-best-response` is the ceiling of the heuristic's field."""
    cells = [cell for cell in about["panel"]["cells"] if (cell["trio"], cell["episode"]) == ("heuristic", "deal")]
    points = {cell["lone"]: float(cell["points"]["game"]["mean"]) for cell in cells}
    ceiling = max(made for bot, made in points.items() if bot.startswith("cheating-best-response"))
    honest = {bot: made / ceiling for bot, made in points.items() if not bot.startswith("cheating")}
    assert "pretrained" in honest
    assert max(honest.values()) < SUSPICIOUS_SHARE, honest
