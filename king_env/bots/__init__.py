"""Bots to play against, by name: `make("heuristic")`.

- ``uniform``: any legal action, each equally likely. Its auctions nearly always run up to the highest bid.
- ``random``: any legal card, and calls that make sense but were not thought about.
- ``heuristic``: an experienced player, compiled, deterministic.

Each of the three takes the options ``cards``, ``choosing`` and ``bidding`` (``uniform``, ``random`` or ``heuristic``),
by which one part of the game is played in another manner: ``heuristic:bidding=random`` plays its cards and chooses as
`heuristic` but bids, answers and sells as `random`. So a match can measure what each part is worth by itself.

A bot of your own is ``package.module:factory``; a checkpoint is its path, ``runs/x/last.pt``.
"""

from king_env.bots.protocol import Bot
from king_env.bots.registry import BOTS, BotError, make

__all__ = ["BOTS", "Bot", "BotError", "make"]
