"""A config says what it means or is refused."""

from __future__ import annotations

import math
import re
from pathlib import Path
from typing import Any

import pytest

from baselines.ppo.config import (
    DEFAULT_SPREAD,
    FIELD_TYPES,
    ConfigError,
    PPOConfig,
    field_help,
    load_config,
    parse_override,
)

CONFIGS = sorted((Path(__file__).parents[2] / "configs" / "ppo").glob("*.toml"))


@pytest.mark.parametrize("path", CONFIGS, ids=lambda path: path.name)
def test_the_configs_that_come_with_us_load(path: Path) -> None:
    assert load_config(path).num_games > 0


def test_what_is_written_is_read_back(tmp_path: Path) -> None:
    config = PPOConfig(
        rulesets=("portuguese", {"base": "brazilian_trump", "no_trump": True}),
        contract_weights={"positive": 7},
        max_minutes=2.5,
        hidden_sizes=(8,),
    )
    path = tmp_path / "config.toml"
    path.write_text(config.to_toml(), "utf-8")
    assert load_config(path) == config


def test_kinds_left_out_of_a_table_keep_their_value() -> None:
    config = PPOConfig(reward_spread={"positive": 10.0})
    assert config.reward_spread == {**DEFAULT_SPREAD, "positive": 10.0}


@pytest.mark.parametrize(
    ("values", "message"),
    [
        ({"learning_rat": 1e-3}, "unknown key 'learning_rat' (did you mean 'learning_rate'?)"),
        ({"learning_rate": "fast"}, "learning_rate: must be a number, not 'fast'"),
        ({"num_games": 1.5}, "num_games: must be a whole number, not 1.5"),
        ({"num_games": True}, "num_games: must be a whole number, not True"),
        ({"num_games": 0}, "num_games: must be at least 1, not 0"),
        ({"hidden_sizes": 256}, "hidden_sizes: must be a list, not 256"),
        ({"hidden_sizes": []}, "hidden_sizes: needs at least one layer"),
        ({"network": "suit"}, "network: unknown value 'suit' (did you mean 'suits'?)"),
        ({"network": "suits", "hidden_sizes": [64, 64]}, 'hidden_sizes: network = "suits" takes one width, not 2'),
        ({"played_out_worlds": 0}, "played_out_worlds: must be at least 1, not 0"),
        ({"played_out_decisions": -1}, "played_out_decisions: must be at least 0, not -1"),
        ({"teacher_epochs": 0}, "teacher_epochs: must be more than 0, not 0.0"),
        ({"teacher_entropy_coef": 0.0}, "teacher_entropy_coef: must be more than 0, not 0.0"),
        ({"teacher_final_entropy_coef": -0.1}, "teacher_final_entropy_coef: must be more than 0, not -0.1"),
        ({"teacher_learning_rate": -1e-3}, "teacher_learning_rate: must be at least 0.0, not -0.001"),
        ({"played_out_decisions": 1, "reward": "deal"}, 'so they need reward "points" and horizon "deal"'),
        ({"played_out_decisions": 1, "horizon": "game"}, 'so they need reward "points" and horizon "deal"'),
        ({"clip_coef": 2.0}, "clip_coef: must be at least 0.0 and at most 1.0, not 2.0"),
        ({"episode": "hand"}, "episode: unknown value 'hand'"),
        ({"rulesets": ["portugese"]}, "rulesets: unknown rule set 'portugese' (did you mean 'portuguese'?)"),
        ({"rulesets": []}, "rulesets: needs at least one rule set"),
        ({"contract_weights": {"no_trick": 1}}, "did you mean 'no_tricks'?"),
        ({"contract_weights": {"no_tricks": -1}}, "contract_weights.no_tricks: must be at least 0, not -1"),
        ({"reward_spread": {"positive": 0.0}}, "reward_spread.positive: must be more than 0, not 0.0"),
        ({"ignored_sections": ["total"]}, "did you mean 'totals'?"),
        ({"reward": "placement"}, 'needs episode and horizon "game"'),
        ({"max_minutes": -1.0}, "max_minutes: must be more than 0, not -1.0"),
        ({"bf16": "yes"}, "bf16: unknown value 'yes'"),
        ({"seed": -1}, "seed: must be at least 0 and at most 9223372036854775807, not -1"),
        ({"learning_rate": math.nan}, "learning_rate: must be a finite number, not nan"),
        ({"clip_coef": math.nan}, "clip_coef: must be a finite number, not nan"),
        ({"max_minutes": math.nan}, "max_minutes: must be a finite number, not nan"),
        ({"max_minutes": math.inf}, "max_minutes: must be a finite number, not inf"),
        ({"reward_spread": {"positive": math.nan}}, "reward_spread.positive: must be a finite number, not nan"),
    ],
)
def test_a_slip_is_refused_with_one_line(values: dict[str, Any], message: str) -> None:
    with pytest.raises(ConfigError, match=re.escape(message)) as caught:
        PPOConfig.from_dict(values)
    assert "\n" not in str(caught.value)


def test_a_file_that_is_missing_or_no_toml_is_refused(tmp_path: Path) -> None:
    with pytest.raises(ConfigError, match="no config file"):
        load_config(tmp_path / "missing.toml")
    broken = tmp_path / "broken.toml"
    broken.write_text("num_games = = 3", "utf-8")
    with pytest.raises(ConfigError, match="is not TOML"):
        load_config(broken)
    broken.write_bytes("seed = 1  # número".encode("latin-1"))
    with pytest.raises(ConfigError, match="is not TOML: it is not text in UTF-8"):
        load_config(broken)
    with pytest.raises(ConfigError, match="cannot read the config file"):
        load_config(tmp_path)


@pytest.mark.parametrize(
    ("opponent", "message"),
    [
        ("heuristik", "opponents: unknown bot 'heuristik' (did you mean 'heuristic'?)"),
        ("runs/gone/last.pt", "opponents: no checkpoint runs/gone/last.pt"),
        ("random:cards=clever", "opponents: bot 'random': cards: must be one of"),
    ],
)
def test_a_run_against_a_bot_that_is_not_there_is_refused(opponent: str, message: str, tmp_path: Path) -> None:
    path = tmp_path / "config.toml"
    path.write_text(f'opponents = ["random", "{opponent}"]', "utf-8")
    with pytest.raises(ConfigError, match=re.escape(message)) as caught:
        load_config(path)
    assert "\n" not in str(caught.value)


def test_the_file_is_named_in_a_refusal(tmp_path: Path) -> None:
    path = tmp_path / "typo.toml"
    path.write_text("num_gmes = 3", "utf-8")
    with pytest.raises(ConfigError, match=r"typo\.toml: unknown key 'num_gmes'"):
        load_config(path)


@pytest.mark.parametrize(
    ("text", "override"),
    [
        ("num_games=8", ("num_games", 8)),
        ("learning_rate = 1e-3", ("learning_rate", 1e-3)),
        ("episode=game", ("episode", "game")),
        ('opponents=["random"]', ("opponents", ["random"])),
    ],
)
def test_overrides_are_toml_or_a_bare_word(text: str, override: tuple[str, Any]) -> None:
    assert parse_override(text) == override


def test_an_override_of_no_key_is_refused() -> None:
    with pytest.raises(ConfigError, match="did you mean 'num_games'"):
        parse_override("num_game=8")
    with pytest.raises(ConfigError, match="--set takes key=value"):
        parse_override("num_games")


def test_every_field_explains_itself() -> None:
    texts = field_help()
    assert list(texts) == list(FIELD_TYPES)
    assert all(texts.values())
