"""The compiled bots as Python objects: `uniform`, `random`, `heuristic`, and mixtures of them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from king_env.bots.compiled import IN_PYTHON, MANNER_NAMES, NO_ACTION, PART_NAMES, BotCode, bot_code, choose_all
from king_env.bots.heuristic import HEURISTIC_VERSION
from king_env.bots.protocol import Bot
from king_env.chance import STREAM_WORDS
from king_env.engine.actions import Action
from king_env.engine.state import GAME_DTYPE, OVER, TO_DEAL, GameRecord, GameRecords


@dataclass(frozen=True)
class CompiledBot:
    """A bot that is a kernel; without options all its parts are played in the manner it is named after."""

    manner: ClassVar[str]
    version: ClassVar[int]

    cards: str = ""
    """How it plays its cards: `uniform`, `random` or `heuristic`; so too the other two."""
    choosing: str = ""
    """How it opens and declares a positive deal."""
    bidding: str = ""
    """How it bids, answers an ultimatum, and decides about a sale."""

    def __post_init__(self) -> None:
        for part in PART_NAMES:
            if not getattr(self, part):
                object.__setattr__(self, part, self.manner)
            if getattr(self, part) not in MANNER_NAMES:
                raise ValueError(f"{part}: must be one of {', '.join(MANNER_NAMES)}, not {getattr(self, part)!r}")

    @property
    def name(self) -> str:
        """The bot's name with those options that differ from it."""
        options = [f"{part}={getattr(self, part)}" for part in PART_NAMES if getattr(self, part) != self.manner]
        return ":".join([self.manner, ",".join(options)] if options else [self.manner])

    @property
    def code(self) -> BotCode:
        """What `king_env.bots.compiled.choose` knows this bot by."""
        return bot_code(self.cards, self.choosing, self.bidding)

    def act(self, view: GameRecords, rng: np.random.Generator) -> Action:
        return only_action(self.act_batch(view, rng))

    def act_batch(self, views: GameRecords, rng: np.random.Generator) -> np.ndarray:
        check_views(views)
        actions = np.empty(len(views), dtype=np.int64)
        streams = rng.integers(np.iinfo(np.uint64).max, size=(len(views), STREAM_WORDS), dtype=np.uint64, endpoint=True)
        choose_all(self.code, views, streams, actions)
        if (actions == NO_ACTION).any():
            raise ValueError(why_none_acts(views[actions.argmin()]))
        return actions


def code_of(bot: Bot) -> BotCode:
    """The code by which compiled code plays a bot, or IN_PYTHON."""
    acts = (type(bot).act, type(bot).act_batch)  # a class derived from a compiled bot may act otherwise
    if isinstance(bot, CompiledBot) and acts == (CompiledBot.act, CompiledBot.act_batch):
        return bot.code
    return IN_PYTHON


def only_action(actions: np.ndarray) -> Action:
    """The answer of `act`, from that of `act_batch`."""
    if len(actions) != 1:
        raise ValueError(f"view: act takes one, GAME_DTYPE[1], not {len(actions)}; act_batch takes any number")
    return int(actions[0])


def check_views(views: object) -> None:
    """Refuse what is no array of game records."""
    if not isinstance(views, np.ndarray) or views.dtype != GAME_DTYPE or views.ndim != 1:
        raise ValueError(f"views: must be an array GAME_DTYPE[N], as `games[0:1]` is, not {_kind_of(views)}")


def _kind_of(views: object) -> str:
    if isinstance(views, np.ndarray):
        what = "game records" if views.dtype == GAME_DTYPE else str(views.dtype)
        return f"an array of {what} of shape {list(views.shape)}"
    return "a single record" if isinstance(views, np.void) else type(views).__name__


def why_none_acts(view: GameRecord) -> str:
    """Why a view is none of a seat to act."""
    if view["phase"] == OVER:
        return "views: nobody is to act in a game that is over"
    if view["phase"] == TO_DEAL:
        return "views: nobody is to act before the cards are dealt"
    return f"views: seat {view['turn']} is to act, and a view of another seat does not show its cards"


class UniformBot(CompiledBot):
    """Any legal action, each equally likely."""

    manner = "uniform"
    version = 1


class RandomBot(CompiledBot):
    """Any legal card, and calls that make sense but were not thought about."""

    manner = "random"
    version = 1


class HeuristicBot(CompiledBot):
    """An experienced player."""

    manner = "heuristic"
    version = HEURISTIC_VERSION
