//! Checks every number of the HOAG reference file with this crate.

mod common;

use std::path::Path;

use reference::case::Outcome;

#[test]
fn every_case_of_the_reference_file_is_reproduced() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/golden/hoag.json");
    let cases = reference::check(&file, &common::registered).unwrap();
    let wrong: Vec<String> =
        cases.iter().filter(|c| !c.passed()).map(|c| format!("{c:?}")).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    let compared = cases.iter().filter(|c| c.outcome == Outcome::Passed).count();
    assert!(compared > 650, "only {compared} values were compared");
}
