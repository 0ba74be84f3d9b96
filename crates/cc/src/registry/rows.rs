//! The rows. One per algorithm, parameters beside it.

use super::{Kind, Parameter, Recovery, Row};
use crate::{Algorithm, reno};

mod bandwidth;
mod bbr;
mod cerl;
mod delay;
mod high_speed;
mod large_windows;
mod linux;
mod marks;
mod queue_targets;
mod rates;
mod receiver;

/// A row with nothing special; real rows change what they need.
#[doc(hidden)]
pub const PLAIN: Row = Row {
    name: "",
    aliases: &[],
    summary: "",
    source: "",
    choices: reno::CHOICES,
    caution: None,
    recovery: Recovery::NewReno,
    hears_every_loss: false,
    judges_losses: false,
    needs_receiver_time: false,
    uses_marks: false,
    scalable: false,
    samples_delivery: false,
    sizes_at_exit: false,
    paces: false,
    couples: false,
    parameters: &[],
    build: |_| Algorithm::Reno(reno::Reno::new()),
    rate: None,
    maker: None,
};

/// A number: default, then least and greatest legal value.
const fn number(
    name: &'static str,
    [default, min, max]: [f64; 3],
    unit: &'static str,
    meaning: &'static str,
    source: &'static str,
) -> Parameter {
    Parameter { name, kind: Kind::Number { default, min, max }, unit, meaning, source }
}

/// One of several words, the default first.
const fn choice(
    name: &'static str,
    words: &'static [&'static str],
    meaning: &'static str,
    source: &'static str,
) -> Parameter {
    Parameter { name, kind: Kind::Choice(words), unit: "-", meaning, source }
}

/// On or off.
const fn flag(name: &'static str, on: bool, meaning: &'static str, source: &'static str) -> Parameter {
    Parameter { name, kind: Kind::Flag(on), unit: "-", meaning, source }
}

/// Whether marks count less than losses.
const ABE: Parameter = flag(
    "abe",
    false,
    "a congestion mark in congestion avoidance leaves `abe_beta` of the window, more than a loss does",
    "RFC 8511",
);

/// Reno's, which decide about marks.
const RENO: &[Parameter] =
    &[ABE, number("abe_beta", [0.8, 0.1, 0.99], "-", "share of the window that a mark leaves with `abe`", "RFC 8511")];

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
        parameters: RENO,
        build: |config| Algorithm::Reno(reno::Reno::with(config)),
        ..PLAIN
    },
    Row {
        name: "newreno",
        aliases: &["new-reno"],
        summary: "Reno that repairs a whole window in one fast recovery",
        source: "RFC 6582",
        recovery: Recovery::NewReno,
        parameters: RENO,
        build: |config| Algorithm::Reno(reno::Reno::with(config)),
        ..PLAIN
    },
    Row {
        name: "sack",
        summary: "Reno's window with selective acknowledgements",
        source: "RFC 6675; Fall and Floyd 1996 (`ns2` profile)",
        recovery: Recovery::Sack,
        parameters: RENO,
        build: |config| Algorithm::Reno(reno::Reno::with(config)),
        ..PLAIN
    },
    delay::VEGAS,
    delay::VENO,
    delay::MVENO,
    delay::ADAPTIVE,
    queue_targets::FAST,
    queue_targets::LEDBAT,
    bandwidth::WESTWOOD,
    bandwidth::WESTWOOD_PLUS,
    bandwidth::WESTWOOD_PLUS_HO,
    bandwidth::JERSEY,
    bandwidth::NEW_JERSEY,
    bandwidth::NEW_JERSEY_PLUS,
    receiver::WR,
    receiver::EWR,
    cerl::CERL,
    cerl::CERL_PLUS,
    cerl::CERL_PLUS_INVERTED,
    cerl::CERL_PLUS2,
    bbr::BBR,
    bbr::BBR3,
    high_speed::CUBIC,
    high_speed::CUBIC_2008,
    high_speed::YEAH,
    large_windows::BIC,
    large_windows::HIGHSPEED,
    large_windows::SCALABLE,
    large_windows::HTCP,
    large_windows::ILLINOIS,
    large_windows::HYBLA,
    marks::DCTCP,
    marks::PRAGUE,
    rates::TFRC,
    rates::TFRC_SP,
    rates::ETFCC,
    linux::RENO,
    linux::CUBIC,
    bbr::BBR_LINUX,
    linux::VEGAS,
    linux::VENO,
    linux::WESTWOOD,
    linux::HTCP,
    linux::YEAH,
    linux::ILLINOIS,
    linux::HYBLA,
    linux::BIC,
    // `windlass new-cc` adds to the list above this line.
];
