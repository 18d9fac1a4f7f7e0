//! Ours against theirs on parts of the data: as [`crate::external::parity`], with data sets as tasks.

use std::collections::BTreeMap;

use kit::port::{In, Out};
use pipeline::stage::{Context, Needs, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::moments::mean;

use super::tables::{Choice, PartParity};
use crate::external::{parity::Match, ranks::expected_ranks, tables::Difference};

/// Compares ours with theirs.
#[derive(Serialize, Deserialize)]
pub struct Compared {
    /// What is compared.
    pub matches: Vec<Match>,
    /// Differences of mean ranks that do not matter.
    pub margin: f64,
}

impl Compared {
    /// The choices of our tuners.
    pub const CHOICES: In<Choice> = In::new("choices");
    /// Those of external optimisers.
    pub const EXTERNAL: In<Choice> = In::new("external");
    /// One row per match.
    pub const MAIN: Out<PartParity> = Out::table("main");
}

impl Stage for Compared {
    const KIND: &'static str = "compare/part-parity";
    const MODULE: &'static str = module_path!();

    fn needs(&self) -> Needs {
        Needs::worker(600)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let mut choices = Self::CHOICES.read(cx)?;
        choices.extend(Self::EXTERNAL.read(cx)?);
        Self::MAIN.write(cx, &self.compared(&choices))
    }
}

/// Tuner → the excess of each run.
type Field<'a> = BTreeMap<&'a str, Vec<f64>>;

/// The choices at the end by data set.
fn ends(choices: &[Choice]) -> BTreeMap<u32, Field<'_>> {
    let last = choices.iter().map(|choice| choice.spent).max();
    let mut all: BTreeMap<u32, Field<'_>> = BTreeMap::new();
    for choice in choices.iter().filter(|choice| Some(choice.spent) == last) {
        let field = all.entry(choice.data_set).or_default();
        field.entry(&choice.tuner).or_default().push(choice.excess);
    }
    all
}

impl Compared {
    /// The matches of tuners that ran on every data set.
    fn compared(&self, choices: &[Choice]) -> Vec<PartParity> {
        let ends = ends(choices);
        let by_data_set: Vec<BTreeMap<&str, f64>> = ends
            .values()
            .map(|field| {
                let runs: Vec<Vec<f64>> = field.values().cloned().collect();
                field.keys().copied().zip(expected_ranks(&runs)).collect()
            })
            .collect();
        let rank_of = |tuner: &str| -> Option<Vec<f64>> {
            by_data_set.iter().map(|field| field.get(tuner).copied()).collect()
        };
        let runs_of = |tuner: &str| -> Option<Vec<&Vec<f64>>> {
            ends.values().map(|f| f.get(tuner)).collect()
        };
        let row = |pair: &Match| {
            let ours = pair.ours.as_deref()?;
            let (rank, their_rank) = (rank_of(ours)?, rank_of(&pair.theirs)?);
            let (own, other) = (runs_of(ours)?, runs_of(&pair.theirs)?);
            let fewest = |runs: &[&Vec<f64>]| runs.iter().map(|own| own.len()).min();
            let excess =
                |runs: &[&Vec<f64>]| mean(&runs.iter().map(|own| mean(own)).collect::<Vec<_>>());
            let ranks = Difference::new(&rank, &their_rank, self.margin);
            Some(PartParity {
                ours: ours.to_owned(),
                theirs: pair.theirs.clone(),
                package: pair.package.clone(),
                data_sets: ends.len(),
                runs: fewest(&own)?,
                their_runs: fewest(&other)?,
                field: by_data_set.first()?.len(),
                rank: mean(&rank),
                their_rank: mean(&their_rank),
                ranks,
                excess: excess(&own),
                their_excess: excess(&other),
                found: ranks.said().to_owned(),
            })
        };
        self.matches.iter().filter_map(row).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Both have two runs on each of eight data sets; what was chosen earlier does not count.
    fn choices(theirs: f64) -> Vec<Choice> {
        let mut all = Vec::new();
        for data_set in 0..8 {
            let own = 0.125 * f64::from(data_set + 1);
            for (tuner, spent, excess) in
                [("bohb", 4, own), ("theirs", 4, theirs * own), ("theirs", 1, 9.0)]
            {
                all.extend([0, 1].map(|run| Choice {
                    data_set,
                    tuner: tuner.to_owned(),
                    run,
                    spent,
                    trainings: 9,
                    learners: 4,
                    learners_on_the_whole: 2,
                    learner: "tree".to_owned(),
                    divisor: 1,
                    excess,
                    seconds: 2.0,
                }));
            }
        }
        all
    }

    fn compared(theirs: f64, name: &str) -> Vec<PartParity> {
        let one = Match {
            ours: Some("bohb".to_owned()),
            theirs: name.to_owned(),
            package: "pack 1.0".to_owned(),
        };
        Compared { matches: vec![one], margin: 0.5 }.compared(&choices(theirs))
    }

    #[test]
    fn the_end_decides_and_the_better_is_told() {
        let same = &compared(1.0, "theirs")[0];
        assert_eq!((same.ranks.difference, same.found.as_str()), (0.0, "equivalent"));
        assert_eq!((same.data_sets, same.runs, same.their_runs, same.field), (8, 2, 2, 2));
        let better = &compared(2.0, "theirs")[0];
        assert_eq!((better.ranks.difference, better.found.as_str()), (-1.0, "ours better"));
        assert_eq!((better.excess, better.their_excess), (0.5625, 1.125));
        let worse = &compared(0.5, "theirs")[0];
        assert_eq!((worse.ranks.difference, worse.found.as_str()), (1.0, "theirs better"));
        assert!(compared(1.0, "absent").is_empty(), "what did not run has no row");
    }
}
