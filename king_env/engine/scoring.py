"""What tricks, skipped deals and sales pay, and when a deal is over (Rules 2, 3.5 and 4)."""

from __future__ import annotations

from king_env.engine.contracts import (
    NUM_NEGATIVES,
    NUM_TRICKS,
    PAYING_CARDS,
    SKIP_OTHER_POINTS,
    SKIP_OWNER_POINTS,
    TRICK_UNITS,
    UNIT_POINTS,
)
from king_env.engine.kernel import kernel, popcount
from king_env.engine.seats import NUM_SEATS, Seat, left_of
from king_env.engine.state import FULL, OVER, TO_DEAL, GameRecord, best_points, owner, trick_number


@kernel
def score(game: GameRecord, seat: Seat, points: int) -> None:
    """Write points down for a seat, in this deal and in the game."""
    game["deal_scores"][seat] += points
    game["scores"][seat] += points


@kernel
def score_trick(game: GameRecord) -> None:
    """Pay the complete trick on the table to whoever took it."""
    contract = game["contract"]
    winner = int(game["winning_seat"])
    units = TRICK_UNITS[contract, trick_number(game) - 1] + popcount(game["trick_cards"] & PAYING_CARDS[contract])
    game["tricks"][winner] += 1
    game["units"][winner] += units
    score(game, winner, units * UNIT_POINTS[contract])


@kernel
def is_decided(game: GameRecord) -> bool:
    """Whether no card that pays is left in a hand, in a contract on cards (Rules 7, `stop_when_decided`)."""
    paying = PAYING_CARDS[game["contract"]]
    held = game["hands"][0] | game["hands"][1] | game["hands"][2] | game["hands"][3]
    return paying != 0 and paying & held == 0


@kernel
def is_deal_played(game: GameRecord) -> bool:
    """Whether the deal ends with the trick just completed: after all 13 (Rules 1), or when decided if so agreed."""
    if trick_number(game) == NUM_TRICKS:
        return True
    return game["stop_when_decided"] != 0 and is_decided(game)


@kernel
def score_skip(game: GameRecord) -> None:
    """The deal is not played: 4-3-3-3 (Rules 3.2)."""
    for seat in range(NUM_SEATS):
        score(game, seat, SKIP_OWNER_POINTS if seat == owner(game) else SKIP_OTHER_POINTS)


@kernel
def price_paid(game: GameRecord) -> int:
    """What the buyer pays the owner once the deal is played: the bid, or what the buyer made if less (Rules 3.5)."""
    price = best_points(game)
    if game["settlement"] == FULL:
        return price
    made = int(game["deal_scores"][game["declarer"]])
    return min(price, max(0, made))


@kernel
def settle_sale(game: GameRecord) -> None:
    price = price_paid(game)
    score(game, int(game["declarer"]), -price)
    score(game, owner(game), price)


@kernel
def finish_deal(game: GameRecord) -> None:
    """Close a deal that has been scored: enter it in its column, and pass the deal to the left or end the game."""
    if game["is_sold"]:
        settle_sale(game)
    if game["deal"] < NUM_NEGATIVES:
        for seat in range(NUM_SEATS):
            game["negative_scores"][seat] += game["deal_scores"][seat]
    if game["deal"] == game["last_deal"]:
        game["phase"] = OVER
    else:
        game["phase"] = TO_DEAL
        game["deal"] += 1
        game["dealer"] = left_of(game["dealer"])
