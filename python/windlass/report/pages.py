"""The pages: a report of an experiment, an overview of a paper."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from windlass.ledger import Experiment
from windlass.report.cautions import caution_words
from windlass.report.claims import claim_row
from windlass.report.figures import Figure
from windlass.report.language import Language, sentence
from windlass.report.measured import capacity_lines, gains_figure, tables_of
from windlass.report.setting import algorithms_table, assumptions_table, calls_table, mechanisms_table, readings_table
from windlass.report.words import RULES, headline, slug
from windlass.reproduce import PaperReproduction, Reproduction
from windlass.reproduce.looks import READING_LOOKS

if TYPE_CHECKING:
    from markupsafe import Markup


def page(reproduction: Reproduction, figures: Sequence[Figure]) -> str:
    """The HTML of the report; nothing in it is fetched from anywhere."""
    return render("report.html.j2", _context(reproduction, figures))


def summary_of(reproduction: Reproduction, figures: Sequence[Figure]) -> str:
    """The same in Markdown, with links to the figures as SVG beside it."""
    from windlass._markdown import fill

    text = render("summary.md.j2", _context(reproduction, figures))
    return re.sub(r"\n{3,}", "\n\n", fill(text)).strip("\n") + "\n"


def paper_page(paper: PaperReproduction) -> str:
    """The HTML of a paper's overview, with links to the reports beside it."""
    from windlass import ENGINE_VERSION, __version__

    return render(
        "paper.html.j2",
        {
            "title": paper.ledger.title,
            "citation": paper.ledger.citation,
            "headline": headline(paper.counts),
            "counts": _chips(paper.counts),
            "quick": paper.quick,
            "parts": [
                {
                    "name": part.experiment.name,
                    "place": _place(part.experiment),
                    "title": part.experiment.title,
                    "counts": _chips(part.counts),
                    "claims": [claim_row(part, outcome) for outcome in part.outcomes],
                }
                for part in paper.parts
            ],
            "missing": [
                {
                    "name": entry.name,
                    "title": entry.title,
                    "claims": len(paper.ledger.claims_of(entry.id)),
                    "why": Language(paper.ledger, entry).reason(why),
                }
                for entry, why in paper.missing
            ],
            "command": paper.command,
            "engine_version": ENGINE_VERSION,
            "version": __version__,
        },
    )


def render(template: str, context: Mapping[str, Any]) -> str:
    """A page or text from a template."""
    import jinja2

    environment = jinja2.Environment(
        loader=jinja2.PackageLoader("windlass", "templates"),
        autoescape=not template.endswith(".md.j2"),
        trim_blocks=True,
        lstrip_blocks=True,
        undefined=jinja2.StrictUndefined,
    )
    environment.filters["code"] = _code
    environment.filters["keep"] = _keep
    environment.filters["sentence"] = sentence
    environment.filters["cell"] = _cell
    environment.filters["dotless"] = lambda text: text.removesuffix(".")
    environment.filters["heading"] = _heading
    return environment.get_template(template).render(**context)


def _heading(text: str) -> str:
    """Text with a capital at its beginning and no full stop."""
    return sentence(text).removesuffix(".")


def _cell(text: str) -> str:
    """Text for a cell of a table in Markdown."""
    return " ".join(text.replace("|", "\\|").split())


def _keep(text: str) -> Markup:
    """Text that is shown letter by letter: commands, names of files."""
    import markupsafe

    return markupsafe.Markup(markupsafe.escape(text))


def _code(text: str) -> Markup:
    """Text for the page, with what is between backticks as code."""
    import markupsafe

    return markupsafe.Markup(re.sub(r"`([^`]+)`", r"<code>\1</code>", str(markupsafe.escape(text))))


def _chips(counts: Mapping[str, int]) -> list[tuple[str, str, int]]:
    return [(verdict, slug(verdict), count) for verdict, count in counts.items()]


def _context(reproduction: Reproduction, figures: Sequence[Figure]) -> dict[str, Any]:
    from windlass import ENGINE_VERSION, __version__

    book, experiment = reproduction.ledger, reproduction.experiment
    tables = tables_of(reproduction)
    return {
        "title": experiment.title,
        "id": experiment.id,
        "citation": book.citation,
        "place": _place(experiment),
        "headline": headline(reproduction.counts),
        "dependence": _dependence(reproduction),
        "counts": _chips(reproduction.counts),
        "cautions": [caution_words(caution, book, experiment) for caution in reproduction.cautions],
        "stated": experiment.stated,
        "figures": figures,
        "tables": tables,
        "marked": any(cell["best"] for table in tables for row in table["rows"] for cell in row["cells"]),
        "capacity": capacity_lines(reproduction),
        "gains": gains_figure(reproduction),
        "claims": [claim_row(reproduction, outcome) for outcome in reproduction.outcomes],
        "readings": readings_table(reproduction),
        "judged": calls_table(reproduction),
        "assumptions": assumptions_table(reproduction),
        "profile": dict(reproduction.base).get("profile", ""),
        "inconsistencies": [
            {
                "number": row.id.rsplit("/", 1)[-1].removeprefix("x").lstrip("0"),
                "weight": row.weight,
                "what": row.what,
                "where": row.where,
                "take": row.take,
            }
            for row in book.touching(experiment)
            if row.take
        ],
        "algorithms": algorithms_table(reproduction),
        "mechanisms": mechanisms_table(reproduction),
        "rules": [(verdict, slug(verdict), words) for verdict, words in RULES.items()],
        "command": reproduction.command,
        "seeds": reproduction.seeds,
        "seeds_text": reproduction.seeds_text,
        "by_run": reproduction.data.by_run,
        "adaptive": reproduction.adaptive,
        "confidence": f"{100 * reproduction.confidence:.3g} %",
        "looks": READING_LOOKS,
        "runs": reproduction.total,
        "duration_s": reproduction.duration_s,
        "engine_version": ENGINE_VERSION,
        "version": __version__,
        "scenario": next(iter(reproduction.scenarios), ""),
        "took": took_words(reproduction),
    }


def took_words(reproduction: Reproduction) -> str:
    """How long it took, as far as it is known: only what was run now takes time."""
    if not reproduction.took_s:
        return ""
    made, total = reproduction.made, reproduction.total
    kept = "" if made == total else f"; {total - made} of them came from the store of finished runs"
    if not made:
        return f"All {total} runs came from the store of finished runs."
    minutes, seconds = divmod(round(reproduction.took_s), 60)
    spent = f"{minutes} min {seconds} s" if minutes else f"{reproduction.took_s:.1f} s"
    return f"The {total} runs took {spent}, {reproduction.cpu_s / 60:.1f} minutes of CPU time{kept}."


def _place(experiment: Experiment) -> str:
    """Where the paper has it: figures, tables, section."""
    parts = [
        f"{one if len(names) == 1 else more} {', '.join(name.rsplit('/', 1)[-1].removeprefix('table') for name in names)}"
        for names, one, more in ((experiment.figures, "Figure", "Figures"), (experiment.tables, "Table", "Tables"))
        if names
    ]
    section = experiment.section
    if section.startswith("abstract"):
        parts, section = [*parts, "Abstract"], section.removeprefix("abstract").removeprefix(", ")
    place = ", ".join([*parts, *([f"section {section}"] if section else [])])
    return place[0].upper() + place[1:]


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
        return f"No verdict is known to depend on how the open parameters are read; {unsettled} of {len(asked)} {'is' if unsettled == 1 else 'are'} undecided or not measurable in some reading."
    keys: dict[str, int] = {}
    for outcome in changed:
        for reading, _ in outcome.changed:
            keys[reading.title] = keys.get(reading.title, 0) + 1
    ranked = sorted(keys.items(), key=lambda item: -item[1])
    listed = "; ".join(f"{title} ({count})" for title, count in ranked)
    many = f"{len(changed)} of {len(asked)} verdicts {'depends' if len(changed) == 1 else 'depend'}"
    return f"{'The verdict depends' if len(asked) == 1 else many} on how an open parameter is read: {listed}."
