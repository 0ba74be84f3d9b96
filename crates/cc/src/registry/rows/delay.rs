//! Algorithms that estimate the queue from delays.

use super::{PLAIN, choice, number};
use crate::registry::{Recovery, Row};
use crate::{Algorithm, adaptive, mveno, vegas, veno};

const LARGE: f64 = 1e6;

pub(super) const VEGAS: Row = Row {
    name: "vegas",
    summary: "Hold between alpha and beta segments in the bottleneck's queue",
    source: "Brakmo and Peterson, IEEE JSAC 13(8), 1995",
    recovery: Recovery::Vegas,
    parameters: &[
        number(
            "vegas_alpha",
            [1.0, 0.0, LARGE],
            "segments",
            "grow while fewer are queued; Linux 2",
            "Brakmo and Peterson 1995; ns-2",
        ),
        number(
            "vegas_beta",
            [3.0, 0.0, LARGE],
            "segments",
            "shrink while more are queued; Linux 4",
            "Brakmo and Peterson 1995; ns-2",
        ),
        number(
            "vegas_gamma",
            [1.0, 0.0, LARGE],
            "segments",
            "leave slow start when more are queued",
            "Brakmo and Peterson 1995; ns-2",
        ),
        choice(
            "vegas_impl",
            &["ns2", "linux"],
            "whole rule set: the paper's as in ns-2, or that of Linux and ns-3 (run it with the SACK or NewReno core)",
            "ns-2.35; Linux",
        ),
        choice(
            "vegas_ss",
            &["alt_rtt", "alt_ack"],
            "slow start grows in every second round or at every second ACK; `ns2` only",
            "Brakmo and Peterson 1995; `alt_ack` Saedi 2019",
        ),
        choice(
            "vegas_diff",
            &["over_rtt", "over_base"],
            "queue as a share of the RTT or, as in later Linux, of the base RTT; `linux` only",
            "Linux before and since 5.x",
        ),
    ],
    choices: vegas::CHOICES,
    build: |config| Algorithm::Vegas(vegas::Vegas::new(config)),
    ..PLAIN
};

pub(super) const VENO: Row = Row {
    name: "veno",
    summary: "Reno that keeps four fifths at a loss without a queue and grows slowly with one",
    source: "Fu and Liew, IEEE JSAC 21(2), 2003",
    judges_losses: true,
    parameters: &[
        number(
            "veno_beta",
            [3.0, 0.0, LARGE],
            "segments",
            "queue from which the path counts as congested",
            "Fu and Liew 2003",
        ),
        number("veno_keep", [0.8, 0.0, 1.0], "-", "share of the window kept at a random loss", "Fu and Liew 2003"),
        choice(
            "veno_rtt",
            &["mean_round", "min_round", "newest"],
            "RTT of the last round, mean or least of its samples, or the newest sample",
            "Fu and Liew 2003; `min_round` ns-3; `newest` Linux",
        ),
        choice(
            "veno_rto",
            &["reno", "same"],
            "ssthresh after a timeout: half, or as after duplicate ACKs",
            "Fu and Liew 2003; `same` Linux and ns-3",
        ),
        choice(
            "veno_base_reset",
            &["loss", "never"],
            "whether a loss makes the least RTT be learned anew",
            "Fu and Liew 2003; `never` Linux and ns-3",
        ),
    ],
    choices: veno::CHOICES,
    build: |config| Algorithm::Veno(veno::Veno::new(config)),
    ..PLAIN
};

pub(super) const MVENO: Row = Row {
    name: "mveno",
    aliases: &["m-veno"],
    summary: "Multipath Veno; with one path, Veno that decides once per round",
    source: "Dong et al., IEEE Trans. Commun. 64(8), 2016",
    judges_losses: true,
    caution: Some(
        "the coupling weight over several paths is reconstructed; with a single path it is 1, so only the timing of decisions differs from Veno",
    ),
    couples: true,
    parameters: &[
        number(
            "mveno_beta",
            [3.0, 0.0, LARGE],
            "segments",
            "queue from which the path counts as congested",
            "Dong et al. 2016",
        ),
        number("mveno_keep", [0.8, 0.0, 1.0], "-", "share of the window kept at a random loss", "Dong et al. 2016"),
        choice(
            "mveno_base",
            &["ever", "round"],
            "least RTT of the connection or of the round",
            "Saedi 2019; `round` authors' module",
        ),
    ],
    choices: mveno::CHOICES,
    build: |config| Algorithm::MVeno(mveno::MVeno::new(config)),
    ..PLAIN
};

pub(super) const ADAPTIVE: Row = Row {
    name: "adaptive",
    aliases: &["adaptive-tcp"],
    summary: "NewReno that keeps the more of its window the nearer the RTT is to its minimum",
    source: "Dalal, Sarkar, Dasgupta and Kothari, IJCNS 8(5), 2015",
    caution: Some("reconstructed: equations 1 to 6 are missing from the source's text and follow its prose"),
    judges_losses: true,
    parameters: &[
        choice(
            "adapt_rtt",
            &["srtt", "sample"],
            "RTT of the congestion estimator: smoothed or the newest sample",
            "Dalal et al. 2015, section 3.1; `sample` interpretation",
        ),
        choice(
            "adapt_rto_ss",
            &["native", "max_wla"],
            "ssthresh after a timeout: half, or the larger of that and the window kept",
            "reconstructed from Dalal et al. 2015, equation 4",
        ),
        choice(
            "adapt_E",
            &["loss", "exit"],
            "ssthresh is extended to the time of the loss or of the end of recovery",
            "reconstructed from Dalal et al. 2015, equation 6 and Figure 2",
        ),
    ],
    choices: adaptive::CHOICES,
    build: |config| Algorithm::Adaptive(adaptive::Adaptive::new(config)),
    ..PLAIN
};
