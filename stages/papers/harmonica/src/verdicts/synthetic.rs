//! Claims H1, H2, H3 and, as far as synthetic functions can decide them, H4 and H6.

use std::collections::{BTreeMap, BTreeSet};

use kit::claims::finding::{Finding, Region};
use rand_chacha::ChaCha12Rng;
use stats::{
    bootstrap::{Estimate, interval},
    moments::mean,
    proportion::share,
    ratio::interval_of_ratio,
    trends::regression::{determination, slope},
};

use super::{agreed, no_dummies};
use crate::tables::{
    dummies::Selected, noise::Estimated, recovery::Recovered, stability::Moved, times::Spent,
};

/// H1 requires 95 of 100.
const RECOVERED: f64 = 0.95;
/// H2: smallest R², and smallest numbers of levels and seeds.
const LINEAR: (f64, usize, usize) = (0.95, 6, 20);
/// H3: the paper's factor, variables and samples.
const FASTER: (f64, usize, u32) = (100.0, 60, 100);

/// H1: support recovered and minimiser exact.
pub(super) fn recovery(rows: &[Recovered]) -> Vec<Finding> {
    // Sums of the same weights in another order.
    let exact = |row: &Recovered| (row.reached - row.lowest).abs() <= 1e-12 * row.lowest.abs();
    let both: Vec<bool> = rows.iter().map(|row| row.support && exact(row)).collect();
    let estimate = share(&both);
    let text = format!(
        "of {} random polynomials the terms of {} and the minimum of {} are found exactly",
        rows.len(),
        rows.iter().filter(|row| row.support).count(),
        rows.iter().filter(|row| exact(row)).count()
    );
    // The criterion counts these cases; it does not estimate a share of others.
    let met = Some(estimate.value >= RECOVERED);
    vec![Finding::new("random polynomials", estimate, text).met(met)]
}

/// Errors of one stage: noise levels in their order, and the error of each seed at each level, NaN if there
/// is none.
struct Errors {
    levels: Vec<f64>,
    of_seeds: Vec<Vec<f64>>,
}

impl Errors {
    fn of(rows: &[Estimated], sweep: &str, stage: u32, error: fn(&Estimated) -> f64) -> Self {
        let own = || rows.iter().filter(|row| row.sweep == sweep && row.stage == stage);
        let mut all: Vec<f64> = own().map(|row| row.level).collect();
        all.sort_by(f64::total_cmp);
        all.dedup();
        let places: BTreeSet<u32> = own().map(|row| row.seed).collect();
        let places: BTreeMap<u32, usize> = places.into_iter().zip(0..).collect();
        let mut of_seeds = vec![vec![f64::NAN; all.len()]; places.len()];
        for row in own() {
            let level = all.partition_point(|level| *level < row.level);
            of_seeds[places[&row.seed]][level] = error(row);
        }
        Self { levels: all, of_seeds }
    }

    /// Level and mean error over some seeds.
    fn line(&self, seeds: &[usize]) -> Vec<(f64, f64)> {
        let at = |(i, &level): (usize, &f64)| {
            let sound = seeds.iter().map(|&s| self.of_seeds[s][i]).filter(|e| !e.is_nan());
            let (sum, n) = sound.fold((0.0, 0), |(sum, n), error| (sum + error, n + 1));
            (level, sum / f64::from(n))
        };
        self.levels.iter().enumerate().map(at).collect()
    }
}

/// An error of an estimate.
type Reading = fn(&Estimated) -> f64;

/// H2: the mean error is linear in A. Only the last stage fits the complete function: in earlier stages, the
/// levels below act as additional noise. The paper does not say whether its error is that of the Lasso's
/// weights or of refitted ones: both are readings, which have to agree.
pub(super) fn noise(rows: &[Estimated], rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let stages: BTreeSet<u32> = rows.iter().map(|row| row.stage).collect();
    let last = stages.last().copied().unwrap_or(0);
    let sweeps: BTreeMap<&str, bool> =
        rows.iter().map(|row| (row.sweep.as_str(), row.decides)).collect();
    let (error, refitted): (Reading, Reading) = (|row| row.error, |row| row.refitted);
    let mut places = Vec::new();
    for (sweep, decides) in sweeps {
        places.push((sweep, format!("{sweep}, stage {last}"), last, error, decides));
        let place = format!("{sweep}, stage {last}, refitted by least squares");
        places.push((sweep, place, last, refitted, decides));
        for &stage in stages.iter().filter(|s| **s != last) {
            places.push((sweep, format!("{sweep}, stage {stage}"), stage, error, false));
        }
    }
    places.sort_by_key(|(.., decides)| !decides);
    let mut findings = Vec::new();
    for (sweep, place, stage, error, in_paper) in places {
        let errors = Errors::of(rows, sweep, stage, error);
        let seeds: Vec<usize> = (0..errors.of_seeds.len()).collect();
        let estimate = interval(&seeds, rng, |sample| slope(&errors.line(sample)));
        let line = errors.line(&seeds);
        let straight = determination(&line);
        let (least, levels, enough) = LINEAR;
        let size = line.len() >= levels && seeds.len() >= enough;
        let rises = estimate.low > 0.0 || estimate.high < 0.0;
        let end = |p: Option<&(f64, f64)>| p.map_or(f64::NAN, |p| p.1);
        let text = format!(
            "R² {straight:.3} of mean error over {} levels and {} seeds, from {:.2} to {:.2}; slope {:.3}",
            line.len(),
            seeds.len(),
            end(line.first()),
            end(line.last()),
            estimate.value
        );
        let found = Finding::new(&place, estimate, text).in_paper(in_paper);
        let met = size.then_some(straight >= least && rises);
        findings.push(found.met(met).effect(straight, "R²"));
    }
    if let Some(told) = disagreement(&findings) {
        findings[0].text.push_str(&told);
    }
    findings
}

/// Why the readings that decide give no answer, where some meet the criterion and others do not.
fn disagreement(findings: &[Finding]) -> Option<String> {
    let deciding = || findings.iter().filter(|found| found.in_paper);
    let met = deciding().filter(|found| found.met == Some(true)).count();
    let all = deciding().count();
    (0 < met && met < all).then(|| {
        format!(
            "; the criterion is met by {met} of {all} readings: they disagree, and the paper does not say which it \
             means; the power is how often all meet it where the claim is true"
        )
    })
}

/// H3: CPU time of GP-EI over Harmonica's at the same number of samples; Harmonica takes this number in each
/// of its stages.
pub(super) fn times(rows: &[Spent], rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let mut all: BTreeMap<(usize, u32), BTreeMap<&str, Vec<f64>>> = BTreeMap::new();
    for row in rows {
        let own = all.entry((row.variables, row.samples)).or_default();
        own.entry(&row.method).or_default().push(row.cpu_s);
    }
    let mut findings = Vec::new();
    for ((variables, t), methods) in &all {
        let (Some(slow), Some(fast)) = (methods.get("gp-ei"), methods.get("harmonica")) else {
            continue;
        };
        // The sample is one of functions, which both methods have.
        let n = slow.len().min(fast.len());
        let estimate = Estimate { n, ..interval_of_ratio(slow, fast, rng) };
        let text = format!(
            "GP-EI takes {:.1} s for {t} samples, Harmonica {:.4} s for {t} a stage (means of {n} functions): {:.0} \
             times",
            mean(slow),
            mean(fast),
            estimate.value
        );
        let (factor, most, enough) = FASTER;
        let in_paper = *variables >= most && *t >= enough;
        let found = Finding::new(&format!("n = {variables}, {t} samples"), estimate, text);
        let found = found.within(Region::above(factor)).without_effect(1.0);
        findings.push(found.in_paper(in_paper).of_replicates());
    }
    findings
}

/// H4: the same features and signs over Table 1's ranges, for each seed.
pub(super) fn stability(rows: &[Moved]) -> Vec<Finding> {
    let mut all: BTreeMap<(u32, &str), BTreeMap<u32, bool>> = BTreeMap::new();
    let mut fewest: BTreeMap<(u32, &str), usize> = BTreeMap::new();
    for row in rows {
        let key = (row.stage, row.moved.as_ref());
        *all.entry(key).or_default().entry(row.seed).or_insert(true) &= row.same;
        let least = fewest.entry(key).or_insert(usize::MAX);
        *least = row.shared.min(*least);
    }
    let each = all.into_iter().map(|((stage, moved), seeds)| {
        let stable: Vec<bool> = seeds.into_values().collect();
        let estimate = share(&stable);
        let text = format!(
            "the same features and signs over the range of {moved} in {:.0}% of {} functions; at least {} are shared",
            100.0 * estimate.value,
            stable.len(),
            fewest[&(stage, moved)]
        );
        let place = format!("synthetic stage {stage}, {moved}");
        Finding::new(&place, estimate, text).in_paper(false).met(agreed(&stable))
    });
    each.collect()
}

/// H6: dummy variables that are selected on their own.
pub(super) fn dummies(rows: &[Selected]) -> Vec<Finding> {
    let alone: Vec<bool> = rows.iter().map(|row| row.alone).collect();
    let part = rows.iter().filter(|row| row.dummies > 0).count();
    let chance = rows.first().map_or(f64::NAN, |row| row.chance);
    vec![no_dummies("synthetic", &alone, part, chance).in_paper(false)]
}

#[cfg(test)]
#[path = "synthetic_tests.rs"]
mod tests;
