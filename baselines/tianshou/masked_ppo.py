"""Tianshou's PPO in self-play: the policy that learns in one seat of each game plays in the other three as well.

python -m baselines.tianshou.masked_ppo --decisions 1000000

`KingVectorEnv` puts King's native vector env where Tianshou has its own. An observation there is one array, what the
seat sees followed by its mask; Tianshou's PPO knows no masks, so the actor puts the mask on its logits.

Tianshou's own multi-agent manager is not used: it learns from each agent's own steps alone, so what a seat is paid
while others act would be lost.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import torch
from gymnasium import spaces
from tianshou.algorithm import PPO
from tianshou.algorithm.modelfree.reinforce import DiscreteActorPolicy
from tianshou.algorithm.optim import AdamOptimizerFactory
from tianshou.data import Collector, VectorReplayBuffer
from tianshou.env.venvs import BaseVectorEnv
from tianshou.trainer import OnPolicyTrainerParams
from tianshou.utils.net.common import MLP
from torch import Tensor, nn

from baselines.playing import (
    Bits,
    Numbers,
    ObservingBot,
    Policy,
    Stopwatch,
    print_strength,
    reading,
    recipe_options,
    self_play_envs,
)
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.observation import OBSERVATION_SIZE

POINTS_A_UNIT = 100.0  # of reward
# Points add up over a game, but a decision has little to do with deals that come later.
GAMMA = 0.97
STEPS_A_ROLLOUT = 32
NUM_EPOCHS = 4
# Small ones: at first it is the number of steps that tells.
MINIBATCH_SIZE = 256
LEARNING_RATE = 1e-3
ILLEGAL_LOGIT = -1e9  # finite, so that no NaN can arise
HIDDEN_SIZES = (256, 256)


class MaskedActor(nn.Module):
    """Logits of what may be done; what may not is hugely negative."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = MLP(input_dim=OBSERVATION_SIZE, output_dim=NUM_ACTIONS, hidden_sizes=HIDDEN_SIZES)

    def forward(self, seen: npt.ArrayLike, state: Any = None, info: Any = None) -> tuple[Tensor, Any]:
        """Logits float[B, 81] from [B, OBSERVATION_SIZE + 81]; there is no hidden state."""
        observations, masks = as_tensor(seen).split([OBSERVATION_SIZE, NUM_ACTIONS], dim=-1)
        return self.layers(observations).masked_fill(masks == 0, ILLEGAL_LOGIT), state


class Critic(nn.Module):
    """What the seat will still be paid."""

    def __init__(self) -> None:
        super().__init__()
        self.layers = MLP(input_dim=OBSERVATION_SIZE, output_dim=1, hidden_sizes=HIDDEN_SIZES)

    def forward(self, seen: npt.ArrayLike) -> Tensor:
        """Values float[B, 1] from [B, OBSERVATION_SIZE + 81]."""
        values: Tensor = self.layers(as_tensor(seen)[:, :OBSERVATION_SIZE])
        return values


def as_tensor(seen: npt.ArrayLike) -> Tensor:
    return torch.as_tensor(seen, dtype=torch.float32)


class KingVectorEnv(BaseVectorEnv):  # type: ignore[misc]  # types of other libraries are not looked at
    """King's native vector env in the place of Tianshou's, whose workers it does without."""

    def __init__(self, num_envs: int, policy: Policy) -> None:
        self._envs = self_play_envs(num_envs, policy)
        self._seed: int | None = None
        self.env_num, self.is_async, self.is_closed = num_envs, False, False

    def get_env_attr(self, key: str, id: Any = None) -> list[Any]:
        """The spaces of each env."""
        of_one = {
            "action_space": self._envs.single_action_space,
            "observation_space": spaces.MultiBinary(OBSERVATION_SIZE + NUM_ACTIONS),
        }
        return [of_one[key]] * self.env_num

    def seed(self, seed: int | list[int] | None = None) -> list[list[int] | None]:
        """Of the next reset of all games: one for all of them."""
        if isinstance(seed, list):
            raise ValueError(f"seed: must be one number, from which all games draw, not a list of {len(seed)}")
        self._seed = seed
        return [None] * self.env_num

    def reset(self, env_id: Any = None, **kwargs: Any) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Begin games anew, all or some."""
        which = np.arange(self.env_num) if env_id is None else np.atleast_1d(env_id)
        chosen = np.zeros(self.env_num, dtype=np.bool_)
        chosen[which] = True
        observations, infos = self._envs.reset(seed=self._seed, options={"reset_mask": chosen})
        self._seed = None
        return self._seen(observations, infos)[which], self._nothing_else(which)

    def step(self, action: Any, id: Any = None) -> tuple[npt.NDArray[Any], ...]:
        """One action a game, as on-policy collectors of whole steps ask for it."""
        observations, rewards, terminations, truncations, infos = self._envs.step(action)
        seen = self._seen(observations, infos)
        which = np.arange(self.env_num)
        return seen, rewards / POINTS_A_UNIT, terminations, truncations, self._nothing_else(which)

    def close(self) -> None:
        """Nothing is held open."""
        self.is_closed = True

    def _seen(self, observations: Bits, infos: dict[str, Any]) -> Bits:
        return np.concatenate([observations, infos["action_mask"]], axis=1)

    def _nothing_else(self, which: npt.NDArray[Any]) -> npt.NDArray[Any]:
        return np.array([{"env_id": int(env)} for env in which], dtype=object)


def new_algorithm() -> PPO:
    """A fresh learner."""
    policy = DiscreteActorPolicy(actor=MaskedActor(), action_space=spaces.Discrete(NUM_ACTIONS))
    return PPO(
        policy=policy,
        critic=Critic(),
        optim=AdamOptimizerFactory(lr=LEARNING_RATE),
        gamma=GAMMA,
        gae_lambda=0.9,
        ent_coef=0.01,
        max_grad_norm=0.5,
        max_batchsize=4096,
    )


def policy_of(algorithm: PPO, samples: bool) -> Policy:
    """What the learner plays as it is at the moment: drawn by its probability, or the most probable."""

    @torch.no_grad()
    def choose(observations: Bits, masks: Bits) -> Numbers:
        logits, _ = algorithm.policy.actor(np.concatenate([observations, masks], axis=1))
        chosen = torch.distributions.Categorical(logits=logits).sample() if samples else logits.argmax(dim=-1)
        return np.asarray(chosen.numpy())

    return choose


def train(algorithm: PPO, num_envs: int, seed: int, num_decisions: int) -> int:
    """Rollout, update, and so on, for so many decisions or, as rollouts are whole, a few more: how many those were."""
    envs = KingVectorEnv(num_envs, policy_of(algorithm, samples=True))
    envs.seed(seed)
    rollout = num_envs * STEPS_A_ROLLOUT
    collector = Collector(algorithm, envs, VectorReplayBuffer(rollout, num_envs))
    algorithm.run_training(
        OnPolicyTrainerParams(
            training_collector=collector,
            max_epochs=1,
            epoch_num_steps=num_decisions,
            collection_step_num_env_steps=rollout,
            update_step_num_repetitions=NUM_EPOCHS,
            batch_size=MINIBATCH_SIZE,
            show_progress=sys.stderr.isatty(),
        )
    )
    return int(collector.collect_step)


def main(arguments: Sequence[str] | None = None) -> int:
    options = recipe_options(__doc__, arguments, num_envs=64)
    torch.manual_seed(options.seed)
    np.random.seed(options.seed)  # by which Tianshou shuffles what it learns from
    algorithm = new_algorithm()
    if options.load:
        with reading(options.load):
            algorithm.load_state_dict(torch.load(options.load, weights_only=True))
    else:
        stopwatch = Stopwatch()
        stopwatch.print_speed(train(algorithm, options.num_envs, options.seed, options.decisions))
    if options.save:
        torch.save(algorithm.state_dict(), options.save)
    print_strength(ObservingBot(policy_of(algorithm, samples=False), "tianshou"), options.blocks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
