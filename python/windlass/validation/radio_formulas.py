"""Airtimes and throughputs of 802.11 by arithmetic, apart from the engine: ``specs/wlan.md`` has the rules.

Times are microseconds, rates Mbit/s, lengths bytes. Frames without acknowledgement and short guard intervals are left
out.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace

RTS_BYTES, CTS_BYTES, ACK_BYTES = 20, 14, 14

Airtime = Callable[[int, float], float]


def _dsss(preamble: float) -> Airtime:
    """The long preamble for 1 Mbps, whatever the others have; whole microseconds."""
    return lambda length, rate: (192 if rate == 1 else preamble) + math.ceil(8 * length / rate)


def _ofdm(silence: float) -> Airtime:
    return lambda length, rate: 20 + 4 * math.ceil((16 + 8 * length + 6) / (4 * rate)) + silence


def _plain(preamble: float) -> Airtime:
    """ns-2: neither symbols nor whole microseconds."""
    return lambda length, rate: preamble + 8 * length / rate


def _ht(silence: float) -> Airtime:
    """One stream, long guard interval, 20 MHz; what is slower than MCS 0 is a frame of OFDM."""
    return lambda length, rate: 36 + 4 * math.ceil((8 * length + 16 + 6) / (4 * rate)) + silence


@dataclass(frozen=True)
class Numbers:
    """What a parameter set says of an exchange.

    Attributes
    ----------
    slot, sifs, difs : float
        Microseconds.
    cw_min, cw_max : int
        Contention windows.
    added : int
        Bytes that the MAC adds to a packet.
    data, control : callable
        Airtime of a frame of so many bytes at a rate.
    basic : tuple of float
        Rates of control frames.
    fewer : int
        Slots are drawn from 0 to the window less this (ns-2: 1).
    before : float
        What goes ahead of every data frame: a CTS to oneself and SIFS.
    """

    slot: float
    sifs: float
    difs: float
    cw_min: int
    cw_max: int
    added: int
    data: Airtime
    control: Airtime
    basic: tuple[float, ...]
    fewer: int = 0
    before: float = 0.0

    def answer_rate(self, rate: float) -> float:
        """The highest basic rate not above that of the data, else the lowest."""
        return max((basic for basic in self.basic if basic <= rate), default=min(self.basic))

    def first(self, length: int, rate: float, *, rts: bool) -> float:
        """Airtime of the frame that collides: data of a packet of so many bytes, or its RTS."""
        if rts:
            return self.control(RTS_BYTES, self.answer_rate(rate))
        return self.before + self.data(length + self.added, rate)

    def exchange(self, length: int, rate: float, *, rts: bool = False) -> float:
        """From the first bit to the end of the ACK."""
        low = self.answer_rate(rate)
        data = self.before + self.data(length + self.added, rate) + self.sifs + self.control(ACK_BYTES, low)
        if not rts:
            return data
        return self.control(RTS_BYTES, low) + self.control(CTS_BYTES, low) + 2 * self.sifs + data

    @property
    def eifs(self) -> float:
        """Space after a frame that could not be read."""
        return self.sifs + self.control(ACK_BYTES, min(self.basic)) + self.difs

    def alone(self, length: int, rate: float, *, rts: bool = False) -> float:
        """Throughput of one saturated station: an exchange after DIFS and a mean backoff."""
        backoff = (self.cw_min - self.fewer) / 2 * self.slot
        return 8 * length / (self.difs + backoff + self.exchange(length, rate, rts=rts))


_B = Numbers(20, 10, 50, 31, 1023, 36, _dsss(192), _dsss(192), (1, 2))
_A = Numbers(9, 16, 34, 15, 1023, 36, _ofdm(0), _ofdm(0), (6, 12, 24))
_G = replace(_A, sifs=10, difs=28, data=_ofdm(6), control=_ofdm(6))
_NS2 = Numbers(20, 10, 50, 31, 1023, 34, _plain(192), _plain(192), (1,), fewer=1)
_NS2_G = replace(_NS2, slot=9, difs=28, cw_min=15, data=_plain(20), control=_plain(20), basic=(6,))

SETS: dict[str, Numbers] = {
    "dot11b": _B,
    "dot11b-short": replace(_B, data=_dsss(96), control=_dsss(96)),
    "dot11a": _A,
    "dot11g": _G,
    # A CTS of 14 bytes at 2 Mbps with the long preamble, 248 us, and SIFS.
    "dot11g-prot": replace(_G, slot=20, difs=50, before=248 + 10),
    "dot11n": replace(_A, difs=43, added=38, data=_ht(0)),
    "dot11n-2.4": replace(_G, difs=37, added=38, data=_ht(6)),
    "ns2-default": _NS2,
    "ns2-b11": _NS2,
    "ns2-g54": _NS2_G,
    "ns2-dalal": replace(_NS2_G, basic=(2,)),
}
"""Parameter sets by name."""


def bianchi(numbers: Numbers, stations: int, length: int, rate: float, *, rts: bool) -> float:
    """Throughput of saturated stations, G. Bianchi, JSAC 18(3), 2000; a collision is followed by EIFS.

    Parameters
    ----------
    numbers : Numbers
        The set.
    stations : int
        How many.
    length : int
        Bytes of a packet.
    rate : float
        Mbit/s of data.
    rts : bool
        Whether RTS and CTS go before.

    Returns
    -------
    float
        Mbit/s of all stations.
    """
    window = numbers.cw_min + 1
    stages = math.log2((numbers.cw_max + 1) / window)

    def tau(p: float) -> float:
        return 2 * (1 - 2 * p) / ((1 - 2 * p) * (window + 1) + p * window * (1 - (2 * p) ** stages))

    low, high = 0.0, 0.999
    for _ in range(100):
        middle = (low + high) / 2
        low, high = (middle, high) if middle < 1 - (1 - tau(middle)) ** (stations - 1) else (low, middle)
    each = tau(low)
    busy = 1 - (1 - each) ** stations
    good = stations * each * (1 - each) ** (stations - 1)
    success = numbers.exchange(length, rate, rts=rts) + numbers.difs
    collision = numbers.first(length, rate, rts=rts) + numbers.eifs
    return good * 8 * length / ((1 - busy) * numbers.slot + good * success + (busy - good) * collision)


def heusse(numbers: Numbers, stations: int, length: int, fast: float, slow: float) -> float:
    """What each station of a cell gets of which one is slow, Mbit/s (M. Heusse et al., INFOCOM 2003)."""
    window = numbers.cw_min
    collides = 1 - (1 - 1 / window) ** (stations - 1)
    contention = numbers.slot * (1 + collides) / (2 * stations) * window / 2
    t_fast, t_slow = (numbers.difs + numbers.exchange(length, rate) + contention for rate in (fast, slow))
    jam = 2 / stations * t_slow + (1 - 2 / stations) * t_fast
    return 8 * length / ((stations - 1) * t_fast + t_slow + collides * jam * stations)


def hidden(numbers: Numbers, length: int, rate: float, packets_per_s: float) -> float:
    """What each of two stations gets that do not hear each other, with one attempt, Mbit/s.

    A frame survives if the other station begins none while it could overlap, twice the frame's airtime.
    """
    airtime_s = numbers.first(length, rate, rts=False) / 1e6
    return 8 * length * packets_per_s / 1e6 * math.exp(-2 * packets_per_s * airtime_s)
