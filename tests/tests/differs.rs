//! The lists of what differs (`scripts/differs.py`): each has the notes of its paper and of what that uses, and
//! every note is in one, with few exceptions.

mod sources;

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::Path,
    process::Command,
};

/// Notes in no list, each with the reason.
const NOBODYS: [(&str, &str); 2] = [
    ("stages/tuners/src/bayesian/tpe.rs", "no paper's experiments run TPE by itself"),
    (
        "stages/data/src/loaders/issue_lifetime.rs",
        "found by a data set's id, through the catalogue",
    ),
];

const PAPERS: [&str; 5] = ["harmonica", "hoag", "hypertune", "smoothie", "stn"];

/// Paper → the places of its notes, without the line.
fn lists() -> BTreeMap<&'static str, BTreeSet<String>> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let folder = tempfile::tempdir().unwrap();
    let mut command = Command::new("python3");
    command.arg(root.join("scripts/differs.py")).arg(folder.path()).args(PAPERS);
    assert!(command.status().expect("python3 runs").success());
    let read = |paper| {
        let text = fs::read_to_string(folder.path().join(format!("{paper}-differs.tsv"))).unwrap();
        text.lines().filter_map(|line| Some(line.split_once(':')?.0.to_owned())).collect()
    };
    PAPERS.into_iter().map(|paper| (paper, read(paper))).collect()
}

#[test]
fn every_note_is_listed_and_a_papers_own_optimiser_with_that_paper_alone() {
    let lists = lists();
    let with = |file: &str| -> Vec<&str> {
        lists.iter().filter(|(_, places)| places.contains(file)).map(|(paper, _)| *paper).collect()
    };
    for (file, papers) in [
        ("stages/tuners/src/gradient/hoag_rules.rs", ["hoag"].as_slice()),
        ("stages/tuners/src/gradient/iterdiff.rs", &["hoag"]),
        ("stages/tuners/src/harmonica.rs", &["harmonica"]),
        ("stages/tuners/src/bayesian/hypertune.rs", &["hypertune"]),
        ("stages/nets/src/train.rs", &["harmonica"]),
        ("stages/nets/src/text/network.rs", &["stn"]),
        ("stages/models/src/bilevel/kernel_ridge.rs", &["hoag"]),
    ] {
        assert_eq!(with(file), papers, "{file}");
    }
    // In comments, of code that stages run; two words, so that this file is not meant.
    let mark = concat!("DIFF", "ERS:");
    let marked = sources::files().into_iter().filter(|file| {
        let own = file.path.starts_with("stages/") && file.path.contains("/src/");
        let apart = ["stages/src/", "stages/templates/", "stages/kit/", "stages/reference/"];
        let comment = |line: &str| line.trim_start().starts_with("//") && line.contains(mark);
        own && !apart.iter().any(|p| file.path.starts_with(p)) && file.text.lines().any(comment)
    });
    let unlisted = marked.filter(|file| with(&file.path).is_empty()).map(|file| file.path);
    let unlisted: Vec<_> =
        unlisted.filter(|path| NOBODYS.iter().all(|(listed, _)| listed != path)).collect();
    assert!(unlisted.is_empty(), "{unlisted:#?}");
}
