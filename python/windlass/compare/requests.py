"""What a comparison is asked for: algorithms and queues as text or tables, and which of them gains are against."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windlass.errors import InputError

if TYPE_CHECKING:
    from windlass.scenario import Point

__all__ = ["Queue", "algorithm_value", "baseline_of", "named_algorithms", "named_queues"]

_BDP = re.compile(r"([0-9]*\.?[0-9]+)\s*bdp", re.IGNORECASE)


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


def named_algorithms(algorithms: Sequence[str | Mapping[str, Any]]) -> dict[str, str | dict[str, Any]]:
    """The algorithms by their labels."""
    if not algorithms:
        raise InputError(
            "no algorithm", code="compare.nothing", hint="name two or more: `windlass compare newreno cerl`"
        )
    named = {
        _label(item, "name"): algorithm_value(item) if isinstance(item, str) else dict(item) for item in algorithms
    }
    if len(named) != len(algorithms):
        raise InputError("an algorithm stands twice", code="compare.twice", hint="name each one once")
    return named


def _label(item: str | Mapping[str, Any], name: str) -> str:
    if isinstance(item, str):
        return item
    rest = ",".join(f"{key}={value}" for key, value in item.items() if key != name)
    return f"{item[name]}:{rest}" if rest else str(item[name])


@dataclass(frozen=True)
class Queue:
    """A queue to compare.

    Attributes
    ----------
    value : str, dict or None
        As `queue` of a link; none: the path's own.
    bdps : float or None
        Its limit in bandwidth-delay products of the path, if it was given so.
    """

    value: str | dict[str, Any] | None
    bdps: float | None = None

    def at(self, point: Point, group: str) -> str | dict[str, Any] | None:
        """The value at a point of the path, whose bandwidth-delay product may differ from the next one's.

        Raises
        ------
        InputError
            If it is given in products, and that of the path is not known.
        """
        if self.bdps is None or self.value is None:
            return self.value
        capacity = point.capacity([group])
        if capacity is None or not capacity.get("bdp_packets"):
            raise InputError(
                "the bandwidth-delay product of the path is not known",
                code="compare.queue",
                hint='give the limit in packets: `--queue "drop-tail:50 packets"`',
            )
        limit = f"{max(1, round(self.bdps * capacity['bdp_packets']))} packets"
        return limit if isinstance(self.value, str) else {**self.value, "limit": limit}


def named_queues(queues: Sequence[str | Mapping[str, Any]]) -> dict[str, Queue]:
    """The queues by their labels; the path's own alone if none is given.

    Raises
    ------
    InputError
        If one cannot be read, or stands twice.
    """
    if not queues:
        return {"": Queue(None)}
    named = {_label(item, "discipline"): _queue(item) for item in queues}
    if len(named) != len(queues):
        raise InputError("a queue stands twice", code="compare.twice", hint="name each one once")
    return named


def _queue(item: str | Mapping[str, Any]) -> Queue:
    if not isinstance(item, str):
        return Queue(dict(item))
    name, colon, rest = item.partition(":")
    if not colon and name[:1].isdigit():
        return _limited(name, None)
    chosen: dict[str, Any] = {"discipline": name.strip()}
    bdps = None
    for part in filter(None, (piece.strip() for piece in rest.split(","))):
        key, equals, value = (word.strip() for word in part.partition("="))
        if not equals:
            key, value = "limit", key
        _once(chosen, key, item)
        if key == "limit":
            limited = _limited(value, item)
            chosen["limit"], bdps = limited.value, limited.bdps
        else:
            chosen[key] = _scalar(value)
    return Queue(chosen, bdps)


def _limited(text: str, whole: str | None) -> Queue:
    """A limit alone: packets, bytes, or bandwidth-delay products."""
    found = _BDP.fullmatch(text.strip())
    if found:
        return Queue(text, float(found[1]))
    if not text[:1].isdigit():
        raise InputError(
            f"`{whole or text}`: `{text}` is no limit of a queue",
            code="compare.queue",
            hint='write `codel`, `"drop-tail:1 bdp"`, `"200 packets"`, `"codel:limit=2 bdp,target=10 ms"`',
        )
    return Queue(text.strip())


def baseline_of(wanted: str | None, algorithms: Mapping[str, Any], queues: Mapping[str, Queue]) -> tuple[str, str]:
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
