//! Every quotation stands, white space aside, in the section it names: the marks in the code of all crates, and what
//! comments, in any crate and in the packet tests, quote from RFCs.

use std::fs;
use std::path::{Path, PathBuf};

/// One `//=` mark with the `//#` lines under it.
struct Citation {
    place: String,
    target: String,
    quotation: String,
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// Files below `dir` with this ending, in order.
fn files(dir: &Path, ending: &str) -> Vec<PathBuf> {
    let mut out = Vec::new();
    for entry in fs::read_dir(dir).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            out.extend(files(&path, ending));
        } else if path.extension().is_some_and(|e| e == ending) {
            out.push(path);
        }
    }
    out.sort();
    out
}

/// Every Rust file of every crate, tests included.
fn sources() -> Vec<PathBuf> {
    fs::read_dir(root().join("crates")).unwrap().flatten().flat_map(|entry| files(&entry.path(), "rs")).collect()
}

fn citations(file: &Path, out: &mut Vec<Citation>) {
    let text = fs::read_to_string(file).unwrap();
    let mut open: Option<Citation> = None;
    for (number, line) in text.lines().enumerate() {
        let line = line.trim();
        if let Some(target) = line.strip_prefix("//= ") {
            out.extend(open.take());
            let place = format!("{}:{}", file.display(), number + 1);
            open = Some(Citation { place, target: target.trim().into(), quotation: String::new() });
        } else if let (Some(quotation), Some(citation)) = (line.strip_prefix("//# "), &mut open) {
            citation.quotation.push_str(quotation);
            citation.quotation.push(' ');
        } else {
            out.extend(open.take());
        }
    }
    out.extend(open);
}

fn words(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// A heading's name in a link: lower case, dashes for spaces.
fn anchor(heading: &str) -> String {
    heading.trim().to_lowercase().split_whitespace().collect::<Vec<_>>().join("-")
}

/// The text under the heading with this anchor, down to the next heading.
fn section(text: &str, wanted: &str) -> Option<String> {
    let mut lines =
        text.lines().skip_while(|line| !(line.starts_with('#') && anchor(line.trim_start_matches('#')) == wanted));
    lines.next()?;
    Some(lines.take_while(|line| !line.starts_with('#')).collect::<Vec<_>>().join("\n"))
}

/// The file and section that a mark's target means. Passages of RFCs are kept in `specs/rfc`.
fn place(target: &str) -> Option<(String, String)> {
    let (file, section) = target.split_once('#')?;
    let file = match file.strip_prefix("https://www.rfc-editor.org/rfc/") {
        Some(rfc) => format!("specs/rfc/{rfc}.md"),
        None => file.to_owned(),
    };
    Some((file, section.to_owned()))
}

fn check(citation: &Citation) -> Result<(), String> {
    let Citation { place: at, target, quotation } = citation;
    if quotation.is_empty() {
        return Err(format!("{at}: a mark without a quotation"));
    }
    let (file, wanted) = place(target).ok_or(format!("{at}: no section in `{target}`"))?;
    let text = fs::read_to_string(root().join(&file)).map_err(|e| format!("{at}: `{file}`: {e}"))?;
    let section = section(&text, &wanted).ok_or(format!("{at}: no heading for `{target}`"))?;
    if words(&section).contains(&words(quotation)) {
        Ok(())
    } else {
        Err(format!("{at}: not in `{target}`: {quotation}"))
    }
}

/// A comment in one line and where it begins.
struct Comment {
    place: String,
    text: String,
}

/// The leading comment of a packet script; every comment of a Rust file, marks aside.
fn comments(file: &Path) -> Vec<Comment> {
    let script = file.extension().is_some_and(|e| e == "pkt");
    let mut all: Vec<Comment> = Vec::new();
    let mut open = false;
    for (number, line) in fs::read_to_string(file).unwrap().lines().enumerate() {
        let comment = match (script, line.trim()) {
            (true, line) => line.strip_prefix('#'),
            (false, line) if line.starts_with("//=") || line.starts_with("//#") => None,
            (false, line) => line.strip_prefix("//").map(|rest| rest.trim_start_matches(['/', '!'])),
        };
        match comment {
            Some(text) if open => all.iter_mut().last().unwrap().text += &format!(" {}", text.trim()),
            Some(text) => {
                all.push(Comment { place: format!("{}:{}", file.display(), number + 1), text: text.trim().into() })
            }
            None if script => break,
            None => {}
        }
        open = comment.is_some();
    }
    all
}

/// What stands between quotation marks, and where; quotations in quotations belong to the outer one.
fn quotations(text: &str) -> Vec<(usize, &str)> {
    let (mut all, mut depth, mut start) = (Vec::new(), 0, 0);
    for (at, _) in text.match_indices('"') {
        let before = text[..at].chars().next_back();
        let opens = before.is_none_or(|c| c.is_whitespace() || c == '(')
            && text[at + 1..].chars().next().is_some_and(|c| !c.is_whitespace());
        match (opens, depth) {
            (true, 0) => (depth, start) = (1, at + 1),
            (true, _) => depth += 1,
            (false, 0) => {}
            (false, 1) => {
                depth = 0;
                all.push((start, &text[start..at]));
            }
            (false, _) => depth -= 1,
        }
    }
    all
}

/// The number at the start of a text, dots inside it included.
fn number(text: &str) -> Option<&str> {
    let end = text.find(|c: char| !(c.is_ascii_digit() || c == '.')).unwrap_or(text.len());
    let number = text[..end].trim_end_matches('.');
    (!number.is_empty()).then_some(number)
}

/// The sections that a comment names before `end`, of the RFC it named last.
fn named(text: &str, end: usize) -> Option<(String, Vec<String>)> {
    let start = text[..end].rfind("RFC ")?;
    let rfc = number(&text[start + 4..])?;
    let mut sections = Vec::new();
    for (at, word) in text[start..end].match_indices("ection ") {
        let mut rest = &text[start + at + word.len()..];
        while let Some(section) = number(rest) {
            sections.push(section.to_owned());
            rest = rest[section.len()..].strip_prefix(" and ").unwrap_or("");
        }
    }
    Some((rfc.to_owned(), sections))
}

/// What a comment quotes from an RFC: one citation for each section that it may stand in.
fn quoted(comment: &Comment) -> Vec<Vec<Citation>> {
    let of = |(at, quotation): (usize, &str)| {
        let (rfc, sections) = named(&comment.text, at)?;
        let cite = |section: &String| Citation {
            place: comment.place.clone(),
            target: format!("https://www.rfc-editor.org/rfc/rfc{rfc}#section-{section}"),
            quotation: quotation.to_owned(),
        };
        // without a section it is found nowhere
        Some(if sections.is_empty() { vec![cite(&String::new())] } else { sections.iter().map(cite).collect() })
    };
    quotations(&comment.text).into_iter().filter_map(of).collect()
}

#[test]
fn every_mark_quotes_its_section() {
    let mut found = Vec::new();
    sources().iter().for_each(|file| citations(file, &mut found));
    assert!(found.len() > 60, "only {} citations found", found.len());
    let rfcs = found.iter().filter(|c| c.target.starts_with("https://")).count();
    assert!(rfcs > 15, "only {rfcs} citations of RFCs found");
    let wrong: Vec<String> = found.iter().filter_map(|c| check(c).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_comment_quotes_its_rfc() {
    let mut places = files(&root().join("tests/packets"), "pkt");
    places.extend(sources());
    let found: Vec<Vec<Citation>> = places.iter().flat_map(|file| comments(file)).flat_map(|c| quoted(&c)).collect();
    assert!(found.len() > 120, "only {} quotations found", found.len());
    let mut wrong = Vec::new();
    for choices in found {
        if choices.iter().all(|c| check(c).is_err()) {
            wrong.extend(choices.iter().filter_map(|c| check(c).err()));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wrong_quotation_is_noticed() {
    let cite = |target: &str, quotation: &str| {
        let (target, quotation) = (target.to_string(), quotation.to_string());
        check(&Citation { place: "here".into(), target, quotation })
    };
    assert_eq!(cite("specs/papers/cerl.md#threshold", "N =  A * lmax"), Ok(()));
    assert!(cite("specs/papers/cerl.md#threshold", "N = B * lmax").is_err());
    assert!(cite("specs/papers/cerl.md#queue", "N = A * lmax").is_err());
    assert!(cite("specs/papers/cerl.md#nowhere", "N = A * lmax").is_err());
    assert!(cite("specs/papers/nobody.md#queue", "N = A * lmax").is_err());
    assert!(cite("specs/papers/cerl.md#queue", "").is_err());
    let rfc = "https://www.rfc-editor.org/rfc/rfc5681";
    assert_eq!(cite(&format!("{rfc}#section-3.1"), "The minimum of cwnd and  rwnd"), Ok(()));
    assert!(cite(&format!("{rfc}#section-3.1"), "the minimum of cwnd and rwnd").is_err());
    assert!(cite(&format!("{rfc}#section-3"), "The minimum of cwnd and rwnd").is_err());
}

#[test]
fn quotations_are_found_in_comments() {
    let text = r#"RFC 1 section 2.3 and 4: it "says "so" (or "so")", RFC 5: "here". Section 6.1: "there"."#;
    let found: Vec<_> = quotations(text).into_iter().map(|(at, q)| (named(text, at).unwrap(), q)).collect();
    let of = |rfc: &str, sections: &[&str]| (rfc.to_owned(), sections.iter().map(|s| (*s).to_owned()).collect());
    assert_eq!(
        found,
        [(of("1", &["2.3", "4"]), r#"says "so" (or "so")"#), (of("5", &[]), "here"), (of("5", &["6.1"]), "there")]
    );
}
