//! Access: when a station may transmit. Its backoff is a number of slots and the instant from which they count, never a
//! timer per slot.
//!
//! A slot counts when it has passed idle in full; the one in which another station starts does not.

use sim::Stream;
use units::{Span, Time};

use super::Mac;
use crate::params::Draw;

/// The contention of one station (of one class, once there are several).
#[derive(Debug)]
pub(crate) struct Access {
    /// Contention window, and what it is at first.
    cw: u32,
    cw_min: u32,
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
    pub(crate) fn new(cw_min: u32, mac: &Mac, stream: Stream) -> Access {
        Access {
            cw: cw_min,
            cw_min,
            slots: None,
            counting: true,
            from: Time::ZERO + mac.difs,
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

    /// The medium has been idle for longer than all that this station waited for.
    pub(crate) fn has_run_out(&self, now: Time, mac: &Mac) -> bool {
        self.counting && self.due(mac) <= now
    }

    /// No backoff is left; the medium is as another has found it.
    pub(crate) fn take_view_of(&mut self, other: &Access) {
        self.slots = None;
        self.counting = other.counting;
        self.from = other.from;
    }

    /// Draw a backoff from the present window.
    pub(crate) fn draw(&mut self, mac: &Mac) {
        let choices = match mac.rules.draw {
            Draw::ToCw => self.cw + 1,
            Draw::BelowCw => self.cw,
        };
        self.slots = Some((self.stream.uniform() * f64::from(choices)) as u32);
    }

    /// After an answer or a drop.
    pub(crate) fn narrow(&mut self) {
        self.cw = self.cw_min;
    }

    /// After a failure.
    pub(crate) fn widen(&mut self, mac: &Mac) {
        self.cw = (2 * self.cw + 1).min(mac.cw_max);
    }

    /// A frame waits from `now` on, the medium being idle: after the slots that are left, or at once where that is
    /// allowed.
    pub(crate) fn want(&mut self, now: Time, mac: &Mac) {
        if self.slots.is_some_and(|slots| self.from + mac.slot * u64::from(slots) <= now) {
            self.slots = None; // they passed while there was nothing to send
        }
        if self.slots.is_none() && !mac.rules.immediate_access {
            self.draw(mac);
            self.from = now + mac.difs;
        }
        self.expiry = self.due(mac).max(now);
    }

    /// The medium became busy at `now`. A frame that is due so soon that this cannot be known is sent all the same.
    /// True if a frame was due and is not any more.
    #[inline(always)]
    pub(crate) fn freeze(&mut self, now: Time, wanted: bool, cca: Span, mac: &Mac) -> bool {
        if !self.counting || self.expiry <= now + cca {
            return false;
        }
        self.counting = false;
        let was_due = self.expiry != Time::NEVER;
        self.expiry = Time::NEVER;
        match self.slots {
            Some(slots) => {
                let passed = slots_in(now.since(self.from), mac.slot);
                // without a frame they may all have passed
                self.slots = (wanted || passed < slots).then(|| slots.saturating_sub(passed));
            }
            None if wanted => self.draw(mac),
            None => {}
        }
        was_due
    }

    /// The medium is idle, and slots count from `from` on.
    pub(crate) fn resume(&mut self, from: Time, wanted: bool, mac: &Mac) {
        self.counting = true;
        self.from = from;
        self.expiry = if wanted { self.due(mac) } else { Time::NEVER };
    }

    /// The frame is sent.
    pub(crate) fn spend(&mut self) {
        self.counting = false;
        self.slots = None;
        self.expiry = Time::NEVER;
    }

    fn due(&self, mac: &Mac) -> Time {
        self.from + mac.slot * u64::from(self.slots.unwrap_or(0))
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
        let mut access = Access::new(31, mac, Stream::new(1, "backoff"));
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
            access.resume(us(1000), true, &mac);
            assert_eq!(access.expiry, us(1000 + 20 * u64::from(left)));
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
            access.resume(us(50), false, &mac);
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
        let mut access = Access::new(31, &mac, Stream::new(1, "backoff"));
        access.want(us(10), &mac);
        assert_eq!(access.expiry, us(50));
        access.freeze(us(20), true, mac.cca, &mac);
        assert!(access.is_pending());
    }

    #[test]
    fn ns2_draws_below_the_window_and_counts_from_the_frame() {
        let mac = Mac::new(&Params::ns2_default());
        let mut access = Access::new(31, &mac, Stream::new(1, "backoff"));
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
            let mac = Mac::new(&params);
            let mut access = Access::new(params.cw_min, &mac, Stream::new(1, "backoff"));
            for window in windows {
                assert_eq!(access.cw, window);
                access.widen(&mac);
            }
            access.narrow();
            assert_eq!(access.cw, windows[0]);
        }
    }
}
