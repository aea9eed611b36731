"""Checkpoints: a policy with all that is needed to play it, and in `last.pt` all that is needed to go on training."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from pathlib import Path
from typing import Any

import torch

from baselines.ppo.config import PPOConfig
from baselines.ppo.network import PolicyValueNetwork
from baselines.ppo.observation_layout import current_layout, layout_difference
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.observation import OBSERVATION_SIZE

CHECKPOINT_FORMAT = 1
PACKAGES = ("king-env", "numpy", "numba", "torch")


class CheckpointError(ValueError):
    """A file that holds no policy for this game: says why in one line."""


def new_network(config: PPOConfig) -> PolicyValueNetwork:
    """The network that a config describes, for the installed observation layout."""
    return PolicyValueNetwork(OBSERVATION_SIZE, NUM_ACTIONS, config.hidden_sizes)


def versions() -> dict[str, str]:
    """What was installed, for the record."""
    found = {"python": platform.python_version(), "platform": platform.platform()}
    for package in PACKAGES:
        try:
            found[package] = importlib.metadata.version(package)
        except importlib.metadata.PackageNotFoundError:
            found[package] = "not installed as a package"
    return found


def policy_checkpoint(network: PolicyValueNetwork, config: PPOConfig, counters: dict[str, Any]) -> dict[str, Any]:
    """A policy as plain values and tensors; `counters` say how far its training had come."""
    return {
        "format": CHECKPOINT_FORMAT,
        "layout": [list(section) for section in current_layout()],
        "num_actions": NUM_ACTIONS,
        "config": config.to_dict(),
        "versions": versions(),
        "counters": counters,
        "policy": {name: tensor.detach().cpu().clone() for name, tensor in network.state_dict().items()},
    }


def write_checkpoint(checkpoint: dict[str, Any], path: Path) -> None:
    """Write a checkpoint so that the file is at every moment either the old one or the new one, whole."""
    unfinished = path.with_name(path.name + ".tmp")
    with unfinished.open("wb") as file:
        torch.save(checkpoint, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(unfinished, path)


def read_checkpoint(path: Path) -> dict[str, Any]:
    """A checkpoint made for this game; anything else is refused."""
    if not path.is_file():
        raise CheckpointError(f"no checkpoint {path}")
    try:
        # Only tensors and plain values are loaded, so a file from a stranger cannot run code.
        checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    except Exception as error:  # torch raises half a dozen kinds, depending on what the file is
        raise CheckpointError(f"{path} is not a checkpoint: {str(error).splitlines()[0]}") from None
    if not isinstance(checkpoint, dict) or "layout" not in checkpoint:
        raise CheckpointError(f"{path} is not a checkpoint of King")
    if checkpoint.get("format") != CHECKPOINT_FORMAT:
        raise CheckpointError(
            f"{path} has checkpoint format {checkpoint.get('format')}; this version reads {CHECKPOINT_FORMAT}"
        )
    if checkpoint["num_actions"] != NUM_ACTIONS:
        raise CheckpointError(
            f"{path} was trained with {checkpoint['num_actions']} actions; the game has {NUM_ACTIONS}"
        )
    difference = layout_difference([(name, size) for name, size in checkpoint["layout"]], current_layout())
    if difference:
        raise CheckpointError(f"{path} was trained on another observation layout: {difference}")
    return checkpoint


def load_policy(path: Path) -> tuple[PolicyValueNetwork, PPOConfig]:
    """The network of a checkpoint, and the config it was trained with."""
    checkpoint = read_checkpoint(path)
    config = PPOConfig.from_dict(checkpoint["config"])
    network = new_network(config)
    network.load_state_dict(checkpoint["policy"])
    return network, config
