"""BatchEnv: N = 1 is the AEC env, N games are independent, and nothing is lost between games."""

from __future__ import annotations

import copy
import pickle
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from king_env import king_v0
from king_env.batch_env import BatchEnv
from king_env.engine.contracts import TOTAL_POINTS
from king_env.episode import KIND_NAMES, OptionError
from king_env.game import IllegalActionError
from king_env.ruleset import RULESETS, RuleSet, RuleSetError

EPISODES = ("game", "deal")
REWARDS = ("points", "deal", "placement")


def random_actions(masks: np.ndarray, rng: np.random.Generator) -> np.ndarray:
    """A uniform legal action a game."""
    return np.argmax(masks * rng.random(masks.shape), axis=1)


def played(env: BatchEnv, steps: int, rng_seed: int = 0) -> Iterator[tuple[np.ndarray, ...]]:
    """Everything that comes out of `steps` random steps."""
    rng = np.random.default_rng(rng_seed)
    for _ in range(steps):
        observations, masks, seats = env.observe()
        rewards, ended = env.step(random_actions(masks, rng))
        yield observations, masks, seats, rewards, ended, env.deal_ended.copy(), env.final_scores.copy()


@pytest.mark.parametrize("reward", REWARDS)
@pytest.mark.parametrize("episode", EPISODES)
@pytest.mark.parametrize("ruleset", RULESETS)
def test_one_game_equals_the_aec_env_action_by_action(ruleset: str, episode: str, reward: str) -> None:
    batch = BatchEnv(1, ruleset=ruleset, episode=episode, reward=reward)
    single = king_v0.raw_env(ruleset=ruleset, episode=episode, reward=reward)
    rng = np.random.default_rng(7)
    batch.reset(seed=7)
    single.reset(seed=7)
    for _ in range(3 if episode == "deal" else 1):
        ended = False
        while not ended:
            observations, masks, seats = batch.observe()
            agent = single.agent_selection
            shown = single.observe(agent)
            assert agent == f"player_{seats[0]}"
            np.testing.assert_array_equal(observations[0], shown["observation"])
            np.testing.assert_array_equal(masks[0], shown["action_mask"])
            action = int(random_actions(masks, rng)[0])
            rewards, flags = batch.step([action])
            single.step(action)
            ended = bool(flags[0])
            assert [single.rewards[f"player_{seat}"] for seat in range(4)] == pytest.approx(rewards[0].tolist())
            assert all(single.terminations.values()) == ended
        assert batch.final_scores[0].tolist() == list(single.game.scores)
        single.reset()


def test_games_of_one_seed_each_do_not_depend_on_their_neighbours() -> None:
    seeds = [11, 12, 13]
    together = BatchEnv(3)
    together.reset(seed=seeds)
    alone = [BatchEnv(1) for _ in seeds]
    for env, seed in zip(alone, seeds, strict=True):
        env.reset(seed=seed)
    rng = np.random.default_rng(0)
    for _ in range(900):
        observations, masks, seats = together.observe()
        actions = random_actions(masks, rng)
        rewards, ended = together.step(actions)
        for i, env in enumerate(alone):
            observation, mask, seat = env.observe()
            np.testing.assert_array_equal(observation[0], observations[i])
            np.testing.assert_array_equal(mask[0], masks[i])
            reward, end = env.step(actions[i : i + 1])
            assert (seat[0], end[0]) == (seats[i], ended[i])
            np.testing.assert_array_equal(reward[0], rewards[i])


def test_what_is_done_in_one_game_changes_no_other() -> None:
    first, second = BatchEnv(2), BatchEnv(2)
    first.reset(seed=3)
    second.reset(seed=3)
    for ply in range(300):
        masks = first.observe()[1]
        lowest, highest = masks.argmax(axis=1), 80 - masks[:, ::-1].argmax(axis=1)
        first.step(lowest)
        second.step([lowest[0], highest[1]] if second.observe()[1][1, highest[1]] else [lowest[0], lowest[1]])
        assert first.games[0] == second.games[0], ply
        second.games[1] = first.games[1]


def test_step_observe_fills_the_callers_buffers_with_the_same() -> None:
    plain, fused = BatchEnv(5), BatchEnv(5)
    plain.reset(seed=4)
    fused.reset(seed=4)
    out = fused.buffers()
    rng = np.random.default_rng(4)
    for _ in range(200):
        actions = random_actions(plain.observe()[1], rng)
        rewards, ended = plain.step(actions)
        fused.step_observe(actions, out=out)
        for expected, written in zip((*plain.observe(), rewards, ended), out, strict=True):
            np.testing.assert_array_equal(expected, written)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_rewards_of_a_game_add_up_to_its_final_scores(ruleset: str) -> None:
    env = BatchEnv(4, ruleset=ruleset)
    env.reset(seed=5)
    gained = np.zeros((4, 4))
    games_ended = 0
    for *_, rewards, ended, _, final_scores in played(env, 1500):
        gained += rewards
        for i in np.flatnonzero(ended):
            np.testing.assert_array_equal(gained[i], final_scores[i])
            assert final_scores[i].sum() == 0
            gained[i] = 0
            games_ended += 1
    assert games_ended >= 8


def test_rewards_of_a_deal_come_at_its_end() -> None:
    env = BatchEnv(4, episode="deal", reward="deal", contracts=["no_queens"])
    env.reset(seed=6)
    for *_, rewards, ended, deal_ended, final_scores in played(env, 200):
        np.testing.assert_array_equal(ended, deal_ended)
        np.testing.assert_array_equal(rewards, np.where(ended[:, None], final_scores, 0))


def test_a_deal_is_drawn_from_the_contracts_named() -> None:
    totals = dict(zip(KIND_NAMES, TOTAL_POINTS.tolist(), strict=False)) | {"positive": 325}
    env = BatchEnv(30, episode="deal", contracts=["no_hearts", "positive"])
    env.reset(seed=7)
    seen = set()
    for *_, ended, _, final_scores in played(env, 300):
        seen |= set(final_scores[ended].sum(axis=1).tolist())
    assert seen == {totals["no_hearts"], totals["positive"]}


def test_each_game_may_have_its_own_rules() -> None:
    env = BatchEnv(3, ruleset=list(RULESETS))
    env.reset(seed=8)
    for i, name in enumerate(RULESETS):
        alone = BatchEnv(1, ruleset=name)
        alone.reset(seed=0)
        assert env.games["auction"][i] == alone.games["auction"][0]
        assert env.games["negatives"][i].tolist() == alone.games["negatives"][0].tolist()


def test_given_deals_and_dealers_are_played_first() -> None:
    source = BatchEnv(2)
    source.reset(seed=9)
    hands = source.games["hands"].copy()
    env = BatchEnv(2, episode="deal", contracts=["no_tricks"])
    env.reset(seed=1, deals=[[hands[0]], [hands[1]]], dealers=[3, 2])
    np.testing.assert_array_equal(env.games["hands"], hands)
    assert env.games["turn"].tolist() == [3, 2]
    *_, last = played(env, 52)
    assert last[4].all()
    assert not np.array_equal(env.games["hands"], hands)


def test_copies_and_pickles_go_on_identically() -> None:
    env = BatchEnv(3)
    env.reset(seed=10)
    list(played(env, 137))
    twins = (copy.deepcopy(env), pickle.loads(pickle.dumps(env)))
    expected = list(played(env, 700, rng_seed=1))
    for twin in twins:
        for left, right in zip(expected, played(twin, 700, rng_seed=1), strict=True):
            for a, b in zip(left, right, strict=True):
                np.testing.assert_array_equal(a, b)


def test_a_reset_without_a_seed_goes_on_and_with_one_starts_over() -> None:
    env = BatchEnv(2)
    env.reset(seed=11)
    first = env.games["hands"].copy()
    env.reset()
    assert not np.array_equal(env.games["hands"], first)
    env.reset(seed=11)
    np.testing.assert_array_equal(env.games["hands"], first)


def test_an_illegal_action_is_refused_with_its_game_and_no_game_moves() -> None:
    env = BatchEnv(3)
    env.reset(seed=12)
    masks = env.observe()[1]
    before = env.games.copy()
    legal = masks.argmax(axis=1)
    with pytest.raises(IllegalActionError, match=r"game 1: pass: seat \d is to play a card"):
        env.step([legal[0], 52, legal[2]])
    with pytest.raises(IllegalActionError, match="game 2: 81 is no action"):
        env.step([legal[0], legal[1], 81])
    assert (env.games == before).all()


def test_misuse_is_refused_in_one_line() -> None:
    with pytest.raises(OptionError, match="num_games: must be a whole number of at least 1, not 0"):
        BatchEnv(0)
    with pytest.raises(OptionError, match="episode: must be one of game, deal, not 'deals'"):
        BatchEnv(1, episode="deals")
    with pytest.raises(OptionError, match="only episode='deal' draws a contract"):
        BatchEnv(1, contracts=["no_hearts"])
    with pytest.raises(OptionError, match="contracts: must be one of no_tricks, .*'no_heart'"):
        BatchEnv(1, episode="deal", contracts=["no_heart"])
    with pytest.raises(OptionError, match="contracts: must be a list"):
        BatchEnv(1, episode="deal", contracts={"no_hearts", "no_queens"})
    with pytest.raises(OptionError, match="contracts: names each kind once"):
        BatchEnv(1, episode="deal", contracts=["no_hearts", "no_hearts"])
    for num_games in (2.0, "3", True):
        with pytest.raises(OptionError, match="num_games: must be a whole number"):
            BatchEnv(num_games)  # type: ignore[arg-type]
    with pytest.raises(OptionError, match="reward: must be one of points, deal, placement"):
        BatchEnv(1, reward="score")
    with pytest.raises(RuleSetError, match="portuguese"):
        BatchEnv(1, ruleset="portugese")
    with pytest.raises(OptionError, match="ruleset: must be one, or one for each of 3 games, not 2"):
        BatchEnv(3, ruleset=[RuleSet(), RuleSet()])
    env = BatchEnv(2)
    with pytest.raises(RuntimeError, match="call reset"):
        env.observe()
    with pytest.raises(OptionError, match="seed: must be one seed, or one for each of 2 games, not 3"):
        env.reset(seed=[1, 2, 3])
    with pytest.raises(OptionError, match=r"deals: must be a list of one for each of 2 games, not \[\[\]\]"):
        env.reset(deals=[[]])
    with pytest.raises(OptionError, match="game 0: deals: this episode has 10, not 0"):
        env.reset(deals=[[], []])
    with pytest.raises(OptionError, match="game 1: dealer: must be a whole number from 0 to 3, not 4"):
        env.reset(dealers=[0, 4])
    for seed in (-1, 1.5, True, [1, -1], [True, True]):
        with pytest.raises(OptionError, match="seed: must be a whole number of at least 0"):
            env.reset(seed=seed)  # type: ignore[arg-type]
    env.reset(seed=1)
    with pytest.raises(OptionError, match="actions: must be whole numbers, one for each of 2 games"):
        env.step([0.5, 1.0])


def test_a_refused_reset_leaves_the_games_as_they_were() -> None:
    env, twin = BatchEnv(2), BatchEnv(2)
    env.reset(seed=13)
    twin.reset(seed=13)
    misuses: list[dict[str, Any]] = [
        {"deals": [["x"] * 10] * 2},
        {"dealers": [0, 9]},
        {"seed": [1]},
        {"seed": -3},
    ]
    for misuse in misuses:
        with pytest.raises(OptionError):
            env.reset(**{"seed": 14, **misuse})
    for left, right in zip(played(env, 200), played(twin, 200), strict=True):
        for a, b in zip(left, right, strict=True):
            np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("place", range(5), ids=["observations", "masks", "seats", "rewards", "ended"])
@pytest.mark.parametrize("fault", ["too short", "other dtype", "strided", "read-only", "no array"])
def test_a_buffer_that_does_not_fit_is_refused_and_no_game_moves(place: int, fault: str) -> None:
    env = BatchEnv(4)
    env.reset(seed=15)
    out: list[Any] = list(env.buffers())
    fits = out[place]
    misfits: dict[str, Any] = {
        "too short": fits[:2],
        "other dtype": fits.astype(np.int16),
        "strided": np.repeat(fits, 2, axis=0)[::2],
        "read-only": np.broadcast_to(fits, fits.shape),
        "no array": fits.tolist(),
    }
    out[place] = misfits[fault]
    actions, before = env.observe()[1].argmax(axis=1), env.games.copy()
    with pytest.raises(OptionError, match=r"out: (observations|masks|seats|rewards|ended) must be"):
        env.step_observe(actions, out=tuple(out))
    assert (env.games == before).all()


def test_buffers_may_be_slices_of_larger_arrays() -> None:
    env, plain = BatchEnv(3), BatchEnv(3)
    env.reset(seed=16)
    plain.reset(seed=16)
    larger: tuple[Any, ...] = BatchEnv(5).buffers()
    actions = env.observe()[1].argmax(axis=1)
    env.step_observe(actions, out=tuple(array[1:4] for array in larger))
    rewards, ended = plain.step(actions)
    for expected, written in zip((*plain.observe(), rewards, ended), larger, strict=True):
        np.testing.assert_array_equal(expected, written[1:4])
        assert not written[0].any() and not written[4].any()


def test_a_restored_state_goes_on_identically() -> None:
    env = BatchEnv(3, episode="deal")
    env.reset(seed=17)
    list(played(env, 61))
    state = env.state()
    expected = list(played(env, 150, rng_seed=2))
    other = BatchEnv(3, episode="deal")
    other.restore(state)
    for left, right in zip(expected, played(other, 150, rng_seed=2), strict=True):
        for a, b in zip(left, right, strict=True):
            np.testing.assert_array_equal(a, b)
    by_deal = BatchEnv(3, episode="deal", reward="deal")
    by_deal.restore(state)
    for *_, rewards, _, deal_ended, _ in played(by_deal, 60):
        assert not rewards[~deal_ended].any(), "an option of the env was overwritten"
    with pytest.raises(OptionError, match="state: games is of another env"):
        BatchEnv(2, episode="deal").restore(state)
