"""The panel: each of several bots alone against three of each, on deals that nothing else is played on.

A cell is one such match. Whoever measures against a single opponent learns how well it beats that opponent; the panel
shows the rest. All cells are played on the same deals, those of a purpose of their own (`king_env.chance`): neither
envs nor `play_match` draw them, and code that trains may not import this module.

A block is a whole game, or the ten deals of one as single deals. Its four positive deals tell more than one that counts
four times would, for most of the spread is theirs.

Cells are played on in turns, those first that have been played least. From 64 blocks on a cell ends if

- it is narrow: half its interval is at most `within` points a game. That depends on the spread alone, so the interval
  means what it says;
- it is settled: half its interval is at most four times that, and an interval twice as wide leaves 0 out. This is
  looked at with 64 blocks, 128, 256 and so on: in the seven looks up to 4,096 blocks a cell whose true mean is 0 is
  called settled with a chance of less than 1 in 1,000, so the sign is sure; the mean may lie a little too far from 0,
  for of cells alike the lucky ones end first. Tables mark such cells with an asterisk.

A cell ends as well after as many blocks, or minutes of its own, as it was given at most.
"""

from __future__ import annotations

import dataclasses
import json
import math
import os
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from king_env.bots import make
from king_env.bots.search import SearchBot
from king_env.engine.contracts import NUM_POSITIVES
from king_env.engine.seats import NUM_SEATS
from king_env.episode import ALL_KINDS
from king_env.evaluation.chunks import Advance, MatchPlan, play_chunk, warm_up
from king_env.evaluation.entrants import enter_bots
from king_env.evaluation.matches import make_plan
from king_env.evaluation.on_ray import Cluster, join_cluster
from king_env.evaluation.results import ENV_VERSION, versions
from king_env.evaluation.statistics import BlockSums, Estimate
from king_env.evaluation.tallies import COLUMNS, Tally, join_tallies
from king_env.ruleset import RuleSet, make_ruleset, whole_number

try:
    from tqdm import tqdm
except ImportError:  # the bar comes with the extra `evaluate`
    tqdm = None

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

# Of single deals a block has those of a game.
KINDS_OF_A_GAME = ALL_KINDS[:-1] + ALL_KINDS[-1:] * NUM_POSITIVES

# So many blocks are played at once, and as many are lost at most when the panel is interrupted.
BLOCKS_AT_ONCE = 16
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
            wanted += [Match(best_response_to(trio), trio, episode) for trio in (*self.bots, HEURISTIC)]
        yield from (match for match in dict.fromkeys(wanted) if match.lone != match.trio)


@dataclass(frozen=True)
class Match:
    """One bot alone against three of another."""

    lone: str
    trio: str
    episode: str

    @property
    def text(self) -> str:
        """The match in words."""
        return f"{self.lone} against three {self.trio}, {self.episode}s"

    def plan(self, panel: PanelPlan) -> MatchPlan:
        """What is to be played: the same deals in every cell."""
        plan = make_plan(
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
        if self.episode == "game":
            return plan
        return dataclasses.replace(plan, kinds_of_deals=np.array(KINDS_OF_A_GAME, dtype=np.int64))


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
        if self.num_blocks >= FIRST_LOOK:
            points = self.points()
            if points.half_width <= panel.within:
                return NARROW
            if is_look(self.num_blocks) and is_settled(points, panel.within):
                return SETTLED
        if self.num_blocks >= panel.most_blocks:
            return ALL_BLOCKS
        return OUT_OF_TIME if self.wall_seconds >= SECONDS_A_MINUTE * panel.most_minutes else ""

    def share_played(self, panel: PanelPlan) -> float:
        """About how much of the cell has been played, from 0 to 1."""
        if self.why_ended(panel):
            return 1.0
        minutes = self.wall_seconds / SECONDS_A_MINUTE
        spent = max(self.num_blocks / panel.most_blocks, minutes / panel.most_minutes)
        if self.num_blocks < FIRST_LOOK:
            return spent
        return max(spent, (panel.within / self.points().half_width) ** 2)

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
    """Whether a cell of so many blocks may be called settled: 64, 128, 256, …"""
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
    def num_played(self) -> float:
        """About how many cells have been played, shares of them counted."""
        return sum(self._cell(match).share_played(self.plan) for match in self.matches)

    @property
    def unfinished(self) -> list[Match]:
        """The cells that have not ended."""
        return [match for match in self.matches if not self._cell(match).why_ended(self.plan)]

    def play(
        self,
        path: Path | None = None,
        tell: Callable[[Match], None] = lambda match: None,
        progress: bool = False,
        ray: str | None = None,
    ) -> None:
        """Play every cell to its end.

        Args:
            path: a file that holds all that has been played, whatever stops this.
            tell: is called with each match that has ended.
            progress: show a bar, if the terminal is one and tqdm is installed.
            ray: play on a Ray cluster, each of its cores a block at a time: an address as in `play_match`.

        """
        with nullcontext() if ray is None else join_cluster(ray) as send, _progress_bar(self, progress) as show:
            players: dict[Match, MatchPlan | Cluster] = {}
            while unfinished := self.unfinished:
                match = min(unfinished, key=lambda each: self._cell(each).num_blocks)
                show(match, 0)
                if match not in players:
                    plan = match.plan(self.plan)
                    if send is None:
                        warm_up(plan)
                    players[match] = plan if send is None else send(plan)
                self._cells[match] = play_more(self._cell(match), players[match], partial(show, match))
                if path is not None:
                    self.write(path)
                if self._cell(match).why_ended(self.plan):
                    tell(match)

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


def play_more(cell: Cell, player: MatchPlan | Cluster, advance: Advance = lambda num_blocks: None) -> Cell:
    """The cell with its next blocks, as many as are played at once; `advance` is told how many more have been.

    player: the plan of the match, to be played here, or the cluster that plays it.
    """
    plan = player.plan if isinstance(player, Cluster) else player
    first = cell.num_blocks
    size = min(BLOCKS_AT_ONCE - first % BLOCKS_AT_ONCE, len(plan.deal_streams) - first)
    wall, cpu = time.perf_counter(), _cpu_seconds(player)
    if isinstance(player, Cluster):
        tally = play_elsewhere(player, first, size, advance)
    else:
        tally = play_chunk(player, first, size, advance).tally
    points, counts = tally.points[:, LONE], tally.counts[:, LONE]
    return Cell(
        tuple(sums.plus(points[:, column], counts[:, column]) for column, sums in enumerate(cell.sums)),
        (plan.entrants[LONE].version, plan.entrants[-1].version),
        cell.wall_seconds + time.perf_counter() - wall,
        cell.cpu_seconds + _cpu_seconds(player) - cpu,
    )


def play_elsewhere(cluster: Cluster, first: int, size: int, advance: Advance) -> Tally:
    """The tally of some blocks, each played by whoever on the cluster is free."""
    blocks = [cluster.submit(block, 1) for block in range(first, first + size)]
    tallies: list[Tally] = []
    for result_of in blocks:
        tallies.append(result_of().tally)
        advance(1)
    return join_tallies(tallies)


def _cpu_seconds(player: MatchPlan | Cluster) -> float:
    """Of whoever plays."""
    return player.cpu_seconds if isinstance(player, Cluster) else time.process_time()


@contextmanager
def _progress_bar(panel: Panel, wanted: bool) -> Iterator[Callable[[Match, float], None]]:
    """A bar on the terminal; whoever plays tells it which match, and how many blocks more of it have been played."""
    if not wanted or tqdm is None:
        yield lambda match, num_blocks: None
        return
    layout = "{percentage:3.0f}%|{bar}| {n:.1f}/{total} cells [{elapsed}] {desc}"
    played: dict[Match, float] = {}
    with tqdm(total=len(panel.matches), disable=None, leave=False, bar_format=layout) as bar:

        def show(match: Match, num_blocks: float) -> None:
            played[match] = played.get(match, panel.cell(*dataclasses.astuple(match)).num_blocks) + num_blocks
            bar.n = panel.num_played
            bar.set_description_str(f"{match.text}: block {played[match]:.0f}")

        yield show


def _cells_of(path: Path, plan: PanelPlan, bot_versions: dict[str, int]) -> dict[Match, Cell]:
    """The cells that a file holds; PanelError if they are of another panel."""
    try:
        content = json.loads(path.read_text("utf-8"))
        rules = content["ruleset"]["options"]
        held = {"format": content["format"], "env": content["env"], "seed": content["seed"]}
        cells = {Match(cell["lone"], cell["trio"], cell["episode"]): Cell.from_dict(cell) for cell in content["cells"]}
    except (OSError, ValueError, KeyError, TypeError) as error:
        raise PanelError(f"{path}: is not the file of a panel ({error})") from None
    for name, wanted in (("format", PANEL_FORMAT), ("env", ENV_VERSION), ("seed", plan.seed)):
        if held[name] != wanted:
            raise PanelError(f"{path}: holds a panel of {name} {held[name]}, not {wanted}; give another file")
    if rules != plan.ruleset.to_dict():
        raise PanelError(f"{path}: holds a panel under other rules; give another file")
    for match, cell in cells.items():
        for bot, version in zip((match.lone, match.trio), cell.bot_versions, strict=True):
            if bot_versions.get(bot, version) != version:
                raise PanelError(f"{path}: holds games of another version of {bot}; give another file")
    return cells
