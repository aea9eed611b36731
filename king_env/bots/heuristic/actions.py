"""What the heuristic bot does in each phase. It reads only what the seat to act may know."""

from __future__ import annotations

from king_env.bots.heuristic.avoiding import avoiding_card
from king_env.bots.heuristic.calling import answer_to_ultimatum, best_bid, best_opening, owners_decision
from king_env.bots.heuristic.valuation import best_declaration
from king_env.bots.heuristic.winning import winning_card
from king_env.engine.actions import Action
from king_env.engine.cards import Card
from king_env.engine.contracts import UP
from king_env.engine.kernel import kernel, lowest_bit
from king_env.engine.observation import unseen_cards
from king_env.engine.play import legal_cards
from king_env.engine.state import BIDDING, DECIDING, OPENING, PLAYING, ULTIMATUM, GameRecord

HEURISTIC_VERSION = 1


@kernel
def heuristic_card(view: GameRecord) -> Card:
    """The card to play."""
    legal = legal_cards(view)
    if legal & (legal - 1) == 0:
        return lowest_bit(legal)
    unseen = unseen_cards(view, view["turn"])
    return winning_card(view, legal, unseen) if view["contract"] == UP else avoiding_card(view, legal, unseen)


@kernel
def heuristic_call(view: GameRecord) -> Action:
    """What to say before a positive deal is played."""
    phase = view["phase"]
    if phase == OPENING:
        return best_opening(view)
    if phase == ULTIMATUM:
        return answer_to_ultimatum(view)
    if phase == BIDDING:
        return best_bid(view)
    if phase == DECIDING:
        return owners_decision(view)
    return best_declaration(view)


@kernel
def heuristic_action(view: GameRecord) -> Action:
    """What `heuristic` does."""
    return heuristic_card(view) if view["phase"] == PLAYING else heuristic_call(view)
