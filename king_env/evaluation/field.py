"""A field: one bot in all four seats of single deals, asked for its actions and left to play deals to their end."""

from __future__ import annotations

import numpy as np

from king_env.bots.asking import Positions
from king_env.chance import STREAM_WORDS
from king_env.engine.actions import Action
from king_env.engine.batch import start_deals, start_games, step_games
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import GameRecords, new_records
from king_env.evaluation.asking import ask_bot
from king_env.evaluation.deal_sheets import DEAL_SHEET_DTYPE
from king_env.evaluation.entrants import Entrant
from king_env.evaluation.playing import NOBODY, act_in_games, play_games
from king_env.evaluation.tallies import Numbers
from king_env.render import render_table

# To `play_games`: the only kind of bot there is, in every seat.
IN_ALL_SEATS = np.zeros((1, NUM_SEATS), dtype=np.int64)


class FieldFaultError(RuntimeError):
    """The bot of a field raised, or answered an illegal action."""


class Field:
    """One bot in all four seats."""

    def __init__(self, entrant: Entrant) -> None:
        """The field of this bot."""
        self.entrant = entrant

    def actions(self, games: GameRecords, rng: np.random.Generator) -> Numbers:
        """What the seats to act do in these games (int64[N]); nobody is asked where only one action is legal."""
        positions = Positions.of_games(games, np.arange(len(games)))
        actions = positions.masks.argmax(axis=1)
        free = np.flatnonzero(positions.masks.sum(axis=1) > 1)
        if len(free) > 0:
            actions[free] = self._ask(Positions(positions.views[free], positions.masks[free]), rng)
        return actions

    def play_out(self, games: GameRecords, rng: np.random.Generator) -> Numbers:
        """What each seat makes in the deal that is on if it is played to its end: int64[N, 4]; games stay as they are.

        games: with no deal after this one.
        """
        played, num_games = games.copy(), len(games)
        no_more_deals = np.zeros((num_games, 1, NUM_SEATS), dtype=np.int64)
        sheets = np.zeros((num_games, 1), dtype=DEAL_SHEET_DTYPE)
        streams = rng.integers(np.iinfo(np.uint64).max, size=(num_games, STREAM_WORDS), dtype=np.uint64, endpoint=True)
        codes = np.array([self.entrant.code], dtype=np.int64)
        decisions, asked = np.zeros((num_games, 1), dtype=np.int64), np.empty(num_games, dtype=np.int64)
        not_kept, scratch = new_records(0).reshape(num_games, 0), new_records(1)
        while True:
            play_games(played, no_more_deals, sheets, IN_ALL_SEATS, codes, streams, decisions, asked, not_kept, scratch)
            which = np.flatnonzero(asked != NOBODY)
            if len(which) == 0:
                return played["deal_scores"].astype(np.int64)
            actions = self._ask(Positions.of_games(played, which), rng)
            act_in_games(played, which, actions, sheets, not_kept)

    def calls_agreed(self, worlds: GameRecords, listener: Seat, rng: np.random.Generator) -> Numbers:
        """How many calls of the auction so far, from its first on, the bot would have said in each world: int64[N].

        worlds: that the listener cannot tell apart; its own calls agree anyway, for it saw the same in each.
        """
        calls = worlds["calls"][0, : worlds["num_calls"][0]].tolist()
        agreed = np.zeros(len(worlds), dtype=np.int64)
        still, games = np.arange(len(worlds)), as_dealt(worlds)
        for call in calls:
            if len(games) > 0 and games["turn"][0] != listener:
                agrees = self.actions(games, rng) == call
                still, games = still[agrees], games[agrees]
            agreed[still] += 1
            say(games, call)
        return agreed

    def _ask(self, positions: Positions, rng: np.random.Generator) -> Numbers:
        answers = ask_bot(self.entrant.bot, positions, rng, time_limit_ms=None)
        for row, reason in answers.complaints.items():
            view = positions.views[row]
            raise FieldFaultError(f"{self.entrant.label} {reason}\n{render_table(view, viewer=int(view['turn']))}")
        return answers.actions


def as_dealt(games: GameRecords) -> GameRecords:
    """These deals before anything was said or played."""
    dealt = games.copy()
    deals = games["deal"].astype(np.int64)
    start_games(dealt, games["dealer"].astype(np.int64), deals, deals)
    start_deals(dealt, games["hands"] | games["played"])
    return dealt


def say(games: GameRecords, call: Action) -> None:
    """Let the seat to act say the same in all these games."""
    step_games(games, np.full(len(games), call, dtype=np.int64))
