//! Every script of `tests/packets/` is a test of its own; a script that cannot be read fails, too.
//!
//! Runs without the standard harness, so that each file has its line. Words on the command line select files whose
//! names contain one of them.

use std::path::{Path, PathBuf};
use std::process::ExitCode;

use script::Script;

fn main() -> ExitCode {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/packets");
    let mut files: Vec<PathBuf> = std::fs::read_dir(&folder)
        .expect("the folder of scripts")
        .map(|entry| entry.expect("an entry").path())
        .filter(|path| path.extension().is_some_and(|ext| ext == "pkt"))
        .collect();
    files.sort();
    assert!(!files.is_empty(), "no scripts in {}", folder.display());

    let (mut wanted, mut list, mut exact) = (Vec::new(), false, false);
    let mut arguments = std::env::args().skip(1);
    while let Some(argument) = arguments.next() {
        match argument.as_str() {
            "--list" => list = true,
            "--exact" => exact = true,
            // of the standard harness, each with a value: they change nothing here
            "--format" | "--test-threads" | "--color" | "--logfile" => drop(arguments.next()),
            _ if argument.starts_with('-') => {}
            _ => wanted.push(argument),
        }
    }
    let selected = |stem: &str| {
        let by = |word: &String| if exact { stem == word } else { stem.contains(word.as_str()) };
        wanted.is_empty() || wanted.iter().any(by)
    };
    let mut failures = Vec::new();
    let mut ran = 0;
    for file in &files {
        let stem = file.file_stem().expect("a name").to_string_lossy().into_owned();
        if !selected(&stem) {
            continue;
        }
        if list {
            println!("{stem}: test");
            continue;
        }
        ran += 1;
        match run(&stem, &std::fs::read_to_string(file).expect("a script")) {
            Ok(()) => println!("test {stem} ... ok"),
            Err(message) => {
                println!("test {stem} ... FAILED");
                failures.push(message);
            }
        }
    }
    if list {
        return ExitCode::SUCCESS;
    }
    println!("\n{ran} scripts, {} failed", failures.len());
    failures.iter().for_each(|message| println!("{message}"));
    if failures.is_empty() { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

fn run(stem: &str, text: &str) -> Result<(), String> {
    let file = format!("tests/packets/{stem}.pkt");
    let script = Script::parse(&file, text).map_err(|error| error.to_string())?;
    let header: String = text.lines().take_while(|line| line.starts_with('#')).collect();
    if !(header.contains("RFC ") && header.contains("section ")) {
        return Err(format!("{file}:1: the first comment names no RFC and section"));
    }
    script.play().map_err(|error| error.to_string())
}
