"""A checkpoint is whole or not there, and is refused where it does not fit the game."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest
import torch

from baselines.ppo.checkpoint import (
    CheckpointError,
    array_like,
    load_policy,
    new_network,
    plain_array,
    policy_checkpoint,
    read_checkpoint,
    write_checkpoint,
)
from baselines.ppo.config import PPOConfig
from baselines.ppo.policy_bot import load
from king_env.batch_env import BatchEnv
from king_env.engine import batch
from king_env.engine.state import GameRecords, new_records

CONFIG = PPOConfig(hidden_sizes=(16, 16), ignored_sections=("totals",))


@pytest.fixture
def checkpoint() -> dict[str, Any]:
    torch.manual_seed(0)
    return policy_checkpoint(new_network(CONFIG), CONFIG, {"decisions": 5})


@pytest.fixture
def views() -> GameRecords:
    """What seats know at positions of random play."""
    env = BatchEnv(60, ruleset="portuguese", episode="deal")
    env.reset(seed=1)
    rng = np.random.default_rng(0)
    found = []
    for _ in range(30):
        _, masks, seats = env.observe()
        copies = env.games.copy()
        batch.hide_hands(copies, seats)
        found.append(copies)
        env.step((rng.random(masks.shape) * masks).argmax(axis=1))
    return np.concatenate(found)


def test_a_policy_is_read_back_as_it_was_written(checkpoint: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "policy.pt"
    write_checkpoint(checkpoint, path)
    network, config, _ = load_policy(path)
    assert config == CONFIG
    for name, tensor in network.state_dict().items():
        assert torch.equal(tensor, checkpoint["policy"][name])


def test_a_write_that_fails_leaves_the_old_file(
    checkpoint: dict[str, Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "last.pt"
    write_checkpoint(checkpoint, path)
    before = path.read_bytes()

    def fail_half_way(_: Any, file: Any) -> None:
        file.write(b"half a checkpoint")
        raise OSError("disk full")

    monkeypatch.setattr(torch, "save", fail_half_way)
    with pytest.raises(OSError, match="disk full"):
        write_checkpoint(checkpoint, path)
    assert path.read_bytes() == before


def change_layout(checkpoint: dict[str, Any]) -> None:
    checkpoint["layout"][2][1] += 1


def lose_a_section(checkpoint: dict[str, Any]) -> None:
    checkpoint["layout"].pop()


def change_actions(checkpoint: dict[str, Any]) -> None:
    checkpoint["num_actions"] = 70


def change_format(checkpoint: dict[str, Any]) -> None:
    checkpoint["format"] = 0


def lose_the_number_of_actions(checkpoint: dict[str, Any]) -> None:
    del checkpoint["num_actions"]


def widen_the_network(checkpoint: dict[str, Any]) -> None:
    checkpoint["config"]["hidden_sizes"] = [16, 24]


def lose_weights(checkpoint: dict[str, Any]) -> None:
    del checkpoint["policy"]["value_head.bias"]


def gain_weights(checkpoint: dict[str, Any]) -> None:
    checkpoint["policy"]["another_head.bias"] = torch.zeros(3)


def change_a_key_of_the_config(checkpoint: dict[str, Any]) -> None:
    checkpoint["config"]["num_tables"] = 3


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (change_layout, r"another observation layout: section 2 is master\[53\] there and master\[52\] here"),
        (
            lose_a_section,
            r"another observation layout: section \d+ is missing there and rule_stop_when_decided\[1\] here",
        ),
        (change_actions, "trained with 70 actions; the game has 81"),
        (change_format, "checkpoint format 0; this version reads 3"),
        (lose_the_number_of_actions, "is not a checkpoint of King: 'num_actions' is not the int it must be"),
        (widen_the_network, r"do not fit .*: trunk.2.weight is \[16, 16\] there and \[24, 16\] here"),
        (lose_weights, r"do not fit .*: value_head.bias is missing there and \[1\] here"),
        (gain_weights, r"do not fit .*: another_head.bias is \[3\] there and missing here"),
        (change_a_key_of_the_config, "a config that this version refuses: unknown key 'num_tables'"),
    ],
)
def test_a_checkpoint_of_another_game_is_refused(
    checkpoint: dict[str, Any], tmp_path: Path, change: Any, message: str
) -> None:
    path = tmp_path / "policy.pt"
    change(checkpoint)
    write_checkpoint(checkpoint, path)
    with pytest.raises(CheckpointError, match=message) as caught:
        load(str(path))
    assert "\n" not in str(caught.value)


def test_what_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    with pytest.raises(CheckpointError, match="no checkpoint"):
        read_checkpoint(tmp_path / "missing.pt")
    path = tmp_path / "text.pt"
    for junk in ("hello", ""):
        path.write_text(junk, "utf-8")
        with pytest.raises(CheckpointError, match="is not a checkpoint: torch finds") as caught:
            read_checkpoint(path)
        assert "weights_only" not in str(caught.value)  # torch advises to run what is in the file
    torch.save({"weights": torch.zeros(1)}, path)
    with pytest.raises(CheckpointError, match="is not a checkpoint of King"):
        read_checkpoint(path)


def test_a_file_cannot_run_code(tmp_path: Path) -> None:
    path = tmp_path / "evil.pt"
    torch.save({"layout": Path("/")}, path)  # any object that is no plain value
    with pytest.raises(CheckpointError, match="is not a checkpoint"):
        read_checkpoint(path)


@pytest.mark.parametrize(
    "array",
    [new_records(3), np.arange(6, dtype=np.uint64).reshape(2, 3), np.zeros((4, 0, 4), dtype=np.int64), np.array(True)],
    ids=["records", "unsigned words", "nothing", "a single flag"],
)
def test_any_array_can_be_kept_without_pickles(array: np.ndarray, tmp_path: Path) -> None:
    path = tmp_path / "array.pt"
    torch.save(plain_array(array), path)
    kept = torch.load(path, weights_only=True)
    read = array_like(kept, np.zeros_like(array))
    assert read.dtype == array.dtype and read.shape == array.shape and read.tobytes() == array.tobytes()
    with pytest.raises(ValueError, match="was saved as another kind"):
        array_like(kept, np.zeros(5, dtype=np.int8))


def test_the_version_of_a_policy_says_which_it_is(checkpoint: dict[str, Any], tmp_path: Path) -> None:
    path = tmp_path / "policy.pt"
    write_checkpoint(checkpoint, path)
    version = load(str(path)).version
    assert version == load(str(path), sample=True).version
    checkpoint["policy"]["value_head.bias"] += 1e-3
    write_checkpoint(checkpoint, path)
    assert load(str(path)).version != version


@pytest.mark.parametrize("sample", [False, True])
def test_a_policy_answers_with_legal_actions(
    checkpoint: dict[str, Any], tmp_path: Path, views: GameRecords, sample: bool
) -> None:
    path = tmp_path / "policy.pt"
    write_checkpoint(checkpoint, path)
    actions = load(str(path), sample=sample).act_batch(views, np.random.default_rng(0))
    masks = np.zeros((len(views), 81), dtype=np.int8)
    batch.legal_masks(views, masks)
    assert masks[np.arange(len(views)), actions].all()


def test_one_view_is_answered_as_it_is_in_a_batch(
    checkpoint: dict[str, Any], tmp_path: Path, views: GameRecords
) -> None:
    path = tmp_path / "policy.pt"
    write_checkpoint(checkpoint, path)
    bot = load(str(path))
    rng = np.random.default_rng(0)
    one_by_one = [bot.act(views[number : number + 1], rng) for number in range(len(views))]
    assert one_by_one == bot.act_batch(views, rng).tolist()
    assert len(bot.act_batch(views[:0], rng)) == 0


def test_a_policy_that_ignores_a_section_plays_the_same_whatever_it_says(
    checkpoint: dict[str, Any], tmp_path: Path, views: GameRecords
) -> None:
    path = tmp_path / "policy.pt"
    write_checkpoint(checkpoint, path)
    bot = load(str(path))
    before = bot.act_batch(views, np.random.default_rng(0))
    other_totals = views.copy()
    other_totals["scores"] += 5  # the ladder of totals, which this policy does see, has wider rungs
    assert (bot.act_batch(other_totals, np.random.default_rng(0)) == before).all()
