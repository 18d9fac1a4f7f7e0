//! Tests the work formulas of stages against measured times of small and large stages: seconds per operation
//! agree within a factor of two. The times were measured once and are kept, so that the test does not depend
//! on the load of a machine. `tests/golden/work.tsv` is the output of `retune rates --table` from a store in
//! which stages of several profiles ran; it only has kinds that take long enough.

use std::collections::BTreeMap;

use pipeline::{
    estimate::fit::{Observation, disagreement},
    registry::Kinds,
    work::{Inputs, Size},
};
use stages::papers;

const TABLE: &str = include_str!("../../tests/golden/work.tsv");
const TOLERATED: f64 = 2.0;

/// Most of a shorter stage is its start, which takes 0.05 to 0.13 s.
const TELLING_S: f64 = 0.15;

/// Formulas that are less exact, with their largest factor: they leave out the size of the networks that a
/// tuner asks for.
const COARSE: [(&str, &str, f64); 3] = [
    ("hypertune/ei", "mlp", 2.5),
    ("hypertune/hyperband", "mlp", 2.5),
    ("smoothie/tune-hebo-like", "Bayesmark", 2.5),
];

/// A line of the table: kind, variant, and the measurements.
fn observation(kinds: &Kinds, line: &str) -> (String, String, Observation) {
    let fields: Vec<&str> = line.split('\t').collect();
    let [kind, variant, _, seconds, sizes, params] = fields[..] else {
        panic!("six fields in `{line}`");
    };
    let sizes: BTreeMap<String, [f64; 2]> = serde_json::from_str(sizes).expect("sizes by role");
    let by_place: Vec<[f64; 2]> = sizes.values().copied().collect();
    let look = |place: usize| {
        let [rows, columns] = by_place[place];
        Some(Size { rows, columns })
    };
    let inputs = Inputs::new(sizes.keys().map(String::as_str).collect(), &look);
    let load = kinds.load(kind, params, &inputs);
    let load = load.unwrap_or_else(|| {
        panic!(
            "{kind}: other parameters than in the table, which `retune rates --table` makes anew"
        )
    });
    assert_eq!(load.variant, variant, "{kind}");
    let seconds = seconds.parse().expect("seconds");
    (kind.to_owned(), load.variant, Observation { work: load.work, seconds })
}

#[test]
fn small_and_large_stages_agree() {
    let registry = papers::registry();
    let mut groups: BTreeMap<(String, String), Vec<Observation>> = BTreeMap::new();
    for line in TABLE.lines().filter(|line| !line.starts_with('#')) {
        let (kind, variant, observed) = observation(&registry.kinds, line);
        if observed.seconds >= TELLING_S {
            groups.entry((kind, variant)).or_default().push(observed);
        }
    }
    let (mut wrong, mut compared) = (Vec::new(), 0);
    for ((kind, variant), observed) in &groups {
        let coarse = COARSE.iter().find(|(k, v, _)| (k, v) == (&kind.as_str(), &variant.as_str()));
        let most = coarse.map_or(TOLERATED, |(.., most)| *most);
        // Some have only one size that counts, which says nothing about the formula.
        let Some(factor) = disagreement(observed) else { continue };
        compared += 1;
        if factor > most {
            wrong.push(format!("{kind} ({variant}): {factor:.2}, not {most}"));
        }
    }
    assert!(wrong.is_empty(), "seconds per operation differ between sizes: {wrong:#?}");
    assert!(compared >= 20, "{compared} formulas are checked");
    assert!(3 * COARSE.len() <= compared, "{} of {compared} are coarse", COARSE.len());
}
