//! Errors that a user can cause: a stable code, what is wrong, where, and what to write instead.

use std::fmt;

macro_rules! codes {
    ($($name:ident $code:literal $meaning:literal)*) => {
        /// The codes, one constant each.
        pub(crate) mod code {
            $(#[doc = $meaning] pub(crate) const $name: &str = $code;)*
        }
        static ERRORS: &[(&str, &str)] = &[$(($code, $meaning),)*];
    };
}

codes! {
    SYNTAX "scenario.syntax" "The text is not valid TOML or JSON."
    TOO_LONG "scenario.too-long" "The text is longer than 16 MiB."
    BAD_KEY "scenario.bad-key" "A dotted key is empty, has an empty part, or goes too deep."
    UNKNOWN_KEY "scenario.unknown-key" "A key that this table does not have."
    MISSING_KEY "scenario.missing-key" "A key that must be given is not there."
    CONFLICT "scenario.conflict" "Two keys that exclude each other."
    WRONG_TYPE "scenario.wrong-type" "A table, list, text, number or flag where another of these is wanted."
    UNKNOWN_WORD "scenario.unknown-word" "A word that is not one of the listed choices."
    UNIT_MISSING "scenario.unit-missing" "A bare number where a unit must be written."
    WRONG_UNIT "scenario.wrong-unit" "A unit that is not known, or of another kind than wanted, such as a time for a rate."
    BAD_NUMBER "scenario.bad-number" "Not a number, infinite, or a fraction where a whole number is wanted."
    OUT_OF_RANGE "scenario.out-of-range" "A value below or above what is allowed, such as a rate of zero."
    BAD_NAME "scenario.bad-name" "A name that is empty, too long, reserved, or has a character that names cannot have."
    DUPLICATE_NAME "scenario.duplicate-name" "Two nodes, links or flow groups have the same name."
    UNKNOWN_NODE "scenario.unknown-node" "A node or pattern that matches nothing in the topology."
    UNKNOWN_FLOW "scenario.unknown-flow" "A dotted key names a flow group that does not exist."
    UNKNOWN_LINK "scenario.unknown-link" "A dotted key names a link that does not exist."
    SAME_NODE "scenario.same-node" "A link or a flow from a node to itself."
    COUNTS_DIFFER "scenario.counts-differ" "The patterns `from` and `to` match different numbers of nodes, so they cannot pair up."
    NO_ROUTE "scenario.no-route" "No chain of links joins the two ends of a flow."
    TOO_MANY_FLOWS "scenario.too-many-flows" "More than 100000 flows, pairs of hosts, or nodes."
    TOO_MANY_SAMPLES "scenario.too-many-samples" "The traces on a grid of `trace_step` would have more than 10000000 values, or a mobile would measure more often."
    NO_SUCH_RATE "scenario.no-such-rate" "A rate that the radio's parameter set does not have."
    NO_ACCESS_POINT "scenario.no-access-point" "A radio cell without an access point."
    OUT_OF_REACH "scenario.out-of-reach" "Stations between which no packets get through: neighbours of a chain, or a station in range of no access point."
    TOO_MANY_STATIONS "scenario.too-many-stations" "More than 10000 stations on one medium."
    UNKNOWN_ALGORITHM "scenario.unknown-algorithm" "No congestion control algorithm of that name."
    UNKNOWN_PARAMETER "scenario.unknown-parameter" "The algorithm has no parameter of that name."
    BAD_PARAMETER "scenario.bad-parameter" "An algorithm's parameter of the wrong kind or outside its range."
    FILE "scenario.file" "A file that the description names does not exist or cannot be read."
    FILE_CONTENT "scenario.file-content" "A file that the description names does not hold what is wanted of it."
    WARMUP "scenario.warmup" "The warm-up leaves nothing of the run to measure."
    NEVER_ACTIVE "scenario.never-active" "A flow that starts after the run has ended, or stops before it starts."
    NOT_SWEEPABLE "scenario.not-sweepable" "A key that cannot be an axis, such as the seeds or the output."
    EMPTY_AXIS "scenario.empty-axis" "A sweep axis or a list of seeds without a value."
    DUPLICATE_VALUE "scenario.duplicate-value" "The same value twice in a sweep axis or a list of seeds."
    NO_ALGORITHM "scenario.no-algorithm" "Tapes are wanted, and no flow has a congestion control algorithm with a window."
    TOO_LARGE "run.too-large" "Runs would need more memory than they may have."
    TOO_LONG_RUN "run.too-long" "Runs would take longer than they may."
    UNKNOWN_POINT "capture.unknown-point" "A point at which packets cannot be captured."
    NO_PACKETS "capture.no-packets" "A pattern that matches no flow whose packets could be captured."
    TAPE "tape.wrong" "A tape that cannot be read, or names an algorithm that is not known."
    TOO_MANY_POINTS "scenario.too-many-points" "The product of the sweep axes has more than 1000000 points."
}

/// Every code a scenario can be refused with, and what it means.
pub fn errors() -> &'static [(&'static str, &'static str)] {
    ERRORS
}

/// Why a scenario was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Error {
    /// Stable code, one of [`errors`].
    pub code: &'static str,
    /// What is wrong, one line.
    pub message: String,
    /// File, or the `--set` that brought the value.
    pub file: Option<String>,
    /// Line in the file, from 1.
    pub line: Option<usize>,
    /// What to do, one line.
    pub hint: Option<String>,
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "error[{}]: ", self.code)?;
        match (&self.file, self.line) {
            (Some(file), Some(line)) => write!(f, "{file}, line {line}: ")?,
            (Some(file), None) => write!(f, "{file}: ")?,
            (None, Some(line)) => write!(f, "line {line}: ")?,
            (None, None) => {}
        }
        f.write_str(&self.message)?;
        match &self.hint {
            Some(hint) => write!(f, "\nhint: {hint}"),
            None => Ok(()),
        }
    }
}

impl std::error::Error for Error {}

/// Where a value was written.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Place {
    /// Unknown: the description did not come from a text with lines.
    #[default]
    Nowhere,
    /// A line of the file, from 1.
    Line(usize),
    /// The override of that number.
    Set(usize),
}

/// An [`Error`] that does not know the file's name yet.
#[derive(Clone, Debug)]
pub(crate) struct Problem {
    code: &'static str,
    message: String,
    place: Place,
    hint: Option<String>,
}

impl Problem {
    pub(crate) fn new(code: &'static str, place: Place, message: impl Into<String>) -> Problem {
        Problem { code, message: message.into(), place, hint: None }
    }

    pub(crate) fn hint(mut self, hint: impl Into<String>) -> Problem {
        self.hint = Some(hint.into());
        self
    }

    /// A hint unless there is one.
    pub(crate) fn or_hint(self, hint: impl Into<String>) -> Problem {
        if self.hint.is_some() { self } else { self.hint(hint) }
    }

    /// The public error: the place becomes a file and line, or the override's key.
    pub(crate) fn locate(self, file: &str, sets: &[(String, String)]) -> Error {
        let (file, line) = match self.place {
            Place::Nowhere => (file.to_owned(), None),
            Place::Line(line) => (file.to_owned(), Some(line)),
            Place::Set(at) => (format!("--set {}", show(sets.get(at).map_or("", |(key, _)| key))), None),
        };
        Error { code: self.code, message: self.message, file: Some(file), line, hint: self.hint }
    }
}

/// A user's text, fit for one line of a message: shortened, control characters escaped.
pub(crate) fn show(text: &str) -> String {
    const MOST: usize = 60;
    let mut shown: String = text.chars().take(MOST).flat_map(|c| c.escape_debug().collect::<Vec<_>>()).collect();
    if text.chars().nth(MOST).is_some() {
        shown.push('…');
    }
    shown.replace("\\\"", "\"").replace("\\'", "'")
}

/// The word of `words` that the user most likely meant.
pub(crate) fn closest<'a>(word: &str, words: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    const LONGEST: usize = 40;
    if word.is_empty() || word.chars().count() > LONGEST {
        return None;
    }
    let word = word.to_lowercase();
    let near = (word.chars().count() / 3).clamp(1, 3);
    let distance = |candidate: &str| {
        let candidate = candidate.to_lowercase();
        let begins =
            word.len() >= 3 && (candidate.starts_with(&word) || word.starts_with(&candidate) && candidate.len() >= 3);
        let edits = strsim::osa_distance(&word, &candidate);
        if edits <= near { Some(edits) } else { begins.then_some(LONGEST) }
    };
    words.into_iter().filter_map(|w| distance(w).map(|d| (d, w))).min_by_key(|(d, _)| *d).map(|(_, w)| w)
}

/// Hint for a word that is not in the list: the likely one, or else what there is.
pub(crate) fn choose<'a>(word: &str, words: impl IntoIterator<Item = &'a str> + Clone) -> String {
    match closest(word, words.clone()) {
        Some(meant) => format!("did you mean `{}`?", show(meant)),
        None => format!("there is {}", listed(words)),
    }
}

/// Words in backticks, separated by commas; not more than a line takes.
pub(crate) fn listed<'a>(words: impl IntoIterator<Item = &'a str>) -> String {
    const MOST: usize = 40;
    let mut words: Vec<String> = words.into_iter().take(MOST + 1).map(|w| format!("`{}`", show(w))).collect();
    if words.len() > MOST {
        words[MOST] = "…".to_owned();
    }
    words.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_says_what_where_and_what_to_do() {
        let problem = Problem::new(code::UNKNOWN_ALGORITHM, Place::Line(12), "no algorithm `westwod`")
            .hint("did you mean `westwood`?");
        let text = "error[scenario.unknown-algorithm]: fig3.toml, line 12: no algorithm `westwod`\n\
                    hint: did you mean `westwood`?";
        assert_eq!(problem.locate("fig3.toml", &[]).to_string(), text);
    }

    #[test]
    fn codes_are_unique() {
        for (at, (code, _)) in ERRORS.iter().enumerate() {
            assert!(ERRORS[..at].iter().all(|(other, _)| other != code), "{code} stands twice");
        }
    }

    #[test]
    fn the_closest_word_is_near_or_begins_alike() {
        let words = ["rate", "delay", "queue", "queue_counting"];
        assert_eq!(closest("rte", words), Some("rate"));
        assert_eq!(closest("Delay", words), Some("delay"));
        assert_eq!(closest("queue_count", words), Some("queue_counting"));
        assert_eq!(closest("bandwidth", words), None);
        assert_eq!(closest("", words), None);
    }

    #[test]
    fn shown_text_stays_on_one_short_line() {
        assert_eq!(show("a\nb \"c\""), "a\\nb \"c\"");
        assert_eq!(show(&"x".repeat(100)).chars().count(), 61);
    }
}
