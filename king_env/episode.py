"""What an episode of an env is: a whole game or one deal, of which contracts, and how it is rewarded."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from king_env.engine.contracts import NEGATIVE_NAMES, NUM_DEALS, POSITIVE
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.notation import NotationError, parse_deal
from king_env.ruleset import check_name, whole_number

EPISODES = ("game", "deal")
REWARDS = ("points", "deal", "placement")
KIND_NAMES = (*NEGATIVE_NAMES, POSITIVE)
ALL_KINDS = tuple(range(len(KIND_NAMES)))


class OptionError(ValueError):
    """An option of an env that does not exist or does not fit the others."""


def check_option(name: str, value: object, allowed: Collection[str]) -> None:
    """Refuse a value that is not one of the allowed names."""
    check_name(name, value, allowed, OptionError)


def deal_kinds(episode: str, contracts: Collection[str] | None) -> npt.NDArray[np.int64]:
    """The kinds of deal that an episode of one deal is drawn from (`chance.begin_game`); empty for a whole game."""
    check_option("episode", episode, EPISODES)
    if episode == "game":
        if contracts is not None:
            raise OptionError("contracts: only episode='deal' draws a contract; a game plays all ten deals")
        return np.zeros(0, dtype=np.int64)
    if contracts is None:
        return np.array(ALL_KINDS, dtype=np.int64)
    if not isinstance(contracts, (list, tuple)) or not contracts:
        # A set has no order to draw from, so the same seed would not mean the same contract.
        raise OptionError(f"contracts: must be a list of some of {', '.join(KIND_NAMES)}, not {contracts!r}")
    for contract in contracts:
        check_option("contracts", contract, KIND_NAMES)
    if len(set(contracts)) < len(contracts):
        raise OptionError(f"contracts: names each kind once, for all are drawn alike; not {contracts!r}")
    return np.array([KIND_NAMES.index(contract) for contract in contracts], dtype=np.int64)


def check_seed(seed: Any) -> int | None:
    """A seed as an int; None stands for one from the operating system."""
    return None if seed is None else whole_number("seed", seed, 0, error=OptionError)


def check_dealer(dealer: Any) -> Seat:
    """A seat to deal first."""
    return whole_number("dealer", dealer, 0, NUM_SEATS - 1, OptionError)


def check_deals(deals: Any, wanted: int) -> npt.NDArray[np.int64]:
    """The hands (int64[wanted, 4]) of an episode's deals, each given as `notation.parse_deal` takes it."""
    if isinstance(deals, str) or not isinstance(deals, (Sequence, np.ndarray)):
        raise OptionError(f"deals: must be a list of {wanted}, each PBN text or an int array [4, 13]")
    if len(deals) != wanted:
        raise OptionError(f"deals: this episode has {wanted}, not {len(deals)}")
    hands = np.empty((wanted, NUM_SEATS), dtype=np.int64)
    for number, deal in enumerate(deals):
        try:
            hands[number] = parse_deal(deal)
        except NotationError as error:
            raise OptionError(f"deals[{number}]: {error}") from None
    return hands


def num_deals(episode: str) -> int:
    """How many deals an episode has."""
    return NUM_DEALS if episode == "game" else 1
