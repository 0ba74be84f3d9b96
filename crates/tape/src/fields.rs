//! Fields of a line, by name: one list of them for each kind of event both writes and reads it.

use cc::{Cause, Response, Thaw};
use units::{Bytes, Rate, Span, Time};

/// Something that goes through the fields of a value, to write or to read them.
pub(crate) trait Fields {
    /// A field and the value that it has where the line does not name it.
    fn field<T: Value>(&mut self, name: &str, value: &mut T, absent: T) -> Result<(), String>;

    /// A field that is absent at its default.
    fn plain<T: Value + Default>(&mut self, name: &str, value: &mut T) -> Result<(), String> {
        self.field(name, value, T::default())
    }
}

/// A value as a word of a line, exact in both directions.
pub(crate) trait Value: PartialEq + Sized {
    /// The word; empty for a flag that is set, which its name alone says.
    fn word(&self) -> String;
    /// What a word means; or what is wanted instead.
    fn parse(word: &str) -> Result<Self, &'static str>;
}

macro_rules! whole_numbers {
    ($($type:ty: $made:expr, $number:expr;)*) => {$(
        impl Value for $type {
            fn word(&self) -> String {
                let number: fn(&$type) -> u64 = $number;
                number(self).to_string()
            }
            fn parse(word: &str) -> Result<$type, &'static str> {
                let made: fn(u64) -> Option<$type> = $made;
                word.parse().ok().and_then(made).ok_or("a whole number")
            }
        }
    )*};
}

whole_numbers! {
    u64: Some, |n| *n;
    u32: |n| u32::try_from(n).ok(), |n| u64::from(*n);
    usize: |n| usize::try_from(n).ok(), |n| *n as u64;
    Time: |n| Some(Time(n)), |time| time.0;
    Span: |n| Some(Span(n)), |span| span.0;
}

macro_rules! numbers {
    ($($type:ty: $made:expr, $number:expr;)*) => {$(
        impl Value for $type {
            // the shortest text that reads back to the same bits
            fn word(&self) -> String {
                let number: fn(&$type) -> f64 = $number;
                number(self).to_string()
            }
            fn parse(word: &str) -> Result<$type, &'static str> {
                word.parse().ok().filter(|number: &f64| !number.is_nan()).map($made).ok_or("a number")
            }
        }
    )*};
}

numbers! {
    f64: |n| n, |n| *n;
    Bytes: Bytes, |bytes| bytes.0;
    Rate: Rate, |rate| rate.0;
}

impl Value for bool {
    fn word(&self) -> String {
        if *self { String::new() } else { "no".into() }
    }
    fn parse(word: &str) -> Result<bool, &'static str> {
        match word {
            "" => Ok(true),
            "no" => Ok(false),
            _ => Err("nothing behind its name, or `no`"),
        }
    }
}

impl<T: Value> Value for Option<T> {
    fn word(&self) -> String {
        self.as_ref().map_or("none".into(), T::word)
    }
    fn parse(word: &str) -> Result<Option<T>, &'static str> {
        if word == "none" { Ok(None) } else { T::parse(word).map(Some) }
    }
}

macro_rules! words {
    ($($type:ty, $wanted:literal: $($value:path => $word:literal),*;)*) => {$(
        impl Value for $type {
            fn word(&self) -> String {
                match self { $($value => $word,)* }.into()
            }
            fn parse(word: &str) -> Result<$type, &'static str> {
                match word {
                    $($word => Ok($value),)*
                    _ => Err($wanted),
                }
            }
        }
    )*};
}

words! {
    Cause, "`dup-acks`, `rto` or `ecn-mark`":
        Cause::DupAcks => "dup-acks", Cause::Rto => "rto", Cause::EcnMark => "ecn-mark";
    Response, "`reduced`, `same-window`, `random`, `reduced-as-random` or `undecided`":
        Response::Reduced => "reduced", Response::SameWindow => "same-window", Response::Random => "random",
        Response::ReducedAsRandom => "reduced-as-random", Response::Undecided => "undecided";
    Thaw, "`wait` or `resend`": Thaw::Wait => "wait", Thaw::Resend => "resend";
}

/// Writes ` name=word` for each field that is not as if absent.
#[derive(Default)]
pub(crate) struct Writer(pub(crate) String);

impl Fields for Writer {
    fn field<T: Value>(&mut self, name: &str, value: &mut T, absent: T) -> Result<(), String> {
        if *value != absent {
            let word = value.word();
            self.0.extend([" ", name, if word.is_empty() { "" } else { "=" }, &word]);
        }
        Ok(())
    }
}

/// Reads fields out of the words of a line.
pub(crate) struct Reader<'a> {
    words: Vec<(&'a str, &'a str)>,
    known: Vec<String>,
}

impl<'a> Reader<'a> {
    pub(crate) fn new(text: &'a str) -> Reader<'a> {
        let words = text.split_whitespace().map(|word| word.split_once('=').unwrap_or((word, ""))).collect();
        Reader { words, known: Vec::new() }
    }

    /// Whether all words were read.
    pub(crate) fn end(self) -> Result<(), String> {
        match self.words.first() {
            None => Ok(()),
            Some((name, _)) if self.known.iter().any(|known| known == name) => Err(format!("`{name}` stands twice")),
            Some((name, _)) => Err(format!("no field `{name}` here; there are {}", self.known.join(", "))),
        }
    }
}

impl Fields for Reader<'_> {
    fn field<T: Value>(&mut self, name: &str, value: &mut T, absent: T) -> Result<(), String> {
        self.known.push(name.to_owned());
        *value = match self.words.iter().position(|(known, _)| *known == name) {
            None => absent,
            Some(at) => {
                let (_, word) = self.words.remove(at);
                T::parse(word).map_err(|wanted| format!("`{name}` is `{word}`, must be {wanted}"))?
            }
        };
        Ok(())
    }
}

/// Puts the fields down as names and words, all of them.
#[derive(Default)]
pub(crate) struct Lister(pub(crate) Vec<(String, String)>);

impl Fields for Lister {
    fn field<T: Value>(&mut self, name: &str, value: &mut T, _absent: T) -> Result<(), String> {
        let word = value.word();
        self.0.push((name.to_owned(), if word.is_empty() { "yes".into() } else { word }));
        Ok(())
    }
}
