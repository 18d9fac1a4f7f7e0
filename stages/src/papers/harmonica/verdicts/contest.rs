//! Claim H8 on a synthetic function: Harmonica-1 against rivals that spend more.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;

use super::finding;
use crate::{
    claims::Finding,
    stats::{
        alternative::Alternative, better::Better, effect::cliffs_delta, improvement::improvement,
        mann_whitney::MannWhitney, moments::mean,
    },
    table::Rows,
};

/// Level of the test, and the most that Harmonica may cost against a rival.
const ALPHA: f64 = 0.05;
const SHARE: f64 = 0.2;

/// H8: lower values at no more than a fifth of the cost, against each rival.
pub(super) fn synthetic(table: &RecordBatch, rng: &mut ChaCha12Rng) -> Result<Vec<Finding>, Stop> {
    let rows = Rows(table);
    let (method, value, cost) = (rows.text("method")?, rows.real("value")?, rows.real("cost")?);
    let mut all: BTreeMap<String, (Vec<f64>, Vec<f64>)> = BTreeMap::new();
    for i in 0..rows.len() {
        let own = all.entry(method[i].clone()).or_default();
        own.0.push(value[i]);
        own.1.push(cost[i]);
    }
    let Some((_, (own, own_cost))) = all.iter().find(|(name, _)| name.starts_with("harmonica"))
    else {
        return Ok(Vec::new());
    };
    let rivals = all.iter().filter(|(name, _)| !name.starts_with("harmonica"));
    let each = rivals.map(|(name, (other, other_cost))| {
        let p = MannWhitney::new(own, other).p(Alternative::Less);
        let ratio = mean(own_cost) / mean(other_cost);
        let estimate = improvement(own, other, Better::Lower, rng);
        let text = format!(
            "mean {:.1} against {:.1} at {ratio:.3} of its cost, one-sided p = {p:.4}; as low or lower in {:.0}% of pairs",
            mean(own),
            mean(other),
            100.0 * estimate.value
        );
        let holds = Some(p < ALPHA && ratio <= SHARE);
        let mut found = finding(&format!("synthetic, {name}"), false, holds, estimate, text);
        found.effect = Some((cliffs_delta(own, other), "Cliff's δ"));
        found
    });
    Ok(each.collect())
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use crate::table::Columns;

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
                .real("value", "", values)
                .real("cost", "", costs)
                .batch()
                .unwrap();
            let found = synthetic(&table, &mut rng).unwrap();
            assert_eq!((found.len(), found[0].in_paper), (1, false));
            found[0].holds
        };
        assert_eq!(judge(9.0, 5.0), Some(true));
        assert_eq!(judge(9.0, 4.9), Some(false));
        assert_eq!(judge(1.0, 5.0), Some(false));
        assert_eq!(judge(-9.0, 9.0), Some(false));
    }
}
