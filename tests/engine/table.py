"""Setting up hands, tricks and auctions as card players would at a table, with cards and calls as text.

Everything is played through `Game`. Only `position` touches a record: it puts chosen hands in the place of those
dealt, as one sets up a chess diagram.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from king_env.game import Game
from king_env.notation import parse_cards
from king_env.ruleset import PORTUGUESE, RuleSet, make_ruleset

RANKS = "23456789TJQKA"
PACK = [rank + suit for suit in "CDHS" for rank in RANKS]
FIRST_POSITIVE = 6

# Four hands in which anybody may hold anything: for what does not depend on the cards.
SOME_DEAL = "0:AKQ2.J93.T85.764 T98.AT8.KQ7.KJ52 7653.KQ7.A64.AT9 J4.6542.J932.Q83"


def new_deal(contract: str, rules: RuleSet | str = PORTUGUESE, *, deal: str = SOME_DEAL, dealer: int = 0) -> Game:
    """One deal, ready for the first action: of a negative contract by name, or `positive`."""
    ruleset = make_ruleset(rules)
    number = FIRST_POSITIVE if contract == "positive" else ruleset.negatives.index(contract)
    return Game(ruleset, deals=[deal], dealer=dealer, first_deal=number, num_deals=1)


def positive(rules: RuleSet | str = PORTUGUESE, *, deal: str = SOME_DEAL, owner: int = 0) -> Game:
    """A positive deal before the first word."""
    return new_deal("positive", rules, deal=deal, dealer=owner)


def say(game: Game, calls: str) -> Game:
    """Make calls such as `1 bid 2, 2 pass`; each seat named must be the one to act."""
    for call in calls.split(", "):
        seat, text = int(call[0]), call[2:]
        assert game.turn == seat, f"seat {game.turn} is to act, not {call!r}"
        game.play(text)
    return game


def may_say(game: Game, call: str) -> bool:
    """Whether the call, such as `2 bid 5`, is open to that seat now."""
    assert game.turn == int(call[0]), f"seat {game.turn} is to act, not {call!r}"
    return call[2:] in game.legal()


def calls(game: Game) -> set[str]:
    """All that the seat to act may do, as texts."""
    return set(game.legal())


def bids(text: str) -> set[str]:
    """`pass, bid 3-5, nulls 2` as a set of texts."""
    texts = set()
    for part in text.split(", "):
        name, _, numbers = part.rpartition(" ")
        if "-" in numbers:
            first, last = numbers.split("-")
            texts |= {f"{name} {n}" for n in range(int(first), int(last) + 1)}
        else:
            texts.add(part)
    return texts


# What a record says, in words


def field(game: Game, name: str) -> Any:
    """One field of the game's record, arrays as lists."""
    return game.record[name][0].tolist()


def scores(game: Game) -> list[int]:
    """What each seat has made in this deal."""
    return [int(score) for score in game.hand_scores]


# Positions with chosen hands


def position(
    hands: Mapping[int, str],
    contract: str = "no_tricks",
    *,
    trump: str = "NT",
    leader: int = 0,
    rules: RuleSet | str = PORTUGUESE,
) -> Game:
    """Seats on the point of leading to a trick with these hands: all equally long, the other cards already played."""
    is_positive = contract in ("up", "down")
    game = new_deal("positive" if is_positive else contract, rules, dealer=leader)
    if is_positive:
        game.play(f"up {trump}" if contract == "up" else "down")
    held = [parse_cards(hands[seat]) for seat in range(4)]
    size = len(hands[leader].split())
    assert all(len(hands[seat].split()) == size for seat in range(4)), "hands of different lengths"
    gone = [card for card in PACK if not any(hand & parse_cards(card) for hand in held)]
    assert len(gone) == 52 - 4 * size, "a card is in two hands"
    game.record["hands"][0] = held
    game.record["num_plays"][0] = len(gone)
    for seat in range(4):
        game.record["played"][0][seat] = parse_cards(" ".join(gone[seat::4]))
    game.record["turn"][0] = game.record["leader"][0] = leader
    return game


def legal(
    hand: str,
    led: str | None = None,
    contract: str = "no_tricks",
    *,
    trump: str = "NT",
    rules: RuleSet | str = PORTUGUESE,
) -> str:
    """Which cards of a hand may be played when its right neighbour led this suit, or, with None, be led."""
    mine = hand.split()
    rest = [card for card in PACK if card not in mine and card != "KH"]
    if led is not None:
        rest.sort(key=lambda card: card[1] != led)  # a hand of the suit led alone, so that it may be led
    right = rest[: len(mine)]
    others = rest[len(mine) :]
    hands = {0: hand, 3: " ".join(right)}
    for seat in (1, 2):
        hands[seat] = " ".join(others[(seat - 1) * len(mine) : seat * len(mine)])
    game = position(hands, contract, trump=trump, leader=0 if led is None else 3, rules=rules)
    if led is not None:
        assert right[0][1] == led
        game.play(right[0])
    allowed = game.legal()
    assert set(allowed) <= set(mine)
    return " ".join(card for card in mine if card in allowed)


def last_trick(cards: str, contract: str = "up", *, trump: str = "NT", leader: int = 0) -> Game:
    """Trick 13 of a deal, played: `cards` from the leader on, one a seat."""
    cards_played = cards.split()
    hands = {(leader + place) % 4: card for place, card in enumerate(cards_played)}
    game = position(hands, contract, trump=trump, leader=leader)
    for card in cards_played:
        game.play(card)
    return game


def taker(cards: str, contract: str = "up", *, trump: str = "NT", leader: int = 0) -> int:
    """Which seat takes a trick of these cards, given from the leader on."""
    taken: list[int] = field(last_trick(cards, contract, trump=trump, leader=leader), "tricks")
    return taken.index(1)


def pays(cards: str, contract: str) -> int:
    """What a trick of these cards, trick 13, pays the leader, who must be the one who takes it."""
    leader, *others = scores(last_trick(cards, contract))
    assert others == [0, 0, 0]
    return leader


# A deal whose tricks fall as one likes


def carousel(leader: int = 0) -> str:
    """A deal where each seat holds a suit from the ace down to the three, and its left neighbour's deuce.

    So it takes as many tricks as it likes, and passes the lead to the left with the deuce.
    """
    return f"{leader}:AKQJT9876543.2.. .AKQJT9876543.2. ..AKQJT9876543.2 2...AKQJT9876543"


def take_tricks(game: Game, *tricks: int) -> Game:
    """Play a carousel so that the leader takes `tricks[0]`, the seat to the left `tricks[1]` and so on.

    It works where no suit is trump and hearts may be led. The lead cannot pass over a seat.
    """
    first = game.turn
    assert first is not None
    for place, number in enumerate(tricks):
        for trick in range(number):
            passes_the_lead = trick == 0 and place > 0
            assert game.turn == (first + place - passes_the_lead) % 4
            play_carousel_trick(game, first, passes_the_lead)
    return game


def play_carousel_trick(game: Game, first: int, passes_the_lead: bool) -> None:
    """One trick: the leader's highest card or the deuce, then everybody's lowest of the own suit if possible."""
    for place in range(4):
        seat = game.turn
        assert seat is not None
        own_suit = "SHDC"[(seat - first) % 4]
        cards = sorted(game.legal(), key=lambda card: (card[1] != own_suit, RANKS.index(card[0])))
        own = [card for card in cards if card[1] == own_suit]
        if place > 0:
            game.play(cards[0])
        elif passes_the_lead:
            game.play(cards[-1] if cards[-1][1] != own_suit else cards[0])
        else:
            game.play((own or cards)[-1])
