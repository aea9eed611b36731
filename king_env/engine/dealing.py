"""Setting up a game and handing out the cards of a deal, which are drawn outside the engine (Rules 1)."""

from __future__ import annotations

import numpy as np

from king_env.engine.cards import NUM_CARDS
from king_env.engine.contracts import CONTRACT_BIT, NO_TRUMP, NUM_NEGATIVES, UNDECIDED
from king_env.engine.kernel import kernel
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import MAX_CALLS, NOT_ANSWERED, TO_DEAL, GameRecord


@kernel
def start_game(game: GameRecord, dealer: Seat, first_deal: int, last_deal: int) -> None:
    """Begin a game by the rules that ride in the record: nobody has scored, and the dealer is to deal."""
    game["phase"] = TO_DEAL
    game["deal"] = first_deal
    game["last_deal"] = last_deal
    game["dealer"] = dealer
    for seat in range(NUM_SEATS):
        game["scores"][seat] = 0
        game["negative_scores"][seat] = 0


@kernel
def is_negative_deal(game: GameRecord) -> bool:
    return game["deal"] < NUM_NEGATIVES


@kernel
def clear_seats(game: GameRecord) -> None:
    """Forget what each seat did in the last deal."""
    for seat in range(NUM_SEATS):
        game["played"][seat] = 0
        game["voids"][seat] = 0
        game["tricks"][seat] = 0
        game["units"][seat] = 0
        game["deal_scores"][seat] = 0
        game["last_calls"][seat] = 0


@kernel
def clear_table(game: GameRecord) -> None:
    """Forget the last deal's trick, auction, plays and calls."""
    game["trick_cards"] = 0
    game["winning_card"] = 0
    game["winning_seat"] = 0
    game["led_suit"] = 0
    game["num_plays"] = 0
    game["best_bid"] = 0
    game["holder"] = 0
    game["bidders"] = 0
    game["answer"] = NOT_ANSWERED
    game["round_raised"] = 0
    game["round_matched"] = 0
    game["is_sold"] = 0
    game["is_skipped"] = 0
    for i in range(NUM_CARDS):
        game["plays"][i] = 0
    if game["num_calls"] != 0:
        for i in range(MAX_CALLS):
            game["calls"][i] = 0
    game["num_calls"] = 0


@kernel
def contracts_to_come(game: GameRecord) -> int:
    """The negative contracts of the deals after this one, a bit a contract."""
    to_come = 0
    for deal in range(int(game["deal"]) + 1, min(int(game["last_deal"]) + 1, NUM_NEGATIVES)):
        to_come |= CONTRACT_BIT[game["negatives"][deal]]
    return to_come


@kernel
def deal_cards(game: GameRecord, hands: np.ndarray) -> None:
    """Give each seat its 13 cards (hands: int64[4], a set of cards a seat) and clear the table for the deal."""
    clear_seats(game)
    clear_table(game)
    for seat in range(NUM_SEATS):
        game["hands"][seat] = hands[seat]
    game["declarer"] = game["dealer"]
    game["leader"] = game["dealer"]
    game["trump"] = NO_TRUMP
    game["negatives_to_come"] = contracts_to_come(game)
    game["contract"] = game["negatives"][game["deal"]] if is_negative_deal(game) else UNDECIDED
