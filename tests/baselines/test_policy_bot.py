"""What a policy says of a position: the probabilities by which it plays, and its value in points."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
import torch

from baselines.ppo.checkpoint import new_network
from baselines.ppo.config import PPOConfig
from baselines.ppo.policy_bot import (
    MORE_THAN_HEURISTIC,
    NO_VALUE,
    POINTS_TO_COME,
    UNITS_OF_REWARD,
    PolicyBot,
    points_a_unit,
    unit_of_value,
)
from king_env.engine.contracts import NEGATIVE_NAMES
from king_env.engine.state import GameRecords
from king_env.game import Game
from king_env.notation import parse_action

CONFIG = PPOConfig(hidden_sizes=(16, 16))


@pytest.fixture
def views() -> GameRecords:
    """The first decision of the first negative deals, and of a positive one that has been declared."""
    games = [Game(seed=seed, first_deal=seed, num_deals=1) for seed in range(7)]
    games[-1].play("up H")
    return np.concatenate([game.view(game.turn or 0) for game in games])


def bot_of(config: PPOConfig, in_points: bool = True) -> PolicyBot:
    torch.manual_seed(0)
    return PolicyBot(new_network(config), points_a_unit=points_a_unit(config) if in_points else None)


def test_it_explains_by_the_probabilities_with_which_it_plays(views: GameRecords) -> None:
    bot = bot_of(CONFIG)
    thoughts = bot.explain(views)
    for thought, action in zip(thoughts, bot.act_batch(views, np.random.default_rng(0)), strict=True):
        assert thought.probabilities is not None
        assert sum(thought.probabilities.values()) == pytest.approx(1.0)
        assert max(thought.probabilities, key=lambda each: thought.probabilities[each]) == action  # type: ignore[index]
        assert thought.unit == POINTS_TO_COME


def test_only_legal_actions_are_probable(views: GameRecords) -> None:
    game = Game(seed=6, first_deal=6, num_deals=1)
    (thought,) = bot_of(CONFIG).explain(game.view(game.turn or 0))
    assert thought.probabilities is not None
    assert set(thought.probabilities) == {parse_action(text) for text in game.legal()}


def test_a_value_counts_the_points_of_its_kind_of_deal(views: GameRecords) -> None:
    spread = {name: 10.0 * (1 + number) for number, name in enumerate(NEGATIVE_NAMES)} | {"positive": 100.0}
    values = [
        thought.value for thought in bot_of(PPOConfig(hidden_sizes=(16, 16), reward_spread=spread)).explain(views)
    ]
    units = [thought.value for thought in PolicyBot(bot_of(CONFIG)._network).explain(views)]
    assert values == pytest.approx(np.array(units) * [10, 20, 30, 40, 50, 60, 100], rel=1e-5)


@pytest.mark.parametrize(
    "config",
    [PPOConfig(horizon="game"), PPOConfig(reward="placement", episode="game", horizon="game")],
    ids=["whole game", "placement"],
)
def test_a_value_that_is_no_points_says_so(config: PPOConfig, views: GameRecords) -> None:
    assert points_a_unit(config) is None
    assert {thought.unit for thought in bot_of(config).explain(views)} == {UNITS_OF_REWARD}


def test_a_value_that_nobody_trained_is_not_told(views: GameRecords) -> None:
    for thought in PolicyBot(new_network(CONFIG), unit=NO_VALUE).explain(views):
        assert thought.probabilities is not None and thought.value is None


@pytest.mark.parametrize(
    ("options", "decisions", "unit"),
    [
        ({}, 5, POINTS_TO_COME),
        ({"removes_luck": True}, 5, MORE_THAN_HEURISTIC),
        ({"played_out_decisions": 100}, 0, NO_VALUE),  # a snapshot of the warm start
        ({"value_coef": 0.0}, 5, NO_VALUE),
    ],
    ids=["points", "without luck", "not begun", "none wanted"],
)
def test_the_unit_of_a_value_is_what_training_came_to(options: dict[str, Any], decisions: int, unit: str) -> None:
    assert unit_of_value(PPOConfig(**options), {"taught": 100, "decisions": decisions}) == unit
