//! How much power a packet needs to get through.

use units::num;

use crate::propagation::{dbm, watts};
use crate::{CTS_BYTES, Exchange, Params, RTS_BYTES, Rate, Reception, frame_error};

/// Of packets that get through less often than this, in spite of all attempts, none is counted on.
const LEAST: f64 = 0.01;

/// No frame is read so far below the noise, and none is lost so far above it, in dB.
const MARGIN: f64 = 60.0;

impl Params {
    /// Least power in W at which packets of `bytes`, IP header included, get through: one of a hundred at least, with
    /// all attempts of the MAC and nothing else on air.
    pub fn least_power(&self, rate: Rate, bytes: u32) -> f64 {
        if self.radio.reception == Reception::Threshold {
            return self.radio.rx_threshold;
        }
        let exchange = Exchange::new(self, rate, bytes, false);
        let noise = dbm(self.radio.noise);
        let (mut too_weak, mut enough) = (noise - MARGIN, noise + MARGIN);
        // to a millionth of a dB
        while enough - too_weak > 1e-6 {
            let middle = (too_weak + enough) / 2.0;
            let side = if self.passes(&exchange, watts(middle)) < LEAST { &mut too_weak } else { &mut enough };
            *side = middle;
        }
        watts(enough)
    }

    /// How probable it is that the data of an exchange arrive in one of its attempts.
    fn passes(&self, exchange: &Exchange, power: f64) -> f64 {
        let read = |rate: Rate, bytes: u32| match power >= self.radio.preamble_power(rate.phy) {
            true => 1.0 - frame_error(rate, power / self.radio.noise, bytes),
            false => 0.0,
        };
        let data = read(exchange.rate, exchange.mpdu);
        let limit = match exchange.rts_first {
            _ if self.aggregates(exchange.rate) => self.mpdu_retry_limit,
            true => self.long_retry_limit,
            false => self.short_retry_limit,
        };
        let asked = match exchange.rts_first {
            true => read(exchange.rts_rate, RTS_BYTES) * read(exchange.cts_rate, CTS_BYTES),
            false => 1.0,
        };
        in_one_of(in_one_of(asked, self.short_retry_limit) * data, limit)
    }
}

/// Probability that something that happens with probability `p` happens in one of so many attempts.
fn in_one_of(p: f64, attempts: u32) -> f64 {
    -num::exp_m1(f64::from(attempts) * num::ln_1p(-p))
}
