"""Selling, buying, skipping: every call is weighed in points against what the deal would bring otherwise."""

from __future__ import annotations

from king_env.bots.heuristic.valuation import best_declaration, down_value, tricks_as_bystander, up_value
from king_env.engine.actions import (
    ACCEPT,
    ACCEPT_BIT,
    AUCTION,
    BID_EIGHT,
    BID_POINTS,
    EIGHT_OR_NULLS,
    FIRST_CALL,
    FIRST_NULLS,
    PASS,
    PASS_BIT,
    REFUSE,
    SKIP,
    SKIP_BIT,
    Action,
)
from king_env.engine.contracts import SKIP_OWNER_POINTS, UP_POINTS
from king_env.engine.kernel import kernel, lowest_bit
from king_env.engine.state import CAPPED, LEVEL_REFUSED, GameRecord, best_is_nulls, best_points, has_bid
from king_env.engine.step import legal_calls

# Who neither owns nor buys a down deal meets a declarer who takes next to nothing, and so takes more.
BYSTANDER_LOSS_DOWN = 30.0
# What is likely to be paid by who buys at 8 only to escape a down deal (capped: what was made).
RANSOM = 120.0
# Buying must promise so much more than standing by; how many tricks one takes down is far less certain than up.
MARGIN_UP = 5.0
MARGIN_DOWN = 40.0

# From this value on the owner chooses at once: no price would be better.
TOO_GOOD_TO_SELL = 260.0


@kernel
def value_of_playing(view: GameRecord) -> float:
    """What the owner expects from choosing how the deal is played."""
    up = up_value(view)
    return max(up, down_value(view)) if view["down"] else up


@kernel
def bystanders_up_value(view: GameRecord) -> float:
    return UP_POINTS * tricks_as_bystander(view["hands"][view["turn"]])


@kernel
def bystanders_down_value(view: GameRecord) -> float:
    return down_value(view) - BYSTANDER_LOSS_DOWN


@kernel
def value_if_sold(view: GameRecord) -> float:
    """What a deal brings, without the price, to a seat that does not buy it."""
    return bystanders_down_value(view) if best_is_nulls(view) else bystanders_up_value(view)


@kernel
def best_opening(view: GameRecord) -> Action:
    """Let the others bid, for the owner may still refuse; ask eight or nulls from those who fear nulls more."""
    down = down_value(view)
    if value_of_playing(view) > TOO_GOOD_TO_SELL:
        return best_declaration(view)
    if view["ultimatum"] and up_value(view) < down < RANSOM + bystanders_up_value(view) and down > SKIP_OWNER_POINTS:
        return EIGHT_OR_NULLS
    return AUCTION


@kernel
def answer_to_ultimatum(view: GameRecord) -> Action:
    """Buy at 8 only where that is better than nulls; a capped buyer who fails loses nothing."""
    gain = up_value(view) - BID_POINTS[BID_EIGHT]
    if view["settlement"] == CAPPED:
        gain = max(0.0, gain)
    return BID_EIGHT if gain > bystanders_down_value(view) else PASS


@kernel
def is_content(view: GameRecord) -> bool:
    """Whether the seat to act holds the best bid, and the owner has not refused it."""
    return has_bid(view) and view["holder"] == view["turn"] and view["answer"] != LEVEL_REFUSED


@kernel
def best_bid(view: GameRecord) -> Action:
    """The bid that leaves most over its price, if it leaves more than letting the others have the deal.

    Never more than the hand is worth, whatever the others may do with the deal.
    """
    if is_content(view):
        return PASS
    up, down = up_value(view) - MARGIN_UP, down_value(view) - MARGIN_DOWN
    best, most = PASS, max(0.0, value_if_sold(view))
    bids = legal_calls(view) ^ PASS_BIT
    while bids != 0:
        bid = FIRST_CALL + lowest_bit(bids)
        bids &= bids - 1
        gain = (down if bid >= FIRST_NULLS else up) - BID_POINTS[bid]
        if gain > most:
            best, most = bid, gain
    return best


@kernel
def owners_decision(view: GameRecord) -> Action:
    """Whatever is worth most: the price and a bystander's tricks, playing oneself, or skipping."""
    legal = legal_calls(view)
    best, most = REFUSE, value_of_playing(view)
    if legal & ACCEPT_BIT != 0 and best_points(view) + value_if_sold(view) > most:
        best, most = ACCEPT, best_points(view) + value_if_sold(view)
    if legal & SKIP_BIT != 0 and SKIP_OWNER_POINTS > most:
        best = SKIP
    return best
