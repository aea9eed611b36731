"""King as a game of OpenSpiel, `python_king`, played by this package's engine.

>>> import pyspiel
>>> import king_env.integrations.openspiel
>>> game = pyspiel.load_game("python_king(ruleset=brazilian_trump,contracts=no_tricks+positive)")
>>> state = game.new_initial_state()
>>> while state.is_chance_node():
...     outcomes, probabilities = zip(*state.chance_outcomes())
...     state.apply_action(outcomes[0])
>>> state.current_player()
0

| parameter | |
|---|---|
| `ruleset` | the name of a rule set (`portuguese`) |
| `episode` | `deal`, the default here: one deal, its contract and dealer drawn. `game`: ten deals |
| `contracts` | what `deal` draws from, each kind alike, with a + between (all of them) |

Chance is explicit: first which of the ten deals it is, then the dealer, then the 52 cards one by one, to seat 0, 1, 2,
3 in turn, each drawn from those that are left. Actions are those of `king_v0`. Returns are points: the scores of a deal
add up to its total, those of a game to 0; all come at the end.

The information state is all that a seat was told: its cards, every call and every card played, in order. As a tensor
it is the observation of `king_v0`, followed by the order of plays and calls in this deal; the tensor leaves out how
earlier deals went, of which the observation holds the scores. The observation tensor is that of `king_v0` alone.

`state.resample_from_infostate(player, sampler)` draws the cards that the player does not see from all that are
possible, each deal with equal chances (`king_env.sample_hidden`). OpenSpiel's ISMCTS in Python plays on that; its
ISMCTS in C++ (`pyspiel.ISMCTSBot`) takes no game written in Python. `state_of` makes a state of a view, for a bot that
is handed one.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyspiel

from king_env.engine import batch
from king_env.engine.actions import FIRST_CALL, MAX_BID_POINTS, NUM_ACTIONS, NUM_CALLS, Action
from king_env.engine.cards import ALL_CARDS, CARD_BIT, NUM_CARDS
from king_env.engine.contracts import (
    DOWN_START,
    NEGATIVE_NAMES,
    NULLS_POINTS,
    NUM_DEALS,
    NUM_NEGATIVES,
    NUM_POSITIVES,
    NUM_TRICKS,
    TOTAL_POINTS,
)
from king_env.engine.observation import OBSERVATION_SIZE
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import MAX_CALLS, OVER, TO_DEAL, GameRecords, new_records
from king_env.episode import deal_kinds
from king_env.notation import ACTION_TEXTS, card_text, cards_text
from king_env.render import render_table
from king_env.ruleset import RuleSet, make_ruleset
from king_env.worlds import sample_hidden

__all__ = ["KingGame", "KingObserver", "KingState", "state_of"]

SHORT_NAME = "python_king"
DEFAULTS = {"ruleset": "portuguese", "episode": "deal", "contracts": ""}
BETWEEN_CONTRACTS = "+"


def game_type(utility: pyspiel.GameType.Utility) -> pyspiel.GameType:
    """What OpenSpiel is to know of King; the utilities of single deals do not add up to the same number."""
    return pyspiel.GameType(
        short_name=SHORT_NAME,
        long_name="King",
        dynamics=pyspiel.GameType.Dynamics.SEQUENTIAL,
        chance_mode=pyspiel.GameType.ChanceMode.EXPLICIT_STOCHASTIC,
        information=pyspiel.GameType.Information.IMPERFECT_INFORMATION,
        utility=utility,
        reward_model=pyspiel.GameType.RewardModel.TERMINAL,
        max_num_players=NUM_SEATS,
        min_num_players=NUM_SEATS,
        provides_information_state_string=True,
        provides_information_state_tensor=True,
        provides_observation_string=True,
        provides_observation_tensor=True,
        parameter_specification=DEFAULTS,
    )


OF_DEALS = game_type(pyspiel.GameType.Utility.GENERAL_SUM)
OF_GAMES = game_type(pyspiel.GameType.Utility.ZERO_SUM)

# No deal scores beyond these: everything lost and the highest bid paid, or everything won and the highest bid received.
LOWEST_POSITIVE = DOWN_START - NULLS_POINTS * NUM_TRICKS - MAX_BID_POINTS
HIGHEST_POSITIVE = DOWN_START + MAX_BID_POINTS
NEGATIVE_TOTALS = TOTAL_POINTS[:NUM_NEGATIVES]

ORDER_OF_PLAYS = (NUM_CARDS, NUM_CARDS)
ORDER_OF_CALLS = (MAX_CALLS, NUM_CALLS)
SEED_BITS = 2.0**53


class KingGame(pyspiel.Game):  # type: ignore[misc]  # pyspiel has no types
    """King, with its rules and what an episode is; the module is its reference page."""

    def __init__(self, params: Mapping[str, Any] | None = None) -> None:
        options = {**DEFAULTS, **(params or {})}
        self.ruleset: RuleSet = make_ruleset(options["ruleset"])
        names = options["contracts"].split(BETWEEN_CONTRACTS) if options["contracts"] else None
        kinds = deal_kinds(options["episode"], names).tolist()
        num_deals = 1 if kinds else NUM_DEALS
        self.empty_table = Table(self.ruleset, chances_of_deals(kinds, self.ruleset), num_deals)
        lowest, highest = bounds_of_scores(kinds)
        super().__init__(
            OF_DEALS if kinds else OF_GAMES,
            pyspiel.GameInfo(
                num_distinct_actions=NUM_ACTIONS,
                max_chance_outcomes=NUM_CARDS,
                num_players=NUM_SEATS,
                min_utility=float(lowest),
                max_utility=float(highest),
                utility_sum=None if kinds else 0.0,
                max_game_length=num_deals * (NUM_CARDS + MAX_CALLS),
            ),
            dict(params or {}),
        )

    def new_initial_state(self) -> KingState:
        """A game of which nothing is drawn yet."""
        return KingState(self)

    def make_py_observer(
        self, iig_obs_type: pyspiel.IIGObservationType | None = None, params: Mapping[str, Any] | None = None
    ) -> KingObserver:
        """What a player sees, or with perfect recall is told in the course of the game."""
        return KingObserver(iig_obs_type or pyspiel.IIGObservationType(perfect_recall=False), params)


def chances_of_deals(kinds: list[int], ruleset: RuleSet) -> list[tuple[int, float]]:
    """Which of the ten deals an episode begins with, and how probably: every kind alike (`chance.draw_deal_index`)."""
    if not kinds:
        return [(0, 1.0)]
    chances: list[tuple[int, float]] = []
    for deal in range(NUM_DEALS):
        if deal >= NUM_NEGATIVES and NUM_NEGATIVES in kinds:
            chances.append((deal, 1.0 / (len(kinds) * NUM_POSITIVES)))
        elif deal < NUM_NEGATIVES and NEGATIVE_NAMES.index(ruleset.negatives[deal]) in kinds:
            chances.append((deal, 1.0 / len(kinds)))
    return chances


def bounds_of_scores(kinds: list[int]) -> tuple[int, int]:
    """Scores that no seat leaves in an episode: of one deal of these kinds, or without them of a whole game."""
    if not kinds:
        return NEGATIVE_TOTALS.sum() + NUM_POSITIVES * LOWEST_POSITIVE, NUM_POSITIVES * HIGHEST_POSITIVE
    if NUM_NEGATIVES in kinds:
        return LOWEST_POSITIVE, HIGHEST_POSITIVE
    return NEGATIVE_TOTALS[kinds].min(), 0


class Table:
    """What is on the table: a record as the engine plays it, and the cards of a deal while they are dealt."""

    def __init__(self, ruleset: RuleSet, deal_chances: list[tuple[int, float]], num_deals: int) -> None:
        self.deal_chances = deal_chances
        self.num_deals = num_deals
        self.record: GameRecords = new_records(1)
        ruleset.write_to(self.record)
        self.deal: int | None = None  # the first, once it is drawn
        self.has_begun = False  # the dealer is drawn, too
        self.hands = [0] * NUM_SEATS
        self.num_dealt = 0
        self.phase = TO_DEAL  # that of the record, which is asked for too often to be looked up there
        self.num_moves = 0
        self.moves_before_deal = 0  # in the history, before the first card of this deal
        self.deal_name = ""  # its number and dealer
        self.earlier_deals = [""] * NUM_SEATS  # what each seat was told of them

    @property
    def is_dealing(self) -> bool:
        """Whether chance is to act."""
        return self.phase == TO_DEAL

    def __deepcopy__(self, memo: dict[int, Any]) -> Table:
        """Copied at every clone of a state, so without `copy`'s detours."""
        twin: Table = object.__new__(Table)
        twin.__dict__.update(self.__dict__)
        twin.record = self.record.copy()
        twin.hands = list(self.hands)
        twin.earlier_deals = list(self.earlier_deals)
        return twin

    def draw(self, outcome: int) -> None:
        """What chance draws: which deal, the dealer, or the next card."""
        if self.deal is None:
            self.deal = outcome
        elif not self.has_begun:
            numbers = (outcome, self.deal, self.deal + self.num_deals - 1)
            batch.start_games(self.record, *(np.array([number], dtype=np.int64) for number in numbers))
            self.has_begun = True
            self.deal_name = self._name_of_deal()
            self.moves_before_deal = self.num_moves + 1
        else:
            self._deal_card(outcome)
        self.num_moves += 1

    def _deal_card(self, card: int) -> None:
        self.hands[self.num_dealt % NUM_SEATS] |= int(CARD_BIT[card])
        self.num_dealt += 1
        if self.num_dealt == NUM_CARDS:
            batch.start_deals(self.record, np.array([self.hands], dtype=np.int64))
            self.phase = int(self.record["phase"][0])

    def play(self, action: Action) -> None:
        """What the seat to act does."""
        batch.step_games(self.record, np.array([action], dtype=np.int64))
        self.phase = int(self.record["phase"][0])
        self.num_moves += 1
        if self.is_dealing:
            self.earlier_deals = [self.told(seat) for seat in range(NUM_SEATS)]
            self.deal_name = self._name_of_deal()
            self.hands, self.num_dealt = [0] * NUM_SEATS, 0
            self.moves_before_deal = self.num_moves

    def _name_of_deal(self) -> str:
        game = self.record[0]
        return f"deal {int(game['deal']) + 1}, dealer {game['dealer']}"

    def undealt(self) -> list[int]:
        """The cards that chance may deal next."""
        left = ALL_CARDS ^ (self.hands[0] | self.hands[1] | self.hands[2] | self.hands[3])
        return [card for card in range(NUM_CARDS) if left >> card & 1]

    def told(self, seat: Seat) -> str:
        """Everything that a seat was told: its cards, the calls and the plays of every deal, in order."""
        deal = f"{self.earlier_deals[seat]}{self.deal_name}: {cards_text(self.hands[seat])}"
        if self.num_dealt < NUM_CARDS:
            return deal
        return f"{deal}; {', '.join([ACTION_TEXTS[action] for action in actions_of(self.record)])}\n"


def actions_of(record: GameRecords) -> list[Action]:
    """The calls and then the plays of the deal that a record (GAME_DTYPE[1]) holds, in order."""
    calls, plays = record["calls"][0], record["plays"][0]
    actions: list[Action] = [*calls[: record["num_calls"][0]].tolist(), *plays[: record["num_plays"][0]].tolist()]
    return actions


class KingState(pyspiel.State):  # type: ignore[misc]  # pyspiel has no types
    """A game of King under way."""

    def __init__(self, game: KingGame) -> None:
        super().__init__(game)
        self.table = copy.deepcopy(game.empty_table)

    # What OpenSpiel asks for

    def current_player(self) -> int:
        """The seat to act, chance, or nobody."""
        if self.table.is_dealing:
            return int(pyspiel.PlayerId.CHANCE)
        return int(pyspiel.PlayerId.TERMINAL) if self.is_terminal() else int(self.table.record["turn"][0])

    def chance_outcomes(self) -> list[tuple[int, float]]:
        """What may be drawn, and how probably."""
        if self.table.deal is None:
            return list(self.table.deal_chances)
        outcomes = self.table.undealt() if self.table.has_begun else range(NUM_SEATS)
        return [(outcome, 1.0 / len(outcomes)) for outcome in outcomes]

    def is_terminal(self) -> bool:
        """Whether the last deal has been scored."""
        return self.table.phase == OVER

    def returns(self) -> list[float]:
        """The scores, once all is over; until then nothing."""
        if not self.is_terminal():
            return [0.0] * NUM_SEATS
        scores: list[float] = self.table.record["scores"][0].astype(np.float64).tolist()
        return scores

    def _legal_actions(self, player: Seat) -> list[Action]:
        mask = np.zeros((1, NUM_ACTIONS), dtype=np.int8)
        batch.legal_masks(self.table.record, mask)
        legal: list[Action] = np.flatnonzero(mask[0]).tolist()
        return legal

    def _apply_action(self, action: Action) -> None:
        if self.table.is_dealing:
            self.table.draw(action)
        else:
            self.table.play(action)

    def _action_to_string(self, player: int, action: Action) -> str:
        if player != pyspiel.PlayerId.CHANCE:
            return ACTION_TEXTS[action]
        if self.table.deal is None:
            return f"deal {action + 1}"
        if not self.table.has_begun:
            return f"dealer {action}"
        return f"{card_text(action)} to seat {self.table.num_dealt % NUM_SEATS}"

    def __str__(self) -> str:
        if self.table.is_dealing:
            return "dealing: " + " ".join(cards_text(hand) for hand in self.table.hands)
        return render_table(self.table.record[0])

    # What King adds

    def resample_from_infostate(self, player: Seat, probability_sampler: Callable[[], float]) -> KingState:
        """A state that this player cannot tell from this one, each as likely; the sampler draws from [0, 1)."""
        hands = self._hands_that_may_be(player, np.random.default_rng(int(probability_sampler() * SEED_BITS)))
        history, begins = self.history(), self.table.moves_before_deal
        history[begins : begins + self.table.num_dealt] = order_of_dealing(hands)
        return state_after(self.get_game(), history)

    def _hands_that_may_be(self, player: Seat, rng: np.random.Generator) -> list[int]:
        """Hands as they were dealt, the player's as they are, the others drawn; while cards are dealt, any."""
        if self.table.is_dealing:
            return self._hands_while_dealing(player, rng)
        view, world = self.table.record.copy(), new_records(1)
        batch.hide_hands(view, np.array([player], dtype=np.int64))
        sample_hidden(view, rng, world)
        hands: list[int] = (world["hands"][0] | world["played"][0]).tolist()
        return hands

    def _hands_while_dealing(self, player: Seat, rng: np.random.Generator) -> list[int]:
        """The player's cards as they are, and as many for each other seat as it has, drawn from the rest."""
        hands = self.table.hands
        rest = rng.permutation([card for card in range(NUM_CARDS) if not hands[player] >> card & 1])
        drawn, begin = list(hands), 0
        for seat in range(NUM_SEATS):
            if seat != player:
                end = begin + hands[seat].bit_count()
                drawn[seat] = int(CARD_BIT[rest[begin:end]].sum())
                begin = end
        return drawn


def order_of_dealing(hands: Sequence[int]) -> list[int]:
    """Cards one by one, to seat 0, 1, 2, 3 in turn, so that these hands come about."""
    cards = [[card for card in range(NUM_CARDS) if hand >> card & 1] for hand in hands]
    return [cards[turn % NUM_SEATS][turn // NUM_SEATS] for turn in range(sum(len(hand) for hand in cards))]


def state_after(game: KingGame, history: Sequence[int]) -> KingState:
    """The state of a game after what chance drew and the seats did."""
    state: KingState = game.new_initial_state()
    for action in history:
        state.apply_action(action)
    return state


def state_of(view: GameRecords, game: KingGame, rng: np.random.Generator) -> KingState:
    """A state of a single deal that the seat to act cannot tell from the one it is handed a view of (GAME_DTYPE[1]).

    The hidden cards are drawn, so that a search that draws them anew by `resample_from_infostate` may begin from it.
    What was scored in earlier deals is left out. The game must be one of single deals by the rules of the view.
    """
    if view["shown_rules"][0] != game.empty_table.record["shown_rules"][0] or game.empty_table.num_deals != 1:
        raise ValueError("game: must be one of single deals (episode=deal) by the rules of the view")
    world = new_records(1)
    sample_hidden(view, rng, world)
    hands: list[int] = (world["hands"][0] | world["played"][0]).tolist()
    drawn = [int(view["deal"][0]), int(view["dealer"][0]), *order_of_dealing(hands)]
    return state_after(game, [*drawn, *actions_of(view)])


class KingObserver:
    """What one player sees of a state; with perfect recall, also in which order things came."""

    def __init__(self, iig_obs_type: pyspiel.IIGObservationType, params: Mapping[str, Any] | None = None) -> None:
        if params:
            raise ValueError(f"the observer of {SHORT_NAME} takes no parameters, not {dict(params)}")
        if not iig_obs_type.public_info or iig_obs_type.private_info != pyspiel.PrivateInfoType.SINGLE_PLAYER:
            raise ValueError(f"{SHORT_NAME} shows what is public together with what is one player's own, nothing else")
        self._is_told_order = iig_obs_type.perfect_recall
        shapes: dict[str, tuple[int, ...]] = {"observation": (OBSERVATION_SIZE,)}
        if self._is_told_order:
            shapes |= {"plays": ORDER_OF_PLAYS, "calls": ORDER_OF_CALLS}
        ends = np.cumsum([np.prod(shape) for shape in shapes.values()]).tolist()
        self.tensor: npt.NDArray[np.float32] = np.zeros(ends[-1], np.float32)
        pieces = np.split(self.tensor, ends[:-1])
        self.dict = {name: piece.reshape(shapes[name]) for name, piece in zip(shapes, pieces, strict=True)}

    def set_from(self, state: KingState, player: Seat) -> None:
        """Fill `tensor`, and with it `dict`; zeros until the first cards are dealt."""
        self.tensor.fill(0.0)
        record = state.table.record
        if state.table.is_dealing:
            return
        observation = np.empty((1, OBSERVATION_SIZE), dtype=np.int8)
        batch.observe(record, np.array([player], dtype=np.int64), observation)
        self.dict["observation"][:] = observation[0]
        if self._is_told_order:
            plays, calls = record["plays"][0], record["calls"][0]
            write_order(plays[: record["num_plays"][0]], self.dict["plays"])
            write_order(calls[: record["num_calls"][0]] - FIRST_CALL, self.dict["calls"])

    def string_from(self, state: KingState, player: Seat) -> str:
        """The table as the player sees it, or with perfect recall all that it was told."""
        if self._is_told_order:
            return f"seat {player}\n{state.table.told(player)}"
        if state.table.is_dealing:
            return f"dealing: {cards_text(state.table.hands[player])}"
        return render_table(state.table.record[0], player)


def write_order(events: npt.NDArray[np.uint8], rows: npt.NDArray[np.float32]) -> None:
    """The n-th row says which event came as the n-th."""
    rows[np.arange(len(events)), events] = 1.0


pyspiel.register_game(OF_DEALS, KingGame)
