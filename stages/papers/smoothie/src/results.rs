//! What the runs of one protocol ended with, in memory.

use std::collections::{BTreeMap, BTreeSet};

use stats::{moments::mean, order::median};

use crate::tables::{ended::Ended, label::Label, trials::Entry};

/// Of the methods called `name` with a budget, the one with the largest.
#[must_use]
pub fn largest_budget<'a>(methods: impl Iterator<Item = &'a str>, name: &str) -> Option<&'a str> {
    with_budgets(methods, name).max().map(|(_, method)| method)
}

/// As [`largest_budget`], with the smallest.
#[must_use]
pub fn smallest_budget<'a>(methods: impl Iterator<Item = &'a str>, name: &str) -> Option<&'a str> {
    with_budgets(methods, name).min().map(|(_, method)| method)
}

fn with_budgets<'a>(
    methods: impl Iterator<Item = &'a str>,
    name: &str,
) -> impl Iterator<Item = (u32, &'a str)> {
    methods.filter_map(move |method| Some((method.strip_prefix(name)?.parse().ok()?, method)))
}

/// (task, method, learner) → what each repeat ended with.
type Treatments = BTreeMap<(String, String, String), BTreeMap<u32, Ended>>;

/// The results of all runs of one protocol.
#[derive(Clone, Debug, Default)]
pub struct Results {
    families: BTreeMap<String, String>,
    treatments: Treatments,
}

impl From<Vec<Ended>> for Results {
    fn from(rows: Vec<Ended>) -> Self {
        let mut results = Self::default();
        for row in rows {
            let Label { family, task, method, learner } = row.label.clone();
            results.families.entry(task.clone()).or_insert(family);
            let repeats = results.treatments.entry((task, method, learner)).or_default();
            repeats.insert(row.repeat, row);
        }
        results
    }
}

/// The final result of each run, sorted by run.
#[must_use]
pub fn ended(trials: &[Entry]) -> Vec<Ended> {
    let mut runs: BTreeMap<(&Label, u32), Option<&Entry>> = BTreeMap::new();
    for trial in trials {
        let chosen = runs.entry((&trial.label, trial.repeat)).or_default();
        if trial.chosen {
            *chosen = Some(trial);
        }
    }
    let ended = |((label, repeat), chosen): ((&Label, u32), Option<&Entry>)| {
        let Some(chosen) = chosen else { return lowest(label, repeat) };
        let measured = |metric: Option<f64>| metric.unwrap_or(f64::NAN);
        Ended {
            label: label.clone(),
            repeat,
            selection: measured(chosen.selection),
            score: measured(chosen.score),
            accuracy: measured(chosen.accuracy),
            f1: measured(chosen.f1),
            pd: measured(chosen.pd),
            pf: measured(chosen.pf),
            precision: measured(chosen.precision),
            constant: chosen.constant,
        }
    };
    runs.into_iter().map(ended).collect()
}

/// The lowest scores of a family; those of warnings go down to −1.
fn lowest(label: &Label, repeat: u32) -> Ended {
    Ended {
        repeat,
        selection: -1.0,
        score: if label.family == "warnings" { -1.0 } else { 0.0 },
        accuracy: 0.0,
        f1: 0.0,
        pd: 0.0,
        pf: 1.0,
        precision: 0.0,
        constant: false,
        label: label.clone(),
    }
}

/// Test scores of all evaluations of random search on a task.
#[must_use]
pub fn random_scores(trials: &[Entry], task: &str) -> Vec<f64> {
    let random =
        |trial: &&Entry| trial.label.task == task && trial.label.method.starts_with("random");
    let scores = trials.iter().filter(random).filter_map(|trial| trial.score);
    scores.filter(|score| !score.is_nan()).collect()
}

impl Results {
    /// The tasks, sorted.
    #[must_use]
    pub fn tasks(&self) -> BTreeSet<String> {
        self.families.keys().cloned().collect()
    }

    /// The family of a task.
    #[must_use]
    pub fn family(&self, task: &str) -> String {
        self.families.get(task).cloned().unwrap_or_default()
    }

    /// What each treatment, (method, learner), ended with in each repeat.
    #[must_use]
    pub fn ended(&self, task: &str) -> BTreeMap<(String, String), Vec<Ended>> {
        let of_task = self.treatments.iter().filter(|((t, ..), _)| t == task);
        of_task
            .map(|((_, method, learner), repeats)| {
                ((method.clone(), learner.clone()), repeats.values().cloned().collect())
            })
            .collect()
    }

    /// The treatments that the paper compares on a task: SMOOTHIE with each learner, the optimisers that tune
    /// `learner`, and the baselines, which have one learner each.
    #[must_use]
    pub fn compared(&self, task: &str, learner: &str) -> BTreeMap<(String, String), Vec<Ended>> {
        let mut all = self.ended(task);
        let mut learners: BTreeMap<String, u32> = BTreeMap::new();
        for (method, _) in all.keys() {
            *learners.entry(method.clone()).or_default() += 1;
        }
        all.retain(|(method, own), _| {
            method == "smoothie" || own == learner || learners[method] == 1
        });
        all
    }

    /// Of SMOOTHIE's learners on a task, the one with the best median score on the part on which configurations
    /// are compared; of equals, as are many where that part has few rows, the one with the best mean score there,
    /// and then the last by name.
    #[must_use]
    pub fn representative(&self, task: &str) -> Option<String> {
        let selected = |all: &[Ended]| {
            let scores: Vec<f64> = all.iter().map(|c| c.selection).collect();
            (median(&scores), mean(&scores))
        };
        let all = self.ended(task).into_iter().filter(|((method, _), _)| method == "smoothie");
        let all = all.map(|((_, learner), ended)| (selected(&ended), learner));
        let best = all.max_by(|((median, mean), _), ((other_median, other_mean), _)| {
            median.total_cmp(other_median).then(mean.total_cmp(other_mean))
        });
        best.map(|(_, learner)| learner)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// An evaluation; of one that was chosen selection and score are the same unless changed.
    fn entry(method: &str, learner: &str, repeat: u32, epochs: u32, score: f64) -> Entry {
        let [family, task, method, learner] =
            ["warnings", "ant", method, learner].map(str::to_owned);
        Entry {
            label: Label { family, task, method, learner },
            repeat,
            evaluation: 0,
            config: String::new(),
            epochs,
            smoothness: None,
            selection: Some(score),
            score: Some(score),
            accuracy: None,
            f1: Some(0.5),
            pd: None,
            pf: None,
            precision: None,
            constant: false,
            failed: false,
            chosen: true,
        }
    }

    fn results(trials: &[Entry]) -> Results {
        ended(trials).into()
    }

    #[test]
    fn budgets_are_numbers() {
        let methods = || ["bohb-5", "bohb-30", "bohb-x", "dehb-50", "bohb"].into_iter();
        assert_eq!(largest_budget(methods(), "bohb-"), Some("bohb-30"));
        assert_eq!(smallest_budget(methods(), "bohb-"), Some("bohb-5"));
        assert_eq!(largest_budget(methods(), "random-"), None);
    }

    #[test]
    fn smoothie_is_represented_by_what_did_best_where_configurations_are_compared() {
        let unseen = |score, entry: Entry| Entry { score: Some(score), ..entry };
        let runs = results(&[
            unseen(0.1, entry("smoothie", "FF", 0, 9, 0.9)),
            unseen(0.9, entry("smoothie", "NB", 0, 9, 0.5)),
            entry("bohb-5", "LR", 0, 9, 1.0),
        ]);
        assert_eq!(runs.representative("ant").as_deref(), Some("FF"));
        assert_eq!(runs.representative("derby"), None);
    }

    #[test]
    fn of_equal_medians_the_better_mean_represents_smoothie_and_of_equal_means_the_last_name() {
        let of = |learner: &str, scores: [f64; 3]| {
            let repeats = (0..).zip(scores);
            repeats.map(|(i, s)| entry("smoothie", learner, i, 9, s)).collect::<Vec<_>>()
        };
        let chosen = |first: [f64; 3], last: [f64; 3]| {
            results(&[of("FF", first), of("NB", last)].concat()).representative("ant").unwrap()
        };
        assert_eq!(chosen([0.25, 0.5, 1.0], [0.0, 0.5, 0.75]), "FF");
        assert_eq!(chosen([0.0, 0.5, 0.75], [0.25, 0.5, 1.0]), "NB");
        assert_eq!(chosen([0.25, 0.5, 1.0], [0.25, 0.5, 1.0]), "NB");
        // The median comes first, although the mean is lower.
        assert_eq!(chosen([0.0, 0.75, 0.75], [0.5, 0.5, 1.0]), "FF");
    }

    #[test]
    fn a_run_without_a_result_has_the_lowest_scores_of_its_family() {
        let mut failed = entry("smoothie", "FF", 1, 9, 0.5);
        (failed.chosen, failed.score) = (false, None);
        let all = vec![entry("smoothie", "FF", 0, 9, 0.25), failed];
        let chosen = |all: &[Entry]| {
            let mut chosen = results(all).ended("ant");
            chosen.remove(&("smoothie".to_owned(), "FF".to_owned())).unwrap()
        };
        let warnings = chosen(&all);
        assert_eq!((warnings[0].score, warnings[0].f1), (0.25, 0.5));
        assert!(warnings[0].pd.is_nan(), "not measured");
        assert_eq!((warnings[1].repeat, warnings[1].score), (1, -1.0));
        assert_eq!((warnings[1].selection, warnings[1].pd, warnings[1].pf), (-1.0, 0.0, 1.0));
        // Elsewhere no score is below 0.
        let elsewhere: Vec<Entry> = all
            .into_iter()
            .map(|mut entry| {
                "defects".clone_into(&mut entry.label.family);
                entry
            })
            .collect();
        assert_eq!(chosen(&elsewhere)[1].score, 0.0);
    }

    #[test]
    fn others_are_compared_with_the_same_learner_unless_they_have_but_one() {
        let runs = results(&[
            entry("smoothie", "FF", 0, 9, 0.1),
            entry("smoothie", "NB", 0, 9, 0.1),
            entry("bohb-5", "FF", 0, 9, 0.1),
            entry("bohb-5", "NB", 0, 9, 0.1),
            entry("svm", "FF", 0, 9, 0.1),
        ]);
        let compared: Vec<String> =
            runs.compared("ant", "NB").into_keys().map(|(m, l)| format!("{m} {l}")).collect();
        assert_eq!(compared, ["bohb-5 NB", "smoothie FF", "smoothie NB", "svm FF"]);
    }

    #[test]
    fn only_random_search_gives_random_scores() {
        let trials = [
            entry("smoothie", "FF", 0, 100, 0.8),
            entry("random-5", "FF", 0, 100, 0.2),
            entry("random-5", "FF", 0, 100, f64::NAN),
            entry("random-5", "NB", 1, 100, 0.3),
        ];
        assert_eq!(random_scores(&trials, "ant"), [0.2, 0.3]);
        assert!(random_scores(&trials, "derby").is_empty());
    }
}
