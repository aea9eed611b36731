"""A game with a person in it: who sits where, what is kept, and what a page is told."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest

from king_env.game import Game, IllegalActionError
from king_env.notation import cards_text
from king_env.play.seated import SeatedGame
from king_env.play.showing import shown_to
from tests.golden.games import WHOLE_GAMES, golden_game

BOTS = ("left", "opposite", "right")
CARD = re.compile(r"\b[2-9TJQKA][CDHS]\b")


def golden_seated(path: Path, seat: int = 0, actions: int = 0) -> SeatedGame:
    """A golden game with a person in one seat, so many actions old."""
    whole = golden_game(path)
    players = ["you" if other == seat else f"bot {other}" for other in range(4)]
    seated = SeatedGame(Game(whole.ruleset, list(whole.deals), whole.first_dealer), seat, players)
    for action in whole.actions[:actions]:
        seated.play(action)
    return seated


def one_deal(number: int, *actions: str) -> SeatedGame:
    """Deal `number` alone, dealt by seat 0."""
    game = Game(dealer=0, first_deal=number - 1, num_deals=1, seed=1)
    seated = SeatedGame(game, 0, ["you", *BOTS])
    for action in actions:
        seated.play(action)
    return seated


@pytest.mark.parametrize("seat", range(4))
def test_opponents_sit_from_the_left_neighbour_on(seat: int) -> None:
    seated = SeatedGame.begin("portuguese", seat, BOTS, seed=1)
    assert [seated.players[(seat + place) % 4] for place in range(4)] == ["you", *BOTS]


def test_a_seed_gives_the_cards_that_it_gives_everywhere() -> None:
    seated = SeatedGame.begin("brazilian_trump", 2, BOTS, seed=7)
    game = Game("brazilian_trump", seed=7)
    assert seated.game.first_dealer == game.first_dealer and (seated.game.deals == game.deals).all()


def test_an_illegal_action_changes_nothing() -> None:
    seated = one_deal(7, "auction")
    before = seated.to_save()
    with pytest.raises(IllegalActionError, match=r"^accept: seat 1 is to bid or pass \(Rules 3.2\)$"):
        seated.play("accept")
    assert seated.to_save() == before and seated.last == (0, 73)


def test_a_deal_that_ended_just_now_can_be_looked_at() -> None:
    seated = golden_seated(WHOLE_GAMES[0], actions=52)
    shown = shown_to(seated)
    assert shown["ended"]["title"] == "Deal 1 of 10" and shown["ended"]["trick"]["is_complete"]
    assert shown["position"]["title"] == "Deal 2 of 10"
    assert list(shown["position"]["sheet"]["rows"]) == ["1", "2"] and list(shown["ended"]["sheet"]["rows"]) == ["1"]
    seated.play(seated.game.legal_ids()[0])
    assert "ended" not in shown_to(seated)


def test_the_end_shows_the_places_and_the_whole_sheet() -> None:
    whole = golden_game(WHOLE_GAMES[0])
    seated = golden_seated(WHOLE_GAMES[0], actions=len(whole.actions))
    shown = shown_to(seated)
    assert shown["is_over"] and "ended" not in shown
    assert len(shown["position"]["sheet"]["rows"]) == 10 and shown["position"]["title"] == "Deal 10 of 10"
    assert sorted(points for _, _, points in shown["position"]["result"]) == sorted(whole.scores)


@pytest.mark.parametrize("path", WHOLE_GAMES, ids=lambda path: path.stem)
def test_no_hidden_card_is_told(path: Path) -> None:
    whole = golden_game(path)
    seated = golden_seated(path, seat=1)
    for number, action in enumerate(whole.actions):
        if number % 3 == 0:  # so that every place in a trick comes up
            assert set(CARD.findall(json.dumps(shown_to(seated)))) <= known_cards(seated)
        seated.play(action)
    assert set(CARD.findall(json.dumps(shown_to(seated)))) <= known_cards(seated)


def known_cards(seated: SeatedGame) -> set[str]:
    """What the person holds or has seen in this deal, and in the last if it ended just now."""
    records: list[Any] = [seated.standing] + ([] if seated.deal_end is None else [seated.deal_end])
    cards = [cards_text(int(record["hands"][seated.seat])) for record in records]
    cards += [cards_text(int(played)) for record in records for played in record["played"]]
    return set(" ".join(cards).split())


@pytest.mark.parametrize(
    ("said", "calls"),
    [
        ((), "auction* eight or nulls* up C* up D* up H* up S* up NT* down*"),
        (("eight or nulls", "pass", "pass"), "-"),
        (("auction", "bid 2", "pass", "pass"), "accept* refuse* skip*"),
        (("auction", "bid 5", "pass", "pass"), "accept* refuse* skip"),
        (("auction", "pass", "pass", "pass", "refuse"), "up C* up D* up H* up S* up NT* down*"),
    ],
)
def test_calls_of_the_moment_are_offered_and_legal_ones_marked(said: tuple[str, ...], calls: str) -> None:
    offered = shown_to(one_deal(7, *said)).get("calls", [])
    texts = [call["call"] + ("*" if call["is_legal"] else "") for call in offered]
    assert sorted(texts) == sorted(re.findall(r"eight or nulls\*?|up \w+\*?|\w+\*?", calls))


def test_bids_come_with_their_points() -> None:
    bidding = shown_to(bidder())
    by_call = {call["call"]: call for call in bidding["calls"]}
    assert by_call["bid 4"] == {"call": "bid 4", "is_legal": True, "points": 100}
    assert by_call["nulls 1"] == {"call": "nulls 1", "is_legal": False, "points": 75}
    assert "bid 9" not in by_call and "nulls 3" not in by_call and by_call["pass"]["is_legal"]
    assert bidding["position"]["task"] == "you are to bid"


def bidder() -> SeatedGame:
    game = Game(dealer=0, first_deal=6, num_deals=1, seed=1)
    seated = SeatedGame(game, 2, ["a", "b", "you", "c"])
    for action in ("auction", "bid 3"):
        seated.play(action)
    return seated


# What is kept


@pytest.mark.parametrize("actions", [0, 1, 52, 100, 400])
def test_a_saved_game_goes_on_as_it_would_have(actions: int) -> None:
    seated = golden_seated(WHOLE_GAMES[0], seat=3, actions=actions)
    again = SeatedGame.from_save(json.loads(json.dumps(seated.to_save())))
    assert shown_to(again) == shown_to(seated)
    for game in (seated, again):
        game.play(game.game.legal_ids()[-1])
    assert again.to_save() == seated.to_save()


def test_only_deals_that_are_over_are_handed_out() -> None:
    whole = golden_game(WHOLE_GAMES[0])
    seated = golden_seated(WHOLE_GAMES[0], actions=51)
    assert seated.open_record() is None
    for action in whole.actions[51:130]:
        seated.play(action)
    record = seated.open_record()
    assert record is not None and len(record["deals"]) == 2 and len(record["actions"]) == 104
    replayed = Game.from_record(record)
    assert replayed.is_over and replayed.scores_by_deal == whole.scores_by_deal[:2]
    assert set(record["meta"]) == {"players"}  # no seed, from which the cards to come could be told


def test_a_finished_game_is_handed_out_whole() -> None:
    whole = golden_game(WHOLE_GAMES[0])
    record = golden_seated(WHOLE_GAMES[0], actions=len(whole.actions)).open_record()
    assert record is not None and Game.from_record(record).to_record({}) == whole.to_record({})
