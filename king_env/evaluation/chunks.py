"""Playing a chunk of a match's blocks: every game of it at once, in compiled code wherever the bots are compiled."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from king_env.bots.asking import Positions
from king_env.bots.compiled import IN_PYTHON
from king_env.bots.thoughts import META_KEY, Explains, Thought
from king_env.chance import PURPOSES, Streams
from king_env.engine.cards import NUM_CARDS
from king_env.engine.seats import NUM_SEATS
from king_env.engine.state import GameRecord, GameRecords, new_records
from king_env.episode import num_deals
from king_env.evaluation.asking import ask_bot, ask_thoughts
from king_env.evaluation.calls import CallTally, tally_calls
from king_env.evaluation.deal_sheets import DEAL_SHEET_DTYPE, DealSheets
from king_env.evaluation.entrants import Entrant
from king_env.evaluation.faults import Fault, actions_of_deal, describe_fault
from king_env.evaluation.playing import NOBODY, act_in_games, draw_games, play_games, split_streams
from king_env.evaluation.seatings import Kind, Seating
from king_env.evaluation.tallies import Numbers, Tally, tally_sheets
from king_env.game import game_record
from king_env.notation import deal_text
from king_env.ruleset import RuleSet

# How many rounds of asking bots pass between two reports of progress.
ROUNDS_A_REPORT = 8

Advance = Callable[[float], None]  # told how many more blocks have been played; parts of blocks count
Moment = tuple[int, int]  # in a game: which of the ten deals, and how many actions have been taken in it


@dataclass(frozen=True)
class MatchPlan:
    """What is to be played, checked."""

    entrants: tuple[Entrant, ...]
    seatings: tuple[Seating, ...]
    ruleset: RuleSet
    episode: str
    """`game`: a block is a game of ten deals; `deal`: a block is single deals."""
    kinds_of_deals: Numbers
    """Of which kinds a block's single deals are (`chance.begin_games`); none where a block is a whole game."""
    seed: int
    on_error: str
    time_limit_ms: float | None
    deal_streams: Streams
    """One a block, for its cards: uint64[num_blocks, 4]."""
    bot_streams: Streams
    """One a block, for the random numbers of compiled bots: so that no bot changes the cards."""
    is_recorded: bool
    """Whether the games are kept, action by action."""
    thoughts_are_recorded: bool
    """Whether what bots think goes with them, if they say it."""
    calls_are_tallied: bool
    """Whether what is said in positive deals is added up (`evaluation.calls`)."""

    @property
    def games_a_block(self) -> int:
        """How many games with cards of their own a block has; each is played in all seatings."""
        return max(1, len(self.kinds_of_deals))

    @property
    def deals_a_game(self) -> int:
        """How many deals each of these has."""
        return num_deals(self.episode)

    @property
    def codes(self) -> Numbers:
        """Which compiled bot each kind is."""
        codes = [IN_PYTHON if self.is_timed else entrant.code for entrant in self.entrants]
        return np.array(codes, dtype=np.int64)

    @property
    def is_compiled(self) -> bool:
        """Whether no bot has to be asked in Python."""
        return bool((self.codes != IN_PYTHON).all())

    @property
    def is_timed(self) -> bool:
        """Decisions can be timed one by one only where Python asks for each."""
        return self.time_limit_ms is not None


class BotFaultError(RuntimeError):
    """A bot raised, answered an illegal action or overran its time limit, and the match was to stop there."""

    def __init__(self, fault: Fault) -> None:
        """Report the fault."""
        super().__init__(str(fault))
        self.fault = fault


@dataclass
class ChunkResult:
    """What a chunk of blocks came to."""

    tally: Tally
    decisions: Numbers
    """int64[num_kinds]: how often each kind of bot had a choice."""
    seconds: npt.NDArray[np.float64]
    """float64[num_kinds]: what these took."""
    num_faults: Numbers
    """int64[num_kinds]"""
    faults: list[Fault]
    """The first ones of each kind."""
    records: list[dict[str, Any]]
    """The games, if they are recorded."""
    calls: CallTally | None
    """What was said, if that is tallied."""


# Of each kind of bot a chunk reports this many faults in full; the others are counted.
FAULTS_REPORTED = 3


def play_chunk(plan: MatchPlan, first_block: int, num_blocks: int, advance: Advance) -> ChunkResult:
    """Play these blocks; what happens in them depends on nothing but the plan and which blocks they are."""
    chunk = _Chunk(plan, first_block, num_blocks)
    progress = 0.0
    rounds = 0
    chunk.play_compiled()
    while (chunk.asked != NOBODY).any():
        for kind in range(len(plan.entrants)):
            chunk.ask(kind)
        chunk.play_compiled()
        rounds += 1
        if rounds % ROUNDS_A_REPORT == 0:
            advance(chunk.blocks_played() - progress)
            progress = chunk.blocks_played()
    advance(num_blocks - progress)
    return chunk.result()


def warm_up(plan: MatchPlan) -> None:
    """Have everything loaded, so that it does not count as a bot's time: also what a bot loads when it first acts.

    Only a bot whose time is limited acts here, once, in the first position of the match; nothing comes of it.
    """
    chunk = _Chunk(plan, first_block=0, num_blocks=1 if plan.is_timed else 0)
    chunk.play_compiled()
    if not plan.is_timed:
        return
    only = np.zeros(1, dtype=np.int64)
    for entrant in plan.entrants:
        position = Positions.of_games(chunk.games, only, all_hands=entrant.sees_all_hands)
        ask_bot(entrant.bot, position, np.random.default_rng(plan.seed), time_limit_ms=math.inf)
    act_in_games(chunk.games, only, np.array([position.first_legal(0)]), chunk.sheets, chunk.ended)


class _Chunk:
    """The games of some blocks while they are played, in the order block, deals of the block, seating."""

    def __init__(self, plan: MatchPlan, first_block: int, num_blocks: int) -> None:
        self.plan = plan
        self.first_block = first_block
        self.num_blocks = num_blocks
        self.seatings = np.array(plan.seatings, dtype=np.int64)
        blocks = slice(first_block, first_block + num_blocks)
        self._draw_games(plan.deal_streams[blocks].copy())
        self._draw_streams(plan.bot_streams[blocks].copy())
        num_games, num_kinds = len(self.games), len(plan.entrants)
        self.sheets: DealSheets = np.zeros((num_games, plan.deals_a_game), dtype=DEAL_SHEET_DTYPE)
        self.first_dealers, self.first_deals = self.games["dealer"].copy(), self.games["deal"].copy()
        deals_kept = plan.deals_a_game if plan.is_recorded or plan.calls_are_tallied else 0
        self.ended: GameRecords = new_records(num_games * deals_kept).reshape(num_games, deals_kept)
        self.thoughts: list[dict[Moment, Thought]] = [{} for _ in range(num_games)]
        self.asked = np.empty(num_games, dtype=np.int64)
        self.compiled_decisions = np.zeros((num_games, num_kinds), dtype=np.int64)
        self.compiled_seconds = 0.0
        self.decisions = np.zeros(num_kinds, dtype=np.int64)
        self.seconds = np.zeros(num_kinds)
        self.num_faults = np.zeros(num_kinds, dtype=np.int64)
        self.faults: list[Fault] = []

    def _draw_games(self, streams: Streams) -> None:
        plan = self.plan
        games = new_records(self.num_blocks * plan.games_a_block)
        plan.ruleset.write_to(games)
        shape = (self.num_blocks, plan.games_a_block)
        deals = np.empty((*shape, plan.deals_a_game, NUM_SEATS), dtype=np.int64)
        draw_games(streams, plan.kinds_of_deals, games.reshape(shape), deals)
        self.deals = deals.reshape(len(games), plan.deals_a_game, NUM_SEATS)
        self.games: GameRecords = np.repeat(games, len(plan.seatings))

    def _draw_streams(self, streams: Streams) -> None:
        games_a_block = self.plan.games_a_block * len(self.plan.seatings)
        of_games = np.empty((self.num_blocks, games_a_block, streams.shape[1]), dtype=np.uint64)
        split_streams(streams, of_games)
        self.streams: Streams = of_games.reshape(len(self.games), streams.shape[1])
        self.generators = [self._generator(kind) for kind in range(len(self.plan.entrants))]

    def _generator(self, kind: Kind) -> np.random.Generator:
        """The random numbers of a bot of Python: its own in every chunk."""
        key = (PURPOSES["bots"], self.first_block, kind)
        return np.random.default_rng(np.random.SeedSequence(self.plan.seed, spawn_key=key))

    def play_compiled(self) -> None:
        """Play every game on until a bot of Python is to be asked, or to its end."""
        start = time.thread_time()
        play_games(
            self.games,
            self.deals,
            self.sheets,
            self.seatings,
            self.plan.codes,
            self.streams,
            self.compiled_decisions,
            self.asked,
            self.ended,
            new_records(1),
        )
        self.compiled_seconds += time.thread_time() - start

    def ask(self, kind: Kind) -> None:
        """Ask a kind of bot for its action in all games that wait for it, and take these actions."""
        which = np.flatnonzero(self.asked == kind)
        if len(which) == 0:
            return
        entrant = self.plan.entrants[kind]
        positions = Positions.of_games(self.games, which, all_hands=entrant.sees_all_hands)
        answers = ask_bot(entrant.bot, positions, self.generators[kind], self.plan.time_limit_ms)
        self.decisions[kind] += len(which)
        self.seconds[kind] += answers.seconds
        for row, reason in answers.complaints.items():
            self._note_fault(kind, int(which[row]), positions.views[row], reason)
            answers.actions[row] = positions.first_legal(row)
        if self.plan.thoughts_are_recorded and isinstance(entrant.bot, Explains):
            self._note_thoughts(kind, entrant.bot, which, positions)
        act_in_games(self.games, which, answers.actions, self.sheets, self.ended)

    def _note_thoughts(self, kind: Kind, bot: Explains, which: Numbers, positions: Positions) -> None:
        """Keep what a bot thinks in these games before it acts."""
        thoughts, complaint = ask_thoughts(bot, positions)
        if complaint:
            self._note_fault(kind, int(which[0]), positions.views[0], complaint)
            return
        for i, thought in zip(which.tolist(), thoughts, strict=True):
            game = self.games[i]
            self.thoughts[i][int(game["deal"]), int(game["num_calls"]) + int(game["num_plays"])] = thought

    def _note_fault(self, kind: Kind, game: int, view: GameRecord, reason: str) -> None:
        """Stop the match, or keep the fault for the report."""
        plan = self.plan
        self.num_faults[kind] += 1
        if self.num_faults[kind] > FAULTS_REPORTED:
            return
        label = plan.entrants[kind].label
        fault = describe_fault(self.games[game], view, label, reason, self._block_of(game), self._seating_of(game))
        if plan.on_error == "stop":
            raise BotFaultError(fault)
        self.faults.append(fault)

    def _block_of(self, game: int) -> int:
        return self.first_block + game * self.num_blocks // len(self.games)

    def _seating_of(self, game: int) -> tuple[str, ...]:
        """The labels of the bots in seats 0 … 3."""
        plan = self.plan
        return tuple(plan.entrants[kind].label for kind in plan.seatings[game % len(plan.seatings)])

    def blocks_played(self) -> float:
        """How much of the blocks has been played."""
        deals_left = self.games["last_deal"] - self.games["deal"] + 1 - self.games["num_plays"] / NUM_CARDS
        return self.num_blocks * (1 - float(deals_left.mean()) / self.plan.deals_a_game)

    def result(self) -> ChunkResult:
        """What the finished games came to."""
        plan = self.plan
        num_seatings = len(plan.seatings)
        sheets = self.sheets.reshape(self.num_blocks, plan.games_a_block, num_seatings, plan.deals_a_game)
        by_seating = sheets.transpose(0, 2, 1, 3).reshape(self.num_blocks, num_seatings, -1)
        compiled = self.compiled_decisions.sum(axis=0)
        share = compiled / max(1, compiled.sum())
        return ChunkResult(
            tally=tally_sheets(by_seating, self.seatings, len(plan.entrants)),
            decisions=self.decisions + compiled,
            seconds=self.seconds + self.compiled_seconds * share,
            num_faults=self.num_faults,
            faults=self.faults,
            records=self._records() if plan.is_recorded else [],
            calls=self._tally_calls() if plan.calls_are_tallied else None,
        )

    def _tally_calls(self) -> CallTally:
        plan = self.plan
        kinds = np.tile(self.seatings, (len(self.games) // len(self.seatings), 1))
        return tally_calls(plan.ruleset, self.ended, self.sheets, kinds, self.num_blocks, len(plan.entrants))

    def _records(self) -> list[dict[str, Any]]:
        """Each finished game as `Game.to_record` would have it."""
        deal_texts = [[deal_text(hands) for hands in deals] for deals in self.deals]
        return [
            game_record(
                self.plan.ruleset,
                int(self.first_dealers[game]),
                deal_texts[game // len(self.seatings)],
                [action for deal in self.ended[game] for action in actions_of_deal(deal)],
                self.games["scores"][game].tolist(),
                self._meta_of(game),
                int(self.first_deals[game]),
            )
            for game in range(len(self.games))
        ]

    def _meta_of(self, game: int) -> dict[str, Any]:
        """Who played where, in which match; and what they thought, if that is kept."""
        meta = {"players": list(self._seating_of(game)), "seed": self.plan.seed, "block": self._block_of(game)}
        return meta | {META_KEY: self._thoughts_of(game)} if self.plan.thoughts_are_recorded else meta

    def _thoughts_of(self, game: int) -> list[dict[str, Any] | None]:
        """One entry for each action of a game."""
        moments = [
            (int(self.first_deals[game]) + place, number)
            for place, deal in enumerate(self.ended[game])
            for number in range(len(actions_of_deal(deal)))
        ]
        thoughts = [self.thoughts[game].get(moment) for moment in moments]
        return [None if thought is None else thought.to_dict() for thought in thoughts]
