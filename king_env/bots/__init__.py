"""Bots to play against, by name: `make("heuristic")`.

- ``uniform``: any legal action, each equally likely. Its auctions nearly always run up to the highest bid.
- ``random``: any legal card, and calls that make sense but were not thought about.
- ``heuristic``: an experienced player, compiled, deterministic.
- ``search``: plays every legal action out with `heuristic` in 100 worlds that it cannot tell from the true one, and
  takes the best; ``search:worlds=20`` in as many worlds as that, ``search:ms=20`` for as long as that, which does not
  repeat. ``threads=1`` keeps it to one processor.
- ``pretrained``: a policy that learned from searched decisions and in self-play; it plays what it finds most
  probable, and ``pretrained:sample=1`` draws its actions by their probability.
- ``pretrained-search``: the same policy with a second thought: it plays out what it finds likely, in worlds that are
  likely if the others play by it, too. ``pretrained-search:file=x.npz,playouts=50,steps=4``: another policy,
  played out in at most 50 worlds, each four steps of a walk through likely ones from the last.
- ``cheating-search``: the same as `search` with the cards as they truly lie; it plays only where it is allowed.
- ``cheating-best-response``: sees all hands too, and tries all that it may do at its next four decisions
  (``depth=4``), foreseeing how the others reply if they are `heuristic`, or with ``worlds=20`` if they are
  ``search:worlds=20``: the most that there is to gain against three of them, as far as it looks.

Each of the first three takes the options ``cards``, ``choosing`` and ``bidding`` (``uniform``, ``random`` or
``heuristic``), by which one part of the game is played in another manner: ``heuristic:bidding=random`` plays its cards
and chooses as `heuristic` but bids, answers and sells as `random`. So a match can measure what each part is worth by
itself.

`solve_ending(game)` is no bot: it says what the last tricks come to if all four seats see all hands and play for
themselves (`king_env.bots.endings`).

A bot of your own is ``package.module:factory``. A policy that you trained is the path of its checkpoint,
``runs/x/last.pt``, or of the file that ``scripts/export.py`` makes of it, ``x.npz``, which plays without torch.
"""

from king_env.bots.endings import solve_ending
from king_env.bots.protocol import Bot
from king_env.bots.registry import BOTS, BotError, make

__all__ = ["BOTS", "Bot", "BotError", "make", "solve_ending"]
