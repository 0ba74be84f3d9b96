//! The head of a tape: which algorithm, and what its connection was like when it opened.

use std::fmt;

use cc::registry::{BadParameter, Kind, Row};
use cc::{Config, Path, Windows};

use crate::fields::{Fields, Reader, Writer};

/// What a tape begins with, and the version of the format.
const FIRST: &str = "windlass-tape";
const VERSION: &str = "1";

/// What is wrong with a tape, and where.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Line, from 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
    /// What to do about it.
    pub hint: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "line {}: {}; {}", self.line, self.what, self.hint)
    }
}

impl std::error::Error for Problem {}

/// A problem of a line that can be mended by looking at a tape that is right.
pub(crate) fn wrong(line: usize, what: impl Into<String>) -> Problem {
    let hint = "`windlass run --trace tape --out DIR` writes tapes that are right".into();
    Problem { line, what: what.into(), hint }
}

/// The connection when it opened.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Connection {
    /// With the values that never change; the others are the lines'.
    pub(crate) path: Path,
    pub(crate) windows: Windows,
}

impl Connection {
    fn fields(&mut self, f: &mut impl Fields) -> Result<(), String> {
        f.plain("mss", &mut self.path.mss)?;
        f.plain("dup_threshold", &mut self.path.dup_threshold)?;
        f.plain("whole_ssthresh", &mut self.path.whole_ssthresh)?;
        f.plain("paced", &mut self.path.paced)?;
        f.plain("seed", &mut self.path.seed)?;
        f.plain("cwnd", &mut self.windows.cwnd)?;
        f.plain("ssthresh", &mut self.windows.ssthresh)
    }
}

/// An algorithm with all its parameters, as words of a line.
pub(crate) fn about(config: &Config) -> String {
    let mut text = config.row().name.to_owned();
    for parameter in config.row().parameters {
        let name = parameter.name;
        let value = match parameter.kind {
            Kind::Number { .. } => config.number(name).to_string(),
            Kind::Choice(_) => config.choice(name).to_owned(),
            Kind::Flag(_) => config.flag(name).to_string(),
        };
        text.extend([" ", name, "=", &value]);
    }
    text
}

/// The three lines of the head.
pub(crate) fn write(about: &str, connection: &mut Connection) -> String {
    let mut words = Writer::default();
    connection.fields(&mut words).expect("what is written is right");
    format!("{FIRST} {VERSION}\nalgorithm {about}\nconnection{}\n", words.0)
}

/// The lines of a text that say something, numbered from 1.
pub(crate) fn lines(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let lines = text.lines().enumerate().map(|(number, line)| (number + 1, line.trim()));
    lines.filter(|(_, line)| !line.is_empty() && !line.starts_with('#'))
}

/// The line of the algorithm, with its number, and the connection.
pub(crate) fn read(text: &str) -> Result<((usize, &str), Connection), Problem> {
    let mut lines = lines(text);
    let mut next = |first: &str| {
        let (number, line) = lines.next().unwrap_or((1, ""));
        let (word, rest) = line.split_once(' ').unwrap_or((line, ""));
        if word == first { Ok((number, rest)) } else { Err(wrong(number, format!("does not begin with `{first}`"))) }
    };
    let (number, version) = next(FIRST)?;
    if version != VERSION {
        return Err(wrong(number, format!("version `{version}` of the format, and this is version {VERSION}")));
    }
    let algorithm = next("algorithm")?;
    let (number, words) = next("connection")?;
    let (mut connection, mut reader) = (Connection::default(), Reader::new(words));
    connection.fields(&mut reader).and_then(|()| reader.end()).map_err(|what| wrong(number, what))?;
    if !(connection.path.mss.0 >= 1.0 && connection.path.mss.0.is_finite()) {
        return Err(wrong(number, "`mss` must be bytes from 1"));
    }
    Ok((algorithm, connection))
}

/// The algorithm of a line with its parameters. `find` knows the rows.
pub(crate) fn config(
    (line, text): (usize, &str),
    find: impl Fn(&str) -> Option<&'static Row>,
) -> Result<Config, Problem> {
    let mut words = text.split_whitespace();
    let name = words.next().unwrap_or_default();
    let row = find(name).filter(|row| row.rate.is_none()).ok_or_else(|| Problem {
        hint: "`windlass list algorithms` shows all; `--python FILE` makes your own known".into(),
        ..wrong(line, format!("no algorithm `{name}` with a window"))
    })?;
    let mut config = Config::new(row);
    for word in words {
        let (name, value) = word.split_once('=').unwrap_or((word, ""));
        set(&mut config, name, value).map_err(|what| Problem {
            hint: format!("`windlass list algorithms` shows the parameters of `{}`", row.name),
            ..wrong(line, what)
        })?;
    }
    Ok(config)
}

fn set(config: &mut Config, name: &str, value: &str) -> Result<(), String> {
    let kind = config.row().parameters.iter().find(|known| known.name == name).map(|parameter| &parameter.kind);
    let done = match (kind, value.parse::<f64>(), value.parse::<bool>()) {
        (Some(Kind::Number { .. }), Ok(number), _) => config.set_number(name, number),
        (Some(Kind::Flag(_)), _, Ok(on)) => config.set_flag(name, on),
        (Some(Kind::Choice(_)), _, _) => config.set_choice(name, value),
        (Some(Kind::Number { .. }), ..) => Err(BadParameter::WrongKind("a number")),
        (Some(Kind::Flag(_)), ..) => Err(BadParameter::WrongKind("true or false")),
        (None, ..) => Err(BadParameter::Unknown),
    };
    done.map_err(|bad| match bad {
        BadParameter::Unknown => format!("`{}` has no parameter `{name}`", config.row().name),
        BadParameter::WrongKind(wanted) => format!("`{name}` is `{value}`, must be {wanted}"),
        BadParameter::OutOfRange { min, max } => format!("`{name}` is {value}, must be from {min} to {max}"),
        BadParameter::NotListed(words) => format!("`{name}` is `{value}`, must be one of {}", words.join(", ")),
    })
}
