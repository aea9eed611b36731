"""What an episode of an env is: a whole game or one deal, of which contracts, and how it is rewarded."""

from __future__ import annotations

import difflib
from collections.abc import Collection

import numpy as np
import numpy.typing as npt

from king_env.engine.contracts import NEGATIVE_NAMES, NUM_DEALS, POSITIVE

EPISODES = ("game", "deal")
REWARDS = ("points", "deal", "placement")
KIND_NAMES = (*NEGATIVE_NAMES, POSITIVE)
ALL_KINDS = tuple(range(len(KIND_NAMES)))


class OptionError(ValueError):
    """An option of an env that does not exist or does not fit the others."""


def check_option(name: str, value: object, allowed: Collection[str]) -> None:
    """Refuse a value that is not one of the allowed names."""
    if not isinstance(value, str) or value not in allowed:
        close = difflib.get_close_matches(str(value), allowed, n=1)
        meant = f" (did you mean {close[0]!r}?)" if close else ""
        raise OptionError(f"{name}: must be one of {', '.join(allowed)}, not {value!r}{meant}")


def deal_kinds(episode: str, contracts: Collection[str] | None) -> npt.NDArray[np.int64]:
    """The kinds of deal that an episode of one deal is drawn from (`chance.begin_game`); empty for a whole game."""
    check_option("episode", episode, EPISODES)
    if episode == "game":
        if contracts is not None:
            raise OptionError("contracts: only episode='deal' draws a contract; a game plays all ten deals")
        return np.zeros(0, dtype=np.int64)
    if contracts is None:
        return np.array(ALL_KINDS, dtype=np.int64)
    if isinstance(contracts, str) or not contracts:
        raise OptionError(f"contracts: must be a list of some of {', '.join(KIND_NAMES)}, not {contracts!r}")
    for contract in contracts:
        check_option("contracts", contract, KIND_NAMES)
    return np.array([KIND_NAMES.index(contract) for contract in contracts], dtype=np.int64)


def num_deals(episode: str) -> int:
    """How many deals an episode has."""
    return NUM_DEALS if episode == "game" else 1
