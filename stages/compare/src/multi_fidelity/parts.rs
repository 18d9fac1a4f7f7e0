//! The recorded trainings on those parts of each data set that tuners ask for.

use kit::{
    data_sets::curve_table::{CurveTraining, TRAININGS},
    port::{In, Out},
};
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};

use super::tables::PartTraining;

/// Picks the trainings on parts.
#[derive(Serialize, Deserialize)]
pub struct Parts {
    /// A part is at most one of so many of the whole; the largest divisor first.
    pub divisors: Vec<u64>,
}

impl Parts {
    /// All trainings.
    pub const TRAININGS: In<CurveTraining> = TRAININGS;
    /// Those on the parts.
    pub const MAIN: Out<PartTraining> = Out::table("main");
}

impl Stage for Parts {
    const KIND: &'static str = "compare/parts";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(1500)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let all = Self::TRAININGS.read(cx)?;
        Self::MAIN.write(cx, &parts(&all, &self.divisors))
    }
}

/// The trainings on the parts of all data sets, in the order of data set, learner and part, the smallest part first.
#[must_use]
pub fn parts(trainings: &[CurveTraining], divisors: &[u64]) -> Vec<PartTraining> {
    let data_sets = trainings.chunk_by(|a, b| a.data_set == b.data_set);
    data_sets.flat_map(|own| of_data_set(own, divisors)).collect()
}

/// Those of one data set: each part is the largest recorded size that is small enough. Of learners, those count that were
/// trained on every part. Nothing where two parts are of one size, or there is no choice of learners.
fn of_data_set(own: &[CurveTraining], divisors: &[u64]) -> Vec<PartTraining> {
    let sizes = || own.iter().map(|training| training.size);
    let whole = sizes().max().map_or(0, u64::from);
    let size = |divisor: &u64| sizes().filter(|size| u64::from(*size) * divisor <= whole).max();
    let parts: Option<Vec<u32>> = divisors.iter().map(size).collect();
    let Some(parts) = parts.filter(|parts| parts.is_sorted_by(|a, b| a < b)) else {
        return Vec::new();
    };
    let on = |learner: &[CurveTraining], part: u32| learner.iter().any(|one| one.size == part);
    let learners = own.chunk_by(|a, b| a.learner == b.learner);
    let learners: Vec<&[CurveTraining]> =
        learners.filter(|learner| parts.iter().all(|part| on(learner, *part))).collect();
    if learners.len() < 2 {
        return Vec::new();
    }
    let mut rows = Vec::new();
    for learner in learners {
        for (&divisor, &size) in divisors.iter().zip(&parts) {
            rows.extend(learner.iter().filter(|one| one.size == size).map(|one| PartTraining {
                data_set: one.data_set,
                learner: one.learner.clone(),
                divisor,
                size,
                validation: one.validation,
                test: one.test,
                seconds: one.seconds,
            }));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn training(data_set: u32, learner: &str, size: u32, inner: u32) -> CurveTraining {
        let (validation, test, seconds) = (0.5, 0.25, 1.0);
        let learner = learner.to_owned();
        CurveTraining { data_set, learner, size, outer: 0, inner, validation, test, seconds }
    }

    #[test]
    fn parts_are_the_largest_recorded_ones_and_learners_were_trained_on_all_of_them() {
        let mut all = Vec::new();
        for learner in ["a", "b"] {
            all.extend([16, 23, 64, 90].map(|size| training(1, learner, size, 0)));
        }
        // Two splits of one part, in their order.
        all.insert(3, training(1, "a", 64, 1));
        all.extend([16, 64].map(|size| training(1, "stopped", size, 0)));
        let found = parts(&all, &[4, 1]);
        let rows: Vec<_> = found.iter().map(|r| (r.learner.as_str(), r.divisor, r.size)).collect();
        // A fourth of 90 is 22.5, so that 23 is too large.
        assert_eq!(rows, [("a", 4, 16), ("a", 1, 90), ("b", 4, 16), ("b", 1, 90)]);
        assert_eq!(parts(&all, &[1]).len(), 2);
        let halves = parts(&all, &[2, 1]);
        assert_eq!(halves.iter().filter(|row| row.size == 23).count(), 2);
    }

    #[test]
    fn a_data_set_without_a_small_part_or_a_choice_is_left_out() {
        let two = |data_set, sizes: [u32; 2]| {
            ["a", "b"].map(|learner| sizes.map(|size| training(data_set, learner, size, 0)))
        };
        let large = two(2, [16, 64]);
        // 16 is more than a fourth of 32; a third and a fourth of 64 are the same part; one learner is no choice.
        let all = [two(1, [16, 32]), large.clone()].concat().concat();
        assert!(parts(&all, &[4, 1]).iter().all(|row| row.data_set == 2));
        assert!(parts(&all, &[4, 3, 1]).is_empty() && parts(&large[0], &[4, 1]).is_empty());
        assert!(parts(&[], &[4, 1]).is_empty());
    }
}
