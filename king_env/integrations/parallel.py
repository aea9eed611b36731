"""King in PettingZoo's parallel API: all four agents in one dict, float32 observations, the masks in the infos.

>>> from king_env.integrations.parallel import parallel_env
>>> env = parallel_env(ruleset="portuguese")
>>> observations, infos = env.reset(seed=1)
>>> agent = env.agent_to_act
>>> action = env.action_space(agent).sample(infos[agent]["action_mask"])
>>> observations, rewards, terminations, truncations, infos = env.step({agent: action})

King is played in turn, so a step plays the action of the agent to act alone; what others ask for is ignored, and they
need not ask for anything. `king_v0.parallel_env` is the same through PettingZoo's own wrapper, in the format of
`king_v0`; this one is for libraries that want arrays of floats and look for masks in infos.

* `inactive="nan"`: an agent that is not to act sees nothing but NaN, by which AgileRL knows that it is inactive.
  `"observed"`: it sees what it knows.
* The other options are those of `king_v0.env`, but for `observation_format`.

`infos[agent]["action_mask"]` is int8[81]. That of an agent that is not to act allows everything, for whatever it does
is ignored, and whoever samples or maximizes for all four agents needs something allowed.

Rewards are those of this step for all four seats, whoever acts: over an episode they add up to the scores. A learner
must add up all that its seat is paid from one of its actions to the next, while others act, too.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
from gymnasium import spaces
from pettingzoo import ParallelEnv

from king_env import king_v0
from king_env.aec_env import AGENTS, AgentID
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.observation import OBSERVATION_SIZE
from king_env.episode import OptionError, check_option

__all__ = ["TurnsInParallel", "parallel_env"]

INACTIVE = ("nan", "observed")

Floats = npt.NDArray[np.float32]


class TurnsInParallel(ParallelEnv[AgentID, Any, Any]):  # type: ignore[misc]  # PettingZoo has no types
    """King with all four agents at every step. The module `king_env.integrations.parallel` is its reference page."""

    def __init__(self, inactive: str = "nan", **options: Any) -> None:
        check_option("inactive", inactive, INACTIVE)
        if "observation_format" in options:
            raise OptionError("observation_format: here observations are always arrays, and the masks are in the infos")
        self._env = king_v0.env(observation_format="flat", **options)
        self._sees_always = inactive == "observed"
        self.metadata = {**self._env.metadata, "is_parallelizable": True}
        self.render_mode = self._env.render_mode
        self.possible_agents = list(AGENTS)
        self.agents: list[AgentID] = []
        space = spaces.Box(0.0, 1.0, (OBSERVATION_SIZE,), np.float32)
        self.observation_spaces = dict.fromkeys(AGENTS, space)
        self.action_spaces = {agent: spaces.Discrete(NUM_ACTIONS) for agent in AGENTS}
        self.state_space = self._env.state_space

    def observation_space(self, agent: AgentID) -> spaces.Space[Any]:
        """The same space object for an agent at every call."""
        return self.observation_spaces[agent]

    def action_space(self, agent: AgentID) -> spaces.Space[Any]:
        """The same space object for an agent at every call."""
        return self.action_spaces[agent]

    @property
    def agent_to_act(self) -> AgentID:
        """The agent whose action the next step plays; once the episode is over, no matter which."""
        agent: AgentID = self._env.agent_selection
        return agent

    @property
    def aec_env(self) -> Any:
        """The AEC env that is played, with `game`, `view` and `determinize`."""
        return self._env

    def reset(
        self, seed: int | None = None, options: Mapping[str, Any] | None = None
    ) -> tuple[dict[AgentID, Floats], dict[AgentID, dict[str, Any]]]:
        """Begin an episode, as `king_v0.env` does."""
        self._env.reset(seed=seed, options=options)
        self.agents = list(AGENTS)
        return self._observations(), self._infos()

    def step(
        self, actions: Mapping[AgentID, Any]
    ) -> tuple[
        dict[AgentID, Floats],
        dict[AgentID, float],
        dict[AgentID, bool],
        dict[AgentID, bool],
        dict[AgentID, dict[str, Any]],
    ]:
        """Play the action of the agent to act; an illegal one ends the episode, as in `king_v0.env`."""
        if not self.agents:
            raise RuntimeError("there is no episode under way: call reset()")
        agent = self.agent_to_act
        if agent not in actions:
            raise ValueError(
                f"actions: {agent} is to act, but there are actions of {', '.join(actions) or 'nobody'} only"
            )
        self._env.step(actions[agent])
        rewards, terminations = dict(self._env.rewards), dict(self._env.terminations)
        truncations = dict(self._env.truncations)
        if any(terminations.values()):
            self.agents = []
        return self._observations(), rewards, terminations, truncations, self._infos()

    def render(self) -> Any:
        """As the AEC env's."""
        return self._env.render()

    def state(self) -> npt.NDArray[np.int8]:
        """The global view, as the AEC env's."""
        state: npt.NDArray[np.int8] = self._env.state()
        return state

    def close(self) -> None:
        """Nothing is held open."""

    def _observations(self) -> dict[AgentID, Floats]:
        return {
            agent: self._env.observe(agent).astype(np.float32)
            if self._sees_always or self._is_to_act(agent)
            else np.full(OBSERVATION_SIZE, np.nan, dtype=np.float32)
            for agent in AGENTS
        }

    def _infos(self) -> dict[AgentID, dict[str, Any]]:
        return {
            agent: {
                "action_mask": self._env.infos[agent]["action_mask"].copy()
                if self._is_to_act(agent)
                else np.ones(NUM_ACTIONS, dtype=np.int8)
            }
            for agent in AGENTS
        }

    def _is_to_act(self, agent: AgentID) -> bool:
        return bool(self.agents) and agent == self.agent_to_act


def parallel_env(inactive: str = "nan", **options: Any) -> TurnsInParallel:
    """King with all four agents at every step; `inactive` says what those see that are not to act."""
    return TurnsInParallel(inactive, **options)
