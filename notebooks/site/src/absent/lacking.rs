//! Stages without a result: those that the store records as unavailable, and those that a plan finds failed
//! or not run.

use std::collections::{BTreeMap, BTreeSet};

use pipeline::{
    estimate::Estimate,
    graph::Graph,
    plan::{self, Plan},
    store::Store,
};

use crate::state::State;

/// A stage without a result.
#[derive(Clone, Debug)]
pub struct Lacking {
    /// Its name.
    pub name: String,
    /// Its kind.
    pub kind: String,
    /// Failed or unavailable.
    pub state: State,
    /// Its message.
    pub why: String,
    /// The stages that it reads.
    pub reads: Vec<String>,
}

/// The stages that a plan finds without a result.
#[derive(Clone, Debug, Default)]
pub struct Planned {
    /// The profile that was planned: these stages can only be missing in runs under it.
    pub profile: String,
    /// The stages.
    pub lacking: Vec<Lacking>,
    /// What the papers' own sizes would still take, by part of an experiment: stages that no recorded run has.
    pub remaining: BTreeMap<String, Estimate>,
    /// The papers whose recorded verdicts were reached by other code than the program's.
    pub outdated: BTreeSet<String>,
}

impl Planned {
    /// The stages that `plan` of `graph` under `profile` finds without a result.
    #[must_use]
    pub fn of(graph: &Graph, plan: &Plan, profile: &str) -> Self {
        let lacking = graph.order().iter().filter_map(|&id| {
            let node = &graph[id];
            let (state, why) = match plan.state(id) {
                plan::State::Unwanted | plan::State::Fresh(..) => return None,
                plan::State::Unavailable(_, why) => (State::Unavailable, why.clone()),
                plan::State::Blocked(by) => {
                    let unavailable = matches!(plan.state(*by), plan::State::Unavailable(..));
                    let state = if unavailable { State::Unavailable } else { State::Failed };
                    (state, format!("needs {}", graph[*by].name))
                }
                plan::State::Failed(why) => (State::Failed, why.clone()),
                plan::State::Waiting(_) => (State::Failed, "what it reads is to be run".to_owned()),
                plan::State::Stale(..) | plan::State::Running(_) => {
                    (State::Failed, "it failed, changed, or was not run".to_owned())
                }
            };
            let mut reads: Vec<String> =
                node.inputs.iter().map(|edge| graph[edge.from].name.clone()).collect();
            reads.dedup();
            let (name, kind) = (node.name.clone(), node.kind.to_owned());
            Some(Lacking { name, kind, state, why, reads })
        });
        Self { profile: profile.to_owned(), lacking: lacking.collect(), ..Self::default() }
    }
}

/// The stages that the store records as unavailable. It does not record what they read.
#[must_use]
pub fn unavailable(store: &Store) -> Vec<Lacking> {
    let log = store.facts();
    let facts = log.known();
    let lacking = facts.names().into_iter().filter_map(|(name, key)| {
        let why = facts.unavailable(key)?;
        Some(Lacking {
            name: name.to_owned(),
            kind: "unavailable".to_owned(),
            state: State::Unavailable,
            why: why.to_owned(),
            reads: Vec::new(),
        })
    });
    lacking.collect()
}
