"""What is drawn among legal actions alone is what torch's softmax over all of them would have drawn."""

from __future__ import annotations

import numpy as np
import torch
from torch import nn

from baselines.ppo.advice import NO_ADVICE, advised
from baselines.ppo.legal_choices import choose_legal
from baselines.ppo.network import legal_log_probs, sample


def test_actions_log_probs_and_values_are_those_of_the_softmax_over_all_actions() -> None:
    torch.manual_seed(0)
    policy_head, value_head = nn.Linear(32, 81), nn.Linear(32, 1)
    nn.init.normal_(policy_head.weight, std=0.5)
    features = torch.randn(400, 32)
    masks = (torch.rand(400, 81) < 0.05).to(torch.int8)
    masks[:, 7] = 1
    advice = (torch.rand(400, 81) * masks).argmax(dim=1)
    advice[::3] = NO_ADVICE
    actions, log_probs, values = choose_legal(
        features, policy_head, value_head, masks.numpy(), advice.numpy(), torch.Generator().manual_seed(3)
    )
    expected_log_probs = legal_log_probs(advised(policy_head(features), advice), masks)
    expected = sample(expected_log_probs.detach(), torch.Generator().manual_seed(3))
    assert actions.tolist() == expected.tolist()
    torch.testing.assert_close(torch.from_numpy(log_probs), expected_log_probs.gather(1, expected[:, None])[:, 0])
    torch.testing.assert_close(torch.from_numpy(values), value_head(features)[:, 0])


def test_an_action_of_probability_zero_is_never_drawn() -> None:
    policy_head, value_head = nn.Linear(4, 3), nn.Linear(4, 1)
    nn.init.zeros_(policy_head.weight)
    with torch.no_grad():
        policy_head.bias[:] = torch.tensor([-1e4, 0.0, -1e4])
    masks = torch.ones((200, 3), dtype=torch.int8)
    generator = torch.Generator().manual_seed(0)
    advice = np.full(200, NO_ADVICE)
    actions, log_probs, _ = choose_legal(torch.ones(200, 4), policy_head, value_head, masks.numpy(), advice, generator)
    assert (actions == 1).all() and (log_probs == 0.0).all()
