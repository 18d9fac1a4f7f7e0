//! Claims about smoothness as a guide (Figures 3, 7 and 8).

use rand_chacha::ChaCha12Rng;

use super::{
    Judgement,
    evidence::{Cells, Evidence, Place},
};
use crate::{
    claims::{Finding, Verdict},
    papers::smoothie::results::largest_budget,
    stats::{
        alternative::Alternative,
        better::Better,
        bootstrap::{Estimate, interval, interval_of_two},
        effect::cliffs_delta,
        improvement::at_least_as_good,
        isotonic::{Course, isotonic_trend},
        logistic_trend::{Trials, logistic_trend},
        mann_whitney::MannWhitney,
        moments::mean,
        wilcoxon::SignedRanks,
    },
};

const ALPHA: f64 = 0.05;

fn finding(place: &str, holds: Option<bool>, estimate: Estimate, text: String) -> Finding {
    Finding {
        place: place.to_owned(),
        in_paper: true,
        holds,
        estimate: Some(estimate),
        effect: None,
        text,
    }
}

fn one(finding: Finding) -> Judgement {
    let verdict = match finding.holds {
        Some(true) => Verdict::Replicated,
        Some(false) => Verdict::NotReplicated,
        None => Verdict::Inconclusive,
    };
    (verdict, finding.text.clone(), vec![finding])
}

fn untestable(why: &str) -> Judgement {
    (Verdict::NotTestable, why.to_owned(), Vec::new())
}

/// Tasks of the paper, with the mean smoothness of their networks.
fn measured(evidence: &Evidence) -> impl Iterator<Item = (&Place, f64)> {
    let own = evidence.places.iter().filter(|p| p.in_paper);
    own.filter_map(|p| Some((p, evidence.pools.mean_smoothness(&p.task, evidence.formula)?)))
}

/// S6: β of software data against β of the others.
pub(super) fn smoother(evidence: &Evidence, rng: &mut ChaCha12Rng) -> Judgement {
    let side = |software: bool| -> Vec<f64> {
        measured(evidence).filter(|(p, _)| p.software == software).map(|(_, b)| b).collect()
    };
    let (own, others) = (side(true), side(false));
    if own.len() < 3 || others.len() < 3 {
        return untestable("fewer than three data sets on one side");
    }
    let p = MannWhitney::new(&own, &others).p(Alternative::Less);
    let ratio = interval_of_two(&others, &own, rng, |a, b| mean(a) / mean(b));
    let text = format!(
        "mean β {:.3} of {} software data sets, {:.3} of {} others: ratio {:.2}, one-sided p = {p:.3}",
        mean(&own),
        own.len(),
        mean(&others),
        others.len(),
        ratio.value
    );
    let mut found = finding("all data sets", Some(p < ALPHA && ratio.value >= 1.5), ratio, text);
    found.effect = Some((cliffs_delta(&own, &others), "Cliff's δ"));
    one(found)
}

/// S8: the probability that SMOOTHIE is at least as good as BOHB falls with the smoothness.
pub(super) fn falls(evidence: &Evidence, rng: &mut ChaCha12Rng) -> Judgement {
    let mut points = Vec::new();
    let mut trials = Vec::new();
    for (place, beta) in measured(evidence) {
        let chosen = evidence.runs.chosen(&place.task);
        let rival = largest_budget(chosen.keys().map(|(method, _)| method.as_str()), "bohb-");
        let Some((own, other)) = rival.and_then(|r| evidence.pair(&place.task, r)) else {
            continue;
        };
        let chance = at_least_as_good(&own, &other, Better::Higher);
        points.push((beta, chance));
        let n = own.len() as f64;
        trials.push(Trials { x: beta.max(f64::MIN_POSITIVE).ln(), successes: chance * n, n });
    }
    if points.len() < 5 {
        return untestable("fewer than five data sets");
    }
    let isotonic = isotonic_trend(&points, Course::Falling, 9999, rng);
    let logistic = logistic_trend(&trials).ok();
    let estimate =
        interval(&trials, rng, |sample| logistic_trend(sample).map_or(f64::NAN, |t| t.slope));
    let p = logistic.as_ref().map(|t| t.overdispersed_p(Alternative::Less));
    let (holds, text) = match p {
        Some(p) if !isotonic.p.is_nan() => (
            Some(isotonic.p < ALPHA || p < ALPHA),
            format!(
                "over {} data sets the log-odds change by {:.2} for each factor e of β (one-sided \
                 p = {p:.3}); a falling curve explains {:.0}% (p = {:.3})",
                points.len(),
                estimate.value,
                100.0 * isotonic.explained,
                isotonic.p
            ),
        ),
        _ => {
            let least = points.iter().map(|point| point.1).fold(f64::INFINITY, f64::min);
            let what = "no trend can be estimated: SMOOTHIE is at least as good in";
            (None, format!("{what} {:.0}% of pairs or more on every data set", 100.0 * least))
        }
    };
    one(finding("all data sets", holds, estimate, text))
}

/// Mean score over the data sets of a cell of Figure 8; each data set is the mean of its pools.
fn cell(tables: &[&Cells], learner: &str, n1: u32, n2: u32, rule: &str) -> Option<f64> {
    let key = (learner.to_owned(), n1, n2, rule.to_owned());
    let scores: Option<Vec<f64>> = tables.iter().map(|t| t.get(&key).map(|s| mean(s))).collect();
    scores.filter(|s| !s.is_empty()).map(|s| mean(&s))
}

/// S9: the regret at (30, 5) against the best cell, on the warnings.
pub(super) fn trade(evidence: &Evidence) -> Judgement {
    let tables: Vec<&Cells> =
        evidence.family("warnings").filter_map(|p| evidence.sensitivity.get(&p.task)).collect();
    let mut regrets = Vec::new();
    for n2 in [5, 10, 15] {
        let Some(start) = cell(&tables, "FF", 20, n2, "highest") else { continue };
        for n1 in (20..=75).step_by(5) {
            if let Some(score) = cell(&tables, "FF", n1, n2, "highest") {
                regrets.push(((n1, n2), 1.0 - score / start));
            }
        }
    }
    let best = regrets.iter().copied().min_by(|a, b| a.1.total_cmp(&b.1));
    let chosen = regrets.iter().find(|(key, _)| *key == (30, 5)).map(|r| r.1);
    let (Some((at, best)), Some(chosen)) = (best, chosen) else {
        return untestable("the pools do not hold N1 = 30 configurations of every data set");
    };
    let text = format!(
        "regret {chosen:.3} at N1 = 30, N2 = 5; the lowest, {best:.3}, is at N1 = {}, N2 = {}",
        at.0, at.1
    );
    let estimate =
        Estimate { value: chosen - best, low: f64::NAN, high: f64::NAN, n: tables.len() };
    one(finding("warnings", Some(chosen - best <= 0.05), estimate, text))
}

/// S11: running the highest against running any and the lowest, over all data sets.
pub(super) fn selects(evidence: &Evidence, rng: &mut ChaCha12Rng) -> Judgement {
    let mut differences: Vec<(f64, f64)> = Vec::new();
    for place in evidence.places.iter().filter(|p| p.in_paper) {
        let Some(cells) = evidence.sensitivity.get(&place.task) else { continue };
        let (n1, n2) = if place.family == "warnings" { (50, 10) } else { (30, 5) };
        let at = |rule: &str| -> Option<f64> {
            let of = cells.iter().filter(|((_, a, b, r), _)| (*a, *b) == (n1, n2) && r == rule);
            let scores: Vec<f64> = of.map(|(_, scores)| mean(scores)).collect();
            (!scores.is_empty()).then(|| mean(&scores))
        };
        if let (Some(high), Some(low), Some(any)) = (at("highest"), at("lowest"), at("random")) {
            differences.push((high - any, high - low));
        }
    }
    if differences.len() < 5 {
        return untestable("fewer than five data sets with pools of N1 configurations");
    }
    let over_any: Vec<f64> = differences.iter().map(|d| d.0).collect();
    let over_low: Vec<f64> = differences.iter().map(|d| d.1).collect();
    let p = |list: &[f64], side| SignedRanks::new(list).p(side);
    let (p_any, p_low) = (p(&over_any, Alternative::Greater), p(&over_low, Alternative::Greater));
    let p_other = p(&over_low, Alternative::Less);
    let direction = if p_low < ALPHA {
        "the highest norms do better than the lowest"
    } else if p_other < ALPHA {
        "the lowest norms do better than the highest"
    } else {
        "neither direction does better than the other"
    };
    let mut entry = |place: &str, list: &[f64], p: f64| {
        let estimate = interval(list, rng, mean);
        let text =
            format!("{:+.4} in score over {} data sets, p = {p:.3}", estimate.value, list.len());
        finding(place, Some(p < ALPHA), estimate, text)
    };
    let findings =
        vec![entry("against any", &over_any, p_any), entry("against the lowest", &over_low, p_low)];
    let verdict = match (p_any < ALPHA, p_low < ALPHA) {
        (true, true) => Verdict::Replicated,
        (false, false) => Verdict::NotReplicated,
        _ => Verdict::Partly,
    };
    (verdict, direction.to_owned(), findings)
}
