"""King with RLlib: `masked_ppo.py` is the recipe."""
