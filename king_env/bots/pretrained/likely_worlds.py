"""Likely worlds: how the hidden cards may lie, given what the others have done if they play by a known policy.

Of worlds drawn as `search` draws them one is the likelier, the more probable in it is what the other seats have done in
this deal by the policy's own probabilities: so what they led, threw away or bid tells where the cards lie.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from king_env.bots.compiled import NO_ACTION, only_legal_action
from king_env.bots.pretrained.forward import Room, Weights, judge_all, new_room
from king_env.chance import Stream
from king_env.engine.actions import NUM_ACTIONS, Action
from king_env.engine.information import Deals, lay_out_deal, num_deals
from king_env.engine.kernel import entry_point, kernel
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import GameRecords, new_records
from king_env.engine.step import start_deal, step
from king_env.worlds import draw_world


class Belief(NamedTuple):
    """How far one trusts that the others play by the policy."""

    sharpness: float
    """What logits are multiplied by: above 1 the policy is taken to do what it finds most probable more often."""
    surprise: float
    """So often anybody may do anything: no world is ruled out by what somebody did in it."""
    trust: float
    """The power to which likelihoods are raised: below 1 a few drawn worlds do not outweigh all others."""


class Table(NamedTuple):
    """What a search with a policy works with, to be made once."""

    weights: Weights
    room: Room
    logits: np.ndarray  # float32[1, NUM_ACTIONS]
    values: np.ndarray  # float32[1]
    worlds: GameRecords  # GAME_DTYPE[candidates]
    shares: np.ndarray  # float64[candidates], how likely each world is; all together 1
    game: GameRecords  # GAME_DTYPE[1], in which something is played out or again


def new_table(weights: Weights, candidates: int) -> Table:
    """Room for so many candidate worlds."""
    return Table(
        weights,
        new_room(weights.width),
        np.zeros((1, NUM_ACTIONS), dtype=np.float32),
        np.zeros(1, dtype=np.float32),
        new_records(candidates),
        np.zeros(candidates),
        new_records(1),
    )


@kernel
def best_of(logits: np.ndarray) -> Action:
    """The action with the highest logit, float32[NUM_ACTIONS]."""
    best = 0
    for action in range(1, NUM_ACTIONS):
        if logits[action] > logits[best]:
            best = action
    return best


@kernel
def probability_of(action: Action, logits: np.ndarray, belief: Belief) -> float:
    """With which a seat does an action if its policy gives these logits (float32[NUM_ACTIONS]; illegal ones −inf)."""
    highest, total, num_legal = logits[best_of(logits)], 0.0, 0
    for other in range(NUM_ACTIONS):
        if logits[other] > -np.inf:
            total += math.exp(belief.sharpness * (logits[other] - highest))
            num_legal += 1
    by_policy = math.exp(belief.sharpness * (logits[action] - highest)) / total
    return (1.0 - belief.surprise) * by_policy + belief.surprise / num_legal


@entry_point
def do_action(game: GameRecords, action: Action) -> None:
    """One action in the one game; compiled as a function of its own, once for all that call it."""
    step(game[0], action)


@kernel
def take_back_deal(world: GameRecords, game: GameRecords) -> None:
    """Write a world to ``game[0]`` as it was when the cards of this deal had been dealt."""
    game[0] = world[0]
    hands = np.empty(NUM_SEATS, dtype=np.int64)
    for seat in range(NUM_SEATS):
        hands[seat] = world[0]["hands"][seat] | world[0]["played"][seat]
        game[0]["scores"][seat] -= world[0]["deal_scores"][seat]
    start_deal(game[0], hands)


@kernel
def action_number(world: GameRecords, number: int) -> Action:
    """What was done so many actions after the cards were dealt: calls come before plays."""
    num_calls = int(world[0]["num_calls"])
    return int(world[0]["calls"][number]) if number < num_calls else int(world[0]["plays"][number - num_calls])


@entry_point
def log_likelihood(world: GameRecords, seat: Seat, belief: Belief, table: Table) -> float:
    """How probable all is that the others have done in this deal, the cards lying so; the natural logarithm."""
    game = table.game
    take_back_deal(world, game)
    total = 0.0
    for number in range(int(world[0]["num_calls"]) + int(world[0]["num_plays"])):
        action = action_number(world, number)
        if game[0]["turn"] != seat and only_legal_action(game[0]) == NO_ACTION:
            judge_all(game, table.weights, table.room, table.logits, table.values)
            total += math.log(probability_of(action, table.logits[0], belief))
        do_action(game, action)
    return total


@kernel
def draw_worlds(view: GameRecords, deals: Deals, stream: Stream, table: Table) -> int:
    """Write as many worlds to the table as there is room for, or all there are, each once; returns how many."""
    num_worlds = min(len(table.worlds), num_deals(deals))
    for number in range(num_worlds):
        world = table.worlds[number : number + 1]
        if num_worlds == num_deals(deals):
            world[0] = view[0]
            lay_out_deal(deals, number, world[0])
        else:
            draw_world(view[0], deals, stream, world)
    return num_worlds


@kernel
def weigh_worlds(num_worlds: int, seat: Seat, belief: Belief, table: Table) -> None:
    """Write down how likely each of the table's first worlds is, for a seat that knows what it did itself."""
    highest, total = -math.inf, 0.0
    for number in range(num_worlds):
        world = table.worlds[number : number + 1]
        table.shares[number] = belief.trust * log_likelihood(world, seat, belief, table)
        highest = max(highest, table.shares[number])
    for number in range(num_worlds):
        table.shares[number] = math.exp(table.shares[number] - highest)
        total += table.shares[number]
    for number in range(num_worlds):
        table.shares[number] /= total
