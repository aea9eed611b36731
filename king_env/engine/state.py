"""The record of one game: everything that has happened and every hand, as one NumPy structured scalar.

A batch of games is an array of records, cloning a game is assigning a record, and the rules of a game ride in it,
so that one batch may mix rule sets. No random numbers live here: who deals the cards is outside (`engine.dealing`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from king_env.engine.actions import BID_POINTS, FIRST_NULLS
from king_env.engine.cards import NUM_CARDS
from king_env.engine.contracts import NUM_NEGATIVES
from king_env.engine.kernel import kernel
from king_env.engine.seats import NUM_SEATS, Seat

GameRecord = Any  # one element of an array of GAME_DTYPE: numpy.void, or numba's Record in a kernel
GameRecords = np.ndarray  # GAME_DTYPE[num_games]

# Who is to do what.
TO_DEAL, OPENING, ULTIMATUM, BIDDING, DECIDING, DECLARING, PLAYING, OVER = range(8)
PHASE_NAMES = ("to_deal", "opening", "ultimatum", "bidding", "deciding", "declaring", "playing", "over")

# What the owner has said of the best bid of a Brazilian auction (Rules 3.3).
NOT_ANSWERED, LEVEL_ACCEPTED, LEVEL_REFUSED = range(3)

# Options of the rule set, as numbers; the names are `RuleSet`'s.
AUCTION_NAMES = ("none", "owner_opens", "always")
NO_AUCTION, OWNER_OPENS, ALWAYS = range(3)
FIRST_LEAD_NAMES = ("dealer", "declarer", "left_of_dealer")
_, LEAD_DECLARER, LEAD_LEFT_OF_DEALER = range(3)
SETTLEMENT_NAMES = ("capped", "full")
CAPPED, FULL = range(2)
NEVER_SKIP = -1

# The longest auction is Brazilian: 13 levels, each raised, answered, and matched twice. A test works the bound out.
# A record of this size has no padding, so equal games are equal bytes.
MAX_CALLS = 147

GAME_DTYPE = np.dtype(
    [
        # cards
        ("hands", np.int64, (NUM_SEATS,)),  # the cards each seat still holds
        ("played", np.int64, (NUM_SEATS,)),  # the cards each seat has played in this deal
        # the rules of this game as an observation shows them (`observation.rules_code`), worked out once
        ("shown_rules", np.int64),
        # the trick on the table
        ("trick_cards", np.int64),  # the cards on the table
        ("winning_card", np.uint8),
        ("winning_seat", np.uint8),
        ("led_suit", np.uint8),
        ("leader", np.uint8),  # who leads, or led, this trick
        ("num_plays", np.uint8),  # cards played in this deal; a trick is four
        # whose turn, for what
        ("phase", np.uint8),
        ("turn", np.uint8),
        ("deal", np.uint8),  # 0 … 9
        ("last_deal", np.uint8),  # the game ends after this one: 9, or `deal` itself in a game of one deal
        ("dealer", np.uint8),  # the owner, in a positive deal
        ("declarer", np.uint8),  # who chooses how a positive deal is played: the buyer or the owner
        ("contract", np.uint8),
        ("trump", np.uint8),
        # the auction
        ("best_bid", np.uint8),  # the action that made it; NO_CALL: none
        ("holder", np.uint8),  # of the best bid, if there is one
        ("bidders", np.uint8),  # the seats that may still bid, a bit a seat; only in the Portuguese auction is one out
        ("answer", np.uint8),  # what the owner said of the best bid (Brazilian)
        ("round_raised", np.uint8),  # 1: this round of bidding made the best bid higher (Brazilian)
        ("round_matched", np.uint8),  # 1: this round of bidding matched it (Brazilian)
        ("is_sold", np.uint8),  # 1: the declarer bought, at best_bid
        ("is_skipped", np.uint8),  # 1: the deal was not played
        ("num_calls", np.uint8),
        ("last_calls", np.uint8, (NUM_SEATS,)),  # each seat's latest call in this deal; NO_CALL: none
        # what has been seen and taken
        ("voids", np.uint8, (NUM_SEATS,)),  # suits that a seat has failed to follow, a bit a suit
        ("tricks", np.uint8, (NUM_SEATS,)),  # tricks taken
        ("units", np.uint8, (NUM_SEATS,)),  # what the contract counts: tricks, or penalty cards
        ("deal_scores", np.int16, (NUM_SEATS,)),  # of this deal so far; after it, until the next is dealt
        ("scores", np.int16, (NUM_SEATS,)),  # of the game so far, this deal included
        ("negative_scores", np.int16, (NUM_SEATS,)),  # the part of `scores` made in negative deals
        # the rules of this game
        ("negatives", np.uint8, (NUM_NEGATIVES,)),  # the contracts of deals 0 … 5
        ("skip_limit", np.int16),  # points of the best bid up to which the owner may skip; NEVER_SKIP
        ("first_lead", np.uint8),
        ("king_of_hearts_forced", np.uint8),
        ("stop_when_decided", np.uint8),
        ("auction", np.uint8),
        ("max_bid", np.uint8),
        ("max_nulls", np.uint8),
        ("no_trump", np.uint8),
        ("down", np.uint8),
        ("ultimatum", np.uint8),
        ("settlement", np.uint8),
        # the negative contracts of the deals after this one, a bit a contract
        ("negatives_to_come", np.uint8),
        # the order of events in this deal
        ("plays", np.uint8, (NUM_CARDS,)),
        ("calls", np.uint8, (MAX_CALLS,)),
    ],
    align=True,
)


def new_records(num_games: int) -> GameRecords:
    """Empty records: without rules and cards until `RuleSet.write_to` and a deal fill them."""
    return np.zeros(num_games, dtype=GAME_DTYPE)


@kernel
def owner(game: GameRecord) -> Seat:
    """Whose right to choose it is: the dealer (Rules 3)."""
    return int(game["dealer"])


@kernel
def seat_to_act(game: GameRecord) -> Seat:
    """Whose turn it is, as a whole word: what is handed a byte as its viewer would be compiled a second time."""
    return int(game["turn"]) & 3


@kernel
def has_bid(game: GameRecord) -> bool:
    return game["best_bid"] != 0


@kernel
def best_points(game: GameRecord) -> int:
    """What the best bid is worth; 0 without one."""
    return int(BID_POINTS[game["best_bid"]])


@kernel
def best_is_nulls(game: GameRecord) -> bool:
    return game["best_bid"] >= FIRST_NULLS


@kernel
def is_leading(game: GameRecord) -> bool:
    return game["num_plays"] & 3 == 0


@kernel
def trick_number(game: GameRecord) -> int:
    """Tricks completed in this deal: 0 … 13."""
    return int(game["num_plays"]) >> 2
