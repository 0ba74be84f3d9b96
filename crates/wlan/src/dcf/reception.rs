//! Which of the frames in the air a station follows, and what overlap does to it.
//!
//! A station follows one frame at a time. Powers are compared in pairs and do not add up; where they do
//! (`Capture::Sinr`), what overlaps does no harm here, and chance decides at the end of the frame by all of it.

use units::Time;

use super::Mac;
use crate::params::{Capture, Rules};

/// The receiver's part of a station.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Reception {
    followed: Option<Followed>,
    /// Strongest of the frames that are in the air and not followed, and when the last of them ends.
    rest_power: f64,
    rest_until: Time,
}

/// The frame that a station follows.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Followed {
    flight: u32,
    power: f64,
    since: Time,
    ends: Time,
    /// Its preamble was understood: the station knows that a frame is there.
    pub(crate) preamble: bool,
    /// Strong enough to decode.
    pub(crate) decodable: bool,
    pub(crate) fate: Fate,
}

/// What becomes of a frame.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    /// Nothing disturbed it.
    Whole,
    /// Another overlapped.
    Collided,
    /// The station transmitted itself.
    Deaf,
}

/// A frame that begins at a station.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Arrival {
    pub(crate) flight: u32,
    pub(crate) power: f64,
    pub(crate) ends: Time,
    pub(crate) decodable: bool,
}

impl Reception {
    /// A frame begins. True if it is ignored beside the stronger one that was there first.
    #[inline(always)]
    pub(crate) fn begins(&mut self, now: Time, new: Arrival, deaf: bool, mac: &Mac) -> bool {
        let Mac { rules: Rules { capture, .. }, capture_ratio: ratio, .. } = *mac;
        if self.followed.is_none() {
            // ns-2 forgets what it has ignored
            let pairs = matches!(capture, Capture::Off | Capture::Any);
            let disturbed = pairs && now < self.rest_until && new.power < ratio * self.rest_power;
            let fate = match (deaf, disturbed) {
                (true, _) => Fate::Deaf,
                (false, true) => Fate::Collided,
                (false, false) => Fate::Whole,
            };
            self.follow(now, new, fate);
            return false;
        }
        self.overlaps(now, new, deaf, mac)
    }

    /// A frame begins while another is followed.
    #[inline(never)]
    fn overlaps(&mut self, now: Time, new: Arrival, deaf: bool, mac: &Mac) -> bool {
        let Some(first) = self.followed else { return false };
        let Mac { rules: Rules { capture, .. }, capture_ratio: ratio, cca, .. } = *mac;
        if capture == Capture::Sinr {
            // a receiver that follows nothing it has understood is free
            let stronger = new.power >= ratio * first.power || (now <= first.since + cca && new.power > first.power);
            if (stronger || !first.preamble) && new.decodable && !deaf {
                self.follow(now, new, Fate::Whole);
            }
            return false;
        }
        if capture != Capture::Off && first.power >= ratio * new.power {
            self.leave(now, new.power, new.ends);
            return true;
        }
        if capture == Capture::Any && new.power >= ratio * first.power && !deaf {
            self.leave(now, first.power, first.ends);
            let whole = new.power >= ratio * self.rest_power;
            self.follow(now, new, if whole { Fate::Whole } else { Fate::Collided });
            return false;
        }
        // both are lost; whichever ends later is followed to its end
        let fate = if deaf { Fate::Deaf } else { Fate::Collided };
        if new.ends > first.ends {
            self.leave(now, first.power, first.ends);
            let preamble = first.preamble;
            self.followed = Some(Followed { preamble, fate, ..followed(now, new, fate) });
        } else {
            self.leave(now, new.power, new.ends);
            self.followed = Some(Followed { fate, ..first });
        }
        false
    }

    /// Where powers do not add up, it does not matter since when.
    pub(crate) fn follow_whole(&mut self, new: Arrival) {
        self.follow(Time::ZERO, new, Fate::Whole);
    }

    fn follow(&mut self, now: Time, new: Arrival, fate: Fate) {
        self.followed = Some(followed(now, new, fate));
    }

    fn leave(&mut self, now: Time, power: f64, ends: Time) {
        self.rest_power = if now < self.rest_until { self.rest_power.max(power) } else { power };
        self.rest_until = self.rest_until.max(ends);
    }

    /// The station transmits itself: what it followed is lost.
    pub(crate) fn deafen(&mut self) {
        if let Some(followed) = &mut self.followed {
            followed.fate = Fate::Deaf;
            followed.preamble = false;
        }
    }

    /// A frame ends: the one followed, or `None`.
    pub(crate) fn ends(&mut self, flight: u32) -> Option<Followed> {
        if self.followed.is_some_and(|followed| followed.flight == flight) { self.followed.take() } else { None }
    }

    /// A frame whose preamble was understood is coming in.
    pub(crate) fn is_coming(&self) -> bool {
        self.followed.is_some_and(|followed| followed.preamble)
    }
}

fn followed(since: Time, new: Arrival, fate: Fate) -> Followed {
    let preamble = new.decodable && fate == Fate::Whole;
    Followed { flight: new.flight, power: new.power, since, ends: new.ends, preamble, decodable: new.decodable, fate }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Params;

    fn mac(capture: Capture) -> Mac {
        let mut params = Params::dot11b();
        params.rules.capture = capture;
        Mac { cca: units::Span(10), ..Mac::new(&params) }
    }

    fn arrival(flight: u32, power: f64, ends: u64) -> Arrival {
        Arrival { flight, power, ends: Time(ends), decodable: power >= 1.0 }
    }

    /// Two frames, the second while the first lasts; the fates of both at their ends, if they were followed so far.
    fn two(capture: Capture, first: f64, second: f64) -> [Option<Fate>; 2] {
        let mut reception = Reception::default();
        assert!(!reception.begins(Time(0), arrival(1, first, 100), false, &mac(capture)));
        reception.begins(Time(50), arrival(2, second, 150), false, &mac(capture));
        [1, 2].map(|flight| reception.ends(flight).map(|followed| followed.fate))
    }

    #[test]
    fn two_frames_at_one_receiver() {
        use Fate::{Collided, Whole};
        // powers: first, second; what becomes of them
        for (capture, powers, fates) in [
            (Capture::Off, (100.0, 1.0), [None, Some(Collided)]),
            (Capture::First, (10.0, 1.0), [Some(Whole), None]),
            (Capture::First, (9.9, 1.0), [None, Some(Collided)]),
            (Capture::First, (1.0, 100.0), [None, Some(Collided)]),
            (Capture::Any, (10.0, 1.0), [Some(Whole), None]),
            (Capture::Any, (1.0, 10.0), [None, Some(Whole)]),
            (Capture::Any, (1.0, 1.0), [None, Some(Collided)]),
            (Capture::Sinr, (1.0, 9.9), [Some(Whole), None]),
            (Capture::Sinr, (1.0, 10.0), [None, Some(Whole)]),
            // nobody understood the first
            (Capture::Sinr, (0.9, 1.0), [None, Some(Whole)]),
        ] {
            assert_eq!(two(capture, powers.0, powers.1), fates, "{capture:?} {powers:?}");
        }
    }

    #[test]
    fn what_was_ignored_still_disturbs_the_next() {
        for (capture, fate) in [(Capture::Any, Fate::Collided), (Capture::First, Fate::Whole)] {
            let mut reception = Reception::default();
            reception.begins(Time(0), arrival(1, 100.0, 100), false, &mac(capture));
            assert!(reception.begins(Time(50), arrival(2, 5.0, 200), false, &mac(capture)));
            assert_eq!(reception.ends(1).unwrap().fate, Fate::Whole);
            reception.begins(Time(150), arrival(3, 10.0, 250), false, &mac(capture));
            assert_eq!(reception.ends(2).map(|followed| followed.fate), None);
            assert_eq!(reception.ends(3).unwrap().fate, fate, "{capture:?}");
        }
    }

    #[test]
    fn of_frames_that_begin_together_the_stronger_is_followed() {
        // where powers add up: within the sensing time of 10 ns, 2 dB are enough
        for (begins, followed) in [(0, 2), (10, 2), (11, 1)] {
            let mut reception = Reception::default();
            reception.begins(Time(0), arrival(1, 1.0, 100), false, &mac(Capture::Sinr));
            reception.begins(Time(begins), arrival(2, 1.6, 200), false, &mac(Capture::Sinr));
            assert!(reception.ends(followed).is_some(), "{begins}");
        }
    }

    #[test]
    fn a_station_that_transmits_hears_nothing() {
        let mut reception = Reception::default();
        reception.begins(Time(0), arrival(1, 5.0, 100), false, &mac(Capture::Any));
        assert!(reception.is_coming());
        reception.deafen();
        assert!(!reception.is_coming());
        assert_eq!(reception.ends(1).unwrap().fate, Fate::Deaf);
        reception.begins(Time(0), arrival(2, 5.0, 100), true, &mac(Capture::Any));
        assert_eq!(reception.ends(2).unwrap().fate, Fate::Deaf);
    }
}
