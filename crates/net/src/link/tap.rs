//! A tap before a link: the world looks at a packet before that enters.
//!
//! [`Link::enter`] counts the packet and answers [`Fate::Held`]; then the world calls [`Link::enter_tapped`], which
//! answers as a link without a tap.

use units::Time;

use super::{Entry, Fate, Link};
use crate::packet::Packet;

impl Link {
    /// Have packets looked at before they enter. Only before the first one.
    pub(crate) fn tap(&mut self) {
        self.cold.tapped = true;
        self.hot.entry = Entry::Special;
        if let Some(warming) = &mut self.cold.warmup {
            warming.entry = Entry::Special;
        }
    }

    pub(crate) fn is_tapped(&self) -> bool {
        self.cold.tapped
    }

    /// A packet that was looked at enters.
    pub(crate) fn enter_tapped(&mut self, now: Time, packet: &mut Packet, end: Time) -> Fate {
        let arrival = self.hot.offered_packets - 1;
        self.enter_behind_tap(now, packet, arrival, end)
    }
}
