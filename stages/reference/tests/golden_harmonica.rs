//! Checks every number of the sparse recovery reference file with this crate.

use std::path::Path;

use reference::case::Outcome;

#[test]
fn every_case_of_the_reference_file_is_reproduced() {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden/harmonica.json");
    let no_data = |name: &str| Err(format!("{name}: the file describes its samples"));
    let cases = reference::check(&file, &no_data).unwrap();
    let wrong: Vec<String> =
        cases.iter().filter(|c| !c.passed()).map(|c| format!("{c:?}")).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    let compared = cases.iter().filter(|c| c.outcome == Outcome::Passed).count();
    assert!(compared > 180, "only {compared} values were compared");
}
