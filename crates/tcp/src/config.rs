//! Every rule of the engine that can be chosen, and the named sets of choices.

use cc::registry::{Recovery, Row};
use units::Span;

/// A named set of engine rules. Each rule is also a field of [`Config`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Profile {
    /// The current RFCs: 5681, 3465, 6298, 6928, 7323, 2883, 8985, 9937, 5682, 3522, 3708.
    Rfc,
    /// The one-way agents of ns-2.35.
    Ns2,
    /// Linux 6.1.
    Linux,
}

/// What a halving starts from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HalfBase {
    /// The flight size (RFC 5681), without what limited transmit sent.
    Flight,
    /// The smaller of cwnd and the receiver's window (ns-2, CERL).
    Window,
    /// cwnd (Linux).
    Cwnd,
}

/// Whether a window grows only while it is in use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum CwndLimited {
    /// It grows in any case.
    Off,
    /// While it is full when an ACK arrives (RFC 7661).
    On,
    /// Linux: if it was full in the last round, and in slow start up to twice what was outstanding then. Only with
    /// RACK-TLP, and as `On` otherwise.
    Linux,
}

/// What a pause of more than a timeout does to the window.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IdleRestart {
    /// Nothing.
    Off,
    /// It is the initial window again, or less (RFC 5681).
    On,
    /// Linux (RFC 2861): it is halved for each timeout that the pause lasts, down to the initial window, and ssthresh
    /// remembers three quarters of what it was.
    Linux,
}

/// What the least retransmission timeout bounds, and by which estimator.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RtoFloor {
    /// The timeout (RFC 6298).
    Timeout,
    /// Its variance term, by Linux's estimator.
    Variance,
}

/// When timers expire.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TimerWheel {
    /// When they are due.
    Exact,
    /// At steps of 1, 8 or 64 ms, as those of a Linux kernel that counts milliseconds.
    Linux,
}

/// What makes a window grow.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Count {
    /// ACKs of new data: each counts for one segment, however many it covers.
    Acks,
    /// The bytes that they newly acknowledge (RFC 3465).
    Bytes,
}

/// The window a connection starts with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum InitialWindow {
    /// A number of segments.
    Segments(u32),
    /// min(4 MSS, max(2 MSS, 4380 bytes)), RFC 5681 and RFC 3390.
    Rfc5681,
    /// min(10 MSS, max(2 MSS, 14600 bytes)), RFC 6928.
    Rfc6928,
}

/// When an ACK past `recover` allows the next fast retransmit (RFC 6582 section 4). With SACK it is always from
/// RecoveryPoint on (RFC 6675 section 5.1).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RecoverRule {
    /// The ACK must cover more than recover.
    Careful,
    /// The ACK must cover recover.
    LessCareful,
    /// No guard.
    Off,
}

/// How delayed ACKs are timed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DelackMode {
    /// The timer starts with the first unacknowledged in-order segment.
    PerSegment,
    /// A free-running heartbeat at multiples of the interval (ns-2 FullTcp).
    Heartbeat,
    /// Per segment, for a time that follows the distance of segments, from the one given to 200 ms.
    Linux,
}

/// Whether segments leave spaced in time, and at which rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Pacing {
    /// At once, whatever the algorithm wants.
    Off,
    /// At the rate that the algorithm gives, if it paces.
    Algorithm,
    /// At the rate of a window per smoothed RTT, times a factor.
    Window,
    /// As Linux under a pacing queue: at the rate that the algorithm gives, or else by the window as Linux counts it.
    Linux,
}

/// How a receiver tells of congestion marks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EcnEcho {
    /// On every ACK until the sender answers (RFC 3168).
    Latched,
    /// On the ACKs of what was marked (RFC 8257).
    PerPacket,
    /// By the number of marked packets (AccECN, RFC 9768), if both ends have it.
    Accurate,
}

/// Which of ns-2's agents [`Config::ns2_recovery`] follows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Agent {
    /// A sender and a sink: data one way, ACKs the other.
    OneWay,
    /// FullTcp: a handshake of three segments, data both ways, ACKs that ride on them.
    Full,
}

/// Most segments of a window.
pub(crate) const MOST_SEGMENTS: u32 = 1 << 24;

/// The engine's rules for one connection. [`Config::profile`] gives a complete set; change what you need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Config {
    /// Sender's maximum segment size, payload bytes.
    pub mss: u32,
    /// Header bytes added to every segment on the wire, pure ACKs and the SYN included; options come on top.
    pub header: u32,
    /// Receiver's window, segments.
    pub window: u32,
    /// Initial window.
    pub initial_window: InitialWindow,
    /// Initial slow start threshold, segments; `None`: the receiver's window.
    pub initial_ssthresh: Option<u32>,
    /// Recovery core; `None`: the one the algorithm names.
    pub recovery: Option<Recovery>,
    /// Proportional Rate Reduction in recovery (RFC 9937). Works with the RFC cores NewReno, SACK and RACK-TLP, and
    /// with algorithms that leave the window in recovery to the engine, see [`Config::can_prr`].
    pub prr: bool,
    /// RACK-TLP: probe for losses at the tail (RFC 8985 section 7).
    pub tail_probes: bool,
    /// RACK-TLP, and Linux's recovery by SACK and by duplicates: take a reduction back that was for nothing: F-RTO
    /// (RFC 5682), timestamps (RFC 3522), DSACK (RFC 3708).
    pub undo: bool,
    /// Recover as Linux does where that is otherwise than the RFCs say: PRR's share counts from cwnd, the ACK that ends
    /// a recovery lets the window grow, and one lost SYN costs no initial window. SACK without RACK and NewReno are
    /// Linux's as well: its states, timer and undo, and losses found by the number of SACKs or duplicates.
    pub linux_recovery: bool,
    /// Duplicate-ACK threshold D, at least 1.
    pub dup_threshold: u32,
    /// Most segments that limited transmit may send below the threshold (RFC 3042: 2; ns-2: D - 1; 0: off).
    pub limited_transmit: u32,
    /// Guard against repeated fast retransmits.
    pub recover_rule: RecoverRule,
    /// ns-2's agents in recovery: partial ACKs deflate as ns-2 does, at most two segments per ACK, a full ACK removes
    /// the inflation only and grows, SACK follows Sack1, the delaying sink delays the ACK of a second copy of the last
    /// segment in order, and Vegas' segments have no header. Otherwise RFC 6582, RFC 6675 and RFC 5681 section 4.2.
    pub ns2_recovery: bool,
    /// Which agents of ns-2 those are.
    pub agent: Agent,
    /// What a halving starts from.
    pub half_base: HalfBase,
    /// ssthresh counts whole segments (ns-2).
    pub whole_ssthresh: bool,
    /// Keep ssthresh when the timer expires again for the same segment (RFC 5681); ns-2 cuts again.
    pub rto_ssthresh_hold: bool,
    /// What slow start counts.
    pub ss_count: Count,
    /// Most segments that an ACK counts for in slow start, L of RFC 3465; `u32::MAX`: no limit.
    pub ss_limit: u32,
    /// The same in a slow start that repairs losses: after a timeout, and after any loss with Tahoe.
    pub ss_limit_rto: u32,
    /// What congestion avoidance counts.
    pub ca_count: Count,
    /// Grow cwnd only while it is in use.
    pub cwnd_limited: CwndLimited,
    /// RTO before any sample.
    pub rto_init: Span,
    /// Least RTO, or what it bounds else.
    pub rto_min: Span,
    /// What `rto_min` bounds.
    pub rto_floor: RtoFloor,
    /// Greatest RTO.
    pub rto_max: Span,
    /// Clock tick of RTT measurement; zero for an exact clock. Non-zero means ns-2's arithmetic in ticks.
    pub rtt_tick: Span,
    /// Where the sender's clock stands at time zero, within one tick; `None`: at a tick.
    pub clock_offset: Option<Span>,
    /// When timers expire, those for delayed ACKs included.
    pub timer_wheel: TimerWheel,
    /// [`TimerWheel::Linux`]: where the wheel stands at time zero.
    pub timer_phase: Span,
    /// RTT samples from timestamps on every ACK (RFC 7323) instead of one segment at a time. Adds 12 bytes (10 in ns-2)
    /// to the header.
    pub timestamps: bool,
    /// Delay samples of ACKs that the receiver held back reach the algorithm. They contain its wait for another
    /// segment, up to `delayed_ack_timer`, which is no queue. The least RTT and the retransmission timeout take them in
    /// any case.
    pub delack_samples: bool,
    /// What an idle time of one RTO does to the window.
    pub slow_start_restart: IdleRestart,
    /// Segments per ACK: 1 acknowledges each, 2 is usual.
    pub delayed_ack: u32,
    /// Delayed-ACK timer.
    pub delayed_ack_timer: Span,
    /// How that timer runs.
    pub delayed_ack_mode: DelackMode,
    /// Segments at the start that are acknowledged one by one; `u32::MAX`: as many as Linux's window needs to grow to
    /// `window`, two segments with each, and 16 more.
    pub quick_acks: u32,
    /// Segments that the application writes before they can be sent. Then the last of what it wrote carries PSH, and
    /// each at which half of the largest window was written since the last such one, and their receiver acknowledges
    /// them at once, as in Linux; and it writes only once the handshake is over, which an ACK without data ends. 0: no
    /// segment carries PSH.
    pub push: u32,
    /// Report segments that came again (RFC 2883).
    pub dsack: bool,
    /// From the fourth duplicate ACK in a row on, an ACK waits up to a millisecond for the next, as Linux's do.
    pub sack_compression: bool,
    /// Count duplicate ACKs that ride on data (RFC 5681 and FullTcp do not).
    pub dupack_from_data: bool,
    /// Most segments released by one ACK; 0: no limit.
    pub max_burst: u32,
    /// Whether segments leave spaced in time.
    pub pacing: Pacing,
    /// [`Pacing::Window`]: factor in slow start.
    pub pacing_slow_start: f64,
    /// [`Pacing::Window`]: factor after slow start.
    pub pacing_factor: f64,
    /// Segments that a paced sender may send at once after a pause, at least 1.
    pub pacing_burst: u32,
    /// Segments that a paced sender lets leave together, as segmentation offload does, at least 1.
    pub pacing_quantum: u32,
    /// Freeze-TCP: the receiver, warned of a handover, closes its window until it is over.
    pub freeze: bool,
    /// How long before the break it closes; `None`: one smoothed RTT of the sender.
    pub freeze_lead: Option<Span>,
    /// ACKs with the old window that it sends at the end, at least 1.
    pub freeze_copies: u32,
    /// The sender retransmits the oldest segment when the window opens again.
    pub freeze_kick: bool,
    /// Packets are ECN-capable.
    pub ecn: bool,
    /// How the receiver tells of marks.
    pub ecn_echo: EcnEcho,
    /// Accurate ECN: pure ACKs carry the number of marked bytes as well.
    pub accecn_option: bool,
    /// Packets are ECT(1) instead of ECT(0), as those of L4S senders (RFC 9331); only with accurate ECN.
    pub ect1: bool,
}

impl Config {
    /// The rules of a profile. Segments fill packets of 1500 bytes: 1460 bytes, or 1448 with the options of `rfc` and
    /// `linux` (RFC 9293 section 3.7.1).
    pub fn profile(profile: Profile) -> Config {
        match profile {
            Profile::Rfc => Config {
                mss: 1448,
                initial_ssthresh: Some(MOST_SEGMENTS),
                recovery: Some(Recovery::RackTlp),
                prr: true,
                timestamps: true,
                dsack: true,
                ..Config::classic()
            },
            Profile::Ns2 => Config {
                window: 1000,
                initial_window: InitialWindow::Segments(2),
                limited_transmit: u32::MAX,
                ns2_recovery: true,
                half_base: HalfBase::Window,
                whole_ssthresh: true,
                rto_ssthresh_hold: false,
                ss_count: Count::Acks,
                ca_count: Count::Acks,
                cwnd_limited: CwndLimited::Off,
                rto_init: Span::from_millis(3000),
                rto_min: Span::from_millis(200),
                rtt_tick: Span::from_millis(10),
                delayed_ack: 1,
                ..Config::classic()
            },
            Profile::Linux => Config {
                // half of the largest receive buffer, 6 MiB
                window: 2172,
                initial_window: InitialWindow::Segments(10),
                linux_recovery: true,
                delack_samples: true,
                half_base: HalfBase::Cwnd,
                ss_limit: u32::MAX,
                ss_limit_rto: u32::MAX,
                cwnd_limited: CwndLimited::Linux,
                slow_start_restart: IdleRestart::Linux,
                rto_min: Span::from_millis(200),
                rto_floor: RtoFloor::Variance,
                rto_max: Span::from_millis(120_000),
                delayed_ack_timer: Span::from_millis(40),
                delayed_ack_mode: DelackMode::Linux,
                quick_acks: u32::MAX,
                push: 256,
                sack_compression: true,
                ..Config::profile(Profile::Rfc)
            },
        }
    }

    /// The sender of the RFCs before RACK-TLP: the recovery core that the algorithm names, RFC 6582 or RFC 6675, and no
    /// timestamps, PRR or DSACK.
    pub fn classic() -> Config {
        Config {
            mss: 1460,
            header: 40,
            window: 1 << 20,
            initial_window: InitialWindow::Rfc6928,
            initial_ssthresh: None,
            recovery: None,
            prr: false,
            tail_probes: true,
            undo: true,
            linux_recovery: false,
            dup_threshold: 3,
            limited_transmit: 2,
            recover_rule: RecoverRule::Careful,
            ns2_recovery: false,
            agent: Agent::OneWay,
            half_base: HalfBase::Flight,
            whole_ssthresh: false,
            rto_ssthresh_hold: true,
            ss_count: Count::Bytes,
            ss_limit: 2,
            ss_limit_rto: 1,
            ca_count: Count::Bytes,
            cwnd_limited: CwndLimited::On,
            rto_init: Span::from_millis(1000),
            rto_min: Span::from_millis(1000),
            rto_floor: RtoFloor::Timeout,
            rto_max: Span::from_millis(60_000),
            rtt_tick: Span::ZERO,
            clock_offset: None,
            timer_wheel: TimerWheel::Exact,
            timer_phase: Span::ZERO,
            timestamps: false,
            delack_samples: false,
            slow_start_restart: IdleRestart::On,
            delayed_ack: 2,
            delayed_ack_timer: Span::from_millis(100),
            delayed_ack_mode: DelackMode::PerSegment,
            quick_acks: 0,
            push: 0,
            dsack: false,
            sack_compression: false,
            dupack_from_data: false,
            max_burst: 0,
            pacing: Pacing::Algorithm,
            pacing_slow_start: 2.0,
            pacing_factor: 1.2,
            pacing_burst: 1,
            pacing_quantum: 1,
            freeze: false,
            freeze_lead: None,
            freeze_copies: 3,
            freeze_kick: true,
            ecn: false,
            ecn_echo: EcnEcho::Latched,
            accecn_option: true,
            ect1: false,
        }
    }

    /// The same with the ECN that an algorithm with this row wants, if it wants any.
    pub fn with_marks_for(mut self, row: &Row) -> Config {
        if row.uses_marks {
            self.ecn = true;
            self.ecn_echo = if row.scalable { EcnEcho::Accurate } else { EcnEcho::PerPacket };
            self.ect1 = row.scalable;
        }
        self
    }

    /// Whether [`Config::prr`] has a meaning for this algorithm.
    pub fn can_prr(&self, row: &Row) -> bool {
        let core = self.recovery.unwrap_or(row.recovery);
        let sizes_itself = row.samples_delivery || self.starts_over(row);
        !self.ns2_recovery && !sizes_itself && matches!(core, Recovery::NewReno | Recovery::Sack | Recovery::RackTlp)
    }

    /// Whether the recovery core knows of each segment what has become of it: RACK-TLP, and what Linux does without
    /// RACK or without SACK.
    pub(crate) fn keeps_board(&self, row: &Row) -> bool {
        match self.recovery.unwrap_or(row.recovery) {
            Recovery::RackTlp => true,
            Recovery::Sack | Recovery::NewReno => self.linux_recovery && !self.ns2_recovery,
            _ => false,
        }
    }

    /// Whether a loss is repaired by slow start from one segment, instead of a recovery: with Tahoe's core, and with
    /// RACK-TLP for algorithms whose own core that is.
    pub(crate) fn starts_over(&self, row: &Row) -> bool {
        match self.recovery.unwrap_or(row.recovery) {
            Recovery::Tahoe => true,
            Recovery::RackTlp => row.recovery == Recovery::Tahoe,
            _ => false,
        }
    }

    /// The profile with the rules of one of ns-2's agents: FullTcp has no limited transmit, and a heartbeat for delayed
    /// ACKs. Outside the `ns2` profile the agent says nothing.
    pub fn with_agent(mut self, agent: Agent) -> Config {
        self.agent = agent;
        if self.is_full() {
            self.limited_transmit = 0;
            self.delayed_ack_mode = DelackMode::Heartbeat;
        }
        self
    }

    /// The rules are those of ns-2's FullTcp.
    pub fn is_full(&self) -> bool {
        self.ns2_recovery && self.agent == Agent::Full
    }

    /// Whether the sender's clock stands at a random place within a tick if nothing is said of it. That of ns-2's Vegas
    /// ticks at time zero.
    pub fn draws_clock(&self, row: &Row) -> bool {
        !self.is_ns2_vegas(row)
    }

    fn is_ns2_vegas(&self, row: &Row) -> bool {
        self.ns2_recovery && self.recovery.unwrap_or(row.recovery) == Recovery::Vegas
    }

    /// Header bytes of a data segment on the wire, SACK blocks aside, of a sender with this algorithm. Those of ns-2's
    /// Vegas have none.
    pub fn data_header(&self, algorithm: &cc::Config) -> u32 {
        if self.is_ns2_vegas(algorithm.row()) { 0 } else { self.wire_header() }
    }

    /// Header bytes on the wire, options included.
    pub fn wire_header(&self) -> u32 {
        match (self.timestamps, self.ns2_recovery) {
            (false, _) => self.header,
            (true, false) => self.header + 12,
            (true, true) => self.header + 10,
        }
    }

    /// Initial window in segments, by rule and MSS. May be fractional.
    pub fn initial_window_segments(&self) -> f64 {
        let by_rule =
            |most: u32, bytes: u32| f64::from((2 * self.mss).max(bytes).min(most * self.mss)) / f64::from(self.mss);
        match self.initial_window {
            InitialWindow::Segments(n) => f64::from(n),
            InitialWindow::Rfc5681 => by_rule(4, 4380),
            InitialWindow::Rfc6928 => by_rule(10, 14_600),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn initial_windows_by_rfc() {
        let mut config = Config::profile(Profile::Rfc);
        // 10 * 1448 is less than 14600
        assert_eq!(config.initial_window_segments(), 10.0);
        config.mss = 1460;
        // 10 * 1460 = 14600
        assert_eq!(config.initial_window_segments(), 10.0);
        config.initial_window = InitialWindow::Rfc5681;
        // 4380 = 3 * 1460
        assert_eq!(config.initial_window_segments(), 3.0);
        config.mss = 536;
        assert_eq!(config.initial_window_segments(), 4.0);
        config.mss = 2920;
        assert_eq!(config.initial_window_segments(), 2.0);
    }
}
