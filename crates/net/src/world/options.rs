//! What to run and what to record, and why it may not come to an end.

use units::Span;

/// What to run and what to record.
#[derive(Clone, Copy, Debug)]
pub struct RunOptions {
    /// Simulated time.
    pub duration: Span,
    /// Part of it that the measured rates leave out, shorter than it.
    pub warmup: Span,
    /// Flow variables to trace.
    pub traces: Traces,
    /// Only the last of the values between two multiples of this is wanted; `None`: all of them.
    pub trace_step: Option<Span>,
    /// Trace the airtime of stations, a value so often.
    pub airtime: Option<Span>,
    /// Log window changes and losses.
    pub events: bool,
    /// Record the distribution of each flow's queueing delay.
    pub delays: bool,
    /// Record what each sender's algorithm is told, and what it answers.
    pub tapes: bool,
    /// Most values of all traces, most losses, and most window changes that are kept; then the rest is left out, see
    /// [`Results::recorded_until`](crate::Results::recorded_until).
    pub most_records: usize,
}

/// [`RunOptions::most_records`] unless told.
pub const MOST_RECORDS: usize = 10_000_000;

impl RunOptions {
    /// A run of this length, without warm-up, of which only the counters are kept.
    pub fn new(duration: Span) -> RunOptions {
        RunOptions {
            duration,
            warmup: Span::ZERO,
            traces: Traces::default(),
            trace_step: None,
            airtime: None,
            events: false,
            delays: false,
            tapes: false,
            most_records: MOST_RECORDS,
        }
    }
}

/// Which flow variables are traced. Queues are traced per link, see [`crate::QueueSpec::trace`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Traces {
    /// Congestion window.
    pub cwnd: bool,
    /// Slow start threshold.
    pub ssthresh: bool,
    /// Flight size.
    pub flight: bool,
    /// Smoothed RTT.
    pub srtt: bool,
    /// Allowed rate.
    pub rate: bool,
    /// Loss event rate of rate-controlled flows.
    pub loss_event_rate: bool,
    /// The window in force.
    pub window: bool,
    /// Every data segment or datagram when it is sent.
    pub sent: bool,
    /// Payload that has arrived.
    pub delivered: bool,
    /// One-way delay of every data segment or datagram that arrives.
    pub delay: bool,
    /// Which base station serves a mobile.
    pub serving: bool,
    /// Signal to noise of that station.
    pub snr: bool,
}

/// The run was stopped from outside.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cancelled;

/// Why a network cannot be built.
#[derive(Clone, Debug, PartialEq)]
pub enum BadNetwork {
    /// No path between the ends of this flow.
    NoRoute {
        /// Name of the flow.
        flow: String,
    },
    /// More links and flows than event numbers.
    TooLarge,
    /// Building it was stopped from outside.
    Cancelled,
    /// A medium that cannot be.
    Medium {
        /// Name of the medium.
        name: String,
        /// Why.
        error: wlan::Error,
    },
    /// The ends of this link are not both stations of its medium.
    NoStation {
        /// Name of the link.
        link: String,
    },
}
