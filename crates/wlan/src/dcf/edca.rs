//! EDCA: four functions in one station, each with its own frame, backoff and counters.
//!
//! The function that has the medium, or had it last, is in front: in the fields of [`Station`], where the rules of the
//! DCF find it. The other three are behind and only count slots. A station without EDCA has nothing behind.

use units::{Span, Time};

use super::access::Access;
use super::aggregate::Aggregate;
use super::retry::{Retry, Unanswered};
use super::{Current, Mac, Station, Task};
use crate::flight::{Class, EVERYONE, Flight};
use crate::{Outcome, Params};

/// A function that is behind.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) class: Class,
    pub(super) access: Access,
    pub(super) retry: Retry,
    pub(super) current: Option<Current>,
    pub(super) aggregate: Option<Box<Aggregate>>,
}

/// The functions behind, and how long the one in front may go on.
#[derive(Debug)]
pub(super) struct Edca {
    pub(super) behind: [Function; 3],
    /// The function in front has the medium up to `until`, and may go on with a frame that it has by `next`.
    until: Time,
    next: Time,
}

impl Edca {
    /// Accesses of the three lower classes; that of voice is in front at first.
    pub(super) fn new(accesses: [Access; 3]) -> Edca {
        let mut classes = Class::ALL.into_iter().skip(1);
        let behind = accesses.map(|access| Function {
            class: classes.next().unwrap_or_default(),
            access,
            retry: Retry::default(),
            current: None,
            aggregate: None,
        });
        Edca { behind, until: Time::ZERO, next: Time::ZERO }
    }

    /// When the first of the functions behind acts.
    #[inline(never)]
    pub(super) fn expiry(&self) -> Time {
        self.behind.iter().fold(Time::NEVER, |least, function| least.min(function.access.expiry))
    }

    /// The medium became busy. True if a frame was due behind and is not any more.
    #[inline(never)]
    fn freeze(&mut self, now: Time, cca: Span, mac: &Mac) -> bool {
        let mut frozen = false;
        for function in &mut self.behind {
            frozen |= function.access.freeze(now, function.current.is_some(), cca, mac);
        }
        frozen
    }

    /// The medium is idle from `idle` on.
    #[inline(never)]
    fn resume(&mut self, idle: Time, disturbed: bool, mac: &Mac) {
        for function in &mut self.behind {
            function.access.resume(idle, disturbed, function.current.is_some(), mac);
        }
    }

    /// What is left of the time of the function in front.
    pub(super) fn left(&self, now: Time) -> Span {
        Span(self.until.0.saturating_sub(now.0))
    }

    /// No function behind has a frame, or slots to count.
    pub(super) fn has_nothing(&self) -> bool {
        self.behind.iter().all(|function| function.current.is_none() && function.access.slots_left().is_none())
    }
}

impl Station {
    /// The place of a class among the functions behind; none if it is in front, or there are no classes.
    pub(super) fn place_behind(&self, class: Class) -> Option<usize> {
        self.edca.as_ref()?.behind.iter().position(|function| function.class == class)
    }

    /// A function behind comes to the front.
    fn bring_to_front(&mut self, place: usize) {
        let Some(edca) = &mut self.edca else { return };
        let function = &mut edca.behind[place];
        std::mem::swap(&mut self.class, &mut function.class);
        std::mem::swap(&mut self.access, &mut function.access);
        std::mem::swap(&mut self.retry, &mut function.retry);
        std::mem::swap(&mut self.current, &mut function.current);
        std::mem::swap(&mut self.aggregate, &mut function.aggregate);
    }

    /// Backoffs are over: the highest of these classes comes to the front; to the others it is as if they had collided.
    pub(super) fn settle_among_classes(&mut self, now: Time, mac: &Mac, outcomes: &mut Vec<Outcome>) {
        let Some(edca) = &mut self.edca else { return };
        let due = |function: &Function| function.access.expiry <= now;
        let mut first = (self.access.expiry <= now).then_some((self.class, None));
        for (place, function) in edca.behind.iter().enumerate() {
            if due(function) && first.is_none_or(|(class, _)| function.class < class) {
                first = Some((function.class, Some(place)));
            }
        }
        if let Some((_, Some(place))) = first {
            self.bring_to_front(place);
        }
        let Some(edca) = &mut self.edca else { return };
        edca.until = now + self.access.terms.txop;
        for function in edca.behind.iter_mut().filter(|function| due(function)) {
            self.stats.internal += 1;
            function.access.spend();
            function.yields(mac, |offered, handle, aired| {
                self.stats.dropped += 1;
                self.stats.service += now.since(offered);
                outcomes.push(Outcome::Dropped { station: self.id, handle, aired });
            });
        }
    }

    /// The frame of the function in front is done with: whether it may send another without a backoff, SIFS later.
    pub(super) fn note_end_of_exchange(&mut self, now: Time) {
        if let Some(edca) = &mut self.edca {
            edca.next = now;
        }
    }

    /// A new frame of the function in front goes on in the time that the function has (TXOP), if its exchange fits.
    pub(super) fn goes_on(&mut self, now: Time, mac: &Mac) -> bool {
        let (Some(edca), Some(current)) = (&self.edca, &self.current) else { return false };
        let ready = edca.next == now && self.is_idle(now) && self.timer.at == Time::NEVER;
        // what goes together is settled when it begins
        let least = if self.aggregates() { Span::ZERO } else { current.exchange.airtime(mac.sifs) };
        if !ready || now + mac.sifs + least >= edca.until + Span(1) {
            return false;
        }
        self.granted = true;
        self.start_timer(now + mac.sifs, Task::Another);
        true
    }

    /// SIFS after an exchange of this access: another, if it ends in time.
    pub(super) fn begin_another(&mut self, now: Time, params: &Params, mac: &Mac, flight: &mut Flight) -> bool {
        let (Some(edca), Some(current)) = (&self.edca, &self.current) else { return false };
        if now + current.exchange.airtime(mac.sifs) <= edca.until {
            return self.begin(now, params, mac, flight);
        }
        self.granted = false;
        if self.access.is_counting() {
            self.access.want(now, mac);
        }
        false
    }

    /// The medium became busy, or the station sends. True if a frame was due and is not any more.
    #[inline(always)]
    pub(super) fn freeze(&mut self, now: Time, cca: Span, mac: &Mac) -> bool {
        let frozen = self.access.freeze(now, self.contends(), cca, mac);
        match &mut self.edca {
            None => frozen,
            Some(edca) => edca.freeze(now, cca, mac) || frozen,
        }
    }

    /// The medium is idle from `idle` on.
    #[inline(always)]
    pub(super) fn resume(&mut self, idle: Time, mac: &Mac) {
        self.access.resume(idle, self.disturbed, self.contends(), mac);
        if let Some(edca) = &mut self.edca {
            edca.resume(idle, self.disturbed, mac);
        }
    }

    /// The medium is idle from `idle` on, and slots count at once.
    pub(super) fn resume_slots(&mut self, idle: Time, mac: &Mac) {
        self.access.resume_slots(idle, self.contends(), mac);
        if let Some(edca) = &mut self.edca {
            for function in &mut edca.behind {
                function.access.resume_slots(idle, function.current.is_some(), mac);
            }
        }
    }
}

impl Function {
    /// Another class of the station goes first. Interpretation: this counts as a failure of the frame, but not of a
    /// broadcast, which has no counter. `gone` hears of packets for which it was the last: when they were offered, and
    /// their handles.
    fn yields(&mut self, mac: &Mac, mut gone: impl FnMut(Time, u64, bool)) {
        self.access.widen();
        if let Some(current) = self.current.filter(|current| current.to != EVERYONE) {
            let last = if let Some(aggregate) = &mut self.aggregate {
                aggregate.yields(mac, |mpdu| gone(mpdu.offered, mpdu.handle, mpdu.aired));
                aggregate.is_empty()
            } else {
                let last = self.retry.fails(Unanswered::Data, mac);
                if last {
                    gone(current.offered, current.handle, current.aired);
                }
                last
            };
            if last {
                self.retry.next_frame(Unanswered::Data, mac);
                self.access.narrow();
                self.current = None;
            }
        }
        self.access.draw(mac);
    }
}
