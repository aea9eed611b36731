"""What a bot should have said: each call is played out in worlds that the seat cannot tell apart.

A reference searches the calls of one decision. It knows who the others are: it plays out in worlds in which the bot, in
the seats of the others, would have said what was said, and lets it go on in all four seats. What it finds is measured
afterwards in other worlds of that kind, for the best of several calls looks better than it is where it was found.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from king_env.engine.actions import FIRST_CALL, NUM_CALLS, Action
from king_env.engine.batch import hide_hands, legal_masks, step_games
from king_env.engine.seats import Seat
from king_env.engine.state import GameRecords, new_records
from king_env.evaluation.field import Field
from king_env.evaluation.tallies import Numbers
from king_env.worlds import sample_hidden

# So many worlds are looked through, at most, for one in which the bot would have said what was said.
DRAWN_A_WORLD = 40
# After so many worlds calls are dropped that gain nothing, and the others are played out further.
WORLDS_A_ROUND = 25
# A call is dropped once it falls short of what the bot says by so many times the error of that ...
DOUBT = 2.0
# ... and put in its place only if it gains so many times the error: the best of many is often one that was lucky.
CAUTION = 1.0


@dataclass(frozen=True)
class Decision:
    """A decision of an auction: how it truly stands, and what the bot says."""

    deal: int
    """Which of the deals that are played."""
    game: GameRecords
    """GAME_DTYPE[1], all hands included."""
    said: Action

    @property
    def seat(self) -> Seat:
        """Who is to speak."""
        return int(self.game["turn"][0])

    def view(self) -> GameRecords:
        """What that seat may know (GAME_DTYPE[1])."""
        view = self.game.copy()
        hide_hands(view, np.array([self.seat], dtype=np.int64))
        return view


@dataclass(frozen=True)
class Worlds:
    """Worlds that the seat cannot tell from the true one."""

    to_choose: GameRecords
    """To search in; those first in which the bot would have said all that was said, then those in which most."""
    to_measure: GameRecords
    """Others, in which it would have said all: each is as likely as the true one to be what the seat faces."""


def draw_worlds(decision: Decision, field: Field, wanted: int, rng: np.random.Generator) -> Worlds:
    """So many worlds to choose by, and as many to measure by, or fewer where the auction is hard to believe."""
    view, listener = decision.view(), decision.seat
    num_calls = int(view["num_calls"][0])
    drawn, agreed, found = [], [], 0
    for _ in range(DRAWN_A_WORLD):
        worlds = new_records(2 * wanted)
        sample_hidden(view, rng, worlds)
        drawn.append(worlds)
        agreed.append(field.calls_agreed(worlds, listener, rng))
        found += int((agreed[-1] == num_calls).sum())
        if found >= 2 * wanted:
            break
    return _part(np.concatenate(drawn), np.concatenate(agreed), num_calls, wanted)


def _part(worlds: GameRecords, agreed: Numbers, num_calls: int, wanted: int) -> Worlds:
    believed = np.flatnonzero(agreed == num_calls)
    to_measure = believed[len(believed) // 2 :][:wanted]
    others = np.setdiff1d(np.arange(len(worlds)), to_measure)
    to_choose = others[np.argsort(-agreed[others], kind="stable")][:wanted]
    return Worlds(worlds[to_choose], worlds[to_measure])


class Question:
    """What should have been said at one decision, while that is searched."""

    def __init__(self, decision: Decision, worlds: GameRecords) -> None:
        """Nothing is known yet; worlds: those to choose by."""
        self._decision = decision
        self._worlds = worlds
        others = legal_calls_of(decision.game)
        others = others[others != decision.said]
        self.calls = np.concatenate([[decision.said], others])  # int64[num_calls]; those that gain nothing are dropped
        self._gains = np.zeros(len(self.calls), dtype=np.int64)  # over what the bot says, in all worlds together
        self._squares = np.zeros(len(self.calls), dtype=np.int64)
        self._num_worlds = 0

    @property
    def is_open(self) -> bool:
        """Whether there is more to search."""
        return len(self.calls) > 1 and self._num_worlds < len(self._worlds)

    def games(self) -> GameRecords:
        """The next worlds after each of the calls in question: GAME_DTYPE[num_worlds × num_calls]."""
        return after_calls(self._worlds[self._num_worlds :][:WORLDS_A_ROUND], self.calls)

    def learn(self, points: Numbers) -> None:
        """Add up what was made in these games (int64[num_worlds × num_calls, 4]), and drop calls that gain nothing."""
        made = points[:, self._decision.seat].reshape(-1, len(self.calls))
        gains = made - made[:, :1]
        self._num_worlds += len(gains)
        self._gains += gains.sum(axis=0)
        self._squares += (gains**2).sum(axis=0)
        gain, error = self._mean_gains()
        stays = gain + DOUBT * error > 0
        stays[0] = True
        self.calls, self._gains, self._squares = self.calls[stays], self._gains[stays], self._squares[stays]

    def answer(self) -> Action:
        """What should have been said: what the bot says, unless another call surely gains."""
        if len(self.calls) == 1:
            return self._decision.said
        gain, error = self._mean_gains()
        gain[gain <= CAUTION * error] = 0
        return int(self.calls[gain.argmax()])

    def _mean_gains(self) -> tuple[np.ndarray, np.ndarray]:
        """What each call gains in the mean, and the error of that."""
        gain = self._gains / self._num_worlds
        variance = np.maximum(0.0, self._squares / self._num_worlds - gain**2)
        return gain, np.sqrt(variance / self._num_worlds)


def search_calls(questions: list[Question], field: Field, rng: np.random.Generator) -> None:
    """Search the calls of several decisions to their end: the field plays the games of all of them at once."""
    while asked := [question for question in questions if question.is_open]:
        games = [question.games() for question in asked]
        points = field.play_out(np.concatenate(games), rng)
        ends = np.cumsum([len(of_question) for of_question in games])[:-1]
        for question, made in zip(asked, np.split(points, ends), strict=True):
            question.learn(made)


def gains_of_second_thoughts(
    decisions: list[Decision], calls: list[Action], worlds: list[GameRecords], field: Field, rng: np.random.Generator
) -> list[np.ndarray]:
    """What these calls make more than what the bot said, for the seat that says them and if the field goes on.

    Of each decision as the cards truly lie, and then in each of its worlds: int64[1 + num_worlds].
    """
    if not decisions:
        return []
    games = [
        after_calls(np.concatenate([decision.game, others]), np.array([decision.said, call]))
        for decision, call, others in zip(decisions, calls, worlds, strict=True)
    ]
    points = field.play_out(np.concatenate(games), rng)
    ends = np.cumsum([len(of_decision) for of_decision in games])[:-1]
    gains = []
    for decision, made in zip(decisions, np.split(points, ends), strict=True):
        usual, other = made[:, decision.seat].reshape(-1, 2).T
        gains.append(other - usual)
    return gains


def after_calls(games: GameRecords, calls: Numbers) -> GameRecords:
    """Each game after each of these calls, game after game: GAME_DTYPE[num_games × num_calls]."""
    after = np.repeat(games, len(calls))
    step_games(after, np.tile(calls, len(games)).astype(np.int64))
    return after


def legal_calls_of(game: GameRecords) -> Numbers:
    """The calls open to the seat to act in the one game."""
    mask = np.zeros((1, FIRST_CALL + NUM_CALLS), dtype=np.int8)
    legal_masks(game, mask)
    return np.flatnonzero(mask[0, FIRST_CALL:]) + FIRST_CALL
