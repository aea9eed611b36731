"""What a bot loses at the auction: agreeing costs nothing, mistakes cost what they cost, and nothing is peeked at."""

from __future__ import annotations

import json
import math
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np
import pytest

from king_env import Game, RuleSet, bots
from king_env.bots.compiled import IN_PYTHON
from king_env.bots.compiled_bot import HeuristicBot
from king_env.bots.registry import BotError
from king_env.engine.actions import FIRST_UP, Action
from king_env.engine.batch import hide_hands
from king_env.engine.state import DECLARING, GameRecords
from king_env.evaluation import auction
from king_env.evaluation.auction import (
    AuctionFaultError,
    AuctionInterrupted,
    AuctionPlan,
    AuctionResult,
    deal_cards,
    hear_auctions,
    judge_deals,
    make_auction_plan,
    measure_auction,
)
from king_env.evaluation.auction_reports import auction_markdown
from king_env.evaluation.field import as_dealt
from king_env.evaluation.second_thoughts import Decision, draw_worlds
from king_env.notation import deal_text
from king_env.ruleset import RULESETS, make_ruleset
from scripts.auction import main

CAREFUL, CARELESS = "heuristic", "heuristic:bidding=uniform,choosing=uniform"
COMMAND = ["--bot", "heuristic", "--deals", "2", "--worlds", "4", "--seed", "3", "--no-progress"]


@dataclass
class Declares:
    """Calls trumps by a list of hands and otherwise clubs; plays its cards as the heuristic does."""

    name: ClassVar[str] = "declares"
    version: ClassVar[int] = 1

    trumps: dict[bytes, Action] = field(default_factory=dict)

    def act(self, view: GameRecords, rng: np.random.Generator) -> Action:
        return int(self.act_batch(view, rng)[0])

    def act_batch(self, views: GameRecords, rng: np.random.Generator) -> np.ndarray:
        actions = bots.make("heuristic").act_batch(views, rng)
        for row in np.flatnonzero(views["phase"] == DECLARING):
            actions[row] = self.trumps.get(views[row].tobytes(), FIRST_UP)
        return actions


def plan_of(bot: str, ruleset: str = "portuguese", num_deals: int = 8, worlds: int = 10) -> AuctionPlan:
    return make_auction_plan(bot, num_deals, 7, make_ruleset(ruleset), worlds, None)


def decisions_of(plan: AuctionPlan) -> list[Decision]:
    """All that is decided in the first deals of a plan."""
    num_deals = len(plan.deal_streams)
    return hear_auctions(plan.field, deal_cards(plan, 0, num_deals), 0, np.random.default_rng(1))


def first_calls(decision: Decision) -> list[int]:
    """All that was said before a decision."""
    game = decision.game[0]
    calls: list[int] = game["calls"][: game["num_calls"]].tolist()
    return calls


# What is lost


def test_who_calls_as_the_reference_does_loses_nothing() -> None:
    what = {"num_deals": 16, "seed": 7, "ruleset": "brazilian_trump", "worlds": 30, "playouts": "heuristic"}
    clubs = Declares()
    careless = measure_auction(clubs, progress=False, **what)  # type: ignore[arg-type]
    assert careless.num_mistakes() > 5 and careless.loss().interval[0] > 0
    decisions = decisions_of(make_auction_plan(clubs, 16, 7, make_ruleset("brazilian_trump"), 30, None))
    better = {
        decision.view()[0].tobytes(): call.better for decision, call in zip(decisions, careless.calls, strict=True)
    }
    careful = measure_auction(Declares(better), progress=False, **what)  # type: ignore[arg-type]
    assert [call.said for call in careful.calls] == [call.better for call in careless.calls]
    assert careful.num_mistakes() == 0
    assert (careful.loss().mean, careful.loss().half_width, careful.loss_as_dealt().mean) == (0.0, 0.0, 0.0)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_who_calls_at_random_loses_more(ruleset: str) -> None:
    careful, careless = (measure_auction(bot, 16, 7, ruleset, worlds=20, progress=False) for bot in (CAREFUL, CARELESS))
    loss, less = careless.loss(), careful.loss()
    assert loss.mean - less.mean > math.hypot(loss.half_width, less.half_width)


def test_a_loss_as_dealt_is_what_the_other_call_makes_with_the_cards_as_they_lie() -> None:
    plan = plan_of(CAREFUL)
    decisions, calls = decisions_of(plan), judge_deals(plan, 0, 8)
    mistakes = [(decision, call) for decision, call in zip(decisions, calls, strict=True) if call.is_mistake]
    assert mistakes
    for decision, call in mistakes:
        assert call.said == decision.said
        made = [played_by_hand(plan.ruleset, decision, said) for said in (call.said, call.better)]
        assert call.loss_as_dealt == made[1] - made[0]


def played_by_hand(ruleset: RuleSet, decision: Decision, said: Action) -> int:
    """What the seat makes if it says this, and four heuristics play on."""
    record, rng = decision.game[0], np.random.default_rng(1)
    deal, dealer = int(record["deal"]), int(record["dealer"])
    game = Game(ruleset, [deal_text(record["hands"])], dealer, deal, 1)
    for call in [*first_calls(decision), said]:
        game.play(call)
    while game.turn is not None:
        game.play(bots.make("heuristic").act(game.view(game.turn), rng))
    return game.hand_scores[decision.seat]


def test_losses_add_up_over_kinds_of_decisions_and_exchanges() -> None:
    result = measure_auction(CARELESS, 8, 7, worlds=10, progress=False)
    total = result.loss().mean
    assert len(result.situations) > 3
    assert sum(result.loss(name).mean for name in result.situations) == pytest.approx(total)
    assert sum(exchange.loss for exchange in result.exchanges()) == pytest.approx(total)
    assert sum(exchange.count for exchange in result.exchanges()) == result.num_mistakes()
    assert sum(result.num_decisions(name) for name in result.situations) == result.num_decisions()


def test_the_first_deals_of_a_longer_measurement_are_those_of_a_shorter() -> None:
    long, short = (measure_auction(CAREFUL, deals, 7, worlds=10, progress=False) for deals in (16, 8))
    assert [call for call in long.calls if call.deal < 8] == list(short.calls)
    assert {call.deal for call in long.calls} == set(range(16))


# What it is measured by


def test_playing_a_deal_out_leaves_it_as_it_is() -> None:
    plan = plan_of(CAREFUL)
    games = deal_cards(plan, 0, 8)
    before = games.copy()
    points = plan.field.play_out(games, np.random.default_rng(1))
    assert games.tobytes() == before.tobytes()
    assert points.shape == (8, 4) and (np.abs(points).sum(axis=1) > 0).all()


def test_a_bot_in_python_plays_deals_out_as_a_compiled_one_does() -> None:
    class InPython(HeuristicBot):
        def act_batch(self, views: GameRecords, rng: np.random.Generator) -> np.ndarray:
            return super().act_batch(views, rng)

    compiled = plan_of(CAREFUL)
    asked = make_auction_plan(InPython(), 8, 7, compiled.ruleset, 10, None)
    assert asked.field.entrant.code == IN_PYTHON
    games, rng = deal_cards(compiled, 0, 8), np.random.default_rng(1)
    assert asked.field.play_out(games, rng).tolist() == compiled.field.play_out(games, rng).tolist()


@pytest.mark.parametrize("ruleset", RULESETS)
def test_in_the_true_deal_a_bot_would_have_said_all_that_it_said(ruleset: str) -> None:
    plan, rng = plan_of(CAREFUL, ruleset), np.random.default_rng(1)
    for decision in decisions_of(plan):
        agreed = plan.field.calls_agreed(decision.game, decision.seat, rng)
        assert agreed.tolist() == [len(first_calls(decision))]


def test_as_dealt_takes_back_all_calls() -> None:
    plan = plan_of(CAREFUL)
    dealt = deal_cards(plan, 0, 8)
    for decision in decisions_of(plan):
        again = as_dealt(decision.game)[0]
        first = dealt[decision.deal]
        for what in ("hands", "phase", "turn", "dealer", "deal", "num_calls", "last_calls", "best_bid", "bidders"):
            assert np.array_equal(again[what], first[what]), what


def test_worlds_are_those_that_the_seat_cannot_tell_apart_and_in_which_the_bot_said_what_was_said() -> None:
    plan, rng = plan_of(CAREFUL), np.random.default_rng(1)
    for decision in decisions_of(plan):
        worlds, view = draw_worlds(decision, plan.field, 10, rng), decision.view()
        assert len(worlds.to_choose) == 10 and len(worlds.to_measure) <= 10
        agreed = plan.field.calls_agreed(worlds.to_measure, decision.seat, rng)
        assert (agreed == len(first_calls(decision))).all()
        seen = np.concatenate([worlds.to_choose, worlds.to_measure])
        hide_hands(seen, np.full(len(seen), decision.seat))
        assert {world.tobytes() for world in seen} == {view[0].tobytes()}


def test_no_world_is_both_chosen_by_and_measured_in() -> None:
    plan, rng = plan_of(CAREFUL), np.random.default_rng(1)
    for decision in decisions_of(plan):
        worlds = draw_worlds(decision, plan.field, 10, rng)
        hands = [{tuple(world["hands"].tolist()) for world in part} for part in (worlds.to_choose, worlds.to_measure)]
        assert not hands[0] & hands[1]


# What stops it


def test_a_bot_at_fault_is_named_with_its_position() -> None:
    class Tongue(Declares):
        name = "tongue"

        def act_batch(self, views: GameRecords, rng: np.random.Generator) -> np.ndarray:
            return np.full(len(views), 80)

    with pytest.raises(AuctionFaultError, match="tongue answered down, which is not legal; legal are up C") as caught:
        measure_auction(Tongue(), 2, 7, "brazilian_trump", worlds=4, progress=False)
    assert caught.value.result is None


def interrupt_after_one(monkeypatch: pytest.MonkeyPatch) -> None:
    judge = auction.judge_deals

    def judge_or_stop(plan: AuctionPlan, first: int, size: int) -> list[auction.JudgedCall]:
        if first > 0:
            raise KeyboardInterrupt
        return judge(plan, first, size)

    monkeypatch.setattr(auction, "judge_deals", judge_or_stop)


def test_an_interrupted_measurement_keeps_what_it_has(monkeypatch: pytest.MonkeyPatch) -> None:
    interrupt_after_one(monkeypatch)
    with pytest.raises(AuctionInterrupted) as caught:
        measure_auction(CAREFUL, 100, 7, "brazilian_trump", worlds=4, progress=False)
    result = caught.value.result
    assert isinstance(result, AuctionResult)
    assert (result.num_deals, result.num_deals_asked, result.is_complete) == (auction.DEALS_AT_ONCE, 100, False)
    assert auction_markdown(result).startswith("STOPPED EARLY: 8 of 100 deals")


# The command line


def test_the_tables_are_printed(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(COMMAND) == 0
    printed = capsys.readouterr()
    assert "all calls" in printed.out and "bid or pass" in printed.out and "What lost most" in printed.out
    assert printed.err == ""


def test_markdown_and_json(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new" / "auction.json"
    assert main([*COMMAND, "--playouts", "random", "--markdown", "--json", str(path)]) == 0
    assert "| all calls |" in capsys.readouterr().out
    content = json.loads(path.read_text("utf-8"))
    assert content["command"][:3] == ["auction.py", "--bot", "heuristic"]
    assert (content["format"], content["num_deals"], content["is_complete"]) == ("king-auction-1", 2, True)
    assert (content["bot"]["label"], content["playouts"]["label"]) == ("heuristic", "random")
    assert content["loss"]["count"] == 2 and content["decisions"] >= content["mistakes"]
    assert list(path.parent.iterdir()) == [path]


def test_what_ctrl_c_leaves_is_printed(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    interrupt_after_one(monkeypatch)
    assert main([*COMMAND, "--deals", "9"]) == 130
    printed = capsys.readouterr()
    assert printed.err == "auction: interrupted\n" and printed.out.startswith("STOPPED EARLY: 8 of 9 deals")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--bot", "heuristc"], "heuristc"),
        (["--bot", "cheating-search"], "bot: cheating-search sees all hands"),
        (["--playouts", "cheating-search"], "playouts: cheating-search sees all hands"),
        (["--deals", "0"], "num_deals"),
        (["--worlds", "1"], "worlds"),
        (["--seed", "-3"], "seed"),
        (["--json", "/proc/x.json"], "--json: cannot write /proc/x.json"),
    ],
)
def test_bad_arguments_get_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main([*COMMAND, *arguments]) == 2
    printed = capsys.readouterr()
    assert message in printed.err and printed.err.count("\n") == 1
    assert printed.out == ""


def test_an_unknown_bot_is_refused() -> None:
    with pytest.raises(BotError, match="nobody"):
        measure_auction("nobody", 1, 1)
