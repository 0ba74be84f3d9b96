//! Which recovery an algorithm runs on: in the profiles of today's hosts the same for all, otherwise its own.

use scenario::{Column, RunOptions, Scenario};
use serde_json::Value as Json;

/// One flow with these keys, in a profile, over a path that loses packets.
fn scenario(profile: &str, flow: &str) -> Result<Scenario, scenario::Error> {
    let text = format!(
        "[scenario]\nduration = \"20 s\"\nprofile = \"{profile}\"\n[topology]\nkind = \"dumbbell\"\n\
         access = {{ rate = \"100 Mbps\", delay = \"1 ms\" }}\n\
         bottleneck = {{ rate = \"8 Mbps\", delay = \"20 ms\", queue = \"40 packets\", loss = \"1 %\" }}\n\
         [[flows]]\nfrom = \"left/0\"\nto = \"right/0\"\n{flow}\n"
    );
    Scenario::from_toml(&text, "recovery.toml", &[])
}

/// The rules of that flow.
fn rules(profile: &str, flow: &str) -> serde_json::Map<String, Json> {
    let scenario = scenario(profile, flow).unwrap_or_else(|error| panic!("{error}"));
    let whole: Json = serde_json::from_str(&scenario.points()[0].effective().unwrap()).unwrap();
    whole["flows"][0]["tcp"].as_object().expect("a table of rules").clone()
}

fn own_core(row: &cc::registry::Row) -> Json {
    tcp::rules::word(&tcp::rules::RECOVERIES, row.recovery).expect("it has a name").into()
}

/// No algorithm brings a recovery, a clock or a way of counting of its own: they differ by their windows alone. What a
/// row may ask for beside that is what it cannot do without: marks, the receiver's clock, no PRR where it sizes the
/// window of a recovery itself or has none, as Tahoe.
#[test]
fn in_today_s_profiles_every_algorithm_has_the_same_rules() {
    for profile in ["rfc", "linux"] {
        let usual = rules(profile, "algorithm = \"newreno\"");
        assert_eq!((&usual["recovery"], &usual["prr"]), (&"rack-tlp".into(), &true.into()));
        for row in cc::registry::windowed() {
            let mut own = rules(profile, &format!("algorithm = \"{}\"", row.name));
            assert_eq!(own["prr"], !row.samples_delivery && row.name != "tahoe", "{}", row.name);
            assert_eq!(own["ecn"], row.uses_marks, "{}", row.name);
            for key in ["prr", "ecn", "ecn_echo", "ect"] {
                own.insert(key.into(), usual[key].clone());
            }
            assert_eq!(own, usual, "{} in {profile}", row.name);
        }
    }
}

#[test]
fn its_own_core_is_a_key_away_and_that_of_ns2() {
    for row in cc::registry::windowed() {
        let flow = format!("algorithm = \"{}\"", row.name);
        let own = format!("{flow}\ntcp = {{ recovery = \"algorithm\" }}");
        assert_eq!(rules("rfc", &own)["recovery"], own_core(row), "{}", row.name);
        assert_eq!(rules("ns2", &flow)["recovery"], own_core(row), "{}", row.name);
    }
}

/// The rules of the RFCs before RACK-TLP, as the guide writes them.
#[test]
fn the_rules_before_rack_are_keys() {
    let keys = "recovery = \"algorithm\", prr = false, timestamps = false, dsack = false";
    let flow = format!("algorithm = \"sack\"\nsegment = \"1460 B\"\ntcp = {{ {keys} }}");
    let classic = tcp::Config { recovery: Some(cc::registry::Recovery::Sack), ..tcp::Config::classic() };
    let shown = rules("rfc", &flow);
    for rule in tcp::rules::RULES {
        match rule.get(&classic) {
            Some(tcp::rules::Value::Word(word)) => assert_eq!(shown[rule.key], word, "{}", rule.key),
            Some(tcp::rules::Value::Flag(on)) => assert_eq!(shown[rule.key], on, "{}", rule.key),
            _ => {}
        }
    }
}

/// Algorithms that differ by nothing but recovery do not differ.
#[test]
fn reno_newreno_and_sack_are_one_sender_on_one_core() {
    let delivered = |algorithm: &str| {
        let scenario = scenario("rfc", &format!("algorithm = \"{algorithm}\"")).unwrap();
        let result = scenario.points()[0].run(1, &RunOptions::default()).unwrap();
        match result.flows.column("delivered_bytes") {
            Some(Column::I64(bytes)) => bytes.clone(),
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(delivered("reno"), delivered("newreno"));
    assert_eq!(delivered("sack"), delivered("newreno"));
    assert_ne!(delivered("cubic"), delivered("newreno"));
}

#[test]
fn ns2_has_no_rack() {
    for (profile, tcp) in [
        ("rfc", "ns2_recovery = true"),
        ("linux", "ns2_recovery = true"),
        ("ns2", "recovery = \"rack-tlp\""),
        ("rfc", "ns2_recovery = true, recovery = \"rack-tlp\""),
    ] {
        let flow = format!("algorithm = \"newreno\"\ntcp = {{ {tcp} }}");
        let error = scenario(profile, &flow).expect_err("it is refused").to_string();
        assert!(error.starts_with("error[scenario.conflict]: recovery.toml, line "), "{error}");
        assert!(error.contains("`rack-tlp`") && error.contains("recovery = \"algorithm\""), "{error}");
    }
    assert!(
        scenario("rfc", "algorithm = \"newreno\"\ntcp = { ns2_recovery = true, recovery = \"algorithm\" }").is_ok()
    );
    assert!(
        scenario("ns2", "algorithm = \"newreno\"\ntcp = { ns2_recovery = false, recovery = \"rack-tlp\" }").is_ok()
    );
}

/// One loss early in a connection of the profile `linux`, while the receiver's window still grows, is repaired without
/// the timer by each of these cores: duplicates count, for without SACK the window does not grow above a gap.
#[test]
fn one_early_loss_costs_no_timeout_in_linux_whatever_the_core() {
    for core in ["newreno", "reno", "sack", "rack-tlp"] {
        for lost in [11, 30, 58, 100] {
            let text = format!(
                "[scenario]\nduration = \"3 s\"\nprofile = \"linux\"\n[topology]\nkind = \"graph\"\nlinks = [{{ \
                 name = \"l\", from = \"a\", to = \"b\", rate = \"8 Mbps\", delay = \"50 ms\", \
                 queue = \"1000 packets\", drops = {{ forward = [{lost}], count = \"data\" }} }}]\n[[flows]]\nfrom = \"a\"\nto = \"b\"\n\
                 algorithm = \"reno-linux\"\ntcp.recovery = \"{core}\"\n"
            );
            let scenario = Scenario::from_toml(&text, "loss.toml", &[]).unwrap_or_else(|error| panic!("{error}"));
            let flows = scenario.points()[0].run(1, &RunOptions::default()).unwrap().flows;
            let count = |name: &str| match flows.column(name) {
                Some(Column::I64(values)) => values[0],
                other => panic!("{name}: {other:?}"),
            };
            let found = (count("timeouts"), count("fast_retransmits"), count("retransmitted_segments"));
            assert_eq!(found, (0, 1, 1), "{core}, data packet {lost} lost");
        }
    }
}
