"""The simulator: scenarios, runs, and what there is to choose from."""

from os import PathLike
from typing import Any, final

__all__ = [
    "COLUMNS",
    "ENGINE_VERSION",
    "NOT_LOST",
    "Ack",
    "Cancel",
    "Cancelled",
    "Cannot",
    "Congestion",
    "Driver",
    "InputError",
    "Path",
    "Point",
    "Scenario",
    "algorithms",
    "errors",
    "jitter_models",
    "keys",
    "loss_causes",
    "loss_models",
    "queues",
    "read_capture",
    "register_algorithm",
    "registered",
    "rules",
    "series",
    "toml_with_lines",
    "topologies",
    "traffic_kinds",
    "transports",
    "window_events",
    "words",
]

ENGINE_VERSION: str
"""Release and number of the newest change of results; on which of these changes a run depends, `Point.results` says."""

COLUMNS: int
"""Number of the set of columns that tables of runs have; part of every key."""

NOT_LOST: str
"""What stands under ``true_cause`` of an event whose segment was not lost."""

class InputError(Exception):
    """The scenario is wrong.

    ``str()`` gives one line with the code, the place and the message, and a second one with the hint, if there is one.

    Attributes
    ----------
    code : str
        Stable code, one of those that `errors` lists, such as ``"scenario.unknown-key"``.
    message : str
        What is wrong, one line.
    file : str or None
        File, or the override that brought the value.
    line : int or None
        Line in the file, from 1.
    hint : str or None
        What to write instead, one line.
    """

    code: str
    message: str
    file: str | None
    line: int | None
    hint: str | None

class Cancelled(Exception):
    """The run was stopped by its `Cancel` token; it has no result."""

class Cannot(Exception):
    """An endpoint was asked for something that it cannot do."""

@final
class Driver:
    """One TCP endpoint without a network: what arrives and when is said from outside.

    Bytes of both streams are counted from 0, without the SYN. May be used from the thread that made it only.

    Parameters
    ----------
    options : list of (str, str)
        Names and values as at the head of a packet script: ``cc``, ``profile``, ``mss``, ``role``, every engine rule.
    largest : int
        Most payload of a segment that arrives, bytes. A packet with more holds several.

    Raises
    ------
    Cannot
        If there is no such option, or a value is none of it.
    """

    def __new__(cls, options: list[tuple[str, str]], largest: int = 1460) -> Driver: ...
    @property
    def now_ns(self) -> int:
        """The clock, ns."""

    def open(self) -> None:
        """The SYN leaves."""

    def write(self, bytes: int) -> None:
        """The application writes that many more bytes.

        Raises
        ------
        Cannot
            After a write that did not end at a whole segment.
        """

    def advance(self, to_ns: int, until_sent: bool) -> None:
        """The clock goes on; timers expire on the way. With `until_sent` it stops when something was sent."""

    def refuse(self) -> None:
        """The device's queue takes nothing from now on: what the endpoint would send, it has not sent."""

    def receive(
        self,
        words: list[str],
        start: int = 0,
        end: int = 0,
        ack: int = 0,
        sack: list[tuple[int, int]] = ...,
        window: int = 0,
        stamps_ns: tuple[int, int] | None = None,
    ) -> None:
        """A segment arrives now, or several in one packet, which one ACK answers.

        Parameters
        ----------
        words : list of str
            Header bits: ``"syn"``, ``"ack"``, ``"ce"``, ``"ece"``, ``"cwr"``, ``"ae"``.
        start, end : int
            First byte of its data and one past the last.
        ack, window : int
            What it acknowledges, and the receive window, bytes.
        sack : list of (int, int)
            SACK blocks, the first one first.
        stamps_ns : (int, int), optional
            The other side's clock, and ours as it is echoed, ns; without it the packet has no timestamps.

        Raises
        ------
        Cannot
            If its data are no whole segments.
        """

    def take_sent(self) -> list[tuple[int, list[str], int, int, int | None, list[tuple[int, int]], int]]:
        """What has left since the last call.

        Returns
        -------
        list of tuple
            Time in ns, header bits, first byte, one past the last, what it acknowledges, SACK blocks, the echoed clock
            in ns.
        """

    def info(self) -> dict[str, float]:
        """What the sender tells of itself, by names of Linux's ``tcp_info`` without ``tcpi_``; segments, us."""

@final
class Cancel:
    """Token that stops runs from another thread."""

    def __new__(cls) -> Cancel: ...
    def set(self) -> None:
        """Stop the runs that were given this token, and those that will be."""

    def is_set(self) -> bool:
        """Tell whether `set` was called.

        Returns
        -------
        bool
        """

@final
class Scenario:
    """A checked description of one run or a sweep. Made by `from_toml` or `from_json`; cannot be changed."""

    @staticmethod
    def from_toml(
        text: str, filename: str, sets: list[tuple[str, str]] = ..., folder: str | PathLike[str] | None = None
    ) -> Scenario:
        """Read TOML.

        Parameters
        ----------
        text : str
            The description.
        filename : str
            Its name in errors. Files that the description names are looked for in its folder.
        sets : list of (str, str)
            Overrides, a dotted key and a value each. A value is read as TOML if it is that, and as text otherwise. An
            override of a swept key ends its sweep; one of ``sweep.KEY`` makes ``KEY`` an axis.
        folder : path, optional
            Another folder for the files that the description names.

        Returns
        -------
        Scenario

        Raises
        ------
        InputError
            If anything in the description is wrong.
        """

    @staticmethod
    def from_json(text: str, filename: str = "<dict>", sets: list[tuple[str, str]] = ...) -> Scenario:
        """Read JSON of the same form; null stands for a key that is not given.

        Parameters
        ----------
        text : str
            The description.
        filename : str
            Its name in errors.
        sets : list of (str, str)
            Overrides, as in `from_toml`.

        Returns
        -------
        Scenario

        Raises
        ------
        InputError
            If anything in the description is wrong.
        """

    @property
    def name(self) -> str:
        """Name, for people; it changes no run."""

    @property
    def seeds(self) -> list[int]:
        """Seeds of the runs of each point."""

    @property
    def duration_s(self) -> float:
        """Length of the first point's run, seconds of simulated time."""

    def document(self) -> str:
        """Give the description with the overrides laid over it, without defaults.

        Returns
        -------
        str
            JSON.
        """

    def points(self) -> list[Point]:
        """Product of the sweep axes, the last axis fastest; one point if there is no sweep.

        Returns
        -------
        list of Point
        """

@final
class Point:
    """One point of a sweep: everything chosen but the seed."""

    @property
    def axes(self) -> dict[str, str | float | int | bool]:
        """Swept keys with this point's values as they were written, in the order of the file.

        A table is shown as its name and the rest, such as ``"cerl(cerl_cmp=gt)"``.
        """

    def document(self) -> str:
        """Give the description with overrides and this point's values laid over it, without defaults.

        Returns
        -------
        str
            JSON.

        Raises
        ------
        InputError
            As `effective`.
        """

    def flows(self) -> str:
        """List the connections in order, but those that arrive at random.

        Returns
        -------
        str
            JSON list of objects with group, flow, from, to, start, and reverse_start (null: none).

        Raises
        ------
        InputError
            As `effective`.
        """

    def with_(self, sets: list[tuple[str, str]]) -> Point:
        """Make the same point with other values.

        Parameters
        ----------
        sets : list of (str, str)
            Overrides, a dotted key and a value each.

        Returns
        -------
        Point

        Raises
        ------
        InputError
            If a key is unknown or a value does not fit.
        """

    def effective(self) -> str:
        """Write the description out with every default filled.

        Returns
        -------
        str
            JSON, the same text for equal runs, without name, seeds, sweep and output. `Scenario.from_json` reads it.

        Raises
        ------
        InputError
            If this point of a large sweep is wrong; the points of a small one are checked when it is read.
        """

    def estimate(self) -> str:
        """Tell what one run needs at most.

        Returns
        -------
        str
            JSON, as :meth:`windlass.Point.estimate` has it.

        Raises
        ------
        InputError
            As `effective`.
        """

    def capacity(self, groups: list[str]) -> str:
        """Tell what the links can carry of the data of some groups of flows.

        Parameters
        ----------
        groups : list of str
            Names of groups; all if empty.

        Returns
        -------
        str
            JSON object, as `windlass.scenario.Point.capacity` describes it; null if there is no such group.

        Raises
        ------
        InputError
            If the description cannot become a network.
        """

    def course(self, groups: list[str], seed: int, bin_s: float) -> str:
        """Tell how the path of some groups of flows changes in a run.

        Parameters
        ----------
        groups : list of str
            Names of groups; all if empty.
        seed : int
            Seed of the run.
        bin_s : float
            Seconds over which the mean is taken of what comes in pieces; a thousandth at least.

        Returns
        -------
        str
            JSON list, as `windlass.scenario.Point.course` describes it.

        Raises
        ------
        InputError
            If the description cannot become a network.
        """

    def range(self, groups: list[str], bin_s: float) -> str:
        """Tell between which values the path of some groups of flows can be.

        Parameters
        ----------
        groups : list of str
            Names of groups; all if empty.
        bin_s : float
            As in `course`.

        Returns
        -------
        str
            JSON object, as `windlass.scenario.Point.range` describes it; null if no flow of the groups crosses a link.

        Raises
        ------
        InputError
            If the description cannot become a network.
        """

    def exchanges(self) -> str:
        """Tell how long one frame of each kind takes on each radio medium, part by part.

        Returns
        -------
        str
            JSON list, as `windlass.scenario.Point.exchanges` describes it; empty without radio.

        Raises
        ------
        InputError
            As `effective`.
        """

    def cells(self) -> str:
        """Tell what frames of base stations hold at which distance, and who serves each mobile when.

        Returns
        -------
        str
            JSON list, as `windlass.scenario.Point.cells` describes it; empty without base stations.

        Raises
        ------
        InputError
            As `effective`.
        """

    def absences(self) -> str:
        """Tell which stations and mobiles are out of reach at some time.

        Returns
        -------
        str
            JSON list, as `windlass.scenario.Point.absences` describes it; empty if none is.

        Raises
        ------
        InputError
            As `effective`.
        """

    def map(self) -> str:
        """Tell where stations, base stations and mobiles are, when, and how far each is heard.

        Returns
        -------
        str
            JSON list, as `windlass.scenario.Point.map` describes it; empty where nothing has a place.

        Raises
        ------
        InputError
            As `effective`.
        """

    def opportunities(self, link: str, reverse: bool = False, memory_bytes: float | None = None) -> list[int]:
        """List when a link can deliver 1504 bytes more, until the end of the run: what a mahimahi trace holds.

        Parameters
        ----------
        link : str
            Name of the link.
        reverse : bool
            Its other direction.

        Returns
        -------
        list of int
            Milliseconds, rising.

        Raises
        ------
        InputError
            As `effective`, or if there is no such link.
        """

    def key(self, seed: int) -> str:
        """Key of the run with this seed.

        Parameters
        ----------
        seed : int
            Seed, 0 to 2**63 - 1.

        Returns
        -------
        str
            64 hexadecimal digits: hash of `setting`, the seed and `COLUMNS`.

        Raises
        ------
        InputError
            As `effective`, or if the seed is negative.
        """

    def setting(self) -> str:
        """What this point's runs have alike.

        Returns
        -------
        str
            64 hexadecimal digits: hash of the description, what is recorded, and `results`.

        Raises
        ------
        InputError
            As `effective`.
        """

    def results(self) -> int:
        """Number of the last change of results that concerns this point's runs.

        Raises
        ------
        InputError
            As `effective`.
        """

    def capture(
        self,
        seed: int,
        wanted: object,
        cancel: Cancel | None = None,
        memory_bytes: float | None = None,
        seconds: float | None = None,
    ) -> tuple[dict[str, dict[str, tuple[str | list[str], bytes]]], str]:
        """Run once, and write what passes points of the network in the format pcapng.

        Parameters
        ----------
        seed : int
            Seed of the run.
        wanted : object
            With the attributes ``points`` (list of str: ``sender``, ``receiver``, ``before:LINK``, ``after:LINK``),
            ``flows`` (list of str, ``*`` for any letters; empty: all), ``limit`` (int, most records), ``payload``
            (bool, whether it is written) and ``write``, which is called with each piece of the file, bytes.
        cancel : Cancel, optional
            Stops the run.
        memory_bytes, seconds : float, optional
            What the run may need by estimate.

        Returns
        -------
        tuple of dict and str
            The tables as :meth:`run` returns them, and JSON: ``points`` (``point``, ``records``), ``packets``,
            ``lost``, ``stopped_s`` (when the limit was reached, or null).

        Raises
        ------
        InputError
            If there is no such point or flow, or the run needs more than it may.
        Cancelled
            If the token was set before the end.
        """

    def run(
        self,
        seed: int,
        cancel: Cancel | None = None,
        memory_bytes: float | None = None,
        seconds: float | None = None,
    ) -> dict[str, dict[str, tuple[str | list[str], bytes]]]:
        """Run with this seed. Other threads of the interpreter go on meanwhile.

        Parameters
        ----------
        seed : int
            Seed, 0 to 2**63 - 1.
        cancel : Cancel, optional
            Token that stops the run.
        memory_bytes, seconds : float, optional
            A run that needs more by estimate is refused.

        Returns
        -------
        dict
            Tables ``flows``, ``links``, ``stations``, ``traces``, ``events``, ``losses`` and ``tapes``, each a dict of
            columns of equal length in order. A column of numbers is a pair of its type, ``"f8"`` or ``"i8"``, and its
            little-endian bytes, NaN where a value is missing; a column of words is a pair of a list and of which of
            them each row has, as bytes of 32-bit integers.

        Raises
        ------
        InputError
            As `effective`, if the seed is negative, or if the run needs too much.
        Cancelled
            If the token was set before the end.
        """

@final
class Ack:
    """One arriving ACK, as the engine understood it. Times in seconds, amounts in bytes."""

    @property
    def now(self) -> float:
        """Time of arrival."""

    @property
    def newly_acked(self) -> float:
        """Newly acknowledged cumulatively; 0 for a duplicate."""

    @property
    def grows(self) -> bool:
        """The window may grow: the ACK advances, no recovery is on, and the window was in use."""

    @property
    def slow_start(self) -> float:
        """Its worth in slow start: newly acknowledged bytes up to a limit, or a segment if ACKs are counted."""

    @property
    def avoidance(self) -> float:
        """What it counts for in congestion avoidance: likewise, and never more than the window."""

    @property
    def in_recovery(self) -> bool:
        """A recovery is on."""

    @property
    def gap(self) -> bool:
        """Segments beyond what it acknowledges have arrived: SACK tells of a gap, or it is a duplicate."""

    @property
    def rtt(self) -> float | None:
        """Delay sample from the newest never-retransmitted segment that the ACK covers."""

    @property
    def receiver_time(self) -> float | None:
        """When the acknowledged segment arrived, by the receiver's clock; only differences mean anything."""

    @property
    def one_way_delay(self) -> float | None:
        """Arrival by the receiver's clock minus departure by the sender's; only differences mean anything."""

    @property
    def marked(self) -> bool:
        """The ACK carries a congestion mark."""

    @property
    def ce(self) -> float:
        """Marked data that it tells of, where the receiver counts them (``ecn_echo = "accecn"``), else 0."""

    @property
    def round_ended(self) -> bool:
        """The first ACK beyond what had been sent when the round began: about once per RTT."""

    @property
    def round_sent(self) -> float:
        """What was sent for the first time during the round that ended, else 0."""

@final
class Congestion:
    """A loss or mark. Times in seconds."""

    @property
    def now(self) -> float:
        """When it was noticed."""

    @property
    def cause(self) -> str:
        """``"dup-acks"``, ``"rto"`` or ``"ecn-mark"``."""

    @property
    def cut_already(self) -> bool:
        """Everything lost was sent before the last reduction."""

    @property
    def timeouts(self) -> int:
        """Timeouts in a row for this segment, 0 for other causes."""

    @property
    def retransmitted(self) -> bool:
        """The lost segment had been retransmitted before."""

    @property
    def sent_at(self) -> float | None:
        """When the lost segment was last sent."""

    @property
    def hold_ssthresh(self) -> bool:
        """Keep ssthresh (RFC 5681: the timer expired again for the same segment)."""

    @property
    def half_base(self) -> float:
        """What a halving starts from now: the flight size, or the window, by the profile."""

    def keep(self, share: float) -> tuple[float, float]:
        """Window and threshold after keeping `share` of what a halving starts from, at least two segments.

        Returns
        -------
        tuple of float
            cwnd and ssthresh, bytes.
        """

@final
class Path:
    """What the engine knows of the connection. Times in seconds, amounts in bytes."""

    @property
    def mss(self) -> float:
        """Payload of a full segment."""

    @property
    def srtt(self) -> float:
        """Smoothed RTT, 0 before the first sample."""

    @property
    def rtt(self) -> float:
        """Newest delay sample, 0 before the first."""

    @property
    def rtt_min(self) -> float:
        """Least delay sample, 0 before the first."""

    @property
    def flight_size(self) -> float:
        """Sent and not cumulatively acknowledged."""

    @property
    def rwnd(self) -> float:
        """Receiver's window."""

    @property
    def dup_threshold(self) -> int:
        """Duplicate ACKs that mean a loss."""

def read_capture(file: bytes) -> dict[str, Any] | None:
    """Read the TCP segments of a pcap or pcapng file.

    Parameters
    ----------
    file : bytes
        The whole file.

    Returns
    -------
    dict or None
        ``None`` if it begins like neither. ``connections``: list of ((address, port), (address, port)). ``segments``:
        columns of int64, little-endian bytes: ``time_ns`` (since 1970), ``connection``, ``direction`` (0: from the
        first end), ``seq``, ``ack``, ``payload``, ``packet`` (bytes of the IP packet), ``flags``, ``window``,
        ``ip_id`` (-1: IPv6), ``ecn``, ``timestamp``, ``echo`` (-1: none), ``mss`` (0: none). ``sack``: three such
        columns, row of the segment, left and right edge. Counts of packets: ``packets``, ``others`` (no TCP), ``short``
        (header cut), ``fragments``, ``untimed``, ``truncated``, ``missed``, ``interfaces``; ``unknown_links``: packets
        by link type.
        ``cut``: the file ends in the middle of a packet; ``broken``: something else follows the last packet.
    """

def replay(text: str, filename: str, other: str | None = None) -> str:
    """Hold an algorithm against a tape.

    Parameters
    ----------
    text : str
        The tape.
    filename : str
        Named in errors.
    other : str, optional
        Another algorithm than the one recorded, as a scenario has it under ``algorithm``, JSON.

    Returns
    -------
    str
        JSON: ``recorded``, ``algorithm``, ``events`` and ``differences``.

    Raises
    ------
    InputError
        If the tape cannot be read, or names an algorithm that is not known.
    """

def register_algorithm(
    class_: type,
    name: str,
    summary: str,
    recovery: str,
    parameters: list[tuple[str, float | bool]],
    source: str,
    *,
    judges_losses: bool,
    hears_every_loss: bool,
    uses_marks: bool,
    needs_receiver_time: bool,
    paces: bool,
) -> None:
    """Make a class known as a congestion control algorithm; :func:`windlass.register` calls it.

    Raises
    ------
    ValueError
        If a name is taken or not allowed.
    """

def algorithms() -> str:
    """List the congestion control algorithms.

    Returns
    -------
    str
        JSON list of objects with name, aliases, summary, source, caution, judges_losses, recovery, and parameters, each
        with name, kind (number, choice, flag), default, min, max, choices, unit, meaning, source.
    """

def registered() -> str:
    """List the algorithms that were registered in this process.

    Returns
    -------
    str
        JSON list of objects as in `algorithms`.
    """

def topologies() -> str:
    """List the topologies.

    Returns
    -------
    str
        JSON list of objects with name, summary, and fields and link_fields, each with name and meaning.
    """

def queues() -> str:
    """List the queue disciplines.

    Returns
    -------
    str
        JSON: name, summary, source, parameters with defaults.
    """

def jitter_models() -> str:
    """List the models of jitter on a link.

    Returns
    -------
    str
        JSON list of objects with name, summary, and fields, each with name and meaning.
    """

def loss_models() -> str:
    """List the models of loss on a link.

    Returns
    -------
    str
        JSON list of objects with name, summary, and fields, each with name and meaning.
    """

def traffic_kinds() -> str:
    """List the kinds of traffic that UDP carries.

    Returns
    -------
    str
        JSON list of objects with name and summary.
    """

def transports() -> str:
    """List what can carry the data of a row of the table of flows.

    Returns
    -------
    str
        JSON list of objects with name, meaning, adapts (takes what the path has left), and part (another row counts its
        payload already).
    """

def loss_causes() -> str:
    """List the causes of loss, in the order of their columns.

    Returns
    -------
    str
        JSON list of objects with name, column, ack_column, label, meaning, congestion.
    """

def window_events() -> str:
    """List the kinds of window changes.

    Returns
    -------
    str
        JSON list of objects with name, label (null: not drawn), meaning, judged (what the sender took the loss for, or
        null), of_segment (a true cause is told).
    """

def series() -> str:
    """List the series that can be recorded.

    Returns
    -------
    str
        JSON list of objects with name, variable (its word in the table of traces), meaning.
    """

def words() -> str:
    """List words that the Python package names as well.

    Returns
    -------
    str
        JSON object of lists: profiles, recovery, responses (what ``on_congestion`` may answer), congestion_causes (what
        it is told).
    """

def rules() -> str:
    """List the engine's rules, the keys of section ``tcp``.

    Returns
    -------
    str
        JSON list of objects with name, meaning, and the values in the profiles, rfc and ns2.
    """

def keys() -> str:
    """List the keys that a description can have.

    Returns
    -------
    str
        JSON list of objects with key and words; without words, a key takes any value of its kind.
    """

def toml_with_lines(text: str, filename: str) -> str:
    """Read TOML of any form.

    Parameters
    ----------
    text : str
        The document.
    filename : str
        Named in errors.

    Returns
    -------
    str
        JSON: each value as a list of its line and itself.

    Raises
    ------
    InputError
        If it is no TOML.
    """

def results_of(description: str) -> int:
    """Number of the last change of results that concerns runs of an effective description.

    Parameters
    ----------
    description : str
        Its canonical text, as `Point.effective` gives it.

    Returns
    -------
    int
        From 1; 0 if it is no description.
    """

def errors() -> str:
    """List the errors of scenarios.

    Returns
    -------
    str
        JSON list of objects with code and meaning.
    """
