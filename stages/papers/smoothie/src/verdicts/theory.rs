//! Claims about the theorems (S10) and about loss surfaces (S12).

use kit::claims::finding::{Finding, Region};
use rand_chacha::ChaCha12Rng;
use stats::{bootstrap::interval, moments::mean, proportion::share};

use super::evidence::{Bounds, Evidence};

/// S10: in every random case the bound is at least the true norm; a penalty adds exactly λ.
pub(super) fn bounds(bounds: &Bounds, rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let mut findings = Vec::new();
    let mut ridge = Vec::new();
    for (theorem, cases) in bounds {
        let held: Vec<bool> = cases.iter().map(|[bound, exact, _]| exact <= bound).collect();
        let estimate = share(&held);
        let ratios: Vec<f64> = cases.iter().map(|[bound, exact, _]| exact / bound).collect();
        ridge.extend(cases.iter().map(|case| case[2]).filter(|r| !r.is_nan()));
        let most = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        let text = format!(
            "holds in {:.0}% of {} cases; the true norm is up to {most:.3} times the bound",
            100.0 * estimate.value,
            cases.len()
        );
        // One counterexample is enough. The criterion allows the stated factor: if there is a bound with it,
        // that bound decides.
        let factored = bounds.contains_key(&format!("{theorem}, factor of the proof"));
        let found = Finding::new(theorem, estimate, text).in_paper(!factored);
        let found = found.met(Some(held.iter().all(|held| *held)));
        findings.push(found.effect(most, "largest true norm over bound"));
    }
    if !ridge.is_empty() {
        let error = ridge.iter().map(|r| (r - 1.0).abs()).fold(0.0, f64::max);
        let text = format!("an L2 term adds λ to within {error:.0e} of λ in {} cases", ridge.len());
        let found = Finding::new("Theorem 4", interval(&ridge, rng, mean), text);
        findings.push(found.met(Some(error < 1e-9)));
    }
    findings
}

/// The curvatures before and after tuning, of all runs on the paper's tasks.
pub(super) fn pairs(evidence: &Evidence) -> Vec<(f64, f64)> {
    let own = evidence.places.iter().filter(|p| p.in_paper);
    own.filter_map(|p| evidence.curvatures.get(&p.task)).flatten().copied().collect()
}

/// S12: the surface is less curved after tuning in at least 80% of runs.
pub(super) fn flatter(pairs: &[(f64, f64)]) -> Finding {
    if pairs.is_empty() {
        return Finding::missing("all data sets", "no surface could be drawn");
    }
    let estimate = share(&pairs.iter().map(|(before, after)| after < before).collect::<Vec<_>>());
    let text = format!(
        "less curved after tuning in {:.0}% of {} runs",
        100.0 * estimate.value,
        pairs.len()
    );
    Finding::new("all data sets", estimate, text).within(Region::above(0.8))
}
