"""Worlds: games that a seat cannot tell from the one it plays, drawn with equal chances from all that there are.

>>> import numpy as np
>>> from king_env import Game, count_deals, sample_hidden
>>> view = Game(seed=1).view(0)
>>> count_deals(view)
84478098072866400
>>> worlds = np.repeat(view, 100)
>>> sample_hidden(view, np.random.default_rng(1), worlds)
"""

from __future__ import annotations

import numpy as np

from king_env.chance import STREAM_WORDS, Stream, random_number
from king_env.engine.information import DEALS_DTYPE, Deals, count_deals_of, lay_out_deal, num_deals
from king_env.engine.kernel import entry_point, kernel
from king_env.engine.seats import NUM_SEATS
from king_env.engine.state import GAME_DTYPE, GameRecord, GameRecords


class ViewError(ValueError):
    """What is no view of one seat."""


@kernel
def draw_world(view: GameRecord, deals: Deals, stream: Stream, world: GameRecords) -> None:
    """Write a game to ``world[0]`` that the view cannot be told from; deals: what `count_deals_of` found for it."""
    world[0] = view
    lay_out_deal(deals, random_number(stream, num_deals(deals)), world[0])


@entry_point
def count_all(views: GameRecords, deals: np.ndarray, counts: np.ndarray) -> None:
    """In how many ways the hidden cards of each view may lie; deals: DEALS_DTYPE[1], counts: int64[N], both written."""
    for i in range(len(views)):
        counts[i] = count_deals_of(views[i], deals[0])


@entry_point
def draw_worlds(views: GameRecords, deals: np.ndarray, stream: Stream, worlds: GameRecords) -> None:
    """Fill `worlds` with games that the one view cannot be told from; deals: DEALS_DTYPE[1], written."""
    count_deals_of(views[0], deals[0])
    for i in range(len(worlds)):
        draw_world(views[0], deals[0], stream, worlds[i : i + 1])


def new_deals() -> np.ndarray:
    """Room for all the deals that one view leaves possible: DEALS_DTYPE[1]."""
    return np.zeros(1, dtype=DEALS_DTYPE)


def stream_of(rng: np.random.Generator) -> Stream:
    """A stream for compiled code, drawn from a generator of numpy."""
    return rng.integers(np.iinfo(np.uint64).max, size=STREAM_WORDS, dtype=np.uint64, endpoint=True)


def count_deals(view: GameRecords) -> int:
    """In how many ways the cards that a view (GAME_DTYPE[1]) hides may lie, given all that it shows and the rules."""
    _check_view(view)
    counts = np.zeros(1, dtype=np.int64)
    count_all(view, new_deals(), counts)
    return int(counts[0])


def sample_hidden(view: GameRecords, rng: np.random.Generator, out: GameRecords) -> None:
    """Fill `out` (GAME_DTYPE[N]) with N whole games that a view (GAME_DTYPE[1]) leaves possible.

    Each is drawn by itself, uniformly over all deals that agree with the hands' sizes, the cards seen, the voids shown,
    and what the rules of the K♥ and of leading hearts prove (Rules 2).
    """
    _check_view(view)
    if not isinstance(out, np.ndarray) or out.dtype != GAME_DTYPE or out.ndim != 1 or not out.flags.c_contiguous:
        raise ViewError("out: must be a contiguous array GAME_DTYPE[N]")
    draw_worlds(view, new_deals(), stream_of(rng), out)


def _check_view(view: GameRecords) -> None:
    if not isinstance(view, np.ndarray) or view.dtype != GAME_DTYPE or view.shape != (1,):
        raise ViewError("view: must be an array GAME_DTYPE[1], as `Game.view` gives")
    held, played = view["hands"][0].tolist(), view["played"][0].tolist()
    full = [held[seat].bit_count() + played[seat].bit_count() == 13 for seat in range(NUM_SEATS)]
    if not any(full):
        raise ViewError("view: it shows the whole hand of no seat")
