"""What the tests of all libraries share: random legal actions, and the score that an observation tells."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from baselines.playing import ObservingBot
from king_env import unpack_observation
from king_env.engine.observation import SCORE_BITS, SCORE_STEP
from king_env.evaluation import play_match


def random_legal(masks: npt.NDArray[np.int8], rng: np.random.Generator) -> npt.NDArray[np.int64]:
    """A legal action for each row of the masks."""
    return (masks * rng.random(masks.shape)).argmax(axis=1)


def first_legal(observations: npt.NDArray[np.int8], masks: npt.NDArray[np.int8]) -> npt.NDArray[np.int64]:
    """A policy that plays the legal action of the lowest number."""
    return masks.argmax(axis=1)


def learned_points(bot: ObservingBot) -> float:
    """What a bot makes a game among three `random`, surely: the lower end of the 95 % interval."""
    points = play_match([bot, "random", "random", "random"], 40, 7, progress=False).points(bot.name)
    return float(points.mean - points.half_width)


def score_in(observation: npt.NDArray[np.int8]) -> int:
    """The viewer's score of the game, as the observation has it in bits."""
    negative, *bits = unpack_observation(observation)["totals"][0].tolist()
    steps = sum(bit << place for place, bit in enumerate(bits[:SCORE_BITS]))
    return -steps * SCORE_STEP if negative else steps * SCORE_STEP
