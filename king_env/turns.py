"""The turns of an episode: whether an action is legal, what it pays each seat, and what a seat sees.

The entry points here play one game (records of length 1); those of many games are in `batch_env`.
"""

from __future__ import annotations

import numpy as np

from king_env.chance import Stream, begin_game, shuffle_deal
from king_env.engine.actions import Action
from king_env.engine.batch import write_mask
from king_env.engine.kernel import entry_point, kernel, scratch_words
from king_env.engine.observation import write_observation
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import GAME_DTYPE, OVER, TO_DEAL, GameRecord, GameRecords, seat_to_act
from king_env.engine.step import is_among, legal_actions, start_deal, step
from king_env.episode import REWARDS

REWARD_POINTS, REWARD_DEAL, REWARD_PLACEMENT = range(len(REWARDS))
# Placement rewards from first to last place; seats that share places share their sum.
PLACEMENT_REWARDS = np.array([1.0, 1.0 / 3.0, -1.0 / 3.0, -1.0], dtype=np.float64)

# What `take_action` adds to the seat to act if somebody was rewarded, and what it answers instead of one.
REWARDED = NUM_SEATS
DEAL_OVER, EPISODE_OVER, ILLEGAL = -1, -2, -3
DRAWN: Seat = -1  # instead of a given dealer

# One game, how it is rewarded, and the rewards of the last action.
DESK_DTYPE = np.dtype(
    [("game", GAME_DTYPE), ("reward_kind", np.int64), ("rewards", np.float64, (NUM_SEATS,))], align=True
)
# A desk as plain numbers (int64, flat), which Python hands to compiled code in less time than a record.
DeskWords = np.ndarray


@kernel
def is_legal(game: GameRecord, action: Action) -> bool:
    """Whether the seat to act may do this."""
    cards, calls = legal_actions(game)
    return is_among(action, cards, calls)


@kernel
def placement_reward(scores: np.ndarray, seat: Seat) -> float:
    """The mean reward of the places that a seat shares with those of equal score (Rules 4)."""
    ahead, level = 0, 0
    for other in range(NUM_SEATS):
        if scores[other] > scores[seat]:
            ahead += 1
        elif scores[other] == scores[seat]:
            level += 1
    total = 0.0
    for place in range(ahead, ahead + level):
        total += PLACEMENT_REWARDS[place]
    return total / level


@kernel
def reward_of(game: GameRecord, seat: Seat, kind: int, before: int, deal_ended: bool) -> float:
    """What the action just done brought a seat; before: its score until then."""
    if kind == REWARD_POINTS:
        return float(game["scores"][seat] - before)
    if kind == REWARD_DEAL and deal_ended:
        return float(game["deal_scores"][seat])
    if kind == REWARD_PLACEMENT and game["phase"] == OVER:
        return placement_reward(game["scores"], seat)
    return 0.0


@kernel
def begin_with(
    game: GameRecord, stream: Stream, kinds: np.ndarray, given_dealer: Seat, are_deals_given: bool, deals: np.ndarray
) -> None:
    """Begin an episode and draw what is not given, the cards of all its deals (int64[num_deals, 4]) included."""
    begin_game(game, stream, kinds)
    if given_dealer != DRAWN:
        game["dealer"] = given_dealer
    if not are_deals_given:
        for deal in range(len(deals)):
            shuffle_deal(stream, deals[deal])
    start_deal(game, deals[0])


@entry_point
def begin_episode(
    games: GameRecords, stream: Stream, kinds: np.ndarray, given_dealer: Seat, are_deals_given: bool, deals: np.ndarray
) -> None:
    """`begin_with` for one game."""
    begin_with(games[0], stream, kinds, given_dealer, are_deals_given, deals)


@kernel
def place_of_deal(game: GameRecord, num_deals: int) -> int:
    """Which of an episode's deals is on: 0 … num_deals − 1, also where it began later than at the first of ten."""
    return num_deals - 1 - (int(game["last_deal"]) - int(game["deal"]))


@entry_point
def take_action(desk: DeskWords, action: Action, observation: np.ndarray, mask: np.ndarray) -> int:
    """One action, what it pays, and what whoever is to act next in the deal knows and may do.

    observation: int8[OBSERVATION_SIZE], mask: int8[NUM_ACTIONS], written.
    Returns the seat to act, plus REWARDED if a reward is not 0; DEAL_OVER (the next is to be dealt) or EPISODE_OVER;
    or ILLEGAL, and nothing has changed.
    """
    laid_out = desk.view(DESK_DTYPE)[0]
    game, rewards = laid_out["game"], laid_out["rewards"]
    if not is_legal(game, action):
        return ILLEGAL
    before = scratch_words(NUM_SEATS)
    for seat in range(NUM_SEATS):
        before[seat] = game["scores"][seat]
    step(game, action)
    phase = game["phase"]
    is_rewarded = False
    for seat in range(NUM_SEATS):
        rewards[seat] = reward_of(game, seat, laid_out["reward_kind"], before[seat], phase in (TO_DEAL, OVER))
        is_rewarded |= rewards[seat] != 0.0
    if phase == TO_DEAL:
        return DEAL_OVER
    if phase == OVER:
        return EPISODE_OVER
    turn = seat_to_act(game)
    write_observation(game, turn, observation, 0)
    write_mask_of(game, turn, mask)
    return turn + REWARDED if is_rewarded else turn


@kernel
def write_mask_of(game: GameRecord, viewer: Seat, mask: np.ndarray) -> None:
    """The action mask of one seat: all zero unless it is to act."""
    if game["turn"] == viewer and game["phase"] != OVER:
        write_mask(game, mask, 0)
    else:
        mask[:] = 0


@entry_point
def observe_seat(desk: DeskWords, viewer: Seat, observation: np.ndarray, mask: np.ndarray) -> None:
    """What a seat knows and may do; observation: int8[OBSERVATION_SIZE], mask: int8[NUM_ACTIONS], both written."""
    game = desk.view(DESK_DTYPE)[0]["game"]
    write_observation(game, viewer, observation, 0)
    write_mask_of(game, viewer, mask)


@entry_point
def observe_mask(desk: DeskWords, viewer: Seat, mask: np.ndarray) -> None:
    """What a seat may do; mask: int8[NUM_ACTIONS], written."""
    write_mask_of(desk.view(DESK_DTYPE)[0]["game"], viewer, mask)
