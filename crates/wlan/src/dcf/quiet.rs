//! Until when nothing comes of what a station is about to do by itself: what it sends is of no consequence to those
//! above, or to what other stations do by themselves, before its end has reached somebody. So nobody need be asked to
//! come by when it begins.

use units::{Span, Time};

use super::{Mac, Responder, Station, Task};
use crate::flight::{EVERYONE, Kind};

impl Station {
    /// Before this nothing comes of the station's next action, by its timer or its backoff.
    pub(crate) fn quiet_until(&self, mac: &Mac) -> Time {
        if self.edca.is_some() || self.aggregates() {
            return self.due().at();
        }
        let timer = self.timer.at + self.timer_frame(mac).map_or(Span::ZERO, |airtime| airtime + self.travel);
        // a broadcast is over where it ends at its sender
        let broadcast = self.current.as_ref().is_some_and(|current| current.to == EVERYONE);
        let travel = if broadcast { Span::ZERO } else { self.travel };
        let backoff = self.access.expiry + self.backoff_frame().map_or(Span::ZERO, |airtime| airtime + travel);
        timer.min(backoff)
    }

    /// Airtime of what the timer sends, if that is certain.
    fn timer_frame(&self, mac: &Mac) -> Option<Span> {
        let ns2 = mac.rules.responder == Responder::Ns2;
        match self.timer.what {
            Task::Answer => self.owed.filter(|owed| !ns2 || owed.kind != Kind::Cts).map(|owed| owed.airtime),
            Task::Data => self.current.filter(|_| !ns2).map(|current| current.exchange.data),
            Task::Timeout | Task::Another => None,
        }
    }

    /// Airtime of what the backoff ends with, if that is certain.
    pub(crate) fn backoff_frame(&self) -> Option<Span> {
        let current = self.current.as_ref()?;
        if self.adaptation.is_some() || self.edca.is_some() || self.aggregates() {
            return None; // what leaves is settled when it leaves
        }
        let exchange = &current.exchange;
        Some(match (exchange.rts_first, exchange.protected) {
            (true, _) => exchange.rts,
            (false, true) => exchange.cts,
            (false, false) => exchange.data,
        })
    }
}
