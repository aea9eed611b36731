"""What a network is shown, sorted by suit: what is known of each suit has the same features, whichever suit it is."""

from __future__ import annotations

import numpy as np

from king_env.bots.pretrained.advice import SHOWN_SIZE
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.cards import HEARTS, NUM_CARDS, NUM_RANKS, NUM_SUITS
from king_env.engine.kernel import entry_point, kernel
from king_env.engine.observation import AT_TRICK, AT_TRUMP, OBSERVATION_SIZE, SECTIONS, TRICK_CARD_WIDTH
from king_env.engine.seats import NUM_SEATS

# What belongs to no suit is a fifth part.
NUM_PARTS = NUM_SUITS + 1
BESIDES = NUM_SUITS
NO_SUIT = -1

# Sections with an entry for each card, and for each seat and suit.
BY_CARD = ("hand", "played", "master", "many_higher", "lowest", "many_lower", "wins_now")
BY_SUIT = ("voids",)
TRICK, TRUMP = "trick", "trump"
TRICK_START, TRICK_END = AT_TRICK, AT_TRICK + NUM_SEATS * TRICK_CARD_WIDTH
TRUMP_START, TRUMP_END = AT_TRUMP, AT_TRUMP + NUM_SUITS


class Sorting:
    """Which part each entry of what is shown belongs to, and which feature of it it is.

    An entry that says the rank of a card on the table has no part of its own: it belongs to the suit of that card.
    """

    def __init__(self) -> None:
        self.parts = np.full(SHOWN_SIZE, BESIDES, dtype=np.int64)
        self.features = np.zeros(SHOWN_SIZE, dtype=np.int64)
        self.num_features = 0
        self._sort_observation_and_advice()

    def _sort_observation_and_advice(self) -> None:
        besides: list[slice] = []
        start = 0
        for section in SECTIONS:
            entries = slice(start, start + section.size)
            start = entries.stop
            if section.name in BY_CARD:
                self._add_by_suit(entries, NUM_RANKS)
            elif section.name in BY_SUIT:
                self._add_by_suit(entries, 1)
            elif section.name != TRICK:
                besides.append(entries)
        first_call = OBSERVATION_SIZE + NUM_CARDS
        self._add_by_suit(slice(OBSERVATION_SIZE, first_call), NUM_RANKS)
        besides.append(slice(first_call, OBSERVATION_SIZE + NUM_ACTIONS))
        self._add_trick()
        self.trump_feature, self.hearts_feature = self._take(1), self._take(1)
        for entries in besides:
            size = entries.stop - entries.start
            self.features[entries] = self._take(size) + np.arange(size)

    def _take(self, count: int) -> int:
        """The first of so many new features."""
        self.num_features += count
        return self.num_features - count

    def _add_by_suit(self, entries: slice, size: int) -> None:
        """Entries of which always so many belong to one suit, and then as many to the next."""
        num_entries = entries.stop - entries.start
        run, place = np.divmod(np.arange(num_entries), NUM_SUITS * size)
        self.parts[entries] = place // size
        self.features[entries] = self._take(num_entries // NUM_SUITS) + run * size + place % size

    def _add_trick(self) -> None:
        """Of the card each seat has on the table: a feature that there is one, and one for each rank."""
        seat, place = np.divmod(np.arange(TRICK_END - TRICK_START), TRICK_CARD_WIDTH)
        says_suit, size = place < NUM_SUITS, 1 + NUM_RANKS
        self.parts[TRICK_START:TRICK_END] = np.where(says_suit, place, BESIDES)
        self.features[TRICK_START:TRICK_END] = (
            self._take(NUM_SEATS * size) + seat * size + np.where(says_suit, 0, 1 + place - NUM_SUITS)
        )


SORTING = Sorting()
PARTS, FEATURES, NUM_FEATURES = SORTING.parts, SORTING.features, SORTING.num_features
# What sets a suit apart: two features that no entry of its own has.
TRUMP_FEATURE, HEARTS_FEATURE = SORTING.trump_feature, SORTING.hearts_feature


@kernel
def place_of(entry: int, suits: np.ndarray) -> tuple[int, int]:
    """The part and the feature of an entry, which come in order.

    suits: int64[NUM_SEATS], that of each seat's card on the table, written as it comes.
    """
    part = int(PARTS[entry])
    if TRICK_START <= entry < TRICK_END:
        seat = (entry - TRICK_START) // TRICK_CARD_WIDTH
        if part != BESIDES:
            suits[seat] = part
        part = int(suits[seat])
    return part, int(FEATURES[entry])


@kernel
def trump_of(entry: int) -> int:
    """The suit that an entry says is trump, or NO_SUIT."""
    return entry - TRUMP_START if TRUMP_START <= entry < TRUMP_END else NO_SUIT


@entry_point
def features_by_part(entries: np.ndarray, offsets: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The features of each part of each decision (int32), part after part, and where each begins (int32[5B + 1]).

    entries: int32, those of what is shown that are 1, decision after decision; offsets: int32[B + 1], where each one's
    begin, with the end of all.
    """
    num_rows = len(offsets) - 1
    sizes = np.zeros(NUM_PARTS * num_rows + 1, dtype=np.int32)
    suits = np.zeros(NUM_SEATS, dtype=np.int64)
    for row in range(num_rows):
        first = NUM_PARTS * row + 1
        sizes[first + HEARTS] += 1
        for number in range(offsets[row], offsets[row + 1]):
            entry = entries[number]
            part, _ = place_of(entry, suits)
            sizes[first + part] += 1
            trump = trump_of(entry)
            if trump != NO_SUIT:
                sizes[first + trump] += 1
    starts = np.cumsum(sizes).astype(np.int32)
    features = np.empty(starts[-1], dtype=np.int32)
    ends = starts[:-1].copy()
    for row in range(num_rows):
        first = NUM_PARTS * row
        features[ends[first + HEARTS]] = HEARTS_FEATURE
        ends[first + HEARTS] += 1
        for number in range(offsets[row], offsets[row + 1]):
            entry = entries[number]
            part, feature = place_of(entry, suits)
            features[ends[first + part]] = feature
            ends[first + part] += 1
            trump = trump_of(entry)
            if trump != NO_SUIT:
                features[ends[first + trump]] = TRUMP_FEATURE
                ends[first + trump] += 1
    return features, starts


def places_of_actions() -> np.ndarray:
    """``[PART or ROW, action]``: of each action the part that its logit depends on, and by which row of the head.

    Cards of one rank share a row, and look at the part of their suit; calls look at all suits together.
    """
    cards, calls = np.arange(NUM_CARDS), np.arange(NUM_ACTIONS - NUM_CARDS)
    parts = np.concatenate([cards // NUM_RANKS, np.full(len(calls), BESIDES)])
    rows = np.concatenate([cards % NUM_RANKS, NUM_RANKS + calls])
    return np.stack([parts, rows])


PART, ROW = range(2)
PLACES = places_of_actions()
