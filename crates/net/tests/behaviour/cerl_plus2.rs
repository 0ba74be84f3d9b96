//! CERL+2 cuts at every congestive loss, also at the second one of a window.

use tcp::Why;

use crate::one_flow::*;

#[test]
fn it_cuts_twice_where_cerl_plus_cuts_once() {
    // the window of CERL's test: 61.6, the first cut leaves 30.8, the second 15.4. The newest RTT at the second loss is
    // that of segment 109, acknowledged only after the retransmission: the longest of all, so l = lmax >= N
    let path = OneFlow { receiver_window: Some(1000), ..full_queue(&[100, 110]) };
    let twice = path.run_with("cerl-plus2", |config| config.set_choice("cerlp_A", "t_over_avg").unwrap());
    let (first, second) = (twice.change(0), twice.change(1));
    assert_eq!((first.why, second.why, second.segment), (Why::DupAcks, Why::DupAcks, 110));
    assert_near(first.cwnd_after, 30.8);
    assert_near(second.cwnd_after, 15.4);
    let once = path.run("cerl-plus-inverted");
    assert_eq!((once.change(0).why, once.change(1).why), (Why::DupAcks, Why::SameWindow));
    assert_near(once.change(1).cwnd_after, 30.8);
    // with the printed factor it never cuts
    assert_eq!(path.run("cerl-plus2").flow.sender.window_cuts, 0);
}
