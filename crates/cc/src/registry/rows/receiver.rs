//! Algorithms that estimate bandwidth from the arrivals of data at the receiver.

use super::{PLAIN, choice, number};
use crate::registry::{Parameter, Row};
use crate::{Algorithm, ewr, wr};

const LARGE: f64 = 1e6;

const GAIN: Parameter =
    number("ewr_b", [0.7, 0.0, 1.0], "-", "weight of the old bandwidth estimate", "Huq 2024, equation 6");
const RTT: Parameter = choice(
    "ewr_rtt",
    &["min", "srtt"],
    "RTT that turns the bandwidth into a window: least or smoothed",
    "Huq 2024, equation 7; `srtt` the text below it",
);

pub(super) const WR: Row = Row {
    name: "wr",
    aliases: &["tcp-wr"],
    summary: "Westwood+ with the bandwidth measured from arrivals at the receiver",
    source: "Huq, Communications (COMM), Bucharest, 2008, as told by Huq 2024",
    caution: Some("known from its description in Huq 2024 only"),
    needs_receiver_time: true,
    parameters: &[GAIN, RTT],
    choices: wr::CHOICES,
    build: |config| Algorithm::Wr(wr::Wr::new(config)),
    ..PLAIN
};

pub(super) const EWR: Row = Row {
    name: "ewr",
    aliases: &["tcp-ewr"],
    summary: "WR that asks Vegas' backlog before it answers a timeout",
    source: "Huq, TCP EWR with Enhanced Bandwidth Estimation, 2024",
    caution: Some(
        "three places of the source are corrected: equation 5 divides a rate by a time (`ewr_sample`), Figure 1 labels its branches the wrong way round (`ewr_label`), and its window growth is stated in three ways (`ewr_growth`)",
    ),
    judges_losses: true,
    needs_receiver_time: true,
    parameters: &[
        choice(
            "ewr_sample",
            &["capped", "literal", "model", "wr"],
            "bandwidth sample: arrival rate bounded by the square-root law, the law over the spacing as printed, the law, or the arrival rate",
            "reconstructed from Huq 2024, equation 5; `literal` as printed",
        ),
        number(
            "ewr_window",
            [1000.0, 10.0, ewr::LONGEST as f64],
            "segments",
            "newest segments over which the share of congestion losses is taken",
            "interpretation",
        ),
        GAIN,
        RTT,
        choice(
            "ewr_base",
            &["measured", "fixed"],
            "base RTT of the predictor: the least measured or `ewr_min_rtt`",
            "Huq 2024, section 4.2; `fixed` its simulations",
        ),
        number(
            "ewr_min_rtt",
            [0.009, 0.0, 100.0],
            "s",
            "base RTT with `ewr_base = fixed`",
            "Huq 2024, section 4.2: 9.0 ms",
        ),
        number(
            "ewr_alpha",
            [1.0, 0.0, LARGE],
            "segments",
            "with a shorter backlog the window grows, and a timeout is wireless",
            "Huq 2024, section 4.2",
        ),
        number(
            "ewr_beta",
            [9.0, 0.0, LARGE],
            "segments",
            "with a longer backlog the window shrinks, and a timeout is congestion",
            "Huq 2024, section 4.2",
        ),
        choice(
            "ewr_growth",
            &["reno", "vegas", "plus_one"],
            "growth as Westwood+, by the backlog, or a segment for each acknowledged for ever",
            "Huq 2024, section 4.3; 4.2 and 4.4 have the others",
        ),
        choice(
            "ewr_label",
            &["corrected", "literal"],
            "a short backlog means a wireless loss, or congestion as Figure 1 prints it",
            "correction of Huq 2024, Figure 1",
        ),
        choice(
            "eer",
            &["assign", "add"],
            "enhanced error recovery sets the window to the optimal one, or adds that once for each RTT lost",
            "Huq 2024, Figure 1; `add` prose of section 4.3",
        ),
        number("eer_cap", [2.0, 1.0, LARGE], "optimal windows", "most that `eer = add` comes to", "interpretation"),
        choice(
            "ewr_rto_cong",
            &["restart", "ocwnd"],
            "window after a congestion timeout: one segment, or at most the optimal one",
            "Huq 2024, section 4.4; `ocwnd` Figure 1",
        ),
    ],
    choices: ewr::CHOICES,
    build: |config| Algorithm::Ewr(ewr::Ewr::new(config)),
    ..PLAIN
};
