//! The rows. One per algorithm, parameters beside it.

use super::{Kind, Parameter, Recovery, Row};
use crate::{Algorithm, reno, westwood_plus};

/// A row with nothing special; real rows change what they need.
const PLAIN: Row = Row {
    name: "",
    aliases: &[],
    summary: "",
    source: "",
    caution: None,
    recovery: Recovery::NewReno,
    hears_every_loss: false,
    needs_receiver_time: false,
    uses_marks: false,
    parameters: &[],
    build: |_| Algorithm::Reno(reno::Reno::new()),
};

/// Every algorithm.
pub static ALGORITHMS: &[Row] = &[
    Row {
        name: "tahoe",
        summary: "Slow start from one segment after any loss",
        source: "Jacobson 1988; Fall and Floyd 1996",
        recovery: Recovery::Tahoe,
        build: |_| Algorithm::Reno(reno::Reno::tahoe()),
        ..PLAIN
    },
    Row {
        name: "reno",
        summary: "Halve on duplicate ACKs, fast recovery until the first new ACK",
        source: "Jacobson 1990; RFC 5681",
        recovery: Recovery::Reno,
        ..PLAIN
    },
    Row {
        name: "newreno",
        aliases: &["new-reno"],
        summary: "Reno that repairs a whole window in one fast recovery",
        source: "RFC 6582",
        recovery: Recovery::NewReno,
        ..PLAIN
    },
    Row {
        name: "sack",
        summary: "Reno's window with selective acknowledgements",
        source: "RFC 6675; Fall and Floyd 1996 (`ns2` profile)",
        recovery: Recovery::Sack,
        ..PLAIN
    },
    Row {
        name: "westwood-plus",
        aliases: &["westwoodplus", "westwood+"],
        summary: "After congestion, size the window to the bandwidth measured once per RTT",
        source: "Grieco and Mascolo, ACM CCR 34(2), 2004",
        recovery: Recovery::NewReno,
        parameters: &[
            Parameter {
                name: "wp_gain",
                kind: Kind::Number { default: 0.9, min: 0.0, max: 1.0 },
                unit: "-",
                meaning: "weight of the old bandwidth estimate",
                source: "Grieco and Mascolo 2004",
            },
            Parameter {
                name: "wp_min_interval",
                kind: Kind::Number { default: 0.0, min: 0.0, max: 10.0 },
                unit: "s",
                meaning: "least length of a bandwidth sample; Linux 0.05",
                source: "Grieco and Mascolo 2004",
            },
            Parameter {
                name: "wp_raise",
                kind: Kind::Flag(true),
                unit: "-",
                meaning: "let the window rise to the estimate on duplicate ACKs, as the paper's formula does",
                source: "literal reading of Grieco and Mascolo 2004",
            },
        ],
        build: |config| Algorithm::WestwoodPlus(westwood_plus::WestwoodPlus::new(config)),
        ..PLAIN
    },
];
