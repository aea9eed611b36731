"""The table as text: what it shows, and to whom."""

from __future__ import annotations

import io
import random
import re

import pytest

from king_env import king_v0
from king_env.game import Game
from king_env.notation import parse_deal
from king_env.render import calls_by_seat, card_symbol, render_table, shows_colour
from king_env.ruleset import RULESETS

MIXED = "0:AKQ2.432.5432.32 JT9.AKQ.876.AKQJ 876.JT98.AKQ.T98 543.765.JT9.7654"

# The Portuguese auction of Rules 6, trace 1, and five cards.
SOLD = ["auction", "bid 2", "nulls 1", "bid 4", "bid 4", "pass", "pass", "accept", "up H", "AS", "JS", "8S", "5S", "3D"]

SOLD_TABLE = """\
Deal 7 · up, ♥ trump · sold to seat 1 at bid 4 · seat 1 is to play

                            Seat 2
                            ♠ 76
                            ♥ JT98
                            ♦ AKQ
                            ♣ T98

▸ Seat 1                                              Seat 3
  ♠ T9                                                ♠ 43
  ♥ AKQ                                               ♥ 765
  ♦ 876                         3♦                    ♦ JT9
  ♣ AKQJ                                              ♣ 7654

                            Seat 0 (dealer)
                            ♠ KQ2
                            ♥ 432
                            ♦ 542
                            ♣ 32

Calls:  0: auction, 1: bid 2, 2: nulls 1, 3: bid 4, 1: bid 4, 2: pass,
        3: pass, 0: accept, 1: up H

Trick 1: A♠ J♠ 8♠ 5♠, led by seat 0, taken by seat 0

                Seat 0    Seat 1    Seat 2    Seat 3
Deals 1-6            0         0         0         0
Deals 7-10          25         0         0         0
Balance             25         0         0         0
This deal           25         0         0         0
Tricks               1         0         0         0"""


def sold_deal() -> Game:
    game = Game(deals=[MIXED], first_deal=6, num_deals=1)
    for action in SOLD:
        game.play(action)
    return game


class Stream(io.StringIO):
    """Somewhere to print to, a terminal or not."""

    def __init__(self, is_terminal: bool) -> None:
        super().__init__()
        self.is_terminal = is_terminal

    def isatty(self) -> bool:
        return self.is_terminal


def random_position(ruleset: str, seed: int, num_actions: int) -> Game:
    game, rng = Game(ruleset, seed=seed), random.Random(seed)
    for _ in range(num_actions):
        if not game.is_over:
            game.play(rng.choice(game.legal_ids()))
    return game


def with_other_cards_dealt_anew(game: Game, viewer: int, rng: random.Random) -> Game:
    """The same game to this viewer, but for who holds the cards that it has not seen."""
    other = game.clone()
    hands = [int(hand) for hand in game.record["hands"][0]]
    sizes = [0 if seat == viewer else hand.bit_count() for seat, hand in enumerate(hands)]
    unseen = [card for card in range(52) for seat in range(4) if seat != viewer and hands[seat] >> card & 1]
    rng.shuffle(unseen)
    for seat, size in enumerate(sizes):
        if seat != viewer:
            mine, unseen = unseen[:size], unseen[size:]
            other.record["hands"][0, seat] = sum(1 << card for card in mine)
    return other


def test_the_whole_table() -> None:
    assert render_table(sold_deal().record[0]) == SOLD_TABLE


def test_a_game_prints_as_its_rule_set_and_the_table() -> None:
    assert str(sold_deal()) == "King, portuguese\n" + SOLD_TABLE
    assert str(Game({"max_nulls": 4}, seed=1)).startswith("King, rules of the house\nDeal 1 of 10 · no tricks · seat ")


def test_the_viewer_sits_below_and_sees_one_hand() -> None:
    table = render_table(sold_deal().record[0], viewer=2)
    assert "Seat 2 (you)" in table.splitlines()[14]
    assert table.count("♥ JT98") == 1
    assert "♥ 432" not in table and "♣ AKQJ" not in table
    assert (table.count("12 cards"), table.count("11 cards")) == (2, 1)


@pytest.mark.parametrize("ruleset", list(RULESETS))
@pytest.mark.parametrize("num_actions", [0, 30, 290, 330, 420])
def test_no_hidden_card_shows(ruleset: str, num_actions: int) -> None:
    game, rng = random_position(ruleset, 21, num_actions), random.Random(1)
    for viewer in range(4):
        table = render_table(game.record[0], viewer=viewer)
        assert table == render_table(game.view(viewer)[0], viewer=viewer)
        assert table == render_table(with_other_cards_dealt_anew(game, viewer, rng).record[0], viewer=viewer)


def test_a_deal_is_one_of_ten_where_the_game_goes_on_to_the_tenth() -> None:
    deals = {(6, 4): "Deal 7 of 10", (9, 1): "Deal 10 of 10", (6, 1): "Deal 7", (2, 1): "Deal 3", (0, 2): "Deal 1"}
    for (first, number), title in deals.items():
        game = Game(seed=1, first_deal=first, num_deals=number)
        assert render_table(game.record[0]).split(" · ")[0] == title


def test_cards_have_the_symbols_of_their_suits() -> None:
    assert [card_symbol(card) for card in (0, 21, 36, 51)] == ["2♣", "T♦", "Q♥", "A♠"]


def test_each_call_has_its_caller() -> None:
    callers = [seat for seat, _ in calls_by_seat(sold_deal().record[0])]
    assert callers == [0, 1, 2, 3, 1, 2, 3, 0, 1]


def test_rendering_changes_nothing() -> None:
    game = sold_deal()
    before = game.record.copy()
    render_table(game.record[0], viewer=1)
    assert (game.record == before).all()


@pytest.mark.parametrize(
    ("actions", "headline"),
    [
        ([], "Deal 7 · positive · seat 0 is to open"),
        (["eight or nulls"], "positive · seat 1 is to answer the ultimatum"),
        (["auction"], "positive · seat 1 is to bid"),
        (["auction", "pass", "pass", "pass"], "positive · seat 0 is to decide"),
        (["auction", "pass", "pass", "pass", "refuse"], "positive · seat 0 is to declare"),
        (["auction", "pass", "pass", "pass", "skip"], "skipped · the game is over"),
        (["auction", "nulls 2", "pass", "pass", "accept"], "down · sold to seat 1 at nulls 2 · seat 0 is to play"),
        (["up NT"], "up, no trump · seat 0 is to play"),
    ],
)
def test_the_headline_says_what_is_played_and_who_is_to_do_what(actions: list[str], headline: str) -> None:
    game = Game(deals=[parse_deal(MIXED)], first_deal=6, num_deals=1)
    for action in actions:
        game.play(action)
    assert render_table(game.record[0]).splitlines()[0].endswith(headline)


# Colour


def test_colour_changes_no_letter() -> None:
    coloured = render_table(sold_deal().record[0], in_colour=True)
    assert re.sub(r"\033\[\d*m", "", coloured) == SOLD_TABLE


def test_cards_have_the_colour_of_their_suit() -> None:
    table = render_table(sold_deal().record[0], in_colour=True)
    for cards in ("\033[31m♥ JT98\033[0m", "\033[33m♦ AKQ\033[0m", "\033[32m♣ T98\033[0m", "\033[1m♠ 76\033[0m"):
        assert cards in table
    assert "Trick 1: \033[1mA♠\033[0m \033[1mJ♠\033[0m" in table
    assert "up, \033[31m♥\033[0m trump" in table
    assert "\033[1m▸ Seat 1\033[0m" in table


@pytest.mark.parametrize(
    ("is_terminal", "environment", "in_colour"),
    [
        (True, {"TERM": "xterm"}, True),
        (False, {"TERM": "xterm"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": "1"}, False),
        (True, {"TERM": "xterm", "NO_COLOR": ""}, True),
        (True, {"TERM": "dumb"}, False),
    ],
)
def test_where_there_is_colour(
    is_terminal: bool, environment: dict[str, str], in_colour: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("NO_COLOR", raising=False)
    for name, value in environment.items():
        monkeypatch.setenv(name, value)
    assert shows_colour(Stream(is_terminal)) == in_colour


def test_an_env_shows_its_table_in_colour_where_there_is_colour(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.delenv("NO_COLOR", raising=False)
    env = king_v0.env(render_mode="human")
    for is_terminal in (True, False):
        screen = Stream(is_terminal)
        monkeypatch.setattr("sys.stdout", screen)
        env.reset(seed=1)
        assert ("\033[" in screen.getvalue()) == is_terminal
        assert "is to play" in screen.getvalue()
