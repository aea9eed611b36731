"""One game of King with friendly methods: for people, tests and tools.

>>> from king_env.game import Game
>>> game = Game("portuguese", seed=1)
>>> game.phase, len(game.legal())
('playing', 13)
>>> game.play(game.legal()[0])
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, SupportsIndex

import numpy as np
import numpy.typing as npt

from king_env.chance import begin_games, new_streams, shuffle_deals
from king_env.engine import batch
from king_env.engine.actions import FIRST_CALL, NUM_ACTIONS, Action
from king_env.engine.contracts import CONTRACT_NAMES, NO_TRUMP, NUM_DEALS, UP
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import OVER, PHASE_NAMES, TO_DEAL, GameRecords, new_records
from king_env.notation import (
    ACTION_TEXTS,
    TRUMP_TEXTS,
    NotationError,
    action_text,
    cards_text,
    deal_text,
    parse_action,
    parse_deal,
)
from king_env.refusals import why_illegal
from king_env.render import ScoreSheet, render_table, score_sheet
from king_env.ruleset import RuleSet, make_ruleset, whole_number
from king_env.worlds import sample_hidden, stream_of

Deal = str | npt.ArrayLike  # whatever `notation.parse_deal` reads

WHOLE_GAME: npt.NDArray[np.int64] = np.zeros(0, dtype=np.int64)  # to `chance`: no single deal is asked for

_RECORD_KEYS = ("ruleset", "dealer", "deals", "actions", "scores", "meta", "first_deal")
_REQUIRED_KEYS = _RECORD_KEYS[:4]


class GameError(ValueError):
    """A game that cannot be set up, or a game record that is none."""


class IllegalActionError(ValueError):
    """An action that the rules forbid; its message names the rule. The game stays as it was."""


class Game:
    """One game: ten deals, or as many from `first_deal` (0 … 9) on as `num_deals` says.

    The cards are those of `deals`, one entry a deal, as PBN text, as cards int[4, 13] or as int64[4] sets of cards.
    Without them they are drawn from `seed`, and so is the first dealer, in the order in which the envs draw. If
    `dealer` is None it is the seat drawn, or seat 0 when the deals are given. `num_deals` None: up to the tenth.
    """

    def __init__(
        self,
        ruleset: RuleSet | str | Mapping[str, Any] = "portuguese",
        deals: Sequence[Deal] | None = None,
        dealer: Seat | None = None,
        first_deal: int = 0,
        num_deals: int | None = None,
        seed: int | None = None,
    ) -> None:
        self.ruleset = make_ruleset(ruleset)
        self.first_deal = whole_number("first_deal", first_deal, 0, NUM_DEALS - 1, GameError)
        deals_left = NUM_DEALS - self.first_deal
        wanted = deals_left if num_deals is None else num_deals
        self.num_deals = whole_number("num_deals", wanted, 1, deals_left, GameError)
        if deals is None:
            drawn_dealer, self.deals = _draw_deals(seed, self.num_deals)  # int64[num_deals, 4]
        else:
            drawn_dealer, self.deals = 0, _given_deals(deals, self.num_deals)
        self.first_dealer = drawn_dealer if dealer is None else _seat("dealer", dealer)
        self.actions: list[Action] = []
        self.scores_by_deal: list[list[int]] = []
        self.meta: dict[str, Any] = {}  # whatever a game record says besides
        self.record: GameRecords = new_records(1)
        self._begin()

    def __str__(self) -> str:
        return f"King, {self.ruleset.name or 'rules of the house'}\n{render_table(self.record[0])}"

    def __repr__(self) -> str:
        name = self.ruleset.name or "rules of the house"
        return f"<Game of King, {name}: {len(self.actions)} actions, scores {self.scores}>"

    @property
    def phase(self) -> str:
        """What is on: `opening`, `ultimatum`, `bidding`, `deciding`, `declaring`, `playing` or `over`."""
        return PHASE_NAMES[self.record["phase"][0]]

    @property
    def is_over(self) -> bool:
        """Whether the last deal has been scored."""
        return bool(self.record["phase"][0] == OVER)

    @property
    def turn(self) -> Seat | None:
        """The seat to act; None once the game is over."""
        return None if self.is_over else int(self.record["turn"][0])

    @property
    def deal_number(self) -> int:
        """Which of the ten deals is on, 1 … 10."""
        return int(self.record["deal"][0]) + 1

    @property
    def dealer(self) -> Seat:
        """Who deals this deal, and owns it if it is positive."""
        return int(self.record["dealer"][0])

    @property
    def contract(self) -> str:
        """What is played: `no_tricks` … `no_last_two`, `up`, `down`; `positive` while it is not chosen."""
        return CONTRACT_NAMES[self.record["contract"][0]]

    @property
    def trump(self) -> str | None:
        """The trump suit `C`, `D`, `H` or `S`; None without one."""
        trump = int(self.record["trump"][0])
        return None if trump == NO_TRUMP or self.record["contract"][0] != UP else TRUMP_TEXTS[trump]

    @property
    def scores(self) -> list[int]:
        """Each seat's points so far, those of the present deal included."""
        return [int(points) for points in self.record["scores"][0]]

    @property
    def hand_scores(self) -> list[int]:
        """Each seat's points in the present deal; once the game is over, in the last."""
        return [int(points) for points in self.record["deal_scores"][0]]

    @property
    def score_sheet(self) -> ScoreSheet:
        """The two columns of each seat and the balance (Rules 4); printed, it is a table."""
        return score_sheet(self.record[0])

    @property
    def placings(self) -> list[int]:
        """Each seat's place by the scores so far, 1 the best; equal totals share the place (Rules 4)."""
        scores = self.scores
        return [1 + sum(other > points for other in scores) for points in scores]

    @property
    def players(self) -> list[str] | None:
        """Who sits in seats 0 … 3, if `meta` names four `players`, as the record of a match does."""
        names = self.meta.get("players")
        return [str(name) for name in names] if isinstance(names, list) and len(names) == NUM_SEATS else None

    def hand(self, seat: Seat) -> str:
        """The cards that a seat still holds, as text."""
        return cards_text(self.record["hands"][0, _seat("seat", seat)])

    def view(self, seat: Seat) -> GameRecords:
        """A copy of the record (one element) as this seat may see it: without the other hands."""
        view = self.record.copy()
        batch.hide_hands(view, np.array([_seat("seat", seat)], dtype=np.int64))
        return view

    def legal_ids(self) -> list[Action]:
        """The actions open to the seat to act, as numbers; none once the game is over."""
        mask = np.zeros((1, NUM_ACTIONS), dtype=np.int8)
        batch.legal_masks(self.record, mask)
        return [int(action) for action in np.flatnonzero(mask[0])]

    def legal(self) -> list[str]:
        """The actions open to the seat to act, as text."""
        return [action_text(action) for action in self.legal_ids()]

    def play(self, action: str | SupportsIndex) -> None:
        """Let the seat to act do this, by text or number; an illegal action is refused and changes nothing."""
        number = _action_number(action)
        if not self._is_legal(number):
            raise IllegalActionError(why_illegal(self.record[0], number))
        self.actions.append(number)
        batch.step_games(self.record, np.array([number], dtype=np.int64))
        if self.record["phase"][0] in (TO_DEAL, OVER):
            self.scores_by_deal.append(self.hand_scores)
        if self.record["phase"][0] == TO_DEAL:
            self._deal()

    def clone(self) -> Game:
        """A game of its own that stands as this one does, with the same cards to come."""
        copy = object.__new__(Game)
        copy.__dict__.update(self.__dict__)
        copy.record = self.record.copy()
        copy.actions = list(self.actions)
        copy.scores_by_deal = [list(scores) for scores in self.scores_by_deal]
        copy.meta = dict(self.meta)
        return copy

    def determinize(self, seat: Seat, rng: np.random.Generator) -> Game:
        """A game of its own that this seat cannot tell from this one, each that there is with equal chances.

        The cards that the seat does not see are drawn as `sample_hidden` draws them, and the deals to come anew.
        """
        world = self.clone()
        sample_hidden(self.view(seat), rng, world.record)
        world.deals = redrawn_deals(self.deals, len(self.scores_by_deal), world.record, rng)
        return world

    def to_record(self, meta: Mapping[str, Any] | None = None) -> dict[str, Any]:
        """The game so far as plain values for one line of JSON; `meta` as it is given, else the game's own."""
        return game_record(
            self.ruleset,
            self.first_dealer,
            [deal_text(hands) for hands in self.deals],
            self.actions,
            self.scores,
            self.meta if meta is None else meta,
            self.first_deal,
        )

    @classmethod
    def from_record(cls, record: Mapping[str, Any]) -> Game:
        """Replay a game record; an illegal action is refused with its number, as are scores that do not come out."""
        _check_keys(record)
        game = cls(
            ruleset=record["ruleset"],
            deals=record["deals"],
            dealer=_seat("dealer", record["dealer"]),
            first_deal=record.get("first_deal", 0),
            num_deals=len(record["deals"]),
        )
        for number, action in enumerate(record["actions"], start=1):
            try:
                game.play(action)
            except IllegalActionError as error:
                raise IllegalActionError(f"action {number} of the game record: {error}") from None
        if "scores" in record and list(record["scores"]) != game.scores:
            raise GameError(f"game record: its scores are {record['scores']}, but its actions make {game.scores}")
        game.meta = dict(record.get("meta", {}))
        return game

    def _begin(self) -> None:
        self.ruleset.write_to(self.record)
        last_deal = self.first_deal + self.num_deals - 1
        numbers = (self.first_dealer, self.first_deal, last_deal)
        batch.start_games(self.record, *(np.array([number], dtype=np.int64) for number in numbers))
        self._deal()

    def _deal(self) -> None:
        deal = int(self.record["deal"][0]) - self.first_deal
        batch.start_deals(self.record, self.deals[deal : deal + 1])

    def _is_legal(self, action: Action) -> bool:
        cards, calls = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        batch.legal_words(self.record, cards, calls)
        if action < FIRST_CALL:
            return bool(int(cards[0]) >> action & 1)
        return bool(int(calls[0]) >> (action - FIRST_CALL) & 1)


def game_record(
    ruleset: RuleSet,
    dealer: Seat,
    deals: Sequence[str],
    actions: Sequence[Action],
    scores: Sequence[int],
    meta: Mapping[str, Any],
    first_deal: int,
) -> dict[str, Any]:
    """A game as plain values for one line of JSON; deals: PBN text."""
    record: dict[str, Any] = {
        "ruleset": ruleset.name or ruleset.to_dict(),
        "dealer": dealer,
        "deals": list(deals),
        "actions": [ACTION_TEXTS[action] for action in actions],
        "scores": list(scores),
        "meta": dict(meta),
    }
    if first_deal:
        record["first_deal"] = first_deal
    return record


def _action_number(action: str | SupportsIndex) -> Action:
    try:
        return parse_action(action if isinstance(action, str) else action_text(action))
    except NotationError as error:
        raise IllegalActionError(str(error)) from None


def _seat(name: str, seat: object) -> Seat:
    return whole_number(name, seat, 0, NUM_SEATS - 1, GameError)


def _draw_deals(seed: int | None, num_deals: int) -> tuple[Seat, npt.NDArray[np.int64]]:
    """First the dealer, then deal after deal, as the envs draw a whole game."""
    if seed is not None:
        whole_number("seed", seed, 0, error=GameError)
    streams = new_streams(seed, 1)
    beginning = new_records(1)
    begin_games(beginning, streams, WHOLE_GAME)
    deals = np.zeros((num_deals, NUM_SEATS), dtype=np.int64)
    for deal in range(num_deals):
        shuffle_deals(streams, deals[deal : deal + 1])
    return int(beginning["dealer"][0]), deals


def redrawn_deals(
    deals: npt.NDArray[np.int64], number: int, world: GameRecords, rng: np.random.Generator
) -> npt.NDArray[np.int64]:
    """The deals of a game (int64[N, 4]) if deal `number` is that of this world: those that come after it are drawn."""
    redrawn = np.array(deals)
    if number < len(redrawn):
        redrawn[number] = world["hands"][0] | world["played"][0]
    streams = stream_of(rng)[np.newaxis]
    for deal in range(number + 1, len(redrawn)):
        shuffle_deals(streams, redrawn[deal : deal + 1])
    return redrawn


def _given_deals(deals: Sequence[Deal], num_deals: int) -> npt.NDArray[np.int64]:
    if isinstance(deals, str) or not hasattr(deals, "__len__"):
        raise GameError(f"deals: must be a list of deals, not {deals!r}")
    if len(deals) != num_deals:
        raise GameError(f"deals: {len(deals)} given, but this game has {num_deals}")
    hands = np.zeros((num_deals, NUM_SEATS), dtype=np.int64)
    for number, deal in enumerate(deals, start=1):
        try:
            hands[number - 1] = parse_deal(deal)
        except NotationError as error:
            raise GameError(f"deal {number} of {num_deals}: {error}") from None
    return hands


def _check_keys(record: Mapping[str, Any]) -> None:
    """A game record has the keys it needs, no others, and lists where lists belong."""
    if not isinstance(record, Mapping):
        raise GameError(f"game record: must be a dict, not {record!r}")
    missing = [key for key in _REQUIRED_KEYS if key not in record]
    unknown = [key for key in record if key not in _RECORD_KEYS]
    if missing or unknown:
        fault = f"{missing[0]!r} is missing" if missing else f"unknown key {unknown[0]!r}"
        raise GameError(f"game record: {fault}; its keys are {', '.join(_RECORD_KEYS)}")
    for key in ("deals", "actions", "scores"):
        if not isinstance(record.get(key, []), (list, tuple)):
            raise GameError(f"game record: {key} must be a list, not {record[key]!r}")
    if not isinstance(record.get("meta", {}), Mapping):
        raise GameError(f"game record: meta must be a dict, not {record['meta']!r}")
