"""What each bot says in the positive deals of a match, with which hands, and what it scores in those deals.

A seat counts once a deal in each situation (opening, bidding …), by the last that it said there; in the bidding by its
last bid, and by `pass` only if it never bid.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from king_env.engine import batch
from king_env.engine.actions import FIRST_CALL, NO_CALL, NUM_CALLS, PASS
from king_env.engine.cards import ACE, KING, NUM_RANKS, NUM_SUITS, QUEEN
from king_env.engine.contracts import NUM_NEGATIVES, UP
from king_env.engine.seats import NUM_SEATS
from king_env.engine.state import DECLARING, OPENING, PHASE_NAMES, GameRecords, new_records
from king_env.evaluation.deal_sheets import DealSheets
from king_env.ruleset import RuleSet

Numbers = npt.NDArray[np.int64]

# Where something can be said (Rules 3): opening, ultimatum, bidding, deciding, declaring.
SITUATIONS = PHASE_NAMES[OPENING : DECLARING + 1]

# Hands are parted by the whole tricks they promise with their best trump; the last group has so many and more.
MOST_TRICKS = 8
STRENGTHS = tuple(f"{tricks}" for tricks in range(MOST_TRICKS)) + (f"{MOST_TRICKS}+",)


@dataclass(frozen=True)
class CallTally:
    """What was said in blocks of a match."""

    points: Numbers
    """[num_blocks, num_kinds, len(SITUATIONS), NUM_CALLS]: what the seats that said it scored in those deals."""
    counts: Numbers
    """The same shape: how often it was said."""
    hands: Numbers
    """[num_kinds, len(SITUATIONS), len(STRENGTHS), NUM_CALLS]: how often with a hand of this strength."""


def join_call_tallies(tallies: list[CallTally]) -> CallTally:
    """The tally of several chunks of blocks, in their order."""
    return CallTally(
        points=np.concatenate([tally.points for tally in tallies]),
        counts=np.concatenate([tally.counts for tally in tallies]),
        hands=np.sum([tally.hands for tally in tallies], axis=0),
    )


def tally_calls(
    ruleset: RuleSet, ended: GameRecords, sheets: DealSheets, kinds: Numbers, num_blocks: int, num_kinds: int
) -> CallTally:
    """Tally what was said in the games of some blocks.

    ended, sheets: [num_games, deals_a_game], each deal as it ended and how it went, block after block; kinds:
    [num_games, 4], the kind of bot in each seat.
    """
    games, places = np.nonzero(sheets["contract"] >= UP)
    deals, of_deals = ended[games, places], sheets[games, places]
    said = last_words(ruleset, deals, of_deals["owner"])
    deal, seat, situation = np.nonzero(said != NO_CALL)
    call = said[deal, seat, situation] - FIRST_CALL
    kind = kinds[games[deal], seat]
    block = games[deal] * num_blocks // max(1, len(ended))
    strength = strengths(deals["hands"] | deals["played"])[deal, seat]
    by_block = (num_blocks, num_kinds, len(SITUATIONS), NUM_CALLS)
    by_strength = (num_kinds, len(SITUATIONS), len(STRENGTHS), NUM_CALLS)
    points, counts, hands = np.zeros(by_block, np.int64), np.zeros(by_block, np.int64), np.zeros(by_strength, np.int64)
    np.add.at(points, (block, kind, situation, call), of_deals["points"][deal, seat])
    np.add.at(counts, (block, kind, situation, call), 1)
    np.add.at(hands, (kind, situation, strength, call), 1)
    return CallTally(points, counts, hands)


def last_words(ruleset: RuleSet, deals: GameRecords, owners: npt.NDArray[np.uint8]) -> Numbers:
    """What each seat said last in each situation of these positive deals: [num_deals, 4, len(SITUATIONS)]; NO_CALL.

    deals: as they ended; owners: [num_deals], for their dealers have moved on.
    """
    again = new_records(len(deals))
    ruleset.write_to(again)
    first_positive = np.full(len(deals), NUM_NEGATIVES, dtype=np.int64)
    batch.start_games(again, owners.astype(np.int64), first_positive, first_positive)
    batch.start_deals(again, deals["hands"] | deals["played"])
    said = np.full((len(deals), NUM_SEATS, len(SITUATIONS)), NO_CALL, dtype=np.int64)
    for number in range(int(deals["num_calls"].max(initial=0))):
        which = np.flatnonzero(deals["num_calls"] > number)
        speaking = again[which]
        calls = deals["calls"][which, number].astype(np.int64)
        heard = (which, speaking["turn"], speaking["phase"] - OPENING)
        said[heard] = np.where((calls == PASS) & (said[heard] != NO_CALL), said[heard], calls)
        batch.step_games(speaking, calls)
        again[which] = speaking
    return said


def strengths(hands: Numbers) -> Numbers:
    """To which of STRENGTHS hands of 13 cards belong; any shape."""
    return np.clip(np.floor(tricks_promised(hands)), 0, MOST_TRICKS).astype(np.int64)


def tricks_promised(hands: Numbers) -> npt.NDArray[np.float64]:
    """The tricks to expect of hands (sets of 13 cards, any shape) with the suit for trump that is best for each.

    A rule of thumb of card players, linear in length, honours and short suits, that is fitted to no bot of ours.
    """
    cards = hands[..., np.newaxis] >> np.arange(NUM_SUITS * NUM_RANKS) & 1
    suits = cards.reshape(*hands.shape, NUM_SUITS, NUM_RANKS)
    lengths = suits.sum(axis=-1)
    ace, king, queen = (suits[..., rank] for rank in (ACE, KING, QUEEN))
    as_trump = 0.88 * lengths + 0.98 * ace + 0.81 * king + 0.54 * queen
    short = np.select([lengths == 0, lengths == 1], [0.77, 0.385], 0.0)
    beside = 0.99 * ace + 0.77 * king * (lengths >= 2) + 0.36 * queen * (lengths >= 3) + short
    tricks: npt.NDArray[np.float64] = (as_trump - beside).max(axis=-1) + beside.sum(axis=-1) - 2.03
    return tricks
