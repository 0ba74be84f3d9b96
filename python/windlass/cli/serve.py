"""``windlass serve``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import click

from windlass.cli.files import check_file
from windlass.cli.group import main
from windlass.cli.options import Place, limits_options_of, own_option, sets_option

PORT = 8642
"""Port of the page unless another is given."""


@main.command(
    short_help="Open a page to play with a scenario.",
    epilog="Example: windlass serve single-flow-cwnd --sender newreno --sender cerl",
)
@click.argument("file", required=False)
@own_option
@sets_option
@click.option("--sender", "senders", metavar="NAME", multiple=True, help="Algorithm to tick at first. Can be repeated.")
@click.option("--together", is_flag=True, help="Begin with the senders side by side on the path, not each alone.")
@click.option("--seed", type=click.IntRange(min=0), default=1, show_default=True, help="Seed of the runs.")
@click.option("--port", type=click.IntRange(0, 65535), default=PORT, show_default=True, help="0 finds a free one.")
@click.option("--no-browser", is_flag=True, help="Print the address and open no browser.")
@limits_options_of("20s; by default 2 s for all runs of a move")
@click.option(
    "--export", "kept", type=Place(dir_okay=False), metavar="FILE", help="Write the page with its runs, serve nothing."
)
def serve(
    file: str | None,
    sets: Sequence[tuple[str, str]],
    senders: Sequence[str],
    together: bool,
    seed: int,
    port: int,
    no_browser: bool,
    kept: Path | None,
) -> None:
    """Open a page with the scenario FILE: sliders, senders to tick, and what the real simulator makes of them.

    FILE is a scenario file or the name of a ready scenario; without it, a download over a link that loses packets. Only
    this computer can open the page, it needs no network, and nothing is written. It is read again when the page is
    loaded again. With --export the page is written as one file that works without a server.
    """
    given: dict[str, Any] = {"together": together, "seed": seed}
    if senders:
        given["senders"] = list(senders)
    if kept is not None:
        from windlass.files import write_file
        from windlass.serve import export

        check_file(kept)
        write_file(kept, export(file, sets, given), parents=False)
        click.echo(f"written to {kept}", err=True)
        return
    _listen(file, sets, given, port, no_browser)


def _listen(
    file: str | None,
    sets: Sequence[tuple[str, str]],
    given: dict[str, Any],
    port: int,
    no_browser: bool,
) -> None:
    from windlass.serve.app import App
    from windlass.serve.asked import asked_of
    from windlass.serve.server import serve as listen

    app = App(file, sets, port=port, given=given)
    asked_of(app.base, given)

    def ready(address: str) -> None:
        click.echo(f"{address}   (Ctrl-C ends it)")
        if not no_browser:
            import threading
            import webbrowser

            # some browsers keep who opens them until they are closed
            threading.Thread(target=webbrowser.open, args=(address,), daemon=True).start()

    listen(app, port, ready)
    click.echo("ended", err=True)
