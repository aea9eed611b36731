"""A whole game as plain values for the replay page: positions, actions, and what was thought of them.

    {"line", "rules", "players"?, "meta": [[name, text], …], "scores", "is_over", "deals": [
        {"number", "title", "start": position, "leads": [steps before tricks 1, 2, …], "steps": [
            {"seat", "action", "then": patch, "thought"?, "judged"?}, …]}, …]}

A step's patch makes the next position of the one before (`patches.merge_patch`). A thought is `Thought.to_dict`, and
`judged` is what a judge says of the decision: a thought with {"best": action, "loses": points, "error": points,
"disagrees": whether that is more than luck may be} besides.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from king_env.bots.asking import Positions
from king_env.bots.protocol import Bot
from king_env.bots.thoughts import META_KEY, Explains, Thought, thoughts_in
from king_env.engine import batch
from king_env.engine.actions import FIRST_CALL, Action
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.engine.state import OVER, TO_DEAL, GameRecord, GameRecords
from king_env.game import Game
from king_env.notation import action_text
from king_env.web.patches import merge_patch
from king_env.web.position import Plain, SheetRow, as_it_ended, row_of, table_position

_LONGEST_META = 500  # letters of one entry


@dataclass
class _Moment:
    """An action, and the game before and after it."""

    before: GameRecord
    seat: Seat
    action: Action
    after: GameRecord


@dataclass
class _Deal:
    """One deal while it is played once more."""

    start: GameRecord
    moments: list[_Moment] = field(default_factory=list)

    @property
    def end(self) -> GameRecord:
        """As it ended, or as it stands."""
        return self.moments[-1].after if self.moments else self.start

    @property
    def is_over(self) -> bool:
        return bool(self.end["phase"] in (TO_DEAL, OVER))


def replay_of(game: Game, line: int, judge: Judge | None = None) -> Plain:
    """A game from a line of a file. Raises ValueError if the thoughts in its `meta` are none."""
    thoughts = thoughts_in(game.meta, len(game.actions))
    deals = _played_again(game)
    verdicts = _verdicts(judge, [moment for deal in deals for moment in deal.moments])
    comments = iter(list(map(_comment, thoughts, verdicts)))
    plain: Plain = {
        "line": line,
        "rules": game.ruleset.name or "rules of the house",
        "meta": _meta(game),
        "scores": game.scores,
        "is_over": game.is_over,
        "deals": list(_deals(deals, comments)),
    }
    return plain | {"players": game.players} if game.players else plain


def _played_again(game: Game) -> list[_Deal]:
    again = Game(game.ruleset, list(game.deals), game.first_dealer, game.first_deal, game.num_deals)
    deals = [_Deal(again.record.copy()[0])]
    for action in game.actions:
        if deals[-1].is_over:
            deals.append(_Deal(again.record.copy()[0]))
        before = again.record.copy()
        after = before.copy()  # not the game itself, which goes on to the next deal at once
        batch.step_games(after, np.array([action], dtype=np.int64))
        deals[-1].moments.append(_Moment(before[0], int(before["turn"][0]), action, as_it_ended(after[0], before[0])))
        again.play(action)
    return deals


def _deals(deals: Sequence[_Deal], comments: Iterator[Plain]) -> Iterator[Plain]:
    earlier: list[SheetRow] = []
    for deal in deals:
        row = row_of(deal.end)
        position = table_position(deal.start, earlier=earlier)
        plain: Plain = {"number": row.deal, "title": row.title, "start": position, "leads": _leads(deal), "steps": []}
        for moment in deal.moments:
            after = table_position(moment.after, earlier=earlier)
            step = {"seat": moment.seat, "action": action_text(moment.action), "then": merge_patch(position, after)}
            plain["steps"].append(step | next(comments))
            position = after
        earlier.append(row)
        yield plain


def _leads(deal: _Deal) -> list[int]:
    """After how many actions each trick is led."""
    cards = [number for number, moment in enumerate(deal.moments) if moment.action < FIRST_CALL]
    return cards[::NUM_SEATS]


def _comment(thought: Thought | None, verdict: Plain | None) -> Plain:
    comment: Plain = {}
    if thought is not None:
        comment["thought"] = thought.to_dict()
    if verdict is not None:
        comment["judged"] = verdict
    return comment


def _meta(game: Game) -> list[list[str]]:
    """What the record says besides, as text, without what the page shows elsewhere."""
    return [
        [str(name), _shortened(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False))]
        for name, value in game.meta.items()
        if name not in ("players", META_KEY)
    ]


def _shortened(text: str) -> str:
    return text if len(text) <= _LONGEST_META else text[:_LONGEST_META] + " …"


# Judging


class Judge:
    """A bot that says of every decision what the other actions would have gained."""

    def __init__(self, bot: Bot) -> None:
        """Raises ValueError for a bot that does not say it, of the first deal that there is."""
        if not isinstance(bot, Explains) or not bot.explain(_opening_view())[0].gains:
            raise ValueError(f"{bot.name} does not say what actions gain; search and search:worlds=N do")
        self._bot = bot
        self.name = bot.name

    def verdicts(self, games: GameRecords, actions: Sequence[Action]) -> list[Plain]:
        """What it says of these actions in N games as they stood; it sees no more than the seat to act."""
        thoughts = self._bot.explain(Positions.of_games(games, np.arange(len(games))).views)
        return [self._verdict(thought, action) for thought, action in zip(thoughts, actions, strict=True)]

    def _verdict(self, thought: Thought, action: Action) -> Plain:
        gains = thought.gains
        assert gains is not None, "there was a choice"
        best = max(gains, key=lambda other: (gains[other], other == action))
        loses = gains[best] - gains[action]
        # Both gains are over the same third action, so this is at most what the error of their difference may be.
        errors = thought.errors or {}
        error = math.hypot(errors.get(best, 0.0), errors.get(action, 0.0))
        return thought.to_dict() | {
            "best": action_text(best),
            "loses": round(loses, 1),
            "error": round(error, 1),
            "disagrees": loses > error,
        }


def _opening_view() -> GameRecords:
    game = Game(seed=0, dealer=0)
    return game.view(0)


def _verdicts(judge: Judge | None, moments: Sequence[_Moment]) -> list[Plain | None]:
    """A verdict wherever there was a choice."""
    verdicts: list[Plain | None] = [None] * len(moments)
    if judge is None or not moments:
        return verdicts
    games = np.array([moment.before for moment in moments])
    masks = Positions.of_games(games, np.arange(len(games))).masks
    choices: list[int] = np.flatnonzero(masks.sum(axis=1) > 1).tolist()
    judged = judge.verdicts(games[choices], [moments[place].action for place in choices])
    for place, verdict in zip(choices, judged, strict=True):
        verdicts[place] = verdict
    return verdicts


def disagreements(replay: Plain) -> int:
    """How often the judge of a replay would have done something else, and surely so."""
    steps: list[dict[str, Any]] = [step for deal in replay["deals"] for step in deal["steps"]]
    return sum(step["judged"]["disagrees"] for step in steps if "judged" in step)
