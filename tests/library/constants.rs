//! No time in a decision is one machine's: the constants of times and of ratios of times are listed in `docs/constants.md`, each with
//! what it was measured on and why it holds elsewhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

/// The constants of times, or of their ratios: file and name.
type Constants = BTreeMap<(String, String), String>;

fn root() -> &'static Path {
    Path::new(env!("CARGO_MANIFEST_DIR"))
}

/// All Rust files below a folder but those of tests.
fn files(folder: &Path, all: &mut Vec<PathBuf>) {
    for entry in fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().and_then(|name| name.to_str()).unwrap_or_default().to_owned();
        if name.starts_with("test") {
            continue;
        } else if path.is_dir() {
            files(&path, all);
        } else if name.ends_with(".rs") {
            all.push(path);
        }
    }
}

/// The name of the constant that a line declares, if its type is one of times or of ratios.
fn declared(line: &str) -> Option<&str> {
    let (_, rest) = line.trim_start().split_once("const ").filter(|(before, _)| {
        ["", "pub "].contains(before) || before.starts_with("pub(") && before.ends_with(") ")
    })?;
    let (name, rest) = rest.split_once(": ")?;
    let (kind, _) = rest.split_once(" =")?;
    ["f64", "Duration", "Rates"].iter().any(|word| kind.contains(word)).then_some(name)
}

fn in_code() -> Constants {
    let mut all = Vec::new();
    ["src", "boolean/src", "proofs/src"].iter().for_each(|folder| files(&root().join(folder), &mut all));
    let mut constants = Constants::new();
    for path in all {
        let file = path.strip_prefix(root()).unwrap().to_str().unwrap().to_owned();
        let text = fs::read_to_string(&path).unwrap();
        let code = text.split("\n#[cfg(test)]\nmod tests {").next().unwrap_or_default();
        for name in code.lines().filter_map(declared) {
            constants.insert((file.clone(), name.to_owned()), String::new());
        }
    }
    constants
}

/// The rows of the table: file, constant, what it is and was measured on, why it holds elsewhere.
fn in_table() -> Constants {
    let text = fs::read_to_string(root().join("docs/constants.md")).unwrap();
    let rows = text.lines().filter(|line| line.starts_with("| `"));
    let rows = rows.map(|row| {
        let cells: Vec<&str> = row.trim_matches('|').split(" | ").map(str::trim).collect();
        let [file, name, measured, holds] = cells[..] else { panic!("not four cells: {row}") };
        assert!(measured.len() > 3 && holds.len() > 3, "a reason is missing: {row}");
        let [file, name] = [file, name].map(|cell| cell.trim_matches('`').to_owned());
        ((file, name), holds.to_owned())
    });
    rows.collect()
}

#[test]
fn every_constant_of_times_is_in_the_table() {
    let (code, table) = (in_code(), in_table());
    let missing = code.keys().filter(|constant| !table.contains_key(*constant));
    let missing: Vec<_> = missing.map(|(file, name)| format!("{file}: {name}")).collect();
    let gone: Vec<_> = table.keys().filter(|constant| !code.contains_key(*constant)).collect();
    assert!(missing.is_empty(), "docs/constants.md says nothing of {missing:#?}");
    assert!(gone.is_empty(), "docs/constants.md names what is gone: {gone:#?}");
    assert!(code.len() > 40, "{}", code.len());
}

#[test]
fn declarations_are_found() {
    for (line, name) in [
        ("const A: f64 = 1.0;", Some("A")),
        ("    pub(super) const B: [f64; 2] = [", Some("B")),
        ("pub const C: Duration = Duration::ZERO;", Some("C")),
        ("const D: u32 = 1;", None),
        ("// const E: f64 = 1.0;", None),
        ("const fn f() -> f64 {", None),
    ] {
        assert_eq!(declared(line), name, "{line}");
    }
}
