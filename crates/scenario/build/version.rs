//! The engine's version: a hash of everything that can change a number, and of nothing else.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use super::tokens;

/// The crates that a run goes through, by folder.
pub const CRATES: [&str; 10] = ["units", "cc", "tape", "tcp", "sim", "datagram", "wlan", "net", "scenario", "python"];

/// What of these crates counts: files and folders.
pub fn parts(root: &Path) -> impl Iterator<Item = PathBuf> {
    let parts = CRATES.iter().flat_map(|name| {
        let folder = root.join("crates").join(name);
        ["src", "build", "build.rs", "Cargo.toml"].map(|part| folder.join(part))
    });
    parts.filter(|part| part.exists())
}

/// A hash of all that the engine is built from: the sources and manifests of [`CRATES`], the versions of what they need
/// from others, and with which features and profile it is built. Comments, white space and tests do not count.
pub fn hash(root: &Path) -> u64 {
    let mut files = Vec::new();
    parts(root).for_each(|part| collect(&part, &mut files));
    files.sort();
    let mut tests = BTreeSet::new();
    let parts: Vec<(&PathBuf, String)> = files.iter().map(|file| (file, counted(file, &mut tests))).collect();
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for (file, part) in parts.iter().filter(|(file, _)| !tests.iter().any(|test| file.starts_with(test))) {
        let name = file.strip_prefix(root).expect("the file is below the root");
        hash.add(&name.to_string_lossy().replace('\\', "/"));
        hash.add(part);
    }
    let lock = text(&root.join("Cargo.lock"));
    locked(&lock).into_iter().for_each(|package| hash.add(package));
    // What is before it, the list of members, is another one in a source distribution.
    let manifest = text(&root.join("Cargo.toml"));
    let (_, manifest) = manifest.split_once("[workspace.dependencies]").expect("the workspace has dependencies");
    hash.add(&settings(manifest));
    hash.0
}

/// What of a file counts. Adds to `tests` the files and folders of modules that are there for tests only.
fn counted(file: &Path, tests: &mut BTreeSet<PathBuf>) -> String {
    let text = text(file);
    match file.extension().and_then(|extension| extension.to_str()) {
        Some("rs") => match tokens::of(&text) {
            Some(tokens) => {
                let name = file.file_stem().expect("it ends in .rs");
                let root = ["lib", "main", "mod", "build"].iter().any(|root| name == *root);
                let folder = if root { file.with_file_name("") } else { file.with_extension("") };
                for module in tokens.tests {
                    tests.insert(folder.join(format!("{module}.rs")));
                    tests.insert(folder.join(module));
                }
                tokens.text
            }
            // It does not compile, or asks in which line it is.
            None => text,
        },
        Some("toml") => settings(&text),
        _ => text,
    }
}

/// A manifest without lines that say nothing.
fn settings(manifest: &str) -> String {
    let lines = manifest.lines().map(str::trim).filter(|line| !line.is_empty() && !line.starts_with('#'));
    lines.collect::<Vec<_>>().join("\n")
}

/// 64-bit FNV-1a over texts, line ends as on Unix.
struct Fnv(u64);

impl Fnv {
    fn add(&mut self, text: &str) {
        for byte in text.bytes().filter(|byte| *byte != b'\r').chain([0]) {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0000_0100_0000_01b3);
        }
    }
}

/// What the lock file says of the extension module and of all that it needs, directly or not. Packages that only other
/// members of the workspace need change nothing; a source distribution does not have them.
pub fn locked(lock: &str) -> Vec<&str> {
    let packages: Vec<&str> = lock.split("[[package]]").skip(1).collect();
    let is = |package: &str, name: &str| package.lines().any(|line| line == format!("name = \"{name}\""));
    let mut needed = vec!["windlass-python"];
    let mut at = 0;
    while let Some(&name) = needed.get(at) {
        for package in packages.iter().filter(|package| is(package, name)) {
            // Lines such as ` "libm",` or, where there are several versions, ` "syn 2.0.1",`.
            for line in package.lines().filter_map(|line| line.strip_prefix(" \"")) {
                let other = line.split([' ', '"']).next().unwrap_or_default();
                if !needed.contains(&other) {
                    needed.push(other);
                }
            }
        }
        at += 1;
    }
    packages.into_iter().filter(|package| needed.iter().any(|name| is(package, name))).collect()
}

fn text(file: &Path) -> String {
    let bytes = fs::read(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()));
    String::from_utf8_lossy(&bytes).into_owned()
}

/// All files of a folder, or the file itself; not those that editors and systems leave there.
fn collect(path: &Path, files: &mut Vec<PathBuf>) {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    if name.starts_with('.') || name.ends_with('~') {
        return;
    }
    if path.is_file() {
        files.push(path.to_owned());
    } else if path.is_dir() {
        for entry in fs::read_dir(path).unwrap_or_else(|error| panic!("{}: {error}", path.display())) {
            collect(&entry.expect("the folder can be read").path(), files);
        }
    }
}
