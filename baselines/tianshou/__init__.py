"""King with Tianshou: `masked_ppo.py` is the recipe."""
