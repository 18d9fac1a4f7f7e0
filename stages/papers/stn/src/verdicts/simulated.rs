//! The evidence as it would be if a claim were true, or not: the tables at hand with other values in the
//! columns that its criterion looks at, and as many rows.

use std::collections::BTreeMap;

use kit::{
    claims::{
        calibration::{World, normals, scatter},
        evidence::Tables,
    },
    table::{Columns, Rows},
};
use pipeline::stage::Stop;
use rand_chacha::ChaCha12Rng;
use stats::moments::{mean, variance};

use super::text::rests_on;

/// The tables in a world; nothing for claims whose findings are drawn about levels.
pub fn tables(
    id: &str,
    tables: &Tables,
    world: World,
    rng: &mut ChaCha12Rng,
) -> Option<Result<Tables, Stop>> {
    if id != "N10" {
        return None;
    }
    let [grid, results] = rests_on(id) else { return None };
    let mut simulated = Ok(tables.clone());
    if let Some(table) = tables.get(grid) {
        simulated = simulated.and_then(|all| all.with(grid, dropouts(Rows(table), world, rng)?));
    }
    if let Some(table) = tables.get(results) {
        simulated = simulated.and_then(|all| all.with(results, greedy(Rows(table), world, rng)?));
    }
    Some(simulated)
}

/// N10: losses grow with the distance of the two rates' sum from the best one, which goes from the least
/// to the largest in the course of a training, or stays in the middle. Replicates scatter as they do.
fn dropouts(rows: Rows, world: World, rng: &mut ChaCha12Rng) -> Result<Columns, Stop> {
    let (input, output) = (rows.real("value")?, rows.real("second")?);
    let (epoch, loss) = (rows.index("epoch")?, rows.real("valid_loss")?);
    let sum = |i: usize| input[i] + output[i];
    let ends = |values: &[f64]| {
        let low = values.iter().copied().fold(f64::INFINITY, f64::min);
        (low, values.iter().copied().fold(f64::NEG_INFINITY, f64::max))
    };
    let (least, most) = ends(&(0..rows.len()).map(sum).collect::<Vec<_>>());
    let (lowest, highest) = ends(&loss);
    let slope = (highest - lowest) / (most - least).max(f64::MIN_POSITIVE);
    let mut cells: BTreeMap<(u32, u64, u64), Vec<f64>> = BTreeMap::new();
    for i in 0..rows.len() {
        let cell = (epoch[i], input[i].to_bits(), output[i].to_bits());
        cells.entry(cell).or_default().push(loss[i]);
    }
    let spread =
        mean(&cells.values().map(|c| variance(c)).filter(|v| v.is_finite()).collect::<Vec<_>>());
    let spread = if spread.is_finite() { spread.sqrt() } else { 0.0 };
    let epochs: Vec<u32> =
        epoch.iter().copied().collect::<std::collections::BTreeSet<_>>().into_iter().collect();
    let course = |epoch: u32| {
        let at = epochs.iter().position(|e| *e == epoch).unwrap_or(0);
        at as f64 / (epochs.len() - 1).max(1) as f64
    };
    let noise = normals(rows.len(), 0.0, spread, rng);
    let drawn = (0..rows.len()).map(|i| {
        let best = least + (most - least) * world.pick(course(epoch[i]), 0.5);
        lowest + slope * (sum(i) - best).abs() + noise[i]
    });
    Ok(Columns::new().real("valid_loss", "", drawn.collect::<Vec<_>>()))
}

/// N10: the greedy schedule ends below the best fixed value by a standard deviation between replicates, or
/// where that ends.
fn greedy(rows: Rows, world: World, rng: &mut ChaCha12Rng) -> Result<Columns, Stop> {
    let (method, replicate) = (rows.text("method")?, rows.index("replicate")?);
    let perplexity = rows.real("perplexity")?;
    let of = |name: &str, r: u32| {
        let own = (0..rows.len()).filter(|&i| method[i] == name && replicate[i] == r);
        own.map(|i| perplexity[i]).fold(f64::NAN, f64::min)
    };
    let replicates: std::collections::BTreeSet<u32> = replicate.iter().copied().collect();
    let gaps: Vec<f64> = replicates.iter().map(|&r| of("greedy", r) - of("fixed", r)).collect();
    let sound: Vec<f64> = gaps.into_iter().filter(|gap| gap.is_finite()).collect();
    let deviation = scatter(&sound);
    let lead = normals(rows.len(), world.pick(-deviation, 0.0), deviation, rng);
    let drawn = (0..rows.len()).map(|i| match method[i].as_str() {
        "greedy" => of("fixed", replicate[i]) + lead[i],
        _ => perplexity[i],
    });
    Ok(Columns::new().real("perplexity", "", drawn.collect::<Vec<_>>()))
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::{
        super::{courses, text},
        *,
    };

    #[test]
    fn the_best_rates_rise_in_the_claimed_world_alone() {
        let rates = [0.0, 0.2, 0.4];
        let mut rows = Vec::new();
        for epoch in [1, 4, 10] {
            for input in rates {
                for output in rates {
                    rows.push((epoch, input, output, 5.0 + input));
                }
            }
        }
        let table = Columns::new()
            .real("value", "", rows.iter().map(|r| r.1))
            .real("second", "", rows.iter().map(|r| r.2))
            .index("replicate", "", rows.iter().map(|_| 0))
            .index("epoch", "", rows.iter().map(|r| r.0))
            .real("valid_loss", "", rows.iter().map(|r| r.3))
            .batch()
            .unwrap();
        let met = |world| {
            let mut rng = ChaCha12Rng::seed_from_u64(1);
            let columns = dropouts(Rows(&table), world, &mut rng).unwrap().batch().unwrap();
            let table = kit::table::replaced(&table, &columns).unwrap();
            courses::dropouts(&table, &mut rng).unwrap().met
        };
        assert_eq!(met(World::Claimed), Some(true));
        assert_eq!(met(World::Absent), Some(false));
        assert_eq!(text::rests_on("N10").len(), 2, "the grid, and what the greedy schedule is in");
    }
}
