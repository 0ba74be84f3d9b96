//! A script that was read: its options and its steps.

use std::fmt;

use units::{Span, Time};

use crate::options::Options;

/// A script, read and ready to be played.
#[derive(Clone, Debug)]
pub struct Script {
    /// Name of the file, for messages.
    pub(crate) file: String,
    pub(crate) options: Options,
    pub(crate) steps: Vec<Step>,
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
pub(crate) struct Step {
    pub(crate) line: usize,
    /// Since the step before.
    pub(crate) wait: Span,
    pub(crate) action: Action,
}

#[derive(Clone, Debug)]
pub(crate) enum Action {
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
pub(crate) struct Arrival {
    pub(crate) syn: bool,
    pub(crate) probe: bool,
    /// Numbers of the data segments; none for a pure ACK.
    pub(crate) data: Vec<u32>,
    pub(crate) ack: Option<u32>,
    pub(crate) times: u32,
    pub(crate) sack: Vec<(u32, u32)>,
    pub(crate) window: Option<u32>,
    pub(crate) flags: tcp::Flags,
    /// Of data the stamp, of an ACK the echo; time since the opening.
    pub(crate) stamp: Option<Span>,
}

#[derive(Clone, Debug)]
pub(crate) enum Expectation {
    Nothing,
    Anything,
    These(Vec<Departure>),
}

/// A segment that leaves, in bytes.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Departure {
    pub(crate) kind: Kind,
    /// Of data: `None` in an expectation that does not care.
    pub(crate) ack: Option<u64>,
    pub(crate) sack: Vec<(u64, u64)>,
    /// Advertised; `None` in an expectation that does not care.
    pub(crate) window: Option<u64>,
    /// Only ECT, CWR and ECE.
    pub(crate) flags: tcp::Flags,
    /// Echoed timestamp, since the opening; `None` in an expectation that does not care.
    pub(crate) echo: Option<Span>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Syn,
    Probe,
    Ack,
    Data(u64, u64),
}

/// One assertion about the endpoint.
#[derive(Clone, Debug)]
pub(crate) struct Fact {
    pub(crate) what: What,
    pub(crate) value: Value,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum What {
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
pub(crate) enum Value {
    Number(f64),
    Word(String),
}

/// Time of an engine clock, as seconds since the opening.
pub(crate) fn since(at: Time, opened: Time) -> f64 {
    at.secs() - opened.secs()
}

/// Trailing zeros of a number of seconds or bytes say nothing.
pub(crate) fn short(number: f64) -> String {
    let text = format!("{number:.6}");
    text.trim_end_matches('0').trim_end_matches('.').to_string()
}
