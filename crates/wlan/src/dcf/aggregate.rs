//! Packets that go together: an A-MPDU from its gathering to its BlockAck, at the sender.
//!
//! A function that aggregates has the packets of one receiver under way, numbered for that receiver. Those not yet
//! acknowledged come first in the next A-MPDU. A packet has its own counters: of RTS without CTS, and of data without
//! an answer for it.

use units::{Span, Time};

use super::retry::Unanswered;
use super::{Asked, Current, Mac, Station, Task};
use crate::airtime::Exchange;
use crate::ampdu::{GivenUp, WINDOW, joined};
use crate::flight::{EVERYONE, Frame, Kind, StationId};
use crate::{Outcome, Params, Phy, Supply};

/// A packet under way.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Mpdu {
    /// Which of the sender's packets of this class for this receiver.
    pub(crate) number: u64,
    pub(crate) handle: u64,
    /// When the MAC took it.
    pub(crate) offered: Time,
    /// Of the whole frame, FCS included.
    pub(crate) bytes: u32,
    rts_failures: u32,
    failures: u32,
    /// It was on air.
    pub(super) aired: bool,
}

/// A function's packets under way, all for one receiver, in order.
#[derive(Debug, Default)]
pub(crate) struct Aggregate {
    mpdus: Vec<Mpdu>,
    /// So many of the first are in the exchange that is under way, or was last.
    in_air: usize,
    /// Of the A-MPDU, and of the longest frame in it.
    bytes: u32,
    longest: u32,
    /// The receiver.
    to: StationId,
    /// By receiver, those of the past too.
    peers: Vec<Peer>,
}

/// What a sender knows of its packets for a receiver.
#[derive(Debug)]
struct Peer {
    id: StationId,
    /// Number of the next packet.
    next: u64,
    /// One was given up, and the receiver has not been told.
    given_up: bool,
}

impl Aggregate {
    /// Those in the exchange under way.
    pub(crate) fn in_air(&self) -> &[Mpdu] {
        &self.mpdus[..self.in_air]
    }

    /// The A-MPDU goes on air.
    pub(super) fn go_on_air(&mut self) {
        self.mpdus[..self.in_air].iter_mut().for_each(|mpdu| mpdu.aired = true);
    }

    /// A new packet is its first under way.
    pub(super) fn start(&mut self, now: Time, frame: &Frame, params: &Params) {
        (self.in_air, self.to) = (0, frame.to);
        if frame.to != EVERYONE {
            self.push(now, frame.handle, params.mpdu(frame.bytes));
        }
    }

    /// What is known of the packets for the present receiver.
    fn peer(&mut self) -> &mut Peer {
        let to = self.to;
        let place = self.peers.binary_search_by_key(&to, |peer| peer.id).unwrap_or_else(|place| {
            self.peers.insert(place, Peer { id: to, next: 0, given_up: false });
            place
        });
        &mut self.peers[place]
    }

    fn push(&mut self, now: Time, handle: u64, bytes: u32) {
        let peer = self.peer();
        let number = peer.next;
        peer.next += 1;
        self.mpdus.push(Mpdu { number, handle, offered: now, bytes, rts_failures: 0, failures: 0, aired: false });
    }

    /// Take packets into the exchange: those to be repeated, then new ones as far as `more` gives any that are no
    /// longer than it is told.
    fn gather(&mut self, most: u32, mpdus_max: u32, mut more: impl FnMut(&mut Aggregate, u32) -> bool) {
        (self.in_air, self.bytes, self.longest) = (0, 0, 0);
        let Some(first) = self.mpdus.first().map(|mpdu| mpdu.number) else { return };
        loop {
            let room = most.saturating_sub(joined(self.bytes, 0));
            if self.in_air > 0 && (self.in_air >= mpdus_max as usize || room == 0) {
                return;
            }
            if self.in_air == self.mpdus.len() {
                let number = self.mpdus[self.in_air - 1].number + 1;
                if number >= first + WINDOW || !more(self, room) {
                    return;
                }
            }
            let mpdu = self.mpdus[self.in_air];
            if self.in_air > 0 && (mpdu.bytes > room || mpdu.number >= first + WINDOW) {
                return;
            }
            self.bytes = joined(self.bytes, mpdu.bytes);
            self.longest = self.longest.max(mpdu.bytes);
            self.in_air += 1;
        }
    }

    /// Each packet of the exchange has failed; `gone` hears of those for which it was the last time.
    pub(super) fn fail(&mut self, what: Unanswered, mac: &Mac, mut gone: impl FnMut(&Mpdu)) {
        let mut given_up = false;
        self.keep(|mpdu| {
            let (count, limit) = match what {
                Unanswered::Rts => (&mut mpdu.rts_failures, mac.short_retry_limit),
                Unanswered::Data | Unanswered::DataAfterCts => (&mut mpdu.failures, mac.mpdu_retry_limit),
            };
            *count += 1;
            let stays = *count < limit;
            if !stays {
                gone(mpdu);
            }
            given_up |= !stays;
            stays
        });
        self.peer().given_up |= given_up;
    }

    /// Another class of the station went first: that counts like an RTS that was not answered. Nothing is in the air.
    pub(super) fn yields(&mut self, mac: &Mac, gone: impl FnMut(&Mpdu)) {
        self.in_air = self.mpdus.len();
        self.fail(Unanswered::Rts, mac, gone);
    }

    pub(super) fn is_empty(&self) -> bool {
        self.mpdus.is_empty()
    }

    /// A CTS has come.
    pub(super) fn on_cts(&mut self) {
        self.mpdus[..self.in_air].iter_mut().for_each(|mpdu| mpdu.rts_failures = 0);
    }

    /// Go through what was in the exchange; those for which `stays` is false are done with.
    fn keep(&mut self, mut stays: impl FnMut(&mut Mpdu) -> bool) {
        let mut left = std::mem::take(&mut self.in_air);
        self.mpdus.retain_mut(|mpdu| {
            let judged = left > 0;
            left -= usize::from(judged);
            !judged || stays(mpdu)
        });
    }
}

impl Station {
    /// It sends packets together.
    pub(crate) fn aggregates(&self) -> bool {
        self.aggregate.is_some()
    }

    /// The packets of its exchange under way; none unless it is the one of this number.
    pub(crate) fn under_way(&self, serial: u32) -> &[Mpdu] {
        match (&self.aggregate, &self.current) {
            (Some(aggregate), Some(current)) if current.serial == serial => aggregate.in_air(),
            _ => &[],
        }
    }

    /// How many packets with numbers the exchange has.
    pub(super) fn packets_in_air(&self) -> u32 {
        self.aggregate.as_ref().map_or(0, |aggregate| aggregate.in_air as u32)
    }

    /// The current frame has a number: it is no broadcast, and packets go together.
    pub(super) fn sends_numbered(&self) -> bool {
        self.aggregates() && self.current.is_some_and(|current| current.to != EVERYONE)
    }

    /// What answers the data of the exchange.
    pub(super) fn acknowledged_by(&self) -> Kind {
        if self.packets_in_air() > 1 { Kind::BlockAck } else { Kind::Ack }
    }

    /// The exchange begins with a BlockAckReq.
    pub(super) fn requests(&self) -> bool {
        self.current.is_some_and(|current| current.exchange.requested)
    }

    /// The receiver knows from where on packets are under way.
    pub(super) fn on_request_answered(&mut self, now: Time, mac: &Mac) {
        if let Some(aggregate) = &mut self.aggregate {
            aggregate.peer().given_up = false;
        }
        self.on_cts(now, mac);
    }

    /// None of the packets in the exchange was acknowledged.
    pub(super) fn tell_adaptation_of_ampdu(&mut self) {
        if let (Some(current), Some(adaptation), Some(aggregate)) =
            (self.current, &mut self.adaptation, &self.aggregate)
            && current.adapts
        {
            adaptation.on_ampdu(current.to, aggregate.in_air as u32, 0);
        }
    }

    /// A BlockAck is owed: what it says.
    pub(crate) fn note_block_ack(&mut self, arrived: u64) {
        if let Some(owed) = &mut self.owed {
            owed.bits = arrived;
        }
    }

    /// SIFS after an exchange of the same access is over, and what goes into the next is to be settled.
    pub(crate) fn is_about_to_go_on(&self) -> bool {
        self.aggregates() && self.timer.what == Task::Another
    }

    /// The exchange is about to begin: what goes into it, at the rate of this attempt.
    pub(crate) fn gather<S: Supply>(&mut self, now: Time, supply: &mut S, params: &Params, mac: &Mac) {
        let (Some(current), Some(mut aggregate)) = (self.current, self.aggregate.take()) else { return };
        if current.to != EVERYONE {
            let rate = if current.adapts { self.data_rate(current.to) } else { current.exchange.rate };
            let Current { to, .. } = current;
            let (id, class) = (self.id, self.class);
            let requests = params.given_up == GivenUp::Frame && aggregate.peer().given_up;
            let most = self.most_bytes(now, &current, requests, params, mac);
            let header = params.mpdu(0);
            aggregate.gather(most, params.ampdu.mpdus, |aggregate, room| {
                let at_most = room.saturating_sub(header);
                if at_most == 0 {
                    return false;
                }
                let Some(frame) = supply.next(now, id, class, to, at_most) else { return false };
                debug_assert!(frame.to == to && frame.bytes <= at_most, "a packet that was not asked for");
                aggregate.push(now, frame.handle, params.mpdu(frame.bytes));
                true
            });
            if aggregate.in_air < params.ampdu_min as usize {
                aggregate.in_air = 1;
            }
            self.serial = self.serial.wrapping_add(1);
            let first = aggregate.mpdus[0];
            let exchange = if aggregate.in_air > 1 {
                Exchange::of_ampdu(params, rate, aggregate.bytes, aggregate.longest)
            } else {
                let bytes = first.bytes - header;
                self.exchange(Asked { bytes, rate, broadcast: false }, params)
            };
            let exchange = if requests { exchange.behind_request(params) } else { exchange };
            self.current = Some(Current { serial: self.serial, exchange, tries: 0, ..current });
            let again = |mpdu: &Mpdu| mpdu.failures + mpdu.rts_failures > 0;
            self.stats.retries += u64::from(aggregate.in_air().iter().any(again));
        }
        self.aggregate = Some(aggregate);
    }

    /// Bytes of the longest A-MPDU: by the limits of the set, and by the time that the class has.
    fn most_bytes(&self, now: Time, current: &Current, requests: bool, params: &Params, mac: &Mac) -> u32 {
        let rate = if current.adapts { self.data_rate(current.to) } else { current.exchange.rate };
        if !matches!(rate.phy, Phy::Ht(_)) {
            return 0;
        }
        let mut airtime = params.ampdu.airtime;
        if self.access.terms.txop > Span::ZERO
            && let Some(edca) = &self.edca
        {
            let whole = Exchange::of_ampdu(params, rate, 0, current.bytes + params.mpdu(0));
            let whole = if requests { whole.behind_request(params) } else { whole };
            let others = whole.airtime(mac.sifs) - whole.data;
            airtime = airtime.min(edca.left(now) - others);
        }
        params.bytes_within(rate, airtime).min(params.ampdu.bytes)
    }

    /// The answer has come: it acknowledges the packets whose bit is set, counted from the first in the exchange.
    #[inline(never)]
    pub(super) fn on_acknowledged(&mut self, now: Time, bits: u64, mac: &Mac, outcomes: &mut Vec<Outcome>) {
        let (Some(current), Some(aggregate)) = (self.current, &mut self.aggregate) else { return };
        let first = aggregate.mpdus.first().map_or(0, |mpdu| mpdu.number);
        let (sent, mut acked, mut given_up) = (aggregate.in_air as u32, 0, false);
        let (station, stats) = (self.id, &mut self.stats);
        aggregate.keep(|mpdu| {
            let has_arrived = bits >> (mpdu.number - first) & 1 == 1;
            acked += u32::from(has_arrived);
            mpdu.failures += u32::from(!has_arrived);
            let stays = !has_arrived && mpdu.failures < mac.mpdu_retry_limit;
            if !stays {
                stats.service += now.since(mpdu.offered);
                stats.acked += u64::from(has_arrived);
                stats.dropped += u64::from(!has_arrived);
            }
            let Mpdu { handle, aired, .. } = *mpdu;
            given_up |= !has_arrived && !stays;
            if has_arrived {
                outcomes.push(Outcome::Sent { station, handle });
            } else if !stays {
                outcomes.push(Outcome::Dropped { station, handle, aired });
            }
            stays
        });
        aggregate.peer().given_up |= given_up;
        let more = !aggregate.mpdus.is_empty();
        stats.missing += u64::from(sent - acked);
        if current.adapts
            && let Some(adaptation) = &mut self.adaptation
        {
            adaptation.on_ampdu(current.to, sent, acked);
            if more {
                adaptation.on_frame(now, current.to);
            }
        }
        self.finish(self.unanswered(), mac);
        self.access.draw(mac);
        self.note_end_of_exchange(now);
        if more {
            self.current = Some(current);
            self.goes_on(now, mac);
        }
    }

    /// Nothing has come for the exchange. Each packet in it has failed; true if none of them is left.
    pub(super) fn give_up_packets(
        &mut self,
        now: Time,
        what: Unanswered,
        mac: &Mac,
        outcomes: &mut Vec<Outcome>,
    ) -> bool {
        let Some(aggregate) = &mut self.aggregate else { return true };
        let station = self.id;
        aggregate.fail(what, mac, |mpdu| {
            self.stats.dropped += 1;
            self.stats.service += now.since(mpdu.offered);
            outcomes.push(Outcome::Dropped { station, handle: mpdu.handle, aired: mpdu.aired });
        });
        aggregate.mpdus.is_empty()
    }
}
