"""Reading golden games: deals written out as in a newspaper column, for people to check by hand.

A file says `title` and `rules`, and then deal after deal:

    deal    7                       which of the ten it is
    dealer  0
    hands   0:AKQ.T92.… … … …       the four hands in PBN, spades.hearts.diamonds.clubs
    call    1 bid 2                 each call in order: the seat and what it says
    sold    2 at bid 4              if the deal was sold: the buyer and the bid
    play    up S by 2               the contract and, in a positive deal, who chose it; or `not played`
    trick   1  AC>  3C  QC  5C   0   25 0 0 0
                                    the cards of seats 0 to 3 (`>` marks the lead), who takes them, the scores so far
    pays    2 to 0: 100             if the deal was sold
    scores  150 25 50 100           of the deal

After a whole game stands its score sheet: `deals 1-6`, `deals 7-10` and `balance`. Lines that begin with `#` are notes.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path

FOLDER = Path(__file__).parent
FILES = sorted(FOLDER.glob("*.txt"))


@dataclass
class Trick:
    """One line of play."""

    leader: int
    cards: list[str]  # by seat
    taker: int
    scores: list[int]

    def in_order(self) -> list[tuple[int, str]]:
        """Seats and cards from the leader on."""
        seats = [(self.leader + place) % 4 for place in range(4)]
        return [(seat, self.cards[seat]) for seat in seats]


@dataclass
class Deal:
    """One deal as the column tells it."""

    number: int
    dealer: int = 0
    hands: str = ""
    calls: list[tuple[int, str]] = field(default_factory=list)
    buyer: int | None = None
    bid: str | None = None
    contract: str = ""
    trump: str | None = None
    declarer: int | None = None
    tricks: list[Trick] = field(default_factory=list)
    paid: int | None = None
    scores: list[int] = field(default_factory=list)

    def cards(self) -> list[list[str]]:
        """The cards of seats 0 to 3."""
        first, hands = self.hands.split(":")
        dealt = [
            [rank + suit for suit, ranks in zip("SHDC", hand.split("."), strict=True) for rank in ranks]
            for hand in hands.split()
        ]
        return [dealt[(seat - int(first)) % 4] for seat in range(4)]


@dataclass
class Column:
    """A file: one deal or a whole game."""

    title: str = ""
    rules: str = ""
    deals: list[Deal] = field(default_factory=list)
    sheet: dict[str, list[int]] = field(default_factory=dict)

    def add(self, line: str) -> None:
        """Take in one line."""
        word, _, rest = line.partition(" ")
        rest = rest.strip()
        if word == "title":
            self.title = rest
        elif word == "rules":
            self.rules = rest
        elif word in ("deals", "balance"):
            numbers = line.split()[-4:]
            self.sheet[line.removesuffix(" ".join(numbers)).split("  ")[0].strip()] = [int(n) for n in numbers]
        elif word == "deal":
            self.deals.append(Deal(int(rest)))
        else:
            add_to_deal(self.deals[-1], word, rest)


def add_to_deal(deal: Deal, word: str, rest: str) -> None:
    """Take in one line of a deal."""
    if word == "dealer":
        deal.dealer = int(rest)
    elif word == "hands":
        deal.hands = rest
    elif word == "call":
        deal.calls.append((int(rest[0]), rest[2:]))
    elif word == "sold":
        deal.buyer, deal.bid = int(rest[0]), rest.removeprefix(f"{rest[0]} at ")
    elif word == "play":
        add_contract(deal, rest)
    elif word == "trick":
        deal.tricks.append(trick_of(rest.split()))
    elif word == "pays":
        assert rest.startswith(f"{deal.buyer} to {deal.dealer}: ")
        deal.paid = int(rest.split()[-1])
    elif word == "scores":
        deal.scores = [int(score) for score in rest.split()]
    else:
        raise ValueError(f"no line begins with {word!r}")


def add_contract(deal: Deal, text: str) -> None:
    """`no_hearts`, `up S by 2`, `down by 0` or `not played`."""
    played, _, declarer = text.partition(" by ")
    deal.declarer = int(declarer) if declarer else None
    deal.contract = played
    if played.startswith("up "):
        deal.contract, deal.trump = played.split()


def trick_of(words: list[str]) -> Trick:
    """The trick of a line such as `1  AC>  3C  QC  5C   0   25 0 0 0`."""
    cards, (taker, *scores) = words[1:5], [int(word) for word in words[5:]]
    (leader,) = [seat for seat, card in enumerate(cards) if card.endswith(">")]
    return Trick(leader, [card.rstrip(">") for card in cards], taker, scores)


def read(path: Path) -> Column:
    """A golden game."""
    column = Column()
    for line in path.read_text("utf-8").splitlines():
        if line.strip() and not line.startswith("#"):
            column.add(line.rstrip())
    return column
