"""Draw the pictures of the README anew: python scripts/pictures.py. Pages are looked at with headless Chromium."""

from __future__ import annotations

import base64
import io
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import numpy as np
from PIL import Image
from selenium.webdriver.common.by import By
from selenium.webdriver.support.expected_conditions import element_to_be_clickable
from selenium.webdriver.support.wait import WebDriverWait

from king_env import Game, bots
from king_env.__main__ import main as king_env_main
from king_env.picture import draw_table
from scripts.browser import headless_chromium
from scripts.evaluate import main as evaluate

DOCS = Path(__file__).resolve().parent.parent / "docs"
SEED = 5
POSITIVE_DEAL, CARDS_PLAYED = 6, 23  # in the midst of the first positive deal

MATCH = ["--bots", "heuristic,random,random,random", "--seed", "1", "--no-progress"]
REPLAY_BLOCKS, REPORT_BLOCKS = 1, 300
REPLAY_MOVE = 342  # in the midst of a positive deal
REPLAY_SIZE, REPORT_SIZE, PLAY_SIZE = (1200, 780), (900, 1000), (1200, 860)
BEGIN, HINT = "#begin .main-button", "#ask"  # what is pressed in the page to play in
PATIENCE, SETTLING = 60.0, 1.0  # seconds
NUM_COLOURS = 128  # of a picture of a page: nobody sees that there are no more, and the file is a third


def game_under_way() -> Game:
    """A game of four heuristics in the midst of a trick."""
    game, heuristic, rng = Game(seed=SEED), bots.make("heuristic"), np.random.default_rng(SEED)
    while len(game.scores_by_deal) < POSITIVE_DEAL or game.record["num_plays"][0] < CARDS_PLAYED:
        assert game.turn is not None, "the game has deals to come"
        game.play(heuristic.act(game.view(game.turn), rng))
    return game


def table_picture(path: Path) -> None:
    """What `env.render()` draws."""
    Image.fromarray(np.asarray(draw_table(game_under_way().record[0]))).save(path, optimize=True)


def replay_picture(path: Path) -> None:
    """What `python -m king_env view` writes."""
    with tempfile.TemporaryDirectory() as folder:
        games, page = Path(folder, "games.jsonl"), Path(folder, "games.html")
        evaluate([*MATCH, "--blocks", str(REPLAY_BLOCKS), "--record", str(games)])
        king_env_main(["view", str(games), "--output", str(page)])
        photograph(f"{page.as_uri()}#line=1&move={REPLAY_MOVE}", REPLAY_SIZE, path)


def report_picture(path: Path) -> None:
    """What `scripts/evaluate.py --report` writes."""
    with tempfile.TemporaryDirectory() as folder:
        page = Path(folder, "report.html")
        evaluate([*MATCH, "--blocks", str(REPORT_BLOCKS), "--report", str(page)])
        photograph(page.as_uri(), REPORT_SIZE, path)


def play_picture(path: Path) -> None:
    """The page of `python -m king_env play`, where a hint has been asked for."""
    with tempfile.TemporaryDirectory() as folder, playing_server(folder) as address:
        photograph(address, PLAY_SIZE, path, pressed=(BEGIN, HINT))


@contextmanager
def playing_server(folder: str) -> Iterator[str]:
    """The address of a server that keeps its games in this folder."""
    options = ["--games", folder, "--port", "0", "--seed", str(SEED), "--against", "heuristic"]
    command = [sys.executable, "-m", "king_env", "play", *options]
    with subprocess.Popen(command, cwd=DOCS.parent, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        try:
            yield next(found[0] for line in process.stdout if (found := re.search(r"http://127\.0\.0\.1:\d+/", line)))
        finally:
            process.kill()


# What is drawn, by the name of its file in docs/; each further page of King is a line here.
PICTURES: dict[str, Callable[[Path], None]] = {
    "table.png": table_picture,
    "replay.png": replay_picture,
    "report.png": report_picture,
    "play.png": play_picture,
}


def photograph(address: str, size: tuple[int, int], path: Path, pressed: Sequence[str] = ()) -> None:
    """What a browser shows of a page on a screen of this size, as a PNG; pressed: buttons, before that."""
    screen = {"width": size[0], "height": size[1], "deviceScaleFactor": 2, "mobile": False}
    light = {"features": [{"name": "prefers-color-scheme", "value": "light"}]}
    with tempfile.TemporaryDirectory() as folder, headless_chromium(Path(folder)) as driver:
        driver.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
        driver.execute_cdp_cmd("Emulation.setEmulatedMedia", light)
        driver.get(address)
        for button in pressed:
            WebDriverWait(driver, PATIENCE).until(element_to_be_clickable((By.CSS_SELECTOR, button))).click()
            time.sleep(SETTLING)
        shot = driver.execute_cdp_cmd("Page.captureScreenshot", {"format": "png"})
    image = Image.open(io.BytesIO(base64.b64decode(shot["data"]))).convert("RGB")
    image.resize(size, Image.Resampling.LANCZOS).quantize(NUM_COLOURS).save(path, optimize=True)


def main() -> int:
    """Write all PICTURES."""
    for name, draw in PICTURES.items():
        draw(DOCS / name)
        print(f"{DOCS / name}: {(DOCS / name).stat().st_size / 1000:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
