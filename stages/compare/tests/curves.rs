//! What the real learning curves say, against values computed from the same file in Python (3.11, `csv` and
//! `math.fsum`), by the definitions of the two stages and independently of this code. Means that differ by 1e-12 or less
//! are equal there, too: the first learner by name is then the best.

#[path = "../../data/tests/common/had.rs"]
#[macro_use]
mod had;

use compare::{
    curves::by_data_set,
    multi_fidelity::{parts::parts, task::tasks},
    stages::{rising_curves, subset_optimum},
};
use data::Places;
use kit::data_sets::curve_table;

/// A cache that the tests of one build share.
fn places() -> Places {
    let places = Places::from_env(concat!(env!("CARGO_TARGET_TMPDIR"), "/data"));
    Places { no_urls: places.mirror.is_none(), ..places }
}

fn had(test: &str, ids: &[&str]) -> bool {
    had::had(test, ids, &places())
}

#[test]
fn shares_are_those_of_the_recorded_curves() {
    skip_without!("shares of learning curves", &["lcdb-accuracy"]);
    let loaded = data::load_curves("lcdb-accuracy", &places()).unwrap_or_else(|e| panic!("{e}"));
    let all = by_data_set(curve_table::points(&loaded));
    for (divisor, best, data_sets) in
        [(2, 174, 248), (4, 143, 246), (8, 120, 240), (16, 87, 229), (32, 62, 224), (64, 55, 182)]
    {
        let found = subset_optimum::row(&all, divisor);
        let hits = found.best * found.data_sets as f64;
        assert_eq!((hits.round() as usize, found.data_sets), (best, data_sets), "1/{divisor}");
    }
    let (mut rising, mut curves) = (0, 0);
    for learners in all.values() {
        let (own, count) = rising_curves::counts(learners.values(), 0.01);
        (rising, curves) = (rising + own, curves + count);
    }
    assert_eq!((rising, curves), (1579, 4367));
    let by_learner = rising_curves::by_learner(&all, 0.01);
    assert_eq!(by_learner.iter().map(|row| row.curves).sum::<usize>(), 4367);
}

/// By the same definitions in Python, with `DuckDB`'s means: what a learner drawn at random is behind the best one.
#[test]
fn parts_are_those_of_the_recorded_trainings() {
    skip_without!("parts of learning curves", &["lcdb-accuracy"]);
    let loaded = data::load_curves("lcdb-accuracy", &places()).unwrap_or_else(|e| panic!("{e}"));
    let tasks = tasks(&parts(&curve_table::trainings(&loaded), &[27, 9, 3, 1]));
    let behind: Vec<(f64, usize)> = tasks
        .iter()
        .map(|task| {
            let learners = task.learners();
            let sum: f64 = (0..learners).map(|learner| task.excess(learner)).sum();
            (sum / learners as f64, learners)
        })
        .collect();
    let pairs = behind.iter().map(|(_, learners)| learners).sum::<usize>();
    let mean = behind.iter().map(|(mean, _)| mean).sum::<f64>() / behind.len() as f64;
    assert_eq!((behind.len(), pairs), (227, 3852));
    assert!((mean - 0.103_535_234_456_126_22).abs() < 1e-12, "{mean}");
}
