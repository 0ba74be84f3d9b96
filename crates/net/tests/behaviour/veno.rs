//! Veno keeps four fifths of the window while the queue is short, and grows at half speed while it is long.

use tcp::Why;

use crate::one_flow::*;

#[test]
fn a_loss_without_a_queue_keeps_four_fifths() {
    // all RTTs of the last round are the base RTT: N = 0 < 3. Flight 20
    let path = empty_queue(&[130]);
    let veno = path.run("veno");
    let cut = veno.change(0);
    assert_eq!((cut.why, cut.cwnd_after, cut.ssthresh_after), (Why::JudgedRandom, 16.0, 16.0));
    assert_eq!((veno.flow.sender.judged_random, veno.flow.sender.window_cuts), (1, 1));
    assert_eq!(path.run("newreno").change(0).cwnd_after, 10.0);
}

#[test]
fn a_loss_behind_a_queue_halves() {
    // RTT 60, base 21: N = 61 * 39/60 = 39.7. Flight 60
    let veno = full_queue(&[250]).run("veno");
    let cut = veno.change(0);
    assert_eq!((cut.why, cut.cwnd_after), (Why::DupAcks, 30.0));
    assert_eq!(veno.flow.sender.judged_random, 0);
}

#[test]
fn a_queue_halves_the_growth() {
    // cwnd^2 grows by 2 per ACK, by 1 at half speed. NewReno: sqrt(60^2 + 2 * 660) = 70.1
    let path = OneFlow { receiver_window: Some(1000), ..full_queue(&[660]) };
    assert_near(path.run("newreno").change(0).cwnd_before, 70.1);
    // Veno knows the queue after the round that the 1st ACK begins and the 62nd ends: sqrt(60^2 + 2 * 62 + 598) = 65.7
    assert_near(path.run("veno").change(0).cwnd_before, 65.7);
}
