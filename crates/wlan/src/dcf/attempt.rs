//! A frame's way: offered, sent, answered or repeated, done with.

use units::Time;

use super::retry::Unanswered;
use super::{Asked, Current, Mac, Responder, Station, Task, Waiting};
use crate::airtime::{CTS_BYTES, Exchange, RTS_BYTES};
use crate::ampdu::BLOCK_ACK_REQ_BYTES;
use crate::flight::{Class, EVERYONE, Flight, Kind};
use crate::params::AfterTimeout;
use crate::{Frame, Outcome, Params};

impl Station {
    /// The station has no frame of this class and may be offered one.
    pub(crate) fn wants_frame(&self, class: Class) -> bool {
        match (&self.edca, self.place_behind(class)) {
            (Some(edca), Some(place)) => edca.behind[place].current.is_none(),
            _ => self.current.is_none(),
        }
    }

    /// A frame becomes current.
    pub(crate) fn offer(&mut self, now: Time, frame: Frame, params: &Params, mac: &Mac) {
        let Frame { to, bytes, handle, rate, class } = frame;
        let broadcast = to == EVERYONE;
        let adapts = self.adaptation.is_some() && rate.is_none() && !broadcast;
        if let Some(adaptation) = self.adaptation.as_mut().filter(|_| adapts) {
            adaptation.on_frame(now, to);
        }
        let rate = rate.unwrap_or_else(|| if adapts { self.data_rate(to) } else { self.rate });
        let exchange = self.exchange(Asked { bytes, rate, broadcast }, params);
        self.serial = self.serial.wrapping_add(1);
        let serial = self.serial;
        let current =
            Some(Current { to, bytes, adapts, handle, serial, offered: now, tries: 0, aired: false, exchange });
        let idle = self.is_idle(now);
        if let Some(place) = self.place_behind(class)
            && let Some(edca) = &mut self.edca
        {
            let function = &mut edca.behind[place];
            function.current = current;
            if let Some(aggregate) = &mut function.aggregate {
                aggregate.start(now, &frame, params);
            }
            function.access.on_frame(now, idle, mac);
            return;
        }
        self.granted = false;
        self.current = current;
        if let Some(aggregate) = &mut self.aggregate {
            aggregate.start(now, &frame, params);
        }
        let waits = mac.rules.responder == Responder::Ns2
            && self.access.is_counting()
            && (idle || self.access.is_pending())
            && self.owes_soon();
        if !waits && !self.goes_on(now, mac) {
            self.access.on_frame(now, idle, mac);
        }
    }

    /// Times of this frame's exchange. Packets have few lengths, so those of the last two are kept.
    #[inline(always)]
    pub(super) fn exchange(&mut self, asked: Asked, params: &Params) -> Exchange {
        let found = self.exchanges.iter().position(|kept| kept.0 == Some(asked));
        self.last_exchange = found.unwrap_or_else(|| self.another_exchange(asked, params));
        self.exchanges[self.last_exchange].1
    }

    /// It takes the place of the older one.
    #[cold]
    fn another_exchange(&mut self, asked: Asked, params: &Params) -> usize {
        let Asked { bytes, rate, broadcast } = asked;
        let older = 1 - self.last_exchange;
        self.exchanges[older] = (Some(asked), Exchange::new(params, rate, bytes, broadcast));
        older
    }

    /// A repeated frame may have another rate.
    #[cold]
    fn retime(&mut self, params: &Params) {
        let Some(current @ Current { adapts: true, .. }) = self.current else { return };
        let rate = self.data_rate(current.to);
        if current.exchange.rate == rate {
            return;
        }
        let exchange = self.exchange(Asked { bytes: current.bytes, rate, broadcast: false }, params);
        self.current = Some(Current { exchange, ..current });
    }

    /// Data were acknowledged, or not.
    fn tell_adaptation(&mut self, success: bool) {
        if let (Some(Current { adapts: true, to, .. }), Some(adaptation)) = (self.current, &mut self.adaptation) {
            adaptation.on_attempt(to, success);
        }
    }

    /// The backoff is over: the station, or a class of it, has the medium.
    #[inline]
    pub(crate) fn on_backoff_end(&mut self, now: Time, mac: &Mac, outcomes: &mut Vec<Outcome>) {
        if self.edca.is_some() {
            self.settle_among_classes(now, mac, outcomes);
        }
        self.access.spend();
    }

    /// The exchange begins: true, and the first frame of it, unless nothing is to be sent.
    #[inline]
    pub(crate) fn begin(&mut self, now: Time, params: &Params, mac: &Mac, flight: &mut Flight) -> bool {
        if self.adaptation.is_some() && !self.aggregates() {
            self.retime(params);
        }
        let Some(current) = &mut self.current else { return false };
        current.tries += 1;
        self.stats.attempts += 1;
        self.stats.retries += u64::from(current.tries > 1);
        if current.exchange.requested {
            self.fill(Kind::BlockAckReq, now, flight);
        } else if current.exchange.rts_first {
            self.fill(Kind::Rts, now, flight);
        } else if current.exchange.protected {
            self.fill(Kind::CtsToSelf, now, flight);
            flight.to = self.id;
        } else {
            self.fill(Kind::Data, now, flight);
        }
        self.send(now, flight, mac);
        true
    }

    /// A frame of the current exchange.
    #[inline]
    fn fill(&mut self, kind: Kind, now: Time, flight: &mut Flight) {
        let Some(current) = &mut self.current else { return };
        if kind == Kind::Data {
            current.aired = true;
            if let Some(aggregate) = &mut self.aggregate {
                aggregate.go_on_air();
            }
        }
        let exchange = &current.exchange;
        *flight = Flight {
            kind,
            rate: exchange.rate,
            answer_rate: exchange.ack_rate,
            bytes: exchange.mpdu,
            from: self.id,
            to: current.to,
            row: self.id,
            start: now,
            airtime: exchange.data,
            nav: exchange.data_nav,
            answer: exchange.ack,
            answer_nav: units::Span::ZERO,
            data: exchange.data,
            nav_reset: units::Span::ZERO,
            behind_rts: exchange.rts_first,
            class: self.class,
            mpdus: 0,
            bits: 0,
            serial: current.serial,
            handle: current.handle,
            offered: current.offered,
        };
        match kind {
            Kind::Rts | Kind::BlockAckReq => {
                let bytes = if exchange.requested { BLOCK_ACK_REQ_BYTES } else { RTS_BYTES };
                flight.mpdus = u32::from(exchange.requested);
                (flight.airtime, flight.nav, flight.bytes) = (exchange.rts, exchange.rts_nav, bytes);
                (flight.rate, flight.answer_rate) = (exchange.rts_rate, exchange.cts_rate);
                (flight.answer, flight.answer_nav) = (exchange.cts, exchange.cts_nav);
                flight.nav_reset = exchange.nav_reset;
            }
            Kind::CtsToSelf => {
                (flight.airtime, flight.nav, flight.bytes) = (exchange.cts, exchange.cts_nav, CTS_BYTES);
                flight.rate = exchange.rts_rate;
            }
            _ => flight.mpdus = self.packets_in_air(),
        }
    }

    #[inline(always)]
    pub(super) fn send(&mut self, now: Time, flight: &Flight, mac: &Mac) {
        self.begin_own(now, flight.kind, flight.airtime, mac);
        if flight.kind == Kind::Data {
            let packets = u64::from(flight.mpdus.max(1));
            self.stats.data_kbps += packets * u64::from(flight.rate.kbps);
            self.stats.data_sent += packets - 1;
            self.stats.ampdus += u64::from(packets > 1);
        }
    }

    /// SIFS after the CTS, or after the CTS to oneself.
    pub(super) fn send_data_after_cts(&mut self, now: Time, mac: &Mac, flight: &mut Flight) -> bool {
        if mac.rules.responder == Responder::Ns2 && !self.is_idle(now) {
            self.stats.broken_off += 1;
            self.begin_anew(mac);
            return false;
        }
        if self.current.is_none() {
            return false;
        }
        self.fill(Kind::Data, now, flight);
        self.send(now, flight, mac);
        true
    }

    pub(super) fn wait_for_answer(&mut self, now: Time, answer: Waiting) {
        let Some(current) = self.current else { return };
        let timeout = match answer {
            Waiting::Cts => current.exchange.cts_timeout,
            _ => current.exchange.ack_timeout,
        };
        self.waiting = answer;
        self.start_timer(now.then(timeout), Task::Timeout);
    }

    /// Nothing has come.
    pub(super) fn on_timeout(&mut self, now: Time, mac: &Mac, outcomes: &mut Vec<Outcome>) {
        if mac.rules.responder == Responder::Ns2 {
            return self.on_timeout_ns2(now, mac, outcomes);
        }
        // what has begun by now may be the answer: `on_anything_heard` decides
        if self.reception.is_coming() {
            return;
        }
        self.fail(now, mac, outcomes);
        if mac.rules.after_timeout == AfterTimeout::Slots && self.is_free() {
            self.resume_slots(self.nav.until().max(now), mac);
        }
    }

    /// A frame has ended while an answer was awaited; `kind` if it was read and is for this station.
    pub(super) fn on_anything_heard(&mut self, now: Time, kind: Option<Kind>, mac: &Mac, outcomes: &mut Vec<Outcome>) {
        let awaited = match self.waiting {
            Waiting::Nothing | Waiting::Data => return,
            Waiting::Cts if self.requests() => Kind::BlockAck,
            Waiting::Cts => Kind::Cts,
            Waiting::Ack => self.acknowledged_by(),
        };
        if kind != Some(awaited) {
            self.fail(now, mac, outcomes);
        }
    }

    /// The CTS has come.
    pub(super) fn on_cts(&mut self, now: Time, mac: &Mac) {
        self.waiting = Waiting::Nothing;
        self.stop_timer();
        self.retry.on_cts();
        if let Some(aggregate) = &mut self.aggregate {
            aggregate.on_cts();
        }
        self.granted = true;
        match mac.rules.responder {
            Responder::Standard => self.start_timer(now + mac.sifs, Task::Data),
            Responder::Ns2 => self.take_up(now, mac),
        }
    }

    /// The ACK has come, or a broadcast has ended: backoff whether or not there is more to send.
    #[inline]
    pub(super) fn succeed(&mut self, now: Time, mac: &Mac, outcomes: &mut Vec<Outcome>) {
        if self.sends_numbered() {
            return self.on_acknowledged(now, 1, mac, outcomes);
        }
        self.tell_adaptation(true);
        let Some(current) = self.finish(self.unanswered(), mac) else { return };
        self.stats.acked += u64::from(current.to != EVERYONE);
        self.stats.service += now.since(current.offered);
        self.access.draw(mac);
        self.note_end_of_exchange(now);
        outcomes.push(Outcome::Sent { station: self.id, handle: current.handle });
        if mac.rules.responder == Responder::Ns2 {
            self.take_up(now, mac);
        }
    }

    /// What was awaited has not come.
    #[inline(never)]
    pub(super) fn fail(&mut self, now: Time, mac: &Mac, outcomes: &mut Vec<Outcome>) {
        let what = self.unanswered();
        let numbered = self.sends_numbered();
        if what != Unanswered::Rts || mac.rts_tells_of_rate {
            if numbered { self.tell_adaptation_of_ampdu() } else { self.tell_adaptation(false) }
        }
        self.waiting = Waiting::Nothing;
        self.stop_timer();
        self.stats.failures += 1;
        self.disturbed = false;
        if numbered {
            if !self.give_up_packets(now, what, mac, outcomes) {
                return self.begin_anew(mac);
            }
            self.finish(what, mac);
            return self.access.draw(mac);
        }
        if !self.retry.fails(what, mac) {
            return self.begin_anew(mac);
        }
        let Some(current) = self.finish(what, mac) else { return };
        self.stats.dropped += 1;
        self.stats.service += now.since(current.offered);
        if mac.rules.backoff_after_drop {
            self.access.draw(mac);
        }
        outcomes.push(Outcome::Dropped { station: self.id, handle: current.handle, aired: current.aired });
    }

    /// The exchange from its beginning, after a longer backoff.
    pub(super) fn begin_anew(&mut self, mac: &Mac) {
        self.granted = false;
        self.access.widen();
        self.access.draw_for_frame(mac);
    }

    pub(super) fn unanswered(&self) -> Unanswered {
        match (self.waiting, self.current.is_some_and(|current| current.exchange.rts_first)) {
            (Waiting::Cts, _) => Unanswered::Rts,
            (_, true) => Unanswered::DataAfterCts,
            (_, false) => Unanswered::Data,
        }
    }

    /// The frame is done with, one way or the other.
    pub(super) fn finish(&mut self, last: Unanswered, mac: &Mac) -> Option<Current> {
        self.retry.next_frame(last, mac);
        self.waiting = Waiting::Nothing;
        self.stop_timer();
        self.granted = false;
        self.access.narrow();
        self.current.take()
    }
}
