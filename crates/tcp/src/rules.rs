//! The engine's rules by name: what each means, what may be written, and which field of [`Config`] it is.
//!
//! Scenarios, packet scripts and documents read this table, each in its own notation. A rule that is added here is
//! known to all of them.

use cc::registry::Recovery;
use units::Span;

use crate::config::{
    Agent, Config, Count, CwndLimited, DelackMode, EcnEcho, HalfBase, IdleRestart, InitialWindow, MOST_SEGMENTS,
    Pacing, Profile, RecoverRule, RtoFloor, TimerWheel,
};

/// A rule of [`Config`].
#[derive(Debug)]
pub struct Rule {
    /// Its name.
    pub key: &'static str,
    /// What it does.
    pub meaning: &'static str,
    /// Words that it takes.
    pub words: &'static [&'static str],
    /// What it takes beside words.
    pub takes: Takes,
    get: fn(&Config) -> Option<Value>,
    set: fn(&mut Config, Value),
}

/// What a rule takes beside its words. Bounds are included.
#[derive(Clone, Copy, Debug)]
pub enum Takes {
    /// Nothing.
    Words,
    /// Yes or no.
    Flag,
    /// A whole number of these.
    Whole(Unit, u32, u32),
    /// A number without unit.
    Number(f64, f64),
    /// A length of time.
    Span(Span, Span),
}

/// What whole numbers count.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unit {
    /// Whatever the rule's meaning says.
    Plain,
    /// Segments.
    Segments,
    /// Bytes.
    Bytes,
}

/// The value of a rule, as [`Rule::takes`] says, or a word of [`Rule::words`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Value {
    /// A word.
    Word(&'static str),
    /// Yes or no.
    Flag(bool),
    /// A whole number.
    Whole(u32),
    /// A number.
    Number(f64),
    /// A length of time.
    Span(Span),
}

impl Rule {
    /// The rule of that name.
    pub fn named(key: &str) -> Option<&'static Rule> {
        RULES.iter().find(|rule| rule.key == key)
    }

    /// Its value; none if it is left to something else.
    pub fn get(&self, config: &Config) -> Option<Value> {
        (self.get)(config)
    }

    /// Give it a value, which must be of the kind and within the bounds that the rule takes.
    pub fn set(&self, config: &mut Config, value: Value) {
        debug_assert!(self.allows(value), "{} cannot be {value:?}", self.key);
        (self.set)(config, value);
    }

    /// Whether the rule takes the value.
    pub fn allows(&self, value: Value) -> bool {
        match (value, self.takes) {
            (Value::Word(word), _) => self.words.contains(&word),
            (Value::Flag(_), Takes::Flag) => true,
            (Value::Whole(n), Takes::Whole(_, least, most)) => (least..=most).contains(&n),
            (Value::Number(x), Takes::Number(least, most)) => (least..=most).contains(&x),
            (Value::Span(span), Takes::Span(least, most)) => (least..=most).contains(&span),
            _ => false,
        }
    }
}

/// Names of the profiles.
pub const PROFILES: [(&str, Profile); 3] = [("rfc", Profile::Rfc), ("ns2", Profile::Ns2), ("linux", Profile::Linux)];
/// Names of the recovery cores.
pub const RECOVERIES: [(&str, Recovery); 6] = [
    ("tahoe", Recovery::Tahoe),
    ("reno", Recovery::Reno),
    ("newreno", Recovery::NewReno),
    ("sack", Recovery::Sack),
    ("vegas", Recovery::Vegas),
    ("rack-tlp", Recovery::RackTlp),
];
/// As a rule: also that of the algorithm.
const OPEN_RECOVERIES: [(&str, Option<Recovery>); 7] = with_none("algorithm", open(&RECOVERIES));
const RECOVER_RULES: [(&str, RecoverRule); 3] =
    [("careful", RecoverRule::Careful), ("less-careful", RecoverRule::LessCareful), ("off", RecoverRule::Off)];
const COUNTS: [(&str, Count); 2] = [("bytes", Count::Bytes), ("acks", Count::Acks)];
/// Names of ns-2's agents.
pub const AGENTS: [(&str, Agent); 2] = [("one-way", Agent::OneWay), ("full", Agent::Full)];
const LIMITS: [(&str, CwndLimited); 1] = [("linux", CwndLimited::Linux)];
const RESTARTS: [(&str, IdleRestart); 1] = [("linux", IdleRestart::Linux)];
const HALF_BASES: [(&str, HalfBase); 3] =
    [("flight", HalfBase::Flight), ("window", HalfBase::Window), ("cwnd", HalfBase::Cwnd)];
const RTO_FLOORS: [(&str, RtoFloor); 2] = [("timeout", RtoFloor::Timeout), ("variance", RtoFloor::Variance)];
const WHEELS: [(&str, TimerWheel); 2] = [("exact", TimerWheel::Exact), ("linux", TimerWheel::Linux)];
const QUICK_ACKS: [(&str, u32); 2] = [("off", 0), ("window", u32::MAX)];
const NO_PUSH: [(&str, u32); 1] = [("off", 0)];
const MODES: [(&str, DelackMode); 3] =
    [("per-segment", DelackMode::PerSegment), ("heartbeat", DelackMode::Heartbeat), ("linux", DelackMode::Linux)];
const PACINGS: [(&str, Pacing); 4] =
    [("algorithm", Pacing::Algorithm), ("window", Pacing::Window), ("linux", Pacing::Linux), ("off", Pacing::Off)];
const DELACK_SAMPLES: [(&str, bool); 2] = [("skip", false), ("use", true)];
const ECHOES: [(&str, EcnEcho); 3] =
    [("latched", EcnEcho::Latched), ("per-packet", EcnEcho::PerPacket), ("accecn", EcnEcho::Accurate)];
const CODEPOINTS: [(&str, bool); 2] = [("ect0", false), ("ect1", true)];
const INITIAL_WINDOWS: [(&str, InitialWindow); 2] =
    [("rfc6928", InitialWindow::Rfc6928), ("rfc5681", InitialWindow::Rfc5681)];
/// Words for numbers that mean something else: no limit, or none at all.
const NO_LIMIT: [(&str, u32); 1] = [("off", u32::MAX)];
const NO_BURST_LIMIT: [(&str, u32); 1] = [("off", 0)];
const LIMITED_TRANSMIT: [(&str, u32); 2] = [("off", 0), ("all", u32::MAX)];

/// The word of a value.
pub fn word<T: PartialEq>(words: &[(&'static str, T)], value: T) -> Option<&'static str> {
    words.iter().find(|(_, known)| *known == value).map(|(word, _)| *word)
}

/// What a word means.
pub fn meant<T: Copy>(words: &[(&'static str, T)], word: &str) -> Option<T> {
    words.iter().find(|(known, _)| *known == word).map(|(_, value)| *value)
}

/// The words alone.
const fn only<T, const N: usize>(words: &[(&'static str, T); N]) -> [&'static str; N] {
    let mut all = [""; N];
    let mut at = 0;
    while at < N {
        all[at] = words[at].0;
        at += 1;
    }
    all
}

/// The words of a field that may be left open.
const fn open<T: Copy, const N: usize>(words: &[(&'static str, T); N]) -> [(&'static str, Option<T>); N] {
    let mut all = [("", None); N];
    let mut at = 0;
    while at < N {
        all[at] = (words[at].0, Some(words[at].1));
        at += 1;
    }
    all
}

/// The same with a word for leaving it open.
const fn with_none<T: Copy, const N: usize, const M: usize>(
    word: &'static str,
    words: [(&'static str, Option<T>); N],
) -> [(&'static str, Option<T>); M] {
    let mut all = [(word, None); M];
    let mut at = 0;
    while at < N {
        all[at] = words[at];
        at += 1;
    }
    all
}

const INSTANT: Span = Span(1);
const HOUR: Span = Span(3_600_000_000_000);

/// A type of a field of [`Config`]: how it is a value beside the words of its rule.
trait Field: Copy + PartialEq {
    fn value(self) -> Option<Value> {
        None
    }
    fn from_value(_: Value) -> Option<Self> {
        None
    }
}

/// A type that is one kind of value.
macro_rules! field {
    ($type:ty, $kind:ident) => {
        impl Field for $type {
            fn value(self) -> Option<Value> {
                Some(Value::$kind(self))
            }
            fn from_value(value: Value) -> Option<Self> {
                if let Value::$kind(given) = value { Some(given) } else { None }
            }
        }
    };
}

field!(bool, Flag);
field!(u32, Whole);
field!(f64, Number);
field!(Span, Span);

/// May be left open.
impl<T: Field> Field for Option<T> {
    fn value(self) -> Option<Value> {
        self.and_then(T::value)
    }
    fn from_value(value: Value) -> Option<Self> {
        T::from_value(value).map(Some)
    }
}

impl Field for InitialWindow {
    fn value(self) -> Option<Value> {
        if let InitialWindow::Segments(n) = self { Some(Value::Whole(n)) } else { None }
    }
    fn from_value(value: Value) -> Option<Self> {
        if let Value::Whole(n) = value { Some(InitialWindow::Segments(n)) } else { None }
    }
}

impl Field for CwndLimited {
    fn value(self) -> Option<Value> {
        Some(Value::Flag(self == CwndLimited::On))
    }
    fn from_value(value: Value) -> Option<Self> {
        bool::from_value(value).map(|on| if on { CwndLimited::On } else { CwndLimited::Off })
    }
}

impl Field for IdleRestart {
    fn value(self) -> Option<Value> {
        Some(Value::Flag(self == IdleRestart::On))
    }
    fn from_value(value: Value) -> Option<Self> {
        bool::from_value(value).map(|on| if on { IdleRestart::On } else { IdleRestart::Off })
    }
}

impl Field for Agent {}
impl Field for Count {}
impl Field for DelackMode {}
impl Field for EcnEcho {}
impl Field for HalfBase {}
impl Field for Pacing {}
impl Field for Recovery {}
impl Field for RecoverRule {}
impl Field for RtoFloor {}
impl Field for TimerWheel {}

fn get<T: Field>(words: &[(&'static str, T)], field: T) -> Option<Value> {
    word(words, field).map(Value::Word).or(field.value())
}

fn set<T: Field>(words: &[(&'static str, T)], field: &mut T, value: Value) {
    let given = if let Value::Word(word) = value { meant(words, word) } else { T::from_value(value) };
    *field = given.unwrap_or(*field);
}

/// A row: the field, its meaning, its words, what it takes beside them. The field's name is the rule's unless said.
macro_rules! rule {
    ($key:ident, $meaning:literal, $takes:expr) => {
        rule!(@row $key, $key, $meaning, &[], &[], $takes)
    };
    ($key:ident, $meaning:literal, $words:ident, $takes:expr) => {
        rule!(@row $key, $key, $meaning, &only(&$words), &$words, $takes)
    };
    ($key:ident = $field:ident, $meaning:literal, $words:ident, $takes:expr) => {
        rule!(@row $key, $field, $meaning, &only(&$words), &$words, $takes)
    };
    (@row $key:ident, $field:ident, $meaning:literal, $only:expr, $words:expr, $takes:expr) => {
        Rule {
            key: stringify!($key),
            meaning: $meaning,
            words: $only,
            takes: $takes,
            get: |config| get($words, config.$field),
            set: |config, value| set($words, &mut config.$field, value),
        }
    };
}

const fn segments(least: u32) -> Takes {
    Takes::Whole(Unit::Segments, least, MOST_SEGMENTS)
}

const fn plain(least: u32, most: u32) -> Takes {
    Takes::Whole(Unit::Plain, least, most)
}

const fn span(least: Span) -> Takes {
    Takes::Span(least, HOUR)
}

/// Every rule.
pub static RULES: &[Rule] = &[
    rule!(window, "receiver's window", segments(1)),
    rule!(header, "header bytes of every segment on the wire, ACKs included", Takes::Whole(Unit::Bytes, 1, 1000)),
    rule!(initial_window, "initial window: segments, \"rfc6928\" or \"rfc5681\"", INITIAL_WINDOWS, segments(1)),
    rule!(initial_ssthresh, "initial slow start threshold; the receiver's window if not given", segments(1)),
    rule!(recovery, "recovery core; \"algorithm\": the one that the algorithm names", OPEN_RECOVERIES, Takes::Words),
    rule!(
        prr,
        "bring the flight down in proportion during a recovery (RFC 9937); needs `newreno`, `sack` or `rack-tlp`",
        Takes::Flag
    ),
    rule!(tail_probes, "`rack-tlp`: probe for losses at the tail (RFC 8985)", Takes::Flag),
    rule!(
        undo,
        "take back a reduction that was for nothing: F-RTO (RFC 5682), timestamps, DSACK; needs `rack-tlp`, or `newreno` or `sack` with `linux_recovery`",
        Takes::Flag
    ),
    rule!(
        linux_recovery,
        "recover as Linux does instead of the RFCs: `rack-tlp`; `sack`, its stack without RACK and probes; `newreno`, that without SACK",
        Takes::Flag
    ),
    rule!(dup_threshold, "duplicate ACKs that mean a loss, 1 to 10", plain(1, 10)),
    rule!(
        limited_transmit,
        "segments that duplicate ACKs below the threshold may release: a number, \"off\", or \"all\"",
        LIMITED_TRANSMIT,
        segments(0)
    ),
    rule!(recover_rule, "guard against repeated fast retransmits (RFC 6582)", RECOVER_RULES, Takes::Words),
    rule!(ns2_recovery, "recover as ns-2's agents do instead of RFC 6582 and RFC 6675", Takes::Flag),
    rule!(
        agent,
        "which of ns-2's agents that is: \"one-way\", or \"full\" (FullTcp), the default with data both ways",
        AGENTS,
        Takes::Words
    ),
    rule!(
        half_base,
        "what a halving starts from: the flight size, the smaller of cwnd and the receiver's window, or cwnd",
        HALF_BASES,
        Takes::Words
    ),
    rule!(whole_ssthresh, "ssthresh counts whole segments", Takes::Flag),
    rule!(rto_ssthresh_hold, "keep ssthresh when the timer expires again for the same segment", Takes::Flag),
    rule!(
        ss_count,
        "what an ACK counts for in slow start: what it acknowledges (RFC 3465), or a segment",
        COUNTS,
        Takes::Words
    ),
    rule!(
        ss_limit,
        "most segments that an ACK counts for in slow start, L of RFC 3465: a number or \"off\"",
        NO_LIMIT,
        segments(1)
    ),
    rule!(ss_limit_rto, "the same in a slow start that repairs losses, as after a timeout", NO_LIMIT, segments(1)),
    rule!(
        ca_count,
        "what an ACK counts for in congestion avoidance: likewise, and no more than the window",
        COUNTS,
        Takes::Words
    ),
    rule!(
        cwnd_limited,
        "grow the window only while it is in use; \"linux\": up to twice what was in use in the last round",
        LIMITS,
        Takes::Flag
    ),
    rule!(rto_init, "retransmission timeout before any sample", span(INSTANT)),
    rule!(rto_min, "least retransmission timeout (RFC 6298), or what `rto_floor` says", span(INSTANT)),
    rule!(
        rto_floor,
        "what `rto_min` bounds: the timeout, or its variance term by Linux's estimator",
        RTO_FLOORS,
        Takes::Words
    ),
    rule!(rto_max, "greatest retransmission timeout", span(INSTANT)),
    rule!(rtt_tick, "clock tick of RTT measurement; zero for an exact clock", span(Span::ZERO)),
    rule!(
        clock_offset,
        "where the sender's clock stands at the start, within a tick; drawn for each flow if not given, but zero for Vegas with `ns2_recovery`",
        span(Span::ZERO)
    ),
    rule!(
        timer_wheel,
        "when timers expire: when they are due, or at steps of 1, 8 or 64 ms as in Linux",
        WHEELS,
        Takes::Words
    ),
    rule!(timer_phase, "where that wheel stands at the start", span(Span::ZERO)),
    rule!(timestamps, "RTT samples from timestamps on every ACK (RFC 7323); default by algorithm", Takes::Flag),
    rule!(
        delack_samples,
        "delay samples of ACKs that the receiver held back for another segment: \"use\" or \"skip\" for the algorithm",
        DELACK_SAMPLES,
        Takes::Words
    ),
    rule!(
        slow_start_restart,
        "restart from the initial window after an idle time of one RTO; \"linux\": halve the window for each RTO of it",
        RESTARTS,
        Takes::Flag
    ),
    rule!(delayed_ack, "segments per ACK, 1 to 16", plain(1, 16)),
    rule!(delayed_ack_timer, "longest time an ACK waits", span(Span::from_millis(1))),
    rule!(
        delayed_ack_mode,
        "that timer runs per segment; as a heartbeat; or, as in Linux, for longer where segments are far apart, up to 200 ms",
        MODES,
        Takes::Words
    ),
    rule!(
        quick_acks,
        "segments at the start that are acknowledged one by one: a number, \"off\", or \"window\": while Linux's window grows",
        QUICK_ACKS,
        segments(0)
    ),
    rule!(
        push,
        "segments written before they can be sent, or \"off\"; PSH at the end and at each half window, and an ACK at once for it, as in Linux",
        NO_PUSH,
        segments(0)
    ),
    rule!(dsack, "report segments that came again (RFC 2883)", Takes::Flag),
    rule!(
        sack_compression,
        "from the fourth duplicate on, an ACK waits up to 1.1 ms for another one, as in Linux",
        Takes::Flag
    ),
    rule!(dupack_from_data, "count duplicate ACKs that ride on data", Takes::Flag),
    rule!(max_burst, "most segments released by one ACK: a number or \"off\"", NO_BURST_LIMIT, segments(1)),
    rule!(
        pacing,
        "space segments in time: at the rate of an algorithm that gives one, by the window per RTT, as Linux does where its queue paces, or not",
        PACINGS,
        Takes::Words
    ),
    rule!(pacing_slow_start, "pacing by the window: factor in slow start, 1 to 10", Takes::Number(1.0, 10.0)),
    rule!(pacing_factor, "pacing by the window: factor after slow start, 1 to 10", Takes::Number(1.0, 10.0)),
    rule!(pacing_burst, "segments that a paced sender may send at once after a pause", segments(1)),
    rule!(
        pacing_quantum,
        "segments that a paced sender lets leave together, as segmentation offload does",
        segments(1)
    ),
    rule!(freeze, "Freeze-TCP: the receiver, warned of a handover, closes its window until it is over", Takes::Flag),
    rule!(
        freeze_lead,
        "how long before the break it closes; one smoothed RTT of the sender if not given",
        span(Span::ZERO)
    ),
    rule!(freeze_copies, "ACKs with the old window that it sends at the end, 1 to 16", plain(1, 16)),
    rule!(freeze_kick, "the sender retransmits the oldest segment when the window opens again", Takes::Flag),
    rule!(ecn, "packets are ECN-capable; default by algorithm", Takes::Flag),
    rule!(
        ecn_echo,
        "echo marks until the sender answers, per packet, where a change ends a delayed ACK (RFC 8257), or count them (AccECN, RFC 9768); default by algorithm",
        ECHOES,
        Takes::Words
    ),
    rule!(accecn_option, "AccECN: pure ACKs carry the number of marked bytes as well, 8 B", Takes::Flag),
    rule!(
        ect = ect1,
        "how packets say that they are ECN-capable: as others do, or as those of L4S senders (RFC 9331); default by algorithm",
        CODEPOINTS,
        Takes::Words
    ),
];

#[cfg(test)]
mod tests {
    use super::*;

    /// What a rule may be given: its words, and the ends of its range.
    fn values(rule: &'static Rule) -> Vec<Value> {
        let ends = match rule.takes {
            Takes::Words => vec![],
            Takes::Flag => vec![Value::Flag(false), Value::Flag(true)],
            Takes::Whole(_, least, most) => vec![Value::Whole(least), Value::Whole(most)],
            Takes::Number(least, most) => vec![Value::Number(least), Value::Number(most)],
            Takes::Span(least, most) => vec![Value::Span(least), Value::Span(most)],
        };
        rule.words.iter().map(|word| Value::Word(word)).chain(ends).collect()
    }

    #[test]
    fn every_rule_keeps_what_it_is_given_and_changes_no_other() {
        for rule in RULES {
            for value in values(rule) {
                assert!(rule.allows(value));
                let before = Config::profile(Profile::Rfc);
                let mut config = before;
                rule.set(&mut config, value);
                let zero = matches!(rule.key, "limited_transmit" | "quick_acks" | "push") && value == Value::Whole(0);
                let expected = if zero { Value::Word("off") } else { value };
                assert_eq!(rule.get(&config), Some(expected), "{}", rule.key);
                for other in RULES.iter().filter(|other| other.key != rule.key) {
                    assert_eq!(other.get(&config), other.get(&before), "{} changes {}", rule.key, other.key);
                }
            }
        }
    }

    #[test]
    fn the_rules_are_all_of_a_configuration() {
        // What a profile sets, a row reads: two profiles with the same rows are the same but for the segment size.
        let (rfc, mut ns2) = (Config::profile(Profile::Rfc), Config::profile(Profile::Ns2));
        for rule in RULES {
            if let Some(value) = rule.get(&rfc) {
                rule.set(&mut ns2, value);
            }
        }
        ns2.mss = rfc.mss; // which a flow says by itself
        assert_eq!(ns2, rfc);
        let shown = format!("{rfc:#?}");
        let field = |line: &&str| line.starts_with("    ") && !line.starts_with("     ") && line.contains(": ");
        let fields = shown.lines().filter(field).count();
        assert_eq!(fields, RULES.len() + 1);
    }

    #[test]
    fn keys_are_unique_and_values_out_of_range_are_not_allowed() {
        for (at, rule) in RULES.iter().enumerate() {
            assert!(RULES[..at].iter().all(|other| other.key != rule.key), "{} twice", rule.key);
            assert!(!rule.allows(Value::Word("no such word")));
        }
        let threshold = Rule::named("dup_threshold").unwrap();
        assert!(!threshold.allows(Value::Whole(0)) && !threshold.allows(Value::Flag(true)));
        assert!(Rule::named("mss").is_none());
    }
}
