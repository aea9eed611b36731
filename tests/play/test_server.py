"""The server behind the page: what a browser is told, and what a stranger is not let do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from werkzeug.test import Client, TestResponse

from king_env.bots import make
from king_env.game import Game
from king_env.notation import cards_text
from king_env.play.company import Company
from king_env.play.saves import SavedGames
from king_env.play.seated import SeatedGame
from king_env.play.server import LONGEST_BODY, Offer, PlayApp

PORT = 8357
HERE = f"http://127.0.0.1:{PORT}"
CARD = re.compile(r"\b[2-9TJQKA][CDHS]\b")


class Broken:
    """A bot that never answers."""

    name = "broken"
    version = 1

    def act(self, view: Any, rng: Any) -> int:
        raise RuntimeError("out of order")

    def act_batch(self, views: Any, rng: Any) -> Any:
        raise RuntimeError("out of order")


class Browser:
    """A browser at the page, with its cookies."""

    def __init__(self, app: PlayApp) -> None:
        self.client = Client(app)

    def get(self, path: str, **headers: str) -> TestResponse:
        return self.client.get(path, base_url=HERE, headers=headers)

    def post(self, path: str, body: Any, **headers: str) -> TestResponse:
        sent = {"Origin": HERE, "Content-Type": "application/json"} | headers
        data = body if isinstance(body, (bytes, str)) else json.dumps(body)
        return self.client.post(path, base_url=HERE, data=data, headers=sent)

    def begin(self, ruleset: str = "portuguese", seat: int = 0) -> Any:
        return self.post("/games", {"ruleset": ruleset, "seat": seat}).json

    def play(self, game: Any, action: str) -> Any:
        return self.post(f"/games/{game['name']}/play", {"action": action, "after": game["moves"]}).json

    def next(self, game: Any) -> Any:
        return self.post(f"/games/{game['name']}/next", {"after": game["moves"]}).json

    def to_my_turn(self, game: Any) -> Any:
        while game["position"].get("turn") not in (None, game["seat"]):
            game = self.next(game)
        return game


@pytest.fixture
def saved(tmp_path: Path) -> SavedGames:
    return SavedGames(tmp_path)


@pytest.fixture
def app(saved: SavedGames) -> PlayApp:
    company = Company([make("heuristic"), make("random"), Broken()])
    return PlayApp(saved, company, offer("heuristic", "heuristic", "random"), "127.0.0.1", PORT)


def offer(*opponents: str, seed: int | None = 11) -> Offer:
    return Offer(opponents, ("heuristic", "broken"), "portuguese", 0, seed)


@pytest.fixture
def ana(app: PlayApp) -> Browser:
    return Browser(app)


@pytest.fixture
def rui(app: PlayApp) -> Browser:
    return Browser(app)


def told(answer: TestResponse) -> Any:
    """What an answer says."""
    return answer.json


# Playing


def test_a_deal_is_played_to_its_end_and_nothing_hidden_is_ever_sent(ana: Browser, saved: SavedGames) -> None:
    """Not in the game, nor in a hint or the record, through the first deal and into the second."""
    game = ana.begin("brazilian_trump", seat=2)
    assert game["rules"] == "brazilian_trump" and game["players"][2] == "you" and game["moves"] == 0
    for _ in range(56):
        if game["position"]["turn"] == game["seat"]:
            hint = ana.post(f"/games/{game['name']}/hint", {"bot": "heuristic"})
            assert told(hint)["action"] in game["position"]["playable"].split()
            answer = ana.post(f"/games/{game['name']}/play", {"action": told(hint)["action"], "after": game["moves"]})
        else:
            answer = ana.post(f"/games/{game['name']}/next", {"after": game["moves"]})
        seated = saved.load(game["name"]).seated()
        records = [seated.standing] + ([] if seated.deal_end is None else [seated.deal_end])
        seen = [cards_text(int(record["hands"][2])) for record in records]
        seen += [cards_text(int(played)) for record in records for played in record["played"]]
        assert set(CARD.findall(answer.text)) <= set(" ".join(seen).split())
        assert "seed" not in answer.text and "owner" not in answer.text
        game = told(answer)
        if "ended" in game:
            assert game["moves"] == 52 and game["has_record"]
            assert sum(seat["points"] for seat in game["ended"]["seats"].values()) == -260
    assert game["moves"] == 56 and game["position"]["title"] == "Deal 2 of 10"
    record = ana.get(f"/games/{game['name']}/record").text
    assert len(json.loads(record)["deals"]) == 1 and "seed" not in record


def test_a_refused_card_is_explained_and_the_game_stays(ana: Browser) -> None:
    game = ana.to_my_turn(ana.begin())
    hand = game["position"]["seats"]["0"]["hand"].split()
    wrong = next(card for card in hand if card not in game["position"]["playable"].split())
    answer = ana.play(game, wrong)
    assert re.fullmatch(rf"{wrong}: must follow \w+ \(Rules 1\)", answer.pop("refused"))
    assert answer == game


@pytest.mark.parametrize("action", ["", "XX", "bid 99", "<script>", "QH; DROP", "\u0000", "eight or nulls"])
def test_what_is_no_card_is_refused_too(action: str, ana: Browser) -> None:
    game = ana.to_my_turn(ana.begin())
    answer = ana.play(game, action)
    assert answer["refused"] and answer["moves"] == game["moves"]


def test_nobody_plays_out_of_turn(ana: Browser) -> None:
    game = next(game for seat in range(4) if (game := ana.begin(seat=seat))["position"]["turn"] != seat)
    card = game["position"]["seats"][str(game["seat"])]["hand"].split()[0]
    assert ana.play(game, card)["refused"] == f"{card}: it is not your turn"
    mine = ana.to_my_turn(game)
    assert ana.next(mine) == mine


def test_a_move_made_twice_counts_once(ana: Browser) -> None:
    """A second tab, or an answer that got lost: whoever does not know the moves so far is told them."""
    game = ana.to_my_turn(ana.begin())
    card = game["position"]["playable"].split()[0]
    played = ana.play(game, card)
    again = ana.post(f"/games/{game['name']}/play", {"action": card, "after": game["moves"]})
    assert again.status_code == 409 and again.json == played
    behind = ana.post(f"/games/{game['name']}/next", {"after": 0})
    assert behind.status_code == 409 and told(behind)["moves"] == played["moves"]


def test_of_many_tabs_one_makes_the_move(ana: Browser, app: PlayApp) -> None:
    game = next(game for seat in range(4) if (game := ana.begin(seat=seat))["position"]["turn"] != seat)
    cookie = ana.client.get_cookie("king_session", domain="127.0.0.1")
    assert cookie is not None

    def ask_in_a_tab(_: int) -> int:
        tab = Browser(app)
        tab.client.set_cookie("king_session", cookie.value, domain="127.0.0.1")
        return tab.post(f"/games/{game['name']}/next", {"after": 0}).status_code

    with ThreadPoolExecutor(4) as tabs:
        assert sorted(tabs.map(ask_in_a_tab, range(8))) == [200] + [409] * 7
    assert told(ana.get(f"/games/{game['name']}"))["moves"] == 1


def test_an_auction_is_offered_as_calls(ana: Browser, saved: SavedGames) -> None:
    game = ana.begin()
    owner = saved.load(game["name"]).owner
    seated = SeatedGame(Game(dealer=0, first_deal=6, seed=2), 0, ["you", *["heuristic"] * 3])
    saved.save(game["name"], seated, owner)
    shown = told(ana.get(f"/games/{game['name']}"))
    assert {call["call"] for call in shown["calls"]} >= {"auction", "eight or nulls", "up H", "down"}
    assert ana.play(shown, "bid 3")["refused"] == "bid 3: seat 0 owns the deal and is to open it (Rules 3.1)"
    bidding = ana.to_my_turn(ana.play(shown, "auction"))
    assert {call["call"] for call in bidding["calls"]} >= {"refuse", "skip"}


def test_a_bot_out_of_order_is_named_and_plays_on(saved: SavedGames, caplog: pytest.LogCaptureFixture) -> None:
    company = Company([Broken()])
    browser = Browser(PlayApp(saved, company, offer("broken", "broken", "broken"), "127.0.0.1", PORT))
    game = next(game for seat in range(4) if (game := browser.begin(seat=seat))["position"]["turn"] != seat)
    moved = browser.next(game)
    assert moved["moves"] == 1 and "broken raised RuntimeError: out of order" in moved["notice"]
    assert "out of order" in caplog.text


def test_a_hint_that_fails_is_said_to(ana: Browser) -> None:
    game = ana.begin()
    asked = ana.post(f"/games/{game['name']}/hint", {"bot": "broken"})
    if game["position"]["turn"] != 0:
        assert asked.status_code == 409
        game = ana.to_my_turn(game)
        asked = ana.post(f"/games/{game['name']}/hint", {"bot": "broken"})
    assert asked.status_code == 503 and asked.json == {"error": "broken raised RuntimeError: out of order"}


def test_a_seed_gives_everybody_the_same_cards(ana: Browser, rui: Browser) -> None:
    assert ana.begin()["position"] == rui.begin()["position"]


def test_a_record_is_there_once_a_deal_is_over(ana: Browser, saved: SavedGames) -> None:
    game = ana.begin()
    assert ana.get(f"/games/{game['name']}/record").json == {"error": "no deal of this game is over yet"}
    seated = saved.load(game["name"]).seated()
    for _ in range(52):
        seated.play(seated.game.legal_ids()[0])
    saved.save(game["name"], seated, saved.load(game["name"]).owner)
    answer = ana.get(f"/games/{game['name']}/record")
    assert answer.headers["Content-Disposition"] == f'attachment; filename="king-{game["name"][:8]}.jsonl"'
    assert Game.from_record(json.loads(answer.text)).is_over


# Whose game it is


def test_one_browser_cannot_touch_the_game_of_another(ana: Browser, rui: Browser, saved: SavedGames) -> None:
    his = rui.begin()
    hers = ana.to_my_turn(ana.begin())
    name = hers["name"]
    before = saved.load(name)
    card = hers["position"]["playable"].split()[0]
    attempts = [
        rui.get(f"/games/{name}"),
        rui.post(f"/games/{name}/play", {"action": card, "after": hers["moves"]}),
        rui.post(f"/games/{name}/next", {"after": hers["moves"]}),
        rui.post(f"/games/{name}/hint", {"bot": "heuristic"}),
        rui.get(f"/games/{name}/record"),
    ]
    nowhere = rui.get(f"/games/{'0' * 32}")
    for attempt in attempts:
        assert attempt.status_code == 404 and attempt.json == nowhere.json
    assert saved.load(name) == before
    assert [game["name"] for game in told(rui.get("/games"))["games"]] == [his["name"]]
    assert [game["name"] for game in told(ana.get("/games"))["games"]] == [name]


def test_who_has_no_cookie_has_no_games(ana: Browser, rui: Browser, app: PlayApp) -> None:
    name = ana.begin()["name"]
    assert rui.get("/games").json == {"games": []}
    assert rui.get(f"/games/{name}").status_code == 404
    forger = Browser(app)
    forger.client.set_cookie("king_session", "", domain="127.0.0.1")
    assert forger.get(f"/games/{name}").status_code == 404
    forger.client.set_cookie("king_session", "x" * 43, domain="127.0.0.1")
    assert forger.get(f"/games/{name}").status_code == 404


def test_the_cookie_is_for_this_site_alone_and_for_no_script(ana: Browser, saved: SavedGames) -> None:
    cookie = ana.post("/games", {"ruleset": "portuguese", "seat": 0}).headers["Set-Cookie"]
    assert "HttpOnly" in cookie and "SameSite=Strict" in cookie
    token = cookie.split("=")[1].split(";")[0]
    assert not any(token in path.read_text("utf-8") for path in saved.folder.iterdir())
    ana.begin()
    assert len(told(ana.get("/games"))["games"]) == 2


def test_a_game_outlives_the_server(ana: Browser, saved: SavedGames) -> None:
    game = ana.to_my_turn(ana.begin())
    cookie = ana.client.get_cookie("king_session", domain="127.0.0.1")
    assert cookie is not None
    company = Company([make("heuristic")])
    again = Browser(PlayApp(saved, company, offer("random", "random", "random"), "127.0.0.1", PORT))
    again.client.set_cookie("king_session", cookie.value, domain="127.0.0.1")
    assert again.get(f"/games/{game['name']}").json == game


@pytest.mark.parametrize(
    ("spoil", "reason"),
    [
        (lambda text: text[:300], "is cut off before its end"),
        (lambda text: text.replace("you", "me"), "was altered after"),
    ],
)
def test_a_spoilt_game_is_refused_and_the_others_are_not(
    spoil: Any, reason: str, ana: Browser, saved: SavedGames
) -> None:
    name, good = ana.begin()["name"], ana.begin()["name"]
    path = saved.folder / f"{name}.jsonl"
    path.write_text(spoil(path.read_text("utf-8")), "utf-8")
    answer = ana.get(f"/games/{name}")
    assert answer.status_code == 503 and f"saved game {name}: {reason}" in told(answer)["error"]
    assert [game["name"] for game in told(ana.get("/games"))["games"]] == [good]


# Strangers


@pytest.mark.parametrize(
    "host",
    ["evil.example", f"evil.example:{PORT}", "127.0.0.1", "127.0.0.1:1", f"127.0.0.1.evil.example:{PORT}", "", "[",
     f"user@127.0.0.1:{PORT}", f"127.0.0.1:{PORT}/x", "127.0.0.1:x", f"localhost.:{PORT}"],
)  # fmt: skip
def test_another_name_for_this_machine_is_not_answered(host: str, ana: Browser) -> None:
    """A page elsewhere can have its own name point here (DNS rebinding)."""
    answer = ana.get("/", Host=host)
    assert answer.status_code == 403 and "is not" in told(answer)["error"]


@pytest.mark.parametrize("host", [f"127.0.0.1:{PORT}", f"localhost:{PORT}", f"[::1]:{PORT}"])
def test_its_own_names_are(host: str, ana: Browser) -> None:
    assert ana.get("/", Host=host).status_code == 200


@pytest.mark.parametrize(
    "origin", ["http://evil.example", "null", "", "http://127.0.0.1:3000", f"https://127.0.0.1:{PORT}"]
)
@pytest.mark.parametrize("path", ["/games", "/games/{}/play", "/games/{}/next", "/games/{}/hint"])
def test_a_page_elsewhere_can_do_nothing(origin: str, path: str, ana: Browser, saved: SavedGames) -> None:
    name = ana.begin()["name"]
    before = saved.load(name)
    answer = ana.post(path.format(name), {"ruleset": "portuguese", "seat": 0}, Origin=origin)
    assert answer.status_code == 403 and answer.json == {"error": "only the page of this server may do this"}
    assert saved.names() == [name] and saved.load(name) == before


def test_a_form_elsewhere_cannot_pass_for_the_page(ana: Browser) -> None:
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data", ""):
        assert ana.post("/games", "{}", **{"Content-Type": kind}).status_code == 415


GARBAGE = [b"", b"{", b"[]", b"null", b"\xff\xfe", b'"x"', b"[" * 4000, b'{"action": 1, "after": 0}',
           b'{"action": "2C"}', b'{"action": "2C", "after": true}', b'{"action": "2C", "after": 1.0}',
           b'{"action": "2C", "after": 0, "seat": 1}', b'{"action": null, "after": null}', b'{"after": "0"}',
           b'{"ruleset": "whist", "seat": 0}', b'{"ruleset": "portuguese", "seat": 4}', b'{"bot": "os:getcwd"}',
           b'{"ruleset": "portuguese", "seat": -1}', b'{"action": "' + b"x" * 300 + b'", "after": 0}']  # fmt: skip


@pytest.mark.parametrize("body", GARBAGE)
def test_garbage_is_refused_in_a_line(body: bytes, ana: Browser, saved: SavedGames) -> None:
    name = ana.begin()["name"]
    before = saved.load(name)
    for path in ("/games", f"/games/{name}/play", f"/games/{name}/next", f"/games/{name}/hint"):
        answer = ana.post(path, body)
        assert answer.status_code == 400 and "\n" not in told(answer)["error"]
    assert saved.names() == [name] and saved.load(name) == before


def test_bodies_are_short(ana: Browser) -> None:
    assert ana.post("/games", b"x" * (LONGEST_BODY + 1)).status_code == 413


@pytest.mark.parametrize(
    "path", ["/nothing", "/games/", "/games/../x", "/games/x/play/y", "/games/%2e%2e%2fx", "//", "/static/play.js"]
)
def test_there_is_nothing_else(path: str, ana: Browser) -> None:
    ana.begin()
    assert ana.get(path).status_code == 404


def test_each_address_is_for_one_thing(ana: Browser) -> None:
    name = ana.begin()["name"]
    assert ana.post("/", {}).status_code == 405
    answer = ana.get(f"/games/{name}/play")
    assert answer.status_code == 405 and answer.headers["Allow"] == "POST"


def test_the_page_runs_its_own_script_alone_and_sits_in_no_frame(ana: Browser) -> None:
    answer = ana.get("/")
    assert "connect-src 'self'" in answer.text and "default-src 'none'" in answer.text
    assert "\nimport " not in answer.text and "{{ " not in answer.text
    assert answer.headers["Content-Security-Policy"] == "frame-ancestors 'none'"
    assert answer.headers["X-Content-Type-Options"] == "nosniff" and answer.headers["Cache-Control"] == "no-store"
    assert "Set-Cookie" not in answer.headers  # not before there is a game that it is for


@pytest.fixture
def failing(app: PlayApp, monkeypatch: pytest.MonkeyPatch) -> Iterator[Browser]:
    browser = Browser(app)
    browser.begin()
    monkeypatch.setattr(SavedGames, "names", lambda self: 1 / 0)
    yield browser


def test_a_fault_of_ours_tells_nothing_of_itself(failing: Browser, caplog: pytest.LogCaptureFixture) -> None:
    answer = failing.get("/games")
    assert answer.status_code == 500 and "ZeroDivisionError" not in answer.text
    assert "ZeroDivisionError" in caplog.text
