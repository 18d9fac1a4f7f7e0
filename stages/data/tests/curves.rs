//! Tests the real learning curves against values computed from the same file in Python (3.11, `csv` and `math.fsum`).

#[path = "common/had.rs"]
#[macro_use]
mod had;

use std::collections::BTreeSet;

use data::{LearningCurves, Places, find, load_curves};

const ID: &str = "lcdb-accuracy";

/// A cache that the tests of one build share.
fn places() -> Places {
    let places = Places::from_env(concat!(env!("CARGO_TARGET_TMPDIR"), "/data"));
    Places { no_urls: places.mirror.is_none(), ..places }
}

fn had(test: &str, ids: &[&str]) -> bool {
    had::had(test, ids, &places())
}

/// Σ vᵢ (i mod 1009 + 1): detects exchanged values as well as changed ones.
fn weighted(values: impl Iterator<Item = f64>) -> f64 {
    values.enumerate().map(|(i, v)| v * (i % 1009 + 1) as f64).sum()
}

#[track_caller]
fn close(value: f64, expected: f64) {
    let error = (value - expected).abs();
    assert!(error <= 1e-12 * expected.abs(), "{value} is not {expected}, off by {error:e}");
}

#[test]
fn the_curves_hold_what_their_file_holds() {
    skip_without!("the content of the learning curves", &[ID]);
    let curves: LearningCurves = load_curves(ID, &places()).unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(curves.fault(), None);
    let shape = find(ID).unwrap().shape;
    assert_eq!((curves.evaluations.len(), curves.learners.len()), (shape.rows, shape.features));
    let sets: BTreeSet<u32> = curves.evaluations.iter().map(|one| one.data_set).collect();
    assert_eq!(sets.len(), 248);
    let all = || curves.evaluations.iter();
    close(weighted(all().map(|one| one.validation)), 306_356_905.635_7);
    close(weighted(all().map(|one| one.test)), 306_136_258.406_6);
    close(weighted(all().map(|one| one.seconds)), 2_791_546_401.194_5);
    assert_eq!(curves.points().len(), 72_224);
}
