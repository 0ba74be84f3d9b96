//! Adaptive TCP keeps the more of the window the nearer the RTT is to its minimum.

use tcp::Why;

use crate::one_flow::*;

/// Exact RTTs, which can be followed by hand.
fn by_sample(config: &mut cc::Config) {
    config.set_choice("adapt_rtt", "sample").unwrap();
}

/// Window 20, base RTT 12.4 ms: RTTs from 12.4 to 31.4 in the first window, 20 from then on:
/// alpha = (31.4 - 20) / (31.4 - 12.4) = 0.6.
fn three_fifths(lost: &[u64]) -> OneFlow {
    OneFlow { base_ms: 12.4, window: 20, ..empty_queue(lost) }
}

#[test]
fn three_fifths_of_what_would_be_lost_are_kept() {
    // half of the flight is 10: 10 + 0.6 * (21.02 - 10) = 16.6
    let path = three_fifths(&[130]);
    let run = path.run_with("adaptive", by_sample);
    let cut = run.change(0);
    assert_eq!((cut.why, cut.segment), (Why::JudgedRandom, 130));
    assert_near(cut.cwnd_after, 16.6);
    assert_near(cut.ssthresh_after, 16.6);
    assert_eq!(run.exit().cwnd_after, cut.cwnd_after);
    assert_eq!(path.run("newreno").change(0).cwnd_after, 10.0);
}

#[test]
fn a_timeout_leaves_part_of_the_window() {
    // 1 + 0.6 * (21.02 - 1) = 13.0, ssthresh 10
    let run = three_fifths(&whole_window(130, 20)).run_with("adaptive", by_sample);
    let cut = run.change(0);
    assert_eq!((cut.why, cut.ssthresh_after), (Why::JudgedRandom, 10.0));
    assert_near(cut.cwnd_after, 13.0);
}

#[test]
fn the_least_rtt_keeps_everything() {
    // RTTs from 101 to 120, then 101: alpha = 1
    let run = empty_queue(&[130]).run_with("adaptive", by_sample);
    let kept = run.change(0);
    assert_eq!((kept.why, kept.cwnd_after), (Why::JudgedRandom, kept.cwnd_before));
}

#[test]
fn a_long_queue_is_congestion() {
    // RTTs from 21 to 80, then 60: alpha = 20/59 = 0.339: 30 + 0.339 * (61 - 30) = 40.5
    let cut = *full_queue(&[250]).run_with("adaptive", by_sample).change(0);
    assert_eq!(cut.why, Why::DupAcks);
    assert_near(cut.cwnd_after, 40.5);
}
