"""Bots by name: `make("heuristic")`, with options, from a module of one's own, or from a policy in a file."""

from __future__ import annotations

import importlib
import inspect
import re
from collections.abc import Callable
from typing import Any

from king_env.bots.best_response import CheatingBestResponseBot
from king_env.bots.compiled_bot import HeuristicBot, RandomBot, UniformBot
from king_env.bots.pretrained import PolicySearchBot, PretrainedBot
from king_env.bots.protocol import Bot
from king_env.bots.search import CheatingSearchBot, SearchBot
from king_env.ruleset import unknown_text

BOTS: dict[str, Callable[..., Bot]] = {
    "uniform": UniformBot,
    "random": RandomBot,
    "heuristic": HeuristicBot,
    "search": SearchBot,
    "pretrained": PretrainedBot,
    "pretrained-search": PolicySearchBot,
    "cheating-search": CheatingSearchBot,
    "cheating-best-response": CheatingBestResponseBot,
}

BotChoice = str | Bot  # a name, the path of a policy, `package.module:factory`, or a bot itself

DECIMAL = re.compile(r"[0-9]+\.[0-9]+")

CHECKPOINT_ENDING = ".pt"
POLICY_ENDING = ".npz"
# Named as text: king_env imports neither torch nor the recipes unless somebody asks for a checkpoint.
CHECKPOINT_LOADER = "baselines.ppo.policy_bot:load"


class BotError(ValueError):
    """A bot that does not exist or was asked for wrongly."""


def make(text: str) -> Bot:
    """A bot by its name, with options or without, by `package.module:factory`, or from the path of a policy."""
    name, _, rest = text.partition(":")
    if name in BOTS:
        return _registered(name, rest)
    if text.endswith(CHECKPOINT_ENDING):
        return _checkpoint(text)
    if text.endswith(POLICY_ENDING):
        return _policy(text)
    if rest and "=" not in rest:
        return _checked(text, _factory(text)())
    raise BotError(
        f"{unknown_text('bot', name, BOTS)}, package.module:factory, "
        f"or a path to a {CHECKPOINT_ENDING} or {POLICY_ENDING} file"
    )


def _registered(name: str, options_text: str) -> Bot:
    options = _options(name, options_text)
    try:
        return BOTS[name](**options)
    except ValueError as error:
        raise BotError(f"bot {name!r}: {error}") from None


def _options(name: str, text: str) -> dict[str, Any]:
    """``"worlds=100,mode=x"`` as a dict; whole numbers become int, decimal ones float."""
    allowed = list(inspect.signature(BOTS[name]).parameters)
    options: dict[str, Any] = {}
    for item in text.split(",") if text else []:
        option, equals, value = item.partition("=")
        if not equals or not value:
            raise BotError(f"bot {name!r}: options are written option=value, not {item!r}")
        if option not in allowed:
            raise BotError(f"bot {name!r}: {unknown_text('option', option, allowed)}")
        if option in options:
            raise BotError(f"bot {name!r}: option {option!r} is given twice")
        options[option] = _value(value)
    return options


def _value(text: str) -> int | float | str:
    if text.isdecimal():
        return int(text)
    return float(text) if DECIMAL.fullmatch(text) else text


def _policy(path: str) -> Bot:
    try:
        return PretrainedBot(path)
    except ValueError as error:
        raise BotError(str(error)) from None


def _checkpoint(path: str) -> Bot:
    try:
        load = _factory(CHECKPOINT_LOADER)
    except BotError as error:
        raise BotError(
            f"checkpoint {path!r}: playing from a checkpoint needs a checkout of the project and torch "
            f"(pip install 'king-env[train]'); {error}"
        ) from None
    return _checked(path, load(path))


def _factory(text: str) -> Callable[..., Any]:
    """What ``"package.module:factory"`` stands for."""
    module_name, _, attribute = text.partition(":")
    try:
        module = importlib.import_module(module_name)
    except ImportError as error:
        raise BotError(f"bot {text!r}: cannot import {module_name!r} ({error}); " + _known()) from error
    factory = getattr(module, attribute, None)
    if not callable(factory):
        raise BotError(f"bot {text!r}: module {module_name!r} has no factory {attribute!r}")
    made: Callable[..., Any] = factory
    return made


def _checked(text: str, bot: Any) -> Bot:
    if not isinstance(bot, Bot):
        raise BotError(f"bot {text!r}: a bot has name, version, act and act_batch; {type(bot).__name__} has not")
    return bot


def _known() -> str:
    return f"known bots: {', '.join(BOTS)}"
