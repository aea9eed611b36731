"""The engine against the rules written a second time (`tests/reference`): random games, compared after every action.

Who is to act, in what phase, what is legal, the scores of the deal and of the game must be the same throughout; and at
the end of each test everything that can happen under its rules must have happened.

The long form, ten times as many games (some ten minutes; thousands of whole games a rule set and of deals an option):

    KING_REFERENCE_TIMES=10 pytest tests/engine/test_against_reference.py
"""

from __future__ import annotations

import dataclasses
import os
import random
from typing import Any

import numpy as np
import pytest

from king_env.engine import batch
from king_env.engine.actions import FIRST_CALL
from king_env.engine.cards import SUIT_LETTERS
from king_env.engine.contracts import CONTRACT_NAMES
from king_env.engine.kernel import JIT_ENABLED
from king_env.engine.state import MAX_CALLS, PHASE_NAMES, new_records
from king_env.notation import action_text
from king_env.ruleset import BRAZILIAN_AUCTION, BRAZILIAN_TRUMP, PORTUGUESE, RULESETS, RuleSet
from tests.reference.driving import (
    Driver,
    deal_cards,
    longest_auction,
    possible_events,
    possible_play_events,
    random_rules,
)
from tests.reference.rules import ACTIONS, NAMED_RULES, ReferenceGame, Rules

FIRST_POSITIVE, KING_OF_HEARTS_DEAL = 6, 4
# As plain Python the engine is too slow for thousands of games: then a few show that both ways of running it agree.
SHARE = float(os.environ.get("KING_REFERENCE_TIMES", "1")) if JIT_ENABLED else 0.04

TRUMP_NAMES = (*SUIT_LETTERS, "NT")
BRAZILIAN_WITH_ALL = dataclasses.replace(BRAZILIAN_AUCTION, max_nulls=4, no_trump=True, down=True)
PORTUGUESE_WITH_ALL = dataclasses.replace(PORTUGUESE, max_bid=13, max_nulls=4)


def some(number: int) -> int:
    """This many, ten times as many in the long form, or without the JIT a small share of it."""
    return max(2, round(SHARE * number))


def options_of(ruleset: RuleSet) -> Rules:
    """The rule set as the reference knows it."""
    return dataclasses.asdict(ruleset)


ACTION_BIT = {text: 1 << action for action, text in enumerate(ACTIONS)}


def as_set(texts: list[str]) -> int:
    return sum([ACTION_BIT[text] for text in texts])


class BothGames:
    """One game played by the engine and by the reference, side by side."""

    def __init__(self, ruleset: RuleSet, deals: list[list[list[int]]], dealer: int, first_deal: int) -> None:
        self.ruleset = ruleset
        self.dealer = dealer
        self.deals = deals
        self.reference = ReferenceGame(options_of(ruleset), deals, dealer, first_deal)
        self.record = new_records(1)
        ruleset.write_to(self.record)
        last_deal = first_deal + len(deals) - 1
        batch.start_games(self.record, np.array([dealer]), np.array([first_deal]), np.array([last_deal]))
        self.phase, self.turn = self.record["phase"], self.record["turn"]
        self.deal_scores, self.scores = self.record["deal_scores"][0], self.record["scores"][0]
        self.cards, self.calls = np.zeros(1, np.int64), np.zeros(1, np.int64)
        self.actions: list[int] = []  # of this deal
        self.action = np.zeros(1, np.int64)
        self.deal()
        self.compare()

    def deal(self) -> None:
        """Hand the engine the cards that the reference has dealt itself."""
        self.actions = []
        hands = self.deals[len(self.reference.finished)]
        batch.start_deals(self.record, np.array([[sum(1 << card for card in hand) for hand in hands]]))

    def play(self, action: int) -> bool:
        """Play it in both and compare them; whether that ended the deal."""
        num_finished = len(self.reference.finished)
        self.actions.append(action)
        self.action[0] = action
        batch.step_games(self.record, self.action)
        self.reference.play(action)
        ends_deal = len(self.reference.finished) > num_finished
        if ends_deal:
            self.check("scores of the deal", self.deal_scores.tolist(), self.reference.finished[-1])
            self.check("phase", PHASE_NAMES[self.phase[0]], "over" if self.reference.over else "to_deal")
            if not self.reference.over:
                self.deal()
        self.compare()
        return ends_deal

    def compare(self) -> None:
        reference = self.reference
        self.check("phase", PHASE_NAMES[self.phase[0]], reference.phase)
        if reference.turn is not None:
            self.check("seat to act", int(self.turn[0]), reference.turn)
        self.check("scores of the deal", self.deal_scores.tolist(), reference.deal_scores)
        self.check("scores of the game", self.scores.tolist(), reference.scores)
        batch.legal_words(self.record, self.cards, self.calls)
        legal = int(self.cards[0]) | int(self.calls[0]) << FIRST_CALL
        if legal != as_set(reference.legal_texts):
            self.check("legal", [text for a, text in enumerate(ACTIONS) if legal >> a & 1], reference.legal_texts)

    def compare_contract(self) -> None:
        """What the auction has come to, before the first card."""
        record, reference = self.record[0], self.reference
        self.check("contract", CONTRACT_NAMES[record["contract"]], reference.contract)
        self.check("declarer", int(record["declarer"]), reference.declarer)
        trump = TRUMP_NAMES[record["trump"]]
        self.check("trump", trump, reference.trump or "NT")
        best_bid = int(record["best_bid"])
        self.check("best bid", action_text(best_bid) if best_bid else None, reference.best_bid)
        if best_bid:
            self.check("holder", int(record["holder"]), reference.holder)

    def check(self, what: str, engine: Any, reference: Any) -> None:
        if engine != reference:
            actions = ", ".join(ACTIONS[action] for action in self.actions)
            raise AssertionError(
                f"{what}: the engine says {engine}, the reference {reference}, in deal {self.reference.deal_number} "
                f"of dealer {self.reference.dealer} after: {actions}; {self.ruleset}"
            )


def play_games(ruleset: RuleSet, num_games: int, driver: Driver, first_deal: int = 0, num_deals: int = 10) -> None:
    """Random games from the first card to the last."""
    rng = driver.rng
    for _ in range(some(num_games)):
        games = BothGames(ruleset, [deal_cards(rng) for _ in range(num_deals)], rng.randrange(4), first_deal)
        while not games.reference.over:
            was_playing = games.reference.phase == "playing"
            ends_deal = games.play(driver.choose(games.reference))
            if ends_deal:
                driver.finish_deal()
            elif not was_playing and games.reference.phase == "playing":
                games.compare_contract()


def play_auctions(ruleset: RuleSet, num_auctions: int, driver: Driver) -> None:
    """Positive deals, left as soon as it is known how they are played."""
    for _ in range(some(num_auctions)):
        games = BothGames(ruleset, [deal_cards(driver.rng)], driver.rng.randrange(4), FIRST_POSITIVE)
        while not games.reference.over and games.reference.phase != "playing":
            games.play(driver.choose(games.reference))
        if not games.reference.over:
            games.compare_contract()


def check_all_seen(driver: Driver, events: set[str]) -> None:
    """Each of these events must have happened; too few games are played without the JIT to ask for it."""
    if JIT_ENABLED:
        assert {event for event in events if not driver.events[event]} == set()


def new_driver(seed: int = 1) -> Driver:
    return Driver(random.Random(seed))


# --- The named rule sets ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", RULESETS)
def test_both_know_the_same_rule_sets(name: str) -> None:
    rules = dict(options_of(RULESETS[name]))
    rules["negatives"] = list(rules["negatives"])
    assert rules == NAMED_RULES[name]


@pytest.mark.parametrize("name", RULESETS)
def test_whole_games_are_the_same(name: str) -> None:
    driver = new_driver()
    play_games(RULESETS[name], 300, driver)
    check_all_seen(driver, possible_play_events(options_of(RULESETS[name])))


@pytest.mark.parametrize(
    "ruleset",
    [PORTUGUESE, BRAZILIAN_AUCTION, BRAZILIAN_TRUMP, PORTUGUESE_WITH_ALL, BRAZILIAN_WITH_ALL],
    ids=["portuguese", "brazilian_auction", "brazilian_trump", "portuguese with all", "brazilian with all"],
)
def test_auctions_are_the_same_and_go_everywhere(ruleset: RuleSet) -> None:
    driver = new_driver()
    play_auctions(ruleset, 1500, driver)
    check_all_seen(driver, possible_events(options_of(ruleset)))
    if JIT_ENABLED:
        assert driver.most_calls >= 0.9 * len(longest_auction(options_of(ruleset)))


# --- Every value of every option --------------------------------------------------------------------------------------


@pytest.mark.parametrize("forced", ["always", "following", "when_void", "never"])
def test_king_of_hearts_forced(forced: str) -> None:
    ruleset = dataclasses.replace(PORTUGUESE, king_of_hearts_forced=forced)
    driver = new_driver()
    play_games(ruleset, 1200, driver, first_deal=KING_OF_HEARTS_DEAL, num_deals=1)
    check_all_seen(driver, {event for event in possible_play_events(options_of(ruleset)) if "king" in event})


@pytest.mark.parametrize("base", [PORTUGUESE, BRAZILIAN_AUCTION], ids=["owner_opens", "always"])
@pytest.mark.parametrize("first_lead", ["dealer", "declarer", "left_of_dealer"])
def test_first_lead(base: RuleSet, first_lead: str) -> None:
    play_games(dataclasses.replace(base, first_lead=first_lead), 40, new_driver())


@pytest.mark.parametrize("stops", [True, False])
def test_stop_when_decided(stops: bool) -> None:
    driver = new_driver()
    play_games(dataclasses.replace(PORTUGUESE, stop_when_decided=stops), 80, driver)
    assert (driver.events["deal stopped early"] > 0) == stops


@pytest.mark.parametrize("seed", range(6))
def test_any_order_of_the_negatives(seed: int) -> None:
    negatives = list(PORTUGUESE.negatives)
    random.Random(seed).shuffle(negatives)
    play_games(dataclasses.replace(PORTUGUESE, negatives=tuple(negatives)), 50, new_driver(), num_deals=FIRST_POSITIVE)


@pytest.mark.parametrize("base", [PORTUGUESE_WITH_ALL, BRAZILIAN_WITH_ALL], ids=["owner_opens", "always"])
@pytest.mark.parametrize("settlement", ["capped", "full"])
def test_settlement(base: RuleSet, settlement: str) -> None:
    ruleset = dataclasses.replace(base, settlement=settlement)
    driver = new_driver()
    play_games(ruleset, 150, driver, first_deal=FIRST_POSITIVE, num_deals=4)
    check_all_seen(driver, {event for event in possible_play_events(options_of(ruleset)) if "buyer" in event})


def auction_options() -> list[RuleSet]:
    """Both auctions with each value of each option that they have."""
    changes: list[dict[str, Any]] = [{"max_bid": number, "ultimatum": False} for number in range(14)]
    changes += [{"max_nulls": number} for number in range(5)]
    changes += [{"skip_limit": limit} for limit in (None, *range(0, 326, 25))]
    changes += [{"no_trump": False}, {"max_nulls": 0, "ultimatum": False, "down": False}, {"ultimatum": False}]
    bases = (PORTUGUESE_WITH_ALL, BRAZILIAN_WITH_ALL)
    return [dataclasses.replace(base, **change) for base in bases for change in changes]


def test_every_value_of_the_options_of_an_auction() -> None:
    driver = new_driver()
    for ruleset in auction_options():
        play_auctions(ruleset, 40, driver)


@pytest.mark.parametrize(("no_trump", "down"), [(True, True), (True, False), (False, True), (False, False)])
def test_no_trump_and_down_without_an_auction(no_trump: bool, down: bool) -> None:
    ruleset = dataclasses.replace(BRAZILIAN_TRUMP, no_trump=no_trump, down=down)
    driver = new_driver()
    play_games(ruleset, 50, driver, first_deal=FIRST_POSITIVE, num_deals=4)
    check_all_seen(driver, possible_events(options_of(ruleset)))


@pytest.mark.parametrize("part", range(8))
def test_random_combinations_of_options(part: int) -> None:
    driver = new_driver(part)
    for _ in range(some(25)):
        ruleset = RuleSet.from_dict(random_rules(driver.rng))
        play_games(ruleset, 2, driver)
        play_auctions(ruleset, 20, driver)


# --- How long an auction can be ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("ruleset", [*RULESETS.values(), PORTUGUESE_WITH_ALL, BRAZILIAN_WITH_ALL])
@pytest.mark.parametrize("skip_limit", [None, 325])
def test_a_record_has_room_for_the_longest_auction(ruleset: RuleSet, skip_limit: int | None) -> None:
    assert len(longest_auction({**options_of(ruleset), "skip_limit": skip_limit})) <= MAX_CALLS
