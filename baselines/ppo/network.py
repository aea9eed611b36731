"""The network that plays, and the choice among legal actions only."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from baselines.ppo.binary_linear import BinaryLinear, Ones
from baselines.ppo.policy_head import PolicyHead
from baselines.ppo.suit_trunk import SuitTrunk
from king_env.bots.pretrained.advice import ADVICE_LOGIT
from king_env.bots.pretrained.suits import PLACES, ROW
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.kernel import entry_point

# An illegal action's logit: finite, so that no NaN can arise, and so low that its probability is exactly 0.
ILLEGAL_LOGIT = -1e9
LEAST_LOG_PROB = -103.0  # the exponential of anything less is 0 in single precision
HIDDEN_GAIN = math.sqrt(2.0)
POLICY_GAIN = 0.01  # a fresh policy chooses almost uniformly
VALUE_GAIN = 1.0


class EmptyMaskError(ValueError):
    """A decision without any legal action."""


class PolicyValueNetwork(nn.Module):
    """A trunk of layers that policy and value share, then a linear head for each.

    The features may have parts of equal width: an action's logit then depends on one of them, the value on the last.
    """

    def __init__(self, trunk: nn.Module, width: int, places: np.ndarray) -> None:
        super().__init__()
        self.trunk = trunk
        self.places = places  # int64[2, num_actions]: PART and ROW of each action
        self.policy_head = _orthogonal(PolicyHead(width, int(places[ROW].max()) + 1), POLICY_GAIN)
        self.value_head = _orthogonal(nn.Linear(width, 1), VALUE_GAIN)

    def forward(self, shown: Tensor | Ones, advice: Tensor) -> tuple[Tensor, Tensor]:
        """Logits float[B, num_actions] and values float[B] of what is shown, int8[B, shown_size], and int64[B]."""
        return self.judge(self.trunk(shown), advice)

    def judge(self, features: Tensor, advice: Tensor) -> tuple[Tensor, Tensor]:
        """Logits float[B, num_actions] and values float[B] of what the trunk gave, float[B, parts * width]."""
        by_part = features.unflatten(1, (-1, self.value_head.in_features))
        of_rows = self.policy_head(by_part.flatten(0, 1)).unflatten(0, by_part.shape[:2])
        part, row = torch.from_numpy(self.places).to(features.device)
        return advised(of_rows[:, part, row], advice), self.value_head(by_part[:, -1]).squeeze(-1)

    def forget_value(self) -> None:
        """Let all values be 0."""
        nn.init.zeros_(self.value_head.weight)
        nn.init.zeros_(self.value_head.bias)

    @property
    def heads(self) -> tuple[Tensor, Tensor, Tensor, Tensor]:
        """Weight and bias of the policy's head, and of the value's."""
        return self.policy_head.weight, self.policy_head.bias, self.value_head.weight, self.value_head.bias


def flat_network(shown_size: int, num_actions: int, hidden_sizes: Sequence[int]) -> PolicyValueNetwork:
    """All features are one part, and every action has a row of the head to itself."""
    width, *deeper = hidden_sizes
    layers: list[nn.Module] = [BinaryLinear(shown_size, width, HIDDEN_GAIN), nn.ReLU(inplace=True)]
    for next_width in deeper:
        layers += [_orthogonal(nn.Linear(width, next_width), HIDDEN_GAIN), nn.ReLU(inplace=True)]
        width = next_width
    places = np.stack([np.zeros(num_actions, dtype=np.int64), np.arange(num_actions)])
    return PolicyValueNetwork(nn.Sequential(*layers), width, places)


def suit_network(width: int) -> PolicyValueNetwork:
    """The four suits share all weights (`suit_trunk.py`)."""
    return PolicyValueNetwork(SuitTrunk(width, HIDDEN_GAIN), width, PLACES)


def _orthogonal(layer: nn.Linear, gain: float) -> nn.Linear:
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def advised(logits: Tensor, advice: Tensor) -> Tensor:
    """Logits float[B, NUM_ACTIONS] raised where the action is advised (int64[B])."""
    actions = torch.arange(NUM_ACTIONS, device=logits.device)
    return logits + ADVICE_LOGIT * (advice[:, None] == actions)


def check_masks(masks: Tensor) -> None:
    """Refuse masks (int8[B, num_actions]) that leave some decision without a legal action."""
    empty = (masks.sum(dim=-1) == 0).nonzero()
    if len(empty):
        raise EmptyMaskError(f"no action is legal in row {int(empty[0])} of the masks")


def legal_log_probs(logits: Tensor, masks: Tensor) -> Tensor:
    """Log-probabilities float[B, num_actions] of the softmax over legal actions; illegal ones are hugely negative."""
    return torch.log_softmax(logits.masked_fill(masks == 0, ILLEGAL_LOGIT), dim=-1)


def sample(log_probs: Tensor, draws: Tensor) -> Tensor:
    """One action a row (int64[B]) by its probability, as draws in [0, 1) have it (float64[B]).

    One of probability 0 is never drawn.
    """
    actions = torch.empty(len(log_probs), dtype=torch.int64)
    draw_actions(log_probs.contiguous().cpu().numpy(), draws.cpu().numpy(), actions.numpy())
    return actions.to(log_probs.device)


@entry_point
def draw_actions(log_probs: np.ndarray, draws: np.ndarray, actions: np.ndarray) -> None:
    """The action (int64[B], written) at which the probabilities so far exceed a draw in [0, 1), float64[B].

    In double precision: rounded to 24 bits, a draw could lie beyond the last action once in some ten million times.
    """
    for row in range(len(log_probs)):
        total = 0.0
        for log_prob in log_probs[row]:
            if log_prob > LEAST_LOG_PROB:
                total += math.exp(log_prob)
        so_far = 0.0
        for action in range(log_probs.shape[1]):
            log_prob = log_probs[row, action]
            if log_prob > LEAST_LOG_PROB:
                so_far += math.exp(log_prob)
                actions[row] = action
                if so_far > draws[row] * total:
                    break


def entropy(log_probs: Tensor) -> Tensor:
    """Entropy of each row; an illegal action adds exactly 0.

    The softmax of log-probabilities is the probabilities; `exp` takes ten times as long over hugely negative numbers.
    """
    return -(log_probs.softmax(dim=-1) * log_probs).sum(dim=-1)


def bf16_pays(device: torch.device) -> bool:
    """Whether bfloat16 is quicker than float32: on a GPU that computes it in hardware.

    On a CPU it never is, for what is compiled here (`legal_choices.py`, `loss_terms.py`) computes in float32 alone; and
    a run must not depend on which CPU it is on.
    """
    return device.type == "cuda" and torch.cuda.is_bf16_supported(including_emulation=False)
