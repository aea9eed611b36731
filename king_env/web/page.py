"""One HTML file out of modules of JavaScript and sheets of CSS, with nothing left to be fetched.

The sources in `static/` are standard modules that import each other by `import { a, b } from "./other.js";`, one line
each, and export functions, classes and constants where they are made. Here they are joined into one script: each module
becomes a function that makes what it exports, after those that it imports.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
import re
from importlib import resources
from typing import Any

from king_env.card_design import SHADE
from king_env.web.deck import deck_sprite

_IMPORT = re.compile(r'^import (\{ [\w, ]+ \}) from "\./(\w+)\.js";$', flags=re.MULTILINE)
_EXPORT = re.compile(r"^export (?=(?:(?:async )?function|class|const) (\w+))", flags=re.MULTILINE)
_DATA = "<!-- data -->"


def static_text(name: str) -> str:
    """A file of `static/`."""
    return resources.files("king_env.web").joinpath("static", name).read_text("utf-8")


def joined_script(module: str) -> str:
    """A module, `view` for `view.js`, and all that it imports, each once and after what it needs itself."""
    pieces: dict[str, str] = {}

    def add(name: str) -> None:
        source = static_text(f"{name}.js")
        for _, imported in _IMPORT.findall(source):
            if imported not in pieces:
                add(imported)
        body = _EXPORT.sub("", _IMPORT.sub(r"const \1 = \2Module;", source))
        exported = ", ".join(_EXPORT.findall(source))
        pieces[name] = f"const {name}Module = (() => {{\n{body}\nreturn {{ {exported} }};\n}})();\n"

    add(module)
    return "\n".join(pieces.values())


def joined_styles(*names: str) -> str:
    """Sheets of CSS one after the other, with what they must know of the cards."""
    return f":root {{ --shade: {SHADE} }}\n" + "\n".join(static_text(name) for name in names)


def page_parts(page: str, title: str, script: str, styles: str, *, fetches: bool = False) -> tuple[str, str]:
    """What comes before and after the data in a page of `static/`; no other script than this one may run there.

    fetches: whether it asks its server for more.
    """
    policy = "; ".join(
        [
            "default-src 'none'",
            f"script-src {_hash_of(script)}",
            f"style-src {_hash_of(styles)}",
            "img-src data:",
            *(["connect-src 'self'"] if fetches else []),
            "base-uri 'none'",
            "form-action 'none'",
        ]
    )
    values = {
        "title": html.escape(title),
        "policy": policy,
        "styles": f"<style>{styles}</style>",
        "script": f'<script type="module">{script}</script>',
        "deck": deck_sprite(),
    }
    text = re.sub(r"\{\{ (\w+) \}\}", lambda name: values[name[1]], static_text(page))
    before, after = text.split(_DATA)
    return before, after


def data_block(name: str, data: Any) -> str:
    """Plain values for the page: text that no browser takes for HTML, whatever strings are in it."""
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return f'<script type="application/json" class="{name}">{text}</script>\n'


def _hash_of(source: str) -> str:
    return f"'sha256-{base64.b64encode(hashlib.sha256(source.encode()).digest()).decode()}'"
