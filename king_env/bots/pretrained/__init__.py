"""A trained policy that plays without torch: its file, its network in compiled code, and the bot."""

from king_env.bots.pretrained.policy_file import Policy, PolicyFileError, read_policy, write_policy
from king_env.bots.pretrained.policy_search import PolicySearchBot
from king_env.bots.pretrained.pretrained_bot import PretrainedBot

__all__ = ["Policy", "PolicyFileError", "PolicySearchBot", "PretrainedBot", "read_policy", "write_policy"]
