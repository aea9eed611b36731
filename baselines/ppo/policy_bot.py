"""A trained policy as a bot: it is handed views, as every bot is, and answers with actions."""

from __future__ import annotations

import hashlib
from collections.abc import Collection
from pathlib import Path

import numpy as np
import torch

from baselines.ppo.advice import NO_ADVICE, SHOWN_SIZE, advise, show
from baselines.ppo.checkpoint import load_policy
from baselines.ppo.network import PolicyValueNetwork, check_masks, legal_log_probs
from baselines.ppo.observation_layout import blank, runs_of_sections
from king_env.engine import batch
from king_env.engine.actions import NUM_ACTIONS, Action
from king_env.engine.observation import OBSERVATION_SIZE
from king_env.engine.state import GameRecords

CHUNK = 1024  # views answered at once, so that a large batch needs little memory
FINGERPRINT_BYTES = 4


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
    ) -> None:
        # In double precision a view is answered alike on its own and in a batch: float32 rounds differently by shape.
        self._network = network.cpu().double().eval()
        self._ignored = runs_of_sections(ignored_sections)
        self._is_advised = is_advised
        self._sample = sample
        self.name = name
        self.version = fingerprint(self._network)

    def act(self, view: GameRecords, rng: np.random.Generator) -> Action:
        """The action of the seat to act in one view (GAME_DTYPE[1])."""
        return int(self.act_batch(view, rng)[0])

    def act_batch(self, views: GameRecords, rng: np.random.Generator) -> np.ndarray:
        """The actions (int64[N]) of the seats to act in N views."""
        chunks = [self._answer(views[start : start + CHUNK], rng) for start in range(0, len(views), CHUNK)]
        return np.concatenate(chunks) if chunks else np.zeros(0, dtype=np.int64)

    @torch.inference_mode()
    def _answer(self, views: GameRecords, rng: np.random.Generator) -> np.ndarray:
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
        logits, _ = self._network(torch.from_numpy(shown), torch.from_numpy(advice))
        log_probs = legal_log_probs(logits, legal)
        if not self._sample:
            return np.asarray(log_probs.argmax(dim=-1).numpy())
        cumulative = log_probs.exp().cumsum(dim=-1).numpy()
        return np.asarray((cumulative <= rng.random((len(views), 1)) * cumulative[:, -1:]).sum(axis=-1))


def fingerprint(network: PolicyValueNetwork) -> int:
    """A short hash of the weights: policies that differ have different numbers."""
    digest = hashlib.sha256()
    for name, weights in network.state_dict().items():
        digest.update(name.encode())
        digest.update(weights.double().cpu().numpy().tobytes())
    return int.from_bytes(digest.digest()[:FINGERPRINT_BYTES], "big")


def load(path: str, sample: bool = False) -> PolicyBot:
    """The bot of a checkpoint file; `sample` draws its actions instead of playing the most probable."""
    network, config = load_policy(Path(path))
    return PolicyBot(
        network, config.ignored_sections, is_advised=config.is_advised, sample=sample, name=Path(path).as_posix()
    )
