//! Algorithms for large bandwidth-delay products.

use super::{ABE, PLAIN, choice, flag, number};
use crate::registry::{Parameter, Recovery, Row};
use crate::{Algorithm, cubic, cubic_2008, hystart, yeah};

const C: Parameter =
    number("cubic_c", [0.4, 0.001, 1000.0], "segments/s^3", "steepness of the cubic curve", "RFC 9438");
const FAST_CONVERGENCE: Parameter = flag(
    "cubic_fast_convergence",
    true,
    "aim lower when the window at a loss is below that at the last one",
    "RFC 9438, section 4.7",
);

pub(super) const CUBIC: Row = Row {
    name: "cubic",
    aliases: &["cubic-rfc9438"],
    summary: "Grow along a cubic curve of time around the window of the last loss",
    source: "RFC 9438",
    recovery: Recovery::Sack,
    parameters: &[
        C,
        number("cubic_beta", [0.7, 0.1, 0.99], "-", "share of the window kept at a loss", "RFC 9438, section 4.6"),
        FAST_CONVERGENCE,
        choice(
            "hystart",
            hystart::WORDS,
            "how slow start may end without a loss: not; HyStart++, the first one when the RTT rises and stays up; or \
             as in Linux, by a train of ACKs or a rise of the RTT",
            "RFC 9406; RFC 9438, section 4.10; Linux 6.1",
        ),
        ABE,
        number("abe_beta", [0.85, 0.1, 0.99], "-", "share of the window that a mark leaves with `abe`", "RFC 8511"),
    ],
    choices: cubic::CHOICES,
    build: |config| Algorithm::Cubic(cubic::Cubic::new(config)),
    ..PLAIN
};

pub(super) const CUBIC_2008: Row = Row {
    name: "cubic-2008",
    aliases: &["cubic2008"],
    summary: "CUBIC as published in 2008, of the ns-2 era",
    source: "Ha, Rhee and Xu, ACM SIGOPS OSR 42(5), 2008",
    recovery: Recovery::Sack,
    parameters: &[
        C,
        number(
            "cubic2008_beta",
            [0.2, 0.01, 0.9],
            "-",
            "share of the window given up at a loss",
            "Ha, Rhee and Xu 2008",
        ),
        FAST_CONVERGENCE,
    ],
    choices: cubic_2008::CHOICES,
    build: |config| Algorithm::Cubic2008(cubic_2008::Cubic2008::new(config)),
    ..PLAIN
};

const YEAH_SOURCE: &str = "Baiocchi, Castellani and Vacirca 2007; Linux";

pub(super) const YEAH: Row = Row {
    name: "yeah",
    aliases: &["yeah-tcp"],
    summary: "Scalable growth while the queue is short, Reno otherwise, with a preventive cut",
    source: "Baiocchi, Castellani and Vacirca, PFLDnet 2007",
    recovery: Recovery::Sack,
    parameters: &[
        number("yeah_qmax", [80.0, 1.0, 1e6], "segments", "queue that calls for a preventive cut", YEAH_SOURCE),
        number("yeah_phi", [8.0, 0.001, 1000.0], "-", "slow if queueing exceeds 1/phi of the least RTT", YEAH_SOURCE),
        number("yeah_gamma", [1.0, 0.01, 1000.0], "-", "the preventive cut removes 1/gamma of the queue", YEAH_SOURCE),
        number("yeah_epsilon", [0.5, 0.0, 1.0], "-", "most of the window that it removes", YEAH_SOURCE),
        number("yeah_delta", [0.125, 0.0, 1.0], "-", "least share of the window given up at a loss", YEAH_SOURCE),
        number("yeah_rho", [16.0, 0.0, 1e6], "rounds", "slow rounds after which a loss halves", YEAH_SOURCE),
        number(
            "yeah_zeta",
            [50.0, 0.0, 1e6],
            "rounds",
            "fast rounds after which Reno flows are forgotten",
            YEAH_SOURCE,
        ),
        number(
            "yeah_scalable",
            [100.0, 1.0, 1e6],
            "segments",
            "acknowledged segments per segment of growth in fast mode, at most",
            YEAH_SOURCE,
        ),
        choice(
            "yeah_ssthresh",
            &["cwnd", "half"],
            "ssthresh after a preventive cut: the new window or half of it",
            "Linux; `half` Baiocchi et al. 2007 as told by Saedi 2019",
        ),
    ],
    choices: yeah::CHOICES,
    build: |config| Algorithm::Yeah(yeah::Yeah::new(config)),
    ..PLAIN
};
