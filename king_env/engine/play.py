"""Playing cards to tricks: what may be led and played, and who is winning (Rules 1 and 2)."""

from __future__ import annotations

from king_env.engine.cards import (
    CARD_BIT,
    CARDS_OF_ITS_SUIT,
    CARDS_OF_SUIT,
    HIGHER_IN_SUIT,
    SUIT_BIT,
    SUIT_OF,
    Card,
    Cards,
    Suit,
    has_card,
)
from king_env.engine.contracts import (
    FOLLOWING,
    FORCED_CARD,
    IS_FORCED,
    LEADING,
    NOT_LED,
    START_POINTS,
    TRUMP_CARDS,
    VOID,
)
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
def cards_called_for(game: GameRecord) -> Cards:
    """The suit led, or, of whoever leads, in two contracts anything but hearts (Rules 1 and 2)."""
    to_lead = ~NOT_LED[game["contract"]]
    to_follow = CARDS_OF_SUIT[game["led_suit"]]
    return to_lead if is_leading(game) else to_follow


@kernel
def situation(game: GameRecord, called_for: Cards) -> int:
    """Whether the seat to act leads, follows, or is void; called_for: the cards of its hand that are called for."""
    if is_leading(game):
        return LEADING
    return FOLLOWING if called_for != 0 else VOID


@kernel
def legal_cards(game: GameRecord) -> Cards:
    """The cards the seat to act may play: one that is called for if it has any, otherwise anything (Rules 1).

    The K♥ alone where it is among them and is forced (Rules 2).
    """
    hand = game["hands"][game["turn"]]
    called_for = hand & cards_called_for(game)
    legal = called_for if called_for != 0 else hand
    forced = legal & FORCED_CARD[game["contract"]]
    if forced != 0 and IS_FORCED[game["king_of_hearts_forced"], situation(game, called_for)]:
        return forced
    return legal


@kernel
def winners_now(game: GameRecord) -> Cards:
    """Every card that would take the trick on the table: the higher ones of the suit that is winning, and trumps."""
    best = game["winning_card"]
    return HIGHER_IN_SUIT[best] | (TRUMP_CARDS[game["trump"]] & ~CARDS_OF_ITS_SUIT[best])


@kernel
def is_winning(game: GameRecord, card: Card) -> bool:
    """Whether this card would take the trick as it stands: the highest trump, else the highest of the suit led."""
    return has_card(winners_now(game), card)


@kernel
def note_void(game: GameRecord, seat: Seat, suit: Suit) -> None:
    """A seat that plays another suit than the one led has shown that it has none of it."""
    led = game["led_suit"]
    game["voids"][seat] |= SUIT_BIT[led] if suit != led else 0


@kernel
def play_card(game: GameRecord, card: Card) -> None:
    """Put a card on the table and pass the turn to the left."""
    seat = int(game["turn"])
    card_bit = CARD_BIT[card]
    if is_leading(game):
        game["leader"] = seat
        game["led_suit"] = SUIT_OF[card]
        game["winning_seat"] = seat
        game["winning_card"] = card
    else:
        note_void(game, seat, SUIT_OF[card])
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
