"""King in a browser: positions as plain values, cards as SVG, and the pages that draw them.

The engine decides everything; the JavaScript in `static/` only draws what it is told (`position.table_position`).
"""
