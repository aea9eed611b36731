"""The bots that search: what they may know, that they repeat themselves, and that searching pays."""

from __future__ import annotations

import time
from typing import Any

import numpy as np
import pytest

from king_env.bots import BotError, make
from king_env.bots.registry import BotChoice
from king_env.bots.search import SearchBot, answers_in_unlike
from king_env.engine import batch
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.seats import NUM_SEATS
from king_env.engine.state import PHASE_NAMES, GameRecords
from king_env.evaluation import play_match
from king_env.game import Game
from king_env.notation import action_text, parse_action
from king_env.ruleset import PORTUGUESE, RULESETS, RuleSet
from tests.bots.positions import all_rulesets, hidden, positions
from tests.engine.table import position

RNG = np.random.default_rng(0)
QUICK = make("search:worlds=3")


def some_positions(number: int, rulesets: list[RuleSet], seed: int) -> GameRecords:
    """Games on the way, in all phases, with all hands."""
    rng = np.random.default_rng(seed)
    games = np.concatenate([acting.copy() for acting in positions(rulesets, make("random"), rng, 12)])
    chosen: GameRecords = games[rng.permutation(len(games))[:number]]
    return chosen


def are_legal(games: GameRecords, actions: np.ndarray) -> bool:
    masks = np.zeros((len(games), NUM_ACTIONS), dtype=np.int8)
    batch.legal_masks(games, masks)
    return bool(masks[np.arange(len(games)), actions].all())


# What every search owes


@pytest.mark.parametrize("name", ["search:worlds=3", "cheating-search"])
def test_every_action_is_legal_in_every_phase_under_all_rules(name: str) -> None:
    games = some_positions(3000, all_rulesets(np.random.default_rng(1), 9), seed=1)
    assert {PHASE_NAMES[phase] for phase in games["phase"]} == set(PHASE_NAMES[1:-1])
    assert are_legal(games, make(name).act_batch(games, RNG))


@pytest.mark.parametrize("name", ["search:worlds=3", "cheating-search"])
def test_the_answers_repeat_and_depend_on_neither_threads_nor_chance(name: str) -> None:
    games = some_positions(300, list(RULESETS.values()), seed=2)
    separator = "," if "=" in name else ":"
    answers = [
        make(f"{name}{separator}threads={threads}").act_batch(games, np.random.default_rng(threads)).tolist()
        for threads in (1, 2, 5)
    ]
    bot = make(name)
    one_by_one = [bot.act(games[i : i + 1], RNG) for i in range(len(games))]
    assert answers[0] == answers[1] == answers[2] == one_by_one


def test_the_views_stay_as_they_are() -> None:
    games = some_positions(50, [PORTUGUESE], seed=3)
    before = games.tobytes()
    QUICK.act_batch(games, RNG)
    make("cheating-search").act_batch(games, RNG)
    assert games.tobytes() == before


def test_views_that_are_alike_are_searched_once() -> None:
    games = some_positions(40, [PORTUGUESE], seed=9)
    mixed = np.random.default_rng(9).permutation(np.repeat(np.arange(len(games)), 3))
    searched: list[int] = []

    def count(views: GameRecords) -> np.ndarray:
        searched.append(len(views))
        return QUICK.act_batch(views, RNG)

    answers = answers_in_unlike(count, games[mixed], views_a_part=8, threads=1)
    assert sum(searched) == len(np.unique(games)) == len(games)
    assert (answers == QUICK.act_batch(games, RNG)[mixed]).all()


def test_scores_of_earlier_deals_change_no_action() -> None:
    games = some_positions(100, [PORTUGUESE], seed=4)
    answers = QUICK.act_batch(games, RNG)
    games["scores"] += np.array([100, -50, 0, -50], dtype=np.int16)
    assert (QUICK.act_batch(games, RNG) == answers).all()


# What a seat may know


def test_an_honest_search_does_not_look_at_hidden_hands() -> None:
    games = some_positions(300, list(RULESETS.values()), seed=5)
    answers = QUICK.act_batch(hidden(games), RNG)
    assert (QUICK.act_batch(games, RNG) == answers).all()
    for game in games:
        seats = [seat for seat in range(NUM_SEATS) if seat != game["turn"]]
        game["hands"][seats] = game["hands"][seats[1:] + seats[:1]]
    assert (QUICK.act_batch(games, RNG) == answers).all()


def test_a_cheating_search_does_and_will_not_play_without() -> None:
    games = some_positions(300, [PORTUGUESE], seed=6)
    cheater = make("cheating-search")
    assert (cheater.act_batch(games, RNG) != QUICK.act_batch(games, RNG)).any()
    with pytest.raises(ValueError, match="^views: cheating-search needs games that show all four hands"):
        cheater.act(Game(seed=1, dealer=0).view(0), RNG)


def test_a_view_that_no_deal_fits_is_refused() -> None:
    view = Game(seed=1, dealer=0).view(0)
    view["voids"][0, 1:] = 15  # nobody could hold a card
    with pytest.raises(ValueError, match="^views: no deal of the hidden cards agrees"):
        QUICK.act(view, RNG)


# What it finds


def test_the_lead_that_cannot_lose_is_found() -> None:
    """Nobody else has a club, so a club led takes the trick; the diamond gives the lead away for good."""
    game = position({0: "3C 2D", 1: "5D 5S", 2: "7D 7S", 3: "9D 9S"}, "no_last_two")
    game.record["voids"][0, 1:] = 1  # of clubs
    for name in ("search", "search:worlds=1", "search:ms=5", "cheating-search"):
        assert action_text(make(name).act(game.record, RNG)) == "2D"


def test_among_equals_the_heuristic_has_its_way() -> None:
    """Once the K♥ has fallen no card matters."""
    for seed in range(20):
        game = Game(seed=seed, first_deal=4, num_deals=1)
        while not game.record["played"].sum() >> parse_action("KH") & 1:
            game.play(int(game.legal_ids()[seed % len(game.legal_ids())]))
        if not game.is_over:
            usual = make("heuristic").act(game.record, RNG)
            assert QUICK.act(game.record, RNG) == usual


def test_searching_pays() -> None:
    result = play_match(["search:worlds=10", "heuristic", "heuristic", "heuristic"], 24, 1, progress=False)
    assert result.points("search:worlds=10").interval[0] > 0


def test_a_search_for_a_time_takes_about_that_long() -> None:
    view = Game(seed=1, dealer=0).view(0)
    bot = make("search:ms=30")
    bot.act(view, RNG)
    start = time.perf_counter()
    for _ in range(4):
        bot.act(view, RNG)
    assert 0.03 <= (time.perf_counter() - start) / 4 < 0.2


def test_one_legal_action_needs_no_search() -> None:
    game = position({0: "3C", 1: "5D", 2: "7D", 3: "9D"}, "no_last_two")
    assert action_text(make("search:ms=100000").act(game.view(0), RNG)) == "3C"


# How it is asked for


def test_its_name_tells_what_it_was_given() -> None:
    assert make("search:worlds=100,threads=1").name == "search"
    assert make("search:worlds=20").name == "search:worlds=20"
    assert make("search:ms=2.5").name == "search:ms=2.5" and make("search:ms=20").name == "search:ms=20"
    assert SearchBot(worlds=np.int64(7)).name == "search:worlds=7"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("search:worlds=0", "bot 'search': worlds: must be a whole number of at least 1, not 0"),
        ("search:worlds=2.5", "worlds: must be a whole number of at least 1, not 2.5"),
        ("search:worlds=many", "worlds: must be a whole number of at least 1, not 'many'"),
        ("search:ms=0", "ms: must be a positive number of milliseconds, not 0"),
        ("search:ms=-1", "ms: must be a positive number of milliseconds, not '-1'"),
        ("search:ms=inf", "ms: must be a positive number of milliseconds, not 'inf'"),
        ("search:ms=20,worlds=100", "ms: is given instead of worlds, not with it"),
        ("search:threads=0", "threads: must be a whole number of at least 1, not 0"),
        ("search:deals=3", "unknown option 'deals'; known: worlds, ms, threads"),
        ("cheating-search:worlds=3", "unknown option 'worlds'; known: threads"),
    ],
)
def test_options_that_make_no_sense_are_refused(text: str, message: str) -> None:
    with pytest.raises(BotError) as refusal:
        make(text)
    assert message in str(refusal.value)


# Who is handed whole games


class Watcher:
    """Plays as the heuristic, and notes whether it has been handed cards of others."""

    version = 1

    def __init__(self, name: str, wants_all: bool) -> None:
        self.name = name
        self.sees_all_hands = wants_all
        self.saw: set[bool] = set()

    def act(self, view: GameRecords, rng: np.random.Generator) -> int:
        return int(self.act_batch(view, rng)[0])

    def act_batch(self, views: GameRecords, rng: np.random.Generator) -> Any:
        self.saw |= {int((view["hands"] != 0).sum()) > 1 for view in views}
        return make("heuristic").act_batch(views, rng)


@pytest.mark.parametrize("time_limit_ms", [None, 10_000.0])
def test_only_a_bot_that_is_called_cheating_is_handed_other_hands(time_limit_ms: float | None) -> None:
    honest, cheat = Watcher("honest", wants_all=False), Watcher("cheating-watcher", wants_all=True)
    only_named_so = Watcher("not-cheating", wants_all=False)
    bots: list[BotChoice] = [honest, cheat, only_named_so, "heuristic"]
    play_match(
        bots, 1, 1, seatings="balanced", allow_cheating=True, time_limit_ms=time_limit_ms, num_threads=1, progress=False
    )
    assert honest.saw == only_named_so.saw == {False}
    assert True in cheat.saw


def test_a_bot_that_sees_all_hands_is_refused_unless_allowed() -> None:
    bots = ["cheating-search", "random", "random", "random"]
    with pytest.raises(ValueError, match="'cheating-search' sees all hands, and plays only where that is allowed"):
        play_match(bots, 1, 1)
    assert play_match(bots, 1, 1, allow_cheating=True, progress=False).points("cheating-search").mean > 0


@pytest.mark.parametrize("allow_cheating", [False, True])
def test_a_bot_that_would_see_all_hands_under_an_honest_name_is_never_let_in(allow_cheating: bool) -> None:
    bots: list[BotChoice] = [Watcher("honest", wants_all=True), "random", "random", "random"]
    with pytest.raises(ValueError, match="'honest' wants to see all hands, so its name must say 'cheating'"):
        play_match(bots, 1, 1, allow_cheating=allow_cheating)
