"""The page to play in, in a real browser: a game with its auction, hints and refusals, two people, a server killed."""

from __future__ import annotations

import hashlib
import os
import re
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from king_env.game import Game
from king_env.play.saves import SavedGames
from king_env.play.seated import SeatedGame
from king_env.records import read_lines
from tests.web.browser import PHONE, WIDE, Page, chromium

ROOT = Path(__file__).resolve().parents[2]
TOKEN = "t" * 43  # what the browser of these tests keeps, so that a game can be laid before it

READ_PLAY = """
const text = (selector) => document.querySelector(selector)?.textContent.replaceAll("−", "-") ?? null;
const shown = (selector) => document.querySelector(selector)?.checkVisibility() ?? false;
const cards = [...document.querySelectorAll("#table button.card")];
return {
  isBusy: document.querySelector("#game").ariaBusy === "true",
  isMyTurn: !document.querySelector("#ask").disabled && shown("#game"),
  playable: cards.filter((card) => !card.ariaDisabled).map((card) => card.dataset.card),
  others: cards.filter((card) => card.ariaDisabled).map((card) => card.dataset.card),
  calls: [...document.querySelectorAll(".call:not(.shaded)")].map((call) => call.dataset.call),
  main: text("#choices .main-button"),
  said: text("#said"),
  refused: text("#refused"),
  trouble: shown("#trouble") ? text("#trouble") : null,
  title: text("#panel .title"),
};
"""


class Server:
    """`python -m king_env play` in a process of its own."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.port = 0  # one that is free, and the same again after that
        self.start()

    def start(self) -> None:
        arguments = ["--games", str(self.folder), "--port", str(self.port), "--hints", "heuristic", "--seed", "5"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "king_env", "play", *arguments],
            stdout=subprocess.PIPE,
            text=True,
            env=os.environ | {"PYTHONPATH": str(ROOT), "PYTHONIOENCODING": "utf-8"},
        )
        assert self.process.stdout is not None
        for line in self.process.stdout:
            if found := re.search(r"http://127\.0\.0\.1:(\d+)/", line):
                self.address, self.port = found[0], int(found[1])
                return
        raise AssertionError("the server ended without a word of where it is")

    def kill(self) -> None:
        self.process.kill()
        self.process.wait()
        assert self.process.stdout is not None
        self.process.stdout.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Server]:
    running = Server(tmp_path_factory.mktemp("games"))
    yield running
    running.kill()


@pytest.fixture(scope="module")
def opened(server: Server, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with chromium(tmp_path_factory.mktemp("browser")) as page:
        page.driver.get(server.address)
        page.driver.add_cookie({"name": "king_session", "value": TOKEN, "httpOnly": True, "sameSite": "Strict"})
        yield page


@pytest.fixture
def page(opened: Page) -> Iterator[Page]:
    opened.set_size(WIDE)
    yield opened
    assert opened.complaints() == []


# What a person does


def state(page: Page) -> dict[str, Any]:
    read: dict[str, Any] = page.driver.execute_script(READ_PLAY)
    return read


def wait_until(page: Page, is_so: Callable[[dict[str, Any]], Any], seconds: float = 60.0) -> dict[str, Any]:
    deadline = time.monotonic() + seconds
    while not is_so(now := state(page)):
        assert time.monotonic() < deadline, f"it did not come about in time: {now}"
        time.sleep(0.02)
    return now


def to_decision(page: Page) -> dict[str, Any]:
    """Where the person is to do something."""
    return wait_until(page, lambda now: not now["isBusy"] and (now["isMyTurn"] or now["main"]))


def hurry(page: Page) -> None:
    """Let the bots move at once."""
    page.driver.execute_script("document.querySelector('#speed').append(new Option('at once', 0, true, true))")


def lay(server: Server, page: Page, seated: SeatedGame) -> str:
    """Open a game that this browser is said to have begun."""
    name = SavedGames(server.folder).begin(seated, hashlib.sha256(TOKEN.encode()).hexdigest())
    page.driver.get("about:blank")
    page.driver.get(f"{server.address}#{name}")
    hurry(page)
    return name


def late_game(*said: str) -> SeatedGame:
    """Deal 7 alone, which belongs to the person in seat 0; so much has been said."""
    seated = SeatedGame(Game(dealer=0, first_deal=6, num_deals=1, seed=2), 0, ["you", *["heuristic"] * 3])
    for action in said:
        seated.play(action)
    return seated


def last_trick_of_deal_9() -> SeatedGame:
    """And then deal 10, which belongs to the person in seat 0."""
    seated = SeatedGame(Game(dealer=3, first_deal=8, num_deals=2, seed=2), 0, ["you", *["heuristic"] * 3])
    while seated.game.record["num_plays"][0] < 48:
        seated.play(seated.game.legal_ids()[0])
    return seated


def to_start(server: Server, page: Page) -> None:
    page.driver.get("about:blank")
    page.driver.get(server.address)
    wait_until(page, lambda _: page.is_shown("#begin"))


def begin(server: Server, page: Page) -> dict[str, Any]:
    to_start(server, page)
    page.click("#begin button")
    wait_until(page, lambda now: now["title"])
    hurry(page)
    return to_decision(page)


def saved(server: Server, page: Page) -> SeatedGame:
    return SavedGames(server.folder).load(page.driver.current_url.split("#")[1]).seated()


# Playing


def test_a_game_is_played_to_its_end_its_auction_included(server: Server, page: Page) -> None:
    name = lay(server, page, last_trick_of_deal_9())
    heard, deals = [], []
    while (now := to_decision(page))["main"] != "Play again":
        if now["main"]:
            deals.append(now["said"])
            page.click("#choices .main-button")
        elif now["calls"]:
            heard.append(now["calls"])
            page.click(f'[data-call="{now["calls"][0]}"]')
        else:
            page.click(f'#table [data-card="{now["playable"][0]}"]')
    assert heard[0][0] == "auction" and "refuse" in heard[1]
    assert len(deals) == 1 and re.search(r"Deal 9 is over: [+-]?\d+ points for you\.$", deals[0])
    game = saved(server, page).game
    assert game.is_over and now["said"].endswith(f"The game is over. You have {game.scores[0]:+d} points.")
    balance = page.driver.execute_script(
        "return [...document.querySelectorAll('#panel .balance td')].map(c => c.textContent)"
    )
    assert [int(cell.replace("−", "-")) for cell in balance] == game.scores
    assert page.is_shown("#table .result") and page.is_shown("#record")
    page.click("#choices .main-button")
    wait_until(page, lambda now: now["title"] == "Deal 1 of 10")
    assert name not in page.driver.current_url


def test_a_refused_card_is_explained_with_its_paragraph(server: Server, page: Page) -> None:
    now = begin(server, page)
    if not now["others"]:  # the person leads the first trick
        page.click(f'#table [data-card="{now["playable"][0]}"]')
        now = to_decision(page)
    moves = len(saved(server, page).game.actions)
    page.click(f'#table [data-card="{now["others"][0]}"]')
    refused = wait_until(page, lambda now: now["refused"])["refused"]
    assert re.search(r" is not allowed: must follow \w+ \(Rules 1\)$", refused)
    assert len(saved(server, page).game.actions) == moves
    page.click(f'#table [data-card="{now["playable"][0]}"]')
    wait_until(page, lambda now: now["refused"] == "")


def test_a_refused_call_is_explained_too(server: Server, page: Page) -> None:
    lay(server, page, late_game("auction", "bid 5", "pass", "pass"))
    assert to_decision(page)["calls"] == ["accept", "refuse"]
    page.click('[data-call="skip"]')
    assert wait_until(page, lambda now: now["refused"])["refused"] == (
        "skip is not allowed: a deal may be skipped up to a best bid worth 75 points, "
        "and bid 5 is worth 125 (Rules 3.2)"
    )


def test_a_hint_is_framed_and_goes_with_the_move(server: Server, page: Page) -> None:
    begin(server, page)
    page.click("#ask")
    wait_until(page, lambda _: page.is_shown("#hint"))
    assert page.text("#hint h3").startswith("heuristic would play ")
    framed = page.driver.execute_script("return document.querySelector('#table .hand .framed').dataset.card")
    assert framed in state(page)["playable"]
    page.click(f'#table [data-card="{framed}"]')
    wait_until(page, lambda _: not page.is_shown("#hint"))


def test_the_keyboard_is_enough(server: Server, page: Page) -> None:
    to_start(server, page)
    page.driver.execute_script("document.querySelector('#ruleset').focus()")
    page.press(Keys.TAB, times=2)
    page.press(Keys.ENTER)
    wait_until(page, lambda now: now["title"])
    hurry(page)
    now = to_decision(page)
    card = "return document.activeElement.dataset.card"
    assert page.driver.execute_script(card) == now["playable"][0]
    page.press(Keys.ARROW_RIGHT)
    chosen = page.driver.execute_script(card)
    assert chosen != now["playable"][0]
    page.press(Keys.ARROW_LEFT)
    page.press("h")
    wait_until(page, lambda _: page.is_shown("#hint"))
    wait_until(page, lambda _: page.driver.execute_script(card) is not None)
    moves = len(saved(server, page).game.actions)
    page.press(Keys.ENTER)
    wait_until(page, lambda _: len(saved(server, page).game.actions) > moves)


def test_a_complete_trick_lies_twice_as_long_as_another_move(server: Server, page: Page) -> None:
    begin(server, page)
    page.driver.execute_script(
        """
        const wait = window.setTimeout;
        window.pauses = [];
        window.setTimeout = (move, pause) => {
          window.pauses.push([document.querySelectorAll("#table .on-table").length, pause]);
          return wait(move, 0);
        };
        document.querySelector("#speed").value = "1000";
        """
    )
    for _ in range(3):
        page.click(f'#table [data-card="{to_decision(page)["playable"][0]}"]')
    to_decision(page)
    pauses = page.driver.execute_script("return window.pauses")
    assert [4, 2000] in pauses and [4, 1000] not in pauses
    assert {pause for cards, pause in pauses if cards < 4} == {1000}


def test_a_reload_goes_on_where_it_was(server: Server, page: Page) -> None:
    begin(server, page)
    before = page.table()
    page.driver.refresh()
    to_decision(page)
    assert page.table() == before
    page.click("#home")
    wait_until(page, lambda _: page.is_shown("#start"))
    assert page.text("#saved li").startswith("Deal 1 portuguese, with heuristic, heuristic, heuristic")
    page.click("#saved a")
    to_decision(page)
    assert page.table() == before


def test_the_record_of_a_game_is_downloaded(server: Server, page: Page, tmp_path: Path) -> None:
    name = lay(server, page, late_game("auction", "pass", "pass", "pass", "skip"))
    to_decision(page)
    page.driver.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(tmp_path)})
    page.click("#record")
    path = tmp_path / f"king-{name[:8]}.jsonl"
    wait_until(page, lambda _: path.exists())
    (line,) = read_lines(path)
    assert line.game().scores == [100, 75, 75, 75]


# Two at once, garbage, and a killed server


def test_two_people_play_at_once(server: Server, page: Page, tmp_path: Path) -> None:
    """At the same time, in two browsers; the one cannot open the game of the other."""
    begin(server, page)
    address = page.driver.current_url
    with chromium(tmp_path) as other:
        other.driver.get(address)
        assert wait_until(other, lambda now: now["trouble"])["trouble"] == "there is no such game of yours"
        begin(server, other)
        assert other.driver.current_url != address
        for who in (other, page):
            who.click(f'#table [data-card="{to_decision(who)["playable"][0]}"]')
        for who in (other, page):
            to_decision(who)
            assert len(saved(server, who).game.actions) >= 4


@pytest.mark.parametrize("name", ["nonsense", "0" * 32, "../../etc/passwd", "<script>window.pwned = 1</script>"])
def test_an_address_that_is_none_is_said_to_be(name: str, server: Server, page: Page) -> None:
    page.driver.get("about:blank")
    page.driver.get(f"{server.address}#{name}")
    trouble = wait_until(page, lambda now: now["trouble"])["trouble"]
    assert trouble in ("there is no such game of yours", "there is nothing here")
    assert page.driver.execute_script("return window.pwned ?? null") is None
    page.complaints()  # of the refusal


@pytest.mark.parametrize(
    "sent",
    [
        b"\x16\x03\x01\x02\x00\xff\xfe\r\n\r\n",
        b"GET / HTTP/1.1\r\n" + b"X-Long: " + b"y" * 100_000 + b"\r\n\r\n",
        b"POST /games HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nContent-Length: 99999999\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: evil.example\r\n\r\n",
    ],
)
def test_garbage_on_the_wire_changes_nothing(sent: bytes, server: Server, page: Page) -> None:
    before = begin(server, page)
    with socket.create_connection(("127.0.0.1", server.port), timeout=30) as wire, suppress(ConnectionError):
        wire.sendall(sent.replace(b"%d", b"%d" % server.port))
        assert b" 200 " not in wire.recv(1000)
    page.driver.refresh()
    hurry(page)
    assert to_decision(page)["playable"] == before["playable"]


def test_a_killed_server_loses_nothing(server: Server, page: Page) -> None:
    """kill -9 on the person's turn, and a card played into the silence: once the server is back, the page goes on."""
    now = begin(server, page)
    before = page.table()
    server.kill()
    page.click(f'#table [data-card="{now["playable"][0]}"]')
    wait_until(page, lambda now: now["trouble"] and "The server does not answer" in now["trouble"])
    server.start()
    wait_until(page, lambda now: now["trouble"] is None and now["isMyTurn"])
    assert page.table() == before
    page.click(f'#table [data-card="{now["playable"][0]}"]')
    to_decision(page)
    assert len(saved(server, page).game.actions) >= 4
    page.complaints()  # of the silence


# For everyone


def test_on_a_phone_it_all_fits(server: Server, page: Page) -> None:
    page.set_size((390, 844))
    begin(server, page)
    assert not page.scrolls_sideways()
    sizes = (
        "return [...document.querySelectorAll(arguments[0])].map((one) => Math.min(one.offsetWidth, one.offsetHeight))"
    )
    assert min(page.driver.execute_script(sizes, "#table button.card")) >= 44
    lay(server, page, late_game())
    to_decision(page)
    assert min(page.driver.execute_script(sizes, "#choices button")) >= 44 and not page.scrolls_sideways()
    page.set_size(PHONE)
    assert not page.scrolls_sideways()


def test_everything_that_can_be_worked_has_a_name(server: Server, page: Page) -> None:
    begin(server, page)
    nameless = page.driver.execute_script(
        "return [...document.querySelectorAll('button, select, input, a')].filter((control) =>"
        "!control.ariaLabel && !control.labels?.length && !control.textContent.trim()).length"
    )
    assert nameless == 0
    cards = page.driver.execute_script(
        "return [...document.querySelectorAll('button.card')].map((card) => card.ariaLabel)"
    )
    assert len(cards) == 13 and all(" of " in card for card in cards)
