//! CUBIC with either HyStart leaves its first slow start before the buffer overflows.

use tcp::Profile;

use crate::common::*;

#[test]
fn the_first_slow_start_ends_without_a_loss() {
    // 10 Mbps and 45 ms hold 38 segments; the buffer takes 500 more. Doubling goes from 10 over 160 and 320 to 640,
    // which is too many. At 160 at the latest there is a queue of more than an eighth of the RTT; then at most five
    // rounds of a quarter more: 160 * 1.25^5 = 488 segments.
    let run = |algorithm, hystart, seconds| {
        let core = direction(10_000_000, 20, 500);
        let mut network = dumbbell(1, core, &direction(1_000_000_000, 1, 1000), algorithm, Profile::Rfc);
        tcp(&mut network.flows[0]).algorithm.set_choice("hystart", hystart).unwrap();
        run(&network, 1, &options(seconds)).flows.remove(0)
    };
    // Linux's compares with the least RTT of all and ends slow start in that round: at 160 + 160 segments at the
    // latest.
    // Before a loss Linux's window grows by up to a 20th per round trip in congestion avoidance: from 520 segments at
    // 2 s it fills the buffer at 3 s.
    for (algorithm, seconds) in [("cubic", 5.0), ("cubic-linux", 2.5)] {
        let without = run(algorithm, "off", seconds);
        assert!(without.sender.window_cuts > 0 && without.sender.retransmitted_segments > 50, "{algorithm}");
        for word in ["rfc9406", "linux"] {
            let with = run(algorithm, word, seconds);
            assert_eq!((with.sender.window_cuts, with.sender.retransmitted_segments), (0, 0), "{algorithm} {word}");
            // and the link is no less busy, but for the first few round trips
            let delivered = with.delivered_bytes as f64 * 8.0;
            assert!(delivered > 0.9 * seconds * 10e6 * 1460.0 / 1500.0, "{algorithm} {word}: {delivered}");
        }
    }
}
