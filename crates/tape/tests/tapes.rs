//! Tapes that were changed by hand: what is told or answered otherwise is noticed, and what cannot be read is an error
//! that names the line. The tapes of `tests/tapes` are recorded by `cargo test -p windlass-net --test tapes`.

use tape::{Problem, Tape, replay};

fn tape(name: &str) -> String {
    let file = format!("{}/../../tests/tapes/{name}.tape", env!("CARGO_MANIFEST_DIR"));
    std::fs::read_to_string(file).expect("it is kept")
}

/// The text with one line changed, by number from 1.
fn changed(text: &str, line: usize, change: impl Fn(&str) -> String) -> String {
    let lines = text.lines().enumerate();
    lines.map(|(at, was)| if at + 1 == line { change(was) } else { was.to_owned() } + "\n").collect()
}

fn problem(text: &str) -> Problem {
    replay(text).expect_err("it is wrong")
}

#[test]
fn a_kept_tape_is_answered_alike() {
    for name in ["newreno", "cerl", "westwood-plus", "cubic", "vegas", "bbr"] {
        let text = tape(name);
        let found = replay(&text).unwrap();
        assert_eq!((found.events, found.differences), (text.lines().count() - 3, vec![]), "{name}");
    }
    // comments and empty lines say nothing
    let text = format!("# mine\n\n{}", tape("cerl").replacen("ack", "\n# here\nack", 1));
    assert_eq!(replay(&text).unwrap().differences, []);
}

#[test]
fn an_answer_that_was_changed_is_found_in_its_line() {
    let text = changed(&tape("newreno"), 5, |line| line.replace("-> cwnd=17376", "-> cwnd=17377"));
    let found = replay(&text).unwrap();
    let [only] = &found.differences[..] else { panic!("{:?}", found.differences) };
    assert_eq!((only.line, only.event, only.field.as_str()), (5, "ack", "cwnd"));
    assert_eq!((only.tape.as_str(), only.answer.as_str()), ("17377", "17376"));
    // every kind of field, absent ones included
    let judged = changed(&tape("cerl"), 9, |line| line.replace("response=reduced", "response=random"));
    assert_eq!(replay(&judged).unwrap().differences[0].field, "response");
    let paced = changed(&tape("bbr"), 8, |line| line.split(" pacing_rate").next().unwrap().to_owned());
    let found = replay(&paced).unwrap().differences;
    assert_eq!((found.len(), found[0].field.as_str(), found[0].tape.as_str()), (1, "pacing_rate", "none"));
    // the last bit counts
    let text = tape("cerl");
    let (at, line) = text.lines().enumerate().find(|(_, line)| line.contains("cwnd=10549.714285714286 ")).unwrap();
    let near = changed(&text, at + 1, |_| line.replace("-> cwnd=10549.714285714286 ", "-> cwnd=10549.714285714288 "));
    assert_eq!(replay(&near).unwrap().differences.len(), 1);
}

#[test]
fn an_event_that_was_changed_changes_the_answers_from_there_on() {
    // ACKs of fewer bytes in slow start, and a loss found by the timer
    let text = changed(&tape("newreno"), 5, |line| line.replace("slow_start=2896", "slow_start=1448"));
    let found = replay(&text).unwrap();
    assert_eq!((found.differences[0].line, found.differences[0].answer.as_str()), (5, "15928"));
    let text = changed(&tape("newreno"), 9, |line| line.replace("cause=ecn-mark", "cause=rto"));
    assert_eq!(replay(&text).unwrap().differences[0].line, 9);
    // half the base
    let text = changed(&tape("cubic"), 9, |line| line.replace("half_base=20272", "half_base=10136"));
    assert_eq!(replay(&text).unwrap().differences[0].answer, "7095.2");
}

#[test]
fn what_cannot_be_read_is_an_error_with_its_line() {
    let newreno = tape("newreno");
    let at = |line: usize, from: &str, to: &str| problem(&changed(&newreno, line, |text| text.replace(from, to)));
    for (problem, line, what) in [
        (problem(""), 1, "does not begin with `windlass-tape`"),
        (at(1, "windlass-tape 1", "windlass-tape 2"), 1, "version `2` of the format, and this is version 1"),
        (at(2, "newreno", "newrino"), 2, "no algorithm `newrino` with a window"),
        (at(2, "newreno", "tfrc"), 2, "no algorithm `tfrc` with a window"),
        (at(2, "newreno", "newreno beta=1"), 2, "`newreno` has no parameter `beta`"),
        (at(2, "newreno", "veno veno_beta=x"), 2, "`veno_beta` is `x`, must be a number"),
        (at(2, "newreno", "veno veno_beta=-1"), 2, "`veno_beta` is -1, must be from 0"),
        (
            at(2, "newreno", "cubic cubic_fast_convergence=maybe"),
            2,
            "`cubic_fast_convergence` is `maybe`, must be true",
        ),
        (at(2, "newreno", "cerl cerl_cmp=eq"), 2, "`cerl_cmp` is `eq`, must be one of ge, gt"),
        (at(3, "mss=1448", "mss=0"), 3, "`mss` must be bytes from 1"),
        (at(3, "mss", "nss"), 3, "no field `nss` here; there are mss, dup_threshold"),
        (at(4, "open", "ack"), 4, "the first event is not `open`"),
        (at(5, "ack", "akc"), 5, "no event `akc`; there are open, ack"),
        (at(5, "ack now=145120000", "ack now=0.145"), 5, "`now` is `0.145`, must be a whole number"),
        (at(5, "grows", "grows=1"), 5, "`grows` is `1`, must be nothing behind its name"),
        (at(5, "grows", "grows grows"), 5, "`grows` stands twice"),
        (at(5, "-> cwnd=17376", "-> cwnd=NaN"), 5, "`cwnd` is `NaN`, must be a number"),
        (at(5, " ->", ""), 5, "an event without `->` and an answer"),
        (at(6, "now=169120000", "now=1"), 6, "time goes back"),
        (at(9, "cause=ecn-mark", ""), 9, "`cause` is missing"),
        (at(9, "cause=ecn-mark", "cause=ecn"), 9, "`cause` is `ecn`, must be `dup-acks`, `rto` or `ecn-mark`"),
    ] {
        assert_eq!(problem.line, line, "{problem}");
        assert!(problem.what.starts_with(what), "{problem}");
        assert!(!problem.hint.is_empty());
    }
}

#[test]
fn a_tape_says_what_was_recorded() {
    let text = tape("cerl");
    let tape = Tape::read(&text).unwrap();
    let config = tape.config(cc::registry::find).unwrap();
    assert_eq!((tape.algorithm(), config.number("cerl_A"), config.choice("cerl_cmp")), ("cerl", 0.55, "ge"));
}

/// Whatever is on a tape, reading it is an error or a difference, no panic.
#[test]
fn nothing_on_a_tape_is_a_panic() {
    let mut random = 7u64;
    let mut below = |limit: usize| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as usize % limit
    };
    const WORDS: &[&str] =
        &["0", "9", "-1", "=", " ", ".", "18446744073709551615", "inf", "1e300", "\n", "none", "now="];
    for name in ["newreno", "cerl", "westwood-plus", "cubic", "vegas", "bbr"] {
        let text = tape(name);
        for _ in 0..400 {
            let mut bytes = text.clone();
            let at = below(text.len() - 30);
            bytes.replace_range(at..at + below(30), WORDS[below(WORDS.len())]);
            drop(replay(&bytes));
        }
    }
    // and whoever is told
    let text = tape("bbr");
    for row in cc::registry::windowed() {
        for _ in 0..40 {
            let mut bytes = text.clone();
            let at = 300 + below(text.len() - 330);
            bytes.replace_range(at..at + below(30), WORDS[below(WORDS.len())]);
            if let Ok(tape) = Tape::read(&bytes) {
                drop(tape.replay(&mut cc::Config::new(row).build()));
            }
        }
    }
}
