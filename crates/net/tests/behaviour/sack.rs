//! SACK repairs all losses of a window within a round trip; NewReno one in each.

use crate::one_flow::*;

#[test]
fn three_losses_take_one_round_trip() {
    let path = empty_queue(&[120, 125, 130]);
    let length_ms = |name| {
        let run = path.run(name);
        assert_eq!((run.flow.sender.window_cuts, run.flow.sender.timeouts), (1, 0), "{name}");
        (run.exit().at.secs() - run.change(0).at.secs()) * 1e3
    };
    // three round trips of 101 ms
    assert_near(length_ms("newreno"), 303.0);
    // the window from 120 to 139 left in one go; its last duplicate comes 16 ms after the third, and every hole is
    // known by then
    let sack = length_ms("sack");
    assert!((101.0..117.0).contains(&sack), "{sack}");
}
