"""The sections of an observation: which of them a network is not shown, and whether a policy fits them."""

from __future__ import annotations

from collections.abc import Collection, Sequence

import numpy as np

from king_env.engine.observation import SECTIONS

Layout = list[tuple[str, int]]  # sections of an observation in order: name and size


def current_layout() -> Layout:
    """The layout of the installed `king_env`."""
    return [(section.name, section.size) for section in SECTIONS]


def runs_of_sections(sections: Collection[str]) -> list[slice]:
    """Where in an observation these sections lie; neighbours are one run."""
    runs: list[slice] = []
    start = 0
    for name, size in current_layout():
        end = start + size
        if name in sections:
            joins = bool(runs) and runs[-1].stop == start
            runs[-1:] = [slice(runs[-1].start, end)] if joins else [*runs[-1:], slice(start, end)]
        start = end
    return runs


def blank(observations: np.ndarray, runs: Sequence[slice]) -> None:
    """Empty these runs of entries in observations (int8[B, OBSERVATION_SIZE])."""
    for run in runs:
        observations[:, run] = 0


def layout_difference(theirs: Sequence[tuple[str, int]], ours: Sequence[tuple[str, int]]) -> str | None:
    """The first section in which two layouts differ, in words; None if they are the same."""
    for number in range(max(len(theirs), len(ours))):
        their_section = theirs[number] if number < len(theirs) else None
        our_section = ours[number] if number < len(ours) else None
        if their_section != our_section:
            return f"section {number} is {_section_text(their_section)} there and {_section_text(our_section)} here"
    return None


def _section_text(section: tuple[str, int] | None) -> str:
    return "missing" if section is None else f"{section[0]}[{section[1]}]"
