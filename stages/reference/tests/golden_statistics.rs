//! Checks every number of the reference files about statistics with this crate.

use std::path::Path;

use reference::case::Outcome;

/// Checks a file and returns the number of values compared.
fn reproduced(name: &str) -> usize {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(name);
    let no_data = |name: &str| Err(format!("{name}: the file brings its samples along"));
    let cases = reference::check(&file, &no_data).unwrap();
    let wrong: Vec<String> =
        cases.iter().filter(|c| !c.passed()).map(|c| format!("{c:?}")).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    cases.iter().filter(|c| c.outcome == Outcome::Passed).count()
}

#[test]
fn tests_of_samples_are_those_of_the_file() {
    assert!(reproduced("statistics.json") > 700);
}

/// Aggregates of scores, intervals of pairs, running times, equivalence, signed ranks.
#[test]
fn what_comparisons_report_is_that_of_the_file() {
    assert!(reproduced("aggregates.json") > 900);
}

/// Coverage of intervals of a mean.
#[test]
fn small_samples_are_covered_as_often_as_in_the_file() {
    assert!(reproduced("coverage.json") > 200);
}
