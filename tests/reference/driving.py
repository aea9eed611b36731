"""Random games that go everywhere: who plays them, what can happen in them, and what did.

Uniform bidding never sees a long auction, so each deal has a mood, which says how its four seats like to call.
Everything worth seeing is an event with a name. `possible_events` finds by trying everything which events the
reference rules allow at all, so a test can ask that random play has seen each of them.
"""

from __future__ import annotations

import copy
import random
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from tests.reference.rules import ACTION_ID, BID_POINTS, CHOICES, NULLS, UPS, Choice, Deal, ReferenceGame, Rules

# How gladly a mood makes a kind of call; kinds that are not named have weight 1.
MOODS: dict[str, dict[str, float]] = {
    "anyhow": {},
    "climbing": {"match": 50, "hasty match": 50, "low raise": 50, "late raise": 50, "accept": 40, "auction": 40},
    "waiting": {
        **{"match": 99, "late raise": 99, "accept": 99, "auction": 40},
        **{"hasty match": 0.02, "low raise": 0.01, "raise": 0.01, "nulls": 0.01, "refuse": 0.1, "skip": 0.1},
    },
    "fond of nulls": {"nulls": 20, "match": 5, "hasty match": 5, "accept": 5, "auction": 40},
    "stubborn owner": {"low raise": 5, "late raise": 5, "match": 5, "refuse": 10, "auction": 20},
    "leaping": {"raise": 10, "match": 5, "accept": 5, "auction": 5},
    "shy": {"pass": 20, "skip": 2, "refuse": 2, "auction": 5},
    "timid": {"pass": 3, "low raise": 2, "raise": 0.1, "skip": 3, "auction": 10},
    "eight or nulls": {"eight or nulls": 20, "pass": 3},
}


def deal_cards(rng: random.Random) -> list[list[int]]:
    """Thirteen cards to each of four seats."""
    deck = list(range(52))
    rng.shuffle(deck)
    return [deck[13 * seat : 13 * seat + 13] for seat in range(4)]


def kinds_of_calls(choice: Choice, legal: list[str]) -> dict[str, list[str]]:
    """The legal calls by what a mood has an opinion of."""
    lowest = min((BID_POINTS[text] for text in legal if text in BID_POINTS and text != choice.best), default=0)
    calls: dict[str, list[str]] = {}
    for text in legal:
        kind = _kind_of_bid(choice, text, lowest) if choice.phase == "bidding" else _kind_of_call(text)
        calls.setdefault(kind, []).append(text)
    return calls


def _kind_of_call(text: str) -> str:
    return "declare" if text in UPS or text == "down" else text


def _kind_of_bid(choice: Choice, text: str, lowest: int) -> str:
    if text == "pass":
        return text
    if text == choice.best:
        return "hasty match" if choice.turn == choice.order[0] and choice.holder == choice.order[2] else "match"
    if text in NULLS:
        return "nulls"
    if BID_POINTS[text] > lowest:
        return "raise"
    return "late raise" if _has_waited(choice) else "low raise"


def _has_waited(choice: Choice) -> bool:
    """Whether the last speaker of a round has let the others match all they can, one in a round."""
    may_be_matched = getattr(choice, "level_is", "") == "accepted" and choice.holder != choice.order[0]
    return choice.turn == choice.order[2] and not may_be_matched and not getattr(choice, "was_matched", False)


# --- Events of an auction -------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Memory:
    """What happened earlier in an auction, as far as the name of an event depends on it."""

    times_matched: int = 0  # since the last raise
    was_refused: bool = False


def remember(memory: Memory, choice: Choice, text: str) -> Memory:
    """The memory after the seat to act has said this."""
    if choice.phase == "bidding" and text != "pass":
        return replace(memory, times_matched=memory.times_matched + 1 if text == choice.best else 0)
    if text == "refuse" and choice.best is not None:
        return replace(memory, was_refused=True)
    return memory


def events_of_call(before: Choice, memory: Memory, text: str, after: Choice) -> list[str]:
    """The events, if any, that a call is."""
    if before.phase == "opening":
        return [f"opens with {text}"]
    if before.phase == "ultimatum":
        return _events_of_ultimatum(before, text, after)
    if before.phase == "bidding":
        return _events_of_bidding(before, memory, text) + _events_of_outcome(memory, after)
    if before.phase == "deciding":
        return _events_of_decision(before, memory, text) + _events_of_outcome(memory, after)
    buyer = "buyer" if before.is_sold else "owner"
    return [f"{buyer} declares {text}"]


def _events_of_ultimatum(before: Choice, text: str, after: Choice) -> list[str]:
    if text == "bid 8":
        return [f"ultimatum bought by speaker {before.order.index(after.declarer) + 1}"]
    return ["ultimatum passed out"] if after.turn is None else []


def _events_of_bidding(before: Choice, memory: Memory, text: str) -> list[str]:
    if text == "pass":
        return ["nothing to say but pass"] if before.legal() == ["pass"] else []
    level_is = getattr(before, "level_is", "")
    kind = "nulls" if text in NULLS else "tricks"
    events = [f"bids {kind}"]
    if text == before.best:
        events += [f"matches {kind}", f"match number {memory.times_matched + 1} of a bid"]
    elif before.best is not None:
        events.append(f"raises a level {level_is}")
        events += ["raises a matched bid"] if memory.times_matched else []
        events += ["raises one kind by the other"] if (before.best in NULLS) != (text in NULLS) else []
        events += ["raises himself"] if before.turn == before.holder else []
    if text in before.raises() and BID_POINTS[text] == max(BID_POINTS[bid] for bid in before.raises()):
        events.append("bids the highest")
    return events


def _events_of_decision(before: Choice, memory: Memory, text: str) -> list[str]:
    if before.best is None:
        return [f"{text} when nobody bid"]
    events = [f"{text} a bid of {'nulls' if before.best in NULLS else 'tricks'}"]
    if memory.was_refused:
        events.append(f"{text} after a refusal")
    return events


def _events_of_outcome(memory: Memory, after: Choice) -> list[str]:
    """What an auction has come to, in a round of bidding or in a decision."""
    if after.is_sold:
        events = [f"sold at {'nulls' if after.best in NULLS else 'tricks'}"]
        events += ["sold to a matcher"] if memory.times_matched else []
        events += ["sold after a refusal"] if memory.was_refused else []
        return events
    if after.phase == "declaring":
        return ["owner plays against a bid" if after.best is not None else "owner plays without a bid"]
    return []


def possible_events(rules: Rules) -> set[str]:
    """Every event that some sequence of calls brings about under these rules."""
    events: set[str] = set()
    known: set[str] = set()
    open_ends = [(CHOICES[rules["auction"]](rules, 0), Memory())]
    while open_ends:
        choice, memory = open_ends.pop()
        for text, after in _continuations(choice):
            events.update(events_of_call(choice, memory, text, after))
            memory_after = remember(memory, choice, text)
            situation = f"{situation_of(after)} {memory_after}"
            if situation not in known:
                known.add(situation)
                open_ends.append((after, memory_after))
    return events


def longest_auction(rules: Rules) -> list[str]:
    """A longest sequence of calls, from the opening to the declaration, by trying everything from every situation."""
    return _longest_from(CHOICES[rules["auction"]](rules, 0), {})


def _longest_from(choice: Choice, known: dict[str, list[str]]) -> list[str]:
    situation = situation_of(choice)
    if situation not in known:
        known[situation] = max(
            ([text, *_longest_from(after, known)] for text, after in _continuations(choice)), key=len, default=[]
        )
    return known[situation]


def _continuations(choice: Choice) -> Iterator[tuple[str, Choice]]:
    """Each call that is possible now, and the auction after it."""
    for text in choice.legal() if choice.turn is not None else []:
        after = copy.copy(choice)
        after.say(text)
        yield text, after


def situation_of(choice: Choice) -> str:
    """All that the rest of an auction can depend on."""
    return repr(sorted((name, value) for name, value in vars(choice).items() if name != "rules"))


# --- Events of the play ---------------------------------------------------------------------------------------------


def events_of_card(deal: Deal) -> list[str]:
    """The events of the card about to be played, which is chosen among `deal.legal()`."""
    if deal.contract != "no_king_of_hearts" or deal.turn is None or "KH" not in deal.legal():
        return []
    hand = deal.hands[deal.turn]
    led = deal.trick[0][1][1] if deal.trick else None
    if led is None:
        situation = "leading from hearts alone"
    else:
        situation = "following hearts" if led == "H" else "void"
    alternatives = [card for card in hand if card != "KH" and (situation == "void" or card[1] == "H")]
    if not alternatives:
        return []
    return [f"king of hearts {'forced' if deal.legal() == ['KH'] else 'free'} {situation}"]


def events_of_deal(deal: Deal) -> list[str]:
    """The events that a deal which is over has come to."""
    if deal.choice is not None and deal.choice.is_skipped:
        return ["deal skipped"]
    events = ["deal stopped early"] if deal.num_tricks < 13 else []
    if deal.choice is not None and deal.choice.is_sold:
        events.append(_event_of_payment(deal, deal.choice.best_points()))
    return events


def _event_of_payment(deal: Deal, bid_points: int) -> str:
    """How the buyer came off before paying."""
    tricks = deal.tricks_taken[deal.declarer]
    made = 25 * tricks if deal.contract == "up" else 325 - 75 * tricks
    if made >= bid_points:
        return "buyer made the bid"
    return "buyer made less than the bid" if made >= 0 else "buyer made less than nothing"


def possible_play_events(rules: Rules) -> set[str]:
    """What a whole game can bring beyond its auctions."""
    forced = {
        "always": ("following hearts", "void", "leading from hearts alone"),
        "following": ("following hearts", "void"),
        "when_void": ("void",),
        "never": (),
    }[rules["king_of_hearts_forced"]]
    events = {
        f"king of hearts {'forced' if situation in forced else 'free'} {situation}"
        for situation in ("following hearts", "void", "leading from hearts alone")
    }
    if rules["stop_when_decided"]:
        events.add("deal stopped early")
    if rules["skip_limit"] is not None:
        events.add("deal skipped")
    if rules["auction"] != "none":
        events |= {"buyer made the bid", "buyer made less than the bid"}
    if rules["max_nulls"]:
        events.add("buyer made less than nothing")
    return events


# --- The driver -----------------------------------------------------------------------------------------------------


class Driver:
    """Chooses for all four seats, a mood a deal, and counts what happens."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.events: Counter[str] = Counter()
        self.most_calls = 0
        self._deal: Deal | None = None
        self._memory = Memory()
        self._num_calls = 0
        self._mood = "anyhow"

    def choose(self, game: ReferenceGame) -> int:
        """A random legal action, and note what it is; the caller then plays it."""
        deal = game.deal
        if deal is not self._deal:
            self._begin(deal)
        if deal.phase == "playing":
            text = self._choose_card(deal, game.legal_texts)
        else:
            assert deal.choice is not None
            text = self._choose_call(deal.choice, game.legal_texts)
        return ACTION_ID[text]

    def finish_deal(self) -> None:
        """Note how the deal that is now over came out."""
        assert self._deal is not None
        self.events.update(events_of_deal(self._deal))

    def _begin(self, deal: Deal) -> None:
        self._deal = deal
        self._memory = Memory()
        self._num_calls = 0
        self._mood = self.rng.choice(list(MOODS))

    def _choose_card(self, deal: Deal, legal: list[str]) -> str:
        if deal.contract == "no_king_of_hearts":
            self.events.update(events_of_card(deal))
        return legal[int(self.rng.random() * len(legal))]

    def _choose_call(self, choice: Choice, legal: list[str]) -> str:
        text = self._like_the_mood(choice, legal)
        after = copy.copy(choice)
        after.say(text)
        memory_after = remember(self._memory, choice, text)
        self.events.update(events_of_call(choice, self._memory, text, after))
        self._memory = memory_after
        self._num_calls += 1
        self.most_calls = max(self.most_calls, self._num_calls)
        return text

    def _like_the_mood(self, choice: Choice, legal: list[str]) -> str:
        """First a kind of call by its weight, then any call of that kind."""
        calls = kinds_of_calls(choice, legal)
        mood = MOODS[self._mood]
        kinds = list(calls)
        kind = self.rng.choices(kinds, [mood.get(kind, 1.0) for kind in kinds])[0]
        return self.rng.choice(calls[kind])


def random_rules(rng: random.Random) -> dict[str, Any]:
    """Options drawn at random, one with another as no contradiction forbids (Rules 7)."""
    negatives = ["no_tricks", "no_hearts", "no_queens", "no_kings_jacks", "no_king_of_hearts", "no_last_two"]
    rng.shuffle(negatives)
    rules: dict[str, Any] = {
        "negatives": negatives,
        "first_lead": rng.choice(["dealer", "declarer", "left_of_dealer"]),
        "king_of_hearts_forced": rng.choice(["always", "following", "when_void", "never"]),
        "stop_when_decided": rng.choice([True, False]),
        "auction": rng.choice(["owner_opens", "always", "none"]),
        "max_bid": 0,
        "max_nulls": 0,
        "no_trump": rng.choice([True, False]),
        "down": rng.choice([True, False]),
        "ultimatum": False,
        "skip_limit": None,
        "settlement": None,
    }
    if rules["auction"] != "none":
        rules["max_nulls"] = rng.randint(0, 4) if rules["down"] else 0
        rules["max_bid"] = rng.randint(0 if rules["max_nulls"] else 1, 13)
        rules["skip_limit"] = rng.choice([None, *range(0, 326, 25)])
        rules["settlement"] = rng.choice(["capped", "full"])
    if rules["auction"] == "owner_opens" and rules["down"] and rules["max_bid"] >= 8:
        rules["ultimatum"] = rng.choice([True, False])
    return rules
