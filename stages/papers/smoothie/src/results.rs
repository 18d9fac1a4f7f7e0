//! The gathered runs of one protocol, in memory.

use std::collections::{BTreeMap, BTreeSet};

use stats::order::median;

use crate::tables::{label::Label, trials::Entry};

/// The final result of one repeat. A run without any finite result has the lowest scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chosen {
    /// Repeat.
    pub repeat: u32,
    /// Score on the part on which configurations are compared.
    pub selection: f64,
    /// The same score on the test part.
    pub score: f64,
    /// On the test part.
    pub accuracy: f64,
    /// On the test part.
    pub f1: f64,
    /// Recall on the test part.
    pub pd: f64,
    /// False alarm rate on the test part.
    pub pf: f64,
    /// On the test part.
    pub precision: f64,
    /// Whether every test row was given the same class.
    pub constant: bool,
}

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

/// (task, method, learner) → repeats.
type Treatments = BTreeMap<(String, String, String), BTreeMap<u32, Run>>;

#[derive(Clone, Debug, Default)]
struct Run {
    chosen: Option<Chosen>,
    scores: Vec<f64>,
    epochs: u64,
    evaluations: u32,
}

/// All runs of one protocol.
#[derive(Clone, Debug, Default)]
pub struct Runs {
    families: BTreeMap<String, String>,
    treatments: Treatments,
}

impl From<Vec<Entry>> for Runs {
    /// The runs of a gathered table.
    fn from(rows: Vec<Entry>) -> Self {
        let mut runs = Self::default();
        for row in rows {
            let Label { family, task, method, learner } = row.label;
            runs.families.entry(task.clone()).or_insert(family);
            let repeats = runs.treatments.entry((task, method, learner)).or_default();
            let run = repeats.entry(row.repeat).or_default();
            run.epochs += u64::from(row.epochs);
            run.evaluations += u32::from(row.epochs > 0);
            run.scores.extend(row.score.filter(|score| !score.is_nan()));
            if row.chosen {
                let [selection, score, accuracy, f1, pd, pf, precision] =
                    [row.selection, row.score, row.accuracy, row.f1, row.pd, row.pf, row.precision]
                        .map(|x| x.unwrap_or(f64::NAN));
                let (repeat, constant) = (row.repeat, row.constant);
                run.chosen = Some(Chosen {
                    repeat,
                    selection,
                    score,
                    accuracy,
                    f1,
                    pd,
                    pf,
                    precision,
                    constant,
                });
            }
        }
        runs
    }
}

impl Runs {
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

    fn of<'a>(
        &'a self,
        task: &'a str,
    ) -> impl Iterator<Item = (&'a (String, String, String), &'a BTreeMap<u32, Run>)> {
        self.treatments.iter().filter(move |((t, ..), _)| t == task)
    }

    /// The choice of each treatment, (method, learner), in each repeat.
    #[must_use]
    pub fn chosen(&self, task: &str) -> BTreeMap<(String, String), Vec<Chosen>> {
        let worst = |repeat: u32| Chosen {
            repeat,
            selection: -1.0,
            score: if self.family(task) == "warnings" { -1.0 } else { 0.0 },
            accuracy: 0.0,
            f1: 0.0,
            pd: 0.0,
            pf: 1.0,
            precision: 0.0,
            constant: false,
        };
        self.of(task)
            .map(|((_, method, learner), repeats)| {
                let all = repeats.iter().map(|(&r, run)| run.chosen.unwrap_or_else(|| worst(r)));
                ((method.clone(), learner.clone()), all.collect())
            })
            .collect()
    }

    /// The treatments that the paper compares on a task: SMOOTHIE with each learner, the optimisers that tune
    /// `learner`, and the baselines, which have one learner each.
    #[must_use]
    pub fn compared(&self, task: &str, learner: &str) -> BTreeMap<(String, String), Vec<Chosen>> {
        let mut all = self.chosen(task);
        let mut learners: BTreeMap<String, u32> = BTreeMap::new();
        for (method, _) in all.keys() {
            *learners.entry(method.clone()).or_default() += 1;
        }
        all.retain(|(method, own), _| {
            method == "smoothie" || own == learner || learners[method] == 1
        });
        all
    }

    /// Of SMOOTHIE's learners on a task, the one with the best median score on the part on which
    /// configurations are compared; of equals the last by name.
    #[must_use]
    pub fn representative(&self, task: &str) -> Option<String> {
        let selected =
            |all: &[Chosen]| median(&all.iter().map(|c| c.selection).collect::<Vec<_>>());
        let all = self.chosen(task).into_iter().filter(|((method, _), _)| method == "smoothie");
        all.max_by(|a, b| selected(&a.1).total_cmp(&selected(&b.1)))
            .map(|((_, learner), _)| learner)
    }

    /// Test scores of all evaluations of random search.
    #[must_use]
    pub fn random_scores(&self, task: &str) -> Vec<f64> {
        let random = self.of(task).filter(|((_, method, _), _)| method.starts_with("random"));
        random
            .flat_map(|(_, repeats)| repeats.values().flat_map(|run| run.scores.clone()))
            .collect()
    }

    /// Epochs and evaluations of each repeat of a treatment.
    #[must_use]
    pub fn costs(&self, task: &str, method: &str, learner: &str) -> Vec<(u64, u32)> {
        let key = (task.to_owned(), method.to_owned(), learner.to_owned());
        let repeats = self.treatments.get(&key).into_iter().flat_map(BTreeMap::values);
        repeats.map(|run| (run.epochs, run.evaluations)).collect()
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
        let runs = Runs::from(vec![
            unseen(0.1, entry("smoothie", "FF", 0, 9, 0.9)),
            unseen(0.9, entry("smoothie", "NB", 0, 9, 0.5)),
            entry("bohb-5", "LR", 0, 9, 1.0),
        ]);
        assert_eq!(runs.representative("ant").as_deref(), Some("FF"));
        assert_eq!(runs.representative("derby"), None);
    }

    #[test]
    fn a_run_without_a_result_has_the_lowest_scores_of_its_family() {
        let mut failed = entry("smoothie", "FF", 1, 9, 0.5);
        (failed.chosen, failed.score) = (false, None);
        let all = vec![entry("smoothie", "FF", 0, 9, 0.25), failed];
        let chosen = |all: &[Entry]| {
            let mut chosen = Runs::from(all.to_vec()).chosen("ant");
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
        let runs = Runs::from(vec![
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
    fn probes_cost_no_evaluation_and_only_random_search_gives_random_scores() {
        let runs = Runs::from(vec![
            entry("smoothie", "FF", 0, 0, 0.9),
            entry("smoothie", "FF", 0, 100, 0.8),
            entry("smoothie", "FF", 0, 50, 0.7),
            entry("random-5", "FF", 0, 100, 0.2),
            entry("random-5", "FF", 0, 100, f64::NAN),
            entry("random-5", "NB", 1, 100, 0.3),
        ]);
        assert_eq!(runs.costs("ant", "smoothie", "FF"), [(150, 2)]);
        assert_eq!(runs.costs("ant", "smoothie", "LR"), []);
        assert_eq!(runs.random_scores("ant"), [0.2, 0.3]);
    }
}
