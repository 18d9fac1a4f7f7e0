//! The book, read as text: every link leads somewhere, every chapter is listed, what is taken from
//! elsewhere is there. Needs no mdbook.

use std::{
    collections::BTreeSet,
    fs,
    path::{Path, PathBuf},
};

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The chapters, by file name, without their blocks of code.
fn chapters() -> Vec<(String, String)> {
    let mut found = Vec::new();
    for entry in fs::read_dir(root().join("docs/book/src")).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        found.push((name, prose(&fs::read_to_string(&path).unwrap())));
    }
    found.sort();
    assert!(found.len() > 10, "the book was not found");
    found
}

/// A text without its blocks of code.
fn prose(text: &str) -> String {
    let mut fenced = false;
    let kept = text.lines().filter(|line| {
        let fence = line.starts_with("```");
        fenced ^= fence;
        !fenced && !fence
    });
    kept.collect::<Vec<_>>().join("\n")
}

/// The anchors of a chapter's headings, as mdbook makes them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    headings.map(|line| anchor(line.trim_start_matches('#').trim())).collect()
}

fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase();
    let kept = kept.chars().filter(|c| c.is_alphanumeric() || "-_ ".contains(*c));
    kept.map(|c| if c == ' ' { '-' } else { c }).collect()
}

/// The targets of a text's links.
fn links(text: &str) -> Vec<&str> {
    let after = text.split("](").skip(1);
    after.filter_map(|rest| rest.split_once(')').map(|(target, _)| target)).collect()
}

/// What follows `{{#word ` in a text, up to the braces.
fn directives<'a>(text: &'a str, word: &str) -> Vec<&'a str> {
    let opened = format!("{{{{#{word} ");
    text.split(opened.as_str()).skip(1).filter_map(|rest| rest.split("}}").next()).collect()
}

#[test]
fn links_lead_to_chapters_and_their_headings() {
    let all = chapters();
    let mut seen = 0;
    for (name, text) in &all {
        for target in links(text) {
            seen += 1;
            assert!(!target.contains("://"), "{name}: {target} leaves the book");
            let (file, at) = target.split_once('#').unwrap_or((target, ""));
            let file = if file.is_empty() { name } else { file };
            let Some((_, text)) = all.iter().find(|(other, _)| other == file) else {
                panic!("{name}: no chapter {file}");
            };
            assert!(at.is_empty() || anchors(text).contains(at), "{name}: no heading {target}");
        }
    }
    assert!(seen > 10, "no links were found");
}

#[test]
fn every_chapter_is_listed_once_and_has_a_title() {
    let all = chapters();
    let (_, summary) = all.iter().find(|(name, _)| name == "SUMMARY.md").unwrap();
    let mut listed = links(summary);
    listed.sort_unstable();
    // Beside the chapters lie files that they link to.
    let chapter = |name: &str| name.ends_with(".md");
    let others: Vec<&str> = (all.iter().map(|(name, _)| name.as_str()))
        .filter(|name| chapter(name) && *name != "SUMMARY.md")
        .collect();
    assert_eq!(listed, others);
    for (name, text) in all.iter().filter(|(name, _)| chapter(name)) {
        // The notes bring theirs along.
        let titled = text.starts_with("# ") || text.starts_with("{{#include");
        assert!(titled, "{name} has no title");
    }
}

#[test]
fn what_is_taken_from_elsewhere_is_there() {
    let mut seen = 0;
    for entry in fs::read_dir(root().join("docs/book/src")).unwrap() {
        let path = entry.unwrap().path();
        // Examples are taken within blocks of code.
        let text = fs::read_to_string(&path).unwrap();
        for file in directives(&text, "include") {
            seen += 1;
            let file = path.with_file_name(file);
            assert!(file.is_file(), "{}: no {}", path.display(), file.display());
        }
        for place in directives(&text, "section") {
            seen += 1;
            let (file, heading) = place.split_once('#').unwrap();
            let text = prose(&fs::read_to_string(root().join(file)).unwrap());
            let own = |line: &str| {
                line.starts_with('#') && line.trim_start_matches('#').trim() == heading
            };
            assert!(text.lines().any(own), "{}: {file} has no heading `{heading}`", path.display());
        }
    }
    assert!(seen > 15, "nothing was found to be taken");
}

#[test]
fn formulas_are_closed() {
    for (name, text) in chapters() {
        // `$` in code is no formula.
        let outside: String = text.split('`').step_by(2).collect();
        assert!(outside.matches('$').count().is_multiple_of(2), "{name}");
    }
}
