//! EDCA: four functions in one station, each with its own frame, backoff and counters.
//!
//! The function that has the medium, or had it last, is in front: in the fields of [`Station`], where the rules of the
//! DCF find it. The other three are behind and only count slots. A station without EDCA has nothing behind.

use units::{Span, Time};

use super::access::Access;
use super::retry::{Retry, Unanswered};
use super::{Current, Mac, Station, Task};
use crate::flight::{Class, EVERYONE};
use crate::{Outcome, Params};

/// A function that is behind.
#[derive(Debug)]
pub(super) struct Function {
    pub(super) class: Class,
    pub(super) access: Access,
    pub(super) retry: Retry,
    pub(super) current: Option<Current>,
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
        });
        Edca { behind, until: Time::ZERO, next: Time::ZERO }
    }

    /// When the first of the functions behind acts.
    pub(super) fn expiry(&self) -> Time {
        self.behind.iter().fold(Time::NEVER, |least, function| least.min(function.access.expiry))
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
            if let Some(dropped) = function.yields(mac) {
                self.stats.dropped += 1;
                self.stats.service += now.since(dropped.offered);
                outcomes.push(Outcome::Dropped { station: self.id, handle: dropped.handle });
            }
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
        if !ready || now + mac.sifs + current.exchange.airtime(mac.sifs) > edca.until {
            return false;
        }
        self.granted = true;
        self.start_timer(now + mac.sifs, Task::Another);
        true
    }

    /// The medium became busy, or the station sends. True if a frame was due and is not any more.
    #[inline(always)]
    pub(super) fn freeze(&mut self, now: Time, cca: Span, mac: &Mac) -> bool {
        let mut frozen = self.access.freeze(now, self.contends(), cca, mac);
        if let Some(edca) = &mut self.edca {
            for function in &mut edca.behind {
                frozen |= function.access.freeze(now, function.current.is_some(), cca, mac);
            }
        }
        frozen
    }

    /// The medium is idle from `idle` on.
    #[inline(always)]
    pub(super) fn resume(&mut self, idle: Time, mac: &Mac) {
        self.access.resume(idle, self.disturbed, self.contends(), mac);
        if let Some(edca) = &mut self.edca {
            for function in &mut edca.behind {
                function.access.resume(idle, self.disturbed, function.current.is_some(), mac);
            }
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
    /// broadcast, which has no counter. The frame is given back if it was the last.
    fn yields(&mut self, mac: &Mac) -> Option<Current> {
        self.access.widen();
        let counts = self.current.is_some_and(|current| current.to != EVERYONE);
        let last = counts && self.retry.fails(Unanswered::Data, mac);
        if last {
            self.retry.next_frame(Unanswered::Data, mac);
            self.access.narrow();
        }
        self.access.draw(mac);
        if last { self.current.take() } else { None }
    }
}

/// The functions of a station with EDCA, the highest class first.
pub(crate) fn accesses(params: &Params, access_point: bool, old: bool, backoff: [sim::Stream; 4]) -> [Access; 4] {
    let edca = if access_point { &params.edca_access_point } else { &params.edca_station };
    let mut classes = edca.classes.iter();
    backoff.map(|stream| {
        let contention = classes.next().unwrap_or(&edca.classes[3]);
        Access::new(super::access::Terms::of_class(params, contention, old), stream)
    })
}
