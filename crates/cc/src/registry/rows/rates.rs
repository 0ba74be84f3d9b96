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
    choices: crate::tfrc::CHOICES,
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
    choices: crate::tfrc::CHOICES,
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
    choices: crate::tfrc::CHOICES,
    rate: Some(|config| Settings {
        floor: config.flag("etfcc_floor").then(|| config.number("etfcc_gain")),
        ..settings(config)
    }),
    ..PLAIN
};

#[cfg(test)]
mod tests {
    use super::*;

    fn rules(name: &str, change: impl Fn(&mut Config)) -> Settings {
        let mut config = Config::named(name).unwrap();
        change(&mut config);
        config.rate().unwrap()
    }

    #[test]
    fn the_defaults_are_those_of_the_rfcs() {
        let plain = Settings {
            b: 1.0,
            rto: Rto::FourRtt,
            rtt_gain: 0.9,
            reorder: 3,
            longest_gap: Span::from_millis(64_000),
            ecn: false,
            floor: None,
            small: None,
        };
        assert_eq!(rules("tfrc", |_| {}), plain);
        assert_eq!(rules("etfcc", |_| {}), plain);
        let small = Small { nominal: 1460.0, header: 40.0, gap: Span::from_millis(10) };
        assert_eq!(rules("tfrc-sp", |_| {}), Settings { small: Some(small), ..plain });
    }

    #[test]
    fn each_parameter_is_its_own_rule() {
        for name in ["tfrc", "tfrc-sp", "etfcc"] {
            let plain = rules(name, |_| {});
            let number = |parameter: &str, value: f64| rules(name, |c| c.set_number(parameter, value).unwrap());
            assert_eq!(number("tfrc_b", 2.0), Settings { b: 2.0, ..plain });
            assert_eq!(number("tfrc_rtt_gain", 0.5), Settings { rtt_gain: 0.5, ..plain });
            assert_eq!(number("tfrc_reorder", 5.0), Settings { reorder: 5, ..plain });
            assert_eq!(number("tfrc_mbi", 8.0), Settings { longest_gap: Span::from_millis(8000), ..plain });
            let rto = rules(name, |c| c.set_choice("tfrc_rto", "4r-or-1s").unwrap());
            assert_eq!(rto, Settings { rto: Rto::AtLeastASecond, ..plain });
            let ecn = rules(name, |c| c.set_flag("tfrc_ecn", true).unwrap());
            assert_eq!(ecn, Settings { ecn: true, ..plain });
        }
        let small = |parameter: &str, value: f64| rules("tfrc-sp", |c| c.set_number(parameter, value).unwrap()).small;
        let plain = Small { nominal: 1460.0, header: 40.0, gap: Span::from_millis(10) };
        assert_eq!(small("sp_nominal", 1000.0), Some(Small { nominal: 1000.0, ..plain }));
        assert_eq!(small("sp_header", 28.0), Some(Small { header: 28.0, ..plain }));
        assert_eq!(small("sp_gap", 20.0), Some(Small { gap: Span::from_millis(20), ..plain }));
        let floor = |gain: f64| {
            rules("etfcc", |c| {
                c.set_flag("etfcc_floor", true).unwrap();
                c.set_number("etfcc_gain", gain).unwrap();
            })
        };
        assert_eq!((floor(0.9).floor, floor(0.5).floor), (Some(0.9), Some(0.5)));
    }
}
