"""What a seat may know, as bits: one table of sections, written a 64-bit word at a time.

All entries are 0 or 1 and seats are relative to the viewer (0 = the viewer, 1 = the left neighbour, …), so that one
policy serves every seat and every rule set. Nothing here reads another seat's hand.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from king_env.engine.actions import (
    ACCEPT,
    AUCTION,
    BID_POINTS,
    EIGHT_OR_NULLS,
    FIRST_BID,
    FIRST_NULLS,
    MAX_BID,
    NUM_ACTIONS,
    PASS,
    REFUSE,
)
from king_env.engine.cards import (
    ALL_CARDS,
    CARDS_OF_SUIT,
    CLUBS,
    HEARTS,
    NUM_CARDS,
    NUM_RANKS,
    NUM_SUITS,
    ONE_SUIT,
    RANK_OF,
    SUIT_OF,
    Cards,
    cards_of_rank,
)
from king_env.engine.contracts import (
    FORCED_NAMES,
    NUM_CONTRACTS,
    NUM_DEALS,
    NUM_NEGATIVES,
    NUM_TRICKS,
    UP,
    UP_POINTS,
)
from king_env.engine.kernel import WORD_BITS, kernel, scratch_words, spread_words
from king_env.engine.play import winners_now
from king_env.engine.seats import ALL_SEATS, NUM_SEATS, Seat, steps_left
from king_env.engine.state import (
    AUCTION_NAMES,
    FIRST_LEAD_NAMES,
    FULL,
    NEVER_SKIP,
    OPENING,
    OVER,
    GameRecord,
    has_bid,
    is_leading,
    trick_number,
)

# Every score is a whole number of these points, so totals fit in ten bits and a sign.
SCORE_STEP = 5
SCORE_BITS = 10
SCORE_LADDER = np.array([-800, -500, -300, -150, 0, 150, 300, 500], dtype=np.int64)

CALL_KINDS = ("pass", "bid", "nulls", "accept", "refuse", "auction", "eight or nulls")
NUMBER_BITS = 4
CALL_WIDTH = len(CALL_KINDS) + NUMBER_BITS
TRICK_CARD_WIDTH = NUM_SUITS + NUM_RANKS


class Section(NamedTuple):
    """A named run of entries; `shape` is how `unpack_observation` gives it back."""

    name: str
    shape: tuple[int, ...]
    meaning: str

    @property
    def size(self) -> int:
        """How many entries it takes."""
        return int(np.prod(self.shape))


SECTIONS = (
    Section("hand", (NUM_CARDS,), "cards the viewer holds"),
    Section("played", (NUM_SEATS, NUM_CARDS), "cards each seat has played in this deal, those on the table included"),
    Section("master", (NUM_CARDS,), "cards held that no unseen card of the suit beats"),
    Section("many_higher", (NUM_CARDS,), "cards held with at least three unseen higher ones of the suit"),
    Section("lowest", (NUM_CARDS,), "cards held with no unseen lower one of the suit"),
    Section("many_lower", (NUM_CARDS,), "cards held with at least three unseen lower ones of the suit"),
    Section("wins_now", (NUM_CARDS,), "cards held that would take the trick as it stands; none while leading"),
    Section("trick", (NUM_SEATS, TRICK_CARD_WIDTH), "the card on the table by seat: suit C D H S, then rank 2 … A"),
    Section("voids", (NUM_SEATS, NUM_SUITS), "suits each seat has failed to follow"),
    Section("contract", (NUM_CONTRACTS,), "the six negative contracts, up, down, still to be chosen"),
    Section("trump", (NUM_SUITS + 1,), "of an up deal: C D H S, no trump"),
    Section("phase", (OVER - OPENING + 1,), "opening, ultimatum, bidding, deciding, declaring, playing, over"),
    Section("trick_number", (NUM_TRICKS,), "which trick of the deal is being played"),
    Section("turn", (NUM_SEATS,), "who is to act"),
    Section("leader", (NUM_SEATS,), "who leads this trick"),
    Section("dealer", (NUM_SEATS,), "who dealt: in a positive deal the owner"),
    Section("declarer", (NUM_SEATS,), "in a positive deal, who chooses how it is played: the buyer or the owner"),
    Section("is_sold", (1,), "the right to choose has been sold, at the best bid"),
    Section("best_bid", (MAX_BID,), "as a ladder: entry n is 1 if the best bid is worth more than 25 n points"),
    Section("best_is_nulls", (1,), "the best bid is one of nulls"),
    Section("holder", (NUM_SEATS,), "who holds the best bid"),
    Section("bidders", (NUM_SEATS,), "who may bid in an open auction: not the owner, nor (Portuguese) who passed"),
    Section("answer", (2,), "the owner has accepted, refused the best bid (Brazilian)"),
    Section("round_matched", (1,), "the best bid was matched in this round (Brazilian)"),
    Section("last_call", (NUM_SEATS, CALL_WIDTH), "latest call: " + ", ".join(CALL_KINDS) + "; its number in binary"),
    Section("units", (NUM_SEATS, NUM_TRICKS), "as a ladder: tricks, or penalty cards, taken by each seat"),
    Section("deal_number", (NUM_DEALS,), "which of the ten deals this is"),
    Section("is_last_deal", (1,), "the game ends with this deal"),
    Section("negatives_to_come", (NUM_NEGATIVES,), "negative contracts still to be played after this deal"),
    Section("totals", (NUM_SEATS, 1 + SCORE_BITS), "score so far, exactly: negative?, then |score| / 5 in binary"),
    Section("totals_ladder", (NUM_SEATS, len(SCORE_LADDER)), "score so far at least −800 −500 −300 −150 0 150 300 500"),
    Section("rule_auction", (len(AUCTION_NAMES),), "option auction: " + ", ".join(AUCTION_NAMES)),
    Section("rule_max_bid", (NUMBER_BITS,), "option max_bid, in binary"),
    Section("rule_max_nulls", (NUMBER_BITS - 1,), "option max_nulls, in binary"),
    Section("rule_no_trump", (1,), "option no_trump"),
    Section("rule_down", (1,), "option down"),
    Section("rule_ultimatum", (1,), "option ultimatum"),
    Section("rule_skip", (1 + NUMBER_BITS,), "option skip_limit: may be skipped, then the limit / 25 in binary"),
    Section("rule_settlement_full", (1,), "option settlement is full"),
    Section("rule_first_lead", (len(FIRST_LEAD_NAMES),), "option first_lead: " + ", ".join(FIRST_LEAD_NAMES)),
    Section("rule_king_of_hearts", (len(FORCED_NAMES),), "option king_of_hearts_forced: " + ", ".join(FORCED_NAMES)),
    Section("rule_stop_when_decided", (1,), "option stop_when_decided"),
)

_OFFSETS = dict(
    zip(
        (section.name for section in SECTIONS),
        np.cumsum([0, *(section.size for section in SECTIONS)])[:-1].tolist(),
        strict=True,
    )
)
_USED = sum(section.size for section in SECTIONS)
OBSERVATION_WORDS = -(-_USED // WORD_BITS)
# Whole words are written; the few entries after the last section are always 0.
OBSERVATION_SIZE = OBSERVATION_WORDS * WORD_BITS

AT_HAND = _OFFSETS["hand"]
AT_PLAYED = _OFFSETS["played"]
AT_MASTER = _OFFSETS["master"]
AT_MANY_HIGHER = _OFFSETS["many_higher"]
AT_LOWEST = _OFFSETS["lowest"]
AT_MANY_LOWER = _OFFSETS["many_lower"]
AT_WINS_NOW = _OFFSETS["wins_now"]
AT_TRICK = _OFFSETS["trick"]
AT_VOIDS = _OFFSETS["voids"]
AT_CONTRACT = _OFFSETS["contract"]
AT_TRUMP = _OFFSETS["trump"]
AT_PHASE = _OFFSETS["phase"]
AT_TRICK_NUMBER = _OFFSETS["trick_number"]
AT_TURN = _OFFSETS["turn"]
AT_LEADER = _OFFSETS["leader"]
AT_DEALER = _OFFSETS["dealer"]
AT_DECLARER = _OFFSETS["declarer"]
AT_IS_SOLD = _OFFSETS["is_sold"]
AT_BEST_BID = _OFFSETS["best_bid"]
AT_BEST_IS_NULLS = _OFFSETS["best_is_nulls"]
AT_HOLDER = _OFFSETS["holder"]
AT_BIDDERS = _OFFSETS["bidders"]
AT_ANSWER = _OFFSETS["answer"]
AT_ROUND_MATCHED = _OFFSETS["round_matched"]
AT_LAST_CALL = _OFFSETS["last_call"]
AT_UNITS = _OFFSETS["units"]
AT_DEAL_NUMBER = _OFFSETS["deal_number"]
AT_IS_LAST_DEAL = _OFFSETS["is_last_deal"]
AT_NEGATIVES_TO_COME = _OFFSETS["negatives_to_come"]
AT_TOTALS = _OFFSETS["totals"]
AT_TOTALS_LADDER = _OFFSETS["totals_ladder"]
# The first words that are not complete before the card facts, the trick, the deal and its standing are written.
FACTS_FROM, TRICK_FROM, STANDING_FROM = AT_MASTER // WORD_BITS, AT_WINS_NOW // WORD_BITS, AT_VOIDS // WORD_BITS
AT_RULES = _OFFSETS["rule_auction"]


def _rule_offset(name: str) -> int:
    return _OFFSETS[name] - AT_RULES


RULE_AUCTION = _rule_offset("rule_auction")
RULE_MAX_BID = _rule_offset("rule_max_bid")
RULE_MAX_NULLS = _rule_offset("rule_max_nulls")
RULE_NO_TRUMP = _rule_offset("rule_no_trump")
RULE_DOWN = _rule_offset("rule_down")
RULE_ULTIMATUM = _rule_offset("rule_ultimatum")
RULE_SKIP = _rule_offset("rule_skip")
RULE_SETTLEMENT_FULL = _rule_offset("rule_settlement_full")
RULE_FIRST_LEAD = _rule_offset("rule_first_lead")
RULE_KING_OF_HEARTS = _rule_offset("rule_king_of_hearts")
RULE_STOP_WHEN_DECIDED = _rule_offset("rule_stop_when_decided")
RULES_WIDTH = _USED - AT_RULES


def _without_top(ranks: int) -> Cards:
    """All cards but the highest `ranks` of each suit: where a shift downwards may land without leaving its suit."""
    return sum((ONE_SUIT >> ranks) << (NUM_RANKS * suit) for suit in range(NUM_SUITS))


BELOW_1, BELOW_2, BELOW_4, BELOW_8 = (_without_top(ranks) for ranks in (1, 2, 4, 8))
CLUBS_AND_HEARTS = int(CARDS_OF_SUIT[CLUBS] | CARDS_OF_SUIT[HEARTS])
DIAMONDS_AND_SPADES = ALL_CARDS ^ CLUBS_AND_HEARTS
LOWEST_OF_CLUBS_AND_HEARTS = CLUBS_AND_HEARTS & cards_of_rank(0)
LOWEST_OF_DIAMONDS_AND_SPADES = DIAMONDS_AND_SPADES & cards_of_rank(0)
NEXT_TO_DIAMONDS_AND_SPADES = LOWEST_OF_DIAMONDS_AND_SPADES << NUM_RANKS


def _call_codes() -> np.ndarray:
    """``[action]`` → the entries of `last_call`: a bit for the kind, then the number in binary."""
    codes = np.zeros(NUM_ACTIONS, dtype=np.int64)
    kinds = {PASS: 0, ACCEPT: 3, REFUSE: 4, AUCTION: 5, EIGHT_OR_NULLS: 6}
    for call, kind in kinds.items():
        codes[call] = 1 << kind
    for call in range(FIRST_BID, FIRST_NULLS):
        codes[call] = 1 << 1 | (call - FIRST_BID + 1) << len(CALL_KINDS)
    for call in range(FIRST_NULLS, ACCEPT):
        codes[call] = 1 << 2 | (call - FIRST_NULLS + 1) << len(CALL_KINDS)
    return codes


CALL_CODES = _call_codes()
TRICK_CARD_CODES = np.array(
    [1 << SUIT_OF[card] | 1 << (NUM_SUITS + RANK_OF[card]) for card in range(NUM_CARDS)], dtype=np.int64
)


def _total_codes() -> np.ndarray:
    """``[MAX_TOTAL + score // 5]`` → the entries of `totals`, then those of `totals_ladder`."""
    codes = np.zeros(2 * MAX_TOTAL + 1, dtype=np.int64)
    for steps in range(-MAX_TOTAL, MAX_TOTAL + 1):
        exactly = abs(steps) << 1 | (1 if steps < 0 else 0)
        rungs = int((SCORE_LADDER <= steps * SCORE_STEP).sum())
        codes[MAX_TOTAL + steps] = exactly | ((1 << rungs) - 1) << (1 + SCORE_BITS)
    return codes


MAX_TOTAL = (1 << SCORE_BITS) - 1  # in steps of 5 points
EXACTLY = (1 << (1 + SCORE_BITS)) - 1
TOTAL_CODES = _total_codes()
LADDER = np.array([(1 << height) - 1 for height in range(NUM_CARDS)], dtype=np.int64)
ONE_HOT = np.array([1 << place for place in range(NUM_CARDS)], dtype=np.int64)


@kernel
def cards_below(cards: Cards) -> Cards:
    """Every card that some of these cards beats in its suit."""
    below = (cards >> 1) & BELOW_1
    below |= (below >> 1) & BELOW_1
    below |= (below >> 2) & BELOW_2
    below |= (below >> 4) & BELOW_4
    return below | ((below >> 8) & BELOW_8)


@kernel
def cards_above(cards: Cards) -> Cards:
    """Every card that beats some of these cards in its suit.

    Taking one from a suit turns over its lowest card and all below; a card lent from the next suit stops the carry, so
    every second suit is done at once.
    """
    ended = (cards & CLUBS_AND_HEARTS) | LOWEST_OF_DIAMONDS_AND_SPADES
    up_to_lowest = ended ^ (ended - LOWEST_OF_CLUBS_AND_HEARTS)
    above = CLUBS_AND_HEARTS & ~up_to_lowest
    ended = (cards & DIAMONDS_AND_SPADES) | NEXT_TO_DIAMONDS_AND_SPADES
    up_to_lowest = ended ^ (ended - LOWEST_OF_DIAMONDS_AND_SPADES)
    return above | (DIAMONDS_AND_SPADES & ~up_to_lowest)


@kernel
def write(words: np.ndarray, offset: int, width: int, bits: int) -> None:
    """Put `width` bits at an entry; they may run into the next word."""
    word, shift = offset >> 6, offset & 63
    words[word] |= np.int64(bits) << np.int64(shift)
    if shift + width > WORD_BITS:
        words[word + 1] |= np.int64(bits) >> np.int64(WORD_BITS - shift)


@kernel
def relative_seats(viewer: Seat, seats: int) -> int:
    """A set of seats as the viewer counts them: bit 0 is the viewer."""
    return ((int(seats) >> viewer) | (int(seats) << (NUM_SEATS - viewer))) & ALL_SEATS


@kernel
def relative_seat(viewer: Seat, seat: Seat) -> int:
    """One seat as a set of one, as the viewer counts them."""
    return ONE_HOT[steps_left(viewer, seat)]


@kernel
def unseen_cards(game: GameRecord, viewer: Seat) -> Cards:
    """Cards neither in the viewer's hand nor played."""
    played = game["played"]
    return ALL_CARDS & ~(game["hands"][viewer] | played[0] | played[1] | played[2] | played[3])


@kernel
def write_cards(game: GameRecord, viewer: Seat, words: np.ndarray) -> None:
    write(words, AT_HAND, NUM_CARDS, game["hands"][viewer])
    for place in range(NUM_SEATS):
        write(words, AT_PLAYED + place * NUM_CARDS, NUM_CARDS, game["played"][(viewer + place) & 3])


@kernel
def write_card_facts(game: GameRecord, viewer: Seat, words: np.ndarray) -> None:
    """How each card held stands against the unseen ones of its suit, for all cards at once."""
    hand = game["hands"][viewer]
    unseen = unseen_cards(game, viewer)
    beaten = cards_below(unseen)
    tops_removed = unseen & beaten
    tops_removed &= cards_below(tops_removed)
    beating = cards_above(unseen)
    bottoms_removed = unseen & beating
    bottoms_removed &= cards_above(bottoms_removed)
    write(words, AT_MASTER, NUM_CARDS, hand & ~beaten)
    write(words, AT_MANY_HIGHER, NUM_CARDS, hand & cards_below(tops_removed))
    write(words, AT_LOWEST, NUM_CARDS, hand & ~beating)
    write(words, AT_MANY_LOWER, NUM_CARDS, hand & cards_above(bottoms_removed))


@kernel
def write_trick(game: GameRecord, viewer: Seat, words: np.ndarray) -> None:
    """The cards on the table, and which held cards would take them."""
    if is_leading(game):
        return
    on_table = int(game["num_plays"]) & 3
    first = int(game["num_plays"]) - on_table
    for place in range(NUM_SEATS):
        turn = steps_left(game["leader"], viewer + place)
        code = TRICK_CARD_CODES[game["plays"][first + turn]]
        write(words, AT_TRICK + place * TRICK_CARD_WIDTH, TRICK_CARD_WIDTH, code if turn < on_table else 0)
    write(words, AT_WINS_NOW, NUM_CARDS, game["hands"][viewer] & winners_now(game))


@kernel
def write_deal(game: GameRecord, viewer: Seat, words: np.ndarray) -> None:
    """What is played, and who is who."""
    write(words, AT_CONTRACT, NUM_CONTRACTS, ONE_HOT[game["contract"]])
    if game["contract"] == UP:
        write(words, AT_TRUMP, NUM_SUITS + 1, ONE_HOT[game["trump"]])
    write(words, AT_PHASE, OVER - OPENING + 1, ONE_HOT[int(game["phase"]) - OPENING])
    if trick_number(game) < NUM_TRICKS:
        write(words, AT_TRICK_NUMBER, NUM_TRICKS, ONE_HOT[trick_number(game)])
    if game["phase"] != OVER:
        write(words, AT_TURN, NUM_SEATS, relative_seat(viewer, game["turn"]))
    write(words, AT_LEADER, NUM_SEATS, relative_seat(viewer, game["leader"]))
    write(words, AT_DEALER, NUM_SEATS, relative_seat(viewer, game["dealer"]))


@kernel
def write_auction(game: GameRecord, viewer: Seat, words: np.ndarray) -> None:
    """The auction so far; nothing in a negative deal."""
    if game["contract"] < UP:
        return
    write(words, AT_DECLARER, NUM_SEATS, relative_seat(viewer, game["declarer"]))
    write(words, AT_BIDDERS, NUM_SEATS, relative_seats(viewer, game["bidders"]))
    if has_bid(game):
        best = int(game["best_bid"])
        write(words, AT_IS_SOLD, 1, game["is_sold"])
        write(words, AT_BEST_BID, MAX_BID, LADDER[BID_POINTS[best] // UP_POINTS])
        write(words, AT_BEST_IS_NULLS, 1, 1 if best >= FIRST_NULLS else 0)
        write(words, AT_HOLDER, NUM_SEATS, relative_seat(viewer, game["holder"]))
        write(words, AT_ANSWER, 2, ONE_HOT[game["answer"]] >> 1)
        write(words, AT_ROUND_MATCHED, 1, game["round_matched"])
    for place in range(NUM_SEATS):
        code = CALL_CODES[game["last_calls"][(viewer + place) & 3]]
        write(words, AT_LAST_CALL + place * CALL_WIDTH, CALL_WIDTH, code)


@kernel
def write_standing(game: GameRecord, viewer: Seat, words: np.ndarray) -> None:
    """What each seat has shown, taken and scored."""
    for place in range(NUM_SEATS):
        seat = (viewer + place) & 3
        total = TOTAL_CODES[np.uint64(game["scores"][seat] + MAX_TOTAL * SCORE_STEP) // np.uint64(SCORE_STEP)]
        write(words, AT_VOIDS + place * NUM_SUITS, NUM_SUITS, game["voids"][seat])
        write(words, AT_UNITS + place * NUM_TRICKS, NUM_TRICKS, LADDER[game["units"][seat]])
        write(words, AT_TOTALS + place * (1 + SCORE_BITS), 1 + SCORE_BITS, total & EXACTLY)
        write(words, AT_TOTALS_LADDER + place * len(SCORE_LADDER), len(SCORE_LADDER), total >> (1 + SCORE_BITS))


@kernel
def write_progress(game: GameRecord, words: np.ndarray) -> None:
    """How far the game has come."""
    write(words, AT_DEAL_NUMBER, NUM_DEALS, ONE_HOT[game["deal"]])
    write(words, AT_IS_LAST_DEAL, 1, 1 if game["deal"] == game["last_deal"] else 0)
    write(words, AT_NEGATIVES_TO_COME, NUM_NEGATIVES, game["negatives_to_come"])


def rules_code(game: GameRecord) -> int:
    """The options in force, as the bits of the last sections; `shown_rules` of a record keeps it."""
    code = ONE_HOT[game["auction"]] << RULE_AUCTION
    code |= int(game["max_bid"]) << RULE_MAX_BID
    code |= int(game["max_nulls"]) << RULE_MAX_NULLS
    code |= int(game["no_trump"]) << RULE_NO_TRUMP
    code |= int(game["down"]) << RULE_DOWN
    code |= int(game["ultimatum"]) << RULE_ULTIMATUM
    if game["skip_limit"] != NEVER_SKIP:
        code |= (1 | int(game["skip_limit"]) // UP_POINTS << 1) << RULE_SKIP
    code |= (1 if game["settlement"] == FULL else 0) << RULE_SETTLEMENT_FULL
    code |= ONE_HOT[game["first_lead"]] << RULE_FIRST_LEAD
    code |= ONE_HOT[game["king_of_hearts_forced"]] << RULE_KING_OF_HEARTS
    code |= int(game["stop_when_decided"]) << RULE_STOP_WHEN_DECIDED
    return code


@kernel
def write_observation(game: GameRecord, viewer: Seat, out: np.ndarray, start: int) -> None:
    """Write all that a seat may know to ``out[start : start + OBSERVATION_SIZE]`` (int8)."""
    words = scratch_words(OBSERVATION_WORDS)
    for word in range(OBSERVATION_WORDS):
        words[word] = 0
    write_cards(game, viewer, words)
    spread_words(words, 0, FACTS_FROM, out, start)
    write_card_facts(game, viewer, words)
    spread_words(words, FACTS_FROM, TRICK_FROM, out, start)
    write_trick(game, viewer, words)
    spread_words(words, TRICK_FROM, STANDING_FROM, out, start)
    write_deal(game, viewer, words)
    write_auction(game, viewer, words)
    write_standing(game, viewer, words)
    write_progress(game, words)
    write(words, AT_RULES, RULES_WIDTH, game["shown_rules"])
    spread_words(words, STANDING_FROM, OBSERVATION_WORDS, out, start)


def unpack_observation(observation: np.ndarray) -> dict[str, np.ndarray]:
    """The named sections of an observation (int8[…, OBSERVATION_SIZE]), each int8[…, *section.shape]."""
    if observation.shape[-1] != OBSERVATION_SIZE:
        raise ValueError(f"observation: must have {OBSERVATION_SIZE} entries, not {observation.shape[-1]}")
    sections = {}
    for section in SECTIONS:
        start = _OFFSETS[section.name]
        entries = observation[..., start : start + section.size]
        sections[section.name] = entries.reshape(*observation.shape[:-1], *section.shape)
    return sections
