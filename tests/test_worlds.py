"""Worlds: what a seat cannot tell apart is counted and drawn exactly, held against plain enumeration."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pytest

from king_env import Game, count_deals, sample_hidden
from king_env.engine import batch
from king_env.engine.contracts import NUM_DEALS
from king_env.engine.observation import OBSERVATION_SIZE
from king_env.notation import parse_cards
from king_env.ruleset import RuleSet
from king_env.worlds import ViewError
from tests.engine.table import position

KING_OF_HEARTS_DEAL, HEARTS_DEAL = 4, 1
FORCED = ("always", "following", "when_void", "never")


def random_deal(seed: int, deal: int, rules: RuleSet, num_actions: int) -> Game:
    """One deal played at random for a while."""
    rng = random.Random(seed)
    game = Game(rules, first_deal=deal, num_deals=1, seed=seed)
    for _ in range(num_actions):
        if not game.is_over:
            game.play(rng.choice(game.legal_ids()))
    return game


def endings(deal: int, rules: RuleSet, cards_left: int, number: int) -> Iterator[Game]:
    """Deals of which so many cards a hand, or nearly so, are left to play."""
    for seed in range(number):
        game = random_deal(seed, deal, rules, 0)
        rng = random.Random(seed)
        until = 52 - 4 * cards_left + seed % 4
        while not game.is_over and int(game.record["num_plays"][0]) < until:
            game.play(rng.choice(game.legal_ids()))
        if not game.is_over:
            yield game


def could_have_been_played(game: Game, hands: tuple[int, ...]) -> bool:
    """Whether all that was done was legal if the seats hold these cards now."""
    dealt = [hand | int(played) for hand, played in zip(hands, game.record["played"][0], strict=True)]
    again = Game(game.ruleset, [dealt], game.first_dealer, game.first_deal, 1)
    for action in game.actions:
        if action not in again.legal_ids():
            return False
        again.play(action)
    return True


def all_hands(game: Game, viewer: int) -> Iterator[tuple[int, ...]]:
    """Every way of giving the hidden seats as many cards as they hold."""
    hands = [int(hand) for hand in game.record["hands"][0]]
    others = [seat for seat in range(4) if seat != viewer]
    hidden = [card for card in range(52) if any(hands[seat] >> card & 1 for seat in others)]
    first, second, _ = (hands[seat].bit_count() for seat in others)
    for of_first in itertools.combinations(hidden, first):
        left = [card for card in hidden if card not in of_first]
        for of_second in itertools.combinations(left, second):
            of_third = [card for card in left if card not in of_second]
            dealt = dict(zip(others, (of_first, of_second, of_third), strict=True))
            yield tuple(hands[viewer] if seat == viewer else sum(1 << c for c in dealt[seat]) for seat in range(4))


def possible_hands(game: Game, viewer: int) -> set[tuple[int, ...]]:
    return {hands for hands in all_hands(game, viewer) if could_have_been_played(game, hands)}


def drawn_hands(game: Game, viewer: int, number: int, seed: int = 1) -> Counter[tuple[int, ...]]:
    view = game.view(viewer)
    worlds = np.repeat(view, number)
    sample_hidden(view, np.random.default_rng(seed), worlds)
    return Counter(map(tuple, worlds["hands"].tolist()))


@pytest.mark.parametrize("deal", range(NUM_DEALS - 3))
def test_what_is_counted_is_what_could_have_been_played(deal: int) -> None:
    for game in endings(deal, RuleSet(), cards_left=2, number=12):
        for viewer in range(4):
            assert count_deals(game.view(viewer)) == len(possible_hands(game, viewer))


@pytest.mark.parametrize("forced", FORCED)
@pytest.mark.parametrize("deal", [KING_OF_HEARTS_DEAL, HEARTS_DEAL])
def test_what_the_rules_of_hearts_prove_is_counted(deal: int, forced: str) -> None:
    rules = RuleSet(king_of_hearts_forced=forced)
    for game in endings(deal, rules, cards_left=3, number=8):
        viewer = int(game.record["turn"][0])
        possible = possible_hands(game, viewer)
        assert count_deals(game.view(viewer)) == len(possible)
        assert set(drawn_hands(game, viewer, 40 * len(possible))) <= possible


def test_every_possible_deal_is_drawn_as_often_as_any_other() -> None:
    for game in endings(KING_OF_HEARTS_DEAL, RuleSet(), cards_left=3, number=6):
        viewer = int(game.record["turn"][0])
        possible = possible_hands(game, viewer)
        expected = 200
        drawn = drawn_hands(game, viewer, expected * len(possible))
        assert set(drawn) == possible
        chi_square = sum((drawn[hands] - expected) ** 2 / expected for hands in possible)
        freedom = len(possible) - 1
        assert chi_square < freedom + 4.5 * (2 * max(freedom, 1)) ** 0.5 + 10


def test_before_the_first_card_all_deals_are_possible() -> None:
    assert count_deals(Game(seed=3).view(2)) == 84478098072866400


def test_who_led_a_heart_had_nothing_else() -> None:
    game = position({0: "2H 3H", 1: "4H 5C", 2: "6C 7C", 3: "8D 9D"}, "no_hearts")
    game.play("2H")
    hidden = drawn_hands(game, 2, 500)
    assert {hands[0] for hands in hidden} <= {parse_cards("3H"), parse_cards("4H")}


@pytest.mark.parametrize("deal", range(NUM_DEALS))
def test_in_any_game_the_truth_is_among_the_worlds_and_no_world_shows(deal: int) -> None:
    """A world gives the seat the same observation to the bit, and nobody a suit that it has shown to be void in."""
    for seed in range(25):
        game = random_deal(seed, deal, RuleSet(), num_actions=4 + 3 * seed % 55)
        if game.is_over:
            continue
        viewer = seed % 4
        view = game.view(viewer)
        assert count_deals(view) >= 1
        worlds = np.repeat(view, 30)
        sample_hidden(view, np.random.default_rng(seed), worlds)
        sizes = [int(hand).bit_count() for hand in game.record["hands"][0]]
        seen = np.zeros((30, OBSERVATION_SIZE), dtype=np.int8)
        batch.observe(worlds, np.full(30, viewer), seen)
        truly = np.zeros((1, OBSERVATION_SIZE), dtype=np.int8)
        batch.observe(game.record, np.array([viewer]), truly)
        assert (seen == truly).all()
        for world in worlds:
            assert [int(hand).bit_count() for hand in world["hands"]] == sizes
            assert could_have_been_played(game, tuple(int(hand) for hand in world["hands"]))
            assert sum(int(hand) for hand in world["hands"]) == sum(int(hand) for hand in game.record["hands"][0])


def test_a_seed_gives_the_same_worlds() -> None:
    game = random_deal(5, 0, RuleSet(), 20)
    assert drawn_hands(game, 1, 50, seed=2) == drawn_hands(game, 1, 50, seed=2)
    assert drawn_hands(game, 1, 50, seed=2) != drawn_hands(game, 1, 50, seed=3)


def test_what_is_no_view_of_a_seat_is_refused() -> None:
    game = Game(seed=1)
    nobodys = game.view(0)
    nobodys["hands"] = 0
    with pytest.raises(ViewError, match="it shows the whole hand of no seat"):
        count_deals(nobodys)
    with pytest.raises(ViewError, match=r"view: must be an array GAME_DTYPE\[1\]"):
        count_deals(game)  # type: ignore[arg-type]
    with pytest.raises(ViewError, match=r"out: must be a contiguous array GAME_DTYPE\[N\]"):
        sample_hidden(game.view(0), np.random.default_rng(1), np.zeros(3))


def test_a_determinized_game_goes_on_by_itself_and_is_a_whole_record() -> None:
    game = random_deal(4, 3, RuleSet(), 17)
    world = game.determinize(1, np.random.default_rng(1))
    before = game.record.tobytes()
    assert world.hand(1) == game.hand(1)
    assert world.hand(0) != game.hand(0)
    rng = random.Random(1)
    while not world.is_over:
        world.play(rng.choice(world.legal_ids()))
    assert game.record.tobytes() == before
    assert Game.from_record(world.to_record()).scores == world.scores


def test_a_determinized_game_does_not_foretell_the_deals_to_come() -> None:
    game = Game(seed=8)
    worlds = [game.determinize(0, np.random.default_rng(seed)) for seed in (1, 2)]
    for deal in range(1, NUM_DEALS):
        deals = [tuple(one.deals[deal].tolist()) for one in (game, *worlds)]
        assert len(set(deals)) == 3
    assert (game.deals[0][0] == worlds[0].deals[0][0]) and (worlds[0].deals[0][0] == worlds[1].deals[0][0])
