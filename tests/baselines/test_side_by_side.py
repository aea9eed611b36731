"""What several threads do side by side comes to the same as what one does alone, whichever is done first."""

from __future__ import annotations

import time
from pathlib import Path
from typing import Any

import pytest
import torch

from baselines.ppo import ppo
from baselines.ppo.checkpoint import read_checkpoint, write_checkpoint
from baselines.ppo.clipped_adam import ClippedAdam
from baselines.ppo.config import PPOConfig
from baselines.ppo.side_by_side import Threads, parts_of, step_side_by_side


def small(**options: Any) -> PPOConfig:
    defaults: dict[str, Any] = {"num_games": 14, "num_steps": 16, "hidden_sizes": (16,), "minibatch_size": 64}
    return PPOConfig(**{**defaults, **options})


def weights(learner: ppo.Learner) -> torch.Tensor:
    return torch.cat([parameter.detach().flatten() for parameter in learner.network.parameters()])


def trained(config: PPOConfig, iterations: int = 2) -> ppo.Learner:
    learner = ppo.new_learner(config)
    while not ppo.is_taught(learner.counters, config):
        ppo.teach(learner, config)
    for _ in range(iterations):
        ppo.iterate(learner, config)
    return learner


@pytest.mark.parametrize("number", [1, 3])
def test_results_come_in_the_order_of_the_parts(number: int) -> None:
    def slow_first(part: int) -> int:
        time.sleep(0.02 if part == 0 else 0.0)
        return part * part

    assert Threads(number).map(slow_first, range(5)) == [0, 1, 4, 9, 16]


@pytest.mark.parametrize("size", [7, 2, 1])  # with three threads: uneven parts, and threads without any
def test_a_step_of_parts_is_that_of_the_whole(size: int) -> None:
    inputs, wanted = torch.randn(size, 4), torch.randn(size)
    weights, seen = torch.tensor([1.0, -0.5]), []
    layers = []
    for number in (1, 3):
        torch.manual_seed(1)
        layer = torch.nn.Linear(4, 2)

        def terms_of(rows: torch.Tensor, layer: torch.nn.Linear = layer) -> torch.Tensor:
            errors = layer(inputs[rows])[:, 0] - wanted[rows]
            return torch.stack([errors.square().mean(), errors.abs().mean()])

        optimizer = ClippedAdam(layer.parameters())
        ppo.set_learning_rate(optimizer, 1e-2)
        seen.append(step_side_by_side(Threads(number), terms_of, torch.arange(size), weights, optimizer, 0.5))
        layers.append(layer)
    torch.testing.assert_close(*seen)
    torch.testing.assert_close(layers[0].weight, layers[1].weight)


def test_a_parameter_that_no_term_depends_on_stays_as_it_is() -> None:
    used, unused = torch.nn.Parameter(torch.ones(3)), torch.nn.Parameter(torch.ones(3))
    optimizer = ClippedAdam([used, unused])
    ppo.set_learning_rate(optimizer, 1e-2)
    step_side_by_side(
        Threads(2), lambda rows: (used[rows] ** 2).mean()[None], torch.arange(3), torch.ones(1), optimizer, 0.5
    )
    assert (used < 1.0).all() and (unused == 1.0).all()


def test_threads_play_and_learn_what_one_does() -> None:
    config = small(is_advised=True, removes_luck=True, played_out_decisions=60, played_out_worlds=2, past_tables=0.3)
    alone, together = trained(config), trained(small(**{**config.to_dict(), "num_threads": 3}))
    assert alone.counters.decisions == together.counters.decisions
    torch.testing.assert_close(weights(alone), weights(together), rtol=1e-3, atol=1e-4)


def test_a_run_of_several_threads_repeats_itself_and_resumes(tmp_path: Path) -> None:
    config = small(num_threads=3)
    whole, again, half = trained(config, 3), trained(config, 3), trained(config, 2)
    write_checkpoint(ppo.training_state(half, config), tmp_path / "last.pt")
    resumed = ppo.resume_learner(read_checkpoint(tmp_path / "last.pt"), config, tmp_path / "last.pt")
    ppo.iterate(resumed, config)
    for other in (again, resumed):
        assert torch.equal(weights(whole), weights(other))


@pytest.mark.parametrize(("size", "number"), [(0, 0), (1, 1), (7, 3), (300, 4)])
def test_parts_hold_each_row_once_and_are_even(size: int, number: int) -> None:
    parts = parts_of(size, number)
    assert [row for part in parts for row in range(part.start, part.stop)] == list(range(size))
    sizes = [part.stop - part.start for part in parts]
    assert len(parts) == number and (not sizes or max(sizes) - min(sizes) <= 1)
