//! The options of a run, and its summary. Independent of how stages are run.

use std::{
    collections::HashMap,
    path::PathBuf,
    sync::{Arc, atomic::AtomicBool},
};

use super::{sandbox::Confined, slots::Slots, slurm};
use crate::{
    graph::{Graph, Id},
    plan::State,
    remote::Remote,
};

/// Where stages are carried out.
pub enum Backend {
    /// Here, with these slots.
    Here(Slots),
    /// On a Slurm cluster.
    Slurm(slurm::Settings),
}

/// How to run.
pub struct Options {
    /// Where stages are carried out.
    pub backend: Backend,
    /// Whether independent stages continue after a failure.
    pub keep_going: bool,
    /// The program whose `exec-stage` runs a worker's job.
    pub program: PathBuf,
    /// Set from outside to stop the run.
    pub interrupted: Arc<AtomicBool>,
    /// The most stages to start.
    pub limit: Option<usize>,
    /// Which stages run in a worker that can reach only what the stage declares.
    pub sandbox: Confined,
    /// Where results are looked for before they are computed, and put afterwards.
    pub remote: Option<Arc<Remote>>,
    /// A folder of the checkout whose revision is recorded.
    pub sources: Option<PathBuf>,
    /// Stages to run whatever is recorded, as a mask; empty means none.
    pub forced: Vec<bool>,
    /// As in [`plan::Options`](crate::plan::Options).
    pub given: foldhash::HashMap<Id, State>,
}

#[cfg(feature = "cli")]
impl Options {
    /// A run here of whatever is not up to date, as far as it goes.
    pub(crate) fn here(slots: Slots, program: PathBuf, interrupted: Arc<AtomicBool>) -> Self {
        Self {
            backend: Backend::Here(slots),
            keep_going: true,
            program,
            interrupted,
            limit: None,
            sandbox: Confined::default(),
            remote: None,
            sources: None,
            forced: Vec::new(),
            given: foldhash::HashMap::default(),
        }
    }
}

/// What a run did, by stage name in graph order.
#[derive(Clone, Debug, Default, PartialEq, Eq, serde::Serialize)]
pub struct Summary {
    /// Stages that were computed.
    pub executed: Vec<String>,
    /// Stages whose result came from the remote.
    pub pulled: Vec<String>,
    /// Stages whose result turned out to exist already once their inputs were known.
    pub cut_off: Vec<String>,
    /// Stages that were up to date from the start.
    pub fresh: usize,
    /// Stages that failed, with the message.
    pub failed: Vec<(String, String)>,
    /// Stages that cannot be computed here, with the remedy.
    pub unavailable: Vec<(String, String)>,
    /// Stages that were not run because they need a failed or unavailable one, with its name.
    pub blocked: Vec<(String, String)>,
    /// Stages that were not reached because the run was stopped.
    pub unreached: usize,
    /// Whether it was interrupted.
    pub interrupted: bool,
}

impl Summary {
    /// Puts every list in graph order, whatever order the stages ended in.
    pub(super) fn sort(&mut self, graph: &Graph) {
        let names = graph.order().iter().map(|&id| graph[id].name.as_str());
        let rank: HashMap<&str, usize> =
            names.enumerate().map(|(rank, name)| (name, rank)).collect();
        for list in [&mut self.executed, &mut self.pulled, &mut self.cut_off] {
            list.sort_by_key(|name| rank[name.as_str()]);
        }
        for list in [&mut self.failed, &mut self.unavailable, &mut self.blocked] {
            list.sort_by_key(|(name, _)| rank[name.as_str()]);
        }
    }
}
