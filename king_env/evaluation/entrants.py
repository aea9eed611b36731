"""The bots of a match: who they are, which of them are alike, and which play in compiled code."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from king_env.bots import Bot, make
from king_env.bots.compiled_bot import code_of
from king_env.bots.protocol import CHEATING, sees_all_hands
from king_env.bots.registry import BotChoice
from king_env.evaluation.seatings import Kind, check_four


@dataclass(frozen=True)
class Entrant:
    """One kind of bot in a match."""

    label: str
    """Its name in the results, unlike any other kind's."""
    choice: str
    """What was asked for: a name or path, or the class of a bot that was given as an object."""
    bot: Bot
    code: int
    """Which of the compiled bots it is, or IN_PYTHON."""

    @property
    def version(self) -> int:
        """Which version of itself it is: figures of different versions are not comparable."""
        return self.bot.version

    @property
    def sees_all_hands(self) -> bool:
        """Whether it is handed whole games instead of views."""
        return sees_all_hands(self.bot)


class CheatingError(ValueError):
    """A bot that sees all hands, where none may play, or under a name that does not say so."""


def enter_bots(bots: Sequence[BotChoice], allow_cheating: bool) -> tuple[list[Entrant], list[Kind]]:
    """The kinds among four bots in order of appearance, and which kind each is; the same name twice is one kind."""
    check_four(bots)
    choices: list[BotChoice] = []
    for bot in bots:
        if not any(_is_same(bot, other) for other in choices):
            choices.append(bot)
    kinds = [next(kind for kind, choice in enumerate(choices) if _is_same(bot, choice)) for bot in bots]
    entrants: list[Entrant] = []
    for choice in choices:
        entrants.append(_enter(choice, taken=[entrant.label for entrant in entrants]))
        _check_honesty(entrants[-1].bot, allow_cheating)
    return entrants, kinds


def _check_honesty(bot: Bot, allow_cheating: bool) -> None:
    """Refuse a bot that sees all hands unless such are allowed; under an honest name none is."""
    if not getattr(bot, "sees_all_hands", False):
        return
    if CHEATING not in bot.name:
        raise CheatingError(f"bots: {bot.name!r} wants to see all hands, so its name must say {CHEATING!r}")
    if not allow_cheating:
        raise CheatingError(
            f"bots: {bot.name!r} sees all hands, and plays only where that is allowed (allow_cheating=True, "
            "--allow-cheating)"
        )


def _is_same(bot: BotChoice, other: BotChoice) -> bool:
    return bot == other if isinstance(bot, str) and isinstance(other, str) else bot is other


def _enter(choice: BotChoice, taken: list[str]) -> Entrant:
    bot = make(choice) if isinstance(choice, str) else choice
    if not isinstance(bot, Bot):
        raise TypeError(f"bots: a bot has name, version, act and act_batch; {type(bot).__name__} has not")
    return Entrant(
        label=_unlike(bot.name, taken),
        choice=choice if isinstance(choice, str) else type(bot).__qualname__,
        bot=bot,
        code=code_of(bot),
    )


def _unlike(name: str, taken: list[str]) -> str:
    """The name itself, or with a number if another kind of bot has it."""
    label, number = name, 1
    while label in taken:
        number += 1
        label = f"{name} ({number})"
    return label
