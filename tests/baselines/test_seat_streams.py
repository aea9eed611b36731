"""Every seat's decisions form a stream of their own: rewards, value targets and ends follow the seat."""

from __future__ import annotations

import numpy as np
import pytest

from baselines.ppo.seat_streams import SeatStreams
from king_env.bots.pretrained.advice import NO_ADVICE, SHOWN_SIZE
from king_env.engine.actions import NUM_ACTIONS


class Play:
    """Decisions by (game, seat) with a value each; the rewards that follow; and where deals end."""

    def __init__(self, num_games: int, num_steps: int) -> None:
        self.num_games = num_games
        self.streams = SeatStreams(num_games, num_steps)

    def decide(self, decisions: dict[int, tuple[int, float]]) -> None:
        """`{game: (seat, value)}`."""
        games = np.array(list(decisions), dtype=np.int64)
        seats = np.array([seat for seat, _ in decisions.values()], dtype=np.int64)
        values = np.array([value for _, value in decisions.values()], dtype=np.float32)
        count = len(games)
        self.streams.add(
            games,
            seats,
            np.zeros((count, SHOWN_SIZE), dtype=np.int8),
            np.full(count, NO_ADVICE),
            np.ones((count, NUM_ACTIONS), dtype=np.int8),
            seats,
            values,
            values,
            np.zeros(count, dtype=np.float32),
        )

    def pay(self, rewards: list[list[float]], ended: list[bool]) -> None:
        self.streams.pay(np.array(rewards, dtype=np.float32))
        self.streams.end(np.array(ended))


def test_a_hand_worked_deal() -> None:
    """gamma 1, lambda 0.5. Seat 0 decides with value 1, seat 1 with value 2, seat 0 again with value 3; then the end.

    Seat 0's first decision earns 10 − 4 = 6 before its second: surprise 6 + 3 − 1 = 8.
    Its second earns 8 and nothing follows: surprise and advantage 8 − 3 = 5. So the first has 8 + 0.5 · 5 = 10.5.
    Seat 1's decision earns 6 − 1 = 5: advantage 5 − 2 = 3. The 100 that seat 1 was paid before it decided are nobody's.
    """
    play = Play(num_games=1, num_steps=3)
    play.decide({0: (0, 1.0)})
    play.pay([[10.0, 100.0, 0.0, 0.0]], [False])
    play.decide({0: (1, 2.0)})
    play.pay([[-4.0, 6.0, 0.0, 0.0]], [False])
    play.decide({0: (0, 3.0)})
    play.pay([[8.0, -1.0, 0.0, 0.0]], [True])
    assert play.streams.closed_rows().tolist() == [0, 1, 2]
    assert play.streams.rewards[:3].tolist() == [6.0, 5.0, 8.0]
    assert play.streams.advantages(1.0, 0.5).tolist() == [10.5, 3.0, 5.0]


def test_an_open_decision_is_carried_over_the_edge_of_a_rollout() -> None:
    """The same deal, cut after two steps: nothing is known yet, and both open decisions go on in the next rollout."""
    play = Play(num_games=1, num_steps=3)
    play.decide({0: (0, 1.0)})
    play.pay([[10.0, 100.0, 0.0, 0.0]], [False])
    play.decide({0: (1, 2.0)})
    play.pay([[-4.0, 6.0, 0.0, 0.0]], [False])
    assert play.streams.closed_rows().tolist() == []
    play.streams.carry_open()
    play.decide({0: (0, 3.0)})
    play.pay([[8.0, -1.0, 0.0, 0.0]], [True])
    assert play.streams.advantages(1.0, 0.5).tolist() == [10.5, 3.0, 5.0]
    play.streams.carry_open()
    assert play.streams.size == 0


def test_before_an_open_decision_the_value_is_trusted() -> None:
    """Seat 2's second decision is open when the rollout ends: 4 + 7 − 1 = 10 for the first, without its advantage."""
    play = Play(num_games=1, num_steps=2)
    play.decide({0: (2, 1.0)})
    play.pay([[0.0, 0.0, 4.0, 0.0]], [False])
    play.decide({0: (2, 7.0)})
    play.pay([[0.0, 0.0, 50.0, 0.0]], [False])
    assert play.streams.closed_rows().tolist() == [0]
    assert play.streams.advantages(1.0, 0.95)[0] == 10.0


def test_a_later_deal_pays_nothing_to_an_earlier_one() -> None:
    """What comes after the end of a deal, before the seat's first decision in the next, is nobody's."""
    play = Play(num_games=1, num_steps=2)
    play.decide({0: (3, 0.0)})
    play.pay([[0.0, 0.0, 0.0, 2.0]], [True])
    play.pay([[0.0, 0.0, 0.0, 99.0]], [False])
    assert play.streams.rewards[0] == 2.0


def test_a_forced_action_earns_for_the_decision_before_it() -> None:
    """A step without a decision adds no row; its rewards go to what each seat decided last."""
    play = Play(num_games=1, num_steps=2)
    play.decide({0: (1, 0.0)})
    play.pay([[0.0, 1.0, 0.0, 0.0]], [False])
    play.pay([[0.0, 5.0, 0.0, 0.0]], [True])
    assert play.streams.size == 1
    assert play.streams.advantages(1.0, 1.0).tolist() == [6.0]


class Decision:
    """One decision as the slow way sees it."""

    def __init__(self, value: float) -> None:
        self.value = value
        self.reward = 0.0
        self.next: Decision | None = None


def play_both_ways(
    seed: int, num_steps: int, edges: set[int]
) -> tuple[list[Decision], dict[float, tuple[float, float]]]:
    """Random play of several games: all decisions as linked objects, and what the rollouts learned of each.

    The second is `{value: (reward, advantage at lambda 0)}`, for no two values are alike. The rollouts end after the
    steps in `edges`.
    """
    rng = np.random.default_rng(seed)
    num_games = 5
    play = Play(num_games, num_steps)
    slow: list[Decision] = []
    last: dict[tuple[int, int], Decision] = {}
    learned: dict[float, tuple[float, float]] = {}
    for step in range(num_steps):
        deciding = [game for game in range(num_games) if rng.random() < 0.7]
        chosen = {game: (int(rng.integers(4)), float(rng.normal())) for game in deciding}
        for game, (seat, value) in chosen.items():
            decision = Decision(float(np.float32(value)))
            if (game, seat) in last:
                last[game, seat].next = decision
            last[game, seat] = decision
            slow.append(decision)
        if chosen:
            play.decide(chosen)
        rewards = rng.integers(-5, 6, size=(num_games, 4)).astype(np.float32)
        ended = rng.random(num_games) < (1.0 if step == num_steps - 1 else 0.1)
        for (game, seat), decision in list(last.items()):
            decision.reward += float(rewards[game, seat])
            if ended[game]:
                del last[game, seat]
        play.pay(rewards.tolist(), ended.tolist())
        if step in edges or step == num_steps - 1:
            streams = play.streams
            advantages = streams.advantages(1.0, 0.0)
            for row in streams.closed_rows():
                value = float(streams.values[row])
                assert value not in learned, "learned from twice"
                learned[value] = (float(streams.rewards[row]), float(advantages[row]))
            streams.carry_open()
    return slow, learned


@pytest.mark.parametrize("edges", [set(), {10, 11, 12, 30}, set(range(60))], ids=["one rollout", "some", "every step"])
def test_every_decision_is_learned_from_once_with_its_own_rewards(edges: set[int]) -> None:
    slow, learned = play_both_ways(seed=3, num_steps=60, edges=edges)
    assert len(learned) == len(slow)
    for decision in slow:
        next_value = decision.next.value if decision.next else 0.0
        expected = (decision.reward, decision.reward + next_value - decision.value)
        assert learned[decision.value] == pytest.approx(expected, abs=1e-5)


def test_advantages_equal_those_of_each_stream_on_its_own() -> None:
    """The oracle sums the discounted surprises along each seat's chain, one decision at a time."""
    gamma, gae_lambda = 0.9, 0.8
    rng = np.random.default_rng(5)
    play = Play(num_games=3, num_steps=40)
    chains: dict[tuple[int, int], list[tuple[float, float]]] = {
        (game, seat): [] for game in range(3) for seat in range(4)
    }
    for step in range(40):
        chosen = {game: (int(rng.integers(4)), float(np.float32(rng.normal()))) for game in range(3)}
        play.decide(chosen)
        for game, (seat, value) in chosen.items():
            chains[game, seat].append((value, 0.0))
        rewards = rng.integers(-5, 6, size=(3, 4)).astype(np.float32)
        for (game, seat), chain in chains.items():
            if chain:
                chain[-1] = (chain[-1][0], chain[-1][1] + float(rewards[game, seat]))
        play.pay(rewards.tolist(), [step == 39] * 3)
    expected = {}
    for chain in chains.values():
        values = [value for value, _ in chain] + [0.0]
        surprises = [reward + gamma * values[i + 1] - value for i, (value, reward) in enumerate(chain)]
        for i, (value, _) in enumerate(chain):
            expected[value] = sum((gamma * gae_lambda) ** k * one for k, one in enumerate(surprises[i:]))
    advantages = play.streams.advantages(gamma, gae_lambda)
    assert len(expected) == play.streams.size
    for row, advantage in enumerate(advantages):
        assert advantage == pytest.approx(expected[float(play.streams.values[row])], abs=1e-4)


def test_a_restored_stream_goes_on_where_it_was() -> None:
    play = Play(num_games=2, num_steps=4)
    play.decide({0: (1, 0.5), 1: (2, 0.25)})
    play.pay([[1.0, 2.0, 3.0, 4.0], [5.0, 6.0, 7.0, 8.0]], [False, False])
    copy = SeatStreams(2, 4)
    copy.restore(play.streams.state())
    for streams in (play.streams, copy):
        streams.pay(np.ones((2, 4), dtype=np.float32))
        streams.end(np.array([True, True]))
    assert copy.advantages(1.0, 1.0).tolist() == play.streams.advantages(1.0, 1.0).tolist() == [2.5, 7.75]
