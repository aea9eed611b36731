"""Who a learner plays against: a bot, one for each of the other seats, or bots drawn anew for every episode."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from numbers import Real
from typing import Any

import numpy as np
import numpy.typing as npt

from king_env.bots import Bot, make
from king_env.bots.asking import Positions, as_actions
from king_env.bots.compiled_bot import code_of
from king_env.bots.registry import BotChoice
from king_env.engine.seats import NUM_SEATS
from king_env.episode import OptionError

Weights = Mapping[BotChoice, float]  # how often each bot is drawn, in proportion to the others
OpponentChoice = BotChoice | Weights | Sequence[BotChoice | Weights]
Mixture = list[tuple[BotChoice, float]]

NUM_OPPONENTS = NUM_SEATS - 1
MOST_WEIGHT = 1e100  # of one bot, so that the sum of all is finite


class OpponentError(RuntimeError):
    """An opponent raised, or answered what it may not do. The episode cannot go on: call reset()."""


@dataclass(frozen=True)
class Opponents:
    """The bots that may sit at the table, and how often each of them sits where."""

    bots: tuple[Bot, ...]
    codes: npt.NDArray[np.int64]
    """int64[num_bots]: which compiled bot each is, or IN_PYTHON."""
    shares: npt.NDArray[np.float64]
    """float64[3, num_bots]: for the left neighbour, the seat opposite and the right neighbour, how often it is one of
    the bots up to this one; the last is 1."""

    def ask(
        self, bot_number: int, positions: Positions, rng: np.random.Generator, which: npt.NDArray[np.int64]
    ) -> npt.NDArray[np.int64]:
        """The actions of a bot of Python in these positions (int64[n]); which: the games that they are of."""
        bot = self.bots[bot_number]
        try:
            actions = as_actions(bot.act_batch(positions.views.copy(), rng), len(positions))
        except Exception as error:
            raise OpponentError(f"opponent {bot.name!r} raised {type(error).__name__}: {error}") from error
        for row, reason in positions.why_refused(actions).items():
            seat = int(positions.views["turn"][row])
            raise OpponentError(f"game {which[row]}, seat {seat}: opponent {bot.name!r} {reason}")
        return actions


def make_opponents(choice: OpponentChoice) -> Opponents:
    """The opponents of `King-v0`, from the option of that name.

    Raises OptionError where it makes no sense, and BotError where it names a bot that there is not.
    """
    bots: list[Bot] = []
    made: dict[str, Bot] = {}
    weights = np.zeros((NUM_OPPONENTS, 0))
    for place, mixture in enumerate(_mixtures(choice)):
        for bot_choice, weight in mixture:
            if isinstance(bot_choice, str) and bot_choice not in made:
                made[bot_choice] = make(bot_choice)
            bot = made[bot_choice] if isinstance(bot_choice, str) else _checked_bot(bot_choice)
            if bot not in bots:
                bots.append(bot)
                weights = np.column_stack([weights, np.zeros(NUM_OPPONENTS)])
            weights[place, bots.index(bot)] += _checked_weight(bot, weight)
    for bot in bots:
        _check_honesty(bot)
    up_to = weights.cumsum(axis=1)
    if not up_to[:, -1].all():
        raise OptionError("opponents: at least one bot of a mixture must have a weight above 0")
    codes = np.array([code_of(bot) for bot in bots], dtype=np.int64)
    return Opponents(tuple(bots), codes, np.ascontiguousarray(up_to / up_to[:, -1:]))


def _mixtures(choice: Any) -> list[Mixture]:
    """One for each opponent, to the left of the learner on."""
    if not isinstance(choice, (list, tuple)):
        return [_mixture(choice)] * NUM_OPPONENTS
    if len(choice) != NUM_OPPONENTS:
        raise OptionError(
            f"opponents: a list names {NUM_OPPONENTS}, from the learner's left neighbour on, not {len(choice)}"
        )
    return [_mixture(one) for one in choice]


def _mixture(choice: Any) -> Mixture:
    if not isinstance(choice, Mapping):
        return [(choice, 1.0)]
    if not choice:
        raise OptionError("opponents: a mixture names at least one bot")
    return list(choice.items())


def _checked_bot(bot: Any) -> Bot:
    if isinstance(bot, type) or not isinstance(bot, Bot):
        raise OptionError(
            "opponents: must be a bot's name, a Bot, a dict of bots and weights, or a list of three of these, "
            f"not {bot!r:.60}"
        )
    return bot


def _checked_weight(bot: Bot, weight: Any) -> float:
    if isinstance(weight, bool) or not isinstance(weight, Real) or not 0 <= float(weight) <= MOST_WEIGHT:
        raise OptionError(
            f"opponents: the weight of {bot.name!r} must be a number from 0 to {MOST_WEIGHT:g}, not {weight!r}"
        )
    return float(weight)


def _check_honesty(bot: Bot) -> None:
    if getattr(bot, "sees_all_hands", False):
        raise OptionError(f"opponents: {bot.name!r} sees all hands, which no opponent of a learner may")
