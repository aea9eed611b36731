"""King with AgileRL, in an environment of its own: `dqn.py` is the recipe."""
