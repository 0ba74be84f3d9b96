//! CERL+ as printed never cuts on duplicate ACKs, however long the queue.

use tcp::Why;

use crate::one_flow::*;

#[test]
fn no_loss_is_congestive() {
    // A = mean / least RTT > 1, so N > lmax >= l; CERL and NewReno cut
    for (path, window) in [(full_queue(&[100, 250]), 61.0), (empty_queue(&[130]), 21.0)] {
        let run = path.run("cerl-plus");
        assert!(run.events.iter().all(|e| matches!(e.why, Why::JudgedRandom | Why::RecoveryExit)));
        assert_eq!((run.flow.sender.window_cuts, run.flow.sender.judged_random), (0, path.lost.len() as u64));
        let ssthresh = f64::from(path.window);
        assert!(run.change(0).ssthresh_after == ssthresh);
        assert_near(run.exit().cwnd_after, window);
        assert_eq!(path.run("newreno").change(0).cwnd_after, ssthresh / 2.0);
    }
    assert_eq!(full_queue(&[100]).run("cerl").change(0).why, Why::DupAcks);
}
