"""The one place that compiles: bit instructions do what they do as plain Python, and the cache follows the sources."""

from __future__ import annotations

import os
import random
import shutil
import subprocess
import sys
from pathlib import Path

import numba
import numpy as np
import pytest

from king_env.engine import kernel as kernels
from king_env.engine.kernel import JIT_ENABLED, entry_point, kernel

SOURCES = Path(kernels.__file__).parent
SINGLE_BITS = [1 << bit for bit in range(63)]
WORDS = [*SINGLE_BITS, *(random.Random(1).getrandbits(63) | 1 for _ in range(200)), (1 << 52) - 1, (1 << 63) - 1]
NEGATIVE_WORDS = [-1, -2, -(1 << 63), -(1 << 52)]


# Bit instructions. A word goes in as an array, so that its type is int64 with and without the JIT.


@entry_point
def bits_of(words: np.ndarray, counts: np.ndarray, lowest: np.ndarray, highest: np.ndarray) -> None:
    for i in range(len(words)):
        counts[i] = kernels.popcount(words[i])
        lowest[i] = kernels.lowest_bit(words[i])
        highest[i] = kernels.highest_bit(words[i])


@entry_point
def spread(words: np.ndarray, out: np.ndarray) -> None:
    for i in range(len(words)):
        kernels.spread_bits(words[i], out, 64 * i)


def found_bits(words: list[int]) -> tuple[list[int], list[int], list[int]]:
    array = np.array(words, dtype=np.int64)
    counts, lowest, highest = (np.zeros(len(words), dtype=np.int64) for _ in range(3))
    bits_of(array, counts, lowest, highest)
    return counts.tolist(), lowest.tolist(), highest.tolist()


def test_popcount_does_compiled_what_it_does_plainly() -> None:
    words = [0, *WORDS, *NEGATIVE_WORDS]
    assert found_bits(words)[0] == [kernels.popcount(word) for word in words]


def test_popcount_counts() -> None:
    assert found_bits([0, 1, 0b1011, (1 << 52) - 1, -1])[0] == [0, 1, 3, 52, 64]


def test_lowest_bit_does_compiled_what_it_does_plainly() -> None:
    assert found_bits(WORDS)[1] == [kernels.lowest_bit(word) for word in WORDS]


def test_lowest_bit_finds_the_lowest() -> None:
    assert found_bits([1, 0b1000, 0b101000, 1 << 51])[1] == [0, 3, 3, 51]


def test_highest_bit_does_compiled_what_it_does_plainly() -> None:
    assert found_bits(WORDS)[2] == [kernels.highest_bit(word) for word in WORDS]


def test_highest_bit_finds_the_highest() -> None:
    assert found_bits([1, 0b1000, 0b101000, (1 << 52) - 1])[2] == [0, 3, 5, 51]


def test_spread_bits_does_compiled_what_it_does_plainly() -> None:
    words = [0, *WORDS, *NEGATIVE_WORDS]
    spread_out = np.full(64 * len(words), 7, dtype=np.int8)
    plainly = np.full(64 * len(words), 7, dtype=np.int8)
    spread(np.array(words, dtype=np.int64), spread_out)
    for i, word in enumerate(words):
        kernels.spread_bits(word, plainly, 64 * i)
    assert spread_out.tolist() == plainly.tolist()


def test_spread_bits_writes_its_64_bytes_and_no_other() -> None:
    out = np.full(192, 7, dtype=np.int8)
    spread(np.array([0b101], dtype=np.int64), out)
    assert out[:64].tolist() == [1, 0, 1] + [0] * 61
    assert set(out[64:].tolist()) == {7}


@entry_point
def selected(words: np.ndarray, numbers: np.ndarray, positions: np.ndarray) -> None:
    for i in range(len(words)):
        positions[i] = kernels.select_bit(words[i], numbers[i])


def every_set_bit(words: list[int]) -> tuple[np.ndarray, np.ndarray]:
    pairs = [(word, number) for word in words for number in range(word.bit_count())]
    return np.array([word for word, _ in pairs], dtype=np.int64), np.array([number for _, number in pairs])


def test_select_bit_does_compiled_what_it_does_plainly() -> None:
    words, numbers = every_set_bit(WORDS)
    positions = np.zeros(len(words), dtype=np.int64)
    selected(words, numbers, positions)
    expected = [kernels.select_bit(int(word), number) for word, number in zip(words, numbers, strict=True)]
    assert positions.tolist() == expected


def test_select_bit_counts_from_the_lowest() -> None:
    positions = np.zeros(3, dtype=np.int64)
    selected(np.full(3, 0b1001_0100), np.arange(3), positions)
    assert positions.tolist() == [2, 4, 7]


@pytest.mark.skipif(not JIT_ENABLED, reason="there is one way only without the JIT")
def test_processors_without_the_instruction_select_the_same_bit() -> None:
    @entry_point
    def selected_by_steps(words: np.ndarray, numbers: np.ndarray, positions: np.ndarray) -> None:
        for i in range(len(words)):
            positions[i] = kernels.select_bit_by_steps(words[i], numbers[i])

    words, numbers = every_set_bit(WORDS)
    quickly, by_steps = np.zeros(len(words), dtype=np.int64), np.zeros(len(words), dtype=np.int64)
    selected(words, numbers, quickly)
    selected_by_steps(words, numbers, by_steps)
    assert by_steps.tolist() == quickly.tolist()


@entry_point
def spread_from_scratch(words: np.ndarray, out: np.ndarray) -> None:
    scratch = kernels.scratch_words(3)
    for i in range(3):
        scratch[i] = words[i]
    kernels.spread_words(scratch, 1, 3, out, 8)


def test_spread_words_writes_each_to_its_place_and_no_other() -> None:
    words = np.array([-1, 0b101, -2], dtype=np.int64)
    out = np.full(8 + 3 * 64 + 8, 7, dtype=np.int8)
    spread_from_scratch(words, out)
    expected = np.full_like(out, 7)
    kernels.spread_words(words, 1, 3, expected, 8)
    assert out.tolist() == expected.tolist()
    assert out[8 + 64 :][:64].tolist() == [1, 0, 1] + [0] * 61
    assert set(out[: 8 + 64].tolist()) == set(out[-8:].tolist()) == {7}


def test_scratch_words_are_as_many_as_asked_for() -> None:
    @entry_point
    def sizes() -> tuple[int, int]:
        return len(kernels.scratch_words(4)), len(kernels.scratch_words(52))

    assert sizes() == (4, 52)


def test_entry_points_are_compiled_or_plain_as_asked() -> None:
    @entry_point
    def one() -> int:
        return 1

    assert hasattr(one, "py_func") == JIT_ENABLED
    assert one() == 1


def test_python_runs_a_kernel_as_it_is_written_and_entry_points_compile_it() -> None:
    @kernel
    def half(number: int) -> int:
        return number // 2

    @entry_point
    def quarter(number: int) -> int:
        return half(half(number))

    assert not hasattr(half, "py_func")
    assert half(2**80) == 2**79  # no compiled word holds this
    assert quarter(41) == 10


def test_numbas_own_setting_is_left_as_it_was() -> None:
    before = numba.config.CACHE_DIR

    @entry_point
    def two() -> int:
        return 2

    assert two() == 2
    assert numba.config.CACHE_DIR == before


# The cache of compiled code, in a copy of the engine; each test starts a Python with the JIT, so once is enough

needs_jit = pytest.mark.skipif(not JIT_ENABLED, reason="tested in the run with the JIT")


@pytest.fixture
def package(tmp_path: Path) -> Path:
    """A package that holds a copy of the engine and nothing else."""
    folder = tmp_path / "king_env"
    shutil.copytree(SOURCES, folder / "engine", ignore=shutil.ignore_patterns("__pycache__"))
    (folder / "__init__.py").touch()
    return folder


SHOW_FOLDER = "from king_env.engine import kernel; print(kernel.CACHE_FOLDER)"


def run(package: Path, code: str = SHOW_FOLDER) -> str:
    """What a fresh Python prints that imports the copy; its user cache is beside the copy."""
    keep_out = {"NUMBA_DISABLE_JIT", "NUMBA_CACHE_DIR", "PYTHONPATH", "LOCALAPPDATA"}
    environment = {name: value for name, value in os.environ.items() if name not in keep_out}
    environment["XDG_CACHE_HOME"] = str(package.parent / "user")
    environment["PYTHONDONTWRITEBYTECODE"] = "1"
    done = subprocess.run(
        [sys.executable, "-c", code],
        cwd=package.parent,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout.strip()


@needs_jit
def test_the_cache_folder_stands_in_the_package(package: Path) -> None:
    assert Path(run(package)).parent == package / ".numba_cache"


@needs_jit
def test_the_cache_folder_is_the_same_while_the_sources_are(package: Path) -> None:
    assert run(package) == run(package)


@needs_jit
def test_a_change_in_any_kernel_file_gives_another_cache_folder(package: Path) -> None:
    """Numba itself would go on playing old rules: it looks at the file of the function called, and at no other."""
    before = run(package)
    with (package / "engine" / "seats.py").open("a") as file:
        file.write("# edited\n")
    assert run(package) != before


@needs_jit
def test_a_file_with_kernels_outside_the_engine_counts_too(package: Path) -> None:
    before = run(package)
    bot = package / "bots" / "bot.py"
    bot.parent.mkdir()
    bot.write_text("from king_env.engine.kernel import kernel\n")
    with_bot = run(package)
    assert with_bot != before
    bot.write_text("from king_env.engine.kernel import kernel\n# edited\n")
    assert run(package) != with_bot


@needs_jit
def test_a_file_without_kernels_does_not_matter(package: Path) -> None:
    before = run(package)
    (package / "other.py").write_text("X = 1\n")
    assert run(package) == before


@needs_jit
def test_caches_that_nobody_has_used_for_long_are_pruned(package: Path) -> None:
    old, recent = package / ".numba_cache" / "old", package / ".numba_cache" / "recent"
    old.mkdir(parents=True)
    recent.mkdir()
    os.utime(old, (0, 0))
    folder = Path(run(package))
    assert not old.exists()
    assert recent.exists()
    assert folder.exists()


@needs_jit
def test_where_the_package_is_read_only_the_users_cache_is_used(package: Path) -> None:
    """A file in the folder's place makes it impossible to write to, also for root."""
    (package / ".numba_cache").touch()
    assert Path(run(package)).parent == package.parent / "user" / "king_env"


@needs_jit
def test_without_any_place_to_write_kernels_compile_all_the_same(package: Path) -> None:
    (package / ".numba_cache").touch()
    (package.parent / "user").touch()
    code = (
        "from king_env.engine import kernel\n"
        "@kernel.entry_point\n"
        "def double(number):\n"
        "    return 2 * number\n"
        "print(kernel.CACHE_FOLDER, double(21))"
    )
    assert run(package, code) == "None 42"


@needs_jit
def test_a_filled_cache_of_a_read_only_install_is_used_as_it_is(package: Path) -> None:
    folder = Path(run(package))
    (folder / "compiled").touch()
    assert Path(run(package)) == folder


@needs_jit
def test_compiled_code_is_kept_in_the_folder(package: Path) -> None:
    code = (
        "import sys; sys.path.insert(0, '.')\n"
        "from king_env.engine import batch, kernel, state\n"
        "import numpy as np\n"
        "games = state.new_records(1)\n"
        "batch.hide_hands(games, np.zeros(1, dtype=np.int64))\n"
        "print(kernel.CACHE_FOLDER)"
    )
    folder = Path(run(package, code))
    assert list(folder.rglob("*.nbc"))
