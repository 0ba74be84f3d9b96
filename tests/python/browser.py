"""A headless Chromium, driven through its own pipe: no library is needed, only the program."""

from __future__ import annotations

import base64
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self

PROGRAMS = ("chromium", "chromium-browser", "google-chrome")

QUIET = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-extensions",
    "--disable-sync",
    "--disable-component-update",
    "--disable-background-networking",
    "--no-first-run",
    "--remote-debugging-pipe",
)

AS_3_AND_4 = "import os, sys; [os.dup2(int(sys.argv[n]), n + 2) for n in (1, 2)]; os.execv(sys.argv[3], sys.argv[3:])"
"""Python that becomes the browser, with its pipes where it looks for them."""

PATIENCE_S = 30.0


def program() -> str | None:
    """The browser, if there is one."""
    return next((found for name in PROGRAMS if (found := shutil.which(name))), None)


class Browser:
    """One page of a browser. Use it as a context; leaving it ends the browser."""

    def __init__(self, profile: Path) -> None:
        name = program()
        assert name is not None
        to_read, self._write = os.pipe()
        self._read, to_write = os.pipe()
        high = [fcntl.fcntl(end, fcntl.F_DUPFD, 20) for end in (to_read, to_write)]
        self._process = subprocess.Popen(
            [
                sys.executable,
                "-c",
                AS_3_AND_4,
                *map(str, high),
                name,
                *QUIET,
                f"--user-data-dir={profile}",
                "about:blank",
            ],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            pass_fds=high,
        )
        for end in (to_read, to_write, *high):
            os.close(end)
        self._rest, self._number, self.events = b"", 0, []
        self._session: str | None = None
        target = next(one for one in self.ask("Target.getTargets")["targetInfos"] if one["type"] == "page")
        found = self.ask("Target.attachToTarget", targetId=target["targetId"], flatten=True)
        self._session = found["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.ask(f"{domain}.enable")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *error: object) -> None:
        os.close(self._write)
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._read)

    def ask(self, method: str, **parameters: Any) -> dict[str, Any]:
        """Send a command, and wait for its answer."""
        self._number += 1
        message: dict[str, Any] = {"id": self._number, "method": method, "params": parameters}
        if self._session is not None:
            message["sessionId"] = self._session
        os.write(self._write, json.dumps(message).encode() + b"\0")
        while True:
            reply = self._next()
            if reply.get("id") != self._number:
                self.events.append(reply)
                continue
            assert "error" not in reply, (method, reply["error"])
            return reply["result"]

    def _next(self) -> dict[str, Any]:
        until = time.monotonic() + PATIENCE_S
        while b"\0" not in self._rest:
            ready, _, _ = select.select([self._read], [], [], max(0.0, until - time.monotonic()))
            part = os.read(self._read, 1 << 20) if ready else b""
            assert part, "the browser does not answer"
            self._rest += part
        line, _, self._rest = self._rest.partition(b"\0")
        return json.loads(line)

    def open(self, address: str) -> None:
        """Load a page; what is asked then is asked of it and no more of the one before."""
        self.eval("globalThis.before = true")
        self.ask("Page.navigate", url=address)
        self.wait("globalThis.before === undefined")

    def eval(self, script: str) -> Any:
        """The value of a script in the page; promises are waited for."""
        found = self.ask("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)
        assert "exceptionDetails" not in found, (script, found["exceptionDetails"])
        return found["result"].get("value")

    def wait(self, script: str, patience_s: float = PATIENCE_S) -> Any:
        """Wait until a script's value is true; that value."""
        until = time.monotonic() + patience_s
        while not (value := self.eval(script)):
            assert time.monotonic() < until, f"never true: {script}"
            time.sleep(0.05)
        return value

    def media(self, kind: str = "", **features: str) -> None:
        """Show the page as `print` or `screen`, with what the reader prefers: ``prefers_color_scheme="dark"``."""
        given = [{"name": name.replace("_", "-"), "value": value} for name, value in features.items()]
        self.ask("Emulation.setEmulatedMedia", media=kind, features=given)

    def size(self, width: int, height: int) -> None:
        """Size of the window, CSS pixels."""
        self.ask(
            "Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500
        )

    def key(self, name: str, shift: bool = False) -> None:
        """Press a key."""
        codes = {"Tab": 9, "Enter": 13, " ": 32, "ArrowRight": 39, "ArrowLeft": 37}
        text = {"Enter": "\r", " ": " "}.get(name)
        common = {"key": name, "windowsVirtualKeyCode": codes[name], "modifiers": 8 if shift else 0}
        self.ask("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.ask("Input.dispatchKeyEvent", type="keyUp", **common)

    def picture(self, place: Path, whole: bool = True) -> None:
        """Write a picture of the page."""
        found = self.ask("Page.captureScreenshot", captureBeyondViewport=whole)
        place.write_bytes(base64.b64decode(found["data"]))

    def complaints(self) -> list[str]:
        """What the page's console has of errors and warnings."""
        self.eval("1")
        found = []
        for event in self.events:
            if event.get("method") == "Runtime.exceptionThrown":
                found.append(json.dumps(event["params"]["exceptionDetails"]))
            if event.get("method") == "Log.entryAdded" and event["params"]["entry"]["level"] in ("error", "warning"):
                found.append(json.dumps(event["params"]["entry"]))
        return found

    def requests(self) -> list[str]:
        """Addresses that were asked for."""
        self.eval("1")
        return [
            event["params"]["request"]["url"]
            for event in self.events
            if event.get("method") == "Network.requestWillBeSent"
        ]
