"""How good a policy is: points a game against three of each bot, on duplicate deals that no training sees."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from baselines.ppo.config import PPOConfig
from baselines.ppo.policy_bot import PolicyBot
from king_env.evaluation import MatchInterrupted, MatchResult, play_match, print_report, report_markdown
from king_env.ruleset import RuleSet, make_ruleset

# Every measurement and every run is made on the same deals, so that figures differ by play alone.
DEALS_SEED = 1
FINAL_TABLES, FINAL_RESULTS = "final.md", "final.json"  # in the folder of a finished run


@dataclass(frozen=True)
class Pairing:
    """The policy against three of a bot, under one rule set."""

    name: str
    opponent: str
    ruleset: RuleSet

    def play(self, bot: PolicyBot, num_blocks: int) -> MatchResult:
        """The result of so many duplicate blocks of whole games."""
        opponents = [self.opponent] * 3
        return play_match([bot, *opponents], num_blocks, DEALS_SEED, self.ruleset, progress=False)

    def command(self, checkpoint: Path, num_blocks: int) -> str:
        """What plays the same match from the command line; rules of one's own have no name to be given by there."""
        bots = ",".join([str(checkpoint), *[self.opponent] * 3])
        rules = f" --ruleset {self.ruleset.name}" if self.ruleset.name else ""
        return f"python scripts/evaluate.py --bots {bots} --blocks {num_blocks} --seed {DEALS_SEED}{rules}"


def pairings(config: PPOConfig) -> Iterator[Pairing]:
    """Each opponent under each rule set of the config."""
    for number, option in enumerate(config.rulesets):
        ruleset = make_ruleset(option)
        for opponent in config.opponents:
            yield Pairing(match_name(ruleset, number, opponent, config), opponent, ruleset)


def match_name(ruleset: RuleSet, number: int, opponent: str, config: PPOConfig) -> str:
    """The opponent, and the rule set if there is more than one."""
    return opponent if len(config.rulesets) == 1 else f"{opponent}, {ruleset.name or f'rule set {number + 1}'}"


def score_row(bot: PolicyBot, config: PPOConfig) -> dict[str, float]:
    """Points a game in each match, and half of each 95 % interval."""
    row: dict[str, float] = {}
    for pairing in pairings(config):
        estimate = pairing.play(bot, config.eval_blocks).points(bot.name)
        row[pairing.name] = estimate.mean
        row[half_width_of(pairing.name)] = estimate.half_width
    return row


def half_width_of(match: str) -> str:
    """The column beside a match's points that holds half the interval."""
    return f"± {match}"


def final_tables(bot: PolicyBot, config: PPOConfig, folder: Path) -> None:
    """Print the tables of the finished run, by contract; they are kept as `final.md` and `final.json`.

    Ctrl-C goes on upwards once what was played until then is printed and kept.
    """
    played: dict[str, MatchResult] = {}
    for pairing in pairings(config):
        try:
            played[pairing.name] = pairing.play(bot, config.final_blocks)
        except MatchInterrupted as interruption:
            if interruption.result is not None:
                played[pairing.name] = interruption.result
                show_last_table(played, folder)
            raise
        show_last_table(played, folder)


def show_last_table(played: Mapping[str, MatchResult], folder: Path) -> None:
    """Print the table that was just played, and write all of them to `final.md` and `final.json`."""
    name = [*played][-1]
    print(f"\nAgainst three {name}:")
    print_report(played[name])
    texts = [f"## Against three {name}\n\n{report_markdown(result)}\n" for name, result in played.items()]
    (folder / FINAL_TABLES).write_text("\n".join(texts), "utf-8")
    records = [result.to_dict() for result in played.values()]
    (folder / FINAL_RESULTS).write_text(json.dumps(records, indent=2) + "\n", "utf-8")
