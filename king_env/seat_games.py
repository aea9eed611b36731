"""Games with a learner in one seat and bots in the three others: what plays in `King-v0`, one game or many.

Whatever happens between two turns of the learner happens in one compiled call, unless a bot of Python is to be asked.
`SeatEnv` and `SeatVectorEnv` show these games to the learner, each in its way.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from king_env.aec_env import penalty
from king_env.bots.asking import Positions
from king_env.bots.compiled import IN_PYTHON, NO_ACTION, choose, only_legal_action, view_of_turn
from king_env.chance import STREAM_WORDS, new_stream, new_streams, random_below, random_float
from king_env.engine import batch
from king_env.engine.actions import NUM_ACTIONS, Action
from king_env.engine.batch import write_mask
from king_env.engine.cards import NUM_CARDS
from king_env.engine.contracts import NUM_DEALS
from king_env.engine.kernel import entry_point, kernel
from king_env.engine.observation import OBSERVATION_SIZE, write_observation
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import GAME_DTYPE, MAX_CALLS, OVER, TO_DEAL, GameRecord, GameRecords, new_records
from king_env.engine.step import start_deal, step
from king_env.episode import REWARDS, OptionError, check_option, deal_kinds, num_deals
from king_env.game import Game
from king_env.opponents import NUM_OPPONENTS, OpponentChoice, make_opponents
from king_env.ruleset import RuleSet, make_ruleset, whole_number
from king_env.turns import DRAWN, begin_with, is_legal, place_of_deal, reward_of

Seating = Any  # one element of an array of SEATING_DTYPE
Numbers = npt.NDArray[np.int64]
Bits = npt.NDArray[np.int8]
Rewards = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

# What a game waits for: a reset, as at first and when an episode is over; the learner's action; a bot of Python.
RESET, LEARNER, OPPONENT = range(3)

ROTATING = "rotating"
# In place of a fixed seat; and the learner's before its first episode.
ANY_SEAT, NEXT_SEAT, NOWHERE = -1, -2, -1

# A whole game has at most so many actions.
MAX_ACTIONS = NUM_DEALS * (MAX_CALLS + NUM_CARDS)

# A game, and who sits at its table.
SEATING_DTYPE = np.dtype(
    [
        ("game", GAME_DTYPE),
        ("deals", np.int64, (NUM_DEALS, NUM_SEATS)),  # the hands of each deal of the episode, those to come included
        ("first_dealer", np.int64),
        ("first_deal", np.int64),
        ("seat", np.int64),  # the learner's
        ("bots", np.int64, (NUM_SEATS,)),  # which of the opponents' bots sits in each other seat
        ("waits_for", np.int64),
        ("has_acted", np.int64),  # 1: the learner, in this episode
        ("unpaid", np.float64),  # rewards that the learner has not been told of
        ("num_actions", np.int64),  # of all four seats, in this episode
        # for the next episode: the dealer, or DRAWN, and whether `deals` holds its deals already
        ("given_dealer", np.int64),
        ("are_deals_given", np.int64),
        # Random numbers, each kind by itself: so the cards do not depend on the bots, nor the seats on what is played.
        ("card_stream", np.uint64, (STREAM_WORDS,)),
        ("seating_stream", np.uint64, (STREAM_WORDS,)),
        ("bot_stream", np.uint64, (STREAM_WORDS,)),
    ],
    align=True,
)
# What is the same for all games.
TERMS_DTYPE = np.dtype(
    [("num_deals", np.int64), ("seat", np.int64), ("reward_kind", np.int64), ("illegal_reward", np.float64)], align=True
)
STREAMS = {"card_stream": "play", "seating_stream": "seating", "bot_stream": "bots"}


# Between two turns of the learner


@kernel
def seat_of_learner(seating: Seating, wanted: Seat, drawn: Seat) -> Seat:
    """The seat that is fixed, the one drawn, or the next after that of the last episode."""
    if wanted == ANY_SEAT:
        return drawn
    if wanted == NEXT_SEAT:
        return drawn if seating["seat"] == NOWHERE else (seating["seat"] + 1) & 3
    return wanted


@kernel
def drawn_bot(shares: np.ndarray, number: float) -> int:
    """The bot whose share of 0 … 1 a number lies in (shares: float64[num_bots], the upper ends)."""
    bot = 0
    while number >= shares[bot]:
        bot += 1
    return bot


@kernel
def sit_down(seating: Seating, wanted: Seat, shares: np.ndarray) -> None:
    """Draw who sits where; as many random numbers are drawn if there is no choice."""
    stream = seating["seating_stream"]
    seating["seat"] = seat_of_learner(seating, wanted, random_below(stream, NUM_SEATS))
    seat = seating["seat"]  # signed, which the number drawn is not
    for place in range(NUM_OPPONENTS):
        seating["bots"][(seat + 1 + place) & 3] = drawn_bot(shares[place], random_float(stream))


@kernel
def begin_episode_of(seating: Seating, terms: GameRecord, kinds: np.ndarray, shares: np.ndarray) -> None:
    """Deal the cards and take seats."""
    game = seating["game"]
    deals = seating["deals"][: terms["num_deals"]]
    begin_with(game, seating["card_stream"], kinds, seating["given_dealer"], seating["are_deals_given"] != 0, deals)
    seating["first_dealer"], seating["first_deal"] = game["dealer"], game["deal"]
    seating["given_dealer"], seating["are_deals_given"] = DRAWN, 0
    sit_down(seating, terms["seat"], shares)
    seating["has_acted"] = 0
    seating["unpaid"] = 0.0
    seating["num_actions"] = 0


@kernel
def act(seating: Seating, action: Action, terms: GameRecord, log: np.ndarray) -> None:
    """Take the legal action of any seat, owe the learner what it brings, and deal again after a deal's end."""
    game, seat = seating["game"], seating["seat"]
    before = game["scores"][seat]
    step(game, action)
    has_deal_ended = game["phase"] == TO_DEAL or game["phase"] == OVER
    seating["unpaid"] += reward_of(game, seat, terms["reward_kind"], before, has_deal_ended)
    if game["phase"] == TO_DEAL:
        start_deal(game, seating["deals"][place_of_deal(game, terms["num_deals"])])
    if len(log) > 0:
        log[seating["num_actions"]] = action
    seating["num_actions"] += 1


@kernel
def play_on(
    seating: Seating,
    action: Action,
    terms: GameRecord,
    codes: np.ndarray,
    log: np.ndarray,
    scratch: GameRecords,
) -> int:
    """Take an action, if there is one, and let the compiled bots play on; returns what the game then waits for.

    As in a match no bot is asked where only one action is legal, and all are handed the view of their seat.
    """
    game = seating["game"]
    while True:
        if action != NO_ACTION:
            act(seating, action, terms, log)
        if game["phase"] == OVER:
            return RESET
        if game["turn"] == seating["seat"]:
            return LEARNER
        action = only_legal_action(game)
        if action == NO_ACTION:
            code = codes[seating["bots"][game["turn"]]]
            if code == IN_PYTHON:
                return OPPONENT
            action = choose(code, view_of_turn(game, scratch), seating["bot_stream"])


@kernel
def take_turn(
    seating: Seating,
    action: Action,
    terms: GameRecord,
    kinds: np.ndarray,
    codes: np.ndarray,
    shares: np.ndarray,
    log: np.ndarray,
    scratch: GameRecords,
) -> int:
    """Give a game what it waits for, and play on; returns what it waits for then.

    An illegal action of the learner's ends the episode, and the game stays as it was.
    """
    if seating["waits_for"] == RESET:
        begin_episode_of(seating, terms, kinds, shares)
        action = NO_ACTION
    elif seating["waits_for"] == LEARNER:
        seating["has_acted"] = 1
        if not is_legal(seating["game"], action):
            seating["unpaid"] += terms["illegal_reward"]
            return RESET
    return play_on(seating, action, terms, codes, log, scratch)


@kernel
def settle(seating: Seating, i: int, rewards: np.ndarray, ended: np.ndarray) -> None:
    """Tell the learner of game i what it is owed, and whether the episode is over.

    Before its first turn there is nothing to be told yet: what the opponents have done stays owed.
    """
    if seating["has_acted"] != 0:
        rewards[i], ended[i] = seating["unpaid"], seating["waits_for"] == RESET
        seating["unpaid"] = 0.0


@kernel
def show(seating: Seating, i: int, observations: np.ndarray, masks: np.ndarray) -> None:
    """What the learner of game i knows and may do, into flat observations and masks.

    In an episode that is over it may do anything: nothing will come of it, but a policy that is asked all the same, as
    when the next step begins a new episode, needs a mask that allows something.
    """
    write_observation(seating["game"], int(seating["seat"]), observations, i * OBSERVATION_SIZE)
    if seating["waits_for"] == RESET:
        masks[i * NUM_ACTIONS : (i + 1) * NUM_ACTIONS] = 1
    else:
        write_mask(seating["game"], masks, i * NUM_ACTIONS)


@entry_point
def take_turns(
    seating_words: np.ndarray,
    which: np.ndarray,
    actions: np.ndarray,
    term_words: np.ndarray,
    kinds: np.ndarray,
    codes: np.ndarray,
    shares: np.ndarray,
    logs: np.ndarray,
    observations: np.ndarray,
    masks: np.ndarray,
    rewards: np.ndarray,
    ended: np.ndarray,
) -> int:
    """Give some games (int64[n]) what they wait for, and play each on to the learner's next turn or the episode's end.

    A game that waits for the learner or for a bot takes an action (actions: int64[num_games]), the learner's legal or
    not; one that waits for a reset begins an episode.
    logs: uint8[num_games, MAX_ACTIONS], or [num_games, 0] to write nothing down; observations (int8, flat), masks
    (int8, flat), rewards (float64[num_games]) and ended (bool[num_games]): written for these games.
    Returns how many of them wait for a bot of Python: they are to be given its action before anybody looks.
    """
    seatings = seating_words.view(SEATING_DTYPE)
    terms = term_words.view(TERMS_DTYPE)[0]
    scratch = np.empty(1, GAME_DTYPE)
    num_waiting = 0
    for n in range(len(which)):
        i = which[n]
        seating = seatings[i]
        if seating["waits_for"] != OPPONENT:
            rewards[i], ended[i] = 0.0, False
        seating["waits_for"] = take_turn(seating, actions[i], terms, kinds, codes, shares, logs[i], scratch)
        if seating["waits_for"] == OPPONENT:
            num_waiting += 1
        else:
            settle(seating, i, rewards, ended)
            show(seating, i, observations, masks)
    return num_waiting


@entry_point
def show_all(seating_words: np.ndarray, observations: np.ndarray, masks: np.ndarray) -> None:
    """What every learner knows and may do, written to observations (int8, flat) and masks (int8, flat)."""
    seatings = seating_words.view(SEATING_DTYPE)
    for i in range(len(seatings)):
        show(seatings[i], i, observations, masks)


class SeatGames:
    """So many games, each with a learner in one seat."""

    def __init__(
        self,
        num_games: int,
        opponents: OpponentChoice,
        seat: Seat | str | None,
        ruleset: RuleSet | str | Mapping[str, Any],
        episode: str,
        contracts: Collection[str] | None,
        reward: str,
        illegal_reward: float | None,
        *,
        can_replay: bool,
    ) -> None:
        check_option("reward", reward, REWARDS)
        self.opponents = make_opponents(opponents)
        self.ruleset = make_ruleset(ruleset)
        self.num_deals = num_deals(episode)
        self.illegal_reward = penalty(reward, illegal_reward)
        self._kinds = deal_kinds(episode, contracts)
        self._terms = np.zeros(1, TERMS_DTYPE)
        self._terms["num_deals"] = self.num_deals
        self._terms["seat"] = _wanted_seat(seat)
        self._terms["reward_kind"] = REWARDS.index(reward)
        self._terms["illegal_reward"] = self.illegal_reward
        self._logs = np.zeros((num_games, MAX_ACTIONS if can_replay else 0), np.uint8)
        self._seatings = np.zeros(num_games, SEATING_DTYPE)
        self._seatings["waits_for"] = RESET
        self._seatings["given_dealer"] = DRAWN
        self.ruleset.write_to(self._seatings["game"])
        self._has_streams = False
        self._prepare_turns()

    @property
    def seats(self) -> Numbers:
        """The learners' seats: int64[num_games]."""
        return self._seatings["seat"]

    @property
    def are_over(self) -> Flags:
        """Where the next thing to come is a new episode: bool[num_games]."""
        return np.equal(self._seatings["waits_for"], RESET)

    def reset(self, which: Numbers, seeds: Sequence[int | None] | None, dealer: Seat, deals: Numbers | None) -> None:
        """Let these games (int64[n]) wait for a reset.

        seeds: one for each of them, None where random numbers go on; dealer (or DRAWN) and deals (int64[num_deals, 4]
        or None): of their next episode.
        """
        if not self._has_streams:
            self._begin_streams()
        for game, seed in zip(which, seeds or (), strict=False):
            if seed is not None:
                for field, purpose in STREAMS.items():
                    self._seatings[field][game] = new_stream(seed, purpose)
                self._seatings["seat"][game] = NOWHERE
        self._seatings["waits_for"][which] = RESET
        self._seatings["given_dealer"][which] = dealer
        self._seatings["are_deals_given"][which] = deals is not None
        if deals is not None:
            self._seatings["deals"][which, : self.num_deals] = deals

    def play(
        self,
        which: Numbers,
        actions: Numbers,
        rng: np.random.Generator,
        observations: Bits,
        masks: Bits,
        rewards: Rewards,
        ended: Flags,
    ) -> None:
        """Give these games what they wait for, and play each on to its learner's next turn or the episode's end.

        Arrays as in `take_turns`; the random numbers are for bots of Python. Raises OpponentError.
        """
        out = (observations, masks, rewards, ended)
        while take_turns(self._words, which, actions, self._term_words, *self._constants, *out):
            which, actions = self._ask_opponents(rng)

    def show(self, observations: Bits, masks: Bits) -> None:
        """What every learner knows and may do, into flat observations and masks, as in `show_all`."""
        show_all(self._words, observations, masks)

    def views(self) -> GameRecords:
        """What a bot in each learner's place may be handed: GAME_DTYPE[num_games], copies."""
        views = new_records(len(self._seatings))
        views[:] = self._seatings["game"]
        batch.hide_hands(views, self.seats)
        return views

    def players(self, number: int) -> list[str]:
        """The names of the bots in seats 0 … 3 of a game, and `learner`."""
        seating = self._seatings[number]
        names = [self.opponents.bots[bot].name for bot in seating["bots"]]
        names[seating["seat"]] = "learner"
        return names

    def replay(self, number: int) -> Game:
        """A game as it stands, played again from its log: one of its own, every hand open."""
        seating = self._seatings[number]
        deals = list(seating["deals"][: self.num_deals])
        game = Game(self.ruleset, deals, int(seating["first_dealer"]), int(seating["first_deal"]), self.num_deals)
        for action in self._logs[number, : seating["num_actions"]]:
            game.play(action)
        return game

    def _begin_streams(self) -> None:
        for field, purpose in STREAMS.items():
            self._seatings[field] = new_streams(None, len(self._seatings), purpose)
        self._seatings["seat"] = NOWHERE
        self._has_streams = True

    def _ask_opponents(self, rng: np.random.Generator) -> tuple[Numbers, Numbers]:
        """The games that wait for a bot of Python (int64[n]), and an array of actions with its answers there."""
        seatings = self._seatings
        which = np.flatnonzero(seatings["waits_for"] == OPPONENT)
        bots = seatings["bots"][which, seatings["game"]["turn"][which]]
        actions = np.full(len(seatings), NO_ACTION, dtype=np.int64)
        for bot in np.unique(bots):
            asked = which[bots == bot]
            positions = Positions.of_games(seatings["game"], asked)
            actions[asked] = self.opponents.ask(int(bot), positions, rng, asked)
        return which, actions

    def _prepare_turns(self) -> None:
        """What every turn hands to compiled code."""
        self._words, self._term_words = self._seatings.view(np.int64), self._terms.view(np.int64)
        self._constants = (self._kinds, self.opponents.codes, self.opponents.shares, self._logs)

    def __getstate__(self) -> dict[str, Any]:
        """All but second looks at the same memory, which a copy must have at its own."""
        prepared = ("_words", "_term_words", "_constants")
        return {name: value for name, value in self.__dict__.items() if name not in prepared}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state)
        self._prepare_turns()


def _wanted_seat(seat: Seat | str | None) -> Seat:
    if seat is None:
        return ANY_SEAT
    if isinstance(seat, str):
        if seat != ROTATING:
            raise OptionError(f"seat: must be 0, 1, 2, 3, {ROTATING!r} or None, not {seat!r}")
        return NEXT_SEAT
    return whole_number("seat", seat, 0, NUM_SEATS - 1, OptionError)
