//! Makes the engine's version from its sources, so that a stored run is never taken for one of another engine.

use std::fs;
use std::path::{Path, PathBuf};

const CRATES: [&str; 7] = ["units", "cc", "tcp", "sim", "datagram", "net", "scenario"];

fn main() {
    let mut files = Vec::new();
    for name in CRATES {
        let folder = Path::new("..").join(name).join("src");
        println!("cargo::rerun-if-changed={}", folder.display());
        collect(&folder, &mut files);
    }
    files.sort();
    // 64-bit FNV-1a over the files in the order of their names
    let mut hash: u64 = 0xcbf2_9ce4_8422_2325;
    for file in &files {
        for byte in fs::read(file).expect("a source file can be read") {
            if byte != b'\r' {
                hash = (hash ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
            }
        }
    }
    choices(Path::new("../cc/src"));
    println!("cargo::rustc-env=WINDLASS_ENGINE={}+{hash:016x}", std::env::var("CARGO_PKG_VERSION").unwrap());
}

/// What the head of each algorithm's file says after `Choices:`, as a table of the file's name and the text.
fn choices(folder: &Path) {
    let mut rows = Vec::new();
    for entry in fs::read_dir(folder).expect("the algorithms have a folder") {
        let path = entry.expect("the folder can be read").path();
        let Some(name) = path.file_stem().and_then(|name| name.to_str()).filter(|_| path.is_file()) else { continue };
        let text = fs::read_to_string(&path).expect("a source file is text");
        let head: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
        if let Some((_, told)) = head.join(" ").split_once("Choices: ") {
            rows.push(format!("({name:?}, {told:?}),\n"));
        }
    }
    rows.sort();
    let out = Path::new(&std::env::var("OUT_DIR").expect("cargo sets it")).join("choices.rs");
    fs::write(out, format!("&[\n{}]", rows.concat())).expect("the build folder can be written");
}

fn collect(folder: &Path, files: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).expect("the crates stand side by side") {
        let path = entry.expect("the folder can be read").path();
        if path.is_dir() {
            collect(&path, files);
        } else if path.extension().is_some_and(|e| e == "rs") {
            files.push(path);
        }
    }
}
