"""Random bots: `uniform` over all legal actions, and `random`, whose cards are uniform but whose calls make sense."""

from __future__ import annotations

from king_env.chance import Stream, random_below
from king_env.engine.actions import FIRST_CALL, Action
from king_env.engine.kernel import kernel, lowest_bit, popcount
from king_env.engine.state import PLAYING, GameRecord
from king_env.engine.step import legal_actions, legal_calls
from king_env.engine.play import legal_cards


@kernel
def random_member(members: int, stream: Stream) -> int:
    """One of the set bits of a mask, each equally likely."""
    for _ in range(random_below(stream, popcount(members))):
        members &= members - 1
    return lowest_bit(members)


@kernel
def random_card(view: GameRecord, stream: Stream) -> Action:
    """A legal card, each equally likely."""
    return random_member(legal_cards(view), stream)


@kernel
def uniform_action(view: GameRecord, stream: Stream) -> Action:
    """A legal action, each equally likely."""
    if view["phase"] == PLAYING:
        return random_card(view, stream)
    return FIRST_CALL + random_member(legal_calls(view), stream)
