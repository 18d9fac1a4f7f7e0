//! Claim H8: Harmonica-1 against rivals that spend more, on a synthetic function and on networks.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use kit::{
    claims::finding::{Finding, Region},
    table::Rows,
};
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;
use stats::{
    alternative::Alternative, better::Better, effect::cliffs_delta, improvement::improvement,
    moments::mean, rank_tests::mann_whitney::MannWhitney,
};

/// Level of the test, and the most that Harmonica may cost against a rival.
const ALPHA: f64 = 0.05;
const SHARE: f64 = 0.2;

/// Fewer runs of each than this cannot reach the level, whatever they give: of 3 and 3, one order in
/// 20 is the extreme one.
const LEAST: usize = 4;

/// Values and costs of the runs of each method.
type Runs = BTreeMap<String, (Vec<f64>, Vec<f64>)>;

fn runs(table: &RecordBatch, column: &str) -> Result<Runs, Stop> {
    let rows = Rows(table);
    let (method, value, cost) = (rows.text("method")?, rows.real(column)?, rows.real("cost")?);
    let mut all = Runs::new();
    for i in 0..rows.len() {
        let own = all.entry(method[i].clone()).or_default();
        own.0.push(value[i]);
        own.1.push(cost[i]);
    }
    Ok(all)
}

/// H8 on the synthetic functions, against each rival: by regret, since the values of different
/// functions do not compare.
pub(super) fn synthetic(table: &RecordBatch, rng: &mut ChaCha12Rng) -> Result<Vec<Finding>, Stop> {
    let all = runs(table, "regret")?;
    let Some((own, _)) = all.iter().find(|(name, _)| name.starts_with("harmonica")) else {
        return Ok(Vec::new());
    };
    let rivals = all.keys().filter(|name| !name.starts_with("harmonica"));
    let each = rivals.map(|name| against(&all, (own, name), ("synthetic", false), rng));
    Ok(each.collect())
}

/// H8 on networks: Harmonica-1 against Hyperband and the longer random search.
pub(super) fn networks(table: &RecordBatch, rng: &mut ChaCha12Rng) -> Result<Vec<Finding>, Stop> {
    let all = runs(table, "error")?;
    let own = "harmonica-1".to_owned();
    let rivals = all.keys().filter(|name| *name == "hyperband" || name.starts_with("random-"));
    let each = rivals
        .filter(|_| all.contains_key(&own))
        .map(|name| against(&all, (&own, name), ("networks", true), rng));
    Ok(each.collect())
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
    let estimate = improvement(own, other, Better::Lower, rng);
    let text = format!(
        "mean {:.3} against {:.3} at {ratio:.3} of its cost, one-sided p = {p:.4}; as low or lower in {:.0}% of pairs",
        mean(own),
        mean(other),
        100.0 * estimate.value
    );
    let enough = own.len().min(other.len()) >= LEAST;
    let found = Finding::new(&format!("{place}, {rival}"), estimate, text).in_paper(in_paper);
    // Costs are counts: what costs too much is decided.
    let found =
        if ratio > SHARE { found } else { found.within(Region::above(0.5)).of_replicates() };
    found
        .met(enough.then_some(p < ALPHA && ratio <= SHARE))
        .effect(cliffs_delta(own, other), "Cliff's δ")
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use kit::table::Columns;

    #[test]
    fn both_the_values_and_the_cost_count() {
        let mut rng = ChaCha12Rng::seed_from_u64(1);
        let mut judge = |shift: f64, cost: f64| {
            let seeds = 0..20;
            let methods =
                seeds.clone().map(|_| "harmonica-1").chain(seeds.clone().map(|_| "other"));
            let value = |own: f64| move |i: i32| f64::from(i) + own;
            let values = seeds.clone().map(value(0.0)).chain(seeds.clone().map(value(shift)));
            let costs = seeds.clone().map(|_| 1.0).chain(seeds.clone().map(|_| cost));
            let table = Columns::new()
                .text("method", "", methods)
                .real("regret", "", values)
                .real("cost", "", costs)
                .batch()
                .unwrap();
            let found = synthetic(&table, &mut rng).unwrap();
            assert_eq!((found.len(), found[0].in_paper), (1, false));
            found[0].met
        };
        assert_eq!(judge(9.0, 5.0), Some(true));
        assert_eq!(judge(9.0, 4.9), Some(false));
        assert_eq!(judge(1.0, 5.0), Some(false));
        assert_eq!(judge(-9.0, 9.0), Some(false));
    }
}
