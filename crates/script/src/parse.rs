//! From text to steps.

use std::iter::Peekable;
use std::slice::Iter;

use tcp::Flags;

use crate::options::Options;
use crate::script::{Action, Arrival, Departure, Error, Expectation, Fact, Kind, Script, Step, Value, What};
use crate::values::{amount, seconds, whole_segments};

/// Words of a line.
type Words<'a, 'b> = Peekable<Iter<'b, &'a str>>;

pub(crate) fn parse(file: &str, text: &str) -> Result<Script, Error> {
    let fail = |line: usize, message: String| Error { file: file.to_string(), line, message };
    let mut pairs = Vec::new();
    let mut pair_lines = Vec::new();
    let mut timeline = Vec::new();
    for (index, line) in text.lines().enumerate() {
        let number = index + 1;
        let words: Vec<&str> = line.split('#').next().unwrap_or("").split_whitespace().collect();
        let Some(first) = words.first() else { continue };
        if first.starts_with('+') {
            timeline.push((number, words));
        } else if !timeline.is_empty() {
            return Err(fail(number, format!("a step begins with `+` and a time, not with `{first}`")));
        } else {
            for pair in words.chunks(2) {
                let [name, value] = pair else {
                    return Err(fail(number, format!("option `{}` has no value", pair[0])));
                };
                if pairs.iter().any(|(n, _)| n == name) {
                    return Err(fail(number, format!("option `{name}` is set twice")));
                }
                pairs.push((name.to_string(), value.to_string()));
                pair_lines.push(number);
            }
        }
    }
    let options = Options::from_pairs(&pairs)
        .map_err(|(index, message)| fail(pair_lines[index], format!("{}: {message}", pairs[index].0)))?;
    if timeline.is_empty() {
        return Err(fail(text.lines().count().max(1), "no step".to_string()));
    }
    let mut reader = Reader { options: &options, written: 0 };
    let mut steps = Vec::new();
    for (line, words) in timeline {
        let mut words = words.iter().peekable();
        steps.push(reader.step(line, &mut words).map_err(|message| fail(line, message))?);
    }
    Ok(Script { file: file.to_string(), options, steps })
}

/// What the meaning of a line depends on.
struct Reader<'a> {
    options: &'a Options,
    /// Bytes written so far.
    written: u64,
}

impl Reader<'_> {
    fn step(&mut self, line: usize, words: &mut Words) -> Result<Step, String> {
        let time = words.next().expect("the line is not empty");
        let wait = seconds(&time[1..])?;
        let verb = *words.next().ok_or("nothing happens here")?;
        let action = match verb {
            "write" => self.write(words)?,
            "open" => Action::Open,
            "handover" => Action::Handover(match words.next() {
                Some(&"begins") => true,
                Some(&"ends") => false,
                _ => return Err("a handover `begins` or `ends`".to_string()),
            }),
            "freeze" => Action::Freeze(true),
            "thaw" => Action::Freeze(false),
            "<" => Action::Receive(self.arrival(words)?),
            ">" => Action::Expect(self.expectation(words)?),
            "?" => Action::Check(facts(words)?),
            _ => return Err(format!("`{verb}` is none of write, open, handover, freeze, thaw, <, >, ?")),
        };
        match words.next() {
            Some(word) => Err(format!("`{word}` has no meaning here")),
            None => Ok(Step { line, wait, action }),
        }
    }

    fn mss(&self) -> u64 {
        u64::from(self.options.config.mss)
    }

    fn write(&mut self, words: &mut Words) -> Result<Action, String> {
        let word = *words.next().ok_or("write how much?")?;
        if word == "forever" {
            return Ok(Action::Write(None));
        }
        if !self.written.is_multiple_of(self.mss()) {
            return Err("only the last write may end within a segment".to_string());
        }
        self.written += amount(word)?;
        Ok(Action::Write(Some(self.written)))
    }

    fn arrival(&mut self, words: &mut Words) -> Result<Arrival, String> {
        let mut arrival = Arrival { times: 1, ..Arrival::default() };
        if words.peek().is_none() {
            return Err("what arrives?".to_string());
        }
        while let Some(&word) = words.next() {
            match word {
                "syn" => arrival.syn = true,
                "probe" => (arrival.probe, arrival.ack) = (true, Some(0)),
                "ack" if arrival.syn && words.peek().is_none_or(|w| amount(w).is_err()) => arrival.ack = Some(0),
                "ack" => arrival.ack = Some(self.acknowledged(words.next())?),
                "data" => {
                    let (start, end) = self.segments(words.next().ok_or("which data?")?)?;
                    arrival.data = (start..end).collect();
                }
                "sack" => {
                    while let Some(block) = words.next_if(|w| w.contains(':')) {
                        arrival.sack.push(self.segments(block)?);
                    }
                    if arrival.sack.is_empty() || arrival.sack.len() > tcp::MAX_SACK {
                        return Err(format!("between 1 and {} SACK blocks", tcp::MAX_SACK));
                    }
                }
                "win" => {
                    arrival.window = Some(whole_segments(words.next().ok_or("which window?")?, self.mss() as u32)?)
                }
                "ece" => arrival.flags.set(Flags::ECE),
                "cwr" => arrival.flags.set(Flags::CWR),
                "ce" => arrival.flags.set(Flags::CE),
                "ts" => arrival.stamp = Some(seconds(words.next().ok_or("which stamp?")?)?),
                _ => match word.strip_prefix('x').and_then(|n| n.parse().ok()) {
                    Some(times) if times > 0 => arrival.times = times,
                    _ => return Err(format!("`{word}` is nothing that arrives")),
                },
            }
        }
        if arrival.data.is_empty() && arrival.ack.is_none() && !arrival.syn {
            return Err("neither `ack`, `data` nor `syn`".to_string());
        }
        let pure = arrival.data.is_empty() && !arrival.syn;
        if pure && self.options.config.timestamps && arrival.stamp.is_none() {
            return Err("timestamps are on: say with `ts` which one this ACK echoes".to_string());
        }
        Ok(arrival)
    }

    /// Number of segments that an ACK covers. The last byte written may lie within one.
    fn acknowledged(&self, word: Option<&&str>) -> Result<u32, String> {
        let word = *word.ok_or("which ack?")?;
        if amount(word)? == self.written {
            return Ok(self.written.div_ceil(self.mss()) as u32);
        }
        whole_segments(word, self.mss() as u32)
    }

    /// A range of bytes as a range of segments.
    fn segments(&self, word: &str) -> Result<(u32, u32), String> {
        let (start, end) = word.split_once(':').ok_or_else(|| format!("`{word}` is no range of bytes"))?;
        let range = (whole_segments(start, self.mss() as u32)?, whole_segments(end, self.mss() as u32)?);
        if range.0 < range.1 { Ok(range) } else { Err(format!("`{word}` is empty")) }
    }

    fn expectation(&self, words: &mut Words) -> Result<Expectation, String> {
        match words.peek().copied().copied() {
            None => return Err("what leaves? `> none` if nothing".to_string()),
            Some("none") => {
                words.next();
                return Ok(Expectation::Nothing);
            }
            Some("any") => {
                words.next();
                return Ok(Expectation::Anything);
            }
            _ => {}
        }
        let mut kinds = Vec::new();
        // the words after the ranges hold for all of them
        let mut described = false;
        let mut rest = Departure {
            kind: Kind::Ack,
            ack: None,
            sack: Vec::new(),
            window: None,
            flags: Flags::default(),
            echo: None,
        };
        while let Some(&word) = words.next() {
            match word {
                "syn" => kinds.push(Kind::Syn),
                "probe" => kinds.push(Kind::Probe),
                "ack" if kinds == [Kind::Syn] => rest.ack = Some(0),
                "ack" => rest.ack = Some(amount(words.next().ok_or("which ack?")?)?),
                "sack" => {
                    while let Some(block) = words.next_if(|w| w.contains(':')) {
                        rest.sack.push(range(block)?);
                    }
                }
                "win" => rest.window = Some(amount(words.next().ok_or("which window?")?)?),
                "ect" => rest.flags.set(Flags::ECT),
                "cwr" => rest.flags.set(Flags::CWR),
                "ece" => rest.flags.set(Flags::ECE),
                "ts" => rest.echo = Some(seconds(words.next().ok_or("which stamp?")?)?),
                _ if word.contains(':') && described => {
                    return Err(format!("`{word}` stands after a word that holds for the whole line: begin a new one"));
                }
                _ if word.contains(':') => self.cut(word, &mut kinds)?,
                _ => return Err(format!("`{word}` is nothing that leaves")),
            }
            described |= !word.contains(':');
        }
        if kinds.is_empty() {
            if rest.ack.is_none() {
                return Err("neither a range of bytes, `ack` nor `syn`".to_string());
            }
            kinds.push(Kind::Ack);
        }
        Ok(Expectation::These(kinds.into_iter().map(|kind| Departure { kind, ..rest.clone() }).collect()))
    }

    /// Cut a range of bytes into segments.
    fn cut(&self, word: &str, kinds: &mut Vec<Kind>) -> Result<(), String> {
        let (start, end) = range(word)?;
        let mss = self.mss();
        if start % mss != 0 {
            return Err(format!("`{word}` does not begin at a multiple of the MSS of {mss}"));
        }
        if end % mss != 0 && end != self.written {
            return Err(format!("`{word}` ends neither at a multiple of the MSS of {mss} nor with what was written"));
        }
        kinds.extend((start..end).step_by(mss as usize).map(|from| Kind::Data(from, end.min(from + mss))));
        Ok(())
    }
}

fn facts(words: &mut Words) -> Result<Vec<Fact>, String> {
    let mut facts = Vec::new();
    while let Some(&name) = words.next() {
        let what = match name {
            "cwnd" => What::Cwnd,
            "ssthresh" => What::Ssthresh,
            "flight" => What::Flight,
            "una" => What::Una,
            "srtt" => What::Srtt,
            "rto" => What::Rto,
            "timer" => What::Timer,
            "state" => What::State,
            "timeouts" => What::Timeouts,
            _ => return Err(format!("nothing is known of `{name}`")),
        };
        let word = *words.next().ok_or_else(|| format!("`{name}` is what?"))?;
        let value = match (what, word) {
            (What::State, "closed" | "syn-sent" | "syn-received" | "open" | "recovery") | (What::Timer, "off") => {
                Value::Word(word.to_string())
            }
            (What::State, _) => {
                return Err(format!("`{word}` is none of closed, syn-sent, syn-received, open, recovery"));
            }
            (What::Srtt | What::Rto | What::Timer, _) => Value::Number(seconds(word)?.secs()),
            _ => Value::Number(word.parse().ok().filter(|n: &f64| *n >= 0.0).ok_or(format!("`{word}` is no amount"))?),
        };
        facts.push(Fact { what, value });
    }
    if facts.is_empty() { Err("what is asked?".to_string()) } else { Ok(facts) }
}

fn range(word: &str) -> Result<(u64, u64), String> {
    let (start, end) = word.split_once(':').ok_or_else(|| format!("`{word}` is no range of bytes"))?;
    let range = (amount(start)?, amount(end)?);
    if range.0 < range.1 { Ok(range) } else { Err(format!("`{word}` is empty")) }
}

#[cfg(test)]
mod tests;
