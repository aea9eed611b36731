"""The panel: which cells it has, when they end, that an interrupted one goes on, and that its deals are apart."""

from __future__ import annotations

import ast
import json
from pathlib import Path

import numpy as np
import pytest

from king_env.chance import PURPOSES, new_streams
from king_env.evaluation import play_match
from king_env.evaluation.panel import (
    ALL_BLOCKS,
    BLOCKS_AT_ONCE,
    NARROW,
    NOTHING_PLAYED,
    OUT_OF_TIME,
    SETTLED,
    Cell,
    Match,
    Panel,
    PanelError,
    PanelPlan,
    best_response_to,
    is_look,
    knows_replies,
    play_more,
)
from king_env.evaluation.panel_reports import panel_markdown, panel_tables, share_of_way
from king_env.evaluation.statistics import BlockSums, Estimate, estimate_mean
from king_env.evaluation.tallies import COLUMNS
from king_env.ruleset import RULESETS
from scripts.evaluate import main

ROOT = Path(__file__).parents[2]
CHEAP = PanelPlan(bots=("random", "heuristic"), episodes=("deal",), most_blocks=2)
COMMAND = ["--panel", "random,heuristic", "--episode", "deal", "--blocks", "2"]


@pytest.fixture(scope="module")
def played_once(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What the file of the cheap panel holds when it has been played to its end."""
    path: Path = tmp_path_factory.mktemp("panel") / "panel.json"
    Panel(CHEAP).play(path)
    return path.read_text("utf-8")


@pytest.fixture
def panel_file(played_once: str, tmp_path: Path) -> Path:
    path = tmp_path / "panel.json"
    path.write_text(played_once, "utf-8")
    return path


def cell_of(totals: list[int]) -> Cell:
    """A cell in which the bot alone made so much in each block."""
    sums = BlockSums().plus(np.array(totals), np.ones(len(totals), dtype=np.int64))
    return Cell((sums,) * len(COLUMNS))


# What is played


def test_every_bot_meets_three_of_every_other_and_every_field_its_ceiling() -> None:
    matches = list(CHEAP.matches())
    assert Match("random", "heuristic", "deal") in matches and Match("heuristic", "random", "deal") in matches
    assert Match("cheating-search", "heuristic", "deal") in matches
    assert all(Match(best_response_to(trio), trio, "deal") in matches for trio in CHEAP.bots)
    assert len(matches) == 5 == len(set(matches))


@pytest.mark.parametrize("bot", ["random", "heuristic", "search:worlds=2"])
@pytest.mark.parametrize("episode", ["deal", "game"])
def test_four_copies_of_one_bot_make_exactly_nothing(bot: str, episode: str) -> None:
    plan = PanelPlan(bots=(bot,), episodes=(episode,), most_blocks=2)
    points = play_more(NOTHING_PLAYED, Match(bot, bot, episode).plan(plan)).points()
    assert (points.mean, points.half_width) == (0.0, 0.0)


def test_a_cell_is_what_one_match_of_all_its_blocks_comes_to() -> None:
    plan = PanelPlan(bots=("random", "heuristic"), most_blocks=2 * BLOCKS_AT_ONCE)
    match = Match("random", "heuristic", "deal").plan(plan)
    in_two = play_more(play_more(NOTHING_PLAYED, match), match)
    assert in_two.num_blocks == plan.most_blocks and in_two.points("game").count == 4 * plan.most_blocks
    assert in_two.points("no_tricks").count == 4 * plan.most_blocks
    assert in_two.points("positive").count == 4 * 4 * plan.most_blocks
    assert in_two.points().mean < -200 and in_two.points("no_tricks").mean < 0
    assert in_two.points("up").count > 0


def test_all_cells_are_played_on_the_same_deals() -> None:
    plans = [match.plan(CHEAP) for match in CHEAP.matches()]
    assert all((plan.deal_streams == plans[0].deal_streams).all() for plan in plans)


def test_the_best_response_knows_what_it_says_it_knows() -> None:
    assert best_response_to("heuristic") == "cheating-best-response" and knows_replies("heuristic")
    assert best_response_to("search:worlds=7").endswith("worlds=7") and knows_replies("search:worlds=7")
    assert best_response_to("search") == "cheating-best-response" and not knows_replies("search")
    assert best_response_to("random") == "cheating-best-response" and not knows_replies("random")


# When a cell ends


def test_it_is_looked_at_when_what_has_been_played_has_doubled() -> None:
    assert [number for number in range(1, 600) if is_look(number)] == [64, 128, 256, 512]


def test_a_cell_ends_when_it_is_narrow_or_is_found_to_be_settled_at_a_look() -> None:
    plan = PanelPlan(within=5.0)
    narrow, level, far = [-10, 10] * 32, [-100, 100] * 32, [100, 240] * 32
    assert cell_of(narrow).why_ended(plan) == cell_of([*narrow, 10]).why_ended(plan) == NARROW
    assert cell_of(narrow[:-1]).why_ended(plan) == ""
    assert cell_of([*far, 100]).why_ended(plan) == ""
    assert cell_of(level).why_ended(plan) == ""
    assert cell_of(far).why_ended(plan) == SETTLED
    assert cell_of([10 * points for points in far]).why_ended(plan) == ""  # sure, but too rough a figure


def test_a_cell_ends_with_its_blocks_and_its_minutes() -> None:
    played = cell_of([-100, 100] * 50)
    assert played.why_ended(PanelPlan(most_blocks=100)) == ALL_BLOCKS
    slow = Cell(played.sums, wall_seconds=61.0)
    assert slow.why_ended(PanelPlan(most_minutes=1)) == OUT_OF_TIME
    assert slow.why_ended(PanelPlan(most_minutes=2)) == ""


def test_how_much_of_a_cell_has_been_played() -> None:
    plan = PanelPlan(within=5.0, most_blocks=10_000, most_minutes=10)
    assert NOTHING_PLAYED.share_played(plan) == 0 and cell_of([-10, 10] * 32).share_played(plan) == 1
    assert cell_of([-10, 10] * 5).share_played(plan) == 0.001
    level = cell_of([-100, 100] * 50)
    assert level.share_played(plan) == pytest.approx((5.0 / level.points().half_width) ** 2)
    assert Cell(level.sums, wall_seconds=300.0).share_played(plan) == 0.5


def test_a_cell_that_goes_on_after_any_number_of_blocks_is_still_looked_at() -> None:
    few = Match("random", "heuristic", "deal").plan(PanelPlan(bots=CHEAP.bots, most_blocks=BLOCKS_AT_ONCE + 3))
    more = Match("random", "heuristic", "deal").plan(PanelPlan(bots=CHEAP.bots, most_blocks=BLOCKS_AT_ONCE * 3))
    cell = play_more(play_more(NOTHING_PLAYED, few), few)
    assert play_more(cell, more).num_blocks == 2 * BLOCKS_AT_ONCE


def test_sums_say_what_all_blocks_say() -> None:
    rng = np.random.default_rng(1)
    totals, counts = rng.integers(-900, 400, size=50), rng.integers(0, 5, size=50)
    sums = BlockSums().plus(totals[:20], counts[:20]).plus(totals[20:], counts[20:])
    of_sums, of_blocks = sums.estimate(), estimate_mean(totals, counts)
    assert of_sums.mean == pytest.approx(of_blocks.mean) and of_sums.count == of_blocks.count
    assert of_sums.half_width == pytest.approx(of_blocks.half_width)
    assert BlockSums().estimate().count == 0


def test_strength_lies_between_its_ends() -> None:
    low, high = Estimate(-800.0, 8.0, 1), Estimate(400.0, 10.0, 1)
    assert share_of_way(low, low, high).mean == 0 and share_of_way(high, low, high).mean == 100
    assert share_of_way(Estimate(0.0, 6.0, 1), low, Estimate(-795.0, 10.0, 1)).count == 0
    half_way = share_of_way(Estimate(-200.0, 6.0, 1), low, high)
    assert half_way.mean == 50 and half_way.half_width == pytest.approx(100 * np.hypot(6, np.hypot(4, 5)) / 1200)


# A file that goes on


def test_an_interrupted_panel_goes_on_with_what_is_missing(tmp_path: Path, panel_file: Path) -> None:
    path, whole = tmp_path / "interrupted.json", Panel(CHEAP, panel_file)
    told: list[Match] = []

    def interrupt_after_two(match: Match) -> None:
        told.append(match)
        if len(told) == 2:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        Panel(CHEAP, path).play(path, interrupt_after_two)
    resumed = Panel(CHEAP, path)
    assert len(resumed.unfinished) == 3
    resumed.play(path, told.append)
    assert set(told) == set(CHEAP.matches()) and len(told) == 5 == resumed.num_played and not resumed.unfinished
    for match in CHEAP.matches():
        cells = [panel.cell(match.lone, match.trio, match.episode) for panel in (whole, resumed, Panel(CHEAP, path))]
        assert cells[0].sums == cells[1].sums == cells[2].sums


def test_more_bots_are_added_to_a_file_and_none_are_lost(panel_file: Path) -> None:
    one = PanelPlan(bots=("uniform",), episodes=("deal",), most_blocks=1)
    Panel(one, panel_file).play(panel_file)
    assert not Panel(CHEAP, panel_file).unfinished
    cells = json.loads(panel_file.read_text("utf-8"))["cells"]
    assert {"random", "heuristic", "uniform"} <= {cell["lone"] for cell in cells}


@pytest.mark.parametrize(
    ("plan", "message"),
    [
        (PanelPlan(bots=CHEAP.bots, seed=2), "holds a panel of seed 1, not 2"),
        (PanelPlan(bots=CHEAP.bots, ruleset=RULESETS["brazilian_trump"]), "holds a panel under other rules"),
    ],
)
def test_a_file_of_another_panel_is_refused(plan: PanelPlan, message: str, tmp_path: Path) -> None:
    path = tmp_path / "panel.json"
    Panel(CHEAP).write(path)
    with pytest.raises(PanelError, match=message):
        Panel(plan, path)


def test_games_of_another_version_of_a_bot_are_refused(panel_file: Path) -> None:
    content = json.loads(panel_file.read_text("utf-8"))
    content["cells"][0]["bot_versions"] = [7, 7]
    panel_file.write_text(json.dumps(content), "utf-8")
    with pytest.raises(PanelError, match="another version of"):
        Panel(CHEAP, panel_file)


def test_a_file_of_something_else_is_refused(panel_file: Path) -> None:
    content = json.loads(panel_file.read_text("utf-8"))
    del content["cells"][0]["sums"]["game"]
    for text in (json.dumps(content), "{}", "[]", "7", "{", ""):
        panel_file.write_text(text, "utf-8")
        with pytest.raises(PanelError, match="is not the file of a panel"):
            Panel(CHEAP, panel_file)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"bots": ()}, "at least one bot"),
        ({"bots": ("random", "random")}, "each once"),
        ({"within": 0.0}, "within: must be a positive number"),
        ({"most_minutes": 0.0}, "minutes: must be more than 0"),
        ({"most_blocks": 0}, "blocks: must be a whole number"),
    ],
)
def test_a_plan_that_makes_no_sense_is_refused(options: dict[str, object], message: str) -> None:
    with pytest.raises(PanelError, match=message):
        PanelPlan(**options)  # type: ignore[arg-type]


# Deals that nothing else sees


def test_the_deals_of_the_panel_are_those_of_no_other_purpose() -> None:
    for seed in (1, 20):
        drawn = [new_streams(seed, 100, purpose).tobytes() for purpose in PURPOSES]
        assert len(set(drawn)) == len(PURPOSES)


def test_no_match_is_played_on_the_deals_of_the_panel(tmp_path: Path) -> None:
    path = tmp_path / "games.jsonl"
    play_match(["random"] * 4, 2, CHEAP.seed, progress=False, record=path)
    in_matches = {tuple(json.loads(line)["deals"]) for line in path.read_text("utf-8").splitlines()}
    plan = Match("random", "random", "game").plan(CHEAP)
    assert len(in_matches) == 2
    assert (plan.deal_streams[:2] != new_streams(CHEAP.seed, 2, "evaluation")).all()


def test_only_the_panel_asks_for_its_deals() -> None:
    """What trains cannot import the panel (pyproject.toml), and nothing else names the purpose of its deals."""
    sources = [path for folder in ("king_env", "baselines", "scripts") for path in (ROOT / folder).rglob("*.py")]
    naming = {path.relative_to(ROOT).as_posix() for path in sources if "panel" in _texts_in(path)}
    assert naming == {"king_env/chance.py", "king_env/evaluation/panel.py"}


def _texts_in(path: Path) -> set[str]:
    nodes = ast.walk(ast.parse(path.read_text("utf-8")))
    return {node.value for node in nodes if isinstance(node, ast.Constant) and isinstance(node.value, str)}


# What is printed


def test_the_tables_show_the_matrix_both_ways_strength_ceilings_and_contracts(panel_file: Path) -> None:
    panel = Panel(CHEAP, panel_file)
    tables = panel_tables(panel)
    assert len(tables) == 5 + len(CHEAP.bots)
    one, three, strength, ceilings, shares = tables[:5]
    assert one.rows[0][1] == one.rows[1][2] == "0" and one.rows[0][2].startswith("−") and one.rows[1][1].startswith("+")
    assert three.rows[1][1].startswith("+") and three.rows[0][2].startswith("−")
    assert [row[2].split()[0] for row in strength.rows[:1]] == ["0"] and strength.rows[2][2].startswith("100")
    assert [row[2][:5] for row in ceilings.rows] == ["taken", "known"]
    assert [row[2] for row in shares.rows][1] == "0 ± 0"
    assert "| alone \\ three of | random | heuristic |" in panel_markdown(panel)


def test_a_panel_with_nothing_played_says_so() -> None:
    text = panel_markdown(Panel(CHEAP))
    assert text.startswith("UNFINISHED: 5 of 5 cells") and "–" in text


def test_the_command_goes_on_after_an_interruption(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "new" / "panel.json"
    played: list[Cell] = []

    def interrupted(cell: Cell, plan: object, advance: object) -> Cell:
        if len(played) == 2:
            raise KeyboardInterrupt
        played.append(play_more(cell, plan))  # type: ignore[arg-type]
        return played[-1]

    with monkeypatch.context() as patch:
        patch.setattr("king_env.evaluation.panel.play_more", interrupted)
        assert main([*COMMAND, "--json", str(path), "--no-progress"]) == 130
    printed = capsys.readouterr()
    assert "UNFINISHED: 3 of 5 cells" in printed.out and printed.err == "evaluate: interrupted\n"
    assert len(json.loads(path.read_text("utf-8"))["cells"]) == 2
    assert main([*COMMAND, "--json", str(path), "--markdown"]) == 0
    printed = capsys.readouterr()
    assert "UNFINISHED" not in printed.out and "| heuristic | +" in printed.out
    told = printed.err.splitlines()
    assert len(told) == 3 and "evaluate: cheating-search against three heuristic, deals: +" in printed.err
    assert all("points a game, 2 blocks (all blocks)" in line for line in told)
    content = json.loads(path.read_text("utf-8"))
    assert content["is_complete"] and [cell["points"] for cell in content["cells"][:2]] == [
        cell.to_dict(CHEAP)["points"] for cell in played
    ]


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--panel", "random", "--record", "x"], "--record: is for matches alone"),
        (["--panel", "random", "--record-thoughts"], "--record-thoughts: is for matches alone"),
        (["--bots", "random,random,random,random", "--within", "5"], "--within: is for panels alone"),
        ([], "give --bots, or --panel"),
    ],
)
def test_options_of_the_other_kind_are_refused(
    arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as refused:
        main(arguments)
    assert refused.value.code == 2 and message in capsys.readouterr().err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--panel", "heuristc"], "did you mean 'heuristic'?"),
        (["--panel", ""], "unknown bot ''"),
        (["--panel", "random", "--bots", "no/such/file.pt"], "no/such/file.pt"),
        (["--panel", "random", "--bots", "cheating-search"], "--allow-cheating"),
        (["--panel", "random", "--blocks", "0"], "blocks: must be a whole number of at least 1"),
        (["--panel", "random", "--seed", "-3"], "seed: must be a whole number of at least 0"),
        (["--panel", "random", "--within", "nan"], "within: must be a positive number"),
        (["--panel", "random", "--minutes", "nan"], "minutes: must be more than 0"),
        (["--panel", "random", "--json", "."], "--json: . is a folder"),
        (["--panel", "random", "--json", str(ROOT / "pyproject.toml")], "is not the file of a panel"),
    ],
)
def test_bad_arguments_get_one_line(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(arguments) == 2
    printed = capsys.readouterr()
    assert message in printed.err and printed.err.count("\n") == 1
    assert printed.out == ""
