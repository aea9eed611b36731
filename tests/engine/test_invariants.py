"""What holds at every moment of every game, whoever plays whatever: checked under random play of all rule sets."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterator

import numpy as np
import pytest

from king_env.engine import batch
from king_env.engine.actions import FIRST_CALL, NUM_ACTIONS
from king_env.engine.contracts import CONTRACT_NAMES, TOTAL_POINTS, TRICK_UNITS, UNIT_POINTS
from king_env.engine.kernel import JIT_ENABLED
from king_env.game import Game, IllegalActionError
from king_env.notation import action_text
from king_env.ruleset import BRAZILIAN_AUCTION, BRAZILIAN_TRUMP, PORTUGUESE, RuleSet
from tests.engine.table import PACK, field

NUM_GAMES = 4 if JIT_ENABLED else 1  # of each rule set, for each test
SHARE_TRIED = 0.05 if JIT_ENABLED else 0.02  # of the moments at which all 81 actions are tried
ALL_CARDS = (1 << 52) - 1

HOUSES = {
    "portuguese": PORTUGUESE,
    "brazilian_auction": BRAZILIAN_AUCTION,
    "brazilian_trump": BRAZILIAN_TRUMP,
    "portuguese, free": dataclasses.replace(
        PORTUGUESE, max_bid=13, max_nulls=4, settlement="full", first_lead="declarer", king_of_hearts_forced="never"
    ),
    "brazilian, free": dataclasses.replace(
        BRAZILIAN_AUCTION, max_nulls=4, down=True, no_trump=True, skip_limit=100, stop_when_decided=True
    ),
}
every_house = pytest.mark.parametrize("rules", HOUSES.values(), ids=HOUSES)


def some_legal(game: Game, rng: random.Random) -> str:
    """Any legal action; in an auction often a pass or a low bid, so that auctions go deep and end."""
    actions = game.legal()
    if game.phase == "bidding" and rng.random() < 0.8:
        return rng.choice(actions[:3])
    return rng.choice(actions)


def play_games(rules: RuleSet, num_deals: int = 10) -> Iterator[tuple[Game, random.Random]]:
    """Fresh games with the cards of a seed, and what to play them by."""
    for seed in range(NUM_GAMES):
        yield Game(rules, seed=seed, num_deals=num_deals), random.Random(seed)


def walk(rules: RuleSet, check: Callable[[Game], None]) -> None:
    """Play games at random and check before the first action and after every one."""
    for game, rng in play_games(rules):
        check(game)
        while not game.is_over:
            game.play(some_legal(game, rng))
            check(game)


# Cards


@every_house
def test_every_card_is_in_one_place(rules: RuleSet) -> None:
    def check(game: Game) -> None:
        places = field(game, "hands") + field(game, "played")
        assert sum(places) == ALL_CARDS
        assert sum(place.bit_count() for place in places) == 52

    walk(rules, check)


@every_house
def test_hands_are_as_long_as_the_trick_says(rules: RuleSet) -> None:
    def check(game: Game) -> None:
        num_plays, leader = field(game, "num_plays"), field(game, "leader")
        for seat, hand in enumerate(field(game, "hands")):
            has_played = (seat - leader) % 4 < num_plays % 4
            assert hand.bit_count() == 13 - num_plays // 4 - has_played

    walk(rules, check)


@every_house
def test_the_cards_on_the_table_are_the_last_plays(rules: RuleSet) -> None:
    def check(game: Game) -> None:
        num_plays = field(game, "num_plays")
        on_table = field(game, "plays")[num_plays - num_plays % 4 : num_plays]
        assert field(game, "trick_cards") == sum(1 << card for card in on_table)

    walk(rules, check)


@every_house
def test_voids_are_truthful(rules: RuleSet) -> None:
    """A seat is noted void in just those suits that it has failed to follow, and it does hold none of them."""

    def check(game: Game) -> None:
        hands = field(game, "hands")
        for seat, voids in enumerate(field(game, "voids")):
            for suit in range(4):
                if voids >> suit & 1:
                    assert hands[seat] >> (13 * suit) & 8191 == 0

    walk(rules, check)


@every_house
def test_every_discard_is_noted_as_a_void(rules: RuleSet) -> None:
    for game, rng in play_games(rules):
        while not game.is_over:
            action = some_legal(game, rng)
            seat, led = game.turn, field(game, "led_suit")
            is_discard = action in PACK and field(game, "num_plays") % 4 and PACK.index(action) // 13 != led
            deal = game.deal_number
            before = field(game, "voids")
            game.play(action)
            if not game.is_over and game.deal_number == deal:
                assert seat is not None
                noted = [
                    voids | (1 << led if is_discard and other == seat else 0) for other, voids in enumerate(before)
                ]
                assert field(game, "voids") == noted


# Scores


@every_house
def test_the_scores_of_every_deal_sum_to_its_total(rules: RuleSet) -> None:
    for game, rng in play_games(rules):
        totals = []
        while not game.is_over:
            number = len(game.scores_by_deal)
            contract = game.contract
            game.play(some_legal(game, rng))
            if len(game.scores_by_deal) > number:
                totals.append((contract, sum(game.scores_by_deal[-1])))
        for contract, total in totals:
            is_negative = contract.startswith("no_")
            assert total == (TOTAL_POINTS[CONTRACT_NAMES.index(contract)] if is_negative else 325)


@every_house
def test_the_scores_of_a_game_sum_to_zero(rules: RuleSet) -> None:
    for game, rng in play_games(rules):
        while not game.is_over:
            game.play(some_legal(game, rng))
        assert sum(game.scores) == 0


@every_house
def test_the_scores_of_the_game_are_those_of_its_deals(rules: RuleSet) -> None:
    def check(game: Game) -> None:
        deals = list(game.scores_by_deal) if game.is_over else [*game.scores_by_deal, game.hand_scores]
        assert game.scores == [sum(column) for column in zip(*deals, strict=True)]
        negative, positive, balance = game.score_sheet
        assert list(balance) == game.scores
        assert list(negative) == [sum(column) for column in zip(*deals[:6], strict=True)]
        assert list(positive) == [total - part for total, part in zip(balance, negative, strict=True)]

    walk(rules, check)


@every_house
def test_tricks_taken_are_the_tricks_completed(rules: RuleSet) -> None:
    def check(game: Game) -> None:
        assert sum(field(game, "tricks")) == field(game, "num_plays") // 4

    walk(rules, check)


@every_house
def test_units_are_what_the_contract_counts(rules: RuleSet) -> None:
    """Units times their points are the score, until a sale is settled or the deal is skipped."""

    def check(game: Game) -> None:
        contract = field(game, "contract")
        units = field(game, "units")
        if game.phase == "playing":
            start = 325 if game.contract == "down" else 0
            assert game.hand_scores == [start + UNIT_POINTS[contract] * unit for unit in units]
        if game.contract in ("no_tricks", "up", "down"):
            assert units == field(game, "tricks")
        if game.contract == "no_last_two":
            completed = field(game, "num_plays") // 4
            assert sum(units) == TRICK_UNITS[contract, :completed].sum()

    walk(rules, check)


# Actions


@every_house
def test_the_mask_is_what_play_accepts(rules: RuleSet) -> None:
    """Each of the 81 actions is either in the mask and played, or refused, and then nothing has changed."""
    for game, rng in play_games(rules):
        while not game.is_over:
            legal = set(game.legal_ids())
            assert legal
            if rng.random() < SHARE_TRIED:
                for action in range(NUM_ACTIONS):
                    assert accepts(game, action) == (action in legal)
            game.play(some_legal(game, rng))
        assert game.legal_ids() == []


def accepts(game: Game, action: int) -> bool:
    copy = game.clone()
    before = copy.record.tobytes()
    try:
        copy.play(action)
    except IllegalActionError as refusal:
        assert str(refusal).startswith(f"{action_text(action)}: ")
        assert copy.record.tobytes() == before
        return False
    return True


@every_house
def test_mask_and_words_are_the_same_actions(rules: RuleSet) -> None:
    def check(game: Game) -> None:
        cards, calls = np.zeros(1, dtype=np.int64), np.zeros(1, dtype=np.int64)
        batch.legal_words(game.record, cards, calls)
        in_words = [action for action in range(FIRST_CALL) if int(cards[0]) >> action & 1]
        in_words += [action for action in range(FIRST_CALL, NUM_ACTIONS) if int(calls[0]) >> action - FIRST_CALL & 1]
        assert in_words == game.legal_ids()

    walk(rules, check)


# Copies and history


@every_house
def test_a_clone_goes_on_identically(rules: RuleSet) -> None:
    for game, rng in play_games(rules):
        while not game.is_over and rng.random() > 0.01:
            game.play(some_legal(game, rng))
        clone = game.clone()
        before = clone.record.tobytes()
        actions = []
        while not game.is_over:
            actions.append(some_legal(game, rng))
            game.play(actions[-1])
        assert clone.record.tobytes() == before
        for action in actions:
            clone.play(action)
        assert clone.record.tobytes() == game.record.tobytes()


@every_house
def test_the_history_of_a_deal_replays_to_the_same_record(rules: RuleSet) -> None:
    for first_deal in range(10):
        game = Game(rules, seed=first_deal, first_deal=first_deal, num_deals=1)
        rng = random.Random(first_deal)
        while not game.is_over:
            game.play(some_legal(game, rng))
        record = game.record[0]
        again = Game(rules, deals=list(game.deals), dealer=game.first_dealer, first_deal=first_deal, num_deals=1)
        for action in [*record["calls"][: record["num_calls"]], *record["plays"][: record["num_plays"]]]:
            again.play(int(action))
        assert again.record.tobytes() == game.record.tobytes()


@every_house
def test_the_last_call_of_a_seat_is_its_last_in_the_order_of_calls(rules: RuleSet) -> None:
    for seed in range(NUM_GAMES):
        game = Game(rules, seed=seed, first_deal=6, num_deals=1)
        rng = random.Random(seed)
        said: dict[int, int] = {}
        while not game.is_over:
            action, seat = some_legal(game, rng), game.turn
            game.play(action)
            if action not in PACK and seat is not None:
                said[seat] = game.actions[-1]
            assert field(game, "last_calls") == [said.get(other, 0) for other in range(4)]


@every_house
def test_a_game_record_replays_to_the_same_game(rules: RuleSet) -> None:
    for game, rng in play_games(rules):
        while not game.is_over and rng.random() > 0.005:
            game.play(some_legal(game, rng))
        assert Game.from_record(game.to_record()).record.tobytes() == game.record.tobytes()
