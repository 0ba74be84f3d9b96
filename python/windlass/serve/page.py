"""The page: with a server behind it, or kept as one file."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

from windlass.errors import InputError
from windlass.names import loss_causes, not_lost, window_events
from windlass.palette import CAUSE_LOOKS, EVENT_MARKERS, MARKED_LOOK, NOT_LOST_LOOK, looks, title
from windlass.serve.asked import MOST_SENDERS, asked_of
from windlass.serve.base import Base, algorithms, is_own
from windlass.serve.runs import plan_of

__all__ = ["broken", "data", "kept", "live"]

SHOWN_FIRST = (
    "newreno", "cubic", "bbr", "bbr3", "vegas", "veno", "westwood-plus", "cerl", "cerl-plus", "illinois", "hybla", "dctcp",
)  # fmt: skip
"""Senders that are not folded away."""

SCRIPTS, STYLES = ("uplot.js", "charts.js", "results.js", "page.js"), ("uplot.css", "page.css")


def live(base: Base, given: Mapping[str, Any]) -> str:
    """The page of a scenario, which asks its server for runs.

    Parameters
    ----------
    base : Base
        The scenario.
    given : mapping
        What is shown at first, as far as it is not as the file has it. A run that is too long begins shorter.
    """
    begin, note = _begin(base, given)
    return _template("serve.html.j2").render(_words(base), config=data(_config(base) | begin), note=note, kept=False)


def kept(base: Base, parts: Sequence[Mapping[str, Any]]) -> str:
    """The page with its runs in it, as one file.

    Parameters
    ----------
    base : Base
        The scenario.
    parts : sequence of mapping
        What :func:`windlass.serve.runs.answer` gave, in order.
    """
    read = {name: _file(name) for name in (*SCRIPTS, *STYLES)}
    inside = {"scripts": [read[name] for name in SCRIPTS], "styles": [read[name] for name in STYLES]}
    config = {**_config(base), "controls": [], "parts": list(parts)}
    words = _words(base)
    return _template("serve.html.j2").render(
        words, config=data(config), kept=True, note=None, licence=_file("uplot-LICENSE.txt"), **inside
    )


def broken(text: str) -> str:
    """What is wrong with the scenario, as the command line shows it."""
    return _template("serve-error.html.j2").render(text=text)


def _begin(base: Base, given: Mapping[str, Any]) -> tuple[dict[str, Any], str | None]:
    """What the page shows at first; a run that is too long begins shorter, and that is said."""
    asked = asked_of(base, given)
    moved, note = dict(asked.moved), None
    length = base.controls.get("scenario.duration")
    if length is not None and "scenario.duration" not in moved:
        for share in (1.0, 0.5, 0.25, 0.1, 0.05):
            moved["scenario.duration"] = float(f"{length.value * share:.2g}") if share < 1.0 else length.value
            try:
                plan_of(base, asked_of(base, {**given, "moved": moved}))
            except InputError as error:
                if error.code == "serve.limit":
                    continue
            break
        if moved["scenario.duration"] != length.value:
            note = (
                f"The file's run of {length.value:g} s is too long for a page. Here it begins with "
                f"{moved['scenario.duration']:g} s."
            )
    begin = {
        "senders": asked.senders,
        "together": asked.together,
        "group": asked.group,
        "seed": asked.seed,
        "moved": moved,
    }
    return {"begin": begin}, note


def _words(base: Base) -> dict[str, Any]:
    about = "" if base.sets else base.about  # until the page knows what is not as in the file
    return {"name": base.scenario.name or "scenario", "about": about, "groups": base.groups}


def _config(base: Base) -> dict[str, Any]:
    """What the scripts need to know."""
    drawn, rows = looks(base.senders), algorithms()
    return {
        "base": base.version,
        "about": base.about,
        "controls": [control.plain() for control in base.controls.values()],
        "senders": [
            {
                "name": name,
                "title": title(name),
                "summary": rows[name.partition(":")[0]]["summary"],
                "colour": drawn[name].colour,
                "marker": drawn[name].marker,
                "dash": drawn[name].dash[1],
                "first": name in SHOWN_FIRST or name in base.ticked or is_own(name),
            }
            for name in sorted(base.senders, key=lambda one: _rank(base, one))
        ],
        "most_senders": MOST_SENDERS,
        "groups": base.groups,
        "events": {
            event.name: {"label": event.label, "marker": EVENT_MARKERS[event.name]}
            for event in window_events()
            if event.label is not None
        },
        "causes": _causes(),
    }


def _rank(base: Base, name: str) -> tuple[int, int]:
    """The file's own first, then those known best, then the registry's order."""
    order = [*base.ticked, *SHOWN_FIRST]
    return (0, order.index(name)) if name in order else (1, 0)


def _causes() -> dict[str, dict[str, Any]]:
    """Looks and words of the true causes of window changes."""
    made = {
        cause.name: {**CAUSE_LOOKS[cause.name]._asdict(), "label": cause.label, "congestion": cause.congestion}
        for cause in loss_causes()
    }
    made[not_lost()] = {**NOT_LOST_LOOK._asdict(), "label": "nothing was lost", "congestion": False}
    made[""] = {**MARKED_LOOK._asdict(), "label": "marked by a queue", "congestion": True}
    return made


def data(config: Mapping[str, Any]) -> str:
    """JSON that can stand in a page: nothing in it ends the element that holds it."""
    text = json.dumps(config, allow_nan=False, ensure_ascii=False)
    return text.replace("<", "\\u003c").replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


@cache
def _file(name: str) -> str:
    return (Path(__file__).with_name("static") / name).read_text(encoding="utf-8")


@cache
def _template(name: str) -> Any:
    import jinja2

    loader = jinja2.PackageLoader("windlass", "templates")
    environment = jinja2.Environment(
        loader=loader, autoescape=True, trim_blocks=True, lstrip_blocks=True, undefined=jinja2.StrictUndefined
    )
    return environment.get_template(name)
