//! Tests what the pages show of a run that is kept with the sources.

mod common;

use std::{fs, path::Path};

use common::{Place, store};
use pipeline::{
    artifacts::Artifacts,
    provenance::{Account, Story, ro_crate},
    recorded::{Limits, Recorded},
    store::Store,
};
use site::{downloads::code::Code, names::Names};

const HERE: Place = Place { host: "here", time: 1_000_000, forward: true };

/// Writes the pages, and reads one.
fn pages(artifacts: &Path) -> impl Fn(&str) -> String {
    let report = artifacts.join("report");
    let tables = Artifacts::of(Store::open(artifacts).expect("a store")).expect("its runs");
    let known = (&Names::default(), &Code::default());
    site::write(&tables, artifacts, &report, known, None).expect("pages");
    move |name| fs::read_to_string(report.join(name)).expect("was written")
}

/// Keeps the run of `paper` in the store `from` below the folder `recorded` of `artifacts`.
fn record(from: &Path, paper: &str, artifacts: &Path) {
    let store = Store::open_existing(from).expect("a store");
    let story = Story::of(&store, None).expect("a run");
    let about = ro_crate::About {
        program: "toy".to_owned(),
        purpose: "Toys".to_owned(),
        licence: None,
        author: None,
    };
    let keep = |account: &Account| account.stage == format!("{paper}/claims");
    let dir = artifacts.join("recorded").join(paper);
    fs::create_dir_all(dir.parent().unwrap()).expect("a folder");
    Recorded::write(&store, story, paper, &keep, Limits::default(), &about, &dir)
        .expect("recorded");
}

#[test]
fn a_recorded_run_is_shown_before_anything_is_computed() {
    let (made, fresh) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    store(made.path(), &HERE);
    record(made.path(), "toy", fresh.path());
    let pages = pages(fresh.path());
    let index = &pages("index.html");
    assert!(index.contains("<b>Recorded with the sources</b>, 1 claim."), "{index}");
    assert!(!index.contains("Computed here"), "{index}");
    assert!(!index.contains("A 2<"), "what the recorded run could not test is no verdict of it");
    let paper = &pages("paper-toy.html");
    assert!(paper.contains("Nothing was computed here yet"), "{paper}");
    assert!(paper.contains("<code>retune audit toy</code>"), "{paper}");
    assert!(paper.contains("retune show toy/figures/convergence"), "evidence is traced: {paper}");
}

#[test]
fn a_recorded_run_stands_beside_the_readers_own() {
    let dir = tempfile::tempdir().unwrap();
    store(dir.path(), &HERE);
    record(dir.path(), "toy", dir.path());
    let pages = pages(dir.path());
    let index = &pages("index.html");
    assert!(index.contains("Recorded with the sources</b>, 1 claim."), "{index}");
    assert!(index.contains("Computed here</b>, 4 claims."), "{index}");
    assert_eq!(index.matches("Recorded, profile smoke").count(), 1);
    assert_eq!(index.matches("Computed here, profile smoke").count(), 2);
    let paper = &pages("paper-toy.html");
    assert!(paper.contains("<dt>Recorded</dt>"), "{paper}");
    assert!(!pages("paper-hoag.html").contains("<dt>Recorded</dt>"));
}
