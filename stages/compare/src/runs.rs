//! The runs of all tuners on all tasks, in the groups over which statistics are taken: each family, and all tasks.

use std::collections::{BTreeMap, BTreeSet};

use stats::{aggregates::Scores, moments::mean, rank_tests::ranks::ranks};

use crate::tables::Trace;

/// The name of the group of all tasks.
pub const ALL: &str = "all";

/// A run after one of its evaluations.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Step {
    /// Cost so far, in seconds.
    pub cost: f64,
    /// Cost so far, in mean trainings of the table.
    pub trainings: f64,
    /// Regret so far.
    pub regret: f64,
    /// Normalised regret so far.
    pub normalised: f64,
}

/// The steps of one run.
pub type Run = Vec<Step>;

/// Family and name of a task.
pub type Task = (String, String);

/// The runs by task and tuner.
#[derive(Default)]
pub struct Runs(BTreeMap<Task, BTreeMap<String, Vec<Run>>>);

/// Some of the tasks, with the tuners that ran on each of them.
pub struct Group<'a> {
    /// Its name.
    pub name: String,
    /// The tuners, sorted.
    pub tuners: Vec<&'a str>,
    /// The runs of each tuner on each task.
    pub tasks: Vec<&'a BTreeMap<String, Vec<Run>>>,
}

impl From<Vec<Trace>> for Runs {
    /// Rows of a run are in the order of evaluations, and runs of a tuner on a task in the order of their numbers.
    fn from(traces: Vec<Trace>) -> Self {
        let mut runs = Self::default();
        let same =
            |a: &Trace, b: &Trace| (&a.task, &a.tuner, a.seed) == (&b.task, &b.tuner, b.seed);
        for own in traces.chunk_by(same) {
            let Trace { family, task, tuner, .. } = &own[0];
            let step = |row: &Trace| Step {
                cost: row.cost,
                trainings: row.trainings,
                regret: row.regret,
                normalised: row.normalised,
            };
            let tuners = runs.0.entry((family.clone(), task.clone())).or_default();
            tuners.entry(tuner.clone()).or_default().push(own.iter().map(step).collect());
        }
        runs
    }
}

impl Runs {
    /// The tasks with the runs of each tuner.
    pub fn tasks(&self) -> impl Iterator<Item = (&Task, &BTreeMap<String, Vec<Run>>)> {
        self.0.iter()
    }

    /// The families, then all tasks, if they are of several families.
    #[must_use]
    pub fn groups(&self) -> Vec<Group<'_>> {
        let families: BTreeSet<&str> = self.0.keys().map(|(family, _)| family.as_str()).collect();
        let group = |name: &str, within: &dyn Fn(&str) -> bool| {
            let own = self.0.iter().filter(|((family, _), _)| within(family));
            let tasks: Vec<_> = own.map(|(_, tuners)| tuners).collect();
            let everywhere = |tuner: &&String| tasks.iter().all(|task| task.contains_key(*tuner));
            let first = tasks.first().into_iter().flat_map(|task| task.keys());
            let tuners = first.filter(everywhere).map(String::as_str).collect();
            Group { name: name.to_owned(), tuners, tasks }
        };
        let mut groups: Vec<_> =
            families.iter().map(|&name| group(name, &|family| family == name)).collect();
        if families.len() > 1 {
            groups.push(group(ALL, &|_| true));
        }
        groups
    }
}

impl Group<'_> {
    /// What `value` makes of each run of a tuner: runs × tasks. As many runs as every task has; `None` if a run has no
    /// value.
    #[must_use]
    pub fn scores(&self, tuner: &str, value: impl Fn(&Run) -> Option<f64>) -> Option<Scores> {
        let of = |task: &&BTreeMap<String, Vec<Run>>| {
            task.get(tuner)?.iter().map(&value).collect::<Option<Vec<f64>>>()
        };
        let by_task = self.tasks.iter().map(of).collect::<Option<Vec<_>>>()?;
        let runs = by_task.iter().map(Vec::len).min()?;
        Scores::new((0..runs).map(|i| by_task.iter().map(|task| task[i]).collect()).collect())
    }

    /// The mean over tasks of each tuner's rank by the mean of `value` over its runs, in the order of the tuners: 1 is
    /// the lowest. `None` if a run has no value.
    #[must_use]
    pub fn mean_ranks(&self, value: impl Fn(&Run) -> Option<f64>) -> Option<Vec<f64>> {
        let mut sums = vec![0.0; self.tuners.len()];
        for task in &self.tasks {
            let means = self.tuners.iter().map(|&tuner| mean_of(&task[tuner], &value));
            let found = ranks(&means.collect::<Option<Vec<f64>>>()?);
            sums.iter_mut().zip(found.ranks).for_each(|(sum, rank)| *sum += rank);
        }
        Some(sums.into_iter().map(|sum| sum / self.tasks.len() as f64).collect())
    }
}

/// The mean of a value over runs; `None` if one has none.
#[must_use]
pub fn mean_of(runs: &[Run], value: impl Fn(&Run) -> Option<f64>) -> Option<f64> {
    runs.iter().map(value).collect::<Option<Vec<f64>>>().map(|values| mean(&values))
}

/// The normalised regret at the end of a run.
#[must_use]
pub fn last(run: &Run) -> Option<f64> {
    run.last().map(|step| step.normalised)
}

#[cfg(test)]
pub(crate) mod tests {
    use super::*;

    /// The traces of one run with these normalised regrets; each evaluation costs two mean trainings.
    pub(crate) fn traces(place: [&str; 3], seed: u32, regrets: &[f64]) -> Vec<Trace> {
        let [family, task, tuner] = place.map(str::to_owned);
        let row = |(i, regret): (usize, &f64)| Trace {
            family: family.clone(),
            task: task.clone(),
            tuner: tuner.clone(),
            seed,
            evaluation: i as u32 + 1,
            configuration: 0,
            cost: 10.0 * (i + 1) as f64,
            trainings: 2.0 * (i + 1) as f64,
            loss: *regret,
            best: *regret,
            regret: 5.0 * regret,
            normalised: *regret,
        };
        regrets.iter().enumerate().map(row).collect()
    }

    #[test]
    fn groups_are_families_and_all_tasks_with_tuners_that_ran_everywhere() {
        let rows = [
            traces(["f", "1", "a"], 0, &[0.5, 0.25]),
            traces(["f", "1", "a"], 1, &[0.75]),
            traces(["f", "1", "b"], 0, &[0.5]),
            traces(["g", "2", "a"], 0, &[0.125]),
        ];
        let runs = Runs::from(rows.concat());
        let groups = runs.groups();
        let names: Vec<_> = groups.iter().map(|g| (g.name.as_str(), g.tuners.clone())).collect();
        assert_eq!(names, [("f", vec!["a", "b"]), ("g", vec!["a"]), (ALL, vec!["a"])]);
        // One run of each task counts where a task has no more.
        assert_eq!(groups[2].scores("a", last), Scores::new(vec![vec![0.25, 0.125]]));
        assert_eq!(groups[0].mean_ranks(last), Some(vec![1.5, 1.5]), "a has 0.25 and 0.75");
        assert_eq!(groups[0].scores("a", |run| run.get(1).map(|step| step.regret)), None);
    }
}
