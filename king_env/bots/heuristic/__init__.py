"""The heuristic bot: what an experienced player thinks of, compiled; it neither searches nor draws random numbers."""

from king_env.bots.heuristic.actions import HEURISTIC_VERSION, heuristic_action, heuristic_call, heuristic_card

__all__ = ["HEURISTIC_VERSION", "heuristic_action", "heuristic_call", "heuristic_card"]
