//! A run of the toy example as a research object and as PROV-JSON, the recorded runs as research objects, verdicts as
//! nanopublications and claims as rubrics, all checked by others' tools.

use std::{fs, path::PathBuf, process::Command};

use crate::tools::{Checkout, End, ensure, run};

pub fn check(checkout: &Checkout, _: &[String]) -> Result<(), End> {
    let python = checkout.python("provenance")?;
    checkout.build()?;
    let work = tempfile::tempdir()?;
    run(checkout.command("cp").args(["-r", "tests/toy/."]).arg(work.path()))?;
    let toy = |words: &[&str]| {
        run(Command::new(checkout.built("examples/toy")).current_dir(work.path()).args(words))
    };
    toy(&["run", "--set", "worker=true"])?;
    let licence = "https://spdx.org/licenses/CC0-1.0";
    toy(&["export", "ro-crate", "crate", "--author", "An author", "--licence", licence])?;
    toy(&["export", "prov", "prov.json"])?;
    toy(&["export", "sheet", "sheet.md"])?;
    let mut validate = checkout.command(&python);
    validate.arg("tests/checks/provenance.py");
    let recorded = runs(checkout)?;
    run(validate
        .arg(work.path().join("prov.json"))
        .arg(work.path().join("crate"))
        .args(&recorded))?;
    let retune = checkout.retune()?;
    // Away from any results of the reader's own.
    let store = work.path().join("artifacts");
    run(checkout.command("cp").args(["-r", "artifacts/recorded"]).arg(store.join("recorded")))?;
    let export = |what: &str| -> Result<PathBuf, End> {
        let dir = work.path().join(what);
        run(checkout.command(&retune).args(["export", what]).arg(&dir).arg("--store").arg(&store))?;
        Ok(dir)
    };
    let mut read = checkout.command(&python);
    read.arg("tests/checks/exports.py").arg(export("nanopub")?).arg(export("rubric")?);
    run(read.args(recorded))
}

/// The folders of the recorded runs.
fn runs(checkout: &Checkout) -> Result<Vec<PathBuf>, End> {
    let mut found = Vec::new();
    for entry in fs::read_dir(checkout.root.join("artifacts/recorded"))? {
        found.push(entry?.path());
    }
    found.sort();
    ensure(!found.is_empty(), "no run is recorded")?;
    Ok(found)
}
