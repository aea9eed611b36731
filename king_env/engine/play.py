"""Playing cards to tricks: what may be led and played, and who is winning (Rules 1 and 2)."""

from __future__ import annotations

from king_env.engine.cards import CARD_BIT, CARDS_OF_SUIT, SUIT_BIT, SUIT_OF, Card, Cards
from king_env.engine.contracts import FOLLOWING, FORCED_CARD, IS_FORCED, LEADING, NOT_LED, START_POINTS, VOID
from king_env.engine.kernel import kernel
from king_env.engine.seats import NUM_SEATS, Seat, left_of
from king_env.engine.state import (
    LEAD_DECLARER,
    LEAD_LEFT_OF_DEALER,
    PLAYING,
    GameRecord,
    is_leading,
)


@kernel
def first_leader(game: GameRecord) -> Seat:
    """Who leads the first trick: the dealer, unless an option says otherwise (Rules 1)."""
    if game["first_lead"] == LEAD_DECLARER:
        return int(game["declarer"])
    if game["first_lead"] == LEAD_LEFT_OF_DEALER:
        return left_of(game["dealer"])
    return int(game["dealer"])


@kernel
def begin_play(game: GameRecord) -> None:
    """Open the play of a deal whose contract stands: the leader is to act, and a down deal starts at 325 (Rules 3)."""
    game["phase"] = PLAYING
    leader = first_leader(game)
    game["leader"] = leader
    game["turn"] = leader
    start = START_POINTS[game["contract"]]
    for seat in range(NUM_SEATS):
        game["deal_scores"][seat] += start
        game["scores"][seat] += start


@kernel
def legal_leads(game: GameRecord, hand: Cards) -> Cards:
    """Any card may be led, but hearts in two contracts only from a hand of nothing else (Rules 2)."""
    allowed = hand & ~NOT_LED[game["contract"]]
    return allowed if allowed != 0 else hand


@kernel
def unless_forced(game: GameRecord, cards: Cards, situation: int) -> Cards:
    """The K♥ alone where it is among the cards that may be played and is forced (Rules 2)."""
    forced = cards & FORCED_CARD[game["contract"]]
    if forced != 0 and IS_FORCED[game["king_of_hearts_forced"], situation]:
        return forced
    return cards


@kernel
def legal_cards(game: GameRecord) -> Cards:
    """The cards the seat to act may play: follow if able, otherwise anything (Rules 1)."""
    hand = game["hands"][game["turn"]]
    if is_leading(game):
        return unless_forced(game, legal_leads(game, hand), LEADING)
    following = hand & CARDS_OF_SUIT[game["led_suit"]]
    if following != 0:
        return unless_forced(game, following, FOLLOWING)
    return unless_forced(game, hand, VOID)


@kernel
def is_winning(game: GameRecord, card: Card) -> bool:
    """Whether this card would take the trick as it stands: the highest trump, else the highest of the suit led."""
    best = int(game["winning_card"])
    suit = SUIT_OF[card]
    if suit == SUIT_OF[best]:
        return card > best
    return suit == game["trump"]


@kernel
def play_card(game: GameRecord, card: Card) -> None:
    """Put a card on the table and pass the turn to the left."""
    seat = int(game["turn"])
    card_bit = CARD_BIT[card]
    suit = SUIT_OF[card]
    if is_leading(game):
        game["leader"] = seat
        game["led_suit"] = suit
        game["winning_seat"] = seat
        game["winning_card"] = card
    else:
        if suit != game["led_suit"]:
            game["voids"][seat] |= SUIT_BIT[game["led_suit"]]
        if is_winning(game, card):
            game["winning_seat"] = seat
            game["winning_card"] = card
    game["hands"][seat] ^= card_bit
    game["played"][seat] |= card_bit
    game["trick_cards"] |= card_bit
    game["plays"][game["num_plays"]] = card
    game["num_plays"] += 1
    game["turn"] = left_of(seat)


@kernel
def is_trick_complete(game: GameRecord) -> bool:
    return game["num_plays"] & 3 == 0


@kernel
def clear_trick(game: GameRecord) -> None:
    """Turn the trick over: whoever took it leads the next (Rules 1)."""
    game["trick_cards"] = 0
    game["leader"] = game["winning_seat"]
    game["turn"] = game["winning_seat"]
