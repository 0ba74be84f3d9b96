//! A link's transmitter and wire: when a packet's transmission ends, and what becomes of it then.

use units::{Span, Time};

use super::{Fate, Late, Link, transmission};
use crate::cause::LossCause;
use crate::changing::{Sent, Variation, work};
use crate::loss::LossAt;
use crate::queue::{Queue, Server};

/// The transmitter as its queue sees it.
pub(super) struct Transmitter<'a> {
    /// When it has sent everything accepted so far.
    pub(super) free_at: Time,
    /// Bits per second, those at the start if they change.
    pub(super) rate_bps: u64,
    pub(super) variation: Option<&'a mut Variation>,
}

impl Server for Transmitter<'_> {
    fn is_idle(&self, now: Time) -> bool {
        self.free_at <= now
    }

    fn idle_for(&mut self, now: Time) -> Span {
        let idle = now.since(self.free_at);
        match &mut self.variation {
            Some(variation) if idle > Span::ZERO => {
                let bytes = variation.idle_bytes(self.free_at, now);
                Span::from_secs(bytes * 8.0 / self.rate_bps as f64)
            }
            _ => idle,
        }
    }

    fn changing_rate(&self, at: Time) -> Option<f64> {
        self.variation.as_ref().map(|variation| variation.rate_bps(at))
    }
}

impl Link {
    /// The queue, and who takes packets from it.
    pub(super) fn parts(&mut self) -> (&mut Queue, Transmitter<'_>) {
        let c = &mut self.cold;
        let (free_at, rate_bps) = (self.hot.free_at, c.rate_bps);
        (&mut c.queue, Transmitter { free_at, rate_bps, variation: c.variation.as_deref_mut() })
    }

    /// Nanoseconds to transmit so many bytes, rounded up: a link never carries more than its rate.
    #[inline]
    pub(super) fn transmission(&mut self, size: u32) -> u64 {
        if self.hot.byte_tx != 0 {
            return u64::from(size) * u64::from(self.hot.byte_tx);
        }
        if self.hot.memo_size == size {
            return u64::from(self.hot.memo_tx);
        }
        let tx = transmission(size, self.cold.rate_bps);
        if let Ok(short) = u32::try_from(tx) {
            (self.hot.memo_size, self.hot.memo_tx) = (size, short);
        }
        tx
    }

    /// Transmit from `start` on, on a link with something special.
    pub(super) fn transmit(&mut self, start: Time, waited: bool, size: u32, end: Time) -> Fate {
        let sent = self.departure(start, waited, size);
        let departs = sent.at;
        self.hot.free_at = departs;
        if departs > end && !self.tells_late() {
            let left = if self.cold.variation.is_some() { sent.left.into() } else { self.left_from(start, size, end) };
            self.note_late(size, left);
        }
        match self.dispatch(departs, sent.in_outage, size) {
            Fate::Lost(at, cause) if departs <= end => self.lose(at, size, cause),
            Fate::Lost(..) if self.reorders() => Fate::Passes(Time::NEVER),
            Fate::Lost(..) => Fate::LostAfterEnd,
            fate => fate,
        }
    }

    /// Count a packet that is not transmitted before the run ends.
    #[cold]
    pub(super) fn note_late(&mut self, size: u32, left: u128) {
        let late = &mut self.cold.late;
        *late = Late { packets: late.packets + 1, bytes: late.bytes + u64::from(size), work: late.work + left };
    }

    /// Whether the arrival of a packet tells when it was transmitted: its delay is always the same.
    pub(super) fn tells_late(&self) -> bool {
        self.cold.variation.is_none() && self.cold.send_jitter.is_none()
    }

    /// What is left at the end of the run of a transmission that begins at `start`, in bits times nanoseconds per
    /// second.
    pub(super) fn left_from(&self, start: Time, size: u32, end: Time) -> u128 {
        work(size.into()) - u128::from(self.cold.rate_bps) * u128::from(end.0.saturating_sub(start.0))
    }

    /// When a transmission from `start` on ends, and whether an outage takes the packet. What is left of it at the end
    /// of the run is said of links that change only.
    pub(super) fn departure(&mut self, start: Time, waited: bool, size: u32) -> Sent {
        let begun = self.cold.variation.as_ref().map_or(0, |variation| if waited { variation.left_over() } else { 0 });
        let sent = match &mut self.cold.variation {
            Some(variation) => variation.transmit(start, waited, size),
            None => Sent { at: Time(start.0 + self.transmission(size)), in_outage: false, left: 0 },
        };
        if let Some(until) = self.warming(start).map(|counts| counts.until).filter(|until| sent.at > *until) {
            let sent_before = (begun + self.could_carry(start, until)).min(work(size.into()));
            if let Some(counts) = self.warming(start) {
                (counts.under_way_bytes, counts.under_way_work) = (size.into(), sent_before);
            }
        }
        sent
    }

    /// What it could transmit after `from` and until `to`, in bits times nanoseconds per second.
    pub(super) fn could_carry(&self, from: Time, to: Time) -> u128 {
        match &self.cold.variation {
            None => u128::from(self.cold.rate_bps) * u128::from(to.since(from).0),
            Some(variation) => variation.capacity(from, to),
        }
    }

    /// What becomes of a packet whose transmission ends; a loss is yet to be counted. Calls come in order of time.
    pub(super) fn dispatch(&mut self, departs: Time, in_outage: bool, size: u32) -> Fate {
        let fate = self.fate(departs, in_outage, size);
        if let Some(counts) = self.warming(departs) {
            counts.transmitted_bytes += u64::from(size);
            if let Fate::Arrives(at) | Fate::Passes(at) = fate
                && at <= counts.until
            {
                counts.delivered_bytes += u64::from(size);
            }
        }
        fate
    }

    fn fate(&mut self, departs: Time, in_outage: bool, size: u32) -> Fate {
        // asked in any case: a channel with a memory counts every packet
        if self.channel_loses(LossAt::Wire, departs, size) || in_outage {
            return Fate::Lost(departs, LossCause::Random);
        }
        match &mut self.cold.variation {
            None => self.arrives(departs + self.hot.delay),
            Some(variation) => {
                let at = variation.arrival(departs);
                match variation.break_before(departs, at) {
                    Some(broken) => Fate::Lost(broken.at, broken.cause),
                    None if variation.reorders() => Fate::Passes(at),
                    None => self.arrives(at),
                }
            }
        }
    }
}
