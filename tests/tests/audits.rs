//! `audits.tsv` has every crate that a manifest of the workspace asks for, in the lock file's version, and no other.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
};

fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    fs::read_to_string(&path).unwrap_or_else(|e| panic!("{}: {e}", path.display()))
}

/// The crates of a manifest's table that do not lie in the workspace, with what is asked of them.
fn asked(manifest: &str, table: &str) -> BTreeMap<String, String> {
    let lines = manifest.lines().skip_while(|line| *line != table).skip(1);
    let lines = lines.take_while(|line| !line.starts_with('['));
    let entry = |line: &str| {
        let (name, what) = line.split_once('=')?;
        let foreign = !name.starts_with('#') && !what.contains("path =");
        foreign.then(|| (name.trim().to_owned(), what.trim().to_owned()))
    };
    lines.filter_map(entry).collect()
}

/// The versions of each crate that the lock file names.
fn locked() -> BTreeMap<String, Vec<String>> {
    let mut versions: BTreeMap<String, Vec<String>> = BTreeMap::new();
    let lock = read("Cargo.lock");
    for package in lock.split("[[package]]").skip(1) {
        let value = |key: &str| {
            let line =
                package.lines().find_map(|line| line.strip_prefix(key)?.strip_prefix(" = \""));
            line.and_then(|rest| rest.strip_suffix('"')).expect("a package has it").to_owned()
        };
        versions.entry(value("name")).or_default().push(value("version"));
    }
    versions
}

/// The folders of a member of the workspace: those in it where it ends in a star.
fn folders(member: &str) -> Vec<String> {
    let Some(parent) = member.strip_suffix("/*") else { return vec![member.to_owned()] };
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(parent);
    let entries = fs::read_dir(path).expect("can be listed").flatten();
    entries.map(|entry| format!("{parent}/{}", entry.file_name().to_string_lossy())).collect()
}

/// Every crate that a manifest asks for, its own or the workspace's.
fn all_asked() -> BTreeSet<String> {
    let manifest = read("Cargo.toml");
    let mut names: BTreeSet<String> =
        asked(&manifest, "[workspace.dependencies]").into_keys().collect();
    let (_, rest) = manifest.split_once("members = [").expect("the workspace has members");
    let (members, _) = rest.split_once(']').expect("the list ends");
    for member in members.split('"').skip(1).step_by(2).flat_map(folders) {
        let manifest = read(&format!("{member}/Cargo.toml"));
        for table in ["[dependencies]", "[dev-dependencies]", "[build-dependencies]"] {
            let own = asked(&manifest, table).into_iter();
            let own =
                own.filter(|(name, what)| !format!("{name} = {what}").contains("workspace = true"));
            names.extend(own.map(|(name, _)| name));
        }
    }
    names
}

#[test]
fn every_direct_dependency_has_its_line_and_no_other() {
    let table = read("audits.tsv");
    let rows: Vec<Vec<&str>> = table
        .lines()
        .filter(|line| !line.starts_with('#'))
        .map(|line| line.split('\t').collect())
        .collect();
    assert_eq!(rows[0], ["crate", "version", "licence", "developed at", "why"]);
    assert!(rows.iter().all(|row| row.len() == 5 && row.iter().all(|cell| !cell.is_empty())));
    let names: Vec<&str> = rows[1..].iter().map(|row| row[0]).collect();
    let asked = all_asked();
    assert_eq!(names, asked.iter().collect::<Vec<_>>(), "in the order of names");
    let locked = locked();
    for row in &rows[1..] {
        let known = locked[row[0]].iter().any(|version| version == row[1]);
        assert!(known, "{}: the lock file has {:?}", row[0], locked[row[0]]);
    }
}
