"""Rule sets: which King is played. Three named ones, and every house rule between them (Rules 7)."""

from __future__ import annotations

import dataclasses
import difflib
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from typing import Any, TypeGuard

import numpy as np

from king_env.engine.actions import MAX_BID, MAX_BID_POINTS, MAX_NULLS, ULTIMATUM_TRICKS
from king_env.engine.contracts import FORCED_NAMES, NEGATIVE_NAMES, UP_POINTS
from king_env.engine.observation import rules_code
from king_env.engine.state import AUCTION_NAMES, FIRST_LEAD_NAMES, NEVER_SKIP, SETTLEMENT_NAMES, GameRecord

NONE_TEXT = "none"  # how a dict writes None: TOML has no null
BASE_KEY = "base"  # in a dict: the named rule set that missing options come from


class RuleSetError(ValueError):
    """A rule set that does not exist or contradicts itself."""


@dataclass(frozen=True)
class RuleSet:
    """The rules of one game. The defaults are the Portuguese game; a contradiction is refused with its reason."""

    negatives: tuple[str, ...] = NEGATIVE_NAMES
    """The six negative contracts in the order they are played."""
    first_lead: str = "dealer"
    """Who leads the first trick of a deal: `dealer`, `declarer` or `left_of_dealer`."""
    king_of_hearts_forced: str = "always"
    """When K♥ must be played in its contract: `always`, `following` (not on lead), `when_void` or `never`."""
    stop_when_decided: bool = False
    """Whether a deal ends after the trick in which the last card that pays has fallen."""
    auction: str = "owner_opens"
    """`owner_opens` (Portuguese: the owner may sell), `always` (Brazilian rounds) or `none`."""
    max_bid: int = 8
    """The highest bid of tricks up, 0 (none) to 13."""
    max_nulls: int = 2
    """The highest bid of nulls, 0 (none) to 4."""
    no_trump: bool = True
    """Whether an up deal may be declared without a trump suit."""
    down: bool = True
    """Whether a positive deal may be played down (nulls)."""
    ultimatum: bool = True
    """Whether the owner may open with `eight or nulls`."""
    skip_limit: int | None = 75
    """Points of the best bid up to which the owner may skip the deal; None: never."""
    settlement: str | None = "capped"
    """What a buyer pays: `capped` by what was made, or the `full` bid; None exactly without an auction."""

    def __post_init__(self) -> None:
        _check_negatives(self.negatives)
        check_name("first_lead", self.first_lead, FIRST_LEAD_NAMES, RuleSetError)
        check_name("king_of_hearts_forced", self.king_of_hearts_forced, FORCED_NAMES, RuleSetError)
        check_name("auction", self.auction, AUCTION_NAMES, RuleSetError)
        if self.settlement is not None:
            check_name("settlement", self.settlement, SETTLEMENT_NAMES, RuleSetError)
        for switch in ("stop_when_decided", "no_trump", "down", "ultimatum"):
            _check_switch(switch, getattr(self, switch))
        self._take_number("max_bid", whole_number("max_bid", self.max_bid, 0, MAX_BID, RuleSetError))
        self._take_number("max_nulls", whole_number("max_nulls", self.max_nulls, 0, MAX_NULLS, RuleSetError))
        if self.skip_limit is not None:
            self._take_number("skip_limit", _checked_skip_limit(self.skip_limit))
        for contradiction, reason in self._contradictions():
            if contradiction:
                raise RuleSetError(reason)

    @property
    def name(self) -> str | None:
        """The name these rules have in `RULESETS`, or None for rules of the house."""
        return next((name for name, ruleset in RULESETS.items() if ruleset == self), None)

    def to_dict(self) -> dict[str, Any]:
        """All options as plain values that JSON and TOML can hold; None is written `none`."""
        options = {field.name: getattr(self, field.name) for field in dataclasses.fields(self)}
        options["negatives"] = list(self.negatives)
        return {name: NONE_TEXT if value is None else value for name, value in options.items()}

    @classmethod
    def from_dict(cls, options: Mapping[str, Any]) -> RuleSet:
        """The rule set of a dict such as `to_dict` gives, or one that says only what differs from a named one.

        Options that are missing are those of the rule set named under `base`, else the defaults of `RuleSet`.
        """
        if not isinstance(options, Mapping):
            raise RuleSetError(f"rule set: must be a dict of options, not {options!r}")
        given = dict(options)
        base = make_ruleset(given.pop(BASE_KEY, cls()))
        known = [field.name for field in dataclasses.fields(cls)]
        for name in given:
            if name not in known:
                raise RuleSetError(unknown_text("option of a rule set", name, (*known, BASE_KEY)))
        if isinstance(given.get("negatives"), list):
            given["negatives"] = tuple(given["negatives"])
        for name in ("skip_limit", "settlement"):
            if given.get(name) == NONE_TEXT:
                given[name] = None
        return dataclasses.replace(base, **given)

    def write_to(self, records: GameRecord) -> None:
        """Write these rules into game records: one, or an array of them."""
        records["negatives"] = [NEGATIVE_NAMES.index(name) for name in self.negatives]
        records["skip_limit"] = NEVER_SKIP if self.skip_limit is None else self.skip_limit
        records["first_lead"] = FIRST_LEAD_NAMES.index(self.first_lead)
        records["king_of_hearts_forced"] = FORCED_NAMES.index(self.king_of_hearts_forced)
        records["auction"] = AUCTION_NAMES.index(self.auction)
        records["settlement"] = 0 if self.settlement is None else SETTLEMENT_NAMES.index(self.settlement)
        for name in ("stop_when_decided", "max_bid", "max_nulls", "no_trump", "down", "ultimatum"):
            records[name] = getattr(self, name)
        for record in np.ravel(records)[:1]:  # the same for all of them, if there are any
            records["shown_rules"] = rules_code(record)

    def _take_number(self, option: str, number: int) -> None:
        """Keep a number as Python's own, which JSON can hold, whichever it was given as."""
        object.__setattr__(self, option, number)

    def _contradictions(self) -> tuple[tuple[bool, str], ...]:
        """Pairs of a question and the reason that refuses these rules if it is answered yes."""
        no_auction = self.auction == "none"
        no_bids = self.max_bid == 0 and self.max_nulls == 0
        return (
            (
                self.max_nulls > 0 and not self.down,
                "max_nulls: bids of nulls need down=True, for who buys with nulls plays down",
            ),
            (
                self.ultimatum and self.auction != "owner_opens",
                f"ultimatum: `eight or nulls` is an opening of auction='owner_opens', not of auction={self.auction!r}",
            ),
            (
                self.ultimatum and self.max_bid < ULTIMATUM_TRICKS,
                f"ultimatum: `eight or nulls` asks for bid 8, so max_bid must be at least 8, not {self.max_bid}",
            ),
            (
                self.ultimatum and not self.down,
                "ultimatum: `eight or nulls` is played down if all pass, so it needs down=True",
            ),
            (no_auction and not no_bids, "max_bid, max_nulls: without an auction there are no bids; both must be 0"),
            (
                no_auction and self.skip_limit is not None,
                "skip_limit: only an auction can end in a skip; with auction='none' it must be None",
            ),
            (
                no_auction and self.settlement is not None,
                "settlement: without an auction nothing is sold; with auction='none' it must be None",
            ),
            (
                not no_auction and no_bids,
                "auction: an auction needs bids; give max_bid or max_nulls, or auction='none'",
            ),
            (
                not no_auction and self.settlement is None,
                f"settlement: an auction needs one of {', '.join(SETTLEMENT_NAMES)}",
            ),
        )


def make_ruleset(ruleset: RuleSet | str | Mapping[str, Any]) -> RuleSet:
    """A rule set from itself, from its name, or from a dict of options (`RuleSet.from_dict`)."""
    if isinstance(ruleset, RuleSet):
        return ruleset
    if isinstance(ruleset, Mapping):
        return RuleSet.from_dict(ruleset)
    if not isinstance(ruleset, str):
        raise RuleSetError(f"rule set: must be one of {', '.join(RULESETS)}, a RuleSet or a dict, not {ruleset!r}")
    if ruleset not in RULESETS:
        raise RuleSetError(unknown_text("rule set", ruleset, RULESETS))
    return RULESETS[ruleset]


def unknown_text(kind: str, name: object, known: Collection[str]) -> str:
    """One line that says what is not known, what was probably meant, and what there is."""
    return f"unknown {kind} {name!r}{did_you_mean(name, known)}; known: {', '.join(known) or 'none'}"


def did_you_mean(name: object, known: Collection[str]) -> str:
    """The known name that was probably meant, as the end of a sentence; nothing if none is close."""
    close = difflib.get_close_matches(str(name), known, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def check_name(option: str, name: object, allowed: Collection[str], error: type[ValueError] = ValueError) -> None:
    """Refuse a value that is not one of the allowed names."""
    if not isinstance(name, str) or name not in allowed:
        raise error(f"{option}: must be one of {', '.join(allowed)}, not {name!r}{did_you_mean(name, allowed)}")


def whole_number(
    option: str, number: object, lowest: int, highest: int | None = None, error: type[ValueError] = ValueError
) -> int:
    """The number as an int, numpy's too, if it lies within its limits."""
    if not _is_whole(number) or number < lowest or (highest is not None and number > highest):
        limits = f"of at least {lowest}" if highest is None else f"from {lowest} to {highest}"
        raise error(f"{option}: must be a whole number {limits}, not {number!r}")
    return int(number)


def _is_whole(value: object) -> TypeGuard[int]:
    """A bool is an int to Python, but nobody means True tricks."""
    return isinstance(value, (int, np.integer)) and not isinstance(value, bool)


def _check_switch(option: str, value: object) -> None:
    if not isinstance(value, bool):
        raise RuleSetError(f"{option}: must be True or False, not {value!r}")


def _checked_skip_limit(limit: object) -> int:
    """Every bid is worth a multiple of 25 points, so any other limit would be a slip."""
    if not _is_whole(limit) or not 0 <= limit <= MAX_BID_POINTS or limit % UP_POINTS:
        raise RuleSetError(
            f"skip_limit: must be None or what a bid can be worth, 0 to {MAX_BID_POINTS} in steps of {UP_POINTS}, "
            f"not {limit!r}"
        )
    return int(limit)


def _check_negatives(negatives: object) -> None:
    names = negatives if isinstance(negatives, tuple) else ()
    for name in names:
        check_name("negatives", name, NEGATIVE_NAMES, RuleSetError)
    if sorted(names) != sorted(NEGATIVE_NAMES):
        raise RuleSetError(
            f"negatives: must be a tuple of each of {', '.join(NEGATIVE_NAMES)} once, in any order, not {negatives!r}"
        )


_BRAZILIAN_NEGATIVES = (
    "no_tricks",
    "no_hearts",
    "no_kings_jacks",
    "no_queens",
    "no_king_of_hearts",
    "no_last_two",
)

PORTUGUESE = RuleSet()
BRAZILIAN_AUCTION = RuleSet(
    negatives=_BRAZILIAN_NEGATIVES,
    auction="always",
    max_bid=13,
    max_nulls=0,
    no_trump=False,
    down=False,
    ultimatum=False,
    skip_limit=25,
)
BRAZILIAN_TRUMP = RuleSet(
    negatives=_BRAZILIAN_NEGATIVES,
    auction="none",
    max_bid=0,
    max_nulls=0,
    no_trump=False,
    down=False,
    ultimatum=False,
    skip_limit=None,
    settlement=None,
)
RULESETS: dict[str, RuleSet] = {
    "portuguese": PORTUGUESE,
    "brazilian_auction": BRAZILIAN_AUCTION,
    "brazilian_trump": BRAZILIAN_TRUMP,
}
