"""The table as a picture: what it shows, to whom, and that it is one."""

from __future__ import annotations

import io
import pickle
import random
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from king_env import king_v0
from king_env.game import Game
from king_env.notation import parse_card, parse_cards
from king_env.picture import Picture, draw_table, panel, table
from king_env.picture.canvas import GOLD, HEIGHT, WIDTH
from king_env.picture.cards import LARGE, LITTLE, card_back, card_face, suit_sign
from king_env.render import contract_text, deal_title, sale_text, task_text, words_of_action
from king_env.ruleset import RULESETS
from tests.envs.playing import is_over, play, random_chooser

MIXED = "0:AKQ2.432.5432.32 JT9.AKQ.876.AKQJ 876.JT98.AKQ.T98 543.765.JT9.7654"
SIZE = (HEIGHT, WIDTH, 3)


class Drawn:
    """Which cards a picture shows: face up, shaded, and how many face down."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.bright: list[int] = []
        self.shaded: list[int] = []
        self.hidden = 0
        self.last_trick: list[int] = []
        monkeypatch.setattr(table, "card_face", self.note_face)
        monkeypatch.setattr(table, "card_back", self.note_back)
        monkeypatch.setattr(panel, "card_face", self.note_last_trick)

    def note_face(self, card: int, size: tuple[int, int], is_shaded: bool = False) -> Image.Image:
        (self.shaded if is_shaded else self.bright).append(card)
        return card_face(card, size, is_shaded)

    def note_back(self, size: tuple[int, int]) -> Image.Image:
        self.hidden += 1
        return card_back(size)

    def note_last_trick(self, card: int, size: tuple[int, int]) -> Image.Image:
        self.last_trick.append(card)
        return card_face(card, size)


def one_deal(*actions: str, first_deal: int = 6) -> Game:
    game = Game(deals=[MIXED], first_deal=first_deal, num_deals=1)
    for action in actions:
        game.play(action)
    return game


def cards(text: str) -> set[int]:
    whole = parse_cards(text)
    return {card for card in range(52) if whole >> card & 1}


def positions(ruleset: str, seed: int, every: int) -> Iterator[Game]:
    """A game of random actions, at every so many of them."""
    game, rng = Game(ruleset, seed=seed), random.Random(seed)
    while not game.is_over:
        if len(game.actions) % every == 0:
            yield game
        game.play(rng.choice(game.legal_ids()))
    yield game


def slow_call(game: Game) -> str:
    """What makes a Brazilian auction long: only the last speaker raises, and the others match him one after another."""
    legal = game.legal()
    if "accept" in legal:
        return "accept"
    best = f"bid {int(game.record['best_bid'][0]) - 52}"
    if game.turn == (game.dealer + 3) % 4 and legal[1:] and best not in legal:
        return legal[1]
    turn_to_match = game.turn == (int(game.record["holder"][0]) - 1) % 4
    return best if best in legal and turn_to_match else "pass"


# What it is


@pytest.mark.parametrize("ruleset", RULESETS)
def test_every_picture_of_a_game_has_one_shape(ruleset: str) -> None:
    for game in positions(ruleset, 1, 29):
        for viewer in (None, 2):
            picture = draw_table(game.record[0], viewer)
            assert picture.shape == SIZE and picture.dtype == np.uint8
            assert picture.flags.c_contiguous and picture.flags.writeable


def test_drawing_changes_nothing_and_says_the_same_twice() -> None:
    game = one_deal("up H", "AS", "JS")
    before = game.record.copy()
    assert (draw_table(game.record[0]) == draw_table(game.record[0])).all()
    assert (game.record == before).all()


def test_a_notebook_shows_a_picture() -> None:
    picture = draw_table(one_deal().record[0])
    png = picture._repr_png_()
    assert png is not None
    assert (np.asarray(Image.open(io.BytesIO(png))) == picture).all()


def test_what_has_been_computed_from_a_picture_is_shown_as_an_array() -> None:
    picture = draw_table(one_deal().record[0])
    for other in (picture[0], picture[..., 0], picture / 255, picture[np.newaxis]):
        assert isinstance(other, Picture) and other._repr_png_() is None
    part: Any = picture[:100, :50]
    assert part._repr_png_() is not None


def test_a_picture_can_be_sent_to_another_process() -> None:
    picture = draw_table(one_deal().record[0])
    sent = pickle.loads(pickle.dumps(picture))
    assert isinstance(sent, Picture) and (sent == picture).all()


# What it shows


def test_all_hands_are_open_to_who_watches(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = Drawn(monkeypatch)
    draw_table(one_deal("auction").record[0])
    assert sorted(drawn.bright) == list(range(52))
    assert not drawn.shaded and not drawn.hidden and not drawn.last_trick


def test_a_viewer_sees_one_hand(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = Drawn(monkeypatch)
    draw_table(one_deal("up H", "AS", "JS").record[0], viewer=3)
    assert set(drawn.bright) == cards("5S 4S 3S 7H 6H 5H JD TD 9D 7C 6C 5C 4C") | cards("AS JS")
    assert drawn.hidden == 12 + 12 + 13


@pytest.mark.parametrize("ruleset", RULESETS)
def test_no_hidden_card_shows(ruleset: str) -> None:
    for game in positions(ruleset, 5, 61):
        for viewer in range(4):
            assert (draw_table(game.record[0], viewer) == draw_table(game.view(viewer)[0], viewer)).all()


def test_cards_that_may_not_be_played_are_shaded(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = Drawn(monkeypatch)
    draw_table(one_deal("up H", "AS").record[0], viewer=1)
    assert set(drawn.shaded) == cards("AH KH QH 8D 7D 6D AC KC QC JC")
    assert set(drawn.bright) == cards("JS TS 9S") | {parse_card("AS")}


def test_a_complete_trick_stays_until_the_next_is_led(monkeypatch: pytest.MonkeyPatch) -> None:
    drawn = Drawn(monkeypatch)
    draw_table(one_deal("up H", "AS", "JS", "8S", "5S").record[0], viewer=0)
    trick = [parse_card(card) for card in ("AS", "JS", "8S", "5S")]
    assert drawn.shaded == trick == drawn.last_trick
    drawn = Drawn(monkeypatch)
    draw_table(one_deal("up H", "AS", "JS", "8S", "5S", "KS").record[0], viewer=0)
    assert drawn.shaded == [] and parse_card("KS") in drawn.bright and drawn.last_trick == trick


def test_the_seat_to_act_has_a_golden_plate() -> None:
    for viewer in (None, 0, 1, 2, 3):
        for game in (one_deal(), one_deal("auction"), one_deal("up H", "AS")):
            picture = draw_table(game.record[0], viewer)
            for place, (x, y) in enumerate(table.PLATES):
                is_golden = tuple(picture[round(y) - 12, round(x)]) == GOLD
                assert is_golden == (game.turn == ((viewer or 0) + place) % 4)


def test_nobody_is_to_act_at_the_end() -> None:
    game = one_deal("auction", "pass", "pass", "pass", "skip")
    picture = draw_table(game.record[0])
    assert not any(tuple(picture[round(y) - 12, round(x)]) == GOLD for x, y in table.PLATES)


@pytest.mark.parametrize(
    "actions",
    [
        ["auction", "bid 4"],
        ["auction", "nulls 1"],
        ["auction", "bid 4", "bid 5"],
        ["up H"],
        ["up S"],
        ["up NT"],
        ["down"],
        ["auction", "pass", "pass", "pass", "skip"],
        ["eight or nulls"],
    ],
)
def test_whatever_is_said_changes_the_picture(actions: list[str]) -> None:
    pictures = [draw_table(one_deal(*actions[:length]).record[0]) for length in range(len(actions) + 1)]
    for one, next_one in zip(pictures, pictures[1:], strict=False):
        assert (one != next_one).any()


def test_the_longest_auction_fits() -> None:
    game = Game("brazilian_auction", deals=[MIXED], first_deal=6, num_deals=1)
    while game.phase != "declaring":
        game.play(slow_call(game))
    assert len(game.actions) > 50  # more than the panel has room for
    assert draw_table(game.record[0]).shape == SIZE


def test_all_words_are_in_the_typeface() -> None:
    """It has little more than ASCII; signs of suits are drawn."""
    for ruleset in RULESETS:
        for game in positions(ruleset, 3, 1):
            record = game.record[0]
            texts = (contract_text(record), deal_title(record), sale_text(record), task_text(record))
            for text in texts:
                assert text.translate({ord(symbol): None for symbol in "♣♦♥♠"}).isascii()
    assert [words_of_action(75), words_of_action(79), words_of_action(52)] == ["up ♣", "up NT", "pass"]


def test_all_cards_look_different() -> None:
    for size in (LARGE, LITTLE):
        faces = {card_face(card, size).tobytes() for card in range(52)}
        assert len(faces | {card_back(size).tobytes()}) == 53
        assert card_face(0, size).size == size
    assert len({suit_sign(suit, 20, GOLD).tobytes() for suit in range(4)}) == 4


# Envs


@pytest.mark.parametrize("make", [king_v0.env, king_v0.raw_env])
def test_an_env_shows_pictures_from_reset_to_the_end(make: Any) -> None:
    env: Any = make(render_mode="rgb_array", episode="deal", contracts=["positive"])
    env.reset(seed=4)
    choose = random_chooser(4)
    while not is_over(env):
        picture = env.render()
        assert isinstance(picture, np.ndarray) and picture.shape == SIZE and picture.dtype == np.uint8
        play(env, choose, 3)
    assert env.render().shape == SIZE


def test_the_picture_of_an_env_shows_all_hands() -> None:
    env: Any = king_v0.env(render_mode="rgb_array")
    env.reset(seed=4)
    assert (env.render() == draw_table(env.game.record[0])).all()


WITHOUT_PILLOW = """
import sys
sys.modules["PIL"] = None
from king_env import king_v0
king_v0.env(render_mode="ansi").reset(seed=1)
try:
    king_v0.env(render_mode="rgb_array")
except ImportError as error:
    print(error)
"""
LOADED = "import sys, king_env; print('PIL' in sys.modules)"


def run_python(code: str) -> str:
    root = Path(__file__).parent.parent
    return subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, cwd=root).stdout


def test_without_pillow_the_error_names_the_extra() -> None:
    said = run_python(WITHOUT_PILLOW)
    assert said.startswith("pictures (render_mode='rgb_array') need Pillow") and "king-env[render]" in said
    assert said.count("\n") == 1


def test_who_wants_no_pictures_does_not_load_pillow() -> None:
    assert run_python(LOADED) == "False\n"
