"""What a training run can be told: a frozen dataclass, read from TOML and from the command line.

The docstring of a field is its help text. An unknown key, a value of the wrong kind or a contradiction is refused.
"""

from __future__ import annotations

import argparse
import ast
import inspect
import json
import math
import sys
import types
import typing
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from king_env import bots
from king_env.bots.protocol import sees_all_hands
from king_env.engine.contracts import NEGATIVE_NAMES, POSITIVE
from king_env.engine.observation import SECTIONS
from king_env.episode import KIND_NAMES
from king_env.ruleset import RuleSetError, make_ruleset, unknown_text

if sys.version_info >= (3, 11):
    import tomllib
else:
    import tomli as tomllib

LARGEST_SEED = 2**63 - 1

# Standard deviation of a seat's points in one deal of each kind, between players who know what they do.
DEFAULT_SPREAD = {
    "no_tricks": 38.0,
    "no_hearts": 55.0,
    "no_queens": 45.0,
    "no_kings_jacks": 45.0,
    "no_king_of_hearts": 60.0,
    "no_last_two": 65.0,
    POSITIVE: 150.0,
}
# As often as a game has them.
DEFAULT_WEIGHTS = {**dict.fromkeys(NEGATIVE_NAMES, 1), POSITIVE: 4}


class ConfigError(ValueError):
    """A config that cannot be meant: says which key, and what is allowed."""


@dataclass(frozen=True)
class PPOConfig:
    """One training run. A file in `configs/ppo` says only what differs from these defaults."""

    # What is played
    rulesets: tuple[str | Mapping[str, Any], ...] = ("portuguese",)
    """The rule sets that are trained on, as names or tables of options; the games are shared out evenly among them."""
    episode: str = "deal"
    """`deal`: single deals, their kinds by `contract_weights`; `game`: whole games of ten."""
    contract_weights: Mapping[str, int] = field(default_factory=lambda: dict(DEFAULT_WEIGHTS))
    """How the games are shared out among the kinds of deal in `episode = "deal"`; kinds left out keep their weight."""
    reward: str = "points"
    """`points` as they fall, `deal`: at the end of each deal, `placement`: 1 … -1 at the end of a game."""
    horizon: str = "deal"
    """`deal`: a decision answers for the rest of its deal, since points add up; `game`: for the rest of the game."""
    reward_spread: Mapping[str, float] = field(default_factory=lambda: dict(DEFAULT_SPREAD))
    """Points that count as one unit of reward in each kind of deal; kinds left out keep theirs."""
    ignored_sections: tuple[str, ...] = ()
    """Sections of the observation that the network is not shown."""

    # How long, and how it is stepped
    total_decisions: int = 40_000_000
    """Decisions of self-play to learn from; forced actions do not count. 0: the warm start is all there is."""
    max_minutes: float | None = None
    """Training time after which the run ends even if decisions are left; schedules follow whichever comes first."""
    num_games: int = 256
    """Games played side by side."""
    num_steps: int = 52
    """Actions in each game between two updates."""
    seed: int = 1
    """Of the deals, the network's first weights and the sampling of actions."""

    start_from: str | None = None
    """A policy whose weights the network begins with (`starting_weights.py`): `pretrained`, a `.npz` file that
    `scripts/export.py` wrote, or a checkpoint `.pt`."""

    # The warm start
    is_advised: bool = False
    """Whether the network is told what the heuristic would do; it then begins by doing that (`advice.py`)."""
    played_out_decisions: int = 0
    """Decisions of which all actions are played out with the heuristic at first, to learn from (`teacher.py`)."""
    played_out_worlds: int = 16
    """In how many worlds each."""
    teacher_epochs: float = 5.0
    """How often each of them is learned from, in the mean."""
    teacher_learning_rate: float = 3e-3
    """Adam's step at the start of the warm start; it falls linearly to a twentieth."""
    teacher_entropy_coef: float = 0.05
    """Weight of the entropy bonus at the start of the warm start: gains far below it are not told apart yet."""
    teacher_final_entropy_coef: float = 0.01
    """The same at its end; each part of the warm start divides it by as much as any other."""
    teacher_misjudgement_coef: float = 0.1
    """Weight of how far logits are from saying what each action gains (`lesson_terms.py`)."""
    gain_a_logit: float = 0.2
    """So much gain, in units of reward, is to raise a logit by 1."""

    # Self-play
    heuristic_tables: float = 0.0
    """Share of the tables at which one seat learns and the heuristic plays the other three (`company.py`)."""
    past_tables: float = 0.0
    """Share of the tables at which one seat learns and a past self plays the other three."""
    frozen_tables: float = 0.0
    """Share of the tables at which one seat learns and `frozen_bot` plays the other three."""
    frozen_bot: str = "pretrained"
    """Who that is, by name or path as `king_env.bots.make` takes it: a policy that stays as it is."""
    removes_luck: bool = False
    """Whether what the heuristic would make of each position, with the cards as they lie, is taken out of the rewards:
    most of the luck of the cards goes with it. Values then say how much more than that the policy makes."""

    # PPO
    network: str = "flat"
    """`flat`: plain layers; `suits`: the same two layers for each suit (`suit_trunk.py`)."""
    hidden_sizes: tuple[int, ...] = (256, 256, 256)
    """Widths of the layers that policy and value share; with `network = "suits"` one width, that of both."""
    learning_rate: float = 1e-3
    """Adam's step at the start."""
    final_learning_rate: float = 5e-5
    """Adam's step at the end; it falls linearly."""
    update_epochs: int = 2
    """How often each decision is learned from."""
    minibatch_size: int = 512
    """Decisions in one gradient step."""
    gamma: float = 1.0
    """Discount from one decision of a seat to its next."""
    gae_lambda: float = 0.95
    """How far advantages look before they trust the value, from one decision of a seat to its next."""
    clip_coef: float = 0.2
    """How far the probability of an action may move in one update before its gradient stops."""
    entropy_coef: float = 0.02
    """Weight of the entropy bonus at the start."""
    final_entropy_coef: float = 0.02
    """Weight of the entropy bonus at the end; it changes linearly."""
    value_coef: float = 0.5
    """Weight of the value loss, in units of reward. 0: no value is learned. With `removes_luck` there is little to
    foresee, and what the layers that policy and value share learn of noise harms the policy."""
    max_grad_norm: float = 0.5
    """Longest gradient that is used at its full length."""

    # Where it computes
    device: str = "cpu"
    """A torch device: `cpu`, `cuda`, `cuda:1`, …"""
    num_threads: int = 1
    """Threads that choose and learn side by side; more than there are idle cores is of no use."""
    bf16: str = "auto"
    """`on`, `off`, or `auto`: compute in bfloat16 on a GPU that does so natively."""

    # What is measured and kept
    eval_minutes: float = 3.0
    """Training time between two measurements against the bots."""
    eval_blocks: int = 20
    """Duplicate blocks of whole games in such a measurement."""
    final_blocks: int = 200
    """Duplicate blocks of whole games behind the final table."""
    opponents: tuple[str, ...] = ("heuristic", "random")
    """The bots measured against: the policy in one seat, three of the bot in the others."""
    checkpoint_minutes: float = 2.0
    """Training time between two writings of `last.pt`."""
    snapshot_minutes: float = 15.0
    """Training time between two snapshots of the policy that are kept."""

    def __post_init__(self) -> None:
        object.__setattr__(self, "contract_weights", {**DEFAULT_WEIGHTS, **self.contract_weights})
        object.__setattr__(self, "reward_spread", {**DEFAULT_SPREAD, **self.reward_spread})
        self._check_names()
        self._check_numbers()
        if self.played_out_decisions and (self.reward, self.horizon) != ("points", "deal"):
            raise ConfigError(
                'played_out_decisions: playouts end with the deal, so they need reward "points" and horizon "deal"'
            )
        if self.removes_luck and (self.reward, self.horizon) != ("points", "deal"):
            raise ConfigError(
                'removes_luck: playouts end with the deal, so it needs reward "points" and horizon "deal"'
            )
        if self.heuristic_tables + self.past_tables + self.frozen_tables > 1.0:
            raise ConfigError("heuristic_tables: must not be above 1 together with past_tables and frozen_tables")
        if self.reward == "placement" and (self.episode, self.horizon) != ("game", "game"):
            raise ConfigError('reward: "placement" is paid at the end of a game; it needs episode and horizon "game"')

    def _check_names(self) -> None:
        _check_one_of("episode", self.episode, ("deal", "game"))
        _check_one_of("reward", self.reward, ("points", "deal", "placement"))
        _check_one_of("horizon", self.horizon, ("deal", "game"))
        _check_one_of("network", self.network, ("flat", "suits"))
        _check_one_of("bf16", self.bf16, ("auto", "on", "off"))
        for table in ("contract_weights", "reward_spread"):
            for kind in getattr(self, table):
                _check_one_of(table, kind, KIND_NAMES)
        for section in self.ignored_sections:
            _check_one_of("ignored_sections", section, [name for name, *_ in SECTIONS])
        if not self.rulesets:
            raise ConfigError("rulesets: needs at least one rule set")
        for ruleset in self.rulesets:
            try:
                make_ruleset(ruleset)
            except RuleSetError as error:
                raise ConfigError(f"rulesets: {error}") from error

    def _check_numbers(self) -> None:
        at_least_one = (
            "num_steps",
            "played_out_worlds",
            "update_epochs",
            "minibatch_size",
            "num_threads",
        )
        for name in (*at_least_one, "eval_blocks", "final_blocks"):
            _check_range(name, getattr(self, name), 1, None)
        _check_range("num_games", self.num_games, len(self.rulesets), None)
        _check_range("seed", self.seed, 0, LARGEST_SEED)
        for name in ("gamma", "gae_lambda", "clip_coef", "heuristic_tables", "past_tables", "frozen_tables"):
            _check_range(name, getattr(self, name), 0.0, 1.0)
        _check_range("played_out_decisions", self.played_out_decisions, 0, None)
        _check_range("total_decisions", self.total_decisions, 0 if self.played_out_decisions else 1, None)
        for name in ("teacher_epochs", "teacher_entropy_coef", "teacher_final_entropy_coef", "gain_a_logit"):
            _check_positive(name, getattr(self, name))
        for name in (
            "teacher_learning_rate",
            "teacher_misjudgement_coef",
            "learning_rate",
            "final_learning_rate",
            "entropy_coef",
            "final_entropy_coef",
            "value_coef",
        ):
            _check_range(name, getattr(self, name), 0.0, None)
        for name in ("max_grad_norm", "max_minutes", "eval_minutes", "checkpoint_minutes", "snapshot_minutes"):
            if getattr(self, name) is not None:
                _check_positive(name, getattr(self, name))
        if not self.hidden_sizes:
            raise ConfigError("hidden_sizes: needs at least one layer")
        for width in self.hidden_sizes:
            _check_range("hidden_sizes", width, 1, None)
        if self.network == "suits" and len(self.hidden_sizes) != 1:
            raise ConfigError(f'hidden_sizes: network = "suits" takes one width, not {len(self.hidden_sizes)}')
        for kind in KIND_NAMES:
            _check_range(f"contract_weights.{kind}", self.contract_weights[kind], 0, None)
            _check_positive(f"reward_spread.{kind}", self.reward_spread[kind])
        if not any(self.contract_weights.values()):
            raise ConfigError("contract_weights: at least one kind of deal must have a weight above 0")

    def to_dict(self) -> dict[str, Any]:
        """All fields as plain values; a field that is None is left out, since TOML has no null."""
        values = {name: getattr(self, name) for name in FIELD_TYPES}
        return {name: _plain(value) for name, value in values.items() if value is not None}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> PPOConfig:
        """The config of a dict such as `to_dict` gives or TOML holds; missing fields keep their defaults."""
        for key in values:
            if key not in FIELD_TYPES:
                raise ConfigError(unknown_text("key", key, FIELD_TYPES))
        return cls(**{key: _converted(key, value, FIELD_TYPES[key]) for key, value in values.items()})

    def to_toml(self) -> str:
        """All fields as a TOML file that `load_config` reads."""
        return "".join(f"{name} = {_toml_value(value)}\n" for name, value in self.to_dict().items())


FIELD_TYPES: dict[str, Any] = typing.get_type_hints(PPOConfig)


def load_config(path: Path, overrides: Mapping[str, Any] | None = None) -> PPOConfig:
    """The config of a TOML file, with some of its keys replaced: for a run, so its opponents must be there."""
    values = read_toml(path)
    try:
        config = PPOConfig.from_dict({**values, **(overrides or {})})
        check_opponents(config)
    except ConfigError as error:
        raise ConfigError(f"{path}: {error}") from None
    return config


def read_toml(path: Path) -> dict[str, Any]:
    """What a TOML file holds; ConfigError says why it cannot be read."""
    try:
        return tomllib.loads(path.read_text("utf-8"))
    except FileNotFoundError:
        raise ConfigError(f"no config file {path}") from None
    except OSError as error:
        raise ConfigError(f"cannot read the config file {path}: {error.strerror}") from None
    except UnicodeDecodeError:
        raise ConfigError(f"{path} is not TOML: it is not text in UTF-8") from None
    except tomllib.TOMLDecodeError as error:
        raise ConfigError(f"{path} is not TOML: {error}") from None


def check_opponents(config: PPOConfig) -> None:
    """Refuse bots that cannot be made, and at the tables one that sees all hands.

    Not a matter of the config itself: a policy can be played after the checkpoints it was measured against are gone.
    """
    for opponent in config.opponents:
        _made("opponents", opponent)
    if config.frozen_tables and sees_all_hands(_made("frozen_bot", config.frozen_bot)):
        raise ConfigError(f"frozen_bot: {config.frozen_bot!r} sees all hands, which nobody at a table may")


def _made(key: str, bot: str) -> bots.Bot:
    try:
        return bots.make(bot)
    except ValueError as error:
        raise ConfigError(f"{key}: {error}") from None


def parse_override(text: str) -> tuple[str, Any]:
    """`key=value` as given to `--set`: the value in TOML, or a bare word for a string."""
    key, equals, value = text.partition("=")
    key, value = key.strip(), value.strip()
    if not equals:
        raise ConfigError(f"--set takes key=value, not {text!r}")
    if key not in FIELD_TYPES:
        raise ConfigError(unknown_text("key", key, FIELD_TYPES))
    try:
        return key, tomllib.loads(f"value = {value}")["value"]
    except tomllib.TOMLDecodeError:
        return key, value


def add_config_arguments(parser: argparse.ArgumentParser) -> None:
    """`--set key=value`, with every field and its docstring in the help."""
    keys = "\n".join(f"  {name}: {text}" for name, text in field_help().items())
    parser.add_argument("--set", metavar="KEY=VALUE", action="append", default=[], help="replace a key of the config")
    parser.epilog = f"keys of the config:\n{keys}"
    parser.formatter_class = argparse.RawDescriptionHelpFormatter


def field_help() -> dict[str, str]:
    """What each field means: the docstring under it."""
    (class_node,) = ast.parse(inspect.getsource(PPOConfig)).body
    assert isinstance(class_node, ast.ClassDef)
    texts = {}
    for statement, following in zip(class_node.body, class_node.body[1:], strict=False):
        if isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name):
            texts[statement.target.id] = _docstring(following)
    return texts


def _docstring(statement: ast.stmt) -> str:
    if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
        return str(statement.value.value)
    return ""


def _converted(key: str, value: Any, wanted: Any) -> Any:
    """A value of TOML as the type its field has; only whole-number-to-float and list-to-tuple are silent."""
    origin = typing.get_origin(wanted)
    if origin is types.UnionType:
        return _converted_to_one_of(key, value, typing.get_args(wanted))
    if origin is tuple:
        return _converted_to_tuple(key, value, typing.get_args(wanted)[0])
    if origin is not None:
        return _converted_table(key, value, typing.get_args(wanted)[1])
    if wanted is Any:
        return value
    if wanted is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if not isinstance(value, wanted) or (wanted is not bool and isinstance(value, bool)):
        raise ConfigError(f"{key}: must be {_type_name(wanted)}, not {value!r}")
    return value


def _converted_to_one_of(key: str, value: Any, choices: Sequence[Any]) -> Any:
    for choice in choices:
        if choice is types.NoneType:
            continue
        try:
            return _converted(key, value, choice)
        except ConfigError:
            continue
    wanted = " or ".join(_type_name(choice) for choice in choices if choice is not types.NoneType)
    raise ConfigError(f"{key}: must be {wanted}, not {value!r}")


def _converted_to_tuple(key: str, value: Any, wanted: Any) -> tuple[Any, ...]:
    if not isinstance(value, list | tuple):
        raise ConfigError(f"{key}: must be a list, not {value!r}")
    return tuple(_converted(key, item, wanted) for item in value)


def _converted_table(key: str, value: Any, wanted: Any) -> dict[str, Any]:
    if not isinstance(value, Mapping):
        raise ConfigError(f"{key}: must be a table, not {value!r}")
    return {str(name): _converted(f"{key}.{name}", item, wanted) for name, item in value.items()}


def _type_name(wanted: Any) -> str:
    names = {str: "a text", int: "a whole number", float: "a number", bool: "true or false"}
    return names.get(wanted, "a table")


def _plain(value: Any) -> Any:
    if isinstance(value, tuple):
        return [_plain(item) for item in value]
    return dict(value) if isinstance(value, Mapping) else value


def _toml_value(value: Any) -> str:
    """JSON writes texts, numbers, truth values and lists as TOML does; tables it does not."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name} = {_toml_value(item)}" for name, item in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(_toml_value(item) for item in value) + "]"
    return json.dumps(value)


def _check_one_of(key: str, value: str, allowed: Collection[str]) -> None:
    if value not in allowed:
        raise ConfigError(f"{key}: {unknown_text('value', value, allowed)}")


def _check_finite(key: str, value: float) -> None:
    if not -math.inf < value < math.inf:
        raise ConfigError(f"{key}: must be a finite number, not {value!r}")


def _check_positive(key: str, value: float) -> None:
    _check_finite(key, value)
    if value <= 0:
        raise ConfigError(f"{key}: must be more than 0, not {value!r}")


def _check_range(key: str, value: float, lowest: float, highest: float | None) -> None:
    _check_finite(key, value)
    if value < lowest or (highest is not None and value > highest):
        upper = "" if highest is None else f" and at most {highest}"
        raise ConfigError(f"{key}: must be at least {lowest}{upper}, not {value!r}")
