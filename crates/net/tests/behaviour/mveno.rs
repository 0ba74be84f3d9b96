//! mVeno with one path: Veno's cuts, but the base RTT outlives a loss.

use tcp::Why;

use crate::one_flow::*;

#[test]
fn the_queue_of_the_last_round_decides() {
    // N = 0: four fifths of 20; N = 39.7: half of 60
    let short = empty_queue(&[130]).run("mveno");
    assert_eq!((short.change(0).why, short.change(0).cwnd_after), (Why::JudgedRandom, 16.0));
    let long = full_queue(&[250]).run("mveno");
    assert_eq!((long.change(0).why, long.change(0).cwnd_after), (Why::DupAcks, 30.0));
}

#[test]
fn the_base_rtt_outlives_a_loss() {
    // 200 is lost at a window of sqrt(60^2 + 2 * 200) = 63: half of it leaves a queue of about 31 - 21 = 10 that never
    // drains. The second loss comes two rounds later, with RTTs of about 32 ms. mVeno still knows the base of 21: N =
    // 32 * (1 - 21/32) = 11 >= 3. Veno has learned it anew from the queue, about 31: N = 32 * (1 - 31/32) = 1 < 3.
    let path = OneFlow { receiver_window: Some(1000), ..full_queue(&[200, 340]) };
    for (name, second) in [("mveno", Why::DupAcks), ("veno", Why::JudgedRandom)] {
        let run = path.run(name);
        assert_eq!((run.change(0).why, run.change(1).why), (Why::DupAcks, second), "{name}");
    }
}
