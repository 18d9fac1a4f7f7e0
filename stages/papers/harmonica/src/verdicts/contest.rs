//! Claim H8: Harmonica-1 against rivals that spend more, on a synthetic function and on networks.

use std::collections::BTreeMap;

use kit::claims::{
    finding::{Finding, Region},
    p_value,
};
use rand_chacha::ChaCha12Rng;
use stats::{
    alternative::Alternative, better::Better, bootstrap::Estimate, effect::cliffs_delta,
    improvement::improvement, moments::mean, rank_tests::mann_whitney::MannWhitney,
};

use crate::tables::{contest::Played, race::Raced};

/// Level of the test, and the largest cost of Harmonica relative to a rival.
const ALPHA: f64 = 0.05;
const SHARE: f64 = 0.2;

/// With fewer runs of each method the test cannot reach the level, whatever the results: with 3 and 3 runs,
/// the extreme order is one of 20.
const LEAST: usize = 4;

/// Why networks say nothing although they were trained.
const SWITCHED_OFF: &str = "Hyperband and the longer random search are switched off in this profile: synthetic \
                            functions stand in";

/// Values and costs of the runs of each method.
type Runs = BTreeMap<String, (Vec<f64>, Vec<f64>)>;

fn runs<'a>(rows: impl Iterator<Item = (&'a str, f64, f64)>) -> Runs {
    let mut all = Runs::new();
    for (method, value, cost) in rows {
        let own = all.entry(method.to_owned()).or_default();
        own.0.push(value);
        own.1.push(cost);
    }
    all
}

/// H8 on the synthetic functions, against each rival. The value that a method found stands for the best test error,
/// which the criterion tests. Values of different functions scatter more than methods do, so that the test has
/// little power; the comparison function by function, which has more, is not the criterion's and is only told.
pub(super) fn synthetic(rows: &[Played], rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let all = runs(rows.iter().map(|row| (row.method.as_str(), row.value, row.cost)));
    let Some((own, _)) = all.iter().find(|(name, _)| name.starts_with("harmonica")) else {
        return Vec::new();
    };
    let rivals = all.keys().filter(|name| !name.starts_with("harmonica"));
    let each = rivals.map(|name| {
        let found = against(&all, (own, name), ("synthetic", false), rng);
        let text = format!("{}; not judged: {}", found.text, by_function(rows, own, name));
        Finding { text, ..found }
    });
    each.collect()
}

/// Two methods compared on each function.
fn by_function(rows: &[Played], own: &str, rival: &str) -> String {
    let of = |method: &str| -> BTreeMap<u32, &Played> {
        rows.iter().filter(|row| row.method == method).map(|row| (row.seed, row)).collect()
    };
    let (own, rival) = (of(own), of(rival));
    let regret = |runs: &BTreeMap<u32, &Played>| {
        mean(&runs.values().map(|row| row.regret).collect::<Vec<_>>())
    };
    let pairs = || own.iter().filter_map(|(seed, row)| Some((row.value, rival.get(seed)?.value)));
    format!(
        "regret {:.3} against {:.3}, lower on {} of {} functions and higher on {}",
        regret(&own),
        regret(&rival),
        pairs().filter(|(own, rival)| own < rival).count(),
        pairs().count(),
        pairs().filter(|(own, rival)| own > rival).count()
    )
}

/// H8 on networks: Harmonica-1 against Hyperband and the longer random search.
pub(super) fn networks(rows: &[Raced], rng: &mut ChaCha12Rng) -> Vec<Finding> {
    let all = runs(
        rows.iter().map(|row| (row.run.method.as_str(), row.error.unwrap_or(f64::NAN), row.cost)),
    );
    let own = "harmonica-1".to_owned();
    let rivals = all.keys().filter(|name| *name == "hyperband" || name.starts_with("random-"));
    let each = rivals
        .filter(|_| all.contains_key(&own))
        .map(|name| against(&all, (&own, name), ("networks", true), rng));
    let found: Vec<Finding> = each.collect();
    if found.is_empty() { vec![Finding::missing("networks", SWITCHED_OFF)] } else { found }
}

/// Lower values at no more than a fifth of the cost.
fn against(
    all: &Runs,
    (own, rival): (&String, &String),
    (place, in_paper): (&str, bool),
    rng: &mut ChaCha12Rng,
) -> Finding {
    let ((own, own_cost), (other, other_cost)) = (&all[own], &all[rival]);
    let p = MannWhitney::new(own, other).p(Alternative::Less);
    let ratio = mean(own_cost) / mean(other_cost);
    // Each method has its own runs, of which an answer needs enough.
    let runs = own.len().min(other.len());
    let estimate = Estimate { n: runs, ..improvement(own, other, Better::Lower, rng) };
    let text = format!(
        "mean {:.3} against {:.3} at {ratio:.3} of its cost, one-sided {}; as low or lower in {:.0}% of pairs",
        mean(own),
        mean(other),
        p_value::told(p),
        100.0 * estimate.value
    );
    let enough = runs >= LEAST;
    let found = Finding::new(&format!("{place}, {rival}"), estimate, text).in_paper(in_paper);
    // Costs are exact counts: a cost that is too high decides.
    let found =
        if ratio > SHARE { found } else { found.within(Region::above(0.5)).of_replicates() };
    found
        .met(enough.then_some(p < ALPHA && ratio <= SHARE))
        .effect(cliffs_delta(own, other), "Cliff's δ")
}

#[cfg(test)]
mod tests {
    use kit::claims::finding::Answer;
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;

    #[test]
    fn seven_runs_of_each_give_no_answer() {
        let answer = |runs: u32| {
            let row = |method: &str, value: f64, cost| Played {
                method: method.to_owned(),
                value,
                cost,
                ..Played::default()
            };
            let own = (0..runs).map(|i| row("harmonica-1", f64::from(i), 1.0));
            let other = (0..runs).map(|i| row("other", f64::from(i) + 50.0, 9.0));
            let rows: Vec<Played> = own.chain(other).collect();
            synthetic(&rows, &mut ChaCha12Rng::seed_from_u64(1)).remove(0).answer(None)
        };
        assert_eq!((answer(8), answer(7)), (Answer::Yes, Answer::Open));
    }

    #[test]
    fn both_the_values_and_the_cost_count() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let mut judge = |shift: f64, cost: f64| {
            let row = |method: &str, value, cost| Played {
                method: method.to_owned(),
                value,
                cost,
                ..Played::default()
            };
            let own = (0..20).map(|i| row("harmonica-1", f64::from(i), 1.0));
            let other = (0..20).map(|i| row("other", f64::from(i) + shift, cost));
            let found = synthetic(&own.chain(other).collect::<Vec<_>>(), &mut rng);
            assert_eq!((found.len(), found[0].in_paper), (1, false));
            found[0].met
        };
        assert_eq!(judge(9.0, 5.0), Some(true));
        assert_eq!(judge(9.0, 4.9), Some(false));
        assert_eq!(judge(1.0, 5.0), Some(false));
        assert_eq!(judge(-9.0, 9.0), Some(false));
    }

    #[test]
    fn the_values_are_tested_and_regret_is_only_told() {
        let rows = (0..20).flat_map(|seed| {
            let row = |method: &str, above: f64, cost| Played {
                method: method.to_owned(),
                seed,
                value: 10.0 * f64::from(seed) + above,
                regret: above,
                cost,
                ..Played::default()
            };
            // Never far apart on a function, and the first time the rival is ahead.
            let ahead = if seed == 0 { [0.5, 0.0] } else { [0.0, 5.0] };
            [row("harmonica-1", ahead[0], 1.0), row("other", ahead[1], 9.0)]
        });
        let rows: Vec<Played> = rows.collect();
        let found = synthetic(&rows, &mut ChaCha12Rng::seed_from_u64(1)).remove(0);
        // By regret 19 of 20 are lower; values of different functions hide it.
        assert_eq!((found.met, found.answer(None)), (Some(false), Answer::Open));
        assert_eq!(found.estimate.unwrap().value, f64::from(19 + (1..20).sum::<i32>()) / 400.0);
        let told =
            "not judged: regret 0.025 against 4.750, lower on 19 of 20 functions and higher on 1";
        assert!(found.text.ends_with(told), "{}", found.text);
    }
}
