//! Makes the engine's version from its sources, so that a stored run is never taken for one of another engine.

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
    let release = std::env::var("CARGO_PKG_VERSION").expect("cargo sets it");
    println!("cargo::rustc-env=WINDLASS_ENGINE={release}+{:016x}", version::hash(root));
}
