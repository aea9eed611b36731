"""King for the new API stack of RLlib (`pip install 'king-env[ray]'`): four agents, each acting when it is its turn.

```python
from ray.rllib.algorithms.ppo import PPOConfig

from king_env.integrations.rllib import KingMultiAgentEnv

config = PPOConfig().environment(KingMultiAgentEnv, env_config={"episode": "deal"})
```

`env_config` holds the options of `king_v0.env`. An agent observes a dict of `observations`, float32[OBSERVATION_SIZE],
and `action_mask`, int8[81], as RLlib's own example of a masked module wants it. Rewards arrive with the agent's next
observation, or its last, and add up to its score.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from gymnasium import spaces
from pettingzoo import AECEnv
from pettingzoo.utils.wrappers import BaseWrapper
from ray.rllib.env.wrappers.pettingzoo_env import PettingZooEnv

from king_env import king_v0
from king_env.aec_env import AgentID
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.observation import OBSERVATION_SIZE
from king_env.episode import OptionError


class KingMultiAgentEnv(PettingZooEnv):  # type: ignore[misc]  # Ray's types are not read
    """King as a `MultiAgentEnv`."""

    def __init__(self, config: Mapping[str, Any] | None = None) -> None:
        """Take the options of `king_v0.env`; RLlib hands them over as `env_config`."""
        options = dict(config or {})
        if options.get("observation_format", "dict") != "dict":
            raise OptionError("observation_format: RLlib is given dicts, so leave it out")
        super().__init__(FloatObservations(king_v0.env(**options)))
        # RLlib's wrapper keeps its agents in a set, of which the order changes from process to process.
        self.agents = list(self.env.possible_agents)
        self.possible_agents = list(self.env.possible_agents)
        self.observation_spaces = {agent: self.env.observation_space(agent) for agent in self.agents}
        self.action_spaces = {agent: self.env.action_space(agent) for agent in self.agents}

    @property
    def render_mode(self) -> str | None:
        """As it was asked for among the options."""
        mode: str | None = self.env.render_mode
        return mode

    def render(self) -> Any:
        """As `king_v0.env`; RLlib's wrapper hands PettingZoo an argument that it does not take."""
        return self.env.render()


class FloatObservations(BaseWrapper):  # type: ignore[misc]  # PettingZoo has no types
    """An AEC env whose `observation` is named `observations` and is float32, which RLlib's networks can read."""

    def __init__(self, env: AECEnv[AgentID, Any, Any]) -> None:
        super().__init__(env)
        self.observation_spaces = {
            agent: spaces.Dict(
                {
                    "observations": spaces.Box(0.0, 1.0, (OBSERVATION_SIZE,), np.float32),
                    "action_mask": spaces.Box(0, 1, (NUM_ACTIONS,), np.int8),
                }
            )
            for agent in env.possible_agents
        }

    def observation_space(self, agent: AgentID) -> spaces.Dict:
        """The same space object for an agent at every call."""
        return self.observation_spaces[agent]

    def observe(self, agent: AgentID) -> dict[str, np.ndarray]:
        """What an agent knows; `last` hands out the same."""
        seen = self.env.observe(agent)
        return {"observations": seen["observation"].astype(np.float32), "action_mask": seen["action_mask"]}
