"""Introductions of the page, section by section."""

from __future__ import annotations

INTRODUCTION = """# Validation

Written by `make validate`; do not edit. ns-2 is the unmodified release 2.35 with its own agents. Runs
beside it use the profile `ns2`.

- [Without randomness](#without-randomness): single runs, count by count.
- [With random loss](#with-random-loss): means over seeds beside stored figures.
- [802.11](#80211): cells and chains, beside stored figures and theory.
- [Linux](#linux): single runs segment by segment and means under random loss, beside traces of the kernel.
- [packetdrill](#packetdrill): the scripts that Linux's TCP is held to.
- [L4S](#l4s): Prague and classic senders on DualPI2, beside what the coupling promises.
- `windlass validate ns2 FILE` runs any scenario that both can express in real ns-2 and here, and compares; without FILE,
  a small built-in set. `windlass validate ns2 --stored` makes the second comparison of this page, without ns-2.
"""

CASES_INTRODUCTION = """## Without randomness

One flow over 8 Mbps and 1 ms, then 0.8 Mbps and 100 ms. The listed arrivals are lost at the second link, counted from
0, the SYN. Segments of 1000 bytes, window 1000 segments, 20 s (120 s with queues of 5 and 25). The results of ns-2 are in `tests/differential/ns2-droplist`; `cargo test -p windlass-net --test ns2_droplist` runs the same cases.

Acknowledged segments, retransmitted segments, timeouts and window cuts: one number if both are equal, else ns-2 / **Windlass**. A case agrees if the acknowledged segments differ by no more than two and the other counts are equal. For
Vegas, whose window follows single RTTs, it agrees if the acknowledged segments differ by no more than 3 %.
"""

STORED_INTRODUCTION = """## With random loss

Sum of the flows' goodput over the whole run, Mbit/s, mean and half width of the 95 % interval over ten seeds on both sides.
The stored figures are in `python/windlass/reference/ns2`. A point agrees if the means differ by no more than the two half
widths and 3 % of ns-2's mean together; the column *allowed* gives this limit. At high loss the intervals are wide, so
agreement says little there.

| family | topology |
|---|---|
| Saedi, configuration 1, one-way | ten pairs, access 1 Mbps and 10 ms, 8 Mbps and 50 ms between the routers, queues of 50, 200 s |
| Saedi, fairness | one to four pairs, access 15 Mbps and 2 ms (single flow: 20 ms), the same link in between, 100 s |
| Saedi, configuration 1, two-way | the same, loss both ways, 1024-byte segments; data both ways on each connection (`full-`), or separate connections |
| Saedi, configuration 2 | a hundred pairs, access 1 Mbps and 20 ms, two links of 85 Mbps and 60 ms between, 1024-byte segments, 50 s |
| Huq 6.1, lossy link | two hosts on one link of 5 Mbps and 5 ms, queue of 50, 325 s; beside constant-rate traffic in packets of 1000 bytes |
| Huq 6.2, reverse traffic | access 100 Mbps and 2 ms, 5 Mbps and 1 ms between, queues of 3000, 21 s; one flow in each direction |
| Huq 7.1 | 5 Mbps, then 3.5 Mbps with loss, 1 ms each, queues of 50, 100 s; 7.5: seven flows, 5 Mbps with a queue of 10 |
| Huq 6.3, ten nodes | ten pairs, access 100 Mbps and 2 ms, 10 Mbps and 1 ms between, queues of 50, 100 s; 6.4: 21 s |

Segments are 1460 bytes, in Huq's families 1000. Figures for Vegas are corrected. The script that measured them
subtracted 40 header bytes from each segment and counted the SYN as one, but ns-2's Vegas sends no headers and a SYN as
long as a segment.
"""

REPORTED_INTRODUCTION = """## Reported only: Westwood+ of ns-2's Linux agent

`linux-westwood` is Linux's Westwood+ inside ns-2's Linux agent, which has loss recovery, timers and rate halving of its
own. Here: `{name = "westwood-plus", wp_impl = "ns2linux"}`, recovery core `sack` as in ns-2's SACK agent, timestamps,
header of 50 bytes, clock tick of 1 ms, longest timeout of 120 s. Its recovery differs from ours, so the points are shown but
not judged. The cause of each difference is not explained yet.
"""

LONG_CASES_INTRODUCTION = """### Longer lists

The same path, 60 s, threshold 3, an ACK for each segment, queue of 100. The lists were drawn once at a loss rate of 2 % and are the
same for every agent. Sums over the lists: one number if both are equal, else ns-2 / **Windlass**. A list agrees by the rule
above. ns-2's Vegas does not count its cuts on duplicate ACKs. Of its twelve lists eleven are equal. In list 6 an ACK jumps
over the end of ns-2's table of send times, which has `window_` entries, and leaves old entries behind. With a table of
5000 entries ns-2 acknowledges 3008 segments there, as Windlass does, instead of 3029.
"""
