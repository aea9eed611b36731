"""Adam on gradients that are clipped together, which on the CPU is one compiled pass over each parameter."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import numpy as np
import torch
from torch import Tensor, nn
from torch.nn.utils import clip_grad_norm_

from king_env.bots.pretrained.forward import product
from king_env.engine.kernel import entry_point

EPS = 1e-5
CLIP_EPS = 1e-6  # as torch has it


class ClippedAdam(torch.optim.Adam):
    """torch's Adam, of whose state it is; its step is set before each update."""

    def __init__(self, parameters: Iterable[nn.Parameter]) -> None:
        super().__init__(parameters, eps=EPS, fused=True)

    def step_clipped(self, max_norm: float) -> Tensor:
        """Clip the gradients of all parameters to a length, step against them and drop them; returns their length."""
        (group,) = self.param_groups
        parameters = [parameter for parameter in group["params"] if parameter.grad is not None]
        if any(parameter.device.type != "cpu" for parameter in parameters):
            norm = clip_grad_norm_(parameters, max_norm)
            self.step()
        else:
            gradients = [parameter.grad.contiguous().numpy().reshape(-1) for parameter in parameters]
            norm = torch.tensor(math.sqrt(sum(sum_of_squares(gradient) for gradient in gradients)))
            factor = min(1.0, max_norm / (float(norm) + CLIP_EPS))
            for parameter, gradient in zip(parameters, gradients, strict=True):
                self._step_one(parameter, gradient, factor, group)
        for parameter in parameters:
            parameter.grad = None
        return norm

    def _step_one(self, parameter: nn.Parameter, gradient: np.ndarray, factor: float, group: dict[str, Any]) -> None:
        state = self.state[parameter]
        if not state:
            state["step"] = torch.tensor(0.0)
            state["exp_avg"], state["exp_avg_sq"] = torch.zeros_like(parameter), torch.zeros_like(parameter)
        beta_of_mean, beta_of_square = group["betas"]
        adam_step(
            gradient,
            factor,
            parameter.detach().view(-1).numpy(),
            state["exp_avg"].view(-1).numpy(),
            state["exp_avg_sq"].view(-1).numpy(),
            state["step"].numpy(),
            group["lr"],
            beta_of_mean,
            beta_of_square,
            group["eps"],
        )


@entry_point
def sum_of_squares(gradient: np.ndarray) -> float:
    """Of a vector of float32."""
    return product(gradient, gradient)


@entry_point
def adam_step(
    gradient: np.ndarray,  # float32[n]
    factor: float,  # by which clipping shortens it
    parameter: np.ndarray,  # float32[n]; it and the rest are written
    mean: np.ndarray,
    mean_square: np.ndarray,
    num_steps: np.ndarray,  # float32[]
    learning_rate: float,
    beta_of_mean: float,
    beta_of_square: float,
    eps: float,
) -> None:
    """A step of Adam as in its paper: against the mean gradient, in units of its size."""
    num_steps[()] += 1
    step_size = np.float32(learning_rate / (1.0 - beta_of_mean ** num_steps[()]))
    size_factor = np.float32(1.0 / math.sqrt(1.0 - beta_of_square ** num_steps[()]))
    scale, least = np.float32(factor), np.float32(eps)
    keep_mean, keep_square = np.float32(beta_of_mean), np.float32(beta_of_square)
    add_mean, add_square = np.float32(1.0 - beta_of_mean), np.float32(1.0 - beta_of_square)
    for place in range(len(parameter)):
        clipped = scale * gradient[place]
        mean[place] = keep_mean * mean[place] + add_mean * clipped
        mean_square[place] = keep_square * mean_square[place] + add_square * (clipped * clipped)
        parameter[place] -= step_size * mean[place] / (np.sqrt(mean_square[place]) * size_factor + least)
