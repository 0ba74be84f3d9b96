"""The report of a reproduction: one HTML page that needs no network, and the figures beside it.

:func:`draw` writes the figures, :func:`page` the text of the page; what the page says is prepared here as plain values and laid
out by ``templates/report.html.j2``.
"""

from __future__ import annotations

import base64
import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from windlass import experiments, verdicts
from windlass.experiments import Setting
from windlass.ledger import Check
from windlass.reproduce import Outcome, PaperReproduction, Reproduction, headline_metric, shown_variants
from windlass.verdicts import Data, Interval

if TYPE_CHECKING:
    import pyarrow as pa
    from matplotlib.figure import Figure as MatplotlibFigure

__all__ = ["Figure", "draw", "headline", "page", "paper_page"]

GOOD_WORDS = {
    "reproduced": "reproduced",
    "direction only": "right in direction only",
    "contradicted": "contradicted",
    "undecided": "undecided",
    "impossible": "impossible as stated",
    "not measurable": "not measurable",
}

RULES = {
    "reproduced": "The 95 % interval lies inside the claim's tolerance, or meets it and is no wider than the tolerance. Of an "
    "order: enough points say yes with their whole interval.",
    "direction only": "The sign or the order is right beyond the interval, the size is not; of an order asked at several points, "
    "at least half of them agree, but fewer than the claim needs.",
    "contradicted": "The interval leaves the tolerance out, and the sign is not the claimed one either.",
    "undecided": "The interval is too wide at this number of seeds.",
    "impossible": "Even with all that the links can carry, over the lower end of the measured reference, the gain would stay below "
    "the claim less its tolerance, at every point that may be meant.",
    "not measurable": "The check needs something that these runs do not give.",
}


@dataclass(frozen=True)
class Figure:
    """A figure of the report: its file name without ending, what it shows, and its SVG."""

    stem: str
    caption: str
    svg: bytes

    @property
    def uri(self) -> str:
        """The SVG as an address that holds all of it."""
        return "data:image/svg+xml;base64," + base64.b64encode(self.svg).decode("ascii")


# ---- figures ----


def draw(reproduction: Reproduction, folder: Path) -> list[Figure]:
    """Draw the experiment's figure, write it as PDF, SVG and PNG, and return it for the page.

    An experiment without a swept axis has none.
    """
    from windlass import plots

    axes = reproduction.experiment.axes
    metric, unit = headline_metric(reproduction.data)
    if len(axes) != 1 or unit != "Mbps":
        return []
    axis = axes[0]
    summary = _summary(reproduction, metric)
    lossy = axis.key.startswith("q_")
    empty = experiments.limit(reproduction.ledger, reproduction.experiment, _at_once(reproduction.setting))
    caps = [cap.per_flow_mbps for cap in map(empty, reproduction.data.points) if cap is not None]
    words = [f"Goodput per flow against {axis.parameter}, mean and 95 % interval over {len(reproduction.seeds)} seeds"]
    if lossy:
        mathis = _mathis(reproduction)
        figure = plots.goodput_against_loss(
            summary, x=axis.key, capacity_bps=caps[0] * 1e6 if caps else None, mathis=mathis
        )
        words.append("dashed: a flow's share of the narrowest cut, payload only")
        if mathis is not None:
            words.append(f"dotted: square-root law for {mathis['rtt_s'] * 1000:.0f} ms, the round trip without queues")
    else:
        figure = plots.metric_against_axis(
            summary,
            axis.key,
            "goodput_bps",
            x_label=f"{axis.parameter} ({axis.unit})",
            y_label="goodput per flow (Mbit/s)",
        )
        if len(caps) == len(reproduction.data.points):
            _draw_capacity(figure, [point[0] for point in reproduction.data.points], caps)
            words.append("dashed: a flow's share of the narrowest cut, payload only")
    if not axis.points_stated:
        words.append(
            "the points of the sweep are ours, the paper states "
            + ("its range" if axis.range_stated else "only its axis")
        )
    stem = reproduction.experiment.name
    plots.save(figure, folder / stem)
    return [Figure(stem, "; ".join(words) + ".", (folder / f"{stem}.svg").read_bytes())]


def _draw_capacity(figure: MatplotlibFigure, places: Sequence[float], caps: Sequence[float]) -> None:
    """What the links carry, as a dashed line behind the curves."""
    axes = figure.axes[0]
    axes.plot(places, caps, color="black", linewidth=0.8, linestyle=(0, (6, 3)), zorder=1)
    axes.set_ylim(bottom=0.0, top=max(axes.get_ylim()[1], 1.05 * max(caps)))


def _summary(reproduction: Reproduction, metric: str) -> pa.Table:
    """Means and intervals in the form that :mod:`windlass.plots` draws."""
    import pyarrow as pa

    axis = reproduction.experiment.axes[0]
    rows = []
    for name, data, variant in _curves(reproduction):
        for point in data.points:
            found = verdicts.mean(data.get(metric, variant, [point]))
            bounded = math.isfinite(found.half)
            rows.append(
                {
                    axis.key: f"{point[0]:g} {axis.unit}",
                    "group": "flow",
                    "direction": "forward",
                    "algorithm": name,
                    "goodput_bps_mean": 1e6 * found.mean,
                    "goodput_bps_lo": 1e6 * found.low if bounded else None,
                    "goodput_bps_hi": 1e6 * found.high if bounded else None,
                }
            )
    return pa.Table.from_pylist(rows)


def _curves(reproduction: Reproduction) -> Iterable[tuple[str, Data, str]]:
    """Name, data and variant of each curve: the base, and the other form of an algorithm whose formula is in doubt."""
    for variant in shown_variants(reproduction.experiment, reproduction.data):
        yield reproduction.algorithms.get(variant, variant), reproduction.data, variant
    for run in reproduction.runs:
        if run.reading.key == "inverted" and run.data is not None:
            for variant, given in run.reading.changes["algorithms"].items():
                if variant in reproduction.experiment.variants:
                    yield str(given), run.data, variant


def _at_once(setting: Setting) -> Setting:
    return replace(setting, start_s=(0.0, 0.0))


def _mathis(reproduction: Reproduction) -> dict[str, float] | None:
    """Segment and empty round trip for the square-root law, if only the swept loss acts."""
    experiment = reproduction.experiment
    if any(key.startswith("q_") and value for key, value in experiment.fixed.items()):
        return None
    links = reproduction.ledger.topologies[experiment.topology].links
    delays = [link.delay_ms for link in links if isinstance(link.delay_ms, (int, float))]
    return {"mss_bytes": float(experiment.traffic["segment_B"]), "rtt_s": 2 * sum(delays) / 1000}


# ---- the page ----


def page(reproduction: Reproduction, figures: Sequence[Figure]) -> str:
    """The HTML of the report; nothing in it is fetched from anywhere."""
    return _render("report.html.j2", _context(reproduction, figures))


def paper_page(paper: PaperReproduction) -> str:
    """The HTML of a paper's overview, with links to the reports beside it."""
    from windlass import __version__, _core

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
                    "claims": [_claim(part, outcome) for outcome in part.outcomes],
                }
                for part in paper.parts
            ],
            "missing": [
                {"name": entry.name, "claims": len(paper.ledger.claims_of(entry.id)), "why": why}
                for entry, why in paper.missing
            ],
            "command": paper.command,
            "engine_version": str(_core.ENGINE_VERSION),
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
    return environment.get_template(template).render(**context)


def _chips(counts: Mapping[str, int]) -> list[tuple[str, str, int]]:
    return [(verdict, _slug(verdict), count) for verdict, count in counts.items()]


def _context(reproduction: Reproduction, figures: Sequence[Figure]) -> dict[str, Any]:
    from windlass import __version__, _core

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
        "tables": _tables(reproduction),
        "capacity": _capacity(reproduction),
        "gains": _gains(reproduction),
        "claims": [_claim(reproduction, outcome) for outcome in reproduction.outcomes],
        "readings": _readings(reproduction),
        "judged": _judged(reproduction),
        "open": [book.open[key] for key in experiment.open],
        "base": [row for row in _base_words(reproduction.setting) if row[0] in ("profile", "seeds", *experiment.open)],
        "inconsistencies": [row for row in book.touching(experiment) if row.take != "None needed."],
        "algorithms": _algorithms(reproduction),
        "mechanisms": _mechanisms(reproduction),
        "rules": [(verdict, _slug(verdict), words) for verdict, words in RULES.items()],
        "command": reproduction.command,
        "seeds": reproduction.seeds,
        "runs": reproduction.total,
        "duration_s": reproduction.setting.duration_s,
        "engine_version": str(_core.ENGINE_VERSION),
        "version": __version__,
        "scenario": next(iter(reproduction.scenarios), ""),
    }


def headline(counts: Mapping[str, int]) -> str:
    """How many claims got each verdict, as a sentence."""
    total = sum(counts.values())
    if total == 0:
        return "The paper states nothing in words about this figure; the runs are shown for reference."
    parts = [f"{count} {'is' if count == 1 else 'are'} {GOOD_WORDS[verdict]}" for verdict, count in counts.items()]
    joined = parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]
    return f"Of {total} claim{'s' if total > 1 else ''}, {joined}."


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


def _slug(verdict: str) -> str:
    return verdict.replace(" ", "-")


def _tables(reproduction: Reproduction) -> list[dict[str, Any]]:
    """Throughput by point and variant: per flow, and summed over the flows."""
    data, experiment = reproduction.data, reproduction.experiment
    curves = list(_curves(reproduction))
    metric, unit = headline_metric(data)
    mixed = any("#" in variant for _, _, variant in curves)
    tables: list[dict[str, Any]] = []
    for name, words in ((metric, f"{metric}, mean of the flows"), ("throughput-total", "throughput, sum of the flows")):
        if name not in data.metrics or (tables and mixed):
            continue
        rows = []
        for point in data.points:
            found = [verdicts.mean(source.get(name, variant, [point])) for _, source, variant in curves]
            best = max((one.mean for one in found if not math.isnan(one.mean)), default=math.nan)
            rows.append(
                {
                    "point": ", ".join(f"{value:g}" for value in point) or "-",
                    "cells": [{**_cell(one), "best": one.mean == best} for one in found],
                }
            )
        head = " and ".join(f"{axis.parameter} ({axis.unit})" for axis in experiment.axes)
        names = [title for title, _, _ in curves]
        tables.append({"words": words, "unit": unit, "head": head or "setting", "variants": names, "rows": rows})
    return tables


def _cell(found: Interval) -> dict[str, str]:
    if math.isnan(found.mean):
        return {"mean": "-", "half": ""}
    digits = 2 if abs(found.mean) >= 100 else 3
    half = f"{found.half:.{digits}f}" if math.isfinite(found.half) else ""
    return {"mean": f"{found.mean:.{digits}f}", "half": half}


def _capacity(reproduction: Reproduction) -> list[str]:
    """What the links carry, as arithmetic; one line for each different limit along the sweep."""
    limits = experiments.limit(reproduction.ledger, reproduction.experiment, _at_once(reproduction.setting))
    found: dict[str, list[str]] = {}
    for point in reproduction.data.points:
        cap = limits(point)
        if cap is not None:
            found.setdefault(cap.text, []).append(reproduction.data.label(point))
    if len(found) <= 1:
        return list(found)
    return [f"{text} ({places[0]}{f' to {places[-1]}' if len(places) > 1 else ''})" for text, places in found.items()]


_LEFT, _WIDTH, _ROW = 190.0, 620.0, 30.0


def _gains(reproduction: Reproduction) -> dict[str, Any] | None:
    """Claimed and measured gains on one scale, with places for the page's drawing.

    The scale is that of the ratio: a gain of 100 % stands as far right of 0 as a loss of 50 % stands left of it.
    """
    rows = []
    for outcome in reproduction.outcomes:
        check = outcome.claim.check
        if check.kind == "gain" and outcome.judgement.rows:
            rows.append((outcome, check))
    if not rows:
        return None
    values = [
        number
        for outcome, check in rows
        for number in (
            check["percent"] + check["tolerance_pp"],
            check["percent"] - check["tolerance_pp"],
            *[row["mean"] for row in outcome.judgement.rows if math.isfinite(row["mean"])],
        )
    ]
    low, high = max(-90.0, min(-20.0, *values)), max(50.0, *values)
    first, last = math.log1p(low / 100), math.log1p(high / 100)

    def place(percent: float) -> float:
        share = (math.log1p(max(percent, -95.0) / 100) - first) / (last - first)
        return round(_LEFT + _WIDTH * min(max(share, 0.0), 1.0), 1)

    drawn = []
    for index, (outcome, check) in enumerate(rows):
        y = 34 + index * _ROW
        percent, tolerance = float(check["percent"]), float(check["tolerance_pp"])
        most = [row["percent"] for row in outcome.judgement.largest if row["percent"] is not None]
        unlimited = len(most) < len(outcome.judgement.rows)
        drawn.append(
            {
                "y": y,
                "name": f"over {reproduction.algorithms.get(check['b'], check['b'])}",
                "claimed": f"claimed {percent:g} % ± {tolerance:g} points",
                "band": (place(percent - tolerance), place(percent + tolerance)),
                "centre": place(percent),
                "most": None if unlimited or not most or max(most) > high else place(max(most)),
                "most_words": f"largest possible gain {max(most):.0f} %" if most and not unlimited else "",
                "dots": [
                    {
                        "x": place(row["mean"]),
                        "low": place(row["low"]) if math.isfinite(row["low"]) else None,
                        "high": place(row["high"]) if math.isfinite(row["high"]) else None,
                        "y": round(y - 8 + 16 * position / max(1, len(outcome.judgement.rows) - 1), 1),
                        "words": f"{row['where']}: {row['mean']:+.1f} %",
                        "inside": row["reply"] == "yes",
                    }
                    for position, row in enumerate(outcome.judgement.rows)
                    if math.isfinite(row["mean"])
                ],
            }
        )
    ticks = [tick for tick in (-75, -50, -25, 0, 25, 50, 100, 200, 400, 800) if low <= tick <= high]
    return {
        "rows": drawn,
        "ticks": [{"x": place(tick), "words": f"{tick:+d} %" if tick else "0"} for tick in ticks],
        "height": 34 + len(rows) * _ROW + 22,
        "bottom": 34 + (len(rows) - 1) * _ROW + 16,
        "a": reproduction.algorithms.get(rows[0][1]["a"], rows[0][1]["a"]),
    }


def _claim(reproduction: Reproduction, outcome: Outcome) -> dict[str, Any]:
    claim, judgement = outcome.claim, outcome.judgement
    reasons = reproduction.ledger.reasons
    changed = {reading.key for reading, _ in outcome.changed}
    return {
        "number": claim.id.rsplit("/", 1)[-1],
        "text": claim.text,
        "source": claim.source,
        "verdict": judgement.verdict,
        "slug": _slug(judgement.verdict),
        "measured": judgement.measured,
        "reason": judgement.reason,
        "arithmetic": judgement.arithmetic,
        "seeds": _seeds_words(judgement.verdict, judgement.seeds_needed, len(reproduction.seeds)),
        "tolerance": tolerance_words(claim.check),
        "where": claim.check.where,
        "why": reasons.get(claim.check.why, ""),
        "note": claim.note,
        "conflict": [key.rsplit("/", 1)[-1] for key in claim.conflict],
        "rows": [_point_row(row) for row in judgement.rows],
        "largest": [
            {
                "where": row["where"],
                "percent": "without bound" if row["percent"] is None else f"{row['percent']:+.0f} %",
                "measured": f"{row['measured_percent']:+.0f} %",
            }
            for row in judgement.largest
        ],
        "room": _room(judgement.largest),
        "alternatives": [
            {"text": text, "verdict": other.verdict, "slug": _slug(other.verdict), "measured": other.measured}
            for text, other in judgement.alternatives
        ],
        "readings": [
            {
                "title": reading.title,
                "verdict": other.verdict,
                "slug": _slug(other.verdict),
                "measured": other.measured,
                "changed": reading.key in changed,
            }
            for reading, other, _ in outcome.readings
        ],
        "forms": [
            {"title": reading.title, "verdict": other.verdict, "slug": _slug(other.verdict), "measured": other.measured}
            for reading, other, _ in outcome.readings
            if reading.key == "inverted"
        ],
        "unsettled": [reading.title for reading in outcome.unsettled],
        "missing": [{"title": reading.title, "why": why} for reading, why in outcome.missing],
        "changed": len(changed),
        "asked": len(outcome.readings),
    }


def _room(largest: Sequence[Mapping[str, Any]]) -> str:
    """Largest possible gain where it is least and where it is most."""
    if not largest:
        return ""
    ranked = sorted(largest, key=lambda row: math.inf if row["percent"] is None else row["percent"])
    ends = [ranked[0], ranked[-1]] if len(ranked) > 1 else [ranked[0]]
    words = [
        f"{row['where']}: " + ("without bound" if row["percent"] is None else f"{row['percent']:+.0f} %")
        for row in ends
    ]
    return " to ".join(words)


def _point_row(row: Mapping[str, Any]) -> dict[str, str]:
    numbers = [row.get(key) for key in ("mean", "low", "high")]
    unit = str(row.get("unit", ""))
    form = "{:+.1f}" if unit in ("%", "points") else "{:.3f}"
    texts = [form.format(number) if isinstance(number, float) and math.isfinite(number) else "-" for number in numbers]
    return {
        "where": str(row["where"]),
        "what": str(row["what"]),
        "mean": f"{texts[0]} {unit}".strip(),
        "interval": f"{texts[1]} to {texts[2]}" if texts[1] != "-" else "-",
        "reply": {"yes": "holds", "no": "fails", "open": "open"}[str(row["reply"])],
    }


def _seeds_words(verdict: str, needed: int | None, used: int) -> str:
    if verdict != "undecided":
        return ""
    if needed is None:
        return f"{used} seeds give no interval that could be narrowed; at least two are needed."
    return (
        f"About {needed} seeds would settle it ({used} were run)."
        if needed <= 2000
        else ("More than 2000 seeds would be needed: the measured value stands on the edge.")
    )


def tolerance_words(check: Check) -> str:
    """What a check allows, in words."""
    get = check.get
    parts: list[str] = []
    if check.kind in ("gain", "reduction"):
        parts.append(f"{get('percent'):g} % ± {get('tolerance_pp'):g} percentage points")
        parts.append({"best": "at the most favourable point", "mean": "on the mean over points"}.get(get("pick"), ""))
    elif check.kind == "gain-band":
        low, high = get("percent_range")
        parts.append(f"{low:g} to {high:g} %, widened by {get('tolerance_pp'):g} percentage points")
    elif check.kind in ("value", "ratio"):
        wanted = get("value", get("ratio"))
        parts.append(f"{wanted:g} {get('unit', '')} ± {100 * get('tolerance_rel'):g} %".replace("  ", " "))
    elif check.kind == "rank":
        parts.append(f"position {get('position')} of {len(get('among'))}")
        parts.append(f"ties within {100 * get('tie_rel'):g} % in its favour")
        if get("min_margin_rel"):
            parts.append(f"a lead of at least {100 * get('min_margin_rel'):g} %")
    elif check.kind == "close":
        parts.append(f"largest and smallest within {100 * get('within_rel'):g} % of the larger")
    elif check.kind == "same-across":
        parts.append(f"within {100 * get('within_rel'):g} %")
    elif check.kind == "trend":
        parts.append(f"{get('direction')}, steps against it up to {100 * get('slack_rel'):g} %")
    elif check.kind == "order":
        parts.append(f"Kendall's tau at least {get('min_tau'):g}, ties within {100 * get('tie_rel'):g} %")
    elif check.kind == "cross":
        parts.append({"<": "below", ">": "above", ">=": "not below", "close": "close", "gain": "gain"}[get("relation")])
        if get("percent") is not None:
            parts.append(f"{get('percent'):g} % ± {get('tolerance_pp'):g} percentage points")
        elif get("percent_range"):
            parts.append(
                f"{get('percent_range')[0]:g} to {get('percent_range')[1]:g} % ± {get('tolerance_pp'):g} points"
            )
    elif check.kind == "arith":
        parts.append(f"printed {get('stated'):g}, ± {get('tolerance', 0):g}")
    if get("negate"):
        parts.insert(0, "not")
    share = get("share")
    if share is not None and share < 1:
        parts.append(f"at {100 * share:g} % of the points")
    return ", ".join(part for part in parts if part)


def _readings(reproduction: Reproduction) -> dict[str, Any]:
    """Verdict of each claim in each reading, with what each reading is."""
    columns = [run for run in reproduction.runs if not run.missing]
    rows = []
    for outcome in reproduction.outcomes:
        found = {reading.key: (judgement, differs) for reading, judgement, differs in outcome.readings}
        cells: list[dict[str, Any] | None] = []
        for run in columns:
            if run.reading.key in found:
                judgement, differs = found[run.reading.key]
                cells.append(
                    {
                        "verdict": judgement.verdict,
                        "slug": _slug(judgement.verdict),
                        "changed": differs,
                        "measured": judgement.measured or judgement.reason,
                    }
                )
            else:
                cells.append(None)
        verdict = outcome.judgement.verdict
        rows.append(
            {
                "number": outcome.claim.id.rsplit("/", 1)[-1],
                "text": outcome.claim.text,
                "verdict": verdict,
                "slug": _slug(verdict),
                "cells": cells,
            }
        )
    return {
        "columns": [run.reading.key for run in columns],
        "rows": rows,
        "about": [
            {
                "key": run.reading.key,
                "title": run.reading.title,
                "why": run.reading.why,
                "missing": run.missing,
            }
            for run in reproduction.runs
        ],
    }


def _judged(reproduction: Reproduction) -> list[dict[str, Any]]:
    """Calls of the senders against the truth, with the share that was right."""
    rows = []
    for row in reproduction.judged:
        counts = {(entry["call"], entry["cause"]): entry["count"] for entry in row["calls"]}
        random = sum(count for (call, _), count in counts.items() if call == "random")
        congestion = sum(count for (call, _), count in counts.items() if call == "congestion")
        rows.append(
            {
                "algorithm": row["algorithm"],
                "where": str(row["where"]),
                "cells": [
                    counts[call, cause]
                    for call in ("random", "congestion")
                    for cause in ("channel", "queue", "nothing")
                ],
                "random_right": _share(counts["random", "channel"], random),
                "congestion_right": _share(counts["congestion", "queue"], congestion),
            }
        )
    return rows


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:.0f} %" if whole else "-"


def _base_words(setting: Setting) -> list[tuple[str, str]]:
    """The base setting in words, by open parameter."""
    low, high = setting.start_s
    queue = (
        "one bandwidth-delay product" if setting.queue == "bdp" else f"{setting.queue} packets, counted as ns-2 does"
    )
    place = "after transmission" if setting.loss_at == "wire" else "before the queue"
    return [
        ("profile", "ns2: engine rules of ns-2.35's one-way agents"),
        ("simtime", f"{setting.duration_s:g} s"),
        ("seeds", f"{setting.seeds}"),
        ("queue", queue),
        ("rwnd", f"{setting.window_segments} segments"),
        ("starts", f"uniform between {low:g} s and {high:g} s" if high > low else f"{low:g} s"),
        ("lossplace", place),
        ("lossdir", {"both": "both directions"}.get(setting.loss_direction, f"{setting.loss_direction} only")),
        ("tie", "l >= N is congestion (the algorithm's own default; the other test is a reading)"),
    ]


def _algorithms(reproduction: Reproduction) -> list[dict[str, Any]]:
    """What the registry says of the algorithms that took part, readings included."""
    used = {name: variant for variant, name in reproduction.algorithms.items()}
    for run in reproduction.runs:
        if run.data is None:
            continue
        for variant, given in run.reading.changes.get("algorithms", {}).items():
            name = given if isinstance(given, str) else given["name"]
            if variant in reproduction.experiment.variants:
                used.setdefault(name, variant)
    rows = [row for row in reproduction.registry if row["name"] in used]
    return [
        {
            "name": row["name"],
            "variant": used[row["name"]],
            "summary": row["summary"],
            "source": row["source"],
            "caution": row.get("caution") or "",
            "recovery": row.get("recovery") or "",
            "parameters": ", ".join(f"{item['name']} = {item['default']}" for item in row["parameters"]),
        }
        for row in rows
    ]


def _mechanisms(reproduction: Reproduction) -> dict[str, dict[str, str]]:
    """How the paper describes each variant, by the variant's name."""
    paper = reproduction.ledger.id
    return {
        str(row["id"]).removeprefix(f"{paper}/"): {"text": str(row["text"]), "section": str(row.get("section", ""))}
        for row in reproduction.ledger.mechanisms
        if "id" in row
    }
