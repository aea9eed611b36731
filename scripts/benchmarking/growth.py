"""How cost grows: with the games side by side, and with the deals that one call plays."""

from __future__ import annotations

from collections.abc import Iterator

from king_env.bots.random_games import play_random_games
from king_env.episode import deal_kinds
from scripts.benchmarking.engine import fresh_games, step_all_rate
from scripts.benchmarking.measuring import SECONDS, STEPS_PER_SECOND, Sample, rate
from scripts.benchmarking.replay import plies_to_record

NUMBERS_OF_GAMES = tuple(4**power for power in range(9))  # 1 … 65,536
NUMBERS_OF_DEALS = tuple(4**power for power in range(9))
DEALS_A_ROUND = 4096  # so that a round of short calls takes its time, too


def growth_by_games() -> Iterator[Sample]:
    """Steps per second of batches from one game to very many."""
    for num_games in NUMBERS_OF_GAMES:
        steps_per_second = step_all_rate(num_games, plies_to_record(num_games))
        yield Sample(
            f"growth/games/{num_games}",
            "step, observation and mask of each game",
            STEPS_PER_SECOND,
            steps_per_second,
            num_games,
        )


def growth_by_deals() -> Iterator[Sample]:
    """Seconds that one call takes, from one random deal to very many."""
    for num_deals in NUMBERS_OF_DEALS:
        seconds = 1.0 / calls_per_second(num_deals)
        yield Sample(f"growth/deals/{num_deals}", "random deals in one call", SECONDS, seconds, num_deals)


def calls_per_second(num_deals: int) -> float:
    """How many calls that play so many deals can be made in a second of CPU time."""
    games, streams = fresh_games(1)
    kinds = deal_kinds("deal", None)
    num_calls = max(1, DEALS_A_ROUND // num_deals)

    def play() -> int:
        for _ in range(num_calls):
            play_random_games(games, streams, kinds, num_deals)
        return num_calls

    return rate(play)
