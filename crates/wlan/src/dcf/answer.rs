//! What a station does about a frame that it has read.

use units::Time;

use super::{Heard, Mac, Owed, Responder, Station, Task, Waiting};
use crate::Outcome;
use crate::flight::{EVERYONE, Flight, Kind};

impl Station {
    /// A frame was read, for this station or for another.
    #[inline(always)]
    pub(super) fn on_readable(&mut self, now: Time, flight: &Flight, mac: &Mac, outcomes: &mut Vec<Outcome>) -> Heard {
        self.disturbed = false;
        if flight.to == EVERYONE {
            return Heard::Data;
        }
        if flight.to != self.id {
            self.respect(now, flight, mac);
            return Heard::Nothing;
        }
        match (flight.kind, mac.rules.responder) {
            (Kind::Cts, _) if self.waiting == Waiting::Cts => self.on_cts(now, mac),
            (Kind::Ack, _) if self.waiting == Waiting::Ack => self.succeed(now, mac, outcomes),
            (Kind::BlockAck, _) if self.waiting == Waiting::Ack => {
                self.on_acknowledged(now, flight.bits, mac, outcomes);
            }
            // what is in the A-MPDU behind it is settled, so what it says can wait for the next
            (Kind::BlockAck, _) if self.waiting == Waiting::Cts && self.requests() => {
                self.on_request_answered(now, mac)
            }
            (Kind::BlockAckReq, _) => {
                self.owe(now, Kind::BlockAck, flight, mac);
                return Heard::Data;
            }
            (Kind::Rts, Responder::Standard) => self.on_rts(now, flight, mac),
            (Kind::Rts, Responder::Ns2) => self.on_rts_ns2(now, flight, mac),
            (Kind::Data, Responder::Standard) => {
                let answer = if flight.mpdus > 1 { Kind::BlockAck } else { Kind::Ack };
                self.owe(now, answer, flight, mac);
                return Heard::Data;
            }
            (Kind::Data, Responder::Ns2) => return self.on_data_ns2(now, flight, mac),
            // a late answer, or one that nobody asked for
            (Kind::Cts | Kind::Ack | Kind::BlockAck | Kind::CtsToSelf, _) => {}
        }
        Heard::Nothing
    }

    /// What a frame for another says about the time to come.
    #[inline(always)]
    pub(super) fn respect(&mut self, now: Time, flight: &Flight, mac: &Mac) {
        let end = now.then(flight.nav);
        if flight.kind == Kind::Rts && mac.rules.nav_reset {
            self.nav.extend_by_rts(end, now.then(flight.nav_reset));
        } else {
            self.nav.extend(end);
        }
    }

    /// A CTS answers if the NAV is over, whatever is sensed.
    fn on_rts(&mut self, now: Time, flight: &Flight, mac: &Mac) {
        if self.nav.is_over(now) && self.owed.is_none() {
            self.owe(now, Kind::Cts, flight, mac);
        }
    }

    /// An answer is due in SIFS.
    pub(super) fn owe(&mut self, now: Time, kind: Kind, flight: &Flight, mac: &Mac) {
        self.note_owed(kind, flight);
        self.start_timer(now + mac.sifs, Task::Answer);
    }

    pub(super) fn note_owed(&mut self, kind: Kind, flight: &Flight) {
        let Flight { from: to, answer_rate: rate, answer: airtime, answer_nav: nav, data, .. } = *flight;
        self.owed = Some(Owed { kind, rate, to, airtime, nav, data, bits: 0 });
    }

    /// SIFS is over: true, and the answer, unless it is forgotten.
    #[inline(always)]
    pub(super) fn send_owed(&mut self, now: Time, mac: &Mac, flight: &mut Flight) -> bool {
        let Some(owed) = self.owed.take() else { return false };
        if mac.rules.responder == Responder::Ns2 && owed.kind == Kind::Cts && !self.is_idle(now) {
            self.take_up(now, mac);
            return false;
        }
        let Owed { kind, rate, to, airtime, nav, data, bits } = owed;
        *flight = Flight { kind, rate, from: self.id, row: self.id, to, nav, data, bits, ..Flight::at(now, airtime) };
        self.send(now, flight, mac);
        true
    }

    /// The own CTS or ACK has left.
    pub(super) fn on_answered(&mut self, now: Time, kind: Kind, data: units::Span, mac: &Mac) {
        if mac.rules.responder == Responder::Ns2 {
            self.on_answered_ns2(now, kind, data, mac);
        }
    }
}
