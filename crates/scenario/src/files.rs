//! Files that a description names: read once, found from the folder of the scenario.
//!
//! What a file holds becomes part of the description (the effective text has the content, not the name), so a run's key
//! follows the content, and a stored description needs no file to read back.

use std::collections::BTreeMap;
use std::fs::File;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use crate::error::{Problem, code, show};
use crate::limits::TEXT;
use crate::read::Item;

/// The files of one scenario.
#[derive(Debug, Default)]
pub(crate) struct Files {
    folder: PathBuf,
    /// Content by name: a file that changes later changes no point of a scenario that was read already.
    known: Mutex<BTreeMap<String, Result<Arc<str>, Refused>>>,
}

/// Why a file is not read, and what to do.
type Refused = (String, &'static str);

impl Files {
    /// Files named relative to `folder`; an empty one is the current directory.
    pub(crate) fn in_folder(folder: &Path) -> Files {
        Files { folder: folder.to_owned(), known: Mutex::default() }
    }

    /// The text of the file that `item` names.
    pub(crate) fn text(&self, item: &Item<'_>) -> Result<Arc<str>, Problem> {
        let name = item.text()?;
        let mut known = self.known.lock().unwrap_or_else(PoisonError::into_inner);
        let found = known.entry(name.to_owned()).or_insert_with(|| read(&self.folder.join(name)));
        found.clone().map_err(|(why, hint)| {
            item.problem(code::FILE, format!("names the file \"{}\", which {why}", show(name))).hint(hint)
        })
    }

    /// Whole numbers from a file, separated by white space; `#` begins a comment. With the line of each.
    pub(crate) fn numbers(&self, item: &Item<'_>) -> Result<Vec<(u64, usize)>, Problem> {
        let text = self.text(item)?;
        let mut numbers = Vec::new();
        for (word, line) in words(&text) {
            match word.parse() {
                Ok(number) if number <= i64::MAX as u64 => numbers.push((number, line)),
                _ => return Err(bad_line(item, line, format!("\"{}\" is not a whole number", show(word)))),
            }
        }
        Ok(numbers)
    }

    /// Zeros and ones from a file, with or without white space between them; `#` begins a comment.
    pub(crate) fn bits(&self, item: &Item<'_>) -> Result<Vec<bool>, Problem> {
        let text = self.text(item)?;
        let mut bits = Vec::new();
        for (word, line) in words(&text) {
            for c in word.chars() {
                match c {
                    '0' | '1' => bits.push(c == '1'),
                    _ => return Err(bad_line(item, line, format!("\"{}\" is not of zeros and ones", show(word)))),
                }
            }
        }
        Ok(bits)
    }
}

/// A problem with what stands in the file that `item` names.
pub(crate) fn bad_line(item: &Item<'_>, line: usize, what: impl AsRef<str>) -> Problem {
    let name = item.text().map(show).unwrap_or_default();
    item.problem(code::FILE_CONTENT, format!("names the file \"{name}\", where in line {line} {}", what.as_ref()))
}

fn words(text: &str) -> impl Iterator<Item = (&str, usize)> {
    text.lines().enumerate().flat_map(|(at, line)| {
        line.split('#').next().unwrap_or_default().split_whitespace().map(move |word| (word, at + 1))
    })
}

fn read(path: &Path) -> Result<Arc<str>, Refused> {
    let unreadable = |error: std::io::Error| match error.kind() {
        std::io::ErrorKind::NotFound => {
            let hint = "a name is relative to the folder of the scenario file, or to the current one if there is none";
            ("does not exist".to_owned(), hint)
        }
        _ => (format!("cannot be read: {error}"), "see to its permissions, or name another file"),
    };
    // looked at before it is opened: to open a pipe would wait for its writer
    if !std::fs::metadata(path).map_err(unreadable)?.is_file() {
        return Err(("is not a file".to_owned(), "name a file; pipes and devices are not read"));
    }
    let mut bytes = Vec::new();
    File::open(path).and_then(|file| file.take(TEXT as u64 + 1).read_to_end(&mut bytes)).map_err(unreadable)?;
    if bytes.len() > TEXT {
        return Err(("is longer than 16 MiB".to_owned(), "cut it; a link's trace begins anew after its last line"));
    }
    String::from_utf8(bytes).map(Arc::from).map_err(|_| ("is not text".to_owned(), "name a text file of numbers"))
}
