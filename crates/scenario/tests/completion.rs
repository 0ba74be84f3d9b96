//! How long transfers take: until their last byte is at the receiver's application, and until the sender knows it.

use scenario::{Column, RunOptions, Scenario, Table};

fn flows(text: &str, seed: u64) -> Table {
    let scenario = Scenario::from_toml(text, "test.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    scenario.points()[0].run(seed, &RunOptions::default()).unwrap().flows
}

fn numbers<'a>(table: &'a Table, name: &str) -> &'a [f64] {
    match table.column(name) {
        Some(Column::F64(values)) => values,
        other => panic!("{name}: {other:?}"),
    }
}

/// A transfer of so many segments over 10 Mbit/s and 10 ms there and back, seconds: at the receiver, and acknowledged.
fn took(segments: u32, profile: &str, flow: &str) -> (f64, f64) {
    let table = flows(
        &format!(
            "[scenario]\nduration = \"5 s\"\nprofile = \"{profile}\"\n[topology]\nkind = \"graph\"\n\
             send_jitter = \"0 s\"\nlinks = [{{ name = \"l\", from = \"a\", to = \"b\", rate = \"10 Mbps\", \
             delay = \"5 ms\", queue = \"100 packets\" }}]\n[[flows]]\nfrom = \"a\"\nto = \"b\"\n\
             algorithm = \"newreno\"\nsegment = \"1448 B\"\nsize = \"{} B\"\n{flow}",
            1448 * segments
        ),
        1,
    );
    (numbers(&table, "completion_s")[0], numbers(&table, "completion_acked_s")[0])
}

/// The handshake takes 10 ms and the data 5 ms and 1.2 ms of transmission each; so does nothing else, though the ACK of
/// an odd segment waits for 100 ms.
#[test]
fn a_transfer_is_complete_when_its_last_byte_is_there() {
    for segments in 1..=8u32 {
        let (complete, known) = took(segments, "rfc", "");
        // SYN and answer: 52 bytes each way
        let expected = 0.015 + 2.0 * 52.0 * 8.0 / 1e7 + f64::from(segments) * 0.0012;
        assert!((complete - expected).abs() < 1e-7, "{segments} segments: {complete} s, not {expected} s");
        let waits = if segments % 2 == 1 { 0.1 } else { 0.0 };
        let back = known - complete - waits;
        assert!((0.005..0.0051).contains(&back), "{segments} segments: acknowledged {back} s after the last came");
    }
    // a window of two segments needs a second round
    let (complete, _) = took(3, "ns2", "");
    assert!((0.025..0.03).contains(&complete), "{complete}");
}

/// The last segment is lost, and the ACK of its repair: what comes twice does not count.
#[test]
fn what_comes_again_after_the_last_byte_changes_nothing() {
    let with = |drops: &str| {
        let text = format!(
            "[scenario]\nduration = \"20 s\"\n[topology]\nkind = \"graph\"\nsend_jitter = \"0 s\"\nlinks = [{{ \
             name = \"l\", from = \"a\", to = \"b\", rate = \"10 Mbps\", delay = \"5 ms\", queue = \"100 packets\", \
             drops = {drops} }}]\n[[flows]]\nfrom = \"a\"\nto = \"b\"\nalgorithm = \"newreno\"\nsize = \"2896 B\"\n"
        );
        let table = flows(&text, 1);
        assert!(numbers(&table, "completion_acked_s")[0] > numbers(&table, "completion_s")[0]);
        (numbers(&table, "completion_s")[0], numbers(&table, "completion_acked_s")[0])
    };
    let usual = with("{ forward = [100] }");
    // packets back: the answer to the SYN, then the ACK of both segments
    let lost = with("{ reverse = [1] }");
    assert_eq!(lost.0, usual.0);
    assert!(lost.1 > usual.1 + 0.01, "{lost:?}");
}

/// Transfers of one size arrive at random and are served in turn, so that each has the rate that it would have if the
/// link were shared by all that are there: by processor sharing one lasts, in the mean, S / (1 - load), and the
/// handshake and the way of its last byte beside that. Acknowledged is it at most a delayed ACK later.
#[test]
fn short_transfers_share_the_link_as_processor_sharing_says() {
    for (per_s, load) in [(2.0, 0.249), (4.0, 0.497), (5.5, 0.683)] {
        let (mut sum, mut count) = (0.0, 0);
        for seed in 1..=4 {
            let text = format!(
                "[scenario]\nduration = \"400 s\"\n[topology]\nkind = \"dumbbell\"\npairs = 1\n\
                 access = {{ rate = \"1 Gbps\", delay = \"0.1 ms\" }}\nbottleneck = {{ rate = \"10 Mbps\", \
                 delay = \"1 ms\", queue = {{ discipline = \"fq-codel\", limit = \"100000 packets\", \
                 target = \"1 h\" }} }}\n\
                 [[flows]]\nfrom = \"left/0\"\nto = \"right/0\"\nalgorithm = \"newreno\"\n\
                 arrivals = \"poisson({per_s} per s)\"\nsize = \"150.592 kB\"\nstop = \"390 s\"\n"
            );
            let table = flows(&text, seed);
            let took = numbers(&table, "completion_s");
            assert!(took.iter().all(|time| !time.is_nan()));
            (sum, count) = (sum + took.iter().sum::<f64>(), count + took.len());
        }
        // 104 segments of 1500 bytes at 10 Mbit/s are 124.8 ms; 2.4 ms and 1.2 ms on the way
        let expected = 0.1248 / (1.0 - load) + 0.0036;
        let mean = sum / f64::from(count as u32);
        assert!((mean / expected - 1.0).abs() < 0.06, "load {load}: {mean:.4} s, theory {expected:.4} s");
    }
}
