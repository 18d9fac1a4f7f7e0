//! Judges a recorded run anew. A record keeps the tables that its verdicts read, so that a rule for verdicts can change
//! without computing the run again: stages whose inputs are all kept are computed by this program, from the recorded
//! tables, and everything else stays as it was recorded.

use std::{
    collections::{HashMap, HashSet},
    path::Path,
};

use super::{Judged, Limits, Line, Recorded, audit::closure, fill};
use crate::{
    digest::Digest,
    error::{Error, Result},
    graph::{Edge, Graph, Id},
    plan::State,
    provenance::{Story, ro_crate},
    store::Store,
};

/// What is done with a stage.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Fate {
    /// It is computed.
    Judged,
    /// Its recorded result is taken.
    Taken,
    /// It was unavailable where the run was recorded.
    Lacking,
    /// It needs one that was.
    Blocked,
    /// Its tables were not kept.
    Gone,
}

/// What is done with each stage that a conclusion rests on, or that was kept.
pub struct Judging<'a> {
    graph: &'a Graph,
    fates: HashMap<Id, Fate>,
}

impl<'a> Judging<'a> {
    /// For the run `recorded` with these `lines`, whose kept tables are in `store`. Stages `again`, a mask over node
    /// indices, are computed although they were kept, and with them what they need and was not kept.
    ///
    /// # Errors
    /// When the conclusion needs a table that was not kept.
    pub fn new(
        graph: &'a Graph,
        (recorded, lines): (&Recorded, &[Line]),
        store: &Store,
        conclusion: Id,
        again: &[bool],
    ) -> Result<Self> {
        let kept = kept(graph, store);
        let ran: HashSet<&str> = lines.iter().map(|line| line.stage.as_str()).collect();
        let lacking: HashSet<&str> = recorded.lacking.iter().map(String::as_str).collect();
        let again = demanded(graph, again, &kept);
        let mut concerned = closure(graph, conclusion);
        concerned.extend(kept.iter().chain(&again).copied());
        let mut judging = Self { graph, fates: HashMap::new() };
        for &id in graph.order().iter().filter(|id| concerned.contains(id)) {
            let node = &graph[id];
            let name = node.name.as_str();
            let (whole, blocked) = judging.inputs(&node.inputs);
            let fate = if again.contains(&id) {
                Fate::Judged
            } else if kept.contains(&id) {
                // What reads nothing is an origin of the run, not a judgement of it.
                if whole && !node.inputs.is_empty() { Fate::Judged } else { Fate::Taken }
            } else if lacking.contains(name) {
                Fate::Lacking
            } else if ran.contains(name) {
                Fate::Gone
            } else if blocked {
                Fate::Blocked
            } else if whole {
                Fate::Judged
            } else {
                Fate::Gone
            };
            judging.fates.insert(id, fate);
        }
        if judging.fates.get(&conclusion) == Some(&Fate::Judged) {
            return Ok(judging);
        }
        let gone = |edge: &&Edge| judging.fates.get(&edge.from) == Some(&Fate::Gone);
        let inputs = &graph[conclusion].inputs;
        let missing = inputs.iter().find(gone).map_or(conclusion, |edge| edge.from);
        let missing = &graph[missing].name;
        let message = format!("{} needs {missing}, which was not kept", graph[conclusion].name);
        Err(Error::usage(message).help(format!("`--again {missing}` computes it")))
    }

    /// Whether all inputs are there, or optional and lacking; and whether one is needed that is lacking.
    fn inputs(&self, inputs: &[Edge]) -> (bool, bool) {
        let fate = |edge: &Edge| self.fates.get(&edge.from).copied().unwrap_or(Fate::Gone);
        let lacks = |edge: &Edge| matches!(fate(edge), Fate::Lacking | Fate::Blocked);
        let there = |edge: &Edge| matches!(fate(edge), Fate::Judged | Fate::Taken);
        let whole = inputs.iter().all(|edge| there(edge) || edge.optional && lacks(edge));
        (whole, inputs.iter().any(|edge| !edge.optional && lacks(edge)))
    }

    fn with(&self, fates: &[Fate]) -> impl Iterator<Item = Id> {
        let own = |id: &&Id| self.fates.get(id).is_some_and(|fate| fates.contains(fate));
        self.graph.order().iter().filter(own).copied()
    }

    /// The stages that are computed.
    pub fn judged(&self) -> impl Iterator<Item = Id> {
        self.with(&[Fate::Judged])
    }

    /// The stages that a run has to know of, as a mask over node indices.
    #[must_use]
    pub fn wanted(&self) -> Vec<bool> {
        let mut wanted = vec![false; self.graph.len()];
        let known = [Fate::Judged, Fate::Taken, Fate::Lacking, Fate::Blocked];
        self.with(&known).for_each(|id| wanted[id.index()] = true);
        wanted
    }

    /// The states that a run is given: recorded results, of which the tables are in `store`, and what was lacking.
    #[must_use]
    pub fn given(&self, store: &Store) -> foldhash::HashMap<Id, State> {
        let log = store.facts();
        let facts = log.known();
        let taken = self.with(&[Fate::Taken]).filter_map(|id| {
            let key = facts.key_of(&self.graph[id].name)?;
            Some((id, State::Fresh(key, facts.done(key)?.clone())))
        });
        let lacking = self.with(&[Fate::Lacking]).map(|id| {
            let why = "it was unavailable where the run was recorded".to_owned();
            (id, State::Unavailable(Digest::of(self.graph[id].name.as_bytes()), why))
        });
        taken.chain(lacking).collect()
    }
}

/// The stages whose tables are in a store.
fn kept(graph: &Graph, store: &Store) -> HashSet<Id> {
    let log = store.facts();
    let facts = log.known();
    let there =
        |id: &&Id| facts.key_of(&graph[**id].name).is_some_and(|key| facts.done(key).is_some());
    graph.order().iter().filter(there).copied().collect()
}

/// These stages, and what they need that was not kept.
fn demanded(graph: &Graph, again: &[bool], kept: &HashSet<Id>) -> HashSet<Id> {
    let asked = graph.order().iter().copied();
    let asked = asked.filter(|id| again.get(id.index()).copied().unwrap_or(false));
    let mut left: Vec<Id> = asked.collect();
    let mut found: HashSet<Id> = left.iter().copied().collect();
    while let Some(id) = left.pop() {
        let inputs = graph[id].inputs.iter().map(|edge| edge.from);
        let needed = inputs.filter(|from| !kept.contains(from));
        left.extend(needed.filter(|&from| found.insert(from)));
    }
    found
}

/// A store below `to` with everything that is kept in `dir`.
///
/// # Errors
/// When nothing is recorded there, a table is missing or corrupt, or the disk refuses.
pub fn copy(dir: &Path, to: &Path) -> Result<()> {
    let store = Store::open_existing(dir)?;
    let story = Story::of(&store, None)?;
    fill(&store, &story.accounts, &story.run, to)
}

/// What was judged, and by whom.
pub struct Judgement<'a> {
    /// The stages that were computed.
    pub stages: HashSet<&'a str>,
    /// Seconds since the epoch.
    pub finished: u64,
}

impl Recorded {
    /// Replaces what is in `dir`, this record, by the same with what was judged: `story` is of a run in `store` that has
    /// what was taken and what was computed, of which the tables of the stages that `keep` names are kept.
    ///
    /// # Errors
    /// When the tables exceed the limit, or the disk refuses.
    pub fn judged(
        self,
        store: &Store,
        mut story: Story,
        judgement: &Judgement,
        keep: &HashSet<String>,
        (limits, about): (Limits, &ro_crate::About),
        dir: &Path,
    ) -> Result<Self> {
        let Judgement { stages, finished } = judgement;
        let mut lines = self.lines(dir)?;
        lines.retain(|line| !stages.contains(line.stage.as_str()));
        let new = story.accounts.iter().filter(|own| stages.contains(own.stage.as_str()));
        lines.extend(new.flat_map(Line::of));
        story.accounts.retain(|account| keep.contains(&account.stage));
        let program = format!("{} {}", about.program, env!("CARGO_PKG_VERSION"));
        let judged = Some(Judged { program, finished: *finished, stages: stages.len() });
        Self { judged, ..self }.put(store, story, lines, limits, about, dir)
    }
}
