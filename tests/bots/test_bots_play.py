"""What every compiled bot owes to whoever lets it play: legal actions, no peeking, the same answer each time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from king_env.bots import Bot, make
from king_env.bots.compiled import MANNER_NAMES, bot_code, manner_of
from king_env.engine import batch
from king_env.engine.actions import BID_POINTS, NUM_ACTIONS, PASS
from king_env.engine.contracts import UP_POINTS
from king_env.engine.kernel import JIT_ENABLED
from king_env.engine.state import DECIDING, TO_DEAL, GameRecords
from king_env.game import Game
from king_env.notation import parse_action
from king_env.ruleset import PORTUGUESE
from tests.bots.positions import MANY, all_rulesets, hidden, positions, random_ruleset

NAMES = ("uniform", "random", "heuristic", "heuristic:bidding=random", "random:cards=heuristic,choosing=uniform")


def legal_masks(games: GameRecords) -> np.ndarray:
    masks = np.zeros((len(games), NUM_ACTIONS), dtype=np.int8)
    batch.legal_masks(games, masks)
    return masks


@pytest.mark.parametrize("name", NAMES)
def test_every_action_is_legal_under_all_rules(name: str) -> None:
    rng = np.random.default_rng(7)
    bot = make(name)
    for acting in positions(all_rulesets(rng, 12), bot, rng, MANY):
        actions = bot.act_batch(acting, rng)
        assert legal_masks(acting)[np.arange(len(acting)), actions].all()


def test_heuristic_plays_legally_from_positions_it_would_never_reach() -> None:
    rng = np.random.default_rng(8)
    heuristic = make("heuristic")
    for acting in positions(all_rulesets(rng, 12), make("uniform"), rng, MANY):
        actions = heuristic.act_batch(acting, rng)
        assert legal_masks(acting)[np.arange(len(acting)), actions].all()


@pytest.mark.parametrize("walker", ["random", "heuristic"])
def test_heuristic_acts_on_a_view_as_on_the_whole_game(walker: str) -> None:
    rng = np.random.default_rng(9)
    heuristic = make("heuristic")
    for acting in positions(all_rulesets(rng, 5), make(walker), rng, MANY):
        assert (heuristic.act_batch(hidden(acting), rng) == heuristic.act_batch(acting, rng)).all()


@pytest.mark.parametrize("name", NAMES)
def test_one_by_one_as_in_a_batch(name: str) -> None:
    rng = np.random.default_rng(10)
    bot = make(name)
    for step, acting in enumerate(positions([PORTUGUESE], make("random"), rng, 8 if JIT_ENABLED else 1)):
        if step % 7 == 0:
            together = bot.act_batch(acting, np.random.default_rng(step))
            one_rng = np.random.default_rng(step)
            one_by_one = [bot.act(acting[i : i + 1], one_rng) for i in range(len(acting))]
            assert together.tolist() == one_by_one


def test_heuristic_draws_no_random_numbers() -> None:
    rng = np.random.default_rng(11)
    heuristic = make("heuristic")
    for acting in positions([PORTUGUESE], make("random"), rng, MANY // 4 + 1):
        first = heuristic.act_batch(acting, np.random.default_rng(1))
        assert (heuristic.act_batch(acting, np.random.default_rng(2)) == first).all()


def test_a_bot_changes_nothing_in_its_view() -> None:
    rng = np.random.default_rng(12)
    for acting in positions([random_ruleset(rng) for _ in range(4)], make("random"), rng, 4):
        before = acting.copy()
        for name in ("uniform", "random", "heuristic"):
            make(name).act_batch(acting, rng)
        assert acting.tobytes() == before.tobytes()


def positive_deal(*calls: str) -> Game:
    game = Game(seed=1, dealer=0, first_deal=6, num_deals=1)
    for call in calls:
        game.play(call)
    return game


def many_answers(bot: Bot, game: Game) -> list[int]:
    """What a bot does in one position when it is asked again and again."""
    assert game.turn is not None
    answers: list[int] = bot.act_batch(np.repeat(game.view(game.turn), 1000), np.random.default_rng(13)).tolist()
    return answers


def test_random_mostly_passes_and_else_bids_one_of_the_two_lowest() -> None:
    answers = many_answers(make("random"), positive_deal("auction", "bid 2"))
    assert 0.7 < answers.count(PASS) / len(answers) < 0.8
    assert set(answers) == {PASS, parse_action("bid 3"), parse_action("bid 4")}


def test_uniform_mostly_bids_to_the_top_and_random_does_not() -> None:
    tops = {}
    for name in ("random", "uniform"):
        sold_at: list[int] = []
        for acting in positions([PORTUGUESE], make(name), np.random.default_rng(13), 20):
            sold_at += BID_POINTS[acting["best_bid"][acting["phase"] == DECIDING]].tolist()
        tops[name] = float(np.mean(np.array(sold_at) == PORTUGUESE.max_bid * UP_POINTS))
    assert tops["uniform"] > 0.5 and tops["random"] < 0.1


def test_random_opens_in_every_way() -> None:
    game = positive_deal()
    assert set(many_answers(make("random"), game)) == set(game.legal_ids())


def test_a_code_keeps_the_three_parts_apart() -> None:
    code = bot_code(cards="heuristic", choosing="random", bidding="uniform")
    assert [MANNER_NAMES[manner_of(code, part)] for part in range(3)] == ["heuristic", "random", "uniform"]


# Views that are none

OVER = positive_deal("auction", "pass", "pass", "pass", "skip")
NOT_DEALT = Game(seed=1).record.copy()
NOT_DEALT["phase"] = TO_DEAL


@pytest.mark.parametrize("name", ["uniform", "random", "heuristic"])
@pytest.mark.parametrize(
    ("view", "reason"),
    [
        (Game(seed=1, dealer=2).view(3), "seat 2 is to act, and a view of another seat does not show its cards"),
        (positive_deal("auction").view(0), "seat 1 is to act, and a view of another seat does not show its cards"),
        (OVER.record, "nobody is to act in a game that is over"),
        (NOT_DEALT, "nobody is to act before the cards are dealt"),
        (np.repeat(Game(seed=1).record, 2), "act takes one, GAME_DTYPE[1], not 2; act_batch takes any number"),
        (Game(seed=1).record[:0], "act takes one, GAME_DTYPE[1], not 0"),
        (Game(seed=1).record[0], "must be an array GAME_DTYPE[N], as `games[0:1]` is, not a single record"),
        (Game(seed=1).record.reshape(1, 1), "not an array of game records of shape [1, 1]"),
        (np.zeros((1, 896), dtype=np.int8), "not an array of int8 of shape [1, 896]"),
        ([1], "not list"),
    ],
)
def test_a_view_that_is_none_is_refused_in_one_line(name: str, view: Any, reason: str) -> None:
    with pytest.raises(ValueError) as refusal:
        make(name).act(view, np.random.default_rng(0))
    assert reason in str(refusal.value) and "\n" not in str(refusal.value)


def test_one_view_among_many_that_is_none_is_found() -> None:
    views = np.concatenate([Game(seed=seed, dealer=0).view(0) for seed in range(3)])
    assert len(make("heuristic").act_batch(views, np.random.default_rng(0))) == 3
    views["hands"][1] = 0
    with pytest.raises(ValueError, match="^views: seat 0 is to act"):
        make("heuristic").act_batch(views, np.random.default_rng(0))


def test_no_views_ask_for_no_actions() -> None:
    assert len(make("heuristic").act_batch(Game(seed=1).record[:0], np.random.default_rng(0))) == 0
