"""Golden games: every line of every file holds by plain rules, in the engine and in the reference."""

from __future__ import annotations

import dataclasses
from pathlib import Path

import pytest

from king_env.game import Game
from king_env.notation import ACTION_TEXTS
from king_env.ruleset import RULESETS
from tests.golden.column import FILES, Column, Deal, read
from tests.golden.plain_rules import SKIPPED, check
from tests.reference.rules import ReferenceGame

NEGATIVES = RULESETS["portuguese"].negatives
golden = pytest.mark.parametrize("path", FILES, ids=[path.stem for path in FILES])


def game_of(column: Column) -> Game:
    first = column.deals[0]
    return Game(
        column.rules,
        deals=[deal.hands for deal in column.deals],
        dealer=first.dealer,
        first_deal=first.number - 1,
        num_deals=len(column.deals),
    )


def reference_of(column: Column) -> ReferenceGame:
    first = column.deals[0]
    ids = [[[ACTION_TEXTS.index(card) for card in hand] for hand in deal.cards()] for deal in column.deals]
    return ReferenceGame(dataclasses.asdict(RULESETS[column.rules]), ids, first.dealer, first.number - 1)


@golden
def test_every_trick_and_score_follows_from_the_cards(path: Path) -> None:
    for deal in read(path).deals:
        check(deal)


@golden
def test_the_engine_plays_every_line_as_written(path: Path) -> None:
    column = read(path)
    game = game_of(column)
    for number, deal in enumerate(column.deals):
        assert (game.deal_number, game.dealer) == (deal.number, deal.dealer)
        replay_calls(game, deal)
        replay_tricks(game, deal)
        assert game.scores_by_deal[number] == deal.scores
    assert game.is_over


def replay_calls(game: Game, deal: Deal) -> None:
    for seat, call in deal.calls:
        assert game.turn == seat
        assert call in game.legal(), f"{seat} {call}: may say {', '.join(game.legal())}"
        game.play(call)
    if deal.contract == SKIPPED:
        return
    assert game.phase == "playing"
    assert game.contract == deal.contract
    if deal.contract == "up":
        assert (game.trump or "NT") == deal.trump
    record = game.record[0]
    if deal.declarer is not None:
        assert record["declarer"] == deal.declarer
    assert bool(record["is_sold"]) == (deal.buyer is not None)
    if deal.buyer is not None:
        assert (record["declarer"], ACTION_TEXTS[record["best_bid"]]) == (deal.buyer, deal.bid)


def replay_tricks(game: Game, deal: Deal) -> None:
    for trick in deal.tricks:
        before = len(game.scores_by_deal)
        for seat, card in trick.in_order():
            assert game.turn == seat
            assert card in game.legal()
            game.play(card)
        if len(game.scores_by_deal) == before:  # a sale is settled with the last trick
            assert game.turn == trick.taker
            assert game.hand_scores == trick.scores


@golden
def test_the_reference_plays_it_alike(path: Path) -> None:
    column = read(path)
    game = reference_of(column)
    for deal in column.deals:
        actions = [*deal.calls, *[play for trick in deal.tricks for play in trick.in_order()]]
        for seat, text in actions:
            assert game.turn == seat
            game.play(ACTION_TEXTS.index(text))
        assert game.finished[-1] == deal.scores
    assert game.over


@golden
def test_the_score_sheet_adds_up(path: Path) -> None:
    column = read(path)
    if len(column.deals) < 10:
        assert not column.sheet
        return
    deals = [deal.scores for deal in column.deals]
    negative, positive, balance = ([sum(c) for c in zip(*part, strict=True)] for part in (deals[:6], deals[6:], deals))
    assert column.sheet == {"deals 1-6": negative, "deals 7-10": positive, "balance": balance}
    assert sum(balance) == 0
    game = game_of(column)
    for deal in column.deals:
        replay_calls(game, deal)
        replay_tricks(game, deal)
    assert game.score_sheet == (tuple(negative), tuple(positive), tuple(balance))


def test_there_is_a_game_for_every_way_a_deal_can_go() -> None:
    stems = {path.stem for path in FILES}
    assert {f"negative_{name}" for name in NEGATIVES} <= stems
    assert {f"game_{name}" for name in RULESETS} <= stems
    ways = {
        "portuguese": (
            "up_in_a_suit up_no_trump down sold_at_four_up sold_at_six_up_not_enough sold_at_nulls "
            "sold_at_nulls_just_not_enough sold_at_nulls_below_zero sold_by_a_match refused_then_up refused_then_down "
            "nobody_bid_then_up nobody_bid_then_down nobody_bid_then_skip skip_at_three_up skip_at_one_null "
            "ultimatum_bought ultimatum_passed_out"
        ),
        "brazilian_auction": (
            "nobody_bid_then_up nobody_bid_then_skip skip_at_one sold sold_not_enough sold_pela_mao "
            "raise_cancels_acceptance refused_then_raised_and_sold refused_then_passed_out"
        ),
        "brazilian_trump": "up",
    }
    for ruleset, names in ways.items():
        assert {f"{ruleset}_{name}" for name in names.split()} <= stems
