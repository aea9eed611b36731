"""The one place that compiles: how a kernel is decorated, where compiled code is kept, and the bit instructions.

With ``NUMBA_DISABLE_JIT=1`` every kernel is the plain Python function it is written as.
"""

from __future__ import annotations

import hashlib
import os
import shutil
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba import types
from numba.extending import intrinsic

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = Path(__file__).resolve().parent.parent
JIT_ENABLED = not numba.config.DISABLE_JIT
# A folder that nobody has loaded for this long belongs to rules that were edited away.
KEEP_OLD_CACHES_SECONDS = 24 * 3600.0


def _kernel_sources() -> list[Path]:
    """Every file of the package that holds kernels: numba's own cache notices changes in one of them only."""
    sources = sorted(PACKAGE.rglob("*.py"))
    return [path for path in sources if path.parent.name == "engine" or "kernel import" in path.read_text("utf-8")]


def _sources_hash() -> str:
    digest = hashlib.sha256(numba.__version__.encode())
    for path in _kernel_sources():
        digest.update(path.relative_to(PACKAGE).as_posix().encode())
        digest.update(path.read_bytes())
    return digest.hexdigest()[:16]


def _writable(folder: Path) -> bool:
    """Whether files can be made in `folder`, which is created if need be; permission bits lie to root, so try."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        probe = folder / f".probe-{os.getpid()}"
        probe.touch()
        probe.unlink()
    except OSError:
        return False
    return True


def _user_cache() -> Path:
    base = os.environ.get("LOCALAPPDATA") or os.environ.get("XDG_CACHE_HOME") or str(Path.home() / ".cache")
    return Path(base) / "king_env"


def _prune(parent: Path, current: Path) -> None:
    """Remove the caches of sources that are gone; another process may be using or removing one, which is no matter."""
    for folder in parent.iterdir():
        try:
            unused = time.time() - folder.stat().st_mtime > KEEP_OLD_CACHES_SECONDS
        except OSError:
            continue
        if folder != current and folder.is_dir() and unused:
            shutil.rmtree(folder, ignore_errors=True)


def _cache_folder() -> Path | None:
    """Where compiled code is kept: beside the package, else in the user's cache, else nowhere."""
    name = _sources_hash()
    for parent in (PACKAGE / ".numba_cache", _user_cache()):
        folder = parent / name
        if _writable(folder):
            os.utime(folder)
            _prune(parent, folder)
            return folder
    return None


CACHE_FOLDER = _cache_folder() if JIT_ENABLED else None


def kernel(function: Function) -> Function:
    """Compile a function that other kernels call. It is compiled into its callers and keeps no file of its own."""
    if not JIT_ENABLED:
        return function
    compiled: Function = numba.njit(nogil=True, error_model="numpy")(function)
    return compiled


def entry_point(function: Function) -> Function:
    """Compile a kernel that Python calls: it releases the GIL, and its code is kept on disk between runs."""
    if not JIT_ENABLED:
        return function
    if CACHE_FOLDER is None:
        return kernel(function)
    callers_choice = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE_FOLDER)
    try:
        compiled: Function = numba.njit(nogil=True, error_model="numpy", cache=True)(function)
    finally:
        numba.config.CACHE_DIR = callers_choice
    return compiled


def plain_popcount(word: int) -> int:
    """How many bits of a word are set."""
    return int(word).bit_count() if word >= 0 else (int(word) + (1 << 64)).bit_count()


def plain_lowest_bit(word: int) -> int:
    """The position of the lowest set bit of a word that is not zero."""
    return (int(word) & -int(word)).bit_length() - 1


def plain_highest_bit(word: int) -> int:
    """The position of the highest set bit of a word that is positive."""
    return int(word).bit_length() - 1


def plain_add_words(left: Any, right: Any) -> Any:
    """The sum of two unsigned words, without its carry; numpy scalars would warn."""
    return np.uint64((int(left) + int(right)) & 0xFFFF_FFFF_FFFF_FFFF)


def plain_spread_bits(word: int, out: Any, start: int) -> None:
    """Write the 64 bits of a word to ``out[start : start + 64]``, one byte a bit, lowest first."""
    for bit in range(64):
        out[start + bit] = (int(word) >> bit) & 1


if JIT_ENABLED:
    from llvmlite import ir

    @intrinsic  # type: ignore[untyped-decorator]
    def popcount(typing_context: Any, word: Any) -> Any:
        """`plain_popcount` in one instruction."""

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.int64), code

    @intrinsic  # type: ignore[untyped-decorator]
    def lowest_bit(typing_context: Any, word: Any) -> Any:
        """`plain_lowest_bit` in one instruction."""

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.int64), code

    @intrinsic  # type: ignore[untyped-decorator]
    def highest_bit(typing_context: Any, word: Any) -> Any:
        """`plain_highest_bit` in one instruction."""

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            leading = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))
            return builder.sub(ir.Constant(ir.IntType(64), 63), leading)

        return types.int64(types.int64), code

    @kernel
    def add_words(left: Any, right: Any) -> Any:
        """`plain_add_words`: compiled sums wrap round by themselves."""
        return left + right

    @intrinsic  # type: ignore[untyped-decorator]
    def spread_bits(typing_context: Any, word: Any, out: Any, start: Any) -> Any:
        """`plain_spread_bits` as one wide store: a word becomes 64 bytes at once."""

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array = context.make_array(signature.args[1])(context, builder, args[1])
            bits = builder.bitcast(args[0], ir.VectorType(ir.IntType(1), 64))
            byte_vector = ir.VectorType(ir.IntType(8), 64)
            target = builder.gep(array.data, [args[2]])
            store = builder.store(builder.zext(bits, byte_vector), builder.bitcast(target, byte_vector.as_pointer()))
            store.align = 1
            return context.get_dummy_value()

        return types.void(types.int64, out, types.int64), code

else:
    popcount, lowest_bit, highest_bit = plain_popcount, plain_lowest_bit, plain_highest_bit
    add_words, spread_bits = plain_add_words, plain_spread_bits
