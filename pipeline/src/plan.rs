//! Whether each stage is fresh or stale, and why. Walks the graph once, inputs before readers. A stage whose inputs
//! are not known yet waits: whether it reruns is decided once they are (early cut-off).

use std::{collections::BTreeMap, path::PathBuf, sync::Arc};

use foldhash::HashMap;
use serde::Serialize;

use crate::{
    digest::Digest,
    error::Result,
    graph::{Graph, Id, Node},
    manifest::{self, Change, Contents, Manifest},
    stage::Input,
    store::{Artifact, Health, Produced, Stamp, Store, Survey, record::Records},
};

/// The state of one stage, in a plan and while a run carries the plan out. [`Plan::decide`] is the only place that
/// derives it from the states of its inputs.
#[derive(Clone, Debug)]
pub enum State {
    /// Not asked for.
    Unwanted,
    /// It runs if one of these inputs comes out different.
    Waiting(Vec<Id>),
    /// It will run.
    Stale(Digest, Reason),
    /// It is running (only in a run).
    Running(Digest),
    /// Its outputs exist under this key.
    Fresh(Digest, Produced),
    /// It cannot be computed here, and why.
    Unavailable(Digest, String),
    /// It failed (only in a run).
    Failed(String),
    /// It needs this stage, which failed or is unavailable.
    Blocked(Id),
}

impl State {
    /// Whether nothing more will happen to the stage in this run.
    #[must_use]
    pub fn settled(&self) -> bool {
        !matches!(self, Self::Waiting(_) | Self::Stale(..) | Self::Running(_))
    }

    /// Whether a run may take a stage from this state to `next`: the arrows of ARCHITECTURE.md.
    #[must_use]
    pub fn may_become(&self, next: &Self) -> bool {
        use State::{Blocked, Failed, Fresh, Running, Stale, Unavailable, Waiting};
        match self {
            // Still waiting, for one input fewer.
            Waiting(_) => matches!(next, Waiting(_) | Stale(..) | Fresh(..) | Blocked(_)),
            // Still stale under another key: a file of the user changed before the stage started.
            Stale(..) => matches!(next, Running(_) | Fresh(..) | Stale(..) | Unavailable(..)),
            Running(_) => {
                matches!(next, Fresh(..) | Stale(..) | Failed(_) | Unavailable(..) | Waiting(_))
            }
            _ => false,
        }
    }
}

/// Why a stage will run.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum Reason {
    /// Nothing is recorded under its name.
    New,
    /// What it depends on differs from what its last result was computed from.
    Changed {
        /// Each difference, old → new.
        changes: Vec<Change>,
    },
    /// The key is known, but an output is missing.
    Missing {
        /// The file that should be there.
        artifact: PathBuf,
    },
    /// The key is known, but an output's content is not what was recorded.
    Corrupt {
        /// The file.
        artifact: PathBuf,
    },
    /// It was unavailable when last tried; a run tries again.
    Retry,
    /// The user asked for it.
    Forced,
}

/// The plan of one run.
pub struct Plan<'a> {
    graph: &'a Graph,
    store: &'a Store,
    options: Options,
    /// One state per node, by node index. Private: a run changes a state only through its transition.
    states: Vec<State>,
    /// The user's files that were hashed on the way; a run records their stamps.
    pub learned: Vec<(PathBuf, Stamp, Digest)>,
    /// Bindings that a run has to write: the log binds the name to another key.
    pub rebind: Vec<(Digest, Id)>,
    /// Results that were hashed and found sound; a run records their stamps.
    pub confirmed: Vec<(Digest, Id, Produced)>,
    records: Option<Records>,
    survey: Arc<Survey>,
    /// Objects found sound that the survey does not cover, and the stamps that will vouch for them.
    sound: HashMap<Digest, Stamp>,
}

impl Drop for Plan<'_> {
    fn drop(&mut self) {
        self.survey.enough();
    }
}

/// Options of a plan.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// Stages that run whatever is recorded, as a mask over node indices; empty means none.
    pub forced: Vec<bool>,
    /// Try unavailable stages again.
    pub retry: bool,
    /// Stages whose states are not derived: results, and reasons for having none, that come from elsewhere.
    pub given: HashMap<Id, State>,
}

impl<'a> Plan<'a> {
    /// Plans the wanted stages.
    ///
    /// # Errors
    /// When a user's file or the store cannot be read.
    pub fn new(
        graph: &'a Graph,
        wanted: &[bool],
        store: &'a Store,
        options: Options,
    ) -> Result<Self> {
        let mut plan = Self {
            graph,
            store,
            options,
            states: vec![State::Unwanted; graph.len()],
            learned: Vec::new(),
            rebind: Vec::new(),
            confirmed: Vec::new(),
            records: None,
            survey: store.survey(),
            sound: HashMap::default(),
        };
        for &id in graph.order() {
            if wanted[id.index()] {
                plan.states[id.index()] = plan.decide(id)?;
            }
        }
        Ok(plan)
    }

    /// The state of one stage.
    #[must_use]
    pub fn state(&self, id: Id) -> &State {
        &self.states[id.index()]
    }

    /// All states, by node index.
    #[must_use]
    pub fn states(&self) -> &[State] {
        &self.states
    }

    /// Puts a stage into a state and returns its previous one.
    pub(crate) fn set(&mut self, id: Id, state: State) -> State {
        std::mem::replace(&mut self.states[id.index()], state)
    }

    /// Derives a stage's state from the states of its inputs and the store.
    ///
    /// # Errors
    /// When a user's file or the store cannot be read.
    pub fn decide(&mut self, id: Id) -> Result<State> {
        if let Some(given) = self.options.given.get(&id) {
            return Ok(given.clone());
        }
        match self.contents(id)? {
            Err(state) => Ok(state),
            Ok(contents) => self.judge(id, &contents),
        }
    }

    /// The contents of a stage's inputs, or the stage's state if they do not exist.
    fn contents(&mut self, id: Id) -> Result<Result<Contents, State>> {
        let node = &self.graph[id];
        let mut waiting = Vec::new();
        let mut inputs = Vec::with_capacity(node.inputs.len());
        for edge in &node.inputs {
            let root = match &self.states[edge.from.index()] {
                State::Fresh(_, produced) => {
                    inputs.push(output(produced, edge.output));
                    continue;
                }
                State::Unavailable(..) | State::Failed(_) => edge.from,
                State::Blocked(root) => *root,
                _ => {
                    waiting.push(edge.from);
                    continue;
                }
            };
            let unavailable = matches!(self.states[root.index()], State::Unavailable(..));
            if !(edge.optional && unavailable) {
                return Ok(Err(State::Blocked(root)));
            }
            inputs.push(None);
        }
        if !waiting.is_empty() {
            return Ok(Err(State::Waiting(waiting)));
        }
        let learned = &mut self.learned;
        let files = node.files.iter().map(|path| self.store.source(path, learned));
        Ok(Ok(Contents { inputs, files: files.collect::<Result<_>>()? }))
    }

    /// Whether a stage whose inputs are known is fresh, stale or unavailable.
    fn judge(&mut self, id: Id, contents: &Contents) -> Result<State> {
        let node = &self.graph[id];
        let key = manifest::key(node, contents);
        let (known, unavailable, bound) = {
            let log = self.store.facts();
            let facts = log.known();
            let why = facts.unavailable(key).map(str::to_owned);
            (facts.done(key).cloned(), why, facts.key_of(&node.name))
        };
        if self.options.forced.get(id.index()).copied().unwrap_or(false) {
            return Ok(State::Stale(key, Reason::Forced));
        }
        if let Some(why) = unavailable {
            let retry = self.options.retry;
            return Ok(if retry {
                State::Stale(key, Reason::Retry)
            } else {
                State::Unavailable(key, why)
            });
        }
        let Some(produced) = known else {
            let reason = self.reason(node, contents, bound)?;
            return Ok(State::Stale(key, reason));
        };
        for artifact in produced.iter() {
            if let Some(reason) = self.unsound(artifact)? {
                return Ok(State::Stale(key, reason));
            }
        }
        if bound != Some(key) {
            self.rebind.push((key, id));
        }
        if let Some(confirmed) = self.confirmed(&produced) {
            self.confirmed.push((key, id, confirmed));
        }
        Ok(State::Fresh(key, produced))
    }

    /// These artifacts with the stamps that will vouch for them; `None` if these are already recorded.
    fn confirmed(&self, produced: &Produced) -> Option<Produced> {
        let stamp = |a: &Artifact| self.sound.get(&a.digest).copied().unwrap_or(a.stamp);
        let other = produced.iter().any(|artifact| stamp(artifact) != artifact.stamp);
        let now = |artifact: &Artifact| Artifact { stamp: stamp(artifact), ..artifact.clone() };
        other.then(|| produced.iter().map(now).collect())
    }

    fn unsound(&mut self, artifact: &Artifact) -> Result<Option<Reason>> {
        if self.survey.unchanged(artifact) || self.sound.contains_key(&artifact.digest) {
            return Ok(None);
        }
        let path = self.store.object(artifact.digest);
        Ok(match self.store.health(artifact)? {
            Health::Sound => {
                self.sound.insert(artifact.digest, artifact.stamp);
                None
            }
            Health::Confirmed(stamp) => {
                self.sound.insert(artifact.digest, stamp);
                None
            }
            Health::Missing => Some(Reason::Missing { artifact: path }),
            Health::Corrupt => Some(Reason::Corrupt { artifact: path }),
        })
    }

    fn reason(
        &mut self,
        node: &Node,
        contents: &Contents,
        bound: Option<Digest>,
    ) -> Result<Reason> {
        let Some(bound) = bound else { return Ok(Reason::New) };
        let changes = self
            .records()?
            .get(bound)
            .map(|old| Manifest::of(node, contents).changes_since(&old.manifest));
        Ok(match changes {
            Some(changes) if !changes.is_empty() => Reason::Changed { changes },
            _ => Reason::New,
        })
    }

    /// The store's records, read on first use.
    ///
    /// # Errors
    /// When they cannot be read.
    pub fn records(&mut self) -> Result<&Records> {
        let records = self.take_records()?;
        Ok(self.records.insert(records))
    }

    /// The store's records, for a caller that also needs to look at the plan; to be given back.
    pub(crate) fn take_records(&mut self) -> Result<Records> {
        self.records.take().map_or_else(|| self.store.records(), Ok)
    }

    /// Takes back what [`Plan::take_records`] gave.
    pub(crate) fn give_records(&mut self, records: Records) {
        self.records = Some(records);
    }

    /// The manifest of a stage whose inputs are known.
    ///
    /// # Errors
    /// When a user's file cannot be read.
    pub fn manifest(&mut self, id: Id) -> Result<Option<Manifest>> {
        let contents = self.contents(id)?.ok();
        Ok(contents.map(|contents| Manifest::of(&self.graph[id], &contents)))
    }

    /// What a stage reads from inputs that are fresh, by role.
    pub(crate) fn inputs(&self, id: Id) -> BTreeMap<String, Input> {
        let fresh = self.graph[id].inputs.iter().filter_map(|edge| {
            let State::Fresh(_, produced) = self.state(edge.from) else { return None };
            let digest = output(produced, edge.output)?;
            let stage = self.graph[edge.from].name.clone();
            let input = Input { path: self.store.object(digest), digest, stage };
            Some((edge.role.clone(), input))
        });
        fresh.collect()
    }

    /// The stages that are up to date, by name, with their keys.
    #[cfg(feature = "cli")]
    pub(crate) fn fresh(&self) -> BTreeMap<String, Digest> {
        let fresh = self.graph.order().iter().filter_map(|&id| match self.state(id) {
            State::Fresh(key, _) => Some((self.graph[id].name.clone(), *key)),
            _ => None,
        });
        fresh.collect()
    }

    /// How many stages are in each state.
    #[must_use]
    pub fn counts(&self) -> Counts {
        self.counts_of(|_| true)
    }

    /// The same of these stages alone.
    #[must_use]
    pub fn counts_of(&self, counted: impl Fn(Id) -> bool) -> Counts {
        let mut counts = Counts::default();
        for &id in self.graph.order().iter().filter(|id| counted(**id)) {
            match self.state(id) {
                State::Unwanted => {}
                State::Fresh(..) => counts.fresh += 1,
                State::Stale(..) | State::Running(_) | State::Failed(_) => counts.stale += 1,
                State::Waiting(_) => counts.waiting += 1,
                State::Unavailable(..) | State::Blocked(_) => counts.unavailable += 1,
            }
        }
        counts
    }
}

/// How many stages are in which state.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Counts {
    /// Up to date.
    pub fresh: usize,
    /// Will run.
    pub stale: usize,
    /// May run.
    pub waiting: usize,
    /// Cannot run here, or need one that cannot.
    pub unavailable: usize,
}

/// The digest of one output among a stage's artifacts.
pub(crate) fn output(produced: &[Artifact], name: &str) -> Option<Digest> {
    produced.iter().find(|artifact| &*artifact.output == name).map(|artifact| artifact.digest)
}
