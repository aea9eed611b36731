"""The bots at the table: what they play, and what they advise."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from threading import Lock

import numpy as np

from king_env.bots import BOTS, Bot, BotError, make
from king_env.bots.asking import Positions
from king_env.bots.thoughts import Explains, Thought
from king_env.engine.actions import Action
from king_env.engine.seats import NUM_SEATS
from king_env.evaluation.asking import ask_bot, ask_thoughts
from king_env.game import Game
from king_env.play.seated import SeatedGame

NUM_OPPONENTS = NUM_SEATS - 1

_ONE_OPTION = re.compile(r"\w+=[^:]*")
_FIRST_POSITIVE_DEAL = 6


class AdviceError(RuntimeError):
    """A bot that was asked for a hint and failed."""


@dataclass(frozen=True)
class Move:
    """What a bot does."""

    action: Action
    complaint: str = ""
    """What was wrong with its answer, in whose place stands its first legal action."""


@dataclass(frozen=True)
class Advice:
    """What a bot would do in the person's place, and what it thinks."""

    bot: str
    action: Action
    thought: Thought


class Company:
    """The bots that may sit at a table or be asked for a hint, by name. One is asked by one table at a time."""

    def __init__(self, bots: Iterable[Bot] = ()) -> None:
        self._bots: dict[str, Bot] = {}
        self._asking = Lock()
        for bot in bots:
            self._bots[_checked(bot).name] = bot

    def bot(self, name: str) -> Bot:
        """The bot of this name. Raises `BotError` if there is none.

        Names come from saved games, so one that is not here already is made only if it is one of King's own.
        """
        if name not in self._bots:
            if name.partition(":")[0] not in BOTS:
                raise BotError(f"bot {name!r}: sits here only if it is named when play is started: --against {name}")
            self._bots[name] = _checked(make(name))
        return self._bots[name]

    def move(self, seated: SeatedGame) -> Move:
        """What the bot does whose turn it is. One that fails spoils nobody's game: its first legal action is played."""
        turn = seated.game.turn
        assert turn is not None and turn != seated.seat, "a bot is to act"
        positions = _position(seated)
        with self._asking:
            answers = ask_bot(self.bot(seated.players[turn]), positions, _luck(seated), None)
        if 0 not in answers.complaints:
            return Move(int(answers.actions[0]))
        complaint = f"{seated.players[turn]} {answers.complaints[0]}; its first legal action is played instead"
        return Move(positions.first_legal(0), complaint)

    def advise(self, seated: SeatedGame, name: str) -> Advice:
        """What a bot would do in the person's place: what gains most, if it says what actions gain.

        Raises `AdviceError` if the bot fails.
        """
        assert seated.is_my_turn, "the person is to act"
        bot, positions = self.bot(name), _position(seated)
        with self._asking:
            thought = _thought(bot, positions)
            if thought.gains:
                return Advice(name, max(thought.gains, key=thought.gains.__getitem__), thought)
            answers = ask_bot(bot, positions, _luck(seated), None)
        if answers.complaints:
            raise AdviceError(f"{name} {answers.complaints[0]}")
        return Advice(name, int(answers.actions[0]), thought)

    def get_ready(self) -> None:
        """Ask each bot once, so that what has to be compiled or loaded is before somebody waits for it."""
        games = [Game(seed=0, num_deals=1), Game(seed=0, first_deal=_FIRST_POSITIVE_DEAL, num_deals=1)]
        views = np.concatenate([game.record for game in games])
        positions = Positions.of_games(views, np.arange(len(views)))
        for bot in self._bots.values():
            ask_bot(bot, positions, np.random.default_rng(0), None)
            if isinstance(bot, Explains):
                ask_thoughts(bot, positions)


def bot_texts(text: str) -> list[str]:
    """The bots of `heuristic,search:worlds=20,threads=1`: what reads as an option belongs to the bot before it."""
    texts: list[str] = []
    for piece in text.split(","):
        if texts and ":" in texts[-1] and _ONE_OPTION.fullmatch(piece):
            texts[-1] += f",{piece}"
        else:
            texts.append(piece.strip())
    return texts


def opponents_of(bots: Sequence[Bot]) -> list[Bot]:
    """The three opponents, from the left neighbour on: one bot sits there three times."""
    if len(bots) not in (1, NUM_OPPONENTS):
        raise BotError(f"{len(bots)} bots: name one, or {NUM_OPPONENTS} from the left neighbour on")
    return list(bots) * (NUM_OPPONENTS // len(bots))


def _checked(bot: Bot) -> Bot:
    if getattr(bot, "sees_all_hands", False):
        raise BotError(f"{bot.name!r} sees all hands, which nobody at this table may")
    return bot


def _position(seated: SeatedGame) -> Positions:
    return Positions.of_games(seated.game.record, np.zeros(1, dtype=np.int64))


def _luck(seated: SeatedGame) -> np.random.Generator:
    """Random numbers for a bot: with a seed the same whenever the same game has come as far."""
    return np.random.default_rng(None if seated.seed is None else (seated.seed, len(seated.game.actions)))


def _thought(bot: Bot, positions: Positions) -> Thought:
    if not isinstance(bot, Explains):
        return Thought()
    thoughts, complaint = ask_thoughts(bot, positions)
    if complaint:
        raise AdviceError(f"{bot.name} {complaint}")
    return thoughts[0]
