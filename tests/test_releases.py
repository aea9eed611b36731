"""The releases that King is tested on are those that pyproject.toml promises."""

from __future__ import annotations

import re
import sys
from pathlib import Path

import pytest

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

ROOT = Path(__file__).resolve().parent.parent
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
AT_LEAST = re.compile(r"([\w-]+)>=([\d.]+)")


def pinned(name: str) -> dict[str, str]:
    """The releases in one file of constraints."""
    lines = (ROOT / "constraints" / f"{name}.txt").read_text("utf-8").splitlines()
    return dict(line.split("==") for line in lines if not line.startswith("#"))


def lowest(requirements: list[str]) -> dict[str, str]:
    """What each requirement asks for at least; a release `1.1` is `1.1.0`."""
    found = [AT_LEAST.fullmatch(requirement) for requirement in requirements]
    assert all(found), f"requirements without a lowest release: {requirements}"
    return {match[1]: f"{match[2]}.0" if match[2].count(".") == 1 else match[2] for match in found if match}


@pytest.mark.parametrize("requirements", [PROJECT["dependencies"], PROJECT["optional-dependencies"]["render"]])
def test_the_oldest_releases_that_are_tested_are_the_oldest_that_are_allowed(requirements: list[str]) -> None:
    oldest = pinned("oldest")
    for package, release in lowest(requirements).items():
        assert oldest[package] == release
