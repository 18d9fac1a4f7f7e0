//! Simulates the evidence as it would be if a claim were true, or not: the existing tables with other values
//! in the columns that its criterion uses, and the same number of rows.

use std::collections::BTreeMap;

use kit::claims::calibration::{World, scatter};
use models::neural::residual::{COUNT, DUMMIES};
use rand::RngExt;
use rand_chacha::ChaCha12Rng;
use stats::moments::mean;

use super::evidence::Evidence;
use crate::{
    network::table_3::TABLE_3,
    tables::{
        dummies::{Selected, dummies_among},
        features::Feature,
        noise::Estimated,
        recovery::Recovered,
    },
};

/// H1 in a world without recovery: recovery has probability ½.
const BY_CHANCE: f64 = 0.5;

/// The evidence in a world; `None` for claims whose findings are drawn around levels.
pub fn evidence(
    id: &str,
    evidence: &Evidence,
    world: World,
    rng: &mut ChaCha12Rng,
) -> Option<Evidence> {
    let mut all = evidence.clone();
    match id {
        "H1" => recovery(all.recovery.iter_mut().flatten(), world, rng),
        "H2" => all.noise.iter_mut().for_each(|rows| noise(rows, world, rng)),
        "H4" => {
            let own = all.stability.iter_mut().flatten().map(|r| (&mut r.same, &mut r.shared));
            let networks = all.table_1.iter_mut().flatten().map(|r| (&mut r.same, &mut r.shared));
            stability(own.chain(networks), world);
        }
        "H5" => all.features.iter_mut().for_each(|rows| dominant(rows, world, rng)),
        "H6" => {
            all.dummies.iter_mut().for_each(|rows| alone(rows, world, rng));
            all.features.iter_mut().for_each(|rows| dummies(rows, world, rng));
        }
        "H8" => {
            if let Some(rows) = &mut all.contest {
                let values = rows.iter_mut().map(|r| (r.method.as_str(), r.seed, &mut r.value));
                contest(values.collect(), world, rng);
            }
            if let Some(rows) = &mut all.race {
                let mut errors: Vec<f64> =
                    rows.iter().map(|row| row.error.unwrap_or(f64::NAN)).collect();
                // Runs share no function that could set their level.
                let methods = rows.iter().map(|row| row.run.method.as_str());
                let values = methods.zip(&mut errors).map(|(method, error)| (method, 0, error));
                contest(values.collect(), world, rng);
                for (row, error) in rows.iter_mut().zip(errors) {
                    row.error = Some(error);
                }
            }
        }
        _ => return None,
    }
    Some(all)
}

/// H1: every function is recovered, or each with probability ½.
fn recovery<'a>(
    rows: impl Iterator<Item = &'a mut Recovered>,
    world: World,
    rng: &mut ChaCha12Rng,
) {
    for row in rows {
        row.support = rng.random_bool(world.pick(1.0, BY_CHANCE));
        row.reached = if row.support { row.lowest } else { row.lowest + 1.0 };
    }
}

/// H2: mean errors in proportion to the noise, or the same at every level; the errors of seeds scatter around
/// them as observed.
fn noise(rows: &mut [Estimated], world: World, rng: &mut ChaCha12Rng) {
    let mut groups: BTreeMap<(String, u32, u64), Vec<usize>> = BTreeMap::new();
    for (i, row) in rows.iter().enumerate() {
        let key = (row.sweep.clone(), row.stage, row.level.to_bits());
        groups.entry(key).or_default().push(i);
    }
    let level: Vec<f64> = rows.iter().map(|row| row.level).collect();
    let mean_of =
        |values: &[f64], of: &[usize]| mean(&of.iter().map(|&i| values[i]).collect::<Vec<_>>());
    let columns: [fn(&mut Estimated) -> &mut f64; 2] =
        [|row| &mut row.error, |row| &mut row.refitted];
    for column in columns {
        let error: Vec<f64> = rows.iter_mut().map(|row| *column(row)).collect();
        for ((sweep, stage, _), own) in &groups {
            let alike = groups.iter().filter(|((n, s, _), _)| n == sweep && s == stage);
            let all: Vec<usize> = alike.flat_map(|(_, rows)| rows.iter().copied()).collect();
            let (height, middle) = (mean_of(&error, &all), mean_of(&level, &all));
            let centre = world.pick(height * level[own[0]] / middle, height);
            let here = mean_of(&error, own);
            for &i in own {
                let drawn = error[own[rng.random_range(0..own.len())]];
                *column(&mut rows[i]) = centre + drawn - here;
            }
        }
    }
}

/// H4: features stay the same, or are different each time.
fn stability<'a>(rows: impl Iterator<Item = (&'a mut bool, &'a mut usize)>, world: World) {
    for (same, shared) in rows {
        *same = world.pick(true, false);
        *shared = world.pick(*shared, 0);
    }
}

/// H5: the features of Table 3 in its order, or monomials at random.
fn dominant(rows: &mut [Feature], world: World, rng: &mut ChaCha12Rng) {
    let most = rows.iter().map(|row| row.degree as u32).max().unwrap_or(1);
    for row in rows {
        let own = TABLE_3.iter().filter(|(stage, ..)| *stage == row.stage);
        let listed = own.map(|(_, name, _)| *name).nth(row.rank.saturating_sub(1) as usize);
        row.variables = match (world, listed) {
            (World::Claimed, Some(name)) => name.to_owned(),
            _ => monomial(most, rng),
        };
    }
}

/// The variables of a random monomial up to a degree, uniform over all monomials.
fn monomial(most: u32, rng: &mut ChaCha12Rng) -> String {
    // The number of monomials of each degree.
    let counts: Vec<f64> = (1..=most)
        .map(|d| (0..d).map(|i| (COUNT as f64 - f64::from(i)) / f64::from(i + 1)).product())
        .collect();
    let mut at = rng.random::<f64>() * counts.iter().sum::<f64>();
    let mut degree = 1;
    for count in &counts[..counts.len() - 1] {
        if at >= *count {
            (at, degree) = (at - count, degree + 1);
        } else {
            break;
        }
    }
    let mut chosen = rand::seq::index::sample(rng, COUNT, degree).into_vec();
    chosen.sort_unstable();
    chosen.iter().map(|v| format!("{:02}", v + 1)).collect::<Vec<_>>().join("*")
}

/// H6 on synthetic functions: no dummy is selected, or features are selected at random.
fn alone(rows: &mut [Selected], world: World, rng: &mut ChaCha12Rng) {
    let share = world.pick(0.0, rows.first().map_or(0.0, |row| row.chance));
    for row in rows {
        row.alone = rng.random_bool(share);
    }
}

/// H6 on networks.
fn dummies(rows: &mut [Feature], world: World, rng: &mut ChaCha12Rng) {
    let most = rows.iter().map(|row| row.degree).max().unwrap_or(1);
    let share = world.pick(0.0, dummies_among(COUNT, DUMMIES, most));
    for row in rows {
        (row.degree, row.dummies) = match (rng.random_bool(share), row.degree) {
            (true, _) => (1, 1),
            (false, 1) => (1, 0),
            (false, degree) => (degree, row.dummies),
        };
    }
}

/// H8: functions are drawn from those there are, and all methods are given the same ones, as in the contest. About the
/// mean of its function each value deviates by an amount drawn from all such deviations; Harmonica's are lower by
/// their standard deviation, or not. Costs stay the same, and regret, which is only told, too.
fn contest(values: Vec<(&str, u32, &mut f64)>, world: World, rng: &mut ChaCha12Rng) {
    let mut functions: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
    for (_, function, value) in values.iter().filter(|(.., value)| value.is_finite()) {
        functions.entry(*function).or_default().push(**value);
    }
    if functions.is_empty() {
        return;
    }
    let centres: Vec<f64> = functions.values().map(|own| mean(own)).collect();
    let about = |(own, centre): (&Vec<f64>, &f64)| -> Vec<f64> {
        own.iter().map(|value| value - centre).collect()
    };
    let deviations: Vec<f64> = functions.values().zip(&centres).flat_map(about).collect();
    let lead = world.pick(scatter(&deviations), 0.0);
    let mut drawn: BTreeMap<u32, f64> = BTreeMap::new();
    for (method, function, value) in values {
        let centre =
            *drawn.entry(function).or_insert_with(|| centres[rng.random_range(0..centres.len())]);
        let any = centre + deviations[rng.random_range(0..deviations.len())];
        *value = if method.starts_with("harmonica") { any - lead } else { any };
    }
}

#[cfg(test)]
#[path = "simulated_tests.rs"]
mod tests;
