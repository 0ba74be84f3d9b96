//! Makes the engine's version from its sources, so that a stored run is never taken for one of another engine.

use std::fs;
use std::path::Path;

#[path = "build/tokens.rs"]
mod tokens;
#[path = "build/version.rs"]
mod version;

fn main() {
    let root = Path::new("../..");
    for part in version::parts(root).chain(["Cargo.lock", "Cargo.toml"].map(|part| root.join(part))) {
        println!("cargo::rerun-if-changed={}", part.display());
    }
    choices(Path::new("../cc/src"));
    let release = std::env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    println!("cargo::rustc-env=WINDLASS_ENGINE={release}+{:016x}", version::hash(root));
}

/// What the head of each algorithm's file says after `Choices:`, as a table of the file's name and the text.
fn choices(folder: &Path) {
    let mut rows = Vec::new();
    for entry in fs::read_dir(folder).expect("the algorithms have a folder") {
        let path = entry.expect("the folder can be read").path();
        let Some(name) = path.file_stem().and_then(|name| name.to_str()).filter(|_| path.is_file()) else { continue };
        let text = version::text(&path);
        let head: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
        if let Some((_, told)) = head.join(" ").split_once("Choices: ") {
            rows.push(format!("({name:?}, {told:?}),\n"));
        }
    }
    rows.sort();
    let out = Path::new(&std::env::var("OUT_DIR").expect("cargo sets it")).join("choices.rs");
    fs::write(out, format!("&[\n{}]", rows.concat())).expect("the build folder can be written");
}
