"""The best response: what it foresees is what comes, and the further it looks the better."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from king_env.bots import BotError, make
from king_env.bots.best_response import foreseen
from king_env.bots.protocol import sees_all_hands
from king_env.bots.registry import BotChoice
from king_env.engine import batch
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.seats import Seat
from king_env.engine.state import OVER, TO_DEAL, GameRecords
from king_env.evaluation import play_match
from king_env.game import Game
from king_env.ruleset import PORTUGUESE, RULESETS, RuleSet
from tests.bots.positions import all_rulesets, positions

RNG = np.random.default_rng(0)
HEURISTIC = make("heuristic")


def some_positions(number: int, rulesets: list[RuleSet], seed: int, fewest_plays: int = 0) -> GameRecords:
    """Games on the way, with all hands."""
    rng = np.random.default_rng(seed)
    games = np.concatenate([acting.copy() for acting in positions(rulesets, make("random"), rng, 24)])
    games = games[games["num_plays"] >= fewest_plays]
    chosen: GameRecords = games[rng.permutation(len(games))[:number]]
    return chosen


def legal_actions(game: GameRecords) -> list[int]:
    masks = np.zeros((1, NUM_ACTIONS), dtype=np.int8)
    batch.legal_masks(game, masks)
    return np.flatnonzero(masks[0]).tolist()


def after(game: GameRecords, action: int) -> GameRecords:
    stepped = game.copy()
    batch.step_games(stepped, np.array([action]))
    return stepped


def is_deal_over(game: GameRecords) -> bool:
    return game["phase"][0] in (TO_DEAL, OVER)


def most_that_can_be_made(game: GameRecords, seat: Seat) -> int:
    """All is tried for this seat; the others are asked."""
    while not is_deal_over(game):
        if game["turn"][0] == seat:
            return max(most_that_can_be_made(after(game, action), seat) for action in legal_actions(game))
        game = after(game, HEURISTIC.act(game, RNG))
    return int(game["deal_scores"][0, seat])


def deals_alone_against(trio: str, depth: int, worlds: int, num_deals: int) -> Iterator[tuple[list[int], int]]:
    """All that the bot foresees in a deal, decision by decision, and what it makes in the end."""
    bot = make(trio)
    for number in range(num_deals):
        game = Game(seed=number, first_deal=number % 10, num_deals=1).record.copy()
        hopes: list[int] = []
        while not is_deal_over(game):
            if game["turn"][0] == 0:
                actions, points = foreseen(game, depth, worlds)
                hopes.append(int(points[0]))
                game = after(game, int(actions[0]))
            else:
                game = after(game, bot.act(game, RNG))
        yield hopes, int(game["deal_scores"][0, 0])


# What it finds


def test_every_action_is_legal_in_every_phase_under_all_rules() -> None:
    games = some_positions(800, all_rulesets(np.random.default_rng(1), 9), seed=1)
    masks = np.zeros((len(games), NUM_ACTIONS), dtype=np.int8)
    batch.legal_masks(games, masks)
    actions = make("cheating-best-response:depth=2").act_batch(games, RNG)
    assert masks[np.arange(len(games)), actions].all()


def test_one_decision_ahead_it_is_the_cheating_search() -> None:
    games = some_positions(2000, all_rulesets(np.random.default_rng(2), 9), seed=2)
    answers = make("cheating-best-response:depth=1").act_batch(games, RNG)
    assert (answers == make("cheating-search").act_batch(games, RNG)).all()


def test_to_the_end_of_the_deal_nothing_more_can_be_made() -> None:
    late = some_positions(5000, all_rulesets(np.random.default_rng(3), 9), seed=3, fewest_plays=36)
    is_sold = late["is_sold"] != 0
    games = np.concatenate([late[is_sold][:30], late[~is_sold][:50]])
    assert len(games) == 80
    _, points = foreseen(games, depth=4)
    tried = [most_that_can_be_made(games[i : i + 1], int(games["turn"][i])) for i in range(len(games))]
    assert points.tolist() == tried


def test_the_further_it_looks_the_more_it_foresees() -> None:
    games = some_positions(150, list(RULESETS.values()), seed=4)
    by_depth = [foreseen(games, depth)[1] for depth in (1, 2, 3)]
    assert (by_depth[0] <= by_depth[1]).all() and (by_depth[1] <= by_depth[2]).all()
    assert (by_depth[0] < by_depth[2]).any()


@pytest.mark.parametrize(
    ("trio", "depth", "worlds"), [("heuristic", 1, 0), ("heuristic", 3, 0), ("search:worlds=2", 1, 2)]
)
def test_against_those_that_it_knows_what_it_foresees_comes_true(trio: str, depth: int, worlds: int) -> None:
    """It may find more on the way, but never makes less."""
    for hopes, made in deals_alone_against(trio, depth, worlds, num_deals=10):
        assert hopes == sorted(hopes)
        assert made >= hopes[-1]


def test_looking_further_pays() -> None:
    totals = [sum(made for _, made in deals_alone_against("heuristic", depth, 0, num_deals=40)) for depth in (1, 3)]
    assert totals[1] > totals[0]


def test_the_answers_repeat_and_depend_on_neither_threads_nor_chance() -> None:
    games = some_positions(200, [PORTUGUESE], seed=5)
    answers = [
        make(f"cheating-best-response:threads={threads}").act_batch(games, np.random.default_rng(threads)).tolist()
        for threads in (1, 3)
    ]
    assert answers[0] == answers[1]


def test_the_games_stay_as_they_are() -> None:
    games = some_positions(50, [PORTUGUESE], seed=6)
    before = games.tobytes()
    make("cheating-best-response").act_batch(games, RNG)
    assert games.tobytes() == before


# Who may let it play


def test_it_says_that_it_cheats_and_plays_only_where_that_is_allowed() -> None:
    assert sees_all_hands(make("cheating-best-response"))
    lineup: list[BotChoice] = ["cheating-best-response:depth=1", "random", "random", "random"]
    with pytest.raises(ValueError, match="sees all hands, and plays only where that is allowed"):
        play_match(lineup, 1, 1)
    assert play_match(lineup, 1, 1, allow_cheating=True, progress=False).points(str(lineup[0])).mean > 0


def test_a_view_is_refused() -> None:
    with pytest.raises(ValueError, match="^views: cheating-best-response needs games that show all four hands"):
        make("cheating-best-response").act(Game(seed=1, dealer=0).view(0), RNG)


@pytest.mark.parametrize(
    "name", ["cheating-best-response:depth=1,worlds=20", "cheating-best-response:worlds=5", "cheating-best-response"]
)
def test_its_name_makes_it_again(name: str) -> None:
    assert make(name).name == name


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("depth=0", "depth: must be a whole number of at least 1, not 0"),
        ("worlds=-1", "worlds: must be a whole number of at least 0, not '-1'"),
        ("field=heuristic", "unknown option 'field'; known: depth, worlds, threads"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: str, message: str) -> None:
    with pytest.raises(BotError) as refusal:
        make(f"cheating-best-response:{options}")
    assert message in str(refusal.value)
