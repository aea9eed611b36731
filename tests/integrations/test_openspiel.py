"""`python_king` in OpenSpiel: it passes OpenSpiel's own tests, scores as King does, and shows no hidden card."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyspiel
import pytest

from baselines.openspiel.ismcts import SearchingBot, main
from king_env.engine.cards import CARD_BIT
from king_env.evaluation import play_match
from king_env.game import Game
from king_env.integrations.openspiel import KingObserver, state_of

DEAL = "python_king(ruleset=portuguese)"
GAME = "python_king(ruleset=brazilian_auction,episode=game)"
OF_RULES = "python_king(ruleset=brazilian_auction)"
ONE_CONTRACT = "python_king(ruleset=brazilian_trump,contracts=no_hearts)"


def play_on(state: Any, rng: np.random.Generator, num_actions: int | None = None) -> Any:
    """Play at random, for so many actions of seats or to the end."""
    while not state.is_terminal() and num_actions != 0:
        if state.is_chance_node():
            outcomes, chances = zip(*state.chance_outcomes(), strict=True)
            state.apply_action(int(rng.choice(outcomes, p=chances)))
        else:
            state.apply_action(int(rng.choice(state.legal_actions())))
            num_actions = None if num_actions is None else num_actions - 1
    return state


def in_play(name: str, seed: int, num_actions: int) -> Any:
    """A state of a game under way, with a seat to act."""
    rng = np.random.default_rng(seed)
    state = play_on(pyspiel.load_game(name).new_initial_state(), rng, num_actions)
    while state.is_chance_node():
        state.apply_action(int(rng.choice([outcome for outcome, _ in state.chance_outcomes()])))
    return state


@pytest.mark.parametrize("name", [DEAL, ONE_CONTRACT])
def test_openspiel_finds_nothing_wrong_with_it(name: str) -> None:
    pyspiel.random_sim_test(pyspiel.load_game(name), num_sims=3, serialize=True, verbose=False)


def test_a_whole_game_passes_openspiels_test_too() -> None:
    pyspiel.random_sim_test(pyspiel.load_game(GAME), num_sims=1, serialize=False, verbose=False)


@pytest.mark.parametrize("name", [DEAL, GAME])
@pytest.mark.parametrize("seed", range(3))
def test_returns_are_the_scores_that_king_counts(name: str, seed: int) -> None:
    game = pyspiel.load_game(name)
    state = play_on(game.new_initial_state(), np.random.default_rng(seed))
    deal, dealer, *moves = state.history()
    deals, actions = cards_and_actions(moves)
    num_deals = len(deals)
    again = Game(game.ruleset, deals, dealer=dealer, first_deal=deal, num_deals=num_deals)
    for action in actions:
        again.play(action)
    assert again.is_over
    assert state.returns() == again.scores


def cards_and_actions(moves: list[int]) -> tuple[list[list[int]], list[int]]:
    """The hands of the deals in a history, each 52 cards that come while nobody holds any, and the actions."""
    deals: list[list[int]] = []
    actions: list[int] = []
    while moves:
        dealt, moves = moves[:52], moves[52:]
        assert sorted(dealt) == list(range(52))
        deals.append([int(CARD_BIT[dealt[seat::4]].sum()) for seat in range(4)])
        rest = length_of_deal(moves)
        actions += moves[:rest]
        moves = moves[rest:]
    return deals, actions


def length_of_deal(moves: list[int]) -> int:
    """How many actions there are before the next deal: all calls and 52 plays, or calls that end in `skip`."""
    plays = 0
    for number, action in enumerate(moves):
        plays += action < 52
        if plays == 52 or action == 72:
            return number + 1
    return len(moves)


@pytest.mark.parametrize("num_actions", [0, 1, 7, 30, 51])
def test_a_resampled_state_is_the_same_to_its_player(num_actions: int) -> None:
    state = in_play(DEAL, seed=num_actions, num_actions=num_actions)
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    for player in range(4):
        world = state.resample_from_infostate(player, sampler)
        assert world.information_state_string(player) == state.information_state_string(player)
        assert world.information_state_tensor(player) == state.information_state_tensor(player)
        assert world.observation_tensor(player) == state.observation_tensor(player)
        assert world.current_player() == state.current_player()
        assert world.legal_actions() == state.legal_actions() or player != state.current_player()
        play_on(world, np.random.default_rng(1))


def test_resampling_draws_what_the_player_cannot_see() -> None:
    state = in_play(DEAL, seed=3, num_actions=8)
    sampler = pyspiel.UniformProbabilitySampler(0.0, 1.0)
    worlds = {str(state.resample_from_infostate(2, sampler)) for _ in range(5)}
    assert len(worlds) == 5


def test_while_cards_are_dealt_only_the_others_are_drawn() -> None:
    state = pyspiel.load_game(DEAL).new_initial_state()
    rng = np.random.default_rng(4)
    for _ in range(20):
        state.apply_action(int(rng.choice([outcome for outcome, _ in state.chance_outcomes()])))
    world = state.resample_from_infostate(1, pyspiel.UniformProbabilitySampler(0.0, 1.0))
    assert world.information_state_string(1) == state.information_state_string(1)
    assert world.information_state_string(0) != state.information_state_string(0)
    assert len(world.history()) == len(state.history())


def test_a_clone_plays_on_by_itself() -> None:
    state = in_play(GAME, seed=5, num_actions=70)
    before = str(state), state.history()
    play_on(state.clone(), np.random.default_rng(5))
    assert (str(state), state.history()) == before


def test_information_states_of_a_player_tell_all_orders_apart() -> None:
    state = in_play(DEAL, seed=6, num_actions=12)
    pieces = KingObserver(pyspiel.IIGObservationType(perfect_recall=True))
    pieces.set_from(state, 0)
    calls = state.table.record["num_calls"][0]
    assert pieces.dict["calls"].sum() == calls
    assert pieces.dict["plays"].sum() == 12 - calls


def test_an_unknown_rule_set_or_contract_is_refused() -> None:
    with pytest.raises(Exception, match="unknown rule set 'hearts'"):
        pyspiel.load_game("python_king(ruleset=hearts)")
    with pytest.raises(Exception, match="contracts: must be one of"):
        pyspiel.load_game("python_king(contracts=no_trumps)")


def test_only_whole_games_are_zero_sum() -> None:
    assert pyspiel.load_game(GAME).utility_sum() == 0.0
    assert pyspiel.load_game(DEAL).utility_sum() is None


def test_chance_draws_every_kind_of_deal_alike() -> None:
    first = pyspiel.load_game("python_king(contracts=no_queens+positive)").new_initial_state()
    assert dict(first.chance_outcomes()) == {2: 0.5, 6: 0.125, 7: 0.125, 8: 0.125, 9: 0.125}


def test_a_state_of_a_view_is_the_game_to_its_seat() -> None:
    game, spiel = Game("brazilian_auction", seed=7, first_deal=7, num_deals=1), pyspiel.load_game(OF_RULES)
    rng = np.random.default_rng(7)
    while not game.is_over:
        seat = game.turn or 0
        state = state_of(game.view(seat), spiel, rng)
        assert state.current_player() == seat
        assert state.legal_actions() == game.legal_ids()
        mine = state.table.record["hands"][0, seat]
        assert mine == game.record["hands"][0, seat]
        game.play(int(rng.choice(game.legal_ids())))


def test_a_view_of_other_rules_is_refused() -> None:
    view = Game("portuguese", seed=1).view(0)
    with pytest.raises(ValueError, match="must be one of single deals"):
        state_of(view, pyspiel.load_game(OF_RULES), np.random.default_rng(1))


def test_ismcts_of_openspiel_plays_a_deal_to_its_end_among_heuristics() -> None:
    bot = SearchingBot(simulations=3)
    play_match([bot, "heuristic", "heuristic", "heuristic"], 1, 1, episode="deal", progress=False)
    assert bot.num_decisions > 100  # in a deal of each kind in each of four seatings; nobody asks where one is legal


def test_the_command_measures(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["--simulations", "2", "--blocks", "1"]) == 0
    among_random, among_heuristic, speed = capsys.readouterr().out.splitlines()
    assert among_random.startswith("ismcts:simulations=2 among three random: ")
    assert among_heuristic.startswith("ismcts:simulations=2 among three heuristic: ")
    assert "decisions in" in speed
