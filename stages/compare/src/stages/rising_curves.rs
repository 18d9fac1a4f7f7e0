//! How many learning curves get worse: those whose mean error somewhere exceeds by more than a margin what it was with
//! fewer instances. That more data never harm is what Hyperband and Fabolas count on.

use std::collections::BTreeMap;

use kit::{
    data_sets::curve_table::{CURVES, CurvePoint},
    port::{In, Out},
};
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::{bootstrap, proportion::share};

use crate::{
    curves::{Curve, Learners, ROUNDING, by_data_set},
    tables::Rising,
};

/// The name of all learners together.
pub const ALL: &str = "all";

/// Counts curves that get worse.
#[derive(Serialize, Deserialize)]
pub struct RisingCurves {
    /// A larger error by this much or less is none.
    pub margin: f64,
}

impl RisingCurves {
    /// All curves.
    pub const CURVES: In<CurvePoint> = CURVES;
    /// One row per learner, and one for all.
    pub const MAIN: Out<Rising> = Out::table("main");
}

impl Stage for RisingCurves {
    const KIND: &'static str = "compare/rising-curves";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(200)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let all = by_data_set(Self::CURVES.read(cx)?);
        let mut rows = by_learner(&all, self.margin);
        // Curves of one data set resemble each other: data sets are resampled, with all their curves.
        let counts: Vec<(usize, usize)> =
            all.values().map(|own| counts(own.values(), self.margin)).collect();
        let mut rng = cx.rng("data sets")?;
        let found = bootstrap::interval(&counts, &mut rng, pooled);
        let curves = counts.iter().map(|(_, curves)| curves).sum();
        let (learner, share) = (ALL.to_owned(), found.value);
        rows.push(Rising { learner, curves, share, low: found.low, high: found.high });
        Self::MAIN.write(cx, &rows)
    }
}

/// A row per learner, over its data sets.
#[must_use]
pub fn by_learner(all: &BTreeMap<u32, Learners>, margin: f64) -> Vec<Rising> {
    let mut found: BTreeMap<&String, Vec<bool>> = BTreeMap::new();
    for (learner, curve) in all.values().flatten().filter(|(_, curve)| curve.len() > 1) {
        found.entry(learner).or_default().push(rises(curve, margin));
    }
    let row = |(learner, cases): (&String, Vec<bool>)| {
        let found = share(&cases);
        Rising {
            learner: learner.clone(),
            curves: cases.len(),
            share: found.value,
            low: found.low,
            high: found.high,
        }
    };
    found.into_iter().map(row).collect()
}

/// How many of these curves rise, and how many there are that could.
#[must_use]
pub fn counts<'a>(curves: impl Iterator<Item = &'a Curve>, margin: f64) -> (usize, usize) {
    let cases: Vec<bool> =
        curves.filter(|curve| curve.len() > 1).map(|curve| rises(curve, margin)).collect();
    (cases.iter().filter(|case| **case).count(), cases.len())
}

fn pooled(counts: &[(usize, usize)]) -> f64 {
    let sum = |of: fn(&(usize, usize)) -> usize| counts.iter().map(of).sum::<usize>() as f64;
    sum(|one| one.0) / sum(|one| one.1)
}

/// Whether the error exceeds the lowest at a smaller size by more than the margin.
fn rises(curve: &Curve, margin: f64) -> bool {
    let mut lowest = f64::INFINITY;
    curve.values().any(|&error| {
        lowest = lowest.min(error);
        error > lowest + margin + ROUNDING
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::curves::curve;

    #[test]
    fn a_rise_is_over_the_lowest_so_far_and_above_the_margin() {
        let rises = |errors: &[f64]| {
            let points: Vec<(u32, f64)> = (1..).zip(errors.iter().copied()).collect();
            rises(&curve(&points), 0.01)
        };
        assert!(!rises(&[0.5, 0.25, 0.125]) && !rises(&[0.5, 0.509, 0.5]));
        // In small steps, and before a fall.
        assert!(rises(&[0.5, 0.507, 0.514]) && rises(&[0.25, 0.5, 0.125]));
    }

    #[test]
    fn learners_are_counted_over_data_sets_and_single_points_are_no_curves() {
        let (up, down) = (curve(&[(16, 0.25), (23, 0.5)]), curve(&[(16, 0.5), (23, 0.25)]));
        let learners = |a: &Curve, b: &Curve| {
            Learners::from([("a".to_owned(), a.clone()), ("b".to_owned(), b.clone())])
        };
        let point = curve(&[(16, 0.5)]);
        let all = BTreeMap::from([(1, learners(&up, &down)), (2, learners(&down, &point))]);
        let found: Vec<_> = by_learner(&all, 0.01)
            .into_iter()
            .map(|row| (row.learner, row.curves, row.share))
            .collect();
        assert_eq!(found, [("a".to_owned(), 2, 0.5), ("b".to_owned(), 1, 0.0)]);
        let counted: Vec<_> = all.values().map(|own| counts(own.values(), 0.01)).collect();
        assert_eq!(counted, [(1, 2), (0, 1)]);
        assert!((pooled(&counted) - 1.0 / 3.0).abs() < 1e-15);
    }
}
