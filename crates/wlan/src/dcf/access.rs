//! Access: when a station may transmit. Its backoff is a number of slots and the instant from which they count, never a
//! timer per slot.
//!
//! A slot counts when it has passed idle in full. The one in which another station starts counts with EDCA, and does
//! not with the DCF.

use sim::Stream;
use units::{Span, Time};

use super::Mac;
use crate::params::{Contention, Draw};
use crate::{Class, Params, Phy, Rate};

/// What a station's function waits for and draws from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Terms {
    /// Inter-frame space before a backoff: DIFS, or AIFS of a class.
    pub ifs: Span,
    /// The same after a frame that could not be read.
    eifs: Span,
    /// Contention window at first.
    pub cw_min: u32,
    /// Contention window at most.
    cw_max: u32,
    /// How long one access lasts at most; zero: one exchange.
    pub txop: Span,
    /// The slot in which another starts counts.
    counts_starts: bool,
}

impl Terms {
    /// The DCF, with a window of its own for stations of 802.11b.
    pub(crate) fn dcf(params: &Params, old: bool) -> Terms {
        Terms {
            ifs: params.difs,
            eifs: params.eifs(),
            cw_min: if old { params.cw_min_dsss } else { params.cw_min },
            cw_max: params.cw_max,
            txop: Span::ZERO,
            counts_starts: false,
        }
    }

    /// A class of EDCA. The window of a station of 802.11b is larger by as much as without classes.
    pub(crate) fn of_class(params: &Params, contention: &Contention, old: bool) -> Terms {
        let ifs = params.aifs(contention);
        let wider = if old { (params.cw_min_dsss + 1) / (params.cw_min + 1) } else { 1 }.max(1);
        let cw_min = (contention.cw_min + 1) * wider - 1;
        Terms {
            ifs,
            eifs: params.eifs() - params.difs + ifs,
            cw_min,
            cw_max: contention.cw_max.max(cw_min),
            txop: contention.txop,
            counts_starts: true,
        }
    }
}

impl Params {
    /// Terms of a station with this rate of its own, for frames of this class if there are classes.
    pub fn terms(&self, own: Rate, class: Class, access_point: bool) -> Terms {
        let old = own.phy == Phy::Dsss && self.rate.phy != Phy::Dsss;
        let edca = if access_point { &self.edca_access_point } else { &self.edca_station };
        if self.edca { Terms::of_class(self, edca.of(class), old) } else { Terms::dcf(self, old) }
    }

    /// Mean of the first backoff of a frame, from a window of `cw_min`.
    pub fn mean_backoff(&self, cw_min: u32) -> Span {
        let slots = match self.rules.draw {
            Draw::ToCw => cw_min,
            Draw::BelowCw => cw_min - 1,
        };
        Span(self.slot.0 * u64::from(slots) / 2)
    }
}

/// The contention of one station, or of one class of it.
#[derive(Debug)]
pub(crate) struct Access {
    pub(crate) terms: Terms,
    /// Contention window.
    cw: u32,
    /// Slots drawn that have not passed, up to `from`.
    slots: Option<u32>,
    /// The medium is idle for this station, from now or from an instant known already.
    counting: bool,
    /// Where slots count from: the end of the inter-frame space.
    from: Time,
    /// When the frame that waits is sent; never if none does, or the medium is busy.
    pub(crate) expiry: Time,
    stream: Box<Stream>,
}

impl Access {
    pub(crate) fn new(terms: Terms, stream: Stream) -> Access {
        Access {
            terms,
            cw: terms.cw_min,
            slots: None,
            counting: true,
            from: Time::ZERO + terms.ifs,
            expiry: Time::NEVER,
            stream: Box::new(stream),
        }
    }

    /// Slots are drawn and have not passed.
    pub(crate) fn is_pending(&self) -> bool {
        self.slots.is_some()
    }

    /// The medium counts as idle, from now or from an instant known already.
    pub(crate) fn is_counting(&self) -> bool {
        self.counting
    }

    /// Slots drawn that have not passed.
    pub(crate) fn slots_left(&self) -> Option<u32> {
        self.slots
    }

    /// Slots that count if the medium becomes busy now.
    pub(crate) fn slots_passed(&self, now: Time, mac: &Mac) -> u32 {
        if self.counting { slots_in(now.since(self.from), mac.slot) } else { 0 }
    }

    /// When so many slots will have passed; never as long as the medium is busy.
    pub(crate) fn expiry_behind(&self, slots: u64, mac: &Mac) -> Time {
        if self.counting { self.from + mac.slot * slots } else { Time::NEVER }
    }

    /// So many slots are left; the medium is as another has found it.
    pub(crate) fn take_view_of(&mut self, other: &Access, slots: Option<u32>, wanted: bool, mac: &Mac) {
        self.slots = slots;
        self.counting = other.counting;
        // that one may wait for another space
        self.from = Time(other.from.0 - other.terms.ifs.0) + self.terms.ifs;
        self.expiry = if wanted && self.counting { self.due(mac) } else { Time::NEVER };
    }

    /// Draw a backoff from the present window.
    #[inline(never)]
    pub(crate) fn draw(&mut self, mac: &Mac) {
        let choices = match mac.rules.draw {
            Draw::ToCw => self.cw + 1,
            Draw::BelowCw => self.cw,
        };
        self.slots = Some((self.stream.uniform() * f64::from(choices)) as u32);
    }

    /// The same for a frame that waits. The end of the NAV, from which slots count, may be known already.
    pub(crate) fn draw_for_frame(&mut self, mac: &Mac) {
        self.draw(mac);
        if self.counting {
            self.expiry = self.due(mac);
        }
    }

    /// After an answer or a drop.
    pub(crate) fn narrow(&mut self) {
        self.cw = self.terms.cw_min;
    }

    /// After a failure.
    pub(crate) fn widen(&mut self) {
        self.cw = (2 * self.cw + 1).min(self.terms.cw_max);
    }

    /// There is a new frame, and the medium is `idle` or not.
    pub(crate) fn on_frame(&mut self, now: Time, idle: bool, mac: &Mac) {
        if !(self.is_pending() || self.counting && idle) {
            self.draw(mac);
        }
        if self.counting {
            self.want(now, mac);
        }
    }

    /// A frame waits from `now` on, the medium being idle: after the slots that are left, or at once where that is
    /// allowed.
    pub(crate) fn want(&mut self, now: Time, mac: &Mac) {
        if self.slots.is_some_and(|slots| self.from + mac.slot * u64::from(slots) <= now) {
            self.slots = None; // they passed while there was nothing to send
        }
        if self.slots.is_none() && !mac.rules.immediate_access {
            self.draw(mac);
            self.from = now + self.terms.ifs;
        }
        self.expiry = self.due(mac).max(now);
    }

    /// The medium became busy at `now`. A frame that is due so soon that this cannot be known is sent all the same.
    /// True if a frame was due and is not any more.
    #[inline(always)]
    pub(crate) fn freeze(&mut self, now: Time, wanted: bool, cca: Span, mac: &Mac) -> bool {
        if !self.counting || self.expiry <= now.then(cca) {
            return false;
        }
        self.counting = false;
        let was_due = self.expiry != Time::NEVER;
        self.expiry = Time::NEVER;
        match self.slots {
            Some(slots) => {
                let mut passed = slots_in(now.since(self.from), mac.slot);
                if self.terms.counts_starts && now >= self.from {
                    passed += 1;
                }
                // without a frame they may all have passed
                self.slots = (wanted || passed < slots).then(|| slots.saturating_sub(passed));
            }
            None if wanted => self.draw(mac),
            None => {}
        }
        was_due
    }

    /// The medium is idle from `idle` on, and slots count after the inter-frame space.
    #[inline(always)]
    pub(crate) fn resume(&mut self, idle: Time, disturbed: bool, wanted: bool, mac: &Mac) {
        self.resume_slots(idle.then(if disturbed { self.terms.eifs } else { self.terms.ifs }), wanted, mac);
    }

    /// Slots count from `from` on.
    #[inline(always)]
    pub(crate) fn resume_slots(&mut self, from: Time, wanted: bool, mac: &Mac) {
        self.counting = true;
        self.from = from;
        self.expiry = if wanted { self.due(mac) } else { Time::NEVER };
    }

    /// The medium becomes busy at `now` and idle at `idle`, both at once: for the DCF while it counts, if what waits is
    /// not due so soon that this cannot be known.
    #[inline(always)]
    pub(crate) fn let_pass(&mut self, now: Time, idle: Time, disturbed: bool, wanted: bool, mac: &Mac) {
        debug_assert!(self.counting && !self.terms.counts_starts);
        match self.slots {
            Some(slots) if now >= self.from.then(mac.slot) || slots == 0 => {
                let passed = slots_in(now.since(self.from), mac.slot);
                self.slots = (wanted || passed < slots).then(|| slots.saturating_sub(passed));
            }
            None if wanted => self.draw(mac),
            _ => {}
        }
        self.resume(idle, disturbed, wanted, mac);
    }

    /// The medium is busy after all, the slots being counted.
    pub(crate) fn suspend(&mut self) {
        self.counting = false;
        self.expiry = Time::NEVER;
    }

    /// The frame is sent.
    pub(crate) fn spend(&mut self) {
        self.counting = false;
        self.slots = None;
        self.expiry = Time::NEVER;
    }

    fn due(&self, mac: &Mac) -> Time {
        Time(self.from.0 + mac.slot.0 * u64::from(self.slots.unwrap_or(0)))
    }
}

/// Whole slots in a span. Most freezes come before the first slot.
#[inline]
fn slots_in(span: Span, slot: Span) -> u32 {
    if span < slot { 0 } else { (span.0 / slot.0) as u32 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Params;

    fn us(us: u64) -> Time {
        Time(us * 1000)
    }

    /// t0 = 0, DIFS 50, five slots of 20.
    fn five_slots(mac: &Mac) -> Access {
        let mut access = Access::new(Terms::dcf(&Params::dot11b(), false), Stream::new(1, "backoff"));
        access.slots = Some(5);
        access.want(us(0), mac);
        access
    }

    #[test]
    fn a_slot_counts_when_it_has_passed_in_full() {
        let mac = Mac::new(&Params { cca: Span::ZERO, ..Params::dot11b() });
        assert_eq!(five_slots(&mac).expiry, us(150));
        // busy in the fifth slot: four counted; in the third: two; before the first: none
        for (busy, left) in [(130, 1), (109, 3), (49, 5), (50, 5), (69, 5), (70, 4)] {
            let mut access = five_slots(&mac);
            access.freeze(us(busy), true, mac.cca, &mac);
            assert_eq!(access.slots, Some(left), "busy at {busy}");
            assert_eq!(access.expiry, Time::NEVER);
            access.resume_slots(us(1000), true, &mac);
            assert_eq!(access.expiry, us(1000 + 20 * u64::from(left)));
        }
    }

    #[test]
    fn with_classes_the_slot_in_which_another_starts_counts() {
        // AIFS 50: best effort of 802.11b with two slots
        let mut params = Params { cca: Span::ZERO, edca: true, ..Params::dot11b() };
        params.edca_station.classes[2].aifsn = 2;
        let mac = Mac::new(&params);
        // at the boundary behind the fourth slot: five counted; within the third: three; before the first: none
        for (busy, left) in [(130, 0), (109, 2), (90, 2), (50, 4), (49, 5)] {
            let terms = Terms::of_class(&params, &params.edca_station.classes[2], false);
            let mut access = Access::new(terms, Stream::new(1, "backoff"));
            access.slots = Some(5);
            access.want(us(0), &mac);
            assert_eq!(access.expiry, us(150));
            access.freeze(us(busy), true, mac.cca, &mac);
            assert_eq!(access.slots, Some(left), "busy at {busy}");
            access.resume(us(1000), false, true, &mac);
            assert_eq!(access.expiry, us(1050 + 20 * u64::from(left)));
            // EIFS: 10 + 304 + AIFS
            access.freeze(us(1001), true, mac.cca, &mac);
            access.resume(us(2000), true, true, &mac);
            assert_eq!(access.expiry, us(2364 + 20 * u64::from(left)));
        }
    }

    #[test]
    fn what_is_due_within_the_sensing_time_is_sent() {
        let mac = Mac::new(&Params::dot11b()); // 15 us
        let mut access = five_slots(&mac);
        access.freeze(us(134), true, mac.cca, &mac);
        assert_eq!(access.slots, Some(1));
        let mut access = five_slots(&mac);
        access.freeze(us(135), true, mac.cca, &mac);
        assert_eq!(access.expiry, us(150));
    }

    #[test]
    fn a_backoff_without_a_frame_runs_out_unseen() {
        let mac = Mac::new(&Params::dot11b());
        let idle = || {
            let mut access = five_slots(&mac);
            access.resume_slots(us(50), false, &mac);
            access
        };
        assert_eq!(idle().expiry, Time::NEVER);
        // a frame at 100: at 150; a frame at 160: at once
        let mut access = idle();
        access.want(us(100), &mac);
        assert_eq!(access.expiry, us(150));
        let mut access = idle();
        access.want(us(160), &mac);
        assert_eq!((access.expiry, access.slots), (us(160), None));
        // the medium busy at 150: nothing is left of it
        let mut access = idle();
        access.freeze(us(150), false, mac.cca, &mac);
        assert!(!access.is_pending());
    }

    #[test]
    fn immediate_access_that_comes_too_late_is_a_draw() {
        let mac = Mac::new(&Params::dot11b());
        let mut access = Access::new(Terms::dcf(&Params::dot11b(), false), Stream::new(1, "backoff"));
        access.want(us(10), &mac);
        assert_eq!(access.expiry, us(50));
        access.freeze(us(20), true, mac.cca, &mac);
        assert!(access.is_pending());
    }

    #[test]
    fn ns2_draws_below_the_window_and_counts_from_the_frame() {
        let mac = Mac::new(&Params::ns2_default());
        let mut access = Access::new(Terms::dcf(&Params::ns2_default(), false), Stream::new(1, "backoff"));
        let mut seen = [false; 32];
        for _ in 0..2000 {
            access.draw(&mac);
            seen[access.slots.unwrap() as usize] = true;
        }
        assert!(seen[..31].iter().all(|seen| *seen) && !seen[31]);
        access.slots = None;
        access.want(us(5000), &mac);
        let slots = u64::from(access.slots.unwrap());
        assert_eq!(access.expiry, us(5000 + 50 + 20 * slots));
    }

    #[test]
    fn the_window_doubles_up_to_its_largest() {
        for (params, windows) in [
            (Params::dot11b(), [31, 63, 127, 255, 511, 1023, 1023]),
            (Params::dot11a(), [15, 31, 63, 127, 255, 511, 1023]),
        ] {
            let mut access = Access::new(Terms::dcf(&params, false), Stream::new(1, "backoff"));
            for window in windows {
                assert_eq!(access.cw, window);
                access.widen();
            }
            access.narrow();
            assert_eq!(access.cw, windows[0]);
        }
    }
}
