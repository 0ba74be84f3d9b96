//! The engine's version changes with everything that can change a number, and with nothing else.

use std::fs;
use std::path::{Path, PathBuf};

#[path = "../build/tokens.rs"]
mod tokens;
#[path = "../build/version.rs"]
mod version;

const LOCK: &str = include_str!("../../../Cargo.lock");

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

/// A copy of all that the version is made from, in a folder of the build that is this test's own.
fn copy(name: &str) -> PathBuf {
    let to = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    let _ = fs::remove_dir_all(&to);
    for part in version::parts(&root()) {
        copy_all(&part, &to.join(part.strip_prefix(root()).unwrap()));
    }
    for part in ["Cargo.toml", "Cargo.lock"] {
        copy_all(&root().join(part), &to.join(part));
    }
    to
}

fn copy_all(from: &Path, to: &Path) {
    if from.is_dir() {
        for entry in fs::read_dir(from).unwrap().map(Result::unwrap) {
            copy_all(&entry.path(), &to.join(entry.file_name()));
        }
    } else {
        fs::create_dir_all(to.parent().unwrap()).unwrap();
        fs::copy(from, to).unwrap();
    }
}

fn change(file: &Path, from: &str, to: &str) {
    let text = fs::read_to_string(file).unwrap();
    assert!(text.contains(from), "{} has no `{from}`", file.display());
    fs::write(file, text.replacen(from, to, 1)).unwrap();
}

#[test]
fn this_engine_has_the_version_of_its_sources() {
    assert_eq!(scenario::ENGINE_VERSION, format!("{}+{:016x}", env!("CARGO_PKG_VERSION"), version::hash(&root())));
}

#[test]
fn every_part_counts() {
    let root = copy("every_part_counts");
    let mut seen = vec![version::hash(&root)];
    let mut changed = |file: &str, from: &str, to: &str| {
        change(&root.join(file), from, to);
        let now = version::hash(&root);
        assert!(!seen.contains(&now), "a change of {file} gives an old version");
        seen.push(now);
    };
    for part in version::CRATES {
        changed(&format!("crates/{part}/src/lib.rs"), "\n\n", "\n\nuse std::f64 as number;\n");
        changed(&format!("crates/{part}/Cargo.toml"), "[dependencies]", "[dependencies]\nother = \"1\"");
    }
    changed("crates/python/src/control.rs", "-> f64", "-> f32");
    // a constant, a sign, a name
    changed("crates/cc/src/cubic_2008.rs", "0.01 / w", "0.02 / w");
    changed("crates/cc/src/reno.rs", "+=", "-=");
    changed("crates/net/src/link/served.rs", "(&self", "(&that");
    changed("Cargo.toml", "features = [\"rng\"]", "features = []");
    for name in ["libm", "serde_json", "pyo3", "pyo3-ffi"] {
        let locked = version::locked(LOCK);
        let package = locked.into_iter().find(|one| one.contains(&format!("\nname = \"{name}\"\n"))).unwrap();
        changed("Cargo.lock", package, &package.replace("version = \"", "version = \"9"));
    }
    // a file that is not Rust, two that are moved, and one that is no longer for tests only
    let mut now = |root: &Path| {
        let now = version::hash(root);
        assert!(!seen.contains(&now));
        seen.push(now);
    };
    fs::write(root.join("crates/net/src/table.csv"), "1,2\n").unwrap();
    now(&root);
    fs::rename(root.join("crates/net/src/table.csv"), root.join("crates/net/src/tables.csv")).unwrap();
    now(&root);
    fs::rename(root.join("crates/net/src/ring.rs"), root.join("crates/net/src/sing.rs")).unwrap();
    now(&root);
    change(&root.join("crates/cc/src/vegas.rs"), "#[cfg(test)]\nmod tests;", "mod tests;");
    now(&root);
}

#[test]
fn what_cannot_change_a_number_does_not_count() {
    let root = copy("what_cannot_change_a_number_does_not_count");
    let first = version::hash(&root);
    let same = |what: &str| assert_eq!(version::hash(&root), first, "{what}");
    // as in a source distribution, which has fewer members and, built once, fewer packages in its lock file
    change(&root.join("Cargo.toml"), "\"benches\", ", "");
    let own = "[[package]]\nname = \"windlass-bench\"";
    change(&root.join("Cargo.lock"), own, "[[package]]\nname = \"windlass-benches\"");
    same("a source distribution");
    let number = root.join("crates/units/src/num.rs");
    fs::write(&number, fs::read_to_string(&number).unwrap().replace('\n', "\r\n")).unwrap();
    same("line ends of another system");
    for part in version::CRATES {
        change(&root.join(format!("crates/{part}/src/lib.rs")), "//!", "//! More of it.\n//!");
        change(&root.join(format!("crates/{part}/Cargo.toml")), "\n[dependencies]", "\n# why\n\n[dependencies]");
    }
    same("documentation of a crate, a comment in a manifest");
    change(&root.join("crates/cc/src/cubic.rs"), "\npub struct", "\n/** A sender. */\n#[doc(hidden)]\npub struct");
    change(&root.join("crates/cc/src/reno.rs"), ";", "; // here too /* and here */");
    change(&root.join("crates/net/src/link/served.rs"), ") {\n", ")\n\n  {");
    same("documentation of an item, a comment, white space");
    change(&root.join("crates/cc/src/cubic.rs"), "mod tests {", "mod tests {\n    const MORE: u32 = 1;");
    change(&root.join("crates/cc/src/path.rs"), "Bytes(1000.0)", "Bytes(2000.0)");
    fs::write(root.join("crates/cc/src/vegas/tests.rs"), "").unwrap();
    same("tests");
    for name in [".lib.rs.swp", "lib.rs~"] {
        fs::write(root.join("crates/cc/src").join(name), [0, 255, 159]).unwrap();
    }
    same("what an editor leaves");
}

/// Crates through which no run of a scenario passes.
const BESIDE: [&str; 4] = ["capture", "dissect", "generator", "script"];

#[test]
fn no_crate_of_ours_is_forgotten() {
    let own: Vec<String> = version::locked(LOCK)
        .into_iter()
        .filter(|package| !package.contains("\nsource = "))
        .map(|package| package.split('"').nth(1).unwrap().trim_start_matches("windlass-").to_owned())
        .collect();
    let mut known: Vec<&str> = version::CRATES.iter().chain(&BESIDE).copied().collect();
    known.sort_unstable();
    assert_eq!(own, known);
}

/// What a crate takes in from outside of the folders that count would change numbers unseen.
#[test]
fn no_source_takes_in_a_file_from_elsewhere() {
    fn look(path: &Path) {
        if path.is_dir() {
            fs::read_dir(path).unwrap().for_each(|entry| look(&entry.unwrap().path()));
        } else if path.extension().is_some_and(|extension| extension == "rs") {
            let Some(tokens) = tokens::of(&fs::read_to_string(path).unwrap()) else { return };
            for taken in ["include\n!\n", "include_str\n!\n", "include_bytes\n!\n", "[\npath\n=\n"] {
                for after in tokens.text.split(taken).skip(1) {
                    let what = after.lines().find(|line| line.starts_with('"')).unwrap_or("what?");
                    let is_beside = !what.contains("..") && !what.contains("\"/") && !what.contains('?');
                    assert!(is_beside || what == "\"OUT_DIR\"", "{}: {what}", path.display());
                }
            }
        }
    }
    version::CRATES.iter().for_each(|name| look(&root().join("crates").join(name).join("src")));
}

#[test]
fn what_counts_of_a_file() {
    let text = |source: &str| tokens::of(source).unwrap().text;
    let same = |one: &str, other: &str| assert_eq!(text(one), text(other));
    same("//! Crate.\nfn f() { 1 }", "fn f() {\n    // why\n    1\n}");
    same("/// Words.\n#[doc = \"more\"]\nfn f() {}", "fn f() {}");
    same("#[cfg(test)]\nmod tests;\nfn f() {}", "fn f() {}");
    same("#[cfg(test)]\n#[rustfmt::skip]\npub(crate) const A: &[u8] = { &[1, 2] };\nfn f() {}", "fn f() {}");
    same("impl A { #[cfg(test)] pub const fn g(&self) -> [u8; 3] { [0; 3] } fn f() {} }", "impl A { fn f() {} }");
    same("#[cfg(test)]\nuse a::{b, c};\nfn f() {}", "fn f() {}");
    assert_eq!(tokens::of("#[cfg(test)] pub(crate) mod a; #[cfg(test)] mod b { mod c; }").unwrap().tests, ["a"]);
    // a module that is there in another form without tests
    assert!(tokens::of("#[cfg(test)] mod a; #[cfg(not(test))] mod a;").unwrap().tests.is_empty());

    let other = |one: &str, other: &str| assert_ne!(text(one), text(other));
    other("fn f() { 1 }", "fn f() { 2 }");
    other("fn f() { 1 }", "fn f() { 1.0 }");
    other("fn f() { \"a b\" }", "fn f() { \"ab\" }");
    other("fn f() { a & &b }", "fn f() { a && b }");
    other("fn f() { a } fn g() {}", "fn f() { a fn g() {} }");
    other("#[inline] fn f() {}", "fn f() {}");
    other("#[cfg(not(test))] fn f() {}", "fn f() {}");
    other("#[cfg(any(test, a))] fn f() {}", "fn f() {}");
    other("#[cfg(test)] let a = 1; b", "b");
    // a macro may make anything of what it is given
    other("twice! { #[cfg(test)] fn f() {} }", "twice! {}");
    other("macro_rules! a { () => { #[cfg(test)] fn f() {} } }", "macro_rules! a { () => {} }");

    assert!(tokens::of("fn f() { \"").is_none());
    assert!(tokens::of("fn f() -> u32 { line!() }").is_none());
    assert!(tokens::of("fn f(line: u32) -> u32 { line }").is_some());
}
