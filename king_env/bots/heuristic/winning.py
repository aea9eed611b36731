"""Card play in up deals: every trick is worth the same, so each card is weighed by what it takes now and would take later."""

from __future__ import annotations

from king_env.bots.heuristic.chances import ALL_FOLLOW, LACK_ALL
from king_env.bots.heuristic.counting import may_hold, num_later
from king_env.engine.cards import CARD_BIT, CARDS_OF_SUIT, HIGHER_IN_SUIT, NUM_SUITS, Card, Cards, Suit
from king_env.engine.contracts import NO_TRUMP
from king_env.engine.kernel import highest_bit, kernel, popcount
from king_env.engine.play import is_winning
from king_env.engine.state import GameRecord, is_leading

NOT_YET = -1.0e9

KEPT_MASTER = 0.85  # a master kept takes a trick later, if nobody ruffs it
KEPT_TRUMP_MASTER = 0.95
GUARD = 0.55  # each higher card out halves, or so, what a guarded card is worth
UNGUARDED = 0.25
LOW_TRUMP = 0.45
DRAW = 0.15
RUFF_LEAD = 0.1


@kernel
def trumps_out(view: GameRecord, unseen: Cards) -> Cards:
    return unseen & CARDS_OF_SUIT[view["trump"]] if view["trump"] != NO_TRUMP else 0


@kernel
def takes_now(view: GameRecord, card: Card, suit: Suit, unseen: Cards) -> float:
    """The chance that nobody still to play beats this card, which is winning so far."""
    higher = popcount(unseen & HIGHER_IN_SUIT[card])
    left = popcount(unseen & CARDS_OF_SUIT[suit])
    trump = view["trump"]
    trumps = popcount(trumps_out(view, unseen))
    chance = 1.0
    for place in range(1, num_later(view) + 1):
        seat = (int(view["turn"]) + place) & 3
        follows = 0.0
        if may_hold(view, seat, suit):
            follows = 1.0 - LACK_ALL[1, 3, left]
            chance *= LACK_ALL[1, 3, higher]
        if suit != trump and trumps != 0 and may_hold(view, seat, trump):
            chance *= 1.0 - (1.0 - follows) * (1.0 - LACK_ALL[1, 3, trumps])
    return chance


@kernel
def rounds_to_master(card: Card, suit: Suit, unseen: Cards) -> int:
    """After how many rounds of its suit nothing beats this card any more."""
    higher = popcount(unseen & HIGHER_IN_SUIT[card])
    longest = (popcount(unseen & CARDS_OF_SUIT[suit]) + 2) // 3 + 1
    return min(higher, longest)


@kernel
def takes_later(view: GameRecord, card: Card, suit: Suit, guards: int, unseen: Cards) -> float:
    """The tricks that a card is likely to take if it is kept."""
    rounds = rounds_to_master(card, suit, unseen)
    if suit == view["trump"]:
        chance = KEPT_TRUMP_MASTER if rounds == 0 else (GUARD**rounds if guards >= rounds else UNGUARDED)
        return max(chance, LOW_TRUMP)
    chance = KEPT_MASTER * GUARD**rounds if guards >= rounds else UNGUARDED * GUARD ** (rounds - guards)
    if trumps_out(view, unseen) != 0:
        chance *= ALL_FOLLOW[popcount(unseen & CARDS_OF_SUIT[suit]), min(rounds + 1, 13)]
    return chance


@kernel
def winning_card(view: GameRecord, legal: Cards, unseen: Cards) -> Card:
    """The card to play where tricks are worth points."""
    best, best_score = -1, NOT_YET
    for suit in range(NUM_SUITS):
        cards = legal & CARDS_OF_SUIT[suit]
        while cards != 0:
            card = highest_bit(cards)
            cards ^= CARD_BIT[card]
            score = -takes_later(view, card, suit, popcount(cards), unseen) - 0.001 * (card - 13 * suit)
            if is_leading(view) or is_winning(view, card):
                score += takes_now(view, card, suit, unseen)
            if score > best_score:
                best, best_score = card, score
    return best
