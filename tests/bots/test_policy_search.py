"""`pretrained-search`: its beliefs and playouts against slow ones by hand, what it may know, and that it pays."""

from __future__ import annotations

import math
import re
from pathlib import Path

import numpy as np
import pytest

from king_env.bots import BotError, make
from king_env.bots.pretrained import PolicySearchBot, PretrainedBot, write_policy
from king_env.bots.pretrained.forward import judge
from king_env.bots.pretrained.likely_worlds import Belief, Table, new_table, recall, walk_through_worlds, weigh
from king_env.bots.pretrained.policy_search import expected_gains
from king_env.bots.pretrained.policy_searching import OUTLOOK_DTYPE, play_out_by_policy
from king_env.bots.thoughts import Explains
from king_env.chance import new_stream
from king_env.engine import batch
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.cards import ALL_CARDS
from king_env.engine.information import CARDS_OF_KIND, NUM_KINDS, count_deals_of, lay_out_deal
from king_env.engine.seats import NUM_SEATS
from king_env.engine.state import OVER, PHASE_NAMES, PLAYING, TO_DEAL, GameRecords
from king_env.evaluation import play_match
from king_env.game import Game
from king_env.ruleset import PORTUGUESE, RULESETS
from king_env.worlds import count_deals, new_deals
from tests.bots.policies import small_policy
from tests.bots.positions import all_rulesets, hidden, positions

RNG = np.random.default_rng(0)
POLICY = small_policy()
BELIEF = Belief(sharpness=1.5, surprise=0.2)


@pytest.fixture(scope="module")
def policy_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("policy") / "small.npz"
    write_policy(POLICY, path)
    return path


@pytest.fixture(scope="module")
def quick(policy_file: Path) -> PolicySearchBot:
    return PolicySearchBot(policy_file, playouts=6, steps=1)


def some_positions(number: int, seed: int, num_mixes: int = 0, num_games: int = 12) -> GameRecords:
    """Games on the way, in all phases, with all hands."""
    rng = np.random.default_rng(seed)
    games = np.concatenate(
        [acting.copy() for acting in positions(all_rulesets(rng, num_mixes), make("random"), rng, num_games)]
    )
    chosen: GameRecords = games[rng.permutation(len(games))[:number]]
    return chosen


def legal_mask(game: GameRecords) -> np.ndarray:
    masks = np.zeros((len(game), NUM_ACTIONS), dtype=np.int8)
    batch.legal_masks(game, masks)
    return masks


def is_deal_on(game: GameRecords) -> bool:
    return game["phase"][0] not in (TO_DEAL, OVER)


def after(game: GameRecords, action: int) -> GameRecords:
    stepped = game.copy()
    batch.step_games(stepped, np.array([action]))
    return stepped


# By hand


def deal_on_the_way(seed: int, num_actions: int) -> list[GameRecords]:
    """A deal from its beginning, before each of so many actions of `random`, and where it stands after them."""
    game = Game(list(RULESETS)[seed % 3], seed=seed, first_deal=seed % 10, num_deals=1).record.copy()
    before, rng = [game], np.random.default_rng(seed)
    while len(before) <= num_actions and is_deal_on(game):
        game = after(game, make("random").act(game, rng))
        before.append(game)
    return before


def likelihood_by_hand(before: list[GameRecords], seat: int) -> float:
    """The probabilities of all that the others have done, each as the policy judges it then."""
    total = 0.0
    for game, then in zip(before, before[1:], strict=False):
        legal: list[int] = np.flatnonzero(legal_mask(game)[0]).tolist()
        if game["turn"][0] == seat or len(legal) == 1:
            continue
        done = next(action for action in legal if after(game, action).tobytes() == then.tobytes())
        logits = judge(POLICY.weights, game)[0][0, legal].astype(np.float64) * BELIEF.sharpness
        probabilities = np.exp(logits) / np.exp(logits).sum()
        of_done = probabilities[legal.index(done)]
        total += math.log((1.0 - BELIEF.surprise) * of_done + BELIEF.surprise / len(legal))
    return total


def log_likelihood(world: GameRecords, seat: int, belief: Belief, table: Table, least: float = -math.inf) -> float:
    """How probable all is that the others have done in a world."""
    of_each = np.empty(NUM_SEATS)
    total = weigh(world, seat, recall(world, table), least, belief, table, of_each)
    assert total == pytest.approx(of_each.sum())
    return float(total)


def test_a_world_is_as_likely_as_all_that_was_done_in_it_is_probable() -> None:
    table = new_table(POLICY.weights, 1)
    for seed in range(12):
        before = deal_on_the_way(seed, num_actions=5 * (seed + 1))
        if not is_deal_on(before[-1]):
            before.pop()
        seat = int(before[-1]["turn"][0])
        by_hand = likelihood_by_hand(before, seat)
        assert log_likelihood(before[-1], seat, BELIEF, table) == pytest.approx(by_hand, abs=1e-4), seed
        assert by_hand < 0.0
        assert log_likelihood(before[-1], seat, BELIEF, table, least=by_hand / 2) < by_hand / 2


def playout_by_hand(game: GameRecords, action: int, num_plays: int, policy: PretrainedBot) -> GameRecords:
    game = after(game, action)
    while is_deal_on(game):
        bot = policy if game["num_plays"][0] < num_plays else make("heuristic")
        game = after(game, bot.act(game, RNG))
    return game


@pytest.mark.parametrize("num_plays", [0, 12, 60])
def test_a_playout_follows_the_policy_and_then_the_heuristic(num_plays: int, policy_file: Path) -> None:
    table, policy = new_table(POLICY.weights, 1), PretrainedBot(policy_file)
    for seed in range(8):
        game = deal_on_the_way(seed, num_actions=4 * seed)[-1]
        action = int(np.flatnonzero(legal_mask(game)[0])[-1])
        table.game[0] = game[0]
        play_out_by_policy(action, num_plays, table)
        by_hand = playout_by_hand(game, action, num_plays, policy)
        assert table.game["deal_scores"].tolist() == by_hand["deal_scores"].tolist()


def all_worlds(view: GameRecords) -> list[GameRecords]:
    deals, worlds = new_deals(), []
    for number in range(count_deals_of(view[0], deals[0])):
        worlds.append(view.copy())
        lay_out_deal(deals[0], number, worlds[-1][0])
    return worlds


def walk(view: GameRecords, visits: int, steps: int, seed: int = 1) -> Table:
    """A walk through so many worlds: the table with the worlds that it was in, and how often."""
    table, deals = new_table(POLICY.weights, visits), new_deals()
    count_deals_of(view[0], deals[0])
    seat = int(view["turn"][0])
    num_worlds = walk_through_worlds(view, deals[0], new_stream(seed), seat, steps, BELIEF, table)
    return table._replace(worlds=table.worlds[:num_worlds], shares=table.shares[:num_worlds])


def test_a_walk_is_in_each_world_as_often_as_it_is_likely() -> None:
    table, compared = new_table(POLICY.weights, 1), 0
    for game in some_positions(1500, seed=7):
        view = hidden(np.array([game]))
        if not 10 <= count_deals(view) <= 40:
            continue
        worlds, seat = all_worlds(view), int(view["turn"][0])
        likelihoods = np.exp([log_likelihood(world, seat, BELIEF, table) for world in worlds])
        walked = walk(view, visits=20_000, steps=1)
        often = [walked.shares[(walked.worlds["hands"] == world["hands"]).all(axis=1)].sum() for world in worlds]
        np.testing.assert_allclose(often, likelihoods / likelihoods.sum(), atol=0.03)
        compared += 1
        if compared == 6:
            return
    pytest.fail(f"{compared} positions were compared")


def test_a_walk_leads_through_worlds_that_the_view_cannot_be_told_from() -> None:
    for game in some_positions(60, seed=9):
        view = hidden(np.array([game]))
        if count_deals(view) < 10:
            continue
        walked = walk(view, visits=30, steps=3)
        assert walked.shares.sum() == pytest.approx(1.0) and (walked.shares > 0.0).all()
        assert hidden(walked.worlds).tobytes() == np.repeat(view, len(walked.worlds)).tobytes()
        for world in walked.worlds:
            assert is_possible(world, view)


def is_possible(world: np.void, view: GameRecords) -> bool:
    """Whether all cards are somewhere, each hand is of its size, and none holds what it has been proved not to."""
    hands, played = world["hands"].tolist(), world["played"].tolist()
    deals = new_deals()
    count_deals_of(view[0], deals[0])
    may_hold = dict(zip(deals["seats"][0].tolist(), deals["may_hold"][0].tolist(), strict=True))
    kinds = {
        seat: sum(1 << kind for kind in range(NUM_KINDS) if hand & CARDS_OF_KIND[kind])
        for seat, hand in enumerate(hands)
    }
    return (
        sum(hands) + sum(played) == ALL_CARDS
        and all(hand.bit_count() + cards.bit_count() == 13 for hand, cards in zip(hands, played, strict=True))
        and all(kinds[seat] & ~may_hold.get(seat, kinds[seat]) == 0 for seat in kinds if seat != int(world["turn"]))
    )


def gains_by_hand(view: GameRecords, actions: list[int], belief: Belief, table: Table) -> np.ndarray:
    """The mean of what each action gains over the first in all worlds, each as often as it is likely."""
    seat = int(view["turn"][0])
    likelihoods: list[float] = []
    made: list[list[float]] = []
    for world in all_worlds(view):
        likelihoods.append(math.exp(log_likelihood(world, seat, belief, table)))
        made.append([])
        for action in actions:
            table.game[0] = world[0]
            play_out_by_policy(action, 60, table)
            made[-1].append(float(table.game["deal_scores"][0, seat]))
    points = np.average(made, axis=0, weights=likelihoods)
    return np.asarray(points - points[0])


def test_where_all_worlds_are_searched_a_gain_is_the_mean_over_them_by_likelihood(policy_file: Path) -> None:
    bot = PolicySearchBot(policy_file, playouts=500, tricks=13)
    table, compared = new_table(POLICY.weights, 1), 0
    for game in some_positions(1500, seed=7):
        view = hidden(np.array([game]))
        if count_deals(view) > 40 or legal_mask(view).sum() == 1:
            continue
        (thought,) = bot.explain(view)
        if not thought.gains:
            continue
        expected = gains_by_hand(view, list(thought.gains), bot.belief, table)
        np.testing.assert_allclose(list(thought.gains.values()), expected, atol=0.02)
        compared += 1
    assert compared > 20


def test_what_is_expected_lies_between_the_policy_and_the_playouts() -> None:
    outlooks = np.zeros(3, dtype=OUTLOOK_DTYPE)
    outlooks["num_choices"] = 2, 2, 0
    outlooks["gains"][:, 1] = 10.0
    outlooks["logits"][:, 1] = -2.0
    outlooks["errors"][:, 1] = 0.0, 1e6, 0.0
    gains = expected_gains(outlooks)
    assert gains[0, 1] == 10.0 and -2.0 < gains[1, 1] < 0.0
    assert (gains[:2, 0] == 0.0).all() and (gains[:2, 2:] == -np.inf).all() and (gains[2] == -np.inf).all()


# What every search owes


def test_every_action_is_legal_in_every_phase_under_all_rules(quick: PolicySearchBot) -> None:
    games = some_positions(30_000, seed=2, num_mixes=9, num_games=60)
    cards, calls = games[games["phase"] == PLAYING], games[games["phase"] != PLAYING]
    games = np.concatenate([cards[:1000], calls])  # with the rarest phases
    assert {PHASE_NAMES[phase] for phase in games["phase"]} == set(PHASE_NAMES[1:-1])
    assert legal_mask(games)[np.arange(len(games)), quick.act_batch(games, RNG)].all()


def test_the_answers_repeat_and_depend_on_neither_threads_nor_chance(policy_file: Path) -> None:
    games = some_positions(150, seed=2)
    before = games.tobytes()
    bots = [PolicySearchBot(policy_file, playouts=6, steps=1, threads=threads) for threads in (1, 3)]
    answers = [bot.act_batch(games, np.random.default_rng(number)).tolist() for number, bot in enumerate(bots)]
    assert answers[0] == answers[1] == [bots[0].act(games[i : i + 1], RNG) for i in range(len(games))]
    assert games.tobytes() == before


def test_it_does_not_look_at_hidden_hands(quick: PolicySearchBot) -> None:
    games = some_positions(200, seed=5)
    answers, thoughts = quick.act_batch(hidden(games), RNG), quick.explain(hidden(games))
    assert (quick.act_batch(games, RNG) == answers).all()
    for game in games:
        seats = [seat for seat in range(NUM_SEATS) if seat != game["turn"]]
        game["hands"][seats] = game["hands"][seats[1:] + seats[:1]]
    assert (quick.act_batch(games, RNG) == answers).all() and quick.explain(games) == thoughts


def test_views_that_cannot_be_are_refused(quick: PolicySearchBot) -> None:
    view = Game(seed=1, dealer=0).view(0)
    with pytest.raises(ValueError, match="a view of another seat does not show its cards"):
        quick.act(Game(seed=1, dealer=0).view(1), RNG)
    view["voids"][0, 1:] = 15  # nobody could hold a card
    with pytest.raises(ValueError, match="^views: no deal of the hidden cards agrees"):
        quick.act(view, RNG)


def test_it_says_what_likely_actions_gain(quick: PolicySearchBot) -> None:
    assert isinstance(quick, Explains)
    games = some_positions(100, seed=3)
    likeliest = judge(POLICY.weights, games)[0].argmax(axis=1)
    for game, thought, likely in zip(games, quick.explain(games), likeliest, strict=True):
        if thought.gains:
            assert thought.errors is not None and thought.gains.keys() == thought.errors.keys()
            assert thought.gains[int(likely)] == thought.errors[int(likely)] == 0.0
            assert legal_mask(np.array([game]))[0, list(thought.gains)].all()


def test_it_takes_from_a_policy_that_plays_badly(policy_file: Path) -> None:
    """Weights that were drawn, not learned: whoever knows them finds much to gain."""
    bot = PolicySearchBot(policy_file, playouts=12)
    field = str(policy_file)
    result = play_match([bot, field, field, field], 20, 1, PORTUGUESE, episode="deal", progress=False)
    assert result.points(bot.name).interval[0] > 0


# How it is asked for


def test_its_name_makes_it_again(policy_file: Path) -> None:
    name = f"pretrained-search:file={policy_file.as_posix()},playouts=5,steps=7,tricks=2"
    bot = make(f"{name},threads=1")
    assert isinstance(bot, PolicySearchBot)
    assert bot.name == name == make(name).name
    assert bot.version == make(name).version != make(str(policy_file)).version


def test_with_the_policy_that_comes_with_us() -> None:
    assert make("pretrained-search").name == "pretrained-search"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ("playouts=0", "playouts: must be a whole number of at least 1, not 0"),
        ("steps=few", "steps: must be a whole number of at least 1, not 'few'"),
        ("tricks=-1", "tricks: must be a whole number of at least 0, not '-1'"),
        ("threads=0", "threads: must be a whole number of at least 1, not 0"),
        ("file=gone.npz", "no policy gone.npz"),
        ("file=7", "file: must be a path, not 7"),
        ("worlds=3", "unknown option 'worlds'; known: file, playouts, steps, tricks, threads"),
    ],
)
def test_options_that_make_no_sense_are_refused(options: str, message: str) -> None:
    with pytest.raises(BotError, match=re.escape(message)) as refusal:
        make(f"pretrained-search:{options}")
    assert "\n" not in str(refusal.value)
