//! The rules in force.

use cc::registry::{Recovery, Row};

use super::Core;
use crate::{Config, Count, HalfBase, RecoverRule};

/// The rules of the profile that are asked for while running.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) ns2: bool,
    /// ns-2's FullTcp; `ns2` is true as well.
    pub(crate) full: bool,
    pub(crate) dup_threshold: u32,
    pub(crate) limited_transmit: u32,
    pub(crate) recover_rule: RecoverRule,
    pub(crate) half_base: HalfBase,
    pub(crate) rto_ssthresh_hold: bool,
    /// Most segments that an ACK counts for in slow start, in one that repairs losses, and in congestion avoidance: one
    /// where ACKs are counted.
    pub(crate) ss_limit: u32,
    pub(crate) ss_limit_rto: u32,
    pub(crate) ca_limit: u32,
    pub(crate) cwnd_limited: bool,
    pub(crate) timestamps: bool,
    /// Delay samples that contain the wait of the delayed-ACK timer count.
    pub(crate) delack_samples: bool,
    pub(crate) slow_start_restart: bool,
    pub(crate) dupack_from_data: bool,
    pub(crate) max_burst: u32,
    pub(crate) ecn: bool,
    pub(crate) prr: bool,
    /// Segments leave spaced in time.
    pub(crate) paced: bool,
    /// The algorithm gets delivery rate samples.
    pub(crate) sampled: bool,
    /// What must be looked at on each ACK.
    pub(crate) ack_rules: AckRules,
    /// The pipe of RFC 6675 is kept up to date; ns-2's Sack1 has its own, and does not ask what is lost.
    pub(crate) keeps_pipe: bool,
    pub(crate) freeze_kick: bool,
    /// ns-2's Vegas.
    pub(crate) ns2_vegas: bool,
    pub(crate) initial_window: f64,
    pub(crate) initial_ssthresh: Option<u32>,
}

/// Which rules an ACK may call for: those that few senders have are not asked for where they are off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AckRules {
    /// None but the usual ones.
    Usual,
    /// Delivery rate samples as well.
    Sampled,
    /// Those, ns-2's FullTcp, ECN and PRR.
    All,
}

impl AckRules {
    pub(super) const USUAL: u8 = AckRules::Usual as u8;
    pub(super) const SAMPLED: u8 = AckRules::Sampled as u8;
    pub(super) const ALL: u8 = AckRules::All as u8;
}

impl Rules {
    /// Those of `config` for a sender whose algorithm has this row.
    pub(super) fn new(config: &Config, row: &Row, core: Core, paced: bool, prr: bool) -> Rules {
        let is_ns2_vegas = config.ns2_recovery && core == Core::Vegas && row.recovery == Recovery::Vegas;
        let limit = |count, limit| if count == Count::Acks { 1 } else { limit };
        Rules {
            ns2: config.ns2_recovery,
            full: config.is_full(),
            dup_threshold: config.dup_threshold,
            limited_transmit: config.limited_transmit.min(config.dup_threshold - 1),
            recover_rule: config.recover_rule,
            half_base: config.half_base,
            rto_ssthresh_hold: config.rto_ssthresh_hold,
            ss_limit: limit(config.ss_count, config.ss_limit),
            ss_limit_rto: limit(config.ss_count, config.ss_limit_rto),
            ca_limit: limit(config.ca_count, u32::MAX),
            cwnd_limited: config.cwnd_limited,
            timestamps: config.timestamps,
            delack_samples: config.delack_samples || is_ns2_vegas,
            slow_start_restart: config.slow_start_restart,
            dupack_from_data: config.dupack_from_data,
            max_burst: if config.max_burst == 0 { u32::MAX } else { config.max_burst },
            ecn: config.ecn,
            freeze_kick: config.freeze && config.freeze_kick,
            paced,
            sampled: row.samples_delivery,
            prr,
            ack_rules: match config.is_full() || config.ecn || prr {
                true => AckRules::All,
                false if row.samples_delivery => AckRules::Sampled,
                false => AckRules::Usual,
            },
            keeps_pipe: core == Core::Sack || prr,
            ns2_vegas: is_ns2_vegas,
            initial_window: config.initial_window_segments(),
            initial_ssthresh: config.initial_ssthresh,
        }
    }
}
