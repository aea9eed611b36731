"""The warm start: playouts are worth what playing on by hand would bring, and learning from them makes a player."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from baselines.ppo import ppo
from baselines.ppo.advice import NO_ADVICE, SHOWN_SIZE, advise
from baselines.ppo.checkpoint import read_checkpoint, write_checkpoint
from baselines.ppo.config import ConfigError, PPOConfig
from baselines.ppo.network import PolicyValueNetwork
from baselines.ppo.run_folder import read_log
from baselines.ppo.tables import Tables
from baselines.ppo.teacher import (
    Lessons,
    lesson_terms,
    play_out_all,
    take_lessons,
)
from king_env import bots
from king_env.engine import batch
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.observation import OBSERVATION_SIZE
from king_env.engine.state import OVER, GameRecords, new_records


def tiny(**options: Any) -> PPOConfig:
    defaults: dict[str, Any] = {"num_games": 14, "num_steps": 8, "hidden_sizes": (32,), "minibatch_size": 64}
    return PPOConfig(**{**defaults, "played_out_decisions": 400, **options})


def played_on_by_hand(game: GameRecords, action: int) -> np.ndarray:
    """The scores of the deal (int[4]) after an action, every seat going on as the heuristic bot does from its view."""
    heuristic = bots.make("heuristic")
    game = game.copy()
    batch.step_games(game, np.array([action]))
    while game["phase"][0] != OVER:
        view = game.copy()
        batch.hide_hands(view, game["turn"].astype(np.int64))
        batch.step_games(game, np.array([heuristic.act(view, np.random.default_rng(0))]))
    return game["deal_scores"][0].astype(int)


@pytest.mark.parametrize("steps", [0, 5, 30])
def test_an_action_is_worth_what_playing_on_by_hand_brings(steps: int) -> None:
    tables = Tables(tiny(reward_spread={"positive": 150.0}))
    tables.reset(3)
    if steps:
        take_lessons(tables, steps, np.random.default_rng(3))
    for part, games, scales in tables.parts():
        values = np.zeros((len(games), NUM_ACTIONS), dtype=np.float32)
        play_out_all(games, scales, new_records(1), values)
        game, mask = games[:1].copy(), tables.masks[part][0]
        seat = int(game["turn"][0])
        before = game["deal_scores"][0].astype(int)
        for action in np.flatnonzero(mask):
            gained = played_on_by_hand(game, int(action)) - before
            assert values[0, action] == pytest.approx(scales[0] * (gained[seat] - gained.mean()), rel=1e-5, abs=1e-5)
        assert not values[0, mask == 0].any()


def test_playing_out_leaves_the_games_as_they_were() -> None:
    tables = Tables(tiny())
    tables.reset(4)
    for _, games, scales in tables.parts():
        before = games.copy()
        play_out_all(games, scales, new_records(1), np.zeros((len(games), NUM_ACTIONS), dtype=np.float32))
        assert games.tobytes() == before.tobytes()


def test_what_is_advised_is_what_the_heuristic_bot_does_from_its_view() -> None:
    heuristic = bots.make("heuristic")
    tables = Tables(tiny())
    tables.reset(5)
    take_lessons(tables, 9, np.random.default_rng(5))
    for _, games, _ in tables.parts():
        choices = np.zeros(len(games), dtype=np.int64)
        advise(games, choices)
        views = games.copy()
        batch.hide_hands(views, games["turn"].astype(np.int64))
        np.testing.assert_array_equal(choices, heuristic.act_batch(views, np.random.default_rng(0)))


def lessons_of(worth: list[list[float]], legal: list[list[int]], choices: list[int]) -> Lessons:
    """Decisions of which the network is shown nothing; worth and legality of the first few actions."""
    size, actions = len(choices), len(worth[0])
    masks, values = np.zeros((size, NUM_ACTIONS), dtype=np.int8), np.zeros((size, NUM_ACTIONS), dtype=np.float32)
    masks[:, :actions], values[:, :actions] = legal, worth
    shown, advice = np.zeros((size, SHOWN_SIZE), dtype=np.int8), np.full(size, NO_ADVICE)
    return Lessons(shown, advice, masks, np.array(choices), values)


def uniform_network() -> PolicyValueNetwork:
    """All actions are equally probable, and all values 0."""
    network = ppo.new_learner(tiny()).network
    for head in (network.policy_head, network.value_head):
        torch.nn.init.zeros_(head.weight)
    return network


def test_the_gain_is_what_the_policy_makes_more_than_the_heuristic() -> None:
    """Worth 3 and 1 of two legal actions, the heuristic takes the second: half of the time 2 are gained, so 1.

    Both are as probable, so the entropy is log 2; the heuristic's 1 is foretold as 0, so half its square is lost.
    """
    lessons = lessons_of([[3.0, 1.0, 50.0]], [[1, 1, 0]], [1])
    gain, entropy, value_loss = lesson_terms(uniform_network(), lessons, np.array([0]), torch.device("cpu"))
    assert gain.item() == pytest.approx(1.0)
    assert entropy.item() == pytest.approx(np.log(2.0))
    assert value_loss.item() == pytest.approx(0.5)


def test_luck_that_moves_all_actions_alike_is_no_gain() -> None:
    gains = []
    for luck in (0.0, 7.0):
        lessons = lessons_of([[3.0 + luck, 1.0 + luck, 50.0]], [[1, 1, 0]], [1])
        gains.append(lesson_terms(uniform_network(), lessons, np.array([0]), torch.device("cpu"))[0].item())
    assert gains[0] == pytest.approx(gains[1])


def test_an_advised_network_begins_by_doing_what_the_heuristic_does() -> None:
    config = tiny(is_advised=True)
    bot = ppo.playing_copy(ppo.new_learner(config), config)
    tables = Tables(config)
    tables.reset(8)
    heuristic, rng = bots.make("heuristic"), np.random.default_rng(8)
    for _ in range(10):
        tables.step(np.array([*tables.masks.argmax(axis=1)]))
    for _, games, _ in tables.parts():
        views = games.copy()
        batch.hide_hands(views, games["turn"].astype(np.int64))
        np.testing.assert_array_equal(bot.act_batch(views, rng), heuristic.act_batch(views, rng))


def test_advice_is_shown_where_it_is_wanted() -> None:
    for is_advised in (False, True):
        tables = Tables(tiny(is_advised=is_advised))
        tables.reset(9)
        rows = np.arange(14)
        shown = tables.shown(rows)
        np.testing.assert_array_equal(shown[:, :OBSERVATION_SIZE], tables.observations)
        assert (shown[:, OBSERVATION_SIZE:].sum(axis=1) == is_advised).all()
        if is_advised:
            np.testing.assert_array_equal(shown[:, OBSERVATION_SIZE:].argmax(axis=1), tables.advice)
            assert tables.masks[rows, tables.advice].all()


def test_only_decisions_with_a_choice_are_taught() -> None:
    tables = Tables(tiny())
    tables.reset(6)
    lessons = take_lessons(tables, 52, np.random.default_rng(6))
    assert lessons.masks.sum(axis=1).min() > 1
    assert lessons.masks[np.arange(len(lessons.choices)), lessons.choices].all()


def test_a_run_is_taught_first_and_then_plays_itself(tmp_path: Path) -> None:
    config = tiny(total_decisions=300, eval_blocks=1, opponents=("random",))
    learner = ppo.new_learner(config)
    assert ppo.train(learner, config, tmp_path)
    taught = read_log(tmp_path, "teacher")["decisions"]
    learned = read_log(tmp_path, "training")["decisions"]
    assert taught[-2] < 400 <= taught[-1] < learned[0]
    assert learner.counters.learned == learned[-1]


def test_a_run_resumed_in_its_warm_start_ends_with_the_same_weights(tmp_path: Path) -> None:
    config = tiny()
    whole, half = ppo.new_learner(config), ppo.new_learner(config)
    for _ in range(4):
        ppo.teach(whole, config)
    for _ in range(2):
        ppo.teach(half, config)
    write_checkpoint(ppo.training_state(half, config), tmp_path / "last.pt")
    resumed = ppo.resume_learner(read_checkpoint(tmp_path / "last.pt"), config, tmp_path / "last.pt")
    assert resumed.counters.taught == half.counters.taught
    for _ in range(2):
        ppo.teach(resumed, config)
    for left, right in zip(whole.network.parameters(), resumed.network.parameters(), strict=True):
        torch.testing.assert_close(left, right, rtol=0, atol=0)


def test_learning_from_playouts_makes_a_better_player_than_chance() -> None:
    config = tiny(
        num_games=64,
        num_steps=52,
        hidden_sizes=(64,),
        minibatch_size=128,
        played_out_decisions=40_000,
    )
    learner = ppo.new_learner(config)
    while not ppo.is_taught(learner.counters, config):
        ppo.teach(learner, config)
    tables = Tables(config)
    tables.reset(1_000)
    lessons = take_lessons(tables, 20, np.random.default_rng(7))
    legal = lessons.masks != 0
    with torch.inference_mode():
        logits = learner.network(torch.from_numpy(lessons.shown), torch.from_numpy(lessons.advice))[0].numpy()
    chosen = np.where(legal, logits, -np.inf).argmax(axis=1)
    by_network = lessons.action_values[np.arange(len(chosen)), chosen].mean()
    by_chance = ((lessons.action_values * legal).sum(axis=1) / legal.sum(axis=1)).mean()
    assert by_network > by_chance + 0.02


def test_a_warm_start_is_refused_where_playouts_do_not_tell_the_reward() -> None:
    with pytest.raises(ConfigError, match="played_out_decisions: playouts end with the deal"):
        tiny(episode="game", horizon="game")
