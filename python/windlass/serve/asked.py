"""What a page asks for, checked, and the scenario file that says the same."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from windlass import _toml
from windlass.errors import InputError, did_you_mean
from windlass.scenario import Point
from windlass.serve.base import Base, is_own
from windlass.serve.controls import Choice, Knob

__all__ = [
    "MOST_SENDERS",
    "SAMPLES",
    "Asked",
    "asked_of",
    "file_name",
    "groups_of",
    "moved_words",
    "seconds",
    "toml_of",
]

MOST_SENDERS = 8
"""Senders that one page shows at once."""

SAMPLES = 600
"""Values of a series over the run."""

LAST_SEED = 2**53 - 1
"""The largest seed that a page can hold exactly."""


@dataclass(frozen=True)
class Asked:
    """What shall be run.

    Attributes
    ----------
    senders : list of str
        Labels of :attr:`Base.senders`; none if no flow of the scenario can have another sender.
    together : bool
        Whether they share the path in one run. Else each has a run of its own, with the same losses.
    group : str
        Group of flows that they are tried in; empty: all.
    seed : int
        Of every random number.
    moved : dict
        Controls that are not where the file has them: key to number.
    """

    senders: list[str]
    together: bool = False
    group: str = ""
    seed: int = 1
    moved: dict[str, Any] = field(default_factory=dict)


def asked_of(base: Base, given: Any) -> Asked:
    """What the page sent, as far as it makes sense with this scenario.

    Raises
    ------
    InputError
        If it does not.
    """
    if not isinstance(given, Mapping):
        raise _wrong("what was sent is no table")
    if given.get("base") not in (None, base.version):
        raise InputError("the scenario has changed since the page was opened", code="serve.request", hint="reload it")
    unknown = given.keys() - {"base", "client", "senders", "together", "group", "seed", "moved"}
    if unknown:
        raise _wrong(f"unknown key `{min(map(str, unknown))}`")
    seed, group, together = given.get("seed", 1), given.get("group", base.group), given.get("together", False)
    if isinstance(seed, bool) or not isinstance(seed, int) or not 0 <= seed <= LAST_SEED:
        raise _wrong(f"a seed of {seed!r}: it must be a whole number from 0 to {LAST_SEED}")
    if group != "" and group not in base.groups:
        raise _wrong(f"no group of flows {group!r} that could have another sender")
    if not isinstance(together, bool):
        raise _wrong(f"`together` is {together!r}, must be true or false")
    return Asked(_senders(base, given.get("senders", base.ticked)), together, group, seed, _moved(base, given))


def _wrong(message: str) -> InputError:
    return InputError(message, code="serve.request", hint="reload the page")


def _senders(base: Base, given: Any) -> list[str]:
    if not isinstance(given, list) or not all(isinstance(one, str) for one in given):
        raise _wrong("`senders` is no list of names")
    for one in given:
        if one not in base.senders:
            hint = did_you_mean(one, base.senders) or "`windlass list cc` shows all"
            raise InputError(f"no algorithm `{one}`", code="serve.request", hint=hint)
    senders = list(dict.fromkeys(given))
    if not base.groups:
        return []
    if not 1 <= len(senders) <= MOST_SENDERS:
        raise InputError(
            f"{len(senders)} senders are ticked, must be 1 to {MOST_SENDERS}",
            code="serve.request",
            hint="tick or untick some; `windlass compare` takes any number",
        )
    return senders


def _moved(base: Base, given: Mapping[str, Any]) -> dict[str, Any]:
    """Controls that stand elsewhere than in the file."""
    moved = given.get("moved", {})
    if not isinstance(moved, Mapping):
        raise _wrong("`moved` is no table")
    found = {}
    for key, number in moved.items():
        control = base.controls.get(key)
        if control is None:
            raise _wrong(f"the scenario has no slider `{key}`")
        control.written(number)
        if isinstance(control, Choice) or number != control.value:
            found[key] = number
    return found


def moved_words(base: Base, asked: Asked) -> list[str]:
    """What is not as the file has it, which its introduction may speak of: keys that were set, controls that moved."""
    found = [f"{key} = {value}" for key, value in base.sets]
    for key, number in asked.moved.items():
        control = base.controls[key]
        if isinstance(control, Knob):
            now, before = (f"{value:.10g} {control.unit}" for value in (number, control.value))
        else:
            now, before = (str(value) for value in (control.written(number), control.value))
        if now != before:
            found.append(f"{control.place}: {control.label} {now}, was {before}")
    return found


def point_of(base: Base, asked: Asked) -> Point:
    """The setting that the controls stand for, with the file's own senders."""
    axes = dict(base.points[0].axes)
    for key, number in asked.moved.items():
        control = base.controls[key]
        if isinstance(control, Choice) and key in axes:
            axes[key] = control.written(number)
    point = next(one for one in base.points if one.axes == axes)
    texts = {
        key: base.controls[key].written(number)
        for key, number in asked.moved.items()
        if key not in axes or isinstance(base.controls[key], Knob)
    }
    return point.with_(texts) if texts else point


def groups_of(base: Base, asked: Asked) -> dict[str, list[str]]:
    """Names of the groups of flows that each sender has, in its run."""
    wanted = [asked.group] if asked.group else base.groups
    if not asked.senders:
        return {"": [group["name"] for group in base.points[0].effective()["flows"]]}
    if not asked.together:
        return {sender: wanted for sender in asked.senders}
    return {sender: [_beside(name, sender, wanted) for name in wanted] for sender in asked.senders}


def _beside(group: str, sender: str, wanted: list[str]) -> str:
    plain = "".join(one if one.isalnum() or one in "-_" else "-" for one in sender)
    return plain if len(wanted) == 1 else f"{group}-{plain}"


def toml_of(base: Base, asked: Asked) -> str:
    """The scenario file whose runs the page shows, one for each sender or one of all together.

    Raises
    ------
    InputError
        If the controls stand where no network can be.
    """
    point = point_of(base, asked)
    document, full = point.composed(), point.effective()
    document.pop("sweep", None)
    head = document["scenario"]
    head.pop("first_seed", None)
    head |= {"name": base.scenario.name or "page", "seeds": [asked.seed]}
    step = float(f"{1e3 * seconds(full['scenario']['duration']) / SAMPLES:.4g}")
    document["output"] = {
        "traces": ["cwnd", "delivered", "queue", "srtt"],
        "trace_step": f"{step:g} ms",
        "events": True,
    }
    document = _absolute(document, base.folder)
    wanted = [asked.group] if asked.group else base.groups
    names = [group["name"] for group in full["flows"]]
    if asked.together and asked.senders:
        document["flows"] = _copies(base, asked, document["flows"], names, wanted)
    elif len(asked.senders) < 2:
        for flow, name in zip(document["flows"], names, strict=True):
            if name in wanted and asked.senders:
                flow["algorithm"] = base.senders[asked.senders[0]]
    else:
        every = wanted == [group["name"] for group in full["flows"] if "algorithm" in group]
        key = "flows.algorithm" if every else f"flows.{_toml.key(wanted[0])}.algorithm"
        document["sweep"] = {key: [base.senders[sender] for sender in asked.senders]}
    return "".join(f"# {line}\n" for line in _head(base, asked, document)) + "\n" + _toml.document(document)


def file_name(base: Base) -> str:
    """Name of the file, without what a shell or a folder would take for something else."""
    return re.sub(r"[^\w.+-]+", "-", base.scenario.name or "page") + ".toml"


def seconds(text: str) -> float:
    """A duration of an effective description, in seconds."""
    number, unit = text.split()
    return float(number) * {"s": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}[unit]


def _copies(
    base: Base, asked: Asked, flows: list[dict[str, Any]], names: list[str], wanted: list[str]
) -> list[dict[str, Any]]:
    """The groups of flows, those that are tried once for each sender."""
    made = []
    for flow, name in zip(flows, names, strict=True):
        if name not in wanted:
            made.append(flow)
            continue
        for sender in asked.senders:
            made.append({**flow, "name": _beside(name, sender, wanted), "algorithm": base.senders[sender]})
    return made


def _head(base: Base, asked: Asked, document: Mapping[str, Any]) -> Iterable[str]:
    own = " --python FILE" if any(is_own(sender) for sender in asked.senders) else ""
    name = file_name(base)
    if "sweep" not in document:
        yield f"windlass run {name}{own}"
        return
    (key, values) = next(iter(document["sweep"].items()))
    yield f"windlass sweep {name}{own}     # all of them; one: windlass run {name}{own} --set {key}={_word(values[0])}"


def _word(value: Any) -> str:
    return value if isinstance(value, str) else f"'{_toml.value(value)}'"


def _absolute(part: Any, folder: Path) -> Any:
    """The same with files of the scenario's folder named from the root, so that it can be saved anywhere."""
    if isinstance(part, Mapping):
        return {key: _absolute(value, folder) for key, value in part.items()}
    if isinstance(part, list):
        return [_absolute(value, folder) for value in part]
    if isinstance(part, str) and "." in part and " " not in part and (folder / part).is_file():
        return str((folder / part).resolve())
    return part
