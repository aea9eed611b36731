"""Matches on duplicate deals: what cancels, what repeats, and what becomes of a bot at fault."""

from __future__ import annotations

import json
import math
import sys
import time
from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from king_env import bots
from king_env.bots.compiled_bot import HeuristicBot
from king_env.chance import begin_games, new_streams, shuffle_deals
from king_env.engine import batch
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.state import new_records
from king_env.evaluation import (
    COLUMNS,
    MatchFaultError,
    MatchInterrupted,
    MatchResult,
    play_match,
    report_markdown,
    report_text,
)
from king_env.ruleset import PORTUGUESE, RULESETS, RuleSet

NO_THREADS = 1
Views = npt.NDArray[Any]


class FirstLegal:
    """A bot in Python: takes the first legal action, and counts what it is asked."""

    name = "first"
    version = 1

    def __init__(self) -> None:
        self.asked = 0

    def act(self, view: Views, rng: np.random.Generator) -> int:
        return int(self.act_batch(view, rng)[0])

    def act_batch(self, views: Views, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        self.asked += len(views)
        return legal_masks(views).argmax(axis=1)


class AnyLegal(FirstLegal):
    """Draws its actions from the random numbers it is handed."""

    name = "any"

    def act_batch(self, views: Views, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        masks = legal_masks(views)
        return (rng.random(masks.shape) * masks).argmax(axis=1)


class Plain:
    """Another bot without its code, so that it is asked in Python like a stranger's."""

    version = 1

    def __init__(self, name: str) -> None:
        self.bot = bots.make(name)
        self.name = name

    def act(self, view: Views, rng: np.random.Generator) -> int:
        return int(self.bot.act(view, rng))

    def act_batch(self, views: Views, rng: np.random.Generator) -> Any:
        return self.bot.act_batch(views, rng)


class Faulty(FirstLegal):
    """Plays well until trick 2, where it does something else."""

    name = "faulty"

    def __init__(self, fault: Callable[[], Any]) -> None:
        super().__init__()
        self.fault = fault

    def act_batch(self, views: Views, rng: np.random.Generator) -> Any:
        actions = super().act_batch(views, rng)
        for row in np.flatnonzero((views["num_plays"] >= 4) & (views["num_plays"] < 8)):
            actions[row] = self.fault()
        return actions


def legal_masks(views: Views) -> npt.NDArray[np.int8]:
    masks = np.empty((len(views), NUM_ACTIONS), dtype=np.int8)
    batch.legal_masks(views, masks)
    return masks


def raise_an_error() -> int:
    raise ZeroDivisionError("no cards left to divide")


def same_points(result: MatchResult, other: MatchResult) -> bool:
    return np.array_equal(result.tally.points, other.tally.points)


# What cancels


@pytest.mark.parametrize("episode", ["game", "deal"])
def test_the_same_player_under_two_names_is_worth_exactly_nothing(episode: str) -> None:
    result = play_match([FirstLegal(), FirstLegal(), FirstLegal(), FirstLegal()], 2, 3, episode=episode)
    assert result.labels == ("first", "first (2)", "first (3)", "first (4)")
    assert len(result.seatings) == 24
    if episode == "game":
        assert all(result.points(label).interval == (0.0, 0.0) for label in result.labels)
    for column in COLUMNS:
        assert len({result.points(label, column) for label in result.labels}) == 1


@pytest.mark.parametrize("ruleset", RULESETS)
def test_two_heuristics_one_of_them_in_python_are_worth_exactly_nothing(ruleset: str) -> None:
    result = play_match([Plain("heuristic"), "heuristic", "heuristic", "heuristic"], 3, 5, ruleset)
    assert [result.points(label).interval for label in result.labels] == [(0.0, 0.0), (0.0, 0.0)]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_each_block_of_games_sums_to_zero(ruleset: str) -> None:
    result = play_match(["heuristic", "random", "uniform", FirstLegal()], 3, 1, ruleset, seatings="balanced")
    game = COLUMNS.index("game")
    assert result.tally.points[:, :, game].sum(axis=1).tolist() == [0, 0, 0]
    assert (result.tally.points[:, :, game] != 0).any()


def test_four_of_a_kind_have_one_seating_and_no_advantage() -> None:
    result = play_match(["random"] * 4, 4, 1)
    assert result.seatings == (("random",) * 4,)
    assert result.points("random").mean == 0.0


def test_the_columns_of_a_game_add_up_to_its_points() -> None:
    result = play_match(["heuristic", "random", "random", "random"], 4, 2)
    points = {column: result.tally.points[:, :, place] for place, column in enumerate(COLUMNS)}
    negatives = sum(points[name] for name in PORTUGUESE.negatives)
    assert (points["game"] == negatives + points["positive"]).all()
    assert (points["positive"] == points["up"] + points["down"] + points["skipped"]).all()


def test_single_deals_are_as_many_of_each_contract() -> None:
    result = play_match(["heuristic", "random", "random", "random"], 5, 2, episode="deal")
    for column in (*PORTUGUESE.negatives, "positive"):
        assert result.points("heuristic", column).count == 5 * 4
    total = sum(result.points("heuristic", column).mean for column in PORTUGUESE.negatives)
    assert result.points("heuristic").mean == pytest.approx(total + 4 * result.points("heuristic", "positive").mean)


# What repeats


def test_threads_change_nothing() -> None:
    players = ["random", "heuristic", "uniform", "uniform"]
    one, two = (play_match(players, 130, 7, episode="deal", num_threads=number) for number in (1, 2))
    assert same_points(one, two)
    assert np.array_equal(one.decisions, two.decisions)


def test_a_longer_match_begins_with_the_same_blocks() -> None:
    short, long = (play_match(["random", "uniform", "uniform", "uniform"], number, 7) for number in (3, 5))
    assert np.array_equal(short.tally.points, long.tally.points[:3])


def test_bots_in_python_repeat_from_the_seed_and_vary_with_it() -> None:
    same, again, other = (play_match([AnyLegal(), *["uniform"] * 3], 2, seed) for seed in (1, 1, 2))
    assert same_points(same, again) and not same_points(same, other)


@pytest.mark.parametrize("episode", ["game", "deal"])
@pytest.mark.parametrize("ruleset", RULESETS)
def test_asking_in_python_gives_what_compiled_play_gives(ruleset: str, episode: str) -> None:
    others = ["random", "uniform", "uniform"]
    compiled = play_match(["heuristic", *others], 2, 11, ruleset, episode=episode)
    asked = play_match([Plain("heuristic"), *others], 2, 11, ruleset, episode=episode)
    assert asked.entrants[0].code != compiled.entrants[0].code
    assert same_points(compiled, asked)
    assert np.array_equal(compiled.decisions, asked.decisions)


def test_the_cards_do_not_depend_on_the_bots() -> None:
    seen: list[set[int]] = []
    for opponent in ("uniform", "random"):
        bot = Watcher()
        play_match([bot, opponent, opponent, opponent], 2, 9, episode="deal")
        seen.append(bot.first_hands)
    assert seen[0] == seen[1]


class Watcher(FirstLegal):
    """Notes the whole hands that it is dealt."""

    name = "watcher"

    def __init__(self) -> None:
        super().__init__()
        self.first_hands: set[int] = set()
        self.hidden = True

    def act_batch(self, views: Views, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        rows = np.arange(len(views))
        own = (views["hands"] | views["played"])[rows, views["turn"]]
        self.first_hands |= set(own.tolist())
        others = views["hands"].copy()
        others[rows, views["turn"]] = 0
        self.hidden &= not others.any()
        return super().act_batch(views, rng)


def test_a_bot_sees_no_hand_but_its_own() -> None:
    bot = Watcher()
    play_match([bot, "uniform", "uniform", "uniform"], 1, 9)
    assert bot.first_hands and bot.hidden


def test_no_env_deals_the_cards_of_a_match() -> None:
    bot = Watcher()
    play_match([bot, "uniform", "uniform", "uniform"], 1, 9)
    games = new_records(1)
    PORTUGUESE.write_to(games)
    streams = new_streams(9, 1)
    begin_games(games, streams, np.zeros(0, dtype=np.int64))
    hands = np.empty((1, 4), dtype=np.int64)
    for _ in range(10):
        shuffle_deals(streams, hands)
        assert not bot.first_hands & set(hands[0].tolist())


def test_a_bot_is_not_asked_where_there_is_no_choice() -> None:
    bot = FirstLegal()
    result = play_match([bot, "uniform", "uniform", "uniform"], 1, 4)
    assert result.decisions[0] == bot.asked < 4 * 10 * 13
    assert result.ns_per_decision("first") > 0


# What was asked for


def test_house_rules_are_played() -> None:
    result = play_match(["heuristic", "random", "random", "random"], 2, 1, RuleSet(settlement="full"))
    assert result.ruleset.settlement == "full"


def test_more_blocks_make_the_interval_narrower() -> None:
    few, many = (play_match(["heuristic", *["random"] * 3], number, 1).points("heuristic") for number in (4, 100))
    assert many.half_width < few.half_width
    assert many.interval[0] > 0


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"bots": ["random"] * 3}, "four bots"),
        ({"bots": "random"}, "four bots"),
        ({"num_blocks": 0}, "num_blocks"),
        ({"num_blocks": 2.5}, "num_blocks"),
        ({"seed": -1}, "seed"),
        ({"ruleset": "portugese"}, "portugese"),
        ({"episode": "trick"}, "episode"),
        ({"seatings": "some"}, "seatings"),
        ({"on_error": "ignore"}, "on_error"),
        ({"time_limit_ms": 0}, "time_limit_ms"),
        ({"num_threads": 0}, "num_threads"),
        ({"bots": ["randm", "random", "random", "random"]}, "randm"),
    ],
)
def test_what_makes_no_sense_is_refused_in_one_line(changes: dict[str, Any], message: str) -> None:
    asked: dict[str, Any] = {"bots": ["random"] * 4, "num_blocks": 1, "seed": 1} | changes
    with pytest.raises(ValueError, match=message) as refusal:
        play_match(**asked)
    assert "\n" not in str(refusal.value)


# Bots at fault


@pytest.mark.parametrize(
    ("fault", "reason"),
    [
        (raise_an_error, "raised ZeroDivisionError: no cards left to divide"),
        (lambda: 52, "answered pass, which is not legal; legal are "),
        (lambda: -1, "answered -1, which is not legal"),
        (lambda: 81, "answered 81, which is not legal"),
        (lambda: 10**30, "raised OverflowError"),
    ],
)
def test_a_fault_stops_the_match_and_names_the_bot_and_the_position(fault: Callable[[], Any], reason: str) -> None:
    with pytest.raises(MatchFaultError) as stopped:
        play_match([Faulty(fault), "random", "random", "random"], 2, 1, num_threads=NO_THREADS)
    reported = stopped.value.fault
    assert reported.bot == "faulty" and reason in reported.reason
    assert reported.seating[reported.seat] == "faulty"
    assert f"seat {reported.seat} is to play" in reported.view
    assert len(reported.record["actions"]) in range(4, 8)
    assert "faulty" in str(stopped.value)
    assert stopped.value.result is None


def test_the_blocks_before_a_fault_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("king_env.evaluation.matches.BLOCKS_A_CHUNK", 1)
    bot = FaultyLater()
    with pytest.raises(MatchFaultError) as stopped:
        play_match([bot, "random", "random", "random"], 3, 1)
    result = stopped.value.result
    assert result is not None
    assert (result.num_blocks, result.num_blocks_asked, result.is_complete) == (1, 3, False)
    assert "STOPPED EARLY: 1 of 3" in report_text(result)


class FaultyLater(FirstLegal):
    """Gives out after the first block."""

    name = "later"

    def act_batch(self, views: Views, rng: np.random.Generator) -> npt.NDArray[np.int64]:
        if self.asked > 4 * 10 * 13:
            raise RuntimeError("tired")
        return super().act_batch(views, rng)


def test_a_match_can_go_on_with_the_first_legal_action() -> None:
    stubborn = play_match([Faulty(lambda: 99), "random", "random", "random"], 2, 1, on_error="first_legal")
    plain = play_match([FirstLegal(), "random", "random", "random"], 2, 1)
    assert same_points(stubborn, plain)
    assert stubborn.num_faults[0] > 0 and stubborn.num_faults[1] == 0
    assert 0 < len(stubborn.faults) <= stubborn.num_faults[0]
    for report in (report_text(stubborn), report_markdown(stubborn)):
        assert "FAULT: faulty answered 99" in report and "is to play" in report


def test_a_wrong_number_of_answers_is_found_out() -> None:
    class TooFew(FirstLegal):
        name = "too few"

        def act_batch(self, views: Views, rng: np.random.Generator) -> npt.NDArray[np.int64]:
            return super().act_batch(views, rng)[:1]

    with pytest.raises(MatchFaultError, match=r"raised TypeError: .* for each of 8 views \(act_batch"):
        play_match([TooFew(), TooFew(), "random", "random"], 1, 1)


def test_a_slow_bot_is_reported_and_its_answer_not_taken() -> None:
    class Slow(FirstLegal):
        name = "slow"

        def act(self, view: Views, rng: np.random.Generator) -> int:
            if view["deal"][0] == 3 and view["num_plays"][0] < 4:
                time.sleep(0.3)
            return super().act(view, rng)

    with pytest.raises(MatchFaultError, match="over the limit of 250 ms") as stopped:
        play_match([Slow(), "random", "random", "random"], 1, 1, time_limit_ms=250)
    assert stopped.value.fault.deal == 4


def test_what_a_bot_loads_when_it_first_acts_is_not_its_time() -> None:
    class Lazy(FirstLegal):
        name = "lazy"

        def act(self, view: Views, rng: np.random.Generator) -> int:
            if self.asked == 0:
                time.sleep(0.3)
            return super().act(view, rng)

    timed = play_match([Lazy(), "random", "random", "random"], 1, 1, episode="deal", time_limit_ms=250)
    untimed = play_match([FirstLegal(), Plain("random"), *["uniform"] * 2], 1, 1, episode="deal")
    assert timed.num_faults.sum() == 0
    assert untimed.is_complete


def test_a_bot_that_exits_is_at_fault() -> None:
    with pytest.raises(MatchFaultError, match="raised SystemExit: 3"):
        play_match([Faulty(lambda: sys.exit(3)), "random", "random", "random"], 1, 1)
    on = play_match([Faulty(lambda: sys.exit(3)), *["random"] * 3], 1, 1, episode="deal", on_error="first_legal")
    assert on.is_complete and on.num_faults[0] > 0


def test_a_bot_with_a_code_is_asked_all_the_same() -> None:
    class Coded(FirstLegal):
        name = "coded"
        code = "utf-8"

    class OwnMind(HeuristicBot):
        """Derived from a compiled bot, and acts otherwise."""

        def act_batch(self, views: Views, rng: np.random.Generator) -> npt.NDArray[np.int64]:
            return legal_masks(views).argmax(axis=1)

    plain, coded, derived = (
        play_match([bot, "uniform", "uniform", "uniform"], 1, 1, episode="deal")
        for bot in (FirstLegal(), Coded(), OwnMind())
    )
    assert same_points(plain, coded) and same_points(plain, derived)


def test_a_bot_cannot_change_the_game_through_its_view() -> None:
    class Cheat(FirstLegal):
        name = "cheat"

        def act_batch(self, views: Views, rng: np.random.Generator) -> npt.NDArray[np.int64]:
            actions = super().act_batch(views, rng)
            views["scores"] = 1000
            views["hands"] = 0
            return actions

    honest = play_match([FirstLegal(), "random", "random", "random"], 1, 1)
    assert same_points(honest, play_match([Cheat(), "random", "random", "random"], 1, 1))


def test_ctrl_c_keeps_what_has_been_played(monkeypatch: pytest.MonkeyPatch) -> None:
    class Impatient(FaultyLater):
        def act_batch(self, views: Views, rng: np.random.Generator) -> npt.NDArray[np.int64]:
            if self.asked > 4 * 10 * 13:
                raise KeyboardInterrupt
            return super().act_batch(views, rng)

    monkeypatch.setattr("king_env.evaluation.matches.BLOCKS_A_CHUNK", 1)
    with pytest.raises(MatchInterrupted) as interrupted:
        play_match([Impatient(), "random", "random", "random"], 5, 1)
    assert isinstance(interrupted.value, KeyboardInterrupt)
    assert interrupted.value.result is not None
    assert interrupted.value.result.num_blocks == 1


# Reports


def test_a_result_is_plain_json_with_all_that_is_needed_to_repeat_it() -> None:
    result = play_match(["heuristic", "random", "random", "random"], 3, 17, "brazilian_auction")
    content = json.loads(json.dumps(result.to_dict(), allow_nan=False))
    assert content["format"] == "king-match-1" and content["env"] == "king_v0"
    assert content["ruleset"]["name"] == "brazilian_auction"
    assert content["ruleset"]["options"]["max_bid"] == 13
    assert (content["seed"], content["num_blocks"], content["is_complete"]) == (17, 3, True)
    assert {"king_env", "python", "numpy", "numba", "platform"} == set(content["versions"])
    heuristic, random = content["bots"]
    assert (heuristic["label"], random["label"]) == ("heuristic", "random")
    assert set(heuristic["points"]) == set(COLUMNS)
    low, high = heuristic["points"]["game"]["interval"]
    assert low < heuristic["points"]["game"]["mean"] < high
    assert heuristic["points"]["down"]["mean"] is None
    owned = sum(fate["count"] for bot in content["bots"] for fate in bot["as_owner"].values())
    assert owned == 3 * 4 * 4
    assert heuristic["decisions"] > 0 and heuristic["ns_per_decision"] > 0


def test_sales_and_purchases_tally() -> None:
    result = play_match(["random", "uniform", "uniform", "uniform"], 10, 1)
    sold = sum(result.as_owner(label, "sold up").count for label in result.labels)
    ultimatums = sum(result.as_owner(label, "eight or nulls: eight").count for label in result.labels)
    bought = sum(result.as_buyer(label, "up").count for label in result.labels)
    assert sold + ultimatums == bought > 0


def test_the_report_names_bots_contracts_and_points() -> None:
    result = play_match(["heuristic", "random", "random", "random"], 2, 1)
    for report in (report_text(result), report_markdown(result)):
        for words in ("heuristic", "random", "whole game", "no last two", "… skipped", "±", "seed 1"):
            assert words in report
    assert "| whole game | +" in report_markdown(result)
    assert math.isfinite(result.points("heuristic").half_width)


def test_an_unknown_bot_or_column_of_a_result_is_an_error() -> None:
    result = play_match(["random"] * 4, 1, 1, episode="deal")
    with pytest.raises(ValueError, match="^unknown bot 'heuristic'; known: random$"):
        result.points("heuristic")
    with pytest.raises(ValueError, match=r"^unknown column 'no_quens' \(did you mean 'no_queens'\?\); known: game, "):
        result.points("random", "no_quens")
    with pytest.raises(ValueError, match=r"^unknown fate 'sold' .*known: declared up, "):
        result.as_owner("random", "sold")
    with pytest.raises(ValueError, match="^unknown purchase 'down'; known: up, nulls$"):
        result.as_buyer("random", "down")
