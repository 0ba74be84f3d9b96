//! Duplicate ACKs that wait for another one, so that one tells of several segments.
//! Source: Linux's SACK compression, since 4.18. RFC 5681 section 4.2 asks for an ACK of each segment above a gap.

use units::{Span, Time};

/// Duplicates in a row that leave at once, enough for a fast retransmit.
const FREE: u32 = 3;
/// Duplicates of which one ACK tells at most.
const MOST: u32 = 44;
/// Longest wait, the share of the RTT that bounds it, and by how much the timer is late.
const LONGEST: Span = Span::from_millis(1);
const SHARE: u64 = 20;
const LATE: Span = Span(100_000);

/// Which ACKs wait, and how long.
#[derive(Clone, Copy, Debug)]
pub(super) struct Held {
    pub(super) on: bool,
    /// The next segment expected, duplicates that asked for it, and those that wait.
    number: u32,
    duplicates: u32,
    pub(super) waiting: u32,
    delay: Span,
    pub(super) syn_at: Time,
}

impl Held {
    pub(super) fn new(on: bool) -> Held {
        Held { on, number: 0, duplicates: 0, waiting: 0, delay: LONGEST + LATE, syn_at: Time::NEVER }
    }

    /// The handshake took so long.
    //= specs/papers/linux.md#delayed-acks
    //# From the fourth ACK in a row that asks for the same segment on, one waits for the next: for a 20th of the RTT of
    //# the handshake, but no more than 1 ms, and the timer is 0.1 ms late.
    pub(super) fn on_open(&mut self, rtt: Span) {
        self.delay = LONGEST.min(Span(rtt.0 / SHARE)) + LATE;
    }

    /// A duplicate ACK is due that asks for `number`: until when it may wait; none if it leaves at once.
    pub(super) fn hold(&mut self, now: Time, number: u32) -> Option<Time> {
        if self.number != number {
            (self.number, self.duplicates) = (number, 0);
        }
        if self.duplicates < FREE {
            self.duplicates += 1;
            return None;
        }
        self.waiting += 1;
        (self.waiting < MOST).then(|| now + self.delay)
    }
}
