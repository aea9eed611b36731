"""What a page is told of a game: what the person's seat may know, and nothing more."""

from __future__ import annotations

from king_env.engine.actions import BID_POINTS
from king_env.engine.state import PLAYING
from king_env.notation import action_text
from king_env.play.company import Advice
from king_env.play.seated import SeatedGame
from king_env.refusals import calls_of_phase
from king_env.web.position import Plain, table_position


def shown_to(seated: SeatedGame) -> Plain:
    """The game as plain values for JSON.

        {"rules", "seat", "players", "moves": how many were made, "position", "is_over", "has_record",
         "ended"?: the deal that has just ended, "last"?: [seat, action],
         "calls"?: [{"call", "is_legal", "points"?}, …] if the person is to say something}

    Positions are those of `table_position` with the person as viewer.
    """
    game, seat = seated.game, seated.seat
    over = len(seated.rows)
    position = table_position(seated.standing, seat, seated.rows[: over - game.is_over])
    if seated.is_my_turn:
        position["task"] = position["task"].replace(f"seat {seat} is", "you are")
    shown: Plain = {
        "rules": game.ruleset.name or "rules of the house",
        "seat": seat,
        "players": seated.players,
        "moves": len(game.actions),
        "position": position,
        "is_over": game.is_over,
        "has_record": over > 0,
    }
    if seated.last is not None:
        shown["last"] = [seated.last[0], action_text(seated.last[1])]
    if seated.deal_end is not None and not game.is_over:
        shown["ended"] = table_position(seated.deal_end, seat, seated.rows[: over - 1])
    if seated.is_my_turn and game.record["phase"][0] != PLAYING:
        shown["calls"] = _calls(seated)
    return shown


def advice_shown(advice: Advice) -> Plain:
    """A hint as plain values for JSON."""
    return {"bot": advice.bot, "action": action_text(advice.action), "thought": advice.thought.to_dict()}


def _calls(seated: SeatedGame) -> list[Plain]:
    """What may be said now, and what cannot be although it belongs to this moment of the game."""
    legal = set(seated.game.legal_ids())
    calls = []
    for call in calls_of_phase(seated.game.record[0]):
        plain: Plain = {"call": action_text(call), "is_legal": call in legal}
        if BID_POINTS[call]:
            plain["points"] = int(BID_POINTS[call])
        calls.append(plain)
    return calls
