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
from numba.extending import register_jitable

Function = TypeVar("Function", bound=Callable[..., Any])

PACKAGE = Path(__file__).resolve().parent.parent
WORD_BITS = 64
JIT_ENABLED = not numba.config.DISABLE_JIT
# A folder that nobody has loaded for this long belongs to rules that were edited away.
KEEP_OLD_CACHES_SECONDS = 24 * 3600.0


def _kernel_sources() -> list[Path]:
    """Every file of the package that holds kernels: numba's own cache notices changes in one of them only."""
    sources = sorted(PACKAGE.rglob("*.py"))
    return [path for path in sources if path.parent.name == "engine" or "kernel import" in path.read_text("utf-8")]


def sources_hash() -> str:
    """What tells these rules and bots from those of another version: a hash of every file that holds kernels."""
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
    name = sources_hash()
    for parent in (PACKAGE / ".numba_cache", _user_cache()):
        folder = parent / name
        if _writable(folder):
            os.utime(folder)
            _prune(parent, folder)
            return folder
    return None


CACHE_FOLDER = _cache_folder() if JIT_ENABLED else None


def kernel(function: Function) -> Function:
    """Let other kernels call a function: it is compiled into each of them, while Python runs it as it is written.

    One compiled form serves all constants that it is called with, and none is made for Python, so compiling is quick.
    """
    if not JIT_ENABLED:
        return function
    registered: Function = register_jitable(error_model="numpy", forceinline=True, no_cfunc_wrapper=True)(function)
    return registered


def any_order_kernel(function: Function) -> Function:
    """A kernel whose sums of floats may be taken in any order: processors then add up several parts side by side."""
    if not JIT_ENABLED:
        return function
    registered: Function = register_jitable(
        error_model="numpy", forceinline=True, no_cfunc_wrapper=True, fastmath={"reassoc", "nsz", "contract"}
    )(function)
    return registered


def entry_point(function: Function) -> Function:
    """Compile a kernel that Python calls: it releases the GIL, and its code is kept on disk between runs."""
    if not JIT_ENABLED:
        return function
    callers_choice = numba.config.CACHE_DIR
    numba.config.CACHE_DIR = str(CACHE_FOLDER)
    try:
        compiled: Function = numba.njit(
            nogil=True, error_model="numpy", no_cfunc_wrapper=True, cache=CACHE_FOLDER is not None
        )(function)
    finally:
        numba.config.CACHE_DIR = callers_choice
    return compiled


# The bit instructions: what each does as plain Python, and the code that it compiles to.


def popcount(word: int) -> int:
    """How many bits of a word are set."""
    return int(word).bit_count() if word >= 0 else (int(word) + (1 << WORD_BITS)).bit_count()


def lowest_bit(word: int) -> int:
    """The position of the lowest set bit of a word that is not zero."""
    return (int(word) & -int(word)).bit_length() - 1


def highest_bit(word: int) -> int:
    """The position of the highest set bit of a word that is positive."""
    return int(word).bit_length() - 1


def select_bit(word: int, number: int) -> int:
    """The position of set bit `number` of a word, the lowest being number 0."""
    for _ in range(number):
        word &= word - 1
    return lowest_bit(word)


def add_words(left: Any, right: Any) -> Any:
    """The sum of two unsigned words, without its carry; numpy scalars would warn."""
    return np.uint64((int(left) + int(right)) & 0xFFFF_FFFF_FFFF_FFFF)


def scratch_words(length: int) -> Any:
    """Room for `length` words (int64, not cleared), which must not outlive the function that asks for it.

    Compiled it lies on the stack, or in registers where every index is known; the length must be a constant.
    """
    return np.empty(length, dtype=np.int64)


def spread_bits(word: Any, out: Any, start: int) -> None:
    """Write the 64 bits of a word to ``out[start : start + 64]``, one byte a bit, lowest first."""
    for bit in range(WORD_BITS):
        out[start + bit] = (int(word) >> bit) & 1


def spread_words(words: Any, first: int, end: int, out: Any, start: int) -> None:
    """`spread_bits` for ``words[first:end]``, each to its place in an array that begins with word 0 at `start`.

    Which words must be constants.
    """
    for number in range(first, end):
        spread_bits(words[number], out, start + WORD_BITS * number)


if JIT_ENABLED:
    from llvmlite import ir
    from numba.core import cgutils
    from numba.core.typing.templates import infer, infer_global, make_intrinsic_template
    from numba.np import arrayobj

    # Processors with the instruction that deposits bits, but a slow one.
    SLOW_DEPOSIT = ("bdver4", "znver1", "znver2")

    def compiles_to(plain: Callable[..., Any], prefer_literal: bool = False) -> Callable[[Any], Any]:
        """What `numba.extending.intrinsic` does, for a function that Python can call, too."""

        def register(instruction: Any) -> Any:
            template = make_intrinsic_template(
                plain, instruction, plain.__name__, prefer_literal=prefer_literal, kwargs={}
            )
            infer(template)
            infer_global(plain, types.Function(template))
            return instruction

        return register

    @compiles_to(popcount)
    def _popcount(typing_context: Any, word: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.ctpop(args[0])

        return types.int64(types.int64), code

    @compiles_to(lowest_bit)
    def _lowest_bit(typing_context: Any, word: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.cttz(args[0], ir.Constant(ir.IntType(1), 1))

        return types.int64(types.int64), code

    @compiles_to(highest_bit)
    def _highest_bit(typing_context: Any, word: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            leading = builder.ctlz(args[0], ir.Constant(ir.IntType(1), 1))
            return builder.sub(ir.Constant(ir.IntType(WORD_BITS), WORD_BITS - 1), leading)

        return types.int64(types.int64), code

    @kernel
    def select_bit_by_steps(word: int, number: int) -> int:
        """`select_bit` for processors without an instruction for it."""
        for _ in range(number):
            word &= word - 1
        return lowest_bit(word)

    @compiles_to(select_bit)
    def _select_bit(typing_context: Any, word: Any, number: Any) -> Any:
        signature = types.int64(types.int64, types.int64)

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            """Deposit one bit at the place wanted, and look where it is."""
            _, processor, features = context.codegen().magic_tuple()
            if "+bmi2" not in features or processor in SLOW_DEPOSIT:
                return context.compile_internal(builder, select_bit_by_steps, signature, args)
            word_type = ir.IntType(WORD_BITS)
            deposit = cgutils.get_or_insert_function(
                builder.module, ir.FunctionType(word_type, [word_type, word_type]), "llvm.x86.bmi.pdep.64"
            )
            chosen = builder.call(deposit, [builder.shl(ir.Constant(word_type, 1), args[1]), args[0]])
            return builder.cttz(chosen, ir.Constant(ir.IntType(1), 1))

        return signature, code

    @compiles_to(add_words)
    def _add_words(typing_context: Any, left: Any, right: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            return builder.add(*args)

        return types.uint64(types.uint64, types.uint64), code

    @compiles_to(scratch_words, prefer_literal=True)
    def _scratch_words(typing_context: Any, length: Any) -> Any:
        array_type = types.Array(types.int64, 1, "C")

        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            words = length.literal_value
            array = context.make_array(array_type)(context, builder)
            arrayobj.populate_array(
                array,
                data=cgutils.alloca_once(builder, ir.IntType(WORD_BITS), size=words),
                shape=[context.get_constant(types.intp, words)],
                strides=[context.get_constant(types.intp, WORD_BITS // 8)],
                itemsize=context.get_constant(types.intp, WORD_BITS // 8),
                meminfo=None,
            )
            return array._getvalue()

        return array_type(length), code

    def store_spread_bits(builder: Any, word: Any, target: Any) -> None:
        """Code that stores the bits of a word as the 64 bytes at a pointer: each byte eight times, one bit kept."""
        wide = ir.VectorType(ir.IntType(8), WORD_BITS)
        each_byte_eight_times = ir.Constant(
            ir.VectorType(ir.IntType(32), WORD_BITS), [bit // 8 for bit in range(WORD_BITS)]
        )
        own_bit = ir.Constant(wide, [1 << bit % 8 for bit in range(WORD_BITS)])
        eight_bytes = builder.bitcast(word, ir.VectorType(ir.IntType(8), WORD_BITS // 8))
        spread = builder.shuffle_vector(eight_bytes, eight_bytes, each_byte_eight_times)
        is_set = builder.icmp_unsigned("!=", builder.and_(spread, own_bit), ir.Constant(wide, [0] * WORD_BITS))
        builder.store(builder.zext(is_set, wide), builder.bitcast(target, wide.as_pointer())).align = 1

    @compiles_to(spread_bits)
    def _spread_bits(typing_context: Any, word: Any, out: Any, start: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            array = context.make_array(signature.args[1])(context, builder, args[1])
            store_spread_bits(builder, args[0], builder.gep(array.data, [args[2]]))
            return context.get_dummy_value()

        return types.void(types.int64, out, types.int64), code

    @compiles_to(spread_words, prefer_literal=True)
    def _spread_words(typing_context: Any, words: Any, first: Any, end: Any, out: Any, start: Any) -> Any:
        def code(context: Any, builder: Any, signature: Any, args: Any) -> Any:
            source = context.make_array(signature.args[0])(context, builder, args[0])
            array = context.make_array(signature.args[3])(context, builder, args[3])
            target = builder.gep(array.data, [args[4]])
            for number in range(first.literal_value, end.literal_value):
                word = builder.load(builder.gep(source.data, [ir.Constant(ir.IntType(WORD_BITS), number)]))
                place = builder.gep(target, [ir.Constant(ir.IntType(WORD_BITS), WORD_BITS * number)])
                store_spread_bits(builder, word, place)
            return context.get_dummy_value()

        return types.void(words, first, end, out, types.int64), code
