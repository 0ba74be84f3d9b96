//! How much of a frame's power arrives where.

use std::f64::consts::{LN_10, PI};

use units::{Span, num};

use crate::{Error, Phy};

/// Powers, antennas and thresholds of all stations of a medium.
#[derive(Clone, Debug, PartialEq)]
pub struct Radio {
    /// How power falls with distance.
    pub propagation: Propagation,
    /// Carrier frequency in Hz.
    pub frequency: f64,
    /// Transmitted power in W, antenna gains included.
    pub tx_power: f64,
    /// Height of the antennas in m, for two rays.
    pub antenna_height: f64,
    /// Least power in W at which a frame can be decoded, whatever its rate.
    pub rx_threshold: f64,
    /// Least power in W that is sensed. Where reception goes by the ratio to the noise, a frame whose preamble is
    /// understood is sensed below that, too.
    pub cs_threshold: f64,
    /// How many times as strong as another a frame must be that the other does it no harm.
    pub capture_ratio: f64,
    /// Speed of light in m/s.
    pub light: f64,
    /// What decides whether a frame that nothing disturbs is read.
    pub reception: Reception,
    /// Noise in W, that of the receiver included.
    pub noise: f64,
    /// Frames take time to travel.
    pub travel: Travel,
    /// Power between two stations is off by this much, in dB, log-normal: a standard deviation; zero: not at all. As
    /// long as they stand it stays.
    pub shadowing_db: f64,
    /// Metres of way after which what a place does to the power is to 1/e what it was.
    pub shadowing_coherence: f64,
    /// Power varies as by Rayleigh: an exponential factor of mean 1, drawn anew for each pair of stations so often.
    pub rayleigh_block: Option<Coherence>,
    /// Where stations move: powers and delays follow at most so often.
    pub move_step: Span,
    /// Distances below this count as this, in m; zero: at no distance all of the power arrives.
    pub least_distance: f64,
}

/// Least power of a frame that is sensed, and of a preamble that is understood: of OFDM (and of frames without
/// symbols), and of DSSS.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Least {
    pub(crate) sensed: [f64; 2],
    pub(crate) decoded: [f64; 2],
}

impl Least {
    /// Least power of any frame that is sensed.
    pub(crate) fn any(&self) -> f64 {
        self.sensed[0].min(self.sensed[1])
    }
}

/// How power falls with distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Propagation {
    /// As the square.
    FreeSpace,
    /// As the square up to the crossover distance, beyond it as the fourth power: a second ray comes off the ground.
    TwoRay,
    /// As the square up to 1 m, beyond it with this exponent.
    LogDistance {
        /// Exponent: 2 in the open, 3 to 4 indoors.
        exponent: f64,
    },
}

/// What decides whether a frame that nothing disturbs is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reception {
    /// Its power: `rx_threshold` is enough, whatever the rate.
    Threshold,
    /// Its ratio to the noise, by chance: [`frame_error`](crate::frame_error). Nothing is read whose preamble is below
    /// 4 dB (OFDM) or -4 dB (DSSS).
    Snr,
}

/// How long a block of fading lasts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Coherence {
    /// This long.
    Time(Span),
    /// By the speed of the two stations relative to each other: 0.423 wavelengths over the speed, from 1 ms to 1 s.
    Speed,
}

/// Whether frames take time to travel.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Travel {
    /// They arrive when they are sent.
    None,
    /// Distance over the speed of light, to the nearest nanosecond.
    Exact,
}

impl Radio {
    /// A channel of this frequency and bandwidth: 16 dBm, falling with the cube of the distance; frames are sensed and
    /// decoded from -82 dBm on. The receiver adds 7 dB to the noise of -174 dBm/Hz.
    pub fn standard(frequency: f64, bandwidth: f64) -> Radio {
        Radio {
            propagation: Propagation::LogDistance { exponent: 3.0 },
            frequency,
            tx_power: watts(16.0),
            antenna_height: 1.5,
            rx_threshold: watts(-82.0),
            cs_threshold: watts(-82.0),
            capture_ratio: 10.0,
            light: 299_792_458.0,
            reception: Reception::Threshold,
            noise: watts(-174.0 + 7.0) * bandwidth,
            travel: Travel::None,
            shadowing_db: 0.0,
            shadowing_coherence: 20.0,
            rayleigh_block: None,
            move_step: Span::from_millis(100),
            least_distance: 1.0,
        }
    }

    /// ns-2's card: decoded up to 250 m, sensed up to 550 m.
    pub fn ns2() -> Radio {
        Radio {
            propagation: Propagation::TwoRay,
            frequency: 914e6,
            tx_power: 0.281_838_15,
            rx_threshold: 3.652e-10,
            cs_threshold: 1.559e-11,
            light: 3e8,
            travel: Travel::Exact,
            least_distance: 0.0,
            ..Radio::standard(914e6, 22e6)
        }
    }

    /// Least power of a preamble that is understood.
    pub fn preamble_power(&self, phy: Phy) -> f64 {
        match self.reception {
            Reception::Threshold => self.rx_threshold,
            Reception::Snr => self.noise * ratio(if phy == Phy::Dsss { -4.0 } else { 4.0 }),
        }
    }

    /// Least power of a frame that is sensed. A preamble that is understood says how long its frame is; all else is
    /// energy.
    pub fn sensed_power(&self, phy: Phy) -> f64 {
        match self.reception {
            Reception::Threshold => self.cs_threshold,
            Reception::Snr => self.cs_threshold.min(self.preamble_power(phy)),
        }
    }

    /// What frames of each PHY need.
    pub(crate) fn least(&self) -> Least {
        let both = [Phy::Ofdm, Phy::Dsss];
        Least { sensed: both.map(|phy| self.sensed_power(phy)), decoded: both.map(|phy| self.preamble_power(phy)) }
    }

    /// Wavelength in m.
    pub fn wavelength(&self) -> f64 {
        self.light / self.frequency
    }

    /// Distance in m from which on the second ray counts.
    pub fn crossover(&self) -> f64 {
        4.0 * PI * self.antenna_height * self.antenna_height / self.wavelength()
    }

    /// Power in W that arrives `distance` m away.
    pub fn power_at(&self, distance: f64) -> f64 {
        let d = distance.max(self.least_distance);
        if d == 0.0 {
            return self.tx_power;
        }
        match self.propagation {
            Propagation::FreeSpace => self.free_space(d),
            Propagation::TwoRay if d <= self.crossover() => self.free_space(d),
            Propagation::TwoRay => {
                let square = self.antenna_height * self.antenna_height / (d * d);
                self.tx_power * square * square
            }
            Propagation::LogDistance { exponent } => self.free_space(1.0) * num::pow(d, -exponent),
        }
    }

    fn free_space(&self, d: f64) -> f64 {
        let ratio = self.wavelength() / (4.0 * PI * d);
        self.tx_power * ratio * ratio
    }

    pub(crate) fn check(&self) -> Result<(), Error> {
        let positive = [
            ("frequency", self.frequency),
            ("tx_power", self.tx_power),
            ("antenna_height", self.antenna_height),
            ("rx_threshold", self.rx_threshold),
            ("cs_threshold", self.cs_threshold),
            ("light", self.light),
            ("noise", self.noise),
            ("shadowing_coherence", self.shadowing_coherence),
        ];
        for (key, value) in positive {
            if !(value > 0.0 && value.is_finite()) {
                return Err(Error::Range { key, value, must: "positive" });
            }
        }
        // thresholds of four digits are above each other by rounding
        if self.reception == Reception::Threshold && self.cs_threshold > 1.001 * self.rx_threshold {
            let value = self.cs_threshold;
            return Err(Error::Range { key: "cs_threshold", value, must: "at most `rx_threshold`" });
        }
        if !(self.shadowing_db >= 0.0 && self.shadowing_db.is_finite()) {
            return Err(Error::Range { key: "shadowing_db", value: self.shadowing_db, must: "zero or positive" });
        }
        if self.rayleigh_block == Some(Coherence::Time(Span::ZERO)) {
            return Err(Error::Zero { key: "rayleigh_block" });
        }
        if self.move_step == Span::ZERO {
            return Err(Error::Zero { key: "move_step" });
        }
        // an infinite ratio is legal: every overlap is a loss
        if self.capture_ratio.is_nan() || self.capture_ratio < 1.0 {
            return Err(Error::Range { key: "capture_ratio", value: self.capture_ratio, must: "at least 1" });
        }
        if let Propagation::LogDistance { exponent } = self.propagation
            && !(exponent > 0.0 && exponent.is_finite())
        {
            return Err(Error::Range { key: "path_exponent", value: exponent, must: "positive" });
        }
        Ok(())
    }
}

/// Power in W from dBm.
pub fn watts(dbm: f64) -> f64 {
    ratio(dbm) / 1000.0
}

fn ratio(db: f64) -> f64 {
    num::exp(db / 10.0 * LN_10)
}

/// Power in dBm from W.
pub fn dbm(watts: f64) -> f64 {
    (num::ln(watts) / LN_10 + 3.0) * 10.0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn near(found: f64, expected: f64) {
        assert!((found / expected - 1.0).abs() < 1e-4, "{found:e} is not {expected:e}");
    }

    #[test]
    fn two_rays_of_ns2() {
        let radio = Radio::ns2();
        near(radio.wavelength(), 0.328_228); // 3e8 / 914e6
        near(radio.crossover(), 86.142); // 4 pi 1.5 x 1.5 / 0.328228
        // 0.28183815 x (1.5 x 1.5)^2 / 200^4 = 1.42681 / 1.6e9
        for (distance, power) in [
            (100.0, 1.4268e-8),
            (200.0, 8.9175e-10),
            (250.0, 3.6526e-10),
            (400.0, 5.5735e-11),
            (550.0, 1.5592e-11),
            (600.0, 1.1009e-11),
            // free space: 0.28183815 x (0.328228 / (4 pi 20))^2
            (20.0, 4.8070e-7),
            (50.0, 7.6911e-8),
        ] {
            near(radio.power_at(distance), power);
        }
        assert!(radio.power_at(250.0) >= radio.rx_threshold && radio.power_at(250.1) < radio.rx_threshold);
        assert!(radio.power_at(550.0) >= radio.cs_threshold && radio.power_at(550.1) < radio.cs_threshold);
        assert_eq!(radio.power_at(0.0), radio.tx_power);
    }

    #[test]
    fn log_distance_meets_free_space_at_a_metre() {
        let radio = Radio::standard(2.437e9, 22e6);
        // 16 dBm, less 20 log10(4 pi 2.437e9 / 299792458) = 40.18 dB, less 30 dB per tenfold distance
        assert!((dbm(radio.power_at(1.0)) + 24.18).abs() < 0.01);
        assert!((dbm(radio.power_at(10.0)) + 54.18).abs() < 0.01);
        assert_eq!(radio.power_at(0.1), radio.power_at(1.0));
        near(watts(16.0), 0.039_811);
        // -174 + 10 log10(22e6) + 7 = -93.6 dBm; -94.0 over 20 MHz
        assert!((dbm(radio.noise) + 93.58).abs() < 0.01);
        assert!((dbm(Radio::standard(5.18e9, 20e6).noise) + 93.99).abs() < 0.01);
    }
}
