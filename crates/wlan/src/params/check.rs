//! What a set may not be.

use units::Span;

use super::{Capture, Params, Protection, Responder};
use crate::{Error, Phy, Rate, Reception};

impl Params {
    /// An error for the first value that makes no sense.
    pub fn check(&self) -> Result<(), Error> {
        for (key, span) in [("slot", self.slot), ("sifs", self.sifs), ("difs", self.difs)] {
            if span == Span::ZERO {
                return Err(Error::Zero { key });
            }
        }
        for (key, limit) in [("short_retry_limit", self.short_retry_limit), ("long_retry_limit", self.long_retry_limit)]
        {
            if limit == 0 {
                return Err(Error::Zero { key });
            }
        }
        self.check_window()?;
        self.check_classes()?;
        self.check_ampdu()?;
        self.check_rates()?;
        if self.plcp.bits > 0 && !(self.plcp.bps > 0.0 && self.plcp.bps.is_finite()) {
            return Err(Error::Range { key: "plcp_rate", value: self.plcp.bps, must: "positive" });
        }
        if self.rules.capture == Capture::Sinr && self.radio.reception == Reception::Threshold {
            return Err(Error::NeedsSnr { key: "capture" });
        }
        self.radio.check()
    }

    fn check_window(&self) -> Result<(), Error> {
        for (key, value) in [("cw_min", self.cw_min), ("cw_min_dsss", self.cw_min_dsss), ("cw_max", self.cw_max)] {
            if value == 0 || value > 32_767 || !(value + 1).is_power_of_two() {
                return Err(Error::Window { key, value });
            }
        }
        if self.cw_min.max(self.cw_min_dsss) > self.cw_max {
            return Err(Error::WindowOrder { cw_min: self.cw_min, cw_max: self.cw_max });
        }
        Ok(())
    }

    fn check_classes(&self) -> Result<(), Error> {
        if self.edca && self.rules.responder == Responder::Ns2 {
            return Err(Error::NotInNs2 { key: "edca" });
        }
        for contention in self.edca_station.classes.iter().chain(&self.edca_access_point.classes) {
            let (cw_min, cw_max) = (contention.cw_min, contention.cw_max);
            if contention.aifsn == 0 || contention.aifsn > 15 {
                let value = f64::from(contention.aifsn);
                return Err(Error::Range { key: "edca.aifsn", value, must: "from 1 to 15" });
            }
            for (key, value) in [("edca.cw_min", cw_min), ("edca.cw_max", cw_max)] {
                if value > 32_767 || !(value + 1).is_power_of_two() {
                    return Err(Error::Window { key, value });
                }
            }
            if cw_min > cw_max {
                return Err(Error::WindowOrder { cw_min, cw_max });
            }
        }
        Ok(())
    }

    fn check_ampdu(&self) -> Result<(), Error> {
        let within = |key, value: u32, least: u32, most: u32, must| {
            let fits = (least..=most).contains(&value);
            if fits { Ok(()) } else { Err(Error::Range { key, value: value.into(), must }) }
        };
        within("ampdu_max_mpdus", self.ampdu.mpdus, 1, 64, "from 1 to 64")?;
        within("ampdu_max_bytes", self.ampdu.bytes, 1, 65_535, "from 1 to 65535")?;
        for (key, limit) in [("ampdu_min", self.ampdu_min), ("mpdu_retry_limit", self.mpdu_retry_limit)] {
            within(key, limit, 1, u32::MAX, "at least 1")?;
        }
        for (key, span) in [("ampdu_max_us", self.ampdu.airtime), ("reorder_timeout", self.reorder_timeout)] {
            if span == Span::ZERO {
                return Err(Error::Zero { key });
            }
        }
        Ok(())
    }

    fn check_rates(&self) -> Result<(), Error> {
        for (key, list) in [("rates", &self.rates), ("basic_rates", &self.basic_rates)] {
            if list.is_empty() {
                return Err(Error::NoRates { key });
            }
            if let Some(&rate) = list.iter().find(|rate| rate.kbps < 250) {
                return Err(Error::Range { key, value: f64::from(rate.kbps) / 1000.0, must: "at least 0.25 Mbps" });
            }
        }
        self.check_rate("rate", self.rate)?;
        let plain = self.rates.iter().find(|rate| rate.phy == Phy::Plain);
        if let (Reception::Snr, Some(&rate)) = (self.radio.reception, plain) {
            return Err(Error::NoErrorTable { rate });
        }
        for (key, rate) in [("rts_rate", self.rts_rate), ("protection_rate", self.protection.rate())] {
            if let Some(rate) = rate
                && !self.basic_rates.contains(&rate)
            {
                return Err(Error::Rate { key, rate, rates: self.basic_rates.clone() });
            }
        }
        Ok(())
    }

    /// An error if data cannot have this rate.
    pub fn check_rate(&self, key: &'static str, rate: Rate) -> Result<(), Error> {
        if self.rates.contains(&rate) {
            return Ok(());
        }
        Err(Error::Rate { key, rate, rates: self.rates.clone() })
    }
}

impl Protection {
    /// At which rate, if at all.
    pub fn rate(self) -> Option<Rate> {
        match self {
            Protection::Off => None,
            Protection::CtsToSelf(rate) | Protection::RtsCts(rate) => Some(rate),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_set_is_right() {
        for name in Params::NAMES {
            Params::named(name).unwrap().check().unwrap();
        }
        let error = Params::named("dot11z").unwrap_err();
        assert_eq!(error.to_string(), "no parameter set `dot11z`");
        assert!(error.hint().unwrap().contains("dot11g-prot"));
    }

    #[test]
    fn what_makes_no_sense_is_refused() {
        let refused = |change: fn(&mut Params)| {
            let mut params = Params::dot11b();
            change(&mut params);
            params.check().unwrap_err().to_string()
        };
        assert_eq!(refused(|p| p.slot = Span::ZERO), "`slot` is zero, must be positive");
        assert_eq!(refused(|p| p.long_retry_limit = 0), "`long_retry_limit` is zero, must be positive");
        assert_eq!(refused(|p| p.cw_min = 30), "`cw_min` 30: must be a power of two, less one");
        assert_eq!(refused(|p| p.cw_min = 2047), "`cw_min` 2047 is above `cw_max` 1023");
        assert_eq!(refused(|p| p.rate = Rate::dsss(22_000)), "`rate`: the set has no rate of 22 Mbps");
        assert_eq!(refused(|p| p.rate = Rate::ofdm(11_000)), "`rate`: the set has no rate of 11 Mbps");
        assert_eq!(refused(|p| p.basic_rates.clear()), "`basic_rates` is empty");
        assert!(
            refused(|p| {
                *p = Params::ns2_default();
                p.radio.reception = Reception::Snr;
            })
            .contains("no error table for 1 Mbps")
        );
        assert_eq!(refused(|p| p.radio.shadowing_db = -1.0), "`shadowing_db` is -1, must be zero or positive");
        assert_eq!(
            refused(|p| p.radio.rayleigh_block = Some(crate::Coherence::Time(Span::ZERO))),
            "`rayleigh_block` is zero, must be positive"
        );
        assert_eq!(refused(|p| p.edca_station.classes[0].aifsn = 0), "`edca.aifsn` is 0, must be from 1 to 15");
        assert_eq!(refused(|p| p.edca_access_point.classes[1].cw_min = 20).split(':').next(), Some("`edca.cw_min` 20"));
        assert_eq!(refused(|p| p.edca_station.classes[3].cw_max = 7), "`cw_min` 31 is above `cw_max` 7");
        assert_eq!(refused(|p| p.ampdu.mpdus = 65), "`ampdu_max_mpdus` is 65, must be from 1 to 64");
        assert_eq!(refused(|p| p.ampdu.bytes = 65_536), "`ampdu_max_bytes` is 65536, must be from 1 to 65535");
        assert_eq!(refused(|p| p.mpdu_retry_limit = 0), "`mpdu_retry_limit` is 0, must be at least 1");
        assert_eq!(refused(|p| p.reorder_timeout = Span::ZERO), "`reorder_timeout` is zero, must be positive");
        let ns2 = |p: &mut Params| *p = Params { edca: true, ..Params::ns2_default() };
        assert_eq!(refused(ns2), "`edca` is not in the profile of ns-2");
        assert_eq!(
            refused(|p| p.rules.capture = Capture::Sinr),
            "`capture` by SINR needs `reception` by SNR, whose error tables it uses"
        );
        assert_eq!(refused(|p| p.radio.move_step = Span::ZERO), "`move_step` is zero, must be positive");
        let above = |factor: f64| {
            let mut params = Params::ns2_default();
            params.radio.cs_threshold = factor * params.radio.rx_threshold;
            params.check().is_ok()
        };
        assert!(above(1.0009) && !above(1.002), "rounding counts as equal");
        assert_eq!(refused(|p| p.radio.capture_ratio = 0.5), "`capture_ratio` is 0.5, must be at least 1");
    }

    #[test]
    fn a_refusal_says_what_there_is() {
        let params = Params { rate: Rate::dsss(22_000), ..Params::dot11b() };
        assert_eq!(params.check().unwrap_err().hint().unwrap(), "it has 1 Mbps, 2 Mbps, 5.5 Mbps, 11 Mbps");
        let params = Params { cw_min: 30, ..Params::dot11b() };
        assert_eq!(params.check().unwrap_err().hint().unwrap(), "for example 31");
    }
}
