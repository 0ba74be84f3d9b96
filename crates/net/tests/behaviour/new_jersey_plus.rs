//! New Jersey+ adds a segment at a loss without a warning, and takes the rate for the threshold.

use tcp::Why;

use crate::new_jersey::{LATE, OWND, warned};
use crate::one_flow::*;

#[test]
fn a_loss_without_a_warning_adds_a_segment() {
    let run = full_queue(&[LATE]).run("newjersey-plus");
    let kept = run.change(0);
    assert_eq!((kept.why, kept.cwnd_after), (Why::JudgedRandom, kept.cwnd_before + 1.0));
    assert_near(kept.ssthresh_after, OWND);
    assert_eq!(run.exit().cwnd_after, kept.cwnd_after);
}

#[test]
fn a_warned_loss_is_new_jerseys() {
    warned("newjersey-plus");
}
