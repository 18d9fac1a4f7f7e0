//! Claims N3 to N7 and N9 to N11 on texts. Differences are of perplexities of the same replicate,
//! means over replicates with their intervals.

use std::collections::{BTreeMap, BTreeSet};

use arrow_array::RecordBatch;
use kit::{
    claims::{
        evidence::Tables,
        finding::{Finding, Region},
    },
    table::Rows,
};
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;
use stats::{
    anytime::{Curve, mean_on_grid},
    better::Better,
    bootstrap::{Estimate, interval},
    moments::mean,
};

use super::courses;

/// The text of the paper, as places are called.
const PAPERS_TEXT: &str = "Penn Treebank";
/// Fewest replicates of which an interval is made.
const REPLICATES: usize = 3;
/// N5: the largest share of STN's gain that a plain network with its schedule may lose.
const SHARE: f64 = 1.0 / 3.0;
/// N9: from this share of the budget on, at so many points.
const FROM: f64 = 0.25;
const POINTS: usize = 100;
/// N11: the least number of settings.
const SETTINGS: usize = 4;

/// The inputs that a claim rests on.
#[must_use]
pub(super) fn rests_on(id: &str) -> &'static [&'static str] {
    match id {
        "N3" => &["text table-1 main", "text other main"],
        "N4" | "N5" => &["text table-1 main"],
        "N6" => &["text starts steps", "text starts epochs"],
        "N7" => &["text race main"],
        "N9" => &["text race main", "text race curves"],
        "N10" => &["text dropouts epochs", "text table-1 main"],
        "N11" => &["text schedules main", "text scales main"],
        _ => &[],
    }
}

/// What texts say of a claim.
pub(super) fn judge(
    id: &str,
    tables: &Tables,
    rng: &mut ChaCha12Rng,
) -> Result<Vec<Finding>, Stop> {
    let roles = rests_on(id);
    let tables: Vec<Option<&RecordBatch>> = roles.iter().map(|role| tables.get(role)).collect();
    let missing = Finding::missing(PAPERS_TEXT, "Penn Treebank or libtorch is missing");
    let Some(text) = tables.iter().flatten().next().map(|table| text_of(table)).transpose()? else {
        return Ok(if roles.is_empty() { Vec::new() } else { vec![missing] });
    };
    let found = match (id, tables.as_slice()) {
        ("N3", both) => on_each_text(both.iter().flatten().copied(), rng)?,
        ("N4", [Some(table)]) => perturbed(table, rng)?,
        ("N5", [Some(table)]) => replayed(table, rng)?,
        ("N6", [Some(steps), Some(epochs)]) => vec![courses::starts(steps, epochs, rng)?],
        ("N7", [Some(table)]) => order(table, rng)?,
        ("N9", [Some(table), Some(curves)]) => anytime(table, curves, rng)?,
        ("N10", [Some(grid), Some(table)]) => {
            vec![courses::dropouts(grid, rng)?, greedy(table, rng)?]
        }
        ("N11", [Some(schedules), Some(scales)]) => {
            let [steps, scale] =
                ["steps on training : validation batches", "scale of the perturbation"]
                    .map(|what| format!("{PAPERS_TEXT}, {what}"));
            vec![spread(&steps, "method", schedules, rng)?, spread(&scale, "value", scales, rng)?]
        }
        _ => Vec::new(),
    };
    let mut findings: Vec<Finding> = found.into_iter().map(|one| on(&text, one)).collect();
    if !findings.iter().any(|finding| finding.in_paper) {
        findings.insert(0, missing);
    }
    Ok(findings)
}

/// The text that the networks of a table were trained on.
fn text_of(table: &RecordBatch) -> Result<String, Stop> {
    let names = Rows(table).text("text")?;
    names.into_iter().next().ok_or_else(|| Stop::Failed("a table of trainings is empty".to_owned()))
}

/// A finding that calls its text the paper's, under the text's own name: what another text shows is not
/// in the paper.
fn on(text: &str, finding: Finding) -> Finding {
    let place = finding.place.replacen(PAPERS_TEXT, text, 1);
    Finding { place, in_paper: finding.in_paper && text == PAPERS_TEXT, ..finding }
}

/// N3 on the text and on another one, once where they are the same.
fn on_each_text<'a>(
    tables: impl Iterator<Item = &'a RecordBatch>,
    rng: &mut ChaCha12Rng,
) -> Result<Vec<Finding>, Stop> {
    let mut findings: Vec<Finding> = Vec::new();
    for table in tables {
        let text = text_of(table)?;
        if findings.iter().all(|finding| finding.place != text) {
            findings.push(tuned_against_fixed(&text, text == PAPERS_TEXT, table, rng)?);
        }
    }
    Ok(findings)
}

/// The validation perplexity of each training.
struct Results(Vec<(String, u32, f64)>);

impl Results {
    fn read(table: &RecordBatch) -> Result<Self, Stop> {
        let rows = Rows(table);
        let (method, replicate) = (rows.text("method")?, rows.index("replicate")?);
        let perplexity = rows.real("perplexity")?;
        let row = |(i, method)| (method, replicate[i], perplexity[i]);
        Ok(Self(method.into_iter().enumerate().map(row).collect()))
    }

    /// The least of a method in a replicate, NaN without one.
    fn least(&self, method: &str, replicate: u32) -> f64 {
        let own = self.0.iter().filter(|(m, r, _)| m == method && *r == replicate);
        own.map(|row| row.2).fold(f64::NAN, f64::min)
    }

    /// A statistic of each replicate that has an STN.
    fn each(&self, of: impl Fn(u32) -> f64) -> Vec<f64> {
        let own = self.0.iter().filter(|(method, ..)| method == "stn");
        let replicates: BTreeSet<u32> = own.map(|row| row.1).collect();
        replicates.into_iter().map(of).collect()
    }

    fn less(&self, a: &str, b: &str) -> Vec<f64> {
        self.each(|r| self.least(a, r) - self.least(b, r))
    }
}

/// A difference of perplexities that the criterion wants below zero.
fn below(place: &str, estimate: Estimate, text: String) -> Finding {
    Finding::new(place, estimate, text).within(Region::below(0.0)).of_replicates()
}

fn said(what: &str, estimate: &Estimate) -> String {
    format!("{what}: {} over {} replicates", estimate.told(2), estimate.n)
}

/// N3: lower than the best of a grid, and the interval excludes 0.
fn tuned_against_fixed(
    place: &str,
    in_paper: bool,
    table: &RecordBatch,
    rng: &mut ChaCha12Rng,
) -> Result<Finding, Stop> {
    let results = Results::read(table)?;
    let estimate = interval(&results.less("stn", "fixed"), rng, mean);
    let text = said("validation perplexity less that of the best fixed value", &estimate);
    Ok(below(place, estimate, text).in_paper(in_paper))
}

/// N4: both worse than the STN.
fn perturbed(table: &RecordBatch, rng: &mut ChaCha12Rng) -> Result<Vec<Finding>, Stop> {
    let results = Results::read(table)?;
    let each = ["gaussian", "sinusoid"].into_iter().map(|method| {
        let estimate = interval(&results.less("stn", method), rng, mean);
        let text = said("validation perplexity of the STN less that of the perturbed", &estimate);
        below(&format!("{PAPERS_TEXT}, {method}"), estimate, text)
    });
    Ok(each.collect())
}

/// N5: the schedule loses less than a third of the gain; the final value is worse than the best one.
fn replayed(table: &RecordBatch, rng: &mut ChaCha12Rng) -> Result<Vec<Finding>, Stop> {
    let results = Results::read(table)?;
    let over = results.each(|r| {
        let [stn, schedule, fixed] = ["stn", "schedule", "fixed"].map(|m| results.least(m, r));
        (schedule - stn) - SHARE * (fixed - stn)
    });
    let over = interval(&over, rng, mean);
    let gaps = ["schedule", "fixed"].map(|method| mean(&results.less(method, "stn")));
    let text = said("gap of the schedule to the STN less a third of the gap of the best", &over);
    let text = format!("{text}; the gaps are {:.2} and {:.2}", gaps[0], gaps[1]);
    let last = interval(&results.less("fixed", "final-value"), rng, mean);
    let other = said("best fixed value less the STN's final value, fixed", &last);
    Ok(vec![
        below("Penn Treebank, schedule", over, text),
        below("Penn Treebank, final value", last, other),
    ])
}

/// N7: the order of means; Hyperband and population-based training are not in the paper.
fn order(table: &RecordBatch, rng: &mut ChaCha12Rng) -> Result<Vec<Finding>, Stop> {
    let results = Results::read(table)?;
    let pairs = [
        ("stn", "gp-ei", true),
        ("gp-ei", "random", true),
        ("random", "grid", true),
        ("stn", "hyperband", false),
        ("stn", "pbt", false),
    ];
    let each = pairs.into_iter().map(|(a, b, in_paper)| {
        let estimate = interval(&results.less(a, b), rng, mean);
        let text = said(&format!("validation perplexity, {a} less {b}"), &estimate);
        let place = format!("Penn Treebank, {a} < {b}");
        below(&place, estimate, text).in_paper(in_paper)
    });
    Ok(each.collect())
}

/// N9: the mean best perplexity of the STN is below the others' all the way from a quarter of the
/// budget on.
fn anytime(
    table: &RecordBatch,
    curves: &RecordBatch,
    rng: &mut ChaCha12Rng,
) -> Result<Vec<Finding>, Stop> {
    let budget = Rows(table).real("budget")?.first().copied().unwrap_or(f64::NAN);
    let rows = Rows(curves);
    let (method, replicate) = (rows.text("method")?, rows.index("replicate")?);
    let (cost, perplexity) = (rows.real("cost")?, rows.real("perplexity")?);
    let mut points: BTreeMap<(&str, u32), Vec<(f64, f64)>> = BTreeMap::new();
    for i in 0..rows.len() {
        points.entry((&method[i], replicate[i])).or_default().push((cost[i], perplexity[i]));
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
        let text = said(
            &format!("largest lead of {rival} over the STN from a quarter of the budget on"),
            &estimate,
        );
        let place = format!("{PAPERS_TEXT}, {rival}");
        let found = below(&place, estimate, text).in_paper(in_paper);
        findings.push(if known && !own.is_empty() { found } else { found.met(None) });
    }
    Ok(findings)
}

/// N10: the schedule of the best value at each epoch beats the best fixed value.
fn greedy(table: &RecordBatch, rng: &mut ChaCha12Rng) -> Result<Finding, Stop> {
    let estimate = interval(&Results::read(table)?.less("greedy", "fixed"), rng, mean);
    let text = said("greedy schedule less the best fixed value", &estimate);
    Ok(below("Penn Treebank, greedy schedule", estimate, text))
}

/// N11: how far apart the mean perplexities of the settings are. The criterion asks for the report,
/// over enough settings, and for no size.
fn spread(
    place: &str,
    by: &str,
    table: &RecordBatch,
    rng: &mut ChaCha12Rng,
) -> Result<Finding, Stop> {
    let rows = Rows(table);
    let (replicate, perplexity) = (rows.index("replicate")?, rows.real("perplexity")?);
    let settings: Vec<String> = match by {
        "method" => rows.text("method")?,
        _ => rows.real(by)?.iter().map(f64::to_string).collect(),
    };
    let mut all: BTreeMap<u32, BTreeMap<&str, f64>> = BTreeMap::new();
    for i in 0..rows.len() {
        all.entry(replicate[i]).or_default().insert(&settings[i], perplexity[i]);
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
        "{}, of {} settings with means from {least:.2} to {most:.2}",
        said("spread of mean perplexities", &estimate),
        names.len()
    );
    Ok(Finding::new(place, estimate, text).met(reported.then_some(true)))
}

#[cfg(test)]
#[path = "text_tests.rs"]
mod tests;
