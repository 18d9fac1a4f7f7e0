//! What each tuner had chosen when so much was spent: on each data set at the end, and over all data sets on the way.

use std::collections::BTreeMap;

use kit::port::{In, Out};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};
use stats::{
    bootstrap::{Estimate, interval},
    moments::mean,
    rank_tests::ranks::ranks,
};

use super::{
    arm::Arm as _,
    arms::random::RandomArm,
    tables::{Choice, PartCourse, PartProgress, PartStanding},
};
use crate::curves::ROUNDING;

/// Compares choices.
#[derive(Serialize, Deserialize)]
pub struct Standings {}

impl Standings {
    /// All choices.
    pub const CHOICES: In<Choice> = In::new("choices");
    /// One row per data set and tuner.
    pub const MAIN: Out<PartStanding> = Out::table("main");
    /// One row per tuner and price.
    pub const PROGRESS: Out<PartProgress> = Out::table("progress");
    /// One row per tuner, run and price.
    pub const RUNS: Out<PartCourse> = Out::table("runs");
}

impl Stage for Standings {
    const KIND: &'static str = "compare/part-standings";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] =
        &[Self::MAIN.output(), Self::PROGRESS.output(), Self::RUNS.output()];

    fn needs(&self) -> Needs {
        Needs::worker(600)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let choices = Self::CHOICES.read(cx)?;
        let prices = prices(&choices);
        let last = prices.last_key_value();
        Self::MAIN.write(cx, &last.map_or_else(Vec::new, |(_, tuners)| standings(tuners)))?;
        let mut progress = Vec::new();
        for (&spent, tuners) in &prices {
            let all = standings(tuners);
            let random = excesses(&all, RandomArm::NAME);
            for &tuner in tuners.keys() {
                // Named by the tuner, so that another one beside it moves no interval.
                let mut rng = cx.rng(&format!("data sets {tuner} {spent}"))?;
                let mut estimate = |values: &[f64]| interval(values, &mut rng, mean);
                progress.push(point((tuner, spent), &all, &random, &mut estimate));
            }
        }
        Self::PROGRESS.write(cx, &progress)?;
        Self::RUNS.write(cx, &courses(&prices))
    }
}

/// Data set → choices of the runs.
type DataSets<'a> = BTreeMap<u32, Vec<&'a Choice>>;
/// Tuner → its choices.
type Tuners<'a> = BTreeMap<&'a str, DataSets<'a>>;

/// The choices by what was spent.
fn prices(choices: &[Choice]) -> BTreeMap<u32, Tuners<'_>> {
    let mut all: BTreeMap<u32, Tuners<'_>> = BTreeMap::new();
    for choice in choices {
        let own = all.entry(choice.spent).or_default().entry(&choice.tuner).or_default();
        own.entry(choice.data_set).or_default().push(choice);
    }
    all
}

/// Every tuner on every data set, in the order of these.
fn standings(tuners: &Tuners<'_>) -> Vec<PartStanding> {
    let mut by_data_set: BTreeMap<u32, Vec<PartStanding>> = BTreeMap::new();
    for (&tuner, data_sets) in tuners {
        for (&data_set, runs) in data_sets {
            let mean_of =
                |of: fn(&Choice) -> f64| mean(&runs.iter().map(|run| of(run)).collect::<Vec<_>>());
            by_data_set.entry(data_set).or_default().push(PartStanding {
                data_set,
                tuner: tuner.to_owned(),
                runs: runs.len(),
                excess: mean_of(|run| run.excess),
                best: mean_of(|run| f64::from(run.excess <= ROUNDING)),
                learners: mean_of(|run| f64::from(run.learners)),
                learners_on_the_whole: mean_of(|run| f64::from(run.learners_on_the_whole)),
                rank: 0.0,
                seconds: mean_of(|run| run.seconds),
            });
        }
    }
    for own in by_data_set.values_mut() {
        let found = ranks(&own.iter().map(|row| row.excess).collect::<Vec<_>>());
        own.iter_mut().zip(found.ranks).for_each(|(row, rank)| row.rank = rank);
    }
    by_data_set.into_values().flatten().collect()
}

/// The mean excess of a tuner by data set.
fn excesses(all: &[PartStanding], tuner: &str) -> BTreeMap<u32, f64> {
    let own = all.iter().filter(|row| row.tuner == tuner);
    own.map(|row| (row.data_set, row.excess)).collect()
}

/// A tuner over all data sets, beside random search on those that both have.
fn point(
    (tuner, spent): (&str, u32),
    all: &[PartStanding],
    random: &BTreeMap<u32, f64>,
    estimate: &mut impl FnMut(&[f64]) -> Estimate,
) -> PartProgress {
    let own: Vec<&PartStanding> = all.iter().filter(|row| row.tuner == tuner).collect();
    let values = |of: fn(&PartStanding) -> f64| own.iter().map(|row| of(row)).collect::<Vec<_>>();
    let excess = estimate(&values(|row| row.excess));
    let difference = |row: &&PartStanding| Some(row.excess - random.get(&row.data_set)?);
    let differences: Vec<f64> = own.iter().filter_map(difference).collect();
    let against = (!differences.is_empty()).then(|| estimate(&differences));
    PartProgress {
        tuner: tuner.to_owned(),
        spent,
        data_sets: own.len(),
        excess: excess.value,
        low: excess.low,
        high: excess.high,
        against_random: against.map(|found| found.value),
        against_low: against.map(|found| found.low),
        against_high: against.map(|found| found.high),
        best: mean(&values(|row| row.best)),
        learners: mean(&values(|row| row.learners)),
        learners_on_the_whole: mean(&values(|row| row.learners_on_the_whole)),
        rank: mean(&values(|row| row.rank)),
        seconds: mean(&values(|row| row.seconds)),
    }
}

/// The mean excess over data sets of the runs of each number.
fn courses(prices: &BTreeMap<u32, Tuners<'_>>) -> Vec<PartCourse> {
    let mut rows = Vec::new();
    for (&spent, tuners) in prices {
        for (&tuner, data_sets) in tuners {
            let mut runs: BTreeMap<u32, Vec<f64>> = BTreeMap::new();
            for choice in data_sets.values().flatten() {
                runs.entry(choice.run).or_default().push(choice.excess);
            }
            rows.extend(runs.into_iter().map(|(run, excesses)| PartCourse {
                tuner: tuner.to_owned(),
                run,
                spent,
                excess: mean(&excesses),
            }));
        }
    }
    rows
}

#[cfg(test)]
mod tests {
    use super::*;

    fn choice(tuner: &str, data_set: u32, run: u32, excess: f64) -> Choice {
        Choice {
            data_set,
            tuner: tuner.to_owned(),
            run,
            spent: 4,
            trainings: 9,
            learners: 4 + run,
            learners_on_the_whole: 2,
            learner: "tree".to_owned(),
            divisor: 1,
            excess,
            seconds: 2.0,
        }
    }

    /// Two runs of each tuner on data set 1, one on 2.
    fn choices() -> Vec<Choice> {
        vec![
            choice("asha", 1, 0, 0.0),
            choice("asha", 1, 1, 0.25),
            choice("asha", 2, 0, 0.5),
            choice("random", 1, 0, 0.5),
            choice("random", 1, 1, 0.25),
            choice("random", 2, 0, 0.5),
        ]
    }

    #[test]
    fn runs_are_averaged_on_each_data_set_and_ranked_there() {
        let all = choices();
        let found = standings(&prices(&all)[&4]);
        let rows: Vec<_> = found
            .iter()
            .map(|row| (row.data_set, row.tuner.as_str(), row.excess, row.best, row.rank, row.runs))
            .collect();
        let first = [(1, "asha", 0.125, 0.5, 1.0, 2), (1, "random", 0.375, 0.0, 2.0, 2)];
        // Equal means share their ranks.
        let second = [(2, "asha", 0.5, 0.0, 1.5, 1), (2, "random", 0.5, 0.0, 1.5, 1)];
        assert_eq!(rows, [first, second].concat());
    }

    #[test]
    fn data_sets_weigh_the_same_and_random_search_is_met_on_each() {
        let all = choices();
        let found = standings(&prices(&all)[&4]);
        let random = excesses(&found, "random");
        let mut plain =
            |values: &[f64]| Estimate { value: mean(values), low: 0.0, high: 1.0, n: values.len() };
        let row = point(("asha", 4), &found, &random, &mut plain);
        assert_eq!((row.data_sets, row.excess, row.rank, row.best), (2, 0.3125, 1.25, 0.25));
        assert_eq!((row.against_random, row.seconds), (Some(-0.125), 2.0));
        assert_eq!((row.learners, row.learners_on_the_whole), (4.25, 2.0));
        let alone = point(("asha", 4), &found, &BTreeMap::new(), &mut plain);
        assert_eq!((alone.against_random, alone.against_low), (None, None));
    }

    #[test]
    fn a_course_is_over_the_data_sets_of_one_number() {
        let all = choices();
        let rows = courses(&prices(&all));
        let rows: Vec<_> =
            rows.iter().map(|row| (row.tuner.as_str(), row.run, row.excess)).collect();
        let expected =
            [("asha", 0, 0.25), ("asha", 1, 0.25), ("random", 0, 0.5), ("random", 1, 0.25)];
        assert_eq!(rows, expected);
    }
}
