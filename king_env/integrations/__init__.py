"""Adapters for training libraries, each in a module of its own that imports that library and nobody else's.

- `openspiel`: King as OpenSpiel's game `python_king`.
- `parallel`: all four agents in one dict API of PettingZoo, with the masks in infos, as AgileRL wants them.
- `rllib`: King for RLlib's new API stack.
"""
