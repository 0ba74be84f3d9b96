//! Algorithms that steer towards a queue or a queueing delay.

use super::{PLAIN, choice, flag, number};
use crate::registry::{Recovery, Row};
use crate::{Algorithm, fast, ledbat};

const LARGE: f64 = 1e6;

const JIN: &str = "Jin, Wei and Low 2004; ns-2";

pub(super) const FAST: Row = Row {
    name: "fast",
    aliases: &["fast-tcp"],
    summary: "An equation moves the window to where alpha segments stand in queues",
    source: "Jin, Wei and Low, INFOCOM 2004",
    caution: Some(
        "`fast_alpha` and `fast_beta` must fit the path (100 suits 1 Gbps, 8 suits 10 Mbps): more than the buffers hold is \
         lost again and again",
    ),
    recovery: Recovery::Sack,
    parameters: &[
        number("fast_alpha", [100.0, 0.0, LARGE], "segments", "queue to hold", JIN),
        number(
            "fast_beta",
            [100.0, 0.0, LARGE],
            "segments",
            "the window rests while the queue is in [alpha, beta)",
            JIN,
        ),
        number("fast_gamma", [0.5, 0.01, 1.0], "-", "part of the way that one update goes", JIN),
        number("fast_period", [0.01, 0.0, 10.0], "s", "time between updates", "ns-2"),
        choice(
            "fast_update",
            &["period", "other_round"],
            "update once per period, or in every other round trip",
            "ns-2; `other_round` Jin, Wei and Low 2004",
        ),
        number(
            "fast_mi_threshold",
            [0.000_75, 0.0, 1.0],
            "s",
            "mean queueing delay below which each ACK adds a segment",
            JIN,
        ),
        choice(
            "fast_average",
            &["paper", "ns2"],
            "weight of an RTT sample: 3/w, at most a quarter, or at most 1/256",
            "Jin, Wei and Low 2004; `ns2` ns-2",
        ),
    ],
    choices: fast::CHOICES,
    build: |config| Algorithm::Fast(fast::Fast::new(config)),
    ..PLAIN
};

const RFC6817: &str = "RFC 6817, section 2.5";

pub(super) const LEDBAT: Row = Row {
    name: "ledbat",
    summary: "Fill what others leave, up to a target of queueing delay",
    source: "RFC 6817",
    recovery: Recovery::Sack,
    needs_receiver_time: true,
    parameters: &[
        number("ledbat_target", [0.1, 0.001, 0.1], "s", "queueing delay to hold", RFC6817),
        number("ledbat_gain", [1.0, 0.01, 1.0], "-", "growth per round trip without a queue, in segments", RFC6817),
        number(
            "ledbat_allowed_increase",
            [1.0, 0.1, 10.0],
            "segments",
            "the window stays within the data in flight and this much more",
            RFC6817,
        ),
        number("ledbat_min_window", [2.0, 1.0, 10.0], "segments", "least window", RFC6817),
        number(
            "ledbat_base_history",
            [10.0, 1.0, 10.0],
            "minutes",
            "time in which the base delay is forgotten",
            RFC6817,
        ),
        number(
            "ledbat_filter",
            [4.0, 1.0, 8.0],
            "samples",
            "the current delay is the least of these, as far as not older than an RTT",
            RFC6817,
        ),
        flag(
            "ledbat_slow_start",
            false,
            "Reno's slow start up to ssthresh, or until the target is first reached",
            "RFC 6817 has none in its listing; ns-3 does",
        ),
    ],
    choices: ledbat::CHOICES,
    build: |config| Algorithm::Ledbat(ledbat::Ledbat::new(config)),
    ..PLAIN
};
