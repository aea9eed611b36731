"""Why an action is illegal, in the words of the rule that forbids it.

The engine says what is legal; this module only explains, for people, what is not. It reads one game record.
"""

from __future__ import annotations

from collections.abc import Callable

from king_env.engine.actions import (
    ACCEPT,
    AUCTION,
    BID_EIGHT,
    BID_POINTS,
    DECLARE_DOWN,
    EIGHT_OR_NULLS,
    FIRST_BID,
    FIRST_CALL,
    FIRST_NULLS,
    FIRST_UP,
    PASS,
    REFUSE,
    SKIP,
    Action,
)
from king_env.engine.cards import CARDS_OF_SUIT, HEARTS, KING_OF_HEARTS, SUIT_OF, Card
from king_env.engine.contracts import FORCED_CARD, NO_TRUMP, NOT_LED
from king_env.engine.state import (
    ALWAYS,
    BIDDING,
    DECIDING,
    DECLARING,
    LEVEL_ACCEPTED,
    OPENING,
    OVER,
    PLAYING,
    ULTIMATUM,
    GameRecord,
)
from king_env.notation import CARD_TEXTS, action_text

SUIT_NAMES = ("clubs", "diamonds", "hearts", "spades")
NO_TRUMP_CALL: Action = FIRST_UP + NO_TRUMP

_BIDS = frozenset(range(FIRST_BID, ACCEPT))
_DECLARATIONS = frozenset(range(FIRST_UP, DECLARE_DOWN + 1))
# In each phase: what the seat to act is to do, and the calls that belong there in one rule set or another.
_TASKS: dict[int, tuple[str, frozenset[Action]]] = {
    OPENING: (
        "seat {turn} owns the deal and is to open it (Rules 3.1)",
        _DECLARATIONS | {AUCTION, EIGHT_OR_NULLS},
    ),
    ULTIMATUM: ("seat {turn} is to answer the ultimatum with bid 8 or pass (Rules 3.1)", frozenset({BID_EIGHT, PASS})),
    BIDDING: ("seat {turn} is to bid or pass ({auction})", _BIDS | {PASS}),
    DECIDING: ("it is the decision of the owner, seat {turn} ({auction})", frozenset({ACCEPT, REFUSE, SKIP})),
    DECLARING: ("seat {turn} is to declare how the deal is played (Rules 3)", _DECLARATIONS),
    PLAYING: ("seat {turn} is to play a card (Rules 1)", frozenset(range(FIRST_CALL))),
}


def why_illegal(game: GameRecord, action: Action) -> str:
    """The action and the rule that forbids it; the action must be one that the engine holds illegal."""
    return f"{action_text(action)}: {_reason(game, action)}"


def calls_of_phase(game: GameRecord) -> list[Action]:
    """The calls that belong to this moment of a game by its rules, legal or not, in the order of their numbers.

    None while cards are played, and once the game is over.
    """
    phase = int(game["phase"])
    if phase in (PLAYING, OVER):
        return []
    _, calls = _TASKS[phase]
    return [call for call in sorted(calls) if _why_not_known(game, call) is None]


def _reason(game: GameRecord, action: Action) -> str:
    phase = int(game["phase"])
    if phase == OVER:
        return "the game is over"
    task, calls = _TASKS[phase]
    if action not in calls:
        return task.format(turn=game["turn"], auction=_auction_rules(game))
    if phase == PLAYING:
        return _why_not_play(game, action)
    return _why_not_known(game, action) or _EXPLAIN[phase](game, action)


def _auction_rules(game: GameRecord) -> str:
    return "Rules 3.3" if game["auction"] == ALWAYS else "Rules 3.2"


def _why_not_play(game: GameRecord, card: Card) -> str:
    """The card is not there, does not follow, leads hearts too soon, or stands in for the forced K♥."""
    turn = int(game["turn"])
    hand = int(game["hands"][turn])
    if not hand >> card & 1:
        return f"seat {turn} does not hold it"
    if game["num_plays"] % 4:
        led = int(game["led_suit"])
        if hand & CARDS_OF_SUIT[led] and SUIT_OF[card] != led:
            return f"must follow {SUIT_NAMES[led]} (Rules 1)"
    elif NOT_LED[game["contract"]] >> card & 1 and hand & ~NOT_LED[game["contract"]]:
        return f"{SUIT_NAMES[HEARTS]} may not be led while holding any other suit (Rules 2)"
    assert hand & FORCED_CARD[game["contract"]], "a legal play has no reason"
    return f"{CARD_TEXTS[KING_OF_HEARTS]} may be played and so must be (Rules 2, option king_of_hearts_forced)"


def _why_not_known(game: GameRecord, call: Action) -> str | None:
    """The rule set has no such call at all, at any time (Rules 7)."""
    if FIRST_BID <= call < FIRST_NULLS and call - FIRST_BID >= game["max_bid"]:
        return _up_to("bids of tricks", game["max_bid"])
    if FIRST_NULLS <= call < ACCEPT and call - FIRST_NULLS >= game["max_nulls"]:
        return _up_to("nulls", game["max_nulls"])
    missing = {
        EIGHT_OR_NULLS: (game["ultimatum"], "has no ultimatum (option ultimatum)"),
        NO_TRUMP_CALL: (game["no_trump"], "asks for a trump suit (option no_trump)"),
        DECLARE_DOWN: (game["down"], "plays no deal down (option down)"),
        SKIP: (game["skip_limit"] >= 0, "skips no deal (option skip_limit)"),
    }
    allowed, reason = missing.get(call, (True, ""))
    return None if allowed else f"this rule set {reason}"


def _up_to(bids: str, most: int) -> str:
    return f"this rule set allows {bids} up to {most}" if most else f"this rule set allows no {bids}"


def _why_not_bid(game: GameRecord, bid: Action) -> str:
    """The bid is no raise, and no match that the seat may make (Rules 3.2, 3.3)."""
    best, holder = int(game["best_bid"]), int(game["holder"])
    rules = _auction_rules(game)
    if bid != best:
        return f"must be worth more than the {BID_POINTS[best]} points of {action_text(best)} ({rules})"
    if game["turn"] == holder:
        return f"seat {holder} holds {action_text(best)} already ({rules})"
    if game["auction"] == ALWAYS and game["answer"] != LEVEL_ACCEPTED:
        return f"may be matched only after the owner has accepted it ({rules})"
    return f"only a seat earlier than its holder, seat {holder}, may match it ({rules})"


def _why_not_decide(game: GameRecord, decision: Action) -> str:
    """There is nothing to accept, or the best bid is too high to skip (Rules 3.2, 3.3)."""
    if decision == ACCEPT:
        return f"there is no bid to accept ({_auction_rules(game)})"
    best = int(game["best_bid"])
    return (
        f"a deal may be skipped up to a best bid worth {game['skip_limit']} points, "
        f"and {action_text(best)} is worth {BID_POINTS[best]} ({_auction_rules(game)})"
    )


def _why_not_declare(game: GameRecord, call: Action) -> str:
    """Who bought with a bid of tricks must play up (Rules 3.2)."""
    return f"seat {game['turn']} bought with {action_text(game['best_bid'])}, which is played up (Rules 3.2)"


_EXPLAIN: dict[int, Callable[[GameRecord, Action], str]] = {
    BIDDING: _why_not_bid,
    DECIDING: _why_not_decide,
    DECLARING: _why_not_declare,
}
