"""A trunk that treats the four suits alike, but for what sets one apart: that it is hearts, trump, or led.

What is known of a suit and what is known besides go through the same weights for each suit, and each then looks at the
sum of all four. So what is learned of one suit is known of the others: the network needs a fraction of the games.
Which suit is trump is told to all of them, too, by its name: deals with different trumps are not quite alike.
"""

from __future__ import annotations

import torch
from torch import Tensor, nn

from baselines.ppo.binary_linear import Ones, SumOfRows
from king_env.bots.pretrained.suits import NUM_FEATURES, NUM_PARTS, features_by_part
from king_env.engine.cards import NUM_SUITS


class SuitTrunk(nn.Module):
    """Features float[B, 5 · width] of what is shown: of each suit, then of all together."""

    def __init__(self, width: int, gain: float) -> None:
        super().__init__()
        self.width = width
        self.weight = nn.Parameter(nn.init.orthogonal_(torch.empty(NUM_FEATURES, width), gain))
        self.bias = nn.Parameter(torch.zeros(width))
        self.own, self.all = nn.Linear(width, width), nn.Linear(width, width, bias=False)
        nn.init.orthogonal_(self.own.weight, 1.0)
        nn.init.orthogonal_(self.all.weight, 0.5)
        nn.init.zeros_(self.own.bias)

    def forward(self, shown: Tensor | Ones) -> Tensor:
        ones = shown if isinstance(shown, Ones) else Ones.of(shown)
        parts = Ones(*features_by_part(ones.entries, ones.offsets))
        sums: Tensor = SumOfRows.apply(self.weight, parts)  # type: ignore[no-untyped-call]
        sums = sums.view(-1, NUM_PARTS, self.width)
        first = torch.relu(sums[:, :NUM_SUITS] + (sums[:, NUM_SUITS:] + self.bias))
        second = torch.relu(self.own(first) + self.all(first.sum(dim=1, keepdim=True)))
        return torch.cat([second, second.sum(dim=1, keepdim=True)], dim=1).flatten(1)
