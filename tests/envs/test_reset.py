"""Beginning an episode: seeds, given deals and dealers, drawn contracts, and options that stay."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import numpy as np
import pytest

from king_env import king_v0
from king_env.aec_env import AGENTS, KingAECEnv
from king_env.engine.contracts import NUM_DEALS
from king_env.episode import KIND_NAMES, OptionError
from king_env.game import Game
from king_env.notation import deal_text
from king_env.ruleset import RULESETS
from tests.envs.playing import mask_of, plain, play, random_chooser, trace

A_DEAL = "0:AKQ2.J93.T85.764 T98.AT8.KQ7.KJ52 7653.KQ7.A64.AT9 J4.6542.J932.Q83"


def cards_dealt(env: KingAECEnv) -> list[list[int]]:
    """The hands of every deal of the episode."""
    return env.game.deals.tolist()


def whole_trace(env: KingAECEnv, seed: int | None, choose_seed: int = 0) -> list[Any]:
    env.reset(seed=seed)
    return list(trace(env, random_chooser(choose_seed)))


# Seeds


def test_the_same_seed_plays_the_same() -> None:
    assert whole_trace(king_v0.env(), 1) == whole_trace(king_v0.env(), 1)


def test_other_seeds_and_no_seeds_deal_other_cards() -> None:
    env = king_v0.env()
    dealt = []
    for seed in (1, 2, None, None):
        env.reset(seed=seed)
        dealt.append(cards_dealt(env))
    unseeded = king_v0.env()
    unseeded.reset()
    dealt.append(cards_dealt(unseeded))
    assert len({str(deals) for deals in dealt}) == len(dealt)


def test_reseeding_in_mid_game_begins_as_a_fresh_env_would() -> None:
    env = king_v0.env()
    env.reset(seed=3)
    for actions in (0, 1, 40, 333):
        play(env, random_chooser(actions), actions)
        assert whole_trace(env, 4) == whole_trace(king_v0.env(), 4)


def test_games_after_a_seed_follow_from_it() -> None:
    first, second = king_v0.env(), king_v0.env()
    for env in (first, second):
        env.reset(seed=5)
        play(env, random_chooser(5))
    assert whole_trace(first, None) == whole_trace(second, None)


def test_cards_do_not_depend_on_what_is_played() -> None:
    first, second = king_v0.env(), king_v0.env()
    for seed, env in enumerate((first, second)):
        env.reset(seed=6)
        play(env, random_chooser(seed))
    assert cards_dealt(first) == cards_dealt(second)


@pytest.mark.parametrize("ruleset", RULESETS)
def test_a_seed_means_the_same_cards_as_in_a_game(ruleset: str) -> None:
    env = king_v0.env(ruleset=ruleset)
    env.reset(seed=7)
    game = Game(ruleset, seed=7)
    assert cards_dealt(env) == game.deals.tolist()
    assert env.game.dealer == game.dealer


def test_interleaved_envs_do_not_touch_each_other() -> None:
    alone = whole_trace(king_v0.env(), 8)
    env, other = king_v0.env(), king_v0.env(ruleset="brazilian_auction", episode="deal")
    env.reset(seed=8)
    together = []
    for number, seen in enumerate(trace(env, random_chooser(0))):
        together.append(seen)
        if number % 9 == 0:
            other.reset(seed=number)
        play(other, random_chooser(number), 2)
    assert together == alone


def test_global_generators_are_neither_used_nor_moved() -> None:
    before = random.getstate(), plain(dict(enumerate(np.random.get_state())))  # noqa: NPY002
    played = whole_trace(king_v0.env(), 9)
    assert (random.getstate(), plain(dict(enumerate(np.random.get_state())))) == before  # noqa: NPY002
    random.seed(0)
    np.random.seed(0)  # noqa: NPY002
    assert whole_trace(king_v0.env(), 9) == played


@pytest.mark.parametrize("seed", [-1, 1.5, "1", True])
def test_a_malformed_seed_is_refused(seed: Any) -> None:
    with pytest.raises(OptionError, match="^seed: must be a whole number of at least 0, not "):
        king_v0.env().reset(seed=seed)


# Options of the env


def test_options_survive_a_seeded_reset() -> None:
    options: dict[str, Any] = {
        "ruleset": "brazilian_trump",
        "episode": "deal",
        "contracts": ["no_queens"],
        "reward": "placement",
        "observation_format": "flat",
        "illegal_reward": -3.0,
    }
    env = king_v0.env(**options)
    for seed in (None, 10, 11, None):
        env.reset(seed=seed)
        assert env.game.contract == "no_queens"
        assert env.game.ruleset == RULESETS["brazilian_trump"]
        assert env.observation_space("player_0").contains(env.observe("player_0"))
        play(env, random_chooser(0))
        assert sum(env.rewards.values()) == pytest.approx(0)
        assert max(env.rewards.values()) <= 1
        env.reset(seed=seed)
        culprit = env.agent_selection
        env.step(int(np.flatnonzero(mask_of(env) == 0)[0]))
        assert env.rewards[culprit] == -3.0


@pytest.mark.parametrize("contract", KIND_NAMES)
@pytest.mark.parametrize("ruleset", RULESETS)
def test_one_contract_may_be_asked_for(ruleset: str, contract: str) -> None:
    env = king_v0.env(ruleset=ruleset, episode="deal", contracts=[contract])
    for seed in range(5):
        env.reset(seed=seed)
        assert env.game.contract == contract


def test_contracts_and_dealers_of_single_deals_are_drawn_evenly() -> None:
    env = king_v0.env(episode="deal")
    contracts, dealers, positives = Counter[str](), Counter[int](), Counter[int]()
    for seed in range(1400):
        env.reset(seed=seed)
        contracts[env.game.contract] += 1
        dealers[env.game.dealer] += 1
        if env.game.contract == "positive":
            positives[env.game.deal_number] += 1
    assert set(contracts) == set(KIND_NAMES)
    assert all(150 < times < 250 for times in contracts.values())
    assert all(290 < times < 410 for times in dealers.values())
    assert set(positives) == {7, 8, 9, 10}
    assert all(25 < times < 75 for times in positives.values())


def test_a_single_deal_ends_the_episode() -> None:
    env = king_v0.env(episode="deal")
    for seed in range(20):
        env.reset(seed=seed)
        play(env, random_chooser(seed))
        assert all(env.terminations.values())
        assert len(env.game.scores_by_deal) == 1


BAD_OPTIONS: list[tuple[dict[str, Any], str]] = [
    ({"ruleset": "portugese"}, "unknown rule set 'portugese' \\(did you mean 'portuguese'\\?\\); known: portuguese, "),
    ({"ruleset": {"max_bids": 3}}, "unknown option of a rule set 'max_bids' \\(did you mean 'max_bid'"),
    ({"episode": "match"}, "^episode: must be one of game, deal, not 'match'"),
    ({"reward": "score"}, "^reward: must be one of points, deal, placement, not 'score'"),
    ({"contracts": ["no_queens"]}, "^contracts: only episode='deal' draws a contract"),
    ({"episode": "deal", "contracts": ["no_quens"]}, "^contracts: must be one of .*did you mean 'no_queens'"),
    ({"episode": "deal", "contracts": []}, "^contracts: must be a list of some of "),
    ({"episode": "deal", "contracts": "no_queens"}, "^contracts: must be a list of some of "),
    ({"observation_format": "box"}, "^observation_format: must be one of dict, flat, not 'box'"),
    ({"illegal_reward": "much"}, "^illegal_reward: must be a number or None, not 'much'"),
    ({"illegal_reward": float("nan")}, "^illegal_reward: must be a number or None, not nan"),
    ({"render_mode": "rgb"}, "^render_mode: must be one of human, ansi, rgb_array, not 'rgb'"),
    ({"rewards": "points"}, "^unknown option 'rewards' \\(did you mean 'reward'\\?\\); known: ruleset, episode, "),
]


@pytest.mark.parametrize(("options", "complaint"), BAD_OPTIONS)
def test_a_wrong_option_is_refused_in_one_line(options: dict[str, Any], complaint: str) -> None:
    for make in (king_v0.env, king_v0.raw_env, king_v0.parallel_env):
        with pytest.raises(ValueError, match=complaint) as refusal:
            make(**options)
        assert "\n" not in str(refusal.value)


# Options of reset


def test_a_deal_may_be_given_as_text_or_as_cards() -> None:
    cards = [[card for card in range(52) if hand >> card & 1] for hand in Game(deals=[A_DEAL], num_deals=1).deals[0]]
    for deal in (A_DEAL, cards, np.array(cards)):
        env = king_v0.env(episode="deal")
        env.reset(seed=1, options={"deals": [deal], "dealer": 2})
        assert deal_text(env.game.record["hands"][0]) == A_DEAL
        assert env.game.dealer == 2
        assert [env.game.hand(seat) for seat in range(4)] == [
            Game(deals=[A_DEAL], num_deals=1).hand(s) for s in range(4)
        ]


def test_a_whole_game_is_played_with_the_deals_given() -> None:
    given = Game(seed=12)
    env = king_v0.env()
    env.reset(options={"deals": [deal_text(hands) for hands in given.deals], "dealer": given.first_dealer})
    for action in play(env, random_chooser(12)):
        given.play(action)
    assert given.is_over
    assert env.game.scores == given.scores


def test_what_is_not_given_is_drawn_as_ever() -> None:
    drawn, dealer_given = king_v0.env(), king_v0.env()
    drawn.reset(seed=13)
    other_dealer = (drawn.game.dealer + 1) % 4
    dealer_given.reset(seed=13, options={"dealer": other_dealer, "deals": None})
    assert cards_dealt(dealer_given) == cards_dealt(drawn)
    assert dealer_given.game.dealer == other_dealer
    dealer_given.reset(seed=13, options={})
    assert dealer_given.game.dealer == drawn.game.dealer


def test_given_deals_and_dealers_hold_for_one_episode() -> None:
    env = king_v0.env(episode="deal")
    env.reset(seed=14, options={"deals": [A_DEAL], "dealer": 1})
    play(env, random_chooser(14))
    dealers = set()
    for _ in range(40):
        env.reset()
        assert deal_text(env.game.record["hands"][0]) != A_DEAL
        dealers.add(env.game.dealer)
    assert dealers == {0, 1, 2, 3}


def test_the_given_arrays_stay_the_callers() -> None:
    hands = Game(deals=[A_DEAL], num_deals=1).deals[0]
    env = king_v0.env(episode="deal")
    env.reset(options={"deals": [hands]})
    hands[:] = 0
    assert deal_text(env.game.deals[0]) == A_DEAL


BAD_RESETS: list[tuple[dict[str, Any], str]] = [
    ({"deal": [A_DEAL]}, "^unknown option of reset 'deal'; known: deals, dealer$"),
    ({"deals": A_DEAL}, "^deals: must be a list of 1, each PBN text or an int array"),
    ({"deals": 5}, "^deals: must be a list of 1, each PBN text or an int array"),
    ({"deals": [A_DEAL] * NUM_DEALS}, "^deals: this episode has 1, not 10$"),
    ({"deals": []}, "^deals: this episode has 1, not 0$"),
    ({"deals": [A_DEAL.replace("AKQ2", "AKQJ")]}, "^deals\\[0\\]: malformed deal: dealt twice: JS; missing: 2S$"),
    ({"deals": [np.zeros((4, 12), dtype=int)]}, "^deals\\[0\\]: malformed deal: "),
    ({"dealer": 4}, "^dealer: must be a whole number from 0 to 3, not 4$"),
    ({"dealer": -1}, "^dealer: must be a whole number from 0 to 3, not -1$"),
    ({"dealer": "0"}, "^dealer: must be a whole number from 0 to 3, not '0'$"),
    ({"dealer": True}, "^dealer: must be a whole number from 0 to 3, not True$"),
]


@pytest.mark.parametrize(("options", "complaint"), BAD_RESETS)
def test_a_wrong_reset_is_refused_and_changes_nothing(options: dict[str, Any], complaint: str) -> None:
    env, untouched = king_v0.env(episode="deal"), king_v0.env(episode="deal")
    for either in (env, untouched):
        either.reset(seed=15)
        play(either, random_chooser(15), 3)
    with pytest.raises(OptionError, match=complaint):
        env.reset(seed=16, options=options)
    assert list(trace(env, random_chooser(0))) == list(trace(untouched, random_chooser(0)))
    env.reset()
    untouched.reset()
    assert cards_dealt(env) == cards_dealt(untouched)


def test_all_is_fresh_after_a_reset() -> None:
    env = king_v0.env()
    env.reset(seed=16)
    play(env, random_chooser(16))
    while env.agents:
        env.step(None)
    env.reset(seed=16)
    assert env.agents == list(AGENTS)
    assert env.rewards == env._cumulative_rewards == dict.fromkeys(AGENTS, 0.0)
    assert env.terminations == env.truncations == dict.fromkeys(AGENTS, False)
    assert env.game.actions == []
