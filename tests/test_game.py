"""One game through its friendly methods: playing, refusals, scores, records."""

from __future__ import annotations

import copy
import json
import pickle
import random
from collections.abc import Mapping
from typing import Any

import numpy as np
import pytest

from king_env.game import Game, GameError, IllegalActionError
from king_env.notation import NotationError, parse_deal
from king_env.ruleset import RULESETS, RuleSet, RuleSetError

# Seat 0 has every spade, 1 every heart, 2 every diamond, 3 every club.
ONE_SUIT_EACH = "0:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
MIXED = "0:AKQ2.432.5432.32 JT9.AKQ.876.AKQJ 876.JT98.AKQ.T98 543.765.JT9.7654"
DEAL_OF = {"no_tricks": 0, "no_hearts": 1, "no_queens": 2, "no_king_of_hearts": 4, "positive": 6}


def one_deal(
    contract: str,
    *actions: str,
    deal: str = MIXED,
    ruleset: RuleSet | str | Mapping[str, Any] = "portuguese",
    dealer: int = 0,
) -> Game:
    """A game of one deal after these actions."""
    game = Game(ruleset, deals=[deal], dealer=dealer, first_deal=DEAL_OF[contract], num_deals=1)
    for action in actions:
        game.play(action)
    return game


def refusal(game: Game, action: Any) -> str:
    """Why the game refuses an action, which must leave it as it was."""
    before = game.record.copy()
    with pytest.raises(IllegalActionError) as refused:
        game.play(action)
    assert (game.record == before).all()
    return str(refused.value)


def play_on(game: Game, rng: random.Random, num_actions: int = 10_000) -> Game:
    """Play at random, to the end if there is enough left."""
    for _ in range(num_actions):
        if game.is_over:
            break
        game.play(rng.choice(game.legal_ids()))
    return game


# Playing


def test_the_dealer_leads_a_negative_deal() -> None:
    game = one_deal("no_tricks", dealer=2)
    assert (game.turn, game.phase, game.contract, game.dealer) == (2, "playing", "no_tricks", 2)
    assert game.hand(2) == "8S 7S 6S JH TH 9H 8H AD KD QD TC 9C 8C"


def test_actions_are_texts_or_numbers_of_any_kind() -> None:
    game = one_deal("no_tricks")
    game.play("as")
    game.play(np.int64(46))
    game.play(np.array(44, dtype=np.int32))
    game.play(42)
    assert game.hand(3).startswith("4S 3S") and game.turn == 0


def test_legal_texts_and_numbers_are_the_same_actions() -> None:
    game = one_deal("no_tricks", "AS")
    assert game.legal() == ["9S", "TS", "JS"]
    assert game.legal_ids() == [46, 47, 48]


def test_the_scores_follow_trick_by_trick() -> None:
    game = one_deal("no_tricks", deal=ONE_SUIT_EACH)
    for action in ("AS", "2H", "2D", "2C"):
        game.play(action)
    assert game.scores == game.hand_scores == [-20, 0, 0, 0]
    play_on(game, random.Random(1))
    assert game.scores == [-260, 0, 0, 0]
    assert game.is_over and game.turn is None and game.legal() == []


def test_a_down_deal_starts_at_325_each() -> None:
    game = one_deal("positive", "down", deal=ONE_SUIT_EACH)
    assert game.hand_scores == [325, 325, 325, 325]
    assert play_on(game, random.Random(1)).scores == [-650, 325, 325, 325]


def test_the_contract_is_positive_until_it_is_chosen() -> None:
    game = one_deal("positive")
    assert (game.contract, game.trump, game.phase) == ("positive", None, "opening")
    game.play("up H")
    assert (game.contract, game.trump, game.phase) == ("up", "H", "playing")
    assert one_deal("positive", "up NT").trump is None


def test_a_game_has_ten_deals_and_the_deal_passes_to_the_left() -> None:
    game = Game(seed=5, dealer=2)
    dealers, contracts = [], []
    rng = random.Random(5)
    for number in range(1, 11):
        assert game.deal_number == number
        dealers.append(game.dealer)
        contracts.append(game.contract)
        while not game.is_over and game.deal_number == number:
            game.play(rng.choice(game.legal_ids()))
    assert dealers == [2, 3, 0, 1, 2, 3, 0, 1, 2, 3]
    assert contracts == [
        *("no_tricks", "no_hearts", "no_queens", "no_kings_jacks", "no_king_of_hearts", "no_last_two"),
        *["positive"] * 4,
    ]
    assert game.is_over


@pytest.mark.parametrize("ruleset", list(RULESETS))
def test_the_score_sheet_adds_up_to_a_balance_whose_sum_is_zero(ruleset: str) -> None:
    game = play_on(Game(ruleset, seed=11), random.Random(11))
    sheet = game.score_sheet
    assert list(sheet.balance) == game.scores
    assert [n + p for n, p in zip(sheet.negative, sheet.positive, strict=True)] == game.scores
    assert list(sheet.negative) == [sum(column) for column in zip(*game.scores_by_deal[:6], strict=True)]
    assert (sum(sheet.negative), sum(sheet.positive), sum(sheet.balance)) == (-1300, 1300, 0)


def test_points_of_a_negative_deal_in_progress_stand_in_the_first_column() -> None:
    game = one_deal("no_tricks", "AS", "2H", "2D", "2C", deal=ONE_SUIT_EACH)
    assert game.score_sheet == ((-20, 0, 0, 0), (0, 0, 0, 0), (-20, 0, 0, 0))


def test_equal_totals_share_the_place() -> None:
    assert one_deal("no_tricks").placings == [1, 1, 1, 1]
    assert one_deal("positive", "auction", "pass", "pass", "pass", "skip").placings == [1, 2, 2, 2]
    assert one_deal("no_tricks", "AS", "2H", "2D", "2C", deal=ONE_SUIT_EACH).placings == [4, 1, 1, 1]


def test_a_skipped_deal_scores_four_three_three_three() -> None:
    game = one_deal("positive", "auction", "pass", "bid 3", "pass", "skip")
    assert game.scores == [100, 75, 75, 75] and game.is_over


# Setting up


def test_a_seed_draws_the_same_game_again() -> None:
    first, again, other = Game(seed=7), Game(seed=7), Game(seed=8)
    assert (first.record == again.record).all()
    assert first.deals.tolist() == again.deals.tolist() != other.deals.tolist()
    assert (Game().deals != Game().deals).any()


def test_a_seed_draws_the_same_cards_whoever_deals() -> None:
    assert Game(seed=7, dealer=1).deals.tolist() == Game(seed=7, dealer=3).deals.tolist()


def test_every_seat_deals_first_now_and_then() -> None:
    assert {Game(seed=seed, num_deals=1).dealer for seed in range(40)} == {0, 1, 2, 3}


def test_given_deals_are_played_in_turn_and_seat_0_deals_first() -> None:
    deals: list[Any] = [MIXED, parse_deal(ONE_SUIT_EACH), [range(seat, 52, 4) for seat in range(4)]]
    game = Game(deals=deals, num_deals=3)
    assert (game.dealer, game.hand(1).split()[0]) == (0, "JS")
    rng = random.Random(2)
    while game.deal_number == 1:
        game.play(rng.choice(game.legal_ids()))
    assert (game.dealer, game.hand(1).split()[0]) == (1, "AH")


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"dealer": 4}, "dealer: must be a whole number from 0 to 3, not 4"),
        ({"dealer": True}, "dealer: must be a whole number from 0 to 3, not True"),
        ({"first_deal": 10}, "first_deal: must be a whole number from 0 to 9, not 10"),
        ({"num_deals": 0}, "num_deals: must be a whole number from 1 to 10, not 0"),
        ({"first_deal": 6, "num_deals": 5}, "num_deals: must be a whole number from 1 to 4, not 5"),
        ({"seed": -1}, "seed: must be a whole number of at least 0, not -1"),
        ({"seed": "1"}, "seed: must be a whole number of at least 0, not '1'"),
        ({"deals": [MIXED]}, "deals: 1 given, but this game has 10"),
        ({"deals": [], "num_deals": 1}, "deals: 0 given, but this game has 1"),
        ({"deals": MIXED, "num_deals": 1}, "deals: must be a list of deals"),
        ({"deals": [MIXED, MIXED[:-1]], "num_deals": 2}, "deal 2 of 2: malformed deal: seat 3 holds 12 .* missing: 4C"),
    ],
)
def test_a_game_that_cannot_be_is_refused(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(GameError, match=reason):
        Game(**options)


def test_an_unknown_rule_set_is_refused() -> None:
    with pytest.raises(RuleSetError, match="unknown rule set 'portugese'"):
        Game("portugese")


def test_a_game_may_be_played_by_rules_of_the_house() -> None:
    game = one_deal("positive", "auction", "nulls 3", ruleset={"max_nulls": 3})
    assert game.ruleset == RuleSet(max_nulls=3)


# Refusals


@pytest.mark.parametrize("nonsense", ["", "bid 14", "XH", 81, -1, 1.5, None, True])
def test_what_is_no_action_is_refused_with_what_is(nonsense: Any) -> None:
    assert refusal(one_deal("no_tricks"), nonsense).startswith("no action")


def test_follow_suit() -> None:
    assert refusal(one_deal("no_tricks", "AS"), "AH") == "AH: must follow spades (Rules 1)"


def test_a_card_of_another_hand() -> None:
    assert refusal(one_deal("no_tricks"), "JS") == "JS: seat 0 does not hold it"


def test_a_card_played_before() -> None:
    assert refusal(one_deal("no_tricks", "AS", "JS", "8S", "5S"), "AS") == "AS: seat 0 does not hold it"


@pytest.mark.parametrize("contract", ["no_hearts", "no_king_of_hearts"])
def test_hearts_may_not_be_led(contract: str) -> None:
    reason = "2H: hearts may not be led while holding any other suit (Rules 2)"
    assert refusal(one_deal(contract), "2H") == reason
    one_deal("no_queens", "2H")


def test_the_king_of_hearts_is_forced() -> None:
    void = one_deal("no_king_of_hearts", "AS", deal=ONE_SUIT_EACH)
    reason = "2H: KH may be played and so must be (Rules 2, option king_of_hearts_forced)"
    assert refusal(void, "2H") == reason
    leading = one_deal("no_king_of_hearts", deal=ONE_SUIT_EACH, dealer=1)
    assert refusal(leading, "2H") == reason


def test_no_call_while_cards_are_played() -> None:
    assert refusal(one_deal("no_tricks"), "pass") == "pass: seat 0 is to play a card (Rules 1)"


def test_no_card_before_the_deal_is_declared() -> None:
    assert refusal(one_deal("positive"), "AS") == "AS: seat 0 owns the deal and is to open it (Rules 3.1)"


def test_nothing_after_the_game() -> None:
    game = play_on(one_deal("no_tricks"), random.Random(1))
    assert refusal(game, "AS") == "AS: the game is over"


def test_a_bid_must_be_worth_more() -> None:
    game = one_deal("positive", "auction", "bid 4")
    assert refusal(game, "bid 3") == "bid 3: must be worth more than the 100 points of bid 4 (Rules 3.2)"
    game = one_deal("positive", "auction", "bid 3")
    assert refusal(game, "nulls 1") == "nulls 1: must be worth more than the 75 points of bid 3 (Rules 3.2)"


def test_only_an_earlier_seat_may_match() -> None:
    game = one_deal("positive", "auction", "bid 4")
    assert refusal(game, "bid 4") == "bid 4: only a seat earlier than its holder, seat 1, may match it (Rules 3.2)"


def test_a_brazilian_match_waits_for_the_owner() -> None:
    game = one_deal("positive", "pass", "bid 2", ruleset="brazilian_auction")
    assert refusal(game, "bid 2") == "bid 2: may be matched only after the owner has accepted it (Rules 3.3)"
    for action in ("pass", "refuse"):
        game.play(action)
    assert refusal(game, "bid 2") == "bid 2: may be matched only after the owner has accepted it (Rules 3.3)"


def test_a_brazilian_holder_may_not_match_himself() -> None:
    game = one_deal("positive", "bid 2", "pass", "pass", "accept", ruleset="brazilian_auction")
    assert refusal(game, "bid 2") == "bid 2: seat 1 holds bid 2 already (Rules 3.3)"


def test_bids_end_where_the_rule_set_says() -> None:
    game = one_deal("positive", "auction")
    assert refusal(game, "bid 9") == "bid 9: this rule set allows bids of tricks up to 8"
    assert refusal(game, "nulls 3") == "nulls 3: this rule set allows nulls up to 2"
    brazilian = one_deal("positive", ruleset="brazilian_auction")
    assert refusal(brazilian, "nulls 1") == "nulls 1: this rule set allows no nulls"


def test_a_bidder_has_no_other_call() -> None:
    game = one_deal("positive", "auction")
    assert refusal(game, "accept") == "accept: seat 1 is to bid or pass (Rules 3.2)"
    brazilian = one_deal("positive", ruleset="brazilian_auction")
    assert refusal(brazilian, "up C") == "up C: seat 1 is to bid or pass (Rules 3.3)"


def test_the_decision_is_the_owners() -> None:
    game = one_deal("positive", "auction", "bid 4", "pass", "pass")
    assert refusal(game, "pass") == "pass: it is the decision of the owner, seat 0 (Rules 3.2)"


def test_there_must_be_a_bid_to_accept() -> None:
    game = one_deal("positive", "auction", "pass", "pass", "pass")
    assert refusal(game, "accept") == "accept: there is no bid to accept (Rules 3.2)"


def test_a_deal_is_not_skipped_over_a_high_bid() -> None:
    game = one_deal("positive", "auction", "bid 4", "pass", "pass")
    reason = "skip: a deal may be skipped up to a best bid worth 75 points, and bid 4 is worth 100 (Rules 3.2)"
    assert refusal(game, "skip") == reason
    never = one_deal("positive", "auction", "pass", "pass", "pass", ruleset={"skip_limit": None})
    assert refusal(never, "skip") == "skip: this rule set skips no deal (option skip_limit)"


def test_the_ultimatum_has_two_answers() -> None:
    game = one_deal("positive", "eight or nulls")
    reason = "seat 1 is to answer the ultimatum with bid 8 or pass (Rules 3.1)"
    assert refusal(game, "bid 7") == f"bid 7: {reason}"


def test_an_ultimatum_only_where_the_rule_set_has_it() -> None:
    game = one_deal("positive", ruleset={"ultimatum": False})
    assert refusal(game, "eight or nulls") == "eight or nulls: this rule set has no ultimatum (option ultimatum)"


def test_no_trump_and_down_only_where_the_rule_set_has_them() -> None:
    game = one_deal("positive", ruleset="brazilian_trump")
    assert refusal(game, "up NT") == "up NT: this rule set asks for a trump suit (option no_trump)"
    assert refusal(game, "down") == "down: this rule set plays no deal down (option down)"
    assert refusal(game, "auction") == "auction: seat 0 is to declare how the deal is played (Rules 3)"


def test_a_buyer_of_tricks_plays_up() -> None:
    game = one_deal("positive", "auction", "bid 4", "pass", "pass", "accept")
    assert refusal(game, "down") == "down: seat 1 bought with bid 4, which is played up (Rules 3.2)"


@pytest.mark.parametrize("ruleset", [*RULESETS, {"king_of_hearts_forced": "following", "max_nulls": 4}])
def test_whatever_is_not_legal_is_refused_for_a_reason(ruleset: Any) -> None:
    game, rng = Game(ruleset, seed=3), random.Random(3)
    while not game.is_over:
        legal = game.legal_ids()
        for action in rng.sample(range(81), 8):
            if action not in legal:
                assert ": " in refusal(game, action)
        game.play(rng.choice(legal))


# Clones and copies


def test_a_clone_goes_on_by_itself() -> None:
    game = play_on(Game(seed=4), random.Random(4), 200)
    clone = game.clone()
    before = (game.record.copy(), list(game.actions), copy.deepcopy(game.scores_by_deal))
    play_on(clone, random.Random(5))
    assert clone.is_over and not game.is_over
    assert (game.record == before[0]).all() and (game.actions, game.scores_by_deal) == before[1:]


@pytest.mark.parametrize(
    "copied", [Game.clone, copy.copy, copy.deepcopy, lambda game: pickle.loads(pickle.dumps(game))]
)
def test_a_copy_goes_on_identically(copied: Any) -> None:
    game = play_on(Game("brazilian_auction", seed=4), random.Random(4), 350)
    twin = copied(game)
    play_on(game, random.Random(6))
    play_on(twin, random.Random(6))
    assert (game.record == twin.record).all() and game.actions == twin.actions


def test_a_view_holds_no_other_hand() -> None:
    game = one_deal("no_tricks", "AS")
    view = game.view(1)
    assert view["hands"][0].tolist() == [0, int(game.record["hands"][0, 1]), 0, 0]
    assert game.hand(0) != ""


# Game records


@pytest.mark.parametrize("ruleset", [*RULESETS, {"max_nulls": 4, "settlement": "full"}])
def test_a_game_survives_its_record_and_json(ruleset: Any) -> None:
    game = play_on(Game(ruleset, seed=9), random.Random(9))
    line = json.dumps(game.to_record(meta={"table": 3}))
    again = Game.from_record(json.loads(line))
    assert (again.record == game.record).all()
    assert again.scores_by_deal == game.scores_by_deal
    assert json.loads(line)["meta"] == {"table": 3}


def test_a_record_that_was_read_is_written_again_as_it_was() -> None:
    record = one_deal("positive", "up H", "AS").to_record(meta={"table": 3})
    game = Game.from_record(record)
    assert game.to_record() == record
    assert game.clone().to_record() == record
    game.play("JS")
    assert game.to_record()["meta"] == {"table": 3}
    assert game.to_record(meta={})["meta"] == {}


def test_scores_may_be_a_tuple() -> None:
    record = one_deal("no_tricks").to_record()
    assert Game.from_record(changed(record, scores=(0, 0, 0, 0))).scores == record["scores"]


def test_a_record_is_made_of_texts() -> None:
    game = one_deal("positive", "up H", "AS")
    assert game.to_record() == {
        "ruleset": "portuguese",
        "dealer": 0,
        "deals": [MIXED],
        "actions": ["up H", "AS"],
        "scores": [0, 0, 0, 0],
        "meta": {},
        "first_deal": 6,
    }
    assert "first_deal" not in one_deal("no_tricks").to_record()


def test_a_game_in_progress_goes_on_from_its_record() -> None:
    game = play_on(Game(seed=2), random.Random(2), 123)
    again = Game.from_record(game.to_record())
    assert (again.record == game.record).all() and again.turn == game.turn


def changed(record: dict[str, Any], **changes: Any) -> dict[str, Any]:
    return {**record, **changes}


def test_an_illegal_action_of_a_record_is_refused_with_its_number_and_reason() -> None:
    record = one_deal("no_tricks").to_record()
    with pytest.raises(IllegalActionError, match=r"^action 2 of the game record: AH: must follow spades \(Rules 1\)$"):
        Game.from_record(changed(record, actions=["AS", "AH"]))
    with pytest.raises(IllegalActionError, match="^action 1 of the game record: no action 'nonsense'"):
        Game.from_record(changed(record, actions=["nonsense"]))


def test_scores_that_do_not_come_out_are_refused() -> None:
    record = play_on(one_deal("no_tricks", deal=ONE_SUIT_EACH), random.Random(1)).to_record()
    with pytest.raises(GameError, match=r"its scores are \[0, 0, 0, 0\], but its actions make \[-260, 0, 0, 0\]"):
        Game.from_record(changed(record, scores=[0, 0, 0, 0]))


@pytest.mark.parametrize(
    ("changes", "error", "reason"),
    [
        ({"winner": 1}, GameError, "game record: unknown key 'winner'; its keys are ruleset, dealer"),
        ({"actions": "AS"}, GameError, "game record: actions must be a list, not 'AS'"),
        ({"deals": []}, GameError, "num_deals: must be a whole number from 1"),
        ({"deals": ["0:"]}, GameError, "deal 1 of 1: malformed deal: 0 hands instead of 4"),
        ({"dealer": "0"}, GameError, "dealer: must be a whole number from 0 to 3"),
        ({"dealer": None}, GameError, "dealer: must be a whole number from 0 to 3, not None"),
        ({"scores": 0}, GameError, "game record: scores must be a list, not 0"),
        ({"meta": "x"}, GameError, "game record: meta must be a dict, not 'x'"),
        ({"ruleset": "whist"}, RuleSetError, "unknown rule set 'whist'"),
    ],
)
def test_a_malformed_record_is_refused(changes: dict[str, Any], error: type[ValueError], reason: str) -> None:
    with pytest.raises(error, match=reason):
        Game.from_record(changed(one_deal("no_tricks").to_record(), **changes))


def test_a_record_with_something_missing_is_refused() -> None:
    record = one_deal("no_tricks").to_record()
    del record["deals"]
    with pytest.raises(GameError, match="game record: 'deals' is missing"):
        Game.from_record(record)
    with pytest.raises(GameError, match="game record: must be a dict"):
        Game.from_record([])  # type: ignore[arg-type]


def test_all_refusals_are_value_errors() -> None:
    assert all(issubclass(error, ValueError) for error in (GameError, IllegalActionError, NotationError, RuleSetError))
