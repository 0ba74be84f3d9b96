//! What a sender counts, and what it tells of its decisions.

use units::{Span, Time};

use super::Limits;

/// Sender's counters.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct SenderStats {
    /// Data segments sent, retransmissions included.
    pub sent_segments: u64,
    /// Delay samples.
    pub rtt_samples: u64,
    /// Sum of the delay samples, seconds.
    pub rtt_sum: f64,
    /// Largest delay sample.
    pub rtt_max: Span,
    /// Integral of cwnd over time since the connection opened, segment-seconds.
    pub cwnd_integral: f64,
    /// Data segments sent again.
    pub retransmitted_segments: u64,
    /// Expiries of the retransmission timer, those of the SYN included.
    pub timeouts: u64,
    /// Probes for losses at the tail.
    pub tail_probes: u64,
    /// Reductions taken back: they were for nothing.
    pub undone: u64,
    /// Entries into recovery by duplicate ACKs or SACK.
    pub fast_retransmits: u64,
    /// Reductions of the window, for whatever cause.
    pub window_cuts: u64,
    /// Losses that the algorithm judged random.
    pub judged_random: u64,
    /// Probes of a closed window.
    pub window_probes: u64,
    /// ACKs that carried a congestion mark.
    pub marks: u64,
    /// What kept it from sending, and how long.
    pub limits: Limits,
    /// At the end still in the slow start that it began with.
    pub never_left_slow_start: bool,
    /// When the connection opened; `None`: it never did.
    pub opened: Option<Time>,
}

impl SenderStats {
    /// Add those of another sender: windows that stand side by side add up.
    pub fn add(&mut self, other: &SenderStats) {
        self.sent_segments += other.sent_segments;
        self.retransmitted_segments += other.retransmitted_segments;
        self.timeouts += other.timeouts;
        self.fast_retransmits += other.fast_retransmits;
        self.tail_probes += other.tail_probes;
        self.undone += other.undone;
        self.window_cuts += other.window_cuts;
        self.judged_random += other.judged_random;
        self.window_probes += other.window_probes;
        self.marks += other.marks;
        self.rtt_samples += other.rtt_samples;
        self.rtt_sum += other.rtt_sum;
        self.rtt_max = self.rtt_max.max(other.rtt_max);
        self.opened = match (self.opened, other.opened) {
            (Some(a), Some(b)) => Some(a.min(b)),
            (a, b) => a.or(b),
        };
        self.cwnd_integral += other.cwnd_integral;
        self.limits.add(&other.limits);
        self.never_left_slow_start |= other.never_left_slow_start;
    }
}

/// Why the window changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Why {
    /// Duplicate ACKs (or SACK): cut.
    DupAcks,
    /// Loss found, window kept: cut already for this window of data, or the algorithm could not tell.
    SameWindow,
    /// Loss found and judged random: kept, or cut by another measure than for congestion.
    JudgedRandom,
    /// Retransmission timer.
    Timeout,
    /// Congestion mark.
    Mark,
    /// Recovery over.
    RecoveryExit,
    /// A reduction was for nothing, and is taken back.
    Undo,
}

impl Why {
    /// A segment was taken for lost.
    pub fn finds_loss(self) -> bool {
        matches!(self, Why::DupAcks | Why::SameWindow | Why::JudgedRandom | Why::Timeout)
    }
}

/// One entry of the log of window changes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WindowEvent {
    /// When.
    pub at: Time,
    /// Why.
    pub why: Why,
    /// cwnd before, segments.
    pub cwnd_before: f64,
    /// cwnd after, segments.
    pub cwnd_after: f64,
    /// ssthresh after, segments.
    pub ssthresh_after: f64,
    /// The segment in question: the one lost, or the first one still outstanding.
    pub segment: u32,
}

/// What the algorithm made of a loss, told for the first time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Judgement {
    /// The segment taken for lost.
    pub segment: u32,
    /// Judged random; otherwise congestion, as every algorithm does that knows nothing else.
    pub random: bool,
}

/// The first window changes, as many as are wanted.
#[derive(Clone, Debug)]
pub(super) struct Log {
    pub(super) events: Vec<WindowEvent>,
    pub(super) most: usize,
    /// When the first one was that found no room.
    pub(super) cut: Option<Time>,
}

impl Log {
    pub(super) fn note(&mut self, event: WindowEvent) {
        if self.events.len() < self.most {
            self.events.push(event);
        } else {
            self.cut.get_or_insert(event.at);
        }
    }
}
