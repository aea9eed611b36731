"""Small policies to try what plays them: their weights are drawn, so they play badly, but each in its own way."""

from __future__ import annotations

from typing import Any

import numpy as np

from king_env.bots.pretrained import Policy
from king_env.bots.pretrained.forward import Weights
from king_env.bots.pretrained.policy_file import about_policy, shapes_of

# What a unit of the value is in points, by kind of deal: each is told from the others.
POINTS_A_UNIT = [10.0, 20.0, 30.0, 40.0, 50.0, 60.0, 100.0]


def small_policy(seed: int = 0, width: int = 8, **about: Any) -> Policy:
    """A policy with weights of its own."""
    rng = np.random.default_rng(seed)
    weights = Weights(*(rng.normal(0.0, 0.2, shape).astype(np.float32) for shape in shapes_of(width).values()))
    return Policy(weights, about_policy(POINTS_A_UNIT, unit="points", **about))
