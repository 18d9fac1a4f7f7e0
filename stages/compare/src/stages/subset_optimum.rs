//! How often the learner that is best on a part of the data is also the best on all of it: what subset searches, such
//! as HyperTune's and Fabolas', and successive halving rely on.

use std::collections::BTreeMap;

use kit::{
    data_sets::curve_table::{CURVES, CurvePoint},
    port::{In, Out},
};
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::{order::median, proportion::share};

use crate::{
    curves::{Learners, ROUNDING, by_data_set},
    tables::SubsetBest,
};

/// Compares the best learners on parts and on the whole.
#[derive(Serialize, Deserialize)]
pub struct SubsetOptimum {
    /// The parts are at most one of so many of the largest size.
    pub divisors: Vec<u32>,
}

impl SubsetOptimum {
    /// All curves.
    pub const CURVES: In<CurvePoint> = CURVES;
    /// One row per divisor.
    pub const MAIN: Out<SubsetBest> = Out::table("main");
}

impl Stage for SubsetOptimum {
    const KIND: &'static str = "compare/subset-optimum";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(200)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let all = by_data_set(Self::CURVES.read(cx)?);
        let row = |divisor: &u32| row(&all, *divisor);
        Self::MAIN.write(cx, &self.divisors.iter().map(row).collect::<Vec<_>>())
    }
}

/// The row of a divisor over all data sets.
#[must_use]
pub fn row(all: &BTreeMap<u32, Learners>, divisor: u32) -> SubsetBest {
    let excesses: Vec<f64> = all.values().filter_map(|own| excess(own, divisor)).collect();
    let found = share(&excesses.iter().map(|excess| *excess <= ROUNDING).collect::<Vec<_>>());
    SubsetBest {
        divisor,
        data_sets: excesses.len(),
        best: found.value,
        low: found.low,
        high: found.high,
        excess: median(&excesses),
    }
}

/// By how much the error on the whole of the learner that is best on a part exceeds the best learner's: the part is the
/// largest size that is at most 1/divisor of the largest. Of learners, those count that were trained on the largest
/// size, as far as they were trained on the part; of equals the first by name. `None` if nothing is small enough, or
/// there is no choice.
fn excess(learners: &Learners, divisor: u32) -> Option<f64> {
    let largest = *learners.values().flat_map(|curve| curve.keys()).max()?;
    let whole = || learners.values().filter(|curve| curve.contains_key(&largest));
    let small = |size: &u32| u64::from(*size) * u64::from(divisor) <= u64::from(largest);
    let part = *whole().flat_map(|curve| curve.keys()).filter(|size| small(size)).max()?;
    if whole().count() < 2 {
        return None;
    }
    let best = whole().map(|curve| curve[&largest]).fold(f64::INFINITY, f64::min);
    let there = || whole().filter(|curve| curve.contains_key(&part));
    let lowest = there().map(|curve| curve[&part]).fold(f64::INFINITY, f64::min);
    let chosen = there().find(|curve| curve[&part] <= lowest + ROUNDING)?;
    Some(chosen[&largest] - best)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curves::curve;

    /// On 16 of 256 instances a is best, on 64 and on all b; c was not trained on all.
    fn learners() -> Learners {
        Learners::from([
            ("a".to_owned(), curve(&[(16, 0.25), (64, 0.25), (256, 0.25)])),
            ("b".to_owned(), curve(&[(16, 0.5), (64, 0.125), (256, 0.0625)])),
            ("c".to_owned(), curve(&[(16, 0.0), (64, 0.0)])),
        ])
    }

    #[test]
    fn the_choice_on_a_part_is_judged_on_the_whole() {
        let found = [1, 3, 4, 5, 16, 17].map(|divisor| excess(&learners(), divisor));
        // The largest size of at most 256/3 is 64, and of at most 256/5 is 16.
        let (same, other) = (Some(0.0), Some(0.1875));
        assert_eq!(found, [same, same, same, other, other, None]);
        let alone = Learners::from([("a".to_owned(), curve(&[(16, 0.5), (256, 0.25)]))]);
        assert_eq!(excess(&alone, 2), None);
    }

    #[test]
    fn data_sets_are_counted_with_an_interval() {
        let all = BTreeMap::from([(1, learners()), (2, learners()), (3, Learners::new())]);
        let found = row(&all, 16);
        assert_eq!(
            (found.divisor, found.data_sets, found.best, found.excess),
            (16, 2, 0.0, 0.1875)
        );
        assert!(found.low == 0.0 && (0.6..0.7).contains(&found.high), "{}", found.high);
        assert_eq!(row(&all, 4).best, 1.0);
    }
}
