"""Bots by name, and what is said to whoever asks for one that does not exist."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from king_env.bots import BOTS, Bot, BotError, make


@pytest.mark.parametrize("name", [name for name in BOTS if not name.startswith("pretrained")])  # see test_pretrained.py
def test_a_bot_has_its_name_and_a_version(name: str) -> None:
    bot = make(name)
    assert isinstance(bot, Bot)
    assert (bot.name, bot.version) == (name, 1)


@pytest.mark.parametrize(
    "name", ["heuristic:bidding=random", "heuristic:cards=random,choosing=uniform", "random:cards=heuristic"]
)
def test_a_name_with_options_makes_the_same_bot_again(name: str) -> None:
    assert make(name).name == name
    assert make(make(name).name) == make(name)


def test_an_option_that_changes_nothing_is_not_in_the_name() -> None:
    assert make("heuristic:cards=heuristic").name == "heuristic"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "heuristik",
            "unknown bot 'heuristik' (did you mean 'heuristic'?); known: uniform, random, heuristic, search, ",
        ),
        (
            "",
            "unknown bot ''; known: uniform, random, heuristic, search, pretrained, pretrained-search, "
            "cheating-search, cheating-best-response, package.module:factory, or a path to a .pt or .npz file",
        ),
        ("heuristic:speed=3", "bot 'heuristic': unknown option 'speed'; known: cards, choosing, bidding"),
        ("heuristic:card=random", "unknown option 'card' (did you mean 'cards'?)"),
        ("heuristic:cards", "bot 'heuristic': options are written option=value, not 'cards'"),
        ("heuristic:cards=", "options are written option=value, not 'cards='"),
        ("heuristic:cards=wild", "cards: must be one of uniform, random, heuristic, not 'wild'"),
        ("heuristic:cards=random,cards=random", "option 'cards' is given twice"),
        ("no_such_module:factory", "cannot import 'no_such_module'"),
        ("king_env.bots:no_factory", "module 'king_env.bots' has no factory 'no_factory'"),
        ("builtins:object", "a bot has name, version, act and act_batch; object has not"),
    ],
)
def test_a_bot_that_is_not_there_is_refused_in_one_line(text: str, message: str) -> None:
    with pytest.raises(BotError) as refusal:
        make(text)
    assert message in str(refusal.value)
    assert "\n" not in str(refusal.value)


def test_a_bot_of_ones_own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "my_bots.py").write_text(
        "from king_env.bots import make\n\n\ndef lazy():\n    return make('uniform')\n"
    )
    monkeypatch.syspath_prepend(tmp_path)
    assert make("my_bots:lazy").name == "uniform"


def test_a_checkpoint_without_the_recipes_is_refused_in_one_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "baselines.ppo.policy_bot", None)
    with pytest.raises(BotError) as refusal:
        make("runs/x/last.pt")
    assert "'runs/x/last.pt'" in str(refusal.value) and "torch" in str(refusal.value)
    assert "\n" not in str(refusal.value)
