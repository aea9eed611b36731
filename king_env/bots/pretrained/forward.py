"""What a shipped network makes of a decision, in compiled code: each by itself, whatever stands beside it.

So a position is answered alike on its own and in a batch, which products of whole matrices would not: they add up in
another order for another shape.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from king_env.bots.pretrained.advice import ADVICE_LOGIT, advise
from king_env.bots.pretrained.suits import (
    BESIDES,
    HEARTS_FEATURE,
    NO_SUIT,
    NUM_PARTS,
    PART,
    PLACES,
    ROW,
    TRUMP_FEATURE,
    place_of,
    trump_of,
)
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.batch import observe
from king_env.engine.cards import HEARTS, NUM_SUITS
from king_env.engine.kernel import any_order_kernel, entry_point, kernel, lowest_bit
from king_env.engine.observation import OBSERVATION_SIZE
from king_env.engine.seats import NUM_SEATS
from king_env.engine.state import GameRecords
from king_env.engine.step import is_among, legal_actions

ENTRIES_A_WORD = 8  # of an observation, a byte each
# The logit of what may not be done.
NEVER = -np.inf


class Weights(NamedTuple):
    """A network that treats suits alike: two layers, and a head each for the policy and the value; all float32."""

    features: np.ndarray  # [NUM_FEATURES, width], of the first layer
    bias: np.ndarray  # [width]
    own: np.ndarray  # [width, width], of the second layer: from a unit of the suit itself, to a unit
    own_bias: np.ndarray  # [width]
    together: np.ndarray  # [width, width]: from a unit of all suits together, to a unit
    policy: np.ndarray  # [rows, width]
    policy_bias: np.ndarray  # [rows]
    value: np.ndarray  # [width]
    value_bias: np.ndarray  # [1]

    @property
    def width(self) -> int:
        """Units of a suit in each layer."""
        return int(self.features.shape[1])


class Room(NamedTuple):
    """Room to work a decision out in, to be made once."""

    observation: np.ndarray  # int8[1, OBSERVATION_SIZE]
    viewer: np.ndarray  # int64[1]
    advice: np.ndarray  # int64[1]
    first: np.ndarray  # float32[NUM_PARTS, width]
    second: np.ndarray  # float32[NUM_PARTS, width]


def new_room(width: int) -> Room:
    """Room for networks of this width."""
    layers = [np.zeros((NUM_PARTS, width), dtype=np.float32) for _ in range(2)]
    return Room(np.zeros((1, OBSERVATION_SIZE), dtype=np.int8), np.zeros(1, np.int64), np.zeros(1, np.int64), *layers)


def judge(weights: Weights, views: GameRecords) -> tuple[np.ndarray, np.ndarray]:
    """Logits float32[N, NUM_ACTIONS], those of illegal actions −inf, and values float32[N] of the seats to act."""
    logits = np.empty((len(views), NUM_ACTIONS), dtype=np.float32)
    values = np.empty(len(views), dtype=np.float32)
    judge_all(views, weights, new_room(weights.width), logits, values)
    return logits, values


@entry_point
def judge_all(games: GameRecords, weights: Weights, room: Room, logits: np.ndarray, values: np.ndarray) -> None:
    """`judge`, decision by decision; logits and values are written. It reads what the seat to act may know."""
    first, second = room.first, room.second
    for number in range(len(games)):
        game = games[number : number + 1]
        look(game, weights.features, room)
        mix_in(first, weights.bias)
        next_layer(first, weights.own, weights.own_bias, weights.together, second)
        cards, calls = legal_actions(game[0])
        for action in range(NUM_ACTIONS):
            logits[number, action] = NEVER
            if is_among(action, cards, calls):
                row = PLACES[ROW, action]
                logit = product(weights.policy[row], second[PLACES[PART, action]]) + weights.policy_bias[row]
                logits[number, action] = logit + ADVICE_LOGIT if action == room.advice[0] else logit
        values[number] = product(weights.value, second[BESIDES]) + weights.value_bias[0]


@kernel
def look(game: GameRecords, of_features: np.ndarray, room: Room) -> None:
    """Add up, part by part, the weights of what is shown of a game: its ones, the advice, and what sets suits apart."""
    room.viewer[0] = game[0]["turn"]
    observe(game, room.viewer, room.observation)
    advise(game, room.advice)
    suits = np.zeros(NUM_SEATS, dtype=np.int64)
    for part in range(NUM_PARTS):
        for unit in range(room.first.shape[1]):
            room.first[part, unit] = 0.0
    add(room.first[HEARTS], of_features[HEARTS_FEATURE])
    words = room.observation[0].view(np.int64)
    for number in range(len(words)):
        word = words[number]
        while word != 0:
            entry = ENTRIES_A_WORD * number + (lowest_bit(word) >> 3)
            part, feature = place_of(entry, suits)
            add(room.first[part], of_features[feature])
            trump = trump_of(entry)
            if trump != NO_SUIT:
                add(room.first[trump], of_features[TRUMP_FEATURE])
            word &= word - 1
    part, feature = place_of(OBSERVATION_SIZE + room.advice[0], suits)
    add(room.first[part], of_features[feature])


@kernel
def add(total: np.ndarray, row: np.ndarray) -> None:
    for unit in range(len(total)):
        total[unit] += row[unit]


@kernel
def mix_in(first: np.ndarray, bias: np.ndarray) -> None:
    """Add to each suit what belongs to none and the bias, drop what is negative, and sum the suits up in the last part.

    first: float32[NUM_PARTS, width].
    """
    besides = first[BESIDES]
    for unit in range(len(bias)):
        shared, total = besides[unit] + bias[unit], np.float32(0.0)
        for suit in range(NUM_SUITS):
            first[suit, unit] = max(first[suit, unit] + shared, np.float32(0.0))
            total += first[suit, unit]
        besides[unit] = total


@any_order_kernel
def next_layer(
    first: np.ndarray, own: np.ndarray, own_bias: np.ndarray, together: np.ndarray, second: np.ndarray
) -> None:
    """The second layer from what `mix_in` left of the first; second: float32[NUM_PARTS, width], written."""
    clubs, diamonds, hearts, spades, everything = second[0], second[1], second[2], second[3], second[BESIDES]
    width = len(own_bias)
    for unit in range(width):
        everything[unit] = own_bias[unit]
    for source in range(width):
        strength = first[BESIDES, source]
        if strength != 0.0:
            row = together[source]
            for unit in range(width):
                everything[unit] += strength * row[unit]
    for unit in range(width):
        clubs[unit] = diamonds[unit] = hearts[unit] = spades[unit] = everything[unit]
    for source in range(width):
        of_clubs, of_diamonds, of_hearts, of_spades = (
            first[0, source],
            first[1, source],
            first[2, source],
            first[3, source],
        )
        row = own[source]
        for unit in range(width):
            clubs[unit] += of_clubs * row[unit]
            diamonds[unit] += of_diamonds * row[unit]
            hearts[unit] += of_hearts * row[unit]
            spades[unit] += of_spades * row[unit]
    for unit in range(width):
        total = np.float32(0.0)
        for suit in range(NUM_SUITS):
            second[suit, unit] = max(second[suit, unit], np.float32(0.0))
            total += second[suit, unit]
        everything[unit] = total


@any_order_kernel
def product(left: np.ndarray, right: np.ndarray) -> float:
    """The scalar product of two vectors of float32."""
    total = np.float32(0.0)
    for unit in range(len(left)):
        total += left[unit] * right[unit]
    return float(total)
