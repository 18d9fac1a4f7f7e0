//! The gathered runs of one protocol, in memory.

use std::collections::{BTreeMap, BTreeSet};

use kit::table::Rows;
use pipeline::stage::{Context, Stop};
use stats::order::median;

/// What one repeat ended with. A run without any finite result has the lowest scores.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Chosen {
    /// Repeat.
    pub repeat: u32,
    /// Score where configurations are compared.
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
    /// Whether every test row was given one class.
    pub constant: bool,
}

/// Of the methods called `name` and a budget, the one with the largest.
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

impl Runs {
    /// Reads a gathered table of runs.
    ///
    /// # Errors
    /// When it is corrupt or lacks a column.
    pub fn read(cx: &Context, role: &str) -> Result<Self, Stop> {
        let table = cx.input(role)?;
        let rows = Rows(&table);
        let names = ["family", "task", "method", "learner"].map(|name| rows.text(name));
        let [family, task, method, learner] = names;
        let (family, task, method, learner) = (family?, task?, method?, learner?);
        let numbers = ["selection", "score", "accuracy", "f1", "pd", "pf", "precision"];
        let [selection, score, accuracy, f1, pd, pf, precision] = numbers.map(|n| rows.real(n));
        let (selection, score, accuracy) = (selection?, score?, accuracy?);
        let (f1, pd, pf, precision) = (f1?, pd?, pf?, precision?);
        let (repeat, epochs) = (rows.index("repeat")?, rows.index("epochs")?);
        let (constant, chosen) = (rows.flag("constant")?, rows.flag("chosen")?);
        let mut runs = Self::default();
        for i in 0..rows.len() {
            runs.families.entry(task[i].clone()).or_insert_with(|| family[i].clone());
            let key = (task[i].clone(), method[i].clone(), learner[i].clone());
            let run = runs.treatments.entry(key).or_default().entry(repeat[i]).or_default();
            run.epochs += u64::from(epochs[i]);
            run.evaluations += u32::from(epochs[i] > 0);
            if !score[i].is_nan() {
                run.scores.push(score[i]);
            }
            if chosen[i] {
                run.chosen = Some(Chosen {
                    repeat: repeat[i],
                    selection: selection[i],
                    score: score[i],
                    accuracy: accuracy[i],
                    f1: f1[i],
                    pd: pd[i],
                    pf: pf[i],
                    precision: precision[i],
                    constant: constant[i],
                });
            }
        }
        Ok(runs)
    }

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

    /// What each treatment, (method, learner), chose in each repeat.
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

    /// What the paper compares on a task: SMOOTHIE with each learner, the optimisers that tune `learner`, and
    /// the baselines, which have one learner each.
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

    /// Of SMOOTHIE's learners on a task the one that did best where configurations are compared, by the
    /// median; of equals the last by name.
    #[must_use]
    pub fn representative(&self, task: &str) -> Option<String> {
        let selected =
            |all: &[Chosen]| median(&all.iter().map(|c| c.selection).collect::<Vec<_>>());
        let all = self.chosen(task).into_iter().filter(|((method, _), _)| method == "smoothie");
        all.max_by(|a, b| selected(&a.1).total_cmp(&selected(&b.1)))
            .map(|((_, learner), _)| learner)
    }

    /// Test scores of all that random search evaluated.
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
