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
    println!("cargo::rustc-env=WINDLASS_ENGINE={}+{hash:016x}", std::env::var("CARGO_PKG_VERSION").unwrap());
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
