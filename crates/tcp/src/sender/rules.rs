//! The rules in force.

use cc::bookkeeping::{Books, Growth};
use cc::registry::{Recovery, Row};

use super::Wheel;
use crate::{Config, Count, CwndLimited, EcnEcho, HalfBase, IdleRestart, RecoverRule};

/// How a connection opens.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Opening {
    /// RFC 9293.
    Rfc,
    /// The same, but timestamps tell which SYN was answered, and one that was lost costs no initial window.
    Linux,
    /// ns-2's agents and their sinks.
    Ns2,
    /// ns-2's FullTcp.
    Ns2Full,
}

/// The rules of the profile that are asked for while running.
///
/// What ns-2's agents do otherwise than the RFCs say, in recovery cores aside, is here by what it is, for whoever asks.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rules {
    pub(crate) dup_threshold: u32,
    pub(crate) limited_transmit: u32,
    pub(crate) recover_rule: RecoverRule,
    pub(crate) half_base: HalfBase,
    pub(crate) rto_ssthresh_hold: bool,
    pub(crate) timestamps: bool,
    /// Delay samples that contain the wait of the delayed-ACK timer count.
    pub(crate) delack_samples: bool,
    pub(crate) slow_start_restart: IdleRestart,
    pub(crate) dupack_from_data: bool,
    pub(crate) max_burst: u32,
    pub(crate) ecn: bool,
    /// Both ends have agreed on accurate ECN.
    pub(crate) accurate_ecn: bool,
    /// Packets are ECT(1).
    pub(crate) ect1: bool,
    /// An echo per packet tells the algorithm how many bytes were marked.
    pub(crate) echo_counts: bool,
    /// Segments leave spaced in time.
    pub(crate) paced: bool,
    /// The algorithm gets delivery rate samples.
    pub(crate) sampled: bool,
    /// When timers expire.
    pub(crate) wheel: Wheel,
    /// What must be looked at on each ACK.
    pub(crate) ack_rules: AckRules,
    pub(crate) freeze_kick: bool,
    pub(crate) initial_window: f64,
    pub(crate) initial_ssthresh: Option<u32>,
    pub(crate) opening: Opening,
    /// The initial window comes with the ACK of the first data; one segment until then.
    pub(crate) opens_late: bool,
    /// A loss found by duplicates starts over with one segment, too: slow start repairs it.
    pub(crate) goes_back: bool,
    /// The window may grow on the ACK that ends a recovery, whether or not it was in use.
    pub(crate) grows_at_exit: bool,
    /// Linux: with the ACK that ends a recovery another one may begin before the algorithm hears of it.
    pub(crate) looks_first: bool,
    /// A segment sent again apart from the rest does not count as the next in turn.
    pub(crate) repairs_apart: bool,
    /// The timeout's samples: none of a segment sent again, or acknowledged behind one; a SACK gives one, and a
    /// timestamp ends the back-off. Otherwise the segment timed counts when it is acknowledged, whatever happened
    /// meanwhile.
    pub(crate) careful_samples: bool,
    /// Partial ACKs give the timeout's estimator samples.
    pub(crate) samples_on_partial: bool,
    /// The window grows while it is in use by Linux's measure.
    pub(crate) linux_usage: bool,
    /// The recovery core gives the timeout's estimator its samples.
    pub(crate) core_samples: bool,
    /// A halving starts from no more than cwnd: what is outstanding may have arrived, and something sent in its place,
    /// when a recovery begins with the ACK that ends another one.
    pub(crate) caps_flight: bool,
    /// A share of what is outstanding is never more than cwnd.
    pub(crate) cuts_cut: bool,
    /// An ACK of a segment sent again gives no delay sample, of whatever segment.
    pub(crate) careful_delays: bool,
    /// Linux: such an ACK gives the sample of what it SACKs, or else that of its timestamp.
    pub(crate) samples_repairs: bool,
    /// Linux: timestamps are whole milliseconds.
    pub(crate) coarse_stamps: bool,
    /// The timer restarts before the sample of the same ACK is taken, and any new ACK ends the back-off.
    pub(crate) timer_before_sample: bool,
    /// Marks count on any ACK; otherwise on those that advance and on duplicates.
    pub(crate) marks_on_any_ack: bool,
    /// Segments sent again are ECN-capable.
    pub(crate) ect_again: bool,
    /// SACK blocks count on ACKs that others have overtaken, too.
    pub(crate) heeds_old_acks: bool,
    /// Without SACK a duplicate ACK is a segment that has arrived, and an ACK counts for what it adds to them.
    pub(crate) duplicates_deliver: bool,
    /// The algorithm may leave the sender without a window: nothing leaves then until the timer expires.
    pub(crate) may_shut: bool,
    /// A cut starts from the window as duplicates have inflated it.
    pub(crate) cuts_inflated: bool,
}

/// Which rules an ACK may call for: those that few senders have are not asked for where they are off.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum AckRules {
    /// None but the usual ones.
    Usual,
    /// Delivery rate samples as well.
    Sampled,
    /// Those, marks, and a timer that restarts before the sample.
    All,
}

impl AckRules {
    pub(super) const USUAL: u8 = AckRules::Usual as u8;
    pub(super) const SAMPLED: u8 = AckRules::Sampled as u8;
    pub(super) const ALL: u8 = AckRules::All as u8;
}

impl Rules {
    /// Those of `config` for a sender whose algorithm has this row.
    pub(super) fn new(config: &Config, row: &Row, paced: bool) -> Rules {
        let recovery = config.recovery.unwrap_or(row.recovery);
        let (ns2, full) = (config.ns2_recovery, config.is_full());
        let vegas = ns2 && recovery == Recovery::Vegas;
        let (board, linux) = (config.keeps_board(row), config.linux_recovery);
        let own_vegas = vegas && row.recovery == Recovery::Vegas;
        Rules {
            dup_threshold: config.dup_threshold,
            limited_transmit: config.limited_transmit.min(config.dup_threshold - 1),
            recover_rule: config.recover_rule,
            half_base: config.half_base,
            rto_ssthresh_hold: config.rto_ssthresh_hold,
            timestamps: config.timestamps,
            delack_samples: config.delack_samples || own_vegas,
            slow_start_restart: config.slow_start_restart,
            dupack_from_data: config.dupack_from_data,
            max_burst: if config.max_burst == 0 { u32::MAX } else { config.max_burst },
            ecn: config.ecn && config.ecn_echo != EcnEcho::Accurate, // that has to be agreed on
            accurate_ecn: false,
            ect1: false,
            echo_counts: row.scalable && config.ecn_echo == EcnEcho::PerPacket,
            freeze_kick: config.freeze && config.freeze_kick,
            paced,
            sampled: row.samples_delivery,
            wheel: Wheel::new(config),
            ack_rules: match full || config.ecn {
                true => AckRules::All,
                false if row.samples_delivery => AckRules::Sampled,
                false => AckRules::Usual,
            },
            initial_window: config.initial_window_segments(),
            initial_ssthresh: config.initial_ssthresh,
            opening: match (ns2, full) {
                (false, _) if linux => Opening::Linux,
                (false, _) => Opening::Rfc,
                (true, false) => Opening::Ns2,
                (true, true) => Opening::Ns2Full,
            },
            opens_late: vegas,
            goes_back: config.starts_over(row),
            grows_at_exit: (board && linux)
                || full
                || vegas
                || (ns2 && matches!(recovery, Recovery::Reno | Recovery::NewReno)),
            looks_first: board && linux && !row.sizes_at_exit,
            repairs_apart: vegas || (full && recovery != Recovery::Sack),
            careful_samples: !ns2,
            samples_on_partial: !ns2 || full,
            linux_usage: board && config.cwnd_limited == CwndLimited::Linux,
            core_samples: board,
            caps_flight: board,
            cuts_cut: !ns2,
            careful_delays: !own_vegas,
            samples_repairs: board && linux,
            coarse_stamps: linux,
            timer_before_sample: full,
            marks_on_any_ack: !ns2,
            ect_again: ns2 || row.uses_marks,
            heeds_old_acks: board && linux,
            duplicates_deliver: linux && recovery == Recovery::Reno,
            may_shut: own_vegas,
            cuts_inflated: own_vegas,
        }
    }
}

/// The books of a sender with the rules of `config`, whose algorithm has this row. An ACK counts for one segment where
/// ACKs are counted.
pub(super) fn books(config: &Config, row: &Row) -> Books {
    let limit = |count, limit| if count == Count::Acks { 1 } else { limit };
    let growth = Growth {
        slow_start: limit(config.ss_count, config.ss_limit),
        repairing: limit(config.ss_count, config.ss_limit_rto),
        avoidance: limit(config.ca_count, u32::MAX),
        only_in_use: config.cwnd_limited != CwndLimited::Off,
    };
    let deaf = row.scalable && config.ecn_echo == EcnEcho::Latched;
    let mut books = Books::new(growth, row).with_slow_start_after_loss(config.starts_over(row));
    if deaf {
        books.hear_of_marks(); // a latched echo tells too little for it
    }
    if config.ns2_recovery { books.with_marks_as_ns2() } else { books }
}
