"""King with TorchRL: `masked_ppo.py` is the recipe."""
