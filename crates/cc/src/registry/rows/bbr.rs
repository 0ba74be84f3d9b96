//! Algorithms that build a model of the path from delivery rates.

use super::{PLAIN, flag, number};
use crate::Algorithm;
use crate::bbr::{Bbr, MAX_ROUNDS};
use crate::bbr3::Bbr3;
use crate::registry::{Parameter, Recovery, Row};

const DRAFT: &str = "draft-cardwell-iccrg-bbr-congestion-control-00";

const LINUX: &str = "Linux 6.1";

/// Those of version 1. Linux paces somewhat slower than the draft, and makes room for what is acknowledged at once.
const fn parameters(gains: [f64; 2], margin: f64, linux: bool, source: &'static str) -> [Parameter; 17] {
    [
        number("bbr_high_gain", [gains[0], 1.0, 10.0], "-", "gains of rate and window in Startup, 2 / ln 2", source),
        number("bbr_drain_gain", [gains[1], 0.01, 1.0], "-", "pacing gain in Drain, 1 / 2.885", source),
        number("bbr_cwnd_gain", [2.0, 1.0, 10.0], "-", "window over the bandwidth-delay product in ProbeBW", DRAFT),
        number("bbr_up_gain", [1.25, 1.0, 10.0], "-", "pacing gain of the probing step of ProbeBW", DRAFT),
        number("bbr_down_gain", [0.75, 0.01, 1.0], "-", "pacing gain of the draining step of ProbeBW", DRAFT),
        number("bbr_cycle", [8.0, 3.0, 64.0], "steps", "steps of the cycle of ProbeBW", DRAFT),
        number(
            "bbr_bw_rounds",
            [10.0, 1.0, MAX_ROUNDS as f64],
            "rounds",
            "how long the greatest delivery rate is remembered",
            DRAFT,
        ),
        number("bbr_rtt_window", [10.0, 0.1, 3600.0], "s", "how long the least RTT is remembered", DRAFT),
        number("bbr_probe_rtt", [0.2, 0.0, 60.0], "s", "how long ProbeRTT lasts", DRAFT),
        number("bbr_min_cwnd", [4.0, 1.0, 100.0], "segments", "least window, and that of ProbeRTT", DRAFT),
        number("bbr_full_growth", [1.25, 1.0, 10.0], "-", "growth per round that keeps Startup on", DRAFT),
        number("bbr_full_rounds", [3.0, 1.0, 100.0], "rounds", "rounds without such growth that end it", DRAFT),
        number("bbr_quanta", [3.0, 0.0, 100.0], "-", "send quanta in flight beyond the bandwidth-delay product", DRAFT),
        number("bbr_margin", [margin, 0.0, 0.5], "-", "share by which it sends slower than the path delivers", source),
        flag("bbr_extra_acked", linux, "room in the window for what is acknowledged at once", source),
        flag("bbr_even", linux, "windows are even numbers of segments, two more in the probing step", source),
        flag("bbr_policers", linux, "where the network polices, send at the rate that it lets through", source),
    ]
}

pub(super) const BBR: Row = Row {
    name: "bbr",
    aliases: &["bbr-v1", "bbrv1"],
    summary: "Send at the rate at which the path delivers, with little more in flight than it holds",
    source: "Cardwell et al., ACM Queue 14(5), 2016; draft-cardwell-iccrg-bbr-congestion-control-00",
    caution: Some(
        "version 1 takes no notice of losses: in a buffer smaller than the path it pushes its neighbours aside, and a retransmission that is lost again waits for a timeout unless the recovery core is rack-tlp",
    ),
    recovery: Recovery::Sack,
    samples_delivery: true,
    paces: true,
    parameters: &parameters([2.885, 0.3466], 0.0, false, DRAFT),
    choices: crate::bbr::CHOICES,
    build: |config| Algorithm::Bbr(Bbr::new(config)),
    ..PLAIN
};

pub(super) const BBR_LINUX: Row = Row {
    name: "bbr-linux",
    summary: "BBR, version 1, with the pacing margin and the room for aggregated ACKs of Linux",
    source: "Linux 6.1; Cardwell et al., ACM Queue 14(5), 2016",
    parameters: &parameters([739.0 / 256.0, 88.0 / 256.0], 0.01, true, LINUX),
    aliases: &[],
    choices: "as `bbr`; ACKs that the receiver held back give RTTs; what was taken back for nothing changes nothing in the model.",
    ..BBR
};

const DRAFT_3: &str = "draft-ietf-ccwg-bbr";

pub(super) const BBR3: Row = Row {
    name: "bbr3",
    aliases: &["bbr-v3", "bbrv3"],
    summary: "BBR that probes in cycles, and learns from losses how much in flight is too much",
    source: "draft-ietf-ccwg-bbr (Cardwell, Swett and Beshay), version of 2026",
    recovery: Recovery::Sack,
    samples_delivery: true,
    paces: true,
    parameters: &[
        number("bbr3_startup_gain", [2.77, 1.0, 10.0], "-", "pacing gain in Startup, 4 ln 2", DRAFT_3),
        number("bbr3_drain_gain", [0.5, 0.01, 1.0], "-", "pacing gain in Drain", DRAFT_3),
        number("bbr3_up_gain", [1.25, 1.0, 10.0], "-", "pacing gain while it probes", DRAFT_3),
        number("bbr3_down_gain", [0.9, 0.01, 1.0], "-", "pacing gain after a probe", DRAFT_3),
        number("bbr3_cwnd_gain", [2.0, 1.0, 10.0], "-", "window over the bandwidth-delay product", DRAFT_3),
        number("bbr3_up_cwnd_gain", [2.25, 1.0, 10.0], "-", "the same while it probes", DRAFT_3),
        number("bbr3_probe_rtt_gain", [0.5, 0.01, 1.0], "-", "the same in ProbeRTT", DRAFT_3),
        number("bbr3_margin", [0.01, 0.0, 0.5], "-", "share by which it sends slower than the path delivers", DRAFT_3),
        number("bbr3_loss_thresh", [0.02, 0.0, 1.0], "-", "share of a round whose loss is too much", DRAFT_3),
        number("bbr3_beta", [0.7, 0.1, 1.0], "-", "share of a bound that a round with losses keeps", DRAFT_3),
        number("bbr3_headroom", [0.15, 0.0, 0.9], "-", "share of the long-term bound that is left to others", DRAFT_3),
        number("bbr3_min_cwnd", [4.0, 1.0, 100.0], "segments", "least window", DRAFT_3),
        number("bbr3_full_losses", [6.0, 1.0, 100.0], "-", "ACKs of a round with losses that end Startup", DRAFT_3),
        number("bbr3_rtt_window", [10.0, 0.1, 3600.0], "s", "how long the least RTT is remembered", DRAFT_3),
        number("bbr3_probe_rtt_interval", [5.0, 0.1, 3600.0], "s", "time without a lower RTT before ProbeRTT", DRAFT_3),
        number("bbr3_probe_rtt", [0.2, 0.0, 60.0], "s", "how long ProbeRTT lasts", DRAFT_3),
    ],
    choices: crate::bbr3::CHOICES,
    build: |config| Algorithm::Bbr3(Bbr3::new(config)),
    ..PLAIN
};
