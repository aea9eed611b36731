"""One action after another: the only place that switches on the phase of a game."""

from __future__ import annotations

import numpy as np

from king_env.engine.actions import CALL_BIT, FIRST_CALL, NUM_ACTIONS, Action, Calls
from king_env.engine.auction import (
    answer_ultimatum,
    begin_choice,
    bid,
    decide,
    declare,
    legal_bids,
    legal_decisions,
    legal_declarations,
    legal_openings,
    legal_ultimatum_answers,
    note_call,
    open_deal,
)
from king_env.engine.cards import CARD_BIT, Cards
from king_env.engine.dealing import deal_cards, is_negative_deal
from king_env.engine.kernel import kernel
from king_env.engine.play import begin_play, clear_trick, is_trick_complete, legal_cards, play_card
from king_env.engine.scoring import finish_deal, is_deal_played, score_skip, score_trick
from king_env.engine.state import BIDDING, DECIDING, DECLARING, OPENING, PLAYING, ULTIMATUM, GameRecord


@kernel
def start_deal(game: GameRecord, hands: np.ndarray) -> None:
    """Deal the cards (hands: int64[4]) and bring the game to its first decision."""
    deal_cards(game, hands)
    if is_negative_deal(game):
        begin_play(game)
    else:
        begin_choice(game)


@kernel
def legal_calls(game: GameRecord) -> Calls:
    """The calls open to the seat to act; none while cards are played or the game is not on."""
    phase = game["phase"]
    if phase == OPENING:
        return legal_openings(game)
    if phase == ULTIMATUM:
        return legal_ultimatum_answers(game)
    if phase == BIDDING:
        return legal_bids(game)
    if phase == DECIDING:
        return legal_decisions(game)
    if phase == DECLARING:
        return legal_declarations(game)
    return 0


@kernel
def legal_actions(game: GameRecord) -> tuple[Cards, Calls]:
    """What the seat to act may do: a set of cards and a set of calls, one of them empty."""
    if game["phase"] == PLAYING:
        return legal_cards(game), 0
    return 0, legal_calls(game)


@kernel
def is_among(action: Action, cards: Cards, calls: Calls) -> bool:
    """Whether an action, any number, is one of a set of cards or one of a set of calls."""
    if action < 0 or action >= NUM_ACTIONS:
        return False
    if action < FIRST_CALL:
        return cards & CARD_BIT[action] != 0
    return calls & CALL_BIT[action - FIRST_CALL] != 0


@kernel
def make_call(game: GameRecord, call: Action) -> None:
    """Say something in a positive deal, which may settle the contract or end the deal unplayed."""
    note_call(game, call)
    phase = game["phase"]
    if phase == OPENING:
        open_deal(game, call)
    elif phase == ULTIMATUM:
        answer_ultimatum(game, call)
    elif phase == BIDDING:
        bid(game, call)
    elif phase == DECIDING:
        decide(game, call)
    else:
        declare(game, call)
    if game["phase"] == PLAYING:
        begin_play(game)
    elif game["is_skipped"]:
        score_skip(game)
        finish_deal(game)


@kernel
def play(game: GameRecord, card: Cards) -> None:
    """Play a card, which may complete a trick and with it the deal."""
    play_card(game, card)
    if is_trick_complete(game):
        score_trick(game)
        clear_trick(game)
        if is_deal_played(game):
            finish_deal(game)


@kernel
def step(game: GameRecord, action: Action) -> None:
    """Let the seat to act do a legal action; at a deal's end the phase is TO_DEAL, or OVER after the last."""
    if game["phase"] == PLAYING:
        play(game, action)
    else:
        make_call(game, action)
