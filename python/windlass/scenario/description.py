"""A checked description, made of whatever it comes from."""

from __future__ import annotations

import json
import tomllib
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

from windlass.amounts import counted
from windlass.errors import InputError, core_errors
from windlass.scenario.builders import (
    Cellular,
    Chain,
    Dumbbell,
    Flow,
    Graph,
    ThreeRouters,
    Value,
    Wlan,
    plain,
    set_texts,
)
from windlass.scenario.point import Point

if TYPE_CHECKING:
    from windlass.sweep import RunResult, SweepResult


class Scenario:
    """A checked description of one run or of a sweep of them. Values never change; :meth:`with_` makes another one.

    The parameters are the tables and keys of the scenario file. Use :func:`load` for a file and :func:`from_dict` for a
    dict.

    Parameters
    ----------
    duration : str
        Simulated time, ``"200 s"``.
    topology : Dumbbell, ThreeRouters, Wlan, Chain, Cellular, Graph or mapping
        Nodes and links.
    flows : Flow, mapping, or a sequence of them
        Connections.
    name, warmup, profile : str, optional
        Name of the scenario, time that is left out of the measures, ``"rfc"``, ``"ns2"`` or ``"linux"``.
    seeds : int or sequence of int, optional
        How many seeds, or which.
    first_seed : int, optional
        Where counting starts.
    tcp : mapping, optional
        Engine rules for all flows.
    traces : sequence of str, optional
        Series to record: ``"cwnd"``, ``"ssthresh"``, ``"flight"``, ``"srtt"``, ``"rate"``, ``"loss-event-rate"``,
        ``"window"``, ``"sent"``, ``"delivered"``, ``"delay"``, ``"queue"``, ``"airtime"``, ``"serving"``, ``"snr"``;
        and ``"tape"``, which is no series: see :mod:`windlass.tapes`.
    trace_step : str, optional
        Spacing of the series; on every change if not given.
    events : bool, optional
        Record window changes and losses.
    delays : bool, optional
        Record queueing delays of every flow.
    sweep : mapping, optional
        Dotted key to the list of its values. Keys that go together stand in one entry, with a comma between them and a
        list of values for each step: ``{"topology.bottleneck.rate, topology.bottleneck.delay": [["1 Mbps", "300 ms"],
        ["50 Mbps", "20 ms"]]}``.

    Raises
    ------
    InputError
        If anything in it is unknown, lacks a unit, or is out of range.
    """

    def __init__(
        self,
        *,
        duration: str,
        topology: Dumbbell | ThreeRouters | Wlan | Chain | Cellular | Graph | Mapping[str, Any],
        flows: Flow | Mapping[str, Any] | Sequence[Flow | Mapping[str, Any]],
        name: str | None = None,
        warmup: str | None = None,
        profile: str | None = None,
        seeds: int | Sequence[int] | None = None,
        first_seed: int | None = None,
        tcp: Mapping[str, Any] | None = None,
        traces: Sequence[str] | None = None,
        trace_step: str | None = None,
        events: bool | None = None,
        delays: bool | None = None,
        sweep: Mapping[str, Sequence[Any]] | None = None,
    ) -> None:
        head = {
            "name": name,
            "duration": duration,
            "warmup": warmup,
            "profile": profile,
            "seeds": seeds,
            "first_seed": first_seed,
        }
        output = {"traces": traces, "trace_step": trace_step, "events": events, "delays": delays}
        document = {
            "scenario": _given(head),
            "topology": plain(topology),
            "tcp": plain(tcp),
            "flows": [plain(flows)] if isinstance(flows, (Flow, Mapping)) else plain(list(flows)),
            "output": _given(output),
            "sweep": plain(sweep),
        }
        self._read("json", _json({table: part for table, part in document.items() if part}), "<scenario>", (), None)

    @classmethod
    def from_dict(cls, document: Mapping[str, Any], *, filename: str = "<dict>") -> Self:
        """A scenario from the same tables and keys as in a file.

        Raises
        ------
        InputError
            If anything in it is unknown, lacks a unit, or is out of range.
        """
        return cls._make("json", _json(plain(document)), filename, (), None)

    @classmethod
    def from_toml(
        cls,
        text: str,
        *,
        filename: str = "<text>",
        sets: Iterable[tuple[str, str]] = (),
        folder: str | Path | None = None,
    ) -> Self:
        """A scenario from the text of a file.

        Parameters
        ----------
        text : str
            TOML.
        filename : str
            Named in errors.
        sets : iterable of (str, str)
            Dotted key and value as text, laid over the file in this order.
        folder : str or Path, optional
            Where files lie that the text names; the folder of ``filename`` if not given.

        Raises
        ------
        InputError
            If anything in it is unknown, lacks a unit, or is out of range.
        """
        return cls._make("toml", text, filename, tuple(sets), folder)

    @classmethod
    def _make(
        cls, form: str, text: str, filename: str, sets: tuple[tuple[str, str], ...], folder: str | Path | None
    ) -> Self:
        scenario = cls.__new__(cls)
        scenario._read(form, text, filename, sets, folder)
        return scenario

    def _read(
        self, form: str, text: str, filename: str, sets: tuple[tuple[str, str], ...], folder: str | Path | None
    ) -> None:
        from windlass import _core

        self._form = form
        self._text = text
        self._filename = filename
        self._sets = sets
        self._folder = folder
        with core_errors():
            if form == "toml":
                self._core = _core.Scenario.from_toml(text, filename, list(sets), folder)
            else:
                self._core = _core.Scenario.from_json(text, filename, list(sets))

    @property
    def name(self) -> str:
        """Name of the scenario."""
        return self._core.name

    @property
    def seeds(self) -> list[int]:
        """Seeds that a sweep runs unless told otherwise."""
        return list(self._core.seeds)

    @property
    def duration_s(self) -> float:
        """Simulated time, seconds."""
        return self._core.duration_s

    @property
    def sets(self) -> tuple[tuple[str, str], ...]:
        """What was laid over the document, in order: dotted keys and values as text."""
        return self._sets

    def document(self) -> dict[str, Any]:
        """The tables as written, without :attr:`sets` and without defaults."""
        return tomllib.loads(self._text) if self._form == "toml" else json.loads(self._text)

    def composed(self) -> dict[str, Any]:
        """The tables as written with :attr:`sets` laid over them, without defaults: another file of the same runs."""
        document: dict[str, Any] = json.loads(self._core.document())
        return document

    def with_(self, settings: Mapping[str, Value]) -> Self:
        """The same scenario with other values.

        Parameters
        ----------
        settings : mapping of str to value
            Dotted keys as in ``--set`` and in ``[sweep]``: ``{"flows.algorithm": "cerl", "scenario.duration": "20
            s"}``.

        Raises
        ------
        InputError
            If a key is unknown or a value does not fit.
        """
        return self._make(self._form, self._text, self._filename, (*self._sets, *set_texts(settings)), self._folder)

    def points(self) -> list[Point]:
        """The product of the sweep's axes in the order of the file, the last one fastest; one if nothing is swept."""
        with core_errors():
            return [Point(point) for point in self._core.points()]

    def run(self, seed: int | None = None) -> RunResult:
        """Run once.

        Parameters
        ----------
        seed : int, optional
            The scenario's first seed if not given.

        Raises
        ------
        InputError
            If the scenario sweeps more than one point.
        """
        from windlass.sweep import run

        return run(self, seed)

    def sweep(self, **options: Any) -> SweepResult:
        """Run every point with every seed; the options are those of :func:`windlass.sweep`."""
        from windlass.sweep import sweep

        return sweep(self, **options)

    def __repr__(self) -> str:
        return f"<Scenario {self.name!r}: {counted(len(self._core.points()), 'point')}, {counted(len(self._core.seeds), 'seed')}>"


def _given(table: Mapping[str, Any]) -> dict[str, Any]:
    return {name: plain(item) for name, item in table.items() if item is not None}


def _json(document: Any) -> str:
    try:
        return json.dumps(document, allow_nan=False)
    except (TypeError, ValueError) as error:
        raise InputError(
            f"the description is not plain data: {error}",
            code="scenario.not-data",
            hint="use str, int, float, bool, lists and dicts only",
        ) from None


def from_dict(document: Mapping[str, Any]) -> Scenario:
    """A scenario from a dict with the tables and keys of the file.

    Raises
    ------
    InputError
        If anything in it is unknown, lacks a unit, or is out of range.
    """
    return Scenario.from_dict(document)
