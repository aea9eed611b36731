"""Envs that record: which games are written, when, and by whom if an env is copied."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from king_env import IllegalActionError, king_v0
from king_env.aec_env import KingAECEnv
from king_env.game import Game
from king_env.records import RecordError, read_lines
from tests.envs.playing import is_over, mask_of, play, random_chooser


def through_pickle(env: KingAECEnv) -> KingAECEnv:
    copied: KingAECEnv = pickle.loads(pickle.dumps(env))
    return copied


def games_in(path: Path) -> list[Game]:
    return [line.game() for line in read_lines(path)]


def play_out(env: KingAECEnv, seed: int = 1) -> None:
    play(env, random_chooser(seed), 2000)
    assert is_over(env)


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "games.jsonl"


@pytest.mark.parametrize("make", [king_v0.env, king_v0.raw_env])
@pytest.mark.parametrize("ruleset", ["portuguese", "brazilian_auction", {"max_nulls": 4}])
def test_every_finished_game_is_a_line(make: Callable[..., KingAECEnv], ruleset: Any, path: Path) -> None:
    env = make(ruleset=ruleset, record=path)
    played = []
    for seed in range(2):
        env.reset(seed=seed)
        play_out(env, seed)
        played.append(env.game.to_record())
        assert len(games_in(path)) == seed + 1  # at once, not when the env is closed
    assert [game.to_record() for game in games_in(path)] == played
    assert all(game.is_over and game.num_deals == 10 for game in games_in(path))


def test_single_deals_are_recorded_as_the_deals_they_are(path: Path) -> None:
    env = king_v0.env(episode="deal", contracts=["no_queens", "positive"], observation_format="flat", record=str(path))
    deals = set()
    for seed in range(12):
        env.reset(seed=seed)
        play_out(env, seed)
        deals.add(env.game.deal_number)
    games = games_in(path)
    assert {game.deal_number for game in games} == deals > {3}
    assert all(game.is_over and game.num_deals == 1 for game in games)


def test_given_cards_are_recorded(path: Path) -> None:
    env = king_v0.env(episode="deal", contracts=["no_tricks"], record=path)
    deal = "0:AKQ2.432.5432.32 JT9.AKQ.876.AKQJ 876.JT98.AKQ.T98 543.765.JT9.7654"
    env.reset(options={"deals": [deal], "dealer": 3})
    play_out(env)
    (game,) = games_in(path)
    assert (game.to_record()["deals"], game.first_dealer) == ([deal], 3)


def test_what_is_put_into_meta_is_written(path: Path) -> None:
    env = king_v0.env(episode="deal", record=path)
    env.reset(seed=1)
    env.game.meta["players"] = ["a", "b", "c", "d"]
    play_out(env)
    env.reset(seed=2)
    play_out(env)
    assert [game.players for game in games_in(path)] == [["a", "b", "c", "d"], None]


def test_a_parallel_env_records(path: Path) -> None:
    env = king_v0.parallel_env(episode="deal", record=path)
    env.reset(seed=1)
    while env.agents:
        king: KingAECEnv = env.unwrapped
        action = int(mask_of(king).argmax())
        env.step(dict.fromkeys(env.agents, action))
    assert len(games_in(path)) == 1


def test_games_are_added_to_those_that_are_there(path: Path) -> None:
    for seed in range(2):
        env = king_v0.env(episode="deal", record=path)
        env.reset(seed=seed)
        play_out(env)
    assert len(games_in(path)) == 2


def test_a_game_that_is_not_finished_is_not_written(path: Path) -> None:
    env = king_v0.env(episode="deal", record=path)
    env.reset(seed=1)
    play(env, random_chooser(1), 20)
    env.reset(seed=2)
    play(env, random_chooser(1), 20)
    env.close()
    assert games_in(path) == []


def test_an_illegal_action_finishes_no_game(path: Path) -> None:
    checked = king_v0.env(episode="deal", record=path)
    checked.reset(seed=1)
    checked.step(int(mask_of(checked).argmin()))
    assert is_over(checked)
    raw = king_v0.raw_env(episode="deal", record=path)
    raw.reset(seed=1)
    with pytest.raises(IllegalActionError):
        raw.step(int(mask_of(raw).argmin()))
    assert games_in(path) == []
    play_out(raw)
    assert len(games_in(path)) == 1


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy])
def test_a_copy_leaves_the_game_it_was_copied_in_to_the_original(
    way: Callable[[KingAECEnv], KingAECEnv], path: Path
) -> None:
    env = king_v0.env(episode="deal", record=path)
    env.reset(seed=1)
    play(env, random_chooser(1), 9)
    twin = way(way(env))
    play_out(twin, 2)
    assert games_in(path) == []
    play_out(env, 3)
    assert [game.to_record() for game in games_in(path)] == [env.game.to_record()]
    twin.reset()
    play_out(twin)
    assert len(games_in(path)) == 2
    assert games_in(path)[1].to_record() == twin.game.to_record()


def test_a_pickled_env_goes_on_recording(path: Path) -> None:
    env = king_v0.env(episode="deal", record=path)
    env.reset(seed=1)
    play(env, random_chooser(1), 9)
    woken = through_pickle(env)
    play_out(woken)
    assert [game.to_record() for game in games_in(path)] == [woken.game.to_record()]


@pytest.mark.parametrize("way", [copy.copy, copy.deepcopy, through_pickle])
def test_a_copy_of_an_unused_env_records(way: Callable[[KingAECEnv], KingAECEnv], path: Path) -> None:
    env = way(king_v0.env(episode="deal", record=path))
    env.reset(seed=1)
    play_out(env)
    assert len(games_in(path)) == 1


def test_worlds_that_nobody_played_in_are_not_recorded(path: Path) -> None:
    env = king_v0.env(episode="deal", record=path)
    env.reset(seed=1)
    world = env.determinize("player_2", seed=1)
    play_out(world)
    world.reset()
    play_out(world)
    assert games_in(path) == []


def test_a_file_that_cannot_be_written_is_refused_at_once(tmp_path: Path) -> None:
    with pytest.raises(RecordError, match="^record: cannot write"):
        king_v0.env(record=tmp_path)


def test_nothing_is_written_without_a_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    env = king_v0.env(episode="deal")
    env.reset(seed=1)
    play_out(env)
    assert list(tmp_path.iterdir()) == []
