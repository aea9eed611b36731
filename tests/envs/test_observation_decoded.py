"""An onlooker who hears every action writes down what was public; each agent's observation, decoded, says the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from king_env import king_v0, unpack_observation
from king_env.aec_env import AGENTS, KingAECEnv
from king_env.engine.contracts import CONTRACT_NAMES, UNIT_POINTS
from king_env.engine.observation import CALL_KINDS
from king_env.game import Game
from king_env.notation import action_text, parse_action
from king_env.ruleset import RULESETS, RuleSet
from tests.envs.playing import is_call, is_over, mask_of, random_chooser

EVERY_SO_MANY_ACTIONS = 3


class Onlooker:
    """Knows the rules of cards, but nothing of the engine: only who did what, and what it paid."""

    def __init__(self) -> None:
        self.totals = [0] * 4
        self.begin_deal()

    def begin_deal(self) -> None:
        self.played: list[list[int]] = [[], [], [], []]
        self.voids: list[set[int]] = [set(), set(), set(), set()]
        self.last_calls = [""] * 4
        self.trick: dict[int, int] = {}
        self.auction_best = ""
        self.holder: int | None = None

    def hear(self, seat: int, action: int, rewards: list[float]) -> None:
        self.totals = [total + int(reward) for total, reward in zip(self.totals, rewards, strict=True)]
        if is_call(action):
            self.hear_call(seat, action_text(action))
        else:
            self.see_card(seat, action)

    def hear_call(self, seat: int, call: str) -> None:
        self.last_calls[seat] = call
        if call.startswith(("bid", "nulls")):
            self.auction_best, self.holder = call, seat

    def see_card(self, seat: int, card: int) -> None:
        if len(self.trick) == 4:
            self.trick = {}
        led = next(iter(self.trick.values()), card)
        if card // 13 != led // 13:
            self.voids[seat].add(led // 13)
        self.trick[seat] = card
        self.played[seat].append(card)


def ones(entries: np.ndarray) -> list[int]:
    return np.flatnonzero(entries).tolist()


def number(bits: np.ndarray) -> int:
    return sum(int(bit) << place for place, bit in enumerate(bits))


def decode_call(entries: np.ndarray) -> str:
    """A call as text; declarations and skips leave no trace here, for the contract tells of them."""
    kinds = ones(entries[: len(CALL_KINDS)])
    if not kinds:
        return ""
    kind, count = CALL_KINDS[kinds[0]], number(entries[len(CALL_KINDS) :])
    return f"{kind} {count}" if kind in ("bid", "nulls") else kind


def decode_total(entries: np.ndarray) -> int:
    return number(entries[1:]) * 5 * (-1 if entries[0] else 1)


def decode_trick_card(entries: np.ndarray) -> int | None:
    return ones(entries[:4])[0] * 13 + ones(entries[4:])[0] if entries.any() else None


def seat_of(entries: np.ndarray, viewer: int) -> int | None:
    """The one seat that is marked, counted from the viewer."""
    places = ones(entries)
    assert len(places) <= 1
    return (places[0] + viewer) % 4 if places else None


def from_seat_0(entries: np.ndarray, viewer: int) -> np.ndarray:
    """Rows by seat instead of by place from the viewer."""
    return np.roll(entries, viewer, axis=0)


def check_what_was_heard(seen: dict[str, Any], viewer: int, heard: Onlooker) -> None:
    by_seat = {name: from_seat_0(seen[name], viewer) for name in ("played", "voids", "last_call", "totals", "trick")}
    for seat in range(4):
        assert ones(by_seat["played"][seat]) == sorted(heard.played[seat])
        assert set(ones(by_seat["voids"][seat])) == heard.voids[seat]
        assert decode_total(by_seat["totals"][seat]) == heard.totals[seat]
        call = heard.last_calls[seat]
        assert decode_call(by_seat["last_call"][seat]) == ("" if call.startswith(("up", "down", "skip")) else call)
    on_table = {seat: decode_trick_card(by_seat["trick"][seat]) for seat in range(4)}
    assert {seat: card for seat, card in on_table.items() if card is not None} == (
        heard.trick if len(heard.trick) < 4 else {}
    )


def check_auction(seen: dict[str, Any], viewer: int, heard: Onlooker) -> None:
    assert seat_of(seen["holder"], viewer) == heard.holder
    points = 25 * int(seen["best_bid"].sum())
    kind, _, count = heard.auction_best.partition(" ")
    assert points == (int(count) * (75 if kind == "nulls" else 25) if kind else 0)
    assert bool(seen["best_is_nulls"][0]) == (kind == "nulls")


def check_roles(seen: dict[str, Any], viewer: int, game: Game) -> None:
    record = game.record[0]
    assert sum(1 << card for card in ones(seen["hand"])) == record["hands"][viewer]
    assert seat_of(seen["dealer"], viewer) == game.dealer
    assert seat_of(seen["turn"], viewer) == game.turn
    assert [CONTRACT_NAMES[place] for place in ones(seen["contract"])] == [game.contract]
    trumps = ["CDHS"[place] if place < 4 else None for place in ones(seen["trump"])]
    assert trumps == ([game.trump] if game.contract == "up" else [])
    assert ones(seen["phase"]) == [int(record["phase"]) - 1]
    assert [place + 1 for place in ones(seen["deal_number"])] == [game.deal_number]
    if game.contract in ("up", "down", "positive"):
        assert seat_of(seen["declarer"], viewer) == record["declarer"]
    units = from_seat_0(seen["units"], viewer).sum(axis=1)
    if not record["is_sold"] and not record["is_skipped"]:
        start = 325 if game.contract == "down" else 0
        assert [start + int(count) * int(UNIT_POINTS[record["contract"]]) for count in units] == game.hand_scores


def check_everybody(env: KingAECEnv, heard: Onlooker) -> None:
    for viewer, agent in enumerate(AGENTS):
        seen = unpack_observation(env.observe(agent)["observation"])
        check_what_was_heard(seen, viewer, heard)
        check_auction(seen, viewer, heard)
        check_roles(seen, viewer, env.game)


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("ruleset", [*RULESETS, RuleSet(max_nulls=4, max_bid=13, stop_when_decided=True)])
def test_an_observation_tells_all_that_was_public(ruleset: str | RuleSet, seed: int) -> None:
    env = king_v0.env(ruleset=ruleset)
    env.reset(seed=seed)
    choose, heard, deals = random_chooser(seed), Onlooker(), 0
    while True:
        if len(env.game.actions) % EVERY_SO_MANY_ACTIONS == 0 or is_over(env):
            check_everybody(env, heard)
        if is_over(env):
            break
        seat, action = AGENTS.index(env.agent_selection), choose(mask_of(env))
        env.step(action)
        heard.hear(seat, action, list(env.rewards.values()))
        if len(env.game.scores_by_deal) > deals and not is_over(env):
            deals = len(env.game.scores_by_deal)
            heard.begin_deal()
    assert heard.totals == env.game.scores


def test_the_rules_in_force_are_told() -> None:
    rules = RuleSet(max_bid=10, max_nulls=3, skip_limit=100, settlement="full", first_lead="left_of_dealer")
    env = king_v0.env(ruleset=rules)
    env.reset(seed=1)
    seen = unpack_observation(env.observe("player_1")["observation"])
    assert number(seen["rule_max_bid"]) == 10
    assert number(seen["rule_max_nulls"]) == 3
    assert number(seen["rule_skip"]) == 1 + 2 * (100 // 25)
    assert ones(seen["rule_settlement_full"]) == [0]
    assert ones(seen["rule_first_lead"]) == [2]


def without_deal_number(observation: np.ndarray) -> np.ndarray:
    unpack_observation(observation)["deal_number"][:] = 0
    return observation


def test_a_seat_sees_the_same_from_every_chair() -> None:
    """Turn the table by one seat, cards and dealer with it: what each seat sees moves with it, bit for bit."""
    here = king_v0.env(episode="deal")
    choose = random_chooser(2)
    for seed in range(6):
        here.reset(seed=seed)
        turned = king_v0.env(episode="deal", contracts=[here.game.contract])
        turned.reset(options={"deals": [np.roll(here.game.deals[0], 1)], "dealer": (here.game.dealer + 1) % 4})
        while not is_over(here):
            for seat in range(4):
                seen, seen_turned = here.observe(AGENTS[seat]), turned.observe(AGENTS[(seat + 1) % 4])
                np.testing.assert_array_equal(seen["action_mask"], seen_turned["action_mask"])
                np.testing.assert_array_equal(
                    without_deal_number(seen["observation"]), without_deal_number(seen_turned["observation"])
                )
            action = choose(mask_of(here))
            here.step(action)
            turned.step(action)


def test_actions_mean_the_same_in_mask_and_text() -> None:
    env = king_v0.env(episode="deal", contracts=["positive"])
    env.reset(seed=3)
    legal = {action_text(action) for action in np.flatnonzero(mask_of(env))}
    assert legal == set(env.game.legal())
    assert parse_action("auction") in np.flatnonzero(mask_of(env))
