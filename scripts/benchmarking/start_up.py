"""From `import king_env` to the first step, with nothing compiled yet and with everything on disk."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

import king_env
from scripts.benchmarking.measuring import SECONDS, Sample

# Numba loads SciPy where some other package has brought it, which has nothing to do with King.
FIRST_STEP = """
import signal, sys, time
signal.signal(signal.SIGINT, signal.SIG_DFL)
sys.modules["scipy"] = None
started = time.process_time()
import king_env
env = king_env.king_v0.env()
env.reset(seed=1)
observation, *_ = env.last()
env.step(observation["action_mask"].argmax())
print(king_env.__file__, time.process_time() - started, sep="\\n")
"""


def start_up() -> Iterator[Sample]:
    """With a fresh copy of the package: its first start compiles, its second finds that done."""
    cold, warm = cold_and_warm()
    yield Sample("start_up/cold", "`import king_env` to the first step of `env()`, compiling", SECONDS, cold)
    yield Sample(
        "start_up/warm",
        "the same with compiled code on disk, and without SciPy, which numba loads where it is installed",
        SECONDS,
        warm,
    )


def cold_and_warm() -> tuple[float, float]:
    """Seconds of the first start of a copy of the package, and of the second."""
    with tempfile.TemporaryDirectory() as folder:
        copy = Path(folder).resolve()
        shutil.copytree(Path(king_env.__file__).parent, copy / "king_env", ignore=compiled_code)
        return seconds_to_first_step(copy), seconds_to_first_step(copy)


def compiled_code(folder: str, names: list[str]) -> list[str]:
    """What a copy goes without."""
    return [name for name in names if name == ".numba_cache"]


def seconds_to_first_step(folder: Path) -> float:
    """CPU time in a fresh interpreter, with the package of this folder."""
    environment = {**os.environ, "PYTHONPATH": str(folder)}
    command = [sys.executable, "-c", FIRST_STEP]
    printed = subprocess.run(command, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True).stdout
    imported, seconds = printed.split("\n")[:2]
    if not Path(imported).resolve().is_relative_to(folder):
        raise RuntimeError(f"measured {imported} instead of the copy in {folder}")
    return float(seconds)
