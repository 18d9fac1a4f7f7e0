//! Claims about the theorems (S10) and about loss surfaces (S12).

use rand_chacha::ChaCha12Rng;

use super::{Judgement, evidence::Evidence};
use crate::{
    claims::{Finding, Verdict, judge_each},
    stats::{bootstrap::interval, moments::mean},
};

/// S10: in every random case the bound is at least the true norm; a penalty adds exactly λ.
pub(super) fn bounds(evidence: &Evidence, rng: &mut ChaCha12Rng) -> Judgement {
    let mut findings = Vec::new();
    let mut ridge = Vec::new();
    for (theorem, cases) in &evidence.bounds {
        let held: Vec<f64> =
            cases.iter().map(|[bound, exact, _]| f64::from(u8::from(exact <= bound))).collect();
        let ratios: Vec<f64> = cases.iter().map(|[bound, exact, _]| exact / bound).collect();
        ridge.extend(cases.iter().map(|case| case[2]).filter(|r| !r.is_nan()));
        let most = ratios.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        findings.push(Finding {
            place: theorem.clone(),
            in_paper: true,
            holds: Some(held.iter().all(|&h| h == 1.0)),
            estimate: Some(interval(&held, rng, mean)),
            effect: Some((most, "largest true norm over bound")),
            text: format!(
                "holds in {:.0}% of {} cases; the true norm is up to {most:.3} times the bound",
                100.0 * mean(&held),
                cases.len()
            ),
        });
    }
    if !ridge.is_empty() {
        let error = ridge.iter().map(|r| (r - 1.0).abs()).fold(0.0, f64::max);
        findings.push(Finding {
            place: "Theorem 4".to_owned(),
            in_paper: true,
            holds: Some(error < 1e-9),
            estimate: Some(interval(&ridge, rng, mean)),
            effect: None,
            text: format!("an L2 term adds λ to within {error:.0e} of λ in {} cases", ridge.len()),
        });
    }
    let (verdict, reason) = judge_each(&findings);
    (verdict, reason, findings)
}

/// S12: the surface is less curved after tuning in at least 80% of runs.
pub(super) fn flatter(evidence: &Evidence, rng: &mut ChaCha12Rng) -> Judgement {
    let own = evidence.places.iter().filter(|p| p.in_paper);
    let pairs: Vec<(f64, f64)> =
        own.filter_map(|p| evidence.curvatures.get(&p.task)).flatten().copied().collect();
    if pairs.is_empty() {
        return (Verdict::NotTestable, "no surface could be drawn".to_owned(), Vec::new());
    }
    let lower: Vec<f64> = pairs.iter().map(|(b, a)| f64::from(u8::from(a < b))).collect();
    let estimate = interval(&lower, rng, mean);
    let text = format!(
        "less curved after tuning in {:.0}% of {} runs",
        100.0 * estimate.value,
        pairs.len()
    );
    let holds = estimate.value >= 0.8;
    let finding = Finding {
        place: "all data sets".to_owned(),
        in_paper: true,
        holds: Some(holds),
        estimate: Some(estimate),
        effect: None,
        text: text.clone(),
    };
    let verdict = if holds { Verdict::Replicated } else { Verdict::NotReplicated };
    (verdict, text, vec![finding])
}
