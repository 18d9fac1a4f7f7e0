//! The gathered pools of one protocol, in memory.

use std::collections::BTreeMap;

use kit::table::Rows;
use pipeline::stage::{Context, Stop};
use stats::moments::mean;

use super::protocol::Formula;

/// Which pool.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Key {
    /// Family of the task.
    pub family: String,
    /// The task.
    pub task: String,
    /// The learner.
    pub learner: String,
    /// The repeat.
    pub repeat: u32,
}

/// One configuration, probed and trained; NaN for what does not exist.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    theorem: f64,
    code: f64,
    numeric: f64,
    /// Score where configurations are compared.
    pub selection: f64,
    /// Score on the test part.
    pub score: f64,
}

impl Member {
    /// Its smoothness by one of the formulas.
    #[must_use]
    pub fn smoothness(&self, formula: Formula) -> f64 {
        match formula {
            Formula::Theorem => self.theorem,
            Formula::Code => self.code,
            Formula::Numeric => self.numeric,
        }
    }

    /// With the same smoothness by all formulas and the same score on both parts.
    #[cfg(test)]
    pub(super) fn new(smoothness: f64, score: f64) -> Self {
        let (theorem, code, numeric) = (smoothness, smoothness, smoothness);
        Self { theorem, code, numeric, selection: score, score }
    }
}

/// All pools.
#[derive(Clone, Debug, Default)]
pub struct Pools {
    /// By task, learner and repeat.
    pub by_key: BTreeMap<Key, Vec<Member>>,
}

impl Pools {
    /// Reads a gathered table of pools.
    ///
    /// # Errors
    /// When it is corrupt or lacks a column.
    pub fn read(cx: &Context, role: &str) -> Result<Self, Stop> {
        let table = cx.input(role)?;
        let rows = Rows(&table);
        let (family, task, learner) =
            (rows.text("family")?, rows.text("task")?, rows.text("learner")?);
        let (repeat, theorem, code) =
            (rows.index("repeat")?, rows.real("theorem")?, rows.real("code")?);
        let (numeric, selection, score) =
            (rows.real("numeric")?, rows.real("selection")?, rows.real("score")?);
        let mut pools = Self::default();
        for i in 0..rows.len() {
            let key = Key {
                family: family[i].clone(),
                task: task[i].clone(),
                learner: learner[i].clone(),
                repeat: repeat[i],
            };
            pools.by_key.entry(key).or_default().push(Member {
                theorem: theorem[i],
                code: code[i],
                numeric: numeric[i],
                selection: selection[i],
                score: score[i],
            });
        }
        Ok(pools)
    }

    /// The mean smoothness of a task's networks by one of the formulas; `None` where none is finite.
    #[must_use]
    pub fn mean_smoothness(&self, task: &str, formula: Formula) -> Option<f64> {
        let own = self.by_key.iter().filter(|(k, _)| k.task == task && k.learner == "FF");
        let values: Vec<f64> = own
            .flat_map(|(_, members)| members.iter().map(|m| m.smoothness(formula)))
            .filter(|v| v.is_finite())
            .collect();
        (!values.is_empty()).then(|| mean(&values))
    }
}
