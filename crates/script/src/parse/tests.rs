use crate::Script;

/// Message and line of a script that cannot be read.
fn bad(text: &str) -> String {
    let error = Script::parse("a.pkt", text).expect_err("it is wrong");
    error.to_string()
}

#[track_caller]
fn bad_step(step: &str, message: &str) {
    assert_eq!(bad(&format!("# RFC\ncc newreno\n{step}\n")), format!("a.pkt:3: {message}"));
}

#[test]
fn options_are_refused_with_their_line() {
    assert_eq!(bad("cc newreno\n\ncwnd 10500\n+0 write 1"), "a.pkt:3: cwnd: `10500` is no multiple of the MSS of 1000");
    assert_eq!(bad("cc westwod\n+0 write 1"), "a.pkt:1: cc: no algorithm `westwod`");
    assert_eq!(bad("mss\n+0 write 1"), "a.pkt:1: option `mss` has no value");
    assert_eq!(bad("mss 0\n+0 write 1"), "a.pkt:1: mss: must be at least 1");
    assert_eq!(bad("mss 1000 mss 1000\n+0 write 1"), "a.pkt:1: option `mss` is set twice");
    assert_eq!(bad("colour red\n+0 write 1"), "a.pkt:1: colour: no option `colour`");
    assert_eq!(bad("ecn maybe\n+0 write 1"), "a.pkt:1: ecn: `maybe` is none of on, off");
    assert_eq!(bad("ecn_echo on\n+0 write 1"), "a.pkt:1: ecn_echo: `on` is none of latched, per-packet, accecn");
    assert_eq!(bad("dup_threshold 0\n+0 write 1"), "a.pkt:1: dup_threshold: `0` is out of range: 1 to 10");
    assert_eq!(bad("rto_min 0\n+0 write 1"), "a.pkt:1: rto_min: `0` is out of range: 0.000000001 to 3600 seconds");
    assert_eq!(
        bad("initial_window all\n+0 write 1"),
        "a.pkt:1: initial_window: `all` is no whole number, and none of rfc6928, rfc5681"
    );
    assert_eq!(bad("cc newreno\n"), "a.pkt:1: no step");
}

#[test]
fn steps_are_refused_with_their_line() {
    bad_step("+x write 1", "`x` is no time in seconds");
    bad_step("+0.0000000001 write 1", "`0.0000000001` is no time in seconds");
    bad_step("+-1 write 1", "`-1` is no time in seconds");
    bad_step("+0", "nothing happens here");
    bad_step("+0 read 1000", "`read` is none of write, open, handover, freeze, thaw, <, >, ?");
    bad_step("+0 write", "write how much?");
    bad_step("+0 write 1 2", "`2` has no meaning here");
    bad_step("+0 <", "what arrives?");
    bad_step("+0 < ack", "which ack?");
    bad_step("+0 < ack 1500", "`1500` is no multiple of the MSS of 1000");
    bad_step("+0 < ack 0 x0", "`x0` is nothing that arrives");
    bad_step("+0 < ece", "neither `ack`, `data` nor `syn`");
    bad_step("+0 < ack 0 sack", "between 1 and 3 SACK blocks");
    bad_step("+0 < ack 0 sack 2000:1000", "`2000:1000` is empty");
    bad_step("+0 >", "what leaves? `> none` if nothing");
    bad_step("+0 > 500:1000", "`500:1000` does not begin at a multiple of the MSS of 1000");
    bad_step("+0 > 0:1500", "`0:1500` ends neither at a multiple of the MSS of 1000 nor with what was written");
    bad_step(
        "+0 > 0:1000 ect 1000:2000",
        "`1000:2000` stands after a word that holds for the whole line: begin a new one",
    );
    bad_step("+0 > ect", "neither a range of bytes, `ack` nor `syn`");
    bad_step("+0 > fin", "`fin` is nothing that leaves");
    bad_step("+0 ?", "what is asked?");
    bad_step("+0 ? cwnd", "`cwnd` is what?");
    bad_step("+0 ? cwnd much", "`much` is no amount");
    bad_step("+0 ? colour 1", "nothing is known of `colour`");
    bad_step("+0 ? state asleep", "`asleep` is none of closed, syn-sent, syn-received, open, recovery");
    assert_eq!(bad("+0 write 1\nmss 5"), "a.pkt:2: a step begins with `+` and a time, not with `mss`");
    assert_eq!(bad("+0 write 1\n+0 write 1"), "a.pkt:2: only the last write may end within a segment");
    assert_eq!(bad("timestamps on\n+0 < ack 0"), "a.pkt:2: timestamps are on: say with `ts` which one this ACK echoes");
}

/// Message and line of the first step that does not hold.
fn wrong(steps: &str) -> String {
    let text = format!("cc newreno profile classic cwnd 2000\n{steps}");
    let script = Script::parse("a.pkt", &text).expect("it can be read");
    script.play().expect_err("it does not hold").to_string()
}

#[test]
fn a_step_that_does_not_hold_shows_both() {
    assert_eq!(wrong("+0 write 5000\n+0 > 0:3000"), "a.pkt:3: expected `0:3000`, got `0:2000`");
    assert_eq!(wrong("+0 write 5000\n+0 > 0:1000 2000:3000"), "a.pkt:3: expected `0:1000, 2000:3000`, got `0:2000`");
    assert_eq!(wrong("+0 > 0:1000\n"), "a.pkt:2: expected `0:1000`, got `none`");
    assert_eq!(wrong("+0 write 1000\n+0 > 0:1000 ect"), "a.pkt:3: expected `0:1000 ect`, got `0:1000`");
    assert_eq!(wrong("+0 write 500\n+0 > none"), "a.pkt:3: here: expected nothing more, got `0:500` at 0 s");
    assert_eq!(
        wrong("+0 write 1000\n+0.1 < ack 0"),
        "a.pkt:3: before this: expected nothing more, got `0:1000` at 0 s"
    );
    assert_eq!(
        wrong("+0 write 1000\n+0 > 0:1000\n+2 > none"),
        "a.pkt:4: before this: expected nothing more, got `0:1000` at 1 s"
    );
    assert_eq!(wrong("+0 write 5000\n"), "a.pkt:2: at the end: expected nothing more, got `0:2000` at 0 s");
    assert_eq!(wrong("+0 ? cwnd 2500"), "a.pkt:2: expected `cwnd 2500`, got `cwnd 2000`");
    assert_eq!(wrong("+0 ? srtt 0.2 cwnd 1"), "a.pkt:2: expected `srtt 0.2`, got `srtt 0.1`");
    assert_eq!(wrong("+0 ? timer 1"), "a.pkt:2: expected `timer 1`, got `timer off`");
    assert_eq!(wrong("+0 ? state closed"), "a.pkt:2: expected `state closed`, got `state open`");
    assert_eq!(wrong("+0 < data 1000:2000\n+0 > ack 1000"), "a.pkt:3: expected `ack 1000`, got `ack 0`");
}

#[test]
fn what_holds_is_silent() {
    let text = "cc newreno profile classic cwnd 2000\n+0 write 2500\n+0 > 0:2000\n+0.1 < ack 2000\n+0 > 2000:2500\n+0.1 < ack 2500\n+0 ? timer off";
    Script::parse("a.pkt", text).unwrap().play().unwrap();
}
