"""AgileRL's DQN in all four seats at once, through King's parallel form.

python -m baselines.agilerl.dqn --decisions 300000

One network plays every seat. `king_env.integrations.parallel` shows the seat to act what it knows as floats, leaves the
others NaN, and puts the masks into the infos, where AgileRL looks for them.

What a decision is worth is not bootstrapped: AgileRL's update would take the best of all 81 actions in the next
observation, legal or not. Instead each decision is stored as a transition that ends, with what the seat was paid from
then on, what comes later discounted (deep Monte Carlo). Rewards fall while others act, too: `SeatStream` credits them
to the seat's last decision.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence

import numpy as np
import torch
from agilerl.algorithms import DQN
from agilerl.components.replay_buffer import ReplayBuffer
from tensordict import TensorDict

from baselines.playing import Bits, Numbers, ObservingBot, Stopwatch, print_strength, reading, recipe_options
from king_env.aec_env import AGENTS
from king_env.integrations.parallel import Floats, TurnsInParallel, parallel_env

POINTS_A_UNIT = 100.0  # of reward
GAMMA = 0.95  # from a seat's decision to its next
BUFFER_SIZE = 60_000
BATCH_SIZE = 256
DECISIONS_AN_UPDATE = 64
FIRST_EPSILON, LAST_EPSILON = 1.0, 0.05
DECISIONS_TO_LAST_EPSILON = 60_000


class SeatStream:
    """One seat's decisions in an episode, and what came of each before its next."""

    def __init__(self) -> None:
        self.observations: list[Floats] = []
        self.actions: list[int] = []
        self.rewards: list[float] = []
        self._before_all = 0.0  # paid before the seat first acted

    def decide(self, observation: Floats, action: int) -> None:
        """The seat acts."""
        self.observations.append(observation)
        self.actions.append(action)
        self.rewards.append(self._before_all)
        self._before_all = 0.0

    def pay(self, reward: float) -> None:
        """The seat is paid, whoever acted."""
        if self.rewards:
            self.rewards[-1] += reward
        else:
            self._before_all += reward

    def returns(self) -> Floats:
        """What each decision came to, the rewards after it discounted."""
        returns = np.empty(len(self.rewards), dtype=np.float32)
        to_come = 0.0
        for number in reversed(range(len(self.rewards))):
            to_come = self.rewards[number] + GAMMA * to_come
            returns[number] = to_come
        return returns


class Table:
    """One game under way, and the streams of its four seats."""

    def __init__(self, seed: int) -> None:
        self.env: TurnsInParallel = parallel_env()
        self.begin(seed)

    def begin(self, seed: int | None = None) -> None:
        """A new game."""
        self.observations, self.infos = self.env.reset(seed=seed)
        self.streams = {agent: SeatStream() for agent in AGENTS}

    def step(self, action: int) -> bool:
        """Play the action of the agent to act, pay all four; whether the game is over."""
        agent = self.env.agent_to_act
        self.streams[agent].decide(self.observations[agent], action)
        self.observations, rewards, _, _, self.infos = self.env.step({agent: action})
        for paid, reward in rewards.items():
            self.streams[paid].pay(reward)
        return not self.env.agents


def new_agent(table: Table) -> DQN:
    """A network for every seat."""
    return DQN(
        table.env.observation_space(AGENTS[0]),
        table.env.action_space(AGENTS[0]),
        net_config={"latent_dim": 128, "encoder_config": {"hidden_size": [256]}, "head_config": {"hidden_size": [256]}},
        batch_size=BATCH_SIZE,
        lr=5e-4,
        double=False,
    )


def transitions(table: Table) -> Iterator[TensorDict]:
    """Every decision of a finished game, seat by seat, as transitions that end."""
    for stream in table.streams.values():
        observations = torch.from_numpy(np.stack(stream.observations))
        returns = torch.from_numpy(stream.returns() / POINTS_A_UNIT)
        yield TensorDict(
            {
                "obs": observations,
                "action": torch.tensor(stream.actions, dtype=torch.float32),
                "reward": returns,
                "next_obs": observations,
                "done": torch.ones_like(returns),
            },
            batch_size=len(stream.actions),
        )


def train(agent: DQN, tables: list[Table], wanted: int) -> int:
    """Play and learn from so many decisions; how many there were, for each round of the tables is played whole."""
    buffer = ReplayBuffer(BUFFER_SIZE)
    num_decisions, not_yet_learned = 0, 0
    while num_decisions < wanted:
        progress = min(1.0, num_decisions / DECISIONS_TO_LAST_EPSILON)
        acting = [table.env.agent_to_act for table in tables]
        actions = agent.get_action(
            np.stack([table.observations[seat] for table, seat in zip(tables, acting, strict=True)]),
            epsilon=FIRST_EPSILON + progress * (LAST_EPSILON - FIRST_EPSILON),
            action_mask=np.stack(
                [table.infos[seat]["action_mask"] for table, seat in zip(tables, acting, strict=True)]
            ),
        )
        for table, action in zip(tables, actions.tolist(), strict=True):
            if table.step(action):
                for finished in transitions(table):
                    buffer.add(finished)
                table.begin()
        num_decisions += len(tables)
        if len(buffer) >= BATCH_SIZE:
            not_yet_learned += len(tables)
        while not_yet_learned >= DECISIONS_AN_UPDATE:
            agent.learn(buffer.sample(BATCH_SIZE))
            not_yet_learned -= DECISIONS_AN_UPDATE
    return num_decisions


def bot_of(agent: DQN) -> ObservingBot:
    """Plays the action that promises most."""
    agent.set_training_mode(False)

    def best(observations: Bits, masks: Bits) -> Numbers:
        return np.asarray(agent.get_action(observations.astype(np.float32), epsilon=0.0, action_mask=masks))

    return ObservingBot(best, "agilerl")


def main(arguments: Sequence[str] | None = None) -> int:
    options = recipe_options(__doc__, arguments, num_envs=64)
    if options.load:
        with reading(options.load):
            agent = DQN.load(str(options.load))
    else:
        torch.manual_seed(options.seed)
        tables = [Table(options.seed + number) for number in range(options.num_envs)]
        agent, stopwatch = new_agent(tables[0]), Stopwatch()
        stopwatch.print_speed(train(agent, tables, options.decisions))
    if options.save:
        agent.save_checkpoint(str(options.save))
    print_strength(bot_of(agent), options.blocks)
    return 0


if __name__ == "__main__":
    sys.exit(main())
