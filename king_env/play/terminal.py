"""Playing in a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from pathlib import Path

from king_env.bots import BotError
from king_env.engine.actions import FIRST_CALL, Action
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.game import IllegalActionError
from king_env.notation import action_text
from king_env.play.company import Advice, AdviceError, Company
from king_env.play.saves import SavedGames, SaveError
from king_env.play.seated import SeatedGame
from king_env.records import append_games
from king_env.render import card_symbol, render_table, shows_colour, signed, task_text, words_of_action
from king_env.ruleset import RuleSet

OWNER = "terminal"  # of games begun here: no browser's

COMMANDS = """\
  QH, bid 3, up S …   play this card, make this call
  legal               what you may do
  hint [BOT]          what a bot would do in your place
  table               the table once more
  record FILE         add the deals that are over to a file of game records
  quit                leave; the game stays saved"""


class LeaveError(Exception):
    """The person has had enough for now."""


class TerminalTable:
    """Where one person plays game after game. hints: the names of the bots to be asked, the first unless named."""

    def __init__(
        self, saved: SavedGames, company: Company, opponents: Sequence[str], hints: Sequence[str], seed: int | None
    ) -> None:
        self._saved = saved
        self._company = company
        self._opponents = list(opponents)
        self._hints = list(hints)
        self._seed = seed
        self._in_colour = shows_colour(sys.stdout)
        self._commands: dict[str, Callable[[SeatedGame, str], None]] = {
            "legal": self._print_legal,
            "hint": self._print_hint,
            "table": self._print_table,
            "record": self._write_record,
            "help": self._print_help,
            "quit": self._leave,
        }

    def play_new(self, ruleset: RuleSet | str, seat: Seat) -> None:
        """Begin a game and play it, and another one as long as the person likes."""
        while True:
            seated = SeatedGame.begin(ruleset, seat, self._opponents, self._seed)
            self._play(self._saved.begin(seated, OWNER), seated, OWNER)
            if not seated.game.is_over or not _is_yes("Play again? [y/N] "):
                return

    def resume(self, beginning: str | None) -> None:
        """Go on with a saved game, named by how its name begins; None: the latest that is not over.

        Raises `SaveError` if there is none, or it was cut or altered.
        """
        name = self._latest() if beginning is None else self._only(beginning)
        saved = self._saved.load(name)
        self._play(name, saved.seated(), saved.owner)

    def _latest(self) -> str:
        for name in self._saved.names():
            if not self._saved.load(name).seated().game.is_over:
                return name
        raise SaveError(f"there is no game to go on with in {self._saved.folder}")

    def _only(self, beginning: str) -> str:
        found = [name for name in self._saved.names() if name.startswith(beginning)]
        if len(found) != 1:
            how_many = (
                f"{len(found)} saved games have names that begin" if found else "no saved game has a name that begins"
            )
            raise SaveError(f"{how_many} with {beginning!r:.60} in {self._saved.folder}")
        return found[0]

    def _play(self, name: str, seated: SeatedGame, owner: str) -> None:
        """Until the game is over or the person leaves; each move is saved before it is told."""
        others = [f"seat {seat}: {player}" for seat, player in enumerate(seated.players) if seat != seated.seat]
        print(f"You are seat {seated.seat}; {', '.join(others)}. Type help for what you can do.\n")
        try:
            while not seated.game.is_over:
                if seated.is_my_turn:
                    self._ask_person(seated)
                else:
                    self._ask_bot(seated)
                self._saved.save(name, seated, owner)
                self._tell(seated)
        except (LeaveError, EOFError, KeyboardInterrupt):
            print(f"\nThe game is saved in {self._saved.folder}. To go on: --terminal --resume {name[:8]}")
        except BotError as error:
            print(f"{error}\nThe game is saved in {self._saved.folder}.")

    def _ask_bot(self, seated: SeatedGame) -> None:
        move = self._company.move(seated)
        if move.complaint:
            print(f"({move.complaint})")
        seated.play(move.action)

    def _ask_person(self, seated: SeatedGame) -> None:
        """Until the person has made a move."""
        self._print_table(seated, "")
        while True:
            text = input(f"\n{_you(seated)}> ").strip()
            word, _, rest = text.partition(" ")
            command = self._commands.get(word.lower())
            if command:
                command(seated, rest.strip())
            elif text:
                try:
                    seated.play(text)
                except IllegalActionError as error:
                    print(f"Not allowed: {error}")
                else:
                    return

    # What is told

    def _tell(self, seated: SeatedGame) -> None:
        """The move just made, and what has come to its end by it."""
        assert seated.last is not None, "somebody has just moved"
        seat, action = seated.last
        who = "You" if seat == seated.seat else f"Seat {seat}, {seated.players[seat]}"
        print(f"  {who}: {_shown(action)}")
        if seated.deal_end is not None:
            row = seated.rows[-1]
            points = ", ".join(f"seat {seat} {signed(points)}" for seat, points in enumerate(row.points))
            print(f"\nDeal {row.deal}, {row.title}, is over: {points}\n")
        if seated.game.is_over:
            self._print_end(seated)

    def _print_end(self, seated: SeatedGame) -> None:
        game = seated.game
        print(f"The game is over.\n\n{game.score_sheet}\n")
        for seat in sorted(range(NUM_SEATS), key=lambda seat: game.placings[seat]):
            print(f"{game.placings[seat]}. seat {seat}, {seated.players[seat]}: {signed(game.scores[seat])}")
        print()

    def _print_table(self, seated: SeatedGame, _: str) -> None:
        print(f"\n{render_table(seated.standing, seated.seat, self._in_colour)}")

    def _print_legal(self, seated: SeatedGame, _: str) -> None:
        print(", ".join(seated.game.legal()))

    def _print_hint(self, seated: SeatedGame, bot: str) -> None:
        if bot and bot not in self._hints:
            print(f"hint: must be one of {', '.join(self._hints)}")
            return
        try:
            print(_hint_text(self._company.advise(seated, bot or self._hints[0])))
        except AdviceError as error:
            print(f"hint: {error}")

    def _write_record(self, seated: SeatedGame, path: str) -> None:
        record = seated.open_record()
        if not path or record is None:
            print("record: needs the name of a file" if not path else "record: no deal is over yet")
            return
        try:
            append_games(Path(path).expanduser(), [record])
        except OSError as error:
            print(f"record: cannot write {path}: {error.strerror}")
        else:
            print(f"record: {len(record['deals'])} deal(s) added to {path}")

    def _print_help(self, seated: SeatedGame, _: str) -> None:
        print(f"{COMMANDS}\nHints come from {' or '.join(self._hints)}; the rules are in docs/rules.md.")

    def _leave(self, seated: SeatedGame, _: str) -> None:
        raise LeaveError


def _you(seated: SeatedGame) -> str:
    """What the person is to do: `You are to bid`."""
    return task_text(seated.game.record[0]).replace(f"seat {seated.seat} is", "You are")


def _shown(action: Action) -> str:
    return card_symbol(action) if action < FIRST_CALL else words_of_action(action)


def _hint_text(advice: Advice) -> str:
    """What a bot would do, and by how much the other actions are worse or less probable, if it says so."""
    lines = [f"{advice.bot} would do this: {action_text(advice.action)}"]
    thought = advice.thought
    if thought.value is not None:
        lines.append(f"  value {thought.value:+.1f} {thought.unit}")
    for title, numbers, form in (
        ("points beside the best", thought.gains, "{:+.1f}"),
        ("probability", thought.probabilities, "{:.0%}"),
    ):
        if numbers:
            most = max(numbers.values()) if numbers is thought.gains else 0.0
            best_first = sorted(numbers, key=lambda action: -numbers[action])
            shown = [f"{action_text(action)} {form.format(numbers[action] - most)}" for action in best_first]
            lines.append(f"  {title}: {', '.join(shown)}")
    return "\n".join(lines)


def _is_yes(question: str) -> bool:
    try:
        return input(question).strip().lower() in ("y", "yes")
    except EOFError:
        return False
