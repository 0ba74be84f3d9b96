//! White noise, and where interference adds up, all that is in the air beside a frame.
//!
//! What overlaps a frame is noise as long as it lasts: the frame falls into parts between which the sum of the others
//! changes, each with its share of the bits and its own ratio of signal to noise.

use sim::{Chance, Stream};
use units::{Span, Time};

use super::hearing::Hearer;
use crate::flight::Flight;
use crate::params::Capture;
use crate::propagation::Least;
use crate::snr::part_error;
use crate::{Params, Phy};

/// What is weaker than the noise by this factor is not added to it: 20 dB.
pub(crate) const NEGLIGIBLE: f64 = 0.01;

#[derive(Debug)]
pub(crate) struct Noise {
    power: f64,
    /// Of each station.
    streams: Vec<Stream>,
    /// Of each station, where interference adds up; else empty.
    air: Vec<AirThere>,
    least: Least,
    /// The last frame that was hit would not have been without the others.
    by_others: bool,
}

/// The frames that arrive at one station.
#[derive(Clone, Debug, Default)]
struct AirThere {
    /// Frame, its power, when it began here.
    present: Vec<(u32, f64, Time)>,
    /// Since when the sum of their powers is what: back to the beginning of the first that is present.
    sums: Vec<(Time, f64)>,
}

impl Noise {
    pub(crate) fn new(params: &Params, streams: Vec<Stream>) -> Noise {
        let radio = &params.radio;
        let adds_up = params.rules.capture == Capture::Sinr;
        Noise {
            power: radio.noise,
            air: if adds_up { vec![AirThere::default(); streams.len()] } else { Vec::new() },
            streams,
            least: radio.least(),
            by_others: false,
        }
    }

    /// All that is in the air is added up.
    pub(crate) fn adds_up(&self) -> bool {
        !self.air.is_empty()
    }

    /// A frame begins at a station. `None`: it is too weak to be sensed; else whether its preamble is understood beside
    /// what else is there.
    pub(crate) fn begins(&mut self, now: Time, here: &Hearer, id: u32, phy: Phy) -> Option<bool> {
        let air = &mut self.air[here.station as usize];
        let others = air.sum();
        air.present.push((id, here.power, now));
        air.sums.push((now, air.sum()));
        let ratio = self.power / (self.power + others);
        here.senses(phy).then(|| here.with_power(here.power * ratio, &self.least).decodes(phy))
    }

    /// A frame has ended at a station.
    pub(crate) fn ends(&mut self, now: Time, here: &Hearer, id: u32) {
        let air = &mut self.air[here.station as usize];
        air.present.retain(|frame| frame.0 != id);
        let Some(first) = air.present.iter().map(|frame| frame.2).min() else {
            return air.sums.clear();
        };
        air.sums.push((now, air.sum()));
        let past = air.sums.iter().take_while(|sum| sum.0 <= first).count();
        air.sums.drain(..past.saturating_sub(1));
    }

    /// Whether so many bits of the frame that ends are hit, between these times.
    pub(crate) fn hits(&mut self, here: &Hearer, flight: &Flight, bytes: u32, (since, until): (Time, Time)) -> bool {
        let place = here.station as usize;
        let bits = 8.0 * f64::from(bytes);
        let alone = part_error(flight.rate, here.power / self.power, bits);
        let error = match self.air.get(place) {
            Some(air) if air.sums.len() > 1 => air
                .error(here.power, self.power, (since, until), |snr, share| part_error(flight.rate, snr, bits * share)),
            _ => alone,
        };
        if !self.adds_up() {
            return error > 0.0 && self.streams[place].happens(Chance::new(error));
        }
        let drawn = self.streams[place].uniform();
        self.by_others = drawn >= alone;
        drawn < error
    }

    /// The last frame that was hit would not have been without the others.
    pub(crate) fn was_by_others(&self) -> bool {
        self.by_others
    }
}

impl AirThere {
    fn sum(&self) -> f64 {
        self.present.iter().map(|frame| frame.1).sum()
    }

    /// Probability that a frame of this power is hit in one of the parts between two times.
    fn error(&self, power: f64, noise: f64, (since, until): (Time, Time), part: impl Fn(f64, f64) -> f64) -> f64 {
        let whole = until.since(since).0.max(1) as f64;
        let mut good = 1.0;
        for (place, &(from, sum)) in self.sums.iter().enumerate() {
            let to = self.sums.get(place + 1).map_or(until, |next| next.0).min(until);
            let span: Span = to.since(from.max(since));
            if span > Span::ZERO {
                good *= 1.0 - part(power / (noise + (sum - power).max(0.0)), span.0 as f64 / whole);
            }
        }
        1.0 - good
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Radio, Rate, Reception, frame_error};

    fn noise() -> Noise {
        let mut params = Params::dot11a();
        params.rules.capture = Capture::Sinr;
        params.radio = Radio { noise: 1.0, cs_threshold: 10.0, reception: Reception::Snr, ..params.radio };
        Noise::new(&params, vec![Stream::new(1, "noise")])
    }

    fn at(us: u64) -> Time {
        Time(us * 1000)
    }

    fn hearer(power: f64) -> Hearer {
        Hearer::equal(0).with_power(power, &Least { sensed: [10.0; 2], decoded: [1.0; 2] })
    }

    /// Of a frame from 100 to 300 us.
    fn error(noise: &Noise, power: f64, rate: Rate, bytes: u32) -> f64 {
        let bits = 8.0 * f64::from(bytes);
        noise.air[0].error(power, 1.0, (at(100), at(300)), |snr, share| part_error(rate, snr, bits * share))
    }

    #[test]
    fn each_part_of_a_frame_has_its_own_noise() {
        let mut noise = noise();
        let rate = Rate::ofdm(24_000);
        // signal 70; another of 2 in the second half, a third of 1 in the last quarter; one was there before
        assert_eq!(noise.begins(at(50), &hearer(5.0), 9, rate.phy), None);
        noise.ends(at(60), &hearer(5.0), 9);
        assert_eq!(noise.begins(at(100), &hearer(70.0), 1, rate.phy), Some(true));
        noise.begins(at(200), &hearer(2.0), 2, rate.phy);
        noise.begins(at(250), &hearer(1.0), 3, rate.phy);
        let good = (1.0 - frame_error(rate, 70.0, 600))
            * (1.0 - frame_error(rate, 70.0 / 3.0, 300))
            * (1.0 - frame_error(rate, 70.0 / 4.0, 300));
        let found = error(&noise, 70.0, rate, 1200);
        assert!((found - (1.0 - good)).abs() < 1e-12, "{found}");
        // the same, had all been there from the start to the end
        let all = frame_error(rate, 17.5, 1200);
        assert!(found < all && found > frame_error(rate, 70.0, 1200), "{found} {all}");
    }

    #[test]
    fn a_preamble_is_understood_beside_what_is_there() {
        let mut noise = noise();
        let phy = Phy::Ofdm;
        // 4 dB are 2.512 times; of 50 beside 1 and 18: 2.63, beside 1 and 20: 2.38
        for (other, understood) in [(18.0, true), (20.0, false)] {
            noise.begins(at(0), &hearer(other), 1, phy);
            assert_eq!(noise.begins(at(10), &hearer(50.0), 2, phy), Some(understood), "{other}");
            noise.ends(at(20), &hearer(50.0), 2);
            noise.ends(at(20), &hearer(other), 1);
        }
        assert!(noise.air[0].sums.is_empty() && noise.air[0].present.is_empty());
    }

    #[test]
    fn what_is_past_is_forgotten_as_soon_as_nobody_needs_it() {
        let mut noise = noise();
        // frames follow each other without a pause, always two at once
        for number in 0..1000u64 {
            noise.begins(at(10 * number), &hearer(20.0), number as u32, Phy::Ofdm);
            if let Some(last) = number.checked_sub(2) {
                noise.ends(at(10 * number + 5), &hearer(20.0), last as u32);
            }
        }
        assert!(noise.air[0].sums.len() < 8, "{}", noise.air[0].sums.len());
    }
}
