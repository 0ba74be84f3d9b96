//! TCP Westwood+: after congestion, size the window to the measured pipe instead of halving it.
//! Source: Grieco and Mascolo, ACM CCR 34(2), 2004, restated in specs/papers/westwood-plus.md.
mod linux;

use units::{Bytes, Rate, Ratio, Span, Time};

use self::linux::Estimate;
use crate::credit::Credit;
use crate::linux::{Count, acked, cut, segments, slow_start};
use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, RecoveryExit, Response, reno};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    a sample closes on the first ACK at least one RTT after the last one closed, once an RTT is known; the first \
    sample is taken as it is; before any sample, of bandwidth or RTT, the window is halved; growth as Reno; a \
    timeout sets ssthresh by the same estimate; a timeout that the profile tells to hold ssthresh holds it. \
    `wp_impl` has the filters and reactions of three implementations; which ACKs show a loss is the recovery core's \
    affair (ns-2's Linux agent goes by SACK alone).";

/// Least length of a sample in the Linux forms.
const LINUX_MIN_INTERVAL: Span = Span::from_millis(50);
/// Weight of the old value in both filters of the Linux forms.
const LINUX_GAIN: Ratio = Ratio(7.0 / 8.0);

/// State of Westwood+.
#[derive(Clone, Debug, PartialEq)]
pub struct WestwoodPlus {
    cwnd: Bytes,
    ssthresh: Bytes,
    form: Form,
    gain: Ratio, // weight of the old estimate
    min_interval: Span,
    raise: bool,
    bwe: Option<Rate>,       // filtered bandwidth estimate
    before: Rate,            // first filter's output (Linux) or the last sample (ns-3)
    acked: Bytes,            // credited since the current sample opened
    opened: Option<Time>,    // when it opened
    timer: Span,             // how long it lasts (ns-3)
    least_rtt: Option<Span>, // of the Linux forms
    whole: Estimate,         // of `Form::Kernel`, and its count of segments
    count: Count,
    /// Window with which a recovery ended on the ACK at hand, before that ACK was sampled.
    exit: Option<Bytes>,
    cut: bool, // a loss was answered by halving, the estimate comes at the end of recovery (Linux)
    credit: Credit,
}

/// Whose filter and reactions.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Form {
    Paper,
    Linux,
    /// The same in whole segments and milliseconds, as `westwood-linux` has it.
    Kernel,
    Ns3,
    Ns2Linux,
}

impl Form {
    fn is_linux(self) -> bool {
        matches!(self, Form::Linux | Form::Ns2Linux)
    }
}

impl WestwoodPlus {
    /// Parameters `wp_gain`, `wp_min_interval`, `wp_raise`, `wp_impl`.
    pub fn new(config: &Config) -> WestwoodPlus {
        let form = match config.choice("wp_impl") {
            "linux" => Form::Linux,
            "ns3" => Form::Ns3,
            "ns2linux" => Form::Ns2Linux,
            _ => Form::Paper,
        };
        let min_interval = Span::from_secs(config.number("wp_min_interval"));
        WestwoodPlus {
            gain: Ratio(config.number("wp_gain")),
            min_interval: if form.is_linux() { min_interval.max(LINUX_MIN_INTERVAL) } else { min_interval },
            raise: config.flag("wp_raise"),
            ..WestwoodPlus::of(form, config)
        }
    }

    /// As Linux has it, with no parameter but `ww_credit_cap`.
    pub fn linux(config: &Config) -> WestwoodPlus {
        WestwoodPlus::of(Form::Kernel, config)
    }

    fn of(form: Form, config: &Config) -> WestwoodPlus {
        WestwoodPlus {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            form,
            gain: Ratio(0.0), // of the paper's form
            min_interval: LINUX_MIN_INTERVAL,
            raise: false,
            bwe: None,
            before: Rate(0.0),
            acked: Bytes::ZERO,
            opened: None,
            timer: Span::ZERO,
            least_rtt: None,
            whole: Estimate::default(),
            count: Count::default(),
            exit: None,
            cut: false,
            credit: Credit::new(config),
        }
    }

    /// The RTT that this form goes by: the newest sample, but the smoothed one under ns-2's Linux agent.
    fn rtt(&self, path: &Path) -> Span {
        //= specs/papers/westwood-plus.md#implementations
        //# the RTT is the newest sample (as in kernels since 2.6.22), and `RTTmin` the least of them
        if self.form == Form::Ns2Linux { path.srtt } else { path.rtt }
    }

    fn sample(&mut self, ack: &Ack, path: &Path) {
        self.expire(ack.now);
        if self.form == Form::Kernel {
            //= specs/papers/linux.md#westwood
            //# The first one begins with the connection, and the first ACK counts as a duplicate does.
            let newly = if self.whole.begins() { Bytes::ZERO } else { ack.newly_acked };
            let credit = self.credit.on_ack(newly, path.mss);
            self.whole.note(ack, credit);
            self.bwe = self.whole.rate();
            return;
        }
        self.acked += self.credit.on_ack(ack.newly_acked, path.mss);
        let rtt = self.rtt(path);
        if self.form == Form::Ns3 {
            if self.opened.is_none() && rtt > Span::ZERO {
                (self.opened, self.timer) = (Some(ack.now), rtt.max(self.min_interval));
            }
            return;
        }
        let opened = *self.opened.get_or_insert(ack.now);
        let elapsed = ack.now.since(opened);
        if rtt == Span::ZERO || elapsed < rtt.max(self.min_interval) {
            return;
        }
        self.close(elapsed);
        self.opened = Some(ack.now);
    }

    /// ns-3's timer, which the first ACK of a sample starts: the sample is what was credited until it expired.
    fn expire(&mut self, now: Time) {
        if self.form == Form::Ns3 && self.opened.is_some_and(|opened| now.since(opened) > self.timer) {
            //= specs/papers/westwood-plus.md#implementations
            //# a timer of one RTT, which the next ACK after its end starts again, closes the samples
            self.close(self.timer);
            self.opened = None;
        }
    }

    fn close(&mut self, elapsed: Span) {
        let sample = self.acked.per(elapsed);
        self.bwe = Some(match self.bwe {
            Some(old) => self.filter(old, sample),
            None => sample,
        });
        if self.before == 0.0 || self.form == Form::Ns3 {
            self.before = sample;
        }
        self.acked = Bytes::ZERO;
    }

    /// The estimate after a further sample.
    fn filter(&mut self, old: Rate, sample: Rate) -> Rate {
        match self.form {
            //= specs/papers/westwood-plus.md#bandwidth-estimate
            //# B[k] = g * B[k-1] + (1 - g) * D[k] / T[k]
            Form::Paper => self.gain.blend(old, sample),
            //= specs/papers/westwood-plus.md#implementations
            //# the mean of the last two samples takes the place of the sample
            Form::Ns3 => self.gain.blend(old, (sample + self.before) / 2.0),
            //= specs/papers/westwood-plus.md#implementations
            //# the sample passes two filters with g = 7/8, one after the other
            Form::Linux | Form::Kernel | Form::Ns2Linux => {
                self.before = LINUX_GAIN.blend(self.before, sample);
                LINUX_GAIN.blend(old, self.before)
            }
        }
    }

    /// The estimate as a window, if there is one.
    pub(crate) fn fitting(&self, path: &Path) -> Option<Bytes> {
        if self.form == Form::Kernel {
            return Some(f64::from(self.whole.segments(path.mss)) * path.mss);
        }
        let least = if self.form.is_linux() { self.least_rtt.unwrap_or(self.rtt(path)) } else { path.rtt_min };
        //= specs/papers/westwood-plus.md#window-after-congestion
        //# ssthresh = max(2 * MSS, B[k] * RTTmin)
        self.bwe.map(|bwe| path.pipe(bwe, least)) // there is no sample before an RTT
    }

    /// The estimate as a window; half of today's before there is one.
    fn pipe(&self, event: &Congestion, path: &Path) -> Bytes {
        self.fitting(path).unwrap_or(event.keep(0.5).ssthresh)
    }

    /// An ACK that is to change nothing, but whose segments are not to be counted later.
    pub(crate) fn pass_over(&mut self, ack: &Ack, path: &Path) {
        self.credit.on_ack(ack.newly_acked, path.mss);
    }

    /// The next sample opens with the next ACK.
    pub(crate) fn reopen(&mut self) {
        (self.acked, self.opened) = (Bytes::ZERO, None);
    }

    /// The least RTT is learned anew.
    pub(crate) fn relearn(&mut self) {
        self.least_rtt = None;
    }

    /// Threshold and window after duplicate ACKs or a mark.
    fn reduced(&self, event: &Congestion, path: &Path) -> (Bytes, Bytes) {
        let half = event.keep(0.5);
        let pipe = self.pipe(event, path);
        match self.form {
            Form::Paper | Form::Ns3 => (pipe, if self.raise { pipe } else { self.cwnd.min(pipe) }),
            Form::Linux | Form::Kernel => (half.ssthresh, half.cwnd),
            Form::Ns2Linux => (half.ssthresh, pipe),
        }
    }
}

impl WestwoodPlus {
    /// The window at the end of a recovery, unless it was taken back.
    fn size(&mut self, path: &Path) {
        if self.exit.take().is_some_and(|window| self.cwnd == window) {
            self.cwnd = f64::from(self.whole.segments(path.mss)) * path.mss;
            self.ssthresh = self.cwnd;
        }
    }

    /// Half of the window in whole segments; after a timeout the estimate is the threshold.
    fn halve(&mut self, event: &Congestion, path: &Path) -> Response {
        self.size(path);
        let half = segments(self.cwnd, path.mss) / 2;
        let kept = if event.cause == Cause::Rto { self.whole.segments(path.mss) } else { half };
        self.set_windows(cut(event, kept, self.windows(), path.mss));
        self.count = Count::default();
        self.cut = event.cause == Cause::DupAcks;
        if event.cause == Cause::Rto {
            self.whole.relearn();
        }
        Response::Reduced
    }
}

impl CongestionControl for WestwoodPlus {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        if ack.rtt.is_some() {
            let rtt = self.rtt(path);
            self.least_rtt = Some(self.least_rtt.map_or(rtt, |least| least.min(rtt)));
        }
        self.sample(ack, path);
        //= specs/papers/linux.md#westwood
        //# The ACK that ends a recovery is sampled before the window is sized.
        self.size(path);
        if ack.grows && self.form == Form::Kernel {
            let (cwnd, ssthresh) = (segments(self.cwnd, path.mss), segments(self.ssthresh, path.mss));
            let (cwnd, rest) = slow_start(cwnd, ssthresh, acked(ack, cwnd < ssthresh, path.mss));
            self.cwnd = f64::from(self.count.grow(cwnd, cwnd, rest)) * path.mss;
        } else if ack.grows {
            self.cwnd += reno::increase(self.cwnd, self.ssthresh, ack, path.mss);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        if self.form == Form::Kernel {
            return self.halve(event, path);
        }
        self.expire(event.now);
        let (ssthresh, cwnd) = match event.cause {
            Cause::DupAcks | Cause::EcnMark => self.reduced(event, path),
            Cause::Rto if self.form == Form::Ns2Linux => (event.keep(0.5).ssthresh, path.mss),
            Cause::Rto => (self.pipe(event, path), path.mss),
        };
        if !event.hold_ssthresh {
            self.ssthresh = ssthresh;
        }
        self.cwnd = cwnd;
        self.cut = event.cause == Cause::DupAcks;
        if event.cause == Cause::Rto && self.form == Form::Linux {
            //= specs/papers/westwood-plus.md#implementations
            //# A timeout makes it learn RTTmin anew.
            self.least_rtt = None;
        }
        Response::Reduced
    }

    fn on_recovery_exit(&mut self, exit: &RecoveryExit, path: &Path) {
        let cut = core::mem::take(&mut self.cut);
        self.cwnd = match self.form {
            Form::Kernel => {
                self.exit = cut.then_some(exit.window);
                exit.window
            }
            Form::Linux if cut => {
                //= specs/papers/westwood-plus.md#implementations
                //# During recovery the window is Reno's half, and at its end cwnd = ssthresh = max(2 * MSS,
                //# B[k] * RTTmin).
                self.fitting(path).map_or(exit.window, |pipe| {
                    self.ssthresh = pipe;
                    pipe
                })
            }
            Form::Ns2Linux => self.cwnd.max(self.ssthresh),
            _ => exit.window,
        };
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("bwe_bytes_per_s", self.bwe.map_or(0.0, Rate::bytes_per_sec));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::path::test_path;
    use crate::testing::{ack, dup_acks, rto};

    fn fed() -> WestwoodPlus {
        let mut w = WestwoodPlus::new(&Config::named("westwood-plus").unwrap());
        w.on_init(Bytes(4000.0), Bytes(64_000.0), &test_path());
        // ACKs of one segment every 20 ms; the sample opens at the first and closes 100 ms later, at the sixth
        for k in 0..6u64 {
            w.on_ack(&Ack { now: Time(k * 20_000_000), grows: false, ..ack(1000.0) }, &test_path());
        }
        w
    }

    #[test]
    fn the_first_sample_is_taken_as_it_is() {
        // 6 segments credited over 100 ms: 60 kB/s
        assert_eq!(fed().bwe, Some(Rate(60_000.0)));
    }

    #[test]
    fn later_samples_are_filtered() {
        let mut w = fed();
        for k in 6..11u64 {
            w.on_ack(&Ack { now: Time(k * 20_000_000), grows: false, ..ack(1000.0) }, &test_path());
        }
        // 5 segments over 100 ms: 50 kB/s; 0.9 * 60 + 0.1 * 50 = 59 kB/s
        assert!((w.bwe.unwrap().0 - 59_000.0).abs() < 1e-6);
    }

    #[test]
    fn congestion_sizes_the_window_to_the_pipe() {
        let mut w = fed();
        w.on_congestion(&dup_acks(), &test_path());
        // 60 kB/s * 100 ms = 6 segments; the literal formula raises the window from 4
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(6000.0), Bytes(6000.0)));
        w.on_congestion(&rto(1), &test_path());
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(1000.0), Bytes(6000.0)));
    }

    #[test]
    fn without_raise_the_window_never_grows_on_a_loss() {
        let mut config = Config::named("westwood-plus").unwrap();
        config.set_flag("wp_raise", false).unwrap();
        let mut w = WestwoodPlus { raise: false, ..fed() };
        assert!(!WestwoodPlus::new(&config).raise);
        w.on_congestion(&dup_acks(), &test_path());
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(4000.0), Bytes(6000.0)));
    }

    #[test]
    fn before_any_sample_the_window_is_halved() {
        let mut w = WestwoodPlus::new(&Config::named("westwood-plus").unwrap());
        w.on_init(Bytes(10_000.0), Bytes(64_000.0), &test_path());
        w.on_congestion(&dup_acks(), &test_path());
        assert_eq!(w.cwnd(), 5000.0);
    }

    fn form(word: &str) -> WestwoodPlus {
        let mut config = Config::named("westwood-plus").unwrap();
        config.set_choice("wp_impl", word).unwrap();
        let mut w = WestwoodPlus::new(&config);
        w.on_init(Bytes(4000.0), Bytes(64_000.0), &test_path());
        w
    }

    /// Samples of 60, 50 and 100 kB/s: six segments in the first 100 ms, then five, then ten.
    fn three_samples(w: &mut WestwoodPlus) {
        for k in 0..11u64 {
            w.on_ack(&Ack { now: Time(k * 20_000_000), grows: false, ..ack(1000.0) }, &test_path());
        }
        w.on_ack(&Ack { now: Time(300_000_000), grows: false, ..ack(10_000.0) }, &test_path());
    }

    /// The same by the timer of ns-3: 0 to 100 ms, 120 to 220 ms, 300 to 400 ms.
    fn three_timed_samples(w: &mut WestwoodPlus) {
        for k in 0..11u64 {
            w.on_ack(&Ack { now: Time(k * 20_000_000), grows: false, ..ack(1000.0) }, &test_path());
        }
        w.on_ack(&Ack { now: Time(300_000_000), grows: false, ..ack(10_000.0) }, &test_path());
        w.on_ack(&Ack { now: Time(401_000_000), grows: false, ..ack(1000.0) }, &test_path());
    }

    #[test]
    fn linux_filters_twice() {
        let mut w = form("linux");
        three_samples(&mut w);
        // first filter: 60, 7/8 * 60 + 50/8 = 58.75, 7/8 * 58.75 + 100/8 = 63.90625
        // second: 60, 7/8 * 60 + 58.75/8 = 59.84375, 7/8 * 59.84375 + 63.90625/8 = 60.3515625
        assert!((w.bwe.unwrap().0 - 60_351.562_5).abs() < 1e-6);
    }

    fn kernel() -> WestwoodPlus {
        let mut w = WestwoodPlus::linux(&Config::named("westwood-linux").unwrap());
        w.on_init(Bytes(4000.0), Bytes(64_000.0), &test_path());
        w
    }

    #[test]
    fn the_kernel_samples_whole_bytes_per_millisecond() {
        let mut w = kernel();
        // the sample that began with the connection, at 0 ms, ends after more than 100 ms with the second ACK: a
        // segment for the first one, 8 bytes/ms
        let mut at = |ms: u64, bytes: f64| {
            w.on_ack(&Ack { now: Time(ms * 1_000_000), grows: false, ..ack(bytes) }, &test_path());
            w.bwe.map(|bwe| bwe.0)
        };
        assert_eq!([at(100, 1000.0), at(120, 1000.0)], [None, Some(8000.0)]);
        // four segments more, one of which the first ACK has stood for: 4000 bytes in 120 ms, 33. First filter:
        // (7 * 8 + 33) / 8 = 11; second: (7 * 8 + 11) / 8 = 8
        assert_eq!([at(140, 4000.0), at(240, 20_000.0)], [Some(8000.0), Some(8000.0)]);
        // 20 000 bytes in 200 ms: (7 * 11 + 100) / 8 = 22, (7 * 8 + 22) / 8 = 9; 1000 in 120 ms: (7 * 22 + 8) / 8 = 20,
        // (7 * 9 + 20) / 8 = 10
        assert_eq!([at(440, 1000.0), at(560, 1000.0)], [Some(9000.0), Some(10_000.0)]);
        // 10 bytes/ms * 100 ms
        assert_eq!((w.whole.segments(Bytes(300.0)), w.whole.segments(Bytes(1000.0))), (3, 2));
    }

    /// Ten acknowledged segments add one to ten; a cut keeps half of eleven.
    #[test]
    fn the_kernel_counts_whole_segments() {
        let mut w = kernel();
        w.set_windows(crate::Windows { cwnd: Bytes(10_000.0), ssthresh: Bytes(2000.0) });
        for n in 1..=10_u64 {
            assert_eq!(w.cwnd(), 10_000.0);
            w.on_ack(&Ack { now: Time((100 + n) * 1_000_000), ..ack(1000.0) }, &test_path());
        }
        assert_eq!(w.cwnd(), 11_000.0);
        w.on_congestion(&dup_acks(), &test_path());
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(5000.0), Bytes(5000.0)));
    }

    #[test]
    fn the_kernel_takes_its_estimate_at_the_end_of_a_recovery_and_after_a_timeout() {
        let mut w = kernel();
        // one segment in 101 ms: 9 bytes/ms; 59 in 101 ms: 584, (7 * 9 + 584) / 8 = 80, (7 * 9 + 80) / 8 = 17; 60 in
        // 101 ms: 594, (7 * 80 + 594) / 8 = 144, (7 * 17 + 144) / 8 = 32
        // the ACK at 303 ms ends a sample, since its own RTT is less; that at 355 ms, with 200 ms, does not
        let acks =
            [(100, 1000.0, 100), (101, 60_000.0, 100), (202, 60_000.0, 100), (303, 1000.0, 100), (355, 0.0, 200)];
        for (ms, bytes, rtt) in acks {
            let rtt = Some(Span::from_millis(rtt));
            w.on_ack(&Ack { now: Time(ms * 1_000_000), rtt, grows: false, ..ack(bytes) }, &test_path());
        }
        w.on_congestion(&dup_acks(), &test_path());
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(2000.0), Bytes(2000.0)));
        w.on_recovery_exit(&RecoveryExit { now: dup_acks().now, window: Bytes(2000.0), inflated: false }, &test_path());
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(2000.0), Bytes(2000.0)));
        // the ACK that ended it: 32 bytes/ms * 100 ms, 3.2 segments
        let ended = |ms: u64| Ack { now: Time(ms * 1_000_000), rtt: None, grows: false, ..ack(0.0) };
        w.on_ack(&ended(356), &test_path());
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(3000.0), Bytes(3000.0)));
        // what was taken back meanwhile stays
        w.on_congestion(&dup_acks(), &test_path());
        w.on_recovery_exit(&RecoveryExit { now: dup_acks().now, window: Bytes(2000.0), inflated: false }, &test_path());
        w.set_cwnd(Bytes(9000.0));
        w.on_ack(&ended(357), &test_path());
        assert_eq!(w.cwnd(), 9000.0);
        w.on_congestion(&rto(1), &test_path());
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(1000.0), Bytes(3000.0)));
        // and learns the least RTT anew, from the newest: 200 ms, 6.4 segments
        let rtt = Some(Span::from_millis(200));
        w.on_ack(&Ack { now: Time(360_000_000), rtt, grows: false, ..ack(0.0) }, &test_path());
        assert_eq!(w.whole.segments(Bytes(1000.0)), 6);
    }

    #[test]
    fn ns3_filters_the_mean_of_two_samples() {
        let mut w = form("ns3");
        three_timed_samples(&mut w);
        // 60; 0.9 * 60 + 0.1 * (50 + 60)/2 = 59.5; 0.9 * 59.5 + 0.1 * (100 + 50)/2 = 61.05
        assert!((w.bwe.unwrap().0 - 61_050.0).abs() < 1e-6);
    }

    #[test]
    fn ns3_closes_samples_by_a_timer() {
        // one segment at 0, 60 and 150 ms. The timer of the first runs out at 100 ms: 2000 B in 100 ms, 20 kB/s. By the
        // rule of the paper it is 3000 B in 150 ms; and the next sample opens with the ACK at 150 ms, its segment
        // included
        let ack_at = |ms: u64| Ack { now: Time(ms * 1_000_000), grows: false, ..ack(1000.0) };
        let mut w = form("ns3");
        for ms in [0, 60, 100] {
            w.on_ack(&ack_at(ms), &test_path());
            assert_eq!(w.bwe, None); // what comes as the timer runs out counts
        }
        let mut w = form("ns3");
        for ms in [0, 60, 150] {
            w.on_ack(&ack_at(ms), &test_path());
        }
        assert_eq!(w.bwe, Some(Rate(20_000.0)));
        // it runs out at 250 ms, whether an ACK comes or not: 10 kB/s; 0.9 * 20 + 0.1 * (10 + 20)/2 = 19.5 kB/s
        let long = Path { rtt_min: Span::from_millis(200), ..test_path() };
        w.on_congestion(&Congestion { now: Time(250_000_001), ..dup_acks() }, &long);
        assert!((w.bwe.unwrap().0 - 19_500.0).abs() < 1e-6);
        assert_eq!(w.cwnd(), 3900.0); // 19.5 kB/s * 200 ms; 4.0 with the estimate of before
    }

    #[test]
    fn without_an_rtt_nothing_is_sampled_and_the_window_is_halved() {
        // the first segment of the first window is lost: duplicates give no delay
        let unknown = Path { rtt: Span::ZERO, rtt_min: Span::ZERO, ..test_path() };
        for word in ["paper", "ns3", "linux"] {
            let mut w = form(word);
            for k in 0..4u64 {
                let dup = Ack { now: Time(k * 1_000_000), rtt: None, grows: false, ..ack(0.0) };
                w.on_ack(&dup, &unknown);
            }
            assert_eq!(w.bwe, None);
            w.on_congestion(&dup_acks(), &unknown);
            assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(5000.0), Bytes(5000.0)), "{word}");
        }
        // ns-2's Linux agent goes by the smoothed RTT, which the SYN tells
        let mut w = form("ns2linux");
        let early = Path { srtt: Span::ZERO, ..unknown };
        w.on_ack(&Ack { now: Time(0), rtt: None, grows: false, ..ack(0.0) }, &early);
        w.on_ack(&Ack { now: Time(90_000_000), rtt: None, grows: false, ..ack(0.0) }, &early);
        assert_eq!(w.bwe, None);
        w.on_ack(&Ack { now: Time(100_000_000), rtt: None, grows: false, ..ack(0.0) }, &unknown);
        assert_eq!(w.bwe, Some(Rate(30_000.0)));
    }

    #[test]
    fn gain_interval_and_credit_are_parameters() {
        let with = |name, value| {
            let mut config = Config::named("westwood-plus").unwrap();
            config.set_number(name, value).unwrap();
            let mut w = WestwoodPlus::new(&config);
            w.on_init(Bytes(4000.0), Bytes(64_000.0), &test_path());
            three_samples(&mut w);
            w.bwe.unwrap().0
        };
        // samples 60, 50, 100 kB/s: 0.5 * 60 + 0.5 * 50 = 55, 0.5 * 55 + 0.5 * 100 = 77.5
        assert!((with("wp_gain", 0.5) - 77_500.0).abs() < 1e-6);
        // at least 150 ms: nine segments from 0 to 160 ms, 56.25 kB/s; the 140 ms until 300 ms are too short
        assert!((with("wp_min_interval", 0.15) - 56_250.0).abs() < 1e-6);
        // the ACK of ten counts as two: 20 kB/s; 0.9 * 59 + 0.1 * 20 = 55.1
        assert!((with("ww_credit_cap", 2.0) - 55_100.0).abs() < 1e-6);
    }

    #[test]
    fn linux_halves_during_recovery_and_sizes_the_window_at_its_end() {
        let mut w = form("linux");
        three_samples(&mut w);
        w.on_congestion(&dup_acks(), &test_path());
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(5000.0), Bytes(5000.0)));
        w.on_recovery_exit(&RecoveryExit { now: dup_acks().now, window: Bytes(4000.0), inflated: false }, &test_path());
        // 60.35 kB/s * 100 ms
        assert!((w.cwnd().0 - 6035.15625).abs() < 1e-6 && w.ssthresh() == w.cwnd());
        // a timeout takes the estimate, and learns the least RTT anew
        w.on_congestion(&rto(1), &test_path());
        assert!((w.ssthresh().0 - 6035.15625).abs() < 1e-6);
        assert_eq!((w.cwnd(), w.least_rtt), (Bytes(1000.0), None));
    }

    #[test]
    fn linux_learns_its_least_rtt_anew_after_a_timeout_only() {
        let timeout_then = |word, event: Congestion| {
            let mut w = form(word);
            three_samples(&mut w);
            w.on_congestion(&event, &test_path());
            w.least_rtt
        };
        let known = Some(Span::from_millis(100));
        assert_eq!(timeout_then("linux", dup_acks()), known);
        assert_eq!(timeout_then("linux", rto(1)), None);
        // ns-2's agent does not tell the module of timeouts
        assert_eq!(timeout_then("ns2linux", rto(1)), known);
    }

    #[test]
    fn linux_goes_by_the_newest_sample_and_ns2s_linux_agent_by_the_smoothed_rtt() {
        // an ACK each 50 ms; samples of 100, 60 and 200 ms, the smoothed RTT always 100 ms
        let least = |word, raw_ms: [u64; 3]| {
            let mut w = form(word);
            for (k, ms) in (0..).zip(raw_ms) {
                let rtt = Span::from_millis(ms);
                let ack = Ack { now: Time(k * 50_000_000), rtt: Some(rtt), grows: false, ..ack(1000.0) };
                w.on_ack(&ack, &Path { rtt, ..test_path() });
            }
            (w.least_rtt, w.bwe)
        };
        // at 100 ms the newest is 200 ms: no sample closes yet. By the smoothed RTT one does, of 3000 B in 100 ms
        let samples = [100, 60, 200];
        assert_eq!(least("linux", samples), (Some(Span::from_millis(60)), None));
        assert_eq!(least("ns2linux", samples), (Some(Span::from_millis(100)), Some(Rate(30_000.0))));
        // and with 60 ms twice it closes at 100 ms as well
        assert_eq!(least("linux", [100, 200, 60]), (Some(Span::from_millis(60)), Some(Rate(30_000.0))));
    }

    #[test]
    fn linux_sizes_the_window_only_after_a_cut_and_with_an_estimate() {
        let exit = RecoveryExit { now: dup_acks().now, window: Bytes(4500.0), inflated: false };
        // no sample yet
        let mut w = form("linux");
        w.on_congestion(&dup_acks(), &test_path());
        w.on_recovery_exit(&exit, &test_path());
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(4500.0), Bytes(5000.0)));
        // no cut
        let mut w = form("linux");
        three_samples(&mut w);
        w.on_recovery_exit(&exit, &test_path());
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(4500.0), Bytes(64_000.0)));
    }

    #[test]
    fn growth_is_renos() {
        // 4 segments below the threshold of 64: one more
        let mut w = fed();
        w.on_ack(&ack(1000.0), &test_path());
        assert_eq!(w.cwnd(), 5000.0);
    }

    #[test]
    fn under_the_ns2_linux_agent_the_threshold_is_renos() {
        let mut w = form("ns2linux");
        three_samples(&mut w);
        w.on_congestion(&dup_acks(), &test_path());
        assert!((w.cwnd().0 - 6035.15625).abs() < 1e-6);
        assert_eq!(w.ssthresh(), 5000.0);
        let exit = RecoveryExit { now: dup_acks().now, window: Bytes(3000.0), inflated: false };
        w.on_recovery_exit(&exit, &test_path());
        assert!((w.cwnd().0 - 6035.15625).abs() < 1e-6);
        w.set_cwnd(Bytes(2000.0));
        w.on_recovery_exit(&exit, &test_path());
        assert_eq!(w.cwnd(), 5000.0);
        w.on_congestion(&rto(1), &test_path());
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(1000.0), Bytes(5000.0)));
    }

    #[test]
    fn the_linux_forms_take_no_sample_shorter_than_50_ms() {
        let short = Path { srtt: Span::from_millis(10), rtt: Span::from_millis(10), ..test_path() };
        for (word, expected) in [("linux", None), ("paper", Some(Rate(50_000.0)))] {
            let mut w = form(word);
            for ms in [0, 40] {
                w.on_ack(&Ack { now: Time(ms * 1_000_000), grows: false, ..ack(1000.0) }, &short);
            }
            assert_eq!(w.bwe, expected); // 2 segments in 40 ms
        }
    }

    #[test]
    fn a_repeated_timeout_holds_the_threshold() {
        let mut w = fed();
        w.on_congestion(&Congestion { hold_ssthresh: true, ..rto(2) }, &test_path());
        assert_eq!((w.cwnd(), w.ssthresh()), (Bytes(1000.0), Bytes(64_000.0)));
    }
}
