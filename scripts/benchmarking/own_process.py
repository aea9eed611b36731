"""A process of its own for each measurement: on so many cores, each library on one thread, and gone afterwards."""

from __future__ import annotations

import multiprocessing
import os
import signal
import sys
from collections.abc import Callable
from multiprocessing.connection import Connection
from types import FrameType
from typing import Any, NoReturn

# What numpy's and torch's libraries read when they are loaded.
ONE_THREAD = dict.fromkeys(
    ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "NUMEXPR_NUM_THREADS", "NUMBA_NUM_THREADS"), "1"
)
WITHOUT_GREETING = {"PYGAME_HIDE_SUPPORT_PROMPT": "1"}


class ProcessDiedError(Exception):
    """A process that ended without an answer."""


def in_own_process(work: Callable[..., Any], arguments: tuple[Any, ...], num_cores: int) -> Any:
    """What `work` returns, done in a fresh process; if this one is interrupted, that one ends."""
    context = multiprocessing.get_context("spawn")
    receiver, sender = context.Pipe(duplex=False)
    process = context.Process(target=answer, args=(sender, work, arguments, num_cores))
    process.start()
    sender.close()
    try:
        return receiver.recv()
    except EOFError:
        process.join()
        raise ProcessDiedError(f"its process died with exit status {process.exitcode}") from None
    except KeyboardInterrupt:
        process.terminate()
        raise
    finally:
        process.join()


def answer(sender: Connection, work: Callable[..., Any], arguments: tuple[Any, ...], num_cores: int) -> None:
    """In the new process: do the work and send what it returns."""
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, leave)
    os.environ.update(ONE_THREAD | WITHOUT_GREETING)
    stay_on_cores(num_cores)
    sender.send(work(*arguments))


def leave(number: int, frame: FrameType | None) -> NoReturn:
    """End without a word, together with whatever was started here."""
    sys.exit(number)


def cores() -> list[int]:
    """The processors that this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return sorted(os.sched_getaffinity(0))
    return list(range(os.cpu_count() or 1))


def stay_on_cores(num_cores: int) -> None:
    """Use so many processors and no others, where the system knows how."""
    if hasattr(os, "sched_setaffinity"):
        os.sched_setaffinity(0, cores()[-num_cores:])
