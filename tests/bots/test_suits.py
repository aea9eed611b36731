"""What a network is shown, sorted by suit: each entry is used once, and one rank means the same in every suit."""

from __future__ import annotations

import itertools
from collections.abc import Callable

import numpy as np
import pytest

from king_env.bots.pretrained.advice import SHOWN_SIZE
from king_env.bots.pretrained.suits import (
    BESIDES,
    HEARTS_FEATURE,
    NUM_FEATURES,
    NUM_PARTS,
    PART,
    PLACES,
    ROW,
    TRUMP_FEATURE,
    features_by_part,
    place_of,
)
from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.cards import CLUBS, DIAMONDS, HEARTS, NUM_CARDS, NUM_SUITS, SPADES
from king_env.engine.observation import OBSERVATION_SIZE, SECTIONS, TRICK_CARD_WIDTH
from king_env.notation import parse_action


def entry(section: str, *index: int) -> int:
    """The place of an entry in what is shown: `entry("voids", 1, HEARTS)`."""
    start = 0
    for each in SECTIONS:
        if each.name == section:
            return start + int(np.ravel_multi_index(index, each.shape))
        start += each.size
    raise KeyError(section)


def held(card: str) -> int:
    return entry("hand", parse_action(card))


def advised(action: str) -> int:
    return OBSERVATION_SIZE + parse_action(action)


def on_table(seat: int, card: str) -> list[int]:
    """The two entries of a card on the table: its suit, and its rank."""
    suit, rank = divmod(parse_action(card), 13)
    return [entry("trick", seat, suit), entry("trick", seat, NUM_SUITS + rank)]


def sorted_by_suit(*entries: int) -> list[set[int]]:
    """The features of each part, of a decision of which these entries are shown."""
    ones = np.array(sorted(entries), dtype=np.int32)
    features, starts = features_by_part(ones, np.array([0, len(ones)], dtype=np.int32))
    assert len(starts) == NUM_PARTS + 1 and starts[-1] == len(features)
    parts = [features[start:end].tolist() for start, end in itertools.pairwise(starts)]
    assert all(len(set(part)) == len(part) for part in parts)
    return [set(part) for part in parts]


USED = [*range(sum(section.size for section in SECTIONS)), *range(OBSERVATION_SIZE, OBSERVATION_SIZE + NUM_ACTIONS)]


def test_every_entry_is_used_exactly_once_and_every_feature_at_all() -> None:
    """Ranks on the table count as those of the suit that each of the seats has played, here four different ones."""
    places = [place_of(each, np.array([CLUBS, DIAMONDS, HEARTS, SPADES])) for each in USED]
    ranks_on_table = [entry("trick", seat, NUM_SUITS + rank) for seat in range(4) for rank in range(13)]
    assert len(USED) < SHOWN_SIZE and len(set(places)) == len(places)
    assert len(ranks_on_table) == 4 * (TRICK_CARD_WIDTH - NUM_SUITS)
    assert {feature for _, feature in places} | {TRUMP_FEATURE, HEARTS_FEATURE} == set(range(NUM_FEATURES))
    assert not {TRUMP_FEATURE, HEARTS_FEATURE} & {feature for _, feature in places}


def test_hearts_are_always_told_apart() -> None:
    assert sorted_by_suit() == [set(), set(), {HEARTS_FEATURE}, set(), set()]


@pytest.mark.parametrize(
    "of_suit",
    [
        lambda suit: [held(f"Q{suit}")],
        lambda suit: [entry("played", 3, parse_action(f"2{suit}"))],
        lambda suit: [entry("many_lower", parse_action(f"A{suit}"))],
        lambda suit: [entry("voids", 1, "CDHS".index(suit))],
        lambda suit: [advised(f"7{suit}")],
        lambda suit: on_table(2, f"J{suit}"),
        lambda suit: [held(f"3{suit}"), *on_table(1, f"4{suit}"), *on_table(3, f"K{suit}"), advised(f"3{suit}")],
    ],
    ids=["held", "played", "fact", "void", "advised", "on the table", "all together"],
)
def test_a_suit_means_what_any_other_means(of_suit: Callable[[str], list[int]]) -> None:
    parts = [sorted_by_suit(*of_suit(suit)) for suit in "CDHS"]
    for suit, of_parts in enumerate(parts):
        own = of_parts[suit] - {HEARTS_FEATURE}
        assert own and own == parts[0][CLUBS]
        assert not any(of_parts[other] - {HEARTS_FEATURE} for other in range(NUM_PARTS) if other != suit)


def test_trump_is_told_to_its_suit_and_besides() -> None:
    parts = sorted_by_suit(entry("trump", SPADES))
    assert parts[SPADES] == {TRUMP_FEATURE} and len(parts[BESIDES]) == 1
    assert not parts[CLUBS] and not parts[DIAMONDS] and parts[HEARTS] == {HEARTS_FEATURE}
    no_trump = sorted_by_suit(entry("trump", NUM_SUITS))
    assert not any(TRUMP_FEATURE in part for part in no_trump)


def test_what_belongs_to_no_suit_stays_besides() -> None:
    parts = sorted_by_suit(entry("contract", 3), entry("deal_number", 0), advised("pass"))
    assert len(parts[BESIDES]) == 3 and parts[CLUBS] == parts[SPADES] == set()


def test_cards_of_one_rank_share_a_row_of_the_head_and_look_at_their_suits() -> None:
    queens = [parse_action(f"Q{suit}") for suit in "CDHS"]
    assert PLACES[PART, queens].tolist() == [CLUBS, DIAMONDS, HEARTS, SPADES]
    assert len(set(PLACES[ROW, queens])) == 1
    calls = np.arange(NUM_CARDS, NUM_ACTIONS)
    assert (PLACES[PART, calls] == BESIDES).all()
    assert sorted(set(PLACES[ROW].tolist())) == list(range(13 + len(calls)))


def test_several_decisions_are_sorted_each_by_itself() -> None:
    first, second = sorted([held("QC"), *on_table(1, "5D")]), sorted([held("2S")])
    ones = np.array([*first, *second], dtype=np.int32)
    features, starts = features_by_part(ones, np.array([0, len(first), len(first), len(ones)], dtype=np.int32))
    parts = [set(features[start:end].tolist()) for start, end in itertools.pairwise(starts)]
    assert parts == [*sorted_by_suit(*first), *sorted_by_suit(), *sorted_by_suit(*second)]
