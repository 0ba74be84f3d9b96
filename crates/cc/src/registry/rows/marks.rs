//! Algorithms that live on marks by routers.

use super::{PLAIN, choice, number};
use crate::registry::{Recovery, Row};
use crate::{Algorithm, dctcp, prague};

pub(super) const DCTCP: Row = Row {
    name: "dctcp",
    summary: "Cut in proportion to the share of marked bytes",
    source: "RFC 8257",
    caution: Some("for closed networks whose routers mark at a short queue; without marks it is Reno's window"),
    recovery: Recovery::Sack,
    uses_marks: true,
    parameters: &[
        number("dctcp_g", [0.0625, 0.000_1, 1.0], "-", "weight of a new window in alpha", "RFC 8257, section 4.2"),
        number("dctcp_alpha", [1.0, 0.0, 1.0], "-", "alpha at the start", "RFC 8257, section 3.3"),
        choice(
            "dctcp_cut",
            &["window_end", "first_mark"],
            "cut when an observation window with marks ends, or at its first mark",
            "RFC 8257, section 3.3; `first_mark` Linux",
        ),
    ],
    choices: dctcp::CHOICES,
    build: |config| Algorithm::Dctcp(dctcp::Dctcp::new(config)),
    ..PLAIN
};

pub(super) const PRAGUE: Row = Row {
    name: "prague",
    aliases: &["tcp-prague"],
    summary: "DCTCP for the Internet: cut in proportion to the share of marks, paced, much alike at short RTTs",
    source: "draft-briscoe-iccrg-prague-congestion-control-04",
    caution: Some("needs a queue that marks ECT(1) at a short delay (`dualpi2`); elsewhere it is Reno's window, paced"),
    recovery: Recovery::Sack,
    uses_marks: true,
    scalable: true,
    paces: true,
    parameters: &[
        number("prague_g", [0.0625, 0.000_1, 1.0], "-", "weight of a new round in alpha", "section 2.4.1"),
        number("prague_alpha", [1.0, 0.0, 1.0], "-", "alpha at the first mark", "section 2.4.1"),
        number("prague_beta", [0.5, 0.1, 0.99], "-", "share of the window that a loss leaves", "RFC 5681"),
        number("prague_rtt_virt", [0.025, 0.0, 1.0], "s", "least RTT that it behaves as if it had", "section 2.4.4"),
        number(
            "prague_rounds",
            [500.0, 0.0, 1e9],
            "-",
            "rounds after slow start from which the least RTT counts",
            "section 2.4.4",
        ),
    ],
    choices: prague::CHOICES,
    build: |config| Algorithm::Prague(prague::Prague::new(config)),
    ..PLAIN
};
