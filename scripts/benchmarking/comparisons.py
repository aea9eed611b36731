"""Which of our figures a peer's is compared with: the one that is most like it in the work done."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from scripts.benchmarking.measuring import Figure

OPENSPIEL_GAMES = ("hearts", "spades", "bridge")
PETTINGZOO_GAMES = ("connect_four", "texas_holdem")

# By the key of the peer's figure: all play at random and deal their cards, unless the figure says otherwise.
OURS_FOR: dict[str, str] = {
    **{f"openspiel_{game}/python": "raw_env/bare" for game in OPENSPIEL_GAMES},
    **{f"openspiel_{game}/tensors": "raw_env/list" for game in OPENSPIEL_GAMES},
    **{f"openspiel_{game}/compiled": "random_games/deals/1" for game in OPENSPIEL_GAMES},
    "rlcard_bridge": "raw_env/list",
    **{f"{game}/raw_env": "raw_env/list" for game in PETTINGZOO_GAMES},
    **{f"{game}/env": "env/list" for game in PETTINGZOO_GAMES},
    "maskable_ppo": "ppo",
}


@dataclass(frozen=True)
class Comparison:
    """A peer beside ours."""

    peer: Figure
    ours: Figure

    @property
    def ratio(self) -> float:
        """How many times as fast ours is."""
        return self.ours.median / self.peer.median


def comparisons(figures: Mapping[str, Figure]) -> list[Comparison]:
    """All of which both sides were measured."""
    return [
        Comparison(figures[peer], figures[ours])
        for peer, ours in OURS_FOR.items()
        if peer in figures and ours in figures
    ]
