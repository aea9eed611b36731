"""A best response to a policy: one seat learns by PPO against three that play by the policy and never learn.

What the learner then makes at a table of three of them is a lower bound on what can be taken from the policy.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

from baselines.ppo import ppo
from baselines.ppo.config import PPOConfig, load_config
from baselines.ppo.export import policy_of_checkpoint
from baselines.ppo.starting_weights import PRETRAINED
from king_env.bots.pretrained.policy_file import Policy, read_policy
from king_env.bots.pretrained.pretrained_bot import SHIPPED
from king_env.bots.registry import CHECKPOINT_ENDING
from king_env.episode import KIND_NAMES

RECIPE = Path(__file__).parents[2] / "configs" / "ppo" / "best_response.toml"


def policy_in(source: str) -> Policy:
    """A policy to respond to: `pretrained`, a policy's file, or a checkpoint, if it can be exported."""
    if source.endswith(CHECKPOINT_ENDING):
        return policy_of_checkpoint(Path(source))
    return read_policy(SHIPPED if source == PRETRAINED else Path(source))


def response_config(policy: Policy, bot: str, overrides: Mapping[str, Any]) -> PPOConfig:
    """How a response is trained to a policy that is played by this bot: a network like its own begins as it plays."""
    trained: Mapping[str, Any] = policy.about.get("config") or {}
    like_policy = {
        "hidden_sizes": [policy.weights.width],
        "ignored_sections": list(trained.get("ignored_sections", ())),
        "reward_spread": dict(zip(KIND_NAMES, policy.about["points_a_unit"], strict=True)),
        "start_from": bot,
        "frozen_bot": bot,
        "opponents": [bot],
    }
    return load_config(RECIPE, {**like_policy, **overrides})


def train_response(config: PPOConfig, folder: Path) -> bool:
    """Train in a new run folder until the minutes are over or Ctrl-C; says whether the run is done."""
    return ppo.train(ppo.begin(config, folder), config, folder)
