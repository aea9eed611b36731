"""Who sits with the learner, what it learns from then, and rewards without the luck of the cards."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from baselines.ppo import ppo
from baselines.ppo.checkpoint import read_checkpoint, write_checkpoint
from baselines.ppo.company import FROZEN, HEURISTIC, LEARNER, MOST_PAST_SELVES, PAST_SELF, PastSelves, seat_company
from baselines.ppo.config import ConfigError, PPOConfig, load_config
from baselines.ppo.tables import Tables
from king_env import bots
from king_env.bots.pretrained import write_policy
from king_env.bots.pretrained.advice import NO_ADVICE
from king_env.engine import batch
from king_env.engine.observation import OBSERVATION_SIZE
from king_env.engine.seats import NUM_SEATS
from king_env.engine.state import OVER, GameRecords
from tests.bots.policies import small_policy


def tiny(**options: Any) -> PPOConfig:
    defaults: dict[str, Any] = {"num_games": 14, "num_steps": 13, "hidden_sizes": (16,), "minibatch_size": 64}
    return PPOConfig(**{**defaults, **options})


def played_once(config: PPOConfig) -> ppo.Learner:
    learner = ppo.new_learner(config)
    ppo.iterate(learner, config)
    return learner


def test_each_company_has_its_share_of_the_tables_and_the_learner_each_seat_in_turn() -> None:
    company = seat_company(400, 0.3, 0.15, 0.2)
    alone = (company == LEARNER).sum(axis=1) == 1
    with_whom = [(company == who).any(axis=1) for who in (HEURISTIC, PAST_SELF, FROZEN)]
    assert [with_one.sum() for with_one in with_whom] == pytest.approx([120, 60, 80], abs=1)
    np.testing.assert_array_equal(alone, np.any(with_whom, axis=0))
    assert np.sum(with_whom, axis=0).max() == 1
    np.testing.assert_array_equal((company[alone] == LEARNER).argmax(axis=1), np.flatnonzero(alone) % NUM_SEATS)


def test_every_run_of_tables_has_its_share_of_company() -> None:
    with_heuristic = (seat_company(520, 0.25, 0.0) == HEURISTIC).any(axis=1)
    for first in range(0, 520, 40):
        assert with_heuristic[first : first + 40].sum() == pytest.approx(10, abs=2)


def test_without_company_the_learner_has_all_seats() -> None:
    assert (seat_company(20, 0.0, 0.0) == LEARNER).all()


@pytest.mark.parametrize(
    "company", [{"heuristic_tables": 1.0}, {"past_tables": 1.0}, {"frozen_tables": 1.0, "frozen_bot": "random"}]
)
def test_the_learner_learns_from_its_own_seats_alone(company: dict[str, Any], monkeypatch: pytest.MonkeyPatch) -> None:
    config = tiny(**company)
    learner = ppo.new_learner(config)
    ppo.invite(learner)
    seats: list[tuple[int, int]] = []
    add = learner.streams.add

    def noting(games: np.ndarray, of_seats: np.ndarray, *rest: Any) -> None:
        seats.extend(zip(games.tolist(), of_seats.tolist(), strict=True))
        add(games, of_seats, *rest)

    monkeypatch.setattr(learner.streams, "add", noting)
    ppo.collect(learner, config, ppo.TimeSpent())
    assert seats and all(seat == game % NUM_SEATS for game, seat in seats)


def test_the_heuristic_plays_its_seats_as_the_bot_does() -> None:
    config = tiny(heuristic_tables=1.0)
    learner = ppo.new_learner(config)
    heuristic, rng = bots.make("heuristic"), np.random.default_rng(0)
    rows = np.arange(config.num_games)
    views, _ = learner.tables.views(rows)
    batch.hide_hands(views, views["turn"].astype(np.int64))
    actions = np.full(config.num_games, -1)
    ppo.choose(learner, np.full(config.num_games, HEURISTIC), actions, config)
    np.testing.assert_array_equal(actions, heuristic.act_batch(views, rng))


@pytest.mark.parametrize("is_advised", [False, True])
def test_a_network_is_told_of_the_heuristic_only_if_it_is_advised(is_advised: bool) -> None:
    """Whoever else asks the heuristic meanwhile."""
    config = tiny(heuristic_tables=0.3, past_tables=0.3, is_advised=is_advised)
    learner = ppo.new_learner(config)
    ppo.invite(learner)
    for _ in range(3):
        ppo.collect(learner, config, ppo.TimeSpent())
        streams = learner.streams
        advised = streams.shown[: streams.size, OBSERVATION_SIZE:].sum(axis=1)
        assert streams.size and (advised == is_advised).all()
        assert ((streams.advice[: streams.size] == NO_ADVICE) != is_advised).all()


def test_who_is_frozen_plays_as_its_file_does_and_is_handed_views(tmp_path: Path) -> None:
    write_policy(small_policy(), tmp_path / "small.npz")
    config = tiny(frozen_tables=1.0, frozen_bot=str(tmp_path / "small.npz"))
    learner = ppo.new_learner(config)
    rows = np.arange(config.num_games)
    views, _ = learner.tables.views(rows)
    batch.hide_hands(views, views["turn"].astype(np.int64))
    frozen, handed = bots.make(config.frozen_bot), list[GameRecords]()

    class Watched:
        name, version, act = frozen.name, frozen.version, frozen.act

        def act_batch(self, views: GameRecords, rng: np.random.Generator) -> np.ndarray:
            handed.append(views)
            return frozen.act_batch(views, rng)

    learner.frozen = Watched()
    answers = ppo.ask_frozen(learner, rows)
    np.testing.assert_array_equal(answers, frozen.act_batch(views, np.random.default_rng(0)))
    assert handed[0].tobytes() == views.tobytes()
    assert ((handed[0]["hands"] != 0).sum(axis=1) == 1).all()


def test_a_run_against_somebody_frozen_learns_and_resumes(tmp_path: Path) -> None:
    config = tiny(frozen_tables=0.5, frozen_bot="heuristic")
    whole, half = played_once(config), played_once(config)
    write_checkpoint(ppo.training_state(half, config), tmp_path / "last.pt")
    resumed = ppo.resume_learner(read_checkpoint(tmp_path / "last.pt"), config, tmp_path / "last.pt")
    for learner in (whole, resumed):
        ppo.iterate(learner, config)
    for left, right in zip(whole.network.parameters(), resumed.network.parameters(), strict=True):
        torch.testing.assert_close(left, right, rtol=0, atol=0)


@pytest.mark.parametrize(
    ("bot", "message"),
    [
        ("heuristik", "frozen_bot: unknown bot 'heuristik'"),
        ("gone.npz", "frozen_bot: no policy gone.npz"),
        ("cheating-search", "frozen_bot: 'cheating-search' sees all hands, which nobody at a table may"),
    ],
)
def test_a_run_against_somebody_who_may_not_sit_there_is_refused(bot: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f'frozen_tables = 0.5\nfrozen_bot = "{bot}"', "utf-8")
    with pytest.raises(ConfigError, match=message):
        load_config(path)


def test_past_selves_are_as_the_learner_was_and_the_latest_is_always_among_them() -> None:
    config, rng = tiny(), np.random.default_rng(0)
    network = ppo.new_learner(config).network
    past = PastSelves(ppo.new_learner(config).network)
    for number in range(MOST_PAST_SELVES + 5):
        with torch.no_grad():
            network.value_head.bias.fill_(float(number))
        past.remember(network, rng)
        assert past.state()[-1]["value_head.bias"].item() == number
    assert len(past) == MOST_PAST_SELVES
    with torch.no_grad():
        network.value_head.bias.fill_(-1.0)
    drawn = set()
    for _ in range(200):
        past.draw(rng)
        drawn.add(past.network.value_head.bias.item())
    assert drawn == {weights["value_head.bias"].item() for weights in past.state()}


def test_a_run_with_company_resumed_ends_with_the_same_weights(tmp_path: Path) -> None:
    config = tiny(heuristic_tables=0.3, past_tables=0.5, removes_luck=True, is_advised=True)
    whole, half = played_once(config), played_once(config)
    write_checkpoint(ppo.training_state(half, config), tmp_path / "last.pt")
    resumed = ppo.resume_learner(read_checkpoint(tmp_path / "last.pt"), config, tmp_path / "last.pt")
    for learner in (whole, resumed):
        ppo.iterate(learner, config)
    for left, right in zip(whole.network.parameters(), resumed.network.parameters(), strict=True):
        torch.testing.assert_close(left, right, rtol=0, atol=0)


@pytest.mark.parametrize("steps", [0, 5, 30])
def test_what_is_foreseen_is_what_playing_on_by_hand_pays(steps: int) -> None:
    tables = Tables(tiny(reward_spread={"positive": 150.0}))
    tables.reset(3)
    rng = np.random.default_rng(3)
    for _ in range(steps):
        tables.step((tables.masks * rng.random(tables.masks.shape)).argmax(axis=1))
    rows = np.array([13, 0, 5])
    foreseen = tables.foresee(rows)
    games, scales = tables.views(rows)
    heuristic = bots.make("heuristic")
    for number, (game, scale) in enumerate(zip(games, scales, strict=True)):
        record = np.array([game])
        seat, before = int(record["turn"][0]), record["deal_scores"][0].astype(int)
        while record["phase"][0] != OVER:
            view = record.copy()
            batch.hide_hands(view, record["turn"].astype(np.int64))
            batch.step_games(record, heuristic.act_batch(view, rng))
        paid = record["deal_scores"][0].astype(int) - before
        assert foreseen[number] == pytest.approx(scale * (paid[seat] - paid.mean()), rel=1e-5, abs=1e-5)


def test_whoever_plays_as_was_foreseen_is_paid_nothing() -> None:
    """Four heuristics bring about just what was foreseen: without luck every reward is 0 from decision to decision."""
    config = tiny(removes_luck=True, num_steps=60)
    learner = ppo.new_learner(config)
    streams, tables = learner.streams, learner.tables
    for _ in range(60):
        rows = np.flatnonzero(tables.masks.sum(axis=1) > 1)
        actions = tables.masks.argmax(axis=1)
        if len(rows):
            tables.ask_heuristic()
            actions[rows] = tables.usual[rows]
            zeros = np.zeros(len(rows), dtype=np.float32)
            shown, masks = tables.shown(rows), tables.masks[rows]
            advice = tables.advice[rows]
            streams.add(
                rows, tables.seats[rows], shown, advice, masks, actions[rows], zeros, zeros, tables.foresee(rows)
            )
        rewards, ended = tables.step(actions)
        streams.pay(rewards)
        streams.end(ended)
    closed = streams.closed_rows()
    assert len(closed) > 300
    np.testing.assert_allclose(streams.rewards[closed], 0.0, atol=1e-5)


def test_rates_of_self_play_count_from_the_end_of_the_warm_start() -> None:
    config = tiny(max_minutes=10.0, total_decisions=1_000)
    counters = ppo.Counters(minutes=7.0, minutes_taught=4.0, decisions=100)
    assert ppo.progress_of_self_play(counters, config) == pytest.approx(0.5)
    assert ppo.progress_of_self_play(ppo.Counters(decisions=800, minutes=1.0), config) == pytest.approx(0.8)
    assert ppo.progress_of_self_play(ppo.Counters(decisions=250), tiny(total_decisions=1_000)) == pytest.approx(0.25)
    assert ppo.progress_of_self_play(ppo.Counters(minutes=12.0, minutes_taught=12.0), config) == 1.0


def test_rates_of_a_warm_start_follow_the_minutes_where_nothing_comes_after_it() -> None:
    counters = ppo.Counters(taught=100, minutes=3.0)
    alone = tiny(played_out_decisions=1_000, total_decisions=0, max_minutes=4.0)
    assert ppo.progress_of_warm_start(counters, alone) == pytest.approx(0.75)
    assert ppo.progress_of_warm_start(counters, tiny(played_out_decisions=1_000, max_minutes=4.0)) == pytest.approx(0.1)
    assert (
        ppo.progress_of_warm_start(ppo.Counters(taught=400), tiny(played_out_decisions=500, total_decisions=0)) == 0.8
    )


@pytest.mark.parametrize(
    ("values", "message"),
    [
        (
            {"heuristic_tables": 0.6, "past_tables": 0.5},
            "heuristic_tables: must not be above 1 together with past_tables and frozen_tables",
        ),
        ({"past_tables": 0.6, "frozen_tables": 0.5}, "heuristic_tables: must not be above 1 together with"),
        ({"frozen_tables": 1.5}, "frozen_tables: must be at least 0.0 and at most 1.0"),
        ({"heuristic_tables": -0.1}, "heuristic_tables"),
        ({"past_tables": 1.5}, "past_tables"),
        ({"removes_luck": True, "horizon": "game", "episode": "game"}, "removes_luck: playouts end with the deal"),
        ({"removes_luck": True, "reward": "deal"}, "removes_luck: playouts end with the deal"),
    ],
)
def test_company_that_cannot_be_is_refused(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=message):
        tiny(**values)
