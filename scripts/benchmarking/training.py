"""Our PPO, with the network and the settings of `configs/ppo/self_play.toml`."""

from __future__ import annotations

import time
from collections.abc import Iterator
from pathlib import Path

from baselines.ppo.config import PPOConfig, load_config
from baselines.ppo.ppo import Learner, compile_kernels, iterate, new_learner, set_up_torch
from scripts.benchmarking.measuring import DECISIONS_PER_SECOND, SHARE, Sample

SELF_PLAY = Path(__file__).resolve().parents[2] / "configs" / "ppo" / "self_play.toml"
# In float32 everywhere: what it is compared with knows no bfloat16.
ON_ONE_CORE = {"num_threads": 1, "device": "cpu", "bf16": "off"}


def self_play_config() -> PPOConfig:
    """What is measured."""
    return load_config(SELF_PLAY, ON_ONE_CORE)


def ppo() -> Iterator[Sample]:
    """An update from end to end, and the engine's part of it in the row that training logs."""
    config = self_play_config()
    set_up_torch(config)
    compile_kernels(config)
    learner = new_learner(config)
    iterate(learner, config)  # the streams of the seats fill
    speed, env_share = timed_update(learner, config)
    yield Sample("ppo", f"King's PPO, {settings_text(config)}", DECISIONS_PER_SECOND, speed)
    yield Sample("ppo/env_share", "`env_share` in its log: the engine's part of training time", SHARE, env_share)


def settings_text(config: PPOConfig) -> str:
    """What both learners have in common."""
    layers = "-".join(str(width) for width in config.hidden_sizes)
    return f"network {layers}, {config.update_epochs} epochs, minibatches of {config.minibatch_size}"


def timed_update(learner: Learner, config: PPOConfig) -> tuple[float, float]:
    """Decisions collected and learned from per second of CPU time, and `env_share` in %."""
    decisions_before = learner.counters.decisions
    started = time.process_time()
    logged = iterate(learner, config)
    seconds = time.process_time() - started
    return (learner.counters.decisions - decisions_before) / seconds, 100.0 * logged["env_share"]
