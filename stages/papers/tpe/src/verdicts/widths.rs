//! Claims about the second study: widths of kernels; and about splitting, from both.

use std::collections::BTreeMap;

use kit::claims::{
    Found,
    finding::{Finding, Region},
    rule::Rule,
};
use rand_chacha::ChaCha12Rng;
use stats::{
    bootstrap::{Estimate, interval},
    moments::mean,
};

use super::{
    SELDOM, absent, evidence::Evidence, mean_of, met_or_open, over_targets, share_of_resamples,
};
use crate::{
    study::{MARKS, Panel, shares},
    target::{FUNCTIONS, GROUPS},
};

/// The end of a run.
const LAST: usize = MARKS - 1;
/// P6: the most mass of the smallest β.
const SMALL: f64 = 0.2;
/// P8: the least share of resamples in which the order holds.
const STABLE: f64 = 0.8;
/// P11: the largest share of splitting, in percent, and in how many cells it is among the last two.
const LITTLE: f64 = 8.0;
const CELLS: usize = 5;

/// The masses of a value of a component, summed over values, on the targets of a group.
fn top(all: &Evidence, group: &str, component: &str, levels: &[&str]) -> Vec<f64> {
    let Some(panel) = all.widths.groups.get(group) else { return Vec::new() };
    let each: Vec<Vec<f64>> =
        levels.iter().map(|level| panel.top(LAST, component, level)).collect();
    (0..panel.targets.len())
        .filter_map(|i| each.iter().map(|own| own.get(i).copied()).sum())
        .collect()
}

/// A finding on the sum of masses in a group. Where a component does not matter, each of its values has the same mass.
fn mass(
    all: &Evidence,
    (group, place): (&str, &str),
    (component, levels): (&str, &[&str]),
    region: Region,
    rng: &mut ChaCha12Rng,
) -> Finding {
    let values = top(all, group, component, levels);
    let text = |estimate: &Estimate| {
        format!(
            "{component} {} has {} of the best 5% of settings",
            levels.join(" or "),
            estimate.told(2)
        )
    };
    let found = over_targets(place, &values, rng, text);
    let of_all = all.widths.groups.get(group).and_then(|panel| panel.factor(component));
    match of_all {
        Some(factor) if found.estimate.is_some() => {
            let alike = levels.len() as f64 / factor.levels.len() as f64;
            found.within(region).without_effect(alike)
        }
        _ => found,
    }
}

/// The masses of all values of a component in a group, the means over targets; the estimate is that of one of them.
fn masses(
    all: &Evidence,
    (group, place): (&str, &str),
    (component, level): (&str, &str),
    rng: &mut ChaCha12Rng,
    met: impl Fn(&dyn Fn(&str) -> f64) -> bool,
) -> Finding {
    let Some(factor) = all.widths.groups.get(group).and_then(|panel| panel.factor(component))
    else {
        return absent(place);
    };
    let masses: BTreeMap<&str, Vec<f64>> = factor
        .levels
        .iter()
        .map(|level| (level.as_str(), top(all, group, component, &[level])))
        .collect();
    let own = masses.get(level).cloned().unwrap_or_default();
    let each = factor.levels.iter().map(|level| {
        let mass = masses.get(level.as_str()).map_or(f64::NAN, |masses| mean(masses));
        format!("{level} {mass:.2}")
    });
    let text = format!("{component} among the best 5%: {}", each.collect::<Vec<_>>().join(", "));
    let found = over_targets(place, &own, rng, |_| text);
    let holds = |rows: &[usize]| {
        met(&|level| masses.get(level).map_or(f64::NAN, |masses| mean_of(masses, rows)))
    };
    if found.estimate.is_none() { found } else { found.met(met_or_open(own.len(), holds, rng)) }
}

/// P6: the smallest β.
pub fn small_groups(all: &Evidence, rng: &mut ChaCha12Rng) -> Found {
    let mut findings: Vec<Finding> = Vec::new();
    for group in GROUPS {
        let (of, region) = (("sqrt beta", ["0.25"]), Region::below(SMALL));
        findings.push(mass(all, (group, group), (of.0, &of.1), region, rng));
    }
    for (place, component, level) in
        [("largest linear beta", "linear beta", "0.2"), ("largest sqrt beta", "sqrt beta", "1")]
    {
        let factor = all.widths.groups.get(GROUPS[3]).and_then(|panel| panel.factor(component));
        let others: Vec<&String> = factor
            .into_iter()
            .flat_map(|factor| &factor.levels)
            .filter(|other| *other != level)
            .collect();
        let met = |of: &dyn Fn(&str) -> f64| others.iter().all(|other| of(other) < of(level));
        findings.push(masses(all, (GROUPS[3], place), (component, level), rng, met));
    }
    (Rule::All, findings)
}

/// P7: the smallest two exponents.
pub fn heavy_clipping(all: &Evidence, rng: &mut ChaCha12Rng) -> Found {
    let finding = |group: &'static str| {
        let most = if group == GROUPS[3] { 0.2 } else { 0.05 };
        let region = Region::below(most);
        mass(all, (group, group), ("exponent", &["0.25", "0.5"]), region, rng)
    };
    (Rule::All, GROUPS.map(finding).into())
}

/// P8: which component is the most important.
pub fn exponent_first(all: &Evidence, rng: &mut ChaCha12Rng) -> Found {
    let finding = |group: &'static str| {
        let Some(panel) = all.widths.groups.get(group) else { return absent(group) };
        let order: &[&str] =
            if group == GROUPS[2] { &["minimum width", "exponent"] } else { &["exponent"] };
        first(group, panel, order, rng)
    };
    (Rule::All, GROUPS.map(finding).into())
}

/// Whether the most important components are these, in this order, and in how many resamples of targets they are.
fn first(group: &str, panel: &Panel, order: &[&str], rng: &mut ChaCha12Rng) -> Finding {
    let importances = panel.global(LAST);
    let n = importances.len();
    let holds = |rows: &[usize]| {
        let shares = shares(&importances, rows);
        let mut by_share: Vec<usize> = (0..shares.len()).collect();
        by_share.sort_by(|&a, &b| shares[b].total_cmp(&shares[a]));
        let names = by_share.iter().map(|&i| panel.factors[i].name);
        names.take(order.len()).eq(order.iter().copied())
    };
    let all: Vec<usize> = (0..n).collect();
    let own = shares(&importances, &all);
    let stable = share_of_resamples(n, holds, rng);
    let named = panel.factors.iter().zip(&own).map(|(f, share)| format!("{} {share:.1}%", f.name));
    let text = format!(
        "{} first in {:.0}% of resamples of the targets; importances: {}",
        order.join(", then "),
        100.0 * stable,
        named.collect::<Vec<_>>().join(", ")
    );
    let met = holds(&all) && stable >= STABLE;
    let met = if met { Some(true) } else { (stable < SELDOM).then_some(false) };
    Finding::new(group, Estimate::exact(stable, n), text).met(met)
}

/// P9: the rule for widths.
pub fn heuristic(all: &Evidence, rng: &mut ChaCha12Rng) -> Found {
    let mut findings = Vec::new();
    for group in FUNCTIONS {
        let met = |of: &dyn Fn(&str) -> f64| {
            let [scott, hyperopt, optuna] = ["scott", "hyperopt", "optuna"].map(of);
            scott > hyperopt && hyperopt > optuna && optuna <= 0.1
        };
        findings.push(masses(all, (group, group), ("heuristic", "scott"), rng, met));
    }
    let met = |of: &dyn Fn(&str) -> f64| of("optuna") > of("scott").max(of("hyperopt"));
    findings.push(masses(all, (GROUPS[3], GROUPS[3]), ("heuristic", "optuna"), rng, met));
    let met = |of: &dyn Fn(&str) -> f64| of("optuna") >= 0.5;
    findings.push(masses(all, (GROUPS[4], GROUPS[4]), ("heuristic", "optuna"), rng, met));
    (Rule::All, findings)
}

/// P10: the largest least width.
pub fn widest(all: &Evidence, rng: &mut ChaCha12Rng) -> Found {
    let mut findings = Vec::new();
    for group in GROUPS {
        let region = match group {
            "HPOBench" => Region::above(0.15),
            "HPOlib" => Region::below(0.12),
            _ => Region::below(0.05),
        };
        findings.push(mass(all, (group, group), ("minimum width", &["0.3"]), region, rng));
    }
    for group in FUNCTIONS {
        let place = format!("{group}, narrow");
        let levels = ("minimum width", &["0.01", "0.03"][..]);
        findings.push(mass(all, (group, &place), levels, Region::above(0.9), rng));
    }
    (Rule::All, findings)
}

/// P11: the share of splitting in both studies.
pub fn splitting(all: &Evidence, rng: &mut ChaCha12Rng) -> Found {
    let (mut findings, mut last) = (Vec::new(), 0);
    for (study, name) in [(&all.components, "components"), (&all.widths, "widths")] {
        for group in GROUPS {
            let place = format!("{group}, {name}");
            let Some(panel) = study.groups.get(group) else {
                findings.push(absent(&place));
                continue;
            };
            let importances = panel.global(LAST);
            let rows: Vec<usize> = (0..importances.len()).collect();
            let own = panel.factors.iter().position(|factor| factor.name == "splitting");
            let Some(own) = own else {
                findings.push(absent(&place));
                continue;
            };
            let estimate = interval(&rows, rng, |rows| shares(&importances, rows)[own]);
            let each = shares(&importances, &rows);
            let below = each.iter().filter(|share| **share < each[own]).count();
            last += usize::from(below <= 1);
            let text = format!(
                "splitting has {}% of the importance; {below} of {} components have less",
                estimate.told(1),
                each.len()
            );
            let equal = 100.0 / panel.factors.len() as f64;
            let found = Finding::new(&place, estimate, text).within(Region::below(LITTLE));
            findings.push(found.without_effect(equal));
        }
    }
    let cells = findings.iter().filter(|finding| finding.estimate.is_some()).count();
    let text = format!("splitting is the last or the last but one in {last} of {cells} cells");
    let rank = Finding::new("rank", Estimate::exact(last as f64, cells), text);
    findings.push(if cells == 0 { absent("rank") } else { rank.met(Some(last >= CELLS)) });
    (Rule::All, findings)
}
