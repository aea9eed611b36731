"""Rules 1: seats, deals, the lead, following suit, who takes a trick, and what the scores add up to."""

from __future__ import annotations

import pytest

from king_env.game import Game, IllegalActionError
from king_env.notation import parse_deal
from king_env.ruleset import RULESETS
from tests.engine.table import (
    SOME_DEAL,
    calls,
    carousel,
    field,
    last_trick,
    legal,
    new_deal,
    position,
    positive,
    say,
    scores,
    take_tricks,
    taker,
)

POSITIVE_DEALS = "brazilian_trump"  # the quickest way through a positive deal: one word by the owner


def whole_game(dealer: int, ruleset: str = POSITIVE_DEALS) -> Game:
    return Game(ruleset, deals=[SOME_DEAL] * 10, dealer=dealer)


def play_a_deal(game: Game) -> tuple[str, int, int]:
    """Play one deal anyhow; what kind of deal it was, who dealt it, who led first."""
    deal = field(game, "deal")
    dealer = field(game, "dealer")
    kind = game.contract
    if kind == "positive":
        game.play("up S")
    leader = game.turn
    assert leader is not None
    while not game.is_over and field(game, "deal") == deal:
        game.play(game.legal()[0])
    return kind, dealer, leader


def test_there_are_four_seats_with_thirteen_cards_each() -> None:
    hands = field(new_deal("no_tricks"), "hands")
    assert len(hands) == 4
    assert [hand.bit_count() for hand in hands] == [13, 13, 13, 13]


def test_all_fifty_two_cards_are_dealt_once() -> None:
    first, second, third, fourth = field(new_deal("no_tricks"), "hands")
    assert first | second | third | fourth == 2**52 - 1


def test_each_seat_plays_for_itself() -> None:
    """Nobody shares a score: the tricks of the opposite seat are its own."""
    game = take_tricks(new_deal("no_tricks", deal=carousel()), 3, 4, 5, 1)
    assert scores(game) == [-60, -80, -100, -20]


@pytest.mark.parametrize(("low", "high"), list(zip("23456789TJQK", "3456789TJQKA", strict=True)))
def test_cards_rank_from_the_ace_down_to_the_two(low: str, high: str) -> None:
    assert taker(f"{low}S {high}S 2H 3D") == 1
    assert taker(f"{high}S {low}S 2H 3D") == 0


def test_a_game_is_ten_deals_six_negative_then_four_positive() -> None:
    game = whole_game(dealer=0)
    kinds = []
    while not game.is_over:
        kinds.append(play_a_deal(game)[0])
    assert len(kinds) == 10
    assert all(kind.startswith("no_") for kind in kinds[:6])
    assert kinds[6:] == ["positive"] * 4


def test_the_first_dealer_is_drawn_evenly() -> None:
    """A hundred of four hundred games are expected for each seat; forty more or fewer is past four deviations."""
    dealers = [Game(seed=seed, num_deals=1).dealer for seed in range(400)]
    assert all(60 < dealers.count(seat) < 140 for seat in range(4))


@pytest.mark.parametrize("first", range(4))
def test_the_deal_passes_to_the_left(first: int) -> None:
    game = whole_game(dealer=first)
    dealers = []
    while not game.is_over:
        dealers.append(play_a_deal(game)[1])
    assert dealers == [(first + n) % 4 for n in range(10)]


def test_deals_seven_to_ten_belong_to_the_seats_two_three_none_and_one_left_of_the_first_dealer() -> None:
    game = whole_game(dealer=1)
    owners = []
    while not game.is_over:
        kind, dealer, _ = play_a_deal(game)
        if kind == "positive":
            owners.append(dealer)
    assert owners == [3, 0, 1, 2]


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_dealer_leads_the_first_trick_of_every_deal(ruleset: str) -> None:
    for dealer in range(4):
        for contract in RULESETS[ruleset].negatives:
            assert new_deal(contract, ruleset, dealer=dealer).turn == dealer
    game = whole_game(dealer=3)
    while not game.is_over:
        _, dealer, leader = play_a_deal(game)
        assert leader == dealer


def test_the_dealer_leads_also_when_the_right_to_choose_was_sold() -> None:
    game = say(positive(owner=1), "1 auction, 2 bid 3, 3 pass, 0 pass, 1 accept, 2 up C")
    assert game.turn == 1
    game = say(positive("brazilian_auction"), "1 bid 2, 2 pass, 3 pass, 0 accept, 1 pass, 2 pass, 3 pass, 1 up H")
    assert game.turn == 0


def test_play_goes_to_the_left() -> None:
    game = new_deal("no_tricks", deal=carousel(2), dealer=2)
    turns = []
    for _ in range(4):
        turns.append(game.turn)
        game.play(game.legal()[-1])
    assert turns == [2, 3, 0, 1]


def test_whoever_takes_a_trick_leads_the_next() -> None:
    hands = {0: "2S 3S", 1: "9S 4S", 2: "KS 5S", 3: "JS 6S"}
    game = position(hands)
    for card in ("2S", "9S", "KS", "JS"):
        game.play(card)
    assert game.turn == 2


def test_any_card_may_be_led() -> None:
    hand = "AC 7C TD 2D QH 3H KS 5S"
    for contract in ("no_tricks", "no_queens", "no_kings_jacks", "no_last_two", "up", "down"):
        assert legal(hand, contract=contract) == hand


def test_trumps_may_be_led_from_the_first_trick_on() -> None:
    game = say(positive(), "0 up S")
    assert calls(game) == set("AS KS QS 2S JH 9H 3H TD 8D 5D 7C 6C 4C".split())


def test_others_must_follow_suit_if_able() -> None:
    assert legal("QH 3S", led="H") == "QH"
    assert legal("QH 3S 9S 2C", led="S") == "3S 9S"


def test_the_card_not_following_is_refused() -> None:
    game = position({0: "2S 3S", 1: "9S 4D", 2: "KS 5S", 3: "JS 6S"})
    game.play("2S")
    before = game.record.tobytes()
    with pytest.raises(IllegalActionError, match="4D"):
        game.play("4D")
    assert game.record.tobytes() == before


def test_a_void_seat_may_play_anything() -> None:
    assert legal("QH 3S 5D", led="C") == "QH 3S 5D"
    assert legal("QH 3S 5D", led="C", contract="no_hearts") == "QH 3S 5D"


def test_a_seat_that_can_follow_cannot_trump() -> None:
    assert legal("2C AS", led="C", contract="up", trump="S") == "2C"


def test_nobody_is_obliged_to_trump() -> None:
    assert legal("AS 5D", led="C", contract="up", trump="S") == "AS 5D"


def test_nobody_is_obliged_to_beat() -> None:
    """The lead of 2C is beaten by both, and a void seat need not overtrump."""
    assert legal("3C AC", led="C", contract="up", trump="S") == "3C AC"
    game = position({0: "AC 2H", 1: "9S 3H", 2: "2S KS", 3: "4C 4H"}, "up", trump="S")
    game.play("AC")
    game.play("9S")
    assert calls(game) == {"2S", "KS"}


def test_the_highest_card_of_the_suit_led_takes_the_trick() -> None:
    assert taker("5C JC 9C 2C") == 1
    assert taker("5C 6C 9C KC") == 3


def test_a_high_card_of_another_suit_takes_nothing() -> None:
    assert taker("5C AD AS AH") == 0


def test_any_trump_beats_the_suit_led() -> None:
    assert taker("AC KC 2S QC", trump="S") == 2


def test_the_highest_trump_takes_the_trick() -> None:
    assert taker("AC 9S 2S TS", trump="S") == 3
    assert taker("9S AC TS 2S", trump="S") == 2


@pytest.mark.parametrize("trump", "CDHS")
def test_every_suit_can_be_trump(trump: str) -> None:
    led = "S" if trump != "S" else "H"
    spare = next(suit for suit in "CDHS" if suit not in (led, trump))
    assert taker(f"A{led} K{led} 2{trump} A{spare}", trump=trump) == 2


def test_without_trump_no_suit_is_special() -> None:
    for other in "DHS":
        assert taker(f"3C 2C A{other} K{other}", trump="NT") == 0


def test_negative_deals_know_no_trump() -> None:
    for contract in RULESETS["portuguese"].negatives:
        for other in "DHS":
            assert taker(f"3C 2C A{other} K{other}", contract) == 0


def test_who_takes_a_trick_is_the_same_whoever_leads() -> None:
    for leader in range(4):
        assert taker("5C JC 9C 2C", leader=leader) == (leader + 1) % 4


def test_all_thirteen_tricks_are_played_even_when_nothing_is_left_to_win() -> None:
    """K♥ falls in the first trick of a carousel in `no_king_of_hearts`, and still 13 are played."""
    game = new_deal("no_king_of_hearts", deal=carousel())
    take_tricks(game, 1)
    assert sum(scores(game)) == -160
    take_tricks(game, 11)
    assert not game.is_over
    take_tricks(game, 1)
    assert game.is_over


def test_the_last_trick_ends_the_deal() -> None:
    assert last_trick("5C JC 9C 2C").is_over


@pytest.mark.parametrize("ruleset", RULESETS)
def test_the_scores_of_a_game_sum_to_zero(ruleset: str) -> None:
    game = whole_game(0, ruleset)
    while not game.is_over:
        game.play(game.legal()[-1])
    assert sum(game.scores) == 0


@pytest.mark.parametrize(
    ("contract", "total"),
    [
        ("no_tricks", -260),
        ("no_hearts", -260),
        ("no_queens", -200),
        ("no_kings_jacks", -240),
        ("no_king_of_hearts", -160),
        ("no_last_two", -180),
        ("up S", 325),
        ("up NT", 325),
        ("down", 325),
    ],
)
def test_the_scores_of_a_deal_sum_to_its_total(contract: str, total: int) -> None:
    if contract.startswith("no_"):
        game = new_deal(contract)
    else:
        game = say(positive(), f"0 {contract}")
    while not game.is_over:
        game.play(game.legal()[0])
    assert sum(scores(game)) == total


def test_the_given_cards_are_the_cards_dealt() -> None:
    assert field(new_deal("no_tricks", deal=SOME_DEAL), "hands") == parse_deal(SOME_DEAL).tolist()
