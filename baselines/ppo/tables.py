"""The tables at which the policy plays itself, as the learner sees them: what it is shown, and rewards on one scale."""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence

import numpy as np

from baselines.ppo.config import PPOConfig
from king_env.batch_env import BatchEnv
from king_env.bots.playouts import play_out
from king_env.bots.pretrained.advice import NO_ADVICE, SHOWN_SIZE, advise, show
from king_env.bots.pretrained.layout import blank, runs_of_sections
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.contracts import UP
from king_env.engine.kernel import entry_point
from king_env.engine.observation import OBSERVATION_SIZE
from king_env.engine.seats import NUM_SEATS
from king_env.engine.state import GameRecords, new_records
from king_env.episode import KIND_NAMES
from king_env.ruleset import RuleSet, make_ruleset


class Tables:
    """The games side by side: in single deals one `BatchEnv` for each kind of deal, else one for all."""

    def __init__(self, config: PPOConfig) -> None:
        self.envs = shared_out(config)
        ends = list(itertools.accumulate(env.num_games for env in self.envs))
        self._parts = [slice(start, end) for start, end in itertools.pairwise([0, *ends])]
        self._ignored = runs_of_sections(config.ignored_sections)
        self._cut_at_deals = config.horizon == "deal"
        self._scale = reward_scale(config)
        self._rewards = np.zeros((config.num_games, NUM_SEATS), dtype=np.float32)
        self._ended = np.zeros(config.num_games, dtype=np.bool_)
        self.observations = np.zeros((config.num_games, OBSERVATION_SIZE), dtype=np.int8)
        self.masks = np.zeros((config.num_games, NUM_ACTIONS), dtype=np.int8)
        self.seats = np.zeros(config.num_games, dtype=np.int64)
        self.usual = np.full(config.num_games, NO_ADVICE)  # what the heuristic would do, once it has been asked
        self.advice = self.usual if config.is_advised else self.usual.copy()  # what the network is told of that
        self._scales = np.zeros(config.num_games, dtype=np.float32)
        # What each env writes when it steps, made once: it looks at arrays that it knows no more.
        self._out = [
            (self.observations[part], self.masks[part], self.seats[part], self._rewards[part], self._ended[part])
            for part in self._parts
        ]

    def reset(self, seed: int) -> None:
        """Begin all games, each with deals of its own."""
        env_seeds = np.random.SeedSequence(seed).generate_state(len(self.envs))
        for env, env_seed in zip(self.envs, env_seeds, strict=True):
            env.reset(seed=int(env_seed))
        self._observe()

    def step(self, actions: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Play one action in each game: the rewards, centred and scaled, and where the seats' streams end.

        rewards: float32[num_games, NUM_SEATS], ended: bool[num_games]; both are overwritten by the next step.
        """
        for env, part, out in zip(self.envs, self._parts, self._out, strict=True):
            scale_of_games(env.games, self._scale, self._scales[part])
            env.step_observe(actions[part], out=out)
            if self._cut_at_deals:
                self._ended[part] |= env.deal_ended
        centre_and_scale(self._rewards, self._scales)
        blank(self.observations, self._ignored)
        return self._rewards, self._ended

    def ask_heuristic(self) -> None:
        """Write to `usual` what the heuristic would do at each table, and to `advice` if the network is told."""
        for env, part in zip(self.envs, self._parts, strict=True):
            advise(env.games, self.usual[part])

    def shown(self, rows: np.ndarray) -> np.ndarray:
        """What the network is shown at some tables (int64[K]): int8[K, SHOWN_SIZE], with `advice` as it is there."""
        shown = np.empty((len(rows), SHOWN_SIZE), dtype=np.int8)
        show(self.observations, self.advice, rows, shown)
        return shown

    def foresee(self, rows: np.ndarray) -> np.ndarray:
        """What the seats to act at some tables (int64[K]) will be paid if the heuristic ends the deal in all seats.

        float32[K]; with the cards as they lie, which the seats do not know.
        """
        foreseen, is_wanted = np.zeros(len(self.seats), dtype=np.float32), np.zeros(len(self.seats), dtype=np.bool_)
        is_wanted[rows] = True
        for part, games, scales in self.parts():
            foresee_tables(games, scales, is_wanted[part], new_records(1), foreseen[part])
        return foreseen[rows]

    def views(self, rows: np.ndarray) -> tuple[GameRecords, np.ndarray]:
        """Copies of the games at some tables (int64[K]), and what a point counts in each (float32[K])."""
        games, scales = zip(*((games, scales.copy()) for _, games, scales in self.parts()), strict=True)
        return np.concatenate(games)[rows], np.concatenate(scales)[rows]

    def parts(self) -> Iterator[tuple[slice, GameRecords, np.ndarray]]:
        """The games in runs: which tables they are, their records, and what a point counts in each (float32)."""
        for env, part in zip(self.envs, self._parts, strict=True):
            scale_of_games(env.games, self._scale, self._scales[part])
            yield part, env.games, self._scales[part]

    def state(self) -> list[dict[str, np.ndarray]]:
        """All games and their deals to come."""
        return [env.state() for env in self.envs]

    def restore(self, state: Sequence[Mapping[str, np.ndarray]]) -> None:
        """Go on from what `state` gave."""
        for env, env_state in zip(self.envs, state, strict=True):
            env.restore(env_state)
        self._observe()

    def _observe(self) -> None:
        for env, part in zip(self.envs, self._parts, strict=True):
            self.observations[part], self.masks[part], self.seats[part] = env.observe()
        blank(self.observations, self._ignored)


@entry_point
def foresee_tables(
    games: GameRecords, scales: np.ndarray, is_wanted: np.ndarray, finished: GameRecords, foreseen: np.ndarray
) -> None:
    """`Tables.foresee` of some games (bool[N]): foreseen float32[N], written there alone; finished: one of scratch."""
    for i in range(len(games)):
        if is_wanted[i]:
            finished[0] = games[i]
            play_out(finished[0])
            seat, gained = int(games[i]["turn"]), 0.0
            for other in range(NUM_SEATS):
                share = 1.0 if other == seat else 0.0
                made = int(finished[0]["deal_scores"][other]) - int(games[i]["deal_scores"][other])
                gained += (share - 1.0 / NUM_SEATS) * made
            foreseen[i] = scales[i] * gained


@entry_point
def scale_of_games(games: GameRecords, scale_of_kind: np.ndarray, scales: np.ndarray) -> None:
    """What a point counts in each game as it stands: scales float32[N], written."""
    for i in range(len(games)):
        scales[i] = scale_of_kind[min(games[i]["contract"], UP)]


@entry_point
def centre_and_scale(rewards: np.ndarray, scales: np.ndarray) -> None:
    """Take from rewards, float32[N, NUM_SEATS], what all four gain alike: that is no merit of anyone's. Then scale."""
    for i in range(len(rewards)):
        mean = rewards[i].sum() / NUM_SEATS
        for seat in range(NUM_SEATS):
            rewards[i, seat] = (rewards[i, seat] - mean) * scales[i]


def shared_out(config: PPOConfig) -> list[BatchEnv]:
    """Whole games, or single deals with the games shared out among the kinds; the rule sets take turns."""
    rulesets = [make_ruleset(ruleset) for ruleset in config.rulesets]
    if config.episode == "game":
        return [new_env(config.num_games, rulesets, None, config)]
    shares = proportional_shares(config.num_games, [config.contract_weights[kind] for kind in KIND_NAMES])
    return [new_env(share, rulesets, [kind], config) for kind, share in zip(KIND_NAMES, shares, strict=True) if share]


def new_env(num_games: int, rulesets: Sequence[RuleSet], contracts: list[str] | None, config: PPOConfig) -> BatchEnv:
    """Games of these kinds of deal in all rule sets."""
    rulesets_in_turn = [rulesets[game % len(rulesets)] for game in range(num_games)]
    return BatchEnv(
        num_games, ruleset=rulesets_in_turn, episode=config.episode, contracts=contracts, reward=config.reward
    )


def proportional_shares(total: int, weights: Sequence[int]) -> list[int]:
    """`total` in whole numbers proportional to the weights, as nearly as can be."""
    ends = [round(total * end / sum(weights)) for end in itertools.accumulate(weights)]
    return [end - start for start, end in itertools.pairwise([0, *ends])]


def reward_scale(config: PPOConfig) -> np.ndarray:
    """``[kind]`` → what a point counts (float32): in a deal of one kind it stays the same whatever is declared."""
    if config.reward == "placement":
        return np.ones(len(KIND_NAMES), dtype=np.float32)
    return np.array([1.0 / config.reward_spread[kind] for kind in KIND_NAMES], dtype=np.float32)
