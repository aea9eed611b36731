"""MaskablePPO of sb3-contrib in one seat against three `heuristic`, on King's native vector env.

python -m baselines.sb3.maskable_ppo --decisions 1000000

Stable-Baselines3 has a vector API of its own, older than Gymnasium's: `KingVecEnv` translates, so that all games are
played in one compiled call. sb3-contrib finds the masks by the method `action_masks`.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import gymnasium
import numpy as np
import numpy.typing as npt
import torch
from sb3_contrib import MaskablePPO
from stable_baselines3.common.vec_env import VecEnv, VecMonitor, VecNormalize
from stable_baselines3.common.vec_env.base_vec_env import VecEnvIndices, VecEnvObs, VecEnvStepReturn

from baselines.playing import Bits, Numbers, ObservingBot, Stopwatch, print_strength, reading, recipe_options
from king_env import GYMNASIUM_ID
from king_env.engine.actions import NUM_ACTIONS

# Points add up over a game, but a decision has little to do with deals that come later.
GAMMA = 0.97
STEPS_A_ROLLOUT = 64
ROLLOUTS_A_REPORT = 20


class KingVecEnv(VecEnv):  # type: ignore[misc]  # types of other libraries are not looked at
    """`gymnasium.make_vec("King-v0")` as Stable-Baselines3 wants it; an episode that is over begins anew at once."""

    def __init__(self, num_envs: int, **options: Any) -> None:
        self._envs = gymnasium.make_vec(
            GYMNASIUM_ID, num_envs, observation_format="flat", autoreset_mode="SameStep", **options
        ).unwrapped
        self._actions: npt.NDArray[Any] = np.zeros(num_envs, dtype=np.int64)
        self._masks: Bits = np.zeros((num_envs, NUM_ACTIONS), dtype=np.int8)
        super().__init__(num_envs, self._envs.single_observation_space, self._envs.single_action_space)

    def reset(self) -> VecEnvObs:
        """Begin all games; the seeds are those that `seed` was given, if it was."""
        seeds = None if self._seeds[0] is None else self._seeds
        observations, infos = self._envs.reset(seed=seeds)
        self._masks = infos["action_mask"]
        self._reset_seeds()
        return observations

    def step_async(self, actions: npt.NDArray[Any]) -> None:
        """Keep the actions for `step_wait`."""
        self._actions = actions

    def step_wait(self) -> VecEnvStepReturn:
        """Play to each learner's next turn."""
        observations, rewards, terminations, _, infos = self._envs.step(self._actions)
        self._masks = infos["action_mask"]
        each: list[dict[str, Any]] = [{} for _ in range(self.num_envs)]
        for env in np.flatnonzero(terminations):
            each[env] = {"terminal_observation": infos["final_obs"][env], "TimeLimit.truncated": False}
        return observations, rewards, terminations, each

    def action_masks(self) -> Bits:
        """What each learner may do: int8[num_envs, 81]."""
        return self._masks

    def close(self) -> None:
        """Nothing is held open."""
        self._envs.close()

    def get_attr(self, attr_name: str, indices: VecEnvIndices = None) -> list[Any]:
        """An attribute of the vector env, for each env the same."""
        return [getattr(self if attr_name == "action_masks" else self._envs, attr_name)] * self._num_asked(indices)

    def set_attr(self, attr_name: str, value: Any, indices: VecEnvIndices = None) -> None:
        """Nothing can be set for single games."""
        raise AttributeError(f"King's games share one vector env; {attr_name} cannot be set")

    def env_method(self, method_name: str, *args: Any, indices: VecEnvIndices = None, **kwargs: Any) -> list[Any]:
        """`action_masks` of each env, which is all that sb3-contrib calls."""
        if method_name != "action_masks":
            raise AttributeError(f"King's games share one vector env; of each by itself there is no {method_name}()")
        return [self._masks[env] for env in self._get_indices(indices)]

    def env_is_wrapped(self, wrapper_class: Any, indices: VecEnvIndices = None) -> list[bool]:
        """No game has wrappers of its own."""
        return [False] * self._num_asked(indices)

    def _num_asked(self, indices: VecEnvIndices) -> int:
        return len([*self._get_indices(indices)])


def new_model(num_envs: int, seed: int) -> MaskablePPO:
    """A fresh learner among three `heuristic`; rewards are scaled to a spread of about 1."""
    envs = VecNormalize(VecMonitor(KingVecEnv(num_envs, opponents="heuristic")), norm_obs=False, gamma=GAMMA)
    return MaskablePPO(
        "MlpPolicy",
        envs,
        n_steps=STEPS_A_ROLLOUT,
        batch_size=1024,
        n_epochs=3,
        learning_rate=5e-4,
        gamma=GAMMA,
        gae_lambda=0.9,
        ent_coef=0.01,
        policy_kwargs={"net_arch": [256, 256], "activation_fn": torch.nn.ReLU},
        seed=seed,
        device="cpu",
        verbose=1,
    )


def bot_of(model: MaskablePPO) -> ObservingBot:
    """Plays the most probable action."""

    def most_probable(observations: Bits, masks: Bits) -> Numbers:
        return np.asarray(model.predict(observations, action_masks=masks, deterministic=True)[0])

    return ObservingBot(most_probable, "sb3")


def main(arguments: Sequence[str] | None = None) -> int:
    options = recipe_options(__doc__, arguments, num_envs=64)
    if options.load:
        with reading(options.load):
            model = MaskablePPO.load(options.load, device="cpu")
    else:
        model = new_model(options.num_envs, options.seed)
        stopwatch = Stopwatch()
        model.learn(options.decisions, log_interval=ROLLOUTS_A_REPORT)
        stopwatch.print_speed(model.num_timesteps)
    if options.save:
        model.save(options.save)
    print_strength(bot_of(model), options.blocks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
