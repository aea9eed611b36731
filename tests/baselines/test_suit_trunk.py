"""The network treats suits alike: where two trade places in all that is shown, so do the logits of their cards.

What trades places is written down here by the sections of an observation, not by `suits.py`, which the network uses.
"""

from __future__ import annotations

import itertools

import numpy as np
import pytest
import torch
from torch import Tensor, nn

from baselines.ppo.binary_linear import Ones
from baselines.ppo.network import PolicyValueNetwork, suit_network
from king_env.bots import make
from king_env.bots.pretrained.advice import SHOWN_SIZE, advise, show
from king_env.engine import batch
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.cards import CLUBS, DIAMONDS, HEARTS, NUM_CARDS, NUM_RANKS, NUM_SUITS, SPADES
from king_env.engine.observation import OBSERVATION_SIZE, SECTIONS
from king_env.ruleset import RULESETS
from tests.bots.positions import hidden, positions

ALIKE = list(itertools.combinations((CLUBS, DIAMONDS, SPADES), 2))


@pytest.fixture(scope="module")
def shown() -> np.ndarray:
    """What is shown of positions of random play by all rule sets, with the advice: int8[N, SHOWN_SIZE]."""
    rng = np.random.default_rng(0)
    games = positions(list(RULESETS.values()), make("random"), rng, 2 * len(RULESETS))
    views = hidden(np.concatenate([acting.copy() for acting in games][::9]))
    observations = np.zeros((len(views), OBSERVATION_SIZE), dtype=np.int8)
    batch.observe(views, views["turn"].astype(np.int64), observations)
    advice, shown = np.zeros(len(views), dtype=np.int64), np.zeros((len(views), SHOWN_SIZE), dtype=np.int8)
    advise(views, advice)
    show(observations, advice, np.arange(len(views)), shown)
    return shown


@pytest.fixture(scope="module")
def network() -> PolicyValueNetwork:
    torch.manual_seed(0)
    network = suit_network(16)
    for parameter in network.parameters():
        nn.init.normal_(parameter, std=0.1)
    return network


def entries_of(name: str) -> slice:
    """Where a section lies in what is shown."""
    start = 0
    for section in SECTIONS:
        if section.name == name:
            return slice(start, start + section.size)
        start += section.size
    raise KeyError(name)


def trump_of(shown: np.ndarray) -> np.ndarray:
    """``[decision, suit]``: whether it is trump."""
    return shown[:, entries_of("trump")][:, :NUM_SUITS] == 1


def exchanged(entries: np.ndarray, left: int, right: int, of_suit: int) -> np.ndarray:
    """Entries [N, …] of which always so many belong to a suit, with those of two suits in each other's place."""
    order = np.arange(NUM_SUITS)
    order[[left, right]] = right, left
    by_suit = entries.reshape(len(entries), -1, NUM_SUITS, of_suit)
    return by_suit[:, :, order].reshape(entries.shape)


def with_suits_exchanged(shown: np.ndarray, left: int, right: int) -> np.ndarray:
    """The same decisions with two suits in each other's place, but what is trump stays trump."""
    changed = shown.copy()
    for section in SECTIONS:
        part = changed[:, entries_of(section.name)]
        if section.shape[-1] == NUM_CARDS:
            part[:] = exchanged(part, left, right, NUM_RANKS)
        elif section.name == "voids":
            part[:] = exchanged(part, left, right, 1)
        elif section.name == "trick":
            for seat in range(4):
                suits = part[:, seat * section.shape[-1] :][:, :NUM_SUITS]
                suits[:] = exchanged(suits, left, right, 1)
    advised = changed[:, OBSERVATION_SIZE : OBSERVATION_SIZE + NUM_CARDS]
    advised[:] = exchanged(advised, left, right, NUM_RANKS)
    return changed


def judged(network: PolicyValueNetwork, shown: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Logits and values."""
    advice = shown[:, OBSERVATION_SIZE : OBSERVATION_SIZE + NUM_ACTIONS].argmax(axis=1)
    with torch.inference_mode():
        logits, values = network(torch.from_numpy(shown), torch.from_numpy(advice))
    return logits.numpy(), values.numpy()


@pytest.mark.parametrize(("left", "right"), ALIKE)
def test_suits_that_nothing_sets_apart_may_trade_places(
    network: PolicyValueNetwork, shown: np.ndarray, left: int, right: int
) -> None:
    shown = shown[~trump_of(shown)[:, [left, right]].any(axis=1)]
    changed = with_suits_exchanged(shown, left, right)
    assert len(shown) > 200 and (changed != shown).any(axis=1).mean() > 0.9
    logits, values = judged(network, shown)
    new_logits, new_values = judged(network, changed)
    np.testing.assert_allclose(new_values, values, atol=1e-4)
    np.testing.assert_allclose(new_logits[:, NUM_CARDS:], logits[:, NUM_CARDS:], atol=1e-4)
    expected = exchanged(logits[:, :NUM_CARDS], left, right, NUM_RANKS)
    assert np.abs(expected - logits[:, :NUM_CARDS]).max() > 0.1
    np.testing.assert_allclose(new_logits[:, :NUM_CARDS], expected, atol=1e-4)


def test_hearts_are_told_apart(network: PolicyValueNetwork, shown: np.ndarray) -> None:
    _, values = judged(network, shown)
    _, new_values = judged(network, with_suits_exchanged(shown, SPADES, HEARTS))
    assert np.abs(new_values - values).mean() > 0.01


def test_trump_is_told_apart(network: PolicyValueNetwork, shown: np.ndarray) -> None:
    """Where nothing but the trump suit is another."""
    with_clubs = shown[trump_of(shown)[:, CLUBS]]
    with_diamonds = with_clubs.copy()
    with_diamonds[:, entries_of("trump")] = np.arange(NUM_SUITS + 1) == DIAMONDS
    assert len(with_clubs) > 10
    (logits, values), (new_logits, new_values) = judged(network, with_clubs), judged(network, with_diamonds)
    assert np.abs(new_values - values).mean() > 0.005
    assert np.abs(new_logits - logits).mean() > 0.005


def test_what_is_shown_may_be_given_by_its_ones(network: PolicyValueNetwork, shown: np.ndarray) -> None:
    observations = torch.from_numpy(shown[:20])
    features: Tensor = network.trunk(observations)
    assert features.shape == (20, 5 * 16)
    assert torch.equal(network.trunk(Ones.of(observations)), features)


def test_all_that_the_trunk_has_is_learned(network: PolicyValueNetwork, shown: np.ndarray) -> None:
    gradients = torch.autograd.grad(
        network.trunk(torch.from_numpy(shown)).square().sum(), list(network.trunk.parameters())
    )
    assert all(gradient.isfinite().all() and gradient.any() for gradient in gradients)
