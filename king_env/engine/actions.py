"""The 81 actions of every rule set as numbers (Rules 5): 52 cards, then the calls of the positive deals."""

from __future__ import annotations

import numpy as np

from king_env.engine.cards import NUM_CARDS, NUM_SUITS
from king_env.engine.contracts import NULLS_POINTS, UP_POINTS

Action = int
Calls = int  # a set of calls, bit (call - FIRST_CALL)

MAX_BID = 13
MAX_NULLS = 4

FIRST_CALL: Action = NUM_CARDS
PASS: Action = FIRST_CALL
FIRST_BID: Action = PASS + 1  # `bid 1`
FIRST_NULLS: Action = FIRST_BID + MAX_BID  # `nulls 1`
ACCEPT: Action = FIRST_NULLS + MAX_NULLS
REFUSE: Action = ACCEPT + 1
SKIP: Action = REFUSE + 1
AUCTION: Action = SKIP + 1
EIGHT_OR_NULLS: Action = AUCTION + 1
FIRST_UP: Action = EIGHT_OR_NULLS + 1  # `up C`; then D, H, S, and NT
DECLARE_DOWN: Action = FIRST_UP + NUM_SUITS + 1
NUM_ACTIONS = DECLARE_DOWN + 1
NUM_CALLS = NUM_ACTIONS - FIRST_CALL

ULTIMATUM_TRICKS = 8
BID_EIGHT: Action = FIRST_BID + ULTIMATUM_TRICKS - 1
NO_CALL: Action = 0  # where a record keeps a call: none yet (0 is a card, never a call)

CALL_BIT = np.array([1 << call for call in range(NUM_CALLS)], dtype=np.int64)
PASS_BIT = int(CALL_BIT[PASS - FIRST_CALL])
ACCEPT_BIT = int(CALL_BIT[ACCEPT - FIRST_CALL])
REFUSE_BIT = int(CALL_BIT[REFUSE - FIRST_CALL])
SKIP_BIT = int(CALL_BIT[SKIP - FIRST_CALL])
AUCTION_BIT = int(CALL_BIT[AUCTION - FIRST_CALL])
EIGHT_OR_NULLS_BIT = int(CALL_BIT[EIGHT_OR_NULLS - FIRST_CALL])
BID_EIGHT_BIT = int(CALL_BIT[BID_EIGHT - FIRST_CALL])
UP_SUITS_BITS = sum(int(CALL_BIT[FIRST_UP + suit - FIRST_CALL]) for suit in range(NUM_SUITS))
UP_NO_TRUMP_BIT = int(CALL_BIT[FIRST_UP + NUM_SUITS - FIRST_CALL])
DOWN_BIT = int(CALL_BIT[DECLARE_DOWN - FIRST_CALL])

# What a bid is worth; 0 for an action that is no bid, and so for NO_CALL.
BID_POINTS = np.zeros(NUM_ACTIONS, dtype=np.int64)
BID_POINTS[FIRST_BID:FIRST_NULLS] = UP_POINTS * np.arange(1, MAX_BID + 1)
BID_POINTS[FIRST_NULLS:ACCEPT] = NULLS_POINTS * np.arange(1, MAX_NULLS + 1)

MAX_BID_POINTS = int(BID_POINTS.max())


def _bids_above() -> np.ndarray:
    """``[points // 25]`` → the calls that bid strictly more points."""
    table = np.zeros(MAX_BID_POINTS // UP_POINTS + 1, dtype=np.int64)
    for level in range(len(table)):
        higher = np.flatnonzero(BID_POINTS > UP_POINTS * level)
        table[level] = sum(int(CALL_BIT[action - FIRST_CALL]) for action in higher)
    return table


def _bids_allowed() -> np.ndarray:
    """``[max_bid, max_nulls]`` → the bids such a rule set knows."""
    table = np.zeros((MAX_BID + 1, MAX_NULLS + 1), dtype=np.int64)
    for max_bid in range(MAX_BID + 1):
        for max_nulls in range(MAX_NULLS + 1):
            bids = [FIRST_BID + n for n in range(max_bid)] + [FIRST_NULLS + n for n in range(max_nulls)]
            table[max_bid, max_nulls] = sum(int(CALL_BIT[action - FIRST_CALL]) for action in bids)
    return table


BIDS_ABOVE = _bids_above()
BIDS_ALLOWED = _bids_allowed()
