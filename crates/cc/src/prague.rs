//! Prague: DCTCP for the Internet. Cut in proportion to the share of marks, grow by a segment per virtual RTT.
//! Source: draft-briscoe-iccrg-prague-congestion-control-04, restated in specs/papers/prague.md.
use units::{Bytes, Rate, Span, Time};

use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, Response, reno};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    a cut for marks lasts a smoothed RTT, or a virtual one if that is longer; the RTT is the smoothed one; slow start is \
    that of the engine, and the first mark ends it; a loss leaves half (`prague_beta`), also after a cut for marks in \
    the same round; segments are whole, and the window at least two; if the receiver does not count marks, a mark is \
    answered as a loss.";

/// State of Prague.
#[derive(Clone, Debug, PartialEq)]
pub struct Prague {
    cwnd: Bytes,
    ssthresh: Bytes,
    pacing_rate: Option<Rate>,
    alpha: f64,
    /// None before the first mark: nobody is known to mark.
    alpha_at: Option<Time>,
    acked: Bytes,  // since alpha_at
    marked: Bytes, // of these
    cut_at: Option<Time>,
    rounds: f64, // since slow start ended
    g: f64,
    beta: f64,
    rtt_virt: Span,
    rounds_before: f64,
}

impl Prague {
    /// Parameters `prague_g`, `prague_alpha`, `prague_beta`, `prague_rtt_virt`, `prague_rounds`.
    pub fn new(config: &Config) -> Prague {
        Prague {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            pacing_rate: None,
            alpha: config.number("prague_alpha"),
            alpha_at: None,
            acked: Bytes::ZERO,
            marked: Bytes::ZERO,
            cut_at: None,
            rounds: 0.0,
            g: config.number("prague_g"),
            beta: config.number("prague_beta"),
            rtt_virt: Span::from_secs(config.number("prague_rtt_virt")),
            rounds_before: config.number("prague_rounds"),
        }
    }

    /// The RTT that it behaves as if it had.
    //= specs/papers/prague.md#virtual-rtt
    //# R_virt = max(srtt, 25 ms), once the flow is older than 500 rounds; before that R_virt = srtt
    fn virtual_rtt(&self, path: &Path) -> Span {
        if self.rounds < self.rounds_before { path.srtt } else { path.srtt.max(self.rtt_virt) }
    }

    /// Growth for what came unmarked.
    fn grow(&mut self, ack: &Ack, path: &Path) {
        //= specs/papers/prague.md#increase
        //# A marked segment does not count for growth; the others do, also after a cut in the same round.
        let part = |of: Bytes| (of - ack.ce).max(Bytes::ZERO);
        if self.cwnd < self.ssthresh {
            self.cwnd += part(ack.slow_start);
            return;
        }
        //= specs/papers/prague.md#increase
        //# cwnd = cwnd + (srtt / R_virt)^2 * MSS * unmarked / cwnd
        let ratio = match self.virtual_rtt(path) {
            Span::ZERO => 1.0,
            virt => path.srtt.secs() / virt.secs(),
        };
        self.cwnd += ratio * ratio * path.mss * part(ack.avoidance).over(self.cwnd);
    }

    /// Bring alpha up to date, once per virtual RTT.
    fn end_round(&mut self, now: Time, path: &Path) {
        if self.cwnd >= self.ssthresh {
            self.rounds += 1.0;
        }
        let Some(at) = self.alpha_at else { return };
        if now.since(at) < self.virtual_rtt(path) || self.acked <= 0.0 {
            return;
        }
        //= specs/papers/prague.md#alpha
        //# alpha = (1 - g) * alpha + g * marked / acked
        self.alpha += self.g * (self.marked.over(self.acked).min(1.0) - self.alpha);
        self.alpha_at = Some(now);
        (self.acked, self.marked) = (Bytes::ZERO, Bytes::ZERO);
    }

    /// Marks came: cut, unless the last cut is less than a virtual RTT ago.
    fn on_marks(&mut self, now: Time, path: &Path) {
        if self.cut_at.is_some_and(|at| now.since(at) < self.virtual_rtt(path)) {
            return;
        }
        //= specs/papers/prague.md#decrease
        //# cwnd = (1 - alpha / 2) * cwnd; ssthresh = cwnd
        self.ssthresh = (self.cwnd * (1.0 - self.alpha / 2.0)).max(2.0 * path.mss);
        self.cwnd = self.cwnd.min(self.ssthresh);
        self.cut_at = Some(now);
    }

    fn set_pacing_rate(&mut self, path: &Path) {
        if path.srtt > Span::ZERO {
            //= specs/papers/prague.md#pacing
            //# cwnd / srtt, twice that while cwnd < ssthresh / 2
            let gain = if self.cwnd < 0.5 * self.ssthresh { 2.0 } else { 1.0 };
            self.pacing_rate = Some(gain * self.cwnd.max(path.mss).per(path.srtt));
        }
    }
}

impl CongestionControl for Prague {
    window_methods!();

    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        self.acked += ack.newly_acked;
        self.marked += ack.ce;
        if ack.grows {
            self.grow(ack, path);
        }
        if ack.ce > 0.0 {
            self.alpha_at.get_or_insert(ack.now);
            if !ack.in_recovery {
                self.on_marks(ack.now, path);
            }
        }
        if ack.round.is_some() {
            self.end_round(ack.now, path);
        }
        self.set_pacing_rate(path);
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        //= specs/papers/prague.md#loss
        //# A loss leaves half of the window, a timeout one segment, as with Reno.
        self.set_windows(reno::cut(event, path, self.beta, self.ssthresh));
        if event.cause != Cause::EcnMark {
            self.cut_at = Some(event.now);
        }
        self.set_pacing_rate(path);
        Response::Reduced
    }

    fn pacing_rate(&self) -> Option<Rate> {
        self.pacing_rate
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("alpha_ratio", self.alpha);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, dup_acks, full, last_of_round, rto};

    fn at(segments: f64, change: impl Fn(&mut Config)) -> (Prague, Path) {
        let mut config = Config::named("prague").unwrap();
        change(&mut config);
        full(Prague::new(&config), segments)
    }

    fn near(is: f64, wanted: f64) {
        assert!((is - wanted).abs() < 1e-6, "{is} is not {wanted}");
    }

    fn marked(segments: f64, of: f64, now: f64) -> Ack {
        Ack { ce: Bytes(1000.0 * segments), marked: true, now: Time::from_secs(now), ..ack(1000.0 * of) }
    }

    #[test]
    fn the_first_mark_halves_and_alpha_follows_the_share() {
        let (mut prague, path) = at(100.0, |_| {});
        prague.on_ack(&marked(1.0, 2.0, 1.0), &path);
        // one of two segments unmarked: 100 + 1/100, then (1 - 1/2) of it
        near(prague.cwnd().0, 50_005.0);
        assert_eq!(prague.ssthresh(), prague.cwnd());
        // within an RTT of 100 ms no second cut; the unmarked one of two counts: + 1/50.005
        prague.on_ack(&marked(1.0, 2.0, 1.05), &path);
        near(prague.cwnd().0, 50_005.0 + 1e6 / 50_005.0);
        // 2 of 10 segments marked: alpha = 15/16 + 0.2/16 = 0.95
        prague.on_ack(&Ack { now: Time::from_secs(1.11), grows: false, ..last_of_round(6000.0) }, &path);
        near(prague.alpha, 0.95);
        // and a round without marks: 0.95 * 15/16
        prague.on_ack(&Ack { now: Time::from_secs(1.22), grows: false, ..last_of_round(6000.0) }, &path);
        near(prague.alpha, 0.890_625);
        let before = prague.cwnd().0;
        prague.on_ack(&Ack { grows: false, ..marked(1.0, 1.0, 1.3) }, &path);
        near(prague.cwnd().0, before * (1.0 - 0.445_312_5));
    }

    #[test]
    fn alpha_waits_for_the_first_mark() {
        let (mut prague, path) = at(100.0, |_| {});
        for n in 0..20 {
            prague.on_ack(&Ack { now: Time::from_secs(1.0 + 0.1 * f64::from(n)), ..last_of_round(1000.0) }, &path);
        }
        assert_eq!(prague.alpha, 1.0);
    }

    #[test]
    fn an_old_flow_with_a_short_rtt_grows_and_cuts_as_one_of_25_ms() {
        let (mut prague, path) = at(10.0, |c| c.set_number("prague_rounds", 2.0).unwrap());
        let path = Path { srtt: Span::from_millis(5), ..path };
        let at = |ms: f64| Time::from_secs(1.0 + ms / 1e3);
        prague.on_ack(&Ack { now: at(0.0), ..ack(1000.0) }, &path);
        near(prague.cwnd().0, 10_100.0);
        for n in 0..2 {
            prague.on_ack(&Ack { now: at(5.0 * f64::from(n)), grows: false, ..last_of_round(1000.0) }, &path);
        }
        // (5 / 25)^2 of 1 / 10.1
        prague.on_ack(&Ack { now: at(11.0), ..ack(1000.0) }, &path);
        near(prague.cwnd().0, 10_100.0 + 0.04 * 1e6 / 10_100.0);
        let cut = |prague: &mut Prague, ms: f64| {
            let before = prague.cwnd();
            prague.on_ack(&Ack { grows: false, now: at(ms), ..marked(1.0, 1.0, 0.0) }, &path);
            prague.cwnd() < before
        };
        assert!(cut(&mut prague, 20.0) && !cut(&mut prague, 44.9) && cut(&mut prague, 45.0));
    }

    #[test]
    fn slow_start_counts_what_is_not_marked_and_ends_at_the_first_mark() {
        let (mut prague, path) = at(10.0, |_| {});
        prague.set_windows(crate::Windows { cwnd: Bytes(10_000.0), ssthresh: Bytes(64_000.0) });
        prague.on_ack(&ack(2000.0), &path);
        // 12 segments in 100 ms, twice that below half of ssthresh
        assert_eq!((prague.cwnd(), prague.pacing_rate()), (Bytes(12_000.0), Some(Rate(240_000.0))));
        prague.on_ack(&marked(1.0, 2.0, 1.0), &path);
        assert_eq!((prague.cwnd(), prague.ssthresh()), (Bytes(6500.0), Bytes(6500.0)));
        assert_eq!(prague.pacing_rate(), Some(Rate(65_000.0)));
    }

    #[test]
    fn a_loss_halves_and_marks_of_its_recovery_do_not_cut() {
        let (mut prague, path) = at(100.0, |_| {});
        prague.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!((prague.cwnd(), prague.ssthresh()), (Bytes(50_000.0), Bytes(50_000.0)));
        prague.on_ack(&Ack { in_recovery: true, grows: false, ..marked(1.0, 1.0, 5.0) }, &path);
        assert_eq!(prague.cwnd(), 50_000.0);
        prague.on_congestion(&rto(1).of_flight(&path), &path);
        assert_eq!(prague.cwnd(), 1000.0);
    }

    #[test]
    fn marks_leave_two_segments_and_never_raise_the_window() {
        let (mut prague, path) = at(3.0, |_| {});
        for n in 0..10 {
            prague.on_ack(&Ack { grows: false, ..marked(1.0, 1.0, f64::from(n)) }, &path);
        }
        assert_eq!(prague.cwnd(), 2000.0);
        prague.on_congestion(&rto(1).of_flight(&path), &path);
        prague.on_ack(&Ack { grows: false, ..marked(1.0, 1.0, 20.0) }, &path);
        assert_eq!(prague.cwnd(), 1000.0);
    }
}
