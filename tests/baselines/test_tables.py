"""What the learner sees of the games: rewards on one scale, streams that end where they should."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from baselines.ppo.config import PPOConfig
from baselines.ppo.tables import Tables, proportional_shares
from king_env.bots.pretrained.layout import current_layout, runs_of_sections


def small(**options: Any) -> PPOConfig:
    return PPOConfig(num_games=14, num_steps=8, **options)


def play_randomly(tables: Tables, num_steps: int, seed: int = 0) -> tuple[np.ndarray, np.ndarray]:
    """All rewards [num_steps, num_games, 4] and ends [num_steps, num_games] of random legal play."""
    rng = np.random.default_rng(seed)
    rewards, ended = [], []
    for _ in range(num_steps):
        actions = (rng.random(tables.masks.shape) * tables.masks).argmax(axis=1)
        step_rewards, step_ended = tables.step(actions)
        rewards.append(step_rewards.copy())
        ended.append(step_ended.copy())
    return np.array(rewards), np.array(ended)


def test_games_are_shared_out_by_weight() -> None:
    assert proportional_shares(256, [1, 1, 2]) == [64, 64, 128]
    assert sum(proportional_shares(257, [1] * 7)) == 257
    tables = Tables(PPOConfig(num_games=20, contract_weights={"positive": 14}))
    assert [env.num_games for env in tables.envs] == [1, 1, 1, 1, 1, 1, 14]


def test_a_kind_without_weight_is_not_played() -> None:
    weights = dict.fromkeys(("no_tricks", "no_hearts", "no_queens", "no_kings_jacks", "no_last_two", "positive"), 0)
    tables = Tables(small(contract_weights=weights))
    tables.reset(1)
    assert len(tables.envs) == 1
    assert (tables.envs[0].games["contract"] == 4).all()


def test_rule_sets_take_turns() -> None:
    names = ("portuguese", "brazilian_auction", "brazilian_trump")
    tables = Tables(small(rulesets=names, episode="game"))
    assert [ruleset.name for ruleset in tables.envs[0].rulesets[:4]] == [*names, "portuguese"]


def test_rewards_are_centred_and_counted_in_spreads() -> None:
    weights = dict.fromkeys(("no_tricks", "no_hearts", "no_queens", "no_kings_jacks", "no_last_two", "positive"), 0)
    config = small(contract_weights=weights, reward_spread={"no_king_of_hearts": 40.0})
    tables = Tables(config)
    tables.reset(1)
    rewards, ended = play_randomly(tables, 52)
    assert ended[-1].all() and not ended[:-1].any()
    # Whoever takes the king of hearts makes −160, which is 120 below the mean: three spreads of 40.
    assert np.sort(rewards.sum(axis=0), axis=1).tolist() == [[-3.0, 1.0, 1.0, 1.0]] * 14


def test_streams_end_with_the_deal_or_with_the_game() -> None:
    by_deal = Tables(small(rulesets=("brazilian_trump",), episode="game"))
    by_game = Tables(small(rulesets=("brazilian_trump",), episode="game", horizon="game"))
    num_steps = 6 * 52 + 4 * 53
    for tables, num_ends in ((by_deal, 10), (by_game, 1)):
        tables.reset(1)
        _, ended = play_randomly(tables, num_steps)
        assert ended.sum(axis=0).tolist() == [num_ends] * 14


def test_the_placement_is_paid_at_the_end_of_a_game() -> None:
    config = small(rulesets=("brazilian_trump",), episode="game", horizon="game", reward="placement")
    tables = Tables(config)
    tables.reset(1)
    rewards, _ = play_randomly(tables, 6 * 52 + 4 * 53)
    assert not rewards[:-1].any()
    assert rewards[-1].sum(axis=1) == pytest.approx(0.0, abs=1e-6)
    assert rewards[-1].max() == pytest.approx(1.0)


def test_ignored_sections_are_empty() -> None:
    ignored = ("hand", "deal_number", "is_last_deal")
    tables = Tables(small(ignored_sections=ignored))
    tables.reset(1)
    play_randomly(tables, 3)
    names = [name for name, size in current_layout() for _ in range(size)]
    hidden = np.array([name in ignored for name in names])
    assert not tables.observations[:, : len(names)][:, hidden].any()
    assert tables.observations.any()
    assert len(runs_of_sections(ignored)) == 2


def test_a_restored_table_is_dealt_the_same_cards() -> None:
    tables, other = Tables(small()), Tables(small())
    tables.reset(1)
    play_randomly(tables, 20)
    other.restore(tables.state())
    assert (tables.observations == other.observations).all() and (tables.masks == other.masks).all()
    rewards, _ = play_randomly(tables, 100, seed=2)
    expected, _ = play_randomly(other, 100, seed=2)
    assert (rewards == expected).all()
    assert (tables.observations == other.observations).all()
