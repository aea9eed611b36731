"""Choosing how a positive deal is played: openings, auctions, ultimatum, the owner's decision, declaring (Rules 3)."""

from __future__ import annotations

from king_env.engine.actions import (
    ACCEPT,
    ACCEPT_BIT,
    AUCTION,
    AUCTION_BIT,
    BID_EIGHT,
    BID_EIGHT_BIT,
    BID_POINTS,
    BIDS_ABOVE,
    BIDS_ALLOWED,
    CALL_BIT,
    DECLARE_DOWN,
    DOWN_BIT,
    EIGHT_OR_NULLS,
    EIGHT_OR_NULLS_BIT,
    FIRST_CALL,
    FIRST_UP,
    PASS,
    PASS_BIT,
    REFUSE_BIT,
    SKIP,
    SKIP_BIT,
    UP_NO_TRUMP_BIT,
    UP_SUITS_BITS,
    Action,
    Calls,
)
from king_env.engine.contracts import DOWN, UP, UP_POINTS
from king_env.engine.kernel import kernel
from king_env.engine.seats import ALL_SEATS, NUM_SEATS, SEAT_BIT, Seat, left_of, steps_left
from king_env.engine.state import (
    ALWAYS,
    BIDDING,
    DECIDING,
    DECLARING,
    LEVEL_ACCEPTED,
    LEVEL_REFUSED,
    NOT_ANSWERED,
    OPENING,
    OWNER_OPENS,
    PLAYING,
    ULTIMATUM,
    GameRecord,
    best_is_nulls,
    best_points,
    has_bid,
    owner,
)

NOBODY: Seat = -1


@kernel
def begin_choice(game: GameRecord) -> None:
    """Open a positive deal: with the owner's free choice, an auction, or the owner's naming a trump (Rules 3)."""
    if game["auction"] == ALWAYS:
        open_auction(game)
    else:
        game["phase"] = OPENING if game["auction"] == OWNER_OPENS else DECLARING
        game["turn"] = owner(game)


# What may be said


@kernel
def legal_openings(game: GameRecord) -> Calls:
    """The owner chooses at once, opens the auction, or sets the ultimatum (Rules 3.1)."""
    ultimatum = EIGHT_OR_NULLS_BIT if game["ultimatum"] else 0
    return legal_declarations(game) | AUCTION_BIT | ultimatum


@kernel
def legal_ultimatum_answers(game: GameRecord) -> Calls:
    """Only 8 up is accepted (Rules 3.1)."""
    return BID_EIGHT_BIT | PASS_BIT


@kernel
def may_match(game: GameRecord, seat: Seat) -> bool:
    """Whether a seat has the preference: it stands earlier than the holder (Rules 3.2).

    In the Brazilian auction only a level that the owner has accepted may be matched (Rules 3.3).
    """
    if not has_bid(game):
        return False
    if game["auction"] == ALWAYS and game["answer"] != LEVEL_ACCEPTED:
        return False
    return steps_left(owner(game), seat) < steps_left(owner(game), game["holder"])


@kernel
def legal_bids(game: GameRecord) -> Calls:
    """Pass, any bid worth more points than the best, or the same bid for a seat with the preference."""
    bids = BIDS_ALLOWED[game["max_bid"], game["max_nulls"]] & BIDS_ABOVE[best_points(game) // UP_POINTS]
    if may_match(game, game["turn"]):
        bids |= CALL_BIT[game["best_bid"] - FIRST_CALL]
    return PASS_BIT | bids


@kernel
def may_skip(game: GameRecord) -> bool:
    """Whether the owner may leave the deal unplayed: no bid, or none above the limit (Rules 3.2, 3.3)."""
    return game["skip_limit"] >= 0 and best_points(game) <= game["skip_limit"]


@kernel
def legal_decisions(game: GameRecord) -> Calls:
    """The owner accepts the best bid, refuses, or skips (Rules 3.2, 3.3)."""
    accept = ACCEPT_BIT if has_bid(game) else 0
    skip = SKIP_BIT if may_skip(game) else 0
    return REFUSE_BIT | accept | skip


@kernel
def legal_declarations(game: GameRecord) -> Calls:
    """A trump suit, no trump if played so, or down; a buyer at `bid n` must play up (Rules 3.2)."""
    no_trump = UP_NO_TRUMP_BIT if game["no_trump"] else 0
    down = DOWN_BIT if game["down"] and not game["is_sold"] else 0
    return UP_SUITS_BITS | no_trump | down


# What is said


@kernel
def note_call(game: GameRecord, call: Action) -> None:
    """Keep the order of calls, and each seat's latest."""
    game["calls"][game["num_calls"]] = call
    game["num_calls"] += 1
    game["last_calls"][game["turn"]] = call


@kernel
def open_deal(game: GameRecord, call: Action) -> None:
    """The owner's opening (Rules 3.1)."""
    if call == AUCTION:
        open_auction(game)
    elif call == EIGHT_OR_NULLS:
        game["phase"] = ULTIMATUM
        game["turn"] = left_of(owner(game))
    else:
        declare(game, call)


@kernel
def answer_ultimatum(game: GameRecord, call: Action) -> None:
    """The first `bid 8` buys at once; if all pass, the deal is played down and nothing is paid (Rules 3.1)."""
    seat = int(game["turn"])
    if call == BID_EIGHT:
        game["best_bid"] = call
        game["holder"] = seat
        sell(game)
    elif left_of(seat) == owner(game):
        play_down(game)
    else:
        game["turn"] = left_of(seat)


@kernel
def open_auction(game: GameRecord) -> None:
    """Everybody but the owner may bid, from the owner's left (Rules 3.2, 3.3)."""
    game["bidders"] = ALL_SEATS ^ SEAT_BIT[owner(game)]
    game["answer"] = NOT_ANSWERED
    begin_round(game)


@kernel
def begin_round(game: GameRecord) -> None:
    game["phase"] = BIDDING
    game["round_raised"] = 0
    game["round_matched"] = 0
    game["turn"] = left_of(owner(game))


@kernel
def bid(game: GameRecord, call: Action) -> None:
    """A bidder's call in either auction, and who speaks next."""
    if call != PASS:
        become_holder(game, call)
    if game["auction"] == ALWAYS:
        pass_turn_in_round(game)  # passing never excludes
    else:
        if call == PASS:
            leave_auction(game)
        pass_turn_to_bidder(game)


@kernel
def become_holder(game: GameRecord, call: Action) -> None:
    """Raise, or match by preference; a raise cancels the owner's acceptance at once (Rules 3.3)."""
    if BID_POINTS[call] > best_points(game):
        game["answer"] = NOT_ANSWERED
        game["round_raised"] = 1
    else:
        game["round_matched"] = 1
    game["best_bid"] = call
    game["holder"] = game["turn"]


@kernel
def leave_auction(game: GameRecord) -> None:
    """In the Portuguese auction whoever passes is out (Rules 3.2)."""
    game["bidders"] &= ~SEAT_BIT[game["turn"]]


@kernel
def next_bidder(game: GameRecord) -> Seat:
    """The next seat to the left that is still in and does not hold the best bid (Rules 3.2)."""
    seat = int(game["turn"])
    for _ in range(NUM_SEATS):
        seat = left_of(seat)
        if game["bidders"] & SEAT_BIT[seat] and not (has_bid(game) and seat == game["holder"]):
            return seat
    return NOBODY


@kernel
def pass_turn_to_bidder(game: GameRecord) -> None:
    """In the Portuguese auction speakers still in take turns until only the holder is left (Rules 3.2)."""
    seat = next_bidder(game)
    if seat == NOBODY:
        ask_owner(game)
    else:
        game["turn"] = seat


@kernel
def pass_turn_in_round(game: GameRecord) -> None:
    """In the Brazilian auction each of the three others speaks once a round (Rules 3.3)."""
    seat = left_of(game["turn"])
    if seat == owner(game):
        end_round(game)
    else:
        game["turn"] = seat


@kernel
def end_round(game: GameRecord) -> None:
    """The owner is asked about a new level, else matches go on, else the auction ends (Rules 3.3)."""
    if game["round_raised"]:
        ask_owner(game)
    elif game["round_matched"]:
        begin_round(game)
    elif game["answer"] == LEVEL_ACCEPTED:
        sell(game)
    elif game["answer"] == LEVEL_REFUSED:
        owner_declares(game)
    else:
        ask_owner(game)


@kernel
def ask_owner(game: GameRecord) -> None:
    game["phase"] = DECIDING
    game["turn"] = owner(game)


@kernel
def decide(game: GameRecord, call: Action) -> None:
    """The owner's decision, which in the Brazilian auction opens a further round (Rules 3.2, 3.3)."""
    goes_on = game["auction"] == ALWAYS and has_bid(game)
    if call == SKIP:
        game["is_skipped"] = 1
    elif goes_on:
        game["answer"] = LEVEL_ACCEPTED if call == ACCEPT else LEVEL_REFUSED
        begin_round(game)
    elif call == ACCEPT:
        sell(game)
    else:
        owner_declares(game)


@kernel
def sell(game: GameRecord) -> None:
    """The holder buys; a bid of nulls is played down at once, a bid of tricks leaves the trump to name (Rules 3.2)."""
    game["is_sold"] = 1
    game["declarer"] = game["holder"]
    if best_is_nulls(game):
        play_down(game)
    else:
        game["phase"] = DECLARING
        game["turn"] = game["holder"]


@kernel
def owner_declares(game: GameRecord) -> None:
    game["phase"] = DECLARING
    game["turn"] = owner(game)


@kernel
def play_down(game: GameRecord) -> None:
    game["contract"] = DOWN
    game["phase"] = PLAYING


@kernel
def declare(game: GameRecord, call: Action) -> None:
    """Choose how the deal is played: up with a trump or none, or down (Rules 3)."""
    if call == DECLARE_DOWN:
        play_down(game)
    else:
        game["contract"] = UP
        game["trump"] = call - FIRST_UP
        game["phase"] = PLAYING
