"""Measuring bots: matches on duplicate deals, their statistics and reports."""

from king_env.evaluation.faults import Fault
from king_env.evaluation.matches import (
    MatchFaultError,
    MatchInterrupted,
    MatchLostError,
    MatchNotRecordedError,
    play_match,
)
from king_env.evaluation.reports import print_report, report_markdown, report_text
from king_env.evaluation.results import Market, MatchResult
from king_env.evaluation.statistics import Estimate, estimate_mean
from king_env.evaluation.tallies import COLUMNS, FATES, PURCHASES

__all__ = [
    "COLUMNS",
    "FATES",
    "PURCHASES",
    "Estimate",
    "Fault",
    "Market",
    "MatchFaultError",
    "MatchInterrupted",
    "MatchLostError",
    "MatchNotRecordedError",
    "MatchResult",
    "estimate_mean",
    "play_match",
    "print_report",
    "report_markdown",
    "report_text",
]
