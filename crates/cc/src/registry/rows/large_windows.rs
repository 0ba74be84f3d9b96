//! Algorithms whose growth depends on the window, on time or on the round trip, for paths where Reno's is too slow.

use super::{PLAIN, choice, flag, number};
use crate::registry::{Recovery, Row};
use crate::{Algorithm, bic, highspeed, htcp, hybla, illinois, scalable};

const LARGE: f64 = 1e6;
const XU: &str = "Xu, Harfoush and Rhee 2004";
const BIC_LINUX: &str = "Linux; Xu, Harfoush and Rhee 2004";

pub(super) const BIC: Row = Row {
    name: "bic",
    aliases: &["bic-tcp"],
    summary: "Binary search for the window of the last loss, then probing beyond it",
    source: "Xu, Harfoush and Rhee, INFOCOM 2004",
    recovery: Recovery::Sack,
    parameters: &[
        number("bic_low_window", [14.0, 0.0, LARGE], "segments", "up to here the window is Reno's", XU),
        number("bic_smax", [16.0, 1.0, LARGE], "segments", "most growth per round trip; paper 32", BIC_LINUX),
        number("bic_smin", [0.01, 0.0, 100.0], "segments", "least growth per round trip", XU),
        number("bic_keep", [0.8, 0.1, 0.99], "-", "share of the window kept at a loss; paper 0.875", BIC_LINUX),
        number("bic_b", [4.0, 2.0, 1000.0], "-", "part of the distance gained per round trip; paper 2", BIC_LINUX),
        number(
            "bic_smooth_part",
            [20.0, 1.0, 1000.0],
            "round trips",
            "for the last `bic_b` segments below the goal and the first beyond it; ns-3 5",
            "Linux",
        ),
        flag(
            "bic_fast_convergence",
            true,
            "aim lower when the window at a loss is below that at the last one",
            "Xu, Harfoush and Rhee 2004",
        ),
    ],
    choices: bic::CHOICES,
    build: |config| Algorithm::Bic(bic::Bic::new(config)),
    ..PLAIN
};

const RFC3649: &str = "RFC 3649, section 5";

pub(super) const HIGHSPEED: Row = Row {
    name: "highspeed",
    aliases: &["hstcp", "high-speed"],
    summary: "Reno whose increase and decrease depend on the window",
    source: "RFC 3649",
    recovery: Recovery::Sack,
    parameters: &[
        number("hs_low_window", [38.0, 2.0, 1000.0], "segments", "up to here the window is Reno's", RFC3649),
        number("hs_low_p", [1e-3, 1e-4, 0.1], "-", "loss rate at which the low window is the mean", RFC3649),
        number("hs_high_window", [83_000.0, 2000.0, 1e9], "segments", "upper end of the response function", RFC3649),
        number("hs_high_p", [1e-7, 1e-12, 5e-5], "-", "loss rate at which the high window is the mean", RFC3649),
        number("hs_high_decrease", [0.1, 0.01, 0.5], "-", "share given up from the high window on", RFC3649),
    ],
    choices: highspeed::CHOICES,
    build: |config| Algorithm::HighSpeed(highspeed::HighSpeed::new(config)),
    ..PLAIN
};

pub(super) const SCALABLE: Row = Row {
    name: "scalable",
    aliases: &["scalable-tcp", "stcp"],
    summary: "A fixed share of the window gained per round trip and lost per congestion",
    source: "Kelly, ACM CCR 33(2), 2003",
    recovery: Recovery::Sack,
    parameters: &[
        number("scalable_a", [0.01, 1e-4, 1.0], "segments", "growth per segment acknowledged; ns-3 1/50", "Kelly 2003"),
        number("scalable_b", [0.125, 0.01, 0.9], "-", "share of the window given up at a loss", "Kelly 2003"),
        number("scalable_low_window", [16.0, 0.0, LARGE], "segments", "up to here the window is Reno's", "Kelly 2003"),
    ],
    choices: scalable::CHOICES,
    build: |config| Algorithm::Scalable(scalable::Scalable::new(config)),
    ..PLAIN
};

const LEITH: &str = "Leith and Shorten 2004; draft-leith-tcp-htcp";

pub(super) const HTCP: Row = Row {
    name: "htcp",
    aliases: &["h-tcp"],
    summary: "The longer since the last cut, the faster the growth; a cut just empties the queue",
    source: "Leith and Shorten, PFLDnet 2004",
    recovery: Recovery::Sack,
    parameters: &[
        number("htcp_delta_l", [1.0, 0.0, 1000.0], "s", "time after a cut in which growth is Reno's", LEITH),
        number("htcp_linear", [10.0, 0.0, LARGE], "segments/s", "growth of the increase after that", LEITH),
        number("htcp_square", [0.25, 0.0, LARGE], "segments/s^2", "and of its growth", LEITH),
        number("htcp_beta_min", [0.5, 0.1, 0.8], "-", "least share of the window kept at a cut", LEITH),
        number("htcp_beta_max", [0.8, 0.5, 0.99], "-", "greatest share of the window kept at a cut", LEITH),
        number(
            "htcp_rate_change",
            [0.2, 0.0, 10.0],
            "-",
            "change of throughput between two cuts beyond which the least share is kept",
            LEITH,
        ),
        number(
            "htcp_least_increase",
            [0.0, 0.0, 1.0],
            "segments",
            "least growth per round trip, after the factor 2 (1 - beta); FreeBSD 1",
            "interpretation of the draft",
        ),
        flag("htcp_rtt_scaling", false, "growth in proportion to the least RTT, as on a path of 0.1 s", LEITH),
    ],
    choices: htcp::CHOICES,
    build: |config| Algorithm::HTcp(htcp::HTcp::new(config)),
    ..PLAIN
};

const LIU: &str = "Liu, Basar and Srikant 2006";

pub(super) const ILLINOIS: Row = Row {
    name: "illinois",
    aliases: &["tcp-illinois"],
    summary: "Losses decide when to cut, queueing delay how fast to grow and how much to cut",
    source: "Liu, Basar and Srikant, VALUETOOLS 2006",
    recovery: Recovery::Sack,
    parameters: &[
        number("illinois_alpha_min", [0.3, 0.01, 1.0], "segments", "growth per round trip at the largest delay", LIU),
        number("illinois_alpha_max", [10.0, 1.0, 1000.0], "segments", "growth per round trip without delay", LIU),
        number("illinois_beta_min", [0.125, 0.0, 0.5], "-", "share given up at a loss without delay", LIU),
        number("illinois_beta_max", [0.5, 0.5, 0.9], "-", "share given up at a loss at a large delay", LIU),
        number("illinois_win_thresh", [15.0, 0.0, LARGE], "segments", "below it the window is Reno's", LIU),
        number("illinois_theta", [5.0, 1.0, 1000.0], "rounds", "low rounds that bring fast growth back", LIU),
        number("illinois_eta1", [0.01, 0.0, 0.9], "-", "share of the largest delay that counts as none", LIU),
        number("illinois_eta2", [0.1, 0.0, 0.9], "-", "share of it up to which the least is given up", LIU),
        number("illinois_eta3", [0.8, 0.0, 1.0], "-", "share of it from which the most is given up", LIU),
    ],
    choices: illinois::CHOICES,
    build: |config| Algorithm::Illinois(illinois::Illinois::new(config)),
    ..PLAIN
};

pub(super) const HYBLA: Row = Row {
    name: "hybla",
    aliases: &["tcp-hybla"],
    summary: "Growth in time, not in round trips: a long path gains as fast as a short one",
    source: "Caini and Firrincieli, Int. J. Satellite Communications 22, 2004",
    caution: Some(
        "slow start on a long path can send thousands of segments at once; bound it by the receiver's window",
    ),
    recovery: Recovery::Sack,
    parameters: &[
        number(
            "hybla_rtt0",
            [0.025, 0.001, 10.0],
            "s",
            "round trip of the flow to be matched; ns-3 0.05",
            "Caini and Firrincieli 2004; Linux",
        ),
        choice(
            "hybla_rtt",
            &["min", "srtt"],
            "the flow's own round trip: least or smoothed",
            "Linux and ns-3; `srtt` Caini and Firrincieli 2004",
        ),
        number(
            "hybla_slow_start_rho",
            [16.0, 1.0, 100.0],
            "-",
            "most that the ratio of the round trips counts for in slow start",
            "Linux",
        ),
    ],
    choices: hybla::CHOICES,
    build: |config| Algorithm::Hybla(hybla::Hybla::new(config)),
    ..PLAIN
};
