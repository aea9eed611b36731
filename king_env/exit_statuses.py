"""What the programs say to the shell that started them."""

DONE = 0
FAILED = 1
"""Something went wrong on the way: a bot at fault, a file that could not be written, a worker that was lost."""
REFUSED = 2
"""What was asked for cannot be meant, so nothing was begun."""
INTERRUPTED = 130
"""Ctrl-C ended it, or stopped it so that it can go on."""
NOBODY_READS = 141
"""The output goes nowhere any more."""
