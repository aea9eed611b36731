"""An env copied in mid-game, in whatever way, plays on as the one it was copied from; neither touches the other."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Callable
from typing import Any

import pytest

from king_env import king_v0
from king_env.aec_env import KingAECEnv
from king_env.ruleset import RULESETS
from tests.envs.playing import is_over, play, random_chooser, trace


def through_pickle(env: KingAECEnv) -> KingAECEnv:
    copied: KingAECEnv = pickle.loads(pickle.dumps(env))
    return copied


WAYS: dict[str, Callable[[KingAECEnv], KingAECEnv]] = {
    "copy": copy.copy,
    "deepcopy": copy.deepcopy,
    "pickle": through_pickle,
}
EVERY_SO_MANY_ACTIONS = 61


def to_the_end_and_on(env: KingAECEnv) -> list[Any]:
    """The rest of this episode and the whole of the next, whose cards come from the same stream."""
    rest = list(trace(env, random_chooser(1)))
    env.reset()
    return rest + list(trace(env, random_chooser(2)))


def check_copies(original: KingAECEnv, way: Callable[[KingAECEnv], KingAECEnv]) -> None:
    played, untouched, kept = way(original), way(original), way(original)
    assert to_the_end_and_on(played) == to_the_end_and_on(untouched)
    assert kept.game.record.tobytes() == original.game.record.tobytes()
    assert kept.game.to_record() == original.game.to_record()


@pytest.mark.parametrize("seed", [None, 1])
@pytest.mark.parametrize("way", WAYS)
def test_copies_of_a_game_play_on_alike(way: str, seed: int | None) -> None:
    env = king_v0.env(observation_format="flat")
    env.reset(seed=seed)
    while not is_over(env):
        check_copies(env, WAYS[way])
        play(env, random_chooser(0), EVERY_SO_MANY_ACTIONS)
    check_copies(env, WAYS[way])


@pytest.mark.parametrize("make", [king_v0.env, king_v0.raw_env])
@pytest.mark.parametrize("ruleset", RULESETS)
def test_copies_at_any_ply_of_a_positive_deal_play_on_alike(ruleset: str, make: Callable[..., KingAECEnv]) -> None:
    env = make(ruleset=ruleset, episode="deal", contracts=["positive"])
    env.reset(seed=2)
    choose = random_chooser(3)
    ways = list(WAYS.values())
    actions = 0
    while env.agents:
        check_copies(env, ways[actions % len(ways)])
        if is_over(env):
            env.step(None)
        else:
            play(env, choose, 1)
        actions += 1


@pytest.mark.parametrize("way", WAYS)
def test_an_env_may_be_copied_before_its_first_reset(way: str) -> None:
    env = WAYS[way](king_v0.env(ruleset="brazilian_auction"))
    env.reset(seed=4)
    assert env.game.ruleset == RULESETS["brazilian_auction"]
    with pytest.raises(AttributeError, match="agents cannot be accessed before reset"):
        _ = WAYS[way](king_v0.env()).agents


def test_a_copy_keeps_the_samplers_of_its_spaces() -> None:
    env = king_v0.env()
    env.action_space("player_0").seed(5)
    env.action_space("player_0").sample()
    copied = copy.deepcopy(env)
    drawn = [env.action_space("player_0").sample() for _ in range(20)]
    assert [copied.action_space("player_0").sample() for _ in range(20)] == drawn


def test_a_copy_of_the_record_cannot_foresee_the_next_deal() -> None:
    """A view is handed to bots: nothing in it tells the cards to come."""
    first, second = king_v0.env(), king_v0.env()
    first.reset(seed=6)
    deals = list(first.game.deals)
    deals[1:] = deals[:0:-1]
    second.reset(options={"deals": deals, "dealer": first.game.dealer})
    assert first.view("player_0").tobytes() == second.view("player_0").tobytes()
