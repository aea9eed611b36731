"""What the tests of all libraries share: random legal actions, and the score that an observation tells."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from king_env import unpack_observation
from king_env.engine.observation import SCORE_BITS, SCORE_STEP


def random_legal(masks: npt.NDArray[np.int8], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """A legal action for each row of the masks."""
    return (masks * rng.random(masks.shape)).argmax(axis=1)


def score_in(observation: npt.NDArray[np.int8]) -> int:
    """The viewer's score of the game, as the observation has it in bits."""
    negative, *bits = unpack_observation(observation)["totals"][0].tolist()
    steps = sum(bit << place for place, bit in enumerate(bits[:SCORE_BITS]))
    return -steps * SCORE_STEP if negative else steps * SCORE_STEP
