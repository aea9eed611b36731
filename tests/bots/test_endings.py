"""Exact endings: against every line of play tried in plain Python, and as they hang together among themselves."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import pytest

from king_env.bots import make, solve_ending
from king_env.bots.endings import MOST_TRICKS, solve_endings
from king_env.engine import batch
from king_env.engine.contracts import CONTRACT_NAMES, FORCED_NAMES, NEGATIVE_NAMES, NUM_TRICKS, TOTAL_POINTS
from king_env.engine.seats import NUM_SEATS
from king_env.engine.state import PLAYING, GameRecords
from king_env.game import Game
from king_env.notation import action_text
from king_env.ruleset import BRAZILIAN_AUCTION, PORTUGUESE, RuleSet
from tests.bots.positions import all_rulesets
from tests.engine.table import PACK, position

Solution = tuple[int, list[int]]  # the best card, and what each seat makes in the deal

KINDS = [(contract, "NT") for contract in NEGATIVE_NAMES] + [("up", trump) for trump in ("C", "H", "NT")]
KINDS += [("down", "NT")]
PAYING = {"no_queens": "Q", "no_kings_jacks": "KJ"}  # the ranks worth having in a diagram


def tried_out(game: Game) -> Solution:
    """Every line of play is tried: each seat takes what is best for it, of equals the lowest number."""
    seat = game.turn
    assert seat is not None
    outcomes = {card: points_after(game.record, card) for card in legal_cards(game.record)}
    best = max(outcomes, key=lambda card: outcomes[card][seat])  # the first of equals
    return best, outcomes[best]


def points_after(record: GameRecords, card: int) -> list[int]:
    """What each seat makes in the deal if this card is played now, and then what each likes best."""
    after = record.copy()
    batch.step_games(after, np.array([card]))
    if after["phase"][0] != PLAYING:
        points: list[int] = after["deal_scores"][0].tolist()
        return points
    seat = int(after["turn"][0])
    return max((points_after(after, choice) for choice in legal_cards(after)), key=lambda points: points[seat])


def legal_cards(record: GameRecords) -> list[int]:
    cards, calls = np.zeros((2, 1), dtype=np.int64)
    batch.legal_words(record, cards, calls)
    legal = int(cards[0])
    return [card for card in range(legal.bit_length()) if legal >> card & 1]


def solved(game: Game, places: int = 1 << 10) -> Solution:
    cards, points = solve_endings(game.record, places)
    return int(cards[0]), points[0].tolist()


def house_rules(number: int) -> RuleSet:
    """All options that bear on the play of the cards, one after another."""
    return dataclasses.replace(
        PORTUGUESE, king_of_hearts_forced=FORCED_NAMES[number % 4], stop_when_decided=number // 4 % 2 == 1
    )


def diagram(contract: str, trump: str, size: int, number: int) -> Game:
    """Hands of `size` cards drawn at random, with some that pay among them, and perhaps a card or two on the table."""
    rng = np.random.default_rng([KINDS.index((contract, trump)), size, number])
    pack = [str(card) for card in rng.permutation(PACK)]
    if contract == "no_king_of_hearts":
        pack.sort(key=lambda card: card != "KH")
    pack.sort(key=lambda card: number % 2 == 1 and card[0] not in PAYING.get(contract, card[0]))
    drawn = [str(card) for card in rng.permutation(pack[: NUM_SEATS * size])]
    hands = {seat: " ".join(drawn[seat::NUM_SEATS]) for seat in range(NUM_SEATS)}
    game = position(hands, contract, trump=trump, leader=number % NUM_SEATS, rules=house_rules(number))
    for _ in range(number % 3 if size > 1 else 0):
        game.play(int(rng.choice(game.legal_ids())))
    return game


def played_down(rulesets: list[RuleSet], tricks: int, seed: int) -> Iterator[Game]:
    """Single deals of these rules, any of the ten, that have been played to the last tricks."""
    rng = np.random.default_rng([seed, tricks])
    bots = [make("random"), make("heuristic")]
    while True:
        ruleset = rulesets[rng.integers(len(rulesets))]
        game = Game(ruleset, first_deal=int(rng.integers(10)), num_deals=1, seed=int(rng.integers(1 << 30)))
        while not game.is_over and game.record["num_plays"][0] < NUM_SEATS * (NUM_TRICKS - tricks):
            assert game.turn is not None
            game.play(bots[rng.integers(2)].act(game.view(game.turn), rng))
        if not game.is_over:
            yield game


def some_endings(number: int, tricks: int, rulesets: list[RuleSet], seed: int) -> list[Game]:
    return [game for _, game in zip(range(number), played_down(rulesets, tricks, seed), strict=False)]


def records(games: list[Game]) -> GameRecords:
    return np.concatenate([game.record for game in games])


# Against every line of play


@pytest.mark.parametrize(("contract", "trump"), KINDS)
@pytest.mark.parametrize(("size", "how_many"), [(1, 16), (2, 32), (3, 16), (4, 2)])
def test_random_hands_come_out_as_when_everything_is_tried(contract: str, trump: str, size: int, how_many: int) -> None:
    for number in range(how_many):
        game = diagram(contract, trump, size, number)
        if not game.is_over:
            assert solved(game) == tried_out(game), str(game)


@pytest.mark.parametrize("tricks", [1, 2, 3])
def test_deals_that_were_played_come_out_as_when_everything_is_tried(tricks: int) -> None:
    for game in some_endings(40, tricks, all_rulesets(np.random.default_rng(2), 12), seed=1):
        assert solved(game) == tried_out(game), str(game)


@pytest.mark.parametrize("settlement", ["capped", "full"])
def test_a_sale_is_settled_in_what_a_seat_makes(settlement: str) -> None:
    """What a buyer can still pay may decide what its last tricks are worth, so positions differ by what it has made."""
    rulesets = [dataclasses.replace(rules, settlement=settlement) for rules in (PORTUGUESE, BRAZILIAN_AUCTION)]
    sold = (game for game in played_down(rulesets, 3, seed=2) if game.record["is_sold"][0])
    for _, game in zip(range(20), sold, strict=False):
        assert solved(game) == tried_out(game), str(game)


def test_a_seat_with_equal_choices_plays_the_lowest() -> None:
    """Seat 0 takes neither trick whatever it plays; what it discards first decides nothing for itself."""
    game = position({0: "3C 2D", 1: "AS KS", 2: "4S 5S", 3: "6S 7S"}, "up", trump="NT", leader=1)
    game.play("KS")
    game.play("4S")
    game.play("6S")
    card, points = solve_ending(game)
    assert action_text(card) == "3C" and points.tolist() == [0, 50, 0, 0]


def test_a_king_of_hearts_that_is_not_forced_waits_for_the_trick_of_another() -> None:
    hands = {0: "2H 4H", 1: "3H KH", 2: "QH 5D", 3: "6C 7C"}
    for forced, expected in [("always", [0, -160, 0, 0]), ("never", [0, 0, -160, 0])]:
        rules = dataclasses.replace(PORTUGUESE, king_of_hearts_forced=forced)
        assert solve_ending(position(hands, "no_king_of_hearts", rules=rules))[1].tolist() == expected


# Among themselves


@pytest.mark.parametrize("tricks", [4, 5, 6])
def test_the_best_card_is_the_best_of_what_follows_each(tricks: int) -> None:
    """Each ending after a card is solved by itself, with a table of its own."""
    for game in some_endings(25, tricks, all_rulesets(np.random.default_rng(3), 12), seed=3):
        seat = int(game.record["turn"][0])
        after = [game.clone() for _ in game.legal_ids()]
        for card, each in zip(game.legal_ids(), after, strict=True):
            each.play(card)
        outcomes = [each.hand_scores if each.is_over else solved(each)[1] for each in after]
        best = max(range(len(after)), key=lambda choice: outcomes[choice][seat])  # the first of equals
        assert solved(game) == (game.legal_ids()[best], outcomes[best])


def test_the_solution_does_not_depend_on_the_table() -> None:
    endings = records(some_endings(60, 5, all_rulesets(np.random.default_rng(4), 6), seed=4))
    cards, points = solve_endings(endings)
    for places in (1, 2, 64, 1 << 12):
        others = solve_endings(endings, places)
        assert (others[0] == cards).all() and (others[1] == points).all()
    one_by_one = [solve_ending(endings[i : i + 1]) for i in range(len(endings))]
    assert [card for card, _ in one_by_one] == cards.tolist()


def test_all_points_of_the_deal_are_given_out() -> None:
    endings = records(some_endings(100, 5, [PORTUGUESE, BRAZILIAN_AUCTION], seed=5))
    _, points = solve_endings(endings)
    assert (points.sum(axis=1) == TOTAL_POINTS[endings["contract"]]).all()
    assert len(set(endings["contract"].tolist())) == len(CONTRACT_NAMES) - 1


def test_the_games_stay_as_they_are() -> None:
    endings = records(some_endings(10, 4, [PORTUGUESE], seed=6))
    before = endings.tobytes()
    solve_endings(endings)
    assert endings.tobytes() == before


def test_the_longest_ending_is_solved() -> None:
    game = next(game for game in played_down([PORTUGUESE], MOST_TRICKS, seed=7) if game.contract == "no_hearts")
    assert solve_ending(game)[1].sum() == TOTAL_POINTS[CONTRACT_NAMES.index("no_hearts")]


# What is refused


def test_a_game_with_hidden_hands_is_refused() -> None:
    game = next(played_down([PORTUGUESE], 4, seed=8))
    assert game.turn is not None
    with pytest.raises(ValueError, match="^games: all four hands must be known"):
        solve_ending(game.view(game.turn))


def test_only_the_end_of_a_deal_that_is_played_can_be_solved() -> None:
    game = Game(seed=1, num_deals=1)
    with pytest.raises(ValueError, match="^games: 13 tricks are to come, and at most 7 can be solved"):
        solve_ending(game)
    with pytest.raises(ValueError, match="^games: no card is to be played, the phase is opening"):
        solve_ending(Game(seed=1, first_deal=6, num_deals=1))
    while not game.is_over:
        game.play(game.legal_ids()[0])
    with pytest.raises(ValueError, match="^games: no card is to be played, the phase is over"):
        solve_ending(game)


def test_arguments_of_the_wrong_kind_are_refused() -> None:
    endings = records(some_endings(2, 2, [PORTUGUESE], seed=9))
    with pytest.raises(ValueError, match="^game: must be a Game or one game record"):
        solve_ending(endings[0])
    with pytest.raises(ValueError, match="^game: must be a Game or one game record"):
        solve_ending(endings)
    with pytest.raises(ValueError, match="^games: must be an array GAME_DTYPE"):
        solve_endings(np.zeros(1))
    with pytest.raises(ValueError, match="^places: must be a power of two, not 3"):
        solve_endings(endings, 3)
    with pytest.raises(ValueError, match="^places: must be a whole number of at least 1, not 0"):
        solve_endings(endings, 0)
