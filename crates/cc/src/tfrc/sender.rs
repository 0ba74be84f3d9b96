//! The sender's rate.

use units::{Rate, Span, Time};

use super::Settings;
use super::recv_set::RecvSet;

/// What a receiver reports.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Report {
    /// RTT of the newest packet that had arrived, without the time that the receiver kept it.
    pub rtt: Span,
    /// Bytes per second that arrived in the last RTT.
    pub receive_rate: Rate,
    /// Loss event rate.
    pub p: f64,
}

/// State of a sender's rate. Sizes and rates count payload.
#[derive(Clone, Debug, PartialEq)]
pub struct Sender {
    settings: Settings,
    size: f64,
    /// Allowed rate, bytes per second.
    x: f64,
    rtt: Option<Span>,
    rtt_min: Span,
    p: f64,
    received: RecvSet,
    /// When the rate was last doubled.
    doubled: Time,
    /// Filtered receive rate, for ETFCC's floor.
    bwe: Option<f64>,
}

impl Sender {
    /// Nothing heard yet: a packet of `size` bytes each second.
    pub fn new(settings: &Settings, size: u32, now: Time) -> Sender {
        Sender {
            settings: *settings,
            size: f64::from(size),
            x: f64::from(size),
            rtt: None,
            rtt_min: Span::ZERO,
            p: 0.0,
            received: RecvSet::of(now, f64::INFINITY),
            doubled: Time::ZERO,
            bwe: None,
        }
    }

    /// A report arrived.
    pub fn on_feedback(&mut self, now: Time, report: &Report) {
        let first = self.rtt.is_none();
        let rtt = match self.rtt {
            None => report.rtt,
            //= specs/papers/tfrc.md#sending-rate
            //# R = q R + (1 - q) r
            Some(old) => {
                let q = self.settings.rtt_gain;
                Span((q * old.0 as f64 + (1.0 - q) * report.rtt.0 as f64) as u64)
            }
        }
        .max(Span(1));
        self.rtt = Some(rtt);
        self.rtt_min = if first { report.rtt } else { self.rtt_min.min(report.rtt) };
        self.p = report.p;
        let received = report.receive_rate.bytes_per_sec();
        self.received.update(now, received, rtt * 2);
        self.estimate(received);
        if first && self.p == 0.0 {
            self.x = self.initial_rate(rtt);
            self.doubled = now;
        } else {
            self.set_rate(now, rtt);
        }
    }

    /// ETFCC's bandwidth estimate.
    fn estimate(&mut self, received: f64) {
        if let Some(gain) = self.settings.floor {
            // the first reports, of one packet, say nothing about the path
            if received > 0.0 {
                self.bwe = Some(self.bwe.map_or(received, |bwe| gain * bwe + (1.0 - gain) * received));
            }
        }
    }

    /// The rate that the reports allow.
    fn set_rate(&mut self, now: Time, rtt: Span) {
        let least = self.size / self.settings.longest_gap.secs();
        let limit = 2.0 * self.received.max();
        if self.p > 0.0 {
            //= specs/papers/tfrc.md#sending-rate
            //# X = max(min(X_eq, recv_limit), s / t_mbi)
            let mut wanted = self.settings.equation(self.size, rtt, self.p);
            if let (Some(_), Some(bwe)) = (self.settings.floor, self.bwe) {
                //= specs/papers/tfrc.md#etfcc
                //# X = min(recv_limit, max(X_eq, BWE RTTmin / R))
                wanted = wanted.max(bwe * self.rtt_min.secs() / rtt.secs());
            }
            self.x = wanted.min(limit).max(least);
        } else if now.since(self.doubled) >= rtt {
            //= specs/papers/tfrc.md#sending-rate
            //# X = max(min(2 X, recv_limit), W_init / R)
            self.x = (2.0 * self.x).min(limit).max(self.initial_rate(rtt));
            self.doubled = now;
        }
    }

    fn initial_rate(&self, rtt: Span) -> f64 {
        //= specs/papers/tfrc.md#sending-rate
        //# W_init = min(4 s, max(2 s, 4380 B))
        (4.0 * self.size).min((2.0 * self.size).max(4380.0)) / rtt.secs()
    }

    /// The no-feedback timer expired.
    pub fn on_no_feedback(&mut self, now: Time) {
        let least = self.size / self.settings.longest_gap.secs();
        match self.rtt {
            //= specs/papers/tfrc.md#without-feedback
            //# X = max(X / 2, s / t_mbi)
            None => self.x = (self.x / 2.0).max(least),
            Some(_) if self.p == 0.0 => self.x = (self.x / 2.0).max(least),
            Some(rtt) => {
                //= specs/papers/tfrc.md#without-feedback
                //# limit = max(min(X_recv, X / 2), s / t_mbi)
                let limit = self.received.max().min(self.x / 2.0).max(least);
                self.received = RecvSet::of(now, limit / 2.0);
                self.set_rate(now, rtt);
            }
        }
    }

    /// Time from one packet to the next.
    pub fn gap(&self) -> Span {
        let gap = Span::from_secs(self.size / self.x);
        self.settings.small.map_or(gap, |small| gap.max(small.gap))
    }

    /// How long to wait for feedback.
    pub fn patience(&self) -> Span {
        //= specs/papers/tfrc.md#without-feedback
        //# max(4 R, 2 s / X)
        (self.rtt.unwrap_or(Span::ZERO) * 4).max(Span::from_secs(2.0 * self.size / self.x))
    }

    /// Allowed rate.
    pub fn rate(&self) -> Rate {
        Rate(self.x)
    }

    /// Loss event rate of the last report; zero before the first.
    pub fn loss_event_rate(&self) -> f64 {
        self.p
    }

    /// Averaged RTT; `None` before the first feedback.
    pub fn rtt(&self) -> Option<Span> {
        self.rtt
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tfrc::PLAIN;

    const RTT: Span = Span::from_millis(100);

    fn ms(n: u64) -> Time {
        Time(n * 1_000_000)
    }

    fn report(receive_rate: f64, p: f64) -> Report {
        Report { rtt: RTT, receive_rate: Rate(receive_rate), p }
    }

    /// A sender after its first report.
    fn started() -> Sender {
        let mut sender = Sender::new(&PLAIN, 1000, ms(0));
        assert_eq!((sender.gap(), sender.patience()), (Span::from_millis(1000), Span::from_millis(2000)));
        sender.on_feedback(ms(100), &report(0.0, 0.0));
        sender
    }

    #[test]
    fn the_first_report_gives_the_initial_window_per_rtt() {
        // min(4000, max(2000, 4380)) = 4000 bytes per 0.1 s
        assert_eq!(started().rate(), Rate(40_000.0));
        assert_eq!(started().gap(), Span::from_millis(25));
        let large = |size| {
            let mut sender = Sender::new(&PLAIN, size, ms(0));
            sender.on_feedback(ms(100), &report(0.0, 0.0));
            sender.rate()
        };
        // min(5840, max(2920, 4380)) = 4380; min(12 000, max(6000, 4380)) = 6000
        assert_eq!((large(1460), large(3000)), (Rate(43_800.0), Rate(60_000.0)));
    }

    #[test]
    fn slow_start_doubles_once_per_rtt_up_to_twice_what_arrives() {
        let mut s = started();
        s.on_feedback(ms(150), &report(40_000.0, 0.0));
        assert_eq!(s.rate(), Rate(40_000.0)); // too early
        s.on_feedback(ms(200), &report(40_000.0, 0.0));
        assert_eq!(s.rate(), Rate(80_000.0));
        // the first entry, without limit, is older than two RTTs now
        s.on_feedback(ms(310), &report(50_000.0, 0.0));
        assert_eq!(s.rate(), Rate(100_000.0)); // 2 * 50 000, not 160 000
        s.on_feedback(ms(410), &report(30_000.0, 0.0));
        assert_eq!(s.rate(), Rate(100_000.0)); // the last two RTTs count
        s.on_feedback(ms(620), &report(30_000.0, 0.0));
        assert_eq!(s.rate(), Rate(60_000.0));
    }

    #[test]
    fn with_losses_the_equation_rules() {
        let mut s = started();
        s.on_feedback(ms(200), &report(500_000.0, 0.01));
        assert!((s.rate().0 - 112_332.0).abs() < 1.0); // the worked value of the equation
        // what arrives halves it: 2 * 20 000
        s.on_feedback(ms(450), &report(20_000.0, 0.01));
        assert_eq!(s.rate(), Rate(40_000.0));
    }

    #[test]
    fn a_loss_in_the_first_report_ends_slow_start_before_it_begins() {
        let mut s = Sender::new(&PLAIN, 1000, ms(0));
        s.on_feedback(ms(100), &report(0.0, 0.01));
        assert!((s.rate().0 - 112_332.0).abs() < 1.0);
        // one packet in 64 s at least, though nothing arrived for two RTTs
        s.on_feedback(ms(600), &report(0.0, 0.01));
        assert_eq!(s.rate(), Rate(15.625));
    }

    #[test]
    fn slow_start_never_falls_below_the_initial_rate() {
        let mut s = started();
        s.on_feedback(ms(400), &report(1000.0, 0.0));
        assert_eq!(s.rate(), Rate(40_000.0)); // 2 * 1000 is less
    }

    #[test]
    fn constants_of_the_rtt_and_of_the_longest_gap_are_parameters() {
        let settings = Settings { rtt_gain: 0.5, longest_gap: Span::from_millis(4000), ..PLAIN };
        let mut s = Sender::new(&settings, 1000, ms(0));
        s.on_feedback(ms(100), &report(0.0, 0.01));
        s.on_feedback(ms(600), &Report { rtt: Span::from_millis(200), ..report(0.0, 0.01) });
        assert_eq!((s.rtt(), s.rate()), (Some(Span::from_millis(150)), Rate(250.0)));
    }

    #[test]
    fn the_rtt_is_averaged() {
        let mut s = started();
        s.on_feedback(ms(200), &Report { rtt: Span::from_millis(200), ..report(1e6, 0.0) });
        // 0.9 * 100 + 0.1 * 200 = 110 ms
        assert_eq!(s.rtt(), Some(Span::from_millis(110)));
        // 4 R = 440 ms; 2 s / X = 2000 / 40 000 = 50 ms
        assert_eq!(s.patience(), Span::from_millis(440));
    }

    #[test]
    fn without_feedback_the_rate_halves() {
        let mut silent = Sender::new(&PLAIN, 1000, ms(0));
        silent.on_no_feedback(ms(2000));
        assert_eq!(silent.rate(), Rate(500.0));
        for n in 0..20 {
            silent.on_no_feedback(ms(3000 + n));
        }
        assert_eq!(silent.gap(), Span::from_millis(64_000)); // one packet in 64 s at least

        let mut s = started();
        s.on_no_feedback(ms(500));
        assert_eq!(s.rate(), Rate(20_000.0));

        // with losses, what arrived limits as well: X 112 332, X_recv 100 000, half of X is 56 166
        let mut lossy = started();
        lossy.on_feedback(ms(400), &report(100_000.0, 0.01));
        lossy.on_no_feedback(ms(900));
        assert!((lossy.rate().0 - 56_166.0).abs() < 1.0, "{:?}", lossy.rate());
        lossy.on_no_feedback(ms(1400));
        assert!((lossy.rate().0 - 28_083.0).abs() < 1.0, "{:?}", lossy.rate());
    }

    #[test]
    fn after_a_silence_with_losses_the_reports_before_it_count_no_more() {
        let mut s = started();
        s.on_feedback(ms(800), &report(100_000.0, 0.01));
        s.on_no_feedback(ms(900));
        // half of 112 332 is the limit until better reports come: that of 800 ms would still allow all of it
        s.on_feedback(ms(950), &report(10_000.0, 0.01));
        assert!((s.rate().0 - 56_166.0).abs() < 1.0, "{:?}", s.rate());
        assert_eq!(s.loss_event_rate(), 0.01);
    }

    #[test]
    fn the_floor_is_the_estimated_bandwidth_over_the_queue() {
        let floor = Settings { floor: Some(0.9), ..PLAIN };
        let mut s = Sender::new(&floor, 1000, ms(0));
        s.on_feedback(ms(100), &report(0.0, 0.0));
        s.on_feedback(ms(200), &report(300_000.0, 0.0));
        s.on_feedback(ms(300), &Report { rtt: Span::from_millis(200), ..report(400_000.0, 0.01) });
        // BWE = 0.9 * 300 000 + 0.1 * 400 000 = 310 000; R = 110 ms, RTTmin = 100 ms: 281 818 B/s
        assert!((s.rate().0 - 281_818.2).abs() < 0.1, "{:?}", s.rate());
        // the limit on what arrives holds for the floor as well
        s.on_feedback(ms(600), &report(10_000.0, 0.01));
        assert_eq!(s.rate(), Rate(20_000.0));
    }

    #[test]
    fn small_packets_keep_their_distance() {
        let small = super::super::Small { nominal: 1460.0, header: 40.0, gap: Span::from_millis(10) };
        let mut s = Sender::new(&Settings { small: Some(small), ..PLAIN }, 100, ms(0));
        for n in 1..20 {
            s.on_feedback(ms(n * 100), &report(1e9, 0.0));
        }
        assert!(s.rate().0 > 1e5 && s.gap() == Span::from_millis(10));
    }
}
