//! Algorithms as Linux computes them, where it departs from the RFC or paper.

use super::{PLAIN, choice, flag};
use crate::registry::{Recovery, Row};
use crate::{Algorithm, cubic_linux, hystart, reno_linux};

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
