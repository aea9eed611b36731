"""What the recipes of all libraries share: a policy as a bot, how good it is on duplicate deals, and their options.

A policy is a function here: from what the seats to act see, and what they may do, to what they do. So one class makes a
bot of any network, for matches and for the seats around a learner that plays itself.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import gymnasium
import numpy as np
import numpy.typing as npt
from gymnasium.vector import AutoresetMode

from king_env import GYMNASIUM_ID
from king_env.bots import Bot
from king_env.engine import batch
from king_env.engine.actions import NUM_ACTIONS, Action
from king_env.engine.observation import OBSERVATION_SIZE
from king_env.engine.state import GameRecords
from king_env.evaluation import play_match
from king_env.seat_vector_env import SeatVectorEnv

Bits = npt.NDArray[np.int8]
Numbers = npt.NDArray[np.int64]
Policy = Callable[[Bits, Bits], Numbers]  # observations [N, OBSERVATION_SIZE], masks [N, 81] -> actions [N]

OPPONENTS = ("random", "heuristic")
DEALS_SEED = 90  # of the deals that all recipes are measured on; no env deals them to a learner, whatever its seed


class ObservingBot:
    """Plays what a policy answers to the observations of `king_v0`."""

    version = 0  # it plays differently with every step of training

    def __init__(self, policy: Policy, name: str) -> None:
        self._policy = policy
        self.name = name

    def act(self, view: GameRecords, rng: np.random.Generator) -> Action:
        """The action of the seat to act in one view (GAME_DTYPE[1])."""
        return int(self.act_batch(view, rng)[0])

    def act_batch(self, views: GameRecords, rng: np.random.Generator) -> Numbers:
        """The actions (int64[N]) of the seats to act in N views; what chance a policy needs is its own."""
        if len(views) == 0:
            return np.zeros(0, dtype=np.int64)
        observations = np.empty((len(views), OBSERVATION_SIZE), dtype=np.int8)
        masks = np.empty((len(views), NUM_ACTIONS), dtype=np.int8)
        batch.observe(views, views["turn"].astype(np.int64), observations)
        batch.legal_masks(views, masks)
        return np.asarray(self._policy(observations, masks), dtype=np.int64)


def print_strength(bot: Bot, num_blocks: int) -> None:
    """Points a game that a bot makes among three of each opponent on blocks of duplicate deals, with 95 % intervals."""
    for opponent in OPPONENTS:
        result = play_match([bot, *[opponent] * 3], num_blocks, DEALS_SEED, progress=False)
        points = result.points(bot.name)
        print(f"{bot.name} among three {opponent}: {points.mean:+.1f} ± {points.half_width:.1f} points a game", end=" ")
        print(f"({num_blocks} blocks of deals, seed {DEALS_SEED})", flush=True)


def self_play_envs(num_envs: int, policy: Policy) -> SeatVectorEnv:
    """King's native vector env in which a policy sits in the three other seats, too, as it is at every moment.

    So what a learner is paid while the others act is credited to its own decisions as against any bots. Observations
    are arrays, the masks are in the infos; an episode that is over waits for `reset(options={"reset_mask": ...})`.
    """
    envs = gymnasium.make_vec(
        GYMNASIUM_ID,
        num_envs,
        opponents=ObservingBot(policy, "learner"),
        observation_format="flat",
        autoreset_mode=AutoresetMode.DISABLED,
    ).unwrapped
    assert isinstance(envs, SeatVectorEnv), "King-v0 has a vector env of its own"
    return envs


class Stopwatch:
    """How fast a recipe learns, by the clock and by the time that it took of all processors."""

    def __init__(self) -> None:
        self._wall, self._cpu = time.perf_counter(), time.process_time()

    def print_speed(self, num_decisions: int) -> None:
        """Decisions since the beginning."""
        wall, cpu = time.perf_counter() - self._wall, time.process_time() - self._cpu
        print(f"{num_decisions:,} decisions in {wall:.0f} s: {num_decisions / wall:,.0f} a second,", end=" ")
        print(f"{num_decisions / cpu:,.0f} a second of processor time", flush=True)


def at_least(least: int) -> Callable[[str], int]:
    """How a number of things is read from the command line."""

    def number(text: str) -> int:
        if not text.isdecimal() or int(text) < least:
            raise argparse.ArgumentTypeError(f"must be a whole number of at least {least}, not {text!r}")
        return int(text)

    return number


@contextmanager
def reading(path: Path) -> Iterator[None]:
    """Within it a kept policy is read; libraries raise errors of all kinds at a file of another's."""
    try:
        yield
    except Exception as error:
        reason = (str(error).strip().splitlines() or ["no reason given"])[0]
        raise SystemExit(f"--load: {path} is no policy of this recipe ({type(error).__name__}: {reason})") from None


def recipe_options(description: str | None, arguments: Sequence[str] | None, num_envs: int) -> argparse.Namespace:
    """The options of every recipe; num_envs: what suits this one.

    What is wrong with them is said before anything is trained, and a folder to save in is made.
    """
    parser = argparse.ArgumentParser(description=(description or "").splitlines()[0])
    parser.add_argument("--decisions", type=at_least(1), default=1_000_000, help="of learners, to learn from (1000000)")
    parser.add_argument("--num-envs", type=at_least(1), default=num_envs, help=f"games side by side ({num_envs})")
    parser.add_argument("--seed", type=int, default=1, help="of the games and the network (1)")
    parser.add_argument("--blocks", type=at_least(1), default=200, help="blocks of deals to measure on (200)")
    parser.add_argument("--save", type=Path, help="a file to keep the trained policy in, as the library does")
    parser.add_argument("--load", type=Path, help="measure a policy that was kept, instead of training one")
    options = parser.parse_args(arguments)
    if options.load and not options.load.is_file():
        parser.error(f"--load: there is no file {options.load}")
    if options.save:
        try:
            options.save.parent.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            parser.error(f"--save: cannot make the folder of {options.save}: {error.strerror}")
    return options
