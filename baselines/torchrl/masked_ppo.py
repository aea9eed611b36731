"""TorchRL's PPO in self-play: the policy that learns in one seat of each game plays in the other three as well.

python -m baselines.torchrl.masked_ppo --decisions 1000000

`KingEnv` is King's native vector env as a batched env of TorchRL: one compiled call plays all games. The mask is an
entry of the tensordict beside the observation, and `MaskedCategorical` draws among what it allows.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import torch
from tensordict import TensorDict, TensorDictBase
from tensordict.nn import TensorDictModule
from torch import Tensor, nn
from torchrl.collectors import Collector
from torchrl.data import Binary, Categorical, Composite, Unbounded
from torchrl.envs import EnvBase
from torchrl.modules import MLP, MaskedCategorical, ProbabilisticActor, ValueOperator
from torchrl.objectives import ClipPPOLoss
from torchrl.objectives.value import GAE

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


class Floats(nn.Module):
    """Observations are bits; layers want floats."""

    def forward(self, bits: Tensor) -> Tensor:
        """float32 of any shape."""
        return bits.float()


class KingEnv(EnvBase):  # type: ignore[misc]  # types of other libraries are not looked at
    """One learner in each of `num_envs` games, a policy in the other seats."""

    def __init__(self, num_envs: int, policy: Policy) -> None:
        super().__init__(batch_size=[num_envs])
        self._envs = self_play_envs(num_envs, policy)
        self._seed: int | None = None
        self.observation_spec = Composite(
            observation=Binary(shape=(num_envs, OBSERVATION_SIZE), dtype=torch.int8),
            action_mask=Binary(shape=(num_envs, NUM_ACTIONS), dtype=torch.bool),
            shape=(num_envs,),
        )
        self.action_spec = Categorical(NUM_ACTIONS, shape=(num_envs,))
        self.reward_spec = Unbounded(shape=(num_envs, 1))

    def _reset(self, tensordict: TensorDictBase | None = None, **kwargs: Any) -> TensorDict:
        """Begin games anew, those that `_reset` marks or all."""
        asked = None if tensordict is None else tensordict.get("_reset", None)
        chosen = np.ones(self.batch_size[0], dtype=np.bool_) if asked is None else asked.reshape(-1).numpy()
        observations, infos = self._envs.reset(seed=self._seed, options={"reset_mask": chosen})
        self._seed = None
        return TensorDict(self._seen(observations, infos), batch_size=self.batch_size)

    def _step(self, tensordict: TensorDictBase) -> TensorDict:
        """One action a game."""
        observations, rewards, terminations, _, infos = self._envs.step(tensordict["action"].numpy())
        ended = torch.from_numpy(terminations).unsqueeze(-1)
        paid = torch.from_numpy(rewards / POINTS_A_UNIT).float().unsqueeze(-1)
        came = self._seen(observations, infos) | {"reward": paid, "done": ended, "terminated": ended.clone()}
        return TensorDict(came, batch_size=self.batch_size)

    def _set_seed(self, seed: int | None) -> None:
        """Of the next reset of all games."""
        self._seed = seed

    def _seen(self, observations: Bits, infos: dict[str, Any]) -> dict[str, Tensor]:
        masks = torch.from_numpy(infos["action_mask"]).bool()
        return {"observation": torch.from_numpy(observations), "action_mask": masks}


def new_layers(width: int) -> nn.Module:
    """A network over observations."""
    return nn.Sequential(
        Floats(),
        MLP(in_features=OBSERVATION_SIZE, out_features=width, num_cells=HIDDEN_SIZES, activation_class=nn.ReLU),
    )


def new_actor() -> ProbabilisticActor:
    """A fresh policy, which draws its actions among legal ones."""
    return ProbabilisticActor(
        TensorDictModule(new_layers(NUM_ACTIONS), in_keys=["observation"], out_keys=["logits"]),
        in_keys={"logits": "logits", "mask": "action_mask"},
        distribution_class=MaskedCategorical,
        distribution_kwargs={"neg_inf": ILLEGAL_LOGIT},
        return_log_prob=True,
    )


def policy_of(actor: ProbabilisticActor, samples: bool) -> Policy:
    """What the learner plays as it is at the moment: drawn by its probability, or the most probable."""

    @torch.no_grad()
    def choose(observations: Bits, masks: Bits) -> Numbers:
        seen = {"observation": torch.from_numpy(observations), "action_mask": torch.from_numpy(masks).bool()}
        chances = actor.get_dist(TensorDict(seen, batch_size=len(masks)))
        return np.asarray((chances.sample() if samples else chances.mode).numpy())

    return choose


def train(actor: ProbabilisticActor, num_envs: int, seed: int, num_decisions: int) -> int:
    """Rollout, advantages, update, and so on, for so many decisions or, as rollouts are whole, a few more.

    Returns how many those were.
    """
    critic = ValueOperator(new_layers(1), in_keys=["observation"])
    env = KingEnv(num_envs, policy_of(actor, samples=True))
    env.set_seed(seed)
    rollout = num_envs * STEPS_A_ROLLOUT
    collector = Collector(env, actor, frames_per_batch=rollout, total_frames=num_decisions)
    advantages = GAE(gamma=GAMMA, lmbda=0.9, value_network=critic)
    losses = ClipPPOLoss(actor, critic, entropy_coeff=0.01, normalize_advantage=True)
    optimizer = torch.optim.Adam(losses.parameters(), lr=LEARNING_RATE)
    num_played = 0
    for played in collector:
        num_played += played.numel()
        with torch.no_grad():
            advantages(played)
        for minibatch in minibatches(played.reshape(-1)):
            terms = losses(minibatch)
            optimizer.zero_grad()
            (terms["loss_objective"] + terms["loss_entropy"] + terms["loss_critic"]).backward()
            nn.utils.clip_grad_norm_(losses.parameters(), 0.5)
            optimizer.step()
    collector.shutdown()
    return num_played


def minibatches(played: TensorDictBase) -> Iterator[TensorDictBase]:
    """All decisions of a rollout some times over, shuffled."""
    for _ in range(NUM_EPOCHS):
        for chosen in torch.randperm(len(played)).split(MINIBATCH_SIZE):
            yield played[chosen]


def main(arguments: Sequence[str] | None = None) -> int:
    options = recipe_options(__doc__, arguments, num_envs=64)
    torch.manual_seed(options.seed)
    actor = new_actor()
    if options.load:
        with reading(options.load):
            actor.load_state_dict(torch.load(options.load, weights_only=True))
    else:
        stopwatch = Stopwatch()
        stopwatch.print_speed(train(actor, options.num_envs, options.seed, options.decisions))
    if options.save:
        torch.save(actor.state_dict(), options.save)
    print_strength(ObservingBot(policy_of(actor, samples=False), "torchrl"), options.blocks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
