"""The page to play in, and the small server behind it.

Whatever a browser sends is a stranger's. So a request must name this very server (a page elsewhere could have its own
name point here), what changes anything must come from this server's own page, and bodies are short. A game is known by
a name that nobody can guess, and answers only to the browser that began it. Each request reads its game from its file
and writes it back, so nothing is lost with the server.

    GET  /                       the page
    GET  /games                  the games of this browser
    POST /games                  {"ruleset", "seat"}: begins one
    GET  /games/NAME             the game, as `showing.shown_to` has it
    POST /games/NAME/play        {"action", "after": how many moves were made}: the person's move
    POST /games/NAME/next        {"after"}: the move of the bot whose turn it is
    POST /games/NAME/hint        {"bot"}: what that bot would do
    GET  /games/NAME/record      the deals that are over, as a file

An illegal action is answered by the game as it stands and why it was "refused", with the paragraph of the rules.
"""

from __future__ import annotations

import hashlib
import ipaddress
import json
import logging
import re
import secrets
import socket
from collections.abc import Callable, Iterable, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import Lock
from typing import TYPE_CHECKING, Any
from urllib.parse import urlsplit

import waitress
from werkzeug.exceptions import (
    BadRequest,
    Conflict,
    Forbidden,
    HTTPException,
    InternalServerError,
    NotFound,
    ServiceUnavailable,
    UnsupportedMediaType,
)
from werkzeug.routing import Map, RequestRedirect, Rule
from werkzeug.wrappers import Request, Response

from king_env.bots import BotError
from king_env.engine.seats import NUM_SEATS, Seat
from king_env.game import IllegalActionError
from king_env.play.company import AdviceError, Company
from king_env.play.saves import SavedGame, SavedGames, SaveError
from king_env.play.seated import SeatedGame
from king_env.play.showing import advice_shown, shown_to
from king_env.ruleset import RULESETS
from king_env.web.page import data_block, joined_script, joined_styles, page_parts
from king_env.web.position import Plain

if TYPE_CHECKING:
    from _typeshed.wsgi import StartResponse, WSGIEnvironment

LONGEST_BODY = 4096  # bytes
LONGEST_HEADERS = 16_384
LONGEST_TEXT = 200  # letters of any value in a body
GAMES_LISTED = 20
NUM_THREADS = 8

COOKIE = "king_session"
COOKIE_SECONDS = 365 * 24 * 3600

_TOKEN = re.compile(r"[\w-]{43}", flags=re.ASCII)
_TOKEN_BYTES = 32
_NUM_LOCKS = 64

_HEADERS = {
    "Cache-Control": "no-store",
    "Content-Security-Policy": "frame-ancestors 'none'",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Referrer-Policy": "same-origin",
    "X-Content-Type-Options": "nosniff",
}

_log = logging.getLogger(__name__)


@dataclass(frozen=True)
class Offer:
    """What the page offers to who begins a game."""

    opponents: tuple[str, ...]
    """The names of three bots, from the person's left neighbour on."""
    hints: tuple[str, ...]
    """The names of the bots that can be asked for a hint, the first unless another is chosen."""
    ruleset: str
    """Which rule set is chosen already."""
    seat: Seat
    """Which seat is chosen already."""
    seed: int | None = None
    """The cards of every game that is begun; None: each has its own."""


class _Request(Request):
    max_content_length = LONGEST_BODY


class PlayApp:
    """The WSGI application. host and port: where it is served, which requests must name."""

    def __init__(self, saved: SavedGames, company: Company, offer: Offer, host: str, port: int) -> None:
        self._saved = saved
        self._company = company
        self._offer = offer
        self._host, self._port = host, port
        self._page = play_page(offer)
        self._locks = [Lock() for _ in range(_NUM_LOCKS)]
        self._routes = Map(
            [
                Rule("/", methods=["GET"], endpoint=self._send_page),
                Rule("/games", methods=["GET"], endpoint=self._list_games),
                Rule("/games", methods=["POST"], endpoint=self._begin),
                Rule("/games/<name>", methods=["GET"], endpoint=self._show),
                Rule("/games/<name>/play", methods=["POST"], endpoint=self._play),
                Rule("/games/<name>/next", methods=["POST"], endpoint=self._next),
                Rule("/games/<name>/hint", methods=["POST"], endpoint=self._hint),
                Rule("/games/<name>/record", methods=["GET"], endpoint=self._send_record),
            ],
            redirect_defaults=False,
            merge_slashes=False,
        )

    def __call__(self, environ: WSGIEnvironment, start_response: StartResponse) -> Iterable[bytes]:
        response = self._answer(_Request(environ))
        response.headers.update(_HEADERS)
        return response(environ, start_response)

    def _answer(self, request: Request) -> Response:
        try:
            self._check_sender(request)
            respond, values = self._route(request)
            return respond(request, **values)
        except HTTPException as error:
            return _refusal(error)
        except SaveError as error:
            return _refusal(ServiceUnavailable(str(error)))
        except Exception:
            _log.exception("a request failed: %s %s", request.method, request.path)
            return _refusal(InternalServerError("something went wrong here, and the game stayed as it was saved"))

    def _route(self, request: Request) -> tuple[Callable[..., Response], Mapping[str, Any]]:
        """What answers this request, and what its path says."""
        try:
            respond, values = self._routes.bind_to_environ(request.environ).match()
        except (NotFound, RequestRedirect):
            raise NotFound("there is nothing here") from None
        return respond, values

    # Who may

    def _check_sender(self, request: Request) -> None:
        """The request names this server, and what changes anything comes from its own page."""
        host = request.environ.get("HTTP_HOST", "")
        if not self._is_here(host):
            raise Forbidden(f"this server is not {host!r:.80}")
        if request.method in ("GET", "HEAD"):
            return
        if request.headers.get("Origin") != f"http://{host}":
            raise Forbidden("only the page of this server may do this")
        if request.mimetype != "application/json":
            raise UnsupportedMediaType("must be application/json")

    def _is_here(self, host: str) -> bool:
        """Whether a Host header names this server: a name of somebody else's may lead here, a number may not."""
        try:
            parts = urlsplit(f"//{host}")
            name, port = parts.hostname or "", parts.port
        except ValueError:
            return False
        if parts.netloc != host or "@" in host or (port or 80) != self._port:
            return False
        return name in ("localhost", self._host.lower()) or _is_address(name)

    def _owner(self, request: Request) -> str:
        """To whom games belong that this browser began; empty if it has begun none."""
        token = request.cookies.get(COOKIE, "")
        return _owner_of(token) if _TOKEN.fullmatch(token) else ""

    def _lock(self, name: str) -> AbstractContextManager[bool]:
        """One request at a time about one game; a few games may share a lock."""
        return self._locks[hash(name) % _NUM_LOCKS]

    def _saved_game(self, request: Request, name: str) -> SavedGame:
        """A game of this browser; nobody learns whether somebody else has one of this name."""
        owner = self._owner(request)
        saved = self._saved.load(name) if owner and name in self._saved else None
        if saved is None or saved.owner != owner:
            raise NotFound("there is no such game of yours")
        return saved

    # What is answered

    def _send_page(self, request: Request) -> Response:
        return Response(self._page, mimetype="text/html")

    def _list_games(self, request: Request) -> Response:
        owner = self._owner(request)
        return _json({"games": list(self._games_of(owner)) if owner else []})

    def _games_of(self, owner: str) -> Iterable[Plain]:
        found = 0
        for name in self._saved.names():
            try:
                saved = self._saved.load(name)
                if saved.owner == owner:
                    yield _in_short(name, saved.seated())
                    found += 1
            except SaveError:
                continue  # it is refused when it is opened
            if found == GAMES_LISTED:
                return

    def _begin(self, request: Request) -> Response:
        ruleset, seat = _body(request, ruleset=str, seat=int)
        if ruleset not in RULESETS:
            raise BadRequest(f"ruleset: must be one of {', '.join(RULESETS)}")
        if not 0 <= seat < NUM_SEATS:
            raise BadRequest(f"seat: must be a whole number from 0 to {NUM_SEATS - 1}")
        token = request.cookies.get(COOKIE, "")
        if not _TOKEN.fullmatch(token):
            token = secrets.token_urlsafe(_TOKEN_BYTES)
        seated = SeatedGame.begin(ruleset, seat, self._offer.opponents, self._offer.seed)
        name = self._saved.begin(seated, _owner_of(token))
        response = _json(_whole(name, seated))
        response.set_cookie(COOKIE, token, max_age=COOKIE_SECONDS, httponly=True, samesite="Strict")
        return response

    def _show(self, request: Request, name: str) -> Response:
        return _json(_whole(name, self._saved_game(request, name).seated()))

    def _play(self, request: Request, name: str) -> Response:
        action, after = _body(request, action=str, after=int)

        def move(seated: SeatedGame) -> Plain:
            if not seated.is_my_turn:
                return {"refused": f"{action}: it is not your turn"}
            try:
                seated.play(action)
            except IllegalActionError as error:
                return {"refused": str(error)}
            return {}

        return self._moved(request, name, after, move)

    def _next(self, request: Request, name: str) -> Response:
        (after,) = _body(request, after=int)

        def move(seated: SeatedGame) -> Plain:
            if seated.game.is_over or seated.is_my_turn:
                return {}
            made = self._company.move(seated)
            seated.play(made.action)
            if made.complaint:
                _log.warning("game %s: %s", name, made.complaint)
            return {"notice": made.complaint} if made.complaint else {}

        return self._moved(request, name, after, move)

    def _moved(self, request: Request, name: str, after: int, move: Callable[[SeatedGame], Plain]) -> Response:
        """The game after a move, saved. Whoever does not know the moves so far is only told them."""
        with self._lock(name):
            saved = self._saved_game(request, name)
            seated = saved.seated()
            if len(seated.game.actions) != after:
                return _json(_whole(name, seated), Conflict.code)
            try:
                said = move(seated)
            except BotError as error:
                raise ServiceUnavailable(str(error)) from None
            if len(seated.game.actions) != after:
                self._saved.save(name, seated, saved.owner)
        return _json(_whole(name, seated) | said)

    def _hint(self, request: Request, name: str) -> Response:
        (bot,) = _body(request, bot=str)
        if bot not in self._offer.hints:
            raise BadRequest(f"bot: must be one of {', '.join(self._offer.hints)}")
        seated = self._saved_game(request, name).seated()
        if not seated.is_my_turn:
            raise Conflict("there is nothing for you to decide")
        try:
            return _json(advice_shown(self._company.advise(seated, bot)))
        except AdviceError as error:
            raise ServiceUnavailable(str(error)) from None

    def _send_record(self, request: Request, name: str) -> Response:
        record = self._saved_game(request, name).seated().open_record()
        if record is None:
            raise NotFound("no deal of this game is over yet")
        response = Response(json.dumps(record, separators=(",", ":")) + "\n", mimetype="application/x-ndjson")
        response.headers["Content-Disposition"] = f'attachment; filename="king-{name[:8]}.jsonl"'
        return response


def play_page(offer: Offer) -> str:
    """The page, with what it offers."""
    styles = joined_styles("page.css", "table.css", "panel.css", "layout.css", "decision.css", "play.css")
    before, after = page_parts("play.html", "King", joined_script("play"), styles, fetches=True)
    about = {
        "rulesets": list(RULESETS),
        "ruleset": offer.ruleset,
        "seat": offer.seat,
        "opponents": list(offer.opponents),
        "hints": list(offer.hints),
    }
    return before + data_block("about", about) + after


def listen(host: str, port: int) -> socket.socket:
    """A socket on which to serve; port 0 takes one that is free. Raises OSError if that cannot be."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    return socket.create_server((host, port), family=family)


def address_of(listening: socket.socket) -> str:
    """What to open in a browser."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


def serve(app: PlayApp, listening: socket.socket) -> None:
    """Answer requests until Ctrl-C."""
    server = waitress.create_server(
        app,
        sockets=[listening],
        threads=NUM_THREADS,
        ident=None,
        max_request_header_size=LONGEST_HEADERS,
        max_request_body_size=LONGEST_BODY,
    )
    server.run()


def _is_address(name: str) -> bool:
    try:
        ipaddress.ip_address(name)
    except ValueError:
        return False
    return True


def _owner_of(token: str) -> str:
    """What stands in files instead of the token, which opens all games of its browser."""
    return hashlib.sha256(token.encode()).hexdigest()


def _body(request: Request, **kinds: type) -> list[Any]:
    """The values of a body that has exactly these, in this order."""
    try:
        body = json.loads(request.get_data())
    except (ValueError, RecursionError):
        raise BadRequest("the body must be JSON") from None
    if not isinstance(body, Mapping) or set(body) != set(kinds):
        raise BadRequest(f"the body must be an object with {' and '.join(kinds)}, and nothing else")
    for name, kind in kinds.items():
        if type(body[name]) is not kind:
            raise BadRequest(f"{name}: must be {'a text' if kind is str else 'a whole number'}")
        if isinstance(body[name], str) and len(body[name]) > LONGEST_TEXT:
            raise BadRequest(f"{name}: must have at most {LONGEST_TEXT} letters")
    return [body[name] for name in kinds]


def _whole(name: str, seated: SeatedGame) -> Plain:
    return {"name": name} | shown_to(seated)


def _in_short(name: str, seated: SeatedGame) -> Plain:
    """A game in the list of them."""
    game = seated.game
    return {
        "name": name,
        "rules": game.ruleset.name,
        "players": seated.players,
        "deal": game.deal_number,
        "is_over": game.is_over,
        "score": game.scores[seated.seat],
    }


def _json(plain: Plain, status: int = 200) -> Response:
    return Response(json.dumps(plain, separators=(",", ":"), allow_nan=False), status, mimetype="application/json")


def _refusal(error: HTTPException) -> Response:
    """Why, as JSON; what the error demands in headers besides, such as the methods that are allowed."""
    response = _json({"error": error.description or error.name}, error.code or InternalServerError.code)
    response.headers.extend((name, value) for name, value in error.get_headers() if name == "Allow")
    return response
