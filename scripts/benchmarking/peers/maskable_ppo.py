"""SB3-contrib's MaskablePPO on an env that costs nothing, with the sizes of our PPO."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from gymnasium import spaces
from sb3_contrib import MaskablePPO
from stable_baselines3.common.torch_layers import BaseFeaturesExtractor
from stable_baselines3.common.vec_env import VecEnv
from torch import Tensor, nn

from baselines.ppo.config import PPOConfig
from king_env.batch_env import BatchEnv
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.observation import OBSERVATION_SIZE
from scripts.benchmarking.measuring import DECISIONS_PER_SECOND, Sample
from scripts.benchmarking.training import self_play_config, settings_text

SEED = 1


def maskable_ppo() -> Iterator[Sample]:
    """An update from end to end."""
    config = self_play_config()
    torch.set_num_threads(config.num_threads)
    learner = new_learner(config)
    update_rate(learner)  # whatever comes but once
    yield Sample(
        "maskable_ppo",
        f"SB3-contrib MaskablePPO on a free env, {settings_text(config)}",
        DECISIONS_PER_SECOND,
        update_rate(learner),
    )


def update_rate(learner: Any) -> float:
    """Decisions collected and learned from per second of CPU time."""
    num_decisions = learner.n_envs * learner.n_steps
    started = time.process_time()
    learner.learn(num_decisions, log_interval=None, reset_num_timesteps=False)
    return num_decisions / (time.process_time() - started)


def new_learner(config: PPOConfig) -> Any:
    """MaskablePPO as our config would have it, policy and value on shared layers."""
    return MaskablePPO(
        "MlpPolicy",
        FreeEnv(config.num_games),
        n_steps=config.num_steps,
        batch_size=config.minibatch_size,
        n_epochs=config.update_epochs,
        learning_rate=config.learning_rate,
        ent_coef=config.entropy_coef,
        device=config.device,
        seed=SEED,
        policy_kwargs={
            "features_extractor_class": SharedLayers,
            "features_extractor_kwargs": {"hidden_sizes": config.hidden_sizes},
            "net_arch": [],
        },
    )


class SharedLayers(BaseFeaturesExtractor):  # type: ignore[misc]  # SB3 is not everywhere where types are checked
    """The layers that policy and value share in our network."""

    def __init__(self, observation_space: spaces.Box, hidden_sizes: Sequence[int]) -> None:
        super().__init__(observation_space, hidden_sizes[-1])
        layers: list[nn.Module] = []
        width = observation_space.shape[0]
        for next_width in hidden_sizes:
            layers += [nn.Linear(width, next_width), nn.ReLU()]
            width = next_width
        self.layers = nn.Sequential(*layers)

    def forward(self, observations: Tensor) -> Tensor:
        """The features float[B, hidden_sizes[-1]]."""
        return self.layers(observations)


class FreeEnv(VecEnv):  # type: ignore[misc]
    """Shows the first turn of so many games of King for ever, and pays nothing."""

    def __init__(self, num_envs: int) -> None:
        games = BatchEnv(num_envs)
        games.reset(seed=SEED)
        self._observations, masks, _ = games.observe()
        self._masks = list(masks)
        self._rewards = np.zeros(num_envs, dtype=np.float32)
        self._dones = np.zeros(num_envs, dtype=np.bool_)
        self._infos: list[dict[str, Any]] = [{} for _ in range(num_envs)]
        super().__init__(num_envs, spaces.Box(0, 1, (OBSERVATION_SIZE,), np.int8), spaces.Discrete(NUM_ACTIONS))

    def reset(self) -> np.ndarray:
        """The first observations, and all others."""
        return self._observations

    def step_async(self, actions: np.ndarray) -> None:
        """Whatever is done, nothing changes."""

    def step_wait(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, list[dict[str, Any]]]:
        """Always the same."""
        return self._observations, self._rewards, self._dones, self._infos

    def env_method(self, method_name: str, *arguments: Any, indices: Any = None, **options: Any) -> list[Any]:
        """The masks: no other method is asked for."""
        return self._masks

    def get_attr(self, attr_name: str, indices: Any = None) -> list[Any]:
        """SB3 asks for the render mode and whether there are masks."""
        return [None] * self.num_envs

    def set_attr(self, attr_name: str, value: Any, indices: Any = None) -> None:
        """There is nothing to set."""

    def env_is_wrapped(self, wrapper_class: Any, indices: Any = None) -> list[bool]:
        """Nothing is wrapped."""
        return [False] * self.num_envs

    def close(self) -> None:
        """Nothing is held open."""
