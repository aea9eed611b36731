"""No agent can see a hidden card: deal those that it has not seen anew, and nothing that it is shown changes."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from king_env import king_v0
from king_env.aec_env import AGENTS, OBSERVATION_FORMATS, KingAECEnv
from king_env.ruleset import RULESETS
from tests.envs.playing import is_over, plain, play, random_chooser

EVERY_SO_MANY_ACTIONS = 17


def all_that_is_shown(env: KingAECEnv, agent: str) -> list[Any]:
    shown = [
        plain(env.observe(agent)),
        plain(env.infos[agent]),
        env.view(agent).tobytes(),
        repr(env.view(agent)),
        repr(env),
        str(env),
    ]
    if agent == env.agent_selection:
        shown += [env.render(), plain(env.last())]
    return shown


def deal_unseen_anew(hands: np.ndarray, viewer: int, rng: np.random.Generator) -> None:
    """Deal the cards of the other hands again among them, as many to each as it had (hands: int64[4], changed)."""
    others = [seat for seat in range(4) if seat != viewer]
    cards = [[card for card in range(52) if hands[seat] >> card & 1] for seat in others]
    unseen = rng.permutation(sum(cards, []))
    for seat, held in zip(others, cards, strict=True):
        hands[seat] = sum(1 << int(card) for card in unseen[: len(held)])
        unseen = unseen[len(held) :]


@pytest.mark.parametrize("observation_format", OBSERVATION_FORMATS)
@pytest.mark.parametrize("ruleset", RULESETS)
def test_nothing_shown_depends_on_hidden_cards(ruleset: str, observation_format: str) -> None:
    env = king_v0.env(ruleset=ruleset, observation_format=observation_format, render_mode="ansi")
    rng = np.random.default_rng(24)
    choose = random_chooser(24)
    env.reset(seed=24)
    while not is_over(env):
        hands = env.game.record["hands"][0]
        true_hands = hands.copy()
        for viewer, agent in enumerate(AGENTS):
            shown = all_that_is_shown(env, agent)
            deal_unseen_anew(hands, viewer, rng)
            assert all_that_is_shown(env, agent) == shown
            hands[:] = true_hands
        play(env, choose, EVERY_SO_MANY_ACTIONS)


def test_a_view_holds_one_hand() -> None:
    env = king_v0.env()
    env.reset(seed=25)
    play(env, random_chooser(25), 30)
    for seat, agent in enumerate(AGENTS):
        held = env.view(agent)["hands"][0]
        assert [bool(hand) for hand in held] == [other == seat for other in range(4)]
        assert held[seat] == env.game.record["hands"][0, seat]


def test_the_state_holds_every_hand() -> None:
    env = king_v0.env()
    env.reset(seed=26)
    play(env, random_chooser(26), 30)
    state = env.state()
    seen = env.observe("player_0")["observation"]
    np.testing.assert_array_equal(state[: len(seen)], seen)
    hands = state[len(seen) : len(seen) + 3 * 52].reshape(3, 52)
    for seat in (1, 2, 3):
        assert sum(1 << int(card) for card in np.flatnonzero(hands[seat - 1])) == env.game.record["hands"][0, seat]
    np.testing.assert_array_equal(state[-81:], env.observe(env.agent_selection)["action_mask"])
