"""Two bots that know nothing: `uniform` over all legal actions, and `random`, whose calls at least make sense.

Uniform bidding nearly always runs up to the highest bid, so as a baseline for the positive deals it would say little.
`random` plays uniformly from its legal cards, names a trump at random, mostly passes, bids one step at a time, and
decides about a sale by the toss of a coin.
"""

from __future__ import annotations

from king_env.chance import Stream, random_below, random_float
from king_env.engine.actions import (
    ACCEPT_BIT,
    AUCTION_BIT,
    BID_EIGHT_BIT,
    DOWN_BIT,
    EIGHT_OR_NULLS_BIT,
    FIRST_CALL,
    PASS_BIT,
    REFUSE_BIT,
    SKIP_BIT,
    UP_NO_TRUMP_BIT,
    UP_SUITS_BITS,
    Action,
    Calls,
)
from king_env.engine.cards import Cards
from king_env.engine.kernel import kernel, popcount, select_bit
from king_env.engine.state import DECIDING, OPENING, ULTIMATUM, GameRecord
from king_env.engine.step import legal_calls

OPENS_AUCTION = 0.4  # how often the owner sells rather than choosing at once
SETS_ULTIMATUM = 0.05
PLAYS_DOWN = 0.1
PLAYS_NO_TRUMP = 0.1
BIDS = 0.25
BIDS_EIGHT = 0.02
SKIPS = 0.3
ACCEPTS = 0.5
STEPS = 2  # a bid is one of so many lowest


@kernel
def random_member(members: int, stream: Stream) -> int:
    """One of the set bits of a mask, each equally likely."""
    return select_bit(members, random_below(stream, popcount(members)))


@kernel
def random_card(legal: Cards, stream: Stream) -> Action:
    """A legal card, each equally likely."""
    return random_member(legal, stream)


@kernel
def uniform_call(legal: Calls, stream: Stream) -> Action:
    """A legal call, each equally likely."""
    return FIRST_CALL + random_member(legal, stream)


@kernel
def random_if(legal: Calls, wanted: Calls, chance: float, stream: Stream) -> bool:
    """Whether to make one of the calls wanted, where it is legal."""
    return legal & wanted != 0 and random_float(stream) < chance


@kernel
def random_declaration(legal: Calls, stream: Stream) -> Calls:
    """Down or no trump now and then, else one of the suits."""
    if random_if(legal, DOWN_BIT, PLAYS_DOWN, stream):
        return DOWN_BIT
    if random_if(legal, UP_NO_TRUMP_BIT, PLAYS_NO_TRUMP, stream):
        return UP_NO_TRUMP_BIT
    return UP_SUITS_BITS


@kernel
def random_opening(legal: Calls, stream: Stream) -> Calls:
    """The owner sells, sets the ultimatum, or chooses at once."""
    if random_if(legal, AUCTION_BIT, OPENS_AUCTION, stream):
        return AUCTION_BIT
    if random_if(legal, EIGHT_OR_NULLS_BIT, SETS_ULTIMATUM, stream):
        return EIGHT_OR_NULLS_BIT
    return random_declaration(legal, stream)


@kernel
def lowest_bids(bids: Calls) -> Calls:
    """The cheapest few of these bids."""
    rest = bids
    for _ in range(STEPS):
        rest &= rest - 1
    return bids ^ rest


@kernel
def random_bid(legal: Calls, stream: Stream) -> Calls:
    """A small step up now and then, otherwise pass."""
    bids = legal ^ PASS_BIT
    return lowest_bids(bids) if random_if(legal, bids, BIDS, stream) else PASS_BIT


@kernel
def random_ultimatum_answer(legal: Calls, stream: Stream) -> Calls:
    """Bidding 8 is seldom wise."""
    return BID_EIGHT_BIT if random_if(legal, BID_EIGHT_BIT, BIDS_EIGHT, stream) else PASS_BIT


@kernel
def random_decision(legal: Calls, stream: Stream) -> Calls:
    """Skip, accept or refuse."""
    if random_if(legal, SKIP_BIT, SKIPS, stream):
        return SKIP_BIT
    return ACCEPT_BIT if random_if(legal, ACCEPT_BIT, ACCEPTS, stream) else REFUSE_BIT


@kernel
def random_call(view: GameRecord, stream: Stream) -> Action:
    """A call that makes sense, but was not thought about."""
    legal = legal_calls(view)
    phase = view["phase"]
    if phase == OPENING:
        wanted = random_opening(legal, stream)
    elif phase == ULTIMATUM:
        wanted = random_ultimatum_answer(legal, stream)
    elif phase == DECIDING:
        wanted = random_decision(legal, stream)
    elif legal & PASS_BIT != 0:
        wanted = random_bid(legal, stream)
    else:
        wanted = random_declaration(legal, stream)
    return uniform_call(wanted & legal, stream)
