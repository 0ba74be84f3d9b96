//! EWR asks how many of its segments wait before it answers a timeout, and, if it is to grow as Vegas, while it grows.

use tcp::Why;

use crate::one_flow::*;

#[test]
fn a_timeout_without_a_queue_is_wireless_and_goes_on_at_the_rate() {
    // RTT = base: x = 0 < 1. Samples: 960 kB/s within a window, 960 B / 82 ms = 11.7 kB/s at its first segment. After
    // that of segment 120 BW = 0.7 * 960 + 0.3 * 11.7 = 675.5, nine more leave 960 - 284.5 * 0.7^9 = 948.5 kB/s; times
    // 101 ms: 99.8 segments
    let ewr = empty_queue(&whole_window(130, 20)).run("ewr");
    assert_eq!((ewr.change(0).why, ewr.change(0).segment), (Why::JudgedRandom, 130));
    assert_near(ewr.change(0).cwnd_after, 99.8);
    assert_near(ewr.change(0).ssthresh_after, 99.8);
}

#[test]
fn a_timeout_behind_a_long_queue_starts_over() {
    // x = 61 * (1 - 21/60) = 39.7 > 9; oC = 21
    let ewr = full_queue(&whole_window(250, 60)).run("ewr");
    assert_eq!((ewr.change(0).why, ewr.change(0).cwnd_after), (Why::Timeout, 1.0));
    assert_near(ewr.change(0).ssthresh_after, 21.0);
}

#[test]
fn a_timeout_between_changes_nothing() {
    // window 26: x = 27 * (1 - 21/26) = 5.2
    let path = OneFlow { base_ms: 21.0, window: 26, ..empty_queue(&whole_window(130, 26)) };
    let ewr = path.run("ewr");
    let kept = ewr.change(0);
    assert_eq!((kept.why, kept.cwnd_after, kept.ssthresh_after), (Why::Timeout, kept.cwnd_before, 26.0));
    assert_eq!((ewr.flow.sender.window_cuts, ewr.flow.sender.judged_random), (0, 0));
    // not so NewReno
    assert_eq!(path.run("newreno").change(0).cwnd_after, 1.0);
}

#[test]
fn growing_as_vegas_the_window_stops_with_one_segment_in_the_queue() {
    // the first window's RTTs of up to 80 ms show a long queue: down to oC = 21; then up while x < 1: 22 * (1 - 21/22)
    // = 1. NewReno: 60^2
    // + 2 * 1500 = 81^2
    let path = OneFlow { receiver_window: Some(1000), ..full_queue(&[1500]) };
    let held = path.run_with("ewr", |config| config.set_choice("ewr_growth", "vegas").unwrap()).change(0).cwnd_before;
    assert!((21.9..23.1).contains(&held), "{held}");
    assert_near(path.run("newreno").change(0).cwnd_before, 81.2);
}
