"""King, the card game, as an environment for reinforcement learning.

>>> from king_env import king_v0
>>> env = king_v0.env()
>>> env.reset(seed=1)
>>> env.agents
['player_0', 'player_1', 'player_2', 'player_3']

`help(king_env.king_v0)` is the reference of the environment.
"""

import gymnasium
import pettingzoo

from king_env import king_v0
from king_env.batch_env import BatchEnv
from king_env.engine.observation import unpack_observation
from king_env.episode import OptionError
from king_env.game import Game, GameError, IllegalActionError
from king_env.notation import (
    NotationError,
    action_text,
    card_text,
    cards_text,
    deal_text,
    parse_action,
    parse_card,
    parse_cards,
    parse_deal,
)
from king_env.ruleset import (
    BRAZILIAN_AUCTION,
    BRAZILIAN_TRUMP,
    PORTUGUESE,
    RULESETS,
    RuleSet,
    RuleSetError,
    make_ruleset,
)
from king_env.worlds import ViewError, count_deals, sample_hidden

__all__ = [
    "BRAZILIAN_AUCTION",
    "BRAZILIAN_TRUMP",
    "PORTUGUESE",
    "RULESETS",
    "BatchEnv",
    "Game",
    "GameError",
    "IllegalActionError",
    "NotationError",
    "OptionError",
    "RuleSet",
    "RuleSetError",
    "ViewError",
    "action_text",
    "card_text",
    "cards_text",
    "count_deals",
    "deal_text",
    "king_v0",
    "make_ruleset",
    "parse_action",
    "parse_card",
    "parse_cards",
    "parse_deal",
    "sample_hidden",
    "unpack_observation",
]

PETTINGZOO_ID = "king/king-v0"
GYMNASIUM_ID = "King-v0"


def _register_with_pettingzoo() -> None:
    """Make `pettingzoo.make("aec", "king/king-v0")` work; PettingZoo has had a registry since 1.27."""
    if hasattr(pettingzoo, "register"):
        pettingzoo.register("aec", PETTINGZOO_ID, entry_point="king_env.king_v0:env")
        pettingzoo.register("parallel", PETTINGZOO_ID, entry_point="king_env.king_v0:parallel_env")


def _register_with_gymnasium() -> None:
    """Make `gymnasium.make("King-v0")` and `gymnasium.make_vec("King-v0")` work; nothing is imported until then."""
    gymnasium.register(
        GYMNASIUM_ID,
        entry_point="king_env.seat_env:SeatEnv",
        vector_entry_point="king_env.seat_vector_env:SeatVectorEnv",
    )


_register_with_pettingzoo()
_register_with_gymnasium()
