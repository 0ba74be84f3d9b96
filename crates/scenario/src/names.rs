//! Words that stand in results, each with its meaning: what reads the tables, draws or explains them reads these lists.

use tcp::Why;

/// A connection.
pub(crate) const TCP: &str = "tcp";
/// Datagrams that a source sends.
pub(crate) const UDP: &str = "udp";
/// Datagrams at a rate that follows the receiver's reports.
pub(crate) const TFRC: &str = "tfrc";
/// A connection over several paths.
pub(crate) const MULTIPATH: &str = "multipath";
/// One path of such a connection.
pub(crate) const SUBFLOW: &str = "subflow";

/// What carries the data of a row of the table of flows.
pub(crate) struct TransportRow {
    /// As in the column `transport`.
    pub(crate) name: &'static str,
    pub(crate) meaning: &'static str,
    /// Takes what the path has left, so that shares of several such flows can be fair or unfair.
    pub(crate) adapts: bool,
    /// Another row counts its payload already.
    pub(crate) part: bool,
}

/// Every transport of the table of flows.
pub(crate) static TRANSPORTS: &[TransportRow] = &[
    TransportRow { name: TCP, meaning: "a connection over one path", adapts: true, part: false },
    TransportRow {
        name: UDP,
        meaning: "datagrams that a source sends, whatever becomes of them",
        adapts: false,
        part: false,
    },
    TransportRow {
        name: TFRC,
        meaning: "datagrams at a rate that follows the receiver's reports",
        adapts: true,
        part: false,
    },
    TransportRow { name: MULTIPATH, meaning: "a connection over several paths", adapts: true, part: false },
    TransportRow { name: SUBFLOW, meaning: "one path of such a connection", adapts: true, part: true },
];

/// What stands under `true_cause` of an event whose segment was not lost.
pub const NOT_LOST: &str = "none";

/// A kind of window change.
pub(crate) struct EventRow {
    pub(crate) why: Why,
    /// As in the column `kind`.
    pub(crate) name: &'static str,
    /// In the legend of a figure; none: not drawn.
    pub(crate) label: Option<&'static str>,
    pub(crate) meaning: &'static str,
    /// What the sender took the loss for that it found by duplicate ACKs, `random` or `congestion`; none: no such loss.
    pub(crate) judged: Option<&'static str>,
    /// A segment is in question, whose true cause of loss is told.
    pub(crate) of_segment: bool,
}

/// Every kind of window change.
pub(crate) static WINDOW_EVENTS: &[EventRow] = &[
    EventRow {
        why: Why::DupAcks,
        name: "dup-acks",
        label: Some("cut on duplicate ACKs"),
        meaning: "loss found by duplicate ACKs or SACK, window cut",
        judged: Some("congestion"),
        of_segment: true,
    },
    EventRow {
        why: Why::SameWindow,
        name: "same-window",
        label: Some("same window, no new cut"),
        meaning: "loss found, window kept: cut already for this window of data, or the algorithm could not tell",
        judged: None,
        of_segment: true,
    },
    EventRow {
        why: Why::JudgedRandom,
        name: "judged-random",
        label: Some("judged random"),
        meaning: "loss judged random: window kept, or cut by another measure than for congestion",
        judged: Some("random"),
        of_segment: true,
    },
    EventRow {
        why: Why::Timeout,
        name: "timeout",
        label: Some("timeout"),
        meaning: "the retransmission timer expired",
        judged: None,
        of_segment: true,
    },
    EventRow {
        why: Why::Mark,
        name: "mark",
        label: Some("cut on a mark"),
        meaning: "a congestion mark came back",
        judged: None,
        of_segment: false,
    },
    EventRow {
        why: Why::RecoveryExit,
        name: "recovery-exit",
        label: None,
        meaning: "the recovery is over",
        judged: None,
        of_segment: false,
    },
    EventRow {
        why: Why::Undo,
        name: "undo",
        label: None,
        meaning: "a cut was for nothing, as later ACKs show, and is taken back",
        judged: None,
        of_segment: false,
    },
];

/// What is to be known of a kind of window change.
pub(crate) fn window_event(why: Why) -> &'static EventRow {
    WINDOW_EVENTS.iter().find(|row| row.why == why).expect("every kind is in the table")
}
