"""What bots think: as plain values and back, and what a search says that actions gain."""

from __future__ import annotations

import json
from typing import Any

import numpy as np
import pytest

from king_env.bots import make
from king_env.bots.search import SearchBot
from king_env.bots.thoughts import Explains, Thought, thoughts_in
from king_env.engine.seats import NUM_SEATS
from king_env.game import Game
from king_env.notation import action_text, parse_action
from tests.engine.table import position

RNG = np.random.default_rng(0)
THOUGHT = Thought(
    probabilities={parse_action("QH"): 0.75, parse_action("2C"): 0.25},
    value=-12.5,
    unit="points",
    gains={parse_action("QH"): 0.0, parse_action("2C"): 1.25},
    errors={parse_action("QH"): 0.0, parse_action("2C"): 0.5},
)


@pytest.mark.parametrize("thought", [THOUGHT, Thought(), Thought(value=1.0)])
def test_thoughts_are_read_as_they_were_written(thought: Thought) -> None:
    assert Thought.from_dict(json.loads(json.dumps(thought.to_dict()))) == thought


def test_a_thought_says_nothing_of_what_it_does_not_know() -> None:
    assert Thought().to_dict() == {}


@pytest.mark.parametrize(
    ("plain", "reason"),
    [
        (1, "a thought must be a dict with none but the keys probabilities, value, unit, gains, errors, not 1"),
        ({"worth": 1}, "a thought must be a dict"),
        ({"value": "much"}, "value: must be a number, not 'much'"),
        ({"value": float("nan")}, "value: must be a number, not nan"),
        ({"value": True}, "value: must be a number, not True"),
        ({"unit": ["points"]}, "unit: must be text"),
        ({"gains": [1]}, r"gains: must be a dict from actions to numbers, not \[1\]"),
        ({"gains": {"1H": 1}}, "no action '1H'"),
        ({"probabilities": {"QH": None}}, "probabilities: must be a number, not None"),
    ],
)
def test_what_is_no_thought_is_refused(plain: Any, reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}"):
        Thought.from_dict(plain)
    with pytest.raises(ValueError, match=f"^thoughts: action 2: {reason}"):
        thoughts_in({"thoughts": [None, plain]}, 2)


def test_a_game_without_thoughts() -> None:
    assert thoughts_in({"players": ["a"]}, 2) == [None, None]


@pytest.mark.parametrize("thoughts", [{}, [None], [None] * 3, "no"])
def test_each_action_has_an_entry(thoughts: Any) -> None:
    with pytest.raises(ValueError, match="^thoughts: must be a list with an entry for each of the 2 actions$"):
        thoughts_in({"thoughts": thoughts}, 2)


# Search


def test_who_explains() -> None:
    assert isinstance(make("search"), Explains) and not isinstance(make("heuristic"), Explains)


@pytest.mark.parametrize("name", ["search:worlds=5", "search:ms=2"])
def test_a_search_says_what_every_action_gains(name: str) -> None:
    game = Game(seed=3)
    (thought,) = _explain(name, game)
    assert thought.gains is not None and thought.errors is not None
    assert sorted(map(action_text, thought.gains)) == sorted(map(action_text, thought.errors)) == sorted(game.legal())
    usual = make("heuristic").act(game.view(game.turn or 0), RNG)
    assert thought.gains[usual] == thought.errors[usual] == 0.0
    assert thought.probabilities is None and thought.value is None


def test_gains_are_exact_where_all_worlds_are_searched() -> None:
    """Nobody else has a club: led, it takes trick 12, and in some worlds the diamond then takes trick 13."""
    game = position({0: "3C 2D", 1: "5D 5S", 2: "7D 7S", 3: "9D 9S"}, "no_last_two")
    game.record["voids"][0, 1:] = 1  # of clubs
    (thought,) = make("search").explain(game.record)  # type: ignore[attr-defined]
    assert thought.gains[parse_action("2D")] - thought.gains[parse_action("3C")] == 94.0
    assert set(thought.errors.values()) == {0.0}


def test_where_there_is_no_choice_there_is_no_thought() -> None:
    game = position({0: "3C", 1: "5D", 2: "7D", 3: "9D"}, "no_last_two")
    assert make("search:worlds=3").explain(game.record) == [Thought()]  # type: ignore[attr-defined]


def test_a_search_thinks_nothing_that_its_seat_cannot_know() -> None:
    game = Game(seed=3)
    seat = game.turn or 0
    others = [other for other in range(NUM_SEATS) if other != seat]
    seen = _explain("search:worlds=5", game)
    game.record["hands"][0, others] = game.record["hands"][0, others[1:] + others[:1]]
    assert _explain("search:worlds=5", game) == seen


def test_thoughts_of_many_views_are_those_of_each() -> None:
    views = np.concatenate([Game(seed=seed).record for seed in range(20)])
    bot = SearchBot(worlds=3, threads=2)
    assert bot.explain(views) == [SearchBot(worlds=3).explain(views[i : i + 1])[0] for i in range(len(views))]


def _explain(name: str, game: Game) -> list[Thought]:
    bot = make(name)
    assert isinstance(bot, Explains)
    return bot.explain(game.record)
