"""How good a policy is: points a game against three of each bot, on duplicate deals that no training sees."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

from baselines.ppo.config import PPOConfig
from baselines.ppo.policy_bot import PolicyBot
from king_env.evaluation import MatchResult, play_match, print_report, report_markdown
from king_env.ruleset import RuleSet, make_ruleset

# Every measurement and every run is made on the same deals, so that figures differ by play alone.
DEALS_SEED = 1


def matches(bot: PolicyBot, config: PPOConfig, num_blocks: int) -> Iterator[tuple[str, MatchResult]]:
    """A match against each opponent under each rule set of the config, by name."""
    for number, option in enumerate(config.rulesets):
        ruleset = make_ruleset(option)
        for opponent in config.opponents:
            result = play_match([bot, opponent, opponent, opponent], num_blocks, DEALS_SEED, ruleset, progress=False)
            yield match_name(ruleset, number, opponent, config), result


def match_name(ruleset: RuleSet, number: int, opponent: str, config: PPOConfig) -> str:
    """The opponent, and the rule set if there is more than one."""
    return opponent if len(config.rulesets) == 1 else f"{opponent}, {ruleset.name or f'rule set {number + 1}'}"


def score_row(bot: PolicyBot, config: PPOConfig) -> dict[str, float]:
    """Points a game in each match, and half of each 95 % interval."""
    row: dict[str, float] = {}
    for name, result in matches(bot, config, config.eval_blocks):
        estimate = result.points(bot.name)
        row[name] = estimate.mean
        row[half_width_of(name)] = estimate.half_width
    return row


def half_width_of(match: str) -> str:
    """The column beside a match's points that holds half the interval."""
    return f"± {match}"


def final_tables(bot: PolicyBot, config: PPOConfig, folder: Path) -> None:
    """Print the tables of the finished run, by contract; they are kept as `final.md` and `final.json`."""
    texts, records = [], []
    for name, result in matches(bot, config, config.final_blocks):
        print(f"\nAgainst three {name}:")
        print_report(result)
        texts.append(f"## Against three {name}\n\n{report_markdown(result)}\n")
        records.append(result.to_dict())
    (folder / "final.md").write_text("\n".join(texts), "utf-8")
    (folder / "final.json").write_text(json.dumps(records, indent=2) + "\n", "utf-8")
