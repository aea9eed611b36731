"""Likely worlds: how the hidden cards may lie, given what the others have done if they play by a known policy.

A world is the likelier, the more probable in it is what the other seats have done in this deal by the policy's own
probabilities: so what they led, threw away or bid tells where the cards lie. Where there are few worlds, each is
weighed. Elsewhere a walk visits them (Metropolis and Hastings): two cards change hands, and the step is taken back
unless chance, in proportion to how likely both worlds are, lets it stand. In the long run it is in each world as often
as that is likely; it begins in the likeliest of some, so that a short one is not lost among worlds that cannot be.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from king_env.bots.compiled import NO_ACTION, only_legal_action
from king_env.bots.pretrained.forward import Room, Weights, judge_all, new_room
from king_env.chance import Stream, random_below, random_float
from king_env.engine.actions import NUM_ACTIONS, Action
from king_env.engine.cards import KING_OF_HEARTS, NUM_CARDS, SUIT_OF, Card, Cards, has_card
from king_env.engine.information import (
    KIND_BIT,
    MAX_HIDDEN,
    NUM_KINDS,
    THE_KING_OF_HEARTS,
    Deals,
    lay_out_deal,
    num_deals,
)
from king_env.engine.kernel import entry_point, kernel, lowest_bit, popcount
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import MAX_CALLS, GameRecord, GameRecords, new_records
from king_env.engine.step import start_deal, step
from king_env.worlds import draw_world

# The walk begins in the likeliest of so many worlds, and takes so many steps before it is looked at.
FIRST_DRAWS, FIRST_STEPS = 16, 64
MAX_ACTIONS = MAX_CALLS + NUM_CARDS


class Belief(NamedTuple):
    """How far one trusts that the others play by the policy."""

    sharpness: float
    """What logits are multiplied by: above 1 the policy is taken to do what it finds most probable more often."""
    surprise: float
    """So often anybody may do anything: no world is ruled out by what somebody did in it."""


class Table(NamedTuple):
    """What a search with a policy works with, to be made once."""

    weights: Weights
    room: Room
    logits: np.ndarray  # float32[1, NUM_ACTIONS]
    values: np.ndarray  # float32[1]
    worlds: GameRecords  # GAME_DTYPE[N]
    shares: np.ndarray  # float64[N], how likely each world is; all together 1
    moments: GameRecords  # GAME_DTYPE[MAX_ACTIONS], the deal before each action: what others may know of it
    done: np.ndarray  # int64[MAX_ACTIONS], what was done then
    walker: GameRecords  # GAME_DTYPE[1], the world where a walk is
    game: GameRecords  # GAME_DTYPE[1], in which something is played out or again


def new_table(weights: Weights, num_worlds: int) -> Table:
    """Room for so many worlds."""
    return Table(
        weights,
        new_room(weights.width),
        np.zeros((1, NUM_ACTIONS), dtype=np.float32),
        np.zeros(1, dtype=np.float32),
        new_records(num_worlds),
        np.zeros(num_worlds),
        new_records(MAX_ACTIONS),
        np.zeros(MAX_ACTIONS, dtype=np.int64),
        new_records(1),
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
def recall(world: GameRecords, table: Table) -> int:
    """Write down the deal before each of its actions, and what was done; returns how many there were.

    Of what the others' hands were, only what they have played since is certain; `log_likelihood` puts in the rest.
    """
    game = table.game
    take_back_deal(world, game)
    num_actions = int(world[0]["num_calls"]) + int(world[0]["num_plays"])
    for number in range(num_actions):
        table.moments[number] = game[0]
        table.done[number] = action_number(world, number)
        do_action(game, table.done[number])
    return num_actions


@entry_point
def log_likelihood(
    seat: Seat, hand: Cards, played: Cards, num_actions: int, least: float, belief: Belief, table: Table
) -> float:
    """How probable all is that a seat has done in the deal that the table recalls; the natural logarithm.

    hand: what it holds now; played: what it has played; least: what the answer must reach, else it is anything below.
    """
    total = 0.0
    for number in range(num_actions):
        if table.moments[number]["turn"] != seat:
            continue
        moment = table.moments[number : number + 1]
        moment[0]["hands"][seat] = hand | (played & ~moment[0]["played"][seat])
        if only_legal_action(moment[0]) == NO_ACTION:
            judge_all(moment, table.weights, table.room, table.logits, table.values)
            total += math.log(probability_of(table.done[number], table.logits[0], belief))
            if total < least:
                break
    return total


@entry_point
def weigh(
    world: GameRecords, seat: Seat, num_actions: int, least: float, belief: Belief, table: Table, likely: np.ndarray
) -> float:
    """How probable all is that the others have done in a world, and each of them (float64[NUM_SEATS], written)."""
    total = 0.0
    for other in range(NUM_SEATS):
        likely[other] = 0.0
        if other != seat and total >= least:
            hand, played = int(world[0]["hands"][other]), int(world[0]["played"][other])
            likely[other] = log_likelihood(other, hand, played, num_actions, least - total, belief, table)
            total += likely[other]
    return total


@entry_point
def weigh_all_worlds(view: GameRecords, deals: Deals, seat: Seat, belief: Belief, table: Table) -> int:
    """Write all worlds that there are to the table, each with how likely it is; returns how many."""
    num_worlds, likely, highest, total = num_deals(deals), np.empty(NUM_SEATS), -math.inf, 0.0
    for number in range(num_worlds):
        table.worlds[number] = view[0]
        lay_out_deal(deals, number, table.worlds[number])
    num_actions = recall(table.worlds[:1], table)
    for number in range(num_worlds):
        world = table.worlds[number : number + 1]
        table.shares[number] = weigh(world, seat, num_actions, -math.inf, belief, table, likely)
        highest = max(highest, table.shares[number])
    for number in range(num_worlds):
        table.shares[number] = math.exp(table.shares[number] - highest)
        total += table.shares[number]
    for number in range(num_worlds):
        table.shares[number] /= total
    return num_worlds


# The walk


@kernel
def begin_walk(
    view: GameRecords, deals: Deals, stream: Stream, seat: Seat, belief: Belief, table: Table, likely: np.ndarray
) -> int:
    """Put the walker into the likeliest of some worlds; returns how many actions the deal has had so far.

    likely: float64[NUM_SEATS], written: how probable all is that each of the others has done in it.
    """
    trial, of_trial, highest, num_actions = table.worlds[:1], np.empty(NUM_SEATS), -math.inf, 0
    for number in range(FIRST_DRAWS):
        draw_world(view[0], deals, stream, trial)
        if number == 0:
            num_actions = recall(trial, table)
        total = weigh(trial, seat, num_actions, highest, belief, table, of_trial)
        if total > highest:
            highest = total
            table.walker[0] = trial[0]
            likely[:] = of_trial
    return num_actions


@kernel
def hidden_hand_of(deals: Deals, world: GameRecord, card: Card) -> int:
    """Which of the hidden hands holds a card in a world."""
    for hidden in range(MAX_HIDDEN):
        if deals["places"][hidden] > 0 and has_card(world["hands"][deals["seats"][hidden]], card):
            return hidden
    return MAX_HIDDEN


@kernel
def kind_of(card: Card) -> int:
    return THE_KING_OF_HEARTS if card == KING_OF_HEARTS else int(SUIT_OF[card])


@kernel
def may_hold(deals: Deals, hidden: int, card: Card) -> bool:
    return deals["may_hold"][hidden] & KIND_BIT[kind_of(card)] != 0


@kernel
def walk_on(
    cards: np.ndarray,
    deals: Deals,
    stream: Stream,
    num_actions: int,
    belief: Belief,
    table: Table,
    likely: np.ndarray,
) -> bool:
    """One step of the walk; whether it leads to another world.

    Where voids leave few hands that may hold a card, no exchange of two may lead to some worlds: those are visited only
    if the walk begins among them.

    cards: int64[N], all that are hidden; likely: float64[NUM_SEATS], of the walker's world, kept up to date.
    """
    world = table.walker
    one, other = cards[random_below(stream, len(cards))], cards[random_below(stream, len(cards))]
    of_one, of_other = hidden_hand_of(deals, world[0], one), hidden_hand_of(deals, world[0], other)
    if of_one == of_other or not (may_hold(deals, of_one, other) and may_hold(deals, of_other, one)):
        return False
    swapped = (1 << int(one)) | (1 << int(other))
    left, right = int(deals["seats"][of_one]), int(deals["seats"][of_other])
    least = likely[left] + likely[right] + math.log(1.0 - random_float(stream))
    left_hand, right_hand = int(world[0]["hands"][left]) ^ swapped, int(world[0]["hands"][right]) ^ swapped
    of_left = log_likelihood(left, left_hand, int(world[0]["played"][left]), num_actions, least, belief, table)
    if of_left < least:
        return False
    of_right = log_likelihood(
        right, right_hand, int(world[0]["played"][right]), num_actions, least - of_left, belief, table
    )
    if of_left + of_right < least:
        return False
    likely[left], likely[right] = of_left, of_right
    world[0]["hands"][left], world[0]["hands"][right] = left_hand, right_hand
    return True


@kernel
def cards_of_all(deals: Deals) -> np.ndarray:
    """All hidden cards, int64[N]."""
    num_cards = 0
    for kind in range(NUM_KINDS):
        num_cards += popcount(deals["kinds"][kind])
    cards = np.empty(num_cards, dtype=np.int64)
    for kind in range(NUM_KINDS):
        left = int(deals["kinds"][kind])
        while left != 0:
            num_cards -= 1
            cards[num_cards] = lowest_bit(left)
            left &= left - 1
    return cards


@entry_point
def walk_through_worlds(
    view: GameRecords, deals: Deals, stream: Stream, seat: Seat, steps: int, belief: Belief, table: Table
) -> int:
    """Write worlds of a walk to the table, one after so many steps each, and how often it was in each.

    Returns how many worlds these are: those that follow each other and are the same count once.
    """
    likely, cards = np.empty(NUM_SEATS), cards_of_all(deals)
    num_actions = begin_walk(view, deals, stream, seat, belief, table, likely)
    for _ in range(FIRST_STEPS):
        walk_on(cards, deals, stream, num_actions, belief, table, likely)
    visits, last = len(table.worlds), 0
    table.worlds[0] = table.walker[0]
    table.shares[0] = 1.0 / visits
    for _ in range(visits - 1):
        has_moved = False
        for _ in range(steps):
            has_moved |= walk_on(cards, deals, stream, num_actions, belief, table, likely)
        if has_moved:
            last += 1
            table.worlds[last] = table.walker[0]
            table.shares[last] = 0.0
        table.shares[last] += 1.0 / visits
    return last + 1
