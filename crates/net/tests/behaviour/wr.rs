//! WR sizes the window to the rate at which segments reached the receiver.

use tcp::Why;

use crate::one_flow::*;

#[test]
fn duplicate_acks_leave_the_pipe_without_the_queue() {
    // segments reach the receiver every millisecond, whatever waits: 960 kB/s * 21 ms = 21 segments, where NewReno
    // keeps 30
    let path = full_queue(&[250]);
    let wr = path.run("wr");
    assert_eq!(wr.change(0).why, Why::DupAcks);
    assert_near(wr.change(0).cwnd_after, 21.0);
    assert_near(wr.change(0).ssthresh_after, 21.0);
    assert_eq!(path.run("newreno").change(0).cwnd_after, 30.0);
}

#[test]
fn a_timeout_keeps_the_pipe_for_the_threshold() {
    let wr = full_queue(&whole_window(250, 60)).run("wr");
    assert_eq!((wr.change(0).why, wr.change(0).cwnd_after), (Why::Timeout, 1.0));
    assert_near(wr.change(0).ssthresh_after, 21.0);
}
