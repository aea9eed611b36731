"""What an env pays: points as they fall, deals as they end, places at the end; and nobody's reward is lost."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from king_env import king_v0
from king_env.aec_env import AGENTS, KingAECEnv
from king_env.engine.contracts import DOWN_START
from king_env.game import Game
from king_env.ruleset import RULESETS, RuleSet
from tests.envs.playing import Chooser, is_over, mask_of, play, random_chooser


def told_by_last(env: KingAECEnv, choose: Chooser) -> dict[str, float]:
    """Play to the end as PettingZoo shows it, and add up what `last` tells each agent."""
    totals = dict.fromkeys(AGENTS, 0.0)
    for agent in env.agent_iter():
        _, reward, termination, truncation, _ = env.last()
        totals[agent] += reward
        env.step(None if termination or truncation else choose(mask_of(env)))
    return totals


@pytest.mark.parametrize("episode", ["game", "deal"])
@pytest.mark.parametrize("reward", ["points", "deal"])
@pytest.mark.parametrize("ruleset", [*RULESETS, RuleSet(settlement="full", stop_when_decided=True)])
def test_the_rewards_of_last_add_up_to_the_score(ruleset: str | RuleSet, reward: str, episode: str) -> None:
    for env in (king_v0.env(ruleset=ruleset, reward=reward, episode=episode), king_v0.raw_env(ruleset=ruleset)):
        env.reset(seed=13)
        totals = told_by_last(env, random_chooser(13))
        assert list(totals.values()) == env.game.scores


def each_step(env: KingAECEnv, seed: int) -> Iterator[tuple[list[float], Game, Game]]:
    """The rewards of each step, and the game before and after it."""
    env.reset(seed=seed)
    choose = random_chooser(seed)
    while not is_over(env):
        before = env.game.clone()
        env.step(choose(mask_of(env)))
        yield list(env.rewards.values()), before, env.game


def test_points_are_paid_as_they_happen() -> None:
    for rewards, before, after in each_step(king_v0.env(), seed=14):
        assert rewards == [now - then for now, then in zip(after.scores, before.scores, strict=True)]


def test_a_down_deal_pays_its_start_when_it_is_declared() -> None:
    env = king_v0.env(episode="deal", contracts=["positive"])
    env.reset(seed=1)
    env.step(80)
    assert list(env.rewards.values()) == [DOWN_START] * 4


def test_deals_are_paid_when_they_end() -> None:
    num_deals = 0
    for rewards, _, after in each_step(king_v0.env(reward="deal"), seed=15):
        has_ended = len(after.scores_by_deal) > num_deals
        assert rewards == (after.scores_by_deal[-1] if has_ended else [0.0] * 4)
        num_deals = len(after.scores_by_deal)
    assert num_deals == 10


def places_shared(scores: list[int]) -> list[float]:
    """1 for the first place to −1 for the last; equal scores share the mean of theirs."""
    pays = dict(zip(range(4), (1, 1 / 3, -1 / 3, -1), strict=True))
    in_order = sorted(scores, reverse=True)
    shared = {score: [place for place in range(4) if in_order[place] == score] for score in scores}
    return [sum(pays[place] for place in shared[score]) / len(shared[score]) for score in scores]


def test_places_are_paid_at_the_end_alone() -> None:
    for rewards, _, after in each_step(king_v0.env(reward="placement"), seed=16):
        assert rewards == pytest.approx(places_shared(after.scores) if after.is_over else [0.0] * 4)


@pytest.mark.parametrize(
    ("contract", "seed"), [("no_king_of_hearts", 1), ("no_last_two", 2), ("no_queens", 3), ("no_tricks", 4)]
)
def test_equal_scores_share_the_mean_of_their_places(contract: str, seed: int) -> None:
    env = king_v0.env(episode="deal", contracts=[contract], reward="placement")
    env.reset(seed=seed)
    play(env, random_chooser(seed))
    assert list(env.rewards.values()) == pytest.approx(places_shared(env.game.scores))
    assert sum(env.rewards.values()) == pytest.approx(0)


def test_three_that_share_the_first_place_get_a_third_each() -> None:
    env = king_v0.env(episode="deal", contracts=["no_king_of_hearts"], reward="placement")
    env.reset(seed=1)
    play(env, random_chooser(1))
    assert sorted(env.rewards.values()) == pytest.approx([-1, 1 / 3, 1 / 3, 1 / 3])


def test_what_an_agent_was_told_is_settled_when_it_acts() -> None:
    """A seat's reward may come on another's step: it is kept until the seat's own next turn, once."""
    env = king_v0.env(episode="deal", contracts=["no_tricks"])
    env.reset(seed=17)
    choose = random_chooser(17)
    owed = dict.fromkeys(AGENTS, 0.0)
    while not is_over(env):
        agent = env.agent_selection
        assert env.last()[1] == owed[agent]
        owed[agent] = 0.0
        env.step(choose(mask_of(env)))
        for other in AGENTS:
            owed[other] += env.rewards[other]
    assert {agent: env._cumulative_rewards[agent] for agent in AGENTS} == owed
