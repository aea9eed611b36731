"""Self-play PPO in torch: `ppo.py` is the recipe, the files beside it are what it needs around it."""
