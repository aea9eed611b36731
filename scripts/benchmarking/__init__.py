"""How fast King is, here and now, beside other environments.

`command_line` is the way in, `measurements` the list of what is measured. Each measurement is a function of the room
named there, and runs in a process of its own (`own_process`), which imports that room and nothing else of the kind:
so this package's other modules leave numpy, numba and torch alone.
"""
