"""The index over papers: what a folder of reproductions holds."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

from windlass.errors import InputError, StoreError
from windlass.files import cause_of, write_file
from windlass.folders import check_beside, read_manifest, unwritable
from windlass.report.words import headline, slug


def found_papers(root: Path) -> list[dict[str, Any]]:
    """What ``claims.json`` of each paper in a folder says, by name; what cannot be read is left out."""
    papers = []
    for file in sorted(root.glob("*/claims.json")):
        document = _claims_of(file.parent)
        if "paper" in document and "experiments" in document:
            papers.append({**document, "folder": file.parent.name})
    return papers


def last_verdicts(root: Path, experiment: str) -> dict[str, Any] | None:
    """The newest ``claims.json`` of an experiment, on its own or in its paper's folder, and what the manifest beside it
    adds; none if there is none.
    """
    paper, _, name = experiment.partition("/")
    files = [root / experiment.replace("/", "-") / "claims.json", root / paper / name / "claims.json"]
    known = sorted((file for file in files if file.is_file()), key=lambda file: file.stat().st_mtime, reverse=True)
    for file in known:
        document = _claims_of(file.parent)
        if document.get("experiment") == experiment:
            kept: dict[str, Any] = {**_manifest_of(file.parent), **document}
            return kept
    return None


def _claims_of(folder: Path) -> dict[str, Any]:
    """What ``claims.json`` of a folder says; nothing if that cannot be read, or is not as its manifest has it."""
    file = folder / "claims.json"
    try:
        check_beside(file)
        document = json.loads(file.read_bytes()) if file.is_file() else {}
    except (OSError, ValueError, RecursionError, InputError):
        return {}
    return document if isinstance(document, dict) else {}


def _manifest_of(folder: Path) -> dict[str, Any]:
    """When and with how many runs a folder was made; nothing if that cannot be read."""
    try:
        manifest = read_manifest(folder)
    except (OSError, ValueError, InputError):
        return {}
    return {key: manifest[key] for key in ("date", "runs", "cpu_per_run_s", "took_s") if key in manifest}


def write_index(root: Path) -> Path:
    """``index.html`` of a folder whose folders are reproductions of papers; returns its place."""
    from windlass import ENGINE_VERSION, __version__
    from windlass.report.pages import render

    papers = found_papers(root)
    total: dict[str, int] = {}
    for paper in papers:
        for verdict, count in paper["verdicts"].items():
            total[verdict] = total.get(verdict, 0) + count
    context = {
        "headline": headline(total),
        "counts": [(verdict, slug(verdict), count) for verdict, count in total.items()],
        "papers": [
            {
                "folder": paper["folder"],
                "citation": paper["citation"],
                "experiments": len(paper["experiments"]),
                "missing": len(paper["not_run"]),
                "counts": [(verdict, slug(verdict), count) for verdict, count in paper["verdicts"].items()],
                "command": paper["command"],
            }
            for paper in papers
        ],
        "version": __version__,
        "engine_version": ENGINE_VERSION,
    }
    place = root / "index.html"
    try:
        return write_file(place, render("index.html.j2", context), parents=False)
    except StoreError as error:
        cause = cause_of(error)
        raise (unwritable(root, cause) if isinstance(cause, OSError) else error) from cause
