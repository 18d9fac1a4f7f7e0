//! Tests the explorer of verdicts: what a page tells without scripts, and that its script judges as the program does.

#![expect(clippy::print_stderr, reason = "a test that is skipped says so")]

mod common;

use std::{fs, path::Path, process::Command};

use common::{Place, store};
use pipeline::{artifacts::Artifacts, recorded::Recorded, store::Store};
use serde_json::Value;
use site::downloads::code::Code;
use site::names::Names;

const HERE: Place = Place { host: "here", time: 1_000_000, forward: true };
const SCRIPT: &str = include_str!("../assets/explorer.js");

/// The page of the toy paper in a report below `artifacts`.
fn page(artifacts: &Path) -> String {
    store(artifacts, &HERE);
    let tables = Artifacts::of(Store::open(artifacts).unwrap()).unwrap();
    let report = artifacts.join("report");
    let folders = (artifacts, Recorded::all(&artifacts.join("recorded")).unwrap());
    site::write(&tables, folders, &report, (&Names::default(), &Code::default()), None).unwrap();
    fs::read_to_string(report.join("paper-toy.html")).unwrap()
}

/// What the page keeps for its script, claim by claim.
fn kept(page: &str) -> Vec<Value> {
    let parts = page.split("<script type=\"application/json\">").skip(1);
    let texts = parts.filter_map(|part| part.split("</script>").next());
    texts.map(|text| serde_json::from_str(text).unwrap()).collect()
}

/// What Node says of the script with `cases`; none where this machine has no Node.
fn judged(cases: &Value) -> Option<Vec<String>> {
    let dir = tempfile::tempdir().unwrap();
    let script = dir.path().join("judge.cjs");
    let program = format!(
        "global.window = {{}};\n{SCRIPT}\nconst cases = {cases};\n\
         const told = cases.map((c) => window.retune.judge(c.grounds, c.change).verdict);\n\
         console.log(JSON.stringify(told));\n"
    );
    fs::write(&script, program).unwrap();
    let Ok(ended) = Command::new("node").arg(&script).output() else {
        eprintln!("not tested: the explorer's script, since there is no `node` here");
        return None;
    };
    let said = String::from_utf8_lossy(&ended.stdout).into_owned();
    let told = serde_json::from_str(&said);
    Some(told.unwrap_or_else(|_| panic!("{}", String::from_utf8_lossy(&ended.stderr))))
}

#[test]
fn a_page_says_without_scripts_what_would_change_a_verdict() {
    let dir = tempfile::tempdir().unwrap();
    let page = page(dir.path());
    assert!(page.contains("<p>It would be &#60;less&#62;.</p>"), "{page}");
    assert!(page.contains("<th scope=\"row\">computed here, profile desk</th><td>paper</td>"));
    let told = kept(&page);
    assert_eq!(told.len(), 2, "one per claim");
    let first = &told[0]["runs"][0]["grounds"];
    assert_eq!(first["findings"][0]["region"], serde_json::json!([0.375, null]), "a half line");
    assert_eq!(first["findings"][0]["n"], 16.0);
    assert_eq!(first["rates"][0], serde_json::json!([194.0, 0.0, 2.0, 4.0]));
    assert_eq!(told[1]["runs"][0]["grounds"]["rates"], Value::Null, "not calibrated");
    assert!(!page.contains("<less>"));
    // Ours says what its number is of.
    assert!(
        page.contains(
            "<td data-head=\"ours\">digits against the paper: an error: 0.5 [0.4, 0.6]</td>"
        ),
        "{page}"
    );
}

#[test]
fn the_script_judges_as_the_program_does() {
    let golden = include_str!("../../../tests/golden/verdicts.json");
    let cases: Value = serde_json::from_str(golden).unwrap();
    let Some(told) = judged(&cases) else { return };
    for (case, told) in cases.as_array().unwrap().iter().zip(&told) {
        assert_eq!(case["verdict"], told.as_str(), "{case}");
    }
    assert!(told.len() > 400);
}

#[test]
fn a_page_opens_with_the_verdicts_that_were_reached() {
    let dir = tempfile::tempdir().unwrap();
    let runs: Vec<Value> =
        kept(&page(dir.path())).iter().map(|own| own["runs"][0].clone()).collect();
    let cases: Vec<Value> = runs
        .iter()
        .map(|run| {
            serde_json::json!({
                "grounds": run["grounds"],
                "change": { "shift": 0, "factor": 1, "whole": false },
            })
        })
        .collect();
    let Some(told) = judged(&Value::from(cases)) else { return };
    let reached: Vec<&str> = runs.iter().filter_map(|run| run["verdict"].as_str()).collect();
    assert_eq!(told, reached);
}
