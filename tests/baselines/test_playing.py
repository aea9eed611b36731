"""The options that the recipes share: what is wrong with them is said before anything is trained."""

from __future__ import annotations

from pathlib import Path

import pytest

from baselines.playing import reading, recipe_options


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["--num-envs", "0"], "argument --num-envs: must be a whole number of at least 1, not '0'"),
        (["--decisions", "-5"], "argument --decisions: must be a whole number of at least 1, not '-5'"),
        (["--blocks", "1.5"], "argument --blocks: must be a whole number of at least 1, not '1.5'"),
        (["--load", "nowhere/policy.pt"], "--load: there is no file nowhere/policy.pt"),
        (["--save", "/dev/null/policy.pt"], "--save: cannot make the folder of /dev/null/policy.pt: "),
    ],
)
def test_bad_options_are_refused(arguments: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        recipe_options("A recipe.", arguments, num_envs=4)
    assert message in capsys.readouterr().err


def test_the_folder_to_save_in_is_made(tmp_path: Path) -> None:
    options = recipe_options("A recipe.", ["--save", str(tmp_path / "runs" / "new" / "policy.pt")], num_envs=4)
    assert options.save.parent.is_dir()


def test_a_file_of_another_library_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "policy.pt"
    message = r"^--load: .*policy\.pt is no policy of this recipe \(KeyError: 'weights'\)$"
    with pytest.raises(SystemExit, match=message), reading(path):
        raise KeyError("weights")
