//! CERL and its descendants.

use super::{PLAIN, choice, number};
use crate::cerl_plus::MAX_WINDOW;
use crate::registry::{Parameter, Recovery, Row};
use crate::{Algorithm, cerl, cerl_plus};

const COMPARISON: Parameter = choice(
    "cerl_cmp",
    &["ge", "gt"],
    "a loss is congestive if the queue is at least (`ge`) or more than (`gt`) the threshold",
    "El-Ocla 2010: prose has both, listing `gt`",
);
const LONGEST: Parameter = choice(
    "cerl_lmax",
    &["keep", "rebase"],
    "when the least RTT falls, the longest queue stands (`keep`) or is measured against the new least RTT (`rebase`)",
    "El-Ocla 2010; `rebase` is a correction",
);
const AVERAGE: Parameter = choice(
    "cerlp_avg",
    &["all", "srtt"],
    "mean RTT: of all samples of the connection, or smoothed (RFC 6298)",
    "Saedi 2019, section 4",
);
const WINDOW: Parameter = number(
    "cerlp_window",
    [0.0, 0.0, MAX_WINDOW as f64],
    "samples",
    "mean RTT of the newest so many samples instead; 0 for off",
    "interpretation",
);

/// CERL hears of every loss and decides itself whether the window of data has paid.
const FAMILY: Row = Row { recovery: Recovery::Reno, hears_every_loss: true, judges_losses: true, ..PLAIN };

pub(super) const CERL: Row = Row {
    name: "cerl",
    summary: "Keep the window at losses while the bottleneck's queue is short",
    source: "El-Ocla, Wireless Networks 16, 2010",
    parameters: &[
        number("cerl_A", [0.55, 0.0, 10.0], "-", "threshold as a share of the longest queue seen", "El-Ocla 2010"),
        COMPARISON,
        LONGEST,
    ],
    choices: cerl::CHOICES,
    build: |config| Algorithm::Cerl(cerl::Cerl::new(config)),
    ..FAMILY
};

pub(super) const CERL_PLUS: Row = Row {
    name: "cerl-plus",
    aliases: &["cerlplus", "cerl+"],
    summary: "CERL with the threshold factor mean RTT / least RTT, as printed",
    source: "Saedi, MSc thesis, Lakehead University, 2019, chapter 4",
    caution: Some(
        "as printed, never treats duplicate ACKs as congestion once RTT samples differ; `cerl-plus-inverted` is the other reading",
    ),
    parameters: &[COMPARISON, LONGEST, AVERAGE, WINDOW],
    choices: cerl_plus::CHOICES,
    build: |config| Algorithm::Cerl(cerl_plus::as_printed(config)),
    ..FAMILY
};

pub(super) const CERL_PLUS_INVERTED: Row = Row {
    name: "cerl-plus-inverted",
    aliases: &["cerlplusinverted", "cerlplus-inverted"],
    summary: "CERL with the threshold factor least RTT / mean RTT",
    source: "Saedi 2019, chapter 4, with the factor turned over",
    parameters: &[COMPARISON, LONGEST, AVERAGE, WINDOW],
    choices: cerl_plus::CHOICES,
    build: |config| Algorithm::Cerl(cerl_plus::inverted(config)),
    ..FAMILY
};

pub(super) const CERL_PLUS2: Row = Row {
    name: "cerl-plus2",
    aliases: &["cerlplus2", "cerl+2", "cerl-plus-2"],
    summary: "CERL+ that cuts at every congestive loss, not once per window",
    source: "Saedi 2019, section 4.1.3",
    caution: Some(
        "with `cerlp_A = avg_over_t` (as printed), never treats duplicate ACKs as congestion once RTT samples differ",
    ),
    parameters: &[
        choice(
            "cerlp_A",
            &["avg_over_t", "t_over_avg"],
            "threshold factor: mean over least RTT (as printed) or least over mean RTT",
            "Saedi 2019, section 4",
        ),
        COMPARISON,
        LONGEST,
        AVERAGE,
        WINDOW,
    ],
    choices: cerl_plus::CHOICES,
    build: |config| Algorithm::Cerl(cerl_plus::plus2(config)),
    ..FAMILY
};
