"""What a comparison is asked for: algorithms and queues as text or tables, and which of them gains are against."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, TypeAlias

from windlass.errors import InputError
from windlass.scenario.builders import plain

__all__ = ["Algorithm", "algorithm_value", "baseline_of", "named_algorithms", "named_queues", "refuse_files"]

Algorithm: TypeAlias = str | type | Mapping[str, Any]
"""A name, a class derived from :class:`windlass.CongestionControl`, or a table of one of these and parameters."""


def algorithm_value(text: str) -> str | dict[str, Any]:
    """An algorithm from the command line: ``cerl`` or ``cerl:cerl_cmp=gt,...``.

    Raises
    ------
    InputError
        If a parameter is not NAME=VALUE, or is given twice.
    """
    name, colon, rest = text.partition(":")
    if not colon:
        return name
    chosen: dict[str, Any] = {"name": name}
    for part in rest.split(","):
        key, equals, value = part.partition("=")
        if not equals or not key.strip():
            raise InputError(
                f"`{part}` is not PARAMETER=VALUE",
                code="compare.parameter",
                hint="write `cerl:cerl_cmp=gt,cerl_lmax=rebase`; `windlass list algorithms cerl` shows the parameters",
            )
        _once(chosen, key.strip(), text)
        chosen[key.strip()] = _scalar(value.strip())
    return chosen


def _once(chosen: Mapping[str, Any], key: str, text: str) -> None:
    if key in chosen:
        raise InputError(
            f"`{text}` gives `{key}` twice", code="compare.parameter", hint=f"leave one of the two `{key}=` out"
        )


def _scalar(text: str) -> Any:
    if text in ("true", "false"):
        return text == "true"
    try:
        return float(text) if any(mark in text for mark in ".eE") else int(text)
    except ValueError:
        return text


def refuse_files(algorithms: Sequence[Algorithm]) -> None:
    """Refuse scenarios and files of Python among algorithms.

    Raises
    ------
    InputError
        With the option that they belong to.
    """
    from windlass.scenario import ready_scenarios

    for one in algorithms:
        if not isinstance(one, str):
            continue
        is_python = one.endswith(".py")
        if not (is_python or one.endswith((".toml", ".json")) or one in ready_scenarios() or Path(one).is_file()):
            continue
        others = " ".join(str(other) for other in algorithms if isinstance(other, str) and other != one) or "cubic bbr"
        raise InputError(
            f"`{one}` is {'a file of Python' if is_python else 'a scenario'}, not an algorithm",
            code="compare.nothing",
            hint="its algorithms are known by their names, with `--python " + one + "`"
            if is_python
            else f"it is the path on which they are compared: `windlass compare {others} --path {one}`",
        )


def named_algorithms(algorithms: Sequence[Algorithm]) -> dict[str, str | dict[str, Any]]:
    """The algorithms by their labels; classes are made known under theirs.

    Raises
    ------
    InputError
        If there is none, one stands twice, is a file, or is a class that cannot serve.
    """
    if not algorithms:
        raise InputError(
            "no algorithm", code="compare.nothing", hint="name two or more: `windlass compare newreno cerl`"
        )
    refuse_files(algorithms)
    items: list[str | Mapping[str, Any]] = [plain(item) for item in algorithms]
    named = {_label(item, "name"): algorithm_value(item) if isinstance(item, str) else dict(item) for item in items}
    if len(named) != len(items):
        raise InputError("an algorithm stands twice", code="compare.twice", hint="name each one once")
    return named


def _label(item: str | Mapping[str, Any], name: str) -> str:
    if isinstance(item, str):
        return item
    rest = ",".join(f"{key}={value}" for key, value in item.items() if key != name)
    return f"{item[name]}:{rest}" if rest else str(item[name])


def named_queues(queues: Sequence[str | Mapping[str, Any]]) -> dict[str, str | dict[str, Any] | None]:
    """The queues by their labels, each as `queue` of a link; the path's own, ``None``, alone if none is given.

    Raises
    ------
    InputError
        If one cannot be read, or stands twice.
    """
    if not queues:
        return {"": None}
    named: dict[str, str | dict[str, Any] | None] = {_label(item, "discipline"): _queue(item) for item in queues}
    if len(named) != len(queues):
        raise InputError("a queue stands twice", code="compare.twice", hint="name each one once")
    return named


def _queue(item: str | Mapping[str, Any]) -> str | dict[str, Any]:
    if not isinstance(item, str):
        return dict(item)
    name, colon, rest = item.partition(":")
    if not colon and name[:1].isdigit():
        return name.strip()
    chosen: dict[str, Any] = {"discipline": name.strip()}
    for part in filter(None, (piece.strip() for piece in rest.split(","))):
        key, equals, value = (word.strip() for word in part.partition("="))
        if not equals:
            key, value = "limit", key
        _once(chosen, key, item)
        if key == "limit" and not value[:1].isdigit():
            raise InputError(
                f"`{item}`: `{value}` is no limit of a queue",
                code="compare.queue",
                hint='write `codel`, `"drop-tail:1 bdp"`, `"200 packets"`, `"codel:limit=100 ms,target=10 ms"`',
            )
        chosen[key] = value if key == "limit" else _scalar(value)
    return chosen


def baseline_of(wanted: str | None, algorithms: Mapping[str, Any], queues: Mapping[str, Any]) -> tuple[str, str]:
    """Algorithm and queue that gains are against: the first ones unless said otherwise.

    Parameters
    ----------
    wanted : str or None
        ``ALGORITHM``, ``ALGORITHM with QUEUE`` or ``QUEUE``.

    Raises
    ------
    InputError
        If no candidate is called so.
    """
    first, plain = next(iter(algorithms)), next(iter(queues))
    candidates = {(algorithm, queue) for algorithm in algorithms for queue in queues}
    if wanted is None:
        return first, plain
    algorithm, _, queue = wanted.partition(" with ")
    for found in ((algorithm, queue), (wanted, plain), (first, wanted)):
        if found in candidates:
            return found
    listed = ", ".join(f"`{name}`" for name in [*algorithms, *(queue for queue in queues if queue)])
    raise InputError(
        f"no candidate `{wanted}`",
        code="compare.baseline",
        hint=f"compared are {listed}; a baseline is one of them, or `ALGORITHM with QUEUE`",
    )
