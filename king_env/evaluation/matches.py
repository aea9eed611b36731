"""Matches between four bots on duplicate deals: each deal is played in all seatings, so that luck of the cards cancels.

>>> from king_env.evaluation import play_match
>>> result = play_match(["heuristic", "random", "random", "random"], num_blocks=2, seed=1)
>>> result.points("heuristic").mean > 0
True
"""

from __future__ import annotations

import os
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import numpy as np

from king_env.bots.registry import BotChoice
from king_env.chance import new_streams
from king_env.episode import EPISODES, check_option, deal_kinds
from king_env.evaluation.calls import join_call_tallies
from king_env.evaluation.chunks import Advance, BotFaultError, ChunkResult, MatchPlan, play_chunk, warm_up
from king_env.evaluation.entrants import enter_bots
from king_env.evaluation.faults import ON_ERROR_CHOICES, Fault
from king_env.evaluation.on_ray import Cluster, ClusterError, join_cluster
from king_env.evaluation.results import MatchResult
from king_env.evaluation.seatings import SEATING_CHOICES, distinct_seatings
from king_env.evaluation.tallies import join_tallies
from king_env.records import RecordPath, append_games, check_appendable
from king_env.ruleset import RuleSet, make_ruleset, whole_number

try:
    from tqdm import tqdm
except ImportError:  # the bar comes with the extra `evaluate`
    tqdm = None

# A report shows so many faults in full; all are counted.
FAULTS_KEPT = 20

# So many blocks are played at once: enough for a network's batch, few enough for memory and for stopping in between.
BLOCKS_A_CHUNK = 32
# A worker has so many chunks before it: enough never to wait, few enough that recorded games do not pile up.
CHUNKS_AHEAD = 4

Later = Callable[[], ChunkResult]  # a chunk that is being played: calling this waits for its result


class MatchFaultError(RuntimeError):
    """A match with `on_error="stop"` met a bot at fault; `result` is what had been played to its end, if anything."""

    def __init__(self, fault: Fault, result: MatchResult | None) -> None:
        """Report the fault."""
        super().__init__(str(fault))
        self.fault = fault
        self.result = result


class MatchNotRecordedError(OSError):
    """The games of a match could not be written to their file; `result` is what had been played until then."""

    def __init__(self, reason: str, result: MatchResult | None) -> None:
        """Keep what has been played."""
        super().__init__(reason)
        self.result = result


class MatchLostError(ConnectionError):
    """The cluster that a match was played on failed it; `result` is what had been played until then, if anything."""

    def __init__(self, reason: str, result: MatchResult | None) -> None:
        """Keep what has been played."""
        super().__init__(reason)
        self.result = result


class MatchInterrupted(KeyboardInterrupt):  # noqa: N818 - like KeyboardInterrupt, which it is to whoever does not ask
    """Ctrl-C stopped a match; `result` is what had been played to its end, if anything."""

    def __init__(self, result: MatchResult | None) -> None:
        """Keep what has been played."""
        super().__init__("the match was interrupted")
        self.result = result


def play_match(
    bots: Sequence[BotChoice],
    num_blocks: int,
    seed: int,
    ruleset: RuleSet | str | dict[str, Any] = "portuguese",
    *,
    episode: str = "game",
    seatings: str = "all",
    on_error: str = "stop",
    time_limit_ms: float | None = None,
    num_threads: int | None = None,
    allow_cheating: bool = False,
    progress: bool = True,
    record: RecordPath | None = None,
    record_thoughts: bool = False,
    tally_calls: bool = False,
    ray: str | None = None,
) -> MatchResult:
    """Play blocks of duplicate deals between four bots, and say how many points each makes, with 95 % intervals.

    Args:
        bots: four, each a name, a checkpoint's path, `package.module:factory` or a bot; the same twice is one kind.
        num_blocks: how many blocks. A block is one game's deals, played once in each seating.
        seed: of the deals and of the bots' random numbers, which are apart from each other and from all that envs
            draw: no agent has been trained on these deals, and no bot changes them. A match of more blocks with the
            same seed begins with the same deals.
        ruleset: the rules, by name or as a `RuleSet`.
        episode: `game`: whole games. `deal`: a block is one deal of each contract; figures per game count the positive
            one four times. Cheaper, but nobody plays by the score.
        seatings: `all` that differ (two kinds A, B, B, B: 4; four kinds: 24), or four `balanced` ones.
        on_error: what follows when a bot raises, answers an illegal action or overruns its time: `stop` raises
            `MatchFaultError`; `first_legal` plays its legal action of lowest number and goes on.
        time_limit_ms: for each decision; None: no limit. A late answer is a fault, but nobody stops a bot that thinks.
            Before such a match each bot acts once by no clock, so that what it loads for that does not count.
        num_threads: for bots that are compiled; None: as many as there are processors. The results do not depend on it.
        allow_cheating: let bots play that see all hands; otherwise they are refused.
        progress: show a bar, if the terminal is one and tqdm is installed.
        record: a file that every game is added to as a line of JSON (`king_env.records`), in the order of the blocks,
            a chunk of blocks at a time; its `meta` names the players in seats 0 … 3, the match's seed and the block.
        record_thoughts: add to `meta` what the bots that say it think at each decision (`king_env.bots.thoughts`):
            policies their probabilities and value, searches what each action gains. They think twice for that.
        tally_calls: add up what each bot says in positive deals, with which hands, and what comes of it
            (`MatchResult.calls`).
        ray: play on a Ray cluster, each of its cores a chunk of blocks at a time: the address of its head node
            (`HOST:PORT`), `auto` for the cluster that this machine is part of, `local` for this machine's cores. The
            results do not depend on it, as far as bots depend on nothing but their views and `rng`; nor on workers and
            machines that fail meanwhile, whose chunks others play again. Bots are sent there by pickle.

    Returns:
        The points by bot and contract, the market, speed and faults. Ctrl-C raises `MatchInterrupted`, and like
        `MatchFaultError` that holds the result of the blocks finished until then, whole chunks of them. So does
        `MatchNotRecordedError`, where the games' file cannot be written any more, and `MatchLostError`, where the
        cluster fails for good.

    """
    plan = make_plan(
        bots,
        num_blocks,
        seed,
        make_ruleset(ruleset),
        episode,
        seatings,
        on_error,
        time_limit_ms,
        allow_cheating,
        is_recorded=record is not None,
        thoughts_are_recorded=record_thoughts,
        calls_are_tallied=tally_calls,
    )
    if ray is not None and num_threads is not None:
        raise ValueError("num_threads: is of no use with ray, where each worker plays in one thread")
    workers = (os.cpu_count() or 1) if num_threads is None else whole_number("num_threads", num_threads, 1)
    games_file = None if record is None else check_appendable(record)
    if ray is None:
        return _play(plan, workers, progress, games_file)
    with join_cluster(ray) as send:
        return _play(plan, send(plan), progress, games_file)


def make_plan(
    bots: Sequence[BotChoice],
    num_blocks: int,
    seed: int,
    ruleset: RuleSet,
    episode: str,
    seatings: str,
    on_error: str,
    time_limit_ms: float | None,
    allow_cheating: bool,
    is_recorded: bool,
    thoughts_are_recorded: bool,
    calls_are_tallied: bool = False,
    purpose: str = "evaluation",
) -> MatchPlan:
    """Check all that was asked for, and draw up what is to be played; purpose: of the deals (`chance.PURPOSES`)."""
    num_blocks, seed = whole_number("num_blocks", num_blocks, 1), whole_number("seed", seed, 0)
    check_option("episode", episode, EPISODES)
    check_option("seatings", seatings, SEATING_CHOICES)
    check_option("on_error", on_error, ON_ERROR_CHOICES)
    if time_limit_ms is not None and not time_limit_ms > 0:
        raise ValueError(f"time_limit_ms: must be more than 0, or None for no limit, not {time_limit_ms!r}")
    if thoughts_are_recorded and not is_recorded:
        raise ValueError("record_thoughts: thoughts go with the games, so give record, the file for them")
    entrants, kinds = enter_bots(bots, allow_cheating)
    return MatchPlan(
        entrants=tuple(entrants),
        seatings=tuple(distinct_seatings(kinds, seatings)),
        ruleset=ruleset,
        episode=episode,
        kinds_of_deals=deal_kinds(episode, None),
        seed=seed,
        on_error=on_error,
        time_limit_ms=time_limit_ms,
        deal_streams=new_streams(seed, num_blocks, purpose),
        bot_streams=new_streams(seed, num_blocks, "bots"),
        is_recorded=is_recorded,
        thoughts_are_recorded=thoughts_are_recorded,
        calls_are_tallied=calls_are_tallied,
    )


def _play(plan: MatchPlan, workers: int | Cluster, progress: bool, games_file: Path | None) -> MatchResult:
    """Play all the blocks chunk by chunk; whatever stops this is told what has been played."""
    warm_up(plan)
    num_blocks = len(plan.deal_streams)
    played: list[ChunkResult] = []
    wall, cpu = time.perf_counter(), time.process_time()

    def result() -> MatchResult | None:
        if not played:
            return None
        cpu_elsewhere = workers.cpu_seconds if isinstance(workers, Cluster) else 0.0
        return _join(plan, played, time.perf_counter() - wall, time.process_time() - cpu + cpu_elsewhere)

    with _progress_bar(num_blocks, progress) as advance:
        try:
            for chunk in _play_chunks(plan, workers, advance):
                played.append(chunk)
                try:
                    _write_down(chunk, games_file)
                except OSError as error:
                    reason = f"record: cannot write {games_file}: {error.strerror}"
                    raise MatchNotRecordedError(reason, result()) from None
        except BotFaultError as error:
            raise MatchFaultError(error.fault, result()) from error.__cause__
        except ClusterError as error:
            raise MatchLostError(str(error), result()) from None
        except KeyboardInterrupt:
            raise MatchInterrupted(result()) from None
    finished = result()
    assert finished is not None, "a match has at least one block"
    return finished


def _play_chunks(plan: MatchPlan, workers: int | Cluster, advance: Advance) -> Iterator[ChunkResult]:
    """The chunks' results in order: several at a time on a cluster, or in threads if no bot needs Python's lock."""
    chunks = _chunks(len(plan.deal_streams))
    if isinstance(workers, Cluster):
        yield from _in_order(chunks, workers.submit, CHUNKS_AHEAD * workers.num_workers, advance)
    elif not plan.is_compiled or workers == 1:
        for first, size in chunks:
            yield play_chunk(plan, first, size, advance)
    else:
        yield from _play_in_threads(plan, chunks, workers, advance)


def _play_in_threads(
    plan: MatchPlan, chunks: Iterator[tuple[int, int]], num_threads: int, advance: Advance
) -> Iterator[ChunkResult]:
    with ThreadPoolExecutor(num_threads) as pool:

        def submit(first: int, size: int) -> Later:
            return pool.submit(play_chunk, plan, first, size, _no_report).result

        try:
            yield from _in_order(chunks, submit, CHUNKS_AHEAD * num_threads, advance)
        except BaseException:
            pool.shutdown(cancel_futures=True)
            raise


def _in_order(
    chunks: Iterator[tuple[int, int]], submit: Callable[[int, int], Later], num_ahead: int, advance: Advance
) -> Iterator[ChunkResult]:
    """The results of chunks, one after the other, while so many later ones are being played or wait for it."""
    waiting: deque[tuple[int, Later]] = deque()
    for first, size in chunks:
        waiting.append((size, submit(first, size)))
        if len(waiting) > num_ahead:
            yield _next_of(waiting, advance)
    while waiting:
        yield _next_of(waiting, advance)


def _next_of(waiting: deque[tuple[int, Later]], advance: Advance) -> ChunkResult:
    size, wait_for_result = waiting.popleft()
    chunk = wait_for_result()
    advance(size)
    return chunk


def _write_down(chunk: ChunkResult, games_file: Path | None) -> None:
    """Add a chunk's games to their file, if there is one, and forget them: matches of any length fit in memory."""
    if games_file is not None:
        append_games(games_file, chunk.records)
        chunk.records.clear()


def _chunks(num_blocks: int) -> Iterator[tuple[int, int]]:
    """The first block and the number of blocks of each chunk."""
    for first in range(0, num_blocks, BLOCKS_A_CHUNK):
        yield first, min(BLOCKS_A_CHUNK, num_blocks - first)


def _join(plan: MatchPlan, played: list[ChunkResult], wall_seconds: float, cpu_seconds: float) -> MatchResult:
    tally = join_tallies([chunk.tally for chunk in played])
    calls = [chunk.calls for chunk in played if chunk.calls is not None]
    return MatchResult(
        entrants=plan.entrants,
        seatings=tuple(tuple(plan.entrants[kind].label for kind in seating) for seating in plan.seatings),
        ruleset=plan.ruleset,
        episode=plan.episode,
        seed=plan.seed,
        num_blocks=len(tally.points),
        num_blocks_asked=len(plan.deal_streams),
        tally=tally,
        decisions=np.sum([chunk.decisions for chunk in played], axis=0),
        seconds=np.sum([chunk.seconds for chunk in played], axis=0),
        num_faults=np.sum([chunk.num_faults for chunk in played], axis=0),
        faults=tuple(fault for chunk in played for fault in chunk.faults)[:FAULTS_KEPT],
        wall_seconds=wall_seconds,
        cpu_seconds=cpu_seconds,
        calls=join_call_tallies(calls) if calls else None,
    )


def _no_report(num_blocks: float) -> None:
    """Threads do not move the bar; whoever waits for them does."""


@contextmanager
def _progress_bar(num_blocks: int, wanted: bool) -> Iterator[Advance]:
    """A bar on the terminal, as far as it is one, wanted, and tqdm is there to draw it."""
    if not wanted or tqdm is None:
        yield _no_report
        return
    layout = "{percentage:3.0f}%|{bar}| {n:.0f}/{total} blocks [{elapsed}<{remaining}]"
    with tqdm(total=num_blocks, disable=None, leave=False, bar_format=layout) as bar:
        yield bar.update
