//! What an ACK counts for is the engine's rule, and every algorithm grows by it: the same where each segment has its
//! ACK and where every second one has, if bytes are counted, and half as fast with every second one if ACKs are.
//! Source: RFC 3465.

use cc::registry::{Config, windowed};
use cc::{Ack, Algorithm, Cause, Congestion, CongestionControl, Path, Round};
use units::{Bytes, Span, Time};

const MSS: f64 = 1000.0;
const BASE_MS: f64 = 100.0;

#[derive(Clone, Copy, PartialEq)]
enum Count {
    Bytes,
    Acks,
}

/// A sender that fills its window, on a path with this RTT.
#[derive(Clone)]
struct Scene {
    cc: Algorithm,
    path: Path,
    rtt_ms: f64,
    now_ms: f64,
}

impl Scene {
    fn new(config: &Config, window: f64, ssthresh: f64, rtt_ms: f64) -> Scene {
        let base = Span::from_secs(BASE_MS / 1000.0);
        let path = Path {
            mss: Bytes(MSS),
            rwnd: Bytes(1e9),
            srtt: base,
            rtt: base,
            rtt_min: base,
            dup_threshold: 3,
            ..Path::default()
        };
        let mut cc = config.build();
        cc.on_init(Bytes(window * MSS), Bytes(ssthresh * MSS), &path);
        let mut scene = Scene { cc, path, rtt_ms: BASE_MS, now_ms: 5000.0 };
        // the first ACK tells the least RTT
        let first = Ack { grows: false, ..scene.ack(1.0, Count::Bytes, None) };
        scene.cc.on_ack(&first, &scene.path);
        scene.rtt_ms = rtt_ms;
        (scene.path.rtt, scene.path.srtt) = (Span::from_secs(rtt_ms / 1000.0), Span::from_secs(rtt_ms / 1000.0));
        scene
    }

    fn window(&self) -> f64 {
        self.cc.cwnd().0 / MSS
    }

    fn time(&self) -> Time {
        Time((self.now_ms * 1e6) as u64)
    }

    fn ack(&self, n: f64, count: Count, round: Option<Round>) -> Ack {
        let rtt = Span::from_secs(self.rtt_ms / 1000.0);
        let (slow_start, avoidance) = if count == Count::Bytes { (n.min(2.0), n) } else { (1.0, 1.0) };
        Ack {
            now: self.time(),
            newly_acked: Bytes(n * MSS),
            grows: true,
            slow_start: Bytes(slow_start * MSS),
            avoidance: Bytes(avoidance * MSS),
            rtt: Some(rtt),
            receiver_time: Some(self.time()),
            one_way_delay: Some(rtt - Span::from_secs(BASE_MS / 2000.0)),
            round,
            ..Ack::default()
        }
    }

    /// One round in which an ACK covers `d` segments. Returns the segments gained.
    fn round(&mut self, d: u32, count: Count) -> f64 {
        let (before, segments) = (self.window(), self.window() as u32);
        let length = Span::from_secs(self.rtt_ms / 1000.0);
        let mut left = segments;
        while left > 0 {
            let n = left.min(d);
            left -= n;
            self.now_ms += self.rtt_ms * f64::from(n) / f64::from(segments);
            self.path.flight_size = Bytes((self.window().floor() - f64::from(n)) * MSS);
            let round = (left == 0).then(|| Round { length, sent: Bytes(self.window().floor() * MSS) });
            let ack = self.ack(f64::from(n), count, round);
            self.cc.on_ack(&ack, &self.path);
        }
        self.window() - before
    }

    /// What the next round would gain with ACKs for each segment and for every second: bytes counted, then ACKs.
    fn gains(&self) -> [[f64; 2]; 2] {
        [Count::Bytes, Count::Acks].map(|count| [1, 2].map(|d| self.clone().round(d, count)))
    }

    fn lose(&mut self) {
        let window = Bytes(self.window().floor() * MSS);
        self.path.flight_size = window;
        let event = Congestion {
            now: self.time(),
            cause: Cause::DupAcks,
            cut_already: false,
            timeouts: 0,
            retransmitted: false,
            sent_at: None,
            hold_ssthresh: false,
            halving: self.path.halving(window),
        };
        self.cc.on_congestion(&event, &self.path);
    }
}

/// An ACK for every second segment makes no difference if bytes are counted, and takes this share of the gain if ACKs
/// are.
#[track_caller]
fn check(what: &str, scene: &Scene, share: std::ops::RangeInclusive<f64>) {
    let [bytes, acks] = scene.gains();
    assert!(bytes[0] > 0.2, "{what} does not grow: {bytes:?}");
    assert!((bytes[1] / bytes[0] - 1.0).abs() < 0.02, "{what}, bytes: {bytes:?}");
    assert_eq!(acks[0], bytes[0], "{what}: an ACK of one segment is one segment");
    assert!(share.contains(&(acks[1] / acks[0])), "{what}, ACKs: {acks:?}");
}

const HALF: std::ops::RangeInclusive<f64> = 0.48..=0.52;

fn with(name: &str, change: impl Fn(&mut Config)) -> Config {
    let mut config = Config::named(name).unwrap();
    change(&mut config);
    config
}

/// Those whose window follows something else than ACKs: BBR's the segments delivered, which its samples count.
const OTHERS: [&str; 3] = ["bbr", "bbr3", "bbr-linux"];

/// Those of Linux that grow otherwise than by what is acknowledged: by a segment per round, by ACKs whatever they
/// acknowledge, the faster the more an ACK covers, or with a count that begins anew. Their own tests say how.
const BY_OTHER_COUNTS: [&str; 5] = ["vegas-linux", "hybla-linux", "bic-linux", "illinois-linux", "htcp-linux"];

fn rows() -> impl Iterator<Item = Config> {
    windowed().filter(|row| !OTHERS.contains(&row.name)).map(Config::new)
}

#[test]
fn in_slow_start() {
    for config in rows().filter(|config| config.row().name != "hybla-linux") {
        let mut scene = Scene::new(&config, 20.0, 1e6, BASE_MS);
        if config.row().name == "vegas" {
            scene.round(1, Count::Bytes); // the rounds between do not grow
        }
        check(config.row().name, &scene, HALF);
    }
    let vegas = |name: &'static str, word: &'static str| with("vegas", move |c| c.set_choice(name, word).unwrap());
    for (what, config) in [
        ("vegas_impl = linux", vegas("vegas_impl", "linux")),
        ("vegas_ss = alt_ack", vegas("vegas_ss", "alt_ack")),
        ("ledbat_slow_start", with("ledbat", |c| c.set_flag("ledbat_slow_start", true).unwrap())),
        ("ewr_growth = plus_one", with("ewr", |c| c.set_choice("ewr_growth", "plus_one").unwrap())),
        ("ewr_growth = vegas", with("ewr", |c| c.set_choice("ewr_growth", "vegas").unwrap())),
    ] {
        check(what, &Scene::new(&config, 20.0, 1e6, BASE_MS), HALF);
    }
    // HyStart++ after its eighth late sample: a quarter of that
    let mut scene = Scene::new(&with("cubic", |c| c.set_choice("hystart", "rfc9406").unwrap()), 20.0, 1e6, BASE_MS);
    scene.round(1, Count::Bytes);
    scene.rtt_ms = 120.0;
    scene.round(1, Count::Bytes);
    let [bytes, _] = scene.gains();
    assert!((bytes[0] / scene.window().floor() - 0.25).abs() < 1e-9, "{bytes:?}");
    check("hystart", &scene, HALF);
}

/// Those of Linux count whole segments, of which a round may show none.
fn is_whole(name: &str) -> bool {
    matches!(name, "reno-linux" | "cubic-linux" | "yeah-linux" | "westwood-linux" | "veno-linux")
}

#[test]
fn in_congestion_avoidance_by_whole_segments() {
    for config in rows().filter(|config| is_whole(config.row().name)) {
        let scene = Scene::new(&config, 100.0, 2.0, BASE_MS);
        let gained = |d, count| {
            let mut scene = scene.clone();
            (0..10).map(|_| scene.round(d, count)).sum::<f64>()
        };
        let [bytes, acks] = [Count::Bytes, Count::Acks].map(|count| [1, 2].map(|d| gained(d, count)));
        let what = config.row().name;
        assert!(bytes[0] >= 9.0 && (bytes[1] / bytes[0] - 1.0).abs() < 0.05, "{what}, bytes: {bytes:?}");
        assert_eq!(acks[0], bytes[0], "{what}");
        assert!((0.4..=0.6).contains(&(acks[1] / acks[0])), "{what}, ACKs: {acks:?}");
    }
}

#[test]
fn in_congestion_avoidance() {
    for config in rows() {
        let name = config.row().name;
        if is_whole(name) || BY_OTHER_COUNTS.contains(&name) {
            continue;
        }
        let mut scene = Scene::new(&config, 100.0, 2.0, BASE_MS);
        // CUBIC's curve of 2008 is flat at first; FAST doubles as long as the queue is empty
        for _ in 0..20 {
            if scene.window() < 1000.0 {
                scene.round(1, Count::Bytes);
            }
        }
        // what CUBIC nears in a round is given by time: it comes less near, but more than half as near
        check(name, &scene, if name.starts_with("cubic") { 0.45..=0.7 } else { HALF });
    }
}

/// The rules of growth that an algorithm has beside the one of an empty queue and a middling window.
#[test]
fn in_congestion_avoidance_by_other_rules() {
    let default = |name| Config::named(name).unwrap();
    // 100 segments at 110 ms: 9 of them queue; at 130 ms 23
    for (name, window, rtt_ms) in [
        ("veno", 100.0, 110.0), // every second ACK
        ("mveno", 100.0, 110.0),
        ("yeah", 100.0, 130.0), // slow mode
        ("illinois", 100.0, 150.0),
        ("bic", 10.0, BASE_MS), // Reno's
        ("highspeed", 20.0, BASE_MS),
        ("highspeed", 1000.0, BASE_MS),
        ("scalable", 12.0, BASE_MS),
        ("htcp", 100.0, 150.0),
        ("ledbat", 100.0, 150.0),
    ] {
        let mut scene = Scene::new(&default(name), window, 2.0, rtt_ms);
        for _ in 0..3 {
            scene.round(1, Count::Bytes);
        }
        check(&format!("{name} at {window} and {rtt_ms} ms"), &scene, HALF);
    }
    let mut scene =
        Scene::new(&with("vegas", |c| c.set_choice("vegas_diff", "over_base").unwrap()), 100.0, 2.0, BASE_MS);
    scene.round(1, Count::Bytes);
    check("over_base", &scene, HALF);
    // a segment per round, however many ACKs there are
    let mut scene = Scene::new(&with("vegas", |c| c.set_choice("vegas_impl", "linux").unwrap()), 100.0, 2.0, BASE_MS);
    scene.round(1, Count::Bytes);
    assert_eq!(scene.gains(), [[1.0, 1.0]; 2]);
    for word in ["vegas", "plus_one"] {
        let ewr = with("ewr", |c| c.set_choice("ewr_growth", word).unwrap());
        check(word, &Scene::new(&ewr, 100.0, 2.0, BASE_MS), HALF);
    }
}

/// After a loss: CUBIC's friendly region is Reno's growth, its curve and BIC's search are their own.
#[test]
fn after_a_loss() {
    let default = |name| Config::named(name).unwrap();
    for (name, config, window, share) in [
        ("bic", default("bic"), 100.0, 0.5..=0.56), // it nears the old window by a share
        // the estimate of Reno's window is ahead of so slow a curve
        ("cubic, friendly", with("cubic", |c| c.set_number("cubic_c", 0.001).unwrap()), 100.0, HALF),
        ("cubic", default("cubic"), 1000.0, 0.5..=0.7),
        ("cubic-2008", default("cubic-2008"), 1000.0, 0.5..=0.7),
        ("htcp", default("htcp"), 100.0, HALF),
        ("yeah", default("yeah"), 100.0, HALF),
    ] {
        let mut scene = Scene::new(&config, window, 2.0, BASE_MS);
        scene.round(1, Count::Bytes);
        scene.lose();
        scene.round(1, Count::Bytes);
        check(name, &scene, share);
    }
}
