//! How probable it is that a frame is wrong, by its signal-to-noise ratio.
//!
//! OFDM: error of a symbol decision in white noise, then the union bound of the K = 7 convolutional code, punctured or
//! not; each coefficient counts the wrong paths of one distance. DSSS: differential detection of 1 and 2 Mbps, union
//! bound over the code words of CCK (interpretation).

use std::f64::consts::{PI, SQRT_2};

use units::num;

use crate::{Phy, Rate};

/// A punctured code: paths of distance `first`, `first + step` and so on, per `period` of input bits.
struct Code {
    period: f64,
    first: u32,
    step: u32,
    paths: [f64; 10],
}

const HALF: Code = Code {
    period: 2.0,
    first: 10,
    step: 2,
    paths: [36.0, 211.0, 1404.0, 11_633.0, 77_433.0, 502_690.0, 3_322_763.0, 21_292_910.0, 134_365_911.0, 0.0],
};

const TWO_THIRDS: Code = Code {
    period: 4.0,
    first: 6,
    step: 1,
    paths: [3.0, 70.0, 285.0, 1276.0, 6160.0, 27_128.0, 117_019.0, 498_860.0, 2_103_891.0, 8_784_123.0],
};

const THREE_QUARTERS: Code = Code {
    period: 6.0,
    first: 5,
    step: 1,
    paths: [42.0, 201.0, 1492.0, 10_469.0, 62_935.0, 379_644.0, 2_253_373.0, 13_073_811.0, 75_152_755.0, 428_005_675.0],
};

const FIVE_SIXTHS: Code = Code {
    period: 10.0,
    first: 4,
    step: 1,
    paths: [
        92.0,
        528.0,
        8694.0,
        79_453.0,
        792_114.0,
        7_375_573.0,
        67_884_974.0,
        610_875_423.0,
        5_427_275_376.0,
        47_664_215_639.0,
    ],
};

/// Probability that a frame of `bytes` is wrong; `snr` is a ratio over the channel's bandwidth.
pub fn frame_error(rate: Rate, snr: f64, bytes: u32) -> f64 {
    part_error(rate, snr, 8.0 * f64::from(bytes))
}

/// Probability that so many bits of a frame are not all right.
pub(crate) fn part_error(rate: Rate, snr: f64, bits: f64) -> f64 {
    match (rate.phy, rate.kbps) {
        (Phy::Plain, _) => 0.0,
        (Phy::Dsss, 1000) => frame(num::exp(-22.0 * snr) / 2.0, bits),
        (Phy::Dsss, 2000) => frame(quaternary(11.0 * snr), bits),
        (Phy::Dsss, 5500) => {
            let x = 16.0 * snr;
            let symbol = 14.0 * tail(num::sqrt(x / 2.0)) + tail(num::sqrt(x));
            frame(symbol.min(1.0), bits / 4.0)
        }
        (Phy::Dsss, _) => {
            let x = 16.0 * snr;
            let half = (14.0 * tail(num::sqrt(x / 4.0)) + tail(num::sqrt(x / 2.0))).min(1.0);
            frame(1.0 - (1.0 - half) * (1.0 - half), bits / 8.0)
        }
        (Phy::Ofdm, kbps) => {
            let (modulation, code) = match kbps {
                0..9000 => (Modulation::Bpsk, &HALF),
                9000..12_000 => (Modulation::Bpsk, &THREE_QUARTERS),
                12_000..18_000 => (Modulation::Qpsk, &HALF),
                18_000..24_000 => (Modulation::Qpsk, &THREE_QUARTERS),
                24_000..36_000 => (Modulation::Qam16, &HALF),
                36_000..48_000 => (Modulation::Qam16, &THREE_QUARTERS),
                48_000..54_000 => (Modulation::Qam64, &TWO_THIRDS),
                _ => (Modulation::Qam64, &THREE_QUARTERS),
            };
            frame(code.bit_error(modulation.error(snr)), bits)
        }
        (Phy::Ht(mcs), _) => {
            let (modulation, code) = match mcs.index() % 8 {
                0 => (Modulation::Bpsk, &HALF),
                1 => (Modulation::Qpsk, &HALF),
                2 => (Modulation::Qpsk, &THREE_QUARTERS),
                3 => (Modulation::Qam16, &HALF),
                4 => (Modulation::Qam16, &THREE_QUARTERS),
                5 => (Modulation::Qam64, &TWO_THIRDS),
                6 => (Modulation::Qam64, &THREE_QUARTERS),
                _ => (Modulation::Qam64, &FIVE_SIXTHS),
            };
            // streams share the power
            frame(code.bit_error(modulation.error(snr / f64::from(mcs.streams()))), bits)
        }
    }
}

#[derive(Clone, Copy)]
enum Modulation {
    Bpsk,
    Qpsk,
    Qam16,
    Qam64,
}

impl Modulation {
    /// Share of wrong bits before decoding.
    fn error(self, snr: f64) -> f64 {
        match self {
            Modulation::Bpsk => erfc(snr) / 2.0,
            Modulation::Qpsk => erfc(snr / 2.0) / 2.0,
            Modulation::Qam16 => erfc(snr / 10.0) * 3.0 / 8.0,
            Modulation::Qam64 => erfc(snr / 42.0) * 7.0 / 24.0,
        }
    }
}

impl Code {
    /// Error of a decoded bit where a share `p` of the bits before decoding is wrong.
    fn bit_error(&self, p: f64) -> f64 {
        let d = num::sqrt(4.0 * p * (1.0 - p));
        let distances = (0u32..).map(|place| f64::from(self.first + self.step * place));
        let sum: f64 = self.paths.iter().zip(distances).map(|(paths, distance)| paths * num::pow(d, distance)).sum();
        (sum / self.period).min(1.0)
    }
}

/// 2 Mbps, differentially detected.
fn quaternary(x: f64) -> f64 {
    let scale = (SQRT_2 + 1.0) / num::sqrt(8.0 * PI * SQRT_2);
    (scale / num::sqrt(x) * num::exp(-(2.0 - SQRT_2) * x)).min(0.5)
}

/// One of `count` parts that are wrong with probability `p` each makes the frame wrong.
fn frame(p: f64, count: f64) -> f64 {
    if p >= 1.0 { 1.0 } else { -num::exp_m1(count * num::ln_1p(-p)) }
}

/// Complementary error function of the root of `x`.
fn erfc(x: f64) -> f64 {
    num::erfc(num::sqrt(x))
}

/// Tail of the normal distribution.
fn tail(y: f64) -> f64 {
    num::erfc(y / SQRT_2) / 2.0
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Guard, Width};

    /// At which SNR in dB 90, 50, 10 and 1 % of the frames of 1536 bytes are lost, to a hundredth.
    const TABLE: [(Rate, [f64; 4]); 12] = [
        (Rate::ofdm(6000), [3.08, 3.43, 3.97, 4.59]),
        (Rate::ofdm(9000), [5.92, 6.29, 6.86, 7.53]),
        (Rate::ofdm(12_000), [6.09, 6.44, 6.98, 7.60]),
        (Rate::ofdm(18_000), [8.93, 9.30, 9.87, 10.54]),
        (Rate::ofdm(24_000), [12.53, 12.92, 13.51, 14.20]),
        (Rate::ofdm(36_000), [15.63, 16.02, 16.62, 17.32]),
        (Rate::ofdm(48_000), [20.36, 20.76, 21.36, 22.07]),
        (Rate::ofdm(54_000), [21.58, 22.00, 22.63, 23.36]),
        (Rate::dsss(1000), [-4.45, -3.84, -3.02, -2.18]),
        (Rate::dsss(2000), [0.02, 0.72, 1.63, 2.56]),
        (Rate::dsss(5500), [2.73, 3.34, 4.17, 5.02]),
        (Rate::dsss(11_000), [5.74, 6.36, 7.18, 8.03]),
    ];

    #[test]
    fn each_rate_needs_its_snr() {
        for (rate, row) in TABLE {
            for (db, share) in row.into_iter().zip([0.9, 0.5, 0.1, 0.01]) {
                let error = |db: f64| frame_error(rate, 10f64.powf(db / 10.0), 1536);
                assert!(
                    error(db - 0.011) > share && error(db + 0.011) < share,
                    "{rate} {:?} {db}: {}",
                    rate.phy,
                    error(db)
                );
            }
        }
    }

    #[test]
    fn schemes_of_ht_are_as_those_of_ofdm_and_two_streams_share_the_power() {
        let ht = |index, width| Rate::ht(index, width, Guard::Long).unwrap();
        let ofdm = [6000, 12_000, 18_000, 24_000, 36_000, 48_000, 54_000].map(Rate::ofdm);
        for (index, rate) in (0..).zip(ofdm) {
            for snr in [1.5, 4.0, 12.0, 40.0, 150.0] {
                let one = frame_error(ht(index, Width::Mhz20), snr, 1536);
                assert_eq!(one, frame_error(rate, snr, 1536), "MCS {index}");
                assert_eq!(one, frame_error(ht(index + 8, Width::Mhz40), 2.0 * snr, 1536), "MCS {index}");
            }
        }
        // MCS 7, code 5/6: 90, 50, 10, 1 % are lost
        for (db, share) in [(22.75, 0.9), (23.16, 0.5), (23.79, 0.1), (24.52, 0.01)] {
            let error = |db: f64| frame_error(ht(7, Width::Mhz20), 10f64.powf(db / 10.0), 1536);
            assert!(error(db - 0.011) > share && error(db + 0.011) < share, "{db}: {}", error(db));
        }
    }

    #[test]
    fn ends_are_certain() {
        for rate in [Rate::ofdm(6000), Rate::ofdm(54_000), Rate::dsss(1000), Rate::dsss(2000), Rate::dsss(11_000)] {
            assert!(frame_error(rate, 0.0, 1536) > 0.999, "{rate}");
            assert_eq!(frame_error(rate, 1e6, 1536), 0.0, "{rate}");
        }
    }
}
