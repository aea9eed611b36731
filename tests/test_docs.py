"""The pages for people say what the code does: the tables of docs/rules.md, its examples, and the README."""

from __future__ import annotations

import ast
import dataclasses
import re
from pathlib import Path

import pytest

from king_env.engine.actions import NUM_ACTIONS
from king_env.engine.contracts import (
    CARD_POINTS,
    CONTRACT_NAMES,
    DOWN,
    DOWN_START,
    NEGATIVE_NAMES,
    TOTAL_POINTS,
    TRICK_POINTS,
    UNIT_POINTS,
    UP,
)
from king_env.game import Game
from king_env.notation import action_text, cards_text, parse_action, parse_deal
from king_env.ruleset import PORTUGUESE, RULESETS, RuleSetError, make_ruleset
from tests.engine.table import SOME_DEAL, carousel, legal, positive, say, scores, take_tricks

ROOT = Path(__file__).resolve().parent.parent
RULES = (ROOT / "docs" / "rules.md").read_text("utf-8")
README = (ROOT / "README.md").read_text("utf-8")

Row = dict[str, str]


# Reading a page


def section(number: str) -> str:
    """The text of one numbered section of the rules, without the sections below it."""
    pieces = re.split(r"^#{2,3} (\d(?:\.\d)?)\.? .*$", RULES, flags=re.MULTILINE)
    return pieces[pieces.index(number) + 1]


def tables(text: str) -> list[list[Row]]:
    """The tables of a text, each as its rows by the heads of the columns."""
    found: list[list[Row]] = []
    for block in re.findall(r"(?:^\|.*\|\n)+", text, flags=re.MULTILINE):
        head, _, *rows = [[cell.strip() for cell in line.strip("|\n").split("|")] for line in block.splitlines()]
        found.append([dict(zip(head, row, strict=True)) for row in rows])
    return found


def code(cell: str) -> list[str]:
    """What stands between backticks in a cell."""
    return re.findall(r"`([^`]+)`", cell)


def number(cell: str) -> int:
    """The first number in a cell, with the minus sign of print."""
    found = re.search(r"[−+]?\d+", cell)
    assert found, f"no number in {cell!r}"
    return int(found[0].replace("−", "-"))


def blocks(text: str, language: str) -> list[str]:
    """The fenced blocks of a text in this language."""
    return re.findall(rf"^```{language}\n(.*?)^```", text, flags=re.MULTILINE | re.DOTALL)


# The rules


def test_the_sections_are_numbered_as_docstrings_cite_them() -> None:
    numbers = re.findall(r"^#{2,3} (\d(?:\.\d)?)", RULES, flags=re.MULTILINE)
    assert numbers == ["1", "2", "3", "3.1", "3.2", "3.3", "3.4", "3.5", "4", "5", "6", "7"]


def test_every_citation_in_the_code_names_a_section() -> None:
    known = set(re.findall(r"^#{2,3} (\d(?:\.\d)?)", RULES, flags=re.MULTILINE))
    for path in (ROOT / "king_env").rglob("*.py"):
        for cited in re.findall(r"Rules (\d(?:\.\d)?)", path.read_text("utf-8")):
            assert cited in known, f"{path.name} cites Rules {cited}"


def test_links_within_the_rules_lead_somewhere() -> None:
    titles = re.findall(r"^#+ (.*)$", RULES, flags=re.MULTILINE)
    anchors = {re.sub(r"[^\w\- ]", "", title.lower()).replace(" ", "-") for title in titles}
    assert set(re.findall(r"\]\(#([^)]*)\)", RULES)) <= anchors


def test_the_negative_contracts_pay_what_their_table_says() -> None:
    rows = tables(section("2"))[0]
    assert [code(row["contract"])[0] for row in rows] == list(NEGATIVE_NAMES)
    for contract, row in enumerate(rows):
        assert (
            number(row["pays"])
            == UNIT_POINTS[contract]
            == min(TRICK_POINTS[contract].min(), CARD_POINTS[contract].min())
        )
        assert number(row["total"]) == TOTAL_POINTS[contract]


def test_the_positive_contracts_pay_what_their_table_says() -> None:
    up, down = tables(section("3"))[0]
    assert (code(up["contract"]), code(down["contract"])) == ([CONTRACT_NAMES[UP]], [CONTRACT_NAMES[DOWN]])
    assert number(up["pays"]) == UNIT_POINTS[UP]
    assert [int(n.replace("−", "-")) for n in re.findall(r"[−+]\d+", down["pays"])] == [DOWN_START, UNIT_POINTS[DOWN]]
    assert [number(row["total"]) for row in (up, down)] == [TOTAL_POINTS[UP], TOTAL_POINTS[DOWN]]


@pytest.mark.parametrize(
    "row", tables(section("2"))[1], ids=lambda row: f"{row['contract']} {row['led']} {row['hand']}"
)
def test_the_legal_cards_of_the_examples(row: Row) -> None:
    (contract,), (hand,), (may_be_played,) = code(row["contract"]), code(row["hand"]), code(row["may be played"])
    led = None if row["led"] == "on lead" else row["led"][0].upper()
    assert legal(hand, led, contract) == may_be_played


def test_the_cards_of_the_example_of_a_trump() -> None:
    assert legal("7D 3H 2S", "C", "up", trump="S") == "7D 3H 2S"
    assert legal("7D 3H 2C", "C", "up", trump="S") == "2C"


@pytest.mark.parametrize("row", tables(section("3.5"))[0], ids=lambda row: " ".join(row.values()))
def test_the_settlement_table_is_what_is_paid(row: Row) -> None:
    (bid,) = code(row["bought with"])
    owner, buyer = number(row["tricks of the owner"]), number(row["tricks of the buyer"])
    rest = 13 - owner - buyer
    game = say(positive(deal=carousel()), f"0 auction, 1 pass, 2 {bid}, 3 pass, 0 accept")
    if bid.startswith("bid"):
        say(game, "2 up NT")
    take_tricks(game, owner, rest // 2, buyer, rest - rest // 2)
    assert scores(game)[0] == number(row["owner ends with"])
    assert scores(game)[2] == number(row["buyer ends with"])


def test_the_score_sheet_of_the_example_adds_up() -> None:
    negative, positives, balance = (
        [number(cell) for head, cell in row.items() if head] for row in tables(section("4"))[0]
    )
    assert [sum(column) for column in zip(negative, positives, strict=True)] == balance
    assert all(sum(row[:-1]) == row[-1] for row in (negative, positives, balance))


def test_the_table_of_actions_is_the_action_space() -> None:
    rows = tables(section("5"))[0]
    ids = [[int(end) for end in row["number"].split("–")] for row in rows]
    assert [first for first, *_ in ids] == [0, *(last + 1 for *_, last in ids[:-1])]
    assert ids[-1][-1] == NUM_ACTIONS - 1
    for row, ends in zip(rows, ids, strict=True):
        assert code(row["text"]) == [action_text(end) for end in ends]


def test_the_example_of_a_deal_reads_as_described() -> None:
    (text,) = blocks(section("5"), "text")
    hand = cards_text(parse_deal(text.strip())[0])
    assert hand == "AS KS QS 2S JH 9H 3H TD 8D 5D 7C 6C 4C"


# Its worked examples


@dataclasses.dataclass
class Line:
    """One line of an auction: who says what, and what that seat could not have said."""

    seat: int
    call: str
    forbidden: list[str]


def auction(example: str) -> tuple[str, list[Line]]:
    """The rule set that heads an example, and its lines."""
    ruleset, *lines = example.splitlines()
    read = []
    for line in lines:
        seat, call, *comment = re.split(r"\s{2,}", line)
        _, _, forbidden = " ".join(comment).partition("not: ")
        read.append(Line(int(seat), call, forbidden.split(", ") if forbidden else []))
    return ruleset, read


@pytest.mark.parametrize("example", blocks(section("6"), "text"))
def test_the_auctions_of_the_examples_go_as_written(example: str) -> None:
    ruleset, lines = auction(example)
    game = positive(ruleset)
    for line in lines:
        assert game.turn == line.seat
        for call in line.forbidden:
            parse_action(call)
            assert call not in game.legal()
        game.play(line.call)
    assert game.is_over or game.phase == "playing"


def test_skipping_pays_as_the_example_says() -> None:
    game = positive()
    for call in ("auction", "pass", "pass", "pass", "skip"):
        game.play(call)
    assert game.scores == [100, 75, 75, 75]


# The options


def option_text(option: str, value: object) -> str:
    """How the rules write the value of an option."""
    if option == "negatives":
        orders = tables(section("2"))[0]
        for name in ("Portuguese order", "Brazilian order"):
            if sorted(orders, key=lambda row: int(row[name])) == [
                orders[NEGATIVE_NAMES.index(c)] for c in _names(value)
            ]:
                return name
        return "neither order"
    if isinstance(value, bool):
        return "yes" if value else "no"
    return str(value) if isinstance(value, int) else f"`{'none' if value is None else value}`"


def _names(value: object) -> list[str]:
    assert isinstance(value, tuple)
    return list(value)


def test_the_table_of_options_is_what_the_rule_sets_choose() -> None:
    rows = tables(section("7"))[0]
    assert [code(row["option"])[0] for row in rows] == [field.name for field in dataclasses.fields(PORTUGUESE)]
    for row in rows:
        (option,) = code(row["option"])
        for name, ruleset in RULESETS.items():
            assert row[f"`{name}`"] == option_text(option, getattr(ruleset, option)), (option, name)


def test_the_table_of_options_has_a_column_for_each_rule_set() -> None:
    assert list(tables(section("7"))[0][0]) == ["option", "may be", *(f"`{name}`" for name in RULESETS)]


# How the page speaks of an option that is refused, and what takes the refusal away.
REFUSED_OPTIONS: dict[str, tuple[str, dict[str, object]]] = {
    "ultimatum": ("ultimatum", {"ultimatum": False}),
    "max_nulls": ("bids of nulls", {"max_nulls": 0}),
    "max_bid, max_nulls": ("no bids", {"max_bid": 0, "max_nulls": 0}),
    "skip_limit": (r"\bskip\b|bid is worth", {"skip_limit": None}),
    "settlement": ("settlement|paid", {"settlement": None}),
    "auction": ("^an auction", {"max_bid": 8}),
    "negatives": ("each of the six", {"negatives": NEGATIVE_NAMES}),
}


def refusals(change: dict[str, object]) -> dict[str, str]:
    """Each option that a change to the Portuguese rules has refused, with the reason, until nothing is left to mend."""
    options, reasons = dict(change), dict[str, str]()
    while True:
        try:
            dataclasses.replace(PORTUGUESE, **options)  # type: ignore[arg-type]
        except RuleSetError as refusal:
            option, _, reason = str(refusal).partition(": ")
            mended = REFUSED_OPTIONS[option][1]
            reasons[option] = reason
            if mended.keys() & change.keys():
                return reasons
            options |= mended
        else:
            return reasons


@pytest.mark.parametrize("row", tables(section("7"))[1], ids=lambda row: row["change"])
def test_the_contradictions_of_the_examples_are_refused_for_their_reasons(row: Row) -> None:
    (change,) = code(row["change"])
    call = ast.parse(f"dict({change})", mode="eval").body
    assert isinstance(call, ast.Call)
    reasons = refusals({keyword.arg: ast.literal_eval(keyword.value) for keyword in call.keywords if keyword.arg})
    why_not = row["why not"]
    assert reasons
    assert set(reasons) == {option for option, (words, _) in REFUSED_OPTIONS.items() if re.search(words, why_not)}
    for figure in re.findall(r"\d+", why_not):
        assert any(figure in reason for reason in reasons.values())


# The code on the pages


@pytest.mark.parametrize("page", ["README.md", "docs/rules.md"])
def test_the_code_of_a_page_runs(page: str) -> None:
    text = (ROOT / page).read_text("utf-8")
    snippets = blocks(text, "python")
    assert snippets
    names: dict[str, object] = {}
    for snippet in snippets:
        lines_above = text[: text.index(snippet)].count("\n")  # so that an error points at its line of the page
        exec(compile("\n" * lines_above + snippet, ROOT / page, "exec"), names)


def test_the_readme_links_to_files_that_exist() -> None:
    for target in re.findall(r"\]\(([^)#:]+)(?:#[^)]*)?\)", README):
        assert (ROOT / target).exists(), target


def test_the_readme_leaves_no_table_to_be_filled_in() -> None:
    pieces = [piece.strip("\n") for piece in re.split(r"\n\n+|(?<=-->)\n", README)]
    for place, piece in enumerate(pieces):
        if not piece.startswith("<!-- table: "):
            continue
        above, table, below = pieces[place - 1], pieces[place + 1], pieces[place + 2]
        assert re.fullmatch(r"(\|.*\|\n)(\|[-:| ]+\|)(\n\|.*\|)+", table), f"no table with a head and rows at {piece}"
        assert len({line.count("|") for line in table.splitlines()}) == 1, f"the rows differ in length at {piece}"
        assert "scripts/" in above + below or "make " in above + below, f"no command that makes the table at {piece}"


# The version


def test_the_version_is_the_same_wherever_it_stands() -> None:
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    citation = (ROOT / "CITATION.cff").read_text("utf-8")
    changes = (ROOT / "CHANGELOG.md").read_text("utf-8")
    (version,) = re.findall(r'^version = "(.*)"$', project, flags=re.MULTILINE)
    assert re.findall(r'^version: "?([^"\n]*)"?$', citation, flags=re.MULTILINE) == [version]
    assert f"\n## {version}" in changes


def test_some_deal_of_the_table_is_the_deal_of_the_page() -> None:
    assert blocks(section("5"), "text") == [f"{SOME_DEAL}\n"]


def test_a_rule_set_can_be_asked_for_by_the_names_of_the_page() -> None:
    for name in re.findall(r"^### 3\.\d .*\(`(\w+)`\)$", RULES, flags=re.MULTILINE):
        assert isinstance(Game(make_ruleset(name), seed=1), Game)
