"""Matches on a Ray cluster: the same results and records as without one, whoever plays and whoever dies meanwhile."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from king_env.engine import batch
from king_env.engine.actions import NUM_ACTIONS
from king_env.evaluation import MatchFaultError, MatchLostError, MatchResult, play_match
from king_env.evaluation.matches import BLOCKS_A_CHUNK
from king_env.evaluation.on_ray import ClusterError, check_answers
from king_env.evaluation.panel import BLOCKS_AT_ONCE, Panel, PanelPlan
from scripts.evaluate import main

pytest.importorskip("ray")
pytestmark = pytest.mark.filterwarnings("default")  # Ray's own

FOUR_CHUNKS = 3 * BLOCKS_A_CHUNK + 5
HEURISTIC = ["heuristic", "random", "random", "random"]


class Patient:
    """Draws its actions, and leaves the numbers of the processes that it plays in in a folder.

    It does not play before so many have come.
    """

    name = "patient"
    version = 1

    def __init__(self, folder: Path, processes: int = 1) -> None:
        self.folder = folder
        self.processes = processes

    def act(self, view: npt.NDArray[Any], rng: np.random.Generator) -> int:
        return int(self.act_batch(view, rng)[0])

    def act_batch(self, views: npt.NDArray[Any], rng: np.random.Generator) -> npt.NDArray[np.int64]:
        (self.folder / str(os.getpid())).touch()
        wait_for(lambda: len(workers_in(self.folder)) >= self.processes)
        masks = np.empty((len(views), NUM_ACTIONS), dtype=np.int8)
        batch.legal_masks(views, masks)
        return (rng.random(masks.shape) * masks).argmax(axis=1)


class Deadly(Patient):
    """Ends the process that it plays in."""

    name = "deadly"

    def act_batch(self, views: npt.NDArray[Any], rng: np.random.Generator) -> npt.NDArray[np.int64]:
        os._exit(1)


class Absent(Patient):
    """Is not there in the deals without kings and jacks."""

    name = "absent"

    def act_batch(self, views: npt.NDArray[Any], rng: np.random.Generator) -> npt.NDArray[np.int64]:
        actions = super().act_batch(views, rng)
        actions[views["contract"] == 3] = -7
        return actions


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    from tests.integrations.two_nodes import two_nodes

    with two_nodes() as nodes:
        yield nodes


def workers_in(folder: Path) -> list[int]:
    return [int(file.name) for file in folder.iterdir()]


def wait_for(condition: Callable[[], bool], seconds: float = 120.0) -> None:
    until = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < until, "nobody came"
        time.sleep(0.01)


def same(result: MatchResult, other: MatchResult) -> bool:
    """Whether two results agree in all but what they took."""
    left, right = result.to_dict(), other.to_dict()
    for content in (left, right):
        for key in ("wall_seconds", "cpu_seconds"):
            content.pop(key)
        for bot in content["bots"]:
            bot.pop("ns_per_decision")
    return left == right and np.array_equal(result.tally.points, other.tally.points)


@pytest.mark.parametrize("others", [["random"] * 3, ["search:worlds=1", "uniform", "random"]])
def test_a_cluster_plays_the_same_match(others: list[str], cluster: Any, tmp_path: Path) -> None:
    four, blocks = ["heuristic", *others], FOUR_CHUNKS if others[0] == "random" else 2
    options: dict[str, Any] = {"episode": "deal", "seatings": "balanced", "progress": False}
    here = play_match(four, blocks, 7, **options, record=tmp_path / "here.jsonl")
    there = play_match(four, blocks, 7, **options, record=tmp_path / "there.jsonl", ray="auto")
    assert same(here, there)
    assert there.cpu_seconds > 0
    assert (tmp_path / "here.jsonl").read_bytes() == (tmp_path / "there.jsonl").read_bytes()


def test_both_nodes_play_and_a_killed_worker_loses_nothing(cluster: Any, tmp_path: Path) -> None:
    folders = [tmp_path / "here", tmp_path / "there"]
    for folder in folders:
        folder.mkdir()
    options: dict[str, Any] = {"episode": "deal", "seatings": "balanced", "progress": False}
    here = play_match([Patient(folders[0]), "heuristic", "random", "random"], FOUR_CHUNKS, 3, **options)

    def kill_one() -> None:
        """One of the two that play at a time, a node each, for a node has one core; the other awaits a third."""
        wait_for(lambda: len(workers_in(folders[1])) == 2)
        os.kill(workers_in(folders[1])[0], signal.SIGKILL)

    killer = threading.Thread(target=kill_one)
    killer.start()
    patient = Patient(folders[1], processes=3)
    there = play_match([patient, "heuristic", "random", "random"], FOUR_CHUNKS, 3, **options, ray="auto")
    killer.join()
    assert same(here, there)


def test_a_panel_is_the_same_on_a_cluster(cluster: Any) -> None:
    cells = []
    for ray in (None, "auto"):
        panel = Panel(PanelPlan(bots=("heuristic", "random"), episodes=("deal",), most_blocks=BLOCKS_AT_ONCE + 3))
        panel.matches = tuple(match for match in panel.matches if match.lone in panel.plan.bots)
        panel.play(ray=ray)
        cells.append([panel.cell("random", "heuristic", "deal"), panel.cell("heuristic", "random", "deal")])
    for here, there in zip(*cells, strict=True):
        assert here.num_blocks == there.num_blocks == BLOCKS_AT_ONCE + 3
        assert here.sums == there.sums and here.bot_versions == there.bot_versions
        assert there.cpu_seconds > 0


def test_a_bot_that_kills_its_workers_ends_the_match(cluster: Any, tmp_path: Path) -> None:
    with pytest.raises(MatchLostError, match=r"^ray: a chunk of the match was lost 6 times: "):
        play_match([Deadly(tmp_path), "random", "random", "random"], 1, 1, progress=False, ray="auto")


def test_a_fault_is_reported_as_it_is_here(cluster: Any, tmp_path: Path) -> None:
    faults = []
    for ray in (None, "auto"):
        with pytest.raises(MatchFaultError) as stopped:
            play_match([Absent(tmp_path), "random", "random", "random"], 2, 1, progress=False, ray=ray)
        faults.append(stopped.value.fault)
    assert faults[0] == faults[1]


def test_a_bot_that_cannot_be_sent_is_refused(cluster: Any, tmp_path: Path) -> None:
    bot = Patient(tmp_path)
    bot.lock = threading.Lock()  # type: ignore[attr-defined]
    with pytest.raises(ValueError, match="^ray: a bot cannot be sent to other processes: .*lock"):
        play_match([bot, "random", "random", "random"], 1, 1, progress=False, ray="auto")


def test_other_rules_on_a_node_are_refused(cluster: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("king_env.evaluation.on_ray.version_of_king", lambda: "another")
    with pytest.raises(MatchLostError, match="^ray: a node of the cluster has another version of King"):
        play_match(HEURISTIC, 1, 1, progress=False, ray="auto")


def test_evaluate_plays_on_a_cluster(cluster: Any, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    arguments = ["--bots", ",".join(HEURISTIC), "--blocks", "2", "--no-progress"]
    games = tmp_path / "games.jsonl"
    assert main([*arguments, "--ray", cluster.address, "--record", str(games)]) == 0
    assert "whole game" in capsys.readouterr().out
    assert games.read_bytes().count(b"\n") == 8


def test_an_address_where_nobody_listens_is_refused_at_once() -> None:
    with socket.socket() as deaf:  # bound, so that nobody else may listen there
        deaf.bind(("127.0.0.1", 0))
        address = f"127.0.0.1:{deaf.getsockname()[1]}"
        with pytest.raises(ClusterError, match=f"^ray: there is no cluster at '{address}': "):
            check_answers(address)
