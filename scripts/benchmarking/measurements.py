"""What is measured, by name, and the measuring of it all, one thing after another."""

from __future__ import annotations

import importlib
import traceback
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from types import ModuleType

from scripts.benchmarking.measuring import Figure, NotMeasuredError, Sample
from scripts.benchmarking.own_process import ProcessDiedError, in_own_process

# Each measurement is the function of its name in one of these modules.
ROOMS: dict[str, tuple[str, ...]] = {
    "engine": ("random_games", "batch_steps", "two_cores", "memory"),
    "doors": ("one_call", "raw_env", "checked_env", "gymnasium_env", "batch_env"),
    "hidden_cards": ("worlds",),
    "start_up": ("start_up",),
    "peers.openspiel": ("openspiel_hearts", "openspiel_spades", "openspiel_bridge"),
    "peers.rlcard": ("rlcard_bridge",),
    "peers.pettingzoo": ("connect_four", "texas_holdem"),
    "training": ("ppo",),
    "peers.maskable_ppo": ("maskable_ppo",),
    "growth": ("growth_by_games", "growth_by_deals"),
}
ROOM_OF = {name: room for room, names in ROOMS.items() for name in names}
NAMES = tuple(ROOM_OF)
NUM_CORES = {"two_cores": 2}  # one, unless said here
OUR_PACKAGES = ("king_env", "baselines", "scripts")


class UnknownNameError(ValueError):
    """A measurement that there is not."""


@dataclass(frozen=True)
class Outcome:
    """What came of a measurement: samples, or why there are none."""

    samples: tuple[Sample, ...] = ()
    not_measured: str | None = None
    error: str | None = None  # as Python prints it


@dataclass
class Results:
    """What came of all measurements so far."""

    samples: list[Sample] = field(default_factory=list)
    not_measured: dict[str, str] = field(default_factory=dict)  # why not, by name
    errors: dict[str, str] = field(default_factory=dict)  # by name
    is_interrupted: bool = False

    def add(self, name: str, outcome: Outcome) -> None:
        """Once more the same thing."""
        self.samples += outcome.samples
        if outcome.not_measured is not None:
            self.not_measured[name] = outcome.not_measured
        if outcome.error is not None:
            self.errors[name] = outcome.error

    def is_hopeless(self, name: str) -> bool:
        """Whether measuring it again would fail again."""
        return name in self.not_measured or name in self.errors

    @property
    def figures(self) -> dict[str, Figure]:
        """The samples of each thing together, by its key, in the order in which it was first measured."""
        figures: dict[str, Figure] = {}
        for sample in self.samples:
            before = figures[sample.key].samples if sample.key in figures else ()
            figures[sample.key] = Figure(sample.key, sample.what, sample.unit, (*before, sample.value), sample.size)
        return figures


def check_names(names: Iterable[str]) -> None:
    """Refuse names that no measurement has."""
    unknown = [name for name in names if name not in ROOM_OF]
    if unknown:
        raise UnknownNameError(f"no measurement {', '.join(unknown)}; known: {', '.join(NAMES)}")


def measure_all(order: Iterable[str], announce: Callable[[str], None]) -> Results:
    """Measure one thing after another, the same one as often as its name comes; Ctrl-C ends it with what there is."""
    results = Results()
    try:
        for name in order:
            announce(name)
            if not results.is_hopeless(name):
                results.add(name, measure_apart(name))
    except KeyboardInterrupt:
        results.is_interrupted = True
    return results


def measure_apart(name: str) -> Outcome:
    """`measure` in a process of its own, which may die of it."""
    try:
        outcome: Outcome = in_own_process(measure, (name,), NUM_CORES.get(name, 1))
        return outcome
    except ProcessDiedError as error:
        return Outcome(error=str(error))


def measure(name: str) -> Outcome:
    """What comes of one measurement, here."""
    try:
        return Outcome(samples=tuple(getattr(import_room(ROOM_OF[name]), name)()))
    except NotMeasuredError as reason:
        return Outcome(not_measured=str(reason))
    except Exception:
        return Outcome(error=traceback.format_exc())


def import_room(room: str) -> ModuleType:
    """The module of a room; a peer that it needs may be missing."""
    try:
        return importlib.import_module(f"scripts.benchmarking.{room}")
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package in OUR_PACKAGES:
            raise
        raise NotMeasuredError(f"{package} is not installed; extra `bench` brings it") from None
