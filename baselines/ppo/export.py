"""A checkpoint's policy as a file that plays without torch: what `pretrained` is made from."""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from torch import Tensor

from baselines.ppo.checkpoint import CheckpointError, load_policy, read_checkpoint
from baselines.ppo.config import PPOConfig
from baselines.ppo.network import PolicyValueNetwork
from baselines.ppo.policy_bot import points_a_unit, unit_of_value
from king_env.bots.pretrained.forward import Weights
from king_env.bots.pretrained.layout import runs_of_sections
from king_env.bots.pretrained.policy_file import Policy, about_policy, write_policy
from king_env.bots.pretrained.pretrained_bot import SHIPPED
from king_env.bots.pretrained.suits import FEATURES, TRUMP, TRUMP_FEATURE
from king_env.exit_statuses import DONE, REFUSED


class ExportError(ValueError):
    """A policy that cannot be exported, or what was to be kept with it: says why in one line."""


def exported(network: PolicyValueNetwork, config: PPOConfig, **about: Any) -> Policy:
    """The policy of a network that treats suits alike and is advised; `about` is for people."""
    points = points_a_unit(config)
    if config.network != "suits" or not config.is_advised or points is None:
        raise ExportError(
            'only a policy with network = "suits" and is_advised = true, trained on points within a deal '
            '(horizon = "deal"), can be exported'
        )
    weights = {name: _array(tensor) for name, tensor in network.state_dict().items()}
    weights["trunk.weight"][features_of(config.ignored_sections)] = 0.0  # what it is not shown counts nothing
    of_network = Weights(
        features=weights["trunk.weight"],
        bias=weights["trunk.bias"],
        own=weights["trunk.own.weight"].T.copy(),
        own_bias=weights["trunk.own.bias"],
        together=weights["trunk.all.weight"].T.copy(),
        policy=weights["policy_head.weight"],
        policy_bias=weights["policy_head.bias"],
        value=weights["value_head.weight"][0],
        value_bias=weights["value_head.bias"],
    )
    about_training = {"unit": unit_of_value(config), "config": config.to_dict(), **about}
    return Policy(of_network, about_policy(points.tolist(), **about_training))


def policy_of_checkpoint(path: Path, **about: Any) -> Policy:
    """The policy of a checkpoint; `about` is for people."""
    network, config, counters = load_policy(path)
    versions = read_checkpoint(path).get("versions")
    return exported(
        network, config, **{"counters": counters, "versions": versions, **about}, unit=unit_of_value(config, counters)
    )


def features_of(sections: Collection[str]) -> np.ndarray:
    """The features (int64[K]) that come of these sections of an observation."""
    runs = [FEATURES[run] for run in runs_of_sections(sections)]
    return np.concatenate([np.array([TRUMP_FEATURE] if TRUMP in sections else [], dtype=np.int64), *runs])


def _array(tensor: Tensor) -> np.ndarray:
    return tensor.detach().cpu().float().numpy().copy()


def commit() -> str:
    """The commit that this checkout is at, with a plus where files differ from it; empty outside one."""
    try:
        told = subprocess.run(
            ["git", "describe", "--always", "--dirty=+", "--abbrev=12"],
            cwd=Path(__file__).parent,
            capture_output=True,
            text=True,
            check=True,
        )
    except (OSError, subprocess.CalledProcessError):
        return ""
    return told.stdout.strip()


def panel_in(path: Path) -> Any:
    """What an evaluation wrote to a file."""
    try:
        return json.loads(path.read_text("utf-8"))
    except OSError as error:
        raise ExportError(f"cannot read {path}: {error.strerror}") from None
    except ValueError as error:
        raise ExportError(f"{path} is not JSON: {error}") from None


def parse_arguments(arguments: Sequence[str] | None = None) -> argparse.Namespace:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="scripts/export.py", description="Write a checkpoint's policy to a file that plays without torch."
    )
    parser.add_argument("checkpoint", type=Path, help="such as runs/release/last.pt")
    parser.add_argument("--panel", type=Path, help="what scripts/evaluate.py --panel --json wrote of it, to be kept")
    parser.add_argument("--out", type=Path, default=SHIPPED, help=f"the .npz file to write (default: {SHIPPED.name})")
    return parser.parse_args(arguments)


def main(arguments: Sequence[str] | None = None) -> int:
    """Export; 0 when the file is written, 2 when the checkpoint or a path was refused."""
    parsed = parse_arguments(arguments)
    try:
        panel = panel_in(parsed.panel) if parsed.panel else None
        policy = policy_of_checkpoint(parsed.checkpoint, commit=commit(), panel=panel)
        write_policy(policy, parsed.out)
    except (CheckpointError, ExportError, OSError) as error:
        print(error, file=sys.stderr)
        return REFUSED
    print(f"{parsed.out}: {parsed.out.stat().st_size:,} bytes, version {policy.fingerprint}")
    return DONE
