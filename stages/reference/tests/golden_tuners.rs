//! Checks the reference files of budgets, densities, Gaussian processes and recorded runs with this crate.

use std::path::Path;

use reference::case::Outcome;

/// Checks a file and returns the number of values compared.
fn reproduced(name: &str) -> usize {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/golden").join(name);
    let cases = reference::check(&file, &|id| Err(format!("no data set is needed, not {id}")));
    let cases = cases.unwrap();
    let wrong: Vec<String> =
        cases.iter().filter(|c| !c.passed()).map(|c| format!("{c:?}")).collect();
    assert!(wrong.is_empty(), "{} of {}:\n{}", wrong.len(), cases.len(), wrong.join("\n"));
    cases.iter().filter(|c| c.outcome == Outcome::Passed).count()
}

#[test]
fn budgets_and_brackets_are_those_of_the_file() {
    assert!(reproduced("brackets.json") > 400);
}

#[test]
fn densities_are_those_of_the_file() {
    assert!(reproduced("bohb_kde.json") > 100);
}

/// All variants and seeds.
#[test]
fn regrets_on_counting_ones_do_not_differ_from_the_recorded_ones() {
    assert!(reproduced("counting_ones.json") > 130);
}

/// Sites, posteriors and masses.
#[test]
fn monotone_processes_are_those_of_the_file() {
    assert!(reproduced("gp_monotone.json") > 330);
}

/// Weights, rates, and the states after generations.
#[test]
fn steps_of_cma_es_are_those_of_the_file() {
    assert!(reproduced("cmaes.json") > 900);
}
