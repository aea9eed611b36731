"""Two of PettingZoo's own classics, under the loop that King's envs are measured with."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from pettingzoo.classic import connect_four_v3, texas_holdem_v4

from scripts.benchmarking.doors import choose_from_list, play_by_mask
from scripts.benchmarking.measuring import STEPS_PER_SECOND, Sample, rate


def connect_four() -> Iterator[Sample]:
    """No cards, but few rules."""
    return both_figures("connect_four", connect_four_v3)


def texas_holdem() -> Iterator[Sample]:
    """A card game, played by RLCard underneath."""
    return both_figures("texas_holdem", texas_holdem_v4)


def both_figures(name: str, module: Any) -> Iterator[Sample]:
    """Without the wrappers that check, and with them."""
    for maker in ("raw_env", "env"):
        yield env_figure(name, maker, getattr(module, maker)())


def env_figure(name: str, maker: str, env: Any) -> Sample:
    """One env under PettingZoo's loop."""
    return Sample(
        f"{name}/{maker}",
        f"PettingZoo {name}, `{maker}()`: `random.choice` from the mask as a list",
        STEPS_PER_SECOND,
        rate(lambda: play_by_mask(env, choose_from_list)),
    )
