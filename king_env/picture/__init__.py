"""A game as a picture, drawn without a display: a green table, the cards on it, and a panel with what the table hides.

>>> from king_env import Game
>>> from king_env.picture import draw_table
>>> draw_table(Game(seed=1).record[0]).shape
(800, 1200, 3)
"""

from king_env.picture.canvas import Picture
from king_env.picture.scene import draw_table

__all__ = ["Picture", "draw_table"]
