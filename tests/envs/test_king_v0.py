"""The reference page of the environment is true, and importing it is light."""

from __future__ import annotations

import re
import subprocess
import sys
from typing import Any

import numpy as np
import pytest

import king_env
from king_env import king_v0
from king_env.engine.observation import OBSERVATION_SIZE, SECTIONS

PAGE = king_v0.__doc__ or ""
# What only training and evaluation need.
HEAVY = ("torch", "tensorboard", "matplotlib", "rich", "tqdm", "pandas", "baselines")


def test_the_layout_is_that_of_the_observation() -> None:
    rows = re.findall(r"^\| (\d+)–(\d+) \| `(\w+)` \| ([\d × ]+) \|", PAGE, re.MULTILINE)
    assert [name for _, _, name, _ in rows] == [section.name for section in SECTIONS]
    numbered = king_env.unpack_observation(np.arange(OBSERVATION_SIZE))
    for first, last, name, shape in rows:
        assert (numbered[name].min(), numbered[name].max()) == (int(first), int(last))
        assert " × ".join(str(length) for length in numbered[name].shape) == shape


def test_every_option_is_described() -> None:
    for option in king_v0.OPTION_NAMES:
        assert re.search(rf"^\* `{option}=", PAGE, re.MULTILINE), option


def test_sizes_are_filled_in() -> None:
    env = king_v0.env()
    observation_space: Any = env.observation_space("player_0")
    for space in (*observation_space.values(), env.state_space):
        assert f"`{space}`" in PAGE
    assert f"`{env.action_space('player_0')}`" in PAGE
    assert "{" not in PAGE.replace('options={"deals"', "")


def test_the_loop_of_the_page_plays_a_game() -> None:
    (loop,) = re.findall(r"```python\n(.*?)```", PAGE, re.DOTALL)
    played: dict[str, Any] = {}
    exec(loop, played)
    assert played["env"].agents == []


def test_the_version_has_its_line_of_history() -> None:
    version = king_v0.env().metadata["name"].removeprefix("king_")
    assert f"* {version}: " in PAGE


def test_unpacking_keeps_leading_axes() -> None:
    parts = king_env.unpack_observation(np.zeros((5, 2, OBSERVATION_SIZE), dtype=np.int8))
    assert parts["played"].shape == (5, 2, 4, 52)
    with pytest.raises(ValueError, match=f"observation: must have {OBSERVATION_SIZE} entries, not 3"):
        king_env.unpack_observation(np.zeros(3))


def test_public_names_are_there() -> None:
    for name in king_env.__all__:
        assert hasattr(king_env, name)


def test_importing_king_env_imports_nothing_heavy() -> None:
    code = f"import sys, king_env; print([name for name in {HEAVY} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
