//! Claims N8, N9 and N11 on images: the order of the methods at equal cost, their progress, and the
//! sensitivity of the result.

use std::collections::BTreeMap;

use kit::claims::finding::{Finding, Region};
use rand_chacha::ChaCha12Rng;
use stats::{
    bootstrap::interval,
    moments::{mean, variance},
};

use crate::tables::image_race::{Raced, Sooner};

const PLACE: &str = "CIFAR-10";

/// N8: pairs in which the first should be lower than the second, and whether the paper says so.
const ORDER: [(&str, &str, bool); 8] = [
    ("stn", "gp-ei", true),
    ("gp-ei", "grid", true),
    ("gp-ei", "random", true),
    ("stn-code", "gp-ei", false),
    ("delta-stn", "gp-ei", false),
    ("delta-stn", "stn", false),
    ("stn", "hyperband", false),
    ("stn", "pbt", false),
];

/// N9: the methods that it should be below, and whether the paper says so.
const RIVALS: [(&str, bool); 5] =
    [("grid", true), ("random", true), ("gp-ei", true), ("hyperband", false), ("pbt", false)];
/// N9: the share of the budget from which on curves are compared.
const FROM: f64 = 0.25;

/// N11: the smallest number of settings of a kind.
const LEAST: usize = 4;

/// A value for each replicate.
type Values = BTreeMap<u32, f64>;

/// Values by method; NaN for missing ones.
fn by_method(rows: &[Raced], value: impl Fn(&Raced) -> Option<f64>) -> BTreeMap<&str, Values> {
    let mut all: BTreeMap<&str, Values> = BTreeMap::new();
    for row in rows {
        let own = all.entry(&row.label.method).or_default();
        own.insert(row.label.replicate, value(row).unwrap_or(f64::NAN));
    }
    all
}

/// N8: validation losses at equal cost, replicate by replicate. A run without a loss is the worst.
pub(super) fn order(rows: &[Raced], rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let (valid, test) = (by_method(rows, |r| r.valid_loss), by_method(rows, |r| r.test_loss));
    let cost = by_method(rows, |r| Some(r.cost));
    let each = ORDER.into_iter().filter_map(|(one, other, in_paper)| {
        let (a, b) = (valid.get(one)?, valid.get(other)?);
        let both: Vec<u32> = a.keys().filter(|r| b.contains_key(r)).copied().collect();
        let or_worst = |v: f64| if v.is_nan() { f64::MAX } else { v };
        let less: Vec<f64> = both.iter().map(|r| or_worst(a[r]) - or_worst(b[r])).collect();
        if less.is_empty() {
            return None;
        }
        let estimate = interval(&less, rng, mean);
        let of = |all: &BTreeMap<&str, Values>, name: &str| {
            mean(&both.iter().map(|r| all[name][r]).collect::<Vec<_>>())
        };
        let text = format!(
            "validation loss {:.3} against {:.3} (test {:.3}, {:.3}) at {:.2} of its cost, difference {}",
            of(&valid, one),
            of(&valid, other),
            of(&test, one),
            of(&test, other),
            of(&cost, one) / of(&cost, other),
            estimate.told(3)
        );
        let found = Finding::new(&format!("{PLACE}, {one} < {other}"), estimate, text);
        Some(found.in_paper(in_paper).within(Region::below(0.0)).of_replicates())
    });
    each.collect()
}

/// N9: the largest difference of the mean curves from a quarter of the budget on. Where a rival has no result
/// yet there is no difference; where the network has none yet it is not below.
pub(super) fn anytime(rows: &[Sooner], rng: &mut ChaCha12Rng) -> Vec<Finding> {
    // By method and replicate: losses in the order of shares, which all runs have in common.
    let mut curves: BTreeMap<&str, BTreeMap<u32, Vec<f64>>> = BTreeMap::new();
    for row in rows.iter().filter(|row| row.share >= FROM - 1e-9) {
        let own = curves.entry(&row.label.method).or_default();
        own.entry(row.label.replicate).or_default().push(row.valid_loss.unwrap_or(f64::NAN));
    }
    let Some(own) = curves.get("stn") else { return Vec::new() };
    let each = RIVALS.into_iter().filter_map(|(rival, in_paper)| {
        let other = curves.get(rival)?;
        let pairs: Vec<(&[f64], &[f64])> =
            own.iter().filter_map(|(r, a)| Some((&a[..], &other.get(r)?[..]))).collect();
        if pairs.is_empty() {
            return None;
        }
        let estimate = interval(&pairs, rng, largest);
        let text = format!(
            "largest difference of validation loss from {FROM} of the cost on: {}",
            estimate.told(3)
        );
        let found = Finding::new(&format!("{PLACE}, below {rival}"), estimate, text);
        Some(found.in_paper(in_paper).within(Region::below(0.0)).of_replicates())
    });
    each.collect()
}

/// The largest difference of mean curves, the first minus the second of each pair.
fn largest(pairs: &[(&[f64], &[f64])]) -> f64 {
    let steps = pairs.iter().map(|(a, b)| a.len().min(b.len())).min().unwrap_or(0);
    let difference = |i: usize| {
        let less = |(a, b): &(&[f64], &[f64])| match (a[i].is_nan(), b[i].is_nan()) {
            (true, _) => f64::MAX,
            (false, true) => f64::NAN,
            (false, false) => a[i] - b[i],
        };
        mean(&pairs.iter().map(less).collect::<Vec<_>>())
    };
    (0..steps).map(difference).filter(|d| !d.is_nan()).fold(f64::NEG_INFINITY, f64::max)
}

/// N11: the spread of settings of a kind. The criterion asks for the spread without a limit; a training that
/// diverges is not robust.
pub(super) fn sensitivity(rows: &[Raced], rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let losses = by_method(rows, |r| r.valid_loss);
    let kinds = [("schedule ", "train:valid schedule"), ("scale ", "perturbation scale")];
    let each = kinds.into_iter().filter_map(|(prefix, kind)| {
        let of_kind = losses.iter().filter_map(|(m, v)| Some((m.strip_prefix(prefix)?, v)));
        let settings: Vec<(&str, &Values)> = of_kind.collect();
        let (_, first) = settings.first()?;
        let whole = |r: &&u32| settings.iter().all(|(_, v)| v.get(r).is_some_and(|l| !l.is_nan()));
        let replicates: Vec<u32> = first.keys().filter(whole).copied().collect();
        let means = |replicates: &[u32]| -> Vec<f64> {
            let own = |(_, v): &(&str, &Values)| {
                mean(&replicates.iter().map(|r| v[r]).collect::<Vec<_>>())
            };
            settings.iter().map(own).collect()
        };
        let estimate = interval(&replicates, rng, |drawn| {
            let all = means(drawn);
            let least = all.iter().copied().fold(f64::INFINITY, f64::min);
            all.into_iter().fold(f64::NEG_INFINITY, f64::max) - least
        });
        let diverged = |r: &&Raced| r.label.method.starts_with(prefix) && r.diverged > 0;
        let bad = rows.iter().filter(diverged).count();
        let shown =
            settings.iter().zip(means(&replicates)).map(|((n, _), l)| format!("{n} {l:.3}"));
        let shown: Vec<String> = shown.collect();
        let deviation = |(_, v): &(&str, &Values)| {
            variance(&replicates.iter().map(|r| v[r]).collect::<Vec<_>>()).sqrt()
        };
        let between = if replicates.len() > 1 {
            let all: Vec<f64> = settings.iter().map(deviation).collect();
            format!("; {:.3} from repeat to repeat", mean(&all))
        } else {
            String::new()
        };
        let enough = settings.len() >= LEAST && replicates.len() > 1;
        let text = format!(
            "spread of mean validation losses {} over {}{between}; {bad} diverged",
            estimate.told(3),
            shown.join(", ")
        );
        let met = (bad > 0).then_some(false).or(enough.then_some(true));
        Some(Finding::new(&format!("{PLACE}, {kind}"), estimate, text).met(met))
    });
    each.collect()
}

#[cfg(test)]
#[path = "images_tests.rs"]
mod tests;
