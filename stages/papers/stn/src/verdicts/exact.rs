//! Claims N1 and N2: the theorems of the paper.

use std::collections::{BTreeMap, BTreeSet};

use kit::claims::finding::{Finding, Region};
use stats::bootstrap::Estimate;

use crate::tables::{gated::GatedRow, quadratic::QuadraticRow};

/// N1: the largest relative error of a weight vector, and the smallest number of λ.
const GATED: (f64, usize) = (1e-8, 20);
/// N2: the largest relative errors with the exact expectation and with samples.
const EXPECTED: f64 = 1e-8;
const SAMPLED: f64 = 1e-3;

/// The largest of some errors; NaN if one is NaN. The errors are complete, so that it has no interval.
fn largest(errors: &[f64]) -> Estimate {
    let value = errors.iter().fold(0.0, |a: f64, &b| if a.is_nan() || a > b { a } else { b });
    Estimate::exact(value, errors.len())
}

/// N1: the gated network against the closed form. The proof's loss decides; the loss as printed
/// divides the penalty.
pub(super) fn gated(rows: &[GatedRow]) -> Vec<Finding> {
    let mut penalties: Vec<f64> = rows.iter().map(|row| row.lambda).collect();
    penalties.sort_by(f64::total_cmp);
    penalties.dedup();
    let (most, least) = GATED;
    let mut all: BTreeMap<(bool, &str), Vec<f64>> = BTreeMap::new();
    for row in rows {
        all.entry((!row.decides, &row.reading)).or_default().push(row.error);
    }
    let dimensions: BTreeSet<usize> = rows.iter().map(|row| row.dimension).collect();
    let each = all.into_iter().map(|((other, reading), errors)| {
        let estimate = largest(&errors);
        let enough = penalties.len() >= least && !estimate.value.is_nan();
        let text = format!(
            "largest relative error {:.1e} over {} λ and networks of {dimensions:?} units",
            estimate.value,
            penalties.len()
        );
        let found = Finding::new(reading, estimate, text).in_paper(!other);
        let found = found.within(Region::below(most));
        if enough { found } else { found.met(None) }
    });
    each.collect()
}

/// N2: the fitted Jacobian against −C⁻¹Bᵀ, in both ways of fitting.
pub(super) fn quadratic(rows: &[QuadraticRow]) -> Vec<Finding> {
    let ways =
        [("exact", "exact expectation", EXPECTED), ("sampled", "Monte-Carlo expectation", SAMPLED)];
    let each = ways.into_iter().filter_map(|(way, place, most)| {
        let errors: Vec<f64> =
            rows.iter().filter(|row| row.fit == way).map(|row| row.error).collect();
        let estimate = largest(&errors);
        let text =
            format!("largest relative error {:.1e} of {} fits", estimate.value, errors.len());
        let found = Finding::new(place, estimate, text).within(Region::below(most));
        (!errors.is_empty()).then_some(found)
    });
    each.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn table(penalties: u32, worst: f64) -> Vec<GatedRow> {
        let row = |(reading, i): (&'static str, u32)| GatedRow {
            reading: reading.into(),
            decides: reading == "proof",
            dimension: 5,
            lambda: f64::from(i),
            error: match (reading, i) {
                ("proof", 3) => worst,
                ("proof", _) => 1e-12,
                _ => 0.5,
            },
            ..GatedRow::default()
        };
        let readings = ["proof", "printed"].into_iter();
        readings.flat_map(|r| (0..penalties).map(move |i| (r, i))).map(row).collect()
    }

    #[test]
    fn one_error_too_large_is_enough() {
        let judge = |penalties, worst| {
            let found = gated(&table(penalties, worst));
            found.iter().map(|f| (f.place.clone(), f.in_paper, f.met)).collect::<Vec<_>>()
        };
        let printed = ("printed".to_owned(), false, Some(false));
        let proof = |holds| ("proof".to_owned(), true, holds);
        assert_eq!(judge(20, 1e-10), [proof(Some(true)), printed.clone()]);
        assert_eq!(judge(20, 2e-8), [proof(Some(false)), printed]);
        assert_eq!(judge(20, f64::NAN)[0], proof(None));
        assert_eq!(judge(19, 1e-10)[0], proof(None), "20 penalties were asked for");
    }

    #[test]
    fn samples_may_be_less_exact() {
        let judge = |error: f64| {
            let rows = [("exact", 0.0), ("sampled", error), ("exact", error)];
            let rows = rows.map(|(fit, error)| QuadraticRow {
                fit: fit.into(),
                error,
                ..QuadraticRow::default()
            });
            quadratic(&rows).iter().map(|f| f.met).collect::<Vec<_>>()
        };
        assert_eq!(judge(1e-9), [Some(true), Some(true)]);
        assert_eq!(judge(1e-5), [Some(false), Some(true)]);
        assert_eq!(judge(1e-2), [Some(false), Some(false)]);
        assert_eq!(judge(f64::NAN), [None, None]);
    }
}
