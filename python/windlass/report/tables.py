"""Verdicts for other tools: a row for each claim and reading, references, a summary in Markdown."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass.ledger import Ledger
from windlass.report.claims import points_text, source_words
from windlass.report.language import Language
from windlass.report.words import headline
from windlass.reproduce import PaperReproduction, Reproduction

if TYPE_CHECKING:
    import pyarrow as pa

COLUMNS = (
    "paper",
    "experiment",
    "claim",
    "text",
    "source",
    "reading",
    "verdict",
    "changes_verdict",
    "measured",
    "reason",
    "latitude",
    "whose",
    "fewest_seeds",
    "seeds",
    "stopped",
    "unseen",
    "points",
    "engine_version",
)
"""Columns of ``claims.csv``; ``reading`` is empty for the base setting, the seeds of what no run judges are empty.
``latitude`` is why a claim is compatible, ``whose`` whether its tolerance is the paper's or ours. ``unseen``
is the share of seeds up to which something may happen and be in none of the fewest seeds, 95 %. ``points`` is as ``4 of
12`` where a reading was not looked at at all points, else empty.
"""


def claims_rows(reproduction: Reproduction) -> list[dict[str, Any]]:
    """A row for each claim in the base setting, and one for each reading of it."""
    from windlass import ENGINE_VERSION

    language = Language(reproduction.ledger, reproduction.experiment)
    rows = []
    for outcome in reproduction.outcomes:
        claim = outcome.claim
        found = [("", outcome.judgement, False)]
        found += [(reading.title, judgement, differs) for reading, judgement, differs in outcome.readings]
        for reading, judgement, differs in found:
            values = (
                reproduction.ledger.id,
                reproduction.experiment.id,
                claim.id,
                claim.text,
                source_words(claim.source),
                reading,
                judgement.verdict,
                differs,
                language.sentence(judgement.measured),
                language.sentence(judgement.reason),
                language.sentence(judgement.latitude),
                claim.check.whose,
                *(judgement.seeds or (None, None)),
                judgement.stopped,
                judgement.unseen,
                points_text(judgement),
                ENGINE_VERSION,
            )
            rows.append(dict(zip(COLUMNS, values, strict=True)))
    return rows


def claims_table(rows: Sequence[dict[str, Any]]) -> pa.Table:
    """The rows as a table, with its columns even where there is no claim."""
    import pyarrow as pa

    kinds = {"changes_verdict": pa.bool_(), "fewest_seeds": pa.int64(), "seeds": pa.int64(), "unseen": pa.float64()}
    return pa.Table.from_pylist(list(rows), schema=pa.schema([(key, kinds.get(key, pa.string())) for key in COLUMNS]))


def write_tables(folder: Path, parts: Sequence[Reproduction], summary: str) -> None:
    """``claims.csv``, ``claims.parquet``, ``references.bib`` and ``summary.md`` into a folder."""
    import pyarrow.csv
    import pyarrow.parquet

    table = claims_table([row for part in parts for row in claims_rows(part)])
    pyarrow.csv.write_csv(table, folder / "claims.csv")
    pyarrow.parquet.write_table(table, folder / "claims.parquet", compression="zstd")
    books = {part.ledger.id: part.ledger for part in parts}
    (folder / "references.bib").write_text(bibtex(books.values()), encoding="utf-8")
    (folder / "summary.md").write_text(summary, encoding="utf-8")


def bibtex(books: Iterable[Ledger]) -> str:
    """References to the papers that were judged, as far as the ledger knows them."""
    return "\n".join(_reference(book) for book in books)


def _reference(book: Ledger) -> str:
    venue = str(book.paper["venue"])
    unknown = "not named" in venue.lower()
    kind, place = ("article", "journal")
    if "thesis" in venue.lower():
        kind, place = ("mastersthesis", "school")
    elif unknown:
        kind, place = ("misc", "howpublished")
    fields = {
        "author": " and ".join(book.paper["authors"]),
        "title": "{" + book.title + "}",
        "year": str(book.paper["year"]) if isinstance(book.paper.get("year"), int) else "",
        "note": str(book.paper.get("year_note", "")),
    }
    doi = re.search(r"\bdoi (\S+)", venue)
    if doi:
        fields["doi"] = doi[1]
        venue = venue[: doi.start()].rstrip(", ")
    for name, pattern in (("volume", r", vol\. (\w+)"), ("number", r", no\. (\w+)")):
        found = re.search(pattern, venue)
        if found:
            fields[name] = found[1]
            venue = venue.replace(found[0], "")
    if not unknown:
        fields[place] = venue.removeprefix("M.Sc. thesis, ")
    lines = [f"  {name} = {{{_tex(value)}}}" for name, value in fields.items() if value]
    return f"@{kind}{{{book.id},\n" + ",\n".join(lines) + "\n}\n"


def _tex(text: str) -> str:
    return re.sub(r"([&%#_$])", r"\\\1", text)


def summary_of_paper(paper: PaperReproduction) -> str:
    """A paper's verdicts as Markdown, experiment by experiment."""
    lines = _head(paper.ledger.title, paper.ledger.citation, headline(paper.counts))
    lines += ["", f"Made by `{paper.command}`."]
    for part in paper.parts:
        lines += ["", f"## {part.experiment.title}", "", f"[Its page]({part.experiment.name}/report.html)"]
        lines += ["", *_claims(part)]
    if paper.missing:
        language = Language(paper.ledger)
        lines += ["", "## Not run", ""]
        lines += [f"- {entry.title} ({entry.id}): {language.reason(why)}" for entry, why in paper.missing]
    return _markdown(lines)


def _head(title: str, citation: str, words: str) -> list[str]:
    return [f"# {title}", "", citation, "", words]


def _claims(reproduction: Reproduction) -> list[str]:
    if not reproduction.outcomes:
        return ["The paper states nothing in words about it."]
    language = Language(reproduction.ledger, reproduction.experiment)
    lines = ["| claim | the paper says | verdict | measured |", "|---|---|---|---|"]
    for outcome in reproduction.outcomes:
        judgement = outcome.judgement
        depends = ", depends on the reading" if outcome.changed else ""
        cells = (
            outcome.claim.number,
            outcome.claim.text,
            judgement.verdict + depends,
            language.sentence(judgement.measured or judgement.reason),
        )
        lines.append("| " + " | ".join(cell.replace("|", "\\|") for cell in cells) + " |")
    return lines


def _markdown(lines: Sequence[str]) -> str:
    from windlass._markdown import fill

    return fill("\n".join(lines)).rstrip("\n") + "\n"
