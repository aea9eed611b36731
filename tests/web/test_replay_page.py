"""The replay page in a real browser: what it shows of golden games, how it is stepped, and what it keeps to itself."""

from __future__ import annotations

import json
import re
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from selenium.webdriver.common.keys import Keys

from king_env.__main__ import main
from king_env.game import Game
from king_env.records import append_games, read_lines
from tests.golden import column
from tests.golden.column import FILES, Trick
from tests.golden.games import PLAYERS, RECORDS
from tests.web.browser import PHONE, WIDE, Page, chromium

PLACES = ["below", "left", "above", "right"]
NAMES = [path.stem for path in FILES]
LINE_OF_GAME = 1 + NAMES.index("game_portuguese")
LINE_OF_AUCTION = 1 + NAMES.index("portuguese_sold_by_a_match")
MOVES_OF_A_CARD_DEAL = 52


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with chromium(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


@pytest.fixture(scope="module")
def golden(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return written(RECORDS, tmp_path_factory.mktemp("golden") / "games.html")


@pytest.fixture(autouse=True)
def nothing_to_complain_about(page: Page) -> Iterator[None]:
    """Each test begins on a wide screen, and ends without a word in the browser's console."""
    page.set_size(WIDE)
    yield
    assert page.complaints() == []


def written(games: Path, target: Path, *options: str) -> Path:
    assert main(["view", str(games), "--output", str(target), *options]) == 0
    return target


def page_of(folder: Path, record: dict[str, Any], *options: str) -> Path:
    append_games(folder / "games.jsonl", [record])
    return written(folder / "games.jsonl", folder / "games.html", *options)


def wait_until(is_so: Callable[[], bool], seconds: float = 10.0) -> None:
    deadline = time.monotonic() + seconds
    while not is_so():
        assert time.monotonic() < deadline, "it did not come about in time"
        time.sleep(0.02)


# What it shows


@pytest.mark.parametrize("path", FILES, ids=NAMES)
def test_a_golden_game_is_shown_as_it_is_written(path: Path, page: Page, golden: Path) -> None:
    game = column.read(path)
    page.open(golden, line=1 + FILES.index(path))
    stops = page.walk()
    for deal in game.deals:
        assert stops.pop(0)["hands"] == [sorted(hand, key=in_hand) for hand in deal.cards()]
        if deal.calls and deal.tricks:
            stops.pop(0)  # where the first trick is led
        shown = [stops.pop(0) for _ in deal.tricks] or [stops.pop(0)]
        for number, trick in enumerate(deal.tricks, start=1):
            check_trick(shown[number - 1], number, trick)
        for stop, trick in zip(shown[:-1], deal.tricks, strict=False):
            assert points_of(stop) == trick.scores and stop["toAct"] == [trick.taker]
        assert points_of(shown[-1]) == deal.scores == sheet_row(shown[-1], deal.number)
    assert stops == []
    *_, sums, balance = shown[-1]["sheet"]
    if game.sheet:
        assert [int(cell) for cell in sums[1::2]] == game.sheet["deals 1-6"]
        assert [int(cell) for cell in sums[2::2]] == game.sheet["deals 7-10"]
        assert [int(cell) for cell in balance[1:]] == game.sheet["balance"]


def check_trick(stop: dict[str, Any], number: int, trick: Trick) -> None:
    """It lies complete on the table; after the last of a game, where the result stands there, in the panel."""
    if stop["task"] == "The game is over":
        assert stop["cards"] == [card for _, card in trick.in_order()]
        assert stop["trick"] == f"Trick {number}, taken by seat {trick.taker}"
    else:
        assert [stop["onTable"][place] for place in PLACES] == trick.cards
        assert stop["framed"] == PLACES[trick.taker]
    assert [len(hand) for hand in stop["hands"]] == [13 - number] * 4


def in_hand(card: str) -> tuple[int, int]:
    return "SHDC".index(card[1]), "AKQJT98765432".index(card[0])


def points_of(stop: dict[str, Any]) -> list[int]:
    """Of the deal that is on, as the plates have them."""
    return [int(points.replace("−", "-")) for *_, points in stop["plates"]]


def sheet_row(stop: dict[str, Any], deal: int) -> list[int]:
    """The points of a deal, which stand in the first column of each seat if it is negative, else in the second."""
    (cells,) = [cells for title, *cells in stop["sheet"] if re.match(rf"{deal}(?!\d)", title)]
    of_kind, other = (cells[0::2], cells[1::2]) if deal <= 6 else (cells[1::2], cells[0::2])
    assert other == [""] * 4
    return [int(cell) for cell in of_kind]


def test_the_calls_stand_in_the_panel_and_before_their_seats(page: Page, golden: Path) -> None:
    (deal,) = column.read(FILES[LINE_OF_AUCTION - 1]).deals
    page.open(golden, line=LINE_OF_AUCTION)
    for seat, call in deal.calls[:-1]:
        page.press(Keys.ARROW_RIGHT)
        if call.startswith("up"):
            break
        assert page.table()["onTable"][PLACES[seat]] == call
    assert page.text("#panel .calls tbody").startswith(deal.calls[0][1])
    assert page.text("#table .best-bid") == f"best bid{deal.bid}seat {deal.buyer}"


def test_plates_say_who_sits_there_and_whose_turn_it_is(page: Page, golden: Path) -> None:
    page.open(golden, line=LINE_OF_GAME)
    table = page.table()
    assert [plate[:3] for plate in table["plates"]] == [
        [f"Seat {seat}", name, "0 tricks"] for seat, name in enumerate(PLAYERS)
    ]
    assert table["toAct"] == [2]
    assert page.text("#panel .task") == "Seat 2 is to play"
    assert page.text("#panel h2") == "no tricks" and page.text("#panel .terms") == "−20 a trick"


def test_cards_that_may_not_be_played_are_shaded(page: Page, golden: Path) -> None:
    page.open(golden, line=LINE_OF_GAME, move=1)  # the two of spades is led; seat 3 holds 986
    table = page.table()
    assert [card for card in table["hands"][3] if card not in table["shaded"][3]] == ["9S", "8S", "6S"]
    assert table["shaded"][:3] == [[], [], []]


def test_the_end_names_the_winner(page: Page, golden: Path) -> None:
    page.open(golden, line=LINE_OF_GAME)
    page.press(Keys.END)
    assert page.text("#table .result .first").replace("−", "-") == "1.Seat 2+140"


def test_what_a_file_says_besides_can_be_read(page: Page, golden: Path) -> None:
    page.open(golden, line=LINE_OF_GAME)
    about = page.text("#about dl")
    assert f"games.jsonl, line {LINE_OF_GAME}" in about and "titlegame_portuguese" in about and "Duarte" in about


# Who sees what


def test_the_view_of_a_seat_hides_the_other_hands(page: Page, golden: Path) -> None:
    page.open(golden, line=LINE_OF_GAME, move=5)
    all_hands = page.table()["hands"]
    page.choose("#view", f"Seat 2, {PLAYERS[2]}")
    table = page.table()
    assert table["hands"] == [[], [], all_hands[2], []]
    assert table["backs"] == [len(hand) if seat != 2 else 0 for seat, hand in enumerate(all_hands)]
    assert table["places"][2] == "below" and table["places"][3] == "left"
    page.press(Keys.ARROW_RIGHT)
    assert [len(hand) for hand in page.table()["hands"]][:2] == [0, 0]
    page.choose("#view", "all hands")
    assert page.table()["backs"] == [0] * 4


# Moving


def test_keys_step_and_jump(page: Page, golden: Path) -> None:
    page.open(golden, line=LINE_OF_GAME)
    steps = [
        ((Keys.ARROW_RIGHT,), 1),
        ((Keys.ARROW_RIGHT,), 2),
        ((Keys.ARROW_LEFT,), 1),
        ((Keys.SHIFT, Keys.ARROW_RIGHT), 4),
        ((Keys.SHIFT, Keys.ARROW_RIGHT), 8),
        ((Keys.SHIFT, Keys.ARROW_LEFT), 4),
        ((Keys.HOME,), 0),
        ((Keys.ARROW_LEFT,), 0),
    ]
    for keys, move in steps:
        page.press(*keys)
        assert page.move() == move
    page.press(Keys.END)
    assert page.text("#panel .task") == "The game is over"
    end = page.move()
    page.press(Keys.ARROW_RIGHT)
    assert page.move() == end


def test_space_plays_and_pauses(page: Page, golden: Path) -> None:
    page.open(golden, line=LINE_OF_GAME)
    page.choose("#speed", "fast")
    page.driver.execute_script("document.activeElement.blur()")
    page.press(Keys.SPACE)
    assert page.driver.execute_script("return document.querySelector('#play').ariaLabel") == "Pause"
    wait_until(lambda: page.move() >= 2)
    page.press(Keys.SPACE)
    stopped = page.move()
    time.sleep(0.7)
    assert page.move() == stopped
    assert page.driver.execute_script("return document.querySelector('#play').ariaLabel") == "Play"


def test_playing_stops_at_the_end(page: Page, golden: Path) -> None:
    page.open(golden, line=LINE_OF_GAME)
    page.press(Keys.END)
    page.press(Keys.ARROW_LEFT, times=2)
    end = page.move() + 2
    page.choose("#speed", "fast")
    page.click("#play")
    wait_until(lambda: page.move() == end)
    assert page.driver.execute_script("return document.querySelector('#play').ariaLabel") == "Play"


def test_the_slider_moves_by_one_with_the_arrows(page: Page, golden: Path) -> None:
    page.open(golden, line=LINE_OF_GAME)
    page.driver.execute_script("document.querySelector('#moment').focus()")
    page.press(Keys.ARROW_RIGHT)
    assert page.move() == 1 and len(page.table()["hands"][2]) == 12


def test_buttons_do_what_they_say(page: Page, golden: Path) -> None:
    page.open(golden, line=LINE_OF_GAME)
    moves = [("next", 1), ("next-trick", 4), ("previous", 3), ("previous-trick", 0), ("next", 1), ("first", 0)]
    for button, move in moves:
        page.click(f"#{button}")
        assert page.move() == move
    page.click("#last")
    assert page.text("#panel .task") == "The game is over"


def test_a_deal_and_a_trick_can_be_chosen(page: Page, golden: Path) -> None:
    page.open(golden, line=LINE_OF_GAME)
    page.choose("#deal", "3 no queens")
    assert page.text("#panel .title") == "Deal 3 of 10" and page.move() == 2 * (MOVES_OF_A_CARD_DEAL + 1)
    page.choose("#trick", "5")
    assert page.move() == 2 * (MOVES_OF_A_CARD_DEAL + 1) + 16
    page.click('#panel [data-deal="2"]')
    assert page.text("#panel .title") == "Deal 2 of 10"
    assert page.driver.execute_script("return document.activeElement.dataset.deal") == "2"


def test_another_game_can_be_chosen(page: Page, golden: Path) -> None:
    page.open(golden)
    page.driver.execute_script(
        "const games = document.querySelector('#game'); games.value = arguments[0];"
        "games.dispatchEvent(new Event('change'))",
        str(LINE_OF_GAME - 1),
    )
    assert page.text("#panel .title") == "Deal 1 of 10" and page.move() == 0


def test_the_address_leads_back_to_the_moment(page: Page, golden: Path) -> None:
    page.open(golden, line=LINE_OF_GAME)
    page.press(Keys.ARROW_RIGHT, times=3)
    wait_until(lambda: page.driver.current_url.endswith(f"#line={LINE_OF_GAME}&move=3"))
    page.driver.refresh()
    assert page.move() == 3 and page.text("#panel .title") == "Deal 1 of 10"


# For everyone


def test_what_happens_is_read_out(page: Page, golden: Path) -> None:
    page.open(golden, line=LINE_OF_GAME, move=1)
    assert page.text("#said[aria-live=polite]") == f"Seat 2, {PLAYERS[2]}, plays the two of spades."
    page.press(Keys.ARROW_RIGHT, times=3)
    assert page.text("#said").endswith("Seat 0 takes trick 1.")


def test_everything_that_can_be_worked_has_a_name(page: Page, golden: Path) -> None:
    page.open(golden, line=LINE_OF_GAME)
    nameless = page.driver.execute_script(
        "return [...document.querySelectorAll('button, select, input')].filter((control) =>"
        "!control.ariaLabel && !control.labels?.length && !control.textContent.trim()).length"
    )
    assert nameless == 0
    cards = page.driver.execute_script(
        "return [...document.querySelectorAll('#table .hand .card')].map((card) => card.ariaLabel)"
    )
    assert len(set(cards)) == 52 and "queen of hearts" in cards


@pytest.mark.parametrize("line", [LINE_OF_GAME, LINE_OF_AUCTION])
@pytest.mark.parametrize("viewer", ["all hands", f"Seat 1, {PLAYERS[1]}"])
def test_a_phone_needs_no_scrolling_sideways(line: int, viewer: str, page: Page, golden: Path) -> None:
    page.set_size(PHONE)
    page.open(golden, line=line)
    page.choose("#view", viewer)
    for move in range(12):
        assert not page.scrolls_sideways(), f"at move {move}"
        page.press(Keys.ARROW_RIGHT)
    page.press(Keys.END)
    assert not page.scrolls_sideways()
    narrowest = page.driver.execute_script(
        "return Math.min(...[...document.querySelectorAll('.buttons button')].map((button) => button.offsetWidth))"
    )
    assert narrowest >= 36


def test_the_page_is_dark_where_its_reader_likes_it(page: Page, golden: Path) -> None:
    def brightness() -> int:
        background = page.driver.execute_script("return getComputedStyle(document.body).backgroundColor")
        return sum(int(part) for part in background.removeprefix("rgb(").removesuffix(")").split(","))

    page.open(golden)
    page.set_colours("dark")
    dark = brightness()
    page.set_colours("light")
    assert dark < 3 * 60 < 3 * 200 < brightness()


# On its own


def test_nothing_is_fetched(page: Page, golden: Path) -> None:
    page.open(golden, line=LINE_OF_GAME)
    assert page.driver.execute_script("return performance.getEntriesByType('resource').length") == 0
    assert "default-src 'none'" in golden.read_text("utf-8")


EVIL = [
    "<script>window.pwned = 1</script>",
    '</script><script>window.pwned = 1</script><img src="x" onerror="window.pwned = 1">',
    "<!--<script>" + 300 * "W",
    "{{ script }} & \u2028 \ud800",
]


def test_names_and_notes_of_strangers_are_text(page: Page, tmp_path: Path) -> None:
    record = Game(seed=1, num_deals=1).to_record() | {
        "meta": {"players": EVIL, EVIL[1]: EVIL[0], "number": float("nan")}
    }
    path = tmp_path / "games.jsonl"
    path.write_text(json.dumps(record) + "\n")
    page.open(written(path, tmp_path / "<b>games.html"))
    assert page.driver.execute_script("return window.pwned ?? null") is None
    assert [plate[1] for plate in page.table()["plates"]][:3] == EVIL[:3]
    assert page.text("#about dl").endswith(f"{EVIL[1]}{EVIL[0]}numberNaN")
    page.set_size(PHONE)
    page.press(Keys.ARROW_RIGHT, times=3)
    assert not page.scrolls_sideways()


def test_a_missing_browser_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(RuntimeError, match="by the programs chromium and chromedriver: run scripts/setup-browser$"):
        chromium(tmp_path).__enter__()


# What was thought


@pytest.fixture(scope="module")
def thoughtful(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The first deal of a golden game; whoever led it thought, and a search judges all."""
    whole = [line.game() for line in read_lines(RECORDS)][LINE_OF_GAME - 1]
    actions = whole.to_record()["actions"][:8]
    thought = {"probabilities": {"2S": 0.75, "5H": 0.25}, "value": -12.34, "unit": "points to come"}
    record = whole.to_record() | {"actions": actions}
    del record["scores"]
    record["meta"] = {"players": PLAYERS, "thoughts": [thought] + [None] * 7}
    return page_of(tmp_path_factory.mktemp("thoughts"), record, "--judge", "search:worlds=5")


def test_a_policy_shows_its_probabilities_and_its_value(page: Page, thoughtful: Path) -> None:
    page.open(thoughtful)
    assert page.is_shown("#decision")
    decision = page.text("#decision").replace("−", "-")
    assert decision.startswith("Seat 2's decision: plays 2")  # and the sign, which is drawn
    assert "Value -12.3 points to come" in decision
    assert page.text('#decision [data-action="2S"]').startswith("2 ◂75.0 %")
    assert page.text('#decision [data-action="5H"]').startswith("525.0 %")


def test_a_judge_says_what_it_would_have_done_and_by_how_much(page: Page, thoughtful: Path) -> None:
    game = next(
        json.loads(block.split("</script>")[0])
        for block in thoughtful.read_text("utf-8").split('<script type="application/json" class="game">')[1:]
    )
    steps = game["deals"][0]["steps"]
    disagreeing = [number for number, step in enumerate(steps) if step.get("judged", {}).get("disagrees")]
    assert disagreeing
    judged = steps[disagreeing[0]]["judged"]
    page.open(thoughtful, line=1, move=disagreeing[0])
    assert page.text("#decision .loses").startswith("search:worlds=5 prefers ")
    assert f" by {judged['loses']:.1f} ± {judged['error']:.1f} points." in page.text("#decision .loses")
    assert page.text("#disagreements summary") == f"search:worlds=5 disagrees with {len(disagreeing)} moves"
    page.press(Keys.END)
    page.click("#disagreements summary")
    page.click("#disagreements li button")
    assert page.move() == disagreeing[0]


def test_the_view_of_a_seat_hides_what_others_thought(page: Page, thoughtful: Path) -> None:
    page.open(thoughtful)
    page.choose("#view", f"Seat 1, {PLAYERS[1]}")
    assert page.text("#decision") == "Seat 2's decisionNot shown in another seat's view."
    assert page.driver.execute_script("return document.querySelectorAll('#decision [data-action]').length") == 0


def test_without_thoughts_there_is_nothing_to_decide(page: Page, golden: Path) -> None:
    page.open(golden, line=LINE_OF_GAME)
    assert not page.is_shown("#decision") and not page.is_shown("#disagreements")
