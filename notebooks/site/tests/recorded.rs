//! Tests what the pages show of a run that is kept with the sources.

mod common;

use std::{fs, path::Path};

use common::{Place, store, store_under};
use pipeline::{
    artifacts::Artifacts,
    provenance::{Account, Story, ro_crate},
    recorded::{Limits, Recorded},
    store::Store,
};
use site::{absent::lacking::Planned, downloads::code::Code, names::Names, recorded::OUTDATED};

const HERE: Place = Place { host: "here", time: 1_000_000, forward: true };

/// Writes the pages, and reads one.
fn pages(artifacts: &Path) -> impl Fn(&str) -> String {
    pages_of(artifacts, None)
}

fn pages_of(artifacts: &Path, planned: Option<&Planned>) -> impl Fn(&str) -> String {
    let report = artifacts.join("report");
    let tables = Artifacts::of(Store::open(artifacts).expect("a store")).expect("its runs");
    let known = (&Names::default(), &Code::default());
    let folders = (artifacts, Recorded::all(&artifacts.join("recorded")).unwrap());
    site::write(&tables, folders, &report, known, planned).expect("pages");
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
fn verdicts_by_an_earlier_version_of_the_rules_say_so() {
    let (made, fresh) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    store(made.path(), &HERE);
    record(made.path(), "toy", fresh.path());
    let files = ["index.html", "paper-toy.html"];
    let says = |outdated: &[&str]| {
        let outdated = outdated.iter().map(|&paper| paper.to_owned()).collect();
        let planned = Planned { outdated, ..Planned::default() };
        let pages = pages_of(fresh.path(), Some(&planned));
        files.map(|file| pages(file).contains(OUTDATED))
    };
    assert_eq!(says(&["toy"]), [true, true]);
    assert_eq!(says(&["other"]), [false, false]);
}

#[test]
fn a_recorded_run_is_shown_before_anything_is_computed() {
    let (made, fresh) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    store(made.path(), &HERE);
    record(made.path(), "toy", fresh.path());
    let pages = pages(fresh.path());
    let index = &pages("index.html");
    assert!(index.contains("<b>Recorded with the sources</b>, 2 claims."), "{index}");
    assert!(!index.contains("Computed here"), "{index}");
    let untested = index.split("<tr>").find(|row| row.contains("A 2")).expect("has a row");
    assert!(untested.contains("not testable"), "as the terminal lists it: {untested}");
    assert!(!index.contains("class=\"notice\""), "nothing was computed here: {index}");
    let paper = &pages("paper-toy.html");
    assert!(paper.contains("Nothing was computed here yet"), "{paper}");
    assert!(paper.contains("<code>retune audit toy</code>"), "{paper}");
    assert!(paper.contains("retune show toy/figures/convergence"), "evidence is traced: {paper}");
    let stages = &pages("stages.html");
    assert!(stages.contains("No paper was judged here yet"), "{stages}");
    assert!(!stages.contains("class=\"states\""), "a legend of nothing: {stages}");
    let provenance = &pages("provenance.html");
    assert!(provenance.contains("Nothing has been run here yet."), "{provenance}");
    assert!(provenance.contains("pages of <a href=\"paper-toy.html\">toy</a>."), "{provenance}");
    assert!(
        provenance.contains("of CPU time on not known"),
        "the recorded run's cost: {provenance}"
    );
    for empty in ["<tbody>\n</tbody>", "id=\"environment\"", "0.000"] {
        assert!(!provenance.contains(empty), "{empty}: {provenance}");
    }
}

#[test]
fn a_recorded_run_stands_beside_the_readers_own() {
    let dir = tempfile::tempdir().unwrap();
    store(dir.path(), &HERE);
    record(dir.path(), "toy", dir.path());
    let pages = pages(dir.path());
    let index = &pages("index.html");
    assert!(index.contains("Recorded with the sources</b>, 2 claims."), "{index}");
    assert!(index.contains("Computed here</b>, 4 claims."), "{index}");
    assert_eq!(index.matches("Recorded, profile desk").count(), 1);
    assert_eq!(index.matches("Computed here, profile desk").count(), 2);
    let paper = &pages("paper-toy.html");
    assert!(paper.contains("<dt>Recorded</dt>"), "{paper}");
    assert!(!pages("paper-hoag.html").contains("<dt>Recorded</dt>"));
}

#[test]
fn verdicts_of_profile_smoke_are_said_to_have_no_meaning_and_the_recorded_ones_stay_the_main_ones()
{
    let (made, dir) = (tempfile::tempdir().unwrap(), tempfile::tempdir().unwrap());
    store(made.path(), &HERE);
    record(made.path(), "toy", dir.path());
    store_under(dir.path(), &HERE, "smoke");
    let pages = pages(dir.path());
    for name in ["index", "paper-toy", "paper-hoag", "figures", "stages", "run", "provenance"] {
        let page = pages(&format!("{name}.html"));
        assert!(page.contains("Verdicts of profile smoke have no meaning"), "{name}: {page}");
    }
    let paper = &pages("paper-toy.html");
    assert!(paper.contains("were judged under profile <b>desk</b>"), "{paper}");
    assert!(paper.contains("<small>here, profile smoke: "), "{paper}");
    assert!(paper.contains("<dt>Here, profile smoke</dt>"), "{paper}");
    let reached = ["recorded, profile desk", "computed here, profile smoke"]
        .map(|run| paper.find(&format!("<th scope=\"row\">{run}</th>")).expect(run));
    assert!(reached[0] < reached[1], "the recorded verdict comes first");
    let index = &pages("index.html");
    assert_eq!(index.matches("Computed here, profile smoke").count(), 2, "{index}");
    assert_eq!(index.matches("Recorded, profile desk").count(), 1, "{index}");
    // A paper without a recorded run has no other verdicts.
    let own = pages("paper-hoag.html");
    assert!(own.contains("were judged under profile <b>smoke</b>"), "{own}");
}
