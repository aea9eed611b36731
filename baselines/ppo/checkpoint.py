"""Checkpoints: a policy with all that is needed to play it, and in `last.pt` all that is needed to go on training."""

from __future__ import annotations

import importlib.metadata
import os
import platform
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from baselines.ppo.config import ConfigError, PPOConfig
from baselines.ppo.network import PolicyValueNetwork, flat_network, suit_network
from king_env.bots.pretrained.advice import SHOWN_SIZE
from king_env.bots.pretrained.layout import current_layout, layout_difference
from king_env.engine.actions import NUM_ACTIONS

CHECKPOINT_FORMAT = 3
PACKAGES = ("king-env", "numpy", "numba", "torch")
# What every checkpoint holds, and as what.
CONTENTS = {"format": int, "layout": list, "num_actions": int, "config": dict, "counters": dict, "policy": dict}


class CheckpointError(ValueError):
    """A file that holds no policy for this game: says why in one line."""


def new_network(config: PPOConfig) -> PolicyValueNetwork:
    """The network that a config describes, for the installed observation layout; a value not to be learned is 0."""
    if config.network == "suits":
        network = suit_network(*config.hidden_sizes)
    else:
        network = flat_network(SHOWN_SIZE, NUM_ACTIONS, config.hidden_sizes)
    if not config.value_coef:
        network.forget_value()
    return network


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
    checkpoint: Any
    try:
        # Only tensors and plain values are loaded, so a file from a stranger cannot run code.
        checkpoint = torch.load(path, map_location="cpu", weights_only=True)
    except OSError as error:
        raise CheckpointError(f"cannot read the checkpoint {path}: {error.strerror or error}") from None
    except Exception:  # torch raises half a dozen kinds, depending on what the file is, and speaks of its own options
        raise CheckpointError(
            f"{path} is not a checkpoint: torch finds more in it than tensors and plain values, or nothing it can read"
        ) from None
    check_contents(checkpoint, path)
    if checkpoint["format"] != CHECKPOINT_FORMAT:
        raise CheckpointError(
            f"{path} has checkpoint format {checkpoint['format']}; this version reads {CHECKPOINT_FORMAT}"
        )
    if checkpoint["num_actions"] != NUM_ACTIONS:
        raise CheckpointError(
            f"{path} was trained with {checkpoint['num_actions']} actions; the game has {NUM_ACTIONS}"
        )
    difference = layout_difference([tuple(section) for section in checkpoint["layout"]], current_layout())
    if difference:
        raise CheckpointError(f"{path} was trained on another observation layout: {difference}")
    return checkpoint


def check_contents(checkpoint: Any, path: Path) -> None:
    """Refuse what lacks a part of a checkpoint."""
    if not isinstance(checkpoint, dict):
        raise CheckpointError(f"{path} is not a checkpoint of King")
    for key, kind in CONTENTS.items():
        if not isinstance(checkpoint.get(key), kind):
            raise CheckpointError(f"{path} is not a checkpoint of King: {key!r} is not the {kind.__name__} it must be")


def load_policy(path: Path) -> tuple[PolicyValueNetwork, PPOConfig, dict[str, Any]]:
    """The network of a checkpoint, the config it was trained with, and the counters that say how far."""
    checkpoint = read_checkpoint(path)
    config = trained_config(checkpoint, path)
    network = new_network(config)
    load_weights(network, checkpoint["policy"], path)
    return network, config, checkpoint["counters"]


def trained_config(checkpoint: Mapping[str, Any], path: Path) -> PPOConfig:
    """The config that a checkpoint was trained with."""
    try:
        return PPOConfig.from_dict(checkpoint["config"])
    except ConfigError as error:
        raise CheckpointError(f"{path} was trained with a config that this version refuses: {error}") from None


def load_weights(network: PolicyValueNetwork, weights: Mapping[str, Tensor], path: Path) -> None:
    """Give a network the weights of a checkpoint, which must be exactly those it has places for."""
    difference = weights_difference(weights, network.state_dict())
    if difference:
        raise CheckpointError(f"{path} holds weights that do not fit the network its config describes: {difference}")
    network.load_state_dict(weights)


def weights_difference(theirs: Mapping[str, Tensor], ours: Mapping[str, Tensor]) -> str | None:
    """The first weights in which two networks differ, in words; None if they have the same ones."""
    for name in {**ours, **theirs}:
        their_shape, our_shape = _shape_text(theirs.get(name)), _shape_text(ours.get(name))
        if their_shape != our_shape:
            return f"{name} is {their_shape} there and {our_shape} here"
    return None


def _shape_text(weights: Tensor | None) -> str:
    return str(list(weights.shape)) if isinstance(weights, Tensor) else "missing"


def plain_array(array: np.ndarray) -> dict[str, Any]:
    """An array of any kind, records too, as what a checkpoint may hold: its bytes, and what they mean."""
    data = array.reshape(-1).view(np.uint8).copy()
    return {"dtype": str(array.dtype), "shape": list(array.shape), "bytes": torch.from_numpy(data)}


def array_like(plain: Mapping[str, Any], like: np.ndarray) -> np.ndarray:
    """The array that `plain_array` was given, which must be of the same kind as `like`."""
    if plain["dtype"] != str(like.dtype) or plain["shape"] != list(like.shape):
        raise ValueError(f"an array of {like.dtype} {list(like.shape)} was saved as another kind")
    data: np.ndarray = plain["bytes"].numpy()
    return data.view(like.dtype).reshape(like.shape)
