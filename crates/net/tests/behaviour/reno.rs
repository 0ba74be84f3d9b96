//! Reno's fast recovery ends with the first new ACK; two losses in a window leave it to the timer.

use tcp::Why;

use crate::one_flow::*;

#[test]
fn a_second_loss_in_the_window_waits_for_the_timer() {
    // 130 and 135 of the window 130 to 149 are lost. 18 duplicates come; the window of 20 is full, so nothing new
    // leaves. The retransmission of 130 brings an ACK up to 135, no more duplicates follow, and 15 segments are
    // outstanding with a window of 10.
    let path = empty_queue(&[130, 135]);
    let reno = path.run("reno");
    assert_eq!((reno.change(0).why, reno.change(0).cwnd_after), (Why::DupAcks, 10.0));
    assert_eq!(reno.exit().segment, 135);
    let timeout = reno.change(1);
    // half of 15
    assert_eq!((timeout.why, timeout.cwnd_after, timeout.ssthresh_after), (Why::Timeout, 1.0, 7.5));
    assert_eq!(reno.flow.sender.timeouts, 1);
    // NewReno goes on to the whole window's end
    let newreno = path.run("newreno");
    assert_eq!((newreno.exit().segment, newreno.flow.sender.timeouts), (150, 0));
    assert_eq!(newreno.flow.sender.window_cuts, 1);
}
