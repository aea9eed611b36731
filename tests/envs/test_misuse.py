"""Misuse of `env()` ends as with PettingZoo's stock wrappers round `raw_env()`; of `raw_env()`, in an error alone."""

from __future__ import annotations

import operator
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import pettingzoo
import pytest
from pettingzoo import AECEnv
from pettingzoo.utils import wrappers
from pettingzoo.utils.env_logger import EnvLogger

from king_env import king_v0
from king_env.aec_env import AGENTS, OBSERVATION_FORMATS, SET_BY_RESET
from king_env.engine.actions import NUM_ACTIONS
from king_env.game import IllegalActionError
from tests.envs.playing import mask_of, plain, play, random_chooser, trace

Ask = Callable[[Any], Any]
NUM_SCRIPTS = 20
SCRIPT_LENGTH = 80
# What the scripts must have met at least once each.
COMPLAINTS = (
    "action is not in action space",
    "need to call step() or reset() in a loop over `agent_iter`",
    "when an agent is dead, the only valid action is None",
    "Illegal move made",
    "step() called after all agents are terminated",
    "StopIteration",
)


@pytest.fixture(autouse=True)
def quiet_env_logger() -> Iterator[None]:
    """PettingZoo prints its warnings."""
    EnvLogger.suppress_output()
    yield
    EnvLogger.unsuppress_output()


def stock_env(**options: Any) -> AECEnv:
    """`raw_env` in the wrappers, and in the order, that PettingZoo's own card games put round theirs."""
    raw = king_v0.raw_env(**options)
    return wrappers.OrderEnforcingWrapper(
        wrappers.AssertOutOfBoundsWrapper(wrappers.TerminateIllegalWrapper(raw, illegal_reward=raw.illegal_reward))
    )


def answer(ask: Ask, env: Any) -> Any:
    """What a call gives, or how it fails; and whether it warned."""
    EnvLogger.flush()
    try:
        result: Any = plain(ask(env))
    except (AssertionError, AttributeError, ValueError, StopIteration) as error:
        result = type(error).__name__, str(error)
    return result, list(EnvLogger.mqueue)


def standing(env: Any) -> Any:
    """All that an env says of itself."""
    raw = env.unwrapped
    return (
        env.agents,
        env.agent_selection,
        env.rewards,
        env._cumulative_rewards,
        env.terminations,
        env.truncations,
        plain(env.infos),
        env.num_agents,
        [plain(env.observe(agent)) for agent in AGENTS],
        plain(env.state()),
        raw.game.record.tobytes(),
    )


BEFORE_RESET: dict[str, Ask] = {
    "step": lambda env: env.step(0),
    "observe": lambda env: env.observe("player_0"),
    "state": lambda env: env.state(),
    "render": lambda env: env.render(),
    "agent_iter": lambda env: env.agent_iter(),
    "last": lambda env: env.last(),
    **{name: operator.attrgetter(name) for name in SET_BY_RESET},
    "possible_agents": lambda env: env.possible_agents,
    "max_num_agents": lambda env: env.max_num_agents,
    "hasattr": lambda env: hasattr(env, "agents"),
    "str": str,
    "action_space": lambda env: str(env.action_space("player_1")),
    "state_space": lambda env: str(env.state_space),
}


@pytest.mark.parametrize("name", BEFORE_RESET)
def test_before_reset_it_refuses_and_allows_the_same(name: str) -> None:
    ask = BEFORE_RESET[name]
    assert answer(ask, king_v0.env()) == answer(ask, stock_env())


def random_ask(rng: np.random.Generator, mask: np.ndarray, iterators: dict[int, Any]) -> Ask:
    """Something to do with an env, sensible or not; `iterators` are those of the envs asked."""
    legal, illegal = np.flatnonzero(mask), np.flatnonzero(mask == 0)
    odd: list[Any] = [None, -1, NUM_ACTIONS, 10**30, 3.0, "QH", np.int32(NUM_ACTIONS), np.zeros(2, dtype=np.int64)]
    chosen = int(rng.choice(legal)) if len(legal) else 0
    as_type = (int, np.int64, np.int32, np.uint8, np.array)[rng.integers(5)]
    asks: list[tuple[float, Ask]] = [
        (60, lambda env: env.step(as_type(chosen))),
        (4, lambda env: env.step(None)),
        (1, lambda env: env.step(as_type(int(rng_choice)))),
        (3, lambda env: env.step(odd_action)),
        (4, lambda env: env.last()),
        (2, lambda env: env.last(observe=False)),
        (2, lambda env: env.observe(AGENTS[seat])),
        (10, lambda env: next(iterators[id(env)])),
        (1, lambda env: iterators.__setitem__(id(env), iter(env.agent_iter(5)))),
    ]
    rng_choice, odd_action, seat = rng.choice(illegal), odd[rng.integers(len(odd))], int(rng.integers(4))
    weights = np.array([weight for weight, _ in asks], dtype=float)
    return asks[rng.choice(len(asks), p=weights / weights.sum())][1]


@pytest.mark.skipif(
    not hasattr(pettingzoo, "register"), reason="PettingZoo's own wrappers stumble over some misuse before 1.27"
)
@pytest.mark.parametrize("options", [{}, {"observation_format": "flat"}, {"reward": "placement", "illegal_reward": -7}])
def test_whatever_is_done_it_answers_as_the_stock_wrappers(options: dict[str, Any]) -> None:
    rng = np.random.default_rng(18)
    ours, stock = king_v0.env(episode="deal", **options), stock_env(episode="deal", **options)
    met = set()
    for script in range(NUM_SCRIPTS):
        iterators: dict[int, Any] = {}
        for env in (ours, stock):
            env.reset(seed=script)
            iterators[id(env)] = iter(env.agent_iter())
        for _ in range(SCRIPT_LENGTH):
            mask = mask_of(ours) if ours.agents else np.zeros(NUM_ACTIONS, dtype=np.int8)
            ask = random_ask(rng, mask, iterators)
            given = answer(ask, ours)
            assert given == answer(ask, stock)
            assert standing(ours) == standing(stock)
            met |= {complaint for complaint in COMPLAINTS if complaint in repr(given)}
    assert met == set(COMPLAINTS)


@pytest.mark.parametrize("observation_format", OBSERVATION_FORMATS)
def test_a_whole_game_looks_as_in_the_stock_wrappers(observation_format: str) -> None:
    ours, stock = king_v0.env(observation_format=observation_format), stock_env(observation_format=observation_format)
    ours.reset(seed=19)
    stock.reset(seed=19)
    choose, choose_again = random_chooser(19), random_chooser(19)
    for seen, seen_in_stock in zip(trace(ours, choose), trace(stock, choose_again), strict=True):
        assert seen == seen_in_stock


def play_an_illegal_action(env: Any) -> str:
    """Returns who did it."""
    culprit: str = env.agent_selection
    env.step(int(np.flatnonzero(mask_of(env) == 0)[0]))
    return culprit


@pytest.mark.parametrize(("reward", "price"), [("points", -1300.0), ("deal", -1300.0), ("placement", -1.0)])
def test_an_illegal_action_ends_the_game_and_costs_its_agent_alone(reward: str, price: float) -> None:
    env = king_v0.env(reward=reward)
    env.reset(seed=20)
    play(env, random_chooser(20), 30)
    culprit = play_an_illegal_action(env)
    assert env.rewards == {agent: price if agent == culprit else 0.0 for agent in AGENTS}
    assert env._cumulative_rewards[culprit] == price
    assert all(env.terminations.values())
    assert all(env.truncations.values())


@pytest.mark.parametrize("dead_steps", [0, 1, 4])
def test_an_illegal_action_leaves_nothing_behind_after_the_next_reset(dead_steps: int) -> None:
    spoiled, fresh = king_v0.env(), king_v0.env()
    spoiled.reset(seed=21)
    play(spoiled, random_chooser(21), 57)
    play_an_illegal_action(spoiled)
    for _ in range(dead_steps):
        spoiled.step(None)
    spoiled.reset(seed=22)
    fresh.reset(seed=22)
    assert list(trace(spoiled, random_chooser(22))) == list(trace(fresh, random_chooser(22)))


def test_the_raw_env_refuses_an_illegal_action_and_stays_as_it_was() -> None:
    env = king_v0.raw_env()
    env.reset(seed=23)
    choose = random_chooser(23)
    for _ in range(120):
        before = standing(env)
        for action in np.flatnonzero(mask_of(env) == 0)[::7]:
            with pytest.raises(IllegalActionError):
                env.step(int(action))
        for no_action in (None, -1, NUM_ACTIONS, 1.5, "QH"):
            with pytest.raises(IllegalActionError, match="is no action: they are whole numbers 0 … 80"):
                env.step(no_action)
        assert standing(env) == before
        play(env, choose, 1)


def test_the_raw_env_names_the_rule() -> None:
    env = king_v0.raw_env(episode="deal", contracts=["positive"], ruleset="brazilian_trump")
    env.reset(seed=1)
    with pytest.raises(IllegalActionError, match=r"up NT: this rule set asks for a trump suit \(option no_trump\)"):
        env.step(79)
