//! Scenarios that run: tables as promised, the same twice, nothing above what the links can carry.

use std::sync::atomic::AtomicBool;

use scenario::{Column, RunError, RunOptions, RunResult, Scenario, Table};
use tcp::EcnEcho;

const LOSSY: &str = r#"
[scenario]
duration = "20 s"
warmup = "2 s"
profile = "ns2"

[topology]
kind = "dumbbell"
pairs = 2
access = { rate = "100 Mbps", delay = "1 ms" }
bottleneck = { rate = "8 Mbps", delay = "20 ms", queue = "20 packets", loss = "0.5 %" }

[[flows]]
from = "left/*"
to = "right/*"
algorithm = "newreno"
start = "uniform(0 s, 1 s)"

[[flows]]
name = "short"
from = "right/0"
to = "left/0"
algorithm = "westwood-plus"
start = "3 s"
size = "100 kB"

[output]
traces = ["cwnd", "queue"]
trace_step = "0.5 s"
events = true
"#;

fn run(text: &str, seed: u64) -> RunResult {
    let scenario = Scenario::from_toml(text, "test.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
    scenario.points()[0].run(seed, &RunOptions::default()).unwrap()
}

fn numbers<'a>(table: &'a Table, name: &str) -> &'a [f64] {
    match table.column(name) {
        Some(Column::F64(values)) => values,
        other => panic!("{name}: {other:?}"),
    }
}

fn counts<'a>(table: &'a Table, name: &str) -> &'a [i64] {
    match table.column(name) {
        Some(Column::I64(values)) => values,
        other => panic!("{name}: {other:?}"),
    }
}

fn words<'a>(table: &'a Table, name: &str) -> Vec<&'a str> {
    match table.column(name) {
        Some(Column::Str(values)) => values.iter().map(|word| &**word).collect(),
        other => panic!("{name}: {other:?}"),
    }
}

#[test]
fn tables_have_their_rows() {
    let result = run(LOSSY, 1);
    assert_eq!(words(&result.flows, "flow"), ["flow/0", "flow/1", "short"]);
    assert_eq!(words(&result.flows, "group"), ["flow", "flow", "short"]);
    assert_eq!(words(&result.flows, "from"), ["left/0", "left/1", "right/0"]);
    assert_eq!(words(&result.flows, "algorithm"), ["newreno", "newreno", "westwood-plus"]);
    // two access links a side and the bottleneck, two directions each
    assert_eq!(result.links.rows(), 10);
    let starts = numbers(&result.flows, "start_s");
    assert!(starts[0] != starts[1] && starts[..2].iter().all(|start| (0.0..1.0).contains(start)), "{starts:?}");
    assert_eq!(starts[2], 3.0);
    for table in [&result.flows, &result.links, &result.traces, &result.events, &result.losses] {
        assert!(table.rows() > 0);
        assert!(table.0.iter().all(|(_, column)| column.len() == table.rows()));
    }
}

#[test]
fn numbers_stay_within_what_the_links_carry() {
    let result = run(LOSSY, 2);
    let goodput = numbers(&result.flows, "goodput_bps");
    // 1460 of 1500 bytes of 8 Mbit/s
    assert!(goodput[0] + goodput[1] < 8e6 * 1460.0 / 1500.0, "{goodput:?}");
    assert!(goodput[0] + goodput[1] > 1e6, "{goodput:?}");
    assert!(numbers(&result.links, "utilisation").iter().all(|share| (0.0..=1.0).contains(share)));
    // 2 * (1 + 20 + 1) ms and the transmission of data and ACK
    assert!(numbers(&result.flows, "rtt_min_s")[..2].iter().all(|rtt| (0.044..0.060).contains(rtt)));
    assert_eq!(counts(&result.flows, "delivered_bytes")[2], 100_000);
    assert!(numbers(&result.flows, "completion_s")[2] < 5.0);
    assert!(numbers(&result.flows, "completion_s")[0].is_nan());
}

#[test]
fn every_segment_is_accounted_for() {
    let result = run(LOSSY, 3);
    let sum = |names: &[&str], row: usize| names.iter().map(|name| counts(&result.flows, name)[row]).sum::<i64>();
    for row in 0..result.flows.rows() {
        let fates = ["received_segments", "loss_random", "loss_queue", "loss_list", "in_flight_segments"];
        assert_eq!(sum(&["sent_segments"], row), sum(&fates, row));
        let fates = ["acks_received", "acks_lost_random", "acks_lost_queue", "acks_lost_list", "acks_in_flight"];
        assert_eq!(sum(&["acks_sent"], row), sum(&fates, row));
    }
    let lost: i64 = ["loss_random", "loss_queue"].iter().flat_map(|name| counts(&result.links, name)).sum();
    assert_eq!(result.losses.rows() as i64, lost);
    assert!(words(&result.losses, "cause").contains(&"random"));
}

#[test]
fn traces_stand_on_their_grid() {
    let result = run(LOSSY, 1);
    assert!(numbers(&result.traces, "time_s").iter().all(|time| (time * 2.0).fract() == 0.0));
    let subjects = words(&result.traces, "subject");
    assert!(
        subjects.contains(&"bottleneck") && subjects.contains(&"bottleneck:reverse") && subjects.contains(&"short")
    );
}

#[test]
fn equal_runs_are_equal_and_others_are_not() {
    assert_eq!(format!("{:?}", run(LOSSY, 7)), format!("{:?}", run(LOSSY, 7)));
    assert_ne!(run(LOSSY, 7).flows, run(LOSSY, 8).flows);
}

#[test]
fn keys_name_what_changes_a_run_and_nothing_else() {
    let key = |text: &str, seed| Scenario::from_toml(text, "a.toml", &[]).unwrap().points()[0].key(seed).unwrap();
    let plain = key(LOSSY, 1);
    assert_eq!(plain.len(), 64);
    let same =
        LOSSY.replace("\"8 Mbps\"", "\"8000 kbps\"").replace("\"20 s\"", "\"20 s\"\nname = \"other\"\nseeds = 4");
    assert_eq!(key(&same, 1), plain);
    assert_ne!(key(LOSSY, 2), plain);
    assert_ne!(key(&LOSSY.replace("8 Mbps", "9 Mbps"), 1), plain);
    assert_ne!(key(&LOSSY.replace("events = true", ""), 1), plain);
}

#[test]
fn algorithms_meet_the_same_starts() {
    let starts = |algorithm: &str| {
        let run = run(&LOSSY.replace("\"newreno\"", algorithm), 5);
        numbers(&run.flows, "start_s").to_vec()
    };
    assert_eq!(starts("\"reno\""), starts("\"sack\""));
}

#[test]
fn marks_are_on_for_the_algorithms_that_use_them() {
    for row in cc::registry::windowed() {
        let text = LOSSY.replace("\"newreno\"", &format!("\"{}\"", row.name));
        let scenario = Scenario::from_toml(&text, "test.toml", &[]).unwrap();
        let flow = scenario.points()[0].network(1).unwrap().flows.remove(0);
        let net::Transport::Tcp(tcp) = flow.transport else { panic!("{} is no TCP flow", row.name) };
        let echo = match (row.uses_marks, row.scalable) {
            (false, _) => EcnEcho::Latched,
            (true, false) => EcnEcho::PerPacket,
            (true, true) => EcnEcho::Accurate,
        };
        assert_eq!(
            (tcp.rules.ecn, tcp.rules.ecn_echo, tcp.rules.ect1),
            (row.uses_marks, echo, row.scalable),
            "{}",
            row.name
        );
    }
}

/// The lossy path with three kinds of datagrams beside its TCP flows.
fn mixed() -> String {
    let group = |name: &str, traffic: &str| {
        format!(
            "[[flows]]\nname = \"{name}\"\nfrom = \"left/0\"\nto = \"right/0\"\ntransport = \"udp\"\n\
             traffic = {{ rate = \"1 Mbps\", packet = \"1000 B\", {traffic} }}\nstart = \"4 s\"\nstop = \"14 s\"\n"
        )
    };
    let groups = [
        group("cbr", "kind = \"cbr\""),
        group("bursts", "kind = \"on-off\", on = \"200 ms\", off = \"300 ms\", header = \"8 B\""),
        group("poisson", "kind = \"poisson\""),
    ];
    LOSSY.replace("[output]", &(groups.concat() + "[output]"))
}

#[test]
fn datagrams_stand_beside_connections() {
    let result = run(&mixed(), 1);
    assert_eq!(words(&result.flows, "transport"), ["tcp", "tcp", "tcp", "udp", "udp", "udp"]);
    assert_eq!(words(&result.flows, "algorithm")[3..], ["cbr", "on-off", "poisson"]);
    let (sent, bytes) = (counts(&result.flows, "sent_segments"), counts(&result.flows, "sent_bytes"));
    // ten seconds at 125 packets per second, one at the very start and one at the very end: 1251 packets of 1000 bytes
    assert_eq!((sent[3], bytes[3]), (1251, 1_251_000));
    // two fifths of the time, and as many as the rate says on average: wide limits, since few bursts are drawn
    assert!((150..850).contains(&sent[4]) && (1050..1450).contains(&sent[5]), "{sent:?}");
    for (row, sent) in sent.iter().enumerate().skip(3) {
        let of = |name| counts(&result.flows, name)[row];
        let fates = ["received_segments", "loss_random", "loss_queue", "in_flight_segments"].map(of);
        assert_eq!(*sent, fates.iter().sum::<i64>());
        assert_eq!(of("delivered_bytes"), of("received_segments") * 1000);
        assert!(of("loss_random") > 0, "a loss of 0.5 % meets hundreds of packets");
        assert_eq!(of("acks_sent"), 0);
        let delay = |name| numbers(&result.flows, name)[row];
        // 22 ms of propagation; 20 packets of 1500 bytes at 8 Mbit/s wait 30 ms at most
        assert!(delay("owd_mean_s") > 0.022 && delay("owd_max_s") < 0.058, "{}", delay("owd_max_s"));
        assert!(delay("owd_mean_s") < delay("owd_max_s") && delay("jitter_s") > 0.0 && delay("jitter_s") < 0.030);
        assert!(delay("cwnd_mean_segments").is_nan() && delay("srtt_mean_s").is_nan());
    }
    assert!(numbers(&result.flows, "owd_max_s")[0].is_nan() && numbers(&result.flows, "jitter_s")[0].is_nan());
}

#[test]
fn windows_and_utilisation_are_of_the_measured_part_as_goodput_is() {
    // What a run of 12 s had in its first 5 s is what one of 5 s had: the rest is what is measured after a warm-up of
    // 5 s. On links at a rate, that change, and with a queue that serves packets by events.
    for link in [
        "rate = \"8 Mbps\"",
        "rate = \"8 Mbps\", changes = [{ at = \"4 s\", rate = \"3 Mbps\" }, { at = \"6 s\", rate = \"9 Mbps\" }]",
        "rate = \"8 Mbps\", queue = { discipline = \"fq-codel\", limit = \"60 packets\" }",
    ] {
        let queue = if link.contains("queue") { "" } else { ", queue = \"40 packets\"" };
        let of = |duration: f64, warmup: &str| {
            let text = format!(
                "[scenario]\nduration = \"{duration} s\"\nwarmup = \"{warmup}\"\n[topology]\nkind = \"dumbbell\"\n\
                 pairs = 1\naccess = {{ rate = \"100 Mbps\", delay = \"1 ms\" }}\nbottleneck = {{ {link}, \
                 delay = \"20 ms\"{queue} }}\n[[flows]]\nfrom = \"left/0\"\nto = \"right/0\"\n\
                 algorithm = \"newreno\"\nstart = \"1 s\"\n"
            );
            let result = run(&text, 3);
            let place = words(&result.links, "link").iter().position(|name| *name == "bottleneck").unwrap();
            let opened = numbers(&result.flows, "opened_s")[0];
            let window = numbers(&result.flows, "cwnd_mean_segments")[0];
            (numbers(&result.links, "utilisation")[place], window, opened)
        };
        let (whole, first, measured) = (of(12.0, "0 s"), of(5.0, "0 s"), of(12.0, "5 s"));
        let opened = whole.2;
        let window = (whole.1 * (12.0 - opened) - first.1 * (5.0 - opened)) / 7.0;
        assert!((measured.1 / window - 1.0).abs() < 1e-9, "{link}: {} segments, not {window}", measured.1);
        // bits that the link could carry: in all, and in the first 5 s
        let could = if link.contains("changes") { (4.0 * 8.0 + 2.0 * 3.0 + 6.0 * 9.0, 35.0) } else { (96.0, 40.0) };
        let used = (whole.0 * could.0 - first.0 * could.1) / (could.0 - could.1);
        assert!((measured.0 / used - 1.0).abs() < 1e-6, "{link}: utilisation {}, not {used}", measured.0);
        assert!(measured.0 > whole.0);
    }
}

#[test]
fn short_flows_arrive_over_the_run() {
    let web = "[[flows]]\nname = \"web\"\nfrom = \"left/*\"\nto = \"right/*\"\nalgorithm = \"newreno\"\n\
               arrivals = \"5 /s\"\nsize = \"exponential(10 kB)\"\nstart = \"2 s\"\nstop = \"18 s\"\n[output]";
    let result = run(&LOSSY.replace("[output]", web), 1);
    let groups = words(&result.flows, "group");
    let rows: Vec<usize> = (0..groups.len()).filter(|row| groups[*row] == "web").collect();
    // 16 s at 5 per second: 80 with a standard deviation of 9; five of them
    assert!((35..125).contains(&rows.len()), "{}", rows.len());
    assert_eq!(words(&result.flows, "flow")[rows[0]..][..2], ["web/0", "web/1"]);
    assert_eq!(words(&result.flows, "from")[rows[0]..][..3], ["left/0", "left/1", "left/0"]);
    let starts: Vec<f64> = rows.iter().map(|row| numbers(&result.flows, "start_s")[*row]).collect();
    assert!(starts.is_sorted() && starts[0] > 2.0 && starts[starts.len() - 1] < 18.0);
    let done: Vec<f64> = rows.iter().map(|row| numbers(&result.flows, "completion_s")[*row]).collect();
    let finished = done.iter().filter(|time| !time.is_nan()).count();
    assert!(finished * 10 > done.len() * 8, "{finished} of {}", done.len());
    // a handshake and at least a window take a round trip and a half of 44 ms
    assert!(done.iter().all(|time| time.is_nan() || *time > 0.066));
    let bytes: i64 = rows.iter().map(|row| counts(&result.flows, "delivered_bytes")[*row]).sum();
    let mean = bytes as f64 / rows.len() as f64;
    assert!((5_000.0..15_000.0).contains(&mean), "{mean}"); // standard error 10 kB / 9
    // other flows are what they would be with other short ones; the same seed gives the same
    assert_eq!(format!("{:?}", run(&LOSSY.replace("[output]", web), 1)), format!("{result:?}"));
    let other = run(&LOSSY.replace("[output]", web), 2);
    assert_ne!(words(&other.flows, "flow").len(), groups.len());
}

#[test]
fn a_transfer_that_ended_has_a_rate_over_its_own_time() {
    // "short" starts at 3 s and takes a second or two; the first run's warm-up ends before it starts, the second's in
    // its midst, the third's after its end
    let of = |warmup: &str| run(&LOSSY.replace("warmup = \"2 s\"", &format!("warmup = \"{warmup}\"")), 1).flows;
    let took = numbers(&of("2 s"), "completion_s")[2];
    assert!((0.1..5.0).contains(&took), "{took}");
    for (warmup, measured) in [("2 s", true), ("3.05 s", true), ("15 s", false)] {
        let flows = of(warmup);
        let at = |column| numbers(&flows, column)[2];
        assert_eq!((at("size_bytes"), counts(&flows, "delivered_bytes")[2]), (100_000.0, 100_000));
        assert_eq!((at("completion_s"), at("active_s")), (took, took), "{warmup}");
        assert_eq!(at("goodput_bps"), 800_000.0 / took, "{warmup}");
        let arrived = at("throughput_bps") * took / 8.0;
        let most = counts(&flows, "sent_bytes")[2] as f64;
        assert!((100_000.0..=most).contains(&(arrived + 1e-6)), "{warmup}: {arrived} of {most} bytes");
        // it is part of the run's goodput only if it sent after the warm-up
        assert_eq!(at("goodput_run_bps").is_nan(), !measured, "{warmup}");
        // transfers without end have no size, and the time from the end of the warm-up
        assert!(numbers(&flows, "size_bytes")[..2].iter().all(|size| size.is_nan()));
    }
    let active = numbers(&of("15 s"), "active_s")[..2].to_vec();
    assert_eq!(active, [5.0, 5.0]);
    // one that the end of the run cuts off: what it got in the time that counts
    let cut = run(&LOSSY.replace("100 kB", "100 MB"), 1).flows;
    assert!(numbers(&cut, "completion_s")[2].is_nan() && numbers(&cut, "active_s")[2] == 17.0);
    assert_eq!(numbers(&cut, "size_bytes")[2], 1e8);
    let got = counts(&cut, "delivered_bytes")[2] as f64 * 8.0 / 17.0;
    assert!((numbers(&cut, "goodput_bps")[2] - got).abs() < 1.0);
}

#[test]
fn a_source_that_stopped_has_a_rate_over_the_time_until_its_last_data_arrived() {
    // two connections and a stream of 1 Mbit/s; a warm-up of 2 s, and one that ends after the stop
    let stream = "[[flows]]\nname = \"stream\"\nfrom = \"left/0\"\nto = \"right/0\"\nstop = \"12 s\"\n\
                  transport = \"udp\"\ntraffic = { kind = \"cbr\", rate = \"1 Mbps\", packet = \"1000 B\" }\n[output]";
    let text = LOSSY
        .replace("start = \"uniform(0 s, 1 s)\"", "start = \"1 s\"\nstop = \"12 s\"")
        .replace("[output]", stream)
        .replace("delay = \"20 ms\", queue", "delay = \"900 ms\", queue");
    let of = |warmup: &str| run(&text.replace("warmup = \"2 s\"", &format!("warmup = \"{warmup}\"")), 1).flows;
    for (warmup, since) in [("2 s", 2.0), ("12.5 s", 12.5)] {
        let flows = of(warmup);
        for row in [0, 1, 3] {
            let at = |column| numbers(&flows, column)[row];
            assert_eq!(at("stop_s"), 12.0);
            let (active, goodput) = (at("active_s"), at("goodput_bps"));
            if since > 12.0 {
                // a straggler is no rate: little time would be left to divide it by
                assert_eq!(active, 20.0 - since);
            } else {
                // what was sent last is on its way for 0.9 s, and a connection may have losses to repair
                let latest = if row == 3 { 13.0 } else { 20.0 };
                assert!((12.9 - since..latest - since).contains(&active), "{row}: {active} s");
            }
            assert!((goodput * active - at("goodput_run_bps") * (20.0 - since)).abs() < 1.0, "{warmup}, {row}");
            assert!(at("throughput_bps") <= 8e6 && at("throughput_bps") >= goodput, "{warmup}, {row}");
        }
    }
    // the stream sends all that time, and loses a few packets in a thousand
    let rate = numbers(&of("2 s"), "throughput_bps")[3];
    assert!((0.98e6..=1.0e6).contains(&rate), "{rate}");
}

#[test]
fn starts_stops_and_sizes_are_drawn_per_flow() {
    let text = LOSSY.replace("start = \"uniform(0 s, 1 s)\"", "start = \"every(2 s)\"\nstop = \"normal(10 s, 1 s)\"");
    let result = run(&text.replace("size = \"100 kB\"", "size = \"lognormal(100 kB, 50 kB)\""), 1);
    assert_eq!(numbers(&result.flows, "start_s")[..2], [0.0, 2.0]);
    let network = Scenario::from_toml(&text, "test.toml", &[]).unwrap().points()[0].network(1).unwrap();
    let stops: Vec<f64> = network.flows[..2].iter().map(|flow| flow.stop.unwrap().secs()).collect();
    assert!(stops[0] != stops[1] && stops.iter().all(|stop| (5.0..15.0).contains(stop)), "{stops:?}");
    let size = counts(&result.flows, "delivered_bytes")[2];
    assert!(size != 100_000 && (20_000..400_000).contains(&size), "{size}");
}

#[test]
fn rate_controlled_flows_stand_beside_connections() {
    for name in ["tfrc", "etfcc", "tfrc-sp"] {
        let group = format!(
            "[[flows]]\nname = \"stream\"\nfrom = \"left/0\"\nto = \"right/0\"\nalgorithm = \"{name}\"\n[output]"
        );
        let result = run(&LOSSY.replace("[output]", &group), 1);
        assert_eq!(words(&result.flows, "transport")[2..], ["tcp", "tfrc"]);
        assert_eq!(words(&result.flows, "algorithm")[3], name);
        let of = |column| counts(&result.flows, column)[3];
        let lost = of("loss_random") + of("loss_queue");
        assert_eq!(of("sent_segments"), of("received_segments") + lost + of("in_flight_segments"));
        assert_eq!(of("acks_sent"), of("acks_received") + of("acks_lost_queue") + of("acks_in_flight"));
        // a report per RTT of 44 to 74 ms and loss event
        assert!((250..900).contains(&of("acks_sent")), "{}", of("acks_sent"));
        assert!((1..=lost).contains(&of("loss_events")), "{name}: {} of {lost}", of("loss_events"));
        assert!(numbers(&result.flows, "goodput_bps")[3] > 100e3);
        assert!((0.044..0.060).contains(&numbers(&result.flows, "rtt_min_s")[3]));
        assert!(numbers(&result.flows, "srtt_mean_s")[3] > 0.044 && numbers(&result.flows, "jitter_s")[3] > 0.0);
        assert!(numbers(&result.flows, "cwnd_mean_segments")[3].is_nan());
    }
}

#[test]
fn an_algorithm_brings_its_transport_with_it() {
    let sets = [("sweep.flows.algorithm".to_owned(), "[\"newreno\", \"tfrc\"]".to_owned())];
    let text = LOSSY.replace("size = \"100 kB\"", "");
    let scenario = Scenario::from_toml(&text, "test.toml", &sets).unwrap_or_else(|error| panic!("{error}"));
    let transports = |at: usize| {
        let run = scenario.points()[at].run(1, &RunOptions::default()).unwrap();
        words(&run.flows, "transport").iter().map(|word| (*word).to_owned()).collect::<Vec<_>>()
    };
    assert_eq!((transports(0), transports(1)), (vec!["tcp".to_owned(); 3], vec!["tfrc".to_owned(); 3]));
}

#[test]
fn headers_of_datagrams_follow_the_profile() {
    let header = |text: &str, flow: usize| {
        let scenario = Scenario::from_toml(text, "test.toml", &[]).unwrap();
        match &scenario.points()[0].network(1).unwrap().flows[flow].transport {
            net::Transport::Udp(config) => config.header,
            _ => panic!("no UDP flow"),
        }
    };
    let rfc = mixed().replace("profile = \"ns2\"", "profile = \"rfc\"");
    // IPv4 takes 20 bytes, UDP 8
    assert_eq!([header(&mixed(), 3), header(&rfc, 3), header(&rfc, 4)], [0, 28, 8]);
}

#[test]
fn a_key_goes_to_the_groups_that_have_a_use_for_it() {
    let sets = [("sweep.flows.algorithm", "[\"reno\", \"sack\"]"), ("flows.traffic.rate", "2 Mbps")];
    let sets = sets.map(|(key, value)| (key.to_owned(), value.to_owned()));
    let scenario = Scenario::from_toml(&mixed(), "test.toml", &sets).unwrap_or_else(|error| panic!("{error}"));
    let text: Vec<String> = scenario.points().iter().map(|point| point.effective().unwrap()).collect();
    assert!(text[0].contains("\"reno\"") && text[1].contains("\"sack\"") && text.len() == 2);
    assert_eq!(text[0].matches("\"rate\":\"2 Mbps\"").count(), 3);
    // with nobody to use it, the key is refused as if it stood there
    let lone = [("flows.traffic.rate".to_owned(), "2 Mbps".to_owned())];
    assert_eq!(Scenario::from_toml(LOSSY, "test.toml", &lone).unwrap_err().code, "scenario.conflict");
}

#[test]
fn datagrams_change_no_draw_of_other_flows() {
    let (alone, beside) = (run(LOSSY, 3), run(&mixed(), 3));
    assert_eq!(numbers(&alone.flows, "start_s")[..2], numbers(&beside.flows, "start_s")[..2]);
    assert_eq!(format!("{:?}", run(&mixed(), 3)), format!("{beside:?}"));
}

#[test]
fn a_cancelled_run_has_no_result() {
    let text = LOSSY.replace("duration = \"20 s\"", "duration = \"20000 s\"");
    let scenario = Scenario::from_toml(&text, "test.toml", &[]).unwrap();
    let stop = AtomicBool::new(true);
    let run = scenario.points()[0].run(1, &RunOptions { cancel: Some(&stop), ..RunOptions::default() });
    assert_eq!(run, Err(RunError::Cancelled));
}

#[test]
fn three_routers_and_graphs_run() {
    let rows = |text: &str| {
        let result = run(text, 1);
        assert!(numbers(&result.flows, "goodput_bps").iter().all(|bps| *bps > 3e4));
        result.links.rows()
    };
    let three = LOSSY.replace("dumbbell", "three-routers").replace("bottleneck =", "first =")
        + "[topology.second]\nrate = \"6 Mbps\"\ndelay = \"5 ms\"\n";
    assert_eq!(rows(&three), 12);
    let graph = r#"
scenario = { duration = "20 s" }
topology.kind = "graph"
topology.links = [
  { from = "a", to = "b", rate = "8 Mbps", delay = "1 ms" },
  { from = "b", to = "c", rate = "8 Mbps", delay = "1 ms", reverse = { rate = "1 Mbps" } },
]
[[flows]]
from = "a"
to = "c"
direction = "both"
algorithm = "sack"
"#;
    assert_eq!(rows(graph), 4);
}

/// One flow with a window of four segments over a path of 400 ms each way; `reverse` lists lost packets of the way
/// back.
fn long_path(duration: &str, reverse: &str) -> Table {
    let text = format!(
        r#"
scenario = {{ duration = "{duration}" }}
topology = {{ kind = "dumbbell", access = {{ rate = "1 Gbps", delay = "1 ms" }}, bottleneck = {{ rate = "1 Gbps", delay = "398 ms", drops = {{ reverse = {reverse} }} }} }}
flows = [{{ from = "left/0", to = "right/0", algorithm = "newreno", tcp = {{ initial_window = "4 segments", window = "4 segments" }} }}]
"#
    );
    run(&text, 1).flows
}

#[test]
fn the_mean_window_counts_from_the_opening() {
    // The SYN and its answer take 0.8 s, and the run ends before the first ACK of data comes at 1.6 s: cwnd is 4 all
    // the time that there is one, which is less than half of the run.
    let mean = numbers(&long_path("1.5 s", "[]"), "cwnd_mean_segments")[0];
    assert!((mean - 4.0).abs() < 1e-9, "{mean} segments");
    // no connection, no window
    assert!(numbers(&long_path("0.7 s", "[]"), "cwnd_mean_segments")[0].is_nan());
}

#[test]
fn the_mean_delay_is_that_of_new_segments() {
    // Both ACKs of the first four segments are lost (packet 0 of the way back answers the SYN), so that a timeout sends
    // one a second time. Every delay is 400 ms and what three links of 1 Gbit/s need for 1500 B and the few before
    // them.
    let flows = long_path("8 s", "[1, 2]");
    assert!(counts(&flows, "duplicate_segments")[0] > 0);
    let delay = numbers(&flows, "owd_mean_s")[0];
    assert!((0.400..0.4002).contains(&delay), "{delay} s");
}
