//! Normalised regret and ranks in the course of the runs, against evaluations and against cost.

use std::collections::{BTreeMap, btree_map::Entry};

use kit::port::{In, Out};
use pipeline::stage::{Context, Needs, Output, Stage, Stop};
use serde::{Deserialize, Serialize};

use crate::{
    resamples::Resamples,
    runs::{Group, Run, Runs},
    tables::{Course, Progress, Trace},
};

/// Follows the runs.
#[derive(Serialize, Deserialize)]
pub struct Anytime {
    /// Evaluations of a run.
    pub evaluations: u32,
    /// Resamples behind an interval.
    pub resamples: usize,
}

/// The ratio of two neighbouring places, unless the next whole number is farther.
const RATIO: f64 = 1.2;

/// The resamples of each shape of scores. They are the same everywhere, since curves are compared.
type Drawn = BTreeMap<(usize, usize), Resamples>;

/// What is spent.
#[derive(Clone, Copy)]
enum Axis {
    Evaluations,
    Trainings,
}

impl Axis {
    fn name(self) -> &'static str {
        match self {
            Self::Evaluations => "evaluations",
            Self::Trainings => "trainings",
        }
    }

    /// The normalised regret of a run once so much is spent; `None` before its first evaluation ends. A run that has
    /// ended keeps its last.
    fn at(self, run: &Run, spent: u32) -> Option<f64> {
        let done = match self {
            Self::Evaluations => run.len().min(spent as usize),
            Self::Trainings => run.partition_point(|step| step.trainings <= f64::from(spent)),
        };
        run[..done].last().map(|step| step.normalised)
    }
}

impl Anytime {
    /// All runs.
    pub const TRACES: In<Trace> = In::new("traces");
    /// One row per group, tuner, axis and place.
    pub const MAIN: Out<Progress> = Out::table("main");
    /// One row per run and place, against evaluations.
    pub const RUNS: Out<Course> = Out::table("runs");
}

impl Stage for Anytime {
    const KIND: &'static str = "compare/anytime";
    const MODULE: &'static str = module_path!();
    const OUTPUTS: &'static [Output] = &[Self::MAIN.output(), Self::RUNS.output()];

    fn needs(&self) -> Needs {
        Needs::worker(600)
    }

    fn run(&self, cx: &mut Context) -> Result<(), Stop> {
        let runs = Runs::from(Self::TRACES.read(cx)?);
        let (mut rows, mut drawn) = (Vec::new(), Drawn::new());
        for group in runs.groups() {
            for axis in [Axis::Evaluations, Axis::Trainings] {
                for at in places(self.evaluations) {
                    rows.extend(self.point(cx, &group, (axis, at), &mut drawn)?);
                }
            }
        }
        Self::MAIN.write(cx, &rows)?;
        Self::RUNS.write(cx, &courses(&runs, self.evaluations))
    }
}

/// Every run at every place.
fn courses(runs: &Runs, evaluations: u32) -> Vec<Course> {
    let mut rows = Vec::new();
    for ((family, task), tuners) in runs.tasks() {
        for (tuner, runs) in tuners {
            for (number, run) in (0..).zip(runs) {
                let place = |at| Some((at, Axis::Evaluations.at(run, at)?));
                let places = places(evaluations).into_iter().filter_map(place);
                rows.extend(places.map(|(evaluations, normalised)| Course {
                    family: family.clone(),
                    task: task.clone(),
                    tuner: tuner.clone(),
                    run: number,
                    evaluations,
                    normalised,
                }));
            }
        }
    }
    rows
}

impl Anytime {
    /// The rows of one place, if every run of every tuner has a value there: an average over the quick ones would jump
    /// when the slow ones join.
    fn point(
        &self,
        cx: &Context,
        group: &Group,
        (axis, at): (Axis, u32),
        drawn: &mut Drawn,
    ) -> Result<Vec<Progress>, Stop> {
        let value = |run: &Run| axis.at(run, at);
        let mut rows = Vec::new();
        let Some(ranks) = group.mean_ranks(value) else { return Ok(rows) };
        for (&tuner, rank) in group.tuners.iter().zip(ranks) {
            let Some(scores) = group.scores(tuner, value) else { return Ok(rows) };
            let resamples = match drawn.entry(scores.shape()) {
                Entry::Occupied(there) => there.into_mut(),
                Entry::Vacant(place) => {
                    let mut rng = cx.rng("resamples")?;
                    place.insert(Resamples::new(scores.shape(), self.resamples, &mut rng))
                }
            };
            let [(low, high)] = resamples.intervals(&scores, |s| [s.interquartile_mean()]);
            rows.push(Progress {
                family: group.name.clone(),
                tuner: tuner.to_owned(),
                axis: axis.name().to_owned(),
                at: f64::from(at),
                normalised: scores.interquartile_mean(),
                low,
                high,
                rank,
            });
        }
        Ok(rows)
    }
}

/// Places from 1 to `last`, ever farther apart.
fn places(last: u32) -> Vec<u32> {
    let next = |at: &u32| {
        let next = ((f64::from(*at) * RATIO).floor() as u32).max(at + 1).min(last);
        (*at < last).then_some(next)
    };
    std::iter::successors(Some(1), next).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::runs::tests::traces;

    #[test]
    fn places_reach_the_end() {
        assert_eq!(places(12), [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 12]);
        let hundred = places(100);
        assert!(hundred.len() < 30 && hundred.last() == Some(&100), "{hundred:?}");
    }

    #[test]
    fn every_run_is_followed_to_its_end() {
        let rows =
            [traces(["f", "1", "a"], 0, &[0.5, 0.25, 0.125]), traces(["f", "1", "a"], 1, &[0.75])];
        let found = courses(&Runs::from(rows.concat()), 3);
        let found: Vec<_> =
            found.iter().map(|row| (row.run, row.evaluations, row.normalised)).collect();
        let second = [(1, 1, 0.75), (1, 2, 0.75), (1, 3, 0.75)];
        assert_eq!(
            found,
            [vec![(0, 1, 0.5), (0, 2, 0.25), (0, 3, 0.125)], second.to_vec()].concat()
        );
    }

    #[test]
    fn a_run_has_a_value_once_its_first_evaluation_is_paid() {
        let runs = Runs::from(traces(["f", "1", "a"], 0, &[0.5, 0.25]));
        let (_, tuners) = runs.tasks().next().unwrap();
        let run = &tuners["a"][0];
        // Each evaluation costs two mean trainings.
        let found = [1, 2, 3, 4, 9].map(|spent| Axis::Trainings.at(run, spent));
        assert_eq!(found, [None, Some(0.5), Some(0.5), Some(0.25), Some(0.25)]);
        let found = [1, 2, 9].map(|spent| Axis::Evaluations.at(run, spent));
        assert_eq!(found, [Some(0.5), Some(0.25), Some(0.25)]);
    }
}
