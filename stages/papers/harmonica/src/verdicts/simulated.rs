//! The evidence as it would be if a claim were true, or not: the tables at hand with other values in the
//! columns that its criterion looks at, and as many rows.

use std::collections::BTreeMap;

use arrow_array::RecordBatch;
use kit::{
    claims::{calibration::World, evidence::Tables},
    table::{Columns, Rows},
};
use models::neural::residual::{COUNT, DUMMIES};
use pipeline::stage::Stop;
use rand::RngExt;
use rand_chacha::ChaCha12Rng;
use stats::moments::{mean, variance};

use super::{network, synthetic_input};
use crate::{dummies_among, network::table_3::TABLE_3};

/// H1 in a world without recovery: as likely as not.
const BY_CHANCE: f64 = 0.5;

/// The tables in a world; nothing for claims whose findings are drawn about levels.
pub fn tables(
    id: &str,
    tables: &Tables,
    rules: &str,
    world: World,
    rng: &mut ChaCha12Rng,
) -> Option<Result<Tables, Stop>> {
    let simulate: Simulate = match id {
        "H1" => recovery,
        "H2" => noise,
        "H4" => stability,
        "H5" => dominant,
        "H6" => dummies,
        "H8" => contest,
        _ => return None,
    };
    let roles = [synthetic_input(id, rules), network::rests_on(id).map(str::to_owned)];
    let mut simulated = Ok(tables.clone());
    for role in roles.iter().flatten() {
        let Some(table) = tables.get(role) else { continue };
        simulated = simulated.and_then(|all| all.with(role, simulate(Rows(table), world, rng)?));
    }
    Some(simulated)
}

type Simulate = fn(Rows, World, &mut ChaCha12Rng) -> Result<Columns, Stop>;

/// H1: every function is recovered, or each as likely as not.
fn recovery(rows: Rows, world: World, rng: &mut ChaCha12Rng) -> Result<Columns, Stop> {
    let lowest = rows.real("lowest")?;
    let found: Vec<bool> =
        lowest.iter().map(|_| rng.random_bool(world.pick(1.0, BY_CHANCE))).collect();
    let reached: Vec<f64> =
        found.iter().zip(&lowest).map(|(&f, &low)| if f { low } else { low + 1.0 }).collect();
    Ok(Columns::new().flag("support", "", found).real("reached", "", reached))
}

/// H2: mean errors in proportion to the noise, or the same at every level; about them the errors of
/// seeds scatter as they do.
fn noise(rows: Rows, world: World, rng: &mut ChaCha12Rng) -> Result<Columns, Stop> {
    let (sweep, level, stage) = (rows.text("sweep")?, rows.real("level")?, rows.index("stage")?);
    let mut groups: BTreeMap<(&str, u32, u64), Vec<usize>> = BTreeMap::new();
    for i in 0..rows.len() {
        let key = (sweep[i].as_str(), stage[i], level[i].to_bits());
        groups.entry(key).or_default().push(i);
    }
    let mean_of =
        |values: &[f64], of: &[usize]| mean(&of.iter().map(|&i| values[i]).collect::<Vec<_>>());
    let mut columns = Columns::new();
    for name in ["error", "refitted"] {
        let error = rows.real(name)?;
        let mut drawn = error.clone();
        for ((sweep, stage, _), own) in &groups {
            let alike = groups.iter().filter(|((n, s, _), _)| n == sweep && s == stage);
            let all: Vec<usize> = alike.flat_map(|(_, rows)| rows.iter().copied()).collect();
            let (height, middle) = (mean_of(&error, &all), mean_of(&level, &all));
            let centre = world.pick(height * level[own[0]] / middle, height);
            let here = mean_of(&error, own);
            for &i in own {
                drawn[i] = centre + error[own[rng.random_range(0..own.len())]] - here;
            }
        }
        columns = columns.real(name, "", drawn);
    }
    Ok(columns)
}

/// H4: features stay the same, or they are other ones each time.
fn stability(rows: Rows, world: World, _: &mut ChaCha12Rng) -> Result<Columns, Stop> {
    let same = world.pick(true, false);
    let shared = rows.index("shared")?;
    let shared: Vec<u32> = shared.into_iter().map(|s| if same { s } else { 0 }).collect();
    Ok(Columns::new().flag("same", "", vec![same; shared.len()]).index("shared", "", shared))
}

/// H5: the features of Table 3 in its order, or monomials at random.
fn dominant(rows: Rows, world: World, rng: &mut ChaCha12Rng) -> Result<Columns, Stop> {
    let (stage, rank, degree) = (rows.index("stage")?, rows.index("rank")?, rows.index("degree")?);
    let most = degree.iter().copied().max().unwrap_or(1);
    let variables = (0..rows.len()).map(|i| {
        let own = TABLE_3.iter().filter(|(s, ..)| *s == stage[i]);
        let listed = own.map(|(_, name, _)| *name).nth(rank[i].saturating_sub(1) as usize);
        match (world, listed) {
            (World::Claimed, Some(name)) => name.to_owned(),
            _ => monomial(most, rng),
        }
    });
    Ok(Columns::new().text("variables", "", variables.collect::<Vec<_>>()))
}

/// The numbers of some of the network's variables, at most so many, all monomials alike.
fn monomial(most: u32, rng: &mut ChaCha12Rng) -> String {
    // How many monomials there are of each degree.
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

/// H6: no dummy is selected, or features are selected at random.
fn dummies(rows: Rows, world: World, rng: &mut ChaCha12Rng) -> Result<Columns, Stop> {
    let idle = rows.index("dummies")?;
    let mut alone = |share: f64| -> Vec<bool> {
        let share = world.pick(0.0, share);
        idle.iter().map(|_| rng.random_bool(share)).collect()
    };
    // The table of the synthetic functions says so itself.
    if let Ok(share) = rows.real("chance") {
        let alone = alone(share.first().copied().unwrap_or(0.0));
        return Ok(Columns::new().flag("alone", "", alone));
    }
    let degree = rows.index("degree")?;
    let most = degree.iter().copied().max().unwrap_or(1) as usize;
    let alone = alone(dummies_among(COUNT, DUMMIES, most));
    let pairs = || alone.iter().zip(degree.iter().zip(&idle));
    let degrees = pairs().map(|(&alone, (&d, _))| if alone { 1 } else { d });
    let idle = pairs().map(|(&alone, (&d, &idle))| match (alone, d) {
        (true, _) => 1,
        (false, 1) => 0,
        _ => idle,
    });
    Ok(Columns::new().index("degree", "", degrees).index("dummies", "", idle))
}

/// H8: values of all methods from one sample, Harmonica's lower by a standard deviation, or not. Costs
/// stay what they were.
fn contest(rows: Rows, world: World, rng: &mut ChaCha12Rng) -> Result<Columns, Stop> {
    let method = rows.text("method")?;
    let column = if has(rows.0, "regret") { "regret" } else { "error" };
    let values = rows.real(column)?;
    let sound: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
    let lead = world.pick(variance(&sound).sqrt(), 0.0);
    let draw = |(method, value): (&String, &f64)| {
        if sound.is_empty() {
            return *value;
        }
        let any = sound[rng.random_range(0..sound.len())];
        if method.starts_with("harmonica") { any - lead } else { any }
    };
    let drawn: Vec<f64> = method.iter().zip(&values).map(draw).collect();
    Ok(Columns::new().real(column, "", drawn))
}

fn has(table: &RecordBatch, column: &str) -> bool {
    table.column_by_name(column).is_some()
}

#[cfg(test)]
#[path = "simulated_tests.rs"]
mod tests;
