"""`scripts/evaluate.py --report`: one page that needs nothing else, says what was played, and escapes what it says."""

from __future__ import annotations

import dataclasses
import html.parser
import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from king_env.evaluation import MatchResult, play_match
from king_env.evaluation.panel import Cell, Panel, PanelPlan
from king_env.evaluation.reports import estimate_text
from king_env.evaluation.statistics import BlockSums
from king_env.evaluation.tallies import COLUMNS
from scripts.evaluate import main
from scripts.reporting.pages import match_page, panel_page, run_folder_of
from tests.web.browser import PHONE, WIDE, Page, chromium

BOTS = ["heuristic", "random", "random", "random"]
EVIL = 'runs/<script>alert("x")</script>/last.pt'
VOID_TAGS = {"meta", "wbr"}


class Outline(html.parser.HTMLParser):
    """The elements of a page, which must be closed in order, and the cells of its tables."""

    def __init__(self, page: str) -> None:
        super().__init__()
        self.open: list[str] = []
        self.tags: set[str] = set()
        self.ids: list[str] = []
        self.cells: list[str] = []
        self.feed(page)
        assert self.open == []

    def handle_starttag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.ids += [value for name, value in attributes if name == "id" and value]
        if tag not in VOID_TAGS:
            self.open.append(tag)
        if tag in ("td", "th"):
            self.cells.append("")

    def handle_startendtag(self, tag: str, attributes: list[tuple[str, str | None]]) -> None:
        self.tags.add(tag)
        self.ids += [value for name, value in attributes if name == "id" and value]

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if {"td", "th"} & set(self.open[-1:]):
            self.cells[-1] += data


@pytest.fixture(scope="module")
def result() -> MatchResult:
    return play_match(BOTS, 12, 5, tally_calls=True, progress=False)


@pytest.fixture(scope="module")
def page(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Page]:
    with chromium(tmp_path_factory.mktemp("browser")) as opened:
        yield opened


def renamed(result: MatchResult, label: str, choice: str) -> MatchResult:
    """The same match, in which the first bot is called otherwise."""
    first, *others = result.entrants
    return dataclasses.replace(
        result, entrants=(dataclasses.replace(first, label=label, choice=choice), *others), seatings=()
    )


def run_of(folder: Path) -> Path:
    """A run's folder with logs, and where its checkpoint would be."""
    folder.mkdir()
    scores = "decisions,minutes,heuristic,± heuristic\n1e6,1,-50,9\n2e6,2,10,8\n"
    training = "decisions,entropy,explained_variance,decisions_per_second\n1e6,0.9,0.2,9000\n2e6,0.5,0.4,9100\n"
    (folder / "scores.csv").write_text(scores, "utf-8")
    (folder / "training.csv").write_text(training, "utf-8")
    return folder / "last.pt"


def test_evaluate_writes_a_page(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "new" / "report.html"
    assert main(["--bots", ",".join(BOTS), "--blocks", "2", "--no-progress", "--report", str(path)]) == 0
    assert "whole game" in capsys.readouterr().out
    assert "evaluate.py --bots heuristic,random,random,random --blocks 2" in path.read_text("utf-8")
    assert list(path.parent.iterdir()) == [path]


def test_a_page_that_cannot_be_written_is_refused_before_the_match(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--bots", ",".join(BOTS), "--blocks", "2", "--report", str(tmp_path)]) == 2
    printed = capsys.readouterr()
    assert printed.out == "" and "--report: " in printed.err and printed.err.count("\n") == 1


def test_it_needs_nothing_else(result: MatchResult) -> None:
    text = match_page(result, ["evaluate.py"])
    outline = Outline(text)
    assert not {"script", "link", "img", "iframe"} & outline.tags and "svg" in outline.tags
    assert len(outline.ids) == len(set(outline.ids))
    fetched = re.findall(r"(?:src|href)=\"(?!#)[^\"]*\"|url\((?!#)", text)
    assert fetched == [] and "default-src 'none'" in text


def test_it_says_what_the_match_came_to(result: MatchResult) -> None:
    cells = Outline(match_page(result, ["evaluate.py"])).cells
    for label in result.labels:
        for column in ("game", "no_queens", "positive"):
            assert estimate_text(result.points(label, column)) in cells
    assert {"auction", "up in a suit", "refuse", "bid 1"} <= set(cells)


def test_names_are_text(result: MatchResult) -> None:
    text = match_page(renamed(result, EVIL, "heuristic"), ["evaluate.py", EVIL])
    assert "<script" not in text
    assert EVIL in Outline(text).cells


@pytest.mark.parametrize("ruleset", ["brazilian_auction", "brazilian_trump"])
def test_other_rules_have_other_calls(ruleset: str) -> None:
    outline = Outline(match_page(play_match(BOTS, 1, 5, ruleset, tally_calls=True, progress=False), ["evaluate.py"]))
    assert ("accept" in outline.cells) == (ruleset == "brazilian_auction")
    assert "up in a suit" in outline.cells and "auction" not in outline.cells


def test_a_checkpoint_of_a_run_brings_its_learning_curves(result: MatchResult, tmp_path: Path) -> None:
    checkpoint = run_of(tmp_path / "run")
    text = match_page(renamed(result, "policy", str(checkpoint)), ["evaluate.py"])
    assert "against three heuristic" in text and 'id="learning"' in text
    Outline(text)
    snapshot = checkpoint.parent / "snapshots" / "policy-1.pt"
    assert run_folder_of(str(snapshot)) == run_folder_of(str(checkpoint)) == checkpoint.parent
    assert run_folder_of("heuristic") is run_folder_of(str(tmp_path / "alone.pt")) is None


def test_phones_and_dark_rooms(result: MatchResult, tmp_path: Path, page: Page) -> None:
    path = tmp_path / "report.html"
    text = match_page(renamed(result, "runs/a-rather-long-name/of/a/run/last.pt", "heuristic"), ["evaluate.py"])
    path.write_text(text, "utf-8")
    backgrounds = set()
    for size in (WIDE, PHONE):
        for colours in ("light", "dark"):
            page.set_size(size)
            page.set_colours(colours)
            page.open(path)
            assert not page.scrolls_sideways()
            backgrounds.add(page.driver.execute_script("return getComputedStyle(document.body).backgroundColor"))
    assert len(backgrounds) == 2
    assert page.complaints() == []


class PlayedPanel(Panel):
    """A panel whose cells are made up: the bot named later in the alphabet is better."""

    def cell(self, lone: str, trio: str, episode: str) -> Cell:
        points = np.array([100, 140]) if lone > trio else np.array([-350, -450])
        return Cell((BlockSums().plus(points, np.ones(2, dtype=np.int64)),) * len(COLUMNS), (1, 1))


def test_a_panel_is_a_heat_map_of_who_beats_whom() -> None:
    panel = PlayedPanel(PanelPlan(bots=("heuristic", "random"), episodes=("deal",)))
    text = panel_page(panel, ["evaluate.py", "--panel"])
    assert 'class="gain" style="--heat: 55%">+120.0<' in text  # the root of 120 / 400
    assert 'class="loss" style="--heat: 100%">−400.0<' in text
    assert {"+120.0 ± 254.1", "random"} <= set(Outline(text).cells)
