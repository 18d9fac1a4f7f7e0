//! Derives findings from tables: one function per claim, each with its criterion as pre-registered.

mod lower;

use std::collections::BTreeMap;

use kit::{
    claims::{
        Found,
        calibration::{World, normals},
        finding::Finding,
        rule::Rule,
        unjudged,
    },
    port::In,
};
use pipeline::stage::{Context, Stop};
use rand_chacha::ChaCha12Rng;
use stats::moments::{mean, variance};

use crate::tried::Tried;

/// All searches.
pub const SEARCHES: In<Tried> = In::new("searches");

/// The lowest loss of each run, in the order of repeats: (problem, method) → losses.
#[derive(Default)]
pub struct Runs(BTreeMap<(String, String), Vec<f64>>);

impl Runs {
    /// Reads the searches; unavailable ones are absent.
    ///
    /// # Errors
    /// If the table is corrupt or lacks a column.
    pub fn read(cx: &Context) -> Result<Self, Stop> {
        // Rows of a run are in the order of evaluations: the last one stays.
        let mut last = BTreeMap::new();
        for row in SEARCHES.read_if_there(cx)?.unwrap_or_default() {
            last.insert((row.problem, row.method, row.repeat), row.best);
        }
        let mut runs = Self::default();
        for ((problem, method, _), best) in last {
            runs.0.entry((problem, method)).or_default().push(best);
        }
        Ok(runs)
    }

    /// The same number of runs, with the losses of all methods around one mean per problem: those of `lower`
    /// are a standard deviation lower, or not.
    fn simulated(&self, lower: &str, world: World, rng: &mut ChaCha12Rng) -> Self {
        let one = |((problem, method), losses): (&(String, String), &Vec<f64>)| {
            let own = self.0.iter().filter(|((other, _), _)| other == problem);
            let all: Vec<f64> = own.flat_map(|(_, losses)| losses.iter().copied()).collect();
            let (centre, deviation) = (mean(&all), variance(&all).sqrt());
            let lead = if method == lower { world.pick(deviation, 0.0) } else { 0.0 };
            let drawn = normals(losses.len(), centre - lead, deviation, rng);
            ((problem.clone(), method.clone()), drawn)
        };
        Self(self.0.iter().map(one).collect())
    }
}

/// The methods that a claim compares: the first should end at the lower losses.
fn compares(id: &str) -> Result<[&'static str; 2], Stop> {
    Ok(match id {
        "C1" => ["tpe", "random"],
        _ => return Err(unjudged(id)),
    })
}

/// The findings about one claim, and the rule that combines them into one answer.
///
/// # Errors
/// If no function here judges it.
pub fn find(id: &str, runs: &Runs, rng: &mut ChaCha12Rng) -> Result<Found, Stop> {
    Ok((Rule::Each, lower::lower(runs, compares(id)?, rng)))
}

/// The findings as they would be if the claim were true, or not.
///
/// # Errors
/// If no function here judges it.
pub fn simulate(
    id: &str,
    runs: &Runs,
    world: World,
    rng: &mut ChaCha12Rng,
) -> Result<Vec<Finding>, Stop> {
    let compared = compares(id)?;
    Ok(lower::lower(&runs.simulated(compared[0], world, rng), compared, rng))
}
