"""What a bot loses at the auction: by each of its calls, against what a search of that decision would have said.

Positive deals are played by the bot in all four seats. At each decision of an auction a reference
(`king_env.evaluation.second_thoughts`) searches what else the seat could have said, and what that would have gained is
measured apart from the search: everything before and everything after is left to the bot. So a call that the
reference would have made too loses exactly nothing, and the sum over a deal is what better calls, each by itself, would
have brought against a field of this bot.

>>> from king_env.evaluation.auction import measure_auction
>>> result = measure_auction("heuristic", num_deals=2, seed=1, ruleset="brazilian_trump", worlds=10)
>>> result.num_decisions()
2
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np

from king_env.bots.registry import BotChoice
from king_env.chance import PURPOSES, Streams, new_streams
from king_env.engine.actions import Action
from king_env.engine.batch import start_deals, step_games
from king_env.engine.contracts import NUM_NEGATIVES
from king_env.engine.seats import NUM_SEATS
from king_env.engine.state import DECLARING, OPENING, PHASE_NAMES, GameRecords, new_records
from king_env.evaluation.calls import SITUATIONS
from king_env.evaluation.entrants import Entrant, enter_bots
from king_env.evaluation.field import Field, FieldFaultError
from king_env.evaluation.playing import draw_games
from king_env.evaluation.results import ENV_VERSION, versions
from king_env.evaluation.second_thoughts import (
    Decision,
    Question,
    draw_worlds,
    gains_of_second_thoughts,
    legal_calls_of,
    search_calls,
)
from king_env.evaluation.statistics import Estimate, estimate_mean
from king_env.notation import action_text
from king_env.ruleset import RuleSet, make_ruleset, whole_number

try:
    from tqdm import tqdm
except ImportError:  # the bar comes with the extra `evaluate`
    tqdm = None

AUCTION_FORMAT = "king-auction-1"
INTERVAL = "95 % Student t over deals"
DEFAULT_WORLDS = 100

# So many deals are searched at once: enough for a network's batch, few enough for memory and for stopping in between.
DEALS_AT_ONCE = 8
# To `draw_games`: each block is one positive deal.
ONE_POSITIVE_DEAL = np.array([NUM_NEGATIVES], dtype=np.int64)

Advance = Callable[[int], Any]  # told how many more deals have been measured


class AuctionFaultError(RuntimeError):
    """A bot raised or answered an illegal action; `result` is what had been measured until then, if anything."""

    def __init__(self, reason: str, result: AuctionResult | None) -> None:
        """Keep what has been measured."""
        super().__init__(reason)
        self.result = result


class AuctionInterrupted(KeyboardInterrupt):  # noqa: N818 - like KeyboardInterrupt, which it is to whoever does not ask
    """Ctrl-C stopped the measurement; `result` is what had been measured until then, if anything."""

    def __init__(self, result: AuctionResult | None) -> None:
        """Keep what has been measured."""
        super().__init__("the measurement was interrupted")
        self.result = result


@dataclass(frozen=True)
class AuctionPlan:
    """What is to be measured, checked."""

    field: Field
    """The bot that is measured, in all four seats."""
    playouts: Field
    """With whom the reference plays out what it searches."""
    ruleset: RuleSet
    seed: int
    worlds: int
    deal_streams: Streams
    """One a deal: uint64[num_deals, 4]."""


@dataclass(frozen=True)
class JudgedCall:
    """A decision of an auction with more than one legal call, and what the reference thinks of it."""

    deal: int
    situation: str
    """One of SITUATIONS."""
    said: Action
    better: Action
    """What the reference would have said; mostly the same."""
    loss: float
    """What that would have gained for the seat: the mean over the true deal and the worlds to measure by."""
    loss_as_dealt: float
    """The same in the true deal alone, which says less but leans on no world."""
    num_worlds: int
    """How many worlds the loss is the mean over; 0 where nothing had to be measured."""

    @property
    def is_mistake(self) -> bool:
        """Whether the reference would have said something else."""
        return self.better != self.said


@dataclass(frozen=True)
class Exchange:
    """A call that the reference would have replaced by another, whenever that came up."""

    situation: str
    said: Action
    better: Action
    count: int
    loss: float
    """By it, points a positive deal."""


@dataclass(frozen=True)
class AuctionResult:
    """The result of `measure_auction`."""

    entrant: Entrant
    playouts: Entrant
    ruleset: RuleSet
    seed: int
    worlds: int
    num_deals: int
    """How many deals were measured."""
    num_deals_asked: int
    """How many were asked for."""
    calls: tuple[JudgedCall, ...]
    """All decisions with a choice, in the order of the deals."""
    wall_seconds: float
    cpu_seconds: float

    @property
    def is_complete(self) -> bool:
        """Whether all deals that were asked for were measured."""
        return self.num_deals == self.num_deals_asked

    @property
    def situations(self) -> tuple[str, ...]:
        """In which the bot had a choice, in the order of an auction."""
        return tuple(name for name in SITUATIONS if self.num_decisions(name))

    def loss(self, situation: str | None = None) -> Estimate:
        """Points that a seat loses in a positive deal by its calls, mean of the four seats; of one situation, or all.

        Each call by itself: all that is said before and afterwards stays the bot's.
        """
        return self._mean([(call.deal, call.loss) for call in self._calls(situation)])

    def loss_as_dealt(self) -> Estimate:
        """The same measured in the true deals alone: a check, with a wider interval."""
        return self._mean([(call.deal, call.loss_as_dealt) for call in self.calls])

    def num_decisions(self, situation: str | None = None) -> int:
        """How often the bot had a choice."""
        return len(self._calls(situation))

    def num_mistakes(self, situation: str | None = None) -> int:
        """How often the reference would have said something else."""
        return sum(call.is_mistake for call in self._calls(situation))

    def worlds_measured(self, situation: str | None = None) -> float:
        """In how many worlds, in the mean, it was measured what that gains; NaN if there was nothing to measure."""
        numbers = [call.num_worlds for call in self._calls(situation) if call.is_mistake]
        return float(np.mean(numbers)) if numbers else float("nan")

    def exchanges(self) -> list[Exchange]:
        """What the reference would have replaced by what, that which lost most first."""
        found: dict[tuple[str, Action, Action], list[float]] = {}
        for call in self.calls:
            if call.is_mistake:
                found.setdefault((call.situation, call.said, call.better), []).append(call.loss)
        seats = NUM_SEATS * self.num_deals
        exchanges = [Exchange(*what, len(losses), sum(losses) / seats) for what, losses in found.items()]
        return sorted(exchanges, key=lambda exchange: exchange.loss, reverse=True)

    def to_dict(self) -> dict[str, Any]:
        """Everything as plain values for JSON.

        `format`, `env`, `ruleset` (name and options), `bot` and `playouts` (label, choice, version), `seed`, `worlds`,
        `num_deals`, `num_deals_asked`, `is_complete`, `interval` (how it was computed), `loss` and `loss_as_dealt`
        (points a seat and positive deal: mean, half_width, interval, count), `decisions`, `mistakes`; `situations`:
        for each `loss`, `decisions`, `mistakes`, `worlds_measured`; `exchanges`; `wall_seconds`, `cpu_seconds`,
        `versions`.
        """
        return {
            "format": AUCTION_FORMAT,
            "env": ENV_VERSION,
            "ruleset": {"name": self.ruleset.name, "options": self.ruleset.to_dict()},
            "bot": _entrant_dict(self.entrant),
            "playouts": _entrant_dict(self.playouts),
            "seed": self.seed,
            "worlds": self.worlds,
            "num_deals": self.num_deals,
            "num_deals_asked": self.num_deals_asked,
            "is_complete": self.is_complete,
            "interval": INTERVAL,
            "loss": self.loss().to_dict(),
            "loss_as_dealt": self.loss_as_dealt().to_dict(),
            "decisions": self.num_decisions(),
            "mistakes": self.num_mistakes(),
            "situations": {name: self._situation_dict(name) for name in self.situations},
            "exchanges": [_exchange_dict(exchange) for exchange in self.exchanges()],
            "wall_seconds": self.wall_seconds,
            "cpu_seconds": self.cpu_seconds,
            "versions": versions(),
        }

    def _calls(self, situation: str | None) -> list[JudgedCall]:
        return [call for call in self.calls if situation in (None, call.situation)]

    def _mean(self, losses: list[tuple[int, float]]) -> Estimate:
        """The mean over deals and seats of losses, each with its deal."""
        by_deal = np.zeros(self.num_deals)
        for deal, loss in losses:
            by_deal[deal] += loss / NUM_SEATS
        return estimate_mean(by_deal, np.ones(self.num_deals))

    def _situation_dict(self, name: str) -> dict[str, Any]:
        worlds = self.worlds_measured(name)
        return {
            "loss": self.loss(name).to_dict(),
            "decisions": self.num_decisions(name),
            "mistakes": self.num_mistakes(name),
            "worlds_measured": worlds if np.isfinite(worlds) else None,
        }


def _entrant_dict(entrant: Entrant) -> dict[str, Any]:
    return {"label": entrant.label, "choice": entrant.choice, "version": entrant.version}


def _exchange_dict(exchange: Exchange) -> dict[str, Any]:
    return {
        "situation": exchange.situation,
        "said": action_text(exchange.said),
        "better": action_text(exchange.better),
        "count": exchange.count,
        "loss": exchange.loss,
    }


def measure_auction(
    bot: BotChoice,
    num_deals: int,
    seed: int,
    ruleset: RuleSet | str | dict[str, Any] = "portuguese",
    *,
    worlds: int = DEFAULT_WORLDS,
    playouts: BotChoice | None = None,
    progress: bool = True,
) -> AuctionResult:
    """Measure how many points a bot loses in a positive deal by its calls, with 95 % intervals.

    Args:
        bot: a name, a checkpoint's path, `package.module:factory` or a bot; it sits in all four seats.
        num_deals: how many positive deals.
        seed: of the deals, which nothing else is played on (`chance.PURPOSES`), and of the random numbers.
        ruleset: the rules, by name or as a `RuleSet`.
        worlds: in how many the reference searches each decision, and in how many at most it is measured what it found.
        playouts: with whom, in all four seats, the reference plays out; None: with the bot itself. The losses are
            measured with the bot in any case.
        progress: show a bar, if the terminal is one and tqdm is installed.

    Returns:
        The losses. Ctrl-C raises `AuctionInterrupted`, and a bot at fault `AuctionFaultError`; both hold the result of
        the deals measured until then.

    """
    plan = make_auction_plan(bot, num_deals, seed, make_ruleset(ruleset), worlds, playouts)
    measured: list[list[JudgedCall]] = []
    wall, cpu = time.perf_counter(), time.process_time()

    def result() -> AuctionResult | None:
        if not measured:
            return None
        return AuctionResult(
            entrant=plan.field.entrant,
            playouts=plan.playouts.entrant,
            ruleset=plan.ruleset,
            seed=plan.seed,
            worlds=plan.worlds,
            num_deals=min(len(measured) * DEALS_AT_ONCE, num_deals),
            num_deals_asked=num_deals,
            calls=tuple(call for calls in measured for call in calls),
            wall_seconds=time.perf_counter() - wall,
            cpu_seconds=time.process_time() - cpu,
        )

    with _progress_bar(num_deals, progress) as advance:
        try:
            for first in range(0, num_deals, DEALS_AT_ONCE):
                size = min(DEALS_AT_ONCE, num_deals - first)
                measured.append(judge_deals(plan, first, size))
                advance(size)
        except FieldFaultError as error:
            raise AuctionFaultError(str(error), result()) from error.__cause__
        except KeyboardInterrupt:
            raise AuctionInterrupted(result()) from None
    finished = result()
    assert finished is not None, "there is at least one deal"
    return finished


def make_auction_plan(
    bot: BotChoice, num_deals: int, seed: int, ruleset: RuleSet, worlds: int, playouts: BotChoice | None
) -> AuctionPlan:
    """Check all that was asked for, and draw up what is to be measured."""
    whole_number("num_deals", num_deals, 1)
    whole_number("seed", seed, 0)
    whole_number("worlds", worlds, 2)
    field = _field_of("bot", bot)
    return AuctionPlan(
        field=field,
        playouts=field if playouts is None else _field_of("playouts", playouts),
        ruleset=ruleset,
        seed=seed,
        worlds=worlds,
        deal_streams=new_streams(seed, num_deals, "auction"),
    )


def _field_of(option: str, bot: BotChoice) -> Field:
    (entrant,), _ = enter_bots([bot] * NUM_SEATS, allow_cheating=True)
    if entrant.sees_all_hands:
        raise ValueError(f"{option}: {entrant.label} sees all hands, and its calls are none that a seat could make")
    return Field(entrant)


def judge_deals(plan: AuctionPlan, first: int, size: int) -> list[JudgedCall]:
    """What the reference thinks of the calls in these deals; it depends on nothing but the plan and which they are."""
    of_worlds, of_playouts = _generators(plan, first)
    decisions = hear_auctions(plan.field, deal_cards(plan, first, size), first, of_playouts)
    worlds = [draw_worlds(decision, plan.field, plan.worlds, of_worlds) for decision in decisions]
    questions = [Question(decision, each.to_choose) for decision, each in zip(decisions, worlds, strict=True)]
    search_calls(questions, plan.playouts, of_playouts)
    better = [question.answer() for question in questions]
    doubted = [i for i, decision in enumerate(decisions) if better[i] != decision.said]
    gains = gains_of_second_thoughts(
        [decisions[i] for i in doubted],
        [better[i] for i in doubted],
        [worlds[i].to_measure for i in doubted],
        plan.field,
        of_playouts,
    )
    gains_at = dict(zip(doubted, gains, strict=True))
    return [_judged(decision, better[i], gains_at.get(i)) for i, decision in enumerate(decisions)]


def _judged(decision: Decision, better: Action, gains: np.ndarray | None) -> JudgedCall:
    """gains: of the better call, first as dealt and then in each world; None where there is no better one."""
    return JudgedCall(
        deal=decision.deal,
        situation=PHASE_NAMES[decision.game["phase"][0]],
        said=decision.said,
        better=better,
        loss=0.0 if gains is None else float(gains.mean()),
        loss_as_dealt=0.0 if gains is None else float(gains[0]),
        num_worlds=0 if gains is None else len(gains),
    )


def deal_cards(plan: AuctionPlan, first: int, size: int) -> GameRecords:
    """These deals of the plan, in which nothing has been said: GAME_DTYPE[size]."""
    games = new_records(size)
    plan.ruleset.write_to(games)
    hands = np.empty((size, 1, 1, NUM_SEATS), dtype=np.int64)
    draw_games(plan.deal_streams[first : first + size].copy(), ONE_POSITIVE_DEAL, games.reshape(size, 1), hands)
    start_deals(games, hands.reshape(size, NUM_SEATS))
    return games


def hear_auctions(field: Field, games: GameRecords, first: int, rng: np.random.Generator) -> list[Decision]:
    """All decisions with a choice while the field calls in these deals, which are those from number `first` on."""
    decisions: list[Decision] = []
    games = games.copy()
    while True:
        which = np.flatnonzero((games["phase"] >= OPENING) & (games["phase"] <= DECLARING))
        if len(which) == 0:
            return sorted(decisions, key=lambda decision: decision.deal)
        speaking = games[which]
        said = field.actions(speaking, rng)
        for row, deal in enumerate(which):
            before = speaking[row : row + 1].copy()
            if len(legal_calls_of(before)) > 1:
                decisions.append(Decision(first + int(deal), before, int(said[row])))
        step_games(speaking, said)
        games[which] = speaking


def _generators(plan: AuctionPlan, first: int) -> tuple[np.random.Generator, np.random.Generator]:
    """Random numbers for the worlds of these deals and for who plays in them."""
    sequence = np.random.SeedSequence(plan.seed, spawn_key=(PURPOSES["bots"], first))
    of_worlds, of_playouts = sequence.spawn(2)
    return np.random.default_rng(of_worlds), np.random.default_rng(of_playouts)


@contextmanager
def _progress_bar(num_deals: int, wanted: bool) -> Iterator[Advance]:
    """A bar on the terminal, as far as it is one, wanted, and tqdm is there to draw it."""
    if not wanted or tqdm is None:
        yield lambda num_deals: None
        return
    layout = "{percentage:3.0f}%|{bar}| {n:.0f}/{total} deals [{elapsed}<{remaining}]"
    with tqdm(total=num_deals, disable=None, leave=False, bar_format=layout) as bar:
        yield bar.update
