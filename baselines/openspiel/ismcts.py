"""OpenSpiel's ISMCTS, the one in Python, as a bot of King: it searches each deal through `python_king`.

python -m baselines.openspiel.ismcts --simulations 50 --blocks 2

Nothing is trained here. At every decision the search draws the cards that its seat does not see anew for each
simulation, walks down its tree of information states, and plays the rest at random. What a game tells it is a view, as
every bot is handed, so its strength is measured on duplicate deals as that of any other.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

import numpy as np
import pyspiel
from open_spiel.python.algorithms.ismcts import ISMCTSBot
from open_spiel.python.algorithms.mcts import RandomRolloutEvaluator

from baselines.playing import Stopwatch, at_least, print_strength
from king_env.engine.actions import Action
from king_env.engine.state import GameRecords
from king_env.integrations.openspiel import state_of

# How much a rarely tried action is worth trying, in the unit of returns: about the spread of a deal's points.
EXPLORATION = 100.0
FEWEST_SIMULATIONS = 2  # the first tries no action yet


class SearchingBot:
    """ISMCTS with random playouts, for one rule set."""

    version = 1

    def __init__(self, simulations: int, ruleset: str = "portuguese") -> None:
        self.name = f"ismcts:simulations={simulations}"
        self.num_decisions = 0
        self._simulations = simulations
        self._game = pyspiel.load_game(f"python_king(ruleset={ruleset})")

    def act(self, view: GameRecords, rng: np.random.Generator) -> Action:
        """The action of the seat to act in one view (GAME_DTYPE[1])."""
        state = state_of(view, self._game, rng)
        self.num_decisions += 1
        if len(state.legal_actions()) == 1:
            return int(state.legal_actions()[0])
        random_state = np.random.RandomState(rng.integers(2**32))
        search = ISMCTSBot(
            game=self._game,
            evaluator=RandomRolloutEvaluator(n_rollouts=1, random_state=random_state),
            uct_c=EXPLORATION,
            max_simulations=self._simulations,
            random_state=random_state,
        )
        return int(search.step(state))

    def act_batch(self, views: GameRecords, rng: np.random.Generator) -> np.ndarray:
        """The actions (int64[N]) of the seats to act in N views, one after the other."""
        return np.array([self.act(views[i : i + 1], rng) for i in range(len(views))], dtype=np.int64)


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--simulations", type=at_least(FEWEST_SIMULATIONS), default=50, help="of each decision (50)")
    parser.add_argument("--blocks", type=at_least(1), default=2, help="blocks of deals to measure on (2)")
    options = parser.parse_args(arguments)
    bot, stopwatch = SearchingBot(options.simulations), Stopwatch()
    print_strength(bot, options.blocks)
    stopwatch.print_speed(bot.num_decisions)
    return 0


if __name__ == "__main__":
    sys.exit(main())
