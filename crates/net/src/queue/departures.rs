//! Packets that wait for a time known beforehand: only when each leaves, and its size.

use units::Time;

use super::Backlog;
use crate::ring::Ring;

/// First in, first out.
#[derive(Debug)]
pub(super) struct Departures {
    ring: Ring<Departure>,
    bytes: u64,
}

#[derive(Clone, Copy, Debug, Default)]
struct Departure {
    /// When its service begins.
    at: Time,
    size: u32,
}

impl Departures {
    pub(super) fn new() -> Departures {
        Departures { ring: Ring::new(), bytes: 0 }
    }

    /// A packet waits until its service begins at `at`.
    #[inline(always)]
    pub(super) fn push(&mut self, at: Time, size: u32) {
        self.ring.push(Departure { at, size });
        self.bytes += u64::from(size);
    }

    #[inline(always)]
    pub(super) fn packets(&self) -> u32 {
        self.ring.len() as u32
    }

    /// What waits: those whose service has begun by now are forgotten.
    #[inline(always)]
    pub(super) fn backlog(&mut self, now: Time) -> Backlog {
        while let Some(first) = self.ring.front() {
            if first.at > now {
                break;
            }
            self.bytes -= u64::from(first.size);
            self.ring.pop();
        }
        Backlog { packets: self.packets(), bytes: self.bytes }
    }
}
