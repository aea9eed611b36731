"""Streams of random numbers for shuffling and for starting games, usable in kernels and from Python alike.

A stream is four 64-bit words that a draw moves on (the public-domain generator xoshiro256++). Each game of a batch has
its own, so games are independent of each other, and copying an env copies its future.
"""

from __future__ import annotations

import numpy as np

from king_env.engine.cards import ALL_CARDS, CARD_BIT, NUM_CARDS
from king_env.engine.contracts import NUM_DEALS, NUM_NEGATIVES, NUM_POSITIVES, NUM_TRICKS
from king_env.engine.dealing import start_game
from king_env.engine.kernel import add_words, entry_point, highest_bit, kernel, scratch_words
from king_env.engine.seats import NUM_SEATS
from king_env.engine.state import GameRecord, GameRecords

Stream = np.ndarray  # uint64[4]
Streams = np.ndarray  # uint64[num_games, 4]

STREAM_WORDS = 4
# What a stream is for keeps it apart from those of the same seed for another purpose: deals that an agent is measured
# on are never those that it was trained on. `evaluation` deals are for matches of all kinds, those by which a bot is
# tuned and a training run is followed among them; `panel` deals for the panel alone, `auction` deals for what is lost
# at the auction alone, and no training code may reach either.
PURPOSES = {"play": 0, "evaluation": 1, "bots": 2, "seating": 3, "panel": 4, "auction": 5}

LOW_HALF = np.uint64(0xFFFF_FFFF)
_TO_UNIT = 1.0 / (1 << 53)


def new_stream(seed: int | None, purpose: str = "play") -> Stream:
    """One stream from one seed (uint64[4]); None seeds from the operating system."""
    sequence = np.random.SeedSequence(seed, spawn_key=(PURPOSES[purpose],))
    return sequence.generate_state(STREAM_WORDS, np.uint64)


def new_streams(seed: int | None, num_streams: int, purpose: str = "play") -> Streams:
    """Independent streams (uint64[num_streams, 4]) from one seed; the first is `new_stream` of that seed."""
    sequence = np.random.SeedSequence(seed, spawn_key=(PURPOSES[purpose],))
    words = sequence.generate_state(num_streams * STREAM_WORDS, np.uint64)
    return words.reshape(num_streams, STREAM_WORDS)


@kernel
def rotate_left(word: np.uint64, bits: int) -> np.uint64:
    return (word << np.uint64(bits)) | (word >> np.uint64(64 - bits))


@kernel
def random_word(stream: Stream) -> np.uint64:
    """The next 64 random bits."""
    result = add_words(rotate_left(add_words(stream[0], stream[3]), 23), stream[0])
    shifted = stream[1] << np.uint64(17)
    stream[2] ^= stream[0]
    stream[3] ^= stream[1]
    stream[1] ^= stream[2]
    stream[0] ^= stream[3]
    stream[2] ^= shifted
    stream[3] = rotate_left(stream[3], 45)
    return result


@kernel
def random_below(stream: Stream, bound: int) -> int:
    """A whole number 0 … bound − 1 (bound < 2**32), each exactly equally likely: an uneven rest is redrawn."""
    wide = np.uint64(bound)
    product = (random_word(stream) >> np.uint64(32)) * wide
    if product & LOW_HALF < wide:  # else there is no need to divide
        uneven = ((np.uint64(1) << np.uint64(32)) - wide) % wide
        while product & LOW_HALF < uneven:
            product = (random_word(stream) >> np.uint64(32)) * wide
    return int(product >> np.uint64(32))


@kernel
def random_number(stream: Stream, bound: int) -> int:
    """A whole number 0 … bound − 1 (bound up to 2**62), each exactly equally likely: what is too large is redrawn."""
    surplus_bits = np.uint64(63 - highest_bit(bound))
    number = random_word(stream) >> surplus_bits
    while number >= np.uint64(bound):
        number = random_word(stream) >> surplus_bits
    return int(number)


@kernel
def random_float(stream: Stream) -> float:
    """A number in [0, 1), one of 2**53 evenly spaced."""
    return float(random_word(stream) >> np.uint64(11)) * _TO_UNIT


@kernel
def shuffle_deal(stream: Stream, hands: np.ndarray) -> None:
    """Deal 13 cards to each seat into hands (int64[4], a set of cards a seat), all deals equally likely."""
    deck = scratch_words(NUM_CARDS)
    for card in range(NUM_CARDS):
        deck[card] = card
    left = ALL_CARDS
    for seat in range(NUM_SEATS - 1):
        hand = 0
        for drawn in range(NUM_TRICKS * seat, NUM_TRICKS * (seat + 1)):
            pick = drawn + random_below(stream, NUM_CARDS - drawn)
            hand |= CARD_BIT[deck[pick]]
            deck[pick] = deck[drawn]
        hands[seat] = hand
        left ^= hand
    hands[NUM_SEATS - 1] = left


@kernel
def draw_deal_index(stream: Stream, negatives: np.ndarray, kinds: np.ndarray) -> int:
    """Which of the ten deals a game of one deal plays: a kind drawn from `kinds`, and its place in the rules' order."""
    kind = kinds[random_below(stream, len(kinds))]
    if kind >= NUM_NEGATIVES:
        return NUM_NEGATIVES + random_below(stream, NUM_POSITIVES)
    for deal in range(NUM_NEGATIVES):
        if negatives[deal] == kind:
            return deal
    return 0


@kernel
def begin_game(game: GameRecord, stream: Stream, kinds: np.ndarray) -> None:
    """Draw the first dealer and begin a whole game, or one deal of one of the `kinds` if there are any (Rules 1)."""
    dealer = random_below(stream, NUM_SEATS)
    if len(kinds) == 0:
        start_game(game, dealer, 0, NUM_DEALS - 1)
    else:
        deal = draw_deal_index(stream, game["negatives"], kinds)
        start_game(game, dealer, deal, deal)


@entry_point
def begin_games(games: GameRecords, streams: Streams, kinds: np.ndarray) -> None:
    """`begin_game` for each game with its own stream; kinds: int64, contracts 0 … 5 and 6 for any positive deal."""
    for i in range(len(games)):
        begin_game(games[i], streams[i], kinds)


@entry_point
def shuffle_deals(streams: Streams, hands: np.ndarray) -> None:
    """Draw one deal from each stream; hands: int64[N, 4], written."""
    for i in range(len(streams)):
        shuffle_deal(streams[i], hands[i])
