"""OpenSpiel's hearts, spades and bridge: random play from Python, and inside its C++.

Steps are actions of players. That its deals are dealt card by card, each a step of its own to OpenSpiel, takes time
but does not count, as our dealing does not. Tensors are written by its observers into an array, which is many times
faster than `state.observation_tensor()`: that makes a Python list.

Random play inside C++ is not offered as such, but `MCTSBot` with one simulation evaluates its root and nothing else:
the `RandomRolloutEvaluator` then plays so many random games from there to the end. It does not say how long they were,
so their mean length comes from as many random games as are played here from the same position. The root must be a
player's, so these games begin when the cards are dealt.
"""

from __future__ import annotations

import random
import statistics
from collections.abc import Callable, Iterator
from typing import Any

import pyspiel
from open_spiel.python.observation import make_observation

from scripts.benchmarking.measuring import STEPS_PER_SECOND, Sample, rate

ROLLOUTS = 1000
GAMES_FOR_LENGTH = 1000
EXPLORATION, MAX_MEMORY_MB, SEED = 1.0, 100, 1  # of the bot; nothing is explored


def openspiel_hearts() -> Iterator[Sample]:
    """Passing cards included."""
    return game_figures("hearts", "hearts")


def openspiel_spades() -> Iterator[Sample]:
    """Bids included."""
    return game_figures("spades", "spades")


def openspiel_bridge() -> Iterator[Sample]:
    """Auction and card play; by default OpenSpiel would look the result up when the auction ends."""
    return game_figures("bridge", "bridge(use_double_dummy_result=false)")


def game_figures(name: str, specification: str) -> Iterator[Sample]:
    """One game in the three ways."""
    game = pyspiel.load_game(specification)
    observe = observer(game)
    yield Sample(
        f"openspiel_{name}/python",
        f"OpenSpiel {name}, Python loop",
        STEPS_PER_SECOND,
        rate(lambda: play(game.new_initial_state(), ignore)),
    )
    yield Sample(
        f"openspiel_{name}/tensors",
        f"OpenSpiel {name}, Python loop with tensors",
        STEPS_PER_SECOND,
        rate(lambda: play(game.new_initial_state(), observe)),
    )
    yield Sample(
        f"openspiel_{name}/compiled",
        f"OpenSpiel {name}, rollouts in C++ from dealt cards",
        STEPS_PER_SECOND,
        rollout_rate(game),
    )


def observer(game: Any) -> Callable[[Any], None]:
    """Writes what the player to act sees, in the form that the game offers."""
    perfect_recall = not game.get_type().provides_observation_tensor
    observation = make_observation(game, pyspiel.IIGObservationType(perfect_recall=perfect_recall))
    return lambda state: observation.set_from(state, state.current_player())


def ignore(state: Any) -> None:
    """Look at nothing."""


def play(state: Any, observe: Callable[[Any], None]) -> int:
    """Play uniformly at random from here to the end; returns how many actions of players there were."""
    num_actions = 0
    while not state.is_terminal():
        if not state.is_chance_node():
            observe(state)
            num_actions += 1
        state.apply_action(random.choice(state.legal_actions()))  # chance is uniform in these games
    return num_actions


def rollout_rate(game: Any) -> float:
    """Actions per second of random games played in C++."""
    state = dealt(game)
    evaluator = pyspiel.RandomRolloutEvaluator(ROLLOUTS, SEED)
    bot = pyspiel.MCTSBot(game, evaluator, EXPLORATION, 1, MAX_MEMORY_MB, False, SEED, False)
    mean_length = statistics.fmean(play(state.clone(), ignore) for _ in range(GAMES_FOR_LENGTH))

    def roll_out() -> int:
        bot.mcts_search(state)
        return round(mean_length * ROLLOUTS)

    return rate(roll_out)


def dealt(game: Any) -> Any:
    """A game with the cards dealt and a player to act."""
    state = game.new_initial_state()
    while state.is_chance_node():
        state.apply_action(random.choice(state.legal_actions()))
    return state
