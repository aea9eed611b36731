"""What every compiled bot owes to whoever lets it play: legal actions, no peeking, the same answer each time."""

from __future__ import annotations

import numpy as np
import pytest

from king_env.bots import Bot, make
from king_env.bots.compiled import HEURISTIC, RANDOM, UNIFORM, bot_code, manner_of
from king_env.engine import batch
from king_env.engine.actions import AUCTION, DECLARE_DOWN, NUM_ACTIONS
from king_env.engine.kernel import JIT_ENABLED
from king_env.engine.state import BIDDING, GameRecords
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


def actions_of(bot: Bot, rng: np.random.Generator, num_games: int) -> list[int]:
    actions: list[int] = []
    for acting in positions([PORTUGUESE], bot, rng, num_games):
        actions += bot.act_batch(acting, rng).tolist()
    return actions


def test_random_mostly_passes_and_uniform_bids_to_the_top() -> None:
    rng = np.random.default_rng(13)
    highest = {}
    for name in ("random", "uniform"):
        bids = [0]
        for acting in positions([PORTUGUESE], make(name), rng, 20 if JIT_ENABLED else 4):
            bids += acting["best_bid"][acting["phase"] == BIDDING].tolist()
        highest[name] = float(np.mean(np.array(bids) > 0))
    assert highest["random"] < highest["uniform"]


def test_random_opens_in_every_way() -> None:
    actions = actions_of(make("random"), np.random.default_rng(14), 40 if JIT_ENABLED else 10)
    assert AUCTION in actions and DECLARE_DOWN in actions


def test_a_code_keeps_the_three_parts_apart() -> None:
    code = bot_code(cards="heuristic", choosing="random", bidding="uniform")
    assert [manner_of(code, part) for part in range(3)] == [HEURISTIC, RANDOM, UNIFORM]
