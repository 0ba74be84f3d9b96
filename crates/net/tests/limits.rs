//! What a run may have measured at most, and what of it is counted after the warm-up.

mod common;

use common::*;
use tcp::Profile;

#[test]
fn ns2s_vegas_has_no_headers() {
    let sizes = |algorithm, profile| {
        let flow = flow("f", 0, 1, algorithm, profile);
        flow.full_size() - flow.payload()
    };
    assert_eq!(sizes("vegas", Profile::Ns2), 0);
    assert_eq!((sizes("vegas", Profile::Rfc), sizes("newreno", Profile::Ns2)), (40, 40));
}
