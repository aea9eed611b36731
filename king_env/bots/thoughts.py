"""What a bot thinks at a decision, for people who look over its shoulder: probabilities, a value, what actions gain.

A bot that offers it has a method `explain`. In a game record the thoughts stand under "thoughts" in `meta`, one for
each action: a dict as `Thought.to_dict` writes it, or null where nobody thought.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Protocol, runtime_checkable

from king_env.engine.actions import Action
from king_env.engine.state import GameRecords
from king_env.notation import action_text, parse_action

META_KEY = "thoughts"  # in the `meta` of a game record

_KEYS = ("probabilities", "value", "unit", "gains", "errors")
_DIGITS_OF_PROBABILITIES, _DIGITS_OF_POINTS = 4, 2
_LONGEST_UNIT = 200  # letters


@dataclass(frozen=True)
class Thought:
    """What a bot thinks of one position of its seat; whatever it has no idea of is None."""

    probabilities: Mapping[Action, float] | None = None
    """With which it takes each legal action."""
    value: float | None = None
    """What it expects."""
    unit: str = ""
    """In what, and compared with what, the value is counted."""
    gains: Mapping[Action, float] | None = None
    """How many points more its seat makes in this deal by each action than by one of them, which gains 0."""
    errors: Mapping[Action, float] | None = None
    """The standard errors of these gains, if they are means over what may be."""

    def to_dict(self) -> dict[str, Any]:
        """Plain values for JSON, rounded to what people read; what is None is left out."""
        plain: dict[str, Any] = {}
        if self.probabilities is not None:
            plain["probabilities"] = _by_text(self.probabilities, _DIGITS_OF_PROBABILITIES)
        if self.value is not None:
            plain |= {"value": round(self.value, _DIGITS_OF_POINTS), "unit": self.unit}
        if self.gains is not None:
            plain["gains"] = _by_text(self.gains, _DIGITS_OF_POINTS)
        if self.errors is not None:
            plain["errors"] = _by_text(self.errors, _DIGITS_OF_POINTS)
        return plain

    @classmethod
    def from_dict(cls, plain: Any) -> Thought:
        """What `to_dict` wrote; ValueError says what is wrong with anything else, as files come from strangers."""
        if not isinstance(plain, Mapping) or not set(plain) <= set(_KEYS):
            raise ValueError(f"a thought must be a dict with none but the keys {', '.join(_KEYS)}, not {plain!r:.60}")
        unit = plain.get("unit", "")
        if not isinstance(unit, str) or len(unit) > _LONGEST_UNIT:
            raise ValueError(f"unit: must be text of at most {_LONGEST_UNIT} letters, not {unit!r:.60}")
        return cls(
            probabilities=_numbers_by_action("probabilities", plain.get("probabilities")),
            value=None if plain.get("value") is None else _number("value", plain["value"]),
            unit=unit,
            gains=_numbers_by_action("gains", plain.get("gains")),
            errors=_numbers_by_action("errors", plain.get("errors")),
        )


@runtime_checkable
class Explains(Protocol):
    """A bot that says what it thinks."""

    def explain(self, views: GameRecords) -> list[Thought]:
        """What the bot thinks in each of N views of the seat to act; it changes nothing about what it answers."""
        ...


def thoughts_in(meta: Mapping[str, Any], num_actions: int) -> list[Thought | None]:
    """The thoughts behind each action of a game, from its `meta`; ValueError if what stands there is none."""
    plain = meta.get(META_KEY)
    if plain is None:
        return [None] * num_actions
    if not isinstance(plain, list) or len(plain) != num_actions:
        raise ValueError(f"{META_KEY}: must be a list with an entry for each of the {num_actions} actions")
    thoughts: list[Thought | None] = []
    for number, thought in enumerate(plain, start=1):
        try:
            thoughts.append(None if thought is None else Thought.from_dict(thought))
        except ValueError as error:
            raise ValueError(f"{META_KEY}: action {number}: {error}") from None
    return thoughts


def _by_text(numbers: Mapping[Action, float], digits: int) -> dict[str, float]:
    return {action_text(action): round(number, digits) for action, number in numbers.items()}


def _numbers_by_action(name: str, plain: Any) -> dict[Action, float] | None:
    if plain is None:
        return None
    if not isinstance(plain, Mapping):
        raise ValueError(f"{name}: must be a dict from actions to numbers, not {plain!r:.60}")
    return {parse_action(text): _number(name, number) for text, number in plain.items()}


def _number(name: str, value: Any) -> float:
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not math.isfinite(value):
        raise ValueError(f"{name}: must be a number, not {value!r:.60}")
    return float(value)
