"""Positions and games to try bots on; cards as text."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from king_env.bots import Bot
from king_env.engine import batch
from king_env.engine.cards import ALL_CARDS, CARD_BIT, NUM_CARDS, NUM_RANKS, SUIT_LETTERS, SUIT_OF
from king_env.engine.contracts import CONTRACT_NAMES, FORCED_NAMES, NO_TRUMP, NUM_DEALS, NUM_TRICKS
from king_env.engine.kernel import JIT_ENABLED
from king_env.engine.state import AUCTION_NAMES, OVER, PLAYING, TO_DEAL, GameRecords, new_records
from king_env.notation import action_text, parse_action, parse_cards
from king_env.ruleset import PORTUGUESE, RULESETS, RuleSet, RuleSetError

MANY = 60 if JIT_ENABLED else 1  # games side by side; plain Python is a thousand times slower


def table(contract: str, hand: str, table: str = "", out: str = "", trump: str = "", voids: str = "") -> GameRecords:
    """What seat 0 sees who holds `hand`, with cards on the table, and `out` (default: all the rest) in other hands.

    Voids of seat 1, the next to play, are given as suit letters.
    """
    view = new_records(1)
    PORTUGUESE.write_to(view)
    record = view[0]
    held, on_table = parse_cards(hand), [parse_action(text) for text in table.split()]
    lying = sum(1 << card for card in on_table)
    unseen = parse_cards(out) if out else ALL_CARDS & ~held & ~lying
    record["phase"] = PLAYING
    record["contract"] = CONTRACT_NAMES.index(contract)
    record["trump"] = SUIT_LETTERS.index(trump) if trump else NO_TRUMP
    record["hands"][0] = held
    record["num_plays"] = 4 * (NUM_TRICKS - held.bit_count()) + len(on_table)
    record["trick_cards"] = lying
    record["leader"] = -len(on_table) % 4
    record["played"][0] = ALL_CARDS & ~held & ~lying & ~unseen
    for place, card in enumerate(on_table):
        seat = (int(record["leader"]) + place) % 4
        record["played"][seat] |= CARD_BIT[card]
        record["plays"][record["num_plays"] - len(on_table) + place] = card
    if on_table:
        record["led_suit"] = SUIT_OF[on_table[0]]
        best = max(on_table, key=lambda card: _strength(card, int(record["led_suit"]), int(record["trump"])))
        record["winning_card"] = best
        record["winning_seat"] = (int(record["leader"]) + on_table.index(best)) % 4
    record["voids"][1] = sum(1 << SUIT_LETTERS.index(suit) for suit in voids)
    return view


def _strength(card: int, led: int, trump: int) -> int:
    suit = card // NUM_RANKS
    return card % NUM_RANKS + (200 if suit == trump else 100 if suit == led else 0)


def chosen(bot: Bot, view: GameRecords) -> str:
    """The bot's action as text."""
    return action_text(bot.act(view, np.random.default_rng(0)))


def random_ruleset(rng: np.random.Generator) -> RuleSet:
    """Any rules that do not contradict themselves."""
    while True:
        switches = rng.integers(2, size=4).astype(bool).tolist()
        auction = AUCTION_NAMES[rng.integers(len(AUCTION_NAMES))]
        sold = auction != "none"
        try:
            return RuleSet(
                king_of_hearts_forced=FORCED_NAMES[rng.integers(len(FORCED_NAMES))],
                stop_when_decided=switches[0],
                auction=auction,
                max_bid=int(rng.integers(14)) if sold else 0,
                max_nulls=int(rng.integers(5)) if sold else 0,
                no_trump=switches[1],
                down=switches[2],
                ultimatum=switches[3],
                skip_limit=[None, 0, 25, 75, 300][rng.integers(5)] if sold else None,
                settlement=["capped", "full"][rng.integers(2)] if sold else None,
            )
        except RuleSetError:
            continue


def all_rulesets(rng: np.random.Generator, num_mixes: int) -> list[RuleSet]:
    return [*RULESETS.values(), *(random_ruleset(rng) for _ in range(num_mixes))]


def random_hands(rng: np.random.Generator, num_deals: int) -> np.ndarray:
    """Deals as sets of cards a seat: int64[num_deals, 4]."""
    decks = rng.permuted(np.tile(np.arange(NUM_CARDS), (num_deals, 1)), axis=1)
    masks: np.ndarray = CARD_BIT[decks].reshape(num_deals, 4, NUM_TRICKS).sum(axis=2)
    return masks


def positions(rulesets: list[RuleSet], bot: Bot, rng: np.random.Generator, num_games: int) -> Iterator[GameRecords]:
    """The games of a bot against itself, all side by side, before each action; those on whose turn it is."""
    games = new_records(num_games)
    for i in range(num_games):
        rulesets[i % len(rulesets)].write_to(games[i : i + 1])
    zeros = np.zeros(num_games, dtype=np.int64)
    batch.start_games(games, rng.integers(4, size=num_games), zeros, zeros + NUM_DEALS - 1)
    while True:
        waiting = np.flatnonzero(games["phase"] == TO_DEAL)
        if len(waiting):
            dealt = games[waiting]
            batch.start_deals(dealt, random_hands(rng, len(waiting)))
            games[waiting] = dealt
        live = np.flatnonzero(games["phase"] != OVER)
        if not len(live):
            return
        acting = games[live]
        yield acting
        batch.step_games(acting, bot.act_batch(acting, rng))
        games[live] = acting


def hidden(games: GameRecords) -> GameRecords:
    """The views of the seats to act."""
    views = games.copy()
    batch.hide_hands(views, views["turn"].astype(np.int64))
    return views
