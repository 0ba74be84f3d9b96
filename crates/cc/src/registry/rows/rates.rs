//! Transports whose sender is given a rate instead of a window.

use units::Span;

use super::{PLAIN, choice, flag, number};
use crate::registry::{Config, Parameter, Row};
use crate::tfrc::{Rto, Settings, Small};

const B: Parameter =
    number("tfrc_b", [1.0, 1.0, 2.0], "-", "packets that one ACK of the imagined TCP covers", "RFC 5348, section 3.1");
const RTO: Parameter = choice(
    "tfrc_rto",
    &["4r", "4r-or-1s"],
    "timeout in the equation: four RTTs, or at least a second",
    "RFC 5348, section 3.1",
);
const RTT_GAIN: Parameter =
    number("tfrc_rtt_gain", [0.9, 0.0, 0.999], "-", "weight of the old RTT in the average", "RFC 5348, section 4.3");
const REORDER: Parameter = number(
    "tfrc_reorder",
    [3.0, 1.0, 100.0],
    "packets",
    "later arrivals that make a missing packet a lost one",
    "RFC 5348, section 5.1",
);
const LONGEST_GAP: Parameter =
    number("tfrc_mbi", [64.0, 1.0, 3600.0], "s", "longest time between packets", "RFC 5348, section 4.3");
const ECN: Parameter =
    flag("tfrc_ecn", false, "packets can be marked by routers; a mark is a loss", "RFC 5348, section 5.2");

fn settings(config: &Config) -> Settings {
    Settings {
        b: config.number("tfrc_b"),
        rto: if config.choice("tfrc_rto") == "4r" { Rto::FourRtt } else { Rto::AtLeastASecond },
        rtt_gain: config.number("tfrc_rtt_gain"),
        reorder: config.number("tfrc_reorder") as u32,
        longest_gap: Span::from_secs(config.number("tfrc_mbi")),
        ecn: config.flag("tfrc_ecn"),
        floor: None,
        small: None,
    }
}

pub(super) const TFRC: Row = Row {
    name: "tfrc",
    summary: "Datagrams at the rate that TCP would get at the measured loss event rate",
    source: "RFC 5348",
    parameters: &[B, RTO, RTT_GAIN, REORDER, LONGEST_GAP, ECN],
    module: "tfrc",
    rate: Some(settings),
    ..PLAIN
};

pub(super) const TFRC_SP: Row = Row {
    name: "tfrc-sp",
    summary: "TFRC for small packets: the rate of large ones, less the headers",
    source: "RFC 4828",
    parameters: &[
        B,
        RTO,
        RTT_GAIN,
        REORDER,
        LONGEST_GAP,
        ECN,
        number("sp_nominal", [1460.0, 1.0, 65_535.0], "B", "packet size in the equation", "RFC 4828, section 4.2"),
        number("sp_header", [40.0, 0.0, 1000.0], "B", "header that a packet is charged", "RFC 4828, section 4.2"),
        number("sp_gap", [10.0, 0.0, 1000.0], "ms", "least time between packets", "RFC 4828, section 4.3"),
    ],
    module: "tfrc",
    rate: Some(|config| Settings {
        small: Some(Small {
            nominal: config.number("sp_nominal"),
            header: config.number("sp_header"),
            gap: Span::from_secs(config.number("sp_gap") / 1e3),
        }),
        ..settings(config)
    }),
    ..PLAIN
};

pub(super) const ETFCC: Row = Row {
    name: "etfcc",
    summary: "TFRC, on request with Westwood's bandwidth estimate as a floor",
    source: "Rana 2013; RFC 5348",
    caution: Some(
        "its source gives no equation: what it describes in words is TFRC; the floor (`etfcc_floor`) is an interpretation, which takes more than TCP would where losses are random",
    ),
    parameters: &[
        B,
        RTO,
        RTT_GAIN,
        REORDER,
        LONGEST_GAP,
        ECN,
        flag("etfcc_floor", false, "never below the estimated bandwidth times least RTT over RTT", "interpretation"),
        number(
            "etfcc_gain",
            [0.9, 0.0, 0.999],
            "-",
            "weight of the old bandwidth estimate, per report",
            "interpretation",
        ),
    ],
    module: "tfrc",
    rate: Some(|config| Settings {
        floor: config.flag("etfcc_floor").then(|| config.number("etfcc_gain")),
        ..settings(config)
    }),
    ..PLAIN
};
