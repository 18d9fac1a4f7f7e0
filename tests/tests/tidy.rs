//! The project's conventions, executable: sizes of files and folders, headers, and words that have no place in
//! a file that is kept.

mod sources;

use std::collections::BTreeMap;

use sources::{File, files};

/// Most lines of a Rust file.
const LINES: usize = 400;
/// Most files of a folder.
const FILES: usize = 25;

/// Longer files, each with the reason why it stays one.
const LONG: [(&str, &str); 1] =
    [("pipeline/src/run/mod.rs", "one loop owns every transition of a run")];

/// Tests that do not run by themselves, each with the reason.
const BY_HAND: [(&str, &str); 3] = [
    ("stages/data/tests/data.rs", "one test downloads from the package registries"),
    (
        "stages/papers/harmonica/src/verdicts/one_run_tests.rs",
        "one searches hundreds of simulated runs, for minutes: the table is in the notes",
    ),
    (
        "stages/papers/hypertune/src/verdicts/fits_tests.rs",
        "one fits the recorded searches again: what it counted is in the notes",
    ),
];

/// The Rust files.
fn rust() -> Vec<File> {
    files().into_iter().filter(|file| file.path.ends_with(".rs")).collect()
}

/// `path:line: text` of every line that `bad` refuses.
fn lines(files: &[File], bad: impl Fn(&str) -> bool) -> Vec<String> {
    let mut found = Vec::new();
    for file in files {
        let numbered = file.text.lines().enumerate().filter(|(_, line)| bad(line));
        found.extend(numbered.map(|(i, line)| format!("{}:{}: {}", file.path, i + 1, line.trim())));
    }
    found
}

fn none(found: &[String]) {
    assert!(found.is_empty(), "\n{}", found.join("\n"));
}

#[test]
fn files_are_short() {
    let long: Vec<_> = rust()
        .iter()
        .map(|file| (file.path.clone(), file.text.lines().count()))
        .filter(|(path, n)| *n > LINES && LONG.iter().all(|(listed, _)| listed != path))
        .map(|(path, n)| format!("{path}: {n} lines, at most {LINES}"))
        .collect();
    none(&long);
}

#[test]
fn folders_are_small() {
    let mut folders = BTreeMap::new();
    for file in files() {
        let folder = file.path.rsplit_once('/').map_or("", |(folder, _)| folder).to_owned();
        *folders.entry(folder).or_insert(0) += 1;
    }
    let large = folders.into_iter().filter(|(_, n)| *n > FILES);
    none(&large.map(|(f, n)| format!("{f}: {n} files, at most {FILES}")).collect::<Vec<_>>());
}

#[test]
fn every_module_says_its_job() {
    // A file of tests beside its module, `x_tests.rs`, is covered by the header of `x.rs`.
    let silent = |file: &&File| !file.text.starts_with("//!") && !file.path.ends_with("_tests.rs");
    let found: Vec<_> = rust().iter().filter(silent).map(|file| file.path.clone()).collect();
    none(&found);
}

// The words below are written in two parts, so that this file does not find itself.

#[test]
fn no_stub_and_no_silenced_lint() {
    let words = [
        concat!("todo", "!("),
        concat!("unimpl", "emented!("),
        concat!("#[al", "low("),
        concat!("#![al", "low("),
    ];
    none(&lines(&rust(), |line| words.iter().any(|word| line.contains(word))));
}

#[test]
fn ignored_tests_are_listed() {
    let listed = |file: &File| BY_HAND.iter().any(|(path, _)| *path == file.path);
    let others: Vec<_> = rust().into_iter().filter(|file| !listed(file)).collect();
    none(&lines(&others, |line| line.contains(concat!("#[ig", "nore"))));
}

#[test]
fn no_path_of_one_machine() {
    let folders = ["work", "tmp", "farm", "root", "home"].map(|name| format!("/{name}/"));
    let absolute = |line: &str| {
        folders.iter().any(|folder| {
            line.match_indices(folder.as_str()).any(|(at, _)| {
                // `$root/tmp/x` and `v1/tmp/x` are relative to something.
                let before = line[..at].chars().next_back();
                before.is_none_or(|c| !c.is_alphanumeric() && !"._-}>)".contains(c))
            })
        })
    };
    none(&lines(&files(), absolute));
}

#[test]
fn no_host_of_a_registry() {
    // Packages are fetched by name with the registry's own client, which knows where it is.
    let hosts = [
        concat!("index.", "crates.io"),
        concat!("static.", "crates.io"),
        concat!("files.", "pythonhosted"),
        concat!("registry.", "npmjs"),
        concat!("deb.", "debian.org"),
        concat!("py", "pi.org"),
    ];
    none(&lines(&files(), |line| hosts.iter().any(|host| line.contains(host))));
}

#[test]
fn the_project_speaks_of_itself_alone() {
    let words = [
        concat!("assis", "tant"),
        concat!("cop", "ilot"),
        concat!("chat", "gpt"),
        concat!("cla", "ude"),
        concat!("anth", "ropic"),
        concat!("open", "ai"),
        concat!("large language ", "model"),
        concat!("co-auth", "ored-by"),
        concat!("ai-gen", "erated"),
        concat!("generated ", "by ai"),
    ];
    let bad = |line: &str| {
        let line = line.to_lowercase();
        words.iter().any(|word| line.contains(word))
    };
    none(&lines(&files(), bad));
}
