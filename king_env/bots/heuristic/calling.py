"""Selling, buying and skipping: prices in points, compared with what the deal would bring otherwise."""

from __future__ import annotations

from king_env.bots.heuristic.valuation import best_declaration, down_value, up_value
from king_env.engine.actions import (
    ACCEPT,
    ACCEPT_BIT,
    AUCTION,
    BID_EIGHT,
    BID_POINTS,
    CALL_BIT,
    FIRST_BID,
    FIRST_CALL,
    FIRST_NULLS,
    PASS,
    REFUSE,
    SKIP,
    SKIP_BIT,
    Action,
    Calls,
)
from king_env.engine.contracts import SKIP_OWNER_POINTS
from king_env.engine.kernel import kernel, lowest_bit
from king_env.engine.state import GameRecord, best_is_nulls, best_points
from king_env.engine.step import legal_calls

BYSTANDER_UP = 65.0  # what a seat that neither owns nor buys makes of an up deal
BYSTANDER_DOWN_LOSS = 70.0  # a bystander takes more tricks than a declarer does in a down deal
STRONG_ENOUGH = 260.0  # nothing that an auction brings is worth more

BIDS: Calls = sum(int(CALL_BIT[call - FIRST_CALL]) for call in range(FIRST_BID, FIRST_NULLS))
NULLS: Calls = sum(int(CALL_BIT[call - FIRST_CALL]) for call in range(FIRST_NULLS, ACCEPT))


@kernel
def own_value(view: GameRecord) -> float:
    """What the owner makes by playing the deal as the owner likes."""
    up = up_value(view)
    return max(up, down_value(view)) if view["down"] else up


@kernel
def best_opening(view: GameRecord) -> Action:
    """Let the others bid, for the owner may still refuse, unless the hand is worth more than any price."""
    return best_declaration(view) if own_value(view) > STRONG_ENOUGH else AUCTION


@kernel
def value_as_bystander(view: GameRecord) -> float:
    """What the deal brings to a seat if the present best bid is sold."""
    return down_value(view) - BYSTANDER_DOWN_LOSS if best_is_nulls(view) else BYSTANDER_UP


@kernel
def answer_to_ultimatum(view: GameRecord) -> Action:
    """Buy at 8 only where that is still better than nulls."""
    gain = max(0.0, up_value(view) - BID_POINTS[BID_EIGHT])
    return BID_EIGHT if gain > down_value(view) - BYSTANDER_DOWN_LOSS else PASS


@kernel
def best_bid(view: GameRecord) -> Action:
    """The cheapest bid of the kind that leaves most over, if it leaves more than standing by."""
    legal = legal_calls(view)
    best, most = PASS, value_as_bystander(view)
    bids, nulls = legal & BIDS, legal & NULLS
    if bids != 0:
        call = FIRST_CALL + lowest_bit(bids)
        if up_value(view) - BID_POINTS[call] > most:
            best, most = call, up_value(view) - BID_POINTS[call]
    if nulls != 0:
        call = FIRST_CALL + lowest_bit(nulls)
        if down_value(view) - BID_POINTS[call] > most:
            best = call
    return best


@kernel
def owners_decision(view: GameRecord) -> Action:
    """Whatever is worth most: selling and playing as a bystander, playing oneself, or skipping."""
    legal = legal_calls(view)
    best, most = REFUSE, own_value(view)
    if legal & ACCEPT_BIT != 0 and best_points(view) + value_as_bystander(view) > most:
        best, most = ACCEPT, best_points(view) + value_as_bystander(view)
    if legal & SKIP_BIT != 0 and SKIP_OWNER_POINTS > most:
        best = SKIP
    return best
