//! Tahoe starts over with one segment after duplicate ACKs; NewReno recovers with half the window.

use tcp::Why;

use crate::one_flow::*;

#[test]
fn duplicate_acks_leave_one_segment_and_no_recovery() {
    let path = empty_queue(&[130]);
    // flight 20: ssthresh 10 for both
    let tahoe = path.run("tahoe");
    let cut = tahoe.change(0);
    assert_eq!((cut.why, cut.segment, cut.cwnd_after, cut.ssthresh_after), (Why::DupAcks, 130, 1.0, 10.0));
    assert!(tahoe.events.iter().all(|e| e.why != Why::RecoveryExit));
    let newreno = path.run("newreno");
    assert_eq!((newreno.change(0).cwnd_after, newreno.change(0).ssthresh_after), (10.0, 10.0));
    newreno.exit();
}
