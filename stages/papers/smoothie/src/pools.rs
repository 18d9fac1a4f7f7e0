//! The gathered pools of one protocol, in memory.

use std::collections::BTreeMap;

use stats::moments::mean;

use super::protocol::Formula;
use crate::tables::{label::Label, pool::Tried};

/// The key of a pool.
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

/// One configuration, probed and trained; NaN for missing values.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Member {
    theorem: f64,
    code: f64,
    numeric: f64,
    /// Score on the part on which configurations are compared.
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

    /// A configuration with the same smoothness by all formulas and the same score on both parts.
    #[cfg(test)]
    pub(super) fn new(smoothness: f64, score: f64) -> Self {
        let (theorem, code, numeric) = (smoothness, smoothness, smoothness);
        Self { theorem, code, numeric, selection: score, score }
    }
}

/// All pools.
#[derive(Clone, Debug, Default)]
pub struct Pools {
    /// The pools by task, learner and repeat.
    pub by_key: BTreeMap<Key, Vec<Member>>,
}

impl From<Vec<Tried>> for Pools {
    /// The pools of a gathered table.
    fn from(rows: Vec<Tried>) -> Self {
        let mut pools = Self::default();
        for Tried { label, repeat, theorem, code, numeric, selection, score, .. } in rows {
            let Label { family, task, learner, .. } = label;
            let key = Key { family, task, learner, repeat };
            let [theorem, code, numeric, selection, score] =
                [theorem, code, numeric, selection, score].map(|x| x.unwrap_or(f64::NAN));
            let member = Member { theorem, code, numeric, selection, score };
            pools.by_key.entry(key).or_default().push(member);
        }
        pools
    }
}

impl Pools {
    /// The mean smoothness of a task's networks by one of the formulas; `None` if none is finite.
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
