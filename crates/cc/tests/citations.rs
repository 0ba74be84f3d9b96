//! Every quotation in the code stands, white space aside, in the section it names.

use std::fs;
use std::path::{Path, PathBuf};

/// One `//=` mark with the `//#` lines under it.
struct Citation {
    place: String,
    target: String,
    quotation: String,
}

fn rust_files(dir: &Path, out: &mut Vec<PathBuf>) {
    let Ok(entries) = fs::read_dir(dir) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            rust_files(&path, out);
        } else if path.extension().is_some_and(|e| e == "rs") {
            out.push(path);
        }
    }
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

fn check(root: &Path, citation: &Citation) -> Result<(), String> {
    let Citation { place, target, quotation } = citation;
    if quotation.is_empty() {
        return Err(format!("{place}: a mark without a quotation"));
    }
    if target.starts_with("https://") {
        return Ok(()); // the texts of RFCs are not kept here
    }
    let (file, wanted) = target.split_once('#').ok_or(format!("{place}: no section in `{target}`"))?;
    let text = fs::read_to_string(root.join(file)).map_err(|e| format!("{place}: `{file}`: {e}"))?;
    let section = section(&text, wanted).ok_or(format!("{place}: no heading for `{target}`"))?;
    if words(&section).contains(&words(quotation)) {
        Ok(())
    } else {
        Err(format!("{place}: not in `{target}`: {quotation}"))
    }
}

#[test]
fn every_quotation_is_in_its_section() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    for entry in fs::read_dir(root.join("crates")).unwrap().flatten() {
        rust_files(&entry.path().join("src"), &mut files);
    }
    let mut found = Vec::new();
    files.sort();
    files.iter().for_each(|file| citations(file, &mut found));
    assert!(found.len() > 30, "only {} citations found", found.len());
    let wrong: Vec<String> = found.iter().filter_map(|c| check(&root, c).err()).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn a_wrong_quotation_is_noticed() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let cite = |target: &str, quotation: &str| {
        let (target, quotation) = (target.to_string(), quotation.to_string());
        check(&root, &Citation { place: "here".into(), target, quotation })
    };
    assert_eq!(cite("specs/papers/cerl.md#threshold", "N =  A * lmax"), Ok(()));
    assert!(cite("specs/papers/cerl.md#threshold", "N = B * lmax").is_err());
    assert!(cite("specs/papers/cerl.md#queue", "N = A * lmax").is_err());
    assert!(cite("specs/papers/cerl.md#nowhere", "N = A * lmax").is_err());
    assert!(cite("specs/papers/nobody.md#queue", "N = A * lmax").is_err());
    assert!(cite("specs/papers/cerl.md#queue", "").is_err());
}
