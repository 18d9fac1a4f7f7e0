//! Claims N3 to N7 and N9 to N11 on texts. Differences are of losses (logarithms of perplexities) of the same
//! replicate, means over replicates with their intervals.

use std::collections::{BTreeMap, BTreeSet};

use kit::claims::finding::{Finding, Region};
use rand_chacha::ChaCha12Rng;
use stats::{
    anytime::{Curve, mean_on_grid},
    better::Better,
    bootstrap::{Estimate, interval},
    moments::mean,
};

use super::{
    courses,
    evidence::{
        CURVES, DROPOUTS, Evidence, OTHER, RACE, SCALES, SCHEDULES, STARTS_EPOCHS, STARTS_STEPS,
        TABLE_1,
    },
    perplexities::{Results, difference, loss},
};
use crate::tables::{
    collected::{Collected, Which},
    text_race::{NewBest, Raced},
};

/// The paper's text, by its name in places.
const PAPERS_TEXT: &str = "Penn Treebank";
/// The smallest number of replicates for an interval.
const REPLICATES: usize = 3;
/// N5: the largest share of STN's gain that a plain network with its schedule can lose.
const SHARE: f64 = 1.0 / 3.0;
/// N9: the share of the budget from which on curves are compared, and the number of points.
const FROM: f64 = 0.25;
const POINTS: usize = 100;
/// N11: the smallest number of settings.
const SETTINGS: usize = 4;

/// The inputs that a claim rests on.
#[must_use]
pub(super) fn rests_on(id: &str) -> Vec<String> {
    match id {
        "N3" => vec![TABLE_1.role(), OTHER.role()],
        "N4" | "N5" => vec![TABLE_1.role()],
        "N6" => vec![STARTS_STEPS.role(), STARTS_EPOCHS.role()],
        "N7" => vec![RACE.role()],
        "N9" => vec![RACE.role(), CURVES.role()],
        "N10" => vec![DROPOUTS.role(), TABLE_1.role()],
        "N11" => vec![SCHEDULES.role(), SCALES.role()],
        _ => Vec::new(),
    }
}

/// The findings on texts about a claim.
pub(super) fn judge(id: &str, evidence: &Evidence, rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let Evidence { table_1, other, race, curves, dropouts, .. } = evidence;
    let Evidence { starts_steps: steps, starts_epochs: epochs, schedules, scales, .. } = evidence;
    let (table_1, other, race) = (table_1.as_deref(), other.as_deref(), race.as_deref());
    let of_race = || Some(race?.first()?.run.text.as_str());
    let (text, found) = match id {
        "N3" => {
            let tables: Vec<&[Collected]> = table_1.into_iter().chain(other).collect();
            let text = tables.iter().find_map(|rows| text_of(Some(rows), |row| &row.which));
            (text, Some(on_each_text(&tables, rng)))
        }
        "N4" => (text_of(table_1, |row| &row.which), table_1.map(|rows| perturbed(rows, rng))),
        "N5" => (text_of(table_1, |row| &row.which), table_1.map(|rows| replayed(rows, rng))),
        "N6" => {
            let both = steps.as_deref().zip(epochs.as_deref());
            let text = text_of(steps.as_deref(), |row| &row.which);
            (text, both.map(|(steps, epochs)| vec![courses::starts(steps, epochs, rng)]))
        }
        "N7" => (of_race(), race.map(|rows| order(rows, rng))),
        "N9" => {
            let both = race.zip(curves.as_deref());
            (of_race(), both.map(|(rows, curves)| anytime(rows, curves, rng)))
        }
        "N10" => {
            let grid = dropouts.as_deref();
            let text = text_of(grid, |row| &row.which);
            let text = text.or_else(|| text_of(table_1, |row| &row.which));
            let found = grid
                .zip(table_1)
                .map(|(grid, table)| vec![courses::dropouts(grid, rng), greedy(table, rng)]);
            (text, found)
        }
        "N11" => {
            let (schedules, scales) = (schedules.as_deref(), scales.as_deref());
            let text = text_of(schedules, |row| &row.which);
            let text = text.or_else(|| text_of(scales, |row| &row.which));
            (text, schedules.zip(scales).map(|(steps, scales)| sensitivity(steps, scales, rng)))
        }
        _ => return Vec::new(),
    };
    let missing = Finding::missing(PAPERS_TEXT, "Penn Treebank or libtorch is missing");
    let Some(text) = text else { return vec![missing] };
    let found = found.unwrap_or_default().into_iter();
    let mut findings: Vec<Finding> = found.map(|one| on(text, one)).collect();
    if !findings.iter().any(|finding| finding.in_paper) {
        findings.insert(0, missing);
    }
    findings
}

/// The text that the networks of a table were trained on.
fn text_of<T>(rows: Option<&[T]>, which: fn(&T) -> &Which) -> Option<&str> {
    rows?.first().map(|row| which(row).text.as_str())
}

/// N11, of both kinds of settings.
fn sensitivity(
    schedules: &[Collected],
    scales: &[Collected],
    rng: &mut ChaCha12Rng,
) -> Vec<Finding> {
    let place = |what: &str| format!("{PAPERS_TEXT}, {what}");
    let steps = place("steps on training : validation batches");
    let schedule = |row: &Collected| row.which.method.clone();
    let scale = |row: &Collected| row.which.value.unwrap_or(f64::NAN).to_string();
    let steps = spread(&steps, schedule, schedules, rng);
    vec![steps, spread(&place("scale of the perturbation"), scale, scales, rng)]
}

/// Renames a finding on the paper's text to the text that was used: a result on another text is not in the
/// paper.
fn on(text: &str, finding: Finding) -> Finding {
    let place = finding.place.replacen(PAPERS_TEXT, text, 1);
    Finding { place, in_paper: finding.in_paper && text == PAPERS_TEXT, ..finding }
}

/// N3 on the text and on another one; only once if they are the same.
fn on_each_text(tables: &[&[Collected]], rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let mut findings: Vec<Finding> = Vec::new();
    for &table in tables {
        let Some(text) = text_of(Some(table), |row| &row.which) else { continue };
        if findings.iter().all(|finding| finding.place != text) {
            findings.push(tuned_against_fixed(text, text == PAPERS_TEXT, table, rng));
        }
    }
    findings
}

/// A difference of losses that has to be below zero to meet the criterion.
fn below(place: &str, estimate: Estimate, text: String) -> Finding {
    Finding::new(place, estimate, text).within(Region::below(0.0)).of_replicates()
}

fn said(what: &str, estimate: &Estimate) -> String {
    format!("{what}: {}", difference(estimate))
}

/// N3: lower than the best of a grid, and the interval excludes 0.
fn tuned_against_fixed(
    place: &str,
    in_paper: bool,
    rows: &[Collected],
    rng: &mut ChaCha12Rng,
) -> Finding {
    let results = Results::from(rows);
    let estimate = interval(&results.less("stn", "fixed"), rng, mean);
    let text = results.beside("stn", "fixed", &estimate);
    below(place, estimate, text).in_paper(in_paper)
}

/// N4: both worse than the STN.
fn perturbed(rows: &[Collected], rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let results = Results::from(rows);
    let each = ["gaussian", "sinusoid"].into_iter().map(|method| {
        let estimate = interval(&results.less("stn", method), rng, mean);
        let text = results.beside("stn", method, &estimate);
        below(&format!("{PAPERS_TEXT}, {method}"), estimate, text)
    });
    each.collect()
}

/// N5: the schedule loses less than a third of the gain; the final value is worse than the best one. If the STN is not
/// ahead of the best fixed value (N3), there is no gain of which a schedule could lose a part: the first half is open.
pub(super) fn replayed(rows: &[Collected], rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let results = Results::from(rows);
    let over = results.each(|r| {
        let [stn, schedule, fixed] = ["stn", "schedule", "fixed"].map(|m| results.least(m, r));
        (schedule - stn) - SHARE * (fixed - stn)
    });
    let over = interval(&over, rng, mean);
    let [stn, schedule, fixed] =
        ["stn", "schedule", "fixed"].map(|method| results.perplexity(method));
    let gap =
        said("gap of the schedule to the STN less a third of that of the best fixed value", &over);
    let text = format!(
        "validation perplexity {schedule:.2} (schedule of the STN), {stn:.2} (STN) and {fixed:.2} (best fixed value); {gap}"
    );
    let gain = results.less("fixed", "stn");
    let ahead = mean(&gain) > 0.0;
    let text = if ahead {
        text
    } else {
        let gain = said("gap of the best fixed value to it", &interval(&gain, rng, mean));
        format!(
            "the STN is not ahead of the best fixed value (N3), and has no gain to share; {gain}; {text}"
        )
    };
    let schedule = below("Penn Treebank, schedule", over, text);
    let schedule = if ahead { schedule } else { schedule.met(None) };
    let last = interval(&results.less("fixed", "final-value"), rng, mean);
    let other = results.beside("fixed", "final-value", &last);
    vec![schedule, below("Penn Treebank, final value", last, other)]
}

/// N7: the order of means; Hyperband and population-based training are not in the paper.
fn order(rows: &[Raced], rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let results = Results::from(rows);
    let pairs = [
        ("stn", "gp-ei", true),
        ("gp-ei", "random", true),
        ("random", "grid", true),
        ("stn", "hyperband", false),
        ("stn", "pbt", false),
    ];
    let each = pairs.into_iter().map(|(a, b, in_paper)| {
        let estimate = interval(&results.less(a, b), rng, mean);
        let text = results.beside(a, b, &estimate);
        let place = format!("Penn Treebank, {a} < {b}");
        below(&place, estimate, text).in_paper(in_paper)
    });
    each.collect()
}

/// N9: the mean least loss of the STN is below that of the others from a quarter of the budget on.
fn anytime(rows: &[Raced], curves: &[NewBest], rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let results = Results::from(rows);
    let budget = rows.first().map_or(f64::NAN, |row| row.budget);
    let mut points: BTreeMap<(&str, u32), Vec<(f64, f64)>> = BTreeMap::new();
    for row in curves {
        let own = points.entry((&row.run.method, row.run.replicate)).or_default();
        own.push((row.cost, row.perplexity.ln()));
    }
    let curves: BTreeMap<(&str, u32), Curve> =
        points.into_iter().map(|(at, all)| (at, Curve::new(&all, Better::Lower))).collect();
    let share = |i: usize| FROM + (1.0 - FROM) * i as f64 / (POINTS - 1) as f64;
    let grid: Vec<f64> = (0..POINTS).map(|i| budget * share(i)).collect();
    let own: Vec<u32> = curves.keys().filter(|at| at.0 == "stn").map(|at| at.1).collect();
    let mut findings = Vec::new();
    for (rival, in_paper) in
        [("grid", true), ("random", true), ("gp-ei", true), ("hyperband", false), ("pbt", false)]
    {
        let worst = |replicates: &[u32]| {
            let of = |method| -> Vec<Option<f64>> {
                let all = replicates.iter().filter_map(|&r| curves.get(&(method, r)).cloned());
                mean_on_grid(&all.collect::<Vec<_>>(), &grid)
            };
            // A rival without a result yet is behind; an STN without one is not ahead.
            let gap = |(stn, other): (Option<f64>, Option<f64>)| match (stn, other) {
                (Some(stn), Some(other)) => stn - other,
                (Some(_), None) => f64::NEG_INFINITY,
                (None, _) => f64::INFINITY,
            };
            of("stn").into_iter().zip(of(rival)).map(gap).fold(f64::NEG_INFINITY, f64::max)
        };
        let known = curves.keys().any(|at| at.0 == rival);
        let estimate = interval(&own, rng, worst);
        let lead = format!("largest lead of {rival} over the STN from a quarter of the budget on");
        let text = format!("{}; {}", results.both("stn", rival), said(&lead, &estimate));
        let place = format!("{PAPERS_TEXT}, {rival}");
        let found = below(&place, estimate, text).in_paper(in_paper);
        findings.push(if known && !own.is_empty() { found } else { found.met(None) });
    }
    findings
}

/// N10: the schedule of the best value at each epoch beats the best fixed value.
fn greedy(rows: &[Collected], rng: &mut ChaCha12Rng) -> Finding {
    let results = Results::from(rows);
    let estimate = interval(&results.less("greedy", "fixed"), rng, mean);
    let text = results.beside("greedy", "fixed", &estimate);
    below("Penn Treebank, greedy schedule", estimate, text)
}

/// N11: the spread of the mean losses of the settings. The criterion asks for a report over enough
/// settings, without a limit.
fn spread(
    place: &str,
    setting: impl Fn(&Collected) -> String,
    rows: &[Collected],
    rng: &mut ChaCha12Rng,
) -> Finding {
    let settings: Vec<String> = rows.iter().map(setting).collect();
    let mut all: BTreeMap<u32, BTreeMap<&str, f64>> = BTreeMap::new();
    for (row, setting) in rows.iter().zip(&settings) {
        let own = all.entry(row.which.replicate).or_default();
        own.insert(setting, loss(row.outcome.perplexity));
    }
    let names: BTreeSet<&str> = settings.iter().map(String::as_str).collect();
    let replicates: Vec<u32> = all.keys().copied().collect();
    let means = |set: &[u32]| -> Vec<f64> {
        let at = |name: &str, r: &u32| all[r].get(name).copied().unwrap_or(f64::NAN);
        names.iter().map(|n| mean(&set.iter().map(|r| at(n, r)).collect::<Vec<_>>())).collect()
    };
    let ends = |values: &[f64]| {
        if values.iter().any(|v| v.is_nan()) {
            return (f64::NAN, f64::NAN);
        }
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        (least, values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    };
    let estimate = interval(&replicates, rng, |set| {
        let (least, most) = ends(&means(set));
        most - least
    });
    let (least, most) = ends(&means(&replicates));
    let enough = names.len() >= SETTINGS && estimate.n >= REPLICATES;
    let reported = enough && estimate.high.is_finite() && !estimate.value.is_nan();
    let text = format!(
        "{}, of {} settings with validation perplexities from {:.2} to {:.2}",
        said("spread of mean losses", &estimate),
        names.len(),
        least.exp(),
        most.exp()
    );
    Finding::new(place, estimate, text).met(reported.then_some(true))
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
