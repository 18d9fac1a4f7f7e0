//! Results that are missing because a stage cannot be computed here: derived from a plan, kept in the records
//! of runs, looked up by stage name. Independent of tables.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap, HashSet},
    fmt,
};

use crate::{
    digest::Digest,
    error::Result,
    graph::{Graph, Id},
    plan::{Plan, State},
    store::{
        Store,
        runs::{Lack, RunRecord},
    },
};

/// A stage that cannot be computed here, and why.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Absence {
    /// The stage.
    pub stage: String,
    /// Its message, including the remedy.
    pub why: String,
}

impl fmt::Display for Absence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "stage {} is unavailable: {}", self.stage, self.why)
    }
}

/// A reason, split into its parts, and the stages that gave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cause {
    /// The first of the stages.
    pub stage: String,
    /// How many others gave the same reason.
    pub others: usize,
    /// The first line of their message.
    pub head: String,
    /// The remedy, if they gave one.
    pub remedy: Option<String>,
    /// The other lines: what was tried.
    pub tried: String,
}

/// The distinct reasons among `absences`.
#[must_use]
pub fn causes(absences: &[Absence]) -> Vec<Cause> {
    let mut causes: Vec<(&str, Cause)> = Vec::new();
    for Absence { stage, why } in absences {
        if let Some((_, cause)) = causes.iter_mut().find(|(other, _)| other == why) {
            cause.others += 1;
            continue;
        }
        let (head, rest) = why.split_once('\n').unwrap_or((why, ""));
        let (remedy, tried): (Vec<&str>, Vec<&str>) =
            rest.lines().partition(|line| line.starts_with("remedy: "));
        let cause = Cause {
            stage: stage.clone(),
            others: 0,
            head: head.to_owned(),
            remedy: (!remedy.is_empty()).then(|| remedy.join("\n")),
            tried: tried.join("\n"),
        };
        causes.push((why, cause));
    }
    causes.into_iter().map(|(_, cause)| cause).collect()
}

/// The stages that `plan` finds unavailable, by name, each with the stages that it keeps from running and those
/// that were computed without it.
#[must_use]
pub fn lacking(graph: &Graph, plan: &Plan) -> BTreeMap<String, Lack> {
    let mut lacking: BTreeMap<String, Lack> = BTreeMap::new();
    // What each stage was tried or computed without: the stages where the problem starts.
    let mut without: HashMap<Id, BTreeSet<Id>> = HashMap::new();
    for &id in graph.order() {
        let causes = |id: Id| match without.get(&id) {
            Some(deeper) => deeper.clone(),
            None => BTreeSet::from([id]),
        };
        let mut own = BTreeSet::new();
        for edge in &graph[id].inputs {
            match plan.state(edge.from) {
                State::Unavailable(..) => own.extend(causes(edge.from)),
                State::Blocked(root) => own.extend(causes(*root)),
                _ => own.extend(without.get(&edge.from).into_iter().flatten()),
            }
        }
        let entry = |id: Id| match plan.state(id) {
            State::Unavailable(key, _) => Some((graph[id].name.clone(), *key)),
            _ => None,
        };
        match plan.state(id) {
            State::Blocked(root) => {
                if let Some((name, key)) = entry(*root) {
                    let lack = lacking.entry(name).or_insert_with(|| Lack::of(key));
                    lack.blocked.push(graph[id].name.clone());
                }
                continue;
            }
            State::Unavailable(key, _) => {
                lacking.entry(graph[id].name.clone()).or_insert_with(|| Lack::of(*key));
            }
            State::Fresh(..) => {}
            _ => continue,
        }
        for (name, key) in own.iter().filter_map(|&cause| entry(cause)) {
            let lack = lacking.entry(name).or_insert_with(|| Lack::of(key));
            lack.without.push(graph[id].name.clone());
        }
        if !own.is_empty() {
            without.insert(id, own);
        }
    }
    lacking
}

/// An unavailable stage and the key that it had.
type Root = (String, Digest);

/// How a run ended for one stage.
#[derive(Default)]
pub(crate) struct Ending {
    /// The key of its result.
    pub key: Option<Digest>,
    /// What kept it from having one.
    pub root: Option<Root>,
    /// What it was tried or computed without.
    pub without: Vec<Root>,
}

/// How runs ended for each stage, taken from the last run that wanted it. Records are read only as far back as
/// is needed.
#[derive(Default)]
pub(crate) struct Endings {
    unread: Vec<u64>,
    known: HashMap<String, Ending>,
}

impl Endings {
    /// Of all runs of `store`.
    ///
    /// # Errors
    /// When the folder of the run records cannot be read.
    pub fn of(store: &Store) -> Result<Self> {
        Ok(Self { unread: store.run_ids()?, known: HashMap::new() })
    }

    /// Adds a run that is older than all those added before.
    pub fn older(&mut self, run: &RunRecord) {
        let mut now: HashMap<&str, Ending> = HashMap::new();
        for (name, key) in &run.stages {
            now.entry(name).or_default().key = Some(*key);
        }
        for (name, lack) in &run.lacking {
            let root = || (name.clone(), lack.key);
            for stage in lack.blocked.iter().chain([name]) {
                now.entry(stage).or_default().root = Some(root());
            }
            for stage in &lack.without {
                now.entry(stage).or_default().without.push(root());
            }
        }
        for (name, ending) in now {
            if !self.known.contains_key(name) {
                self.known.insert(name.to_owned(), ending);
            }
        }
    }

    /// Adds the next older run; returns whether there was one.
    fn back(&mut self, store: &Store) -> bool {
        let Some(id) = self.unread.pop() else { return false };
        // A record that cannot be read is ignored here; `retune runs` names it.
        if let Ok(run) = store.run_record(id) {
            self.older(&run);
        }
        true
    }

    /// How the last run that wanted `stage` ended for it.
    pub fn find(&mut self, store: &Store, stage: &str) -> Option<&Ending> {
        while !self.known.contains_key(stage) && self.back(store) {}
        self.known.get(stage)
    }

    /// The stages that had no result at the end of the last run that wanted them.
    pub fn lacking(&mut self, store: &Store) -> HashSet<String> {
        while self.back(store) {}
        let lacking = self.known.iter().filter(|(_, ending)| ending.root.is_some());
        lacking.map(|(name, _)| name.clone()).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_reason_is_told_once_in_parts() {
        let absent = |stage: &str, why: &str| Absence { stage: stage.into(), why: why.into() };
        let long = "toys cannot be had\n  cache: not there\n  mirror: not set\nremedy: make some";
        let told = causes(&[absent("a", long), absent("b", "no GPU"), absent("c", long)]);
        assert_eq!((told[0].stage.as_str(), told[0].others, told.len()), ("a", 1, 2));
        assert_eq!(told[0].head, "toys cannot be had");
        assert_eq!(told[0].remedy.as_deref(), Some("remedy: make some"));
        assert_eq!(told[0].tried, "  cache: not there\n  mirror: not set");
        assert_eq!((told[1].head.as_str(), &told[1].remedy), ("no GPU", &None));
    }
}
