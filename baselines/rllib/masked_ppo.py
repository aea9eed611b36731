"""RLlib's PPO with masked actions learns King by self-play, on this machine or on a Ray cluster.

    python -m baselines.rllib.masked_ppo --save runs/rllib
    python -m baselines.rllib.masked_ppo --save runs/rllib --ray HOST:6379 --env-runners 64
    python -m baselines.rllib.masked_ppo --load runs/rllib --blocks 1000

All four seats play from one network, which learns from each of them. Env runners, processes on any node of the
cluster, play the games; this process learns. All is RLlib's new API stack: an environment, a module, a config, and
`train` again and again. An unfinished deal goes on in the next rollout, so what it brings is credited to the decisions
that earned it.
"""

from __future__ import annotations

import argparse
import copy
import sys
import time
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
import ray
import torch
from ray.rllib.algorithms.algorithm import Algorithm
from ray.rllib.algorithms.ppo import PPOConfig
from ray.rllib.core.columns import Columns
from ray.rllib.core.rl_module.apis.value_function_api import ValueFunctionAPI
from ray.rllib.core.rl_module.rl_module import RLModule, RLModuleSpec
from ray.rllib.core.rl_module.torch import TorchRLModule
from torch import Tensor, nn

from baselines.playing import Bits, Numbers, ObservingBot, Policy, at_least, print_strength
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.observation import OBSERVATION_SIZE
from king_env.evaluation.on_ray import ClusterError, check_answers
from king_env.integrations.rllib import KingMultiAgentEnv

EVERY_SEAT = "every_seat"  # the one policy that there is
HIDDEN_SIZE = 256
STEPS_AN_UPDATE = 4096
UPDATES_A_CHECKPOINT = 10
COMPILING_SECONDS = 600.0  # that a machine may take at most until it has compiled King and played a rollout
ILLEGAL_LOGIT = -1e9  # finite, so that no NaN can arise, and so low that the probability is exactly 0
POINTS_A_UNIT = 100.0  # a value of 1 out of its network stands for so many points
# Where the checkpoint of an algorithm keeps the policy.
POLICY_IN_CHECKPOINT = Path("learner_group", "learner", "rl_module", EVERY_SEAT)


class KingModule(TorchRLModule, ValueFunctionAPI):  # type: ignore[misc]  # Ray's types are not read
    """A policy over legal actions, and a value in points; each has a network of its own."""

    def setup(self) -> None:
        """RLlib calls this to have the networks made."""
        self.policy = new_network(NUM_ACTIONS)
        self.value = new_network(1)

    def _forward(self, played: dict[str, Any], **_: Any) -> dict[str, Tensor]:
        """Logits, alike for playing and for learning.

        A mask may be empty: at the end of a deal RLlib looks on once more, and leaves what it sees there out again.
        """
        seen = played[Columns.OBS]
        logits = self.policy(seen["observations"])
        return {Columns.ACTION_DIST_INPUTS: logits.masked_fill(seen["action_mask"] == 0, ILLEGAL_LOGIT)}

    def compute_values(self, played: dict[str, Any], embeddings: Any = None) -> Tensor:
        """The points to come; without embeddings, for the policy's network is another."""
        values: Tensor = self.value(played[Columns.OBS]["observations"]).squeeze(-1)
        return POINTS_A_UNIT * values


def new_network(num_outputs: int) -> nn.Sequential:
    """Fresh layers over observations; at first a policy chooses almost uniformly, and a value is almost 0."""
    last = nn.Linear(HIDDEN_SIZE, num_outputs)
    nn.init.orthogonal_(last.weight, 0.01)
    layers = [nn.Linear(OBSERVATION_SIZE, HIDDEN_SIZE), nn.ReLU(), nn.Linear(HIDDEN_SIZE, HIDDEN_SIZE), nn.ReLU()]
    return nn.Sequential(*layers, last)


def policy_of_agent(agent: str, episode: Any, **_: Any) -> str:
    """Every agent has the same."""
    return EVERY_SEAT


def make_config(num_env_runners: int, num_envs: int, seed: int, steps_an_update: int = STEPS_AN_UPDATE) -> PPOConfig:
    """All settings; a step is one action of one seat."""
    return (
        PPOConfig()
        .environment(
            KingMultiAgentEnv,
            env_config={"episode": "deal"},
            disable_env_checking=True,  # RLlib checks by playing what the mask forbids
        )
        .env_runners(
            num_env_runners=num_env_runners,
            num_envs_per_env_runner=num_envs,
            sample_timeout_s=COMPILING_SECONDS,  # an update without any sample would be the answer to a slower start
            # `complete_episodes` begins all games anew once some are over: long deals would hardly ever be finished.
            batch_mode="truncate_episodes",
        )
        .multi_agent(policies={EVERY_SEAT}, policy_mapping_fn=policy_of_agent)
        .rl_module(rl_module_spec=RLModuleSpec(module_class=KingModule))
        .training(
            train_batch_size_per_learner=steps_an_update,
            minibatch_size=min(512, steps_an_update),
            num_epochs=4,
            lr=5e-4,
            gamma=1.0,
            lambda_=0.95,
            clip_param=0.2,
            entropy_coeff=0.01,
            use_kl_loss=False,
            grad_clip=0.5,
            # RLlib cuts a squared error off at 10, beyond which nothing is learned. Ours are of points: thousands.
            vf_clip_param=float("inf"),
            vf_loss_coeff=0.5 / POINTS_A_UNIT**2,
        )
        .debugging(seed=seed, log_level="ERROR")
    )


def train(algorithm: Algorithm, num_decisions: int, folder: Path | None) -> None:
    """Train for so many decisions, and keep what was learned now and then and at the end, also after Ctrl-C."""
    begin, decisions = time.monotonic(), 0
    try:
        while decisions < num_decisions:
            result = algorithm.train()
            decisions += int(result["env_runners"]["num_env_steps_sampled"])
            learned = result["learners"][EVERY_SEAT]
            print(f"update {algorithm.iteration}: entropy {float(learned['entropy']):.3f},", end=" ")
            print(f"values off by {float(learned['vf_loss_unclipped']) ** 0.5:.1f} points,", end=" ")
            print(f"{decisions:,} decisions, {decisions / (time.monotonic() - begin):,.0f} a second", flush=True)
            if algorithm.iteration % UPDATES_A_CHECKPOINT == 0:
                save(algorithm, folder)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
    save(algorithm, folder)


def save(algorithm: Algorithm, folder: Path | None) -> None:
    """Keep policy, optimizer and counters in a folder of this update's own; where nothing is to be kept, do nothing."""
    if folder is not None:
        algorithm.save_to_path(str(folder.resolve() / f"update_{algorithm.iteration:06}"))


def checkpoints_in(folder: Path) -> list[Path]:
    """All that a run has saved, in order."""
    return sorted(folder.resolve().glob("update_*"))


def last_saved(folder: Path) -> Path:
    """The newest of the checkpoints in a folder."""
    saved = checkpoints_in(folder)
    if not saved:
        raise SystemExit(f"{folder}: nothing has been saved there")
    return saved[-1]


def load_module(checkpoint: Path) -> RLModule:
    """The module of a checkpoint. To read one is to run what is in it, so read none but your own."""
    return RLModule.from_checkpoint(str(checkpoint / POLICY_IN_CHECKPOINT))


def greedy(module: RLModule) -> Policy:
    """The most probable action of each seat.

    In double precision, so that a position is answered alike on its own and among others.
    """
    module = copy.deepcopy(module).cpu().double()

    def choose(observations: Bits, masks: Bits) -> Numbers:
        seen = {"observations": torch.from_numpy(observations).double(), "action_mask": torch.from_numpy(masks)}
        chances = module.forward_inference({Columns.OBS: seen})
        return np.asarray(chances[Columns.ACTION_DIST_INPUTS].argmax(dim=-1).numpy())

    return choose


def parse_arguments(arguments: Sequence[str] | None) -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="masked_ppo", description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--decisions", type=at_least(1), default=500_000, help="of all seats, to learn from (500000)")
    parser.add_argument(
        "--ray", default="local", metavar="ADDRESS", help="local, auto, or HOST:PORT of a head node (local)"
    )
    parser.add_argument(
        "--env-runners", type=int, default=2, help="processes that play, each on a core of any node (2)"
    )
    parser.add_argument("--num-envs", type=at_least(1), default=32, help="games side by side in each of them (32)")
    parser.add_argument("--seed", type=int, default=1, help="of the games and the network (1)")
    parser.add_argument("--blocks", type=at_least(1), default=200, help="blocks of deals to measure on (200)")
    parser.add_argument("--save", type=Path, metavar="FOLDER", help="keep checkpoints there")
    parser.add_argument(
        "--resume", type=Path, metavar="FOLDER", help="go on from the last checkpoint there, and keep more"
    )
    parser.add_argument("--load", type=Path, metavar="FOLDER", help="measure the last policy there; train none")
    options = parser.parse_args(arguments)
    options.save = options.save or options.resume
    if options.save and options.save != options.resume and checkpoints_in(options.save):
        parser.error(f"--save: {options.save} holds another run; --resume it, or name another folder")
    if not options.load:
        try:
            check_answers(options.ray)
        except ClusterError as error:
            parser.error(f"--{error}")
    return options


def trained_policy(options: argparse.Namespace) -> Policy:
    """What is learned on the cluster that this process has joined."""
    num_cores = int(ray.cluster_resources().get("CPU", 0))
    if options.env_runners > num_cores:
        raise SystemExit(f"--env-runners: must be at most {num_cores}, the cores of the cluster: each needs one")
    algorithm = make_config(options.env_runners, options.num_envs, options.seed).build_algo()
    if options.resume:
        algorithm.restore_from_path(str(last_saved(options.resume)))
    train(algorithm, options.decisions, options.save)
    policy = greedy(algorithm.get_module(EVERY_SEAT))
    algorithm.stop()
    return policy


def main(arguments: Sequence[str] | None = None) -> int:
    options = parse_arguments(arguments)
    if options.load:
        policy = greedy(load_module(last_saved(options.load)))
    else:
        ray.init(address=options.ray, include_dashboard=False, log_to_driver=False)
        try:
            policy = trained_policy(options)
        finally:
            ray.shutdown()
    print_strength(ObservingBot(policy, "rllib"), options.blocks)
    return 0


if __name__ == "__main__":
    # Under its own name, which is where Ray's other processes, and readers of checkpoints, look for what is above.
    from baselines.rllib.masked_ppo import main as main_of_module

    sys.exit(main_of_module())
