"""King with Stable-Baselines3: `maskable_ppo.py` is the recipe."""
