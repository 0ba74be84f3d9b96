//! Packet scripts: a TCP test written as a timeline of packets and assertions, played against one [`tcp::Endpoint`].
//!
//! ```text
//! # Third duplicate ACK: retransmit at once, halve. RFC 5681 section 3.2, steps 2 and 3.
//! cc newreno    mss 1000    cwnd 10000    sack off
//! +0.000  write 10000
//! +0.000  > 0:10000
//! +0.100  < ack 0  x3
//! +0.000  > 0:1000                       # the retransmission
//! +0.000  ? ssthresh 5000  cwnd 8000     # flight 10000 / 2, plus three segments that have left
//! ```
//!
//! First come options, pairs of a name and a value (see [`Options`]); then steps, each `+` the seconds since the step before.
//! Time zero is when the connection opened. Amounts are bytes, times seconds; `#` begins a comment.
//!
//! | step | meaning |
//! |---|---|
//! | `write 5000`, `write forever` | the application writes so much more, or without end |
//! | `open` | the SYN leaves, in scripts with `handshake off` |
//! | `< ack 3000 x3` | a pure ACK arrives, three times |
//! | `< ack 0 sack 1000:2000 4000:5000 win 9000 ece ts 0.1` | with SACK blocks, a window (of this and all later segments), an echo of a mark, an echo of the timestamp of 0.1 s |
//! | `< data 0:2000 ack 0 ce cwr ts 0.1` | data arrive, one segment after the other |
//! | `< syn`, `< syn ack` | the other side opens, or answers |
//! | `> 0:1000 4000:6000 ect cwr ack 0` | these data segments have left now, in this order |
//! | `> ack 2000 sack 3000:4000 ece ts 0.1 win 0` | a pure ACK has left now, with just these blocks |
//! | `> syn`, `> syn ack` | a SYN has left now |
//! | `handover begins`, `handover ends` | the link layer tells the sender; `freeze`, `thaw` tell the receiver |
//! | `> probe`, `< probe` | a probe of a closed window has left now, or arrives |
//! | `> none` | nothing has left that was not named yet |
//! | `> any` | whatever has left now, if anything |
//! | `? cwnd 8000 ssthresh 5000 flight 10000 una 0` | windows (cwnd with the inflation of fast recovery), what is outstanding, the oldest byte outstanding |
//! | `? srtt 0.1 rto 1 timer 0.9` | RTT estimate; the timeout with which the retransmission timer was last started; the time left of it (`timer off`: none) |
//! | `? state recovery timeouts 1` | `closed`, `syn-sent`, `syn-received`, `open` or `recovery`; expiries so far |
//!
//! The header bits of a segment that leaves are exactly those named. What leaves must be named before the clock moves on;
//! a timer that expires at the time of a step expires before it.
#![forbid(unsafe_code)]

mod options;
mod parse;
mod play;

use std::fmt;

pub use options::Options;
use units::{Span, Time};

/// A script, read and ready to be played.
#[derive(Clone, Debug)]
pub struct Script {
    /// Name of the file, for messages.
    file: String,
    options: Options,
    steps: Vec<Step>,
}

impl Script {
    /// Read a script. `file` is its name, for messages only.
    pub fn parse(file: &str, text: &str) -> Result<Script, Error> {
        parse::parse(file, text)
    }

    /// Play it against a new endpoint, up to the first step that does not hold.
    pub fn play(&self) -> Result<(), Error> {
        play::play(self)
    }
}

/// A line that cannot be read, or that does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Name of the file.
    pub file: String,
    /// Line, from 1.
    pub line: usize,
    /// What is wrong with it.
    pub message: String,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.message)
    }
}

impl std::error::Error for Error {}

/// One line of the timeline.
#[derive(Clone, Debug)]
struct Step {
    line: usize,
    /// Since the step before.
    wait: Span,
    action: Action,
}

#[derive(Clone, Debug)]
enum Action {
    Open,
    /// The link layer tells the sender that a handover begins, or ends.
    Handover(bool),
    /// Or the receiver, that it closes its window, or opens it again.
    Freeze(bool),
    /// Offered in all, from the beginning; `None`: without end.
    Write(Option<u64>),
    Receive(Arrival),
    Expect(Expectation),
    Check(Vec<Fact>),
}

/// Segments that arrive.
#[derive(Clone, Debug, Default)]
struct Arrival {
    syn: bool,
    probe: bool,
    /// Numbers of the data segments; none for a pure ACK.
    data: Vec<u32>,
    ack: Option<u32>,
    times: u32,
    sack: Vec<(u32, u32)>,
    window: Option<u32>,
    flags: tcp::Flags,
    /// Of data the stamp, of an ACK the echo; time since the opening.
    stamp: Option<Span>,
}

#[derive(Clone, Debug)]
enum Expectation {
    Nothing,
    Anything,
    These(Vec<Departure>),
}

/// A segment that leaves, in bytes.
#[derive(Clone, Debug, PartialEq)]
struct Departure {
    kind: Kind,
    /// Of data: `None` in an expectation that does not care.
    ack: Option<u64>,
    sack: Vec<(u64, u64)>,
    /// Advertised; `None` in an expectation that does not care.
    window: Option<u64>,
    /// Only ECT, CWR and ECE.
    flags: tcp::Flags,
    /// Echoed timestamp, since the opening; `None` in an expectation that does not care.
    echo: Option<Span>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Syn,
    Probe,
    Ack,
    Data(u64, u64),
}

/// One assertion about the endpoint.
#[derive(Clone, Debug)]
struct Fact {
    what: What,
    value: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum What {
    Cwnd,
    Ssthresh,
    Flight,
    Una,
    Srtt,
    Rto,
    Timer,
    State,
    Timeouts,
}

#[derive(Clone, Debug)]
enum Value {
    Number(f64),
    Word(String),
}

/// Time of an engine clock, as seconds since the opening.
fn since(at: Time, opened: Time) -> f64 {
    at.secs() - opened.secs()
}

/// Trailing zeros of a number of seconds or bytes say nothing.
fn short(number: f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
