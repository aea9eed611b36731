"""Deals as PBN. The parser of a bridge library (endplay 0.5) found the cards of every golden deal in our order."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from king_env.game import Game
from king_env.pbn import HEADER, pbn_of_deal
from tests.golden.games import PLAYERS, golden_game

GOLDEN = Path(__file__).parent / "golden"
# The tags that the standard asks for, in its order.
REQUIRED = "Event Site Date Board West North East South Dealer Vulnerable Deal Scoring Declarer Contract Result".split()


def tags(pbn: str) -> dict[str, str]:
    return dict(re.findall(r'^\[(\w+) "(.*)"\]$', pbn, flags=re.MULTILINE))


def one_deal(name: str) -> dict[str, str]:
    game = golden_game(GOLDEN / f"{name}.txt")
    return tags(pbn_of_deal(game, game.first_deal + 1))


def test_the_golden_deal() -> None:
    game = golden_game(GOLDEN / "portuguese_sold_at_four_up.txt")
    game.meta["players"] = PLAYERS
    assert f"{HEADER}\n{pbn_of_deal(game, 7)}" == (GOLDEN / "portuguese_sold_at_four_up.pbn").read_text("utf-8")


@pytest.mark.parametrize("name", ["negative_no_queens", "portuguese_down", "portuguese_skip_at_three_up"])
def test_all_required_tags_are_there_in_order(name: str) -> None:
    assert list(one_deal(name))[: len(REQUIRED)] == REQUIRED


def test_a_negative_deal_is_played_without_trump() -> None:
    deal = one_deal("negative_no_queens")
    assert (deal["Contract"], deal["KingContract"], deal["Declarer"]) == ("1NT", "no_queens", deal["Dealer"])
    assert "commentary" not in deal


def test_a_deal_played_down() -> None:
    deal = one_deal("portuguese_down")
    assert (deal["Contract"], deal["KingContract"]) == ("1NT", "down")


def test_a_deal_that_was_skipped_is_passed_out() -> None:
    deal = one_deal("portuguese_skip_at_three_up")
    assert (deal["Contract"], deal["Declarer"], deal["Result"], deal["KingContract"]) == ("Pass", "", "", "skipped")
    assert "Play" not in deal


def test_a_deal_in_progress() -> None:
    game = Game(seed=1, first_deal=6, dealer=0)
    assert (tags(pbn_of_deal(game, 7))["Contract"], tags(pbn_of_deal(game, 7))["Declarer"]) == ("?", "?")
    game.play("up S")
    for _ in range(6):
        game.play(game.legal()[0])
    pbn = pbn_of_deal(game, 7)
    assert (tags(pbn)["Contract"], tags(pbn)["Result"]) == ("1S", "?")
    assert pbn.splitlines()[-2].split().count("-") == 2
    assert pbn.splitlines()[-1] == "*"
    with pytest.raises(ValueError, match="deal 8: this game has deals 7 to 7"):
        pbn_of_deal(game, 8)


def test_the_first_column_of_the_play_is_who_led_first() -> None:
    game = golden_game(GOLDEN / "game_brazilian_trump.txt")
    pbn = pbn_of_deal(game, 4)
    first_trick = pbn.partition(f'[Play "{tags(pbn)["Dealer"]}"]\n')[2].split()[:4]
    assert [card[::-1] for card in first_trick] == game.to_record()["actions"][3 * 52 : 3 * 52 + 4]


def test_no_name_of_a_player_ends_its_tag() -> None:
    game = Game(seed=1)
    game.meta["players"] = ['x"]\n[Contract "7NT', "b\\", "c", 4]
    pbn = pbn_of_deal(game, 1)
    assert '[North "x\\"] [Contract \\"7NT"]\n' in pbn
    assert '[East "b\\\\"]\n' in pbn and '[West "4"]\n' in pbn
    game.meta["players"] = "nobody"
    assert '[North "?"]' in pbn_of_deal(game, 1)
