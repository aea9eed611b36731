"""The options of a rule set, the three that have names, and the contradictions that are refused (Rules 7)."""

from __future__ import annotations

import dataclasses
import json
from typing import Any

import numpy as np
import pytest

from king_env.engine.state import GAME_DTYPE, new_records
from king_env.ruleset import (
    BRAZILIAN_AUCTION,
    BRAZILIAN_TRUMP,
    PORTUGUESE,
    RULESETS,
    RuleSet,
    RuleSetError,
    make_ruleset,
    whole_number,
)

SIX = ("no_tricks", "no_hearts", "no_queens", "no_kings_jacks", "no_king_of_hearts", "no_last_two")
NO_AUCTION: dict[str, Any] = {"auction": "none", "max_bid": 0, "max_nulls": 0, "ultimatum": False, "skip_limit": None}


def test_the_portuguese_game_is_what_rules_7_says() -> None:
    assert PORTUGUESE.to_dict() == {
        "negatives": list(SIX),
        "first_lead": "dealer",
        "king_of_hearts_forced": "always",
        "stop_when_decided": False,
        "auction": "owner_opens",
        "max_bid": 8,
        "max_nulls": 2,
        "no_trump": True,
        "down": True,
        "ultimatum": True,
        "skip_limit": 75,
        "settlement": "capped",
    }


def test_the_brazilian_games_play_kings_and_jacks_before_queens() -> None:
    for ruleset in (BRAZILIAN_AUCTION, BRAZILIAN_TRUMP):
        assert ruleset.negatives[2:4] == ("no_kings_jacks", "no_queens")


def test_the_brazilian_auction_is_up_only_with_a_trump_suit_and_skips_at_one() -> None:
    rules = BRAZILIAN_AUCTION
    assert (rules.auction, rules.max_bid, rules.max_nulls) == ("always", 13, 0)
    assert (rules.no_trump, rules.down, rules.ultimatum) == (False, False, False)
    assert (rules.skip_limit, rules.settlement) == (25, "capped")


def test_without_an_auction_there_are_no_bids_no_skip_and_no_settlement() -> None:
    rules = BRAZILIAN_TRUMP
    assert (rules.auction, rules.max_bid, rules.max_nulls) == ("none", 0, 0)
    assert (rules.no_trump, rules.down, rules.ultimatum) == (False, False, False)
    assert (rules.skip_limit, rules.settlement) == (None, None)


def test_named_rule_sets_know_their_names() -> None:
    assert {name: ruleset.name for name, ruleset in RULESETS.items()} == {name: name for name in RULESETS}
    assert RuleSet(settlement="full").name is None
    assert RuleSet(max_bid=8).name == "portuguese"


def test_a_rule_set_is_hashable_and_frozen() -> None:
    assert {PORTUGUESE: 1}[RuleSet()] == 1
    with pytest.raises(dataclasses.FrozenInstanceError):
        PORTUGUESE.max_bid = 9  # type: ignore[misc]


@pytest.mark.parametrize("ruleset", [*RULESETS.values(), RuleSet(skip_limit=None, settlement="full", max_nulls=4)])
def test_a_rule_set_survives_a_dict_and_json(ruleset: RuleSet) -> None:
    options = json.loads(json.dumps(ruleset.to_dict()))
    assert RuleSet.from_dict(options) == ruleset


@pytest.mark.parametrize("ruleset", list(RULESETS.values()))
def test_a_dict_holds_nothing_that_toml_cannot(ruleset: RuleSet) -> None:
    assert all(isinstance(value, (str, bool, int, list)) for value in ruleset.to_dict().values())


def test_a_json_null_is_as_good_as_the_word_none() -> None:
    assert RuleSet.from_dict({"skip_limit": None}) == RuleSet.from_dict({"skip_limit": "none"})


def test_options_missing_from_a_dict_are_those_of_its_base_or_the_portuguese_ones() -> None:
    assert RuleSet.from_dict({}) == PORTUGUESE
    assert RuleSet.from_dict({"settlement": "full"}) == RuleSet(settlement="full")
    with_no_trump = RuleSet.from_dict({"base": "brazilian_auction", "no_trump": True})
    assert with_no_trump == dataclasses.replace(BRAZILIAN_AUCTION, no_trump=True)


def test_make_ruleset_takes_a_rule_set_a_name_or_a_dict() -> None:
    assert make_ruleset(PORTUGUESE) is PORTUGUESE
    assert make_ruleset("brazilian_trump") is BRAZILIAN_TRUMP
    assert make_ruleset({"base": "brazilian_trump"}) == BRAZILIAN_TRUMP


@pytest.mark.parametrize("name", ["portugese", "", "Portuguese"])
def test_an_unknown_name_is_told_the_known_ones(name: str) -> None:
    with pytest.raises(RuleSetError, match="unknown rule set .*portuguese, brazilian_auction, brazilian_trump"):
        make_ruleset(name)


def test_a_misspelt_name_is_told_what_was_probably_meant() -> None:
    with pytest.raises(RuleSetError, match="did you mean 'portuguese'"):
        make_ruleset("portugese")


def test_an_unknown_option_is_told_the_known_ones() -> None:
    with pytest.raises(RuleSetError, match=r"unknown option .*'max_bids' \(did you mean 'max_bid'\?\).*settlement"):
        make_ruleset({"max_bids": 3})


@pytest.mark.parametrize("nonsense", [3, None, ["portuguese"]])
def test_what_is_no_rule_set_at_all_is_refused(nonsense: Any) -> None:
    with pytest.raises(RuleSetError, match="^rule set: must be one of portuguese, .*, a RuleSet or a dict, not "):
        make_ruleset(nonsense)
    with pytest.raises(RuleSetError, match="^rule set: must be a dict of options, not "):
        RuleSet.from_dict(nonsense)


def test_a_misspelt_value_is_told_what_was_probably_meant() -> None:
    with pytest.raises(RuleSetError, match=r"^settlement: must be .*, not 'caped' \(did you mean 'capped'\?\)$"):
        RuleSet(settlement="caped")


def test_numbers_of_numpy_are_kept_as_pythons_own() -> None:
    rules = RuleSet(max_bid=np.int64(9), max_nulls=np.uint8(1), skip_limit=np.int16(50))  # type: ignore[arg-type]
    assert rules == RuleSet(max_bid=9, max_nulls=1, skip_limit=50)
    assert json.loads(json.dumps(rules.to_dict()))["max_bid"] == 9


@pytest.mark.parametrize(("highest", "limits"), [(5, "from 2 to 5"), (None, "of at least 2")])
def test_a_number_outside_its_limits_is_refused(highest: int | None, limits: str) -> None:
    for number in (1, -2, True, 3.0, "3", None, *([6] if highest else [])):
        with pytest.raises(RuleSetError, match=f"^seats: must be a whole number {limits}, not {number!r}$"):
            whole_number("seats", number, 2, highest, error=RuleSetError)
    assert [whole_number("seats", number, 2, highest) for number in (2, np.int8(3), 5)] == [2, 3, 5]


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"first_lead": "owner"}, "first_lead: must be one of dealer, declarer, left_of_dealer, not 'owner'"),
        ({"king_of_hearts_forced": True}, "king_of_hearts_forced: must be one of always, following, when_void, never"),
        ({"auction": "maybe"}, "auction: must be one of none, owner_opens, always"),
        ({"settlement": "half"}, "settlement: must be one of capped, full"),
        ({"down": 1}, "down: must be True or False, not 1"),
        ({"stop_when_decided": "yes"}, "stop_when_decided: must be True or False"),
        ({"max_bid": True}, "max_bid: must be a whole number from 0 to 13, not True"),
        ({"max_bid": 14}, "max_bid: must be a whole number from 0 to 13, not 14"),
        ({"max_bid": 8.0}, "max_bid: must be a whole number"),
        ({"max_nulls": 5}, "max_nulls: must be a whole number from 0 to 4"),
        ({"max_nulls": -1}, "max_nulls: must be a whole number from 0 to 4"),
        ({"skip_limit": 80}, "skip_limit: must be None or what a bid can be worth, 0 to 325 in steps of 25, not 80"),
        ({"skip_limit": -25}, "skip_limit: must be None or what a bid can be worth"),
        ({"skip_limit": 350}, "skip_limit: must be None or what a bid can be worth"),
        ({"skip_limit": False}, "skip_limit: must be None or what a bid can be worth"),
        ({"negatives": SIX[:5]}, "negatives: must be a tuple of each of no_tricks, .* once"),
        ({"negatives": (*SIX[:5], "no_tricks")}, "negatives: must be a tuple of each of"),
        ({"negatives": (*SIX[:5], "no_aces")}, "negatives: must be one of no_tricks, .*, not 'no_aces'"),
        ({"negatives": list(SIX)}, "negatives: must be a tuple"),
    ],
)
def test_an_option_outside_its_values_is_refused(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(RuleSetError, match=reason):
        RuleSet(**options)


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"down": False, "ultimatum": False}, "bids of nulls need down=True"),
        ({"max_bid": 7}, "max_bid must be at least 8, not 7"),
        ({"down": False, "max_nulls": 0}, "ultimatum: .* needs down=True"),
        ({"auction": "always"}, "ultimatum: .* an opening of auction='owner_opens', not of auction='always'"),
        ({"max_bid": 0, "max_nulls": 0, "ultimatum": False}, "an auction needs bids"),
        ({"settlement": None}, "settlement: an auction needs one of capped, full"),
        (NO_AUCTION, "settlement: without an auction nothing is sold"),
        ({**NO_AUCTION, "settlement": None, "skip_limit": 25}, "skip_limit: only an auction can end in a skip"),
        ({**NO_AUCTION, "settlement": None, "max_bid": 1}, "without an auction there are no bids"),
        ({**NO_AUCTION, "settlement": None, "max_nulls": 1}, "without an auction there are no bids"),
        ({**NO_AUCTION, "settlement": None, "ultimatum": True}, "an opening of auction='owner_opens'"),
    ],
)
def test_a_contradiction_is_refused_with_its_reason(options: dict[str, Any], reason: str) -> None:
    with pytest.raises(RuleSetError, match=reason):
        RuleSet(**options)


def test_playing_down_needs_no_auction() -> None:
    assert RuleSet(**NO_AUCTION, settlement=None).down


def test_every_rule_field_of_a_record_is_written() -> None:
    records = new_records(2)
    RuleSet(
        negatives=tuple(reversed(SIX)),
        first_lead="left_of_dealer",
        king_of_hearts_forced="never",
        stop_when_decided=True,
        max_bid=9,
        max_nulls=3,
        skip_limit=50,
        settlement="full",
    ).write_to(records)
    expected = {
        "first_lead": 2,
        "king_of_hearts_forced": 3,
        "stop_when_decided": 1,
        "auction": 1,
        "max_bid": 9,
        "max_nulls": 3,
        "no_trump": 1,
        "down": 1,
        "ultimatum": 1,
        "skip_limit": 50,
        "settlement": 1,
    }
    assert records["negatives"].tolist() == [[5, 4, 3, 2, 1, 0]] * 2
    assert {name: records[name].tolist() for name in expected} == {name: [n, n] for name, n in expected.items()}


def test_rules_can_be_written_into_one_game_of_a_batch() -> None:
    records = new_records(2)
    PORTUGUESE.write_to(records)
    BRAZILIAN_TRUMP.write_to(records[1])
    assert records["max_bid"].tolist() == [8, 0]
    assert records["skip_limit"].tolist() == [75, -1]
    assert records.dtype == GAME_DTYPE and isinstance(records, np.ndarray)
