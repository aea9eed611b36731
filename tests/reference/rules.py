"""The rules of King once more, slowly and plainly, as the rule text says them: the judge of the fast engine.

It imports nothing of `king_env`, and was written from the rule text alone. Cards and calls are the texts of Rules 5,
hands are lists, and nothing is clever. `ReferenceGame` is the one class that tests need.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

Seat = int
Rules = Mapping[str, Any]  # the options of Rules 7 by name

# --- Rules 5: actions and their text --------------------------------------------------------------------------------

SUITS = "CDHS"
RANKS = "23456789TJQKA"
CARDS = [rank + suit for suit in SUITS for rank in RANKS]
BIDS = [f"bid {n}" for n in range(1, 14)]
NULLS = [f"nulls {n}" for n in range(1, 5)]
UPS = [f"up {trump}" for trump in ("C", "D", "H", "S", "NT")]
ACTIONS = [
    *CARDS,
    "pass",
    *BIDS,
    *NULLS,
    *("accept", "refuse", "skip"),
    *("auction", "eight or nulls"),
    *UPS,
    "down",
]
ACTION_ID = {text: number for number, text in enumerate(ACTIONS)}

# --- Rules 2 and 3: what things are worth ---------------------------------------------------------------------------

BID_POINTS = {f"bid {n}": 25 * n for n in range(1, 14)} | {f"nulls {n}": 75 * n for n in range(1, 5)}
HEARTS_NOT_LED = ("no_hearts", "no_king_of_hearts")
CONTRACTS_ON_CARDS = ("no_hearts", "no_queens", "no_kings_jacks", "no_king_of_hearts")


def pays(contract: str, card: str) -> int:
    """What a card costs whoever takes it."""
    if contract == "no_hearts" and card[1] == "H":
        return -20
    if contract == "no_queens" and card[0] == "Q":
        return -50
    if contract == "no_kings_jacks" and card[0] in "KJ":
        return -30
    if contract == "no_king_of_hearts" and card == "KH":
        return -160
    return 0


def trick_pays(contract: str, trick_number: int) -> int:
    """What a trick itself brings; the first is number 1."""
    if contract == "no_tricks":
        return -20
    if contract == "no_last_two" and trick_number in (12, 13):
        return -90
    if contract == "up":
        return 25
    if contract == "down":
        return -75
    return 0


CARD_PAYS = {contract: {card: pays(contract, card) for card in CARDS} for contract in CONTRACTS_ON_CARDS}


def seats_from_left_of(owner: Seat) -> list[Seat]:
    """The fixed speaking order: the three others, from the owner's left."""
    return [(owner + 1) % 4, (owner + 2) % 4, (owner + 3) % 4]


# --- Rules 7: the three named rule sets -----------------------------------------------------------------------------

PORTUGUESE: Rules = {
    "negatives": ["no_tricks", "no_hearts", "no_queens", "no_kings_jacks", "no_king_of_hearts", "no_last_two"],
    "first_lead": "dealer",
    "king_of_hearts_forced": "always",
    "stop_when_decided": False,
    "auction": "owner_opens",
    "max_bid": 8,
    "max_nulls": 2,
    "no_trump": True,
    "down": True,
    "ultimatum": True,
    "skip_limit": 75,
    "settlement": "capped",
}
BRAZILIAN_AUCTION: Rules = {
    "negatives": ["no_tricks", "no_hearts", "no_kings_jacks", "no_queens", "no_king_of_hearts", "no_last_two"],
    "first_lead": "dealer",
    "king_of_hearts_forced": "always",
    "stop_when_decided": False,
    "auction": "always",
    "max_bid": 13,
    "max_nulls": 0,
    "no_trump": False,
    "down": False,
    "ultimatum": False,
    "skip_limit": 25,
    "settlement": "capped",
}
BRAZILIAN_TRUMP: Rules = {
    **BRAZILIAN_AUCTION,
    **{"auction": "none", "max_bid": 0, "skip_limit": None, "settlement": None},
}
NAMED_RULES = {
    "portuguese": PORTUGUESE,
    "brazilian_auction": BRAZILIAN_AUCTION,
    "brazilian_trump": BRAZILIAN_TRUMP,
}


# --- Rules 3: how a positive deal comes to be played -----------------------------------------------------------------


class Choice:
    """From the first look at the cards of a positive deal until it is known how the deal is played.

    `turn` is None once it is known. Lists are replaced and never changed, so that `copy.copy` makes an honest copy.
    """

    def __init__(self, rules: Rules, owner: Seat) -> None:
        self.rules = rules
        self.owner = owner
        self.order = seats_from_left_of(owner)
        self.turn: Seat | None = None
        self.phase = ""
        self.best: str | None = None  # the best bid
        self.holder: Seat | None = None  # who made it, or matched it last
        # What comes out.
        self.declarer = owner
        self.is_sold = False
        self.is_skipped = False
        self.contract: str | None = None
        self.trump: str | None = None

    def legal(self) -> list[str]:
        """What the seat to act may say."""
        if self.phase == "opening":
            return self.openings()
        if self.phase == "ultimatum":
            return ["pass", "bid 8"]
        if self.phase == "bidding":
            return ["pass", *self.raises(), *self.matches()]
        if self.phase == "deciding":
            return self.decisions()
        return self.declarations()

    def say(self, text: str) -> None:
        """The seat to act says this, which is legal."""
        if self.phase == "opening":
            self.open(text)
        elif self.phase == "ultimatum":
            self.answer_ultimatum(text)
        elif self.phase == "bidding":
            self.bid_or_pass(text)
        elif self.phase == "deciding":
            self.decide(text)
        else:
            self.declare(text)

    # Each kind of auction says what these are.
    def openings(self) -> list[str]:
        raise NotImplementedError

    def open(self, text: str) -> None:
        raise NotImplementedError

    def answer_ultimatum(self, text: str) -> None:
        raise NotImplementedError

    def matches(self) -> list[str]:
        raise NotImplementedError

    def bid_or_pass(self, text: str) -> None:
        raise NotImplementedError

    def decide(self, text: str) -> None:
        raise NotImplementedError

    # The same in every auction.
    def best_points(self) -> int:
        return 0 if self.best is None else BID_POINTS[self.best]

    def raises(self) -> list[str]:
        """A bid must be worth strictly more points than the best, and be one that the house allows."""
        allowed = BIDS[: self.rules["max_bid"]] + NULLS[: self.rules["max_nulls"]]
        best_points = self.best_points()
        return [bid for bid in allowed if BID_POINTS[bid] > best_points]

    def stands_before_holder(self, seat: Seat | None) -> bool:
        if seat is None or self.holder is None:
            return False
        return self.order.index(seat) < self.order.index(self.holder)

    def decisions(self) -> list[str]:
        """Accept if there is a bid; refuse; skip where there is no bid or one worth little."""
        decisions = ["refuse"]
        if self.best is not None:
            decisions.append("accept")
        limit = self.rules["skip_limit"]
        if limit is not None and (self.best is None or self.best_points() <= limit):
            decisions.append("skip")
        return decisions

    def declarations(self) -> list[str]:
        """A buyer with `bid n` must play up; an owner may also play down."""
        declarations = UPS[:4]
        if self.rules["no_trump"]:
            declarations = UPS[:]
        if self.rules["down"] and not self.is_sold:
            declarations = [*declarations, "down"]
        return declarations

    def ask(self, phase: str, seat: Seat) -> None:
        self.phase, self.turn = phase, seat

    def sell(self) -> None:
        """The holder has bought: a bid of tricks leaves the trump to name, a bid of nulls nothing."""
        assert self.best is not None and self.holder is not None
        self.is_sold = True
        self.declarer = self.holder
        if self.best in NULLS:
            self.declare("down")
        else:
            self.ask("declaring", self.declarer)

    def skip(self) -> None:
        self.is_skipped = True
        self.turn = None

    def declare(self, text: str) -> None:
        if text == "down":
            self.contract = "down"
        else:
            self.contract = "up"
            self.trump = text.removeprefix("up ")
        self.turn = None


class OwnerChoosesAlone(Choice):
    """Rules 3.4: no auction at all."""

    def __init__(self, rules: Rules, owner: Seat) -> None:
        super().__init__(rules, owner)
        self.ask("declaring", owner)


class OwnerOpens(Choice):
    """Rules 3.1 and 3.2: the owner chooses at once, opens the auction, or says eight or nulls."""

    def __init__(self, rules: Rules, owner: Seat) -> None:
        super().__init__(rules, owner)
        self.still_in = list(self.order)
        self.ask("opening", owner)

    def openings(self) -> list[str]:
        openings = [*self.declarations(), "auction"]
        if self.rules["ultimatum"]:
            openings.append("eight or nulls")
        return openings

    def open(self, text: str) -> None:
        if text == "auction":
            self.ask("bidding", self.order[0])
        elif text == "eight or nulls":
            self.ask("ultimatum", self.order[0])
        else:
            self.declare(text)

    def answer_ultimatum(self, text: str) -> None:
        """The first `bid 8` buys at once; if all pass, the owner plays down."""
        assert self.turn is not None
        if text == "bid 8":
            self.best, self.holder = text, self.turn
            self.sell()
        elif self.turn == self.order[-1]:
            self.declare("down")
        else:
            self.ask("ultimatum", (self.turn + 1) % 4)

    def matches(self) -> list[str]:
        """A seat earlier in the order than the holder may make the identical bid."""
        return [self.best] if self.best is not None and self.stands_before_holder(self.turn) else []

    def bid_or_pass(self, text: str) -> None:
        assert self.turn is not None
        speaker = self.turn
        if text == "pass":
            self.still_in = [seat for seat in self.still_in if seat != speaker]
        else:
            self.best, self.holder = text, speaker
        if all(seat == self.holder for seat in self.still_in):
            self.ask("deciding", self.owner)
        else:
            self.ask("bidding", self.next_speaker(speaker))

    def next_speaker(self, seat: Seat) -> Seat:
        """Round the table to the next who is still in, passing over the holder."""
        seat = (seat + 1) % 4
        while seat not in self.still_in or seat == self.holder:
            seat = (seat + 1) % 4
        return seat

    def decide(self, text: str) -> None:
        if text == "accept":
            self.sell()
        elif text == "refuse":
            self.ask("declaring", self.owner)
        else:
            self.skip()


class AlwaysAuction(Choice):
    """Rules 3.3: the auction in rounds."""

    def __init__(self, rules: Rules, owner: Seat) -> None:
        super().__init__(rules, owner)
        self.level_is = "not answered"  # then "accepted" or "refused"
        self.start_round()

    def start_round(self) -> None:
        self.was_raised = False
        self.was_matched = False
        self.ask("bidding", self.order[0])

    def matches(self) -> list[str]:
        """ "Pela mão": only an accepted level, and only by a seat that stands earlier than the holder."""
        if self.best is not None and self.level_is == "accepted" and self.stands_before_holder(self.turn):
            return [self.best]
        return []

    def bid_or_pass(self, text: str) -> None:
        assert self.turn is not None
        if text != "pass":
            if text == self.best:
                self.was_matched = True
            else:
                self.was_raised = True
                self.level_is = "not answered"
            self.best, self.holder = text, self.turn
        if self.turn == self.order[-1]:
            self.end_round()
        else:
            self.ask("bidding", (self.turn + 1) % 4)

    def end_round(self) -> None:
        if self.was_raised or self.best is None:
            self.ask("deciding", self.owner)
        elif self.was_matched:
            self.start_round()
        elif self.level_is == "accepted":
            self.sell()
        else:
            self.ask("declaring", self.owner)

    def decide(self, text: str) -> None:
        if text == "skip":
            self.skip()
        elif text == "accept":
            self.level_is = "accepted"
            self.start_round()
        elif self.best is None:
            self.ask("declaring", self.owner)
        else:
            self.level_is = "refused"
            self.start_round()


CHOICES = {"none": OwnerChoosesAlone, "owner_opens": OwnerOpens, "always": AlwaysAuction}


# --- Rules 1 and 2: the play ----------------------------------------------------------------------------------------


def legal_cards(
    hand: Sequence[str], led: str | None, contract: str, king_of_hearts_forced: str = "always"
) -> list[str]:
    """The cards of a hand that may be played when this suit was led, or, with None, be led."""
    following = [card for card in hand if card[1] == led]
    if led is None and contract in HEARTS_NOT_LED:
        playable = [card for card in hand if card[1] != "H"] or list(hand)
    else:
        playable = following or list(hand)
    if contract == "no_king_of_hearts" and "KH" in playable:
        is_void = led is not None and not following
        is_forced = {
            "always": True,
            "following": led is not None,
            "when_void": is_void,
            "never": False,
        }[king_of_hearts_forced]
        if is_forced:
            return ["KH"]
    return playable


def winner_of(trick: Sequence[tuple[Seat, str]], trump: str | None) -> Seat:
    """The highest trump takes the trick, else the highest card of the suit led."""
    suit = trick[0][1][1]
    if any(card[1] == trump for _, card in trick):
        suit = str(trump)
    contenders = [(RANKS.index(card[0]), seat) for seat, card in trick if card[1] == suit]
    return max(contenders)[1]


class Deal:
    """One of the ten deals: the choice of how to play it if it is positive, the tricks, the score."""

    def __init__(self, rules: Rules, number: int, dealer: Seat, hands: Sequence[Sequence[str]]) -> None:
        self.rules = rules
        self.dealer = dealer
        self.hands = [list(hand) for hand in hands]
        self.scores = [0, 0, 0, 0]
        self.choice: Choice | None = None
        self.contract: str | None = None
        self.trump: str | None = None
        self.declarer = dealer
        self.trick: list[tuple[Seat, str]] = []
        self.num_tricks = 0
        self.tricks_taken = [0, 0, 0, 0]
        self.turn: Seat | None = None
        self.phase = ""
        if number < 6:
            self.start_play(rules["negatives"][number])
        else:
            self.choice = CHOICES[rules["auction"]](rules, dealer)
            self.turn, self.phase = self.choice.turn, self.choice.phase

    @property
    def is_over(self) -> bool:
        return self.turn is None

    def legal(self) -> list[str]:
        if self.phase != "playing":
            assert self.choice is not None
            return self.choice.legal()
        assert self.turn is not None and self.contract is not None
        led = self.trick[0][1][1] if self.trick else None
        return legal_cards(self.hands[self.turn], led, self.contract, self.rules["king_of_hearts_forced"])

    def play(self, text: str) -> None:
        if self.phase == "playing":
            self.play_card(text)
            return
        assert self.choice is not None
        self.choice.say(text)
        self.turn, self.phase, self.declarer = self.choice.turn, self.choice.phase, self.choice.declarer
        if self.choice.is_skipped:
            self.score_skip()
        elif self.choice.contract is not None:
            self.trump = self.choice.trump
            self.start_play(self.choice.contract)

    def score_skip(self) -> None:
        """4-3-3-3."""
        self.scores = [100 if seat == self.dealer else 75 for seat in range(4)]
        self.turn = None

    def start_play(self, contract: str) -> None:
        self.contract = contract
        if contract == "down":
            self.scores = [325, 325, 325, 325]
        self.phase = "playing"
        self.turn = {
            "dealer": self.dealer,
            "declarer": self.declarer,
            "left_of_dealer": (self.dealer + 1) % 4,
        }[self.rules["first_lead"]]

    def play_card(self, card: str) -> None:
        assert self.turn is not None
        self.hands[self.turn].remove(card)
        self.trick.append((self.turn, card))
        if len(self.trick) == 4:
            self.finish_trick()
        else:
            self.turn = (self.turn + 1) % 4

    def finish_trick(self) -> None:
        assert self.contract is not None
        winner = winner_of(self.trick, self.trump)
        self.num_tricks += 1
        self.tricks_taken[winner] += 1
        self.scores[winner] += trick_pays(self.contract, self.num_tricks)
        if self.contract in CARD_PAYS:
            self.scores[winner] += sum(CARD_PAYS[self.contract][card] for _, card in self.trick)
        self.trick = []
        self.turn = winner
        if self.num_tricks == 13 or self.is_decided():
            self.turn = None
            self.settle()

    def is_decided(self) -> bool:
        """Nothing that pays is in a hand any more, and the house stops then."""
        if not self.rules["stop_when_decided"] or self.contract not in CONTRACTS_ON_CARDS:
            return False
        return not any(CARD_PAYS[self.contract][card] for hand in self.hands for card in hand)

    def settle(self) -> None:
        """Rules 3.5: the buyer pays the owner."""
        if self.choice is None or not self.choice.is_sold:
            return
        payment = self.choice.best_points()
        if self.rules["settlement"] == "capped":
            payment = min(payment, max(0, self.scores[self.declarer]))
        self.scores[self.declarer] -= payment
        self.scores[self.dealer] += payment


# --- A game: deals one after another --------------------------------------------------------------------------------


class ReferenceGame:
    """Plays the given deals, the first of which is number `first_deal` and is dealt by `dealer`.

    A deal is four lists of card ids; a whole game is ten of them. Actions are ids of Rules 5.
    """

    def __init__(self, rules: Rules, deals: Sequence[Sequence[Sequence[int]]], dealer: Seat, first_deal: int = 0):
        self.rules = rules
        self.deals = [[[CARDS[card] for card in hand] for hand in hands] for hands in deals]
        self.first_deal = first_deal
        self.first_dealer = dealer
        self.finished: list[list[int]] = []  # the scores of each deal that is over
        self.scores_before = [0, 0, 0, 0]  # the sum of those
        self.start_deal()

    def start_deal(self) -> None:
        passed = len(self.finished)
        self.deal = Deal(self.rules, self.first_deal + passed, (self.first_dealer + passed) % 4, self.deals[passed])
        self.find_legal()

    def find_legal(self) -> None:
        self.legal_texts = [] if self.deal.is_over else self.deal.legal()

    @property
    def over(self) -> bool:
        """Whether all the deals have been played; until then somebody is to act."""
        return len(self.finished) == len(self.deals)

    @property
    def turn(self) -> Seat | None:
        return self.deal.turn

    @property
    def phase(self) -> str:
        return "over" if self.over else self.deal.phase

    @property
    def deal_number(self) -> int:
        """0 … 9, the last one after the end."""
        return self.first_deal + min(len(self.finished), len(self.deals) - 1)

    @property
    def deal_scores(self) -> list[int]:
        """Of the deal being played, so far; after the end, of the last."""
        return self.deal.scores

    @property
    def scores(self) -> list[int]:
        """Of the game so far, the deal being played included."""
        if self.over:
            return self.scores_before
        return [before + now for before, now in zip(self.scores_before, self.deal.scores, strict=True)]

    @property
    def dealer(self) -> Seat:
        return self.deal.dealer

    @property
    def declarer(self) -> Seat:
        return self.deal.declarer

    @property
    def contract(self) -> str | None:
        """None until it is chosen, and for good in a deal that was skipped."""
        return self.deal.contract

    @property
    def trump(self) -> str | None:
        """A suit letter, `NT`, or None when no trump was named."""
        return self.deal.trump

    @property
    def best_bid(self) -> str | None:
        return None if self.deal.choice is None else self.deal.choice.best

    @property
    def holder(self) -> Seat | None:
        return None if self.deal.choice is None else self.deal.choice.holder

    def legal(self) -> list[int]:
        """The ids of what the seat to act may do, in rising order."""
        return sorted(ACTION_ID[text] for text in self.legal_texts)

    def play(self, action: int) -> None:
        text = ACTIONS[action]
        if text not in self.legal_texts:
            raise ValueError(f"{text} is not legal; legal are {', '.join(self.legal_texts)}")
        self.deal.play(text)
        if self.deal.is_over:
            self.scores_before = self.scores
            self.finished.append(self.deal.scores)
            if not self.over:
                self.start_deal()
                return
        self.find_legal()
