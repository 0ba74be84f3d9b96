"""``windlass store``."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import click

from windlass.amounts import counted, size_text
from windlass.cli.group import main
from windlass.cli.options import Place, json_option
from windlass.cli.printing import print_json, print_table
from windlass.errors import InputError, StoreError

place_option = click.option(
    "--store",
    "place",
    type=Place(),
    metavar="DIR",
    help="Folder of finished runs; by default $WINDLASS_STORE or ~/.cache/windlass/runs.",
)


@main.group(
    short_help="Show, check, clean up or merge the store of finished runs.", epilog="Example: windlass store list"
)
def store() -> None:
    """Show, check, clean up or merge the store of finished runs."""


@store.command("list", short_help="Show how many runs there are, and how many are usable.")
@place_option
@json_option
def list_(place: Path | None, as_json: bool) -> None:
    """Show how many runs the store holds, by what made their results, and what they take on disk.

    Runs are usable as long as no change of results concerns them.
    """
    from windlass.store import upkeep

    root = _root(place)
    with _errors(root):
        found = upkeep.contents(root)
    if as_json:
        versions = [dataclasses.asdict(one) for one in found.versions]
        counts = {"files": found.files, "bytes": found.bytes, "runs": found.runs, "repeated": found.repeated}
        print_json({"store": str(root), **counts, "damaged": found.damaged_runs, "versions": versions})
        return
    click.echo(f"{root}: {counted(found.runs, 'run')} in {counted(found.files, 'file')}, {size_text(found.bytes)}")
    rows = [
        {
            "made by": one.results,
            "runs": one.runs,
            "usable": one.usable,
            "points": one.points,
            "size": size_text(one.bytes),
        }
        for one in found.versions
    ]
    if rows:
        print_table(tuple(rows[0]), rows, right=("runs", "usable", "points", "size"))
    if found.damage:
        click.echo("some of it is damaged: `windlass store check` says what")


@store.command(short_help="Read every record and report what is damaged.")
@place_option
@json_option
def check(place: Path | None, as_json: bool) -> None:
    """Read every record of the store, compare its checksum, and report what is damaged.

    The exit code is 1 if anything is. Damaged runs are never used; a sweep that needs one makes it again.
    """
    from windlass.store import upkeep

    root = _root(place)
    with _errors(root):
        found = upkeep.contents(root)
    if as_json:
        print_json(
            {
                "store": str(root),
                "files": found.files,
                "runs": found.runs,
                "damaged": found.damaged_runs,
                "damage": found.damage,
            }
        )
    else:
        for line in found.damage:
            click.echo(line)
        if found.damage:
            lost = counted(found.damaged_runs, "run") if found.damaged_runs else "no run"
            is_are = "is" if found.damaged_runs < 2 else "are"
            whole = f"{counted(found.runs, 'run')} {'is' if found.runs == 1 else 'are'} whole, in {counted(found.files, 'file')}"
            click.echo(f"{lost} {is_are} damaged, {whole}")
            click.echo("hint: `windlass store prune` takes out what is damaged; sweeps make such runs again")
        else:
            click.echo(f"{root}: {counted(found.runs, 'run')} in {counted(found.files, 'file')}, all whole")
    if found.damage:
        click.get_current_context().exit(1)


@store.command(short_help="Remove what no sweep of this version can use.")
@place_option
@click.option("--keep-versions", is_flag=True, help="Keep runs whose results have changed since.")
@click.option("--dry-run", is_flag=True, help="Say what would be removed, and change nothing.")
@json_option
def prune(place: Path | None, keep_versions: bool, dry_run: bool, as_json: bool) -> None:
    """Remove damaged and repeated runs and those whose results have changed since, and merge small files.

    Files that a sweep is writing to are left alone, and so are those that another machine wrote to within the last
    hour.
    """
    from windlass.store import upkeep

    root = _root(place)
    with _errors(root):
        done = upkeep.prune(root, outdated=not keep_versions, dry_run=dry_run)
    if as_json:
        print_json({"store": str(root), "dry_run": dry_run, **dataclasses.asdict(done)})
        return
    gone = [
        f"{count} {words}"
        for count, words in (
            (done.outdated, "out of date"),
            (done.repeated, "that stand there twice"),
            (done.damaged, "damaged"),
        )
        if count
    ]
    would = "would be removed" if dry_run else "removed"
    click.echo(f"runs {would}: {', '.join(gone) or 'none'}; kept: {done.kept}")
    if not dry_run:
        click.echo(
            f"{counted(done.files_before, 'file')}, {size_text(done.bytes_before)} before; "
            f"{counted(done.files_after, 'file')}, {size_text(done.bytes_after)} now"
        )
    for line in done.passed_over:
        click.echo(f"left alone: {line}")


@store.command("import", short_help="Take over runs of other stores.")
@click.argument("sources", nargs=-1, required=True, metavar="SOURCE...", type=Place())
@place_option
@json_option
def import_(sources: Sequence[Path], place: Path | None, as_json: bool) -> None:
    """Copy the runs of each store SOURCE into the store, whatever machine made them."""
    root = _root(place)
    for folder in sources:
        if not folder.is_dir():
            raise InputError(
                "is no folder of runs", code="store.no-runs", file=str(folder), hint="name a store's folder"
            )
    taken = [(folder, _import(root, folder)) for folder in sources]
    if as_json:
        rows = [{"source": str(folder), "files": copied} for folder, copied in taken]
        print_json({"store": str(root), **(rows[0] if len(rows) == 1 else {"sources": rows})})
        return
    for _, copied in taken:
        for line in copied:
            click.echo(line)


def _import(root: Path, folder: Path) -> list[str]:
    """Take over one store: what became of each file."""
    from windlass.store import upkeep

    copied = []
    with _errors(root):
        if folder.resolve() != root.resolve():
            copied = list(upkeep.copy_files(root, folder))
    if not copied:
        raise InputError("holds no runs", code="store.no-runs", file=str(folder), hint="name a store's folder")
    return copied


def _root(place: Path | None) -> Path:
    from windlass.store import Store

    return Store(place).root


@contextmanager
def _errors(root: Path) -> Iterator[Any]:
    try:
        yield
    except OSError as error:
        raise StoreError(
            f"cannot use `{error.filename or root}`: {error.strerror or error}",
            hint="name another place with `--store DIR` or $WINDLASS_STORE",
        ) from error
