"""Rules 3.4: the Brazilian game without an auction."""

from __future__ import annotations

import dataclasses

import pytest

from king_env.ruleset import BRAZILIAN_TRUMP
from tests.engine.table import calls, field, positive, say


@pytest.mark.parametrize("owner", range(4))
def test_the_owner_names_a_trump_suit(owner: int) -> None:
    game = positive("brazilian_trump", owner=owner)
    assert (game.turn, game.phase) == (owner, "declaring")
    assert calls(game) == {"up C", "up D", "up H", "up S"}


def test_with_the_option_also_no_trump() -> None:
    game = positive(dataclasses.replace(BRAZILIAN_TRUMP, no_trump=True))
    assert calls(game) == {"up C", "up D", "up H", "up S", "up NT"}


@pytest.mark.parametrize(("suit", "number"), [("C", 0), ("D", 1), ("H", 2), ("S", 3)])
def test_the_deal_is_played_up(suit: str, number: int) -> None:
    game = say(positive("brazilian_trump"), f"0 up {suit}")
    assert game.phase == "playing"
    assert (game.contract, field(game, "trump")) == ("up", number)
