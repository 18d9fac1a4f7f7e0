//! A run of the toy example as a research object and as PROV-JSON, checked by others' tools.

use std::process::Command;

use crate::tools::{Checkout, End, run};

pub fn check(checkout: &Checkout, _: &[String]) -> Result<(), End> {
    let python = checkout.python("provenance")?;
    run(&mut checkout.cargo(&["build", "--example", "toy"]))?;
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
    let mut validate = checkout.command(python);
    validate.arg("tests/checks/provenance.py");
    run(validate.arg(work.path().join("crate")).arg(work.path().join("prov.json")))
}
