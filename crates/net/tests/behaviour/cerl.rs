//! CERL keeps the window at a loss behind a short queue, and cuts once per window at one behind a long queue.

use tcp::Why;

use crate::one_flow::*;

#[test]
fn a_random_loss_keeps_the_window() {
    // the first window showed a queue of 19 ms, so N = 0.55 * 19 = 10.45 ms; the newest RTT shows none: l = 0
    let cerl = empty_queue(&[130]).run("cerl");
    let (kept, exit) = (cerl.change(0), cerl.exit());
    assert_eq!((kept.why, kept.cwnd_after, kept.ssthresh_after), (Why::JudgedRandom, kept.cwnd_before, 20.0));
    assert_eq!(exit.cwnd_after, kept.cwnd_before);
    assert_eq!((cerl.flow.sender.judged_random, cerl.flow.sender.window_cuts), (1, 0));
}

#[test]
fn a_congestive_loss_halves_once_per_window() {
    // lmax = 59 ms, N = 32.45 ms; l = 60 - 21 = 39 ms. Both losses are of the window that is outstanding at the first.
    let path = OneFlow { receiver_window: Some(1000), ..full_queue(&[100, 110]) };
    let cerl = path.run("cerl");
    let (first, second) = (cerl.change(0), cerl.change(1));
    assert_eq!((first.why, first.segment), (Why::DupAcks, 100));
    assert_eq!(first.cwnd_after, first.cwnd_before / 2.0);
    assert_eq!((second.why, second.segment), (Why::SameWindow, 110));
    assert_eq!(second.cwnd_after, first.cwnd_after);
    assert_eq!(cerl.flow.sender.window_cuts, 1);
}

#[test]
fn the_threshold_is_55_percent_of_the_longest_queue() {
    // window 44, base 21: lmax = 43, N = 23.65 ms; the segments before 50 left at a window of 44: l = 44 - 21 = 23 ms
    let path = OneFlow { base_ms: 21.0, window: 44, ..empty_queue(&[50]) };
    assert_eq!(path.run("cerl").change(0).why, Why::JudgedRandom);
    // a share of 0.5: N = 21.5 ms
    let lower = path.run_with("cerl", |config| config.set_number("cerl_A", 0.5).unwrap());
    assert_eq!(lower.change(0).why, Why::DupAcks);
}
