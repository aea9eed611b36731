"""The network that plays, and the choice among legal actions only."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import torch
from torch import Tensor, nn

from baselines.ppo.advice import advised
from baselines.ppo.binary_linear import BinaryLinear, Ones
from baselines.ppo.policy_head import PolicyHead
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
    """Shared layers, then one linear head for the policy and one for the value."""

    def __init__(self, shown_size: int, num_actions: int, hidden_sizes: Sequence[int]) -> None:
        super().__init__()
        width, *deeper = hidden_sizes
        layers: list[nn.Module] = [BinaryLinear(shown_size, width, HIDDEN_GAIN), nn.ReLU(inplace=True)]
        for next_width in deeper:
            layers += [_orthogonal(nn.Linear(width, next_width), HIDDEN_GAIN), nn.ReLU(inplace=True)]
            width = next_width
        self.trunk = nn.Sequential(*layers)
        self.policy_head = _orthogonal(PolicyHead(width, num_actions), POLICY_GAIN)
        self.value_head = _orthogonal(nn.Linear(width, 1), VALUE_GAIN)

    def forward(self, shown: Tensor | Ones, advice: Tensor) -> tuple[Tensor, Tensor]:
        """Logits float[B, num_actions] and values float[B] of what is shown, int8[B, shown_size], and int64[B]."""
        features = self.trunk(shown)
        return advised(self.policy_head(features), advice), self.value_head(features).squeeze(-1)


def _orthogonal(layer: nn.Linear, gain: float) -> nn.Linear:
    nn.init.orthogonal_(layer.weight, gain)
    nn.init.zeros_(layer.bias)
    return layer


def check_masks(masks: Tensor) -> None:
    """Refuse masks (int8[B, num_actions]) that leave some decision without a legal action."""
    empty = (masks.sum(dim=-1) == 0).nonzero()
    if len(empty):
        raise EmptyMaskError(f"no action is legal in row {int(empty[0])} of the masks")


def legal_log_probs(logits: Tensor, masks: Tensor) -> Tensor:
    """Log-probabilities float[B, num_actions] of the softmax over legal actions; illegal ones are hugely negative."""
    return torch.log_softmax(logits.masked_fill(masks == 0, ILLEGAL_LOGIT), dim=-1)


def sample(log_probs: Tensor, generator: torch.Generator | None) -> Tensor:
    """One action a row (int64[B]) by its probability; one of probability 0 is never drawn."""
    draws = torch.rand(len(log_probs), dtype=torch.float64, device=log_probs.device, generator=generator)
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


def has_native_bf16(device: torch.device) -> bool:
    """Whether bfloat16 is computed in hardware; where it is emulated it is slower than float32."""
    if device.type == "cuda":
        return torch.cuda.is_bf16_supported(including_emulation=False)
    return bool(torch.cpu._is_avx512_bf16_supported() or torch.cpu._is_amx_tile_supported())
