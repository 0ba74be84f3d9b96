"""The pages and runs as a WSGI application: who may ask, what is answered, and nothing else.

It answers its own pages only. The name in ``Host`` must be this computer's own, so that a name of another site that is
made to lead here (DNS rebinding) gets nothing; a page of another origin may not ask for runs. No request names a file
or a key of a scenario: it moves controls that the server has, and each has a range. Nothing is written.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator
from contextlib import closing
from functools import cache
from pathlib import Path
from typing import Any

from windlass.errors import Cancelled, InputError, WindlassError, visible
from windlass.serve import page
from windlass.serve.asked import asked_of
from windlass.serve.base import Base, base_of
from windlass.serve.runs import answer, most_seconds
from windlass.serve.turns import Turns

__all__ = ["MOST_BODY", "App"]

MOST_BODY = 16_384
"""Bytes of a request; a page sends a few hundred."""

SLOWER = 10.0
"""How many times as long as by estimate a move may take by the clock: this processor may be slow, or busy."""

STATIC = {
    "page.js": "text/javascript; charset=utf-8",
    "results.js": "text/javascript; charset=utf-8",
    "charts.js": "text/javascript; charset=utf-8",
    "uplot.js": "text/javascript; charset=utf-8",
    "page.css": "text/css; charset=utf-8",
    "uplot.css": "text/css; charset=utf-8",
    "uplot-LICENSE.txt": "text/plain; charset=utf-8",
}
"""Files beside the page, and what they are; there are no others."""

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self'; img-src data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)
"""Nothing from elsewhere. The chart library sets sizes of its elements, hence inline style."""

HEADERS = [
    ("Content-Security-Policy", POLICY),
    ("X-Content-Type-Options", "nosniff"),
    ("X-Frame-Options", "DENY"),
    ("Referrer-Policy", "no-referrer"),
    ("Cross-Origin-Opener-Policy", "same-origin"),
    ("Cross-Origin-Resource-Policy", "same-origin"),
    ("Cache-Control", "no-store"),
]

Environ = dict[str, Any]
Start = Callable[[str, list[tuple[str, str]]], Any]
Reply = tuple[str, str, Iterable[bytes]]


class App:
    """The server's answers.

    Parameters
    ----------
    file : str or None
        Scenario file or ready scenario, read again whenever the page is opened; none: an example.
    sets : sequence of (str, str)
        Keys and values laid over it.
    port : int
        Where it listens, as browsers name it.
    given : dict
        What the page shows at first, as it would ask for it.
    longest_s : float, optional
        Seconds that one move may take by the clock.
    """

    def __init__(
        self,
        file: str | None,
        sets: Iterable[tuple[str, str]] = (),
        *,
        port: int = 0,
        given: dict[str, Any] | None = None,
        longest_s: float | None = None,
    ) -> None:
        self.file, self.sets, self.given = file, list(sets), given or {}
        self.turns = Turns(SLOWER * most_seconds() if longest_s is None else longest_s)
        self.base: Base = base_of(file, self.sets)
        self.listen_at(port)

    def listen_at(self, port: int) -> None:
        """Say under which port browsers ask, which is known once the socket is there."""
        ends = [f":{port}", ""] if port == 80 else [f":{port}"]
        self.hosts = {f"{name}{end}" for name in ("127.0.0.1", "localhost") for end in ends}
        self.origins = {f"http://{host}" for host in self.hosts}

    def __call__(self, environ: Environ, start: Start) -> Iterable[bytes]:
        """Answer a request."""
        status, kind, body = self._reply(environ)
        start(status, [("Content-Type", kind), *HEADERS])
        return [] if environ["REQUEST_METHOD"] == "HEAD" else body

    def _reply(self, environ: Environ) -> Reply:
        refused = self._refused(environ)
        if refused is not None:
            return _text("403 Forbidden", refused)
        way, method = environ.get("PATH_INFO", "/"), environ["REQUEST_METHOD"]
        if way in ("/run", "/keep"):
            if method != "POST":
                return _text("405 Method Not Allowed", "runs are asked for with POST")
            return self._asked(environ, way)
        if method not in ("GET", "HEAD"):
            return _text("405 Method Not Allowed", "pages are read with GET")
        if way == "/":
            return "200 OK", "text/html; charset=utf-8", [self._page().encode()]
        name = way.removeprefix("/static/")
        if way.startswith("/static/") and name in STATIC:
            return "200 OK", STATIC[name], [_static(name)]
        return _text("404 Not Found", "there is no such page")

    def _refused(self, environ: Environ) -> str | None:
        """Why a request is not answered; none if it is."""
        host, origin = environ.get("HTTP_HOST", ""), environ.get("HTTP_ORIGIN")
        if host.lower() not in self.hosts:
            return f"the host `{visible(host[:80])}` is not this one"
        if origin is not None and origin.lower() not in self.origins:
            return f"the origin `{visible(origin[:80])}` is not this page's"
        asks = environ["REQUEST_METHOD"] not in ("GET", "HEAD")
        if asks and environ.get("HTTP_SEC_FETCH_SITE", "same-origin") not in ("same-origin", "none"):
            return "another site may not ask for runs"
        return None

    def _page(self) -> str:
        """The page, from the file as it is now; what is wrong with it stands on the page."""
        try:
            self.base = base_of(self.file, self.sets)
            return page.live(self.base, self.given)
        except WindlassError as error:
            return page.broken(error.render())

    def _asked(self, environ: Environ, way: str) -> Reply:
        if environ.get("CONTENT_TYPE", "").partition(";")[0].strip().lower() != "application/json":
            return _text("415 Unsupported Media Type", "requests are JSON")
        size = environ.get("CONTENT_LENGTH") or "0"
        if not size.isascii() or not size.isdigit() or int(size) > MOST_BODY:
            return _text("413 Content Too Large", f"a request has at most {MOST_BODY} bytes")
        try:
            given = json.loads(environ["wsgi.input"].read(int(size)))
        except (ValueError, RecursionError):
            return _text("400 Bad Request", "this is no JSON")
        messages = self._messages(given, environ.get("waitress.client_disconnected", lambda: False))
        if way == "/keep":
            return self._kept(messages)
        return "200 OK", "application/x-ndjson; charset=utf-8", messages

    def _messages(self, given: Any, is_gone: Callable[[], bool]) -> Iterator[bytes]:
        """A line of JSON for each message."""
        base = self.base
        client = given.get("client") if isinstance(given, dict) else None
        try:
            asked = asked_of(base, given)
            with self.turns.take(str(client)[:64], is_gone) as turn:
                try:
                    with closing(answer(base, asked, turn.cancel)) as parts:
                        for part in parts:
                            yield _line(part)
                except Cancelled:
                    yield _line({"kind": "stopped", "why": turn.why, "text": self._stopped(turn.why)})
        except WindlassError as error:
            yield _line({"kind": "error", "text": error.render()})
        except MemoryError:
            yield _line({"kind": "error", "text": "error[internal.memory]: the machine has too little memory for this"})
        except Exception as error:  # noqa: BLE001 - a page must not wait for ever for what nobody foresaw
            what = visible(" ".join(str(error).split())[:300])
            yield _line(
                {"kind": "error", "text": f"error[internal]: Windlass is broken here: {type(error).__name__}: {what}"}
            )

    def _stopped(self, why: str | None) -> str:
        if why == "late":
            return InputError(
                f"the runs take longer than {self.turns.longest_s:g} s, the page's limit",
                code="serve.limit",
                hint="shorten them, lower the rate or untick senders; `--max-time` sets the limit",
            ).render()
        return "stopped"

    def _kept(self, messages: Iterator[bytes]) -> Reply:
        parts = [json.loads(line) for line in messages]
        last = parts[-1]
        if last["kind"] != "end":
            return _text("409 Conflict", last["text"])
        return "200 OK", "text/html; charset=utf-8", [page.kept(self.base, parts).encode()]


def _line(message: dict[str, Any]) -> bytes:
    return (json.dumps(message, allow_nan=False, ensure_ascii=False) + "\n").encode()


def _text(status: str, text: str) -> Reply:
    return status, "text/plain; charset=utf-8", [f"{text}\n".encode()]


@cache
def _static(name: str) -> bytes:
    return (Path(__file__).with_name("static") / name).read_bytes()
