"""A game with a person in one seat and bots in the others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, SupportsIndex

import numpy as np

from king_env.engine import batch
from king_env.engine.actions import Action
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import GameRecord
from king_env.game import Game, GameError, game_record
from king_env.notation import deal_text
from king_env.ruleset import RuleSet, whole_number
from king_env.web.position import SheetRow, as_it_ended, row_of

YOU = "you"  # what the person is called among the players
META_KEY = "play"  # in the `meta` of a saved game: what belongs to this game alone

_META_KEYS = ("seat", "seed")


class SeatedGame:
    """One game, who sits where, and the lines of its score sheet."""

    def __init__(self, game: Game, seat: Seat, players: Sequence[str], seed: int | None = None) -> None:
        """game: not begun; players: who sits in seats 0 … 3; seed: that of the cards, if they were drawn from one."""
        self.game = game
        self.seat = seat
        self.players = list(players)
        self.seed = seed
        self.rows: list[SheetRow] = []
        """The deals that are over."""
        self.last: tuple[Seat, Action] | None = None
        """Who did what just now."""
        self.deal_end: GameRecord | None = None
        """The deal as it ended, if it ended just now."""
        self._actions_of_rows = 0

    @classmethod
    def begin(cls, ruleset: RuleSet | str, seat: Seat, bots: Sequence[str], seed: int | None = None) -> SeatedGame:
        """A new game; bots: the names of the three opponents, from the left neighbour on."""
        players = [YOU, *bots]
        return cls(Game(ruleset, seed=seed), seat, [players[(other - seat) % NUM_SEATS] for other in range(4)], seed)

    @property
    def is_my_turn(self) -> bool:
        """Whether the person is to act."""
        return self.game.turn == self.seat

    @property
    def standing(self) -> GameRecord:
        """The game as it stands; once it is over, its last deal as it ended."""
        if self.game.is_over:
            assert self.deal_end is not None, "the last action ended a deal"
            return self.deal_end
        return self.game.record[0]

    def play(self, action: str | SupportsIndex) -> None:
        """Let the seat to act do this. Raises `IllegalActionError` with the rule, and nothing has changed."""
        before, seat = self.game.record.copy(), self.game.turn
        self.game.play(action)
        assert seat is not None, "nobody acts in a game that is over"
        self.last = (seat, self.game.actions[-1])
        self.deal_end = None
        if len(self.game.scores_by_deal) > len(self.rows):
            self._end_deal(before)

    def _end_deal(self, before: GameRecord) -> None:
        """Note the deal that the last action ended: the game itself is at the next one already."""
        after = before.copy()
        batch.step_games(after, np.array([self.game.actions[-1]], dtype=np.int64))
        self.deal_end = as_it_ended(after[0], before[0])
        self.rows.append(row_of(self.deal_end))
        self._actions_of_rows = len(self.game.actions)

    # As a record

    def to_save(self) -> dict[str, Any]:
        """The whole game, with the cards that are hidden and those to come."""
        return self.game.to_record({"players": self.players, META_KEY: {"seat": self.seat, "seed": self.seed}})

    @classmethod
    def from_save(cls, record: Mapping[str, Any]) -> SeatedGame:
        """What `to_save` wrote, played once more. Raises ValueError if it cannot be, with the action and the reason."""
        played = Game.from_record(record)
        seat, seed = _seat_and_seed(played.meta)
        players = played.players
        if players is None or players[seat] != YOU:
            raise GameError(f"players: must be four, {YOU!r} in seat {seat}, not {played.meta.get('players')!r:.60}")
        again = Game(played.ruleset, list(played.deals), played.first_dealer, played.first_deal, played.num_deals)
        seated = cls(again, seat, players, seed)
        for action in played.actions:
            seated.play(action)
        return seated

    def open_record(self) -> dict[str, Any] | None:
        """The record of the deals that are over, which hides nothing any more; None before the first is."""
        over, game = len(self.rows), self.game
        if not over:
            return None
        return game_record(
            game.ruleset,
            game.first_dealer,
            [deal_text(hands) for hands in game.deals[:over]],
            game.actions[: self._actions_of_rows],
            np.sum(game.scores_by_deal, axis=0).tolist(),
            {"players": self.players},
            game.first_deal,
        )


def _seat_and_seed(meta: Mapping[str, Any]) -> tuple[Seat, int | None]:
    play = meta.get(META_KEY)
    if not isinstance(play, Mapping) or not set(_META_KEYS) <= set(play):
        raise GameError(f"{META_KEY}: must say {' and '.join(_META_KEYS)}, as a game saved while it was played does")
    seed = play["seed"]
    return (
        whole_number("seat", play["seat"], 0, NUM_SEATS - 1, GameError),
        None if seed is None else whole_number("seed", seed, 0, error=GameError),
    )
