"""The panel: each of several bots alone against three of each, on deals that nothing else is played on.

A cell is one such match. Whoever measures against a single opponent learns how well it beats that opponent; the panel
shows the rest. All cells are played on the same deals, those of a purpose of their own (`king_env.chance`): neither
envs nor `play_match` draw them, and code that trains may not import this module.

Cells are played on in turns, those first that have been played least, and looked at when they have 64 blocks, 128, 256
and so on. At a look a cell ends if

- it is narrow: half its interval is at most `within` points a game. That depends on the spread alone, so the interval
  means what it says;
- it is settled: half its interval is at most four times that, and an interval twice as wide leaves 0 out. In the seven
  looks up to 4,096 blocks a cell whose true mean is 0 is called settled with a chance of less than 1 in 1,000, so the
  sign is sure; the mean may lie a little too far from 0, for of cells alike the lucky ones end first. Tables mark such
  cells with an asterisk.

A cell ends as well after as many blocks, or minutes of its own, as it was given at most.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from king_env.bots import make
from king_env.bots.search import SearchBot
from king_env.engine.seats import NUM_SEATS
from king_env.evaluation.chunks import MatchPlan, play_chunk, warm_up
from king_env.evaluation.entrants import enter_bots
from king_env.evaluation.matches import BLOCKS_A_CHUNK, make_plan
from king_env.evaluation.results import ENV_VERSION, versions
from king_env.evaluation.statistics import BlockSums, Estimate
from king_env.evaluation.tallies import COLUMNS
from king_env.ruleset import RuleSet, make_ruleset, whole_number

PANEL_FORMAT = "king-panel-1"
PANEL_BOTS = ("random", "heuristic", "search:worlds=20", "search:worlds=100", "search:worlds=400")
PANEL_EPISODES = ("deal", "game")
DEFAULT_WITHIN = 5.0
DEFAULT_BLOCKS = 4096
DEFAULT_MINUTES = 15.0

# The scale of strength: each alone against three of the first.
HEURISTIC, WEAKEST, YARDSTICK = "heuristic", "random", "cheating-search"

# The best response to three `search` has to make all their replies in every line that it tries, which can be afforded
# up to so many worlds; those that search more are taken for `heuristic`.
MOST_WORLDS_FORESEEN = 20

FIRST_LOOK = 64
SETTLED_WIDTH = 4.0  # times `within`: a settled cell is at least so narrow
SETTLED_DISTANCE = 2.0  # times the interval leaves 0 out

LONE = 0  # which kind of bot is alone in a match of the panel
SECONDS_A_MINUTE = 60

NARROW, SETTLED, ALL_BLOCKS, OUT_OF_TIME = "narrow", "settled", "all blocks", "out of time"


class PanelError(ValueError):
    """A panel that makes no sense, or a file that holds another."""


@dataclass(frozen=True)
class PanelPlan:
    """What a panel is to say, and how exactly."""

    bots: tuple[str, ...] = PANEL_BOTS
    """Names, paths of checkpoints or `package.module:factory`; each is a row and a column."""
    ruleset: RuleSet = field(default_factory=lambda: make_ruleset("portuguese"))
    episodes: tuple[str, ...] = PANEL_EPISODES
    """`deal`: single deals of each contract, `game`: whole games; one matrix each."""
    seed: int = 1
    within: float = DEFAULT_WITHIN
    """A cell is narrow when half its interval is no more than so many points a game."""
    most_blocks: int = DEFAULT_BLOCKS
    """Of a cell."""
    most_minutes: float = DEFAULT_MINUTES
    """Of a cell; what has been played when they are over counts."""
    allow_cheating: bool = False
    """Let bots of the panel see all hands; the best responses always do."""

    def __post_init__(self) -> None:
        if len(set(self.bots)) < len(self.bots) or not self.bots:
            raise PanelError(f"bots: a panel has at least one bot, and each once, not {', '.join(self.bots)}")
        if not 0 < self.within < math.inf:
            raise PanelError(f"within: must be a positive number of points a game, not {self.within!r}")
        if not self.most_minutes > 0:
            raise PanelError(f"minutes: must be more than 0, not {self.most_minutes!r}")
        whole_number("blocks", self.most_blocks, 1, error=PanelError)
        whole_number("seed", self.seed, 0, error=PanelError)

    def matches(self) -> Iterator[Match]:
        """All cells: the matrix, the ends of the scale of strength, and the ceiling of each field."""
        wanted: list[Match] = []
        for episode in self.episodes:
            wanted += [Match(lone, trio, episode) for trio in self.bots for lone in self.bots if lone != trio]
            wanted += [Match(lone, HEURISTIC, episode) for lone in (*self.bots, WEAKEST, YARDSTICK)]
            wanted += [Match(best_response_to(trio), trio, episode) for trio in self.bots]
        yield from (match for match in dict.fromkeys(wanted) if match.lone != match.trio)


@dataclass(frozen=True)
class Match:
    """One bot alone against three of another."""

    lone: str
    trio: str
    episode: str

    def plan(self, panel: PanelPlan) -> MatchPlan:
        """What is to be played: the same deals in every cell."""
        return make_plan(
            [self.lone, self.trio, self.trio, self.trio],
            panel.most_blocks,
            panel.seed,
            panel.ruleset,
            self.episode,
            seatings="all",
            on_error="stop",
            time_limit_ms=None,
            allow_cheating=True,
            is_recorded=False,
            thoughts_are_recorded=False,
            purpose="panel",
        )


@dataclass(frozen=True)
class Cell:
    """What has been played of one match: the points of the bot that is alone."""

    sums: tuple[BlockSums, ...] = (BlockSums(),) * len(COLUMNS)
    """By column (`COLUMNS`)."""
    bot_versions: tuple[int, ...] = ()
    """Of the bot alone and of the three, once something has been played."""
    wall_seconds: float = 0.0
    cpu_seconds: float = 0.0

    @property
    def num_blocks(self) -> int:
        """How many blocks have been played."""
        return self.sums[0].num_blocks

    def points(self, column: str = "game") -> Estimate:
        """The mean points of the bot alone, per game or per deal of a contract (`COLUMNS`)."""
        return self.sums[COLUMNS.index(column)].estimate()

    def why_ended(self, panel: PanelPlan) -> str:
        """Why nothing more is to be played; empty while there is."""
        if is_look(self.num_blocks):
            points = self.points()
            if points.half_width <= panel.within:
                return NARROW
            if is_settled(points, panel.within):
                return SETTLED
        if self.num_blocks >= panel.most_blocks:
            return ALL_BLOCKS
        return OUT_OF_TIME if self.wall_seconds >= SECONDS_A_MINUTE * panel.most_minutes else ""

    def to_dict(self, panel: PanelPlan) -> dict[str, Any]:
        """Plain values for JSON: the points for people, and the sums by which the cell goes on."""
        return {
            "num_blocks": self.num_blocks,
            "ended": self.why_ended(panel),
            "points": {column: self.points(column).to_dict() for column in COLUMNS},
            "bot_versions": self.bot_versions,
            "wall_seconds": self.wall_seconds,
            "cpu_seconds": self.cpu_seconds,
            "sums": {column: dataclasses.astuple(sums) for column, sums in zip(COLUMNS, self.sums, strict=True)},
        }

    @classmethod
    def from_dict(cls, content: dict[str, Any]) -> Cell:
        """The cell that `to_dict` wrote down."""
        sums = tuple(BlockSums(*content["sums"][column]) for column in COLUMNS)
        return cls(sums, tuple(content["bot_versions"]), content["wall_seconds"], content["cpu_seconds"])


NOTHING_PLAYED = Cell()


def is_look(num_blocks: int) -> bool:
    """Whether a cell of so many blocks is looked at: 64, 128, 256, …"""
    return num_blocks >= FIRST_LOOK and num_blocks & (num_blocks - 1) == 0


def is_settled(points: Estimate, within: float) -> bool:
    """Whether it is sure enough who wins that a rough figure will do."""
    is_sure = abs(points.mean) > SETTLED_DISTANCE * points.half_width
    return is_sure and points.half_width <= SETTLED_WIDTH * within


def best_response_to(trio: str) -> str:
    """The bot that shows how much there is to gain against three of this one."""
    worlds = worlds_searched(trio)
    if 0 < worlds <= MOST_WORLDS_FORESEEN:
        return f"cheating-best-response:depth=1,worlds={worlds}"
    return "cheating-best-response"


def knows_replies(trio: str) -> bool:
    """Whether the best response to three of this bot foresees what they do, and not only what `heuristic` would."""
    return trio == HEURISTIC or 0 < worlds_searched(trio) <= MOST_WORLDS_FORESEEN


def worlds_searched(name: str) -> int:
    """In how many worlds a bot searches by its name; 0: it does not, or as many as its time allows."""
    bot = make(name) if name.partition(":")[0] == "search" else None
    return bot.worlds or 0 if isinstance(bot, SearchBot) else 0


class Panel:
    """A panel as far as it has been played."""

    def __init__(self, plan: PanelPlan, path: Path | None = None) -> None:
        """A panel with nothing played, or with what a file holds of it."""
        for bot in plan.bots:
            enter_bots([bot] * NUM_SEATS, plan.allow_cheating)
        self.plan = plan
        self.matches = tuple(plan.matches())
        self._versions = {bot: make(bot).version for match in self.matches for bot in (match.lone, match.trio)}
        # With those of the file that this panel does not ask for: they are kept there.
        self._cells = _cells_of(path, plan, self._versions) if path is not None and path.exists() else {}

    def cell(self, lone: str, trio: str, episode: str) -> Cell:
        """What has been played of one match."""
        return self._cells.get(Match(lone, trio, episode), NOTHING_PLAYED)

    @property
    def unfinished(self) -> list[Match]:
        """The cells that have not ended."""
        return [match for match in self.matches if not self._cell(match).why_ended(self.plan)]

    def play(self, path: Path | None = None, tell: Callable[[str], None] = lambda text: None) -> None:
        """Play every cell to its end; the file holds all that has been played, whatever stops this."""
        plans: dict[Match, MatchPlan] = {}
        while unfinished := self.unfinished:
            match = min(unfinished, key=lambda each: self._cell(each).num_blocks)
            if match not in plans:
                plans[match] = match.plan(self.plan)
                warm_up(plans[match])
            self._cells[match] = play_more(self._cell(match), plans[match])
            if path is not None:
                self.write(path)
            if why := self._cell(match).why_ended(self.plan):
                tell(f"{match.lone} against three {match.trio}, {match.episode}s: {why}")

    def write(self, path: Path) -> None:
        """Write the panel to its file, whole or not at all."""
        unfinished = path.with_name(path.name + ".part")
        unfinished.write_text(json.dumps(self.to_dict(), ensure_ascii=False) + "\n", encoding="utf-8")
        os.replace(unfinished, path)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON."""
        plan = self.plan
        return {
            "format": PANEL_FORMAT,
            "env": ENV_VERSION,
            "ruleset": {"name": plan.ruleset.name, "options": plan.ruleset.to_dict()},
            "seed": plan.seed,
            "within": plan.within,
            "is_complete": not self.unfinished,
            "cells": [dataclasses.asdict(match) | cell.to_dict(plan) for match, cell in self._cells.items()],
            "versions": versions(),
        }

    def _cell(self, match: Match) -> Cell:
        return self._cells.get(match, NOTHING_PLAYED)


def play_more(cell: Cell, plan: MatchPlan) -> Cell:
    """The cell with its next blocks, as many as are played at once."""
    first = cell.num_blocks
    size = min(BLOCKS_A_CHUNK, len(plan.deal_streams) - first)
    wall, cpu = time.perf_counter(), time.process_time()
    tally = play_chunk(plan, first, size, lambda num_blocks: None).tally
    points, counts = tally.points[:, LONE], tally.counts[:, LONE]
    return Cell(
        tuple(sums.plus(points[:, column], counts[:, column]) for column, sums in enumerate(cell.sums)),
        (plan.entrants[LONE].version, plan.entrants[-1].version),
        cell.wall_seconds + time.perf_counter() - wall,
        cell.cpu_seconds + time.process_time() - cpu,
    )


def _cells_of(path: Path, plan: PanelPlan, bot_versions: dict[str, int]) -> dict[Match, Cell]:
    """The cells that a file holds; PanelError if they are of another panel."""
    try:
        content = json.loads(path.read_text("utf-8"))
        rules, cells = content["ruleset"]["options"], content["cells"]
        held = {"format": content["format"], "env": content["env"], "seed": content["seed"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PanelError(f"{path}: is not the file of a panel ({error})") from None
    for name, wanted in (("format", PANEL_FORMAT), ("env", ENV_VERSION), ("seed", plan.seed)):
        if held[name] != wanted:
            raise PanelError(f"{path}: holds a panel of {name} {held[name]}, not {wanted}; give another file")
    if rules != plan.ruleset.to_dict():
        raise PanelError(f"{path}: holds a panel under other rules; give another file")
    for cell in cells:
        for bot, version in zip((cell["lone"], cell["trio"]), cell["bot_versions"], strict=True):
            if bot_versions.get(bot, version) != version:
                raise PanelError(f"{path}: holds games of another version of {bot}; give another file")
    return {Match(cell["lone"], cell["trio"], cell["episode"]): Cell.from_dict(cell) for cell in cells}
