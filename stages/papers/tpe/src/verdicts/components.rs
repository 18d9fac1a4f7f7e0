//! Claims about the first study: all components.

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
    SELDOM, absent, evidence::Evidence, mean_of, methods::wins, over_targets, share_of_resamples,
};
use crate::{
    study::{MARKS, Panel, shares},
    target::{FLAT, FUNCTIONS, GROUPS},
};

/// The end of a run.
const LAST: usize = MARKS - 1;
/// P2: the most that joint modelling may matter on HPOBench, in percent.
const LITTLE: f64 = 10.0;
/// P4: the least mass of the prior on functions, and how far from half it may be on tables.
const OFTEN: f64 = 0.65;
/// P4: the least mass of the prior on functions whose minimum is elsewhere.
const STILL: f64 = 0.6;
/// P5.
const IMPROVEMENT: [f64; 2] = [0.35, 0.25];
const DROP: f64 = 0.12;

/// A component's share of the global importance, with its interval over targets.
fn share(
    place: &str,
    panel: &Panel,
    (mark, component): (usize, &str),
    rng: &mut ChaCha12Rng,
) -> Option<Finding> {
    let column = panel.factors.iter().position(|factor| factor.name == component)?;
    let (importances, all) = (panel.global(mark), (0..panel.targets.len()).collect::<Vec<_>>());
    let estimate = interval(&all, rng, |rows| shares(&importances, rows)[column]);
    (!all.is_empty()).then(|| Finding::new(place, estimate, String::new()))
}

/// P2: the share of joint modelling on HPOBench, beside that of a column without meaning.
pub fn joint_on_tables(all: &Evidence, rng: &mut ChaCha12Rng) -> Found {
    let own = all.components.groups.get(GROUPS[3]).map(|panel| panel.without(FLAT));
    let functions = all.components.groups.get(GROUPS[1]);
    let finding = |(mark, place): (usize, &str)| {
        let (Some(own), Some(functions)) = (&own, functions) else { return absent(place) };
        let of =
            |panel: &Panel, rng: &mut ChaCha12Rng| share(place, panel, (mark, "multivariate"), rng);
        let (Some(here), Some(there)) = (of(own, rng), of(functions, rng)) else {
            return absent(place);
        };
        let value = |finding: &Finding| finding.estimate.map_or(f64::NAN, |e| e.value);
        let (share, on_functions) = (value(&here), value(&there));
        let floor = floor(own, mark, rng);
        let text = format!(
            "joint modelling has {}% of the importance on HPOBench, {on_functions:.1}% on 10D functions; a column \
             without meaning has {floor:.1}%",
            here.estimate.map_or_else(String::new, |estimate| estimate.told(1))
        );
        let met = share < LITTLE && share < on_functions;
        Finding { text, ..here }.within(Region::below(LITTLE)).met(Some(met))
    };
    let places = [(0, "first quarter"), (1, "half"), (2, "three quarters")];
    (Rule::All, places.map(finding).into())
}

/// The share of joint modelling if its column is shuffled, the mean over some shuffles.
fn floor(panel: &Panel, mark: usize, rng: &mut ChaCha12Rng) -> f64 {
    use rand::seq::SliceRandom as _;
    const SHUFFLES: usize = 20;
    let all: Vec<usize> = (0..panel.targets.len()).collect();
    let one = |_| {
        let mut shuffled = panel.clone();
        let column = shuffled.factors.iter_mut().position(|factor| {
            let own = factor.name == "multivariate";
            if own {
                factor.of.shuffle(rng);
            }
            own
        });
        column.map_or(f64::NAN, |column| shares(&shuffled.global(mark), &all)[column])
    };
    mean(&(0..SHUFFLES).map(one).collect::<Vec<_>>())
}

/// P4: the mass of the prior among the best settings. The five bounds are one criterion; what is found on functions
/// with another minimum only limits it.
pub fn prior(all: &Evidence, rng: &mut ChaCha12Rng) -> Found {
    let mut findings = Vec::new();
    for group in GROUPS {
        let panel = all.components.groups.get(group);
        let top = panel.map_or_else(Vec::new, |panel| panel.top(LAST, "prior", "on"));
        let text =
            |mass: &Estimate| format!("settings with a prior are {} of the best 5%", mass.told(2));
        let found = over_targets(group, &top, rng, text);
        findings.push(if FUNCTIONS.contains(&group) {
            within(found, Region::above(OFTEN)).without_effect(0.5)
        } else {
            within(found, Region::between(1.0 - OFTEN, OFTEN))
        });
    }
    let groups = all.shifted.groups.values();
    let top: Vec<f64> = groups.flat_map(|panel| panel.top(LAST, "prior", "on")).collect();
    let text = |mass: &Estimate| {
        format!(
            "they are {} on functions whose minimum was moved out of the middle, where the prior has its mean",
            mass.told(2)
        )
    };
    let found = over_targets("minimum elsewhere", &top, rng, text);
    findings.push(within(found, Region::above(STILL)));
    (Rule::PartlyWithoutLast, findings)
}

/// Beside P3's criterion, which compares one pair of settings: the mass of clipping among the best settings of the
/// first study, as the paper's figures have it, by group.
pub fn clipping_among_the_best(
    all: &Evidence,
    rng: &mut ChaCha12Rng,
) -> Vec<(&'static str, Finding)> {
    let mut findings = Vec::new();
    for group in GROUPS {
        let Some(panel) = all.components.groups.get(group) else { continue };
        let top = panel.top(LAST, "exponent", "1");
        let text = |mass: &Estimate| {
            format!(
                "settings with clipping are {} of the best 5% of the first ablation",
                mass.told(2)
            )
        };
        let found = over_targets(&format!("{group}, best settings"), &top, rng, text);
        findings.push((group, found.in_paper(false)));
    }
    findings
}

/// Whether the whole interval of a group's mass of clipping is on the other side of a half than the paper's mass: above
/// on functions, below on tables.
pub fn reversed(group: &str, mass: &Finding) -> bool {
    let functions = FUNCTIONS.contains(&group);
    mass.estimate.is_some_and(|mass| if functions { mass.low > 0.5 } else { mass.high < 0.5 })
}

/// A finding with its region, unless it is missing.
fn within(finding: Finding, region: Region) -> Finding {
    if finding.estimate.is_none() { finding } else { finding.within(region) }
}

/// P5: the masses of the weightings among the best settings. A criterion that is not met is missed only if hardly any
/// resample of the targets meets it.
pub fn weighting(all: &Evidence, rng: &mut ChaCha12Rng) -> Found {
    let mut finding = |group: &str| {
        let Some(panel) = all.components.groups.get(group) else { return absent(group) };
        let [own, drop, decay, uniform] = ["improvement", "old drop", "old decay", "uniform"]
            .map(|level| panel.top(LAST, "weighting", level));
        let found = over_targets(group, &own, rng, |estimate| {
            let [drop, decay, uniform] = [&drop, &decay, &uniform].map(|masses| mean(masses));
            format!(
                "among the best 5%: improvement {}, old drop {drop:.2}, old decay {decay:.2}, uniform {uniform:.2}",
                estimate.told(2)
            )
        });
        let Some(estimate) = found.estimate else { return found };
        let ordered = |rows: &[usize]| {
            let [own, drop, decay, uniform] =
                [&own, &drop, &decay, &uniform].map(|masses| mean_of(masses, rows));
            let largest = own > decay.max(uniform).max(drop);
            let smallest = drop < decay.min(uniform).min(own);
            largest && smallest && own >= IMPROVEMENT[0] && drop <= DROP
        };
        let all: Vec<usize> = (0..own.len()).collect();
        let met = ordered(&all) && estimate.low > IMPROVEMENT[1];
        let mut missed = || {
            let seldom = share_of_resamples(own.len(), ordered, rng) < SELDOM;
            seldom || estimate.high < IMPROVEMENT[1]
        };
        found.met(if met { Some(true) } else { missed().then_some(false) })
    };
    let mut findings: Vec<Finding> = FUNCTIONS.map(&mut finding).into();
    let (kept, functions) =
        wins(all, ["old-drop-prior-kept", "joint-clipped"], &FUNCTIONS, [(0, 10), (0, 10)]);
    if functions > 0 {
        let text = format!(
            "old drop with a prior that stays ends lower than improvement on {kept} of {functions} functions, other \
             components alike"
        );
        let estimate = Estimate::exact(kept as f64, functions);
        findings.push(Finding::new("prior kept", estimate, text).in_paper(false));
    }
    (Rule::All, findings)
}
