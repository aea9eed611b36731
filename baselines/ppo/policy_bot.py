"""A trained policy as a bot: it is handed views, as every bot is, and answers with actions."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping
from pathlib import Path
from typing import Any

import numpy as np
import torch
from torch import Tensor

from baselines.ppo.checkpoint import load_policy
from baselines.ppo.config import PPOConfig
from baselines.ppo.network import PolicyValueNetwork, check_masks, legal_log_probs
from baselines.ppo.tables import reward_scale
from king_env.bots.pretrained.advice import NO_ADVICE, SHOWN_SIZE, advise, show
from king_env.bots.pretrained.layout import blank, runs_of_sections
from king_env.bots.thoughts import Thought
from king_env.engine import batch
from king_env.engine.actions import NUM_ACTIONS, Action
from king_env.engine.contracts import UP
from king_env.engine.observation import OBSERVATION_SIZE
from king_env.engine.state import GameRecords

CHUNK = 1024  # views answered at once, so that a large batch needs little memory
FINGERPRINT_BYTES = 4

# What a value counts. Learners are paid what they make more than the mean of the four seats.
POINTS_TO_COME = "points to come in this deal, more than the mean of the four seats"
MORE_THAN_HEURISTIC = "points more in this deal than if the heuristic ended it in all seats"
UNITS_OF_REWARD = "units of reward"
NO_VALUE = ""  # the unit of a value that nobody trained: only self-play trains it


class PolicyBot:
    """Plays the most probable action, or draws one by its probability."""

    def __init__(
        self,
        network: PolicyValueNetwork,
        ignored_sections: Collection[str] = (),  # of the observation: what the network is not shown
        *,
        is_advised: bool = False,
        sample: bool = False,
        name: str = "ppo",
        points_a_unit: np.ndarray | None = None,  # float[kinds of deal]: what a unit of the value is in points
        unit: str | None = None,  # of the value; NO_VALUE if there is none
    ) -> None:
        # In double precision a view is answered alike on its own and in a batch: float32 rounds differently by shape.
        self._network = network.cpu().double().eval()
        self._ignored = runs_of_sections(ignored_sections)
        self._is_advised = is_advised
        self._sample = sample
        self._points_a_unit = points_a_unit
        default_unit = UNITS_OF_REWARD if points_a_unit is None else POINTS_TO_COME
        self._unit = default_unit if unit is None else unit
        self.name = name
        self.version = fingerprint(self._network)

    def act(self, view: GameRecords, rng: np.random.Generator) -> Action:
        """The action of the seat to act in one view (GAME_DTYPE[1])."""
        return int(self.act_batch(view, rng)[0])

    def act_batch(self, views: GameRecords, rng: np.random.Generator) -> np.ndarray:
        """The actions (int64[N]) of the seats to act in N views."""
        chunks = [self._answer(views[start : start + CHUNK], rng) for start in range(0, len(views), CHUNK)]
        return np.concatenate(chunks) if chunks else np.zeros(0, dtype=np.int64)

    def explain(self, views: GameRecords) -> list[Thought]:
        """The probabilities of all legal actions in each of N views, and the value if the policy has learned one."""
        thoughts: list[Thought] = []
        for start in range(0, len(views), CHUNK):
            chunk = views[start : start + CHUNK]
            log_probs, values = self._think(chunk)
            values_in_points = self._in_points(chunk, values.numpy())
            probabilities = log_probs.exp().numpy()
            for row, value in zip(probabilities, values_in_points, strict=True):
                likely = {int(action): float(row[action]) for action in np.flatnonzero(row)}
                thoughts.append(Thought(likely, float(value), self._unit) if self._unit else Thought(likely))
        return thoughts

    def _in_points(self, views: GameRecords, values: np.ndarray) -> np.ndarray:
        if self._points_a_unit is None:
            return values
        return np.asarray(values * self._points_a_unit[np.minimum(views["contract"], UP)])

    def _answer(self, views: GameRecords, rng: np.random.Generator) -> np.ndarray:
        log_probs, _ = self._think(views)
        if not self._sample:
            return np.asarray(log_probs.argmax(dim=-1).numpy())
        cumulative = log_probs.exp().cumsum(dim=-1).numpy()
        return np.asarray((cumulative <= rng.random((len(views), 1)) * cumulative[:, -1:]).sum(axis=-1))

    @torch.inference_mode()
    def _think(self, views: GameRecords) -> tuple[Tensor, Tensor]:
        """Log-probabilities (float64[N, NUM_ACTIONS]) and values (float64[N]) of the seats to act."""
        observations = np.zeros((len(views), OBSERVATION_SIZE), dtype=np.int8)
        masks = np.zeros((len(views), NUM_ACTIONS), dtype=np.int8)
        batch.observe(views, views["turn"].astype(np.int64), observations)
        batch.legal_masks(views, masks)
        blank(observations, self._ignored)
        legal = torch.from_numpy(masks)
        check_masks(legal)
        advice = np.full(len(views), NO_ADVICE)
        if self._is_advised:
            advise(views, advice)
        shown = np.zeros((len(views), SHOWN_SIZE), dtype=np.int8)
        show(observations, advice, np.arange(len(views)), shown)
        logits, values = self._network(torch.from_numpy(shown), torch.from_numpy(advice))
        return legal_log_probs(logits, legal), values


def fingerprint(network: PolicyValueNetwork) -> int:
    """A short hash of the weights: policies that differ have different numbers."""
    digest = hashlib.sha256()
    for name, weights in network.state_dict().items():
        digest.update(name.encode())
        digest.update(weights.double().cpu().numpy().tobytes())
    return int.from_bytes(digest.digest()[:FINGERPRINT_BYTES], "big")


def load(path: str, sample: bool = False) -> PolicyBot:
    """The bot of a checkpoint file; `sample` draws its actions instead of playing the most probable."""
    network, config, counters = load_policy(Path(path))
    return PolicyBot(
        network,
        config.ignored_sections,
        is_advised=config.is_advised,
        sample=sample,
        name=Path(path).as_posix(),
        points_a_unit=points_a_unit(config),
        unit=unit_of_value(config, counters),
    )


def unit_of_value(config: PPOConfig, counters: Mapping[str, Any] | None = None) -> str:
    """What a value counts, for people, once training has come as far as counters say (None: to its end)."""
    if not config.value_coef or not (config.total_decisions if counters is None else counters.get("decisions")):
        return NO_VALUE
    if points_a_unit(config) is None:
        return UNITS_OF_REWARD
    return MORE_THAN_HEURISTIC if config.removes_luck else POINTS_TO_COME


def points_a_unit(config: PPOConfig) -> np.ndarray | None:
    """What a unit of the value is in points, by kind of deal; None where it counts something else than points."""
    if config.reward == "placement" or config.horizon != "deal":
        return None
    return np.asarray(1.0 / reward_scale(config).astype(np.float64))
