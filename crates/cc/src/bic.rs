//! BIC: after a loss the window searches the window of that loss, by halves, and then probes beyond it.
//! Source: Xu, Harfoush and Rhee, INFOCOM 2004, restated in specs/papers/bic.md.
use units::Bytes;

use crate::{Ack, Cause, Config, Congestion, CongestionControl, Path, Response, reno};

/// What the source leaves open, and the reading taken. The registry shows it.
pub const CHOICES: &str = "\
    Linux's constants and its slow approach (`bic_smooth_part`); the increase is computed at every ACK; no more than \
    one segment for each acknowledged; without a window of the last loss, before the first and after a timeout, a \
    twentieth of the window at least, otherwise `bic_smin`; a cut keeps a share of the profile's halving base \
    (flight size); a mark is treated as a loss.";

/// State of BIC. Its windows are segments, as in the source.
#[derive(Clone, Debug, PartialEq)]
pub struct Bic {
    cwnd: Bytes,
    ssthresh: Bytes,
    limits: Limits,
    w_max: f64, // zero: none
}

#[derive(Clone, Debug, PartialEq)]
struct Limits {
    low_window: f64,
    s_max: f64,
    s_min: f64,
    keep: f64,
    b: f64,
    smooth_part: f64,
    fast_convergence: bool,
}

/// Share of the window gained per round trip without a window of the last loss, at least.
const FIRST_GAIN: f64 = 1.0 / 20.0;

impl Bic {
    /// Parameters `bic_low_window`, `bic_smax`, `bic_smin`, `bic_keep`, `bic_b`, `bic_smooth_part`,
    /// `bic_fast_convergence`.
    pub fn new(config: &Config) -> Bic {
        Bic {
            cwnd: Bytes::ZERO,
            ssthresh: Bytes::ZERO,
            limits: Limits {
                low_window: config.number("bic_low_window"),
                s_max: config.number("bic_smax"),
                s_min: config.number("bic_smin"),
                keep: config.number("bic_keep"),
                b: config.number("bic_b"),
                smooth_part: config.number("bic_smooth_part"),
                fast_convergence: config.flag("bic_fast_convergence"),
            },
            w_max: 0.0,
        }
    }

    /// Segments per round trip at a window of `w`.
    #[inline]
    fn increase(&self, w: f64) -> f64 {
        let Limits { s_max, b, .. } = self.limits;
        let slowest = b / self.limits.smooth_part;
        let inc = if w < self.w_max {
            //= specs/papers/bic.md#window-increase
            //# inc = Smax if d > Smax, d if 1 < d, else B / smooth_part, where d = (Wmax - cwnd) / B
            let d = (self.w_max - w) / b;
            if d > 1.0 { d.min(s_max) } else { slowest }
        } else if w < self.w_max + b {
            slowest
        } else if w < self.w_max + s_max * (b - 1.0) {
            //= specs/papers/bic.md#window-increase
            //# inc = B / smooth_part if cwnd < Wmax + B, (cwnd - Wmax) / (B - 1) if cwnd < Wmax + Smax * (B - 1),
            //# else Smax
            (w - self.w_max) / (b - 1.0)
        } else {
            s_max
        };
        //= specs/papers/bic.md#window-increase
        //# It is never less than `Smin` = 0.01 and, while there is no `Wmax`, that is before the first loss and again
        //# after a timeout, never less than cwnd / 20 (Linux).
        let least = if self.w_max == 0.0 { w * FIRST_GAIN } else { self.limits.s_min };
        inc.max(least).min(w)
    }
}

impl CongestionControl for Bic {
    window_methods!();

    #[inline]
    fn on_ack(&mut self, ack: &Ack, path: &Path) {
        if ack.grows {
            let step = reno::increase(self.cwnd, self.ssthresh, ack, path.mss);
            let w = self.cwnd.over(path.mss);
            let reno = self.cwnd < self.ssthresh || w <= self.limits.low_window;
            self.cwnd += if reno { step } else { self.increase(w) * step };
        }
    }

    fn on_congestion(&mut self, event: &Congestion, path: &Path) -> Response {
        let w = self.cwnd.over(path.mss);
        let keep = self.limits.keep;
        //= specs/papers/bic.md#loss
        //# Wmax = cwnd * (1 + keep) / 2 if cwnd < Wmax (fast convergence), else cwnd
        self.w_max = match event.cause {
            Cause::Rto => 0.0,
            _ if self.limits.fast_convergence && w < self.w_max => w * (1.0 + keep) / 2.0,
            _ => w,
        };
        let kept = if w <= self.limits.low_window { 0.5 } else { keep };
        self.set_windows(reno::cut(event, path, kept, self.ssthresh));
        Response::Reduced
    }

    fn observe(&self, out: &mut dyn FnMut(&'static str, f64)) {
        out("w_max_segments", self.w_max);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{ack, dup_acks, full, rto};

    fn at(segments: f64) -> (Bic, Path) {
        full(Bic::new(&Config::named("bic").unwrap()), segments)
    }

    /// One ACK at a window of `w`; what it added, in units of `1 / w`: segments per round trip.
    fn gain(bic: &mut Bic, path: &Path, w: f64) -> f64 {
        bic.set_cwnd(Bytes(w * 1000.0));
        bic.on_ack(&ack(1000.0), path);
        (bic.cwnd().0 / 1000.0 - w) * w
    }

    fn near(a: f64, b: f64) -> bool {
        (a - b).abs() < 1e-6
    }

    #[test]
    fn the_search_below_the_old_window() {
        let (mut bic, path) = at(200.0);
        bic.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!((bic.cwnd(), bic.ssthresh(), bic.w_max), (Bytes(160_000.0), Bytes(160_000.0), 200.0));
        // (200 - 160) / 4 = 10, (200 - 180) / 4 = 5, (200 - 197) / 4 < 1: 4/20
        for (w, inc) in [(160.0, 10.0), (180.0, 5.0), (197.0, 0.2)] {
            let got = gain(&mut bic, &path, w);
            assert!(near(got, inc), "at {w}: {got}");
        }
        // far below: no more than 16
        bic.w_max = 1000.0;
        assert!(near(gain(&mut bic, &path, 200.0), 16.0));
    }

    #[test]
    fn the_probe_beyond_it() {
        let (mut bic, path) = at(200.0);
        bic.on_congestion(&dup_acks().of_flight(&path), &path);
        // 203 < 200 + 4: 0.2; (212 - 200) / 3 = 4; 248 = 200 + 16 * 3: 16
        for (w, inc) in [(203.0, 0.2), (212.0, 4.0), (248.0, 16.0)] {
            let got = gain(&mut bic, &path, w);
            assert!(near(got, inc), "at {w}: {got}");
        }
    }

    #[test]
    fn up_to_14_segments_it_is_reno() {
        let (mut bic, path) = at(14.0);
        assert!(near(gain(&mut bic, &path, 14.0), 1.0));
        bic.set_cwnd(Bytes(14_000.0));
        bic.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!(bic.cwnd(), 7000.0);
    }

    #[test]
    fn without_a_window_of_the_last_loss_a_twentieth_per_round_trip_at_least() {
        let (mut bic, path) = at(400.0);
        assert!(near(gain(&mut bic, &path, 400.0), 20.0));
        // 15 segments: (15 - 0) / 3 = 5
        assert!(near(gain(&mut bic, &path, 15.0), 5.0));
        // after a loss at 400 segments 464 gain 16, not 23.2: they are past 400 + 16 * 3
        bic.set_cwnd(Bytes(400_000.0));
        bic.on_congestion(&dup_acks().of_flight(&path), &path);
        assert!(near(gain(&mut bic, &path, 464.0), 16.0));
        // a timeout forgets it: as before the first loss
        bic.on_congestion(&rto(1).of_flight(&path), &path);
        assert!(near(gain(&mut bic, &path, 464.0), 23.2));
    }

    #[test]
    fn never_more_than_a_segment_for_each_acknowledged() {
        let (mut bic, path) = at(15.0);
        bic.w_max = 500.0; // d = 121: 16, more than the window
        bic.set_cwnd(Bytes(15_000.0));
        bic.on_ack(&ack(1000.0), &path);
        assert!(near(bic.cwnd().0, 16_000.0));
        bic.set_cwnd(Bytes(15_000.0));
        bic.on_ack(&ack(2000.0), &path);
        assert!(near(bic.cwnd().0, 17_000.0));
    }

    #[test]
    fn slow_start_is_renos_at_any_window_and_over_at_ssthresh() {
        // 400 segments, no loss yet: 1 per ACK below ssthresh, 20/400 at it
        for (ssthresh, expected) in [(500_000.0, 401_000.0), (400_000.0, 400_050.0)] {
            let (mut bic, path) = at(400.0);
            bic.on_init(Bytes(400_000.0), Bytes(ssthresh), &path);
            bic.on_ack(&ack(1000.0), &path);
            assert!(near(bic.cwnd().0, expected), "{:?}", bic.cwnd());
        }
    }

    #[test]
    fn the_papers_constants() {
        let mut config = Config::named("bic").unwrap();
        for (name, value) in [
            ("bic_low_window", 20.0),
            ("bic_smax", 32.0),
            ("bic_smin", 1.5),
            ("bic_keep", 0.875),
            ("bic_b", 2.0),
            ("bic_smooth_part", 5.0),
        ] {
            config.set_number(name, value).unwrap();
        }
        let (mut bic, path) = full(Bic::new(&config), 200.0);
        bic.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!(bic.cwnd(), 175_000.0); // 7/8
        bic.ssthresh = Bytes(2000.0);
        // (200 - 175) / 2 = 12.5; (200 - 199) / 2 < 1: 2/5, so Smin = 1.5; 201: the same; 202: (202 - 200) / 1 = 2;
        // 232: 32
        for (w, inc) in
            [(175.0, 12.5), (199.0, 1.5), (201.0, 1.5), (202.0, 2.0), (231.0, 31.0), (240.0, 32.0), (20.0, 1.0)]
        {
            let got = gain(&mut bic, &path, w);
            assert!(near(got, inc), "at {w}: {got}");
        }
        // Wmax 500: (500 - 21) / 2 is more than 32 and than the window
        bic.w_max = 500.0;
        assert!(near(gain(&mut bic, &path, 21.0), 21.0));
        assert!(near(gain(&mut bic, &path, 100.0), 32.0));
        // 160 < 200 after a cut: 160 * 1.875 / 2
        bic.set_cwnd(Bytes(160_000.0));
        bic.on_congestion(&dup_acks().of_flight(&path), &path);
        assert!(near(bic.w_max, 150.0));
    }

    #[test]
    fn the_borders_of_the_regions() {
        let (mut bic, path) = at(200.0);
        bic.on_congestion(&dup_acks().of_flight(&path), &path);
        // d = 1 at 196 is not more than 1; at 200 the goal is reached; at 204 the distance counts
        for (w, inc) in
            [(195.0, 1.25), (196.0, 0.2), (200.0, 0.2), (204.0, 4.0 / 3.0), (247.0, 47.0 / 3.0), (249.0, 16.0)]
        {
            let got = gain(&mut bic, &path, w);
            assert!(near(got, inc), "at {w}: {got}");
        }
        // at the window of the last loss it does not give way
        let (mut bic, path) = at(200.0);
        bic.w_max = 200.0;
        bic.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!(bic.w_max, 200.0);
    }

    #[test]
    fn fast_convergence_gives_way() {
        let (mut bic, path) = at(200.0);
        bic.on_congestion(&dup_acks().of_flight(&path), &path);
        bic.on_congestion(&dup_acks().of_flight(&path), &path);
        // 160 < 200: Wmax = 160 * 1.8 / 2
        assert!(near(bic.w_max, 144.0));
        let mut config = Config::named("bic").unwrap();
        config.set_flag("bic_fast_convergence", false).unwrap();
        let mut bic = Bic { w_max: 200.0, cwnd: Bytes(160_000.0), ..Bic::new(&config) };
        bic.on_congestion(&dup_acks().of_flight(&path), &path);
        assert_eq!(bic.w_max, 160.0);
    }

    #[test]
    fn a_timeout_forgets_the_old_window() {
        let (mut bic, path) = at(200.0);
        bic.on_congestion(&rto(1).of_flight(&path), &path);
        assert_eq!((bic.cwnd(), bic.ssthresh(), bic.w_max), (Bytes(1000.0), Bytes(160_000.0), 0.0));
        bic.on_congestion(&Congestion { hold_ssthresh: true, ..rto(2) }.of_flight(&path), &path);
        assert_eq!(bic.ssthresh(), 160_000.0);
    }
}
