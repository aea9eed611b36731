"""The bots at a table: which may sit there, what they do if one fails, and what they advise."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from king_env.bots import BotError, make
from king_env.bots.thoughts import Thought
from king_env.notation import action_text, parse_action
from king_env.play.company import AdviceError, Company, bot_texts, opponents_of
from king_env.play.seated import SeatedGame


class Stub:
    """A bot that answers what it is told to, and looks at what it is handed."""

    version = 1

    def __init__(self, answer: Any, name: str = "stub") -> None:
        self.name = name
        self.answer = answer
        self.views: list[Any] = []

    def act(self, view: Any, rng: np.random.Generator) -> Any:
        self.views.append(view)
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def act_batch(self, views: Any, rng: np.random.Generator) -> Any:
        return np.array([self.act(views, rng)])


class Thinker(Stub):
    def explain(self, views: Any) -> list[Thought]:
        actions = [parse_action(text) for text in ("2S", "3S")]
        return [Thought(gains=dict(zip(actions, (0.0, 2.0), strict=True)))]


def seated(bot: str, seat: int = 0) -> SeatedGame:
    return SeatedGame.begin("portuguese", seat, [bot] * 3, seed=3)


def at_a_bot(bot: str) -> SeatedGame:
    """A game that a bot leads."""
    first = seated(bot).game.turn
    assert first is not None
    return seated(bot, (first + 1) % 4)


def at_the_person(bot: str) -> SeatedGame:
    first = seated(bot).game.turn
    assert first is not None
    return seated(bot, first)


@pytest.mark.parametrize(
    ("text", "texts"),
    [
        ("heuristic", ["heuristic"]),
        ("heuristic,search,random", ["heuristic", "search", "random"]),
        ("search:worlds=20,threads=1,heuristic", ["search:worlds=20,threads=1", "heuristic"]),
        ("heuristic:bidding=random,cards=uniform, a.b:c", ["heuristic:bidding=random,cards=uniform", "a.b:c"]),
    ],
)
def test_options_belong_to_the_bot_before_them(text: str, texts: list[str]) -> None:
    assert bot_texts(text) == texts


def test_one_bot_sits_three_times() -> None:
    bot = make("heuristic")
    assert opponents_of([bot]) == [bot] * 3
    with pytest.raises(BotError, match="^2 bots: name one, or 3 from the left neighbour on$"):
        opponents_of([bot, bot])


def test_nobody_who_sees_all_hands_may_sit_here() -> None:
    with pytest.raises(BotError, match="'cheating-search' sees all hands, which nobody at this table may"):
        Company([make("cheating-search")])
    with pytest.raises(BotError, match="sees all hands"):
        Company().bot("cheating-search")


def test_a_saved_game_names_kings_own_bots_and_no_others() -> None:
    assert Company().bot("heuristic").name == "heuristic"
    with pytest.raises(BotError, match="bot 'os:getcwd': sits here only if it is named when play is started"):
        Company().bot("os:getcwd")
    with pytest.raises(BotError, match="sits here only if"):
        Company().bot("runs/last.pt")


def test_a_bot_sees_its_own_hand_alone() -> None:
    stub = Stub(0)
    game = at_a_bot("stub")
    Company([stub]).move(game)
    turn = game.game.turn
    assert [bool(view["hands"][0, seat]) for view in stub.views for seat in range(4)] == [
        seat == turn for seat in range(4)
    ] * len(stub.views)


@pytest.mark.parametrize(
    ("answer", "complaint"),
    [
        (RuntimeError("no idea"), "stub raised RuntimeError: no idea"),
        (80, "stub answered down, which is not legal; legal are"),
        (1234, "stub answered 1234, which is not legal"),
    ],
)
def test_a_bot_that_fails_plays_its_first_legal_action(answer: Any, complaint: str) -> None:
    game = at_a_bot("stub")
    move = Company([Stub(answer)]).move(game)
    assert move.action == game.game.legal_ids()[0]
    assert move.complaint.startswith(complaint)
    assert move.complaint.endswith("; its first legal action is played instead")


def test_with_a_seed_luck_repeats() -> None:
    company = Company([make("random")])
    game = at_a_bot("random")
    assert len({company.move(game).action for _ in range(5)}) == 1


def test_a_hint_is_what_gains_most_or_what_the_bot_does() -> None:
    company = Company([Thinker(0, "thinker"), make("heuristic")])
    game = at_the_person("heuristic")
    assert action_text(company.advise(game, "thinker").action) == "3S"
    advice = company.advise(game, "heuristic")
    assert action_text(advice.action) in game.game.legal() and advice.thought == Thought()


@pytest.mark.parametrize("answer", [ValueError("lost"), 80])
def test_a_hint_that_fails_is_no_hint(answer: Any) -> None:
    with pytest.raises(AdviceError, match="^stub (raised ValueError: lost|answered down)"):
        Company([Stub(answer)]).advise(at_the_person("stub"), "stub")
