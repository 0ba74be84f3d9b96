//! Response functions: the mean window at a steady loss rate, against theory. Every 1/p-th packet of the one flow is
//! lost, on a wide link without a queue, RTT 0.1 s; the numbers in the comments are worked from the formulas.

mod common;

use common::*;
use net::*;
use tcp::Profile;
use units::Span;

const RTT: f64 = 0.1;

/// Mean window in segments, over time, when every `spacing`-th packet is lost; the flow starts near `window`.
fn mean_window(algorithm: &str, spacing: u64, window: f64) -> f64 {
    // 45 losses, of which the first 15 are not measured
    let cycle = spacing as f64 * RTT / window;
    let (warmup, seconds) = ((15.0 * cycle).ceil(), (45.0 * cycle).ceil());
    let mut core = direction(10_000_000_000, 0, 100_000);
    core.delay = Span(49_990_000);
    core.drops = (1..100).map(|n| n * spacing).collect();
    let mut access = direction(10_000_000_000, 0, 100_000);
    access.delay = Span(4000);
    let mut network = dumbbell(1, core, &access, algorithm, Profile::Rfc);
    network.links[0].reverse.drops.clear(); // ACKs are not lost
    let rules = &mut tcp(&mut network.flows[0]).rules;
    rules.window = 100_000;
    rules.delayed_ack = 1;
    rules.initial_ssthresh = Some(window as u32);
    let results = run(&network, 1, &RunOptions { warmup: Span::from_secs(warmup), ..options(seconds) });
    let flow = &results.flows[0];
    assert_eq!(flow.sender.timeouts, 0, "{algorithm}");
    flow.measured_bytes as f64 / 1460.0 / (seconds - warmup) * RTT
}

#[track_caller]
fn near(algorithm: &str, spacing: u64, expected: f64, tolerance: f64) {
    let mean = mean_window(algorithm, spacing, expected);
    assert!(
        (mean / expected - 1.0).abs() < tolerance,
        "{algorithm}, 1/{spacing}: {mean:.1} segments, not {expected:.1}"
    );
}

#[test]
fn reno_has_the_square_root() {
    // sqrt(1.5 / p), less a little for the round trip that each recovery takes
    near("sack", 1000, 38.7, 0.06);
    near("sack", 10_000, 122.5, 0.03);
}

#[test]
fn highspeed() {
    // RFC 3649, section 5: 0.12 / p^0.835, less a little for the recoveries
    near("highspeed", 10_000, 262.5, 0.04);
    near("highspeed", 30_000, 657.0, 0.04);
    near("highspeed", 100_000, 1795.5, 0.04);
}

#[test]
fn scalable() {
    // Kelly 2003: 0.075 / p. A cycle takes 13.4 round trips, and with the recovery, at 7/8 of the largest window Wm,
    // 14.4: 1/p = 12.5 Wm + 0.875 Wm packets in it, and a mean of 1/p / 14.4 = 0.0694 / p
    near("scalable", 2000, 138.8, 0.03);
    near("scalable", 20_000, 1388.0, 0.03);
}

#[test]
fn htcp_grows_with_the_square_of_time() {
    // Without a queue RTTmin / RTTmax is 1: beta 0.8, an increase of 0.4 a. A cycle of 3 s gains
    // 0.4/0.1 (1 + 2 + 5 * 4 + 8/12) = 4 * 23.667 = 94.67 = 0.2 Wm: Wm 473.3. It carries
    // (0.8 * 473.3 * 3 + 4 * (4.5 + 5/3 * 8 + 16/48)) / 0.1 = 12 087 packets, a mean of 402.9 segments.
    near("htcp", 12_087, 402.9, 0.02);
}

#[test]
fn illinois_without_a_queue() {
    // alpha 10, beta 1/8. Growth from 7/8 Wm to Wm takes Wm/80 round trips, with a mean of 15/16 Wm; the recovery one
    // at 7/8 Wm: 10 000 = 0.01172 Wm^2 + 0.875 Wm, Wm = 887, mean 10 000 / (11.09 + 1) = 827
    near("illinois", 10_000, 827.0, 0.03);
}

#[test]
fn hybla_at_four_times_the_reference_round_trip() {
    // rho 4, 16 segments per round trip. From Wm/2 to Wm in Wm/32 round trips with a mean of 3/4 Wm, and a recovery at
    // Wm/2: 10 000 = 0.02344 Wm^2 + 0.5 Wm, Wm = 642.6, mean 10 000 / (20.08 + 1) = 474
    near("hybla", 10_000, 474.0, 0.03);
}

#[test]
fn cubic() {
    // RFC 9438, section 5.1: 1.054 (RTT / p)^0.75 = 1.054 * 1000^0.75 = 187.4. The formula leaves out fast
    // convergence, which aims 15 % lower after every cycle that ends below the one before.
    near("cubic", 10_000, 187.4, 0.15);
}
