//! Pairs of tuners over all tasks, by the Bayesian signed-rank test with a region of practical equivalence
//! \[Benavoli2014\].

use kit::port::{In, Out};
use pipeline::stage::{Context, Needs, Stage, Stop};
use rand_chacha::ChaCha12Rng;
use serde::{Deserialize, Serialize};
use stats::{moments::mean, rank_tests::bayesian_signed_rank::BayesianSignedRanks};

use crate::{
    runs::{Group, Runs, last, mean_of},
    tables::{Pair, Trace},
};

/// Compares pairs.
#[derive(Serialize, Deserialize)]
pub struct Pairs {
    /// Differences of mean normalised regrets that do not matter.
    pub rope: f64,
}

/// The strength of the prior, as published.
const PRIOR: f64 = 0.5;
/// Draws from the posterior distribution.
const DRAWS: usize = 20_000;

impl Pairs {
    /// All runs.
    pub const TRACES: In<Trace> = In::new("traces");
    /// One row per pair.
    pub const MAIN: Out<Pair> = Out::table("main");
}

impl Stage for Pairs {
    const KIND: &'static str = "compare/pairs";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(600)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let runs = Runs::from(Self::TRACES.read(cx)?);
        // The last group has all tasks.
        let groups = runs.groups();
        let mut rng = cx.rng("posterior")?;
        let rows = groups.last().map(|all| pairs(all, self.rope, &mut rng));
        Self::MAIN.write(cx, &rows.unwrap_or_default())
    }
}

fn pairs(all: &Group, rope: f64, rng: &mut ChaCha12Rng) -> Vec<Pair> {
    let mut rows = Vec::new();
    for (i, &tuner) in all.tuners.iter().enumerate() {
        for &other in &all.tuners[i + 1..] {
            let differences = all.tasks.iter().filter_map(|task| {
                Some(mean_of(&task[tuner], last)? - mean_of(&task[other], last)?)
            });
            let differences: Vec<f64> = differences.collect();
            let test = BayesianSignedRanks::new(&differences, rope, PRIOR);
            let [better, same, worse] = test.probabilities(DRAWS, rng);
            rows.push(Pair {
                tuner: tuner.to_owned(),
                other: other.to_owned(),
                tasks: differences.len(),
                difference: mean(&differences),
                better,
                same,
                worse,
            });
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use rand_chacha::rand_core::SeedableRng as _;

    use super::*;
    use crate::runs::tests::traces;

    #[test]
    fn lower_regret_is_better_and_small_differences_are_none() {
        let mut rows = Vec::new();
        for task in ["1", "2", "3", "4", "5", "6"] {
            rows.extend(traces(["f", task, "a"], 0, &[0.125]));
            rows.extend(traces(["f", task, "b"], 0, &[0.5]));
            rows.extend(traces(["f", task, "c"], 0, &[0.505]));
        }
        let runs = Runs::from(rows);
        let groups = runs.groups();
        let found = pairs(&groups[0], 0.01, &mut ChaCha12Rng::seed_from_u64(1));
        let names: Vec<_> = found.iter().map(|p| (p.tuner.as_str(), p.other.as_str())).collect();
        assert_eq!(names, [("a", "b"), ("a", "c"), ("b", "c")]);
        assert!(found[0].better > 0.95 && found[1].better > 0.95 && found[2].same > 0.95);
        assert_eq!((found[0].tasks, found[0].difference), (6, -0.375));
    }
}
