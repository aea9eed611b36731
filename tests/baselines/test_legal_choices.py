"""What is drawn among legal actions alone is what torch's softmax over all of them would have drawn."""

from __future__ import annotations

import numpy as np
import pytest
import torch
from torch import nn

from baselines.ppo.legal_choices import choose_legal
from baselines.ppo.network import PolicyValueNetwork, legal_log_probs, sample
from king_env.bots.pretrained.advice import NO_ADVICE
from king_env.bots.pretrained.suits import NUM_PARTS, PLACES

WIDTH = 32
ONE_PART = np.stack([np.zeros(81, dtype=np.int64), np.arange(81)])


@pytest.mark.parametrize(("places", "num_parts"), [(ONE_PART, 1), (PLACES, NUM_PARTS)], ids=["flat", "suits"])
def test_actions_log_probs_and_values_are_those_of_the_softmax_over_all_actions(
    places: np.ndarray, num_parts: int
) -> None:
    torch.manual_seed(0)
    network = PolicyValueNetwork(nn.Identity(), WIDTH, places)
    nn.init.normal_(network.policy_head.weight, std=0.5)
    features = torch.randn(400, num_parts * WIDTH)
    masks = (torch.rand(400, 81) < 0.05).to(torch.int8)
    masks[:, 7] = 1
    advice = (torch.rand(400, 81) * masks).argmax(dim=1)
    advice[::3] = NO_ADVICE
    draws = torch.rand(400, dtype=torch.float64, generator=torch.Generator().manual_seed(3))
    actions, log_probs, values = choose_legal(features, network.heads, places, masks.numpy(), advice.numpy(), draws)
    logits, expected_values = network.judge(features, advice)
    expected_log_probs = legal_log_probs(logits, masks)
    expected = sample(expected_log_probs.detach(), draws)
    assert actions.tolist() == expected.tolist()
    torch.testing.assert_close(torch.from_numpy(log_probs), expected_log_probs.gather(1, expected[:, None])[:, 0])
    torch.testing.assert_close(torch.from_numpy(values), expected_values)


def test_an_action_of_probability_zero_is_never_drawn() -> None:
    heads = torch.zeros(3, 4), torch.tensor([-1e4, 0.0, -1e4]), torch.zeros(1, 4), torch.zeros(1)
    places = np.stack([np.zeros(3, dtype=np.int64), np.arange(3)])
    masks, advice = np.ones((200, 3), dtype=np.int8), np.full(200, NO_ADVICE)
    draws = torch.rand(200, dtype=torch.float64, generator=torch.Generator().manual_seed(0))
    actions, log_probs, _ = choose_legal(torch.ones(200, 4), heads, places, masks, advice, draws)
    assert (actions == 1).all() and (log_probs == 0.0).all()
