"""Reading perft files: positions and how many lines of play or calls go on from them, as in chess.

A file holds positions one after another, each with these lines:

    position  no_hearts, the last four tricks
    rules     portuguese {"max_bid": 2}      a rule set and the options in which it differs
    deal      2                              which of the ten it is
    dealer    1
    hands     0:AKQ.T92.… … … …              in PBN, before the first card
    after     AS, 3S, 4S, 9S, 2H             the actions that lead to the position
    counts    plays                          `plays`: to the end of the deal; `calls`: until the first card
    depth 1   3                              how many different lines of that many actions there are
    root 1    2C 1, 3C 1, 9C 1               the same by first action

A line that has ended counts at its own length only. Lines that begin with `#` are notes.
"""

from __future__ import annotations

import dataclasses
import json
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from king_env.ruleset import RULESETS, RuleSet

FILES = sorted(Path(__file__).parent.glob("*.txt"))


@dataclass
class Position:
    """A position and its counts."""

    name: str
    ruleset: RuleSet = RULESETS["portuguese"]
    deal: int = 1
    dealer: int = 0
    hands: str = ""
    after: list[str] = field(default_factory=list)
    counts_calls: bool = False
    by_depth: dict[int, int] = field(default_factory=dict)
    by_root: dict[int, dict[str, int]] = field(default_factory=dict)

    def add(self, word: str, rest: str) -> None:
        """Take in one line."""
        if word == "rules":
            name, _, options = rest.partition(" ")
            self.ruleset = dataclasses.replace(RULESETS[name], **json.loads(options or "{}"))
        elif word in ("deal", "dealer"):
            setattr(self, word, int(rest))
        elif word == "hands":
            self.hands = rest
        elif word == "after":
            self.after = [action for action in rest.split(", ") if action]
        elif word == "counts":
            self.counts_calls = {"calls": True, "plays": False}[rest]
        elif word == "depth":
            depth, count = rest.split()
            self.by_depth[int(depth)] = int(count)
        elif word == "root":
            depth, _, counts = rest.partition(" ")
            pairs = [count.strip().rpartition(" ") for count in counts.split(",")]
            self.by_root[int(depth)] = {action: int(number) for action, _, number in pairs}
        else:
            raise ValueError(f"no line begins with {word!r}")

    @property
    def last_depth(self) -> int:
        """The greatest depth counted."""
        return max(self.by_depth)


def read_positions() -> list[Position]:
    """The positions of all files."""
    positions: list[Position] = []
    for path in FILES:
        for line in path.read_text("utf-8").splitlines():
            word, _, rest = line.partition(" ")
            rest = rest.strip()
            if word == "position":
                positions.append(Position(rest))
            elif word and not word.startswith("#"):
                positions[-1].add(word, rest)
    return positions


def count_lines(game: Any, depth: int, counts_calls: bool) -> list[int]:
    """How many lines of 1, 2 … `depth` actions go on from here; `game` has legal, play, clone, phase and is_over."""
    totals = [0] * depth
    if depth == 0 or game.is_over or (counts_calls and game.phase == "playing"):
        return totals
    for action in game.legal():
        after = game.clone()
        after.play(action)
        totals[0] += 1
        for further, count in enumerate(count_lines(after, depth - 1, counts_calls), start=1):
            totals[further] += count
    return totals


def count_by_root(game: Any, depth: int, counts_calls: bool) -> dict[str, int]:
    """How many lines of exactly `depth` actions begin with each action."""
    counts = {}
    for action in game.legal():
        after = game.clone()
        after.play(action)
        counts[action] = 1 if depth == 1 else count_lines(after, depth - 1, counts_calls)[-1]
    return counts
