"""Measure King, and what else is installed, on this machine: `python scripts/benchmark.py`."""

import sys

from scripts.benchmarking.command_line import main

if __name__ == "__main__":
    sys.exit(main())
