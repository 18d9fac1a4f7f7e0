//! Claims H4 to H10 on residual networks.

use std::collections::{BTreeMap, BTreeSet};

use kit::claims::finding::{Finding, Region};
use models::neural::residual::{COUNT, DUMMIES};
use rand_chacha::ChaCha12Rng;
use stats::{
    bootstrap::{Estimate, interval},
    moments::mean,
    proportion::share,
    trends::correlation::spearman,
};

use super::{
    agreed, contest,
    evidence::{AVERAGES, Evidence, FEATURES, RACE, TABLE_1},
    no_dummies,
};
use crate::{
    network::table_3::TABLE_3,
    tables::{
        averages::Average, dummies::dummies_among, features::Feature, race::Raced, table_1::Moved,
    },
};

/// Numbers of Table 2.
const BATCH_NORM: &str = "24";
const ACTIVATION: [&str; 2] = ["19", "20"];
const LEARNING_RATE: [&str; 3] = ["04", "05", "06"];
/// H5: the number of first features of a stage.
const FIRST: u32 = 5;
/// H4, H5: with fewer replicates a miss gives no answer, as no interval does. Were Table 3 true, one run would often
/// miss either criterion (`one_run_tests`), which the calibration does not know: its worlds do not scatter.
const LEAST: usize = 8;
/// H7: smallest relative drop of the average error after stage 1.
const DROP: f64 = 0.3;
/// H9: the test error of the network tuned by hand.
const HAND_TUNED: f64 = 0.0697;

/// The input that a claim rests on.
#[must_use]
pub(super) fn rests_on(id: &str) -> Option<String> {
    Some(match id {
        "H4" => TABLE_1.role(),
        "H5" | "H6" => FEATURES.role(),
        "H7" => AVERAGES.role(),
        "H8" | "H9" | "H10" => RACE.role(),
        _ => return None,
    })
}

/// The findings of networks about a claim; `whole` if the big one has the paper's size.
pub(super) fn judge(
    id: &str,
    evidence: &Evidence,
    whole: bool,
    rng: &mut ChaCha12Rng,
) -> Vec<Finding> {
    let (features, race) = (evidence.features.as_deref(), evidence.race.as_deref());
    let found = match id {
        "H4" => evidence.table_1.as_deref().map(stability),
        "H5" => features.map(dominant),
        "H6" => features.map(dummies),
        "H7" => evidence.averages.as_deref().map(|rows| averages(rows, rng)),
        "H8" => race.map(|rows| contest::networks(rows, rng)),
        "H9" => race.map(|rows| by_hand(rows, whole, rng)),
        "H10" => race.map(|rows| transfer(rows, rng)),
        _ => return Vec::new(),
    };
    found.unwrap_or_else(|| {
        // Claims for which synthetic functions stand in need no note.
        let alone = matches!(id, "H5" | "H7" | "H9" | "H10");
        let why = "no network could be trained: it needs libtorch and CIFAR-10";
        alone.then(|| Finding::missing("networks", why)).into_iter().collect()
    })
}

/// Replicate → whether its features never change, and the smallest number shared.
type Stable = BTreeMap<u32, (bool, usize)>;

/// H4: the same features and signs over Table 1's ranges, for each replicate.
fn stability(rows: &[Moved]) -> Vec<Finding> {
    let mut all: BTreeMap<(usize, &str), Stable> = BTreeMap::new();
    for row in rows {
        let own = all.entry((row.stage, &row.moved)).or_default();
        let (stable, fewest) = own.entry(row.replicate).or_insert((true, usize::MAX));
        *stable &= row.same;
        *fewest = row.shared.min(*fewest);
    }
    let each = all.into_iter().map(|((stage, moved), replicates)| {
        let stable: Vec<bool> = replicates.values().map(|(stable, _)| *stable).collect();
        let fewest = replicates.values().map(|(_, fewest)| *fewest).min().unwrap_or(0);
        let estimate = share(&stable);
        let mut text = format!(
            "the same features and signs over the range of {moved} in {} of {} replicates; at least {fewest} are shared",
            stable.iter().filter(|s| **s).count(),
            stable.len()
        );
        // What a reader of the verdict has to know of it.
        let few = stable.len() < LEAST;
        let limits = [
            few.then(|| format!("an answer needs {LEAST} runs of networks")),
            (moved == "samples").then(|| "α stays as samples are left out, not λ".to_owned()),
        ];
        let limits: Vec<String> = limits.into_iter().flatten().collect();
        if !limits.is_empty() {
            text = format!("{text}; {}", limits.join(", and "));
        }
        let place = format!("networks stage {stage}, {moved}");
        let met = if few { None } else { agreed(&stable) };
        Finding::new(&place, estimate, text).met(met)
    });
    each.collect()
}

/// The features of one stage: monomial → rank and weight.
type Features<'a> = BTreeMap<&'a str, (u32, f64)>;

/// H5: the first features that stage 1 finds, replicate by replicate. One run that meets the criterion counts, since
/// features at random do not; one that misses it does not.
pub(super) fn dominant(rows: &[Feature]) -> Vec<Finding> {
    let mut all: BTreeMap<u32, BTreeMap<u32, Features>> = BTreeMap::new();
    for row in rows {
        let own = all.entry(row.replicate).or_default().entry(row.stage).or_default();
        own.insert(&row.variables, (row.rank, row.weight));
    }
    let few = all.len() < LEAST;
    let each = all.into_iter().map(|(replicate, stages)| {
        let none = Features::new();
        let first = stages.get(&1).unwrap_or(&none);
        let within = |family: &[&str]| {
            let of = |monomial: &str| monomial.split('*').all(|v| family.contains(&v));
            first.iter().any(|(monomial, (rank, _))| *rank <= FIRST && of(monomial))
        };
        let leads = first.get(BATCH_NORM).is_some_and(|(rank, _)| *rank == 1);
        let met = [leads, within(&ACTIVATION), within(&LEARNING_RATE)];
        let count = met.iter().filter(|m| **m).count() as f64;
        let shared = Shared::of(&stages);
        let word = |met: bool| if met { "yes" } else { "no" };
        let dominant = met == [true; 3];
        let runs = match (few, dominant) {
            (false, _) => String::new(),
            (true, true) => "; one run is enough, since features at random would not be these".to_owned(),
            (true, false) => format!("; a miss counts with {LEAST} runs of networks"),
        };
        let text = format!(
            "batch norm first: {}; activation among the first {FIRST}: {}; learning rate: {}; {}{runs}",
            word(met[0]),
            word(met[1]),
            word(met[2]),
            shared.told()
        );
        let estimate = Estimate::exact(count, met.len());
        let met = (dominant || !few).then_some(dominant);
        Finding::new(&format!("replicate {replicate}"), estimate, text).met(met)
    });
    each.collect()
}

/// The features that stages have in common with Table 3: the paper's weights and ours, and their names by stage.
#[derive(Default)]
struct Shared {
    weights: Vec<(f64, f64)>,
    names: BTreeMap<u32, Vec<String>>,
}

impl Shared {
    fn of(stages: &BTreeMap<u32, Features>) -> Self {
        let mut shared = Self::default();
        for &(stage, name, paper) in &TABLE_3 {
            let Some(&(_, own)) = stages.get(&stage).and_then(|own| own.get(name)) else {
                continue;
            };
            shared.weights.push((paper, own));
            // A correlation over all stages does not show it.
            let other = if paper * own < 0.0 { " with the other sign" } else { "" };
            shared.names.entry(stage).or_default().push(format!("{name}{other}"));
        }
        shared
    }

    fn told(&self) -> String {
        let own =
            |(stage, names): (&u32, &Vec<String>)| format!("stage {stage}: {}", names.join(", "));
        let names: Vec<String> = self.names.iter().map(own).collect();
        let names =
            if names.is_empty() { String::new() } else { format!(" ({})", names.join("; ")) };
        let rho = match spearman(&self.weights).r {
            r if r.is_finite() => format!("ρ = {r:.2} of all their weights"),
            _ => "too few for a correlation".to_owned(),
        };
        format!("{} features shared with Table 3{names}, {rho}", self.weights.len())
    }
}

/// H6: dummy variables that are selected on their own.
fn dummies(rows: &[Feature]) -> Vec<Finding> {
    let alone: Vec<bool> = rows.iter().map(|row| row.degree == 1 && row.dummies == 1).collect();
    let part = rows.iter().filter(|row| row.dummies > 0).count();
    let most = rows.iter().map(|row| row.degree).max().unwrap_or(1);
    let chance = dummies_among(COUNT, DUMMIES, most);
    vec![no_dummies("networks", &alone, part, chance)]
}

/// H7: the average error of random samples before and after the stages.
fn averages(rows: &[Average], rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let mut all: BTreeMap<u32, BTreeMap<u32, f64>> = BTreeMap::new();
    for row in rows {
        all.entry(row.replicate).or_default().insert(row.stage, row.error);
    }
    // One more average than stages.
    let courses: Vec<Vec<f64>> = all
        .into_values()
        .map(|c| c.into_values().collect())
        .filter(|c: &Vec<f64>| c.len() > 1)
        .collect();
    let Some(stages) = courses.iter().map(|c| c.len() - 1).min() else { return Vec::new() };
    let indices: Vec<usize> = (0..courses.len()).collect();
    let at = |of: &[usize], stage: usize| {
        mean(&of.iter().map(|&i| courses[i][stage]).collect::<Vec<_>>())
    };
    let relative = interval(&indices, rng, |of| (at(of, 0) - at(of, 1)) / at(of, 0));
    let course: Vec<String> =
        (0..=stages).map(|s| format!("{:.1}", 100.0 * at(&indices, s))).collect();
    let text = format!(
        "average error {} %: {:.0}% lower after stage 1",
        course.join(" → "),
        100.0 * relative.value
    );
    let first = Finding::new("networks, stage 1", relative, text)
        .within(Region::above(DROP))
        .without_effect(0.0)
        .of_replicates();
    // With one stage there is no later one to compare with.
    if stages == 1 {
        return vec![first, Finding::missing("networks, last stage", "there is one stage only")];
    }
    let drop = |of: &[usize], stage: usize| at(of, stage - 1) - at(of, stage);
    let less = interval(&indices, rng, |of| drop(of, stages) - drop(of, 1));
    let text = format!(
        "stage {stages} takes off {:.1} points, stage 1 {:.1}",
        100.0 * drop(&indices, stages),
        100.0 * drop(&indices, 1)
    );
    let name = format!("networks, stage {stages} against stage 1");
    vec![first, Finding::new(&name, less, text).within(Region::below(0.0)).of_replicates()]
}

/// Lowest errors by method, then replicate.
fn lowest(rows: &[Raced]) -> BTreeMap<String, BTreeMap<u32, f64>> {
    let mut all: BTreeMap<String, BTreeMap<u32, f64>> = BTreeMap::new();
    for row in rows {
        if let Some(error) = row.error.filter(|error| error.is_finite()) {
            all.entry(row.run.method.clone()).or_default().insert(row.run.replicate, error);
        }
    }
    all
}

/// Harmonica after the most stages, with successive halving.
fn harmonica(all: &BTreeMap<String, BTreeMap<u32, f64>>) -> Option<(&str, &BTreeMap<u32, f64>)> {
    let stages = |name: &str| name.strip_prefix("harmonica-")?.parse::<u32>().ok();
    all.iter()
        .filter_map(|(name, errors)| Some((stages(name)?, name.as_str(), errors)))
        .max_by_key(|(stages, ..)| *stages)
        .map(|(_, name, errors)| (name, errors))
}

/// H9: Harmonica-3 against the paper's network tuned by hand.
fn by_hand(rows: &[Raced], whole: bool, rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let all = lowest(rows);
    let Some((name, errors)) = harmonica(&all) else { return Vec::new() };
    let errors: Vec<f64> = errors.values().copied().collect();
    let usual = all.get("hand-tuned").map(|e| mean(&e.values().copied().collect::<Vec<_>>()));
    let beside = usual.map_or_else(String::new, |e| format!(", tuned by hand {:.2} %", 100.0 * e));
    let reached = format!("{name} reaches {:.2} %{beside}", 100.0 * mean(&errors));
    if !whole {
        let why = format!("needs 56 layers and all images (profile `paper`); here {reached}");
        return vec![Finding::missing("ResNet-56", &why)];
    }
    let estimate = interval(&errors, rng, mean);
    let found = Finding::new("ResNet-56", estimate, reached).within(Region::below(HAND_TUNED));
    let found = found.of_replicates();
    vec![found.met(Some(estimate.value <= HAND_TUNED))]
}

/// H10: the best small configurations as large ones, against Harmonica's best.
fn transfer(rows: &[Raced], rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let all = lowest(rows);
    let (Some((name, own)), Some(moved)) = (harmonica(&all), all.get("transfer")) else {
        return Vec::new();
    };
    let both: BTreeSet<u32> = own.keys().filter(|r| moved.contains_key(r)).copied().collect();
    let more: Vec<f64> = both.iter().map(|r| moved[r] - own[r]).collect();
    if more.is_empty() {
        return Vec::new();
    }
    let estimate = interval(&more, rng, mean);
    let of =
        |errors: &BTreeMap<u32, f64>| mean(&both.iter().map(|r| errors[r]).collect::<Vec<_>>());
    let text = format!(
        "best transferred configuration {:.1} %, {name} {:.1} %: {:.1} points more",
        100.0 * of(moved),
        100.0 * of(own),
        100.0 * estimate.value
    );
    vec![Finding::new("networks", estimate, text).within(Region::above(0.0)).of_replicates()]
}

#[cfg(test)]
#[path = "network_tests.rs"]
mod tests;
