//! Algorithms that estimate bandwidth.

use super::{PLAIN, choice, flag, number};
use crate::registry::{Parameter, Row};
use crate::{Algorithm, new_jersey, new_jersey_plus, tcp_jersey, westwood, westwood_plus, westwood_plus_ho};

pub(super) const WESTWOOD: Row = Row {
    name: "westwood",
    aliases: &["tcpw"],
    summary: "After congestion, size the window to the bandwidth measured at every ACK",
    source: "Mascolo et al., MobiCom 2001",
    parameters: &[
        number(
            "ww_tau",
            [0.5, 0.001, 100.0],
            "s",
            "time constant of the filter; UCLA's ns-2 module 1.0",
            "Mascolo et al. 2001",
        ),
        number(
            "ww_m",
            [2.0, 2.0, 1000.0],
            "-",
            "a sample of zero for each tau/m without an ACK",
            "Mascolo et al. 2001",
        ),
        choice(
            "ww_first",
            &["sample", "zero"],
            "the estimate starts with the first sample or from zero",
            "interpretation; `zero` UCLA's ns-2 module",
        ),
        CREDIT_CAP,
        flag(
            "ww_a",
            false,
            "divide by the early version's reduction factor after losses in slow start",
            "Westwood's early version; INET",
        ),
    ],
    choices: westwood::CHOICES,
    build: |config| Algorithm::Westwood(westwood::Westwood::new(config)),
    ..PLAIN
};

pub(super) const CREDIT_CAP: Parameter = number(
    "ww_credit_cap",
    [0.0, 0.0, 1e6],
    "segments",
    "most segments that one ACK stands for; 0 for no limit, UCLA's ns-2 module and INET 2",
    "Mascolo et al. 2001",
);
const GAIN: Parameter = number(
    "wp_gain",
    [0.9, 0.0, 1.0],
    "-",
    "weight of the old bandwidth estimate; not used by the Linux forms",
    "Grieco and Mascolo 2004",
);
const MIN_INTERVAL: Parameter = number(
    "wp_min_interval",
    [0.0, 0.0, 10.0],
    "s",
    "least length of a bandwidth sample; the Linux forms use at least 0.05",
    "Grieco and Mascolo 2004",
);
const RAISE: Parameter = flag(
    "wp_raise",
    true,
    "let the window rise to the estimate on duplicate ACKs, as the paper's formula does",
    "literal reading of Grieco and Mascolo 2004",
);
const FORM: Parameter = choice(
    "wp_impl",
    &["paper", "linux", "ns3", "ns2linux"],
    "filter and reactions of the paper, Linux, ns-3, or Linux's module under the ns-2.35 Linux agent",
    "Grieco and Mascolo 2004; Linux tcp_westwood; ns-3; ns-2.35",
);

pub(super) const WESTWOOD_PLUS: Row = Row {
    name: "westwood-plus",
    aliases: &["westwoodplus", "westwood+"],
    summary: "After congestion, size the window to the bandwidth measured once per RTT",
    source: "Grieco and Mascolo, ACM CCR 34(2), 2004",
    parameters: &[GAIN, MIN_INTERVAL, RAISE, FORM, CREDIT_CAP],
    choices: westwood_plus::CHOICES,
    build: |config| Algorithm::WestwoodPlus(westwood_plus::WestwoodPlus::new(config)),
    ..PLAIN
};

pub(super) const WESTWOOD_PLUS_HO: Row = Row {
    name: "westwood-plus-ho",
    aliases: &["westwood-plus-handover", "westwoodplus-ho", "westwoodplus-ha"],
    summary: "Westwood+ that keeps its window while a handover loses segments",
    source: "Rana 2013, after Kim, Chung, Yoon and Kim, CCNC 2008",
    caution: Some(
        "the source states only that the window of before a handover is used again after it; without a link that announces handovers it is Westwood+",
    ),
    judges_losses: true,
    parameters: &[
        number(
            "ho_guard",
            [1.0, 0.0, 100.0],
            "RTO",
            "how long the window stays frozen after the end of a handover",
            "interpretation of Rana 2013",
        ),
        flag(
            "ho_kick",
            true,
            "send the oldest segment again at once when a handover ends",
            "interpretation of Rana 2013",
        ),
        choice(
            "ho_rttmin",
            &["keep", "relearn"],
            "after a handover the least RTT stands or is learned anew",
            "interpretation of Rana 2013",
        ),
        flag(
            "ho_rollback",
            true,
            "take back a timeout that came within one RTO before the warning",
            "interpretation of Rana 2013",
        ),
        number(
            "ho_limit",
            [60.0, 0.1, 10_000.0],
            "s",
            "a handover that has not ended by then is a timeout",
            "interpretation of Rana 2013",
        ),
        GAIN,
        MIN_INTERVAL,
        RAISE,
        FORM,
        CREDIT_CAP,
    ],
    choices: westwood_plus_ho::CHOICES,
    build: |config| Algorithm::WestwoodPlusHo(westwood_plus_ho::WestwoodPlusHo::new(config)),
    ..PLAIN
};

const JERSEY_K: Parameter =
    number("jersey_k", [1.0, 0.01, 100.0], "RTT", "memory of the rate estimator", "Xu, Tian and Ansari 2004");
const JERSEY_RTT: Parameter = choice(
    "jersey_rtt",
    &["srtt", "min"],
    "RTT that turns the rate into a window: smoothed or least",
    "interpretation of Xu, Tian and Ansari 2004",
);
const WARNING_SCOPE: Parameter = choice(
    "cw_scope",
    &["rtt", "ack"],
    "a loss is warned of by a mark within one RTT before the newest ACK, or on that ACK",
    "interpretation of Xu, Tian and Ansari 2004",
);
const NEW_JERSEYS: &[Parameter] = &[
    JERSEY_K,
    JERSEY_RTT,
    WARNING_SCOPE,
    choice(
        "nj_rto_mix",
        &["ownd", "cwnd"],
        "a timeout without a warning takes the mean of ownd and the ownd before, or and cwnd",
        "Saedi 2019: listing; `cwnd` prose",
    ),
    choice(
        "nj_prev",
        &["ack", "round"],
        "the ownd before: of the previous ACK, or at the end of the last round",
        "Saedi 2019: listing; `round` interpretation",
    ),
];

/// Marks by routers tell congestion from random losses.
pub(super) const JERSEY: Row = Row {
    name: "jersey",
    aliases: &["tcp-jersey"],
    summary: "Cut to the rate at which ACKs return, and only when routers warn",
    source: "Xu, Tian and Ansari, IEEE JSAC 22(4), 2004",
    caution: Some("without routers that mark (congestion warning), no loss found by duplicate ACKs cuts the window"),
    judges_losses: true,
    uses_marks: true,
    parameters: &[JERSEY_K, JERSEY_RTT, WARNING_SCOPE],
    choices: tcp_jersey::CHOICES,
    build: |config| Algorithm::Jersey(tcp_jersey::Jersey::new(config)),
    ..PLAIN
};

/// Jersey with the receiver's clock in ACKs.
const JERSEY_FAMILY: Row = Row { needs_receiver_time: true, parameters: NEW_JERSEYS, ..JERSEY };

pub(super) const NEW_JERSEY: Row = Row {
    name: "newjersey",
    aliases: &["new-jersey"],
    summary: "Cut to the rate measured at the receiver, and only when routers warn",
    source: "Xu, Tian and Ansari, Computer Networks 47, 2005",
    choices: new_jersey::CHOICES,
    build: |config| Algorithm::NewJersey(new_jersey::NewJersey::new(config)),
    ..JERSEY_FAMILY
};

pub(super) const NEW_JERSEY_PLUS: Row = Row {
    name: "newjersey-plus",
    aliases: &["newjerseyplus", "new-jersey-plus", "nj-plus", "nj+"],
    summary: "New Jersey with the larger of the rates seen by sender and receiver",
    source: "Kim, Koo and Choo, LNCS 4479, 2007",
    choices: new_jersey_plus::CHOICES,
    build: |config| Algorithm::NewJerseyPlus(new_jersey_plus::NewJerseyPlus::new(config)),
    ..JERSEY_FAMILY
};
