"""The recipe for AgileRL: no seat loses a reward, masks are obeyed, and what is learned is kept and played."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
import torch

from baselines.agilerl.dqn import GAMMA, SeatStream, Table, bot_of, main, new_agent, train, transitions
from king_env.aec_env import AGENTS
from king_env.game import Game

SEED = 1
TWO_GAMES = 2 * 700  # decisions, with some of the next: only a finished game is learned from


@pytest.fixture
def finished() -> Table:
    """A game played at random to its end."""
    table, rng = Table(SEED), np.random.default_rng(SEED)
    is_over = False
    while not is_over:
        mask = table.infos[table.env.agent_to_act]["action_mask"]
        is_over = table.step(int(rng.choice(np.flatnonzero(mask))))
    return table


def test_what_each_seat_was_paid_adds_up_to_its_score(finished: Table) -> None:
    paid = [sum(finished.streams[agent].rewards) for agent in AGENTS]
    assert paid == finished.env.aec_env.game.scores


def test_a_decision_is_worth_what_came_after_it_discounted() -> None:
    stream = SeatStream()
    stream.pay(325.0)
    stream.decide(np.zeros(3, dtype=np.float32), 4)
    stream.pay(-75.0)
    stream.decide(np.zeros(3, dtype=np.float32), 5)
    stream.pay(-50.0)
    stream.pay(-25.0)
    assert stream.returns().tolist() == pytest.approx([250.0 - 75.0 * GAMMA, -75.0])


def test_transitions_hold_every_decision_of_the_game(finished: Table) -> None:
    stored = [*transitions(finished)]
    game: Game = finished.env.aec_env.game
    assert sum(len(seat) for seat in stored) == len(game.actions)
    assert all(seat["done"].all() and not seat["obs"].isnan().any() for seat in stored)


def test_only_legal_actions_are_played(finished: Table) -> None:
    torch.manual_seed(SEED)
    agent = new_agent(finished)
    game = Game(seed=SEED)
    for _ in range(60):
        action = bot_of(agent).act(game.view(game.turn or 0), np.random.default_rng(SEED))
        game.play(action)


def test_it_learns(finished: Table) -> None:
    torch.manual_seed(SEED)
    agent = new_agent(finished)
    before = [weights.clone() for weights in agent.actor.parameters()]
    num_decisions = train(agent, [Table(SEED), Table(SEED + 1)], TWO_GAMES)
    assert num_decisions == TWO_GAMES
    assert any((old != new).any() for old, new in zip(before, agent.actor.parameters(), strict=True))


def test_the_command_trains_keeps_loads_and_measures(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    kept = str(tmp_path / "agent.pt")
    assert main(["--decisions", str(TWO_GAMES), "--num-envs", "2", "--blocks", "1", "--save", kept]) == 0
    trained = capsys.readouterr().out.splitlines()[-2:]
    assert main(["--blocks", "1", "--load", kept]) == 0
    assert capsys.readouterr().out.splitlines()[-2:] == trained
