//! The engine's version changes with everything that the engine is built from.

use std::fs;
use std::path::{Path, PathBuf};

#[allow(dead_code, reason = "the build script has more than is tested")]
#[path = "../build.rs"]
mod build;

const LOCK: &str = include_str!("../../../Cargo.lock");

/// A copy of all that the version is made from, in a folder of the build that is this test's own.
fn copy(name: &str) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&to);
    for part in build::CRATES {
        let folder = Path::new("crates").join(part);
        copy_all(&root.join(&folder).join("src"), &to.join(&folder).join("src"));
        fs::copy(root.join(&folder).join("Cargo.toml"), to.join(&folder).join("Cargo.toml")).unwrap();
    }
    for part in ["Cargo.toml", "Cargo.lock"] {
        fs::copy(root.join(part), to.join(part)).unwrap();
    }
    to
}

fn copy_all(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
        if entry.path().is_dir() {
            copy_all(&entry.path(), &to.join(entry.file_name()));
        } else {
            fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
        }
    }
}

fn change(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{} has no `{from}`", file.display());
    fs::write(file, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn this_engine_has_the_version_of_its_sources() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    assert_eq!(scenario::ENGINE_VERSION, format!("{}+{:016x}", env!("CARGO_PKG_VERSION"), build::hash(&root)));
}

#[test]
fn every_part_counts() {
    let root = copy("every_part_counts");
    let first = build::hash(&root);
    let mut seen = vec![first];
    let mut changed = |file: &str, from: &str, to: &str| {
        change(&root.join(file), from, to);
        let now = build::hash(&root);
        assert!(!seen.contains(&now), "a change of {file} gives an old version");
        seen.push(now);
    };
    for part in build::CRATES {
        changed(&format!("crates/{part}/src/lib.rs"), "//!", "//! changed");
        changed(&format!("crates/{part}/Cargo.toml"), "[dependencies]", "# changed\n[dependencies]");
    }
    changed("crates/python/src/control.rs", "-> f64", "-> f32");
    changed("crates/net/src/link/served.rs", ";", " ;");
    changed("Cargo.toml", "features = [\"rng\"]", "features = []");
    for name in ["libm", "serde_json", "pyo3", "pyo3-ffi"] {
        let package =
            build::locked(LOCK).into_iter().find(|one| one.contains(&format!("\nname = \"{name}\"\n"))).unwrap();
        changed("Cargo.lock", package, &package.replace("version = \"", "version = \"9"));
    }
    // a file that is moved
    fs::rename(root.join("crates/net/src/ring.rs"), root.join("crates/net/src/sing.rs")).unwrap();
    assert!(!seen.contains(&build::hash(&root)));
}

#[test]
fn what_cannot_change_a_run_does_not_count() {
    let root = copy("what_cannot_change_a_run_does_not_count");
    let first = build::hash(&root);
    // as in a source distribution, which has fewer members and, built once, fewer packages in its lock file
    change(&root.join("Cargo.toml"), "\"benches\", ", "");
    let own = "[[package]]\nname = \"windlass-bench\"";
    change(&root.join("Cargo.lock"), own, "[[package]]\nname = \"windlass-benches\"");
    // line ends of another system
    let file = root.join("crates/units/src/num.rs");
    fs::write(&file, fs::read_to_string(&file).unwrap().replace('\n', "\r\n")).unwrap();
    assert_eq!(build::hash(&root), first);
}

#[test]
fn no_crate_of_ours_is_forgotten() {
    let own: Vec<String> = build::locked(LOCK)
        .into_iter()
        .filter(|package| !package.contains("\nsource = "))
        .map(|package| package.split('"').nth(1).unwrap().trim_start_matches("windlass-").to_owned())
        .collect();
    assert_eq!(own.len(), build::CRATES.len(), "{own:?}");
    assert!(build::CRATES.iter().all(|name| own.iter().any(|one| one == name)), "{own:?}");
}
