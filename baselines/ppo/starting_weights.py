"""Beginning with the weights of a policy that has learned already, rather than with random ones: `start_from`."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
import torch
from torch import Tensor

from baselines.ppo.checkpoint import CheckpointError, read_checkpoint, trained_config, weights_difference
from baselines.ppo.config import PPOConfig
from baselines.ppo.export import features_of
from baselines.ppo.network import PolicyValueNetwork
from baselines.ppo.policy_bot import NO_VALUE, points_a_unit, unit_of_value
from king_env.bots.pretrained.forward import Weights
from king_env.bots.pretrained.policy_file import Policy, PolicyFileError, read_policy
from king_env.bots.pretrained.pretrained_bot import SHIPPED
from king_env.bots.registry import CHECKPOINT_ENDING

PRETRAINED = "pretrained"
# What a network is and is shown: of a checkpoint these must be the same for its policy to stay the same.
SHAPING_KEYS = ("network", "hidden_sizes", "is_advised", "ignored_sections")


class StartError(ValueError):
    """A policy that a run of this config cannot start from: says why in one line."""


def take_weights(network: PolicyValueNetwork, source: str, config: PPOConfig) -> None:
    """Give a network the weights of `pretrained`, a policy's file or a checkpoint: it then plays as that does.

    The value is kept only where it counts the same under this config; otherwise it begins at 0.
    """
    if source.endswith(CHECKPOINT_ENDING):
        weights, value_is_kept = _of_checkpoint(Path(source), config)
    else:
        weights, value_is_kept = _of_file(SHIPPED if source == PRETRAINED else Path(source), config)
    difference = weights_difference(weights, network.state_dict())
    if difference:
        raise StartError(f"start_from: {source} does not fit this config: {difference}")
    network.load_state_dict(weights)
    if not value_is_kept:
        network.forget_value()


def _of_checkpoint(path: Path, config: PPOConfig) -> tuple[Mapping[str, Tensor], bool]:
    """The weights of a checkpoint, and whether its value counts what it would here."""
    try:
        checkpoint = read_checkpoint(path)
        trained = trained_config(checkpoint, path)
    except CheckpointError as error:
        raise StartError(f"start_from: {error}") from None
    for key in SHAPING_KEYS:
        here, there = getattr(config, key), getattr(trained, key)
        if here != there:
            raise StartError(f"start_from: {path} was trained with {key} = {there!r}; here it is {here!r}")
    unit = unit_of_value(trained, checkpoint["counters"])
    return checkpoint["policy"], _counts_alike(points_a_unit(trained), unit, config)


def _of_file(path: Path, config: PPOConfig) -> tuple[Mapping[str, Tensor], bool]:
    """The weights of a policy's file, and whether its value counts what it would here."""
    try:
        policy = read_policy(path)
    except PolicyFileError as error:
        raise StartError(f"start_from: {error}") from None
    width = policy.weights.width
    if config.network != "suits" or not config.is_advised or config.hidden_sizes != (width,):
        raise StartError(
            f'start_from: {path} needs network = "suits", hidden_sizes = [{width}] and is_advised = true, not '
            f'network = "{config.network}", hidden_sizes = {list(config.hidden_sizes)} and '
            f"is_advised = {str(config.is_advised).lower()}"
        )
    if policy.weights.features[features_of(config.ignored_sections)].any():
        raise StartError(f"start_from: {path} looks at sections that ignored_sections leaves out here")
    points, unit = np.array(policy.about["points_a_unit"]), str(policy.about.get("unit", NO_VALUE))
    return state_of(policy), _counts_alike(points, unit, config)


def _counts_alike(points: np.ndarray | None, unit: str, config: PPOConfig) -> bool:
    here = points_a_unit(config)
    if points is None or here is None or unit == NO_VALUE or unit != unit_of_value(config):
        return False
    return np.allclose(points, here)


def state_of(policy: Policy) -> dict[str, Tensor]:
    """The weights of a policy's file as those of the network that it was exported from."""
    weights: Weights = policy.weights
    arrays = {
        "trunk.weight": weights.features,
        "trunk.bias": weights.bias,
        "trunk.own.weight": weights.own.T,
        "trunk.own.bias": weights.own_bias,
        "trunk.all.weight": weights.together.T,
        "policy_head.weight": weights.policy,
        "policy_head.bias": weights.policy_bias,
        "value_head.weight": weights.value[None],
        "value_head.bias": weights.value_bias,
    }
    return {name: torch.from_numpy(array.copy()) for name, array in arrays.items()}
