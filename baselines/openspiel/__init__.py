"""King in OpenSpiel: `ismcts.py` is the recipe, `king_env.integrations.openspiel` the game."""
