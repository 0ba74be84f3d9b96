"""The pages: a report of an experiment, an overview of a paper."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windlass.report.claims import claim_row
from windlass.report.figures import Figure
from windlass.report.measured import capacity_lines, gains_figure, tables_of
from windlass.report.setting import algorithms_table, calls_table, mechanisms_table, readings_table
from windlass.report.words import RULES, headline, slug
from windlass.reproduce import PaperReproduction, Reproduction
from windlass.reproduce.looks import READING_LOOKS

if TYPE_CHECKING:
    from markupsafe import Markup


def page(reproduction: Reproduction, figures: Sequence[Figure]) -> str:
    """The HTML of the report; nothing in it is fetched from anywhere."""
    return _render("report.html.j2", _context(reproduction, figures))


def paper_page(paper: PaperReproduction) -> str:
    """The HTML of a paper's overview, with links to the reports beside it."""
    from windlass import ENGINE_VERSION, __version__

    return _render(
        "paper.html.j2",
        {
            "id": paper.ledger.id,
            "title": paper.ledger.title,
            "citation": paper.ledger.citation,
            "headline": headline(paper.counts),
            "counts": _chips(paper.counts),
            "quick": paper.quick,
            "parts": [
                {
                    "name": part.experiment.name,
                    "title": part.experiment.title,
                    "counts": _chips(part.counts),
                    "claims": [claim_row(part, outcome) for outcome in part.outcomes],
                }
                for part in paper.parts
            ],
            "missing": [
                {"name": entry.name, "claims": len(paper.ledger.claims_of(entry.id)), "why": why}
                for entry, why in paper.missing
            ],
            "command": paper.command,
            "engine_version": ENGINE_VERSION,
            "version": __version__,
        },
    )


def _render(template: str, context: Mapping[str, Any]) -> str:
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("windlass", "templates"),
        autoescape=True,
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["code"] = _code
    return environment.get_template(template).render(**context)


def _code(text: str) -> Markup:
    """Text for the page, with what is between backticks as code."""
    import markupsafe

    return markupsafe.Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(markupsafe.escape(text))))


def _chips(counts: Mapping[str, int]) -> list[tuple[str, str, int]]:
    return [(verdict, slug(verdict), count) for verdict, count in counts.items()]


def _context(reproduction: Reproduction, figures: Sequence[Figure]) -> dict[str, Any]:
    from windlass import ENGINE_VERSION, __version__

    book, experiment = reproduction.ledger, reproduction.experiment
    return {
        "title": experiment.title,
        "id": experiment.id,
        "citation": book.citation,
        "section": experiment.section,
        "figures_of": ", ".join(experiment.figures),
        "headline": headline(reproduction.counts),
        "dependence": _dependence(reproduction),
        "counts": _chips(reproduction.counts),
        "cautions": reproduction.cautions,
        "stated": experiment.stated,
        "figures": figures,
        "tables": tables_of(reproduction),
        "capacity": capacity_lines(reproduction),
        "gains": gains_figure(reproduction),
        "claims": [claim_row(reproduction, outcome) for outcome in reproduction.outcomes],
        "readings": readings_table(reproduction),
        "judged": calls_table(reproduction),
        "open": [book.open[key] for key in experiment.open],
        "base": reproduction.base,
        "inconsistencies": [row for row in book.touching(experiment) if row.take],
        "algorithms": algorithms_table(reproduction),
        "mechanisms": mechanisms_table(reproduction),
        "rules": [(verdict, slug(verdict), words) for verdict, words in RULES.items()],
        "command": reproduction.command,
        "seeds": reproduction.seeds,
        "seeds_text": reproduction.seeds_text,
        "adaptive": reproduction.adaptive,
        "confidence": f"{100 * reproduction.confidence:.3g} %",
        "looks": READING_LOOKS,
        "cpu_s": reproduction.cpu_s,
        "runs": reproduction.total,
        "duration_s": reproduction.duration_s,
        "engine_version": ENGINE_VERSION,
        "version": __version__,
        "scenario": next(iter(reproduction.scenarios), ""),
    }


def _dependence(reproduction: Reproduction) -> str:
    """Which of the open parameters the verdicts hang on."""
    asked = [outcome for outcome in reproduction.outcomes if outcome.readings]
    if not asked:
        return ""
    changed = [outcome for outcome in asked if outcome.changed]
    unsettled = sum(bool(outcome.unsettled) for outcome in asked)
    if not changed and not unsettled:
        return "No verdict depends on how the open parameters are read."
    if not changed:
        return f"No verdict is known to depend on how the open parameters are read; {unsettled} of {len(asked)} are undecided in some reading."
    keys: dict[str, int] = {}
    for outcome in changed:
        for reading, _ in outcome.changed:
            keys[reading.title] = keys.get(reading.title, 0) + 1
    ranked = sorted(keys.items(), key=lambda item: -item[1])
    listed = "; ".join(f"{title} ({count})" for title, count in ranked)
    verb = "depends" if len(changed) == 1 else "depend"
    return f"{len(changed)} of {len(asked)} verdicts {verb} on how an open parameter is read: {listed}."
