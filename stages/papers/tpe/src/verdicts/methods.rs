//! Claims about methods that are run against each other.

use std::collections::BTreeMap;

use kit::claims::{Found, finding::Finding, p_value, rule::Rule};
use rand::RngExt as _;
use rand_chacha::ChaCha12Rng;
use stats::{
    adjust::holm,
    alternative::Alternative,
    bootstrap::{Estimate, interval},
    moments::mean,
    rank_tests::{ranks::ranks, wilcoxon::SignedRanks},
};

use super::{
    COMPARED, absent,
    evidence::{Evidence, Finals},
};
use crate::target::{FLAT, FUNCTIONS, GROUPS};

/// Seeds of a comparison: the first, and how many.
pub(super) const SEEDS: (u32, u32) = (0, 10);
/// Seeds of a second run of the same method.
const OTHERS: (u32, u32) = (10, 10);
/// Between these numbers of functions one of two runs of the same method may win.
const CHANCE: std::ops::RangeInclusive<usize> = 10..=26;
/// P1: functions and tables on which joint models win, at least, and how many there are.
const JOINT: [(usize, usize); 2] = [(27, 36), (4, 4)];
/// P3: functions on which no clipping wins, and tables on which clipping does.
const CLIPPING: [(usize, usize); 2] = [(25, 36), (9, 11)];
/// P3: permutations, and how often they may meet the criterion.
const PERMUTATIONS: usize = 1000;
const LEVEL: f64 = 0.05;
/// P13: tables and functions.
const ADAPTED: [(usize, usize); 2] = [(8, 11), (16, 24)];
/// Functions in all.
const ALL: usize = 36;

/// On how many targets of these groups the first method has the lower mean over its seeds, and the number of targets
/// that both have.
pub(super) fn wins(
    all: &Evidence,
    [own, rival]: [&str; 2],
    groups: &[&str],
    [first, second]: [(u32, u32); 2],
) -> (usize, usize) {
    let [own, rival] = [(own, first), (rival, second)].map(|(method, seeds)| {
        let mut means = all.means(method, groups, seeds);
        means.remove(FLAT);
        means
    });
    let both: Vec<_> = own.iter().filter_map(|(t, own)| Some((own, rival.get(t)?))).collect();
    (both.iter().filter(|(own, rival)| own < rival).count(), both.len())
}

/// A count with the least that meets the criterion. It is of all targets of the paper: of fewer it decides nothing.
/// `what` happens, and to which targets.
fn count(
    place: &str,
    (wins, of): (usize, usize),
    (least, all): (usize, usize),
    [what, targets]: [&str; 2],
) -> Finding {
    if of == 0 {
        return absent(place);
    }
    let text = format!("{what} on {wins} of {of} {targets}; {least} of {all} are asked for");
    Finding::new(place, Estimate::exact(wins as f64, of), text)
        .met((of == all).then_some(wins >= least))
}

/// Two runs of one method must not differ: if they do, the criterion decides nothing.
fn same(all: &Evidence, method: &str, [first, second]: [(u32, u32); 2]) -> Finding {
    let place = "the same method again";
    let (wins, of) = wins(all, [method; 2], &FUNCTIONS, [first, second]);
    if of == 0 {
        return absent(place);
    }
    let text = format!(
        "{method}: on {wins} of {of} functions one set of its seeds ends lower than another; {} to {} are by chance",
        CHANCE.start(),
        CHANCE.end()
    );
    let met = (of == ALL && CHANCE.contains(&wins)).then_some(true);
    Finding::new(place, Estimate::exact(wins as f64, of), text).met(met)
}

/// P1: joint models against separate ones, with and without clipping.
pub fn joint(all: &Evidence) -> Found {
    let mut findings = Vec::new();
    for kind in ["clipped", "plain"] {
        let names = [format!("joint-{kind}"), format!("separate-{kind}")];
        let names = [names[0].as_str(), names[1].as_str()];
        for (groups, least, place, targets) in [
            (&FUNCTIONS[..], JOINT[0], "functions", "functions"),
            (&GROUPS[4..], JOINT[1], "HPOlib", "tables"),
        ] {
            let wins = wins(all, names, groups, [SEEDS; 2]);
            let what = ["joint models end lower", targets];
            findings.push(count(&format!("{place}, {kind}"), wins, least, what));
        }
    }
    findings.push(same(all, "joint-clipped", [SEEDS, OTHERS]));
    (Rule::All, findings)
}

/// P3: magic clipping, on functions and on tables. The paper's own numbers are masses of clipping among the best
/// settings; the criterion asks how one pair of settings does. It contradicts the paper only if the masses are
/// `excluded`, too: else it is open where it is missed, since the paper's effect and a missed criterion can go together.
pub fn clipping(all: &Evidence, excluded: bool, rng: &mut ChaCha12Rng) -> Found {
    let methods = ["joint-plain", "joint-clipped"];
    let functions = wins(all, methods, &FUNCTIONS, [SEEDS; 2]);
    let tables = wins(all, ["joint-clipped", "joint-plain"], &GROUPS[3..], [SEEDS; 2]);
    let mut findings = vec![
        count("functions", functions, CLIPPING[0], ["no clipping ends lower", "functions"]),
        count("tables", tables, CLIPPING[1], ["clipping ends lower", "tables"]),
    ];
    for finding in findings.iter_mut().filter(|found| found.met == Some(false) && !excluded) {
        finding.met = None;
        finding.text += "; the paper's numbers, masses among the best settings, are not excluded";
    }
    if functions.1 > 0 && tables.1 > 0 {
        let by_chance = permuted(all, methods, rng);
        let text = format!(
            "{:.1}% of {PERMUTATIONS} permutations of the labels within target and seed meet both",
            100.0 * by_chance
        );
        let estimate = Estimate::exact(by_chance, PERMUTATIONS);
        let met = (by_chance < LEVEL).then_some(true);
        findings.push(Finding::new("permuted", estimate, text).met(met));
    }
    (Rule::All, findings)
}

/// The share of permutations in which the first method wins on as many functions and loses on as many tables as P3
/// asks for.
fn permuted(all: &Evidence, [plain, clipped]: [&str; 2], rng: &mut ChaCha12Rng) -> f64 {
    let (Some(plain), Some(clipped)) = (all.finals.get(plain), all.finals.get(clipped)) else {
        return f64::NAN;
    };
    // For each target whether it is a function, and differences by seed.
    let differences = |((group, target), own): (&(String, String), &Finals)| {
        let rival = clipped.get(&(group.clone(), target.clone()))?;
        let seeds = own.iter().filter(|(seed, _)| **seed < SEEDS.1);
        let each: Vec<f64> = seeds.filter_map(|(s, own)| Some(own - rival.get(s)?)).collect();
        (target != FLAT).then(|| (FUNCTIONS.contains(&group.as_str()), each))
    };
    let targets: Vec<(bool, Vec<f64>)> = plain.iter().filter_map(differences).collect();
    let met = |_| {
        let mut counts = [0, 0];
        for (function, differences) in &targets {
            let signs: u64 = rng.random();
            let sign = |i: usize| if (signs >> (i % 64)) & 1 == 1 { 1.0 } else { -1.0 };
            let sum: f64 = differences.iter().enumerate().map(|(i, d)| sign(i) * d).sum();
            // Negative: without clipping it ends lower.
            counts[usize::from(!function)] +=
                usize::from(if *function { sum < 0.0 } else { sum > 0.0 });
        }
        f64::from(counts[0] >= CLIPPING[0].0 && counts[1] >= CLIPPING[1].0)
    };
    mean(&(0..PERMUTATIONS).map(met).collect::<Vec<_>>())
}

/// P12: the recommended setting against others, by ranks of means over seeds.
pub fn recommended(all: &Evidence, rng: &mut ChaCha12Rng) -> Found {
    let methods = COMPARED;
    let mut groups: BTreeMap<&str, Vec<Vec<f64>>> = BTreeMap::new();
    for group in GROUPS {
        let means: Vec<_> = methods.iter().map(|m| all.means(m, &[group], SEEDS)).collect();
        for target in means[0].keys() {
            let own: Option<Vec<f64>> = means.iter().map(|m| m.get(target).copied()).collect();
            groups.entry(group).or_default().extend(own.map(|own| ranks(&own).ranks));
        }
    }
    let targets: Vec<&Vec<f64>> = groups.values().flatten().collect();
    if targets.is_empty() {
        return (Rule::All, vec![absent("all targets")]);
    }
    let differences = |rival: usize| -> Vec<f64> {
        targets.iter().map(|ranks| ranks[0] - ranks[rival]).collect()
    };
    let p: Vec<f64> = (1..methods.len())
        .map(|rival| SignedRanks::new(&differences(rival)).p(Alternative::Less))
        .collect();
    let mut findings = Vec::new();
    for (rival, (name, p)) in (1..).zip(methods[1..].iter().zip(holm(&p))) {
        let estimate = interval(&differences(rival), rng, mean);
        let text = format!(
            "average ranks differ by {}, adjusted {}; {}",
            estimate.told(2),
            p_value::told(p),
            sides(&groups, rival)
        );
        let met = estimate.value < 0.0 && p < LEVEL;
        findings.push(Finding::new(name, estimate, text).met(Some(met)));
    }
    findings.push(second_copy(all, methods[0]));
    (Rule::All, findings)
}

/// In which groups the first method is ahead of a rival by the average rank, and in which it is behind.
fn sides(groups: &BTreeMap<&str, Vec<Vec<f64>>>, rival: usize) -> String {
    let mut sides = [("ahead", Vec::new()), ("behind", Vec::new()), ("level", Vec::new())];
    // In the paper's order.
    for (group, ranks) in GROUPS.iter().filter_map(|group| Some((group, groups.get(group)?))) {
        let of = |method: usize| mean(&ranks.iter().map(|r| r[method]).collect::<Vec<_>>());
        let (own, other) = (of(0), of(rival));
        let side = if own < other { 0 } else { 1 + usize::from(own <= other) };
        sides[side].1.push(format!("{group} ({own:.2} against {other:.2})"));
    }
    let named = sides.iter().filter(|(_, of)| !of.is_empty());
    named.map(|(side, of)| format!("{side} on {}", of.join(", "))).collect::<Vec<_>>().join("; ")
}

/// Whether the same setting with other seeds wins, which it must not.
fn second_copy(all: &Evidence, method: &str) -> Finding {
    let place = "the same method again";
    let [own, other] = [SEEDS, OTHERS].map(|seeds| all.means(method, &GROUPS, seeds));
    let differences = own.iter().filter_map(|(target, own)| Some(own - other.get(target)?));
    // Losses of different targets have no common scale: their signs alone count.
    let signs: Vec<f64> = differences.filter(|d| *d != 0.0).map(f64::signum).collect();
    if signs.is_empty() {
        return absent(place);
    }
    let p = SignedRanks::new(&signs).p(Alternative::TwoSided);
    let lower = signs.iter().filter(|sign| **sign < 0.0).count();
    let of = signs.len();
    let p_told = p_value::told(p);
    let text = format!("other seeds of {method} end higher on {lower} of {of} targets, {p_told}");
    let estimate = Estimate::exact(lower as f64, signs.len());
    Finding::new(place, estimate, text).met((p >= LEVEL).then_some(true))
}

/// P13: the setting adapted to tables against the recommended one.
pub fn adapted(all: &Evidence) -> Found {
    let seeds = (10, 20);
    let tables = wins(all, ["adapted", "recommended"], &GROUPS[3..], [seeds; 2]);
    let functions = wins(all, ["recommended", "adapted"], &FUNCTIONS[..2], [seeds; 2]);
    let findings = vec![
        count("tables", tables, ADAPTED[0], ["the adapted setting ends lower", "tables"]),
        count("functions", functions, ADAPTED[1], ["the adapted setting ends higher", "functions"]),
        same(all, "recommended", [OTHERS, (20, 10)]),
    ];
    (Rule::All, findings)
}
