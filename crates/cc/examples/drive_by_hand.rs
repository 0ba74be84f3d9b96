//! A congestion control algorithm driven by hand: events in, windows out.
//!
//!     cargo run -p windlass-cc --example drive_by_hand
//!
//! An algorithm is a plain value. What calls it here, crate `tcp` in a simulation and any other stack are the same to
//! it.

use cc::{Ack, Cause, Config, Congestion, CongestionControl, Path, RecoveryExit, Response};
use units::{Bytes, Span, Time};

const MSS: Bytes = Bytes(1000.0);

fn main() {
    print!("{}", story("newreno"));
}

/// What an algorithm does on four round trips, a loss, three round trips and a timeout: its windows in segments.
fn story(name: &str) -> String {
    // By name from the registry; `set_number` and its like change parameters before `build`.
    let mut algorithm = Config::named(name).expect("the registry has it").build();
    // What the stack knows of the path, brought up to date before each event.
    let rtt = Span::from_millis(100);
    let mut path =
        Path { mss: MSS, srtt: rtt, rtt, rtt_min: rtt, rwnd: 1000.0 * MSS, dup_threshold: 3, ..Path::default() };
    let mut now = Time::ZERO;
    let mut story = String::new();
    let mut tell = |what: &str, algorithm: &cc::Algorithm| {
        let (cwnd, ssthresh) = (algorithm.cwnd().over(MSS), algorithm.ssthresh().over(MSS));
        story += &format!("{what:<22} cwnd {cwnd:>6.2}  ssthresh {ssthresh:>6.2}\n");
    };

    algorithm.on_init(2.0 * MSS, 1000.0 * MSS, &path);
    tell("open", &algorithm);
    for _ in 0..4 {
        round_trip(&mut algorithm, &mut path, &mut now);
        tell("a round trip", &algorithm);
    }

    // The third duplicate ACK. What a halving starts from is true only now, so it travels in the event.
    path.flight_size = algorithm.cwnd();
    let loss = Congestion {
        now,
        cause: Cause::DupAcks,
        cut_already: false,
        timeouts: 0,
        retransmitted: false,
        sent_at: None,
        hold_ssthresh: false,
        halving: path.halving(path.flight_size),
    };
    assert_eq!(algorithm.on_congestion(&loss, &path), Response::Reduced);
    // The stack repairs the loss. It proposes the window to go on with; the algorithm may take another.
    now += rtt;
    algorithm.on_recovery_exit(&RecoveryExit { now, window: algorithm.cwnd(), inflated: false }, &path);
    tell("a loss, repaired", &algorithm);
    for _ in 0..3 {
        round_trip(&mut algorithm, &mut path, &mut now);
        tell("a round trip", &algorithm);
    }

    let halving = path.halving(algorithm.cwnd());
    let timeout = Congestion { now, cause: Cause::Rto, timeouts: 1, halving, ..loss };
    assert_eq!(algorithm.on_congestion(&timeout, &path), Response::Reduced);
    tell("a timeout", &algorithm);
    story
}

/// All segments of the window are acknowledged, one by one.
fn round_trip(algorithm: &mut cc::Algorithm, path: &mut Path, now: &mut Time) {
    *now += path.rtt;
    let segments = algorithm.cwnd().over(MSS) as u32;
    for left in (0..segments).rev() {
        path.flight_size = f64::from(left) * MSS;
        let ack = Ack {
            now: *now,
            newly_acked: MSS,
            grows: true,
            slow_start: MSS,
            avoidance: MSS,
            rtt: Some(path.rtt),
            ..Ack::default()
        };
        algorithm.on_ack(&ack, path);
    }
}

/// Slow start doubles. The loss halves 32 to 16. After that it is one segment for each round trip, a little less
/// because the window grows while its ACKs come. The timeout leaves one segment, and half of 18.82 as the threshold.
#[test]
fn newreno() {
    let end = "\
a round trip           cwnd  32.00  ssthresh 1000.00
a loss, repaired       cwnd  16.00  ssthresh  16.00
a round trip           cwnd  16.97  ssthresh  16.00
a round trip           cwnd  17.89  ssthresh  16.00
a round trip           cwnd  18.82  ssthresh  16.00
a timeout              cwnd   1.00  ssthresh   9.41
";
    assert!(story("newreno").ends_with(end), "{}", story("newreno"));
}
