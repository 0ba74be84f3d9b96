//! Typed readers of a [`Node`] tree: each returns a value that is in range, or says what to write instead.

use std::ops::RangeInclusive;

use units::Span;

use crate::error::{Place, Problem, choose, code, listed, show};
use crate::limits::FIXED;
use crate::node::{Node, Table, Value};
use crate::units::{
    Kind, Unreadable, either, frequency_text, length_text, level_text, parse, percent_text, power_text, rate_text,
    size_text, speed_text, time_text,
};

/// Longest time that may be written: one hour.
pub(crate) const HOUR: Span = Span(3_600_000_000_000);
/// Shortest time that is not zero.
pub(crate) const INSTANT: Span = Span(1);

/// A table whose keys are all known.
pub(crate) struct Fields<'a> {
    table: &'a Table,
    path: String,
    place: Place,
}

/// A value and the dotted key it stands at.
pub(crate) struct Item<'a> {
    pub(crate) node: &'a Node,
    pub(crate) path: String,
}

impl<'a> Fields<'a> {
    /// The table at `path`. A key that is not among `keys` is refused with the likely one.
    pub(crate) fn open(node: &'a Node, path: impl Into<String>, keys: &[&str]) -> Result<Fields<'a>, Problem> {
        Item { node, path: path.into() }.table(keys)
    }

    pub(crate) fn get(&self, key: &str) -> Option<Item<'a>> {
        self.table.get(key).map(|node| Item { node, path: self.key(key) })
    }

    pub(crate) fn need(&self, key: &str, example: &str) -> Result<Item<'a>, Problem> {
        self.get(key).ok_or_else(|| {
            Problem::new(code::MISSING_KEY, self.place, format!("`{}` is not given", show(&self.key(key))))
                .hint(format!("write `{key} = {example}`"))
        })
    }

    /// The table's own entries, also those beyond the known keys.
    pub(crate) fn entries(&self) -> impl Iterator<Item = (&'a str, Item<'a>)> + '_ {
        self.table.0.iter().map(|(key, node)| (key.as_str(), Item { node, path: self.key(key) }))
    }

    /// The table's place in the text.
    pub(crate) fn place(&self) -> Place {
        self.place
    }

    /// The dotted key of the table.
    pub(crate) fn path(&self) -> &str {
        &self.path
    }

    /// The table itself.
    pub(crate) fn own(&self) -> &'a Table {
        self.table
    }

    /// A problem with the table: "`path` ...".
    pub(crate) fn problem(&self, code: &'static str, what: impl AsRef<str>) -> Problem {
        Problem::new(code, self.place, format!("`{}` {}", show(&self.path), what.as_ref()))
    }

    fn key(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}

/// A problem unless every key of `table` is among `keys`.
fn check_keys(table: &Table, path: &str, keys: &[&str]) -> Result<(), Problem> {
    let Some((key, node)) = table.0.iter().find(|(key, _)| !keys.contains(&key.as_str())) else { return Ok(()) };
    let (shown, place) = (show(key), node.place);
    let message = match path {
        "" => format!("no section `{shown}`"),
        _ => format!("`{}` has no key `{shown}`", show(path)),
    };
    Err(Problem::new(code::UNKNOWN_KEY, place, message).hint(choose(key, keys.iter().copied())))
}

impl<'a> Item<'a> {
    /// A problem with this value: "`path` ...".
    pub(crate) fn problem(&self, code: &'static str, what: impl AsRef<str>) -> Problem {
        Problem::new(code, self.node.place, format!("`{}` {}", show(&self.path), what.as_ref()))
    }

    fn wrong_type(&self, wanted: &str) -> Problem {
        let problem = self.problem(code::WRONG_TYPE, format!("is {}, wanted is {wanted}", self.node.value.show()));
        let is_axis = !FIXED.iter().any(|fixed| self.path.starts_with(fixed));
        if !(is_axis && matches!(&self.node.value, Value::List(values) if !values.is_empty())) {
            return problem;
        }
        let key = show(&self.path);
        problem.hint(match self.node.place {
            Place::Set(_) => format!("to run with each of them, sweep the key: `--set 'sweep.{key}=[...]'`"),
            _ => format!("to run with each of them, sweep the key: `\"{key}\" = [...]` below `[sweep]`"),
        })
    }

    /// Last part of the key.
    fn key(&self) -> &str {
        self.path.rsplit('.').next().unwrap_or_default()
    }

    fn not_finite(&self) -> Problem {
        self.problem(code::BAD_NUMBER, "is not a finite number").hint("write a number")
    }

    pub(crate) fn table(&self, keys: &[&str]) -> Result<Fields<'a>, Problem> {
        let fields = self.open_table()?;
        check_keys(fields.table, &self.path, keys)?;
        Ok(fields)
    }

    /// The table, whatever its keys.
    pub(crate) fn open_table(&self) -> Result<Fields<'a>, Problem> {
        match &self.node.value {
            Value::Table(table) => Ok(Fields { table, path: self.path.clone(), place: self.node.place }),
            _ => Err(self.wrong_type("a table").hint(format!("write `{} = {{ KEY = VALUE, ... }}`", self.key()))),
        }
    }

    pub(crate) fn list(&self) -> Result<Vec<Item<'a>>, Problem> {
        match &self.node.value {
            Value::List(list) => Ok(list.iter().map(|node| Item { node, path: self.path.clone() }).collect()),
            _ => Err(self.wrong_type("a list").hint(format!("write `{} = [VALUE, ...]`", self.key()))),
        }
    }

    /// A list of whole numbers from 0: in order, each once.
    pub(crate) fn numbers(&self) -> Result<Vec<u64>, Problem> {
        Ok(rising(self.list()?.iter().map(|item| item.whole(0..=i64::MAX as u64)).collect::<Result<_, _>>()?))
    }

    pub(crate) fn text(&self) -> Result<&'a str, Problem> {
        match &self.node.value {
            Value::Text(text) => Ok(text),
            _ => Err(self.wrong_type("text")),
        }
    }

    /// Whether the value is this text.
    pub(crate) fn is(&self, word: &str) -> bool {
        matches!(&self.node.value, Value::Text(text) if text == word)
    }

    pub(crate) fn flag(&self) -> Result<bool, Problem> {
        match self.node.value {
            Value::Flag(on) => Ok(on),
            _ => Err(self.wrong_type("true or false")),
        }
    }

    /// A number without unit.
    pub(crate) fn number(&self) -> Result<f64, Problem> {
        match self.node.value {
            Value::Whole(n) => Ok(n as f64),
            Value::Number(x) if x.is_finite() => Ok(x),
            Value::Number(_) => Err(self.not_finite()),
            _ => {
                let hint = self.leading_number().map(|x| format!("write `{} = {x}`", self.key()));
                let problem = self.wrong_type("a number without unit");
                Err(match hint {
                    Some(hint) => problem.hint(hint),
                    None => problem,
                })
            }
        }
    }

    /// The number with which a text begins, a percentage as a share.
    fn leading_number(&self) -> Option<f64> {
        let Value::Text(text) = &self.node.value else { return None };
        let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-')).unwrap_or(text.len());
        let number: f64 = text[..end].parse().ok()?;
        Some(if text[end..].trim_start().starts_with('%') { number / 100.0 } else { number })
    }

    /// A whole number without unit.
    pub(crate) fn whole(&self, range: RangeInclusive<u64>) -> Result<u64, Problem> {
        let x = self.number()?;
        if let Value::Whole(n) = self.node.value
            && let Ok(n) = u64::try_from(n)
            && range.contains(&n)
        {
            return Ok(n);
        }
        if x.fract() != 0.0 {
            let what = format!("is {x}, wanted is a whole number");
            return Err(self.problem(code::BAD_NUMBER, what).hint(format!("write `{} = {}`", self.key(), x.ceil())));
        }
        if x >= 0.0 && x <= u64::MAX as f64 && range.contains(&(x as u64)) {
            let what = format!(
                "is {}, written with a fraction or an exponent; wanted is a whole number",
                self.node.value.show()
            );
            return Err(self.problem(code::BAD_NUMBER, what).hint(format!("write `{} = {x}`", self.key())));
        }
        let (least, most) = (range.start(), range.end());
        let (allowed, hint) = match *most {
            u64::MAX => (format!("{least} at least"), format!("write a whole number, {least} at least")),
            _ => (format!("{least} to {most}"), format!("write a whole number from {least} to {most}")),
        };
        let what = format!("is {}, allowed is {allowed}", self.node.value.show());
        Err(self.problem(code::OUT_OF_RANGE, what).hint(hint))
    }

    /// One of the words, and what it stands for.
    pub(crate) fn word<T: Copy>(&self, words: &[(&str, T)]) -> Result<T, Problem> {
        let text = self.text()?;
        words.iter().find(|(word, _)| *word == text).map(|(_, value)| *value).ok_or_else(|| {
            self.problem(code::UNKNOWN_WORD, format!("cannot be \"{}\"", show(text)))
                .hint(choose(text, words.iter().map(|(word, _)| *word)))
        })
    }

    /// A quantity in base units.
    pub(crate) fn quantity(&self, kind: Kind) -> Result<f64, Problem> {
        let key = self.key();
        let bare = |number: f64| {
            let hint = match kind {
                _ if number <= 0.0 => format!("write a number and its unit, such as \"{}\"", kind.example()),
                Kind::Percent if number <= 1.0 => {
                    let percent = percent_text((number * 1e14).round() / 1e12);
                    let share = percent_text(number);
                    format!(
                        "\"{percent}\" or \"{share}\"? write `{key} = \"{percent}\"` if {number} is a share, \
                         `{key} = \"{share}\"` if it is a percentage"
                    )
                }
                Kind::Time => format!(
                    "seconds or milliseconds? write `{key} = \"{number} s\"` or `{key} = \"{number} ms\"`; units are {}",
                    listed(kind.units())
                ),
                _ => format!("write `{key} = \"{number} {}\"`; units are {}", kind.usual_unit(), listed(kind.units())),
            };
            self.problem(code::UNIT_MISSING, format!("is {number} without a unit, wanted is {}", kind.noun()))
                .hint(hint)
        };
        let text = match &self.node.value {
            Value::Text(text) => text,
            Value::Whole(n) => return Err(bare(*n as f64)),
            Value::Number(x) if x.is_finite() => return Err(bare(*x)),
            Value::Number(_) => {
                return Err(self.not_finite().hint(format!("write `{key} = \"{}\"`", kind.example())));
            }
            _ => {
                return Err(self.wrong_type(kind.noun()).or_hint(format!("write `{key} = \"{}\"`", kind.example())));
            }
        };
        match parse(text) {
            Ok((value, unit)) if unit.kind == kind => Ok(unit.to_base(value)),
            Ok((value, unit)) => Err(self
                .problem(
                    code::WRONG_UNIT,
                    format!(
                        "is \"{}\", wanted is {}: `{}` is a unit of {}",
                        show(text),
                        kind.noun(),
                        unit.word,
                        unit.kind.noun()
                    ),
                )
                .hint(
                    either(value, unit.word, kind)
                        .unwrap_or_else(|| format!("write {} such as \"{}\"", kind.noun(), kind.example())),
                )),
            Err(Unreadable::NoUnit(number)) => Err(bare(number)),
            Err(Unreadable::UnknownUnit(value, word)) => {
                Err(self.problem(code::WRONG_UNIT, format!("is \"{}\": no unit `{}`", show(text), show(&word))).hint(
                    either(value, &word, kind)
                        .unwrap_or_else(|| format!("{}, as in \"{}\"", choose(&word, kind.units()), kind.example())),
                ))
            }
            Err(Unreadable::NoNumber) => Err(self
                .problem(code::BAD_NUMBER, format!("is \"{}\", wanted is {}", show(text), kind.noun()))
                .hint(format!("write a number and its unit, such as \"{}\"", kind.example()))),
        }
    }

    /// A quantity within a range; `print` shows a bound.
    fn within(&self, kind: Kind, range: RangeInclusive<f64>, print: impl Fn(f64) -> String) -> Result<f64, Problem> {
        let value = self.quantity(kind)?;
        let (least, most) = (*range.start(), *range.end());
        let bound = if value > most {
            format!("allowed is {} at most", print(most))
        } else if value >= least {
            return Ok(value);
        } else if least == 0.0 {
            "it must not be negative".to_owned()
        } else if value <= 0.0 {
            format!("it must be positive, {} at least", print(least))
        } else {
            format!("allowed is {} at least", print(least))
        };
        let hint = format!("write {} from {} to {}", kind.noun(), print(least), print(most));
        Err(self.problem(code::OUT_OF_RANGE, format!("is {}: {bound}", self.node.value.show())).hint(hint))
    }

    /// Bits per second, positive, up to 10 Tbps.
    pub(crate) fn rate(&self) -> Result<u64, Problem> {
        self.within(Kind::Rate, 1.0..=10e12, |bps| rate_text(bps as u64)).map(|bps| bps as u64)
    }

    /// A length of time.
    pub(crate) fn span(&self, range: RangeInclusive<Span>) -> Result<Span, Problem> {
        let bounds = range.start().0 as f64..=range.end().0 as f64;
        self.within(Kind::Time, bounds, |ns| time_text(Span(ns as u64))).map(|ns| Span(ns as u64))
    }

    /// Bytes.
    pub(crate) fn bytes(&self, range: RangeInclusive<u64>) -> Result<u64, Problem> {
        let bounds = *range.start() as f64..=*range.end() as f64;
        self.within(Kind::Size, bounds, |bytes| size_text(bytes as u64)).map(|bytes| bytes as u64)
    }

    /// A share between 0 and 100, in percent.
    pub(crate) fn percent(&self) -> Result<f64, Problem> {
        self.within(Kind::Percent, 0.0..=100.0, |percent| format!("{percent} %"))
    }

    /// Metres.
    pub(crate) fn metres(&self, range: RangeInclusive<f64>) -> Result<f64, Problem> {
        self.within(Kind::Length, range, length_text)
    }

    /// Metres per second, positive.
    pub(crate) fn speed(&self) -> Result<f64, Problem> {
        self.within(Kind::Speed, 1.0..=1e12, speed_text)
    }

    /// Watts, positive.
    pub(crate) fn watts(&self) -> Result<f64, Problem> {
        self.within(Kind::Power, 1e-20..=1e6, power_text)
    }

    /// Decibels.
    pub(crate) fn decibels(&self, range: RangeInclusive<f64>) -> Result<f64, Problem> {
        self.within(Kind::Level, range, level_text)
    }

    /// Hertz, positive.
    pub(crate) fn hertz(&self) -> Result<f64, Problem> {
        self.within(Kind::Frequency, 1e6..=1e12, frequency_text)
    }

    /// Frames on air, perhaps a fraction.
    pub(crate) fn frames(&self, range: RangeInclusive<f64>) -> Result<f64, Problem> {
        self.within(Kind::Frames, range, |n| format!("{n} frames"))
    }

    /// Packets, perhaps a fraction.
    pub(crate) fn packets(&self, range: RangeInclusive<u32>) -> Result<f64, Problem> {
        let bounds = f64::from(*range.start())..=f64::from(*range.end());
        self.within(Kind::Packets, bounds, |n| format!("{n} packets"))
    }

    /// Bandwidth-delay products.
    pub(crate) fn products(&self) -> Result<f64, Problem> {
        self.within(Kind::Products, 1e-6..=1e6, |n| format!("{n} bdp"))
    }

    /// Whole packets.
    pub(crate) fn whole_packets(&self, range: RangeInclusive<u32>) -> Result<u32, Problem> {
        self.packets(range).and_then(|n| self.counted(n, "packets"))
    }

    /// Whole segments.
    pub(crate) fn segments(&self, range: RangeInclusive<u32>) -> Result<u32, Problem> {
        let bounds = f64::from(*range.start())..=f64::from(*range.end());
        let segments = self.within(Kind::Segments, bounds, |n| format!("{n} segments"))?;
        self.counted(segments, "segments")
    }

    fn counted(&self, n: f64, what: &str) -> Result<u32, Problem> {
        if n.fract() == 0.0 {
            Ok(n as u32)
        } else {
            Err(self.problem(code::BAD_NUMBER, format!("is {}, wanted are whole {what}", self.node.value.show())))
        }
    }

    /// Text that may name a node, link or flow.
    pub(crate) fn name(&self, reserved: &[&str], also: &str) -> Result<&'a str, Problem> {
        const LONGEST: usize = 80;
        let name = self.text()?;
        let legal = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_' | '+') || also.contains(c);
        let wrong = if name.is_empty() {
            "is empty".to_owned()
        } else if name.chars().count() > LONGEST {
            format!("is longer than {LONGEST} characters")
        } else if let Some(c) = name.chars().find(|c| !legal(*c)) {
            format!("is \"{}\": names have no `{}`", show(name), show(&c.to_string()))
        } else if reserved.contains(&name) {
            format!("cannot be \"{name}\", which is a key of this table")
        } else {
            return Ok(name);
        };
        let signs: Vec<String> = also.chars().map(|c| format!(", `{c}`")).collect();
        Err(self
            .problem(code::BAD_NAME, wrong)
            .hint(format!("names are letters, digits, `-`, `_`, `+`{}", signs.concat())))
    }
}

/// The numbers in order, each once.
pub(crate) fn rising(mut numbers: Vec<u64>) -> Vec<u64> {
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}

/// Whether `name` has the form of `pattern`, where `*` stands for any text.
pub(crate) fn matches_glob(pattern: &str, name: &str) -> bool {
    let mut parts = pattern.split('*');
    let first = parts.next().unwrap_or_default();
    let Some(mut rest) = name.strip_prefix(first) else { return false };
    let Some(last) = parts.next_back() else { return rest.is_empty() };
    for part in parts {
        match rest.find(part) {
            Some(at) => rest = &rest[at + part.len()..],
            None => return false,
        }
    }
    rest.ends_with(last)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_star_stands_for_any_text() {
        for (pattern, name, yes) in [
            ("left/*", "left/12", true),
            ("left/*", "right/1", false),
            ("*", "", true),
            ("a*b*c", "a-b-b-c", true),
            ("a*b*c", "acb", false),
            ("a*a", "a", false),
            ("node", "node", true),
            ("node", "node1", false),
            ("**x", "x", true),
        ] {
            assert_eq!(matches_glob(pattern, name), yes, "{pattern} {name}");
        }
    }
}
