//! Where ns-2 2.35 departs from the standard in what a station answers, awaits and gives up. Departures that are a
//! choice between two values are in [`Rules`](crate::params::Rules).
//!
//! - An RTS is answered only if the station neither sends nor waits nor owes an answer, and at the end of SIFS only if
//!   it is idle in every respect, NAV and air. Else it is forgotten, and its sender times out.
//! - Data follow a CTS only if the station is idle at the end of SIFS. Else there is another RTS after a longer
//!   backoff.
//! - A station that has sent a CTS waits for the data, and is not idle meanwhile.
//! - Data of an exchange with RTS are discarded without an ACK unless the station waits for them. Other data are
//!   acknowledged, but later if the station itself waits for an answer: SIFS after that has come or timed out.
//! - An RTS that is accepted ends a SIFS that is running; what was to be sent is taken up when the CTS has been used.
//! - A frame that is ignored beside a stronger one leaves a NAV of its own length and EIFS.

use units::{Span, Time};

use super::{Heard, Mac, Station, Task, Waiting};
use crate::Outcome;
use crate::airtime::whole_us;
use crate::flight::{Flight, Kind};

/// How much longer than needed the data behind a CTS are awaited.
const TRAVEL: Span = Span(4000);

impl Station {
    pub(super) fn on_rts_ns2(&mut self, now: Time, flight: &Flight, mac: &Mac) {
        if self.waiting == Waiting::Nothing && self.owed.is_none() {
            self.owe(now, Kind::Cts, flight, mac);
        }
    }

    pub(super) fn on_data_ns2(&mut self, now: Time, flight: &Flight, mac: &Mac) -> Heard {
        if flight.behind_rts {
            if self.waiting != Waiting::Data {
                return Heard::Nothing;
            }
            self.waiting = Waiting::Nothing;
            self.note_owed(Kind::Ack, flight);
            self.take_up(now, mac);
            return Heard::Data;
        }
        if self.owed.is_some() || self.waiting == Waiting::Data {
            return Heard::Nothing; // there is room for one answer
        }
        self.note_owed(Kind::Ack, flight);
        if self.waiting == Waiting::Nothing {
            self.take_up(now, mac);
        }
        Heard::Data
    }

    /// The own CTS or ACK has left.
    pub(super) fn on_answered_ns2(&mut self, now: Time, kind: Kind, data: Span, mac: &Mac) {
        if kind == Kind::Cts {
            self.waiting = Waiting::Data;
            self.start_timer(now + mac.sifs + data + TRAVEL, Task::Timeout);
        } else {
            self.take_up(now, mac);
        }
    }

    pub(super) fn on_timeout_ns2(&mut self, now: Time, mac: &Mac, outcomes: &mut Vec<Outcome>) {
        if self.waiting == Waiting::Data {
            self.waiting = Waiting::Nothing;
        } else {
            self.fail(now, mac, outcomes);
        }
        self.take_up(now, mac);
    }

    /// What comes next for a station that has nothing running: the answer that it owes, or its frame.
    pub(super) fn take_up(&mut self, now: Time, mac: &Mac) {
        if self.owed.is_some() {
            self.start_timer(now.then(mac.sifs), Task::Answer);
        } else if self.current.is_none() || self.access.is_pending() {
            self.stop_timer();
        } else if self.granted {
            self.start_timer(now + mac.sifs, Task::Data);
        } else {
            self.stop_timer();
            self.access.draw_for_frame(mac);
        }
    }

    /// The station is in the SIFS before something it sends: a new frame waits for what comes after that.
    pub(super) fn owes_soon(&self) -> bool {
        self.timer.at != Time::NEVER && self.timer.what != Task::Timeout && !self.access.is_pending()
    }

    #[inline(never)]
    pub(super) fn nav_of_ignored(&mut self, now: Time, airtime: Span, mac: &Mac) {
        self.nav.extend(now + whole_us(mac.eifs_exact + airtime, mac.rules.nav_round));
    }
}
