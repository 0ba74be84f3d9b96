//! DCTCP: cut in proportion to the share of marked bytes, once per window.
//! Source: RFC 8257, restated in specs/papers/dctcp.md.
use units::Bytes;

use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, Response, reno};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    the cut comes at the end of the observation window, after alpha was brought up to date (`dctcp_cut`); none there \
    if a loss has cut in the same window; an ACK with a mark does not grow the window; the receiver sends two ACKs \
    where marks begin or end.";

/// State of DCTCP.
#[derive(Clone, Debug, PartialEq)]
pub struct Dctcp {
    cwnd: Bytes,
    ssthresh: Bytes,
    g: f64,
    at_first_mark: bool,
    alpha: f64,
    acked: Bytes,  // in this observation window
    marked: Bytes, // of these
    cut: bool,     // in this observation window
}

impl Dctcp {
    /// Parameters `dctcp_g`, `dctcp_alpha`, `dctcp_cut`.
    pub fn new(config: &Config) -> Dctcp {
        Dctcp {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            g: config.number("dctcp_g"),
            at_first_mark: config.choice("dctcp_cut") == "first_mark",
            alpha: config.number("dctcp_alpha"),
            acked: Bytes::ZERO,
            marked: Bytes::ZERO,
            cut: false,
        }
    }

    /// Answer to marks, unless this window has paid already.
    fn cut(&mut self, mss: Bytes) {
        if !self.cut {
            //= specs/papers/dctcp.md#window
            //# cwnd = cwnd * (1 - alpha / 2)
            self.ssthresh = (self.cwnd * (1.0 - self.alpha / 2.0)).max(2.0 * mss);
            self.cwnd = self.cwnd.min(self.ssthresh);
            self.cut = true;
        }
    }

    fn end_window(&mut self, ack: &Ack, mss: Bytes) {
        //= specs/papers/dctcp.md#congestion-estimate
        //# alpha = (1 - g) * alpha + g * M
        self.alpha += self.g * (self.marked.over(self.acked) - self.alpha);
        if self.marked > 0.0 && !self.at_first_mark && !ack.in_recovery {
            self.cut(mss);
        }
        (self.acked, self.marked) = (Bytes::ZERO, Bytes::ZERO);
        self.cut = false;
    }
}

impl CongestionControl for Dctcp {
    window_methods!();

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        self.acked += ack.newly_acked;
        if ack.marked {
            self.marked += if ack.ce > 0.0 { ack.ce } else { ack.newly_acked };
            if self.at_first_mark && !ack.in_recovery {
                self.cut(path.mss);
            }
        } else if ack.grows {
            self.cwnd += reno::increase(self.cwnd, self.ssthresh, ack, path.mss);
        }
        if ack.round.is_some() {
            self.end_window(ack, path.mss);
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        if event.cause == Cause::EcnMark {
            return Response::SameWindow; // seen in the ACK
        }
        self.set_windows(reno::cut(event, path, 0.5, self.ssthresh));
        self.cut = true;
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("alpha_ratio", self.alpha);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, dup_acks, full, last_of_round, rto};

    fn at(segments: f64, change: impl Fn(&mut Config)) -> (Dctcp, Path) {
        let mut config = Config::named("dctcp").unwrap();
        change(&mut config);
        full(Dctcp::new(&config), segments)
    }

    /// A window of ten ACKs of one segment, the first `marks` of them marked; the window does not grow.
    fn window(dctcp: &mut Dctcp, path: &Path, marks: u32) {
        for n in 0..10 {
            let event = if n == 9 { last_of_round(1000.0) } else { ack(1000.0) };
            dctcp.on_ack(&Ack { marked: n < marks, grows: false, ..event }, path);
        }
    }

    #[test]
    fn alpha_follows_the_share_of_marked_bytes() {
        let (mut dctcp, path) = at(100.0, |_| {});
        window(&mut dctcp, &path, 0);
        assert_eq!((dctcp.alpha, dctcp.cwnd()), (0.9375, Bytes(100_000.0))); // 15/16; no mark, no cut
        // 15/16 * 15/16 + 0.4/16 = 0.90390625: cut to 100 * (1 - 0.451953125)
        window(&mut dctcp, &path, 4);
        assert_eq!(dctcp.alpha, 0.903_906_25);
        assert!((dctcp.cwnd().0 - 54_804.687_5).abs() < 1e-6);
        assert_eq!(dctcp.ssthresh(), dctcp.cwnd());
    }

    #[test]
    fn a_small_alpha_cuts_a_little() {
        let (mut dctcp, path) = at(100.0, |c| c.set_number("dctcp_alpha", 0.0).unwrap());
        window(&mut dctcp, &path, 1);
        // alpha = 0.1/16 = 0.00625: 100 * (1 - 0.003125)
        assert!((dctcp.cwnd().0 - 99_687.5).abs() < 1e-6);
    }

    #[test]
    fn all_marked_from_the_start_halves() {
        let (mut dctcp, path) = at(100.0, |_| {});
        window(&mut dctcp, &path, 10);
        assert_eq!((dctcp.alpha, dctcp.cwnd()), (1.0, Bytes(50_000.0)));
    }

    #[test]
    fn growth_is_renos_on_unmarked_acks() {
        let (mut dctcp, path) = at(100.0, |_| {});
        dctcp.on_ack(&ack(1000.0), &path);
        assert_eq!(dctcp.cwnd(), 100_010.0);
        dctcp.on_ack(&Ack { marked: true, ..ack(1000.0) }, &path);
        assert_eq!(dctcp.cwnd(), 100_010.0);
    }

    #[test]
    fn linux_cuts_at_the_first_mark_with_the_alpha_before() {
        let (mut dctcp, path) = at(100.0, |c| c.set_choice("dctcp_cut", "first_mark").unwrap());
        dctcp.alpha = 0.5;
        let marked = Ack { marked: true, ..ack(1000.0) };
        dctcp.on_ack(&marked, &path);
        dctcp.on_ack(&marked, &path);
        assert_eq!(dctcp.cwnd(), 75_000.0); // once
        dctcp.on_ack(&Ack { marked: true, ..last_of_round(1000.0) }, &path);
        assert_eq!((dctcp.cwnd(), dctcp.alpha), (Bytes(75_000.0), 0.531_25)); // 0.5 * 15/16 + 1/16
    }

    #[test]
    fn a_loss_halves_and_the_window_pays_once() {
        let (mut dctcp, path) = at(100.0, |c| c.set_number("dctcp_alpha", 0.0).unwrap());
        dctcp.on_ack(&Ack { marked: true, ..ack(1000.0) }, &path);
        dctcp.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!((dctcp.cwnd(), dctcp.ssthresh()), (Bytes(50_000.0), Bytes(50_000.0)));
        window(&mut dctcp, &path, 10);
        assert_eq!(dctcp.cwnd(), 50_000.0);
        window(&mut dctcp, &path, 10);
        assert!(dctcp.cwnd() < 50_000.0); // the next window pays
    }

    #[test]
    fn marks_leave_two_segments_and_never_raise_the_window() {
        let (mut dctcp, path) = at(3.0, |_| {});
        window(&mut dctcp, &path, 10);
        assert_eq!((dctcp.cwnd(), dctcp.ssthresh()), (Bytes(2000.0), Bytes(2000.0)));
        dctcp.on_congestion(&rto(1).of_flight(&path), &path);
        window(&mut dctcp, &path, 10);
        window(&mut dctcp, &path, 10);
        assert_eq!(dctcp.cwnd(), 1000.0);
    }
}
