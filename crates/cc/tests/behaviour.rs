//! What makes each algorithm what it is: a small scene with the outcome worked out by hand, where NewReno would do
//! otherwise. The comment says what NewReno would do, and the bounds leave that out. FAST needs a real path: see crate
//! `net`.

use cc::registry::Config;
use cc::{Ack, Algorithm, Cause, Congestion, CongestionControl, Path, Round};
use units::{Bytes, Span, Time};

const MSS: f64 = 1000.0;

/// A sender that always has data, in whole rounds: the segments of one window are acknowledged one by one, evenly over
/// one RTT. Windows are segments here, times milliseconds.
struct Scene {
    cc: Algorithm,
    path: Path,
    now: f64,
    acks: u64,
    /// One ACK in so many is marked; 0: none.
    marks: u64,
}

impl Scene {
    /// In congestion avoidance at this window, on a path that never showed a smaller RTT than `base`.
    fn new(algorithm: &str, window: f64, base: f64) -> Scene {
        Scene::with(algorithm, window, base, |_| {})
    }

    fn with(algorithm: &str, window: f64, base: f64, change: impl Fn(&mut Config)) -> Scene {
        let mut config = Config::named(algorithm).unwrap();
        change(&mut config);
        let mut cc = config.build();
        let rtt = Span::from_secs(base / 1000.0);
        let path = Path {
            mss: Bytes(MSS),
            rwnd: Bytes(1e9),
            srtt: rtt,
            rtt,
            rtt_min: rtt,
            dup_threshold: 3,
            ..Path::default()
        };
        cc.on_init(Bytes(window * MSS), Bytes(2.0 * MSS), &path);
        Scene { cc, path, now: 5000.0, acks: 0, marks: 0 }
    }

    fn window(&self) -> f64 {
        self.cc.cwnd().0 / MSS
    }

    fn time(&self) -> Time {
        Time((self.now * 1e6) as u64)
    }

    /// One round with this RTT.
    fn round(&mut self, rtt_ms: f64) {
        let segments = self.window().floor().max(1.0);
        let rtt = Span::from_secs(rtt_ms / 1000.0);
        (self.path.rtt, self.path.srtt) = (rtt, rtt);
        for n in 1..=segments as u64 {
            self.now += rtt_ms / segments;
            self.acks += 1;
            self.path.flight_size = Bytes((self.window().floor() - 1.0) * MSS); // what the ACK leaves
            let round = Round { length: rtt, sent: Bytes(segments * MSS) };
            let ack = Ack {
                now: self.time(),
                newly_acked: Bytes(MSS),
                grows: true,
                slow_start: Bytes(MSS),
                avoidance: Bytes(MSS),
                rtt: Some(rtt),
                receiver_time: Some(self.time()),
                // forth as long as back without a queue, and the queue is on the way forth
                one_way_delay: Some(rtt - Span(self.path.rtt_min.0 / 2)),
                marked: self.marks > 0 && self.acks.is_multiple_of(self.marks),
                ce: Bytes(if self.marks > 0 && self.acks.is_multiple_of(self.marks) { MSS } else { 0.0 }),
                round: (n == segments as u64).then_some(round),
                ..Ack::default()
            };
            self.cc.on_ack(&ack, &self.path);
        }
    }

    fn rounds(&mut self, count: u32, rtt_ms: f64) {
        (0..count).for_each(|_| self.round(rtt_ms));
    }

    /// Rounds on a path that holds `pipe` segments without a queue; the queue is never full. A round's ACKs tell the
    /// queue that the window of the round before made.
    fn rounds_with_queue(&mut self, count: u32, base_ms: f64, pipe: f64) {
        let mut sent = self.window();
        for _ in 0..count {
            let rtt_ms = base_ms * (sent.floor() / pipe).max(1.0);
            sent = self.window();
            self.round(rtt_ms);
        }
    }

    fn congestion(&mut self, cause: Cause) {
        let window = Bytes(self.window().floor() * MSS);
        self.path.flight_size = window;
        let event = Congestion {
            now: self.time(),
            cause,
            cut_already: false,
            timeouts: u32::from(cause == Cause::Rto),
            retransmitted: false,
            sent_at: None,
            hold_ssthresh: false,
            halving: self.path.halving(window),
        };
        self.cc.on_congestion(&event, &self.path);
    }

    /// A loss found by duplicate ACKs; recovery takes no time here.
    fn loss(&mut self) {
        self.congestion(Cause::DupAcks);
    }
}

#[track_caller]
fn within(value: f64, low: f64, high: f64) {
    assert!((low..=high).contains(&value), "{value} is not in {low}..{high}");
}

#[test]
fn newreno_adds_one_per_round_and_halves() {
    let mut newreno = Scene::new("newreno", 100.0, 100.0);
    newreno.rounds(10, 100.0);
    within(newreno.window(), 109.5, 110.0);
    newreno.loss();
    within(newreno.window(), 54.5, 55.0);
}

#[test]
fn bic_halves_the_distance_to_the_old_window() {
    // 200 -> 160; each round goes a quarter of the rest: 200 - 40 e^(-r/4), so 168.8 after one round and 194.6 after
    // eight. The search ends at 196; then 0.2 per round. NewReno would stand at 108.
    let mut bic = Scene::new("bic", 200.0, 100.0);
    bic.loss();
    within(bic.window(), 160.0, 160.01);
    bic.round(100.0);
    within(bic.window(), 168.3, 169.0);
    bic.rounds(7, 100.0);
    within(bic.window(), 193.8, 194.7);
    bic.rounds(10, 100.0);
    within(bic.window(), 196.0, 198.0);
    // beyond the old window: slow up to 204, 4 segments at 0.2; then the distance over 3, e-fold in 3 rounds, up to 16
    bic.cc.set_cwnd(Bytes(204.0 * MSS));
    bic.rounds(6, 100.0);
    // 200 + 4 e^2 = 229.6
    within(bic.window(), 226.0, 230.0);
}

#[test]
fn highspeed_grows_faster_and_cuts_less_at_a_large_window() {
    // p(1000) = 0.001 * (1000/38)^-1.19785 = 1.9897e-5, b = 0.32988, a = 1e6 * 1.9897e-5 * 2 * 0.32988/1.67012 = 7.860
    let mut highspeed = Scene::new("highspeed", 1000.0, 100.0);
    highspeed.round(100.0);
    within(highspeed.window(), 1007.7, 1008.0); // NewReno 1001
    highspeed.cc.set_cwnd(Bytes(1000.0 * MSS));
    highspeed.loss();
    within(highspeed.window(), 670.0, 670.3); // NewReno 500
}

#[test]
fn scalable_recovers_in_the_same_time_at_every_window() {
    // a loss takes an eighth, a round gains a hundredth: ln(8/7) / ln(1.01) = 13.4 rounds, whatever the window
    for window in [200.0, 2000.0] {
        let mut scalable = Scene::new("scalable", window, 100.0);
        scalable.loss();
        within(scalable.window(), 0.875 * window, 0.875 * window);
        scalable.rounds(13, 100.0);
        assert!(scalable.window() < window);
        scalable.rounds(1, 100.0);
        assert!(scalable.window() > window, "{}", scalable.window());
    }
}

#[test]
fn htcp_grows_with_the_time_since_the_last_cut() {
    // 100 -> 50. A second of Reno's growth: 10 rounds, +10. In the next the increase is 1 + 10 x + x^2/4 per round,
    // with x from 0 to 1: 10 rounds of 1 + 5 + 1/12, +60.8. NewReno would add 10 in that second as well.
    let mut htcp = Scene::new("htcp", 100.0, 100.0);
    htcp.round(100.0);
    htcp.cc.set_cwnd(Bytes(100.0 * MSS));
    htcp.loss();
    htcp.rounds(10, 100.0);
    within(htcp.window(), 59.0, 60.0);
    htcp.rounds(10, 100.0);
    within(htcp.window(), 117.0, 121.0);
}

#[test]
fn htcp_cuts_to_the_least_over_the_largest_rtt() {
    // 8000 segments in 100 ms at the first cut, 1000 in 125 ms at the second: the same rate within 20 %, so what is
    // left is 100/125 of the window, not a half
    let mut htcp = Scene::new("htcp", 800.0, 100.0);
    htcp.round(100.0);
    htcp.loss();
    within(htcp.window(), 400.0, 401.0);
    htcp.cc.set_cwnd(Bytes(1000.0 * MSS));
    htcp.round(125.0);
    htcp.cc.set_cwnd(Bytes(1000.0 * MSS));
    htcp.loss();
    within(htcp.window(), 800.0, 800.01);
}

#[test]
fn illinois_grows_fast_without_a_queue_and_slowly_with_one() {
    // no delay at all: 10 per round and an eighth at a loss; at the largest delay 0.3 per round and a half
    let mut illinois = Scene::new("illinois", 100.0, 100.0);
    illinois.round(100.0); // tells the delay
    let start = illinois.window();
    illinois.rounds(10, 100.0);
    within(illinois.window() - start, 95.0, 100.0);
    illinois.cc.set_cwnd(Bytes(200.0 * MSS));
    illinois.loss();
    within(illinois.window(), 175.0, 175.0);
    illinois.cc.set_cwnd(Bytes(200.0 * MSS));
    illinois.round(200.0);
    let start = illinois.window();
    illinois.rounds(10, 200.0);
    within(illinois.window() - start, 2.9, 3.01);
    illinois.cc.set_cwnd(Bytes(200.0 * MSS));
    illinois.loss();
    within(illinois.window(), 100.0, 100.0);
}

#[test]
fn hybla_gains_the_same_rate_in_the_same_time_on_a_path_four_times_as_long() {
    // both from 800 segments per second. 25 ms: 20 -> 60 segments in 40 rounds, 2400/s. 100 ms: rho = 4, 16 per round:
    // 80 -> 240 in 10 rounds, 2400/s. NewReno would reach 90 segments, 900/s.
    let mut short = Scene::new("hybla", 20.0, 25.0);
    short.rounds(40, 25.0);
    within(short.window() / 0.025, 2290.0, 2400.0);
    let mut long = Scene::new("hybla", 80.0, 100.0);
    long.rounds(10, 100.0);
    within(long.window() / 0.1, 2290.0, 2400.0);
}

#[test]
fn ledbat_holds_the_target_delay_and_gives_way_to_others() {
    // a pipe of 100 segments in 100 ms: a queue of 100 ms is another 100 segments. From 150 it nears 200 by 1/100 of
    // the rest per round: 200 - 50 e^-5 = 199.7 after 500 rounds. NewReno would stand at 650.
    let mut ledbat = Scene::new("ledbat", 150.0, 100.0);
    ledbat.round(100.0);
    ledbat.rounds_with_queue(500, 100.0, 100.0);
    within(ledbat.window(), 198.0, 201.0);
    // somebody else fills the queue to 250 ms: -1.5 segments per round, until two are left
    ledbat.rounds(40, 350.0);
    within(ledbat.window(), 138.0, 142.0);
    ledbat.rounds(120, 350.0);
    within(ledbat.window(), 2.0, 2.0);
}

#[test]
fn dctcp_cuts_by_half_the_share_of_marks() {
    // one ACK in ten is marked: alpha comes to 0.1, a window loses 5 % and gains 0.9. Rest: (w + 0.9) * 0.95 = w at
    // 17.1. NewReno, told once per window, would halve to the floor of two segments.
    let mut dctcp = Scene::new("dctcp", 40.0, 1.0);
    dctcp.marks = 10;
    dctcp.rounds(200, 1.0);
    let mut mean = 0.0;
    for _ in 0..100 {
        dctcp.round(1.0);
        mean += dctcp.window() / 100.0;
    }
    within(mean, 15.5, 18.5);
    let mut newreno = Scene::new("newreno", 40.0, 1.0);
    for _ in 0..100 {
        newreno.round(1.0);
        newreno.congestion(Cause::EcnMark);
    }
    within(newreno.window(), 2.0, 2.0);
}

#[test]
fn prague_rests_at_two_marks_per_round() {
    // one segment in ten is marked: two marks per round are a window of 20. alpha comes to 0.1, a cut is 5 %, and the
    // marks, ten ACKs apart, let cuts come every second one: 20 ACKs, or w / 20 rounds of 0.9 segments each in between
    let mut prague = Scene::new("prague", 40.0, 100.0);
    prague.marks = 10;
    prague.rounds(200, 100.0);
    let mut mean = 0.0;
    for _ in 0..100 {
        prague.round(100.0);
        mean += prague.window() / 100.0;
    }
    within(mean, 17.0, 22.0);
}

#[test]
fn vegas_rests_with_one_to_three_segments_in_the_queue() {
    // a pipe of 100 segments: between 101 and 103, from below and from above
    for start in [80.0, 130.0] {
        let mut vegas = Scene::new("vegas", start, 100.0);
        vegas.round(100.0);
        vegas.rounds_with_queue(80, 100.0, 100.0);
        within(vegas.window(), 100.9, 104.0);
    }
}

#[test]
fn yeah_leaves_fast_mode_when_queueing_exceeds_an_eighth_of_the_rtt() {
    // 300 segments, one more per 100 acknowledged: +3 per round in fast mode, +1 in slow mode. 112 ms is an eighth of
    // 100 ms at most, 113 ms is more; the queue of 34.5 segments is below 80, so there is no preventive cut.
    let mut yeah = Scene::new("yeah", 300.0, 100.0);
    yeah.round(112.0);
    yeah.round(112.0);
    within(yeah.window(), 305.9, 306.1);
    yeah.round(113.0); // told at its end
    let slow = yeah.window();
    within(slow, 308.9, 309.2);
    yeah.round(113.0);
    within(yeah.window() - slow, 0.99, 1.01);
    yeah.round(100.0);
    let fast = yeah.window();
    yeah.round(100.0);
    within(yeah.window() - fast, 3.0, 3.2);
}

#[test]
fn yeah_gives_the_queue_back_before_there_is_a_loss() {
    // 600 segments and 125 ms: 120 of them queue, more than 80: 480 at the end of the round. NewReno would go on.
    let mut yeah = Scene::new("yeah", 600.0, 100.0);
    yeah.round(100.0);
    yeah.cc.set_cwnd(Bytes(600.0 * MSS));
    yeah.round(125.0);
    within(yeah.window(), 480.0, 486.0);
}

/// The window once per second after a cut from 100 segments, with an RTT of 200 ms.
fn curve(algorithm: &str) -> Vec<f64> {
    let mut scene = Scene::new(algorithm, 100.0, 200.0);
    scene.loss();
    (0..9)
        .map(|_| {
            let now = scene.window();
            scene.rounds(5, 200.0);
            now
        })
        .collect()
}

#[test]
fn cubic_is_concave_up_to_the_old_window_and_convex_beyond() {
    // K = cbrt(30/0.4) = 4.217 s: 100 + 0.4 (t - K)^3 is 70, 86.7, 95.6, 99.3, 100.0, 100.2, 102.3, 108.6, 121.6. The
    // window follows it within a round trip. NewReno would be a straight line from 50 to 90.
    let expected = [70.0, 86.7, 95.6, 99.3, 100.0, 100.2, 102.3, 108.6, 121.6];
    for (t, (w, e)) in curve("cubic").into_iter().zip(expected).enumerate() {
        assert!((w - e).abs() < 2.0, "at {t} s: {w}, not {e}");
    }
}

#[test]
fn cubic_2008_keeps_four_fifths_and_is_back_earlier() {
    // K = cbrt(100 * 0.2/0.4) = 3.684 s: 80, 92.3, 98.1, 99.9, 100.0, 100.9, 105.0, 114.6, 132.1
    let expected = [80.0, 92.3, 98.1, 99.9, 100.0, 100.9, 105.0, 114.6, 132.1];
    for (t, (w, e)) in curve("cubic-2008").into_iter().zip(expected).enumerate() {
        assert!((w - e).abs() < 2.5, "at {t} s: {w}, not {e}");
    }
}

#[test]
fn westwood_sets_the_window_to_bandwidth_times_least_rtt() {
    // about 60 segments per 150 ms, 400/s, and a least RTT of 100 ms: 40 segments remain. Without a queue all 60 would,
    // and with NewReno half of them in either case. The filters lag a little behind a window that grows by one per
    // round.
    for (algorithm, rounds) in [("westwood", 40), ("westwood-plus", 60)] {
        let mut queued = Scene::new(algorithm, 60.0, 100.0);
        let mut free = Scene::new(algorithm, 60.0, 100.0);
        for _ in 0..rounds {
            for (scene, rtt_ms) in [(&mut queued, 150.0), (&mut free, 100.0)] {
                scene.round(rtt_ms);
                scene.cc.set_cwnd(Bytes(60.0 * MSS));
            }
        }
        queued.loss();
        free.loss();
        within(queued.window(), 39.0, 41.0);
        within(free.window(), 58.0, 61.0);
    }
}

#[test]
fn veno_keeps_four_fifths_without_a_queue_and_half_with_one() {
    // 60 segments: at 100 ms none queues, at 110 ms 60 * 10/110 = 5.5, more than 3
    for (rtt_ms, left) in [(100.0, 48.0), (110.0, 30.0)] {
        let mut veno = Scene::new("veno", 60.0, 100.0);
        veno.round(100.0);
        veno.cc.set_cwnd(Bytes(60.0 * MSS));
        veno.rounds(2, rtt_ms);
        veno.cc.set_cwnd(Bytes(60.0 * MSS));
        veno.loss();
        within(veno.window(), left, left + 0.01);
    }
}

#[test]
fn mveno_on_one_path_is_veno_that_never_forgets_its_base() {
    // With 60 segments none queues at 100 ms, and 6.4 do at 112 ms. Between, losses: four fifths with none, half with
    // six. Nothing of the coupling shows. NewReno would have half both times, and a segment more each round.
    let mut veno = Scene::with("veno", 60.0, 100.0, |config| config.set_choice("veno_base_reset", "never").unwrap());
    let mut mveno = Scene::new("mveno", 60.0, 100.0);
    let mut windows = Vec::new();
    for (rtt_ms, lost) in [(100.0, false), (112.0, false), (112.0, false), (112.0, true), (112.0, false), (100.0, true)]
    {
        for scene in [&mut veno, &mut mveno] {
            scene.round(rtt_ms);
            if lost {
                scene.loss();
            }
        }
        assert_eq!(veno.window(), mveno.window());
        windows.push(mveno.window());
    }
    // 60 and nearly 1, nearly 1 (the queue is told at the round's end), a half, a half; half of 62 whole ones; a half
    // (31 * 12/112 = 3.3 queue); four fifths of 31
    let expected = [60.99, 61.98, 62.48, 31.0, 31.5, 24.8];
    for (w, e) in windows.iter().zip(expected) {
        assert!((w - e).abs() < 0.03, "{windows:?}");
    }
}
