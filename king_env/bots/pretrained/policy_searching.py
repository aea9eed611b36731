"""Search with a policy: what its likeliest actions are worth in worlds that are likely by its own probabilities.

All of them are played out in the same worlds: first by the policy in all four seats, each doing what it finds most
probable, and after some tricks by the heuristic, which takes a hundredth of the time.
"""

from __future__ import annotations

import math

import numpy as np

from king_env.bots.compiled import NO_ACTION, only_legal_action
from king_env.bots.pretrained.advice import advise
from king_env.bots.pretrained.forward import judge_all
from king_env.bots.pretrained.likely_worlds import (
    Belief,
    Table,
    best_of,
    do_action,
    walk_through_worlds,
    weigh_all_worlds,
)
from king_env.bots.searching import Searches
from king_env.chance import Streams
from king_env.engine.actions import NUM_ACTIONS, Action
from king_env.engine.information import num_deals
from king_env.engine.kernel import entry_point, kernel
from king_env.engine.seats import NUM_SEATS
from king_env.engine.state import OVER, TO_DEAL, GameRecord, GameRecords

# An action is looked at if its logit is at most so far below the best, and so many at most.
LIKELY_LOGITS = 5.0
MOST_CHOICES = 5
# So many points the gains of playouts are taken to vary by before any is seen, which counts like so many playouts.
USUAL_SPREAD, USUAL_COUNT = 20.0, 2.0

# What a search found out about one decision.
OUTLOOK_DTYPE = np.dtype(
    [
        ("num_choices", np.int64),  # one: nothing was searched; none: nobody is to act, or what is done is forced
        ("actions", np.int64, (MOST_CHOICES,)),  # what they are, the policy's likeliest first
        ("logits", np.float64, (MOST_CHOICES,)),  # of each, less that of the first
        ("gains", np.float64, (MOST_CHOICES,)),  # how many points more than the first each makes in the mean
        ("errors", np.float64, (MOST_CHOICES,)),  # the standard errors of these means; 0: all worlds were looked at
    ],
    align=True,
)
Outlook = GameRecord  # one element of an array of OUTLOOK_DTYPE
Outlooks = np.ndarray  # OUTLOOK_DTYPE[N]


# What may be done


@kernel
def is_listed(outlook: Outlook, action: Action) -> bool:
    for choice in range(outlook["num_choices"]):
        if outlook["actions"][choice] == action:
            return True
    return False


@kernel
def next_likely(logits: np.ndarray, least: float, outlook: Outlook) -> Action:
    """The likeliest action that is not listed and whose logit is not less than the least; NO_ACTION without one."""
    likely = NO_ACTION
    for action in range(NUM_ACTIONS):
        is_open = logits[action] >= least and not is_listed(outlook, action)
        if is_open and (likely == NO_ACTION or logits[action] > logits[likely]):
            likely = action
    return likely


@kernel
def list_likely(view: GameRecords, table: Table, outlook: Outlook) -> None:
    """Begin a decision: what the policy would do, and then what it thinks nearly as good."""
    judge_all(view, table.weights, table.room, table.logits, table.values)
    logits = table.logits[0]
    highest = logits[best_of(logits)]
    action = next_likely(logits, highest - LIKELY_LOGITS, outlook)
    while action != NO_ACTION and outlook["num_choices"] < MOST_CHOICES:
        choice = outlook["num_choices"]
        outlook["actions"][choice] = action
        outlook["logits"][choice] = logits[action] - highest
        outlook["num_choices"] += 1
        action = next_likely(logits, highest - LIKELY_LOGITS, outlook)


# What it is worth


@kernel
def is_deal_on(game: GameRecords) -> bool:
    return game[0]["phase"] != TO_DEAL and game[0]["phase"] != OVER


@entry_point
def play_out_by_policy(action: Action, num_plays: int, table: Table) -> None:
    """Do an action in the table's game, and play the deal out: by the policy until so many cards have been played."""
    game, advice = table.game, table.room.advice
    do_action(game, action)
    while is_deal_on(game) and game[0]["num_plays"] < num_plays:
        action = only_legal_action(game[0])
        if action == NO_ACTION:
            judge_all(game, table.weights, table.room, table.logits, table.values)
            action = best_of(table.logits[0])
        do_action(game, action)
    while is_deal_on(game):
        advise(game, advice)
        do_action(game, int(advice[0]))


@kernel
def error_of(choice: int, gain: float, num_worlds: int, made: np.ndarray, shares: np.ndarray) -> float:
    """How sure the mean gain of a choice is: few worlds, or few that count, are not trusted to tell how gains vary."""
    variance, squares = 0.0, 0.0
    for number in range(num_worlds):
        variance += shares[number] * (made[choice, number] - made[0, number] - gain) ** 2
        squares += shares[number] ** 2
    count = 1.0 / squares  # of equally likely worlds, from which one would know as much
    variance = (count * variance + USUAL_COUNT * USUAL_SPREAD**2) / (count + USUAL_COUNT)
    return math.sqrt(variance / count)


@kernel
def add_up(num_worlds: int, is_exact: bool, made: np.ndarray, shares: np.ndarray, outlook: Outlook) -> None:
    """Write down what each choice gains in the mean over worlds, and how sure that is.

    is_exact: there are no other worlds; made: float64[MOST_CHOICES, playouts], the points of the seat after each choice
    in each world; shares: float64, of the worlds.
    """
    total = 0.0
    for number in range(num_worlds):
        total += shares[number]
    for number in range(num_worlds):
        shares[number] /= total
    for choice in range(1, outlook["num_choices"]):
        gain = 0.0
        for number in range(num_worlds):
            gain += shares[number] * (made[choice, number] - made[0, number])
        outlook["gains"][choice] = gain
        outlook["errors"][choice] = 0.0 if is_exact else error_of(choice, gain, num_worlds, made, shares)


@entry_point
def search_likely(
    views: GameRecords,
    steps: int,
    tricks: int,
    belief: Belief,
    searches: Searches,
    deals: np.ndarray,
    streams: Streams,
    table: Table,
    made: np.ndarray,
    outlooks: Outlooks,
) -> None:
    """Search each view that `begin_searches` has begun, in as many worlds as the table and `made` have room for.

    steps: of the walk from one world to the next; tricks: after so many full ones the heuristic ends a playout;
    made: float64[MOST_CHOICES, playouts], scratch; outlooks: OUTLOOK_DTYPE[N], zeros, written.
    """
    for i in range(len(views)):
        if searches[i]["num_choices"] == 1:
            continue
        view, seat, outlook = views[i : i + 1], int(views[i]["turn"]), outlooks[i]
        list_likely(view, table, outlook)
        if outlook["num_choices"] == 1:
            continue
        is_exact = num_deals(deals[i]) <= len(table.worlds)
        if is_exact:
            num_worlds = weigh_all_worlds(view, deals[i], seat, belief, table)
        else:
            num_worlds = walk_through_worlds(view, deals[i], streams[i], seat, steps, belief, table)
        num_plays = (int(views[i]["num_plays"]) // NUM_SEATS + 1 + tricks) * NUM_SEATS
        for number in range(num_worlds):
            for choice in range(outlook["num_choices"]):
                table.game[0] = table.worlds[number]
                play_out_by_policy(int(outlook["actions"][choice]), num_plays, table)
                made[choice, number] = table.game[0]["deal_scores"][seat]
        add_up(num_worlds, is_exact, made, table.shares, outlook)
