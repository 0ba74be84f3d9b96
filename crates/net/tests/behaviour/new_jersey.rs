//! New Jersey cuts only when routers warn, and then to the rate at the receiver.

use tcp::Why;

use crate::one_flow::*;

/// 20 windows: the smoothed RTT has taken 20 samples of 60 ms after one of 21.
pub const LATE: u64 = 1250;
/// A segment per millisecond times the smoothed RTT in milliseconds: 60 - 39 * (7/8)^20.
pub const OWND: f64 = 57.3;

/// Marks begin with five packets in the queue, that is with a window of about 21 + 5 + 1. From the first window on rate
/// control has held the window there: ownd is a segment per millisecond times an RTT of 26 to 27 ms.
pub fn warned(name: &str) {
    let run = OneFlow { marks_from: Some(5.0), ..full_queue(&[LATE]) }.run(name);
    let cut = run.change(0);
    assert!((25.5..27.5).contains(&cut.cwnd_after), "{cut:?}");
    assert_eq!((cut.why, cut.ssthresh_after), (Why::DupAcks, cut.cwnd_after));
    assert_eq!(run.flow.sender.judged_random, 0);
}

#[test]
fn a_loss_without_a_warning_cuts_nothing() {
    let run = full_queue(&[LATE]).run("newjersey");
    let kept = run.change(0);
    assert_eq!((kept.why, kept.cwnd_after, kept.ssthresh_after), (Why::JudgedRandom, kept.cwnd_before, 60.0));
    assert_eq!(run.exit().cwnd_after, kept.cwnd_before);
}

#[test]
fn a_warned_loss_takes_the_window_that_the_rate_fills() {
    warned("newjersey");
}

#[test]
fn a_timeout_without_a_warning_goes_on_at_the_rate() {
    // ownd has hardly moved since the ACK before
    let run = full_queue(&whole_window(LATE, 60)).run("newjersey");
    assert_eq!(run.change(0).why, Why::JudgedRandom);
    assert_near(run.change(0).cwnd_after, OWND);
    assert_near(run.change(0).ssthresh_after, OWND);
}
