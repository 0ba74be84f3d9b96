//! What a station alone that always has packets sends in one access, and how long it is from one access to the next.

use units::Span;

use crate::airtime::Exchange;
use crate::dcf::Terms;
use crate::{AmpduLimits, Params, Rate};

/// One access of such a station, with the space and the mean backoff before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cycle {
    /// Packets that it sends.
    pub packets: u32,
    /// Exchanges in which it does, SIFS apart.
    pub exchanges: u32,
    /// From one access to the next.
    pub span: Span,
}

impl Cycle {
    /// Nothing was sent yet.
    fn begin(params: &Params, terms: &Terms) -> Cycle {
        Cycle { packets: 0, exchanges: 0, span: terms.ifs + params.mean_backoff(terms.cw_min) }
    }

    fn add(&mut self, params: &Params, packets: u32, exchange: Span) {
        let space = if self.exchanges == 0 { Span::ZERO } else { params.sifs };
        *self = Cycle {
            packets: self.packets + packets,
            exchanges: self.exchanges + 1,
            span: self.span + space + exchange,
        };
    }
}

impl Params {
    /// Packets of `bytes` one by one: one, or as many as end within the time that the class has (TXOP). The largest
    /// throughput of the medium is that of the cycle, or a little more where stations share backoffs.
    pub fn cycle(&self, terms: &Terms, rate: Rate, bytes: u32) -> Cycle {
        let exchange = Exchange::new(self, rate, bytes, false).airtime(self.sifs);
        let mut cycle = Cycle::begin(self, terms);
        let mut left = terms.txop;
        cycle.add(self, 1, exchange);
        while left >= exchange + self.sifs + exchange {
            left = left - exchange - self.sifs;
            cycle.add(self, 1, exchange);
        }
        cycle
    }

    /// As many packets of `bytes` together as may go; at rates of HT.
    pub fn ampdu_cycle(&self, terms: &Terms, rate: Rate, bytes: u32) -> Cycle {
        let has_end = terms.txop > Span::ZERO;
        let mut cycle = Cycle::begin(self, terms);
        let mut left = terms.txop;
        loop {
            let count = self.together(rate, bytes, has_end.then_some(left));
            let exchange = self.ampdu_exchange(rate, bytes, count);
            if cycle.exchanges > 0 && exchange > left {
                return cycle;
            }
            cycle.add(self, count, exchange);
            left = Span(left.0.saturating_sub((exchange + self.sifs).0));
            if left == Span::ZERO {
                return cycle;
            }
        }
    }

    /// How many packets of `bytes` go into the next exchange, if it has `left` at most. One always goes.
    fn together(&self, rate: Rate, bytes: u32, left: Option<Span>) -> u32 {
        let mpdu = self.mpdu(bytes);
        let others = || {
            let whole = Exchange::of_ampdu(self, rate, mpdu, mpdu);
            whole.airtime(self.sifs) - whole.data
        };
        let airtime = left.map_or(self.ampdu.airtime, |left| self.ampdu.airtime.min(left - others()));
        let count = AmpduLimits { airtime, ..self.ampdu }.largest(self, rate, mpdu);
        if count < self.ampdu_min { 1 } else { count.max(1) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Class, Guard, Width};

    fn us(span: Span) -> f64 {
        span.0 as f64 / 1000.0
    }

    /// Mbps of packets of 1500 bytes.
    fn mbps(cycle: Cycle) -> f64 {
        f64::from(cycle.packets) * 12_000.0 / us(cycle.span)
    }

    #[test]
    fn a_class_goes_on_within_its_time() {
        let mut params = Params::dot11a();
        params.edca = true;
        let of = |class| params.cycle(&params.terms(params.rate, class, false), params.rate, 1500);
        // 248 + 16 + 28 = 292 us; best effort: 16 + 3 x 9 and 7.5 slots of 9 before it
        let best = of(Class::BestEffort);
        assert_eq!((best.packets, us(best.span)), (1, 43.0 + 67.5 + 292.0));
        // video: 34, 3.5 slots; 9 x 292 + 8 x 16 = 2756 of 3008 us, a tenth would end at 3064
        let video = of(Class::Video);
        assert_eq!((video.packets, video.exchanges, us(video.span)), (9, 9, 34.0 + 31.5 + 2756.0));
        assert!((mbps(video) - 38.277).abs() < 0.001, "{video:?}");
        // voice: 34, 1.5 slots; 4 x 292 + 3 x 16 = 1216 of 1504, a fifth would end at 1524
        let voice = of(Class::Voice);
        assert_eq!((voice.packets, us(voice.span)), (4, 34.0 + 13.5 + 1216.0));
        // what ends just in time is in it
        let mut exact = params.clone();
        exact.edca_station.classes[0].txop = Span(1_524_000);
        let terms = exact.terms(exact.rate, Class::Voice, false);
        assert_eq!(exact.cycle(&terms, exact.rate, 1500).packets, 5);
        exact.edca_station.classes[0].txop = Span(1_523_999);
        let terms = exact.terms(exact.rate, Class::Voice, false);
        assert_eq!(exact.cycle(&terms, exact.rate, 1500).packets, 4);
    }

    #[test]
    fn an_access_point_may_have_terms_of_its_own() {
        let mut params = Params::dot11a();
        params.edca = true;
        params.edca_access_point = params.edca_station.usual_access_point();
        let ifs = |access_point| params.terms(params.rate, Class::Video, access_point).ifs;
        assert_eq!((us(ifs(false)), us(ifs(true))), (34.0, 25.0));
    }

    #[test]
    fn a_station_of_802_11b_has_a_window_of_its_own() {
        let params = Params::dot11g_protected();
        let rate = Rate::dsss(11_000);
        let terms = params.terms(rate, Class::BestEffort, false);
        // 50, 15.5 slots of 20, 1310 + 10 + 248: as in a cell of 802.11b
        let cycle = params.cycle(&terms, rate, 1500);
        assert_eq!(us(cycle.span), 1928.0);
        assert!((mbps(cycle) - 6.2241).abs() < 0.0001);
        assert_eq!(params.terms(params.rate, Class::BestEffort, false).cw_min, 15);
    }

    #[test]
    fn packets_together_wait_for_rts_and_end_within_the_time_of_the_class() {
        let params = Params { rts_threshold: 0, ..Params::dot11n() };
        let rate = Rate::ht(7, Width::Mhz20, Guard::Long).unwrap();
        let terms = params.terms(rate, Class::BestEffort, false);
        // 43 + 67.5, RTS 28 + 16 + CTS 28 + 16, 5360 + 16 + 32 for 28
        let cycle = params.ampdu_cycle(&terms, rate, 1500);
        assert_eq!((cycle.packets, us(cycle.span)), (28, 5606.5));
        let fast = Rate::ht(15, Width::Mhz40, Guard::Short).unwrap();
        let wide = Params::dot11n().with_channel(Width::Mhz40, Guard::Short);
        let wide = Params { rts_threshold: 0, ..wide };
        let cycle = wide.ampdu_cycle(&wide.terms(fast, Class::BestEffort, false), fast, 1500);
        assert_eq!((cycle.packets, us(cycle.span)), (42, 2018.5));

        // 7 take 36 + 4 x 333 = 1368 us, and 48; 8 would take 1560
        let mut params = Params::dot11n();
        params.edca_station.classes[2].txop = Span(1_500_000);
        let cycle = params.ampdu_cycle(&params.terms(rate, Class::BestEffort, false), rate, 1500);
        assert_eq!((cycle.packets, cycle.exchanges, us(cycle.span)), (7, 1, 43.0 + 67.5 + 1416.0));
        assert!((mbps(cycle) - 55.03).abs() < 0.005, "{cycle:?}");
        // 28 as above in 5408, SIFS, and 23 in 4416 + 48: 9888 of 10 000; what is left, 96 us, holds no other
        params.edca_station.classes[2].txop = Span(10_000_000);
        let cycle = params.ampdu_cycle(&params.terms(rate, Class::BestEffort, false), rate, 1500);
        assert_eq!((cycle.packets, cycle.exchanges), (51, 2));
        // a time too short for one lets one go all the same, as a plain frame: 228 + 16 + 28
        params.edca_station.classes[2].txop = Span(100_000);
        let cycle = params.ampdu_cycle(&params.terms(rate, Class::BestEffort, false), rate, 1500);
        assert_eq!((cycle.packets, us(cycle.span)), (1, 43.0 + 67.5 + 272.0));
    }
}
