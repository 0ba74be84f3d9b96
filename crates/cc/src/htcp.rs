//! H-TCP: the longer since the last cut, the faster the growth; a cut just empties the queue.
//! Source: Leith and Shorten, PFLDnet 2004, and draft-leith-tcp-htcp, restated in specs/papers/htcp.md.
use units::{Bytes, Rate, Span, Time};

use crate::{Ack, Config, Congestion, CongestionControl, Path, Response, reno};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    RTTmax is the largest sample since the last cut; throughput is that of the last round which ended before a cut; \
    time counts from the first ACK until there is a cut; no scaling with the RTT unless `htcp_rtt_scaling` asks for it; `htcp_least_increase` keeps the \
    increase from falling below Reno's; a cut keeps a share of the profile's halving base (flight size); a timeout \
    sets ssthresh by the same share; a mark is treated as a loss.";

/// State of H-TCP.
#[derive(Clone, Debug, PartialEq)]
pub struct HTcp {
    cwnd: Bytes,
    ssthresh: Bytes,
    limits: Limits,
    since: Option<Time>, // last cut, or first ACK
    beta: f64,           // share kept at the last cut
    rtt_max: Span,       // since the last cut
    acked: Bytes,        // in this round
    rate: Rate,          // of the last round
    rate_at_cut: Option<Rate>,
}

#[derive(Clone, Debug, PartialEq)]
struct Limits {
    delta_l: f64,
    linear: f64,
    square: f64,
    beta_min: f64,
    beta_max: f64,
    rate_change: f64,
    least_increase: f64,
    rtt_scaling: bool,
}

impl HTcp {
    /// Parameters `htcp_delta_l`, `htcp_linear`, `htcp_square`, `htcp_beta_min`, `htcp_beta_max`, `htcp_rate_change`,
    /// `htcp_least_increase`, `htcp_rtt_scaling`.
    pub fn new(config: &Config) -> HTcp {
        HTcp {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            limits: Limits {
                delta_l: config.number("htcp_delta_l"),
                linear: config.number("htcp_linear"),
                square: config.number("htcp_square"),
                beta_min: config.number("htcp_beta_min"),
                beta_max: config.number("htcp_beta_max"),
                rate_change: config.number("htcp_rate_change"),
                least_increase: config.number("htcp_least_increase"),
                rtt_scaling: config.flag("htcp_rtt_scaling"),
            },
            since: None,
            beta: config.number("htcp_beta_min"),
            rtt_max: Span::ZERO,
            acked: Bytes::ZERO,
            rate: Rate::default(),
            rate_at_cut: None,
        }
    }

    /// Segments per RTT, `d` seconds after the last cut, on a path with this least RTT.
    #[inline]
    fn increase(&self, d: f64, rtt_min: Span) -> f64 {
        let over = (d - self.limits.delta_l).max(0.0);
        //= specs/papers/htcp.md#increase
        //# a = 1 if D <= DL, else 1 + 10 * (D - DL) + 0.25 * (D - DL)^2
        let a = 1.0 + self.limits.linear * over + self.limits.square * over * over;
        //= specs/papers/htcp.md#increase
        //# with RTT scaling a * RTTmin / 0.1 s, the factor at least 0.1 and at most 2, and the product at least 1
        let scale = if rtt_min > Span::ZERO { (10.0 * rtt_min.secs()).clamp(0.1, 2.0) } else { 1.0 };
        let a = if self.limits.rtt_scaling { (a * scale).max(1.0) } else { a };
        //= specs/papers/htcp.md#increase
        //# 2 * (1 - beta) * a / cwnd
        (2.0 * (1.0 - self.beta) * a).max(self.limits.least_increase)
    }

    /// Share of the window to keep at a cut.
    fn backoff(&self, rtt_min: Span) -> f64 {
        let steady = self.rate_at_cut.is_some_and(|before| {
            let change = (self.rate - before).0.abs();
            change <= self.limits.rate_change * before.0
        });
        if !steady || self.rtt_max == Span::ZERO {
            return self.limits.beta_min;
        }
        //= specs/papers/htcp.md#backoff
        //# beta = RTTmin / RTTmax, at least 0.5 and at most 0.8
        (rtt_min.secs() / self.rtt_max.secs()).min(self.limits.beta_max).max(self.limits.beta_min)
    }
}

impl CongestionControl for HTcp {
    window_methods!();

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        self.rtt_max = self.rtt_max.max(ack.rtt.unwrap_or_default());
        self.acked += ack.newly_acked;
        if let Some(round) = ack.round {
            self.rate = self.acked.per(round.length);
            self.acked = Bytes::ZERO;
        }
        let since = *self.since.get_or_insert(ack.now);
        if ack.grows {
            let step = reno::increase(self.cwnd, self.ssthresh, ack, path.mss);
            let slow_start = self.cwnd < self.ssthresh;
            self.cwnd +=
                if slow_start { step } else { self.increase(ack.now.since(since).secs(), path.rtt_min) * step };
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        if event.timeouts <= 1 {
            self.beta = self.backoff(path.rtt_min);
            self.rate_at_cut = Some(self.rate);
            self.rtt_max = Span::ZERO;
        }
        self.since = Some(event.now);
        self.set_windows(reno::cut(event, path, self.beta, self.ssthresh));
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("beta_ratio", self.beta);
        out("rtt_max_s", self.rtt_max.secs());
        out("rate_bytes_per_s", self.rate.bytes_per_sec());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, dup_acks, full, last_of_round, rto};

    fn new() -> HTcp {
        HTcp::new(&Config::named("htcp").unwrap())
    }

    fn at(secs: f64) -> Ack {
        Ack { now: Time::from_secs(secs), ..ack(1000.0) }
    }

    /// A round of 100 ms that acknowledged this much, with an RTT of `rtt_ms`.
    fn round(htcp: &mut HTcp, path: &Path, acked: f64, rtt_ms: u64) {
        let ack = Ack { rtt: Some(Span::from_millis(rtt_ms)), grows: false, ..last_of_round(acked) };
        htcp.on_ack(&ack, path);
    }

    #[test]
    fn for_a_second_after_a_cut_it_is_reno_and_then_faster_and_faster() {
        let (mut htcp, path) = full(new(), 100.0);
        htcp.on_congestion(&dup_acks().of_flight(&path), &path); // t = 1 s; the first cut: half
        assert_eq!((htcp.cwnd(), htcp.beta), (Bytes(50_000.0), 0.5));
        // D = 1: 1 per RTT; D = 2: 1 + 10 + 0.25; D = 5: 1 + 40 + 0.25 * 16; all times 2 * (1 - 0.5)
        for (secs, increase) in [(2.0, 1.0), (3.0, 11.25), (6.0, 45.0)] {
            htcp.set_cwnd(Bytes(50_000.0));
            htcp.on_ack(&at(secs), &path);
            let got = (htcp.cwnd().0 - 50_000.0) / 1000.0 * 50.0;
            assert!((got - increase).abs() < 1e-6, "at {secs}: {got}");
        }
    }

    #[test]
    fn growth_may_be_scaled_with_the_least_rtt() {
        let mut config = Config::named("htcp").unwrap();
        config.set_flag("htcp_rtt_scaling", true).unwrap();
        // D = 2: 11.25 per RTT at 100 ms; half of it at 50 ms, twice as much from 200 ms on, and never less than 1
        for (ms, increase) in [(100, 11.25), (50, 5.625), (400, 22.5), (5, 1.125), (1, 1.125)] {
            let (mut htcp, path) = full(HTcp::new(&config), 100.0);
            let path = Path { rtt_min: Span::from_millis(ms), ..path };
            htcp.on_congestion(&dup_acks().of_flight(&path), &path);
            htcp.on_ack(&at(3.0), &path);
            let got = (htcp.cwnd().0 - 50_000.0) / 1000.0 * 50.0;
            assert!((got - increase).abs() < 1e-6, "at {ms} ms: {got}");
            // within the first second it is Reno's
            htcp.set_cwnd(Bytes(50_000.0));
            htcp.on_ack(&at(1.5), &path);
            let reno = if ms == 400 { 2.0 } else { 1.0 };
            assert!(((htcp.cwnd().0 - 50_000.0) / 1000.0 * 50.0 - reno).abs() < 1e-6, "at {ms} ms");
        }
    }

    #[test]
    fn the_second_cut_empties_the_queue_if_throughput_is_steady() {
        for (rtt_ms, beta) in [(160, 0.625), (110, 0.8), (300, 0.5)] {
            let (mut htcp, path) = full(new(), 100.0);
            round(&mut htcp, &path, 80_000.0, 120);
            htcp.on_congestion(&dup_acks().of_flight(&path), &path);
            // 80 kB and 90 kB in 100 ms: 12.5 % more
            round(&mut htcp, &path, 90_000.0, rtt_ms);
            htcp.on_congestion(&dup_acks().of_flight(&path), &path);
            assert_eq!(htcp.beta, beta, "RTTmin 100, RTTmax {rtt_ms}");
            assert!((htcp.cwnd().0 - beta * 100_000.0).abs() < 1e-6);
        }
    }

    #[test]
    fn a_change_of_throughput_halves() {
        // 80 to 97 kB is 21 %, 80 to 63 kB as much downwards
        for acked in [97_000.0, 63_000.0] {
            let (mut htcp, path) = full(new(), 100.0);
            round(&mut htcp, &path, 80_000.0, 120);
            htcp.on_congestion(&dup_acks().of_flight(&path), &path);
            round(&mut htcp, &path, acked, 125);
            htcp.on_congestion(&dup_acks().of_flight(&path), &path);
            assert_eq!(htcp.beta, 0.5);
        }
    }

    #[test]
    fn growth_makes_up_for_a_small_cut() {
        let (mut htcp, path) = full(new(), 100.0);
        htcp.beta = 0.8;
        htcp.since = Some(Time::from_secs(1.0));
        // 2 * (1 - 0.8) * 11.25 = 4.5; within the first second 0.4, or 1 where Reno's growth is the least
        for (secs, increase) in [(3.0, 4.5), (1.5, 0.4)] {
            htcp.set_cwnd(Bytes(100_000.0));
            htcp.on_ack(&at(secs), &path);
            assert!(((htcp.cwnd().0 - 100_000.0) / 10.0 - increase).abs() < 1e-6, "at {secs}: {:?}", htcp.cwnd());
        }
        htcp.limits.least_increase = 1.0;
        htcp.set_cwnd(Bytes(100_000.0));
        htcp.on_ack(&at(1.5), &path);
        assert_eq!(htcp.cwnd(), 100_010.0);
    }

    #[test]
    fn the_constants_are_parameters() {
        let mut config = Config::named("htcp").unwrap();
        for (name, value) in [
            ("htcp_delta_l", 0.5),
            ("htcp_linear", 4.0),
            ("htcp_square", 2.0),
            ("htcp_beta_min", 0.6),
            ("htcp_beta_max", 0.7),
            ("htcp_rate_change", 0.5),
        ] {
            config.set_number(name, value).unwrap();
        }
        let (mut htcp, path) = full(HTcp::new(&config), 100.0);
        round(&mut htcp, &path, 80_000.0, 120);
        htcp.on_congestion(&dup_acks().of_flight(&path), &path); // t = 1 s
        assert!((htcp.cwnd().0 - 60_000.0).abs() < 1e-6);
        // D = 0.5: 1; D = 2.5: 1 + 4 * 2 + 2 * 4 = 17; times 2 * (1 - 0.6)
        for (secs, increase) in [(1.5, 0.8), (3.5, 13.6)] {
            htcp.set_cwnd(Bytes(60_000.0));
            htcp.on_ack(&Ack { rtt: None, ..at(secs) }, &path);
            let got = (htcp.cwnd().0 - 60_000.0) / 1000.0 * 60.0;
            assert!((got - increase).abs() < 1e-6, "at {secs}: {got}");
        }
        // 80 to 118 kB, of which the two ACKs above are 2, is 47 % more, and 100/110 is more than 0.7; 118 to 58 kB is
        // 51 % less
        for (acked, beta) in [(116_000.0, 0.7), (58_000.0, 0.6)] {
            round(&mut htcp, &path, acked, 110);
            htcp.on_congestion(&dup_acks().of_flight(&path), &path);
            assert_eq!(htcp.beta, beta);
        }
    }

    #[test]
    fn timeouts_in_a_row_are_one_cut() {
        let (mut htcp, path) = full(new(), 100.0);
        round(&mut htcp, &path, 80_000.0, 120);
        htcp.on_congestion(&dup_acks().of_flight(&path), &path);
        round(&mut htcp, &path, 80_000.0, 160);
        htcp.on_congestion(&rto(1).of_flight(&path), &path);
        assert_eq!((htcp.cwnd(), htcp.ssthresh()), (Bytes(1000.0), Bytes(62_500.0)));
        htcp.on_congestion(&Congestion { hold_ssthresh: true, ..rto(2) }.of_flight(&path), &path);
        assert_eq!((htcp.beta, htcp.ssthresh()), (0.625, Bytes(62_500.0)));
        // slow start is Reno's
        htcp.on_ack(&at(9.0), &path);
        assert_eq!(htcp.cwnd(), 2000.0);
    }
}
