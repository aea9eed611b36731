"""A check of golden games with nothing but the cards and the plain rules: who takes a trick, what it pays.

It shares no code with the engine. What may be said in an auction is left to the engine and to the reference.
"""

from __future__ import annotations

from tests.golden.column import Deal, Trick

RANKS = "23456789TJQKA"
NO_LEADING_HEARTS = ("no_hearts", "no_king_of_hearts")
SKIPPED = "not played"


def higher(card: str, other: str) -> bool:
    """Whether a card is the higher of two of one suit."""
    return RANKS.index(card[0]) > RANKS.index(other[0])


def taker(trick: Trick, trump: str | None) -> int:
    """The highest trump takes the trick, else the highest card of the suit led (Rules 1)."""
    (best_seat, best), *others = trick.in_order()
    for seat, card in others:
        if (card[1] == best[1] and higher(card, best)) or (card[1] == trump and best[1] != trump):
            best_seat, best = seat, card
    return best_seat


def points(contract: str, number: int, cards: list[str]) -> int:
    """What trick `number`, 1 to 13, pays whoever takes it (Rules 2 and 3)."""
    if contract == "no_hearts":
        return -20 * sum(card[1] == "H" for card in cards)
    if contract == "no_queens":
        return -50 * sum(card[0] == "Q" for card in cards)
    if contract == "no_kings_jacks":
        return -30 * sum(card[0] in "KJ" for card in cards)
    if contract == "no_king_of_hearts":
        return -160 * ("KH" in cards)
    if contract == "no_last_two":
        return -90 if number >= 12 else 0
    return {"no_tricks": -20, "up": 25, "down": -75}[contract]


def playable(hand: list[str], led: str | None, contract: str) -> list[str]:
    """What may be led, or played to a suit led (Rules 1 and 2)."""
    if led is None:
        not_hearts = [card for card in hand if card[1] != "H"]
        cards = not_hearts if contract in NO_LEADING_HEARTS and not_hearts else hand
    else:
        cards = [card for card in hand if card[1] == led] or hand
    return ["KH"] if contract == "no_king_of_hearts" and "KH" in cards else cards


def check_tricks(deal: Deal) -> list[int]:
    """Follow the play card by card; what the seats have made before any sale is settled."""
    hands = [list(hand) for hand in deal.cards()]
    assert sorted(card for hand in hands for card in hand) == sorted(rank + suit for rank in RANKS for suit in "CDHS")
    scores = [325] * 4 if deal.contract == "down" else [0] * 4
    leader = deal.dealer
    for number, trick in enumerate(deal.tricks, start=1):
        assert trick.leader == leader, f"trick {number}: led by the wrong seat"
        led = None
        for seat, card in trick.in_order():
            assert card in playable(hands[seat], led, deal.contract), f"trick {number}: {card} may not be played"
            hands[seat].remove(card)
            led = led or card[1]
        leader = taker(trick, deal.trump)
        assert trick.taker == leader, f"trick {number}: taken by seat {leader}"
        scores[leader] += points(deal.contract, number, trick.cards)
        assert trick.scores == scores, f"trick {number}: the scores are {scores}"
    assert len(deal.tricks) == 13
    return scores


def check_settlement(deal: Deal, made: list[int]) -> list[int]:
    """The buyer pays the bid, or what was made if that is less, to the owner (Rules 3.5)."""
    scores = list(made)
    if deal.buyer is not None:
        assert deal.bid is not None
        kind, number = deal.bid.split()
        price = int(number) * {"bid": 25, "nulls": 75}[kind]
        paid = min(price, max(0, made[deal.buyer]))
        assert deal.paid == paid
        scores[deal.buyer] -= paid
        scores[deal.dealer] += paid
    return scores


def check(deal: Deal) -> None:
    """Whether everything that the column says of a deal follows from its cards."""
    if deal.contract == SKIPPED:
        assert not deal.tricks
        assert deal.scores == [100 if seat == deal.dealer else 75 for seat in range(4)]
    else:
        assert deal.scores == check_settlement(deal, check_tricks(deal))
