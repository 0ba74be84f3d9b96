"""The server on the loopback, from its first request to Ctrl-C."""

from __future__ import annotations

import errno
import logging
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from windlass.errors import InputError
from windlass.extras import how_to_install
from windlass.serve.app import MOST_BODY, App

__all__ = ["HOST", "serve"]

HOST = "127.0.0.1"
"""The loopback, and nothing else: no other computer can ask."""


def serve(app: App, port: int, ready: Callable[[str], None]) -> None:
    """Answer requests until Ctrl-C.

    Parameters
    ----------
    app : App
        The answers.
    port : int
        Port of the loopback; 0: one that is free.
    ready : callable
        Called with the address as soon as it can be opened.

    Raises
    ------
    InputError
        If the extra is not installed, or the port is taken.
    """
    waitress = _waitress()
    logging.getLogger("waitress").setLevel(logging.ERROR)  # that a request has to wait is no news
    place = _bound(port)
    port = place.getsockname()[1]
    app.listen_at(port)
    server = waitress.create_server(
        app,
        sockets=[place],
        threads=8,
        ident="windlass",
        connection_limit=500,  # what is opened and says nothing keeps no page away
        channel_timeout=5,
        cleanup_interval=1,
        asyncore_use_poll=True,
        channel_request_lookahead=1,
        max_request_body_size=MOST_BODY,
        max_request_header_size=32_768,
        send_bytes=1,
        clear_untrusted_proxy_headers=True,
    )
    with _ctrl_c(app):
        ready(f"http://{HOST}:{port}/")
        server.run()  # returns on Ctrl-C
    server.close()


@contextmanager
def _ctrl_c(app: App) -> Iterator[None]:
    """Have Ctrl-C stop the runs, too: the server waits for its threads before it returns."""

    def stop(number: int, frame: object) -> None:
        app.turns.stop_all()
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGINT, stop)
    try:
        yield
    except KeyboardInterrupt:
        pass
    finally:
        signal.signal(signal.SIGINT, before)


def _waitress() -> Any:
    try:
        import waitress
    except ImportError:
        raise InputError(
            "the page needs the package waitress",
            code="serve.no-server",
            hint=f"{how_to_install('serve')} installs it; `--export FILE` works without it",
        ) from None
    return waitress


def _bound(port: int) -> socket.socket:
    place = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    place.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
    try:
        place.bind((HOST, port))
        return place
    except OSError as error:
        place.close()
        why = {errno.EADDRINUSE: "is taken by another program", errno.EACCES: "is for the system's own programs"}
        raise InputError(
            f"port {port} {why.get(error.errno or 0, f'cannot be used: {error.strerror}')}",
            code="serve.port",
            hint="`--port 0` finds a free one, `--port NUMBER` takes another",
        ) from None
