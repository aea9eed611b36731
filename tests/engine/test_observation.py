"""What a seat is shown is exactly what it may know: every section decoded back and worked out again the slow way."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

from king_env.chance import begin_games, new_streams, shuffle_deals
from king_env.engine import batch
from king_env.engine.actions import (
    ACCEPT,
    AUCTION,
    BID_POINTS,
    EIGHT_OR_NULLS,
    FIRST_BID,
    FIRST_NULLS,
    NO_CALL,
    NUM_ACTIONS,
    PASS,
    REFUSE,
)
from king_env.engine.contracts import UP
from king_env.engine.kernel import JIT_ENABLED
from king_env.engine.observation import OBSERVATION_SIZE, SCORE_LADDER, SECTIONS, unpack_observation
from king_env.engine.state import (
    ALWAYS,
    LEVEL_ACCEPTED,
    LEVEL_REFUSED,
    OPENING,
    OVER,
    TO_DEAL,
    GameRecord,
    GameRecords,
    new_records,
)
from king_env.ruleset import RULESETS, RuleSet

NUM_GAMES = 12 if JIT_ENABLED else 1
WHOLE_GAME = np.zeros(0, dtype=np.int64)
HOUSE = RuleSet(
    negatives=("no_last_two", "no_hearts", "no_queens", "no_king_of_hearts", "no_kings_jacks", "no_tricks"),
    first_lead="left_of_dealer",
    king_of_hearts_forced="when_void",
    stop_when_decided=True,
    max_bid=11,
    max_nulls=4,
    skip_limit=200,
    settlement="full",
)
ALL_RULESETS = {**RULESETS, "house": HOUSE}


def random_games(ruleset: RuleSet, seed: int) -> Iterator[GameRecords]:
    """The same records after every action of some random games played to their end."""
    games = new_records(NUM_GAMES)
    ruleset.write_to(games)
    streams = new_streams(seed, NUM_GAMES)
    begin_games(games, streams, WHOLE_GAME)
    rng = np.random.default_rng(seed)
    masks = np.zeros((NUM_GAMES, NUM_ACTIONS), dtype=np.int8)
    while len(games):
        to_deal = np.flatnonzero(games["phase"] == TO_DEAL)
        hands = np.zeros((len(to_deal), 4), dtype=np.int64)
        dealt, dealt_streams = games[to_deal], streams[to_deal]
        shuffle_deals(dealt_streams, hands)
        batch.start_deals(dealt, hands)
        games[to_deal], streams[to_deal] = dealt, dealt_streams
        yield games
        masks = np.zeros((len(games), NUM_ACTIONS), dtype=np.int8)
        batch.legal_masks(games, masks)
        actions = np.array([rng.choice(np.flatnonzero(mask)) for mask in masks])
        batch.step_games(games, actions)
        going_on = games["phase"] != OVER
        if not going_on.all():
            yield games
        games, streams = games[going_on].copy(), streams[going_on].copy()


def observe(game: GameRecord, viewer: int) -> np.ndarray:
    observations = np.full((1, OBSERVATION_SIZE), 9, dtype=np.int8)
    batch.observe(game.reshape(1), np.array([viewer]), observations)
    return observations[0]


def cards_in(mask: int) -> set[int]:
    return {card for card in range(52) if int(mask) >> card & 1}


def ones(entries: np.ndarray) -> set[int]:
    return set(np.flatnonzero(entries).tolist())


def number(bits: np.ndarray) -> int:
    return int(sum(int(bit) << place for place, bit in enumerate(bits)))


def relative(viewer: int, seat: int) -> int:
    return (int(seat) - viewer) % 4


def check_cards(game: GameRecord, viewer: int, seen: dict[str, np.ndarray]) -> None:
    hand = cards_in(game["hands"][viewer])
    played = [cards_in(game["played"][(viewer + place) % 4]) for place in range(4)]
    assert ones(seen["hand"]) == hand
    assert [ones(cards) for cards in seen["played"]] == played
    unseen = set(range(52)) - hand - set().union(*played)
    for card in range(52):
        same_suit = [other for other in unseen if other // 13 == card // 13]
        higher = sum(other > card for other in same_suit)
        lower = sum(other < card for other in same_suit)
        held = card in hand
        assert seen["master"][card] == (held and higher == 0)
        assert seen["many_higher"][card] == (held and higher >= 3)
        assert seen["lowest"][card] == (held and lower == 0)
        assert seen["many_lower"][card] == (held and lower >= 3)


def check_trick(game: GameRecord, viewer: int, seen: dict[str, np.ndarray]) -> None:
    on_table = int(game["num_plays"]) % 4
    cards = game["plays"][int(game["num_plays"]) - on_table : game["num_plays"]].astype(int).tolist()
    expected = {relative(viewer, int(game["leader"]) + i): card for i, card in enumerate(cards)}
    for place in range(4):
        card = expected.get(place)
        assert ones(seen["trick"][place]) == (set() if card is None else {card // 13, 4 + card % 13})
    trump = int(game["trump"]) if game["contract"] == UP else None

    def strength(card: int) -> tuple[bool, bool, int]:
        return card // 13 == trump, card // 13 == cards[0] // 13, card % 13

    for card in range(52):
        held = card in cards_in(game["hands"][viewer])
        assert seen["wins_now"][card] == (
            held
            and bool(cards)
            and (card // 13 == cards[0] // 13 or card // 13 == trump)
            and strength(card) > max(map(strength, cards))
        )


def check_deal(game: GameRecord, viewer: int, seen: dict[str, np.ndarray]) -> None:
    assert ones(seen["contract"]) == {int(game["contract"])}
    assert ones(seen["trump"]) == ({int(game["trump"])} if game["contract"] == UP else set())
    assert ones(seen["phase"]) == {int(game["phase"]) - OPENING}
    tricks = int(game["num_plays"]) // 4
    assert ones(seen["trick_number"]) == ({tricks} if tricks < 13 else set())
    assert ones(seen["turn"]) == (set() if game["phase"] == OVER else {relative(viewer, game["turn"])})
    assert ones(seen["leader"]) == {relative(viewer, game["leader"])}
    assert ones(seen["dealer"]) == {relative(viewer, game["dealer"])}
    assert ones(seen["deal_number"]) == {int(game["deal"])}
    assert seen["is_last_deal"][0] == (game["deal"] == game["last_deal"])
    later = game["negatives"][int(game["deal"]) + 1 : int(game["last_deal"]) + 1] if game["deal"] < 6 else []
    assert ones(seen["negatives_to_come"]) == {int(contract) for contract in later}


def expected_call(call: int) -> tuple[set[int], int]:
    """The kind of a call by its place in CALL_KINDS, and its number."""
    if call in (PASS, ACCEPT, REFUSE, AUCTION, EIGHT_OR_NULLS):
        return {{PASS: 0, ACCEPT: 3, REFUSE: 4, AUCTION: 5, EIGHT_OR_NULLS: 6}[call]}, 0
    if FIRST_BID <= call < FIRST_NULLS:
        return {1}, call - FIRST_BID + 1
    if FIRST_NULLS <= call < ACCEPT:
        return {2}, call - FIRST_NULLS + 1
    return set(), 0


def expected_bidders(game: GameRecord) -> set[int]:
    """Who may bid in an open auction, from the calls: not the owner, and where passing is final not who passed."""
    calls = game["calls"][: game["num_calls"]].tolist()
    if game["deal"] < 6 or not (game["auction"] == ALWAYS or AUCTION in calls):
        return set()
    others = set(range(4)) - {int(game["dealer"])}
    if game["auction"] == ALWAYS:
        return others
    return {seat for seat in others if game["last_calls"][seat] != PASS}


def check_auction(game: GameRecord, viewer: int, seen: dict[str, np.ndarray]) -> None:
    best = int(game["best_bid"])
    positive = game["deal"] >= 6
    assert ones(seen["declarer"]) == ({relative(viewer, game["declarer"])} if positive else set())
    assert seen["is_sold"][0] == game["is_sold"]
    assert seen["best_bid"].tolist() == [int(BID_POINTS[best] > 25 * n) for n in range(13)]
    assert seen["best_is_nulls"][0] == (FIRST_NULLS <= best < ACCEPT)
    assert ones(seen["holder"]) == ({relative(viewer, game["holder"])} if best != NO_CALL else set())
    assert ones(seen["bidders"]) == {relative(viewer, seat) for seat in expected_bidders(game)}
    answered = {LEVEL_ACCEPTED: {0}, LEVEL_REFUSED: {1}}.get(int(game["answer"]), set())
    assert ones(seen["answer"]) == answered
    if game["auction"] == ALWAYS:
        assert seen["round_matched"][0] == game["round_matched"]
    for place in range(4):
        kind, value = expected_call(int(game["last_calls"][(viewer + place) % 4]))
        assert (ones(seen["last_call"][place][:7]), number(seen["last_call"][place][7:])) == (kind, value)


def check_standing(game: GameRecord, viewer: int, seen: dict[str, np.ndarray]) -> None:
    for place in range(4):
        seat = (viewer + place) % 4
        score = int(game["scores"][seat])
        assert ones(seen["voids"][place]) == {suit for suit in range(4) if game["voids"][seat] >> suit & 1}
        assert seen["units"][place].tolist() == [int(game["units"][seat] > n) for n in range(13)]
        sign = -1 if seen["totals"][place][0] else 1
        assert sign * 5 * number(seen["totals"][place][1:]) == score
        assert seen["totals_ladder"][place].tolist() == [int(score >= rung) for rung in SCORE_LADDER]


def check_rules(rules: RuleSet, seen: dict[str, np.ndarray]) -> None:
    assert ones(seen["rule_auction"]) == {("none", "owner_opens", "always").index(rules.auction)}
    assert number(seen["rule_max_bid"]) == rules.max_bid
    assert number(seen["rule_max_nulls"]) == rules.max_nulls
    assert seen["rule_no_trump"][0] == rules.no_trump
    assert seen["rule_down"][0] == rules.down
    assert seen["rule_ultimatum"][0] == rules.ultimatum
    limit = 25 * number(seen["rule_skip"][1:]) if seen["rule_skip"][0] else None
    assert limit == rules.skip_limit
    assert seen["rule_settlement_full"][0] == (rules.settlement == "full")
    assert ones(seen["rule_first_lead"]) == {("dealer", "declarer", "left_of_dealer").index(rules.first_lead)}
    forced = ("always", "following", "when_void", "never").index(rules.king_of_hearts_forced)
    assert ones(seen["rule_king_of_hearts"]) == {forced}
    assert seen["rule_stop_when_decided"][0] == rules.stop_when_decided


@pytest.mark.parametrize("name", ALL_RULESETS)
def test_every_section_says_what_the_seat_may_know(name: str) -> None:
    rules = ALL_RULESETS[name]
    for ply, games in enumerate(random_games(rules, seed=3)):
        game = games[ply % len(games)]
        viewer = ply // 3 % 4
        seen = unpack_observation(observe(game, viewer))
        check_cards(game, viewer, seen)
        check_trick(game, viewer, seen)
        check_deal(game, viewer, seen)
        check_auction(game, viewer, seen)
        check_standing(game, viewer, seen)
        check_rules(rules, seen)


def test_every_entry_is_0_or_1_and_belongs_to_a_section() -> None:
    assert sum(section.size for section in SECTIONS) <= OBSERVATION_SIZE <= 1024
    assert len({section.name for section in SECTIONS}) == len(SECTIONS)
    for games in random_games(RULESETS["portuguese"], seed=4):
        observation = observe(games[0], 2)
        assert observation.min() >= 0 and observation.max() <= 1


def test_other_hands_are_not_looked_at() -> None:
    rng = np.random.default_rng(5)
    for ply, games in enumerate(random_games(RULESETS["portuguese"], seed=5)):
        game, viewer = games[:1].copy(), ply % 4
        others = [seat for seat in range(4) if seat != viewer]
        before = observe(game[0], viewer)
        hidden = rng.permutation([card for seat in others for card in cards_in(game["hands"][0, seat])])
        sizes = np.cumsum([int(game["hands"][0, seat]).bit_count() for seat in others])[:-1]
        for seat, cards in zip(others, np.split(hidden, sizes), strict=True):
            game["hands"][0, seat] = sum(1 << int(card) for card in cards)
        np.testing.assert_array_equal(before, observe(game[0], viewer))


def test_an_observation_of_another_size_is_refused() -> None:
    with pytest.raises(ValueError, match="must have 896 entries, not 5"):
        unpack_observation(np.zeros(5, dtype=np.int8))
