//! Stages read and write tables through their ports, which have the type of the table: no stage opens one by a
//! string, and none reads a column by its name.

mod sources;

use sources::{File, files};

/// Files that name columns themselves, each with the reason.
const COLUMNS: [(&str, &str); 6] = [
    ("stages/kit/src/beside.rs", "which columns it compares is in a config"),
    ("stages/kit/src/contest.rs", "which columns hold the values is in its parameters"),
    ("stages/kit/src/row.rs", "what rows are made of"),
    ("stages/kit/src/table.rs", "what tables are made of"),
    ("stages/papers/hypertune/src/tables/trials.rs", "a numbered column for each hyper-parameter"),
    ("stages/papers/smoothie/src/tables/encoded.rs", "as many numbered columns as there are codes"),
];

/// Files that open tables by their roles, or join stages by them.
const ROLES: [(&str, &str); 4] = [
    ("stages/kit/src/claims/wiring.rs", "tables of any type, which its caller has joined"),
    ("stages/kit/src/contest.rs", "its tables are of any type, by their places in a list"),
    ("stages/kit/src/port.rs", "what ports are made of"),
    ("stages/kit/src/wire.rs", "what joins ports"),
];

/// What opens a table, or joins stages, by a string; each in two parts, so that this file does not find itself.
const OPENS: [&str; 5] = [
    concat!("cx.in", "put("),
    concat!("cx.wr", "ite("),
    concat!(".in", "put(\""),
    concat!("draft.re", "ad("),
    concat!("draft.in", "put("),
];
/// What names a column by a string.
const NAMES: [&str; 4] = [
    concat!("column_by_", "name("),
    concat!(".cells", "::<"),
    concat!("Columns::", "new()"),
    concat!("RecordBatch::", "try_new("),
];

/// The sources of stages, without tests beside them.
fn sources() -> Vec<File> {
    let folders = ["stages/kit/src/", "stages/papers/", "stages/templates/", "stages/nets/src/"];
    let own = |file: &File| {
        folders.iter().any(|folder| file.path.starts_with(folder))
            && file.path.ends_with(".rs")
            && !file.path.ends_with("_tests.rs")
    };
    files().into_iter().filter(own).collect()
}

/// `path:line: text` of every line with one of `words`, but for files that are listed.
fn found(words: &[&str], listed: &[(&str, &str)]) -> Vec<String> {
    let mut all = Vec::new();
    for file in sources().iter().filter(|file| listed.iter().all(|(path, _)| *path != file.path)) {
        let lines = file.text.lines().enumerate();
        let bad = lines.filter(|(_, line)| words.iter().any(|word| line.contains(word)));
        all.extend(bad.map(|(i, line)| format!("{}:{}: {}", file.path, i + 1, line.trim())));
    }
    all
}

#[test]
fn no_stage_opens_a_table_by_a_string() {
    let found = found(&OPENS, &ROLES);
    assert!(found.is_empty(), "use a port, see stages/kit/src/port.rs\n{}", found.join("\n"));
}

#[test]
fn no_stage_names_a_column_by_a_string() {
    let found = found(&NAMES, &COLUMNS);
    assert!(found.is_empty(), "use a row, see stages/kit/src/row.rs\n{}", found.join("\n"));
}

#[test]
fn what_is_listed_needs_it() {
    for (listed, words) in [(&COLUMNS[..], &NAMES[..]), (&ROLES, &OPENS)] {
        let all = found(words, &[]);
        for (path, _) in listed {
            let needed = all.iter().any(|line| line.starts_with(&format!("{path}:")));
            assert!(needed, "{path} needs no exception");
        }
    }
    assert!(sources().len() > 100, "the stages were not found");
}
