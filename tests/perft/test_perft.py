"""Perft: the engine and the reference find as many lines of calls and plays as the files say."""

from __future__ import annotations

import copy
import dataclasses

import pytest

from king_env.engine.kernel import JIT_ENABLED
from king_env.game import Game
from king_env.notation import ACTION_TEXTS
from king_env.ruleset import RULESETS
from tests.perft.positions import Position, count_by_root, count_lines, read_positions
from tests.reference.rules import ReferenceGame

POSITIONS = read_positions()
MOST_LINES = 12_000 if JIT_ENABLED else 1_500  # of one depth, to keep plain Python quick
MOST_LINES_OF_REFERENCE = 150
every_position = pytest.mark.parametrize("position", POSITIONS, ids=[position.name for position in POSITIONS])


class Reference:
    """The reference with the methods that counting needs."""

    def __init__(self, position: Position) -> None:
        ids = [[ACTION_TEXTS.index(card) for card in hand] for hand in hands_of(position)]
        self.game = ReferenceGame(dataclasses.asdict(position.ruleset), [ids], position.dealer, position.deal - 1)

    @property
    def is_over(self) -> bool:
        return self.game.over

    @property
    def phase(self) -> str:
        return self.game.phase

    def legal(self) -> list[str]:
        return [ACTION_TEXTS[action] for action in self.game.legal()]

    def play(self, action: str) -> None:
        self.game.play(ACTION_TEXTS.index(action))

    def clone(self) -> Reference:
        return copy.deepcopy(self)


def hands_of(position: Position) -> list[list[str]]:
    """The cards of seats 0 to 3; the hands are written from seat 0 on."""
    first, hands = position.hands.split(":")
    assert first == "0"
    return [
        [rank + suit for suit, ranks in zip("SHDC", hand.split("."), strict=True) for rank in ranks]
        for hand in hands.split()
    ]


def engine_at(position: Position) -> Game:
    game = Game(
        position.ruleset,
        deals=[position.hands],
        dealer=position.dealer,
        first_deal=position.deal - 1,
        num_deals=1,
    )
    for action in position.after:
        game.play(action)
    return game


def reference_at(position: Position) -> Reference:
    game = Reference(position)
    for action in position.after:
        game.play(action)
    return game


def depth_within(position: Position, most_lines: int) -> int:
    """The greatest depth up to which no depth counts more lines than that."""
    depth = 0
    while position.by_depth.get(depth + 1, most_lines + 1) <= most_lines:
        depth += 1
    return depth


@every_position
def test_the_engine_counts_the_lines_by_depth(position: Position) -> None:
    depth = depth_within(position, MOST_LINES)
    counts = count_lines(engine_at(position), depth, position.counts_calls)
    assert counts == [position.by_depth[n] for n in range(1, depth + 1)]


@every_position
def test_the_engine_counts_the_lines_by_first_action(position: Position) -> None:
    for depth, counts in position.by_root.items():
        if sum(counts.values()) <= MOST_LINES // 10:
            assert count_by_root(engine_at(position), depth, position.counts_calls) == counts


@every_position
def test_the_reference_counts_the_same(position: Position) -> None:
    depth = depth_within(position, MOST_LINES_OF_REFERENCE)
    counts = count_lines(reference_at(position), depth, position.counts_calls)
    assert counts == [position.by_depth[n] for n in range(1, depth + 1)]


@every_position
def test_the_counts_by_first_action_add_up(position: Position) -> None:
    for depth, counts in position.by_root.items():
        assert sum(counts.values()) == position.by_depth[depth]


def test_there_is_a_position_for_every_contract_and_every_auction() -> None:
    names = " ".join(position.name for position in POSITIONS)
    for contract in (*RULESETS["portuguese"].negatives, "up with a trump", "up without trump", "down"):
        assert contract in names
    assert {position.ruleset for position in POSITIONS if position.counts_calls} >= set(RULESETS.values())
