"""Playing the chunks of a match on a Ray cluster: on as many machines as there are, and to the same result as here.

What happens in a chunk depends on the plan and its blocks alone, so it does not matter who plays it, nor whether it is
played a second time because the worker that had begun it died.
"""

from __future__ import annotations

import functools
import hashlib
import pickle
import socket
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from king_env.engine import kernel
from king_env.evaluation.chunks import BotFaultError, ChunkResult, MatchPlan, play_chunk, warm_up
from king_env.evaluation.faults import Fault

# So often a chunk whose worker died is given to another, before a bot is suspected of killing them.
RETRIES = 5
MATCHES_AT_A_TIME = 16  # whose plans a worker keeps: a panel plays its matches in turns
SECONDS_TO_ANSWER = 10.0  # that a head node has


class ClusterError(ConnectionError):
    """A Ray cluster that cannot be reached, whose nodes hold another King, or whose workers die again and again."""


@dataclass(frozen=True)
class Played:
    """What comes back from a worker."""

    outcome: ChunkResult | Fault
    """A fault, if the match is to stop at it."""
    cpu_seconds: float


class Cluster:
    """The workers of one match."""

    def __init__(self, ray: Any, plan: MatchPlan) -> None:
        self.plan = plan
        self.cpu_seconds = 0.0  # of the workers, for the chunks that have come back
        self._ray = ray
        self._packed = ray.put(_packed(ray, plan))  # as bytes, for each process to unpack once
        self._version = version_of_king()
        self._task = ray.remote(max_retries=RETRIES, scheduling_strategy="SPREAD")(_play)

    @property
    def num_workers(self) -> int:
        """How many chunks can be played at a time."""
        return max(1, int(self._ray.cluster_resources().get("CPU", 1)))

    def submit(self, first_block: int, num_blocks: int) -> Callable[[], ChunkResult]:
        """Have a chunk played; what is returned waits for the result when it is called."""
        task = self._task.remote(self._packed, self._version, first_block, num_blocks)
        return functools.partial(self._result_of, task)

    def _result_of(self, task: Any) -> ChunkResult:
        """The result of a chunk. Raises BotFaultError as `play_chunk` does, and ClusterError where it was lost."""
        try:
            played: Played = self._ray.get(task)
        except self._ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, ClusterError):
                raise error.cause from None
            raise ClusterError(f"ray: a worker cannot play: {_first_line(error.cause)}") from error
        except self._ray.exceptions.RayError as error:
            raise ClusterError(
                f"ray: a chunk of the match was lost {RETRIES + 1} times: {_first_line(error)}"
            ) from None
        self.cpu_seconds += played.cpu_seconds
        if isinstance(played.outcome, Fault):
            raise BotFaultError(played.outcome)
        return played.outcome


@contextmanager
def join_cluster(address: str) -> Iterator[Callable[[MatchPlan], Cluster]]:
    """What sends matches to the cluster at an address.

    `local`: one made of this machine's cores, `auto`: one that this machine is part of. A program that is connected to
    Ray already stays so, and plays there.
    """
    ray = _import_ray()
    is_guest = ray.is_initialized()
    if not is_guest:
        check_answers(address)
        try:
            ray.init(address=address, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
        except Exception as error:  # of any class: where a node does not start it is Exception itself
            raise ClusterError(f"ray: cannot join a cluster at {address!r}: {_first_line(error)}") from None
    try:
        yield functools.partial(Cluster, ray)
    finally:
        if not is_guest:
            ray.shutdown()  # which ends what is still being played


def check_answers(address: str) -> None:
    """Raise ClusterError where nobody listens at HOST:PORT: Ray itself would try for a quarter of an hour."""
    host, _, port = address.rpartition(":")
    if not host or "/" in host or not port.isdecimal():
        return  # `auto` and `local`, and what Ray is to judge
    try:
        socket.create_connection((host.strip("[]"), int(port)), SECONDS_TO_ANSWER).close()
    except (OSError, OverflowError) as error:
        raise ClusterError(f"ray: there is no cluster at {address!r}: {_first_line(error)}") from None


@functools.cache
def version_of_king() -> str:
    """A hash of all that may change what is played: the package with its policy, kernels or not, numba and NumPy."""
    digest = hashlib.sha256(f"{kernel.sources_hash()} {np.__version__}".encode())
    for path in sorted(path for path in kernel.PACKAGE.rglob("*") if path.suffix in (".py", ".npz")):
        digest.update(path.relative_to(kernel.PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()


def _import_ray() -> Any:
    try:
        import ray
    except ImportError:
        raise ImportError("ray: playing on a cluster needs Ray: pip install 'king-env[ray]'") from None
    return ray


def _packed(ray: Any, plan: MatchPlan) -> bytes:
    try:
        packed: bytes = ray.cloudpickle.dumps(plan)
    except Exception as error:
        raise ValueError(f"ray: a bot cannot be sent to other processes: {_first_line(error)}") from None
    return packed


def _play(packed_plan: bytes, version: str, first_block: int, num_blocks: int) -> Played:
    """What a worker does."""
    if version_of_king() != version:
        raise ClusterError("ray: a node of the cluster has another version of King, so its results would differ")
    plan = _unpacked(packed_plan)
    start = time.process_time()
    outcome: ChunkResult | Fault
    try:
        outcome = play_chunk(plan, first_block, num_blocks, lambda blocks: None)
    except BotFaultError as error:
        outcome = error.fault
    return Played(outcome, time.process_time() - start)


@functools.lru_cache(maxsize=MATCHES_AT_A_TIME)
def _unpacked(packed_plan: bytes) -> MatchPlan:
    """The plan, once in each process, with its bots awake."""
    plan: MatchPlan = pickle.loads(packed_plan)
    warm_up(plan)
    return plan


def _first_line(error: BaseException) -> str:
    return (str(error).strip() or type(error).__name__).splitlines()[0]
