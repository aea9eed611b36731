"""`pretrained-search`: a policy that searches before it acts, and takes the other seats to play by the same policy.

Against three that do it is a best responder, as far as a search of this size goes; at a table of others it is the
policy with a second thought.
"""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from king_env.bots.compiled_bot import only_action
from king_env.bots.pretrained.likely_worlds import Belief, new_table
from king_env.bots.pretrained.policy_file import Policy, read_policy
from king_env.bots.pretrained.policy_searching import MOST_CHOICES, OUTLOOK_DTYPE, Outlooks, search_likely
from king_env.bots.pretrained.pretrained_bot import path_of
from king_env.bots.search import VIEWS_A_PART, answers_in_unlike, as_seen, check_threads, in_order
from king_env.bots.searching import SEARCH_DTYPE, begin_searches
from king_env.bots.thoughts import Thought
from king_env.chance import STREAM_WORDS
from king_env.engine.actions import Action
from king_env.engine.information import DEALS_DTYPE
from king_env.engine.state import GameRecords
from king_env.ruleset import whole_number

# Changes whenever the search answers differently with the same policy.
SEARCH_VERSION = 2
DEFAULT_PLAYOUTS, DEFAULT_STEPS, DEFAULT_TRICKS = 100, 2, 0

BELIEF = Belief(sharpness=1.0, surprise=0.1)
# What the policy finds likelier is worth more, by so many points for each unit of its logit; and true gains lie about
# so far from that. What a few playouts say of a gain is weighed against this by how sure it is.
POINTS_A_LOGIT = 0.4
SPREAD_OF_GAINS = 8.0


class PolicySearchBot:
    """Plays likely actions out in worlds that are likely by the policy of the others, and takes the best.

    It draws no random numbers from outside: the same position gets the same answer.
    """

    def __init__(
        self,
        file: str | os.PathLike[str] | None = None,
        playouts: int = DEFAULT_PLAYOUTS,
        steps: int = DEFAULT_STEPS,
        tricks: int = DEFAULT_TRICKS,
        threads: int | None = None,
    ) -> None:
        """The shipped policy, or that of a file.

        Args:
            file: a `.npz` policy.
            playouts: in how many worlds each action is played out, at most.
            steps: how many steps the walk through likely worlds takes from one to the next.
            tricks: for how many full tricks the policy plays in a playout, before the heuristic ends it.
            threads: how many views are searched at a time; as many as there are processors.

        """
        self.policy: Policy = read_policy(path_of(file))
        self._playouts = whole_number("playouts", playouts, 1)
        self._steps = whole_number("steps", steps, 1)
        self._tricks = whole_number("tricks", tricks, 0)
        self.belief = BELIEF
        check_threads(threads)
        self._threads = threads
        self.name = self._name_of(file)
        self.version = SEARCH_VERSION << 32 | self.policy.fingerprint

    def act(self, view: GameRecords, rng: np.random.Generator) -> Action:
        """The action of the seat to act in one view (GAME_DTYPE[1])."""
        return only_action(self.act_batch(view, rng))

    def act_batch(self, views: GameRecords, rng: np.random.Generator) -> np.ndarray:
        """The actions (int64[N]) of the seats to act in N views."""
        return answers_in_unlike(self._answers, as_seen(views), VIEWS_A_PART, self._threads)

    def explain(self, views: GameRecords) -> list[Thought]:
        """What each likely action gains over what the policy would do; nothing where that alone is likely."""
        thoughts: list[Thought] = []
        for _, outlooks in in_order(self._search, as_seen(views), VIEWS_A_PART, self._threads):
            thoughts += [_thought(outlook) for outlook in outlooks]
        return thoughts

    def _answers(self, views: GameRecords) -> np.ndarray:
        actions, outlooks = self._search(views)
        best = outlooks["actions"][np.arange(len(views)), expected_gains(outlooks).argmax(axis=1)]
        return np.where(outlooks["num_choices"] > 0, best, actions)

    def _search(self, views: GameRecords) -> tuple[np.ndarray, Outlooks]:
        """What is done where there is nothing to search, and what was found out where there is."""
        actions = np.empty(len(views), dtype=np.int64)
        searches = np.zeros(len(views), dtype=SEARCH_DTYPE)
        deals = np.zeros(len(views), dtype=DEALS_DTYPE)
        streams = np.zeros((len(views), STREAM_WORDS), dtype=np.uint64)
        outlooks = np.zeros(len(views), dtype=OUTLOOK_DTYPE)
        made = np.zeros((MOST_CHOICES, self._playouts))
        table = new_table(self.policy.weights, self._playouts)
        begin_searches(views, searches, deals, streams, actions)
        search_likely(views, self._steps, self._tricks, self.belief, searches, deals, streams, table, made, outlooks)
        return actions, outlooks

    def _name_of(self, file: str | os.PathLike[str] | None) -> str:
        """The name that makes the same bot again."""
        options = [f"file={Path(file).as_posix()}"] if file is not None else []
        options += [f"playouts={self._playouts}"] if self._playouts != DEFAULT_PLAYOUTS else []
        options += [f"steps={self._steps}"] if self._steps != DEFAULT_STEPS else []
        options += [f"tricks={self._tricks}"] if self._tricks != DEFAULT_TRICKS else []
        return ":".join(["pretrained-search", ",".join(options)] if options else ["pretrained-search"])


def expected_gains(outlooks: Outlooks) -> np.ndarray:
    """What each choice gains over the first (float64[N, MOST_CHOICES]); −inf where there is none.

    It lies between what the policy's logits say and what the playouts say, nearer to these the surer they are.
    """
    variances, spread = outlooks["errors"] ** 2, SPREAD_OF_GAINS**2
    by_policy = POINTS_A_LOGIT * outlooks["logits"]
    gains = (spread * outlooks["gains"] + variances * by_policy) / (spread + variances)
    return np.where(np.arange(MOST_CHOICES) < outlooks["num_choices"][:, None], gains, -np.inf)


def _thought(outlook: np.void) -> Thought:
    if outlook["num_choices"] <= 1:
        return Thought()
    choices = slice(0, int(outlook["num_choices"]))
    actions = outlook["actions"][choices].tolist()
    return Thought(
        gains=dict(zip(actions, outlook["gains"][choices].tolist(), strict=True)),
        errors=dict(zip(actions, outlook["errors"][choices].tolist(), strict=True)),
    )
