"""A page of King in headless Chromium, and what a person would see there."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from selenium.webdriver import Chrome
from selenium.webdriver.common.action_chains import ActionChains
from selenium.webdriver.common.by import By
from selenium.webdriver.support.select import Select

from scripts.browser import headless_chromium

WIDE, PHONE = (1280, 900), (320, 640)

# What stands on the table: the cards of each seat, backs, cards on the table by place, plates. Characters that are none
# are shown by a browser but not told by its driver.
READ_TABLE = """
const cards = (root) => [...root.querySelectorAll(".card[data-card]")].map((card) => card.dataset.card);
const seats = [...document.querySelectorAll("#table .seat")].sort((a, b) => a.dataset.seat - b.dataset.seat);
const onTable = [...document.querySelectorAll("#table .on-table")];
const text = (root, selector) => root.querySelector(selector)?.textContent.toWellFormed() ?? null;
const framed = onTable.find((place) => place.querySelector(".framed"));
return {
  hands: seats.map(cards),
  shaded: seats.map((seat) => [...seat.querySelectorAll(".shaded")].map((card) => card.dataset.card)),
  backs: seats.map((seat) => seat.querySelectorAll(".back").length),
  places: seats.map((seat) => seat.dataset.place),
  plates: seats.map((seat) => ["seat-number", "player", "taken", "points"].map((part) => text(seat, "." + part))),
  toAct: seats.filter((seat) => seat.querySelector(".to-act")).map((seat) => Number(seat.dataset.seat)),
  onTable: Object.fromEntries(onTable.map((place) => [place.dataset.place, cards(place)[0] ?? place.textContent])),
  framed: framed?.dataset.place ?? null,
};
"""

READ_PANEL = """
const rows = [...document.querySelectorAll("#panel .sheet tr")];
const text = (selector) => document.querySelector(selector)?.textContent ?? null;
return {
  task: text("#panel .task"),
  sheet: rows.map((row) => [...row.children].map((cell) => cell.textContent.trim().replace("−", "-"))),
  trick: text("#panel .last-trick h3"),
  cards: [...document.querySelectorAll("#panel .last-trick .card")].map((card) => card.dataset.card),
};
"""

# From a game's beginning a trick at a time to its end, and what stands there each time.
WALK = f"""
const readTable = () => {{ {READ_TABLE} }};
const readPanel = () => {{ {READ_PANEL} }};
const press = (key, shiftKey) =>
  document.body.dispatchEvent(new KeyboardEvent("keydown", {{ key, shiftKey, bubbles: true }}));
const walk = [];
press("Home", false);
for (let move = -1; move !== document.querySelector("#moment").value; ) {{
  move = document.querySelector("#moment").value;
  walk.push({{ ...readTable(), ...readPanel() }});
  press("ArrowRight", true);
}}
return walk;
"""


class Page:
    """A page in the browser, as its reader works it."""

    def __init__(self, driver: Chrome) -> None:
        self.driver = driver

    def open(self, path: Path, line: int | None = None, move: int = 0) -> None:
        """Load a page anew, at a game and a moment of it if they are named."""
        self.driver.get("about:blank")
        self.driver.get(path.as_uri() + ("" if line is None else f"#line={line}&move={move}"))

    def table(self) -> dict[str, Any]:
        read: dict[str, Any] = self.driver.execute_script(READ_TABLE)
        return read

    def walk(self) -> list[dict[str, Any]]:
        """The table and the panel where each deal begins, where each trick is led and where each deal ends."""
        stops: list[dict[str, Any]] = self.driver.execute_script(WALK)
        return stops

    def text(self, selector: str) -> str:
        """What an element says, shown or not."""
        found: str = self.driver.execute_script(
            "return document.querySelector(arguments[0]).textContent.toWellFormed()", selector
        )
        return found

    def is_shown(self, selector: str) -> bool:
        return bool(self.driver.find_element(By.CSS_SELECTOR, selector).is_displayed())

    def press(self, *keys: str, times: int = 1) -> None:
        """Press these keys at once, so many times."""
        for _ in range(times):
            chain = ActionChains(self.driver, duration=0)
            for key in keys:
                chain.key_down(key)
            for key in reversed(keys):
                chain.key_up(key)
            chain.perform()

    def click(self, selector: str) -> None:
        element = self.driver.find_element(By.CSS_SELECTOR, selector)
        self.driver.execute_script("arguments[0].scrollIntoView({block: 'center'})", element)
        element.click()

    def choose(self, selector: str, text: str) -> None:
        Select(self.driver.find_element(By.CSS_SELECTOR, selector)).select_by_visible_text(text)

    def move(self) -> int:
        """Which moment is shown."""
        return int(self.value("#moment"))

    def value(self, selector: str) -> str:
        found: str = self.driver.execute_script("return document.querySelector(arguments[0]).value", selector)
        return found

    def set_size(self, size: tuple[int, int]) -> None:
        """Be a screen of this size; a narrow one is a phone."""
        metrics = {"width": size[0], "height": size[1], "deviceScaleFactor": 2, "mobile": size[0] < WIDE[0]}
        self.driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", metrics)

    def set_colours(self, scheme: str) -> None:
        """Be a device whose owner likes it `light` or `dark`."""
        features = [{"name": "prefers-color-scheme", "value": scheme}]
        self.driver.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": features})

    def complaints(self) -> list[str]:
        """What the browser's console says; it is empty afterwards."""
        return [entry["message"] for entry in self.driver.get_log("browser")]  # type: ignore[no-untyped-call]

    def scrolls_sideways(self) -> bool:
        return bool(
            self.driver.execute_script(
                "return document.documentElement.scrollWidth > document.documentElement.clientWidth"
            )
        )


@contextmanager
def chromium(folder: Path) -> Iterator[Page]:
    """A browser of its own, which keeps what it keeps in this folder. RuntimeError if there is none on the machine."""
    with headless_chromium(folder) as driver:
        page = Page(driver)
        page.set_size(WIDE)
        yield page
