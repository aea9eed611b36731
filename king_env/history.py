"""What happened in a game, deal by deal and trick by trick: for writing it out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from king_env.engine import batch
from king_env.engine.actions import FIRST_CALL, Action
from king_env.engine.cards import Card, Cards
from king_env.engine.contracts import CONTRACT_NAMES, START_POINTS, UNIT_POINTS
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import OVER, TO_DEAL, GameRecord
from king_env.game import Game
from king_env.notation import TRUMP_TEXTS


@dataclass
class Trick:
    """One trick; the last of a game in progress may lack cards."""

    leader: Seat
    cards: list[Card] = field(default_factory=list)
    """In the order in which they were played."""
    taker: Seat | None = None
    """None while it is not complete."""
    scores: list[int] = field(default_factory=list)
    """What each seat has made in this deal after it, before any price is paid."""

    def card_of(self, seat: Seat) -> Card | None:
        """What a seat played to it, if it did."""
        turn = (seat - self.leader) % NUM_SEATS
        return self.cards[turn] if turn < len(self.cards) else None


@dataclass
class DealHistory:
    """One deal of a game, from its cards to its scores, or as far as it has come."""

    number: int
    """Which of the ten it is, from 1."""
    dealer: Seat
    hands: list[Cards]
    """By seat, as dealt."""
    record: GameRecord
    """As the deal ended, or as it stands; once it has ended, its number and dealer are those of the deal to come."""
    calls: list[tuple[Seat, Action]] = field(default_factory=list)
    tricks: list[Trick] = field(default_factory=list)

    @property
    def contract(self) -> str:
        """As `Game.contract`; a deal that was skipped is left `positive`."""
        return CONTRACT_NAMES[self.record["contract"]]

    @property
    def trump(self) -> str | None:
        """`C`, `D`, `H`, `S` or `NT`; None in a deal that is not played up, or not yet."""
        if self.contract != "up":
            return None
        return TRUMP_TEXTS[self.record["trump"]]

    @property
    def declarer(self) -> Seat:
        """Who chose how the deal is played (Rules 3); in a negative deal the dealer."""
        return int(self.record["declarer"])

    @property
    def bid(self) -> Action | None:
        """The bid at which the declarer bought the right to choose; None if it was not sold."""
        return int(self.record["best_bid"]) if self.record["is_sold"] else None

    @property
    def is_skipped(self) -> bool:
        """Whether the deal was not played (Rules 3.2)."""
        return bool(self.record["is_skipped"])

    @property
    def scores(self) -> list[int]:
        """Each seat's points in this deal."""
        scores: list[int] = self.record["deal_scores"].tolist()
        return scores

    @property
    def points_made(self) -> list[int]:
        """Each seat's points from tricks, before the price of a sale is paid (Rules 3.5)."""
        contract = self.record["contract"]
        return [int(START_POINTS[contract] + units * UNIT_POINTS[contract]) for units in self.record["units"]]

    @property
    def price(self) -> int:
        """What the declarer has paid the dealer for the right to choose (Rules 3.5); 0 if it was not sold."""
        return self.points_made[self.declarer] - self.scores[self.declarer] if self.bid is not None else 0

    @property
    def is_over(self) -> bool:
        """Whether it has been scored."""
        return bool(self.record["phase"] in (TO_DEAL, OVER))


def deals_played(game: Game) -> list[DealHistory]:
    """The deals of a game in order, the last perhaps in progress: played once more, and the game stays as it is."""
    again = Game(game.ruleset, list(game.deals), game.first_dealer, game.first_deal, game.num_deals)
    deals = [_deal_begun(again)]
    for action in game.actions:
        if deals[-1].is_over:
            deals.append(_deal_begun(again))
        _note(deals[-1], again, action)
        again.play(action)
    return deals


def deal_numbered(deals: Sequence[DealHistory], number: int) -> DealHistory:
    """Which of these deals is deal `number` of the ten. Raises ValueError if none is."""
    for deal in deals:
        if deal.number == number:
            return deal
    raise ValueError(f"deal {number}: this game has deals {deals[0].number} to {deals[-1].number}")


def _deal_begun(game: Game) -> DealHistory:
    record = game.record.copy()[0]
    return DealHistory(game.deal_number, game.dealer, record["hands"].tolist(), record)


def _note(deal: DealHistory, game: Game, action: Action) -> None:
    """Write down an action that is about to be taken, and where the deal stands after it."""
    seat = game.turn
    assert seat is not None, "nobody acts in a game that is over"
    after = game.record.copy()  # not the game itself, which goes on to the next deal at once
    batch.step_games(after, np.array([action], dtype=np.int64))
    deal.record = after[0]
    if action < FIRST_CALL:
        _note_card(deal, seat, action)
    else:
        deal.calls.append((seat, action))


def _note_card(deal: DealHistory, seat: Seat, card: Card) -> None:
    if not deal.tricks or len(deal.tricks[-1].cards) == NUM_SEATS:
        deal.tricks.append(Trick(leader=seat))
    trick = deal.tricks[-1]
    trick.cards.append(card)
    if len(trick.cards) == NUM_SEATS:
        trick.taker = int(deal.record["leader"])
        trick.scores = deal.points_made
