"""Playing against the bots, in a page or in a terminal: one person in one seat of a whole game, saved at every move.

The engine decides what is legal, and a person is told no more than the seat may know (`showing.shown_to`).
"""
