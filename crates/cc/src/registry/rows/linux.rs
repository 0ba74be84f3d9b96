//! Algorithms as Linux computes them, where it departs from the RFC or paper.

use super::{PLAIN, choice, flag, number};
use crate::registry::{Recovery, Row};
use crate::{Algorithm, bic_linux, cubic_linux, htcp_linux, hybla_linux, hystart, illinois_linux};
use crate::{reno_linux, vegas, veno_linux, westwood_plus, yeah_linux};

pub(super) const RENO: Row = Row {
    name: "reno-linux",
    summary: "Reno in whole segments, with a cut that halves the window",
    source: "Linux 6.1",
    recovery: Recovery::Sack,
    choices: reno_linux::CHOICES,
    build: |_| Algorithm::RenoLinux(reno_linux::RenoLinux::default()),
    ..PLAIN
};

pub(super) const CUBIC: Row = Row {
    name: "cubic-linux",
    summary: "CUBIC in whole segments and milliseconds, with HyStart",
    source: "Linux 6.1; RFC 9438",
    recovery: Recovery::Sack,
    parameters: &[
        flag(
            "cubic_fast_convergence",
            true,
            "aim lower when the window at a loss is below that at the last one",
            "Linux 6.1; RFC 9438, section 4.7",
        ),
        flag("cubic_friendly", true, "grow no slower than Reno would", "Linux 6.1; RFC 9438, section 4.3"),
        choice("hystart", hystart::WORDS_OF_LINUX, "how slow start may end without a loss", "Linux 6.1; RFC 9406"),
    ],
    choices: cubic_linux::CHOICES,
    build: |config| Algorithm::CubicLinux(cubic_linux::CubicLinux::new(config)),
    ..PLAIN
};

pub(super) const VEGAS: Row = Row {
    name: "vegas-linux",
    summary: "Vegas that decides by the least RTT of each round, with 2 to 4 segments in the queue",
    source: "Linux 6.1; Brakmo and Peterson, IEEE JSAC 13(8), 1995",
    recovery: Recovery::Sack,
    parameters: &[
        number("vegas_alpha", [2.0, 0.0, 1e6], "segments", "grow while fewer are queued", "Linux 6.1"),
        number("vegas_beta", [4.0, 0.0, 1e6], "segments", "shrink while more are queued", "Linux 6.1"),
        number("vegas_gamma", [1.0, 0.0, 1e6], "segments", "leave slow start when more are queued", "Linux 6.1"),
    ],
    choices: vegas::CHOICES,
    build: |config| Algorithm::Vegas(vegas::Vegas::linux(config)),
    ..PLAIN
};

pub(super) const VENO: Row = Row {
    name: "veno-linux",
    summary: "Veno in whole segments that goes by the newest RTT, and judges timeouts, too",
    source: "Linux 6.1; Fu and Liew, IEEE JSAC 21(2), 2003",
    recovery: Recovery::Sack,
    judges_losses: true,
    choices: veno_linux::CHOICES,
    build: |_| Algorithm::VenoLinux(veno_linux::VenoLinux::default()),
    ..PLAIN
};

pub(super) const HTCP: Row = Row {
    name: "htcp-linux",
    summary: "H-TCP in whole segments and milliseconds, with growth scaled by the least RTT",
    source: "Linux 6.1; Leith and Shorten, PFLDnet 2004",
    recovery: Recovery::Sack,
    choices: htcp_linux::CHOICES,
    build: |_| Algorithm::HTcpLinux(htcp_linux::HTcpLinux::new()),
    ..PLAIN
};

pub(super) const WESTWOOD: Row = Row {
    name: "westwood-linux",
    summary: "Westwood+ with two filters, which halves for a recovery and takes the estimate at its end",
    source: "Linux 6.1; Grieco and Mascolo, ACM CCR 34(2), 2004",
    recovery: Recovery::Sack,
    parameters: &[super::bandwidth::CREDIT_CAP],
    choices: westwood_plus::CHOICES,
    build: |config| Algorithm::WestwoodPlus(westwood_plus::WestwoodPlus::linux(config)),
    sizes_at_exit: true,
    ..PLAIN
};

pub(super) const YEAH: Row = Row {
    name: "yeah-linux",
    summary: "YeAH in whole segments and whole queues",
    source: "Linux 6.1; Baiocchi, Castellani and Vacirca, PFLDnet 2007",
    recovery: Recovery::Sack,
    choices: yeah_linux::CHOICES,
    build: |_| Algorithm::YeahLinux(yeah_linux::YeahLinux::default()),
    ..PLAIN
};

pub(super) const ILLINOIS: Row = Row {
    name: "illinois-linux",
    summary: "Illinois in whole numbers, whose count begins anew when the window grows",
    source: "Linux 6.1; Liu, Basar and Srikant, VALUETOOLS 2006",
    recovery: Recovery::Sack,
    choices: illinois_linux::CHOICES,
    build: |_| Algorithm::IllinoisLinux(illinois_linux::IllinoisLinux::default()),
    ..PLAIN
};

pub(super) const HYBLA: Row = Row {
    name: "hybla-linux",
    summary: "Hybla that grows with each ACK, whatever it acknowledges, and begins with rho segments",
    source: "Linux 6.1; Caini and Firrincieli, Int. J. Satellite Communications 22, 2004",
    caution: Some(
        "slow start on a long path can send thousands of segments at once; bound it by the receiver's window",
    ),
    recovery: Recovery::Sack,
    choices: hybla_linux::CHOICES,
    build: |_| Algorithm::HyblaLinux(hybla_linux::HyblaLinux::default()),
    ..PLAIN
};

pub(super) const BIC: Row = Row {
    name: "bic-linux",
    summary: "BIC in whole segments, the faster the more an ACK covers",
    source: "Linux 6.1; Xu, Harfoush and Rhee, INFOCOM 2004",
    recovery: Recovery::Sack,
    choices: bic_linux::CHOICES,
    build: |_| Algorithm::BicLinux(bic_linux::BicLinux::default()),
    ..PLAIN
};
