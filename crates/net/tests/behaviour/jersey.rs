//! Jersey cuts only when routers warn, and starts over at a timeout.

use tcp::Why;

use crate::new_jersey::{LATE, OWND, warned};
use crate::one_flow::*;

#[test]
fn a_loss_without_a_warning_cuts_nothing() {
    let run = full_queue(&[LATE]).run("jersey");
    let kept = run.change(0);
    assert_eq!((kept.why, kept.cwnd_after, kept.ssthresh_after), (Why::JudgedRandom, kept.cwnd_before, 60.0));
    assert_eq!(run.exit().cwnd_after, kept.cwnd_before);
}

#[test]
fn a_warned_loss_takes_the_window_that_the_rate_fills() {
    warned("jersey");
}

#[test]
fn a_timeout_starts_over_without_a_warning_too() {
    let run = full_queue(&whole_window(LATE, 60)).run("jersey");
    assert_eq!((run.change(0).why, run.change(0).cwnd_after), (Why::Timeout, 1.0));
    // NewReno has 30
    assert_near(run.change(0).ssthresh_after, OWND);
}
