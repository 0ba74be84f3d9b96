//! A tape held against an algorithm.

use cc::registry::{Row, find};
use cc::{Algorithm, Config};
use units::Time;

use crate::event::{Answer, Event, KINDS, path_fields};
use crate::fields::{Lister, Reader};
use crate::head::{self, Connection, Problem, wrong};

/// A tape whose head was read.
#[derive(Clone, Copy, Debug)]
pub struct Tape<'a> {
    text: &'a str,
    algorithm: (usize, &'a str),
    connection: Connection,
}

/// What came of a replay.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Replay {
    /// Events told.
    pub events: usize,
    /// For each event whose answer was another, the first field that differs.
    pub differences: Vec<Difference>,
}

/// An answer that is not the tape's.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Difference {
    /// Line of the tape, from 1.
    pub line: usize,
    /// Kind of the event.
    pub event: &'static str,
    /// When it happened, if it says so.
    pub now: Option<Time>,
    /// Field of the answer.
    pub field: String,
    /// Its value on the tape.
    pub tape: String,
    /// Its value now.
    pub answer: String,
}

impl<'a> Tape<'a> {
    /// Read the head of a tape.
    pub fn read(text: &'a str) -> Result<Tape<'a>, Problem> {
        let (algorithm, connection) = head::read(text)?;
        Ok(Tape { text, algorithm, connection })
    }

    /// Name of the algorithm that was recorded.
    pub fn algorithm(&self) -> &'a str {
        self.algorithm.1.split_whitespace().next().unwrap_or_default()
    }

    /// The algorithm that was recorded, with its parameters. `find` knows the rows.
    pub fn config(&self, find: impl Fn(&str) -> Option<&'static Row>) -> Result<Config, Problem> {
        head::config(self.algorithm, find)
    }

    /// Tell an algorithm, not yet opened, everything that is on the tape, and hold its answers against the tape's.
    pub fn replay(&self, algorithm: &mut Algorithm) -> Result<Replay, Problem> {
        let (mut path, mut replay, mut clock) = (self.connection.path, Replay::default(), Time::ZERO);
        let mut before = None;
        for (number, line) in head::lines(self.text).skip(3) {
            let (event, answer) = self.line(line, &mut path).map_err(|what| wrong(number, what))?;
            match (&event, replay.events) {
                (Event::Open(_), 0) => {}
                (Event::Open(_), _) => return Err(wrong(number, "`open` stands twice")),
                (_, 0) => return Err(wrong(number, "the first event is not `open`")),
                _ => {}
            }
            let now = event.now();
            if now.is_some_and(|now| now < clock) {
                return Err(wrong(number, "time goes back: `now` is before that of an earlier line"));
            }
            clock = now.unwrap_or(clock);
            match event {
                Event::Remember => algorithm.remember(&mut before),
                Event::Restore => algorithm.restore(&before),
                _ => {}
            }
            let found = event.tell(algorithm, &path);
            replay.events += 1;
            if let Some((field, tape, answer)) = first_difference(answer, found) {
                replay.differences.push(Difference { line: number, event: event.kind(), now, field, tape, answer });
            }
        }
        Ok(replay)
    }

    /// What a line tells, and what was answered. The path is brought up to date.
    fn line(&self, line: &str, path: &mut cc::Path) -> Result<(Event, Answer), String> {
        let (told, answered) = line.split_once("->").ok_or("an event without `->` and an answer")?;
        let (kind, words) = told.split_once(' ').unwrap_or((told, ""));
        let mut event = Event::blank(kind, self.connection.windows, path)
            .ok_or_else(|| format!("no event `{kind}`; there are {}", KINDS.join(", ")))?;
        let (mut reader, before) = (Reader::new(words), *path);
        event.fields(&mut reader, path)?;
        path_fields(&mut reader, path, &before)?;
        reader.end()?;
        let (mut answer, mut reader) = (Answer::default(), Reader::new(answered));
        answer.fields(&mut reader)?;
        reader.end()?;
        Ok((event, answer))
    }
}

/// Replay a tape against the algorithm of the registry that its head names.
pub fn replay(text: &str) -> Result<Replay, Problem> {
    let tape = Tape::read(text)?;
    tape.replay(&mut tape.config(find)?.build())
}

/// The first field that differs, with both values.
fn first_difference(mut tape: Answer, mut now: Answer) -> Option<(String, String, String)> {
    if tape == now {
        return None;
    }
    let list = |answer: &mut Answer| {
        let mut list = Lister::default();
        answer.fields(&mut list).expect("what is listed is right");
        list.0
    };
    let (tape, now) = (list(&mut tape), list(&mut now));
    let mut both = tape.into_iter().zip(now);
    both.find(|((_, tape), (_, now))| tape != now).map(|((field, tape), (_, now))| (field, tape, now))
}
