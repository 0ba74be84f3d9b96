"""``windlass new-cc``."""

from __future__ import annotations

from pathlib import Path

import click

from windlass.cli.group import main
from windlass.cli.options import Place


@main.command("new-cc", short_help="Add a new algorithm to the source tree.", epilog="Example: windlass new-cc my-reno")
@click.argument("name")
@click.option(
    "--root",
    type=Place(),
    metavar="DIR",
    help="Source tree; by default the one that contains the current folder.",
)
def new_cc(name: str, root: Path | None) -> None:
    """Write a new algorithm: Rust file with tests, page that restates the source, module, enum line, registry row.

    The result compiles, passes its tests and runs as it is: Reno with two parameters, for you to turn into NAME. For a
    prototype without a source tree, write a Python class and pass it with --python.
    """
    from windlass import new_cc as writer

    written = writer.new_cc(name, writer.source_tree(root))
    for path in written.created:
        click.echo(f"created {path}")
    for path in written.changed:
        click.echo(f"changed {path}")
    click.echo(
        f"next: change the rule in {written.created[0]}, then `cargo test -p windlass-cc`, `make build docs` and "
        f"`windlass run lossy-dumbbell --set flows.algorithm={name}`"
    )
