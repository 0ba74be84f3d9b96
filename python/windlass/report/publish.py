"""What is committed of a run of all papers: pages in Markdown with their figures, and a table of verdicts and costs.

``python -m windlass.report.publish FOLDER docs/papers`` (``make papers``) takes the folder of ``windlass reproduce all
--out FOLDER``, finished or not, and writes an index, a page for each paper and one for each experiment. The table goes
to ``windlass/reference/papers.csv``, so that ``windlass list papers`` and ``windlass reproduce --plan`` know it. The
same folder gives the same files. Pages in HTML are left out: they hold each figure again, and code hosts show them as
text. With ``--keep`` the pages of experiments that the folder lacks stay as they were published, so that a run of all
papers may be published paper by paper.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from importlib import resources
from pathlib import Path
from typing import Any

import click

from windlass import ENGINE_VERSION, folders, ledger, verdicts
from windlass.errors import InputError
from windlass.files import write_file
from windlass.report.language import Language
from windlass.report.words import headline
from windlass.reproduce import outline, values
from windlass.reproduce.published import FILE, Published, read_table, table_text

__all__ = ["LIMIT_MB", "main", "publish"]

LIMIT_MB = 20
"""Most that the pages may take in the repository, MB."""

_NOTE = "<!-- Made by `make papers` from the folder of a run. Do not edit. -->"
_NOT_YET = "The run has not come to:"
_ALONE = "CPU time is that of each experiment on its own; together they take less, since they share runs."
_IMAGE = re.compile(r"^!\[[^\]]*\]\(([^)]+\.svg)\)", re.MULTILINE)
_SCENARIO = re.compile(r"windlass\s+sweep\s+(scenarios/\S+\.toml)`")


@dataclass(frozen=True)
class Part:
    """An experiment that was run: its row of the table, the rows of its claims on the paper's page, its page, the
    figures and scenarios that this names, and the values of its runs.
    """

    row: Published
    claims: list[str]
    page: str
    files: dict[str, bytes]


@dataclass(frozen=True)
class Paper:
    """A paper of the ledger: what the run has of it, and what it lacks, with the reason."""

    book: ledger.Ledger
    parts: list[Part]
    missing: list[tuple[ledger.Experiment, str]]

    @property
    def counts(self) -> dict[str, int]:
        """How many claims got each verdict."""
        return _sum([part.row.verdicts for part in self.parts])


def publish(source: Path, target: Path, table: Path, *, keep: bool = False) -> list[Paper]:
    """Write the pages of a run into a folder and its table into a file; returns what they are about.

    ``keep``: what the run lacks stays as it was published in that folder before.

    Raises
    ------
    ClickException
        If the folder has no experiment of the ledger, or if the pages would be too large.
    InputError
        If a file of it is not as it was written.
    """
    before = read_table(table)
    books = [ledger.load(name) for name in ledger.papers()]
    run = {entry: part for book in books for entry in book.experiments if (part := _part(source, entry, before))}
    if not run:
        hint = f"`windlass reproduce all --out {source}` makes it"
        raise click.ClickException(f"`{source}` has no experiment that was run: {hint}")
    kept = _kept(target, books, before) if keep else {}
    papers = [_paper(book, _each_value_once(book, {**kept, **run})) for book in books]
    files = {"README.md": _index(papers, (target / "findings.md").is_file()).encode()}
    for paper in papers:
        if not paper.parts:
            continue
        files[f"{paper.book.id}/README.md"] = _paper_page(paper).encode()
        for part in paper.parts:
            files[f"{part.row.experiment}/README.md"] = f"{_NOTE}\n\n{part.page}".encode()
            files |= {f"{part.row.experiment}/{name}": data for name, data in part.files.items()}
    size = sum(len(data) for data in files.values())
    if size > LIMIT_MB * 1e6:
        raise click.ClickException(f"the pages take {size / 1e6:.1f} MB, more than {LIMIT_MB} MB")
    with folders.replaced(target) as place:
        for name, data in files.items():
            (place / name).parent.mkdir(parents=True, exist_ok=True)
            (place / name).write_bytes(data)
        folders.write_manifest(place, {})
    rows = [row for paper in papers for row in _rows(paper, before)]
    write_file(table, table_text(rows, verdicts.VERDICTS))
    return papers


def _each_value_once(book: ledger.Ledger, parts: Mapping[str, Part]) -> dict[str, Part]:
    """The same, each run's values with the first experiment of the paper that has it alone."""
    found = dict(parts)
    seen: dict[values.Key, frozenset[str]] = {}
    for name in book.experiments:
        if name in found and values.FILE in found[name].files:
            files = found[name].files
            found[name] = replace(found[name], files={**files, values.FILE: values.without(files[values.FILE], seen)})
    return found


def _rows(paper: Paper, before: Mapping[str, Published]) -> list[Published]:
    """The rows of the table: what was run, and what could be with its cost in the table before or else estimated."""
    rows = {part.row.experiment: part.row for part in paper.parts}
    for name, row in rows.items():
        if row.run_s is None:
            rows[name] = replace(row, run_s=estimate(name).run_s, cost_is="estimated", yardstick_s=None)
    for entry, why in paper.missing:
        if why == _NOT_YET:
            last = before.get(entry.id)
            rows[entry.id] = estimate(entry.id) if last is None else replace(last, date="", quick=False, verdicts={})
    return [rows[name] for name in paper.book.experiments if name in rows]


def estimate(experiment: str) -> Published:
    """The row of an experiment that was never run."""
    (row,) = outline(experiment).rows
    return Published(experiment, "", ENGINE_VERSION, False, row.runs[1], row.run_s, "estimated", {})


def _paper(book: ledger.Ledger, parts: Mapping[str, Part]) -> Paper:
    found = [parts[name] for name in book.experiments if name in parts]
    missing = [(entry, _why_missing(book, entry)) for name, entry in book.experiments.items() if name not in parts]
    return Paper(book, found, missing)


def _part(source: Path, experiment: str, rows: Mapping[str, Published]) -> Part | None:
    """What the folder of a run has of an experiment; none if it is not whole."""
    folder, before = source / experiment, rows.get(experiment)
    try:
        manifest = folders.read_manifest(folder)
    except (OSError, ValueError):
        return None
    if manifest.get("experiment") != experiment:
        return None
    document = json.loads(folders.checked(folder, "claims.json", manifest))
    page = folders.checked(folder, "summary.md", manifest).decode()
    cost, yardstick, cost_is = manifest.get("cpu_per_run_s"), manifest.get("yardstick_s"), "measured"
    if cost is None and before is not None:
        cost, yardstick, cost_is = before.run_s, before.yardstick_s, before.cost_is
    row = Published(
        experiment,
        manifest.get("date", ""),
        manifest["engine_version"],
        bool(document["quick"]),
        int(manifest["runs"]),
        cost,
        cost_is,
        document["verdicts"],
        yardstick,
    )
    claims = list(csv.DictReader(io.StringIO(folders.checked(folder, "claims.csv", manifest).decode())))
    named = [*_IMAGE.findall(page), *_scenarios(page), *(name for name in [values.FILE] if name in manifest["files"])]
    files = {name: folders.checked(folder, name, manifest) for name in named}
    return Part(row, _claim_rows(experiment, claims), page, files)


def _scenarios(page: str) -> list[str]:
    """The scenario files whose sweeps a page names."""
    return sorted(set(_SCENARIO.findall(page)))


def _kept(target: Path, books: Sequence[ledger.Ledger], rows: Mapping[str, Published]) -> dict[str, Part]:
    """What was published of experiments before."""
    try:
        manifest = folders.read_manifest(target)
    except (OSError, ValueError):
        return {}
    found = {}
    for book in books:
        published = [name for name in book.experiments if f"{name}/README.md" in manifest["files"]]
        if not published:
            continue
        lines = folders.checked(target, f"{book.id}/README.md", manifest).decode().splitlines()
        for name in published:
            if name not in rows:
                hint = "name the table that was written with these pages"
                raise click.ClickException(f"the table has no row of {name}, whose page is to be kept: {hint}")
            page = folders.checked(target, f"{name}/README.md", manifest).decode().removeprefix(f"{_NOTE}\n\n")
            files = {file: folders.checked(target, f"{name}/{file}", manifest) for file in _IMAGE.findall(page)}
            for file in [*_scenarios(page), values.FILE]:
                if f"{name}/{file}" in manifest["files"]:
                    files[file] = folders.checked(target, f"{name}/{file}", manifest)
            own = [line for line in lines if line.startswith(f"| {_link(name)}, ")]
            found[name] = Part(rows[name], own, page, files)
    return found


def _why_missing(book: ledger.Ledger, entry: ledger.Experiment) -> str:
    from windlass import experiments

    try:
        experiments.require(book, entry)
    except experiments.NotYet as error:
        return Language(book, entry).reason(error.message).removesuffix(".") + ":"
    return _NOT_YET


def _index(papers: Sequence[Paper], findings: bool) -> str:
    """The page over all papers."""
    counts = _sum([paper.counts for paper in papers])
    names = [name for name in verdicts.VERDICTS if counts.get(name)]
    lines = [_NOTE, "", "# Papers that were run again", "", headline(counts), ""]
    if findings:
        lines += ["[What came out of it](findings.md), in words.", ""]
    lines += [
        "| paper | experiments | not run | claims | " + " | ".join(names) + " | CPU time |",
        "|---|--:|--:|--:|" + "--:|" * (len(names) + 1),
    ]
    for paper in papers:
        book, own = paper.book, paper.counts
        title = f"[{book.citation}]({book.id}/README.md)" if paper.parts else book.citation
        numbers = [len(paper.parts), len(paper.missing), sum(own.values()), *(own.get(name, 0) for name in names)]
        lines.append(f"| {title} | " + " | ".join(map(str, numbers)) + f" | {_time(paper.parts)} |")
    every = [part for paper in papers for part in paper.parts]
    numbers = [len(every), sum(len(paper.missing) for paper in papers), sum(counts.values())]
    numbers += [counts.get(name, 0) for name in names]
    lines.append("| all | " + " | ".join(map(str, numbers)) + f" | {_time(every)} |")
    lines += ["", *_made(every), "", "`make papers` makes these pages again.", ""]
    lines.append("[How verdicts are given](../guide/reproducing-a-paper.md#verdicts).")
    return _text(lines)


def _paper_page(paper: Paper) -> str:
    """The page of a paper: its experiments, its claims, what was not run."""
    book = paper.book
    lines = [
        _NOTE,
        "",
        f"# {book.title.partition(':')[0]}",
        "",
        book.citation,
        "",
        headline(paper.counts),
        "",
        *_made(paper.parts),
    ]
    lines += ["", f"`windlass reproduce {book.id}` runs it again.", "", "## Experiments", ""]
    lines += ["| experiment | what | verdicts | runs | CPU time |", "|---|---|---|--:|--:|"]
    for part in paper.parts:
        entry = book.experiments[part.row.experiment]
        counts = ", ".join(f"{count} {verdict}" for verdict, count in part.row.verdicts.items()) or "no claim"
        link = _link(entry.id) + (" (quick)" if part.row.quick else "")
        lines.append(f"| {link} | {entry.title} | {counts} | {part.row.runs} | {_time([part])} |")
    lines += [
        "",
        "## Claims",
        "",
        "| claim | the paper says | verdict | depends on | measured |",
        "|---|---|---|---|---|",
    ]
    for part in paper.parts:
        lines += part.claims
    if paper.missing:
        lines += ["", "## Not run", ""]
        lines += [f"- {why} {', '.join(names)}." for why, names in _by_reason(paper).items()]
    return _text(lines)


def _by_reason(paper: Paper) -> dict[str, list[str]]:
    """Experiments that were not run, by the reason."""
    found: dict[str, list[str]] = {}
    for entry, why in paper.missing:
        found.setdefault(why, []).append(entry.name)
    return found


def _link(experiment: str) -> str:
    name = experiment.partition("/")[2]
    return f"[{name}]({name}/README.md)"


def _claim_rows(experiment: str, claims: Sequence[Mapping[str, str]]) -> list[str]:
    """A row for each claim of ``claims.csv``, with the readings on which its verdict depends."""
    rows = []
    for claim in (row for row in claims if not row["reading"]):
        other = [row for row in claims if row["claim"] == claim["claim"] and row["changes_verdict"] == "true"]
        cells = (
            f"{_link(experiment)}, {claim['claim'].rpartition('/')[2]}",
            claim["text"],
            claim["verdict"],
            "; ".join(f"{row['reading']}: {row['verdict']}" for row in other),
            claim["measured"] or claim["reason"],
        )
        rows.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return rows


def _made(parts: Sequence[Part]) -> list[str]:
    """When and with what it was run."""
    engines = sorted({part.row.engine_version for part in parts})
    dates = sorted({part.row.date for part in parts if part.row.date})
    if not dates:
        return [f"Engine {', '.join(engines)}."]
    when = dates[0] if len(dates) == 1 else f"{dates[0]} to {dates[-1]}"
    return [f"Run on {when} with engine {', '.join(engines)}. {_ALONE}"]


def _time(parts: Sequence[Part]) -> str:
    """CPU time of the runs, as far as it is known."""
    known = [part.row.cpu_s for part in parts if part.row.cpu_s is not None and part.row.cost_is == "measured"]
    if not known:
        return ""
    seconds = sum(known)
    words = f"{seconds / 3600:.1f} h" if seconds >= 3600 else f"{seconds / 60:.1f} min"
    return words if len(known) == len(parts) else f"at least {words}"


def _sum(counts: Sequence[Any]) -> dict[str, int]:
    total = {name: sum(one.get(name, 0) for one in counts) for name in verdicts.VERDICTS}
    return {name: count for name, count in total.items() if count}


def _text(lines: Sequence[str]) -> str:
    from windlass._markdown import fill

    return fill("\n".join(lines)).rstrip("\n") + "\n"


@click.command(help=__doc__)
@click.argument("source", type=click.Path(exists=True, file_okay=False, path_type=Path))
@click.argument("target", type=click.Path(file_okay=False, path_type=Path), default=Path("docs/papers"))
@click.option(
    "--table",
    type=click.Path(dir_okay=False, path_type=Path),
    help="File for verdicts and costs; that of the package if not given.",
)
@click.option("--keep", is_flag=True, help="Leave what the folder lacks as it was published before.")
def main(source: Path, target: Path, table: Path | None, keep: bool) -> None:
    """Publish a run, and say what it lacks."""
    place = table or Path(str(resources.files("windlass") / FILE))
    try:
        papers = publish(source, target, place, keep=keep)
    except InputError as error:
        raise click.ClickException(str(error)) from None
    for paper in papers:
        click.echo(f"{paper.book.id}: {len(paper.parts)} of {len(paper.book.experiments)} experiments")
        for why, names in _by_reason(paper).items():
            click.echo(f"  missing: {why} {', '.join(names)}")
    size = sum(file.stat().st_size for file in target.rglob("*") if file.is_file())
    click.echo(f"{target}: {size / 1e6:.1f} MB; {place}")


if __name__ == "__main__":
    main()
