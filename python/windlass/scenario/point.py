"""One setting of a scenario."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from windlass.errors import WindlassError, core_errors
from windlass.scenario.builders import Value, set_texts

if TYPE_CHECKING:
    from windlass import _core
    from windlass.sweep import RunResult


@contextmanager
def own_failures(*others: type[Exception], cancel: _core.Cancel | None = None) -> Iterator[None]:
    """Say what went wrong in a run, also in an algorithm that is written in Python; `others` are left as they are.

    Ctrl-C comes to the main thread, or to one whose `cancel` is set; other such exceptions are of the algorithm itself.
    """
    known: tuple[type[Exception], ...] = (WindlassError, *others)
    try:
        with core_errors():
            yield
    except known:
        raise
    except BaseException as error:  # such an algorithm raised it
        from windlass.control import explain_failure, is_ours

        if is_ours(error) or (cancel is not None and cancel.is_set()):
            raise
        raise explain_failure(error) from error


@dataclass(frozen=True)
class FlowEnds:
    """One connection of a group.

    Attributes
    ----------
    group, flow : str
        Names of the group and of the connection, as in the results.
    sender, receiver : str
        Nodes; the first one sends, or opens where data flow both ways.
    start : str
        When it starts, as it would be written for it alone.
    reverse_start : str or None
        When data the other way start, if that is given.
    """

    group: str
    flow: str
    sender: str
    receiver: str
    start: str
    reverse_start: str | None


@dataclass(frozen=True, eq=False)
class Point:
    """One setting of a scenario: every default filled in, nothing left to sweep but the seed."""

    _point: _core.Point

    @property
    def axes(self) -> dict[str, str | int | float | bool]:
        """Swept keys with the value that they have here, as written."""
        return dict(self._point.axes)

    def composed(self) -> dict[str, Any]:
        """The tables as written, with what was set and this point's values laid over them, without defaults."""
        with core_errors():
            document: dict[str, Any] = json.loads(self._point.document())
        return document

    def flows(self) -> list[FlowEnds]:
        """Who talks to whom: the connections in order, but those that arrive at random."""
        with core_errors():
            rows = json.loads(self._point.flows())
        return [
            FlowEnds(row["group"], row["flow"], row["from"], row["to"], row["start"], row["reverse_start"])
            for row in rows
        ]

    def with_(self, settings: Mapping[str, Value]) -> Point:
        """The same point with other values.

        Parameters
        ----------
        settings : mapping of str to value
            Dotted keys, as in :meth:`windlass.Scenario.with_`.

        Raises
        ------
        InputError
            If a key is unknown or a value does not fit.
        """
        with core_errors():
            return Point(self._point.with_(set_texts(settings)))

    def effective(self) -> dict[str, Any]:
        """The description with every default."""
        return json.loads(self.effective_json())

    def effective_json(self) -> str:
        """The description with every default in its canonical text; the run's key is made from it."""
        with core_errors():
            return self._point.effective()

    def key(self, seed: int) -> str:
        """Content key of the run with this seed, 64 hexadecimal digits: equal keys, equal results.

        A hash of the description, of what is recorded, of the seed, of the columns that tables have, and of
        :meth:`results`.
        """
        with core_errors():
            return self._point.key(seed)

    def setting(self) -> str:
        """What this point's runs have alike, 64 hexadecimal digits: the key without the seed and the columns."""
        with core_errors():
            return self._point.setting()

    def results(self) -> int:
        """Number of the last change of results that concerns this point's runs (``crates/scenario/RESULTS.toml``)."""
        with core_errors():
            return self._point.results()

    def capacity(self, groups: Sequence[str] = ()) -> dict[str, Any] | None:
        """What the links can carry of the data of some groups of flows, as the engine reckons it.

        Parameters
        ----------
        groups : sequence of str
            Names of groups; all if none is given.

        Returns
        -------
        dict or None
            ``flows`` of data, a full ``packet`` and its ``payload`` (bytes), ``duration_s``, ``active_s`` (least time
            that such a flow sends; ``None``: no bound is known), ``round_trip_s`` without queues, ``bdp_packets`` of
            the narrowest of the links that most flows take, and ``cuts``: lists of ``links`` (``link``, ``reverse``,
            ``rate_bps``), of which each flow crosses one of every list, and whether flows have a link ``shared``.
            ``None`` if there is no such group.
        """
        with core_errors():
            found: dict[str, Any] | None = json.loads(self._point.capacity(list(groups)))
        return found

    def course(self, groups: Sequence[str] = (), seed: int = 1, *, bin_s: float = 1.0) -> list[dict[str, float]]:
        """How the path of some groups of flows changes in the run with a seed, as the engine knows it beforehand.

        Parameters
        ----------
        groups : sequence of str
            Names of groups; all if none is given.
        seed : int
            Seed of the run: what handovers draw depends on it.
        bin_s : float
            Seconds over which the mean is taken of what a trace or the frames of a base station carry.

        Returns
        -------
        list of dict
            One for each time between one change and the next: ``from_s``; ``carried_bps`` by the narrowest cut of the
            links, nothing in outages and handovers; ``narrowest_bps``, the rate of the narrowest of the links that most
            flows take, without outages; ``round_trip_s`` of propagation. Empty if no flow of the groups crosses a link.
        """
        with core_errors():
            found: list[dict[str, float]] = json.loads(self._point.course(list(groups), seed, bin_s))
        return found

    def range(self, groups: Sequence[str] = (), *, bin_s: float = 1.0) -> dict[str, Any] | None:
        """Between which values the path of some groups of flows can be in a run, whatever its seed.

        Parameters
        ----------
        groups : sequence of str
            Names of groups; all if none is given.
        bin_s : float
            As in :meth:`course`.

        Returns
        -------
        dict or None
            The least and the greatest, equal where nothing changes: ``round_trip_s``, ``narrowest_bps``, their product
            ``bdp_bits``, and ``rates_bps`` of the links of each cut of :meth:`capacity`, all without outages. ``None``
            if no flow of the groups crosses a link.
        """
        with core_errors():
            found: dict[str, Any] | None = json.loads(self._point.range(list(groups), bin_s))
        return found

    def estimate(self) -> dict[str, float]:
        """What one run needs at most, as if the narrowest links were always full.

        Returns
        -------
        dict
            ``packets`` that leave hosts, ``packet_hops`` (each link counted), ``records`` (values over time, losses,
            window changes, events on tapes), ``memory_bytes`` and its parts, ``network_bytes``, ``packet_bytes`` (under
            way) and ``record_bytes``, and ``seconds`` of a processor. Flows that lose packets leave links empty for a
            while, so that a run may take a tenth of it.
        """
        with core_errors():
            found: dict[str, float] = json.loads(self._point.estimate())
        return found

    def exchanges(self) -> list[dict[str, Any]]:
        """How long one frame of each kind takes on each radio medium, part by part, nobody else being there.

        Returns
        -------
        list of dict
            One for each ``medium``, data ``rate`` (Mbps) and kind of ``packet`` (``"data"``, ``"ACK"``) of so many
            ``bytes``. With EDCA its ``class`` and, where access points wait otherwise than stations, its ``sender``
            (``"station"``, ``"access-point"``); ``None`` elsewhere. In us: ``ifs`` (DIFS, or AIFS of the class), mean
            ``backoff``, ``rts``, ``cts``, ``data``, ``sifs`` (of which there are ``spaces``), ``ack``, the whole
            ``exchange``, how long one access may last (``txop``; 0: one exchange), and the ``cycle`` from one access
            to the next, with so many ``packets`` in it. ``mbps`` is what one station carries so, IP headers included.
            At rates of 802.11n also ``together`` (most packets of one access, in so many ``ampdus``),
            ``together_cycle``, ``together_mbps``. Empty without radio.
        """
        with core_errors():
            found: list[dict[str, Any]] = json.loads(self._point.exchanges())
        return found

    def cells(self) -> list[dict[str, Any]]:
        """What frames of base stations hold at which distance, and who serves each mobile when.

        Returns
        -------
        list of dict
            One for the cells of topology `cellular`, none for others: ``name``, ``radius`` (m), ``frame_ms``, number of
            ``base_stations``, ``rates`` and ``mobiles``. A rate has ``metres`` from the station, ``snr_db`` there, the
            ``modulation`` that is had up to there (``None``: capacity falls with every metre), a full ``packet`` of
            data (bytes, IP header included), ``down_bytes`` and ``up_bytes`` that a whole frame holds, ``down_mbps``
            and ``up_mbps`` of such packets for a mobile that is alone. A mobile has its ``name`` and how it is
            ``served``: parts of the run, each with ``from_s``, ``until_s``, the ``station`` or ``None`` and then
            ``why``, ``"handover"`` or ``"coverage"``.
        """
        with core_errors():
            found: list[dict[str, Any]] = json.loads(self._point.cells())
        return found

    def absences(self) -> list[dict[str, Any]]:
        """Stations that walk away from those that they exchange packets with, and mobiles that leave coverage.

        Returns
        -------
        list of dict
            One for each: ``medium``, name of the ``node``, whether it is a mobile of base stations (``cellular``),
            ``since_s`` when at first, and for how many ``seconds`` of the run in all. Random fading and shadowing are
            left out.
        """
        with core_errors():
            found: list[dict[str, Any]] = json.loads(self._point.absences())
        return found

    def map(self) -> list[dict[str, Any]]:
        """Where stations, base stations and mobiles are, when, and how far each is heard.

        Returns
        -------
        list of dict
            One for each radio medium whose stations have places, and one for the cells of mobiles: ``name``,
            ``receive_range`` and ``sense_range`` of frames, ``radius`` of base stations (metres; ``None``: there is no
            such limit), and ``nodes``, each with ``name``, ``role`` (``"station"``, ``"access-point"``,
            ``"base-station"``, ``"mobile"``) and ``way``: a list of corners ``[s, m east, m north]`` until the end of
            the run, one if it stays where it is. Random fading and shadowing are left out of the ranges.
        """
        with core_errors():
            found: list[dict[str, Any]] = json.loads(self._point.map())
        return found

    def opportunities(self, link: str, *, reverse: bool = False) -> list[int]:
        """When a link can deliver 1504 bytes more, until the end of the run: the lines of a mahimahi trace.

        Parameters
        ----------
        link : str
            Name of the link, as in the results.
        reverse : bool
            Its other direction.

        Returns
        -------
        list of int
            Milliseconds, rising; random loss and jitter play no part.

        Raises
        ------
        InputError
            If there is no such link, or the list would need more memory than :func:`windlass.limits` allows.
        """
        from windlass.resources import allowed

        with core_errors():
            return self._point.opportunities(link, reverse, allowed().memory_bytes)

    def run(self, seed: int, cancel: _core.Cancel | None = None) -> RunResult:
        """Run once, here and now, without looking into a store.

        Raises
        ------
        InputError
            If the description cannot become a network, or a run of it needs more than :func:`windlass.limits` allows.
        Cancelled
            If the token was set before the end.
        """
        from windlass.resources import allowed
        from windlass.sweep import RunResult
        from windlass.tables import tables_from_core

        with own_failures(cancel=cancel):
            may = allowed()
            columns = self._point.run(seed, cancel, may.memory_bytes, may.seconds)
        return RunResult(key=self.key(seed), seed=seed, axes=self.axes, tables=tables_from_core(columns))
