"""Positions as plain values: everything the table draws, nothing that a viewer may not know."""

from __future__ import annotations

import json
import re
from typing import Any

import numpy as np
import pytest

from king_env.engine import batch
from king_env.game import Game
from king_env.notation import parse_action
from king_env.web.deck import deck_sprite
from king_env.web.patches import merge_patch
from king_env.web.position import SheetRow, as_it_ended, row_of, table_position
from tests.golden.games import WHOLE_GAMES, golden_game

MIXED = "0:AKQ2.432.5432.32 JT9.AKQ.876.AKQJ 876.JT98.AKQ.T98 543.765.JT9.7654"


def one_deal(*actions: str, first_deal: int = 6) -> Game:
    game = Game(deals=[MIXED], first_deal=first_deal, num_deals=1)
    for action in actions:
        game.play(action)
    return game


def position_of(game: Game, viewer: int | None = None) -> dict[str, Any]:
    return table_position(game.record[0], viewer)


def test_a_trick_on_the_way() -> None:
    position = position_of(one_deal("up H", "AS", "9S"))
    assert position["contract"] == "up, ♥ trump" and position["terms"] == "+25 a trick"
    assert position["turn"] == 2 and position["task"] == "seat 2 is to play"
    assert position["playable"] == "8S 7S 6S"
    assert position["trick"] == {
        "number": 1,
        "plays": {"0": [0, "AS"], "1": [1, "9S"]},
        "taker": 0,
        "is_complete": False,
    }
    assert "last_trick" not in position
    assert [position["seats"][str(seat)]["held"] for seat in range(4)] == [12, 12, 13, 13]
    assert position["seats"]["0"]["signs"] == "D♥" and position["seats"]["1"]["signs"] == ""


def test_a_complete_trick_stays_until_the_next_is_led() -> None:
    game = one_deal("up NT", "AS", "9S", "6S", "3S")
    position = position_of(game)
    assert position["trick"]["is_complete"] and position["trick"]["taker"] == 0
    assert position["seats"]["0"] | {"hand": ""} == {
        "held": 12, "tricks": 1, "points": 25, "signs": "DN", "hand": "", "said": "up NT",
    }  # fmt: skip
    game.play("KS")
    position = position_of(game)
    assert position["trick"]["number"] == 2 and position["last_trick"]["plays"]["3"] == [3, "3S"]


def test_an_auction() -> None:
    position = position_of(one_deal("auction", "pass", "bid 3"))
    assert position["calls"] == {"0": [0, "auction"], "1": [1, "pass"], "2": [2, "bid 3"]}
    assert position["best"] == [2, "bid 3"]
    assert [position["seats"][str(seat)].get("said") for seat in range(4)] == ["auction", "pass", "bid 3", None]
    assert "playable" not in position and "trick" not in position


def test_the_end_of_a_deal_bears_its_own_number() -> None:
    game = golden_game(WHOLE_GAMES[0])
    again = Game(game.ruleset, list(game.deals), game.first_dealer)
    for action in game.actions[:51]:
        again.play(action)
    before = again.record.copy()
    after = before.copy()
    batch.step_games(after, np.array([game.actions[51]], dtype=np.int64))
    position = table_position(as_it_ended(after[0], before[0]))
    assert position["title"] == "Deal 1 of 10" and position["task"] == "the deal is over"
    assert "turn" not in position and position["phase"] == "to_deal"
    assert position["sheet"]["rows"]["1"][1:] == game.scores_by_deal[0] == position["sheet"]["negative"]
    assert position["seats"][str(game.first_dealer)]["signs"] == "D"


def test_the_sheet_has_a_line_for_each_deal_so_far() -> None:
    game = one_deal("down", "AS")
    position = table_position(game.record[0], earlier=[SheetRow(6, "no last two", (-180, 0, 0, 0))])
    assert position["sheet"]["rows"] == {"6": ["no last two", -180, 0, 0, 0], "7": ["down", 325, 325, 325, 325]}
    assert row_of(game.record[0]) == SheetRow(7, "down", (325, 325, 325, 325))


def test_the_result_is_in_the_order_of_the_scores() -> None:
    game = one_deal("auction", "pass", "pass", "pass", "skip")
    assert position_of(game)["result"] == [[1, 0, 100], [2, 1, 75], [2, 2, 75], [2, 3, 75]]


@pytest.mark.parametrize("viewer", range(4))
def test_a_viewer_is_told_no_other_hand(viewer: int) -> None:
    game = golden_game(WHOLE_GAMES[0])
    again = Game(game.ruleset, list(game.deals), game.first_dealer)
    for action in game.actions[:120]:
        hidden = again.record.copy()
        batch.hide_hands(hidden, np.array([viewer], dtype=np.int64))
        plain = table_position(again.record[0], viewer)
        assert plain == table_position(hidden[0], viewer)
        assert [seat for seat in range(4) if "hand" in plain["seats"][str(seat)]] == [viewer]
        again.play(action)


def test_positions_are_plain_and_have_no_nulls() -> None:
    game = golden_game(WHOLE_GAMES[-1])
    again = Game(game.ruleset, list(game.deals), game.first_dealer)
    for action in game.actions:
        text = json.dumps(position_of(again), allow_nan=False)
        assert "null" not in text and json.loads(text) == position_of(again)
        again.play(action)


# Patches


def patched(before: Any, patch: Any) -> Any:
    """The algorithm of RFC 7396, section 2."""
    if not isinstance(patch, dict):
        return patch
    after = dict(before) if isinstance(before, dict) else {}
    for name, value in patch.items():
        if value is None:
            after.pop(name, None)
        else:
            after[name] = patched(after.get(name), value)
    return after


def test_patches_lead_from_each_position_to_the_next() -> None:
    game = golden_game(WHOLE_GAMES[0])
    again = Game(game.ruleset, list(game.deals), game.first_dealer)
    position = position_of(again)
    for action in game.actions:
        again.play(action)
        after = position_of(again)
        patch = json.loads(json.dumps(merge_patch(position, after)))
        position = patched(position, patch)
        assert position == after


def test_what_stays_is_not_in_a_patch() -> None:
    assert merge_patch({"a": 1, "b": {"c": 2, "d": [3]}, "e": 4}, {"a": 1, "b": {"c": 5, "d": [3]}}) == {
        "b": {"c": 5},
        "e": None,
    }


# Cards


def test_the_sprite_has_every_card_once() -> None:
    names = re.findall(r'<symbol id="card-(\w+)"', deck_sprite())
    assert len(names) == len(set(names)) == 53
    assert all(parse_action(name) < 52 for name in names if name != "back")
    assert re.findall(r'<symbol id="suit-(\w)"', deck_sprite()) == ["C", "D", "H", "S"]


def test_number_cards_have_their_signs() -> None:
    (nine,) = re.findall(r'<symbol id="card-9D".*?</symbol>', deck_sprite())
    assert nine.count('href="#suit-D"') == 9 + 2  # and one in each of two corners
