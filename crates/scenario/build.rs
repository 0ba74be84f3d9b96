//! Makes the engine's version from its sources, so that a stored run is never taken for one of another engine.

use std::fs;
use std::path::{Path, PathBuf};

/// The crates that a run goes through, by folder.
pub const CRATES: [&str; 8] = ["units", "cc", "tcp", "sim", "datagram", "net", "scenario", "python"];

fn main() {
    let root = Path::new("../..");
    for name in CRATES {
        for part in ["src", "Cargo.toml"] {
            println!("cargo::rerun-if-changed={}", root.join("crates").join(name).join(part).display());
        }
    }
    for part in ["Cargo.lock", "Cargo.toml"] {
        println!("cargo::rerun-if-changed={}", root.join(part).display());
    }
    println!("cargo::rerun-if-changed=build.rs");
    choices(Path::new("../cc/src"));
    let release = std::env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    println!("cargo::rustc-env=WINDLASS_ENGINE={release}+{:016x}", hash(root));
}

/// A hash of all that the engine is built from: the sources and manifests of [`CRATES`], the versions of what they need
/// from others, and with which features and profile it is built.
pub fn hash(root: &Path) -> u64 {
    let mut files = Vec::new();
    for name in CRATES {
        let folder = root.join("crates").join(name);
        collect(&folder.join("src"), &mut files);
        files.push(folder.join("Cargo.toml"));
    }
    files.sort();
    let mut hash = Fnv(0xcbf2_9ce4_8422_2325);
    for file in &files {
        let name = file.strip_prefix(root).expect("the file is below the root");
        hash.add(&name.to_string_lossy().replace('\\', "/"));
        hash.add(&text(file));
    }
    let lock = text(&root.join("Cargo.lock"));
    locked(&lock).into_iter().for_each(|package| hash.add(package));
    // What stands before it, the list of members, is another one in a source distribution.
    let manifest = text(&root.join("Cargo.toml"));
    hash.add(manifest.split_once("[workspace.dependencies]").expect("the workspace has dependencies").1);
    hash.0
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

/// What the head of each algorithm's file says after `Choices:`, as a table of the file's name and the text.
fn choices(folder: &Path) {
    let mut rows = Vec::new();
    for entry in fs::read_dir(folder).expect("the algorithms have a folder") {
        let path = entry.expect("the folder can be read").path();
        let Some(name) = path.file_stem().and_then(|name| name.to_str()).filter(|_| path.is_file()) else { continue };
        let text = text(&path);
        let head: Vec<&str> = text.lines().map_while(|line| line.strip_prefix("//!")).map(str::trim).collect();
        if let Some((_, told)) = head.join(" ").split_once("Choices: ") {
            rows.push(format!("({name:?}, {told:?}),\n"));
        }
    }
    rows.sort();
    let out = Path::new(&std::env::var("OUT_DIR").expect("cargo sets it")).join("choices.rs");
    fs::write(out, format!("&[\n{}]", rows.concat())).expect("the build folder can be written");
}

fn text(file: &Path) -> String {
    fs::read_to_string(file).unwrap_or_else(|error| panic!("{}: {error}", file.display()))
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
