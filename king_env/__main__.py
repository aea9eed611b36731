"""King on the command line: `python -m king_env COMMAND …`, and `--help` after any of it."""

from __future__ import annotations

import argparse
import io
import os
import sys

from king_env import replay, view
from king_env.exit_statuses import INTERRUPTED, NOBODY_READS
from king_env.play import command as play

# Each command is a module with `SUMMARY`, `DESCRIPTION`, `add_arguments(parser)` and `run(options) -> exit status`.
COMMANDS = {"replay": replay, "view": view, "play": play}


def main(arguments: list[str] | None = None) -> int:
    """Run a command, and return its exit status."""
    parser = argparse.ArgumentParser(prog="python -m king_env", description="King, the card game.", allow_abbrev=False)
    commands = parser.add_subparsers(title="commands", dest="command", required=True, metavar="COMMAND")
    for name, command in COMMANDS.items():
        command.add_arguments(
            commands.add_parser(name, help=command.SUMMARY, description=command.DESCRIPTION, allow_abbrev=False)
        )
    options = parser.parse_args(arguments)
    _print_any_card()
    try:
        status = COMMANDS[options.command].run(options)
        sys.stdout.flush()
    except KeyboardInterrupt:
        return INTERRUPTED
    except BrokenPipeError:
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # so that leaving does not fail once more
        return NOBODY_READS
    return status


def _print_any_card() -> None:
    """Let a terminal that has no sign for a suit show another instead of failing."""
    if isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="replace")


if __name__ == "__main__":
    sys.exit(main())
