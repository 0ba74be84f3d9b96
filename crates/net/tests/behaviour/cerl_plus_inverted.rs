//! CERL+ with the factor turned over: the threshold falls as the mean queue grows.

use tcp::Why;

use crate::one_flow::*;

#[test]
fn it_tells_losses_apart() {
    // no queue: l = 0
    assert_eq!(empty_queue(&[130]).run("cerl-plus-inverted").change(0).why, Why::JudgedRandom);
    // mean RTT about 60: A = 21/60, N = 0.35 * 59 = 20.7 ms < 39 ms
    let full = full_queue(&[100]).run("cerl-plus-inverted");
    assert_eq!((full.change(0).why, full.change(0).cwnd_after), (Why::DupAcks, 30.0));
}

#[test]
fn it_cuts_where_cerl_keeps() {
    // l = 23 ms, lmax = 43 ms as for CERL, whose N is 23.65. RTTs 21 to 64 (mean 42.5) and six of 44: mean 42.7; A =
    // 21/42.7 = 0.492, N = 21.1 ms
    let path = OneFlow { base_ms: 21.0, window: 44, ..empty_queue(&[50]) };
    let run = path.run("cerl-plus-inverted");
    assert_eq!((run.change(0).why, run.change(0).cwnd_after), (Why::DupAcks, 22.0));
    assert_eq!(path.run("cerl").change(0).why, Why::JudgedRandom);
}
