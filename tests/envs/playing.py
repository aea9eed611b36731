"""Playing envs to their end for tests: a chooser of legal actions, and everything that comes out on the way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import numpy.typing as npt

from king_env.aec_env import AGENTS, KingAECEnv
from king_env.engine.actions import ACCEPT, FIRST_BID, FIRST_CALL, PASS

Chooser = Callable[[npt.NDArray[np.int8]], int]
Mask = npt.NDArray[np.int8]

# Uniform bidding runs to the cap at once; mostly low bids and passes make auctions long.
PASS_RATE = 0.4
LOWEST_BIDS = 2


def random_chooser(seed: int) -> Chooser:
    """Picks a legal action at random, bidding low so that auctions go on."""
    rng = np.random.default_rng(seed)

    def choose(mask: Mask) -> int:
        legal = np.flatnonzero(mask)
        if legal[0] == PASS:
            bids = legal[(legal >= FIRST_BID) & (legal < ACCEPT)][:LOWEST_BIDS]
            return PASS if len(bids) == 0 or rng.random() < PASS_RATE else int(rng.choice(bids))
        return int(rng.choice(legal))

    return choose


def is_call(action: int) -> bool:
    return action >= FIRST_CALL


def mask_of(env: KingAECEnv) -> Mask:
    """The action mask of the agent to act, in either format."""
    agent = env.agent_selection
    shown = env.observe(agent)
    mask: Mask = shown["action_mask"] if isinstance(shown, dict) else env.infos[agent]["action_mask"]
    return mask


def is_over(env: KingAECEnv) -> bool:
    return not env.agents or env.terminations[env.agent_selection]


def play(env: KingAECEnv, choose: Chooser, actions: int | None = None) -> list[int]:
    """Play on for so many actions, or until the episode is over; returns what was played."""
    played: list[int] = []
    while not is_over(env) and len(played) != actions:
        action = choose(mask_of(env))
        env.step(action)
        played.append(action)
    return played


def trace(env: KingAECEnv, choose: Chooser) -> Iterator[tuple[Any, ...]]:
    """Play to the end, the agents that are done included, and tell all that anybody can see on the way."""
    while env.agents:
        agent = env.agent_selection
        observation, reward, termination, truncation, info = env.last()
        yield agent, plain(observation), reward, termination, truncation, plain(info), dict(env.rewards)
        env.step(None if termination else choose(mask_of(env)))


def plain(value: Any) -> Any:
    """Arrays as bytes, so that what holds them can be compared with ==."""
    if isinstance(value, dict):
        return {key: plain(entry) for key, entry in value.items()}
    if isinstance(value, tuple):
        return tuple(plain(entry) for entry in value)
    return value.tobytes() if isinstance(value, np.ndarray) else value


def all_observations(env: KingAECEnv) -> Any:
    return [plain(env.observe(agent)) for agent in AGENTS]
